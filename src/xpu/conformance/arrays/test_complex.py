"""Complex numbers that meet real ones: infinities, NaN and the signs of zeros come from NumPy's formulas."""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import xpu as xp

from ..capabilities import Capabilities
from ..compare import check

_PARTS = (0.0, -0.0, 1.0, -1.0, 3.5, float("inf"), float("-inf"), float("nan"))
_OPERATORS = [operator.add, operator.sub, operator.mul]


def _pairs(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return every complex number of these parts with every real one."""
    numbers = [(complex(x, y), r) for x, y, r in product(_PARTS, repeat=3)]
    complex_, real = zip(*numbers, strict=True)
    dtype = np.dtype(name)
    return np.array(complex_, dtype), np.array(real, dtype.char.lower())


@pytest.mark.parametrize("name", ["complex64", "complex128"])
@pytest.mark.parametrize("op", _OPERATORS)
def test_with_real_arrays(op: Callable[[Any, Any], Any], name: str, can: Capabilities) -> None:
    can.require_dtype(name)
    z, r = _pairs(name)
    with np.errstate(all="ignore"):
        check(op(xp.asarray(z), xp.asarray(r)), op(z, r))
        check(op(xp.asarray(r), xp.asarray(z)), op(r, z))


@pytest.mark.parametrize("name", ["complex64", "complex128"])
@pytest.mark.parametrize("number", [3.5, 0.0, float("inf"), 1j, 2])
def test_with_numbers(number: complex, name: str, can: Capabilities) -> None:
    can.require_dtype(name)
    z, r = _pairs(name)
    with np.errstate(all="ignore"):
        for op in _OPERATORS:
            check(op(xp.asarray(z), number), op(z, z.dtype.type(number)))
            check(op(number, xp.asarray(z)), op(z.dtype.type(number), z))
            check(op(xp.asarray(r), z.dtype.type(number)), op(r, z.dtype.type(number)))


@pytest.mark.parametrize("op", [operator.eq, operator.ne, operator.lt, operator.ge])
def test_real_arrays_compare_with_complex_numbers(op: Callable[[Any, Any], Any]) -> None:
    for x in (np.arange(37, dtype=np.float32) - 5, np.arange(37, dtype=np.int16) - 5):
        for number in (0j, 3 + 1j, np.complex64(1j)):
            check(op(xp.asarray(x), number), op(x, number))
            check(op(number, xp.asarray(x)), op(number, x))


def test_complex_numbers_on_the_way() -> None:
    """Neither what comes in nor what goes out is complex."""
    x = np.arange(37, dtype=np.float32) - 5
    y = xp.asarray(x)
    check(xp.real(y + np.complex64(1j)) + y, x + x)
    check(xp.imag(y * np.complex64(2j)), 2 * x)
    check((y.astype(xp.complex64) == y).astype(xp.int8), np.ones(37, np.int8))
