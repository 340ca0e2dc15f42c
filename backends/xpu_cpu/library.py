"""NumPy as the CPU's library: ``operation -> function`` over strided views of blocks.

``elementwise`` holds operations that return a new array, under the names of xpu's table; for which dtypes their results
are exact, and so may stand in for a kernel, is that table's business. Everything else writes into ``out`` and may
return ``NotImplemented`` to decline.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from .places import PLACES

Array = np.ndarray

_RENAMED = {
    "divide": "true_divide",
    "conj": "conjugate",
    "abs": "absolute",
    "bitwise_invert": "invert",
    "bitwise_left_shift": "left_shift",
    "bitwise_right_shift": "right_shift",
}
_SAME = """
    add subtract multiply negative positive square sign reciprocal sqrt fabs heaviside floor ceil trunc rint
    equal not_equal less less_equal greater greater_equal maximum minimum fmax fmin copysign nextafter signbit
    isnan isinf isfinite logical_and logical_or logical_xor logical_not bitwise_and bitwise_or bitwise_xor bitwise_count
    floor_divide remainder power gcd lcm
"""


def _cast(value: Array) -> Array:
    return value  # the caller converts: the target dtype is its own


def _elementwise() -> dict[str, Callable[..., Any]]:
    table: dict[str, Callable[..., Any]] = {name: getattr(np, name) for name in _SAME.split()}
    table |= {name: getattr(np, numpy_name) for name, numpy_name in _RENAMED.items()}
    table["where"] = np.where
    table["cast"] = _cast
    table["real"] = np.real
    table["imag"] = np.imag
    return table


def matmul(a: Array, b: Array, out: Array) -> Any:
    """Write the matrix product of stacks of matrices; decline integers and halves, for which NumPy has slow loops."""
    if a.dtype.kind not in "fc" or a.dtype == np.float16:
        return NotImplemented
    np.matmul(a, b, out=out)
    return None


def _accumulate(function: Any) -> Callable[..., Any]:
    def reduce(a: Array, axes: tuple[int, ...], out: Array) -> None:
        function(a, axis=axes, out=out, dtype=out.dtype)

    return reduce


def _extreme(function: Any) -> Callable[..., Any]:
    def reduce(a: Array, axes: tuple[int, ...], out: Array) -> None:
        function(a, axis=axes, out=out)

    return reduce


def _position(function: Any) -> Callable[..., Any]:
    def reduce(a: Array, axis: int | None, out: Array) -> None:
        function(a, axis=axis, out=out)

    return reduce


def cumulative(op: str, a: Array, axis: int, out: Array) -> None:
    """Write running sums or products, computed in the dtype of ``out``."""
    function = np.cumsum if op == "sum" else np.cumprod
    function(a, axis=axis, dtype=out.dtype, out=out)


def sort(a: Array, axis: int, out: Array) -> None:
    """Sort; equal elements that can be told apart (zeros of both signs) keep their order."""
    told_apart = a.dtype.kind == "c" or (a.dtype.kind == "f" and bool(np.any(np.signbit(a) & (a == 0))))
    out[...] = a
    out.sort(axis=axis, kind="stable" if told_apart else "quicksort")


def argsort(a: Array, axis: int, out: Array) -> None:
    """Write the order of the elements; equal ones keep theirs."""
    out[...] = np.argsort(a, axis=axis, kind="stable")


def searchsorted(a: Array, v: Array, side: Literal["left", "right"], out: Array) -> None:
    """Write where the elements of ``v`` belong in sorted ``a``."""
    out[...] = np.searchsorted(a, v, side)


def getitem(a: Array, indices: tuple[Array, ...], out: Array) -> None:
    """Write ``a[indices]``."""
    out[...] = a[indices]


def setitem(a: Array, indices: tuple[Array, ...], value: Array) -> None:
    """Assign ``a[indices] = value``."""
    a[indices] = value


def nonzero(a: Array, outs: tuple[Array, ...]) -> None:
    """Write, axis by axis, where elements are not zero."""
    for out, found in zip(outs, np.nonzero(a), strict=True):
        out[...] = found


def count_nonzero(a: Array) -> int:
    """Return how many elements are not zero."""
    return int(np.count_nonzero(a))


LIBRARY: dict[str, Any] = {
    "elementwise": _elementwise(),
    "matmul": matmul,
    "sum": _accumulate(np.sum),
    "prod": _accumulate(np.prod),
    "min": _extreme(np.min),
    "max": _extreme(np.max),
    "any": _extreme(np.any),
    "all": _extreme(np.all),
    "argmin": _position(np.argmin),
    "argmax": _position(np.argmax),
    **PLACES,
    "cumulative": cumulative,
    "sort": sort,
    "argsort": argsort,
    "searchsorted": searchsorted,
    "getitem": getitem,
    "setitem": setitem,
    "nonzero": nonzero,
    "count_nonzero": count_nonzero,
}
