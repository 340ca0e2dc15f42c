"""Complex functions: special values against NumPy's, accuracy against twice the precision."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from xpu.kernel.stdlib import COMPLEX

from .apply import apply

UNARY = (
    *("sqrt", "exp", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "asin", "acos", "atan"),
    *("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
)
NUMPY = {name: "arc" + name[1:] for name in ("asin", "acos", "atan", "asinh", "acosh", "atanh")}
PARTS = [0.0, -0.0, 1.0, -1.0, 0.5, -2.5, np.inf, -np.inf, np.nan]
ANY_SIGN = {"sin", "cos", "tan", "asin", "acos", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "atan"}
"""Where the standard leaves the sign of a part beside a NaN open."""


def grid() -> np.ndarray:
    return np.array([complex(x, y) for x in PARTS for y in PARTS])


def same_parts(got: np.ndarray, expected: np.ndarray, signs: bool) -> np.ndarray:
    close = np.isclose(got, expected, rtol=1e-14, atol=0, equal_nan=True)
    return close & ((np.signbit(got) == np.signbit(expected)) | np.isnan(expected) | (not signs))


@pytest.mark.parametrize("name", UNARY)
def test_special_values(name: str) -> None:
    z = grid()
    if name == "expm1":  # NumPy's own has NaN where the Array API has infinities
        z = z[np.isfinite(z)]
    got = apply(COMPLEX[name], z)
    with np.errstate(all="ignore"):
        expected = getattr(np, NUMPY.get(name, name))(z)
    for part, other in (("real", "imag"), ("imag", "real")):
        g, e = getattr(got, part), getattr(expected, part)
        open_sign = (name in ANY_SIGN) & np.isnan(getattr(expected, other))
        right = same_parts(g, e, True) | (open_sign & same_parts(np.abs(g), np.abs(e), True))
        assert right.all(), (part, z[~right], got[~right], expected[~right])


@pytest.mark.parametrize(
    ("name", "z", "expected"),
    [
        ("expm1", complex(-np.inf, np.inf), complex(-1, 0)),
        ("expm1", complex(np.inf, 0), complex(np.inf, 0)),
        ("exp", complex(710.0, np.pi / 2 - 1e-3), None),
        ("log", complex(0.6, 0.8), None),
        ("log", complex(1e-310, 1e-310), None),
        ("log", complex(1.5e308, 1.5e308), None),
        ("log1p", complex(-1e-20, 1e-12), None),
        ("sqrt", complex(1.5e308, 1.5e308), None),
        ("sqrt", complex(-5e-324, 5e-324), None),
        ("asinh", complex(1e300, 1e300), None),
        ("atanh", complex(1.0, 1e-200), None),
    ],
)
def test_at_the_edges(name: str, z: complex, expected: complex | None) -> None:
    got = apply(COMPLEX[name], np.array([z]))[0]
    if expected is None:
        expected = complex(getattr(np, NUMPY.get(name, name))(np.array([z], np.clongdouble))[0])
        if name == "log1p":
            expected = complex(-1e-20 + 0.5e-24, 1e-12)
    np.testing.assert_allclose([got.real, got.imag], [expected.real, expected.imag], rtol=4e-16 * 8)


@pytest.mark.parametrize("name", UNARY)
def test_accuracy(name: str) -> None:
    rng = np.random.default_rng(0)
    size = 10 ** rng.uniform(-6, 1.5, 3000)
    z = (size * np.exp(1j * rng.uniform(-np.pi, np.pi, 3000))).astype(np.complex64)
    got = apply(COMPLEX[name], z)
    exact = getattr(np, NUMPY.get(name, name))(z.astype(np.complex128))
    if name == "log1p":  # NumPy's own loses what is small
        w = z.astype(np.complex128)
        exact.real = 0.5 * np.log1p(w.real * 2 + w.real**2 + w.imag**2)
    error = np.abs(got - exact) / np.abs(exact)
    assert error.max() <= 4 * np.finfo(np.float32).eps


def test_division_and_power() -> None:
    z = np.array([complex(x, y) for x in (0.0, -0.0, 1.0, -2.5, 1e200, 1e-200) for y in (0.0, -1.0, 2.0, 1e200)])
    a, b = (grid.ravel() for grid in np.meshgrid(z, z))
    with np.errstate(all="ignore"):
        expected: Any = a / b
        np.testing.assert_allclose(apply(COMPLEX["truediv"], a, b), expected, rtol=1e-14)
        small = (np.abs(a) < 10) & (np.abs(b) < 10)
        a, b = a[small], b[small]
        np.testing.assert_allclose(apply(COMPLEX["pow"], a, b), np.power(a, b), rtol=1e-13)
