"""Comparing with NumPy: dtype, shape, and every element, NaN included."""

from __future__ import annotations

import numpy as np

import xpu as xp

INTEGERS = "bBhHiIqQ"
FLOATS = "efd"
COMPLEX = "FD"


def same(got, expected, what=""):
    """Check one array against NumPy's."""
    host, expected = xp.asnumpy(got), np.asarray(expected)
    assert host.dtype == expected.dtype, what
    assert host.shape == expected.shape, what
    np.testing.assert_array_equal(host, expected, err_msg=str(what))


def special(code, size, seed=0):
    """Return numbers of a dtype with repetitions, both signs, both zeros, infinities and NaN."""
    rng = np.random.default_rng(seed)
    dtype = np.dtype(code)
    if dtype.kind == "b":
        return rng.random(size) > 0.5
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        small = rng.integers(0 if dtype.kind == "u" else -9, 10, size).astype(dtype)
        small[::7] = limits.max
        small[1::7] = limits.min
        return small
    x = rng.integers(-4, 5, size).astype(dtype)
    if dtype.kind == "c":
        x += (1j * rng.integers(-2, 3, size)).astype(dtype)
        x[2::11] = complex(1, np.nan)
        x[3::11] = complex(np.nan, -1)
        x[4::11] = complex(np.nan, np.nan)
        x[5::11] = complex(-np.inf, 2)
        return x
    x[::9] = -0.0
    x[1::9] = np.nan
    x[2::9] = np.inf
    x[3::9] = -np.inf
    return x
