"""The command: help, exit codes, `xpu info` on machines in every state, the cache."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

import xpu as xp
from xpu import cli, doctor
from xpu.doctor.show import facts

from . import strangers


def run(*arguments: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "xpu", *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)


def info(environment: dict[str, str]) -> dict[str, Any]:
    done = run("info", "--json", environment=environment)
    assert done.returncode == 0, done.stderr
    return {backend["name"]: backend for backend in json.loads(done.stdout)["backends"]}


def test_version_and_help() -> None:
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"xpu {xp.__version__}\n")
    done = run("--help")
    assert done.returncode == 0
    for word in ("info", "conformance", "cache", "exit codes"):
        assert word in done.stdout


def test_no_command_and_wrong_command_are_usage_errors() -> None:
    assert run().returncode == 2
    done = run("infos")
    assert done.returncode == 2
    assert "info" in done.stderr


def test_info_as_data() -> None:
    done = run("info", "--json")
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    backends = {backend["name"]: backend for backend in data["backends"]}
    assert {"cpu", "cuda", "interpreter", "opencl"} <= set(backends)
    assert data["current"]["device"] == "cpu"
    (cpu,) = backends["cpu"]["devices"]
    assert cpu["works"]
    assert cpu["device"] == "cpu"
    for key in ("name", "vendor", "kind", "memory", "compute_units", "fp64", "fp16", "limits"):
        assert key in cpu


def test_info_for_people() -> None:
    done = run("info")
    assert done.returncode == 0, done.stderr
    for word in ("cpu", "opencl", "cuda", "compute unit", "fp64", "current device: cpu"):
        assert word in done.stdout
    assert "\x1b" not in done.stdout, "no colours in a pipe"


def test_info_says_when_the_chosen_device_does_not_work(tmp_path: Path) -> None:
    environment = strangers.install(tmp_path, strangers.MISSING_DRIVER) | {"XPU_DEVICE": "stranger"}
    done = run("info", environment=environment)
    assert done.returncode == 1
    assert "libstranger.so.1 is not there" in done.stdout
    assert "apt-get install stranger-driver" in done.stdout


def test_a_device_that_cannot_build_is_shown_with_reason_and_remedy(tmp_path: Path) -> None:
    environment = strangers.install(tmp_path, strangers.DEVICE_THAT_CANNOT_BUILD)
    found = info(environment)
    (device,) = found["stranger"]["devices"]
    assert not device["works"]
    assert "unknown target CPU 'generic'" in device["failure"]
    assert device["failure"].endswith("update the stranger's driver")
    assert not found["stranger"]["works"]
    assert found["cpu"]["works"]


def test_the_first_broken_layer_is_named(tmp_path: Path) -> None:
    stranger = info(strangers.install(tmp_path, strangers.MISSING_DRIVER))["stranger"]
    assert stranger["first_broken"]["name"] == "driver"
    assert stranger["first_broken"]["remedy"] == "apt-get install stranger-driver"


@pytest.mark.skipif(sys.platform == "win32", reason="kills itself by a POSIX signal")
def test_a_driver_that_crashes_is_reported_and_takes_nobody_down(tmp_path: Path) -> None:
    found = info(strangers.install(tmp_path, strangers.CRASH))
    assert "crashed the process (SIGABRT)" in found["stranger"]["first_broken"]["detail"]
    assert found["cpu"]["works"]


def test_a_backend_that_raises_or_cannot_be_imported_is_reported(tmp_path: Path) -> None:
    found = info(strangers.install(tmp_path / "raises", strangers.RAISES))
    text = json.dumps(found["stranger"])
    assert "no idea" in text
    assert "the bus is on fire" in text
    found = info(strangers.install(tmp_path / "import", strangers.CANNOT_BE_IMPORTED))
    assert "cannot open shared object file" in found["stranger"]["first_broken"]["detail"]
    assert found["cpu"]["works"]


def test_report_survives_the_way_through_json() -> None:
    report = doctor.collect("cpu")
    again = doctor.Report.from_dict(json.loads(json.dumps(report.to_dict())))
    assert again == report


def test_the_tree_needs_no_unicode() -> None:
    report = doctor.collect()
    out = io.TextIOWrapper(io.BytesIO(), encoding="ascii", errors="strict")
    doctor.show(report, Console(file=out, width=200))
    out.flush()


def test_facts_fit_in_a_line() -> None:
    (device,) = doctor.collect("cpu").devices()
    line = facts(device)
    assert "GiB" in line or "MiB" in line
    assert "fp64 yes" in line


def test_conformance_of_a_device_that_is_not_there() -> None:
    done = run("conformance", "--device", "opencl:no-such-vendor")
    assert done.returncode == 1
    assert "no-such-vendor" in done.stderr
    assert "Traceback" not in done.stderr


def test_further_arguments_belong_to_conformance(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        cli.main(["info", "--", "-x"])
    assert stop.value.code == 2
    assert "xpu conformance" in capsys.readouterr().err


def test_cache_shows_place_and_content_and_clears(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    from xpu.kernel import cache

    monkeypatch.setattr(xp.config, "cache_dir", str(tmp_path / "kernels"))
    cache.write("0" * 32, "device", b"binary")
    assert cli.main(["cache"]) == 0
    shown = capsys.readouterr().out
    assert str(tmp_path / "kernels") in shown
    assert "1 kernel," in shown
    assert cli.main(["cache", "--clear"]) == 0
    assert "deleted  1 kernel" in capsys.readouterr().out
    assert cache.entries() == 0


@pytest.mark.parametrize("failing", ["", "opencl:1"])
def test_conformance_of_all_devices(failing: str, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    def device(text: str, failure: str | None = None, listed: bool = True) -> doctor.DeviceReport:
        return doctor.DeviceReport(
            text, f"Board of {text}", "", "cpu", "", 1, 1, True, True, True, [], failure, 1.0, {}, listed
        )

    found = [device("cpu"), device("interpreter", listed=False), device("opencl:0", "no driver"), device("opencl:1")]
    found.insert(2, replace(device("opencl:2"), speed=0.5))
    report = doctor.collect("cpu")
    report.backends[0].devices = found
    monkeypatch.setattr(doctor, "collect_safely", lambda: report)
    quick: dict[str, bool] = {}

    def apart(text: str, options: Any, reduced: bool) -> tuple[int, str]:
        quick[text] = reduced
        return int(text == failing), f"output of {text}"

    monkeypatch.setattr(cli, "_conformance_apart", apart)
    code = cli.main(["conformance", "--device", "all", "--jobs", "2"])
    assert code == int(bool(failing))
    shown = capsys.readouterr().out
    assert "output of cpu" in shown
    assert "output of opencl:1" in shown
    assert quick == {"cpu": False, "opencl:1": False, "opencl:2": True}  # the slower of two runs the reduced set
    assert "not tested: no driver" in shown
    assert "interpreter" not in shown
    assert ("FAILED (exit code 1)" in shown) is bool(failing)
