"""Small arrays on devices that share the host's memory: operations at once, without deferring.

Deferring an operation on ten numbers costs more than doing it. Where a device's library computes on host memory (NumPy on
the CPU), operations whose results are exact run there immediately; they give the same bits as the kernels. Others, such as
``exp``, become kernels of one operation that are called without further ado. The result keeps NumPy's own memory until
something needs a storage.
"""

from __future__ import annotations

import contextvars
import math
import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from .array import Array
from .config import config
from .dtypes import canonical
from .lazy.evaluate import force_readers
from .lazy.operations import CAST, WHERE
from .lazy.plan import Plan, Step
from .lazy.run import MAX_LAUNCHES, NATIVE_ALWAYS, Launch, compiled, compiling_is_affordable
from .memory import new_view
from .shapes import broadcast_shapes

if TYPE_CHECKING:
    from .device import Device
    from .lazy.operations import Operation

DType = np.dtype[Any]

HOST_KERNEL_CALLS = 64
"""Calls of an operation that is not exact (``exp``, ``sin``) on small arrays after which it is compiled on its own."""
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
    if x._device.small is None or not _is_small(x._shape):
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


def function_of(op: Operation, kinds: tuple[Any, ...], device: Device) -> Any:
    """Return what computes an operation on small host arrays with the bits of its kernel; None where there is nothing.

    Exact operations are the library's. Others are kernels of their own, once they have been used often enough.
    """
    table = device.small
    if table is None:
        return None
    key = (op, *kinds)
    if key not in table:
        table[key] = _find(op, kinds, device)
    return table[key]


def _find(op: Operation, kinds: tuple[Any, ...], device: Device) -> Any:
    if op is CAST or any(kind is complex or getattr(kind, "kind", "") == "c" for kind in kinds):
        return None
    library = device.backend_device.library["elementwise"]
    ins, dtype = op.resolve(kinds)
    if op is WHERE:
        if int in kinds[1:] and dtype.kind in "iu":
            return None  # NumPy's would wrap a Python integer that does not fit; the general way refuses it
        return library["where"]
    if op.name in library and all(one.kind in op.exact for one in ins):
        return library[op.name]
    if dtype == np.float16 or any(one == np.float16 for one in ins):
        return None
    return HostKernel(op, ins, dtype, device)


def attempt(op: Operation, args: tuple[Any, ...]) -> Array | None:
    """Return ``op(*args)`` if all is small and can be had without deferring, else None."""
    device: Device | None = None
    values = []
    kinds = []
    shape = None
    for arg in args:
        kind = type(arg)
        if kind is Array:
            host = arg._small
            if host is None:
                host = host_of(arg)
                if host is None:
                    return None
            if device is None:
                device = arg._device
                shape = arg._shape
            elif arg._device is not device:
                return None
            elif arg._shape != shape:
                shape = broadcast_shapes(shape, arg._shape)
                if not _is_small(shape):
                    return None
            values.append(host)
            kinds.append(arg._dtype)
        elif kind in _SCALARS:
            values.append(arg)
            kinds.append(kind)
        elif isinstance(arg, np.generic):
            values.append(arg)
            kinds.append(canonical(arg.dtype))
        else:
            return None
    if device is None or not config.library:
        return None
    function = function_of(op, tuple(kinds), device)
    if function is None:
        return None
    try:
        result = _quiet.run(function, *values)
    except OverflowError:  # a Python integer beyond the dtype: the general way knows what to say
        return None
    if result is None:
        return None
    if result is values[0]:
        result = result.copy()
    return array_of(result, device)


def _is_small(shape: tuple[int, ...]) -> bool:
    return math.prod(shape) <= NATIVE_ALWAYS


class HostKernel:
    """One operation as a compiled kernel over small contiguous arrays.

    Calls return None, and the general way is taken, until there were enough of them to be worth a compiler.
    """

    __slots__ = ("_calls", "_device", "_dtype", "_ins", "_launches", "_op")

    def __init__(self, op: Operation, ins: tuple[DType, ...], dtype: DType, device: Device) -> None:
        self._op = op
        self._ins = ins
        self._dtype = dtype
        self._device = device
        self._calls = 0
        self._launches: dict[Any, Launch] = {}

    def __call__(self, *values: Any) -> np.ndarray | None:
        """Return the result for arrays and scalars; None if the general way must be taken."""
        if self._calls < HOST_KERNEL_CALLS:
            self._calls += 1
            return None
        if not self._launches and not compiling_is_affordable():
            return None
        arrays = []
        scalars = []
        for value, dtype in zip(values, self._ins, strict=True):
            if type(value) is not np.ndarray:
                scalars.append(dtype.type(value))
            elif value.dtype == dtype:
                arrays.append(value)
            else:
                return None
        shape = arrays[0].shape
        if 0 in shape or any(array.shape != shape for array in arrays):
            return None
        out = np.empty(shape, self._dtype)
        blocks = [self._device.backend_device.adopt(array) for array in (*arrays, out)]
        if None in blocks:  # memory that kernels cannot use: read-only, not contiguous or not aligned
            return None
        key = (out.size, config.debug, *[type(value) is np.ndarray for value in values])
        launch = self._launches.get(key)
        if launch is None:
            if len(self._launches) >= MAX_LAUNCHES:
                self._launches.clear()
            launch = self._launches[key] = self._prepared(out.size, values)
        launch.on_blocks(blocks, scalars)
        return out

    def _prepared(self, size: int, values: tuple[Any, ...]) -> Launch:
        plan = Plan((size,))
        refs = [
            plan.add(new_view(self._device, (size,), dtype) if type(value) is np.ndarray else dtype.type(value))
            for value, dtype in zip(values, self._ins, strict=True)
        ]
        plan.steps.append(Step(self._op, self._ins, self._dtype, tuple(refs)))
        plan.outputs = [0]
        return compiled(plan, [new_view(self._device, (size,), self._dtype)], self._device)


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
    function = function_of(op, (x._dtype, kind), x._device)
    if not isinstance(function, np.ufunc) or op.resolve((x._dtype, kind))[1] != x._dtype:
        return False
    if x._view is not None:
        force_readers(x._view.storage)
    try:
        _quiet.run(function, mine, other, mine)
    except OverflowError:
        return False
    return True
