"""Operations made of the user's own functions: elementwise, reductions, scans."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np

from ..apply import apply, astype, common_device
from ..array import Array
from ..device import Device
from ..dtypes import canonical
from ..errors import KernelTypeError
from ..kernel.launch import FuncFunction, func
from ..lazy.evaluate import write
from ..lazy.operations import Operation, Signature
from ..memory import View, contiguous_strides, new_view
from .manipulation import normalize_axes, normalize_axis

__all__ = ["reduction", "scan", "vectorize"]

DType = np.dtype[Any]
_numbers = count()


def _as_func(function: Callable[..., Any]) -> FuncFunction:
    return function if isinstance(function, FuncFunction) else func(function)


def _result(function: FuncFunction, ins: tuple[DType, ...], device: Device) -> DType:
    """Return the dtype that a function gives for scalars of these dtypes."""
    from ..kernel import ir

    _, result = function.specialize([ir.Scalar(d) for d in ins], device.info)
    if not isinstance(result, ir.Scalar):
        raise KernelTypeError(f"{function.__name__} returns no number for ({', '.join(d.name for d in ins)})")
    return result.dtype


class _FunctionOperation(Operation):
    """An operation that computes a kernel-language function."""

    def __init__(self, function: FuncFunction, nin: int, device: Device) -> None:
        super().__init__(f"{function.__name__}_{next(_numbers)}", nin, None)
        self.function = function
        self.device = device

    def resolve(self, operands: tuple[Any, ...]) -> Signature:
        known = self.cache.get(operands)
        if known is None:
            firm = [kind for kind in operands if isinstance(kind, np.dtype)]
            ins = tuple(kind if isinstance(kind, np.dtype) else _firm(kind, firm, self.device) for kind in operands)
            known = self.cache[operands] = (ins, _result(self.function, ins, self.device))
        return known

    def emit(self, emitter: Any, args: list[Any], result: Any) -> Any:
        """Return a call of the function."""
        return emitter.call_function(self.function, args)


def _firm(kind: type, others: list[DType], device: Device) -> DType:
    """Return the dtype of a Python number among arrays: NumPy's promotion with all of them."""
    dtype = canonical(np.result_type(*others, kind(1)))
    return dtype if device.info.fp64 or dtype.itemsize < 8 or dtype.kind not in "fc" else device.default_float


class vectorize:
    """Turn a function of numbers, in the kernel language, into one of arrays that broadcasts and fuses.

    Parameters
    ----------
    function : callable
        Takes numbers and returns a number; written as an ``@xp.func``, with branches and loops if need be.

    Examples
    --------
    >>> @xp.vectorize
    ... def leaky(x, slope):
    ...     return x if x > 0 else slope * x
    >>> leaky(xp.asarray([-1.0, 2.0]), 0.1)
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = _as_func(function)
        self.nin = len(inspect.signature(self.function.__wrapped__).parameters)
        self.__name__ = self.function.__name__
        self.__doc__ = function.__doc__
        self._operations: dict[Device, _FunctionOperation] = {}

    def __call__(self, *args: Any) -> Array:
        """Apply to arrays and numbers, at least one of them an array."""
        if len(args) != self.nin:
            raise TypeError(f"{self.__name__} takes {self.nin} arguments, got {len(args)}")
        device = common_device(self.__name__, args)
        operation = self._operations.get(device)
        if operation is None:
            operation = self._operations[device] = _FunctionOperation(self.function, self.nin, device)
        return apply(operation, *args)

    def __repr__(self) -> str:
        return f"<xp.vectorize {self.__name__}>"


class reduction:
    """A reduction made of the user's own functions.

    Parameters
    ----------
    combine : callable
        ``combine(a, b)`` of two partial results, in the kernel language; associative and commutative.
    identity : number
        ``combine(identity, a)`` is ``a``; also the result for no elements.
    map : callable, optional
        What each element becomes before it is combined.

    Examples
    --------
    >>> norm1 = xp.reduction(map=absolute, combine=plus, identity=0)  # absolute and plus are @xp.func
    >>> norm1(x, axis=0)
    """

    def __init__(self, combine: Callable[..., Any], identity: Any, map: Callable[..., Any] | None = None) -> None:
        self.combine = _as_func(combine)
        self.identity = identity
        self.map = None if map is None else _as_func(map)
        self._casts: dict[DType, Any] = {}

    def __call__(self, x: Array, /, *, axis: Any = None, keepdims: bool = False) -> Array:
        """Reduce over axes (all by default)."""
        from ..kernels.reduce_operations import Reduction, cast_to
        from ..lazy.reductions import reduce_with

        device = common_device("reduction", (x,))
        axes = normalize_axes(axis, x.ndim)
        entered = x.dtype if self.map is None else _result(self.map, (x.dtype,), device)
        total = _result(self.combine, (entered, entered), device)
        if total != entered:
            raise KernelTypeError(
                f"{self.combine.__name__} makes {total.name} of two {entered.name}; a reduction needs the same dtype: "
                "let map convert the elements first"
            )
        kept = tuple(1 if k in axes else n for k, n in enumerate(x.shape))
        shape = kept if keepdims else tuple(n for k, n in enumerate(x.shape) if k not in axes)
        out = new_view(device, shape, total)
        if out.size == 0:
            return Array._of_view(out)
        if x.size == 0:
            write(out, total.type(self.identity), device)
            return Array._of_view(out)
        enter = self.map or self._casts.setdefault(x.dtype, cast_to(x.dtype))
        name = f"reduce_{self.combine.__name__}"
        what = Reduction(name, x.dtype, total, total, total, enter, self.combine, self.identity, False)
        again_enter = self._casts.setdefault(total, cast_to(total))
        again = Reduction(name, total, total, total, total, again_enter, self.combine, self.identity, False)
        reduce_with(what, again, x._operand(), axes, out, device)
        return Array._of_view(out)


class scan:
    """A running combination made of the user's own function.

    Parameters
    ----------
    combine : callable
        ``combine(a, b)`` in the kernel language; associative.
    identity : number
        ``combine(identity, a)`` is ``a``.

    Examples
    --------
    >>> running_max = xp.scan(larger, identity=-xp.inf)  # larger is an @xp.func
    >>> running_max(x, axis=0)
    """

    def __init__(self, combine: Callable[..., Any], identity: Any) -> None:
        self.combine = _as_func(combine)
        self.identity = identity

    def __call__(self, x: Array, /, *, axis: int = -1, exclusive: bool = False) -> Array:
        """Scan along an axis; ``exclusive`` leaves each element out of its own result."""
        from ..kernels.scan import scan as run

        device = common_device("scan", (x,))
        place = normalize_axis(axis, x.ndim)
        total = _result(self.combine, (x.dtype, x.dtype), device)
        source = x if x.dtype == total else astype(x, total)
        out = new_view(device, x.shape, total)
        run((self.combine, self.identity), _box(source._concrete(), place), _box(out, place), exclusive)
        return Array._of_view(out)


def _box(view: View, axis: int) -> View:
    """Return a view as outer x length x inner around an axis; it must be contiguous, or is copied."""
    if not view.contiguous:
        fresh = new_view(view.storage.device, view.shape, view.dtype)
        write(fresh, view, view.storage.device)
        view = fresh
    outer = int(np.prod(view.shape[:axis], dtype=object))
    inner = int(np.prod(view.shape[axis + 1 :], dtype=object))
    shape = (outer, view.shape[axis], inner)
    return View(view.storage, view.dtype, shape, contiguous_strides(shape), view.offset)
