"""The CPU backend's contract: memory, library, diagnosis."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import xpu_cpu
from xpu_cpu import diagnosis
from xpu_cpu.blocks import Block
from xpu_cpu.kernel import choose_local

from .hand import DEVICE


def block_of(values):
    block = DEVICE.allocate(values.nbytes)
    DEVICE.copy_in(block, 0, values.view(np.uint8))
    return block


def test_blocks_start_at_cache_lines():
    assert all(DEVICE.allocate(n).address % 64 == 0 for n in (1, 3, 64, 1000))


def test_copies():
    values = np.arange(100, dtype=np.uint8)
    block = block_of(values)
    other = DEVICE.allocate(50)
    DEVICE.copy_within(other, 10, block, 30, 20)
    out = np.zeros(20, np.uint8)
    DEVICE.copy_out(other, 10, out)
    np.testing.assert_array_equal(out, values[30:50])
    DEVICE.copy_within(block, 0, block, 50, 25)
    np.testing.assert_array_equal(DEVICE.host_view(block)[:25], values[50:75])


@pytest.mark.parametrize(
    "pattern", [b"\0", b"\7", b"\1\2", b"\0\0\x80\x3f", bytes(range(8)), bytes(range(16)), b"\5" * 8]
)
def test_fill(pattern):
    block = block_of(np.full(80, 9, np.uint8))
    DEVICE.fill(block, 16, 48, pattern)
    expected = np.full(80, 9, np.uint8)
    expected[16:64] = np.frombuffer(pattern * 48, np.uint8)[:48]
    np.testing.assert_array_equal(DEVICE.host_view(block), expected)


def test_an_array_is_adopted_without_a_copy():
    values = np.zeros((3, 4), np.float32)
    block = DEVICE.adopt(values)
    DEVICE.host_view(block)[:4] = np.array([5], np.float32).view(np.uint8)
    assert values[0, 0] == 5
    assert DEVICE.adopt(values.T) is None
    values.flags.writeable = False
    assert DEVICE.adopt(values) is None
    assert DEVICE.adopt(np.frombuffer(bytearray(33), np.uint8)[1:].view(np.float32)) is None


def test_too_much_memory_is_a_memory_error():
    with pytest.raises(MemoryError):
        DEVICE.allocate(2**62)


def test_information():
    info = DEVICE.info
    assert info.kind == "cpu"
    assert info.unified_memory
    assert info.fp64
    assert info.memory > 2**28
    assert info.compute_units >= 1
    stats = DEVICE.memory_stats()
    assert 0 < stats.get("free", 1) <= stats["total"]


@pytest.mark.parametrize(
    ("size", "divides", "expected"),
    [
        ((1000,), False, (256,)),
        ((1000,), True, (250,)),
        ((7, 30), True, (7, 30)),
        ((64, 64), True, (4, 64)),
        ((1, 1), True, (1, 1)),
    ],
)
def test_the_size_of_groups(size, divides, expected):
    assert choose_local(size, divides) == expected


def test_a_prime_size_has_groups_of_one():
    assert choose_local((257,), True) == (1,)


# ---------------------------------------------------------------------------------------------------- library


def test_every_native_operation_is_numpys():
    for name, function in DEVICE.library["elementwise"].items():
        assert callable(function), name


@pytest.mark.parametrize("name", ["sum", "prod", "min", "max"])
def test_reductions_write_into_out(name):
    a = np.random.default_rng(0).integers(1, 5, (4, 5, 6)).astype(np.float32)[::-1, :, ::2]
    out = np.zeros((5,), np.float32)
    DEVICE.library[name](a, (0, 2), out)
    np.testing.assert_array_equal(out, getattr(np, name)(a, axis=(0, 2)))


def test_sums_are_computed_in_the_dtype_of_out():
    a = np.full(1000, 200, np.uint8)
    wide, narrow = np.zeros((), np.int64), np.zeros((), np.uint8)
    DEVICE.library["sum"](a, (0,), wide)
    DEVICE.library["sum"](a, (0,), narrow)
    assert (int(wide), int(narrow)) == (200_000, 200_000 % 256)


@pytest.mark.parametrize("name", ["any", "all", "argmin", "argmax"])
def test_logic_and_positions(name):
    a = np.random.default_rng(1).integers(0, 3, (6, 7)).astype(np.float64)
    for axis in (0, 1, None):
        expected = getattr(np, name)(a, axis=axis)
        out = np.zeros_like(expected) if axis is not None else np.zeros((), np.asarray(expected).dtype)
        argument = axis if name.startswith("arg") else ((0, 1) if axis is None else (axis,))
        DEVICE.library[name](a, argument, out)
        np.testing.assert_array_equal(out, expected)


def test_matmul_takes_floats_and_declines_integers():
    a = np.arange(24.0).reshape(2, 3, 4)
    out = np.zeros((2, 3, 3))
    assert DEVICE.library["matmul"](a, a.transpose(0, 2, 1), out) is None
    np.testing.assert_array_equal(out, a @ a.transpose(0, 2, 1))
    assert DEVICE.library["matmul"](a.astype(int), a.astype(int), out) is NotImplemented


@pytest.mark.parametrize("dtype", [np.bool_, np.int16, np.float16, np.float32, np.complex64])
def test_sorting(dtype):
    rng = np.random.default_rng(2)
    a = rng.integers(-3, 4, (40, 9)).astype(dtype).T
    if np.dtype(dtype).kind in "fc":
        a[2, ::3] = np.nan
        a[4] *= -1  # zeros of both signs
        a[4, 5] = 0
    for axis in (0, 1):
        out, order = np.zeros_like(a), np.zeros(a.shape, np.int64)
        DEVICE.library["sort"](a, axis, out)
        DEVICE.library["argsort"](a, axis, order)
        expected = np.sort(a, axis=axis, kind="stable")
        np.testing.assert_array_equal(out, expected)
        np.testing.assert_array_equal(np.signbit(out.real), np.signbit(expected.real))
        np.testing.assert_array_equal(order, np.argsort(a, axis=axis, kind="stable"))


def test_running_sums_and_positions():
    a = np.arange(12, dtype=np.int8).reshape(3, 4)
    out = np.zeros((3, 4), np.int64)
    DEVICE.library["cumulative"]("sum", a, 1, out)
    np.testing.assert_array_equal(out, a.cumsum(1))
    DEVICE.library["cumulative"]("prod", a, 0, out)
    np.testing.assert_array_equal(out, a.cumprod(0))
    places = np.zeros(2, np.int64)
    DEVICE.library["searchsorted"](np.array([1.0, 2, 2, 5]), np.array([2.0, 9]), "right", places)
    np.testing.assert_array_equal(places, [3, 4])


def test_indexing():
    a = np.arange(20).reshape(5, 4)
    rows, columns = np.array([[0], [4]]), np.array([3, 1, 1])
    out = np.zeros((2, 3), np.int64)
    DEVICE.library["getitem"](a, (rows, columns), out)
    np.testing.assert_array_equal(out, a[rows, columns])
    with pytest.raises(IndexError):
        DEVICE.library["getitem"](a, (np.array([5]),), np.zeros((1, 4), np.int64))
    DEVICE.library["setitem"](a, (rows,), np.array(-1))
    assert (a[[0, 4]] == -1).all()
    outs = tuple(np.zeros(DEVICE.library["count_nonzero"](a < 6), np.int64) for _ in range(2))
    DEVICE.library["nonzero"](a < 6, outs)
    np.testing.assert_array_equal(outs, np.nonzero(a < 6))


def test_native_arrays_are_windows():
    values = np.arange(20, dtype=np.int32)
    window = DEVICE.native_array(block_of(values), np.dtype(np.int32), (3, 2), (24, -4), 8)
    np.testing.assert_array_equal(window, [[2, 1], [8, 7], [14, 13]])


# -------------------------------------------------------------------------------------------------- diagnosis


def test_a_sound_machine():
    tree = xpu_cpu.CpuBackend().diagnose()
    assert tree.first_broken() is None
    assert [layer.name for layer in tree.children] == ["hardware", "threads", "NumPy", "Numba"]


def test_forced_kernels_of_openblas_are_told(monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    layer = next(layer for layer in diagnosis.diagnose().children if layer.name == "NumPy")
    assert layer.ok is None
    assert layer.remedy == "unset OPENBLAS_CORETYPE"


def test_missing_and_old_packages(monkeypatch):
    monkeypatch.setattr(diagnosis, "find_spec", lambda name: None if name == "numba" else object())
    broken = diagnosis.diagnose().first_broken()
    assert broken is not None
    assert broken.remedy == "pip install numba"
    monkeypatch.setattr(diagnosis, "find_spec", lambda name: object())
    monkeypatch.setattr(diagnosis, "version", lambda name: "0.50.1")
    broken = diagnosis.diagnose().first_broken()
    assert broken is not None
    assert "numba 0.50.1 is too old" in broken.detail


def test_a_numba_that_does_not_import(monkeypatch):
    def fail(name):
        raise ImportError("Numba needs NumPy 2.3 or less. Got NumPy 2.9.")

    monkeypatch.setattr(diagnosis, "import_module", fail)
    broken = diagnosis.diagnose().first_broken()
    assert broken is not None
    assert "Numba needs NumPy 2.3 or less" in broken.detail
    assert broken.remedy == "pip install --upgrade numba"


def test_a_wrong_number_of_threads_is_a_broken_layer(monkeypatch):
    monkeypatch.setenv("XPU_NUM_THREADS", "many")
    broken = diagnosis.diagnose().first_broken()
    assert broken is not None
    assert broken.name == "threads"
    (device,) = xpu_cpu.CpuBackend().devices()
    with pytest.raises(ValueError, match="XPU_NUM_THREADS='many'"):
        device.open()


def test_the_backend_loads_nothing_heavy():
    code = "import sys, xpu_cpu; xpu_cpu.CpuBackend().devices(); print(sorted({'numba', 'llvmlite', 'scipy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "[]", done.stderr


def test_blocks_keep_the_arrays_memory_alive():
    block = Block.new(100)
    view = DEVICE.host_view(block)
    del block
    view[:] = 3
    assert view.sum() == 300
