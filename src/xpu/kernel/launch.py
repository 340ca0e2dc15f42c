"""``@xp.kernel`` and ``@xp.func``: the objects that users hold, their specialisations, and the launch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ..backend import DeviceInfo
from . import ir
from .frontend import FunctionSource, specialize_helper, specialize_kernel
from .frontend.signature import ArgType, canonical_arg

__all__ = ["FuncFunction", "KernelFunction", "func", "kernel"]


class KernelFunction:
    """A kernel: compiled for the types of its arguments when it is launched."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.__xpu_kernel__ = FunctionSource(function, "kernel")
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__
        self.__wrapped__ = function
        self.__module__ = function.__module__
        self._specialised: dict[Any, ir.Kernel] = {}

    def specialize(self, arg_types: Sequence[ArgType], info: DeviceInfo) -> ir.Kernel:
        """Return the typed kernel for argument types; no device is touched."""
        types = tuple(canonical_arg(arg) for arg in arg_types)
        key = (types, info.fp64, info.atomics64)
        known = self._specialised.get(key)
        if known is None:
            known = self._specialised[key] = specialize_kernel(self.__xpu_kernel__, types, info)
        return known


class FuncFunction:
    """A helper: called from kernels, and, as a plain function of Python numbers, from Python."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.__xpu_func__ = FunctionSource(function, "helper")
        self._specialised: dict[Any, tuple[list[ir.Function], ir.Type | None]] = {}
        self.__name__ = function.__name__
        self.__doc__ = function.__doc__
        self.__wrapped__ = function
        self.__module__ = function.__module__

    def specialize(self, arg_types: Sequence[ArgType], info: DeviceInfo) -> tuple[list[ir.Function], ir.Type | None]:
        """Return the helper as typed functions (itself last, what it calls before) and the type of its result."""
        types = tuple(canonical_arg(arg) for arg in arg_types)
        key = (types, info.fp64, info.atomics64)
        known = self._specialised.get(key)
        if known is None:
            known = self._specialised[key] = specialize_helper(self.__xpu_func__, types, info)
        return known

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the helper in Python."""
        return self.__wrapped__(*args, **kwargs)


def kernel(function: Callable[..., Any]) -> KernelFunction:
    """Make a kernel of a Python function."""
    return KernelFunction(function)


def func(function: Callable[..., Any]) -> FuncFunction:
    """Make a helper of a Python function, to be called from kernels."""
    return FuncFunction(function)
