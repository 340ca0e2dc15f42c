"""Devices without a library: lines that are new and small share the kernels of single operations."""

from __future__ import annotations

import numpy as np
import pytest

import xpu as xp
from xpu.device import devices
from xpu.kernel.build import statistics
from xpu.lazy import run as run_module

COMPILERS = sorted(str(device) for device in devices("opencl"))


@pytest.fixture(params=COMPILERS)
def fresh(request):
    """Make a device the current one, with nothing planned yet and no free kernels."""
    with xp.device(request.param):
        device = xp.current_device()
        before = dict(device.plans)
        device.plans.clear()
        device.plans["free kernels"] = 0
        yield device
        device.plans.clear()
        device.plans.update(before)


def builds(function) -> int:
    """Return how many kernels a call needed that were not loaded yet."""
    before = statistics.compiled + statistics.from_disk
    function()
    return statistics.compiled + statistics.from_disk - before


def operands(n: int = 1000) -> list[xp.Array]:
    rng = np.random.default_rng(3)
    return [xp.asarray(rng.random(n, np.float32) + np.float32(0.5)) for _ in range(3)]


def lines(a, b, c):
    """Return many different structures of few different operations."""
    yield xp.sqrt(a * b) + xp.exp(c)
    yield xp.exp(a * b) + xp.sqrt(c)
    yield xp.sqrt(a + b) * xp.exp(c)
    yield xp.exp(a + b) * xp.sqrt(c)
    yield xp.exp(xp.sqrt(a) + xp.sqrt(b) * xp.sqrt(c))
    yield xp.where(a * b > c, xp.exp(a), xp.sqrt(b) + c)


def test_many_lines_share_few_kernels_and_give_the_same_bits(fresh):
    a, b, c = operands()
    got = [xp.asnumpy(x) for x in lines(a, b, c)]  # sqrt, multiply, add, exp, greater, where
    assert builds(lambda: [xp.asnumpy(x) for x in lines(c, a, b)]) == 0
    assert all(not s.executables or s.steps == 1 for s in fresh.plans.values() if isinstance(s, run_module.Structure))
    with xp.config.override(library=False):
        fused = [xp.asnumpy(x) for x in lines(a, b, c)]
    for one, other in zip(got, fused, strict=True):
        np.testing.assert_array_equal(one, other)


def test_what_comes_again_becomes_one_kernel(fresh):
    a, b, c = operands()

    def line():
        return xp.asnumpy(xp.sqrt(a * b - c * 0.25) + xp.exp(c))

    first = line()
    for _ in range(run_module.HOT_RUNS):
        np.testing.assert_array_equal(line(), first)
    compiled = [
        s for s in fresh.plans.values() if isinstance(s, run_module.Structure) and s.steps > 1 and s.executables
    ]
    assert len(compiled) == 1
    assert builds(line) == 0


def test_the_first_lines_of_a_program_are_compiled_at_once(fresh):
    fresh.plans["free kernels"] = 1
    a, b, c = operands()
    xp.evaluate(a * b + c)
    xp.evaluate(a * b - c)
    compiled = [s.compiles for s in fresh.plans.values() if isinstance(s, run_module.Structure) and s.steps > 1]
    assert compiled == [True, False]


def test_large_arrays_are_compiled_for_at_once(fresh):
    a, b, c = operands(run_module.ALWAYS_FUSED)
    xp.evaluate(a * b + c)
    (only,) = [s for s in fresh.plans.values() if isinstance(s, run_module.Structure)]
    assert only.executables


@pytest.mark.parametrize("op", ["sum", "max", "argmin", "any", "mean", "var"])
def test_reductions_share_too_and_give_the_same_bits(fresh, op):
    a, b, c = operands()
    reduce = getattr(xp, op)
    got = [xp.asnumpy(reduce(x)) for x in lines(a, b, c)]
    needed = builds(lambda: [xp.asnumpy(reduce(x)) for x in lines(c, a, b)])
    assert needed <= (op == "var")  # what var does inside comes with every line, and is compiled in the end
    with xp.config.override(library=False):
        fused = [xp.asnumpy(reduce(x)) for x in lines(a, b, c)]
    for one, other in zip(got, fused, strict=True):
        np.testing.assert_array_equal(one, other)


def test_writes_in_place_through_views(fresh):
    host = np.random.default_rng(4).random((30, 40), np.float32)
    u, want = xp.asarray(host, copy=True), host.copy()
    for _ in range(3):
        for x in (u, want):
            x[1:-1, 1:-1] += x[:-2, 1:-1] * x.dtype.type(0.5) - x[2:, 1:-1] * x.dtype.type(0.25)
            x[:, ::2] *= x[:, ::2] + x[:, 1::2]
    np.testing.assert_array_equal(xp.asnumpy(u), want)


def test_parts_that_arrays_show_are_stored(fresh):
    a, b, c = operands()
    part = a * b
    whole = xp.sqrt(part + c) - part
    xp.evaluate(whole)
    np.testing.assert_array_equal(xp.asnumpy(part), xp.asnumpy(a) * xp.asnumpy(b))


def test_broadcast_and_mixed_dtypes(fresh):
    a = xp.asarray(np.arange(12, dtype=np.int16).reshape(3, 4))
    b = xp.asarray(np.arange(4, dtype=np.float32))
    got = xp.asnumpy((a * 2 + b) / (b + 1) - a)
    x, y = np.arange(12, dtype=np.int16).reshape(3, 4), np.arange(4, dtype=np.float32)
    np.testing.assert_array_equal(got, (x * np.int16(2) + y) / (y + 1) - x)
