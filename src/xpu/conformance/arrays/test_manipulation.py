"""Shapes and axes, joining and cutting."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import xpu as xp

from ...errors import AxisError, BroadcastError
from ..compare import check, host
from ..draw import Budget, shapes


def filled(shape: tuple[int, ...], dtype: Any = np.int32) -> np.ndarray:
    return np.arange(int(np.prod(shape)), dtype=dtype).reshape(shape)


FACTORS = [(24,), (2, 12), (3, 8), (2, 3, 4), (4, 1, 6), (1, 24, 1), (2, 2, 2, 3), (-1,), (6, -1), (2, -1, 3)]


@pytest.mark.parametrize("target", FACTORS, ids=str)
def test_reshape(target: tuple[int, ...]) -> None:
    x = filled((2, 3, 4))
    y = xp.asarray(x)
    for a, b in ((x, y), (x.T, y.T), (x[::-1], y[::-1]), (x.transpose(1, 0, 2), y.transpose(1, 0, 2))):
        check(xp.reshape(b, target), np.reshape(a, target))


def test_reshape_is_a_view_where_strides_allow(budget: Budget) -> None:
    def same(order: list[int], steps: list[int], target: tuple[int, ...]) -> None:
        x = filled((2, 3, 4))
        y = xp.asarray(x)
        a = x.transpose(order)[tuple(slice(None, None, s) for s in steps)]
        b = y.transpose(order)[tuple(slice(None, None, s) for s in steps)]
        shared = np.shares_memory(a.reshape(target), x)
        view = b.reshape(target)
        check(view, a.reshape(target))
        assert (view._concrete().storage is y._concrete().storage) == shared
        if not shared:
            with pytest.raises(ValueError, match="view"):
                b.reshape(target, copy=False)

    steps = st.lists(st.sampled_from((1, -1)), min_size=3, max_size=3)
    budget.for_all(40, same, order=st.permutations(range(3)), steps=steps, target=st.sampled_from(FACTORS))


def test_reshape_of_nothing() -> None:
    x = xp.zeros((0, 3), dtype=xp.int32)
    assert x.reshape(3, 0).shape == (3, 0)
    assert x.reshape(5, 0, 2).shape == (5, 0, 2)
    assert x.reshape(-1).shape == (0,)
    assert xp.asarray(7).reshape(1, 1).tolist() == [[7]]


@pytest.mark.parametrize("shape", [(5,), (7, 4), (-1, -1), (-1, 0), (-2, 3)])
def test_reshape_that_does_not_fit(shape: tuple[int, ...]) -> None:
    x = xp.zeros((2, 3), dtype=xp.int32)
    with pytest.raises(ValueError, match=r"reshape|axis|dimension|negative|shape"):
        x.reshape(shape)


def test_permute_dims(budget: Budget) -> None:
    def same(shape: tuple[int, ...], data: Any) -> None:
        order = data.draw(st.permutations(range(len(shape))))
        x = filled(shape)
        check(xp.permute_dims(xp.asarray(x), tuple(order)), np.transpose(x, order))

    budget.for_all(30, same, shape=shapes(4), data=st.data())


def test_axes_functions() -> None:
    x = filled((2, 1, 3, 1))
    y = xp.asarray(x)
    check(xp.squeeze(y, 1), np.squeeze(x, 1))
    check(xp.squeeze(y, (1, 3)), np.squeeze(x, (1, 3)))
    check(y.squeeze(), x.squeeze())
    check(xp.expand_dims(y, 0), np.expand_dims(x, 0))
    check(xp.expand_dims(y, -1), np.expand_dims(x, -1))
    check(xp.expand_dims(y, (0, 2)), np.expand_dims(x, (0, 2)))
    check(xp.moveaxis(y, 0, -1), np.moveaxis(x, 0, -1))
    check(xp.moveaxis(y, (0, 2), (3, 0)), np.moveaxis(x, (0, 2), (3, 0)))
    check(xp.swapaxes(y, 0, 2), np.swapaxes(x, 0, 2))
    check(y.T, x.T)
    with pytest.raises(ValueError, match="length"):
        xp.squeeze(y, 0)


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2), (0, 1, 2)])
def test_flip(axis: Any) -> None:
    x = filled((2, 3, 4))
    check(xp.flip(xp.asarray(x), axis=axis), np.flip(x, axis))


@pytest.mark.parametrize(
    ("shift", "axis"),
    [(1, None), (-2, None), (30, None), (1, 0), (-1, 2), (5, 1), ((1, 2), (0, 2)), ((1, 1), (1, 1)), (0, 0)],
)
def test_roll(shift: Any, axis: Any) -> None:
    x = filled((2, 3, 4))
    check(xp.roll(xp.asarray(x), shift, axis=axis), np.roll(x, shift, axis))


@pytest.mark.parametrize("axis", [0, 1, 2, -1, None])
def test_concat(axis: int | None) -> None:
    parts = [filled((2, 3, 4)), filled((2, 3, 4)) + 100, filled((2, 3, 4)) - 50]
    check(xp.concat([xp.asarray(p) for p in parts], axis=axis), np.concatenate(parts, axis))


def test_concat_of_different_lengths_and_dtypes() -> None:
    parts = [filled((2, 3), np.int16), filled((0, 3), np.float32), filled((5, 3), np.uint8)]
    check(xp.concat([xp.asarray(p) for p in parts]), np.concatenate(parts))
    x = xp.asarray(filled((3, 3)))
    check(xp.concat([x[::-1], x.T], axis=1), np.concatenate([host(x)[::-1], host(x).T], 1))


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_stack_and_unstack(axis: int) -> None:
    parts = [filled((2, 3)), filled((2, 3)) + 100]
    joined = xp.stack([xp.asarray(p) for p in parts], axis=axis)
    check(joined, np.stack(parts, axis))
    for got, want in zip(xp.unstack(joined, axis=axis), parts, strict=True):
        check(got, want)


def test_joining_what_does_not_fit() -> None:
    x = xp.zeros((2, 3), dtype=xp.int32)
    with pytest.raises(BroadcastError):
        xp.concat([x, xp.zeros((2, 4), dtype=xp.int32)])
    with pytest.raises(BroadcastError):
        xp.stack([x, x.T])
    with pytest.raises(ValueError, match="at least one"):
        xp.concat([])
    with pytest.raises(TypeError, match="ndarray"):
        xp.concat([x, np.zeros((2, 3))])


def test_split_gives_views() -> None:
    x = filled((6, 4))
    y = xp.asarray(x)
    for got, want in zip(xp.split(y, 3), np.split(x, 3), strict=True):
        check(got, want)
    for got, want in zip(xp.split(y, [1, 3], axis=1), np.split(x, [1, 3], axis=1), strict=True):
        check(got, want)
    xp.split(y, 2)[1][...] = 0
    assert int(y[3:].sum()) == 0


@pytest.mark.parametrize("repetitions", [2, 0, (2,), (3, 1), (2, 1, 3), (1, 2, 1, 2)])
def test_tile(repetitions: Any) -> None:
    x = filled((2, 3))
    check(xp.tile(xp.asarray(x), repetitions), np.tile(x, repetitions))


@pytest.mark.parametrize(("repeats", "axis"), [(2, None), (3, 0), (2, 1), (0, 1), (1, -1)])
def test_repeat(repeats: int, axis: int | None) -> None:
    x = filled((2, 3))
    check(xp.repeat(xp.asarray(x), repeats, axis=axis), np.repeat(x, repeats, axis))


def test_wrong_axes_are_refused() -> None:
    x = xp.zeros((2, 3), dtype=xp.int32)
    for call in (
        lambda: xp.flip(x, axis=2),
        lambda: xp.concat([x, x], axis=-3),
        lambda: xp.expand_dims(x, 5),
        lambda: xp.moveaxis(x, 0, 4),
        lambda: xp.squeeze(x, 7),
        lambda: xp.roll(x, 1, axis=3),
    ):
        with pytest.raises(AxisError):
            call()
    with pytest.raises(ValueError, match="axes"):
        xp.permute_dims(x, (0,))
