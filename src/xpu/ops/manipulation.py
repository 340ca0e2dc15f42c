"""Shapes and axes: views wherever strides allow, real kernels where elements must move."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from ..apply import check_arrays, common_device
from ..array import Array, sequence_of
from ..dtypes import result_type
from ..errors import AxisError, BroadcastError
from ..lazy.evaluate import write
from ..memory import View, contiguous_strides, new_view
from ..shapes import broadcast_shapes as _broadcast_shapes
from .creation import asarray, checked_shape, copy

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_arrays",
    "broadcast_shapes",
    "broadcast_to",
    "concat",
    "concatenate",
    "expand_dims",
    "flip",
    "hstack",
    "matrix_transpose",
    "moveaxis",
    "permute_dims",
    "ravel",
    "repeat",
    "reshape",
    "roll",
    "split",
    "squeeze",
    "stack",
    "swapaxes",
    "tile",
    "transpose",
    "unstack",
    "vstack",
]


def normalize_axis(axis: Any, ndim: int) -> int:
    """Return a non-negative axis, or raise :class:`AxisError`."""
    try:
        index = int(axis.__index__())
    except AttributeError:
        raise TypeError(f"an axis is an integer, got {type(axis).__name__}") from None
    if not -ndim <= index < ndim:
        raise AxisError(f"axis {index} is out of bounds for an array of {ndim} axes")
    return index % ndim if ndim else 0


def normalize_axes(axis: Any, ndim: int) -> tuple[int, ...]:
    """Return sorted distinct non-negative axes; None means all."""
    if axis is None:
        return tuple(range(ndim))
    if not isinstance(axis, (tuple, list)):
        return (normalize_axis(axis, ndim),)
    axes = tuple(normalize_axis(item, ndim) for item in axis)
    if len(set(axes)) != len(axes):
        raise ValueError(f"an axis is given twice in {tuple(axis)}")
    return axes


def _of(x: Array, shape: tuple[int, ...], strides: tuple[int, ...], writeable: bool | None = None) -> Array:
    own = x._concrete()
    return Array._of_view(
        View(own.storage, own.dtype, shape, strides, own.offset), x._writeable if writeable is None else writeable
    )


# ----------------------------------------------------------------------------------------------------------- shape


def _target_shape(size: int, shape: Any) -> tuple[int, ...]:
    items = (shape,) if hasattr(shape, "__index__") else tuple(shape)
    items = tuple(int(n.__index__()) for n in items)
    unknown = [axis for axis, n in enumerate(items) if n == -1]
    known = 1
    for n in items:
        if n != -1:
            if n < -1:
                raise ValueError(f"negative dimensions are not allowed: {items}")
            known *= n
    if len(unknown) > 1:
        raise ValueError(f"only one axis of a new shape can be -1: {items}")
    if unknown:
        if known == 0 or size % known:
            raise ValueError(f"cannot reshape an array of {size} elements into shape {items}")
        items = (*items[: unknown[0]], size // known, *items[unknown[0] + 1 :])
    elif known != size:
        raise ValueError(f"cannot reshape an array of {size} elements into shape {items}")
    return items


def _strides_for(view: View, shape: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the strides that show a view's elements, in C order, with another shape; None if no strides do."""
    if view.size == 0 or view.contiguous:
        return contiguous_strides(shape)
    old = [(n, s) for n, s in zip(view.shape, view.strides, strict=True) if n != 1]
    strides: list[int] = [0] * len(shape)
    new = [axis for axis, n in enumerate(shape) if n != 1]
    i = j = 0
    while i < len(old) and j < len(new):
        old_size, new_size = old[i][0], shape[new[j]]
        first_old, first_new = i, j
        while old_size != new_size:
            if old_size < new_size:
                i += 1
                old_size *= old[i][0]
            else:
                j += 1
                new_size *= shape[new[j]]
        for k in range(first_old, i):
            if old[k][1] != old[k + 1][1] * old[k + 1][0]:
                return None
        step = old[i][1]
        for k in range(j, first_new - 1, -1):
            strides[new[k]] = step
            step *= shape[new[k]]
        i += 1
        j += 1
    return tuple(strides)


def reshape(x: Array, /, shape: int | tuple[int, ...], *, copy: bool | None = None) -> Array:
    """Return the elements, in C order, in another shape.

    Parameters
    ----------
    x : Array
    shape : int or tuple of int
        One axis may be -1: it takes what is left.
    copy : bool, optional
        None: a view where strides allow, else a copy. True: always a copy. False: a view, or ValueError.
    """
    check_arrays("reshape", x)
    wanted = _target_shape(x.size, shape)
    if copy:
        return reshape(_copied(x), wanted)
    strides = _strides_for(x._concrete(), wanted)
    if strides is not None:
        return _of(x, wanted, strides)
    if copy is False:
        raise ValueError(f"a view of shape {wanted} is not possible with these strides; leave copy=False out")
    return reshape(_copied(x), wanted)


