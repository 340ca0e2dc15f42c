"""Medians, quantiles and percentiles, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import xpu as xp

RNG = np.random.default_rng(6)
X = np.round(RNG.standard_normal((4, 5, 6)) * 10, 1)


def near(got, expected):
    host, expected = xp.asnumpy(got), np.asarray(expected)
    assert host.dtype == expected.dtype
    assert host.shape == expected.shape
    rtol = {"e": 2e-3, "f": 1e-6}.get(expected.dtype.char, 1e-14)
    np.testing.assert_allclose(host, expected, rtol=rtol)


@pytest.mark.parametrize("axis", [None, 0, -1, (0, 2)])
def test_axes(way, axis):
    y = xp.asarray(X)
    near(xp.median(y, axis=axis), np.median(X, axis=axis))
    near(xp.quantile(y, [0.0, 0.3, 1.0], axis=axis), np.quantile(X, [0.0, 0.3, 1.0], axis=axis))
    near(xp.percentile(y, 35, axis=axis, keepdims=True), np.percentile(X, 35, axis=axis, keepdims=True))


@pytest.mark.parametrize("code", "Bqefd")
def test_dtypes(way, code):
    x = np.abs(X).astype(code)
    near(xp.median(xp.asarray(x), axis=1), np.median(x, axis=1))


def test_special_numbers(way):
    x = np.array([[1.0, np.nan, 2.0], [np.inf, 1.0, np.inf], [-np.inf, 5.0, np.inf]])
    near(xp.median(xp.asarray(x), axis=1), [np.nan, np.inf, 5.0])


def test_refusals(way):
    with pytest.raises(ValueError, match="between 0 and 1"):
        xp.quantile(xp.ones(3), 1.5)
    with pytest.raises(ValueError, match="no elements"):
        xp.quantile(xp.ones((0,)), 0.5)
    with pytest.raises(TypeError, match="real"):
        xp.median(xp.asarray([1j]))
