"""The benchmarks: fair turns, checked results, reports. Nothing here judges a time."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from xpu import cli
from xpu.bench import Report, Work, report, run, timing
from xpu.bench.environment import start_again_without


def _pair(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    return rng.random(100, np.float32), rng.random(100, np.float32)


ADD = Work("a+b tiny", "a + b", _pair, lambda xp, a, b: a + b, nbytes=1200)
WRONG = Work("a-b tiny", "a - b", _pair, lambda module, a, b: a - b if module is np else a + b, nbytes=1200)


@pytest.fixture(scope="module")
def found() -> Report:
    return run(["cpu"], works=[ADD, WRONG], rounds=3)


def test_contestants_take_turns_and_the_median_counts(monkeypatch):
    now, order = [0.0], []
    monkeypatch.setattr(timing.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(timing.time, "sleep", lambda seconds: None)
    monkeypatch.setattr(timing, "LEAST", 0.0)
    costs = {"slow": iter([3.0] * 3 + [3.0, 9.0, 3.0, 3.0, 3.0, 3.0] * 3), "fast": iter([1.0] * 30)}

    def contestant(name):
        def call():
            order.append(name)
            now[0] += next(costs[name])

        return call

    seconds = timing.race({name: contestant(name) for name in costs}, rounds=3, budget=1e9)
    assert seconds == {"slow": 3.0, "fast": 1.0}
    last = order[-4:]
    assert last == ["slow", "slow", "fast", "fast"]  # one call to warm up, one to measure


def test_a_wrong_result_is_named(found):
    assert found.wrong == ["a-b tiny on cpu"]
    assert report.WRONG in report.markdown(found)


def test_reports_survive_json(found):
    again = Report.from_dict(json.loads(json.dumps(found.to_dict())))
    assert again == found
    assert set(found.rows[0].seconds) == {"numpy", "cpu"}
    assert all(seconds > 0 for seconds in found.rows[0].seconds.values())
    assert found.limits["cpu"].bandwidth > 1e8


def test_tables_name_every_work_and_device(found):
    cells = report.work_cells(found)
    assert [line[0] for line in cells[1:]] == ["a+b tiny", "a-b tiny"]
    assert cells[0][2] == "cpu"
    assert len({len(line) for line in cells}) == 1


def test_variables_that_slow_numpy_are_removed_before_starting_again(monkeypatch):
    started = []
    monkeypatch.setattr("xpu.bench.environment._start_again", lambda: started.append(True))
    environment = {"OPENBLAS_CORETYPE": "Haswell", "HOME": "/"}
    start_again_without(environment)
    assert (environment, started) == ({"HOME": "/"}, [True])
    start_again_without(environment)
    assert started == [True]


def test_the_command_writes_what_was_asked_for(tmp_path):
    files = [tmp_path / name for name in ("b.json", "b.md")]
    command = [sys.executable, "-m", "xpu", "bench", "a+b 10^4", "--device", "cpu"]
    done = subprocess.run(
        [*command, "--json", str(files[0]), "--markdown", str(files[1])], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert "a+b 10^4" in done.stdout
    assert "a+b 10^4" in files[1].read_text()
    assert Report.from_dict(json.loads(files[0].read_text())).wrong == []


def test_the_command_refuses_what_is_not_there(capsys):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("xpu.bench.environment._start_again", lambda: None)
        assert cli.main(["bench", "--device", "nothing"]) == 1
        assert cli.main(["bench", "no such work"]) == 2
    error = capsys.readouterr().err
    assert "chain 10^7" in error
    assert "sqrt(a*a+b*b)" in error, "what the works compute"


@pytest.mark.parametrize(
    ("option", "file", "message"),
    [("--json", "no/folder/b.json", "there is no folder"), ("--picture", "b.nothing", "b.nothing|matplotlib")],
)
def test_the_command_measures_nothing_that_it_cannot_keep(option, file, message, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("xpu.bench.environment._start_again", lambda: None)
    monkeypatch.setattr("xpu.bench.run", lambda *args, **keywords: pytest.fail("it has measured"))
    assert cli.main(["bench", "a+b", "--device", "cpu", option, str(tmp_path / file)]) == 1
    assert re.search(message, capsys.readouterr().err)


def test_a_wrong_result_ends_the_command_with_1(monkeypatch, capsys):
    monkeypatch.setattr("xpu.bench.environment._start_again", lambda: None)
    monkeypatch.setattr("xpu.bench.WORKS", [WRONG])
    assert cli.main(["bench", "a-b", "--device", "cpu"]) == 1
    assert "is not what NumPy computes" in capsys.readouterr().out


def test_the_picture_is_drawn_or_says_what_is_missing(found, tmp_path):
    from xpu.bench import picture

    if find_spec("matplotlib") is None:
        with pytest.raises(picture.CannotDraw, match="pip install matplotlib"):
            picture.draw(found, tmp_path / "b.png")
    else:
        picture.draw(found, tmp_path / "b.png")
        assert (tmp_path / "b.png").read_bytes().startswith(b"\x89PNG")
