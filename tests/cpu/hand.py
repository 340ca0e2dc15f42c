"""Kernels built node by node, compiled and launched on the CPU backend with NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from xpu.kernel import ir
from xpu.kernel.debug import WORDS
from xpu.kernel.printers import print_kernel
from xpu_cpu.blocks import Block
from xpu_cpu.device import CpuDevice

I64, I32, F32, F64, BOOL = ir.INT64, ir.INT32, ir.FLOAT32, ir.FLOAT64, ir.BOOL
DEVICE = CpuDevice()


def scalar(dtype: Any) -> ir.Scalar:
    return ir.Scalar(np.dtype(dtype))


def const(value: Any, type_: Any = I64) -> ir.Const:
    return ir.Const(type_, value)


def var(name: str, type_: Any = I64) -> ir.Var:
    return ir.Var(type_, name)


def binary(op: str, left: Any, right: Any) -> ir.Binary:
    type_ = left.type
    if op in ir.COMPARE_OPS:
        bool_ = np.dtype(np.bool_)
        type_ = ir.Vector(bool_, type_.lanes) if isinstance(type_, ir.Vector) else BOOL
    return ir.Binary(type_, op, left, right)


def gid(axis: int = 0) -> ir.WorkItem:
    return ir.WorkItem(I64, "global_id", axis)


def lid(axis: int = 0) -> ir.WorkItem:
    return ir.WorkItem(I64, "local_id", axis)


def load(array: str, *indices: Any, type_: Any = F32) -> ir.Load:
    return ir.Load(type_, array, list(indices))


def store(array: str, value: Any, *indices: Any) -> ir.Store:
    return ir.Store(array, list(indices), value)


def array(name: str, dtype: Any = np.float32, ndim: int = 1, contiguous: bool = True) -> ir.Param:
    return ir.Param(name, ir.ArrayType(np.dtype(dtype), ndim, contiguous), written=True)


def declared(name: str, *shape: int, dtype: Any = np.float32, space: Any = "local") -> ir.ArrayDecl:
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


def source(node: ir.Kernel, debug: bool = False) -> Any:
    return print_kernel(node, "numba", DEVICE.info, debug)


def arguments(node: ir.Kernel, size: tuple[int, ...], values: Any, errors: Any = None) -> list[Any]:
    """Return what launch takes; arrays may have any strides."""
    flat: list[Any] = [np.int64(n) for n in size]
    for param, value in zip(node.params, values, strict=True):
        if not isinstance(param.type, ir.ArrayType):
            flat.append(value)
            continue
        block = Block(np.zeros(0, np.uint8))
        block.address = value.ctypes.data
        flat += [block, np.int64(0), *map(np.int64, value.shape)]
        if not param.type.contiguous:
            flat += [np.int64(stride // value.itemsize) for stride in value.strides]
    if errors is not None:
        block = Block(errors.view(np.uint8))
        flat.append(block)
    return flat


def run(node: ir.Kernel, size: Any, *values: Any, local: Any = None, debug: bool = False) -> np.ndarray | None:
    """Launch on NumPy arrays, which the kernel changes in place; returns the error words in debug mode."""
    size = (size,) if isinstance(size, int) else size
    local = (local,) if isinstance(local, int) else local
    errors = np.zeros(WORDS, np.int64) if debug else None
    compiled = DEVICE.compile(source(node, debug))
    DEVICE.launch(compiled, size, local, arguments(node, size, values, errors))
    return errors


def compute(expression: ir.Expr, result: Any, *inputs: np.ndarray) -> np.ndarray:
    """Return an expression of ``load("a", i)``, ``load("b", i)``... for all elements of the inputs."""
    names = "abcd"[: len(inputs)]
    params = [array(name, values.dtype) for name, values in zip(names, inputs, strict=True)]
    out = np.zeros(inputs[0].size, result)
    run(kernel([*params, array("out", result)], [store("out", expression, gid())]), inputs[0].size, *inputs, out)
    return out


def compute_all(expressions: dict[Any, tuple[ir.Expr, Any]], *inputs: np.ndarray) -> dict[Any, np.ndarray]:
    """Return several expressions at once, each with the dtype of its result: one compilation instead of many."""
    params = [array(name, values.dtype) for name, values in zip("abcd", inputs, strict=False)]
    outs = [np.zeros(inputs[0].size, dtype) for _, dtype in expressions.values()]
    names = [f"out{number}" for number in range(len(outs))]
    body = [store(name, expression, gid()) for name, (expression, _) in zip(names, expressions.values(), strict=True)]
    targets = [array(name, out.dtype) for name, out in zip(names, outs, strict=True)]
    run(kernel([*params, *targets], body), inputs[0].size, *inputs, *outs)
    return dict(zip(expressions, outs, strict=True))


def element(name: str, dtype: Any) -> ir.Load:
    return load(name, gid(), type_=scalar(dtype))
