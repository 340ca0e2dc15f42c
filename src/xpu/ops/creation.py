"""Making arrays, and moving them between devices and the host."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from .. import apply as _apply
from ..apply import check_arrays
from ..array import Array
from ..device import Device, get_device
from ..dtypes import canonical
from ..lazy.evaluate import force_readers, write
from ..memory import Storage, View, contiguous_strides, new_view

__all__ = [
    "arange",
    "array",
    "asarray",
    "ascontiguousarray",
    "asnumpy",
    "astype",
    "copy",
    "empty",
    "empty_like",
    "eye",
    "from_dlpack",
    "full",
    "full_like",
    "identity",
    "linspace",
    "meshgrid",
    "ones",
    "ones_like",
    "to_device",
    "tril",
    "triu",
    "zeros",
    "zeros_like",
]

DType = np.dtype[Any]
_MAX_BYTES = 2**63 - 1


def checked_shape(shape: Any) -> tuple[int, ...]:
    """Return a shape as a tuple of ints; negative or overflowing ones are refused before anything is allocated."""
    if isinstance(shape, (Array, np.ndarray)):
        shape = shape.tolist()
    try:
        if isinstance(shape, bool):
            raise TypeError
        items = (shape.__index__(),) if hasattr(shape, "__index__") else tuple(n.__index__() for n in shape)
    except (AttributeError, TypeError):
        raise TypeError(f"a shape is an integer or a tuple of integers, got {shape!r}") from None
    total = 1
    for n in items:
        if n < 0:
            raise ValueError(f"negative dimensions are not allowed: {items}")
        total *= max(n, 1)
    if total > _MAX_BYTES // 16:
        raise ValueError(f"an array of shape {items} is too big: its size does not fit in 63 bits")
    return items


def default_dtype(kind: str, device: Device) -> DType:
    """Return the default dtype of a kind of Python number on a device."""
    if kind == "bool":
        return np.dtype(np.bool_)
    if kind == "int":
        return np.dtype(np.int64)
    if kind == "complex":
        return np.dtype(np.complex128 if device.default_float.itemsize == 8 else np.complex64)
    return device.default_float


def _dtype_for(value: Any, device: Device) -> DType:
    if isinstance(value, np.generic):
        return canonical(value.dtype)
    for kind, python in (("bool", bool), ("int", int), ("float", float), ("complex", complex)):
        if isinstance(value, python):
            if isinstance(value, int) and 2**63 <= value < 2**64:  # NumPy's choice
                return np.dtype(np.uint64)
            return default_dtype(kind, device)
    raise TypeError(f"expected a number, got {type(value).__name__}")


def from_numpy(host: np.ndarray, device: Device) -> Array:
    """Return a copy of a NumPy array on a device."""
    dtype = canonical(host.dtype)
    device.check_dtype(dtype)
    checked_shape(host.shape)
    view = new_view(device, host.shape, dtype)
    _upload(view, host)
    return Array._of_view(view)


def _upload(view: View, host: np.ndarray) -> None:
    if host.size:
        packed = np.ascontiguousarray(host).reshape(-1)
        offset = view.offset * view.dtype.itemsize
        view.storage.device.backend_device.copy_in(view.storage.block, offset, packed.view(np.uint8))


def asnumpy(x: Any, /) -> np.ndarray:
    """Return a NumPy copy of an array, waiting for the work that computes it.

    NumPy arrays and numbers are returned as ``numpy.asarray`` would.
    """
    if not isinstance(x, Array):
        return np.asarray(x)
    view = x._concrete()
    device = x._device
    out = np.empty(view.shape, view.dtype)
    if out.size == 0:
        return out
    if not view.contiguous:
        host = view.host()
        if host is not None:
            device.synchronize()
            return np.array(host)
        packed = new_view(device, view.shape, view.dtype)
        write(packed, view, device)
        view = packed
    raw = out.reshape(-1).view(np.uint8)
    device.backend_device.copy_out(view.storage.block, view.offset * view.dtype.itemsize, raw)
    if device._error is not None:
        device.synchronize()
    return out


def asarray(
    obj: Any,
    /,
    dtype: Any = None,
    *,
    device: Device | str | None = None,
    copy: bool | None = None,
) -> Array:
    """Return an array from anything that holds numbers.

    Parameters
    ----------
    obj : Array, number, nested sequence, NumPy array, or an object with ``__dlpack__`` or the buffer protocol
        An xpu array stays on its own device unless ``device`` says otherwise.
    dtype : dtype-like, optional
        Default: that of ``obj``; for Python numbers bool, int64, the device's default float or complex.
    device : Device or str, optional
        Default: the array's own, else the current device.
    copy : bool, optional
        True: always copy. None: copy unless ``obj`` is an xpu array that fits. False: never copy; raise where memory
        cannot be shared. Memory shared with NumPy must not change while expressions that read it are pending.

    Returns
    -------
    Array
    """
    wanted = None if dtype is None else canonical(dtype)
    if isinstance(obj, Array):
        return _from_array(obj, wanted, device, copy)
    if isinstance(obj, (list, tuple)):
        if copy is False:
            raise ValueError("a sequence cannot become an array without a copy")
        own = device_of(obj)
        return _from_sequence(obj, wanted, device) if own is None else _from_arrays(obj, wanted, device, own)
    target = get_device(device)
    if isinstance(obj, (bool, int, float, complex)):
        chosen = wanted or _dtype_for(obj, target)
        if copy is False:
            raise ValueError("a Python number cannot become an array without a copy")
        return from_numpy(_exact(obj, chosen), target)
    host = obj if isinstance(obj, np.ndarray) else _to_host(obj)
    if wanted is not None and canonical(host.dtype) != wanted:
        if copy is False:
            raise ValueError(f"a conversion from {host.dtype} to {wanted} needs a copy")
        with np.errstate(all="ignore"):
            host = host.astype(wanted)
    return _adopt(host, target) if copy is False else from_numpy(host, target)


def _exact(value: Any, dtype: DType) -> np.ndarray:
    """Return a number as a 0-d array of a dtype; what integers cannot hold raises, as in NumPy."""
    with np.errstate(all="ignore"):
        return np.asarray(value, dtype)


def _from_array(x: Array, dtype: DType | None, device: Device | str | None, copy: bool | None) -> Array:
    target = x._device if device is None else get_device(device)
    changed = (dtype is not None and dtype != x._dtype) or target is not x._device
    if changed and copy is False:
        raise ValueError("another dtype or device needs a copy")
    if not changed:
        return _copy(x) if copy else x
    result = x if dtype is None or dtype == x._dtype else _apply.astype(x, dtype)
    return to_device(result, target)


def _from_arrays(obj: Any, dtype: DType | None, device: Device | str | None, own: Device) -> Array:
    """Return the array of nested sequences that hold arrays: on the arrays' device, or on the one asked for."""
    from .manipulation import stack

    parts = []
    for item in obj:
        placed = isinstance(item, Array) or (isinstance(item, (list, tuple)) and device_of(item) is not None)
        parts.append(asarray(item, dtype=dtype, device=device if placed or device is not None else own))
    return stack(parts)


