"""Indexing with arrays of integers and with masks: reading copies elements, writing stores them, on the device itself."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import kernels
from ..apply import host_array_refused, is_scalar, mismatch
from ..array import Array
from ..config import config
from ..device import Device
from ..dtypes import INT64
from ..errors import BroadcastError
from ..lazy.evaluate import write
from ..memory import View, contiguous_strides, new_view
from ..reduce import NATIVE_BELOW
from ..shapes import broadcast_shapes
from .creation import arange, asarray, from_numpy
from .indexing import ArrayIndexError, _scalar_for, basic_view, sequence_value
from .manipulation import broadcast_to, reshape

DType = np.dtype[Any]


@dataclass
class _Index:
    """An array of integers along one axis (after masks have become that)."""

    array: Array
    axis: int | None
    """Of the sliced array; None where a 0-d mask only adds an axis."""
    checked: bool
    """Whether the integers are known to be within the axis."""


@dataclass
class _Selection:
    """A key, taken apart."""

    view: View
    """After integers, slices and new axes."""
    indices: list[_Index]
    shape: tuple[int, ...]
    """That the index arrays have together."""
    before: list[int]
    """Axes of the view whose place in the result is before the index arrays'."""
    after: list[int]
    distinct: bool
    """Whether no element is selected twice."""

    @property
    def result(self) -> tuple[int, ...]:
        """The shape of what is selected."""
        extents = self.view.shape
        return tuple([extents[k] for k in self.before]) + self.shape + tuple([extents[k] for k in self.after])


# ------------------------------------------------------------------------------------------------ reading a key


def _bad_type(item: Any) -> ArrayIndexError:
    what = f"an array of {item.dtype.name}" if isinstance(item, (Array, np.ndarray)) else type(item).__name__
    return ArrayIndexError(
        f"an index is an integer, a slice, '...', None, or an array of integers or bools, not {what}"
    )


def _item(item: Any, device: Device) -> Any:
    """Return an item of a key with everything that selects by array as an xpu array of integers or bools."""
    if item is None or item is Ellipsis or isinstance(item, slice):
        return item
    if isinstance(item, (bool, np.bool_)):
        return from_numpy(np.asarray(item), device)
    if isinstance(item, np.ndarray):
        if item.dtype.kind not in "biu":
            raise _bad_type(item)
        if item.size != 1:
            raise host_array_refused("indexing", item, device)
        return from_numpy(item, device)
    if isinstance(item, (list, tuple, range)):
        try:
            found = asarray(item, device=device) if len(item) else from_numpy(np.empty(0, np.int64), device)
        except TypeError:
            raise _bad_type(item) from None
        if found.size == 0 and found.dtype.kind == "f":
            found = from_numpy(np.empty(found.shape, np.int64), device)
        item = found
    if isinstance(item, Array):
        if item.device is not device:
            raise mismatch("indexing", device, item.device)
        if item.dtype.kind not in "biu":
            raise _bad_type(item)
        return item
    if isinstance(item, (int, np.integer)):
        return item
    if hasattr(item, "__index__"):
        return item.__index__()
    raise _bad_type(item)


def _width(item: Any) -> int:
    """Return how many axes of the array an item stands for."""
    if item is None:
        return 0
    return item.ndim if isinstance(item, Array) and item.dtype.kind == "b" else 1


def _expand(x: Array, key: Any) -> list[Any]:
    items = [_item(item, x.device) for item in (key if isinstance(key, tuple) else (key,))]
    used = sum(_width(item) for item in items if item is not Ellipsis)
    ellipses = [place for place, item in enumerate(items) if item is Ellipsis]
    if len(ellipses) > 1:
        raise ArrayIndexError("an index can only have a single ellipsis ('...')")
    if used > x.ndim:
        raise ArrayIndexError(f"too many indices: the array has {x.ndim} axes, but {used} were indexed")
    if not ellipses:
        items.append(Ellipsis)
    return items


