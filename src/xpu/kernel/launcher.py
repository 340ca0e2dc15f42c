"""The launch: arguments to types, types to a compiled kernel, and off it goes.

A launch whose argument types are known finds its :class:`Plan` by one dictionary look-up.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import dtypes
from ..backend import DeviceInfo, Source
from ..config import config
from ..errors import DeviceMismatchError, DeviceNotFoundError, KernelCompileError, KernelLaunchError, KernelTypeError
from . import ir, sizes
from .build import Executable, build
from .printers import PRINTERS, print_kernel

if TYPE_CHECKING:
    from ..device import Device
    from .launch import KernelFunction

_KINDS: dict[type, Any] = {bool: bool, int: int, float: float, complex: complex}
_KINDS |= {np.dtype(name).type: np.dtype(name) for name in dtypes.NAMES}
"""What stands in keys for numbers: Python's for weak ones, a dtype for NumPy's."""
_REMEMBERED_SIZES = 256


class Plan:
    """A kernel compiled for a device and for argument types, and how arguments become what it takes."""

    __slots__ = ("converters", "executable", "parsed", "rank", "written")

    def __init__(self, executable: Executable) -> None:
        self.executable = executable
        params = executable.kernel.params
        self.rank = executable.kernel.rank
        self.converters: list[tuple[int, Callable[[Any], Any]]] = [
            (k, p.type.dtype.type) for k, p in enumerate(params) if not isinstance(p.type, ir.ArrayType)
        ]
        self.written = [k for k, p in enumerate(params) if isinstance(p.type, ir.ArrayType) and p.written]
        self.parsed: dict[Any, tuple[sizes.Size, sizes.Size | None]] = {}


class Arguments:
    """The arguments of one launch, flat (tuples are taken apart), and their types."""

    __slots__ = ("device", "key", "objects", "values")

    def __init__(self) -> None:
        self.device: Device | None = None
        self.objects: list[Any] = []
        self.values: list[Any] = []
        """Views of arrays, and numbers."""
        self.key: list[Any] = []

    def take(self, kernel: KernelFunction, args: tuple[Any, ...]) -> None:
        """Take arguments as they come; what is neither an xpu array nor a number is looked at more closely."""
        objects, values, key = self.objects, self.values, self.key
        for position, arg in enumerate(args):
            view_of = getattr(arg, "__xpu_view__", None)
            if view_of is not None:
                view = view_of()
                device = view.storage.device
                if device is not self.device:
                    self._meet(device, kernel, position, args)
                objects.append(arg)
                values.append(view)
                key.append(view.layout)
                continue
            kind = _KINDS.get(type(arg))
            if kind is not None:
                objects.append(arg)
                values.append(arg)
                key.append(kind)
            elif type(arg) is tuple:
                inner = Arguments()
                inner.device = self.device
                inner.take(kernel, arg)
                self.device = inner.device
                objects += inner.objects
                values += inner.values
                key.append(tuple(inner.key))
            else:
                objects.append(arg)
                values.append(arg)
                key.append(_unusual(kernel, args, position, arg))

    def _meet(self, device: Device, kernel: KernelFunction, position: int, args: tuple[Any, ...]) -> None:
        """Note the first array's device; refuse another one."""
        if self.device is not None:
            name = _name(kernel, args, position)
            raise DeviceMismatchError(
                f"{_who(kernel, args, position)} lives on {device}, and an array before it on {self.device}; "
                f"move one of them: {name}.to_device({str(self.device)!r})"
            )
        self.device = device


def _name(kernel: KernelFunction, args: tuple[Any, ...], position: int) -> str:
    """Return what the kernel calls an argument; an item of a tuple is known by its place."""
    names = kernel.parameter_names
    return names[position] if len(names) == len(args) and position < len(names) else f"item {position} of a tuple"


def _who(kernel: KernelFunction, args: tuple[Any, ...], position: int) -> str:
    return f"argument {_name(kernel, args, position)!r} of kernel {kernel.__name__!r}"


