"""The front end: from a Python function and argument types to the typed IR.

The ways in are :func:`specialize_kernel`, :func:`specialize_helper` and :func:`expand`.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...backend import DeviceInfo
from .. import ir
from ..ir import DType
from .analysis import finish, mark_accesses
from .context import Compilation
from .diagnostics import compile_error
from .expand import expand
from .lowering import FunctionLowering
from .promotion import default_float
from .signature import ArgType, array_dtypes, canonical_arg, placeholder
from .source import FunctionSource
from .syntax import check_syntax

__all__ = ["FunctionSource", "check_syntax", "default_dtype", "expand", "specialize_helper", "specialize_kernel"]


def default_dtype(types: Sequence[ArgType], info: DeviceInfo) -> DType:
    """Return the default float of a kernel with these arguments: the widest float of its arrays."""
    return default_float(array_dtypes(tuple(types)), info.fp64)


def specialize_kernel(source: FunctionSource, arg_types: Sequence[ArgType], info: DeviceInfo) -> ir.Kernel:
    """Infer and lower a kernel for argument types.

    Parameters
    ----------
    source : FunctionSource
        The user's function.
    arg_types : sequence
        One for each parameter: ``ir.ArrayType``; ``ir.Scalar`` or a dtype for numbers with a dtype; ``bool``, ``int``,
        ``float`` or ``complex`` for Python's numbers, which are weak; a tuple of these.
    info : DeviceInfo
        What the device can do.
    """
    types = tuple(canonical_arg(arg) for arg in arg_types)
    compilation = Compilation(info, default_dtype(types, info), source.name)
    lowering = FunctionLowering(compilation, source, types)
    lowering.run()
    kernel = lowering.kernel(source.name)
    finish(kernel, source, info)
    return kernel


def specialize_helper(
    source: FunctionSource, arg_types: Sequence[ArgType], info: DeviceInfo
) -> tuple[list[ir.Function], ir.Type | None]:
    """Infer and lower a helper for argument types, to be called from a kernel made by other means.

    Returns
    -------
    functions : list of ir.Function
        The helper, last, and before it those that it calls. Their names are made of what they do, so that helpers
        specialised one by one can be put into one kernel.
    result : ir.Type or None
        What it returns.
    """
    types = tuple(canonical_arg(arg) for arg in arg_types)
    numbers = [t.dtype for t in types if isinstance(t, (ir.Scalar, ir.Vector))]
    compilation = Compilation(info, default_float(array_dtypes(types) + numbers, info.fp64), "", digests=True)
    helper = compilation.helper(source, [placeholder(t, compilation.default) for t in types])
    if helper.inline:
        raise compile_error(
            f"{source.where} cannot be called as a function",
            source.loc,
            "it holds a barrier or local memory, or returns a tuple",
        )
    functions = [*compilation.reachable(helper.function.body), helper.function]
    holder = ir.Kernel("", [], {}, [], [], functions)
    mark_accesses(holder)
    return functions, helper.function.result