def _select(x: Array, whole: View, key: Any) -> _Selection:
    items = _expand(x, key)
    missing = x.ndim - sum(_width(item) for item in items if item is not Ellipsis)
    basic: list[Any] = []
    arrays: list[tuple[Array, int, int]] = []  # with the axis of x, and that of the view
    before: list[int] = []
    after: list[int] = []
    axis = shown = 0
    runs, inside = 0, False
    for item in items:
        advanced = isinstance(item, (Array, int, np.integer))
        if advanced:
            runs += not inside
            inside = True
        else:
            inside = False
        if isinstance(item, Array):
            width = _width(item)
            basic += [slice(None)] * width
            arrays.append((item, axis, shown))
            axis, shown = axis + width, shown + width
        elif advanced:
            basic.append(item)
            axis += 1
        else:
            several = [slice(None)] * missing if item is Ellipsis else [item]
            for one in several:
                basic.append(one)
                (after if runs else before).append(shown)
                shown += 1
                axis += one is not None
    view = basic_view(whole, basic)
    if runs > 1:
        before, after = [], before + after
    indices: list[_Index] = []
    for array, source, target in arrays:
        if array.dtype.kind == "b":
            indices += _of_mask(array, x.shape[source : source + array.ndim], source, target, view)
        else:
            indices.append(_Index(array, target, False))
    distinct = len(arrays) == 1 and (arrays[0][0].dtype.kind == "b" or arrays[0][0].size == 1)
    try:
        shape = broadcast_shapes(*[index.array.shape for index in indices])
    except BroadcastError as error:
        raise ArrayIndexError(f"index arrays do not fit together: {error}") from None
    return _Selection(view, indices, shape, before, after, distinct)


def _of_mask(mask: Array, extents: tuple[int, ...], axis: int, target: int, view: View) -> list[_Index]:
    """Return the index arrays that a mask stands for."""
    for number, (own, extent) in enumerate(zip(mask.shape, extents, strict=True)):
        if own != extent:
            raise ArrayIndexError(
                f"a mask did not match the array along axis {axis + number}: its length is {own}, the array's {extent}"
            )
    if mask.ndim == 0:
        return [_Index(arange(int(bool(mask)), device=mask.device), None, True)]
    return [_Index(array, target + number, True) for number, array in enumerate(nonzero_arrays(mask))]


def nonzero_arrays(x: Array) -> tuple[Array, ...]:
    """Return, for each axis (at least one), where elements are not zero, as int64."""
    library = x.device.backend_device.library if config.library else {}
    if "nonzero" in library and x.ndim > 0 and x.size <= NATIVE_BELOW:
        native = x._concrete().native()
        count = library["count_nonzero"](native)
        views = [new_view(x.device, (count,), INT64) for _ in x.shape]
        library["nonzero"](native, tuple(view.native() for view in views))
        return tuple(Array._of_view(view) for view in views)
    places = flat_nonzero(x)
    out: list[Array] = []
    rest = places
    for extent in reversed(x.shape[1:]):
        extent = max(extent, 1)
        out.append(rest % extent)
        rest = rest // extent
    return (rest, *reversed(out))


def flat_nonzero(x: Array) -> Array:
    """Return where elements are not zero, in C order, as int64."""
    flags = x if x.dtype.kind == "b" else x != 0
    return Array._of_view(kernels.compact.true_places(_contiguous(flags)))


def _packed(x: Array, shape: tuple[int, ...], dtype: DType) -> View:
    """Return the elements, broadcast to a shape, in fresh contiguous memory."""
    view = new_view(x.device, shape, dtype)
    write(view, x._operand(), x.device)
    return view


# ---------------------------------------------------------------------------------------------------- selecting


