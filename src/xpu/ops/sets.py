"""Distinct elements, and membership."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .. import apply as _apply
from ..apply import check_arrays
from ..array import Array
from ..dtypes import INT64, result_type
from ..memory import new_view
from .advanced import flat_nonzero, put_items, take_items
from .creation import asarray, full
from .cumulative import cumulative_sum
from .manipulation import concat, reshape
from .searching import searchsorted
from .sorting import argsort, sort

__all__ = ["isin", "unique", "unique_all", "unique_counts", "unique_inverse", "unique_values"]


BOOL = np.dtype(np.bool_)


class UniqueAllResult(NamedTuple):
    """What :func:`unique_all` returns."""

    values: Array
    indices: Array
    inverse_indices: Array
    counts: Array


class UniqueCountsResult(NamedTuple):
    """What :func:`unique_counts` returns."""

    values: Array
    counts: Array


class UniqueInverseResult(NamedTuple):
    """What :func:`unique_inverse` returns."""

    values: Array
    inverse_indices: Array


def _starts(ordered: Array, equal_nan: bool) -> Array:
    """Return, for sorted elements, whether each differs from the one before it."""
    if ordered.size == 0:
        return _apply.astype(ordered, BOOL)
    later, earlier = ordered[1:], ordered[:-1]
    differs = later != earlier
    if equal_nan and ordered.dtype.kind in "fc":
        differs = differs & ((later == later) | (earlier == earlier))
    return concat([full((1,), True, device=ordered.device), differs])


def _unique(x: Array, equal_nan: bool) -> tuple[Array, Array, Array, Array]:
    """Return values, first indices, inverse (of x's shape) and counts."""
    flat = reshape(x, -1)
    order = argsort(flat, axis=0)
    ordered = take_items(flat, (order,))
    starts = _starts(ordered, equal_nan)
    places = flat_nonzero(starts)
    values = take_items(ordered, (places,))
    indices = take_items(order, (places,))
    ends = concat([places[1:], full((1,), flat.size, dtype=INT64, device=x.device)]) if flat.size else places
    counts = ends - places
    inverse = Array._of_view(new_view(x.device, flat.shape, INT64))
    if flat.size:
        put_items(inverse, (order,), cumulative_sum(starts, dtype=INT64) - 1, distinct=True)
    return values, indices, reshape(inverse, x.shape), counts


def _values(x: Array, equal_nan: bool) -> Array:
    ordered = sort(reshape(x, -1), axis=0)
    return take_items(ordered, (flat_nonzero(_starts(ordered, equal_nan)),))


def unique_all(x: Array, /) -> UniqueAllResult:
    """Return distinct values in ascending order, where each is first, which of them each element is, and how often.

    Both zeros are one value, every NaN is a value of its own.
    """
    check_arrays("unique_all", x)
    return UniqueAllResult(*_unique(x, False))


def unique_counts(x: Array, /) -> UniqueCountsResult:
    """Return distinct values in ascending order, and how often each occurs; see :func:`unique_all`."""
    check_arrays("unique_counts", x)
    values, _, _, counts = _unique(x, False)
    return UniqueCountsResult(values, counts)


def unique_inverse(x: Array, /) -> UniqueInverseResult:
    """Return distinct values in ascending order, and which of them each element is; see :func:`unique_all`."""
    check_arrays("unique_inverse", x)
    values, _, inverse, _ = _unique(x, False)
    return UniqueInverseResult(values, inverse)


def unique_values(x: Array, /) -> Array:
    """Return distinct values in ascending order; see :func:`unique_all`."""
    check_arrays("unique_values", x)
    return _values(x, False)


def unique(
    x: Array,
    /,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    *,
    equal_nan: bool = True,
) -> Any:
    """Return distinct values of all elements in ascending order, as NumPy does.

    Parameters
    ----------
    x : Array
    return_index, return_inverse, return_counts : bool
        Also return where each value is first, which value each element is, how often each occurs, in a tuple.
    equal_nan : bool
        Whether all NaNs are one value.
    """
    check_arrays("unique", x)
    if not (return_index or return_inverse or return_counts):
        return _values(x, equal_nan)
    values, *others = _unique(x, equal_nan)
    wanted = zip((return_index, return_inverse, return_counts), others, strict=True)
    return (values, *[other for asked, other in wanted if asked])


def isin(x1: Any, x2: Any, /, *, invert: bool = False) -> Array:
    """Return, for each element of ``x1``, whether it is in ``x2``; NaN is in nothing.

    Parameters
    ----------
    x1, x2 : Array, number or sequence of numbers
        At least one is an array.
    invert : bool
        Return whether it is not.
    """
    arrays = [value for value in (x1, x2) if isinstance(value, Array)]
    if not arrays:
        raise TypeError("xp.isin takes xpu arrays; see xp.asarray")
    device = arrays[0].device
    x1, x2 = (asarray(value, device=device) if isinstance(value, (list, tuple, range)) else value for value in (x1, x2))
    dtype = result_type(*[value.dtype if isinstance(value, Array) else value for value in (x1, x2)])
    try:
        x1, x2 = (
            value if isinstance(value, Array) else asarray(value, dtype=dtype, device=device) for value in (x1, x2)
        )
    except OverflowError:  # a Python integer that no element can be
        return full(x1.shape if isinstance(x1, Array) else (), invert, dtype=BOOL, device=device)
    elements, known = _apply.astype(x1, dtype), sort(reshape(_apply.astype(x2, dtype), -1), axis=0)
    if known.size == 0:
        return full(x1.shape, invert, dtype=BOOL, device=x1.device)
    places = searchsorted(known, elements)
    found = take_items(known, (_apply.where(places < known.size, places, 0),)) == elements
    return ~found if invert else found
