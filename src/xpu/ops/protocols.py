"""NumPy's ufunc protocol and DLPack."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..apply import apply, host_array_refused
from ..array import Array
from ..errors import DeviceMismatchError, UnsupportedDTypeError
from ..lazy.operations import TABLE
from .linear import matmul

_HOST = (1, 0)
_BY_UFUNC = {operation.ufunc: operation for operation in TABLE.values() if operation.ufunc is not None}


def array_ufunc(ufunc: Any, method: str, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run a NumPy ufunc on the arrays' own device: ``numpy.add(x, y)`` is ``xp.add(x, y)``."""
    if method != "__call__":
        return NotImplemented
    device = next((value.device for value in inputs if isinstance(value, Array)), None)
    for value in inputs:
        if isinstance(value, np.ndarray) and value.size > 1 and device is not None:
            raise host_array_refused(ufunc.__name__, value, device)
    out = kwargs.pop("out", None)
    if out is not None and not all(isinstance(target, Array) for target in out):
        raise DeviceMismatchError(
            f"{ufunc.__name__}: results of xpu arrays cannot be stored in NumPy arrays; use xp.asnumpy"
        )
    if kwargs:
        raise TypeError(f"{ufunc.__name__} on xpu arrays does not take {', '.join(kwargs)}")
    if ufunc is np.matmul:
        result = matmul(*inputs)
    elif ufunc in _BY_UFUNC:
        result = apply(_BY_UFUNC[ufunc], *inputs)
    else:
        return NotImplemented
    if out is not None:
        return _stored(ufunc.__name__, result, out[0])
    return result


def _stored(name: str, result: Array, out: Array) -> Array:
    """Store a result where the caller wants it; as in NumPy, no float becomes an integer that way."""
    if not np.can_cast(result.dtype, out.dtype, "same_kind"):
        raise UnsupportedDTypeError(f"{name}: a result of {result.dtype.name} cannot be stored in {out.dtype.name}")
    out[...] = result
    return out


def to_dlpack(
    x: Array,
    max_version: tuple[int, int] | None = None,
    dl_device: tuple[int, int] | None = None,
    copy: bool | None = None,
) -> Any:
    """Return a DLPack capsule: over the array's own memory, or over a copy in host memory where that is asked for."""
    if dl_device is not None and tuple(dl_device) != _HOST:
        raise BufferError(f"{x.device} can only export to the CPU")
    host = x._concrete().exported()
    if host is None:
        if dl_device is None or copy is False:
            raise BufferError(f"{x.device} has no memory that DLPack can describe; copy first: xp.asnumpy(x)")
        host = x.get()
    else:
        x.device.synchronize()
        host = host.copy() if copy else host
        if not copy and not x._writeable:
            host.flags.writeable = False  # consumers that cannot be told so are refused
    return host.__dlpack__(max_version=max_version)


def dlpack_device(x: Array) -> tuple[int, int]:
    """Return DLPack's device of the array: the CPU where memory is shared with the host."""
    if x.device.info.unified_memory:
        return _HOST
    raise BufferError(f"{x.device} has no memory that DLPack can describe; copy first: xp.asnumpy(x)")