def _from_sequence(obj: Any, dtype: DType | None, where: Device | str | None) -> Array:
    device = get_device(where)
    try:
        # Through the dtype itself: numbers that integers cannot hold raise instead of wrapping around.
        with np.errstate(all="ignore"):
            host = np.asarray(obj, dtype=dtype)
    except ValueError as error:
        raise ValueError(f"the nested sequences are ragged or hold something that is no number: {error}") from None
    if dtype is None and not any(isinstance(item, (np.generic, np.ndarray)) for item in obj):
        narrowed = {"f": device.default_float, "c": default_dtype("complex", device)}
        host = host.astype(narrowed.get(host.dtype.kind, host.dtype), copy=False)
        if host.size == 0 and host.dtype.kind == "f":
            host = host.astype(device.default_float)
    return from_numpy(host, device)


def device_of(obj: Any) -> Device | None:
    """Return the device of the first array in nested sequences; None where there is none."""
    for item in obj:
        if isinstance(item, Array):
            return item._device
        if isinstance(item, (list, tuple)):
            found = device_of(item)
            if found is not None:
                return found
    return None


def _to_host(obj: Any) -> np.ndarray:
    if hasattr(obj, "__array__") or hasattr(obj, "__array_interface__"):
        return np.asarray(obj)
    if hasattr(obj, "__cuda_array_interface__") and hasattr(obj, "get"):
        return np.asarray(obj.get())
    if hasattr(obj, "__dlpack__"):
        try:
            return np.from_dlpack(obj)
        except (BufferError, RuntimeError, TypeError):
            return np.from_dlpack(obj, device="cpu")
    return np.asarray(obj)


