"""Sorting, searching and sets, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import xpu as xp

from .same import COMPLEX, FLOATS, INTEGERS, same, special

ALL = "?" + INTEGERS + FLOATS + COMPLEX


def rows(code, way):
    """Rows that are sorted by ranks; and, where that is quick enough, by digits."""
    yield special(code, 24).reshape(2, 12)
    yield special(code, 18).reshape(3, 6)[:, ::-2]
    if way != "interpreter":
        yield special(code, 400).reshape(2, 200)


@pytest.mark.parametrize("code", ALL)
def test_order(way, code):
    for x in rows(code, way):
        y = xp.asarray(x.copy())
        for axis in (0, 1):
            same(xp.argsort(y, axis=axis), np.argsort(x, axis=axis, kind="stable"))
            expected = np.sort(x, axis=axis, kind="stable")
            got = xp.sort(y, axis=axis)
            same(got, expected)
            if code in FLOATS:
                np.testing.assert_array_equal(
                    np.signbit(xp.asnumpy(got)) & (expected == 0), np.signbit(expected) & (expected == 0)
                )
        same(y, x)


@pytest.mark.parametrize("code", ALL)
def test_descending(way, code):
    for x in rows(code, way):
        last = x.shape[1] - 1
        expected = last - np.argsort(x[:, ::-1], axis=1, kind="stable")[:, ::-1]
        same(xp.argsort(xp.asarray(x), descending=True), expected)
        same(xp.sort(xp.asarray(x), descending=True), np.take_along_axis(x, expected, axis=1))


@pytest.mark.parametrize("shape", [(0,), (1,), (3, 0), (0, 3), (2, 3, 4)])
def test_shapes(way, shape):
    x = special("i", int(np.prod(shape))).reshape(shape)
    y = xp.asarray(x)
    for axis in (*range(-len(shape), len(shape)), None):
        same(xp.sort(y, axis=axis), np.sort(x, axis=axis))
        same(xp.argsort(y, axis=axis), np.argsort(x, axis=axis, kind="stable"))
    same(xp.sort(y.T, axis=0), np.sort(x.T, axis=0))
    with pytest.raises(xp.AxisError):
        xp.sort(y, axis=5)


@pytest.mark.parametrize("code", "Bifqd")
def test_long_rows(fast_way, code):
    rng = np.random.default_rng(3)
    x = (rng.standard_normal(60_001) * 1000).astype(code)
    y = xp.asarray(x)
    same(xp.argsort(y), np.argsort(x, kind="stable"))
    same(xp.sort(y), np.sort(x))
    values, indices = xp.topk(y, 5)
    order = x.size - 1 - np.argsort(x[::-1], kind="stable")[::-1]
    same(values, x[order[:5]])
    same(indices, order[:5])


def test_top_and_partition(way):
    x = np.array([[3.0, 1.0, 2.0, 3.0], [0.0, 5.0, 4.0, 1.0]])
    values, indices = xp.topk(xp.asarray(x), 2)
    same(values, [[3.0, 3.0], [5.0, 4.0]])
    same(indices, [[0, 3], [1, 2]])
    values, _ = xp.topk(xp.asarray(x), 1, axis=0, largest=False)
    same(values, [[0.0, 1.0, 2.0, 1.0]])
    parted = xp.asnumpy(xp.partition(xp.asarray(x), 2))
    same(parted[:, 2], np.sort(x)[:, 2])
    with pytest.raises(ValueError, match="length 4"):
        xp.topk(xp.asarray(x), 5)
    with pytest.raises(ValueError, match="kth"):
        xp.partition(xp.asarray(x), 4)


@pytest.mark.parametrize("code", ALL)
@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted(way, code, side):
    x = np.sort(special(code, 40))
    wanted = special(code, 18, seed=1).reshape(3, 6)
    same(xp.searchsorted(xp.asarray(x), xp.asarray(wanted), side=side), np.searchsorted(x, wanted, side=side))
    same(xp.searchsorted(xp.asarray(x[:0]), xp.asarray(wanted), side=side), np.searchsorted(x[:0], wanted, side=side))


def test_searchsorted_with_other_dtypes_and_an_order(way):
    x = np.array([5, 1, 3])
    order = np.argsort(x)
    y = xp.asarray(x)
    same(xp.searchsorted(y, xp.asarray([0.5, 3.0]), sorter=xp.argsort(y)), np.searchsorted(x, [0.5, 3.0], sorter=order))
    same(xp.searchsorted(xp.sort(y), 3), np.searchsorted(np.sort(x), 3))
    with pytest.raises(ValueError, match="side"):
        xp.searchsorted(y, y, side="middle")
    with pytest.raises(ValueError, match="one-dimensional"):
        xp.searchsorted(xp.ones((2, 2)), y)


@pytest.mark.parametrize("code", ALL)
def test_unique(way, code):
    x = special(code, 36).reshape(4, 9)
    y = xp.asarray(x)
    options = {"return_index": True, "return_inverse": True, "return_counts": True}
    for got, expected in zip(xp.unique(y, **options), np.unique(x, **options), strict=True):
        same(got, expected)
    same(xp.unique(y), np.unique(x))
    expected = np.unique_all(x)
    for got, wanted in zip(xp.unique_all(y), expected, strict=True):
        same(got, wanted)
    same(xp.unique_values(y), expected.values)
    same(xp.unique_counts(y).counts, expected.counts)
    same(xp.unique_inverse(y).inverse_indices, expected.inverse_indices)


def test_unique_of_nothing_and_of_one(way):
    for x in (np.empty((0, 3)), np.array(4), np.array([2])):
        for got, expected in zip(xp.unique_all(xp.asarray(x)), np.unique_all(x), strict=True):
            same(got, expected)


@pytest.mark.parametrize("code", ALL)
def test_membership(way, code):
    x, known = special(code, 24).reshape(4, 6), special(code, 5, seed=2)
    same(xp.isin(xp.asarray(x), xp.asarray(known)), np.isin(x, known))
    same(xp.isin(xp.asarray(x), xp.asarray(known), invert=True), np.isin(x, known, invert=True))
    same(xp.isin(xp.asarray(x), xp.asarray(known[:0])), np.isin(x, known[:0]))
    same(xp.isin(xp.asarray(x), 1), np.isin(x, 1))


def test_zeros_of_both_signs_keep_their_order_in_long_rows(fast_way):
    x = np.tile([0.0, -0.0, 1.0, -1.0, -0.0], 20_000)
    got = xp.asnumpy(xp.sort(xp.asarray(x)))
    np.testing.assert_array_equal(np.signbit(got), np.signbit(np.sort(x, kind="stable")))


def test_methods(way):
    x = special("i", 12).reshape(3, 4)
    y = xp.asarray(x.copy())
    same(y.argsort(), x.argsort(kind="stable"))
    same(y.take(xp.asarray([0, 2]), axis=1), x.take([0, 2], axis=1))
    same(y.cumsum(axis=1), x.cumsum(axis=1, dtype=np.int64))
    same(y.cumprod(), x.cumprod(dtype=np.int64))
    same(y.repeat(2, axis=0), x.repeat(2, axis=0))
    for got, expected in zip(y.nonzero(), x.nonzero(), strict=True):
        same(got, expected)
    column = y[:, 1]
    column.sort()
    x[:, 1].sort()
    same(y, x)
    same(column.searchsorted(3), x[:, 1].searchsorted(3))