def _places(chosen: _Selection, device: Device) -> tuple[View, list[tuple[View, int]]]:
    """Return the offset of each selected element, and the index arrays that made them; raise where one is outside."""
    count = math.prod(chosen.shape)
    prepared: list[tuple[View, int]] = []
    strides: list[int] = []
    along = [index for index in chosen.indices if index.axis is not None]
    for index in along:
        own = index.array._concrete()
        if own.shape != chosen.shape or not own.contiguous:
            own = _packed(index.array, chosen.shape, index.array.dtype)
        assert index.axis is not None
        prepared.append((own, chosen.view.shape[index.axis]))
        strides.append(chosen.view.strides[index.axis])
    places, good = kernels.gather.offsets(prepared, strides, count, device)
    if not good:
        for index in along:
            _complain(index, chosen.view.shape[index.axis or 0])
    return places, prepared


def _complain(index: _Index, extent: int) -> None:
    host = index.array.get().reshape(-1)
    outside = host[(host < -extent) | (host >= extent)]
    if outside.size:
        raise ArrayIndexError(f"index {outside[0]} is out of bounds for an axis of length {extent}")


def _box(chosen: _Selection) -> kernels.gather.Box:
    view = chosen.view
    sides = [
        (tuple([view.shape[k] for k in axes]), tuple([view.strides[k] for k in axes]))
        for axes in (chosen.before, chosen.after)
    ]
    return kernels.gather.Box(view, sides[0], sides[1])


def _library(name: str, chosen: _Selection, device: Device) -> Any:
    """Return the native function, where there is one, it reads the indices as xpu does, and it is faster than a kernel."""
    function = device.backend_device.library.get(name) if config.library else None
    if name == "getitem" and math.prod(chosen.result) > NATIVE_BELOW:
        return None
    along = [index for index in chosen.indices if index.axis is not None]
    # NumPy takes large uint64 for negative numbers.
    return function if along and all(index.array.dtype.char not in "LQ" for index in along) else None


@contextmanager
def _native_errors() -> Iterator[None]:
    try:
        yield
    except IndexError as error:
        raise ArrayIndexError(str(error)) from None


def _native_arrays(chosen: _Selection) -> tuple[Any, Any]:
    """Return the library's array, its index axes in front, and the index arrays."""
    along = [index for index in chosen.indices if index.axis is not None]
    order = [*[index.axis for index in along], *chosen.before, *chosen.after]
    arrays = [broadcast_to(index.array, chosen.shape)._concrete().native() for index in along]
    return chosen.view.native().transpose(order), tuple(arrays)


def _index_first(view: View, chosen: _Selection) -> Any:
    """Return the library's array of what is selected, the axes of the index arrays in front."""
    place, ndim = len(chosen.before), len(chosen.shape)
    order = [*range(place, place + ndim), *range(place), *range(place + ndim, len(view.shape))]
    return view.native().transpose(order)


def take_items(x: Array, key: Any) -> Array:
    """Return a copy of the elements that index arrays, masks and basic items select."""
    quick = _take_masked(x, key)
    if quick is not None:
        return quick
    chosen = _select(x, x._concrete(), key)
    out = new_view(x.device, chosen.result, x.dtype)
    library = _library("getitem", chosen, x.device)
    if library is not None:
        with _native_errors():
            library(*_native_arrays(chosen), _index_first(out, chosen))
        return Array._of_view(out)
    places, _ = _places(chosen, x.device)
    kernels.gather.gather(_box(chosen), places, out)
    return Array._of_view(out)


def _take_masked(x: Array, key: Any) -> Array | None:
    """Return ``x[mask]`` for a mask of x's shape, without the places of its true elements; None for other keys."""
    if (
        type(key) is not Array
        or key.dtype.kind != "b"
        or key.shape != x.shape
        or key.device is not x.device
        or not x.ndim
    ):
        return None
    if x.size <= NATIVE_BELOW and config.library and "getitem" in x.device.backend_device.library:
        return None
    flags, values = (_contiguous(one) for one in (key, x))
    return Array._of_view(kernels.compact.true_values(flags, values))


def _contiguous(x: Array) -> View:
    view = x._concrete()
    return view if view.contiguous else _packed(x, x.shape, x.dtype)


# ------------------------------------------------------------------------------------------------------ writing