def _adopt(host: np.ndarray, device: Device) -> Array:
    dtype = canonical(host.dtype)
    device.check_dtype(dtype)
    itemsize = dtype.itemsize
    fits = host.size > 0 and all(stride % itemsize == 0 for stride in host.strides) and host.flags.aligned
    block = None
    if fits and host.flags.c_contiguous and host.flags.writeable:
        raw = host.reshape(-1).view(np.uint8)
        block = device.backend_device.adopt(raw)
    if block is None:
        raise ValueError(
            f"{device} cannot use this NumPy array's memory (it needs a writeable, aligned, C-contiguous one on a device "
            "that shares memory with the host); leave copy=False out"
        )
    storage = Storage.adopt(device, block, host.nbytes, host)
    return Array._of_view(View(storage, dtype, host.shape, contiguous_strides(host.shape)))


def array(obj: Any, /, dtype: Any = None, *, device: Device | str | None = None, copy: bool | None = True) -> Array:
    """Return a new array; :func:`asarray` with ``copy=True``."""
    return asarray(obj, dtype=dtype, device=device, copy=copy)


def from_dlpack(x: Any, /, *, device: Device | str | None = None, copy: bool | None = None) -> Array:
    """Return an array from any object with ``__dlpack__``."""
    if not hasattr(x, "__dlpack__"):
        raise TypeError(f"{type(x).__name__} has no __dlpack__; use xp.asarray")
    return asarray(x, device=device, copy=copy)


def to_device(x: Array, device: Device | str, /) -> Array:
    """Return an array on another device, copying through the host; itself where it is there already."""
    check_arrays("to_device", x)
    target = get_device(device)
    if target is x._device:
        return x
    return from_numpy(asnumpy(x), target)


def astype(x: Array, dtype: Any, /, *, copy: bool = True, device: Device | str | None = None) -> Array:
    """Return an array converted to another dtype (and device).

    Parameters
    ----------
    x : Array
    dtype : dtype-like
        Complex numbers become real ones by losing their imaginary part, floats become integers by truncation.
    copy : bool
        False: return ``x`` itself where nothing changes.
    device : Device or str, optional
    """
    check_arrays("astype", x)
    wanted = canonical(dtype)
    if wanted != x._dtype:
        x = _apply.astype(x, wanted)
    elif copy:
        x = _copy(x)
    return x if device is None else to_device(x, device)


def _copy(x: Array) -> Array:
    view = new_view(x._device, x._shape, x._dtype)
    write(view, x._operand(), x._device)
    return Array._of_view(view)


def copy(x: Array, /) -> Array:
    """Return a C-contiguous copy."""
    check_arrays("copy", x)
    return _copy(x)


def ascontiguousarray(x: Array, /) -> Array:
    """Return a C-contiguous array: ``x`` itself if it is one."""
    check_arrays("ascontiguousarray", x)
    return x if x._concrete().contiguous else _copy(x)


# --------------------------------------------------------------------------------------------------- filled arrays


def empty(shape: Any, dtype: Any = None, *, device: Device | str | None = None) -> Array:
    """Return an array whose contents are whatever was in memory."""
    target = get_device(device)
    chosen = target.default_float if dtype is None else canonical(dtype)
    target.check_dtype(chosen)
    return Array._of_view(new_view(target, checked_shape(shape), chosen))


