"""NumPy's indexing, sorting, searching and running totals, each writing into ``out``."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray


def getitem(a: Array, indices: tuple[Array, ...], out: Array) -> None:
    """Copy the elements that index arrays select along the leading axes; IndexError where one is outside."""
    out[...] = a[indices]


def setitem(a: Array, indices: tuple[Array, ...], value: Array) -> None:
    """Store values at index arrays along the leading axes; the last of equal indices wins."""
    a[indices] = value


def count_nonzero(a: Array) -> int:
    """Count elements that are not zero."""
    return int(np.count_nonzero(a))


def nonzero(a: Array, outs: tuple[Array, ...]) -> None:
    """Write the indices of elements that are not zero, one array for each axis."""
    for out, found in zip(outs, np.nonzero(a), strict=True):
        out[...] = found


def sort(a: Array, axis: int, out: Array) -> None:
    """Sort along an axis; equal elements keep their order, which shows where both zeros meet."""
    np.copyto(out, a)
    out.sort(axis=axis, kind=None if a.dtype.kind in "biu" else "stable")


def argsort(a: Array, axis: int, out: Array) -> None:
    """Write the stable order along an axis."""
    out[...] = np.argsort(a, axis=axis, kind="stable")


def cumulative(op: str, a: Array, axis: int, out: Array) -> None:
    """Write running sums or products, computed in the dtype of ``out``."""
    function = np.cumsum if op == "sum" else np.cumprod
    with np.errstate(all="ignore"):
        function(a, axis=axis, dtype=out.dtype, out=out)


def searchsorted(a: Array, v: Array, side: Any, out: Array) -> None:
    """Write where elements belong in a sorted array."""
    out[...] = np.searchsorted(a, v, side=side)


PLACES: dict[str, Any] = {
    "getitem": getitem,
    "setitem": setitem,
    "count_nonzero": count_nonzero,
    "nonzero": nonzero,
    "sort": sort,
    "argsort": argsort,
    "cumulative": cumulative,
    "searchsorted": searchsorted,
}
