"""Corners of functions: windows without elements, axes of vectors, averages in other dtypes, formats."""

from __future__ import annotations

import numpy as np
import pytest

import xpu as xp

from ..capabilities import Capabilities
from ..compare import check


def test_windows_without_elements() -> None:
    """They may lie beyond the end of their memory."""
    x = np.zeros((0, 3), np.float32)
    y = xp.asarray(x)
    check(y[:, 1:] - y[:, :-1], x[:, 1:] - x[:, :-1])
    check(xp.diff(y, n=2), np.diff(x, n=2))
    check(y[:, ::-1] + 1, x[:, ::-1] + 1)
    check(y.T[2:].sum(axis=0), x.T[2:].sum(axis=0))
    check(xp.asarray(y[:, 2:], copy=True), x[:, 2:])
    y[:, 1:] = 5
    y[:, 2] += 1
    assert y[:, 1:].tolist() == []


def test_averages_in_other_dtypes(can: Capabilities) -> None:
    x = np.array([1, 2, 4, 9], np.int32)
    y = xp.asarray(x)
    check(xp.mean(y, dtype=xp.int32), np.int32(4))
    check(xp.var(y, dtype=xp.int64), np.int64(9))
    check(xp.mean(y, dtype=xp.float32), np.mean(x, dtype=np.float32))
    assert xp.median(xp.zeros((0, 3), dtype=xp.float32), axis=0).dtype == np.float32
    assert bool(xp.isnan(xp.median(xp.zeros((0, 3)), axis=0)).all())
    assert xp.median(xp.zeros((0, 3)), axis=1).shape == (0,)


def test_products_with_numbers() -> None:
    x = np.arange(3, dtype=np.int32)
    y = xp.asarray(x)
    check(y.dot(2), x.dot(2))
    check(xp.dot(3, y), np.dot(3, x))
    check(y.dot(y), x.dot(x))


def test_axes_of_vectors() -> None:
    x, z = np.arange(12, dtype=np.int64).reshape(3, 4), np.arange(60, dtype=np.int64).reshape(5, 3, 4)
    check(xp.vecdot(xp.asarray(x), xp.asarray(z)), np.vecdot(x, z))
    check(xp.vecdot(xp.asarray(x), xp.asarray(z), axis=-2), np.vecdot(x, z, axis=-2))
    check(xp.vecdot(xp.asarray(x[:, 0]), xp.asarray(x), axis=0), np.vecdot(x[:, 0], x, axis=0))
    for one in (xp.asarray(2), xp.arange(3)):
        with pytest.raises(ValueError):
            xp.vecdot(xp.asarray(2), one)


def test_unsigned_boundaries() -> None:
    """Differences of unsigned numbers would wrap around."""
    bins = np.array([200, 100, 255], np.uint8)
    with pytest.raises(ValueError):
        xp.digitize(xp.asarray(bins), xp.asarray(bins))
    with pytest.raises(ValueError):
        xp.histogram(xp.asarray(bins), xp.asarray(bins))
    falling = np.array([250, 100, 3], np.uint8)
    check(xp.digitize(xp.asarray(bins), xp.asarray(falling)), np.digitize(bins, falling))


def test_rounding_to_places_far_away() -> None:
    x = np.array([0, 99, -100, 127], np.int8)
    check(xp.round(xp.asarray(x), -3), np.round(x, -3))
    check(xp.round(xp.asarray(x), -2), np.round(x, -2))
    y = np.array([1.5, -2.25], np.float32)
    with np.errstate(all="ignore"):
        check(xp.round(xp.asarray(y), 400), np.round(y, 400))


def test_real_arrays_are_their_own_conjugates() -> None:
    for x in (xp.arange(3), xp.asarray([True, False])):
        assert x.conj() is x
    check(xp.asarray([1 + 2j], dtype=xp.complex64).conj(), np.array([1 - 2j], np.complex64))


def test_formats_are_for_one_element() -> None:
    assert f"{xp.asarray(2.5, dtype=xp.float32):.2f}" == "2.50"
    assert f"{xp.arange(2)}" == "[0 1]"
    with pytest.raises(TypeError):
        f"{xp.arange(2):.2f}"


def test_unsigned_ranges_fall() -> None:
    for arguments in ((5, 2, -1), (200, 0, -60), (7, 6, -3)):
        check(xp.arange(*arguments, dtype=xp.uint8), np.arange(*arguments, dtype=np.uint8))
    check(xp.arange(9, 0, -4, dtype=xp.uint64), np.arange(9, 0, -4, dtype=np.uint64))
    with pytest.raises(OverflowError):
        xp.arange(0, -5, -1, dtype=xp.uint8)


def test_sequences_as_arguments() -> None:
    x = np.arange(3, dtype=np.int32)
    y = xp.asarray(x)
    check(xp.repeat(y, [1, 0, 2]), np.repeat(x, [1, 0, 2]))
    check(y.repeat([2]), x.repeat([2]))
    check(xp.repeat(y[None], range(3), axis=1), np.repeat(x[None], range(3), axis=1))
    check(xp.isin(y, [1, 7]), np.isin(x, [1, 7]))
    check(xp.isin(y, 2**40, invert=True), np.isin(x, 2**40, invert=True))
    with pytest.raises(ValueError):
        xp.repeat(y, [1, 2])


def test_numbers_at_the_edges_of_differences() -> None:
    x = np.arange(6, dtype=np.int32).reshape(2, 3) ** 2
    y = xp.asarray(x)
    check(xp.diff(y, prepend=0), np.diff(x, prepend=0))
    check(xp.diff(y, axis=0, prepend=xp.asarray(7), append=1), np.diff(x, axis=0, prepend=7, append=1))


def test_halves_anywhere() -> None:
    """Vectors of halves may begin at any multiple of two bytes."""
    x = (np.arange(5000) % 50).astype(np.float16)
    x[3:7] = np.float16(0.1)
    for start in (1, 3):
        y, z = x[start:], xp.asarray(x)[start:]
        check(z.argmin(), y.argmin())
        check(z.argmax(), y.argmax())
        check(z + z, y + y)
        z += 1
        check(z, y + np.float16(1))
