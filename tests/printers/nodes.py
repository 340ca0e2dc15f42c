"""Typed kernels built node by node."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from xpu.kernel import ir

I64, I32, F32, F64, BOOL = ir.INT64, ir.INT32, ir.FLOAT32, ir.FLOAT64, ir.BOOL


def scalar(dtype: Any) -> ir.Scalar:
    return ir.Scalar(np.dtype(dtype))


def vector(dtype: Any, lanes: int) -> ir.Vector:
    return ir.Vector(np.dtype(dtype), lanes)


def const(value: Any, type_: Any = I64) -> ir.Const:
    return ir.Const(type_, value)


def var(name: str, type_: Any = I64) -> ir.Var:
    return ir.Var(type_, name)


def binary(op: str, left: ir.Expr, right: ir.Expr) -> ir.Binary:
    type_: Any = left.type
    if op in ir.COMPARE_OPS:
        bool_ = np.dtype(np.bool_)
        type_ = ir.Vector(bool_, type_.lanes) if isinstance(type_, ir.Vector) else ir.Scalar(bool_)
    return ir.Binary(type_, op, left, right)


def add(left: ir.Expr, right: Any) -> ir.Binary:
    return binary("add", left, right if isinstance(right, ir.Expr) else const(right, left.type))


def mul(left: ir.Expr, right: Any) -> ir.Binary:
    return binary("mul", left, right if isinstance(right, ir.Expr) else const(right, left.type))


def call(function: str, *args: ir.Expr, type_: Any = None) -> ir.Call:
    return ir.Call(type_ or args[0].type, function, list(args))


def cast(value: ir.Expr, dtype: Any) -> ir.Cast:
    type_ = vector(dtype, value.type.lanes) if isinstance(value.type, ir.Vector) else scalar(dtype)
    return ir.Cast(type_, value)


def gid(axis: int = 0) -> ir.WorkItem:
    return ir.WorkItem(I64, "global_id", axis)


def item(function: str, axis: int = 0) -> ir.WorkItem:
    return ir.WorkItem(I64, function, axis)


def load(array: str, *indices: Any, type_: Any = F32) -> ir.Load:
    return ir.Load(type_, array, list(indices))


def array(name: str, dtype: Any = np.float32, ndim: int = 1, written: bool = False, **more: Any) -> ir.Param:
    return ir.Param(name, ir.ArrayType(np.dtype(dtype), ndim, **more), read=True, written=written)


def kernel(name: str, params: list[ir.Param], body: list[ir.Stmt], **more: Any) -> ir.Kernel:
    """Return a kernel; variables are found from the assignments unless they are given."""
    variables = more.pop("variables", None)
    if variables is None:
        variables = assigned(body)
        for param in params:
            variables.pop(param.name, None)
    uses = any(isinstance(node, ir.Barrier) for node in ir.walk(body)) or any(
        function.uses_barrier for function in more.get("functions", ())
    )
    return ir.Kernel(name, params, variables, more.pop("arrays", []), body, uses_barrier=uses, **more)


def function(name: str, params: list[ir.Param], result: Any, body: list[ir.Stmt], **more: Any) -> ir.Function:
    variables = assigned(body)
    for param in params:
        variables.pop(param.name, None)
    uses = any(isinstance(node, ir.Barrier) for node in ir.walk(body))
    return ir.Function(name, params, result, variables, more.pop("arrays", []), body, uses_barrier=uses)


def assigned(body: list[ir.Stmt]) -> dict[str, ir.Type]:
    found: dict[str, ir.Type] = {}
    for node in ir.walk(body):
        if isinstance(node, ir.Assign):
            found.setdefault(node.name, node.value.type)
        elif isinstance(node, ir.For):
            found.setdefault(node.name, node.start.type)
    return found


Formula = Callable[..., ir.Expr]


def elementwise(name: str, inputs: Sequence[Any], formulas: Sequence[Formula]) -> ir.Kernel:
    """Return a kernel that stores each formula of the inputs' elements into an array of its own."""
    index = var("i")
    loads = [load(f"x{k}", index, type_=scalar(dtype)) for k, dtype in enumerate(inputs)]
    results = [formula(*loads) for formula in formulas]
    params = [array(f"x{k}", dtype) for k, dtype in enumerate(inputs)]
    params += [array(f"y{k}", result.type.dtype, written=True) for k, result in enumerate(results)]
    body: list[ir.Stmt] = [ir.Assign("i", gid())]
    body += [ir.Store(f"y{k}", [index], result) for k, result in enumerate(results)]
    return kernel(name, params, body)


def lanewise(name: str, inputs: Sequence[Any], lanes: int, formulas: Sequence[Formula]) -> ir.Kernel:
    """Return the same with short vectors: a work-item takes ``lanes`` elements."""
    index = var("i")
    loads = [load(f"x{k}", index, type_=vector(dtype, lanes)) for k, dtype in enumerate(inputs)]
    results = [formula(*loads) for formula in formulas]
    params = [array(f"x{k}", dtype) for k, dtype in enumerate(inputs)]
    params += [array(f"y{k}", result.type.dtype, written=True) for k, result in enumerate(results)]
    body: list[ir.Stmt] = [ir.Assign("i", mul(gid(), lanes))]
    body += [ir.Store(f"y{k}", [index], result) for k, result in enumerate(results)]
    return kernel(name, params, body)
