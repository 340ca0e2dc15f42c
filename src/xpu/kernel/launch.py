"""``@xp.kernel`` and ``@xp.func``: the objects that users hold, their specialisations, and the launch.

The front end is imported when the first kernel of the user is made or launched: ``import xpu`` stays light.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..backend import DeviceInfo

if TYPE_CHECKING:
    from ..device import Device
    from . import ir
    from .frontend.signature import ArgType
    from .frontend.source import FunctionSource
    from .launcher import Plan

__all__ = ["FuncFunction", "KernelFunction", "func", "kernel"]


class _Decorated:
    """What kernels and helpers have in common: a Python function and its specialisations."""

    _what = ""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.__wrapped__ = function
        self.__name__ = getattr(function, "__name__", type(function).__name__)
        self.__qualname__ = getattr(function, "__qualname__", self.__name__)
        self.__doc__ = getattr(function, "__doc__", None)
        self.__module__ = getattr(function, "__module__", "")
        self._source: FunctionSource | None = None
        self._specialised: dict[Any, Any] = {}
        if not (self.__module__ or "").startswith("xpu."):  # xpu's own are checked when first used
            self._open()

    def _open(self) -> FunctionSource:
        """Read and check the source, once."""
        if self._source is None:
            from .frontend import FunctionSource, check_syntax

            source = FunctionSource(self.__wrapped__, self._what)
            check_syntax(source)
            self._source = source
        return self._source

    def _key(self, arg_types: Sequence[ArgType], info: DeviceInfo) -> tuple[tuple[ArgType, ...], Any]:
        from .frontend.signature import canonical_arg

        types = tuple(canonical_arg(arg) for arg in arg_types)
        return types, (types, info.fp64, info.atomics64)


class KernelFunction(_Decorated):
    """A kernel, made by :func:`kernel`: ``k[global_size](*args)`` launches it.

    It is compiled for the types of its arguments at the first launch with them: for each array its dtype, its number of
    dimensions, and whether it is contiguous; for each number its dtype. Constants from outside (globals, closures) are
    frozen when they are first used.

    Sizes are in NumPy's order. A kernel that names one axis: ``k[n]``, ``k[n, local]``; one that names two:
    ``k[h, w]`` or ``k[(h, w)]``, ``k[(h, w), (8, 8)]``; three alike. Exactly that many work-items run. Without a local
    size the device chooses; for kernels with barriers xpu does, see :func:`xpu.kernel.sizes.choose_local`.
    """

    _what = "kernel"

    def __init__(self, function: Callable[..., Any]) -> None:
        self.plans: dict[Any, Plan] = {}
        """What launches have compiled, by device and argument types."""
        super().__init__(function)

    @cached_property
    def parameter_names(self) -> list[str]:
        """The names of the parameters."""
        return self._open().parameters()

    @property
    def __xpu_kernel__(self) -> FunctionSource:
        return self._open()

    def specialize(self, arg_types: Sequence[ArgType], info: DeviceInfo) -> ir.Kernel:
        """Return the typed kernel for argument types; no device is touched.

        Parameters
        ----------
        arg_types : sequence
            One for each parameter: ``ir.ArrayType``; ``ir.Scalar`` or a dtype; ``bool``, ``int``, ``float`` or
            ``complex`` for Python's numbers; a tuple of these.
        info : DeviceInfo
            What the device can do.
        """
        from .frontend import specialize_kernel

        types, key = self._key(arg_types, info)
        known: ir.Kernel | None = self._specialised.get(key)
        if known is None:
            known = self._specialised[key] = specialize_kernel(self._open(), types, info)
        return known

    def __getitem__(self, sizes: Any) -> Launcher:
        return Launcher(self, sizes)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Tell that a size is missing."""
        raise TypeError(f"a kernel is launched with its global size in brackets: {self.__name__}[n](...)")

    def source(self, device: Device | str, *args: Any, **kwargs: Any) -> str:
        """Return the text that is compiled for these arguments.

        Parameters
        ----------
        device : Device or str
            A device, or a language that no device here reads: ``"cuda"``, ``"hip"``, ``"opencl"``, ``"numba"``.
        *args, **kwargs
            The arguments of a launch; of arrays, NumPy's too, only their types matter.
        """
        from .launcher import printed

        return printed(self, device, args, kwargs).text

    def describe(self, device: Device | str, *args: Any, **kwargs: Any) -> str:
        """Return what is known of the kernel for these arguments: types, memory, sizes.

        Written ``k[global_size].describe(...)`` it tells the chosen group size too.
        """
        from .launcher import description

        return description(self, device, args, kwargs, None)

    def __repr__(self) -> str:
        return f"<kernel {self.__qualname__}>"


class Launcher:
    """A kernel with its sizes: call it with the kernel's arguments."""

    __slots__ = ("kernel", "sizes")

    def __init__(self, kernel: KernelFunction, sizes: Any) -> None:
        self.kernel = kernel
        self.sizes = sizes

    def __call__(self, *args: Any, **kwargs: Any) -> None:
        """Launch. ``stream=`` chooses the stream; other keywords name arguments."""
        from .launcher import launch

        launch(self.kernel, self.sizes, args, kwargs)

    def describe(self, device: Device | str, *args: Any, **kwargs: Any) -> str:
        """Return what is known of this launch: types, memory, sizes."""
        from .launcher import description

        return description(self.kernel, device, args, kwargs, self.sizes)


class FuncFunction(_Decorated):
    """A helper, made by :func:`func`: called from kernels; called from Python it computes with Python's numbers."""

    _what = "helper"

    @property
    def __xpu_func__(self) -> FunctionSource:
        return self._open()

    def specialize(self, arg_types: Sequence[ArgType], info: DeviceInfo) -> tuple[list[ir.Function], ir.Type | None]:
        """Return the helper as typed functions (itself last, what it calls before) and the type of its result.

        The functions are named by what they do, so that those of several helpers can be put into one kernel.
        """
        from .frontend import specialize_helper

        types, key = self._key(arg_types, info)
        known: tuple[list[ir.Function], ir.Type | None] | None = self._specialised.get(key)
        if known is None:
            known = self._specialised[key] = specialize_helper(self._open(), types, info)
        return known

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Run the helper in Python."""
        return self.__wrapped__(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<func {self.__qualname__}>"


def kernel(function: Callable[..., Any]) -> KernelFunction:
    """Make a kernel of a Python function: one source for every device.

    Parameters
    ----------
    function : function
        Written in the kernel language; see ``docs/kernels.md``.

    Returns
    -------
    KernelFunction
        Launched as ``k[global_size](*args)``.

    Examples
    --------
    >>> @xp.kernel
    ... def saxpy(a, x, y, out):
    ...     i = xp.global_id(0)
    ...     out[i] = a * x[i] + y[i]
    >>> saxpy[n](2.0, x, y, out)
    """
    return KernelFunction(function)


def func(function: Callable[..., Any]) -> FuncFunction:
    """Make a helper of a Python function, to be called from kernels and other helpers.

    Parameters
    ----------
    function : function
        Written in the kernel language, without recursion.

    Returns
    -------
    FuncFunction
    """
    return FuncFunction(function)