def put_items(x: Array, key: Any, value: Any, distinct: bool = False) -> None:
    """Store ``x[key] = value``; where an element is selected twice the last value stays. On any error nothing changes.

    ``distinct``: the caller knows that no element is selected twice.
    """
    device = x.device
    if _put_masked(x, key, value):
        return
    chosen = _select(x, x._concrete(), key)
    source = _value(x, value, chosen.result)
    library = _library("setitem", chosen, device)
    if library is not None:
        value = _index_first(source, chosen) if source.size != 1 else source.native().reshape(())
        x.__xpu_write__()
        with _native_errors():
            library(*_native_arrays(chosen), value)
        return
    places, prepared = _places(chosen, device)
    x.__xpu_write__()
    if 0 in chosen.result:
        return
    slots, room = None, 1
    if not (distinct or chosen.distinct):
        extents = tuple(extent for _, extent in prepared)
        room = math.prod(extents)
        slots, _ = kernels.gather.offsets(prepared, list(contiguous_strides(extents)), places.size, device)
    kernels.gather.scatter(_box(chosen), places, slots, room, source)


def _value(x: Array, value: Any, shape: tuple[int, ...]) -> View:
    """Return what is to be stored as a contiguous view: of the shape, or of one element."""
    device, dtype = x.device, x.dtype
    if is_scalar(value):
        out = new_view(device, (1,), dtype)
        write(out, _scalar_for(value, dtype), device)
        return out
    if isinstance(value, np.ndarray):
        value = from_numpy(value, device)
    elif isinstance(value, (list, tuple, range)):
        value = sequence_value(value, x, len(shape))
    elif not isinstance(value, Array):
        raise TypeError(f"cannot store a {type(value).__name__} in an array; convert it with xp.asarray")
    if value.device is not device:
        raise mismatch("setitem", device, value.device)
    own = value.shape
    while len(own) > len(shape) and own[0] == 1:
        own = own[1:]
    if own != shape and broadcast_shapes(own, shape) != shape:
        raise BroadcastError(f"could not broadcast an array of shape {value.shape} into shape {shape}")
    if value.size == 1:
        return _packed(reshape(value, (1,)), (1,), dtype)
    return _packed(reshape(value, own), shape, dtype)


def _put_masked(x: Array, key: Any, value: Any) -> bool:
    """Store one number where a mask of the array's own shape is true: a choice, element by element."""
    mask = key[0] if isinstance(key, tuple) and len(key) == 1 else key
    if not isinstance(mask, Array) or mask.dtype.kind != "b" or mask.shape != x.shape or mask.device is not x.device:
        return False
    if not is_scalar(value) and not (isinstance(value, Array) and value.ndim == 0):
        return False
    from ..apply import where

    if isinstance(value, Array):
        if value.device is not x.device:
            raise mismatch("setitem", x.device, value.device)
        one: Any = value.astype(x.dtype, copy=False)
    else:
        one = _scalar_for(value, x.dtype)
    node = where(mask, one, x)
    write(x._concrete(), node._operand(), x.device)
    return True


def repeat_each(x: Array, repeats: Array, axis: int) -> Array:
    """Repeat each element along an axis as often as its own number says."""
    from .cumulative import cumulative_sum

    extent = x.shape[axis]
    if repeats.device is not x.device:
        raise mismatch("repeat", x.device, repeats.device)
    if repeats.dtype.kind not in "biu":
        raise TypeError(f"repeats are integers, not {repeats.dtype.name}")
    if repeats.shape != (extent,):
        raise BroadcastError(f"{repeats.shape} repeats do not fit an axis of length {extent}")
    if repeats.dtype.kind == "i" and bool((repeats < 0).any()):
        raise ValueError("repeats may not be negative")
    from .searching import searchsorted

    ends = cumulative_sum(repeats, dtype=INT64)
    total = int(ends[-1]) if extent else 0
    origin = searchsorted(ends, arange(total, device=x.device), side="right")
    return take_items(x, (slice(None),) * axis + (origin,))


__all__ = ["flat_nonzero", "nonzero_arrays", "put_items", "repeat_each", "take_items"]
