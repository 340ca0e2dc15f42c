"""Operations, reductions and scans made of the user's own functions."""

from __future__ import annotations

import numpy as np
import pytest

import xpu as xp


@xp.func
def leaky(x, slope):
    return x if x > 0 else slope * x


@xp.func
def collatz(n):
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


@xp.func
def larger(a, b):
    return a if a > b else b


@xp.func
def plus(a, b):
    return a + b


@xp.func
def squared(x):
    return x * x


DEVICES = ["cpu", *sorted(str(d) for d in xp.devices("opencl"))]


@pytest.fixture(params=DEVICES, autouse=True)
def device(request):
    with xp.device(request.param) as chosen:
        yield chosen


def test_vectorize_broadcasts_and_fuses():
    host = np.linspace(-2, 2, 37, dtype=np.float32)
    x = xp.asarray(host)
    f = xp.vectorize(leaky)
    y = f(x[:, None], xp.asarray(np.array([0.1, 0.5], np.float32))) * 2 + 1
    slope = np.array([0.1, 0.5], np.float32)
    expected = np.where(host[:, None] > 0, host[:, None], slope * host[:, None]) * np.float32(2) + np.float32(1)
    np.testing.assert_array_equal(xp.asnumpy(y), expected)
    assert f(x, 0.1).dtype == np.float32


def test_vectorize_takes_loops():
    numbers = np.arange(1, 60)
    f = xp.vectorize(collatz)
    got = xp.asnumpy(f(xp.asarray(numbers)))
    assert got.tolist() == [collatz(int(n)) for n in numbers]


def test_vectorize_counts_its_arguments():
    with pytest.raises(TypeError, match="takes 2 arguments"):
        xp.vectorize(leaky)(xp.zeros(3))


@pytest.mark.parametrize("shape", [(5,), (1000,), (30, 40), (3, 4, 5)])
@pytest.mark.parametrize("axis", [None, 0, -1])
def test_reduction(shape, axis):
    host = np.random.default_rng(1).integers(-50, 50, shape)
    x = xp.asarray(host)
    total = xp.reduction(plus, 0, map=squared)
    np.testing.assert_array_equal(xp.asnumpy(total(x, axis=axis)), (host * host).sum(axis=axis))
    most = xp.reduction(larger, np.iinfo(np.int64).min)
    np.testing.assert_array_equal(
        xp.asnumpy(most(x + 1, axis=axis, keepdims=True)), (host + 1).max(axis=axis, keepdims=True)
    )


def test_reduction_of_nothing_is_the_identity():
    assert int(xp.reduction(plus, 7)(xp.zeros((0,), dtype=xp.int64))) == 7


@pytest.mark.parametrize("axis", [0, 1])
def test_scan(axis):
    host = np.random.default_rng(2).standard_normal((300, 7))
    running = xp.scan(larger, -np.inf)
    got = xp.asnumpy(running(xp.asarray(host), axis=axis))
    np.testing.assert_array_equal(got, np.maximum.accumulate(host, axis=axis))
    before = xp.asnumpy(running(xp.asarray(host), axis=axis, exclusive=True))
    np.testing.assert_array_equal(
        np.take(before, range(1, host.shape[axis]), axis), np.take(got, range(host.shape[axis] - 1), axis)
    )
    assert np.all(np.take(before, 0, axis) == -np.inf)


def test_long_scan():
    host = np.random.default_rng(3).integers(0, 1000, 100_000)
    got = xp.asnumpy(xp.scan(plus, 0)(xp.asarray(host)))
    np.testing.assert_array_equal(got, np.cumsum(host))


def test_nextafter_of_halves_steps_in_halves():
    every = np.arange(0, 65536, 7, dtype=np.uint16).view(np.float16)
    towards = np.random.default_rng(0).permutation(every)
    with xp.config.override(library=False):
        got = xp.asnumpy(xp.nextafter(xp.asarray(every), xp.asarray(towards)))
    expected = np.nextafter(every, towards)
    same = (got.view(np.uint16) == expected.view(np.uint16)) | (np.isnan(got) & np.isnan(expected))
    assert same.all()
