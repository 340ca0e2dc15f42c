"""Real functions that some language lacks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from xpu.kernel.stdlib import REAL

from .apply import apply, units

VALUES = np.array(
    [
        0.0,
        -0.0,
        0.5,
        -0.5,
        1.5,
        2.5,
        -2.5,
        1e-45,
        -1e-40,
        1.0,
        8388607.5,
        -4503599627370495.5,
        1e30,
        np.inf,
        -np.inf,
        np.nan,
    ]
)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rounding_and_neighbours(dtype: Any) -> None:
    x = VALUES.astype(dtype)
    a, b = (grid.ravel() for grid in np.meshgrid(x, x))
    got = apply(REAL["rint"], x)
    np.testing.assert_array_equal(got, np.rint(x))
    np.testing.assert_array_equal(np.signbit(got), np.signbit(x))
    got = apply(REAL["nextafter"], a, b)
    np.testing.assert_array_equal(got, np.nextafter(a, b))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cube_root(dtype: Any) -> None:
    rng = np.random.default_rng(0)
    x = np.concatenate([VALUES, rng.normal(size=2000) * 10 ** rng.uniform(-30, 30, 2000)]).astype(dtype)
    exact = np.cbrt(x.astype(np.longdouble))
    assert units(apply(REAL["cbrt"], x), exact).max() <= 1.5


def test_remainder() -> None:
    import math

    x = np.array([5.0, -5.0, 2.5, 7.5, -7.5, 1e300, 0.0, 3.0])
    y = np.array([3.0, 3.0, 1.0, 5.0, 5.0, 7.0, 2.0, np.inf])
    np.testing.assert_array_equal(
        apply(REAL["remainder"], x, y), [math.remainder(p, q) for p, q in zip(x, y, strict=True)]
    )


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64", "int64"])
def test_bits(dtype: str) -> None:
    limits = np.iinfo(dtype)
    x = np.array([0, 1, 2, 3, 100, limits.max, limits.min], dtype)
    width, mask = limits.bits, (1 << limits.bits) - 1
    np.testing.assert_array_equal(apply(REAL["popcount"], x), [(int(v) & mask).bit_count() for v in x])
    np.testing.assert_array_equal(apply(REAL["clz"], x), [width - (int(v) & mask).bit_length() for v in x])
