"""Stable orders: keys that compare as unsigned integers, then a radix sort, or ranks where rows are short.

A key is an unsigned integer of the element's width with the element's order: signed integers are shifted, floats get NumPy's
order (both zeros are equal, all NaNs are equal and the largest), complex numbers have three keys (which parts are NaN, the
real part, the imaginary part), sorted from the last to the first.

The radix sort goes over eight bits at a time, the lowest first. Every row is cut into pieces; a piece counts its digits, the
counts are scanned, and the piece puts its elements, in order, where the scan says. Digits in which no keys differ are left out.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dtypes import real_of
from ..kernel.stdlib import words as xp
from ..memory import View
from . import reduce
from .gather import INT64, bits, read
from .producer import from_view
from .scan import scan
from .views import alone, collapse_batch, flat, launch, temporary, window

if TYPE_CHECKING:
    from ..device import Device

DType = np.dtype[Any]
SHORT = 64
"""Rows up to this length are sorted by counting, for each element, those that go before it."""
DIGITS = 256
PIECE = 8192

_NAN_ABOVE = {2: 0x7C00, 4: 0x7F800000, 8: 0x7FF0000000000000}
"""Bits of infinity by width: above are NaNs."""


# -------------------------------------------------------------------------------------------------------- keys


@lru_cache(maxsize=64)
def _make_keys(kind: str, width: int, descending: bool) -> Any:
    """Return the kernel that makes keys of integers or floats. Index space: (outer, inner, length)."""
    unsigned = np.dtype(f"u{width}").type
    top = unsigned(1 << (8 * width - 1))
    low = unsigned((1 << (8 * width - 1)) - 1)
    largest = unsigned((1 << 8 * width) - 1)
    infinity = unsigned(_NAN_ABOVE.get(width, 0))

    @xp.kernel
    def sort_keys(x: Any, base: Any, x_o: Any, x_k: Any, x_i: Any, length: Any, inner: Any, keys: Any) -> None:
        o = xp.global_id(0)
        i = xp.global_id(1)
        k = xp.global_id(2)
        key = x[base + o * x_o + k * x_k + i * x_i]
        if kind == "i":
            key = key ^ top
        if kind == "f":
            size = key & low
            if size > infinity:
                key = largest
            elif size == unsigned(0):
                key = top
            elif key >= top:
                key = ~key
            else:
                key = key | top
        if descending:
            key = ~key
        keys[(o * inner + i) * length + k] = key

    return sort_keys


@lru_cache(maxsize=64)
def _make_classes(width: int, descending: bool) -> Any:
    """Return the kernel that tells which parts of complex numbers are NaN: 0 none, 1 imaginary, 2 real, 3 both."""
    unsigned = np.dtype(f"u{width}").type
    low = unsigned((1 << (8 * width - 1)) - 1)
    infinity = unsigned(_NAN_ABOVE[width])

    @xp.kernel
    def sort_classes(x: Any, base: Any, x_o: Any, x_k: Any, x_i: Any, length: Any, inner: Any, keys: Any) -> None:
        o = xp.global_id(0)
        i = xp.global_id(1)
        k = xp.global_id(2)
        place = base + o * x_o + k * x_k + i * x_i
        number = xp.uint8(0)
        if (x[place] & low) > infinity:
            number = xp.uint8(2)
        if (x[place + 1] & low) > infinity:
            number = number + xp.uint8(1)
        if descending:
            number = ~number
        keys[(o * inner + i) * length + k] = number

    return sort_classes


def _part(x: View, offset: int) -> View:
    """Return a view of one part of complex numbers, as real numbers."""
    strides = tuple(2 * step for step in x.strides)
    return View(x.storage, real_of(x.dtype), x.shape, strides, 2 * x.offset + offset)


def _keys_of(x: View, kernel: Any, width: int, device: Device, key_width: int) -> View:
    outer, length, inner = x.shape
    raw = View(x.storage, np.dtype(f"u{width}"), x.shape, x.strides, x.offset)
    keys = temporary(device, (outer * inner, length), np.dtype(f"u{key_width}"))
    launch(
        kernel, device, (outer, inner, length), None, [window(raw), raw.offset, *raw.strides, length, inner, flat(keys)]
    )
    return keys


def sort_keys(x: View, descending: bool = False) -> list[View]:
    """Return keys of elements, the most significant first, each contiguous of shape (outer * inner, length).

    Parameters
    ----------
    x : View
        Three axes: outer, length, inner; any strides.
    descending : bool
        The largest gets the smallest key.
    """
    device = x.storage.device
    if x.dtype.kind == "c":
        width = x.dtype.itemsize // 2
        real, imag = _part(x, 0), _part(x, 1)
        classes = _keys_of(real, _make_classes(width, descending), width, device, 1)
        kernel = _make_keys("f", width, descending)
        return [classes, *(_keys_of(part, kernel, width, device, width) for part in (real, imag))]
    width = x.dtype.itemsize
    kind = "u" if x.dtype.kind == "b" else x.dtype.kind
    return [_keys_of(x, _make_keys(kind, width, descending), width, device, width)]


# ----------------------------------------------------------------------------------------------------- ranks


@lru_cache(maxsize=32)
def _make_ranks(place: DType, following: bool) -> Any:
    """Return the kernel that puts every element at its rank. Index space: (rows, length).

    ``following``: elements come in the order that ``order`` says.
    """
    kind = place.type

    @xp.kernel
    def sort_ranks(keys: Any, order: Any, length: Any, out: Any) -> None:
        row = xp.global_id(0) * length
        k = xp.global_id(1)
        mine = xp.int64(k)
        if following:
            mine = xp.int64(order[row + k])
        key = keys[row + mine]
        rank = xp.int64(0)
        for j in range(length):
            other = xp.int64(j)
            if following:
                other = xp.int64(order[row + j])
            item = keys[row + other]
            if item < key or (item == key and j < k):
                rank += 1
        out[row + rank] = kind(mine)

    return sort_ranks


# ----------------------------------------------------------------------------------------------------- radix


@lru_cache(maxsize=2)
def _make_counts(number: DType) -> Any:
    """Return the kernel that counts the digits of pieces. Index space: (rows, parts)."""
    kind = number.type

    @xp.kernel
    def radix_counts(keys: Any, length: Any, chunk: Any, parts: Any, smallest: Any, shift: Any, counts: Any) -> None:
        row = xp.global_id(0)
        p = xp.global_id(1)
        mine = xp.private_array(DIGITS, kind)
        for digit in range(DIGITS):
            mine[digit] = kind(0)
        begin = p * chunk
        end = xp.math.min(begin + chunk, length)
        for k in range(begin, end):
            digit = xp.int64((keys[row * length + k] - smallest) >> shift) & 255
            mine[digit] = mine[digit] + kind(1)
        for digit in range(DIGITS):
            counts[(row * DIGITS + digit) * parts + p] = mine[digit]

    return radix_counts


@lru_cache(maxsize=32)
def _make_scatter(place: DType, first: bool, last: bool) -> Any:
    """Return the kernel that moves keys and places to where the scan says. Index space: (rows, parts).

    ``first``: places count up. ``last``: keys are not needed any more.
    """
    kind = place.type

    @xp.kernel
    def radix_scatter(
        keys: Any, places: Any, length: Any, chunk: Any, parts: Any, smallest: Any, shift: Any, counts: Any,
        new_keys: Any, new_places: Any,
    ) -> None:  # fmt: skip
        row = xp.global_id(0)
        p = xp.global_id(1)
        mine = xp.private_array(DIGITS, xp.int64)
        for digit in range(DIGITS):
            mine[digit] = row * length + xp.int64(counts[(row * DIGITS + digit) * parts + p])
        begin = p * chunk
        end = xp.math.min(begin + chunk, length)
        for k in range(begin, end):
            key = keys[row * length + k]
            digit = xp.int64((key - smallest) >> shift) & 255
            at = mine[digit]
            mine[digit] = at + 1
            if first:
                new_places[at] = kind(k)
            else:
                new_places[at] = places[row * length + k]
            if not last:
                new_keys[at] = key

    return radix_scatter


@xp.kernel
def _follow(keys: Any, order: Any, length: Any, out: Any) -> None:
    """Bring the keys of rows into an order. Index space: (rows, length)."""
    row = xp.global_id(0) * length
    k = xp.global_id(1)
    out[row + k] = keys[row + xp.int64(order[row + k])]


def _extremes(keys: View) -> tuple[int, int]:
    """Return the smallest and the largest key."""
    device = keys.storage.device
    ends = temporary(device, (2,), keys.dtype)
    for number, op in enumerate(("min", "max")):
        out = View(ends.storage, keys.dtype, (1,), (1,), number)
        reduce.run(op, from_view(flat(keys), (keys.size, 1, 1)), 1, keys.size, 1, out)
    low, high = read(ends)
    return int(low), int(high)


def _radix(keys: View, order: View | None, place: DType) -> View:
    """Return the stable order of rows of keys, which come in ``order``."""
    device = keys.storage.device
    rows, length = keys.shape
    low, high = _extremes(keys)
    passes = max(1, -(-(high - low).bit_length() // 8))
    if order is not None:
        followed = temporary(device, keys.shape, keys.dtype)
        launch(_follow, device, keys.shape, None, [flat(keys), flat(order), length, flat(followed)])
        keys = followed
    info = device.info
    wanted = 2 * info.compute_units * (1 if info.kind == "cpu" else 64)
    piece = PIECE if info.kind == "cpu" else 1024
    parts = 1 if rows >= wanted else max(1, min(-(-wanted // rows), length // piece))
    chunk = -(-length // parts)
    parts = -(-length // chunk)
    counts = temporary(device, (rows, DIGITS * parts), place)
    table = View(counts.storage, counts.dtype, (rows, DIGITS * parts, 1), (DIGITS * parts, 1, 1), 0)
    smallest = keys.dtype.type(low)
    spare = temporary(device, keys.shape, keys.dtype) if passes > 1 else keys
    places = order
    for number in range(passes):
        shift = keys.dtype.type(8 * number)
        launch(
            _make_counts(place), device, (rows, parts), alone(device, 2),
            [flat(keys), length, chunk, parts, smallest, shift, flat(counts)],
        )  # fmt: skip
        scan("sum", table, table, exclusive=True)
        target = temporary(device, keys.shape, place)
        kernel = _make_scatter(place, places is None, number == passes - 1)
        source = target if places is None else places
        launch(
            kernel, device, (rows, parts), alone(device, 2),
            [flat(keys), flat(source), length, chunk, parts, smallest, shift, flat(counts), flat(spare), flat(target)],
        )  # fmt: skip
        keys, spare, places = spare, keys, target
    assert places is not None
    return places


def order_of(keys: list[View]) -> View:
    """Return, for rows of keys, the positions that bring each row into order: equal ones stay as they were.

    Parameters
    ----------
    keys : list of View
        The most significant first, as :func:`sort_keys` makes them; not empty.

    Returns
    -------
    View
        Contiguous, of the keys' shape; int32, or int64 for rows longer than that can count.
    """
    rows, length = keys[0].shape
    device = keys[0].storage.device
    place = np.dtype(np.int32) if length < 2**31 else INT64
    order: View | None = None
    for number in reversed(range(len(keys))):
        key = keys[number]
        if length > SHORT:
            order = _radix(key, order, place)
            continue
        out = temporary(device, key.shape, place)
        before = out if order is None else order
        kernel = _make_ranks(place, order is not None)
        launch(kernel, device, (rows, length), None, [flat(key), flat(before), length, flat(out)])
        order = out
    assert order is not None
    return order


@xp.kernel
def _follow_rows(
    x: Any, base: Any, x_o: Any, x_k: Any, x_i: Any, order: Any, inner: Any, length: Any, out: Any
) -> None:
    """Index space: (outer, inner, length)."""
    o = xp.global_id(0)
    i = xp.global_id(1)
    k = xp.global_id(2)
    place = (o * inner + i) * length + k
    out[place] = x[base + o * x_o + xp.int64(order[place]) * x_k + i * x_i]


def follow_rows(x: View, order: View, out: View) -> None:
    """Copy elements of rows in the order of positions.

    Parameters
    ----------
    x : View
        Three axes: outer, length, inner; any strides.
    order, out : View
        Contiguous, of shape (outer * inner, count).
    """
    outer, _, inner = x.shape
    count = order.shape[1]
    args = [bits(window(x)), x.offset, *x.strides, flat(order), inner, count, bits(flat(out))]
    launch(_follow_rows, out.storage.device, (outer, inner, count), None, args)


# ------------------------------------------------------------------------------------------------- searching


@lru_cache(maxsize=2)
def _make_search(right: bool) -> Any:
    """Return the kernel of a binary search. Index space: (queries,)."""

    @xp.kernel
    def search(keys: Any, queries: Any, out: Any) -> None:
        q = xp.global_id(0)
        wanted = queries[q]
        low = xp.int64(0)
        high = keys.shape[0]
        while low < high:
            middle = (low + high) // 2
            key = keys[middle]
            goes_on = key < wanted
            if right:
                goes_on = key <= wanted
            if goes_on:
                low = middle + 1
            else:
                high = middle
        out[q] = low

    return search


def search(keys: View, queries: View, right: bool, out: View) -> None:
    """Find where queries belong in sorted keys: before equal ones, or behind them. All contiguous with one axis."""
    launch(_make_search(right), out.storage.device, queries.shape, None, [flat(keys), flat(queries), flat(out)])


def three_axes(view: View, axis: int) -> View | None:
    """Return a view as (outer, length, inner) around an axis; None where other axes do not collapse."""
    outer = _one_axis(view.shape[:axis], view.strides[:axis])
    inner = _one_axis(view.shape[axis + 1 :], view.strides[axis + 1 :])
    if outer is None or inner is None:
        return None
    shape = (outer[0], view.shape[axis], inner[0])
    return View(view.storage, view.dtype, shape, (outer[1], view.strides[axis], inner[1]), view.offset)


def _one_axis(extents: tuple[int, ...], strides: tuple[int, ...]) -> tuple[int, int] | None:
    short, (steps,) = collapse_batch(extents, [strides])
    if len(short) > 1:
        return None
    return (short[0], steps[0]) if short else (1, 0)
