"""Kernels written in Python, on the interpreter: messages with the user's lines, debuggers, print."""

from __future__ import annotations

import bdb
import inspect
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import xpu as xp
from xpu.errors import KernelAssertionError, KernelIndexError, KernelRaceError

DEVICE = "interpreter"


@xp.kernel
def shift(a, out):
    i = xp.global_id(0)
    out[i] = a[i + 1]


@xp.kernel
def neighbours(a):
    i = xp.global_id(0)
    left = a[i]
    a[(i + 1) % a.shape[0]] = left


@xp.kernel
def checked(a):
    i = xp.global_id(0)
    assert a[i] < 3, "values stay below three"


@xp.kernel
def talks(a):
    i = xp.global_id(0)
    print("element", i, "is", a[i])  # noqa: T201


@xp.kernel
def stops(a):
    i = xp.global_id(0)
    doubled = a[i] * 2
    breakpoint()
    a[i] = doubled


@xp.kernel
def meets(a):
    tile = xp.local_array(4, xp.float32)
    k = xp.local_id(0)
    tile[k] = a[k]
    xp.barrier()
    breakpoint()
    a[k] = tile[3 - k]


@xp.func
def square(v):
    product = v * v
    return product  # noqa: RET504  (a variable to stop at)


@xp.kernel
def squares(a):
    i = xp.global_id(0)
    a[i] = square(a[i])


def on_device(*values, dtype=np.float32):
    return xp.asarray(np.array(values, dtype), device=DEVICE)


def line_of(kernel, text):
    lines, first = inspect.getsourcelines(kernel.__wrapped__)
    return first + next(k for k, line in enumerate(lines) if text in line)


def test_an_index_error_shows_the_line_and_a_caret():
    with pytest.raises(KernelIndexError) as caught:
        shift[4](on_device(1, 2, 3, 4), on_device(0, 0, 0, 0))
    text = str(caught.value)
    assert "index 4 is out of range for axis 0 of argument 'a' of shape (4,) (work-item 3)" in text
    assert f'File "{__file__}", line {line_of(shift, "a[i + 1]")}' in text
    source, caret = text.splitlines()[-2:]
    assert source.strip() == "out[i] = a[i + 1]"
    assert source[caret.index("^") : caret.rindex("^") + 1] == "a[i + 1]"


def test_a_race_names_both_lines():
    with pytest.raises(KernelRaceError) as caught:
        neighbours[4](on_device(1, 2, 3, 4))
    text = str(caught.value)
    assert f"line {line_of(neighbours, 'left = a[i]')}" in text
    assert f"line {line_of(neighbours, '= left')}" in text


def test_an_assertion_has_the_users_message():
    with pytest.raises(KernelAssertionError, match=r"kernel 'checked': values stay below three \(work-item 2\)"):
        checked[4](on_device(1, 2, 3, 4))


def test_print(capsys):
    talks[2](on_device(1.5, 2.5))
    assert capsys.readouterr().out == "element 0 is 1.5\nelement 1 is 2.5\n"


@pytest.mark.parametrize(("kernel", "shown"), [(stops, {"doubled": 4}), (meets, {"k": 1})])
def test_breakpoint_stops_in_the_users_function(kernel, shown, monkeypatch):
    seen = []

    def hook():
        frame = sys._getframe(1)
        seen.append((frame.f_code.co_filename, frame.f_code.co_name, frame.f_lineno, dict(frame.f_locals)))

    monkeypatch.setattr(sys, "breakpointhook", hook)
    kernel[4](on_device(1, 2, 3, 4))
    assert len(seen) == 4
    file, name, line, names = seen[1]
    assert (file, name, line) == (__file__, kernel.__name__, line_of(kernel, "breakpoint()"))
    for key, value in shown.items():
        assert names[key] == value
    assert repr(names["a"]).startswith("global array 'a':")


def test_a_debuggers_own_breakpoints_work():
    stopped = []

    class Debugger(bdb.Bdb):
        def user_line(self, frame):
            if self.break_here(frame):
                stopped.append((frame.f_code.co_name, float(frame.f_locals["v"])))
            self.set_continue()

    debugger = Debugger()
    assert debugger.set_break(__file__, line_of(square, "product =")) is None
    a = on_device(1, 2, 3)
    with xp.device(DEVICE):
        debugger.runcall(lambda: squares[3](a))
    assert stopped == [("square", 1.0), ("square", 2.0), ("square", 3.0)]
    assert xp.asnumpy(a).tolist() == [1, 4, 9]


def test_pdb_session(tmp_path):
    script = tmp_path / "debugged.py"
    script.write_text(
        textwrap.dedent(
            """
            import numpy as np
            import xpu as xp

            @xp.kernel
            def k(a):
                i = xp.global_id(0)
                v = a[i] + 10
                breakpoint()
                a[i] = v

            a = xp.asarray(np.array([1, 2], np.int32), device="interpreter")
            k[2](a)
            print("result", xp.asnumpy(a).tolist())
            """
        )
    )
    commands = "p v\np a[i]\nn\nn\np 'second', v\nc\nc\nc\n"
    run = subprocess.run([sys.executable, str(script)], input=commands, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    assert "-> a[i] = v" in run.stdout
    assert "np.int32(11)" in run.stdout
    assert "result [11, 12]" in run.stdout