def _unusual(kernel: KernelFunction, args: tuple[Any, ...], position: int, arg: Any) -> Any:
    """Return the key of an argument of a rare type; refuse what kernels do not take."""
    who, name = _who(kernel, args, position), _name(kernel, args, position)
    if isinstance(arg, np.generic):
        try:
            return dtypes.canonical(arg.dtype)
        except TypeError as error:
            raise KernelTypeError(f"{who}: {error}") from None
    for plain in (bool, int, float, complex):  # subclasses, such as members of an IntEnum
        if isinstance(arg, plain):
            return plain
    if isinstance(arg, np.ndarray):
        raise DeviceMismatchError(f"{who} is a NumPy array; kernels take xpu arrays: pass xp.asarray({name})")
    if isinstance(arg, (type, np.dtype)) or callable(arg):
        shown = getattr(arg, "__name__", str(arg))
        raise KernelTypeError(
            f"{who} is {shown}, which is no value; dtypes and functions are given to kernels as constants from "
            f"outside (a global or closure variable)"
        )
    if hasattr(arg, "__dlpack__") or hasattr(arg, "__array_interface__") or hasattr(arg, "__cuda_array_interface__"):
        kind = f"{type(arg).__module__.split('.')[0]}.{type(arg).__name__}"
        raise DeviceMismatchError(f"{who} is a {kind}; kernels take xpu arrays: pass xp.asarray({name})")
    if isinstance(arg, (list, range)):
        raise KernelTypeError(
            f"{who} is a {type(arg).__name__}; pass an array, xp.asarray({name}), or a tuple of numbers or arrays"
        )
    shown = "None" if arg is None else f"a {type(arg).__name__}"
    raise KernelTypeError(f"{who} is {shown}; kernels take arrays, numbers, and tuples of these")


def match(kernel: KernelFunction, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, ...]:
    """Return the arguments in the order of the parameters."""
    names = kernel.parameter_names
    form = f"its form is {kernel.__name__}[size]({', '.join(names)})"
    if len(args) > len(names):
        raise KernelLaunchError(f"kernel {kernel.__name__!r} takes {len(names)} arguments, not {len(args)}; {form}")
    given = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names:
            raise KernelLaunchError(f"kernel {kernel.__name__!r} has no argument {name!r}; {form}")
        if name in given:
            raise KernelLaunchError(f"kernel {kernel.__name__!r} got argument {name!r} twice; {form}")
        given[name] = value
    for name, value in kernel.__xpu_kernel__.defaults().items():
        given.setdefault(name, value)
    missing = [name for name in names if name not in given]
    if missing:
        raise KernelLaunchError(
            f"kernel {kernel.__name__!r} misses the argument {', '.join(map(repr, missing))}; {form}"
        )
    return tuple(given[name] for name in names)


def _types(key: Any) -> Any:
    """Return the argument type that a key stands for."""
    if isinstance(key, tuple):
        if len(key) == 4 and isinstance(key[0], np.dtype) and isinstance(key[1], int):
            dtype, ndim, contiguous, wide = key
            return ir.ArrayType(dtype, ndim, contiguous, "global", None, wide)
        return tuple(map(_types, key))
    return key


def gather(kernel: KernelFunction, args: tuple[Any, ...]) -> Arguments:
    """Take the arguments of a launch apart and note their types."""
    arguments = Arguments()
    arguments.take(kernel, args)
    return arguments