def full(shape: Any, fill_value: Any, dtype: Any = None, *, device: Device | str | None = None) -> Array:
    """Return an array filled with a number, or with an array or a sequence that broadcasts to the shape."""
    if isinstance(fill_value, (Array, list, tuple, np.ndarray)):
        values = asarray(fill_value, device=device if not isinstance(fill_value, Array) else None)
        chosen = values.dtype if dtype is None else dtype
        result = empty(shape, dtype=chosen, device=values.device if device is None else device)
        result[...] = values
        return result
    target = get_device(device)
    chosen = _dtype_for(fill_value, target) if dtype is None else canonical(dtype)
    result = empty(shape, dtype=chosen, device=target)
    number = np.empty((), chosen)
    with np.errstate(all="ignore"):
        np.copyto(number, fill_value, casting="unsafe")  # as numpy.full: integers must fit, floats are truncated
    _fill(result, number)
    return result


def _fill(x: Array, value: Any) -> None:
    view = x._concrete()
    if view.size:
        pattern = np.asarray(value, x._dtype).tobytes()
        backend = x._device.backend_device
        backend.fill(view.storage.block, view.offset * view.dtype.itemsize, view.size * view.dtype.itemsize, pattern)


def zeros(shape: Any, dtype: Any = None, *, device: Device | str | None = None) -> Array:
    """Return an array of zeros."""
    result = empty(shape, dtype=dtype, device=device)
    _fill(result, 0)
    return result


def ones(shape: Any, dtype: Any = None, *, device: Device | str | None = None) -> Array:
    """Return an array of ones."""
    result = empty(shape, dtype=dtype, device=device)
    _fill(result, 1)
    return result


def empty_like(x: Array, /, dtype: Any = None, *, device: Device | str | None = None) -> Array:
    """Return an uninitialised array of the shape, dtype and device of another."""
    check_arrays("empty_like", x)
    return empty(x.shape, dtype=x.dtype if dtype is None else dtype, device=device or x.device)


def zeros_like(x: Array, /, dtype: Any = None, *, device: Device | str | None = None) -> Array:
    """Return zeros of the shape, dtype and device of another array."""
    check_arrays("zeros_like", x)
    return zeros(x.shape, dtype=x.dtype if dtype is None else dtype, device=device or x.device)


def ones_like(x: Array, /, dtype: Any = None, *, device: Device | str | None = None) -> Array:
    """Return ones of the shape, dtype and device of another array."""
    check_arrays("ones_like", x)
    return ones(x.shape, dtype=x.dtype if dtype is None else dtype, device=device or x.device)


def full_like(x: Array, /, fill_value: Any, dtype: Any = None, *, device: Device | str | None = None) -> Array:
    """Return a filled array of the shape, dtype and device of another."""
    check_arrays("full_like", x)
    return full(x.shape, fill_value, dtype=x.dtype if dtype is None else dtype, device=device or x.device)


# -------------------------------------------------------------------------------------------------- regular arrays


