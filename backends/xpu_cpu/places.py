"""NumPy's indexing, sorting, searching and running totals, each writing into ``out``."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray
STABLE_BELOW = 1 << 15
"""Elements up to which NumPy's stable sort is quick enough."""


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


def sort(a: Array, axis: int, out: Array) -> Any:
    """Sort along an axis. NumPy's fast way is not stable; where that shows, large arrays are declined."""
    kind: Any = None
    if a.dtype.kind == "c" or (a.dtype.kind == "f" and _zeros_differ(a)):
        if a.size > STABLE_BELOW:
            return NotImplemented
        kind = "stable"
    np.copyto(out, a)
    out.sort(axis=axis, kind=kind)
    return None


def _zeros_differ(a: Array) -> bool:
    """Whether there are zeros of both signs, which are equal and can be told apart."""
    negative = np.signbit(a[a == 0])
    return bool(negative.any() and not negative.all())


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