def launch(kernel: KernelFunction, size: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Launch a kernel: ``kernel[size](*args, **kwargs)``."""
    names = kernel.parameter_names
    stream = None
    if kwargs or len(args) != len(names):
        if "stream" not in names:
            stream = kwargs.pop("stream", None)
        args = match(kernel, args, kwargs)
    arguments = gather(kernel, args)
    device = arguments.device
    if device is None:
        from ..device import current_device

        device = current_device()
    key = (id(device), config.debug, *arguments.key)  # the plan keeps its device alive
    plan = kernel.plans.get(key)
    if plan is None:
        plan = kernel.plans[key] = _plan(kernel, device, arguments)
    try:
        parsed = plan.parsed.get(size)
    except TypeError:  # a list or an array: not hashable, and no size
        parsed = None
    if parsed is None:
        parsed = sizes.parse(size, plan.rank, kernel.__name__)
        if len(plan.parsed) < _REMEMBERED_SIZES:
            plan.parsed[size] = parsed
    whole, local = parsed
    if local is not None and plan.rank == 1:
        _refuse_shape(kernel, size, whole[0], local[0], arguments)
    if 0 not in whole:
        plan.executable.run(whole, local, _values(kernel, plan, arguments), stream)


def _refuse_shape(kernel: KernelFunction, size: Any, whole: int, local: int, arguments: Arguments) -> None:
    """Raise where the two numbers after the name of a kernel of one axis are the shape of a matrix among its arguments.

    ``k[image.shape]`` is for Python the same as ``k[h, w]``, and that means groups of ``w``. Tuples say it without doubt.
    """
    if isinstance(size[0], tuple) or isinstance(size[1], tuple):
        return
    for view in arguments.values:
        shape = getattr(view, "shape", ())
        if shape == (whole, local) or (local > whole and shape == (whole * local,)):
            raise KernelLaunchError(
                f"kernel {kernel.__name__!r} names 1 axis of the index space, where [{whole}, {local}] means {whole} "
                f"work-items in groups of {local}; it looks like the shape of an array of {whole} x {local}, since an "
                f"argument has the shape {shape}. For one work-item an element write {kernel.__name__}[{whole * local}]"
                f"(...), that is a.size; for one a row {kernel.__name__}[{whole}](...); for these groups "
                f"{kernel.__name__}[({whole},), ({local},)](...)"
            )


def _plan(kernel: KernelFunction, device: Device, arguments: Arguments) -> Plan:
    """Compile a kernel for argument types that are new."""
    typed = kernel.specialize([_types(key) for key in arguments.key], device.info)
    needed, there = ir.local_bytes(typed), device.info.limits.local_memory
    if needed > there:
        raise KernelCompileError(
            f"kernel {kernel.__name__!r} needs {needed:,} bytes of local memory, and a group has {there:,} on "
            f"{device}; use smaller local arrays"
        )
    return Plan(build(typed, device))


def _values(kernel: KernelFunction, plan: Plan, arguments: Arguments) -> list[Any]:
    """Return what the executable takes: views, and NumPy scalars of the parameters' dtypes."""
    values = arguments.values
    for k, convert in plan.converters:
        try:
            values[k] = convert(values[k])
        except (OverflowError, TypeError):
            raise _unfit(kernel, plan, k, values[k]) from None
    for k in plan.written:
        values[k] = _writable(kernel, plan, k, arguments.objects[k])
    return values


def _unfit(kernel: KernelFunction, plan: Plan, position: int, value: Any) -> KernelTypeError:
    param = plan.executable.kernel.params[position]
    wider = "xp.uint64(...)" if 0 <= value < 2**64 else "xp.float64(...)"
    return KernelTypeError(
        f"argument {param.name!r} of kernel {kernel.__name__!r}: {value} does not fit into {param.type.dtype.name}; "
        f"pass {wider} for larger numbers"
    )


def _writable(kernel: KernelFunction, plan: Plan, position: int, array: Any) -> Any:
    """Return the view of an array that the kernel writes, after what still needs its old values has been computed."""
    param = plan.executable.kernel.params[position]
    try:
        return array.__xpu_write__()
    except ValueError as error:
        raise KernelLaunchError(
            f"argument {param.name!r} of kernel {kernel.__name__!r} is written by the kernel, and the array cannot be: "
            f"{error}; pass a copy"
        ) from None


# ------------------------------------------------------------------------------------------- looking at kernels


class _Stand:
    """Stands for an array of which only the type matters: NumPy's in ``source`` and ``describe``."""

    device = None

    def __init__(self, layout: tuple[np.dtype[Any], int, bool, bool]) -> None:
        self.layout = layout
        self.storage = self

    def __xpu_view__(self) -> Any:
        return self


def _stand_in(arg: Any) -> Any:
    if isinstance(arg, np.ndarray):
        contiguous = bool(arg.flags.c_contiguous)
        return _Stand((dtypes.canonical(arg.dtype), arg.ndim, contiguous, arg.nbytes >= 2**31))
    if hasattr(arg, "__xpu_view__"):
        return _Stand(arg.__xpu_view__().layout)
    return tuple(map(_stand_in, arg)) if isinstance(arg, tuple) else arg


def _device(device: Device | str) -> tuple[Device | None, str, DeviceInfo]:
    """Return a device with its language and properties; a language that no device reads stands for an ordinary GPU."""
    from ..device import get_device

    try:
        found = get_device(device)
    except DeviceNotFoundError:
        if not isinstance(device, str) or device not in PRINTERS:
            raise
        return None, device, DeviceInfo(f"any {device} device", "", "gpu", fp16=True)
    return found, found.backend_device.printer, found.info


def _typed(kernel: KernelFunction, info: DeviceInfo, args: tuple[Any, ...], kwargs: dict[str, Any]) -> ir.Kernel:
    matched = tuple(_stand_in(arg) for arg in match(kernel, args, kwargs))
    return kernel.specialize([_types(key) for key in gather(kernel, matched).key], info)


def printed(kernel: KernelFunction, device: Device | str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Source:
    """Return a kernel as printed for a device."""
    _, language, info = _device(device)
    return print_kernel(_typed(kernel, info, args, kwargs), language, info, config.debug)


def spell(kind: ir.Type) -> str:
    """Return a type in the user's words."""
    if isinstance(kind, ir.Vector):
        return f"{kind.dtype.name} x {kind.lanes}"
    if isinstance(kind, ir.Scalar):
        return kind.dtype.name
    if kind.shape is not None:
        return f"{kind.space} {kind.dtype.name}[{', '.join(map(str, kind.shape))}]"
    layout = "contiguous" if kind.contiguous else "strided"
    return f"{kind.dtype.name}[{', '.join(':' * kind.ndim)}] {layout}"


def description(
    kernel: KernelFunction, device: Device | str, args: tuple[Any, ...], kwargs: dict[str, Any], size: Any
) -> str:
    """Return what is known of a kernel for arguments, as text."""
    found, language, info = _device(device)
    typed = _typed(kernel, info, args, kwargs)
    axes = "1 axis" if typed.rank == 1 else f"{typed.rank} axes"
    lines = [f"kernel {kernel.__name__} on {found or info.name} ({language}): {axes}"]
    lines.append("arguments")
    for param in typed.params:
        use = ""
        if isinstance(param.type, ir.ArrayType):
            use = {(True, True): ", read and written", (True, False): ", read", (False, True): ", written"}.get(
                (param.read, param.written), ", unused"
            )
        lines.append(f"  {param.name}: {spell(param.type)}{use}")
    if typed.variables:
        lines.append("variables")
        lines += [f"  {name}: {spell(kind)}" for name, kind in typed.variables.items()]
    if typed.functions:
        lines.append("helpers")
        for function in typed.functions:
            inputs = ", ".join(f"{p.name}: {spell(p.type)}" for p in function.params)
            lines.append(f"  {function.name}({inputs}) -> {spell(function.result) if function.result else 'nothing'}")
    lines.append("memory")
    for declared in typed.arrays:
        lines.append(f"  {declared.name}: {spell(declared.type)}")
    lines.append(f"  local: {ir.local_bytes(typed)} bytes a group of {info.limits.local_memory}")
    lines.append(f"barriers: {'yes' if typed.uses_barrier else 'no'}")
    if found is not None:
        executable = build(typed, found)
        private = executable.compiled.private_bytes
        lines.insert(
            -1, f"  private: {'not told by the device' if private is None else f'{private} bytes a work-item'}"
        )
        lines.append(f"work-group: at most {executable.allowed} work-items")
        if size is not None:
            lines.append(_sizes_line(executable, size, kernel.__name__))
    return "\n".join(lines)


def _sizes_line(executable: Executable, size: Any, name: str) -> str:
    whole, local = sizes.parse(size, executable.kernel.rank, name)
    if local is not None:
        how = f"{local} as asked"
    elif executable.source.barriers and 0 not in whole:
        how = f"{sizes.choose_local(whole, executable.device.info.limits, executable.allowed)}, chosen by xpu"
    else:
        how = "chosen by the device"
    return f"sizes: global {whole}, local {how}"


__all__ = ["Arguments", "Plan", "description", "gather", "launch", "match", "printed"]
