"""How arguments travel: the one place that orders a kernel's signature."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..backend import Parameter
from . import ir

INT64 = np.dtype(np.int64)


def parameters(kernel: ir.Kernel, debug: bool = False) -> tuple[Parameter, ...]:
    """Return the printed kernel's signature (see :class:`xpu.kernel.ir.Kernel`)."""
    out = [Parameter(f"gsize{axis}", "scalar", INT64) for axis in range(kernel.rank)]
    for param in kernel.params:
        if isinstance(param.type, ir.ArrayType):
            out.append(Parameter(param.name, "buffer", param.type.dtype))
            out.append(Parameter(f"{param.name}_offset", "scalar", INT64))
            out += [Parameter(f"{param.name}_n{axis}", "scalar", INT64) for axis in range(param.type.ndim)]
            if not param.type.contiguous:
                out += [Parameter(f"{param.name}_s{axis}", "scalar", INT64) for axis in range(param.type.ndim)]
        else:
            out.append(Parameter(param.name, "scalar", param.type.dtype))
    if debug:
        out.append(Parameter("xpu_error", "buffer", INT64))
    return tuple(out)


def flatten(kernel: ir.Kernel, global_size: tuple[int, ...], arguments: list[Any], error: Any = None) -> list[Any]:
    """Return the values for :func:`parameters`: NumPy scalars and device blocks.

    ``arguments`` holds, for each parameter of the kernel, a :class:`xpu.memory.View` or a NumPy scalar.
    """
    int64 = np.int64
    out: list[Any] = [int64(n) for n in global_size]
    for param, value in zip(kernel.params, arguments, strict=True):
        if isinstance(param.type, ir.ArrayType):
            out.append(value.storage.block)
            out.append(int64(value.offset))
            out.extend(map(int64, value.shape))
            if not param.type.contiguous:
                out.extend(map(int64, value.strides))
        else:
            out.append(value)
    if error is not None:
        out.append(error)
    return out


def places(kernel: ir.Kernel) -> list[int]:
    """Return where the values of each of the kernel's parameters begin in what :func:`flatten` returns.

    An array's block and offset come first; its shape and strides follow.
    """
    found = {parameter.name: place for place, parameter in enumerate(parameters(kernel))}
    return [found[param.name] for param in kernel.params]