def arange(
    start: float = 0,
    stop: float | None = None,
    step: float = 1,
    dtype: Any = None,
    *,
    device: Device | str | None = None,
) -> Array:
    """Return numbers from ``start`` up to, not including, ``stop``; from 0 where only one number is given."""
    target = get_device(device)
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise ZeroDivisionError("arange needs a step other than 0")
    integral = all(isinstance(v, (int, np.integer)) for v in (start, stop, step))
    chosen = (np.dtype(np.int64) if integral else target.default_float) if dtype is None else canonical(dtype)
    target.check_dtype(chosen)
    if integral:
        count = max(0, -((int(start) - int(stop)) // int(step)))
    else:
        length = (stop - start) / step
        if math.isinf(length):
            raise ValueError(f"arange from {start} to {stop} in steps of {step} never ends")
        count = max(0, math.ceil(length))
    if chosen.kind == "b" and count > 2:
        raise TypeError(f"arange knows two booleans, not {count}")
    view = new_view(target, checked_shape(count), chosen)
    if count:
        from ..kernels.creation import arange_into

        arange_into(view, start, step)
    return Array._of_view(view)


def linspace(
    start: complex,
    stop: complex,
    /,
    num: int = 50,
    endpoint: bool = True,
    *,
    dtype: Any = None,
    device: Device | str | None = None,
) -> Array:
    """Return ``num`` numbers at equal distances from ``start`` to ``stop``, which is included unless ``endpoint=False``."""
    target = get_device(device)
    num = operator.index(num)
    if num < 0:
        raise ValueError(f"linspace needs a non-negative number of samples, got {num}")
    complex_ = isinstance(start, complex) or isinstance(stop, complex)
    floating = default_dtype("complex" if complex_ else "float", target)
    if any(isinstance(v, np.inexact) for v in (start, stop)):  # NumPy's own numbers have a precision
        floating = canonical(np.result_type(start, stop, 1.0))
    chosen = floating if dtype is None else canonical(dtype)
    target.check_dtype(chosen)
    divisions = num - 1 if endpoint else num
    steps = arange(num, dtype=floating, device=target)
    if divisions > 0:
        step = (stop - start) / divisions
        result = steps * step + start if step != 0 else steps / divisions * (stop - start) + start
    else:
        result = steps * (stop - start) + start
    if endpoint and num > 1:
        result = ascontiguousarray(result)
        result[-1] = stop
    if chosen.kind in "iu" and floating.kind == "f":
        from .rounding import floor

        result = floor(result)
    return astype(result, chosen, copy=False)


def eye(
    n_rows: int, n_cols: int | None = None, /, k: int = 0, dtype: Any = None, *, device: Device | str | None = None
) -> Array:
    """Return zeros with ones on the ``k``-th diagonal."""
    columns = n_rows if n_cols is None else n_cols
    k = operator.index(k)
    result = zeros((n_rows, columns), dtype=dtype, device=device)
    length = min(n_rows + min(k, 0), columns - max(k, 0))
    if length > 0:
        own = result._concrete()
        start = own.offset + max(-k, 0) * columns + max(k, 0)
        Array._of_view(View(own.storage, own.dtype, (length,), (columns + 1,), start))[...] = 1
    return result


def identity(n: int, dtype: Any = None, *, device: Device | str | None = None) -> Array:
    """Return the identity matrix."""
    return eye(n, dtype=dtype, device=device)


def _band(x: Array, k: int, lower: bool) -> Array:
    if x.ndim < 2:
        raise ValueError("triangles need at least two axes")
    rows = arange(x.shape[-2], device=x.device)[:, None]
    columns = arange(x.shape[-1], device=x.device)[None, :]
    keep = columns - rows <= k if lower else columns - rows >= k
    return _apply.where(keep, x, np.zeros((), x.dtype)[()])


def tril(x: Array, /, k: int = 0) -> Array:
    """Return a copy with zeros above the ``k``-th diagonal of the last two axes."""
    check_arrays("tril", x)
    return _band(x, k, lower=True)


def triu(x: Array, /, k: int = 0) -> Array:
    """Return a copy with zeros below the ``k``-th diagonal of the last two axes."""
    check_arrays("triu", x)
    return _band(x, k, lower=False)


def meshgrid(*arrays: Array, indexing: str = "xy") -> tuple[Array, ...]:
    """Return coordinate matrices from one-dimensional coordinates (0-d ones count as length one)."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing is 'xy' or 'ij', got {indexing!r}")
    from .manipulation import broadcast_to

    order = list(range(len(arrays)))
    if indexing == "xy" and len(arrays) > 1:
        order[0], order[1] = 1, 0
    shape = [0] * len(arrays)
    parts = []
    for position, x in zip(order, arrays, strict=True):
        shape[position] = x.size
        parts.append((position, x.reshape(-1)))
    out = []
    for position, x in parts:
        spread = x[tuple(slice(None) if axis == position else None for axis in range(len(arrays)))]
        out.append(_copy(broadcast_to(spread, tuple(shape))))
    return tuple(out)


def write_host(x: Array, host: np.ndarray) -> None:
    """Copy a NumPy array of the same shape and dtype into an array: the explicit way ``x[...] = numpy_array``."""
    view = x._concrete()
    if view.contiguous:
        force_readers(view.storage)
        _upload(view, host)
        return
    shared = view.host()
    if shared is not None:
        force_readers(view.storage)
        x._device.synchronize()
        shared[...] = host
        return
    write(view, from_numpy(host, x._device)._concrete(), x._device)
