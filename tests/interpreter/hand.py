"""Kernels built by hand, node by node, and their launch on the interpreter with NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from xpu.kernel import ir
from xpu.kernel.interpreter import Block, Program
from xpu.memory import contiguous_strides

I64, F32, F64, BOOL, I32 = ir.INT64, ir.FLOAT32, ir.FLOAT64, ir.BOOL, ir.INT32


def scalar(dtype: Any) -> ir.Scalar:
    return ir.Scalar(np.dtype(dtype))


def const(value: Any, type_: Any = I64, loc: ir.Loc | None = None) -> ir.Const:
    return ir.Const(type_, value, loc=loc)


def var(name: str, type_: Any = I64) -> ir.Var:
    return ir.Var(type_, name)


def binary(op: str, left: Any, right: Any, type_: Any = None) -> ir.Binary:
    result = type_ or (BOOL if op in ir.COMPARE_OPS else left.type)
    return ir.Binary(result, op, left, right)


def gid(axis: int = 0) -> ir.WorkItem:
    return ir.WorkItem(I64, "global_id", axis)


def lid(axis: int = 0) -> ir.WorkItem:
    return ir.WorkItem(I64, "local_id", axis)


def load(array: str, *indices: Any, type_: Any = F32, loc: ir.Loc | None = None) -> ir.Load:
    return ir.Load(type_, array, list(indices), loc=loc)


def store(array: str, value: Any, *indices: Any, loc: ir.Loc | None = None) -> ir.Store:
    return ir.Store(array, list(indices), value, loc=loc)


def array(
    name: str, dtype: Any = np.float32, ndim: int = 1, written: bool = False, contiguous: bool = True
) -> ir.Param:
    return ir.Param(name, ir.ArrayType(np.dtype(dtype), ndim, contiguous), written=written)


def local(name: str, *shape: int, dtype: Any = np.float32, space: Any = "local") -> ir.ArrayDecl:
    return ir.ArrayDecl(name, ir.ArrayType(np.dtype(dtype), len(shape), space=space, shape=shape))


def kernel(
    params: list[ir.Param],
    body: list[ir.Stmt],
    variables: dict[str, Any] | None = None,
    arrays: list[ir.ArrayDecl] | None = None,
    **more: Any,
) -> ir.Kernel:
    uses = any(isinstance(node, ir.Barrier) for node in ir.walk(body))
    return ir.Kernel("k", params, variables or {}, arrays or [], body, uses_barrier=uses, **more)


def block_of(values: np.ndarray) -> Block:
    block = Block(max(values.nbytes, 1))
    block.write(0, np.ascontiguousarray(values).view(np.uint8).reshape(-1))
    return block


def run(node: ir.Kernel, size: Any, *arguments: Any, local: Any = None, true_size: Any = None) -> list[Any]:
    """Launch on NumPy arrays (copied in), Blocks (as flat arrays of the argument's dtype) and NumPy scalars.

    Returns the arrays as they are afterwards.
    """
    size = (size,) if isinstance(size, int) else size
    local = (local,) if isinstance(local, int) else local
    flat: list[Any] = [np.int64(n) for n in (true_size or size)]
    blocks = []
    for param, value in zip(node.params, arguments, strict=True):
        if not isinstance(param.type, ir.ArrayType):
            flat.append(value)
            continue
        dtype = param.type.dtype
        if isinstance(value, Block):
            block, shape = value, (value.data.size // dtype.itemsize,)
        else:
            block, shape = block_of(value), value.shape
        blocks.append((block, dtype, shape))
        flat += [block, np.int64(0), *map(np.int64, shape)]
        if not param.type.contiguous:
            flat += map(np.int64, contiguous_strides(shape))
    Program(node).run(size, local, flat)
    return [
        block.data[: int(np.prod(shape)) * dtype.itemsize].view(dtype).reshape(shape) for block, dtype, shape in blocks
    ]
