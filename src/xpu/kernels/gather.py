"""Elements at places that arrays name: reading them, writing them, and checking the places first.

Bits are moved as unsigned integers of the elements' width, so that a few kernels serve all dtypes, also those that the device
cannot compute with.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..kernel.stdlib import words as xp
from ..memory import View
from .views import collapse_batch, flat, launch, temporary, window

if TYPE_CHECKING:
    from ..device import Device

DType = np.dtype[Any]
INT32, INT64 = np.dtype(np.int32), np.dtype(np.int64)
SIDE_BY_SIDE = 8
"""Elements that an inner box should have for its elements to be the work-items that run side by side."""


def bits(view: View) -> View:
    """Return a view of the same elements as unsigned integers; complex128 stays."""
    if view.dtype.itemsize == 16:
        return view
    return View(view.storage, np.dtype(f"u{view.dtype.itemsize}"), view.shape, view.strides, view.offset)


def fill(view: View, value: int) -> None:
    """Set all elements of a contiguous view of integers."""
    if view.size:
        itemsize = view.dtype.itemsize
        device = view.storage.device
        device.backend_device.fill(
            view.storage.block, view.offset * itemsize, view.size * itemsize, view.dtype.type(value).tobytes()
        )


def read(view: View) -> np.ndarray:
    """Return a small contiguous view on the host, waiting for the work before it."""
    out = np.empty(view.shape, view.dtype)
    device = view.storage.device
    device.backend_device.copy_out(
        view.storage.block, view.offset * view.dtype.itemsize, out.reshape(-1).view(np.uint8)
    )
    return out


def upload(numbers: list[int], device: Device) -> View:
    """Return a small array of integers on the device."""
    host = np.asarray(numbers or [0], np.int64)
    view = temporary(device, host.shape, INT64)
    device.backend_device.copy_in(view.storage.block, 0, host.view(np.uint8))
    return view


# ----------------------------------------------------------------------------------------------------- offsets


@lru_cache(maxsize=32)
def _make_offsets(unsigned: bool, first: bool) -> Any:
    @xp.kernel
    def index_offsets(index: Any, extent: Any, stride: Any, out: Any, wrong: Any) -> None:
        k = xp.global_id(0)
        place = xp.int64(index[k])
        if not unsigned and place < 0:
            place += extent
        if place < 0 or place >= extent:
            xp.atomic_max(wrong, 0, xp.int32(1))
            place = xp.int64(0)
        if first:
            out[k] = place * stride
        else:
            out[k] = out[k] + place * stride

    return index_offsets


def offsets(indices: list[tuple[View, int]], strides: list[int], count: int, device: Device) -> tuple[View, bool]:
    """Add up what index arrays contribute to the place of each element.

    Parameters
    ----------
    indices : list of (View, int)
        Contiguous, of ``count`` elements, any integer dtype, with the length of the axis that they index; negative ones
        count from the end.
    strides : list of int
        What one step along each of these axes means.
    count : int
    device : Device

    Returns
    -------
    View
        int64, one axis.
    bool
        Whether all indices are within their axes.
    """
    out = temporary(device, (count,), INT64)
    wrong = temporary(device, (1,), INT32)
    fill(wrong, 0)
    for number, ((index, extent), stride) in enumerate(zip(indices, strides, strict=True)):
        kernel = _make_offsets(index.dtype.kind == "u", number == 0)
        launch(kernel, device, (count,), None, [flat(index), extent, stride, out, wrong])
    if not indices:
        fill(out, 0)
        return out, True
    return out, int(read(wrong)[0]) == 0


# ------------------------------------------------------------------------------------------- moving elements


@xp.kernel
def gather_items(x: Any, base: Any, outer_step: Any, places: Any, count: Any, out: Any) -> None:
    """Index space: (outer, count)."""
    o = xp.global_id(0)
    b = xp.global_id(1)
    out[o * count + b] = x[base + o * outer_step + places[b]]


@xp.kernel
def gather_rows(
    x: Any, base: Any, outer_step: Any, inner_step: Any, places: Any, count: Any, inner: Any, out: Any
) -> None:
    """Index space: (outer, count, inner)."""
    o = xp.global_id(0)
    b = xp.global_id(1)
    i = xp.global_id(2)
    out[(o * count + b) * inner + i] = x[base + o * outer_step + places[b] + i * inner_step]


@xp.func
def _walk(number: Any, axes: Any, begin: Any, end: Any) -> Any:
    """Return the offset of element ``number`` of a box of axes: extents and strides lie one after the other in ``axes``."""
    rest = number
    total = xp.int64(0)
    for axis in range(begin, end - 1):
        extent = axes[2 * axis]
        total += rest % extent * axes[2 * axis + 1]
        rest = rest // extent
    if end > begin:
        total += rest * axes[2 * end - 1]
    return total


@xp.kernel
def gather_boxes(
    x: Any, base: Any, axes: Any, before: Any, after: Any, places: Any, count: Any, inner: Any, out: Any
) -> None:
    """Index space: (outer, count, inner), where outer and inner are boxes of several axes."""
    o = xp.global_id(0)
    b = xp.global_id(1)
    i = xp.global_id(2)
    place = base + places[b] + _walk(o, axes, 0, before) + _walk(i, axes, before, before + after)
    out[(o * count + b) * inner + i] = x[place]


@lru_cache(maxsize=4)
def _make_scatter(contested: bool, across: bool) -> Any:
    """Return the kernel that stores elements. Index space: (outer, count, inner), or with ``across`` (outer, inner, count)."""

    @xp.kernel
    def scatter_boxes(
        x: Any, base: Any, axes: Any, before: Any, after: Any, places: Any, slots: Any, winners: Any, count: Any,
        inner: Any, value: Any, each: Any,
    ) -> None:  # fmt: skip
        o = xp.global_id(0)
        b = xp.global_id(2 if across else 1)
        i = xp.global_id(1 if across else 2)
        wins = True
        if contested:
            wins = xp.int64(winners[slots[b]]) == b
        if wins:
            place = base + places[b] + _walk(o, axes, 0, before) + _walk(i, axes, before, before + after)
            x[place] = value[((o * count + b) * inner + i) * each]

    return scatter_boxes


@lru_cache(maxsize=2)
def _make_elect(number: DType) -> Any:
    """Return the kernel that leaves in each slot the number of the last element that is stored there."""
    kind = number.type

    @xp.kernel
    def elect(slots: Any, winners: Any) -> None:
        b = xp.global_id(0)
        xp.atomic_max(winners, slots[b], kind(b))

    return elect


@dataclass(frozen=True)
class Box:
    """Where elements of an array lie: ``outer`` axes, places that an array names, ``inner`` axes."""

    view: View
    """Of the array; only its storage, dtype and offset count."""
    before: tuple[tuple[int, ...], tuple[int, ...]]
    """Extents and strides of the outer axes."""
    after: tuple[tuple[int, ...], tuple[int, ...]]

    def collapsed(self) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
        """Return (extent, stride) of the outer and the inner axes, the last first, as few as possible."""
        sides = []
        for extents, strides in (self.before, self.after):
            short, (steps,) = collapse_batch(extents, [strides])
            sides.append(list(zip(short, steps, strict=True))[::-1])
        return sides[0], sides[1]

    def counts(self) -> tuple[int, int]:
        """Return how many elements the outer and the inner axes have."""
        return math.prod(self.before[0]), math.prod(self.after[0])


def gather(box: Box, places: View, out: View) -> None:
    """Copy ``x[outer, places, inner]`` into a contiguous view of as many elements."""
    device = out.storage.device
    outer, inner = box.counts()
    count = places.size
    if outer * inner * count == 0:
        return
    before, after = box.collapsed()
    x, target = bits(window(box.view)), bits(flat(out))
    base = box.view.offset
    if len(before) <= 1 and not after:
        step = before[0][1] if before else 0
        launch(gather_items, device, (outer, count), None, [x, base, step, places, count, target])
        return
    if len(before) <= 1 and len(after) == 1:
        steps = [before[0][1] if before else 0, after[0][1]]
        launch(gather_rows, device, (outer, count, inner), None, [x, base, *steps, places, count, inner, target])
        return
    axes = upload([number for pair in (*before, *after) for number in pair], device)
    args = [x, base, axes, len(before), len(after), places, count, inner, target]
    launch(gather_boxes, device, (outer, count, inner), None, args)


def scatter(box: Box, places: View, slots: View | None, room: int, value: View) -> None:
    """Store a contiguous view (of as many elements, or of one) to ``x[outer, places, inner]``.

    Parameters
    ----------
    box : Box
    places : View
        Offsets, as :func:`offsets` makes them.
    slots : View or None
        Numbers below ``room``, equal where places are: of those the last wins. None: no two places are the same.
    room : int
    value : View
        Of the same dtype.
    """
    device = value.storage.device
    outer, inner = box.counts()
    count = places.size
    if outer * inner * count == 0:
        return
    before, after = box.collapsed()
    number = INT32 if count < 2**31 else INT64
    winners = temporary(device, (room if slots is not None else 1,), number)
    if slots is not None:
        fill(winners, -1)
        launch(_make_elect(number), device, (count,), None, [slots, winners])
    axes = upload([number for pair in (*before, *after) for number in pair], device)
    args = [
        bits(window(box.view)), box.view.offset, axes, len(before), len(after), places, places if slots is None else slots,
        winners, count, inner, bits(flat(value)), 0 if value.size == 1 else 1,
    ]  # fmt: skip
    across = inner < SIDE_BY_SIDE
    sizes = (outer, inner, count) if across else (outer, count, inner)
    launch(_make_scatter(slots is not None, across), device, sizes, None, args)
