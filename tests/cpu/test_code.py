"""Machine code kept as bytes, debug mode, print, and errors of the compiler."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import xpu as xp
from xpu.backend import CompileError, LaunchRefused, Source
from xpu.kernel import debug, ir

from .hand import DEVICE, F32, arguments, array, binary, const, declared, gid, kernel, lid, load, run, source, store

X = np.arange(20, dtype=np.float32)


def double():
    return kernel([array("x"), array("out")], [store("out", binary("mul", load("x", gid()), const(2.0, F32)), gid())])


def test_a_kernel_goes_through_bytes():
    node = double()
    text = source(node)
    loaded = DEVICE.load(text, DEVICE.compile(text).binary())
    out = np.zeros_like(X)
    DEVICE.launch(loaded, X.shape, None, arguments(node, X.shape, (X, out)))
    np.testing.assert_array_equal(out, X * 2)


def test_foreign_bytes_are_declined():
    assert DEVICE.load(source(double()), b"something else") is None


WARM = """
import sys
import numpy as np
import xpu as xp
from xpu.kernel.build import statistics

@xp.kernel
def triple(x, out):
    i = xp.global_id(0)
    out[i] = x[i] * 3

xp.set_device("cpu")
x, out = xp.asarray(np.arange(5.0)), xp.zeros(5)
triple[5](x, out)
assert list(xp.asnumpy(out)) == [0, 3, 6, 9, 12]
print(statistics.compiled, "numba" in sys.modules)
"""


def test_a_second_process_compiles_nothing_and_imports_no_numba(tmp_path):
    script = tmp_path / "warm.py"
    script.write_text(WARM)
    import os

    environment = {**os.environ, "XPU_CACHE_DIR": str(tmp_path / "cache")}
    outputs = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, str(script)], capture_output=True, text=True, env=environment, timeout=120
        )
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout.split())
    assert int(outputs[0][0]) >= 1
    assert outputs[0][1] == "True"
    assert outputs[1] == ["0", "False"]


def test_the_fingerprint_names_compiler_and_processor():
    text = DEVICE.fingerprint()
    assert "numba" in text
    assert "llvm" in text


def test_broken_source_is_refused_with_a_reason():
    bad = Source("xpu_bad", "def xpu_bad(begin, end, args, scratch):\n    x = nonsense(1)\n", "numba", (), 1)
    with pytest.raises(CompileError, match="nonsense"):
        DEVICE.compile(bad)


def test_a_group_too_large_is_refused():
    node = double()
    with pytest.raises(LaunchRefused, match="4096"):
        DEVICE.launch(DEVICE.compile(source(node)), (8192,), (4096,), arguments(node, (8192,), (X, X)))


# ------------------------------------------------------------------------------------------------- debug mode


def test_a_wrong_index_is_recorded_and_left_out():
    node = kernel([array("x"), array("out")], [store("out", load("x", binary("mul", gid(), const(3))), gid())])
    out = np.full(8, -1, np.float32)
    errors = run(node, 8, X, out, debug=True)
    assert errors[debug.CODE] == debug.INDEX_ERROR
    assert [int(errors[k]) for k in (debug.SITE, debug.AXIS, debug.INDEX, debug.EXTENT)] == [1, 0, 21, 20]
    assert errors[debug.GLOBAL_ID] == 7
    np.testing.assert_array_equal(out, [0, 3, 6, 9, 12, 15, 18, 0])


def test_negative_indices_of_local_arrays_and_vectors():
    v = ir.Vector(np.dtype(np.float32), 4)
    body = [
        store("t", load("x", gid()), lid()),
        ir.Barrier(),
        store("out", load("t", binary("sub", lid(), const(1))), gid()),
        store("out", ir.Load(v, "x", [binary("add", gid(), const(18))]), const(0)),
    ]
    node = kernel([array("x"), array("out")], body, arrays=[declared("t", 4)])
    out = np.zeros(4, np.float32)
    errors = run(node, 4, X, out, local=4, debug=True)
    assert errors[debug.CODE] == debug.INDEX_ERROR
    assert (errors[debug.SITE], errors[debug.INDEX]) == (3, -1)


def test_assertions():
    below = binary("lt", load("x", gid()), const(5.0, F32))
    node = kernel([array("x")], [ir.Assert(below, "too large")])
    assert run(node, 5, X, debug=True)[debug.CODE] == 0
    errors = run(node, 6, X, debug=True)
    assert errors[debug.CODE] == debug.ASSERT_ERROR
    assert errors[debug.GLOBAL_ID] == 5
    run(node, 6, X)  # not looked at otherwise


@xp.kernel
def out_of_range(x, out):
    i = xp.global_id(0)
    out[i] = xp.exp(x[i + 1])


def test_debug_mode_names_the_place():
    with xp.device("cpu"), xp.config.override(debug=True):
        x, out = xp.zeros(5, dtype=xp.float32), xp.zeros(5, dtype=xp.float32)
        out_of_range[5](x, out)
        with pytest.raises(xp.KernelIndexError, match="index 5 is out of range for axis 0 of argument 'x'"):
            xp.synchronize()


def test_print(capsys):
    t = ir.Scalar(np.dtype(np.complex64))
    z = ir.Complex(t, load("x", gid()), const(1.0, F32))
    half = ir.Cast(ir.Scalar(np.dtype(np.float16)), load("x", gid()))
    node = kernel([array("x")], [ir.Print(["i =", gid(), "x =", half, binary("gt", gid(), const(0)), z]), ir.Print([])])
    run(node, 2, X)
    assert capsys.readouterr().out == "i = 0 x = 0.0 False 1j\n\ni = 1 x = 1.0 True (1+1j)\n\n"
