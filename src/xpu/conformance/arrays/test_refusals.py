"""What NumPy refuses is refused, with an error of NumPy's class, and the array stays as it was."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xpu as xp

from ..capabilities import Capabilities
from ..compare import check

NAN, INF = float("nan"), float("inf")

BEYOND: list[tuple[Any, str, type[Exception]]] = [
    (300, "int8", OverflowError),
    (-1, "uint64", OverflowError),
    (2**63, "int64", OverflowError),
    (-2.5, "uint8", OverflowError),
    (1e10, "int32", OverflowError),
    (INF, "int16", OverflowError),
    (NAN, "int32", ValueError),
    (1j, "int32", TypeError),
    (1j, "float32", TypeError),
]
"""A Python number, a dtype that cannot hold it, and what NumPy raises."""


@pytest.mark.parametrize(("number", "name", "error"), BEYOND)
def test_numbers_beyond_the_dtype_make_no_array(number: Any, name: str, error: type[Exception]) -> None:
    for value in (number, [number], [1, number], [[1], [number]], [xp.asarray(1, dtype=xp.int8), number]):
        with pytest.raises(error):
            xp.asarray(value, dtype=name)


@pytest.mark.parametrize(("number", "name", "error"), BEYOND)
def test_numbers_beyond_the_dtype_are_not_stored(number: Any, name: str, error: type[Exception]) -> None:
    x = xp.arange(4, dtype=name)
    mask, places = xp.asarray([True, False, True, False]), xp.asarray([0, 1])
    for key in (0, slice(2), ..., mask, places):
        with pytest.raises(error):
            x[key] = number
    for key in (slice(2), mask, places):
        with pytest.raises(error):
            x[key] = [1, number]
    check(x, np.arange(4, dtype=name))


def test_numbers_beyond_the_dtype_are_no_choice() -> None:
    x = xp.arange(3, dtype=xp.int8)
    for choose in (lambda: xp.where(x > 1, x, 300), lambda: xp.where(x > 1, -129, x), lambda: x + 300):
        with pytest.raises(OverflowError):
            choose()


def test_large_integers_are_unsigned() -> None:
    check(xp.asarray(2**63), np.asarray(2**63))
    check(xp.full(2, 2**64 - 1), np.full(2, 2**64 - 1))
    check(xp.asarray([1, 2**64 - 1], dtype=xp.uint64), np.array([1, 2**64 - 1], np.uint64))
    with pytest.raises(OverflowError):
        xp.asarray(2**64)


def test_sequences_deeper_than_their_place() -> None:
    x = xp.arange(3)
    for key, value in ((0, [5]), (slice(None), [[1, 2, 3]]), (xp.asarray([0, 1]), [[1, 2]])):
        with pytest.raises(ValueError):
            x[key] = value
    check(x, np.arange(3))


def test_ranges_are_sequences() -> None:
    x = xp.arange(5)
    x[:3] = range(4, 7)
    check(x, np.array([4, 5, 6, 3, 4]))
    check(x[range(1, 4, 2)], np.array([5, 3]))


def test_steps_beyond_64_bits() -> None:
    x, y = np.arange(5, dtype=np.float32), xp.arange(5, dtype=xp.float32)
    for array in (x, y):
        array[:: 10**30] += 7
        array[:: -(10**30)] *= 2
        array.reshape(5, 1)[:: 2**63, 0] = array[:: 2**62]
    check(y, x)


def test_slices_of_floats() -> None:
    x = xp.arange(5)
    for key in (slice(1.0, 3), (slice("a"),)):
        with pytest.raises(TypeError):
            x[key]


def test_elements_are_not_deleted() -> None:
    x = xp.arange(5)
    with pytest.raises(ValueError):
        del x[0]


def test_products_in_place_keep_shape_and_dtype() -> None:
    matrix, vector = xp.ones((3, 3), dtype=xp.float32), xp.ones(3, dtype=xp.float32)
    vector @= matrix
    check(vector, np.full(3, 3, np.float32))
    with pytest.raises(ValueError):
        matrix @= vector
    with pytest.raises(ValueError):
        vector @= vector
    whole = xp.ones((3, 3), dtype=xp.int32)
    with pytest.raises(TypeError):
        whole @= matrix
    check(matrix, np.ones((3, 3), np.float32))
    check(whole, np.ones((3, 3), np.int32))


def test_ranges_without_end() -> None:
    with pytest.raises(ZeroDivisionError):
        xp.arange(0, 1, 0)
    for arguments in ((INF,), (0.0, INF), (0, 1, NAN)):
        with pytest.raises(ValueError):
            xp.arange(*arguments)
    with pytest.raises(TypeError):
        xp.arange(3, dtype=xp.bool)
    with pytest.raises(TypeError):
        xp.linspace(0, 1, 2.5)  # type: ignore[arg-type]


def test_numpys_order_of_arguments(can: Capabilities) -> None:
    check(xp.zeros(2, "int8"), np.zeros(2, "int8"))
    check(xp.full((2, 2), [1, 2], "int8"), np.full((2, 2), [1, 2], "int8"))
    check(xp.array([1, 2], "float32"), np.array([1, 2], "float32"))
    check(xp.arange(0, 6, 2, "int16"), np.arange(0, 6, 2, "int16"))
    check(xp.arange(start=2, stop=5), np.arange(start=2, stop=5))
    check(xp.eye(3, 4, 1, "float32"), np.eye(3, 4, 1, "float32"))
    check(xp.tril(xp.ones((2, 2)), -1), np.tril(np.ones((2, 2), xp.float64 if can.fp64 else xp.float32), -1))
    assert xp.linspace(0, 1).shape == (50,)
    assert xp.linspace(np.float32(0), 1, 3).dtype == np.float32
