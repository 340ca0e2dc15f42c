"""Running sums and products, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import xpu as xp

from .same import COMPLEX, FLOATS, INTEGERS, same


@pytest.mark.parametrize("code", "?" + INTEGERS + FLOATS + COMPLEX)
@pytest.mark.parametrize("op", ["sum", "prod"])
def test_every_dtype(way, code, op):
    x = np.array([[1, 2, 0, 3, 1], [2, 1, 1, 2, 1], [1, 1, 3, 1, 2]]).astype(code)
    numpy_scan, scan = getattr(np, f"cumulative_{op}"), getattr(xp, f"cumulative_{op}")
    for axis in (0, 1, -1):
        same(scan(xp.asarray(x), axis=axis), numpy_scan(x, axis=axis))
        same(
            scan(xp.asarray(x)[:, ::-2], axis=axis, include_initial=True),
            numpy_scan(x[:, ::-2], axis=axis, include_initial=True),
        )


@pytest.mark.parametrize("shape", [(), (0,), (1,), (3, 0), (0, 3), (2, 3, 4)])
def test_shapes(way, shape):
    x = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    y = xp.asarray(x)
    same(xp.cumsum(y), np.cumsum(x))
    same(xp.cumprod(y), np.cumprod(x))
    for axis in range(len(shape)):
        same(xp.cumsum(y, axis), np.cumsum(x, axis))
        same(
            xp.cumulative_sum(y.T, axis=axis, include_initial=True),
            np.cumulative_sum(x.T, axis=axis, include_initial=True),
        )
    middle = np.moveaxis(x, 0, -1) if shape else x
    same(xp.cumsum(xp.moveaxis(y, 0, -1) if shape else y), np.cumsum(middle))


def test_dtype(way):
    x = np.array([100, 100, 100], np.int8)
    y = xp.asarray(x)
    for dtype in (np.int8, np.float32, np.uint16):
        same(xp.cumulative_sum(y, dtype=dtype), np.cumulative_sum(x, dtype=dtype))
    with pytest.raises(TypeError, match="complex"):
        xp.cumulative_sum(xp.asarray([1j]), dtype=np.float64)


def test_nan_and_infinity(way):
    x = np.array([1.0, np.inf, 2.0, -np.inf, 1.0])
    with np.errstate(invalid="ignore"):
        same(xp.cumulative_sum(xp.asarray(x)), np.cumulative_sum(x))


def test_long_rows(fast_way):
    rng = np.random.default_rng(2)
    x = rng.integers(-9, 10, (2, 100_003))
    y = xp.asarray(x)
    for axis in (0, 1):
        same(xp.cumulative_sum(y, axis=axis), np.cumulative_sum(x, axis=axis))
    same(xp.cumsum(y[:, ::-3]), np.cumsum(x[:, ::-3]))
    z = rng.random(100_003)
    got = xp.cumulative_sum(xp.asarray(z))
    np.testing.assert_allclose(xp.asnumpy(got), np.cumulative_sum(z), rtol=1e-12)
    same(xp.cumulative_sum(xp.asarray(z)), xp.asnumpy(got), "the same bits again")


def test_axes(way):
    with pytest.raises(ValueError, match="axis"):
        xp.cumulative_sum(xp.ones((2, 2)))
    with pytest.raises(xp.AxisError):
        xp.cumulative_sum(xp.ones((2, 2)), axis=2)
    with pytest.raises(TypeError, match="xpu array"):
        xp.cumulative_sum(np.ones(3))


def test_differences(way):
    x = np.array([[1, 4, 9, 16], [2, 3, 5, 7]])
    y = xp.asarray(x)
    for n in (0, 1, 2, 5):
        same(xp.diff(y, n=n), np.diff(x, n=n))
    same(xp.diff(y, axis=0, prepend=y[:1], append=y), np.diff(x, axis=0, prepend=x[:1], append=x))
    same(xp.diff(y > 3), np.diff(x > 3))


@pytest.mark.parametrize("code", "bHiqefd")
def test_many_columns(way, code):
    x = (np.arange(3 * 4 * 37) % 5).reshape(3, 4, 37).astype(code)
    y = xp.asarray(x)
    for part in (np.s_[:], np.s_[:, :, 1:], np.s_[:, ::-1, :33]):
        same(xp.cumulative_sum(y[part], axis=1), np.cumulative_sum(x[part], axis=1))
    same(xp.cumulative_prod(y, axis=0, include_initial=True), np.cumulative_prod(x, axis=0, include_initial=True))
