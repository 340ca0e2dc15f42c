"""What is known of a finished kernel: rank, barriers, which arrays are read and written, what the device lacks."""

from __future__ import annotations

from ... import dtypes
from ...backend import DeviceInfo
from ...errors import UnsupportedDTypeError
from .. import ir
from .diagnostics import format_diagnostic
from .source import FunctionSource
from .uniform import check_barriers


def finish(kernel: ir.Kernel, source: FunctionSource, info: DeviceInfo) -> None:
    """Fill in the rank and the flags of a kernel and its helpers, and check it against the device."""
    nodes = list(ir.all_bodies(kernel))
    axes = [node.axis for node in nodes if isinstance(node, ir.WorkItem)]
    kernel.rank = 1 + max(axes, default=0)
    kernel.uses_barrier = any(isinstance(node, ir.Barrier) for node in nodes)
    for function in kernel.functions:
        function.uses_barrier = False  # helpers with barriers have been inlined
    mark_accesses(kernel)
    check_barriers(kernel, source.where)
    if not info.fp64:
        check_fp64(kernel, source, info)


def mark_accesses(kernel: ir.Kernel) -> None:
    """Set ``read`` and ``written`` of the array parameters of a kernel and its helpers."""
    known: dict[str, ir.Function] = {}
    for function in kernel.functions:
        _mark(function.params, function.body, known)
        known[function.name] = function
    _mark(kernel.params, kernel.body, known)


def _mark(params: list[ir.Param], body: list[ir.Stmt], known: dict[str, ir.Function]) -> None:
    read: set[str] = set()
    written: set[str] = set()
    for node in ir.walk(body):
        if isinstance(node, ir.Load):
            read.add(node.array)
        elif isinstance(node, ir.Store):
            written.add(node.array)
        elif isinstance(node, ir.Atomic):
            read.add(node.array)
            written.add(node.array)
        elif isinstance(node, ir.CallFunction) and node.function in known:
            for param, argument in zip(known[node.function].params, node.args, strict=True):
                if isinstance(argument, ir.ArrayRef):
                    if param.read:
                        read.add(argument.name)
                    if param.written:
                        written.add(argument.name)
    for param in params:
        if isinstance(param.type, ir.ArrayType):
            param.read = param.name in read
            param.written = param.name in written


def check_fp64(kernel: ir.Kernel, source: FunctionSource, info: DeviceInfo) -> None:
    """Refuse a kernel that computes in float64 on a device without it."""
    for param in kernel.params:
        if dtypes.needs_fp64(param.type.dtype):
            raise UnsupportedDTypeError(
                f"argument {param.name!r} of {source.where} is {param.type.dtype.name}, and {info.name} has no "
                f"float64: convert it first, for example with .astype(xp.float32)"
            )
    for node in ir.all_bodies(kernel):
        if isinstance(node, ir.Expr) and dtypes.needs_fp64(node.type.dtype):
            raise UnsupportedDTypeError(
                format_diagnostic(
                    f"this is computed in {node.type.dtype.name}, and {info.name} has no float64",
                    node.loc,
                    "use xp.float32(...) where the value is made",
                    source.where,
                )
            )
