"""What may stand beside an array: sequences, exponents with functions of their own, bounds beyond the dtype."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xpu as xp

from ..capabilities import Capabilities
from ..compare import check

_WITH_LISTS: list[Callable[[Any], Any]] = [
    lambda x: x - [1, 2, 3],
    lambda x: (1, 2, 3) - x,
    lambda x: [2] * x,
    lambda x: x == [0, 5, 2],
    lambda x: x != (0, 5, 2),
    lambda x: x < [[1], [2]],
    lambda x: x ** [2, 0, 1],
    lambda x: x & [True],
]


@pytest.mark.parametrize("number", range(len(_WITH_LISTS)))
def test_sequences_are_operands(number: int) -> None:
    x = np.arange(3)
    check(_WITH_LISTS[number](xp.asarray(x)), _WITH_LISTS[number](x))


def test_sequences_in_place() -> None:
    x, y = np.arange(3), xp.arange(3)
    for array in (x, y):
        array += [1, 2, 3]
        array[1:] *= (2, 3)
    check(y, x)
    with pytest.raises(ValueError):
        y += [1, 2]
    with pytest.raises(TypeError):
        y += [0.5]
    check(y, x)


@pytest.mark.parametrize("name", ["float16", "float32", "float64"])
@pytest.mark.parametrize("exponent", [0.5, -1, -1.0, 2, 2.0, 0, 1])
def test_powers_of_special_numbers(exponent: float, name: str, can: Capabilities) -> None:
    can.require_dtype(name)
    x = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, -4, 4, 0.25, 2] * 4, name)
    with np.errstate(all="ignore"):
        check(xp.asarray(x) ** exponent, x**exponent)


def test_roots_of_complex_numbers() -> None:
    x = np.array([-4, complex(-4, -0.0), 0, complex(float("inf"), 1)], np.complex64)
    check(xp.asarray(x) ** 0.5, x**0.5)


def test_integers_have_no_negative_powers() -> None:
    for x in (xp.asarray([True, False]), xp.arange(3), xp.arange(3, dtype=xp.int8)):
        for exponent in (-1, np.int8(-2), [-1]):
            with pytest.raises(ValueError):
                x**exponent
    with pytest.raises(OverflowError):
        xp.arange(3, dtype=xp.uint8) ** -1


def test_bounds_beyond_the_dtype_leave_a_side_open() -> None:
    x = np.array([0, 5, 255], np.uint8)
    y = xp.asarray(x)
    check(xp.clip(y, -5, 300), np.clip(x, -5, 300))
    check(xp.clip(y, None, 2**70), np.clip(x, None, 2**70))
    check(y.clip(-1, 7), x.clip(-1, 7))
    for low, high in ((300, None), (None, -5)):
        with pytest.raises(OverflowError):
            xp.clip(y, low, high)
