"""Views: basic indexing with NumPy's results and aliasing, and writes through them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import xpu as xp

from ...errors import BroadcastError
from ..compare import check
from ..draw import Budget, basic_keys, shapes

SHAPE_AND_KEY = shapes(4, 5).flatmap(lambda shape: st.tuples(st.just(shape), basic_keys(shape)))


def pair(shape: tuple[int, ...], dtype: Any = np.int32) -> tuple[np.ndarray, Any]:
    x = np.arange(int(np.prod(shape)), dtype=dtype).reshape(shape)
    return x, xp.asarray(x)


def test_basic_indexing(budget: Budget) -> None:
    def same(case: tuple[tuple[int, ...], Any]) -> None:
        x, y = pair(case[0])
        check(y[case[1]], np.asarray(x[case[1]]), what=f"x[{case[1]}]")

    budget.for_all(120, same, case=SHAPE_AND_KEY)


def test_indexing_a_view_of_a_view(budget: Budget) -> None:
    def same(data: Any) -> None:
        x, y = pair(data.draw(shapes(3, 6)))
        for _ in range(3):
            key = data.draw(basic_keys(x.shape))
            x, y = np.asarray(x[key]), y[key]
        check(y, x)

    budget.for_all(60, same, data=st.data())


def test_writes_through_a_view_change_the_base(budget: Budget) -> None:
    def same(case: tuple[tuple[int, ...], Any]) -> None:
        x, y = pair(case[0])
        x[case[1]] = -7
        y[case[1]] = -7
        check(y, x, what=f"x[{case[1]}] = -7")
        x[case[1]] *= 3
        y[case[1]] *= 3
        check(y, x, what=f"x[{case[1]}] *= 3")

    budget.for_all(80, same, case=SHAPE_AND_KEY)


def test_storing_arrays_in_views(budget: Budget) -> None:
    def same(case: tuple[tuple[int, ...], Any], scale: int) -> None:
        x, y = pair(case[0])
        value = np.asarray(x[case[1]]) * scale + 100
        x[case[1]] = value
        y[case[1]] = xp.asarray(value)
        check(y, x, what=f"x[{case[1]}] = array")

    budget.for_all(60, same, case=SHAPE_AND_KEY, scale=st.integers(-3, 3))


def test_numpy_arrays_can_be_stored() -> None:
    x, y = pair((4, 6))
    for key in (np.s_[:], np.s_[1:3], np.s_[:, ::2], np.s_[::-1, 1], np.s_[..., None, :2]):
        value = np.asarray(x[key]) + 50
        x[key] = value
        y[key] = value
        check(y, x)
    y[...] = np.float32(3)
    assert (y == 3).all()


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "complex64"])
def test_views_of_every_width(dtype: str) -> None:
    x = np.arange(24).reshape(4, 6).astype(dtype)
    y = xp.asarray(x)
    check(y[::-1, 1::2], x[::-1, 1::2])
    y[1:3, ::-2] = 1
    x[1:3, ::-2] = 1
    check(y, x)


def test_all_views_see_a_write() -> None:
    base = xp.zeros((4, 5), dtype=xp.int32)
    row, column, transposed, flat, part = base[1], base[:, 2], base.T, base.reshape(-1), base[1:3, 1:4][::-1]
    row[2] = 5
    assert [int(v) for v in (base[1, 2], column[1], transposed[2, 1], flat[7], part[1, 1])] == [5] * 5
    transposed[0] = 9
    assert base[:, 0].tolist() == [9] * 4
    flat[-1] = 7
    assert int(base[3, 4]) == 7
    part += 1
    expected = np.zeros((4, 5), np.int32)
    expected[:, 0], expected[1, 2], expected[3, 4] = 9, 5, 7
    expected[1:3, 1:4] += 1
    check(base, expected)


def test_an_expression_keeps_the_values_from_before_a_write() -> None:
    x = xp.arange(6, dtype=xp.int32)
    doubled = x * 2
    shifted = x[1:] - x[:-1]
    x[...] = 100
    assert doubled.tolist() == [0, 2, 4, 6, 8, 10]
    assert shifted.tolist() == [1] * 5
    later = x + 1
    x += 5
    assert later.tolist() == [101] * 6
    assert x.tolist() == [105] * 6


def test_an_expression_of_an_expression_keeps_them_too() -> None:
    x = xp.arange(5, dtype=xp.int32)
    inner = x + 1
    outer = inner * 10
    del inner
    x[2] = -1
    assert outer.tolist() == [10, 20, 30, 40, 50]


@pytest.mark.parametrize(
    "move",
    [
        lambda u: u.__setitem__(np.s_[1:], u[:-1]),
        lambda u: u.__setitem__(np.s_[:-1], u[1:]),
        lambda u: u.__setitem__(np.s_[:], u[::-1]),
        lambda u: u.__setitem__(np.s_[::2], u[1::2]),
        lambda u: u.__setitem__(np.s_[1:-1], u[:-2] + u[2:]),
        lambda u: u.__setitem__(np.s_[:3], u[4:7]),
        lambda u: u[1:].__iadd__(u[:-1]),
        lambda u: u[::-1].__iadd__(u),
        lambda u: u[:5].__imul__(u[5:]),
        lambda u: u.__iadd__(u),
    ],
)
def test_overlapping_writes_read_first(move: Any) -> None:
    x, y = np.arange(10, dtype=np.int32), xp.arange(10, dtype=xp.int32)
    move(x)
    move(y)
    check(y, x)


def test_overlapping_writes_in_two_dimensions() -> None:
    x, y = pair((6, 6))
    for array in (x, y):
        array[1:, 1:] = array[:-1, :-1]
        array[1:-1, 1:-1] += array[:-2, 1:-1] - array[2:, 1:-1]
        array[...] = array.T
    check(y, x)


def test_a_transposed_view_can_be_written() -> None:
    x, y = pair((3, 4, 5))
    for array in (x, y):
        view = array.transpose(2, 0, 1)
        view[1:, :, ::-1] -= 7
        array.T[0] = 3
    check(y, x)


def test_zero_d_views() -> None:
    x = xp.arange(5, dtype=xp.int32)
    item = x[2]
    assert item.shape == ()
    x[2] = 40
    assert int(item) == 40
    item[...] = 50
    assert x.tolist() == [0, 1, 50, 3, 4]


def test_empty_views() -> None:
    x = xp.arange(12, dtype=xp.int32).reshape(3, 4)
    x[:0] = 5
    x[:, 4:] += 3
    check(x, np.arange(12, dtype=np.int32).reshape(3, 4))
    assert x[2:1].shape == (0, 4)
    assert (x[:0] + x[:0]).shape == (0, 4)


def test_broadcast_views_are_read_only() -> None:
    x = xp.broadcast_to(xp.arange(3), (4, 3))
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1
    with pytest.raises(ValueError, match="read-only"):
        x += 1
    assert x.tolist() == [[0, 1, 2]] * 4


def test_values_broadcast_into_a_view() -> None:
    x, y = pair((3, 4))
    for array, make in ((x, np.asarray), (y, xp.asarray)):
        array[:] = make(np.arange(4, dtype=np.int32))
        array[:, 1:3] = make(np.arange(3, dtype=np.int32)[:, None])
        array[0] = make(np.ones((1, 4), np.int32))
    check(y, x)
    with pytest.raises(BroadcastError):
        y[:, :2] = xp.zeros(3, dtype=xp.int32)


def test_stores_cast() -> None:
    x = xp.zeros(4, dtype=xp.int32)
    x[:2] = xp.asarray(np.array([1.9, -1.9], np.float32))
    x[2] = 7.9
    assert x.tolist() == [1, -1, 7, 0]


def test_parts_of_complex_numbers_are_views() -> None:
    x = np.array([1 + 2j, 3 - 4j, 0.5j], np.complex64)
    y = xp.asarray(x)
    check(y.real, x.real)
    check(y.imag, x.imag)
    y.real[1:] = 9
    x.real[1:] = 9
    y.imag[...] = -y.imag
    x.imag[...] = -x.imag
    check(y, x)


def test_iteration_gives_views() -> None:
    x = xp.zeros((3, 2), dtype=xp.int32)
    for number, row in enumerate(x):
        row[:] = number
    assert x.tolist() == [[0, 0], [1, 1], [2, 2]]


def test_strides_are_bytes() -> None:
    x = xp.zeros((3, 4, 5), dtype=xp.float32)
    assert x.strides == (80, 20, 4)
    assert x.T.strides == (4, 20, 80)
    assert x[:, ::-2].strides == (80, -40, 4)
