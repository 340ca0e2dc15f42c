"""Operands of different shapes, layouts and sizes in one operation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import xpu as xp

from ...errors import BroadcastError
from ..compare import check
from ..draw import Budget, broadcastable


def filled(shape: tuple[int, ...], start: int = 0) -> np.ndarray:
    return (np.arange(int(np.prod(shape)), dtype=np.int32) + start).reshape(shape)


def test_two_shapes(budget: Budget) -> None:
    def same(case: list[tuple[int, ...]]) -> None:
        x, y = filled(case[0]), filled(case[1], 100)
        check(xp.asarray(x) + xp.asarray(y), x + y, what=f"{case}")

    budget.for_all(60, same, case=broadcastable(2))


def test_three_shapes(budget: Budget) -> None:
    def same(case: list[tuple[int, ...]]) -> None:
        x, y, z = (filled(shape, 10 * k) for k, shape in enumerate(case))
        a, b, c = map(xp.asarray, (x, y, z))
        check(a + b * c, x + y * z, what=f"{case}")

    budget.for_all(30, same, case=broadcastable(3))


def layouts(x: Any) -> list[Any]:
    """Return views of a 6 x 6 array that walk memory in different ways."""
    return [x[:4, :4], x[:4, :4].T, x[1:5, 5:1:-1], x[::-1, ::-1][:4, :4], x[:4, 1:2], x[2:3, :4], x[:4, ::2][:, :1]]


@pytest.mark.parametrize("second", range(7))
@pytest.mark.parametrize("first", range(7))
def test_two_layouts(first: int, second: int) -> None:
    x = filled((6, 6))
    y = xp.asarray(x)
    check(layouts(y)[first] - layouts(y)[second] * 2, layouts(x)[first] - layouts(x)[second] * 2)


@pytest.mark.parametrize("target", range(4))
@pytest.mark.parametrize("source", range(7))
def test_one_layout_into_another(source: int, target: int) -> None:
    x, other = filled((6, 6)), filled((6, 6), 50)
    y, mine = xp.asarray(x), xp.asarray(other)
    layouts(other)[target][...] = layouts(x)[source] + 1
    layouts(mine)[target][...] = layouts(y)[source] + 1
    check(mine, other)


def test_many_axes(budget: Budget) -> None:
    def same(order: list[int], step: int) -> None:
        x = filled((2, 3, 2, 3, 2))
        y = xp.asarray(x)
        check(y.transpose(*order)[::step] * 2, x.transpose(*order)[::step] * 2)

    budget.for_all(20, same, order=st.permutations(range(5)), step=st.sampled_from((1, -1)))


def test_broadcast_to_and_arrays(budget: Budget) -> None:
    def same(case: list[tuple[int, ...]]) -> None:
        x, y = filled(case[0]), filled(case[1])
        full = np.broadcast_shapes(*case)
        assert xp.broadcast_shapes(*case) == full
        check(xp.broadcast_to(xp.asarray(x), full), np.broadcast_to(x, full))
        for got, want in zip(xp.broadcast_arrays(xp.asarray(x), xp.asarray(y)), np.broadcast_arrays(x, y), strict=True):
            check(got, want)

    budget.for_all(30, same, case=broadcastable(2))


@pytest.mark.parametrize(("first", "second"), [((3,), (4,)), ((2, 3), (3, 2)), ((0,), (2,)), ((2, 1, 4), (3, 3, 1, 5))])
def test_shapes_that_do_not_fit(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    x, y = xp.zeros(first, dtype=xp.int32), xp.zeros(second, dtype=xp.int32)
    with pytest.raises(BroadcastError):
        x + y
    with pytest.raises(BroadcastError):
        x += y
    with pytest.raises(ValueError, match="shape"):
        xp.broadcast_to(x, second)


@pytest.mark.parametrize("size", [1, 15, 16, 17, 63, 64, 65, 1000, 4099])
def test_sizes_around_the_width_of_vectors(size: int) -> None:
    x, y = np.arange(size, dtype=np.float32), np.arange(size, dtype=np.float32)[::-1].copy()
    a, b = xp.asarray(x), xp.asarray(y)
    check(a * 2 - b, x * 2 - y)
    check(a[1:] * 2 - b[:-1], x[1:] * 2 - y[:-1])


@pytest.mark.parametrize("shape", [(3, 17), (5, 33), (17, 3), (2, 3, 19)])
def test_rows_that_are_no_multiple_of_vectors(shape: tuple[int, ...]) -> None:
    x = np.arange(int(np.prod(shape)), dtype=np.float32).reshape(shape)
    y = xp.asarray(x)
    check(y[..., 1:] + y[..., :-1], x[..., 1:] + x[..., :-1])
    check(y + y[..., :1], x + x[..., :1])
    y[..., 1:-1] += 5
    x[..., 1:-1] += 5
    check(y, x)
