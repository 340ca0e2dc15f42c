"""Functions that a language does not spell become calls of functions written in the kernel language."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from ...backend import DeviceInfo
from ...errors import KernelCompileError, KernelTypeError
from .. import ir
from ..ir import DType
from .diagnostics import compile_error

Missing = Callable[[str, DType], bool]
_ANY_DEVICE = DeviceInfo("any device", "xpu", "cpu", fp16=True)


def expand(
    kernel: ir.Kernel, missing: Missing, info: DeviceInfo = _ANY_DEVICE, library: Mapping[str, Any] | None = None
) -> ir.Kernel:
    """Replace calls of functions that a printer does not spell.

    Parameters
    ----------
    kernel : ir.Kernel
        A finished kernel; it is not changed.
    missing : callable
        ``missing(function, dtype)`` tells whether the printer lacks a function of ``intrinsics.TABLE`` for a dtype.
    info : DeviceInfo
        The device; a function may take another way where there is no float64.
    library : mapping, optional
        Kernel-language functions to take before those of ``stdlib``.

    Returns
    -------
    ir.Kernel
        The same kernel, if nothing is missing.
    """
    expansion = _Expansion(missing, info, library or {})
    if not any(expansion.lacks(node) for node in ir.all_bodies(kernel)):
        return kernel
    expansion.taken = {function.name for function in kernel.functions}
    old = [expansion.rewrite_function(function) for function in kernel.functions]
    body = expansion.rewrite(kernel.body)
    return replace(kernel, functions=[*expansion.functions.values(), *old], body=body)


class _Expansion:
    def __init__(self, missing: Missing, info: DeviceInfo, library: Mapping[str, Any]) -> None:
        self.missing = missing
        self.info = info
        self.library = library
        self.functions: dict[str, ir.Function] = {}
        self.calls: dict[tuple[str, tuple[ir.Type, ...]], tuple[str, ir.Type]] = {}
        self.open: list[tuple[str, tuple[ir.Type, ...]]] = []
        self.taken: set[str] = set()

    def lacks(self, node: Any) -> bool:
        """Whether a node is a call that the printer does not spell."""
        return isinstance(node, ir.Call) and self.missing(node.function, node.args[0].type.dtype)

    def rewrite(self, node: Any) -> Any:
        """Return a copy of a node, or of a list of nodes, with missing calls replaced."""
        if isinstance(node, list):
            return [self.rewrite(item) for item in node]
        if not isinstance(node, (ir.Expr, ir.Stmt)):
            return node
        changed = {}
        for item in fields(node):
            value = getattr(node, item.name)
            if isinstance(value, (ir.Expr, ir.Stmt, list)):
                changed[item.name] = self.rewrite(value)
        copy = replace(node, **changed)
        if isinstance(copy, ir.Call) and self.lacks(copy):
            name, result = self.call(copy)
            call = ir.CallFunction(result, name, copy.args, loc=copy.loc)
            return call if result == copy.type else ir.Cast(copy.type, call, loc=copy.loc)
        return copy

    def rewrite_function(self, function: ir.Function) -> ir.Function:
        return replace(function, body=self.rewrite(function.body))

    def call(self, node: ir.Call) -> tuple[str, ir.Type]:
        """Return the name and result type of the function that stands for a call."""
        types = tuple(argument.type for argument in node.args)
        key = (node.function, types)
        known = self.calls.get(key)
        if known is None:
            if key in self.open:
                raise compile_error(
                    f"{node.function} of {types[0].dtype.name} is written with itself, and the device lacks it",
                    node.loc,
                )
            self.open.append(key)
            try:
                known = self.calls[key] = self._specialize(node, types)
            finally:
                self.open.pop()
        return known

    def _find(self, node: ir.Call, dtype: DType) -> Any:
        from ..stdlib import COMPLEX, REAL

        table = COMPLEX if dtype.kind == "c" else REAL
        function = self.library.get(node.function) if dtype.kind != "c" else None
        function = function or table.get(node.function)
        if function is None:
            raise compile_error(f"{node.function} of {dtype.name} is not available on this device", node.loc)
        return function

    def _specialize(self, node: ir.Call, types: tuple[ir.Type, ...]) -> tuple[str, ir.Type]:
        function = self._find(node, types[0].dtype)
        lanes = types[0].lanes if isinstance(types[0], ir.Vector) else 0
        try:
            functions, result = function.specialize(types, self.info)
        except (KernelCompileError, KernelTypeError):
            if not lanes:
                raise
            return self._lane_by_lane(function, node, types, lanes)
        return self._add(functions), self._result(result, node)

    def _result(self, result: ir.Type | None, node: ir.Call) -> ir.Type:
        if result is None:
            raise compile_error(f"the function for {node.function} returns nothing", node.loc)
        return result

    def _add(self, functions: list[ir.Function]) -> str:
        for function in functions:
            if function.name not in self.functions and function.name not in self.taken:
                rewritten = self.rewrite_function(function)
                self.functions[function.name] = rewritten
        return functions[-1].name

    def _lane_by_lane(
        self, function: Any, node: ir.Call, types: tuple[ir.Type, ...], lanes: int
    ) -> tuple[str, ir.Type]:
        """Make a function of vectors that calls one of numbers for each lane."""
        scalars = [ir.Scalar(kind.dtype) for kind in types]
        functions, result = function.specialize(scalars, self.info)
        inner = self._add(functions)
        single = self._result(result, node)
        kind = ir.Vector(single.dtype, lanes)
        params = [ir.Param(f"x{k}", own) for k, own in enumerate(types)]
        items: list[ir.Expr] = []
        for lane in range(lanes):
            args: list[ir.Expr] = [
                ir.Lane(scalar, ir.Var(own, f"x{k}"), lane)
                for k, (scalar, own) in enumerate(zip(scalars, types, strict=True))
            ]
            items.append(ir.CallFunction(single, inner, args))
        name = f"{inner}_x{lanes}"
        if name not in self.functions and name not in self.taken:
            body: list[ir.Stmt] = [ir.Return(ir.VectorOf(kind, items))]
            self.functions[name] = ir.Function(name, params, kind, {}, [], body)
        return name, kind
