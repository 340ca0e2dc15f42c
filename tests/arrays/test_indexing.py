"""Index arrays and masks, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import xpu as xp

from .same import same

I3 = np.array([0, -1, 2])
GRID = np.array([[1], [0]])
NONE = np.array([], dtype=np.int64)
X = np.arange(60.0).reshape(3, 4, 5)
MASK = X % 3 == 0
ROWS = np.array([True, False, True])
PLANE = np.arange(12).reshape(3, 4) % 5 > 1

KEYS = {
    "one": (I3,),
    "two": (I3, I3),
    "three": (I3, I3, I3),
    "behind a slice": (slice(None), I3),
    "around a slice": (I3, slice(None), I3),
    "side by side": (slice(None), I3, I3),
    "broadcast": (slice(None, None, -1), GRID, I3),
    "new axis between": (GRID, None, I3),
    "new axis before": (None, I3),
    "ellipsis before": (..., I3),
    "ellipsis between": (I3, ..., I3),
    "empty ellipsis between": (I3, I3, ..., I3),
    "mask of all": (MASK,),
    "mask of two": (PLANE,),
    "mask of two behind a new axis": (None, PLANE, None),
    "mask of one": (ROWS,),
    "mask and slice": (ROWS, slice(1, 3)),
    "mask and array": (ROWS, np.array([0, 3])),
    "mask of nothing": (np.zeros((3, 4, 5), bool),),
    "integer beside": (0, I3),
    "integer apart": (0, slice(None), I3),
    "integer behind": (I3, slice(None), 0),
    "integer and mask": (PLANE, 0),
    "no index": (NONE,),
    "no index of two axes": (I3, NONE.reshape(0, 1)),
    "0-d": (np.array(1),),
    "0-d twice": (np.array(1), slice(None), np.array(2)),
    "true": (True,),
    "false": (False,),
    "true and array": (True, I3),
    "uint8": (np.array([1, 2], np.uint8),),
    "int16": (slice(None), slice(None), np.array([-5, 4, 0], np.int16)),
    "list": ([0, 1],),
    "lists": ([[0, 1], [2, 0]], [0]),
    "empty list": ([],),
    "list of bools": ([True, False, True],),
    "empty slice": (slice(0, 0), I3),
}


def on_device(key):
    return tuple(xp.asarray(item) if isinstance(item, np.ndarray) else item for item in key)


def windows():
    """Yield an array and its window: all of it, and one with negative strides that starts inside."""
    x = X.copy()
    yield x, (slice(None),)
    big = np.zeros((4, 4, 11))
    big[:3, :, ::-2][..., :5] = X
    yield big, (slice(None, 3), slice(None), slice(None, None, -2)), (Ellipsis, slice(0, 5))


def cut(x, steps):
    for step in steps:
        x = x[step]
    return x


@pytest.mark.parametrize("name", KEYS)
def test_reading(way, name):
    key = KEYS[name]
    for x, *steps in windows():
        got = cut(xp.asarray(x), steps)[on_device(key)]
        same(got, cut(x, steps)[key])


@pytest.mark.parametrize("name", KEYS)
def test_writing(way, name):
    key = KEYS[name]
    shape = X[key].shape
    values = [7.0, np.arange(np.prod(shape)).reshape(shape) + 0.5, np.arange(np.prod(shape[-1:], dtype=int)) * 2.0]
    for x, *steps in windows():
        y = xp.asarray(x)
        for value in values:
            cut(x, steps)[key] = value
            cut(y, steps)[on_device(key)] = xp.asarray(value) if isinstance(value, np.ndarray) else value
            same(y, x)
        cut(x, steps)[key] += 1
        cut(y, steps)[on_device(key)] += 1
        same(y, x)


@pytest.mark.parametrize("code", "?bBhHiIqQefdFD")
def test_every_dtype(way, code):
    x = (np.arange(12) % 7).astype(code).reshape(3, 4)
    y = xp.asarray(x)
    same(y[xp.asarray([2, 0])], x[[2, 0]])
    x[:, [3, 1]] = 1
    y[:, [3, 1]] = 1
    same(y, x)
    same(y[y != 0], x[x != 0])


def test_the_last_of_equal_indices_wins(way):
    index = np.array([1, 1, 2, 1, -1, 2])
    x = np.zeros((3, 2))
    y = xp.asarray(x)
    value = np.arange(12.0).reshape(6, 2)
    x[index] = value
    y[xp.asarray(index)] = xp.asarray(value)
    same(y, x)
    x[index] += 1
    y[xp.asarray(index)] += 1
    same(y, x)


def test_a_copy_is_read(way):
    x = xp.asarray(X.copy())
    part = x[xp.asarray([0])]
    part[...] = -1
    same(x, X)


def test_storing_what_overlaps(way):
    x = np.arange(6.0)
    y = xp.asarray(x)
    x[[0, 1, 2, 3, 4, 5]] = x[::-1]
    y[[0, 1, 2, 3, 4, 5]] = y[::-1]
    same(y, x)


def test_pending_readers_read_before_a_write(way):
    y = xp.asarray(X.copy())
    before = xp.exp(y) * 0 + y
    y[xp.asarray([0, 2])] = 5
    same(before, X)
    before = y * 2
    expected = xp.asnumpy(y) * 2
    y[y > 3] = 0
    same(before, expected)


@pytest.mark.parametrize(
    "key",
    [
        "a",
        1.5,
        [1.5],
        (1, "b"),
        ([3],),
        ([0, -4],),
        (0, [4]),
        ([True, False],),
        ([0, 1], [0, 1, 2]),
        (0, 0, 0, [0]),
        (..., [0], ...),
        np.array([2**63], np.uint64),
        np.array([2**64 - 1], np.uint64),
        np.array([0.5]),
        NotImplemented,
    ],
    ids=str,
)
def test_wrong_indices_change_nothing(way, key):
    x = xp.asarray(X.copy())
    key = xp.asarray(key) if isinstance(key, np.ndarray) else key
    with pytest.raises(IndexError):
        x[key]
    with pytest.raises(IndexError):
        x[key] = 1.0
    same(x, X)


def test_values_that_do_not_fit_change_nothing(way):
    x = xp.asarray(X.copy())
    with pytest.raises(ValueError, match="broadcast"):
        x[[0, 1]] = xp.zeros((3, 4, 5))
    with pytest.raises(TypeError):
        x[[0, 1]] = "text"
    with pytest.raises(ValueError, match="read-only"):
        xp.broadcast_to(xp.zeros(3), (2, 3))[[0]] = 1
    same(x, X)


def test_arrays_elsewhere_are_refused():
    x = xp.asarray(X, device="cpu")
    other = xp.asarray([0, 1], device="interpreter")
    for key in (other, np.array([0, 1])):
        with pytest.raises(xp.DeviceMismatchError):
            x[key]
        with pytest.raises(xp.DeviceMismatchError):
            x[key] = 1
    with pytest.raises(xp.DeviceMismatchError):
        x[[0]] = xp.asarray(1.0, device="interpreter")


def test_take(way):
    y = xp.asarray(X)
    index = np.array([[1, 0], [2, -1]])
    same(xp.take(y, xp.asarray(index), axis=0), np.take(X, index, axis=0))
    same(xp.take(y, xp.asarray(index), axis=-1), np.take(X, index, axis=-1))
    same(xp.take(y, 7), np.take(X, 7))
    order = np.argsort(-X, axis=1)
    same(xp.take_along_axis(y, xp.asarray(order), axis=1), np.take_along_axis(X, order, axis=1))
    same(xp.take_along_axis(y, xp.asarray(order[:1, :2]), axis=1), np.take_along_axis(X, order[:1, :2], axis=1))
    with pytest.raises(IndexError):
        xp.take(y, xp.asarray([3]), axis=0)
    with pytest.raises(TypeError):
        xp.take(y, xp.asarray([1.0]), axis=0)


def test_put_along_axis(way):
    x, y = X.copy(), xp.asarray(X.copy())
    index = np.argmax(x, axis=1, keepdims=True)
    np.put_along_axis(x, index, -1, axis=1)
    xp.put_along_axis(y, xp.asarray(index), -1, axis=1)
    same(y, x)


@pytest.mark.parametrize("shape", [(), (0,), (7,), (3, 4), (2, 0, 3), (2, 3, 4)])
def test_places_of_nonzero_elements(way, shape):
    x = np.arange(np.prod(shape, dtype=int)).reshape(shape) % 3
    y = xp.asarray(x)
    same(xp.argwhere(y), np.argwhere(x))
    same(xp.flatnonzero(y), np.flatnonzero(x))
    same(xp.extract(y > 1, y), np.extract(x > 1, x))
    if shape:
        for got, expected in zip(xp.nonzero(y.T), np.nonzero(x.T), strict=True):
            same(got, expected)
        same(xp.where(y)[0], np.where(x)[0])
    else:
        with pytest.raises(ValueError, match="0-d"):
            xp.nonzero(y)


def test_compress(way):
    y = xp.asarray(X)
    same(xp.compress(xp.asarray([False, True]), y, axis=1), np.compress([False, True], X, axis=1))
    same(xp.compress(xp.asarray([True, False, True]), y), np.compress([True, False, True], X))


def test_repeat_with_own_numbers(way):
    y = xp.asarray(X)
    for repeats in ([2, 0, 3, 1], [0, 0, 0, 0]):
        same(xp.repeat(y, xp.asarray(repeats), axis=1), np.repeat(X, repeats, axis=1))
    with pytest.raises(ValueError, match="negative"):
        xp.repeat(y, xp.asarray([1, -1, 1]), axis=0)
    with pytest.raises(ValueError, match="repeats"):
        xp.repeat(y, xp.asarray([1, 2]), axis=0)


def test_many_elements(fast_way):
    rng = np.random.default_rng(4)
    x = rng.standard_normal(100_003).astype(np.float32)
    index = rng.integers(-x.size, x.size, 50_000)
    value = rng.random(index.size).astype(np.float32)
    y = xp.asarray(x)
    same(y[xp.asarray(index)], x[index])
    same(y[y > 0.5], x[x > 0.5])
    x[index] = value
    y[xp.asarray(index)] = xp.asarray(value)
    same(y, x)


def random_key(rng, shape):
    """Return a key for an array of this shape, of everything that NumPy takes."""
    key, axis = [], 0
    common = tuple(rng.integers(1, 4, rng.integers(0, 3)))
    while axis < len(shape):
        extent = shape[axis]
        kind = rng.choice(["slice", "int", "array", "array", "mask", "new", "stop"])
        if kind == "stop":
            break
        if kind == "new":
            key.append(None)
            continue
        if kind == "slice":
            start, stop = sorted(rng.integers(-1, extent + 1, 2))
            key.append(slice(start, stop) if rng.random() < 0.5 else slice(None, None, rng.choice([-2, -1, 2])))
        elif kind == "int":
            key.append(int(rng.integers(-extent, extent)))
        elif kind == "mask":
            # As many true ones as fit the other index arrays: one broadcasts with all.
            mask = np.zeros(extent, bool)
            mask[rng.integers(extent)] = True
            key.append(mask)
        else:
            part = tuple(n if rng.random() < 0.7 else 1 for n in common[rng.integers(0, len(common) + 1) :])
            key.append(rng.integers(-extent, extent, part).astype(rng.choice(["b", "h", "i", "q"])))
        axis += 1
    if rng.random() < 0.4:
        key.insert(rng.integers(0, len(key) + 1), Ellipsis)
    return tuple(key)


@pytest.mark.parametrize("seed", range(30))
def test_random_keys(fast_way, seed):
    rng = np.random.default_rng(seed)
    shape = tuple(rng.integers(1, 5, rng.integers(1, 5)))
    axes = rng.permutation(len(shape))
    for _ in range(4):
        base = rng.integers(0, 99, tuple(2 * n for n in shape)).astype("h")
        other = xp.asarray(base)
        window = tuple(slice(None, None, 2) if rng.random() < 0.5 else slice(n - 1, None, -1) for n in shape)
        x, y = base[window].transpose(axes), other[window].transpose(*axes)
        key = random_key(rng, x.shape)
        same(y[on_device(key)], x[key], key)
        value = rng.integers(0, 99, x[key].shape).astype("h")
        x[key] = value
        y[on_device(key)] = xp.asarray(value)
        same(other, base, key)