def _copied(x: Array) -> Array:
    return copy(x)


def ravel(x: Array, /) -> Array:
    """Return the elements along one axis: a view where strides allow."""
    check_arrays("ravel", x)
    return reshape(x, -1)


def expand_dims(x: Array, /, axis: int | tuple[int, ...] = 0) -> Array:
    """Return a view with new axes of length one at the given places of the result."""
    check_arrays("expand_dims", x)
    places = axis if isinstance(axis, (tuple, list)) else (axis,)
    ndim = x.ndim + len(places)
    new = set(normalize_axes(tuple(places), ndim))
    own = x._concrete()
    sizes = iter(zip(own.shape, own.strides, strict=True))
    pairs = [(1, 0) if place in new else next(sizes) for place in range(ndim)]
    return _of(x, tuple(n for n, _ in pairs), tuple(s for _, s in pairs))


def squeeze(x: Array, /, axis: int | tuple[int, ...] | None = None) -> Array:
    """Return a view without axes of length one: all of them, or those given.

    Raises
    ------
    ValueError
        If a given axis is longer.
    """
    check_arrays("squeeze", x)
    if axis is None:
        drop = {place for place, n in enumerate(x.shape) if n == 1}
    else:
        drop = set(normalize_axes(axis, x.ndim))
        for place in drop:
            if x.shape[place] != 1:
                raise ValueError(f"cannot squeeze axis {place}: its length is {x.shape[place]}, not 1")
    own = x._concrete()
    keep = [place for place in range(x.ndim) if place not in drop]
    return _of(x, tuple(own.shape[k] for k in keep), tuple(own.strides[k] for k in keep))


# ------------------------------------------------------------------------------------------------------------ axes


def permute_dims(x: Array, /, axes: tuple[int, ...]) -> Array:
    """Return a view with its axes in another order."""
    check_arrays("permute_dims", x)
    order = normalize_axes(tuple(axes), x.ndim)
    if len(order) != x.ndim:
        raise ValueError(f"{x.ndim} axes are needed to permute shape {x.shape}, got {tuple(axes)}")
    own = x._concrete()
    return _of(x, tuple(own.shape[k] for k in order), tuple(own.strides[k] for k in order))


def transpose(x: Array, /, axes: tuple[int, ...] | None = None) -> Array:
    """Return a view with its axes permuted, reversed by default."""
    check_arrays("transpose", x)
    return permute_dims(x, tuple(range(x.ndim))[::-1] if axes is None else axes)


def matrix_transpose(x: Array, /) -> Array:
    """Return a view with its last two axes exchanged."""
    check_arrays("matrix_transpose", x)
    if x.ndim < 2:
        raise ValueError(f"matrix_transpose needs at least two axes, got shape {x.shape}")
    return swapaxes(x, -1, -2)


def swapaxes(x: Array, axis1: int, axis2: int, /) -> Array:
    """Return a view with two axes exchanged."""
    check_arrays("swapaxes", x)
    order = list(range(x.ndim))
    first, second = normalize_axis(axis1, x.ndim), normalize_axis(axis2, x.ndim)
    order[first], order[second] = order[second], order[first]
    return permute_dims(x, tuple(order))


def moveaxis(x: Array, source: int | tuple[int, ...], destination: int | tuple[int, ...], /) -> Array:
    """Return a view with axes moved to other places; the rest keep their order."""
    check_arrays("moveaxis", x)
    sources = _in_order(source, x.ndim)
    places = _in_order(destination, x.ndim)
    if len(sources) != len(places):
        raise ValueError("source and destination need as many axes as each other")
    order = [axis for axis in range(x.ndim) if axis not in sources]
    for place, axis in sorted(zip(places, sources, strict=True)):
        order.insert(place, axis)
    return permute_dims(x, tuple(order))


def _in_order(axis: Any, ndim: int) -> tuple[int, ...]:
    return normalize_axes(tuple(axis) if isinstance(axis, (tuple, list)) else (axis,), ndim)


def flip(x: Array, /, axis: int | tuple[int, ...] | None = None) -> Array:
    """Return a view with the order of elements reversed along axes (all by default)."""
    check_arrays("flip", x)
    axes = set(normalize_axes(axis, x.ndim))
    return x[tuple(slice(None, None, -1) if k in axes else slice(None) for k in range(x.ndim))]


