"""Reductions: axes, dtypes and empty cases, then a native library or the portable kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import apply as _apply, small
from .array import Array
from .config import config
from .errors import UnsupportedDTypeError, XpuError
from .lazy.evaluate import write
from .memory import View, contiguous_strides, new_view
from .ops.manipulation import normalize_axes

DType = np.dtype[Any]
_IDENTITY: dict[str, Any] = {"sum": 0, "prod": 1, "any": False, "all": True}
NATIVE_BELOW = 1 << 15
"""Elements up to which a native library reduces: a kernel's launch and its first compilation cost more. The choice depends
on the size alone, so that a pending expression and a computed array give the same sum."""
CHUNK, CHUNKED_FROM = 1 << 13, 1 << 18
"""Elements of a chunk in which the place of an extremum is looked for, and of an array that is worth it."""
_BOOL, _INT64 = np.dtype(np.bool_), np.dtype(np.int64)


class EmptyReductionError(XpuError, ValueError):
    """An extremum over no elements."""


def reduce(op: str, x: Array, axis: Any, keepdims: bool, dtype: DType | None = None) -> Array:
    """Reduce over axes.

    Parameters
    ----------
    op : str
        ``sum``, ``prod``, ``min``, ``max``, ``any``, ``all``, ``argmin`` or ``argmax`` (one axis, or None for all in C order).
    x : Array
    axis : int, tuple of int, or None
    keepdims : bool
    dtype : dtype, optional
        Of the result, and of the computation, for ``sum`` and ``prod``.
    """
    if not isinstance(x, Array):
        raise TypeError(f"xp.{op} takes an xpu array, got {type(x).__name__}; see xp.asarray")
    indexed = op.startswith("arg")
    if indexed and isinstance(axis, (tuple, list)):
        raise TypeError(f"{op} takes one axis or None, got {axis!r}")
    axes = normalize_axes(axis, x.ndim)
    result = _result_dtype(op, x, dtype)
    kept = tuple(1 if k in axes else n for k, n in enumerate(x.shape))
    shape = kept if keepdims else tuple(n for k, n in enumerate(x.shape) if k not in axes)
    count = 1
    for k in axes:
        count *= x.shape[k]
    quick = _small(op, x, axes, shape, result) if count else None
    if quick is not None:
        return quick
    if count == 0 and op not in _IDENTITY:
        raise EmptyReductionError(f"{op} of no elements (shape {x.shape}, axis {axis}): it has no identity")
    out = new_view(x.device, shape, result)
    if out.size == 0:
        return Array._of_view(out)
    if count == 0:
        write(out, result.type(_IDENTITY[op]), x.device)
        return Array._of_view(out)
    _run(op, x, axes, out)
    return Array._of_view(out)


def _small(op: str, x: Array, axes: tuple[int, ...], shape: tuple[int, ...], result: DType) -> Array | None:
    """Reduce a small array on host memory at once; None for other arrays."""
    host = small.host_of(x) if config.library else None
    native = x.device.backend_device.library.get(op) if host is not None else None
    if host is None or native is None:
        return None
    out = np.empty(tuple([n for k, n in enumerate(x.shape) if k not in axes]), result)
    if host.dtype != result and op in ("sum", "prod"):
        if host.dtype.kind == "c" or result.kind in "bc":
            return None
        host = host.astype(result)
    target: Any = (axes[0] if len(axes) == 1 else None) if op.startswith("arg") else axes
    small.quiet(native, host, target, out)
    return small.array_of(out.reshape(shape), x.device)


def _result_dtype(op: str, x: Array, dtype: DType | None) -> DType:
    if op in ("any", "all"):
        return _BOOL
    if op in ("argmin", "argmax"):
        return _INT64
    result = x.dtype if dtype is None else dtype
    x.device.check_dtype(result)
    if op in ("sum", "prod") and x.dtype.kind == "c" and result.kind != "c":
        raise UnsupportedDTypeError(f"{op} of complex numbers cannot be {result.name}; take the real part first")
    return result


def _run(op: str, x: Array, axes: tuple[int, ...], out: View) -> None:
    native = x.device.backend_device.library.get(op) if config.library else None
    if native is not None and x.size <= NATIVE_BELOW:
        source = x if op in ("any", "all", "argmin", "argmax") or x.dtype == out.dtype else _apply.astype(x, out.dtype)
        shape = tuple(n for k, n in enumerate(x.shape) if k not in axes)
        target = View(out.storage, out.dtype, shape, contiguous_strides(shape), out.offset)
        if op.startswith("arg"):
            native(source._concrete().native(), axes[0] if len(axes) == 1 else None, target.native())
        else:
            native(source._concrete().native(), axes, target.native())
        return
    if op.startswith("arg") and _suits_chunks(x, axes):
        write(out, np.int64(_chunked_index(op, x._concrete())), x.device)
        return
    from .lazy.reductions import reduce_into

    reduce_into(op, x._operand(), axes, out, x.device)


def _suits_chunks(x: Array, axes: tuple[int, ...]) -> bool:
    """Whether the place of an extremum is found sooner by way of its value: in large arrays on processors."""
    if x.device.info.kind != "cpu" or x.size < CHUNKED_FROM or len(axes) != x.ndim or x.dtype.kind == "c":
        return False
    place = x._operand()
    return isinstance(place, View) and place.contiguous


def _chunked_index(op: str, view: View) -> int:
    """Return the place of the first extremum (or NaN): extrema of chunks, the first best of those, its place in there.

    To keep a place beside every value takes a processor twice as long as to find the values, which memory limits.
    """
    device = view.storage.device
    whole, rest = divmod(view.size, CHUNK)
    best = new_view(device, (whole + (rest > 0),), view.dtype)
    parts = [(0, whole, CHUNK)] + [(whole, 1, rest)] * (rest > 0)
    for first, count, length in parts:
        chunks = View(view.storage, view.dtype, (count, length), (length, 1), view.offset + first * CHUNK)
        _run(op[3:], Array._of_view(chunks), (1,), View(best.storage, best.dtype, (count,), (1,), first))
    chunk = int(reduce(op, Array._of_view(best), None, False))
    length = rest if chunk == whole else CHUNK
    found = View(view.storage, view.dtype, (length,), (1,), view.offset + chunk * CHUNK)
    return chunk * CHUNK + int(reduce(op, Array._of_view(found), None, False))
