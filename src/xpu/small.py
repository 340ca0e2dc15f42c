"""Small arrays on devices that share the host's memory: exact operations at once, through the device's own library.

Deferring an operation on ten numbers costs more than doing it. Where a device's library computes on host memory (NumPy on
the CPU), operations whose results are exact run immediately; they give the same bits as the kernels. The result keeps
NumPy's own memory until something needs a storage.
"""

from __future__ import annotations

import contextvars
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from .array import Array
from .config import config
from .lazy.evaluate import force_readers
from .lazy.run import NATIVE_ALWAYS

if TYPE_CHECKING:
    from .device import Device
    from .lazy.operations import Operation

_SCALARS = frozenset([bool, int, float, complex])


class _Quiet(threading.local):
    """A context, one a thread, in which NumPy's floating-point warnings are off: entering it costs 0.2 microseconds."""

    def __init__(self) -> None:
        context = contextvars.Context()
        context.run(np.seterr, all="ignore")
        self.run = context.run


_quiet = _Quiet()


def quiet(function: Any, *args: Any) -> Any:
    """Call a function without NumPy's floating-point warnings."""
    return _quiet.run(function, *args)


def host_of(x: Array) -> np.ndarray | None:
    """Return a small array's elements as NumPy sees them; None for other arrays."""
    host = x._small
    if host is not None:
        return host
    view = x._view
    if view is None:
        if x._node is None or x._node.value is None:
            return None
        view = x._concrete()
    size = 1
    for extent in x._shape:
        size *= extent
    if size > NATIVE_ALWAYS or x._device.small is None:
        return None
    found: np.ndarray = view.native()
    x._small = found
    return found


def array_of(host: Any, device: Device) -> Array:
    """Return the array of a fresh result."""
    if type(host) is not np.ndarray:
        host = np.asarray(host)
    self = Array.__new__(Array)
    self._device = device
    self._dtype = host.dtype
    self._shape = host.shape
    self._node = None
    self._view = None
    self._small = host
    self._writeable = True
    return self


def _function(op: Operation, kinds: Any, device: Device) -> Any:
    """Return the library's function if it is exact for operands of these dtypes and gives xpu's dtype; else None."""
    table = device.small
    if table is None:
        return None
    key = (op, *kinds)
    if key not in table:
        library = device.backend_device.library["elementwise"]
        ins = op.resolve(kinds)[0] if op.ufunc is not None else ()
        exact = bool(ins) and op.name in library and all(dtype.kind in op.exact for dtype in ins)
        table[key] = library[op.name] if exact else None
    return table[key]


def binary(op: Operation, x: Array, y: Any) -> Array | None:
    """Return ``op(x, y)`` if both are small and the operation is exact, else None."""
    mine = x._small
    if mine is None:
        mine = host_of(x)
        if mine is None:
            return None
    if type(y) is Array:
        if y._device is not x._device:
            return None
        other: Any = y._small
        if other is None:
            other = host_of(y)
            if other is None:
                return None
        kind: Any = y._dtype
        if y._shape != x._shape and y._shape and x._shape:
            return None
    else:
        kind = type(y)
        if kind not in _SCALARS:
            return None
        other = y
    if not config.library:
        return None
    function = _function(op, (x._dtype, kind), x._device)
    if function is None:
        return None
    try:
        return array_of(_quiet.run(function, mine, other), x._device)
    except OverflowError:  # a Python integer beyond the dtype: the general way knows what to say
        return None


def unary(op: Operation, x: Array) -> Array | None:
    """Return ``op(x)`` if the array is small and the operation is exact, else None."""
    mine = host_of(x)
    if mine is None or not config.library:
        return None
    function = _function(op, (x._dtype,), x._device)
    if function is None:
        return None
    result = _quiet.run(function, mine)
    return array_of(result.copy() if result is mine else result, x._device)


def in_place(op: Operation, x: Array, y: Any) -> bool:
    """Do ``x = op(x, y)`` in x's own memory if that is small and exact; whether it was done."""
    mine = host_of(x)
    if mine is None or not config.library:
        return False
    if type(y) is Array:
        other: Any = host_of(y)
        if other is None or y._device is not x._device or y._dtype != x._dtype or y._shape != x._shape:
            return False
        kind: Any = y._dtype
    else:
        kind = type(y)
        other = y
        if kind not in _SCALARS:
            return False
    function = _function(op, (x._dtype, kind), x._device)
    if function is None or op.resolve((x._dtype, kind))[1] != x._dtype:
        return False
    if x._view is not None:
        force_readers(x._view.storage)
    try:
        _quiet.run(function, mine, other, mine)
    except OverflowError:
        return False
    return True