def roll(x: Array, /, shift: int | tuple[int, ...], axis: int | tuple[int, ...] | None = None) -> Array:
    """Return a copy whose elements have moved along axes, those pushed out re-entering at the other end."""
    check_arrays("roll", x)
    if axis is None:
        if isinstance(shift, (tuple, list)):
            raise ValueError("several shifts need as many axes")
        return reshape(roll(reshape(x, -1), shift, axis=0), x.shape)
    axes = _axes_with_repeats(axis, x.ndim)
    shifts = tuple(shift) if isinstance(shift, (tuple, list)) else (shift,) * len(axes)
    if len(axes) == 1 and len(shifts) > 1:
        axes = axes * len(shifts)
    if len(shifts) != len(axes):
        raise ValueError("shift and axis need as many items as each other")
    total = [0] * x.ndim
    for amount, place in zip(shifts, axes, strict=True):
        total[place] += int(amount)
    out = _empty_like(x, x.shape)
    _roll_into(out, x, [t % n if n else 0 for t, n in zip(total, x.shape, strict=True)], 0, (), ())
    return out


def _axes_with_repeats(axis: Any, ndim: int) -> tuple[int, ...]:
    items = axis if isinstance(axis, (tuple, list)) else (axis,)
    return tuple(normalize_axis(item, ndim) for item in items)


def _roll_into(
    out: Array, x: Array, amounts: list[int], axis: int, to: tuple[Any, ...], source: tuple[Any, ...]
) -> None:
    if axis == x.ndim:
        out[to] = x[source]
        return
    amount = amounts[axis]
    if amount == 0:
        _roll_into(out, x, amounts, axis + 1, (*to, slice(None)), (*source, slice(None)))
        return
    split_at = x.shape[axis] - amount
    _roll_into(out, x, amounts, axis + 1, (*to, slice(amount, None)), (*source, slice(None, split_at)))
    _roll_into(out, x, amounts, axis + 1, (*to, slice(None, amount)), (*source, slice(split_at, None)))


# ------------------------------------------------------------------------------------------------------- broadcast


