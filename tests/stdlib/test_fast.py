"""The error of branch-free functions, and their special values."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import special

from xpu.kernel.stdlib import FAST

from .apply import apply, units

NAMES = ("exp", "exp2", "expm1", "tanh", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "erf")
SPECIAL = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    np.inf,
    -np.inf,
    np.nan,
    1e-45,
    -1e-38,
    5e-324,
    88.8,
    -104.0,
    709.9,
    -745.2,
    3e38,
    1e308,
]


def reference(name: str) -> Any:
    return special.erf if name == "erf" else getattr(np, name)


def everywhere(dtype: Any) -> np.ndarray:
    """Return numbers of every exponent, and many near the origin."""
    rng = np.random.default_rng(0)
    if dtype is np.float32:
        bits = np.arange(0, 2**32, 9973, dtype=np.uint64).astype(np.uint32).view(np.float32)
    else:
        bits = rng.integers(0, 2**64, 50_000, dtype=np.uint64).view(np.float64)
    near = [rng.normal(size=50_000) * 3, rng.uniform(0.5, 2, 50_000), rng.uniform(-110, 110, 50_000), np.array(SPECIAL)]
    with np.errstate(all="ignore"):
        return np.concatenate([bits, *near]).astype(dtype)


@pytest.mark.parametrize("name", NAMES)
def test_single(name: str) -> None:
    x = everywhere(np.float32)
    got = apply(FAST[name], x)
    with np.errstate(all="ignore"):
        exact = reference(name)(x.astype(np.float64))
    assert units(got, exact).max() <= 2
    zero = (got == 0) & (exact == 0)
    np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(exact[zero]))


@pytest.mark.parametrize("name", NAMES)
def test_double(name: str) -> None:
    x = everywhere(np.float64)
    got = apply(FAST[name], x)
    with np.errstate(all="ignore"):
        # SciPy's erf is itself a double
        exact = special.erf(x).astype(np.longdouble) if name == "erf" else reference(name)(x.astype(np.longdouble))
    assert np.finfo(np.longdouble).nmant > 52 or name == "erf"
    assert units(got, exact).max() <= (5 if name == "erf" else 4)
    zero = (got == 0) & (exact == 0)
    np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(exact[zero]))


@pytest.mark.parametrize(("dtype", "limit"), [(np.float32, 2), (np.float64, 4)])
def test_power(dtype: Any, limit: float) -> None:
    rng = np.random.default_rng(0)
    wide = np.longdouble if dtype is np.float64 else np.float64
    top = 1000 if dtype is np.float64 else 120
    x = np.concatenate([10 ** rng.uniform(-30, 30, 40_000), 1 + 10 ** rng.uniform(-6, -0.5, 20_000)]).astype(dtype)
    y = (rng.uniform(-top, top, len(x)) / np.abs(np.log2(x.astype(np.float64)))).astype(dtype)
    values = np.array([0.0, -0.0, 1, -1, 2, -2, 3, -3, 0.5, -0.5, np.inf, -np.inf, np.nan, 1e30, 2.0**53], dtype)
    a, b = (grid.ravel() for grid in np.meshgrid(values, values))
    x, y = np.concatenate([x, a]), np.concatenate([y, b])
    got = apply(FAST["pow"], x, y)
    with np.errstate(all="ignore"):
        exact = np.power(x.astype(wide), y.astype(wide))
    assert units(got, exact).max() <= limit
    zero = (got == 0) & (exact == 0)
    np.testing.assert_array_equal(np.signbit(got[zero]), np.signbit(exact[zero]))
