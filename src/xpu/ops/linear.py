"""Products of vectors and matrices."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..apply import astype, check_arrays, common_device, is_scalar
from ..array import Array
from ..config import config
from ..dtypes import result_type
from ..errors import BroadcastError, UnsupportedDTypeError
from ..memory import new_view
from ..shapes import broadcast_shapes
from .creation import asarray
from .manipulation import broadcast_to, expand_dims, moveaxis, normalize_axes, reshape

__all__ = ["dot", "matmul", "outer", "tensordot", "vecdot"]


def unusable(other: Any) -> bool:
    """Whether an operator leaves its other side to that side's class."""
    return not isinstance(other, (Array, np.ndarray, np.generic))


def matmul(x1: Array, x2: Array, /) -> Array:
    """Return the matrix product over the last two axes; leading axes broadcast; 1-D operands are vectors.

    Raises
    ------
    BroadcastError
        If inner lengths differ, or batches do not broadcast.
    """
    device = common_device("matmul", (x1, x2))
    for x in (x1, x2):
        if not isinstance(x, Array):
            from ..apply import host_array_refused

            raise host_array_refused("matmul", np.asarray(x), device)
        if x.ndim == 0:
            raise ValueError("matmul needs arrays of at least one axis; use * for scalars")
    a = expand_dims(x1, 0) if x1.ndim == 1 else x1
    b = expand_dims(x2, 1) if x2.ndim == 1 else x2
    if a.shape[-1] != b.shape[-2]:
        raise BroadcastError(
            f"matmul: shapes {x1.shape} and {x2.shape} do not fit: {a.shape[-1]} columns against {b.shape[-2]} rows"
        )
    dtype = result_type(x1.dtype, x2.dtype)
    batch = broadcast_shapes(a.shape[:-2], b.shape[:-2])
    shape = (*batch, a.shape[-2], b.shape[-1])
    out = _product(_cast(a, dtype), _cast(b, dtype), shape, batch)
    if x1.ndim == 1:
        out = reshape(out, (*batch, *out.shape[-1:]))
    if x2.ndim == 1:
        out = reshape(out, out.shape[:-1])
    return out


def matmul_in_place(x1: Array, x2: Array) -> Array:
    """Store the matrix product in its first operand.

    Raises
    ------
    BroadcastError
        If the product has another shape.
    UnsupportedDTypeError
        If its dtype cannot be cast to the array's under NumPy's rule "same_kind".
    """
    result = matmul(x1, x2)
    if result._shape != x1._shape:
        raise BroadcastError(f"matmul in place: the product has shape {result._shape}, the array {x1._shape}")
    if not np.can_cast(result._dtype, x1._dtype, "same_kind"):
        raise UnsupportedDTypeError(
            f"matmul in place: the result has dtype {result._dtype.name}, which cannot be stored in {x1._dtype.name}"
        )
    x1[...] = result
    return x1


def _cast(x: Array, dtype: np.dtype[Any]) -> Array:
    return x if x.dtype == dtype else astype(x, dtype)


def _product(a: Array, b: Array, shape: tuple[int, ...], batch: tuple[int, ...]) -> Array:
    from ..kernels.matmul import matmul_views

    device = a._device
    out = new_view(device, shape, a.dtype)
    if 0 in shape:
        return Array._of_view(out)
    if a.shape[-1] == 0:
        result = Array._of_view(out)
        result[...] = 0
        return result
    a_view = broadcast_to(a, (*batch, *a.shape[-2:]))._concrete()
    b_view = broadcast_to(b, (*batch, *b.shape[-2:]))._concrete()
    native = device.backend_device.library.get("matmul") if config.library else None
    if native is None or native(a_view.native(), b_view.native(), out.native()) is NotImplemented:
        matmul_views(a_view, b_view, out)
    return Array._of_view(out)


def dot(x1: Array, x2: Array, /) -> Array:
    """Return NumPy's ``dot``: product of scalars, inner product of vectors, matrix product; else sum over last and second last."""
    if is_scalar(x1) != is_scalar(x2):  # numbers are arrays here, in NumPy too: they are not weak
        x1, x2 = (asarray(x, device=common_device("dot", (x1, x2))) if is_scalar(x) else x for x in (x1, x2))
    check_arrays("dot", x1, x2)
    if x1.ndim == 0 or x2.ndim == 0:
        return x1 * x2
    if x1.ndim <= 2 and x2.ndim <= 2:
        return matmul(x1, x2)
    return tensordot(x1, x2, axes=((-1,), (-2 if x2.ndim > 1 else -1,)))


def outer(x1: Array, x2: Array, /) -> Array:
    """Return all products of two vectors' elements."""
    check_arrays("outer", x1, x2)
    return reshape(x1, (-1, 1)) * reshape(x2, (1, -1))


def vecdot(x1: Array, x2: Array, /, *, axis: int = -1) -> Array:
    """Return inner products along an axis; the first operand is conjugated."""
    check_arrays("vecdot", x1, x2)
    from .complex import conj
    from .statistics import sum as sum_

    first, second = moveaxis(x1, axis, -1), moveaxis(x2, axis, -1)
    if first.shape[-1] != second.shape[-1]:
        raise BroadcastError(
            f"vecdot: axis {axis} is {first.shape[-1]} in one operand and {second.shape[-1]} in the other"
        )
    product = (conj(first) if x1.dtype.kind == "c" else first) * second
    return sum_(product, axis=-1, dtype=product.dtype)


def tensordot(x1: Array, x2: Array, /, axes: int | tuple[Any, Any] = 2) -> Array:
    """Return sums of products over pairs of axes.

    Parameters
    ----------
    x1, x2 : Array
    axes : int or pair of sequences
        A number: so many last axes of ``x1`` with as many first axes of ``x2``; else the axes of each, in pairs.
    """
    check_arrays("tensordot", x1, x2)
    if isinstance(axes, int):
        first = tuple(range(x1.ndim - axes, x1.ndim))
        second = tuple(range(axes))
    else:
        first = normalize_axes(_tuple(axes[0]), x1.ndim)
        second = normalize_axes(_tuple(axes[1]), x2.ndim)
    if len(first) != len(second) or any(x1.shape[i] != x2.shape[j] for i, j in zip(first, second, strict=True)):
        raise BroadcastError(f"tensordot: axes {first} of shape {x1.shape} do not pair with {second} of {x2.shape}")
    free1 = [k for k in range(x1.ndim) if k not in first]
    free2 = [k for k in range(x2.ndim) if k not in second]
    inner = int(np.prod([x1.shape[k] for k in first], dtype=object))
    rows = [x1.shape[k] for k in free1]
    columns = [x2.shape[k] for k in free2]
    left = reshape(x1.transpose((*free1, *first)), (int(np.prod(rows, dtype=object)), inner))
    right = reshape(x2.transpose((*second, *free2)), (inner, int(np.prod(columns, dtype=object))))
    return reshape(matmul(left, right), (*rows, *columns))


def _tuple(axes: Any) -> tuple[int, ...]:
    return tuple(axes) if isinstance(axes, (tuple, list)) else (axes,)