def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that arrays of these shapes have together."""
    return _broadcast_shapes(*[(s,) if isinstance(s, int) else tuple(s) for s in shapes])


def broadcast_to(x: Array, /, shape: tuple[int, ...]) -> Array:
    """Return a read-only view with a larger shape, elements repeated without copying."""
    check_arrays("broadcast_to", x)
    wanted = checked_shape(shape)
    if x.shape != wanted and (len(wanted) < x.ndim or _broadcast_shapes(x.shape, wanted) != wanted):
        raise BroadcastError(f"an array of shape {x.shape} cannot be broadcast to {wanted}")
    own = x._concrete()
    lead = len(wanted) - x.ndim
    strides = tuple(
        0 if n == 1 and full != 1 else s for n, full, s in zip(own.shape, wanted[lead:], own.strides, strict=True)
    )
    return _of(x, wanted, (0,) * lead + strides, writeable=False)


def broadcast_arrays(*arrays: Array) -> tuple[Array, ...]:
    """Return read-only views of arrays with the shape that they have together."""
    shape = _broadcast_shapes(*[x.shape for x in arrays])
    return tuple(broadcast_to(x, shape) for x in arrays)


def atleast_1d(x: Array, /) -> Array:
    """Return the array with at least one axis."""
    check_arrays("atleast_1d", x)
    return x if x.ndim >= 1 else reshape(x, (1,))


def atleast_2d(x: Array, /) -> Array:
    """Return the array with at least two axes, new ones in front."""
    check_arrays("atleast_2d", x)
    return x if x.ndim >= 2 else reshape(x, (1,) * (2 - x.ndim) + x.shape)


def atleast_3d(x: Array, /) -> Array:
    """Return the array with at least three axes, as NumPy places them."""
    check_arrays("atleast_3d", x)
    if x.ndim >= 3:
        return x
    return reshape(x, {0: (1, 1, 1), 1: (1, *x.shape, 1), 2: (*x.shape, 1)}[x.ndim])


# --------------------------------------------------------------------------------------------- joining and cutting


def _empty_like(x: Array, shape: tuple[int, ...], dtype: Any = None) -> Array:
    return Array._of_view(new_view(x._device, shape, x.dtype if dtype is None else dtype))


def concat(arrays: Sequence[Array], /, axis: int | None = 0) -> Array:
    """Join arrays along an existing axis; None joins their elements along one axis.

    Raises
    ------
    BroadcastError
        If shapes differ anywhere but along ``axis``.
    """
    parts = sequence_of(arrays)
    if not parts:
        raise ValueError("concat needs at least one array")
    device = common_device("concat", tuple(parts))
    if axis is None:
        parts, axis = [reshape(x, -1) for x in parts], 0
    first = parts[0]
    if first.ndim == 0:
        raise ValueError("0-d arrays cannot be concatenated; use stack")
    place = normalize_axis(axis, first.ndim)
    for x in parts[1:]:
        if (
            x.ndim != first.ndim
            or x.shape[:place] + x.shape[place + 1 :] != first.shape[:place] + first.shape[place + 1 :]
        ):
            raise BroadcastError(
                f"cannot join shapes {first.shape} and {x.shape} along axis {place}: other axes differ"
            )
    dtype = result_type(*[x.dtype for x in parts])
    total = sum(x.shape[place] for x in parts)
    out = new_view(device, (*first.shape[:place], total, *first.shape[place + 1 :]), dtype)
    start = 0
    for x in parts:
        extent = x.shape[place]
        window = View(out.storage, dtype, x.shape, out.strides, out.offset + start * out.strides[place])
        write(window, x._operand(), device)
        start += extent
    return Array._of_view(out)


concatenate = concat


def stack(arrays: Sequence[Array], /, axis: int = 0) -> Array:
    """Join arrays of one shape along a new axis."""
    parts = sequence_of(arrays)
    if not parts:
        raise ValueError("stack needs at least one array")
    for x in parts[1:]:
        if x.shape != parts[0].shape:
            raise BroadcastError(f"stack needs arrays of one shape, got {parts[0].shape} and {x.shape}")
    place = normalize_axis(axis, parts[0].ndim + 1)
    return concat([expand_dims(x, place) for x in parts], axis=place)


def unstack(x: Array, /, axis: int = 0) -> tuple[Array, ...]:
    """Return the views along an axis, as many as it is long."""
    check_arrays("unstack", x)
    place = normalize_axis(axis, x.ndim)
    before = (slice(None),) * place
    return tuple(x[(*before, k)] for k in range(x.shape[place]))


def split(x: Array, sections: int | Sequence[int], /, axis: int = 0) -> list[Array]:
    """Cut an array into equal parts, or at the given indices, along an axis; the parts are views."""
    check_arrays("split", x)
    place = normalize_axis(axis, x.ndim)
    extent = x.shape[place]
    if isinstance(sections, int):
        if sections <= 0 or extent % sections:
            raise ValueError(f"axis {place} of length {extent} cannot be cut into {sections} equal parts")
        bounds = list(range(0, extent + 1, extent // sections)) if extent else [0] * (sections + 1)
    else:
        bounds = [0, *[int(k) for k in sections], extent]
    before = (slice(None),) * place
    return [x[(*before, slice(a, b))] for a, b in pairwise(bounds)]


def hstack(arrays: Sequence[Array], /) -> Array:
    """Join arrays along their second axis (the first for one-dimensional ones)."""
    parts = [atleast_1d(x) for x in sequence_of(arrays)]
    return concat(parts, axis=0 if parts and parts[0].ndim == 1 else 1)


def vstack(arrays: Sequence[Array], /) -> Array:
    """Join arrays along their first axis; one-dimensional ones become rows."""
    return concat([atleast_2d(x) for x in sequence_of(arrays)], axis=0)


def tile(x: Array, repetitions: int | tuple[int, ...], /) -> Array:
    """Repeat a whole array along each axis."""
    check_arrays("tile", x)
    reps = (repetitions,) if isinstance(repetitions, int) else tuple(repetitions)
    ndim = max(x.ndim, len(reps))
    reps = (1,) * (ndim - len(reps)) + reps
    shape = (1,) * (ndim - x.ndim) + x.shape
    spread = reshape(x, tuple(n for extent in shape for n in (1, extent)))
    wanted = tuple(n for rep, extent in zip(reps, shape, strict=True) for n in (rep, extent))
    return reshape(copy(broadcast_to(spread, wanted)), tuple(r * n for r, n in zip(reps, shape, strict=True)))


def repeat(x: Array, repeats: int | Array | Sequence[int], /, axis: int | None = None) -> Array:
    """Repeat each element along an axis (of the flattened array by default): as often as one number, or each its own."""
    check_arrays("repeat", x)
    if isinstance(repeats, (list, tuple, range)):
        repeats = asarray(repeats, device=x.device)
    if axis is None:
        x, axis = reshape(x, -1), 0
    place = normalize_axis(axis, x.ndim)
    extent = x.shape[place]
    if isinstance(repeats, Array) and repeats.size != 1:
        from .advanced import repeat_each

        return repeat_each(x, repeats, place)
    count = int(repeats)  # type: ignore[arg-type]
    if count < 0:
        raise ValueError("repeats may not be negative")
    shape = (*x.shape[: place + 1], count, *x.shape[place + 1 :])
    spread = copy(broadcast_to(expand_dims(x, place + 1), shape))
    return reshape(spread, (*x.shape[:place], extent * count, *x.shape[place + 1 :]))
