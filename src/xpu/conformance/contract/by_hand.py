"""Kernels built node by node: the contract is tested without the front end and without any function of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...device import Device
from ...kernel import ir
from ...kernel.build import Executable, build
from ...memory import Storage, View, contiguous_strides

INT = ir.INT64


def number(value: int) -> ir.Expr:
    """Return an int64 constant."""
    return ir.Const(INT, value)


def binary(op: str, left: ir.Expr, right: ir.Expr) -> ir.Expr:
    """Return an operation on two values of one type."""
    return ir.Binary(ir.BOOL if op in ir.COMPARE_OPS else left.type, op, left, right)


def item(function: str, axis: int = 0) -> ir.Expr:
    """Return a work-item function."""
    return ir.WorkItem(INT, function, axis)


def array(name: str, dtype: Any, ndim: int = 1, *, written: bool = False, contiguous: bool = True) -> ir.Param:
    """Return a parameter that is an array."""
    return ir.Param(name, ir.ArrayType(np.dtype(dtype), ndim, contiguous, wide=True), read=not written, written=written)


def kernel(name: str, params: list[ir.Param], body: list[ir.Stmt], rank: int = 1, **more: Any) -> ir.Kernel:
    """Return a kernel without local variables."""
    return ir.Kernel(name, params, {}, more.pop("arrays", []), body, rank=rank, **more)


def copy_kernel(dtype: Any, rank: int = 1, contiguous: bool = True) -> ir.Kernel:
    """Return ``out[i, ...] = x[i, ...]``."""
    ids = [item("global_id", axis) for axis in range(rank)]
    scalar = ir.Scalar(np.dtype(dtype))
    params = [
        array("x", dtype, rank, contiguous=contiguous),
        array("out", dtype, rank, written=True, contiguous=contiguous),
    ]
    return kernel("conformance_copy", params, [ir.Store("out", ids, ir.Load(scalar, "x", ids))], rank)


def scale_kernel(dtype: Any, op: str = "add") -> ir.Kernel:
    """Return ``out[i] = x[i] op k``."""
    i, scalar = item("global_id"), ir.Scalar(np.dtype(dtype))
    value = binary(op, ir.Load(scalar, "x", [i]), ir.Var(scalar, "k"))
    params = [array("x", dtype), ir.Param("k", scalar), array("out", dtype, written=True)]
    return kernel(f"conformance_{op}", params, [ir.Store("out", [i], value)])


def reverse_kernel(group: int) -> ir.Kernel:
    """Return a kernel that reverses each group of elements through local memory."""
    scalar = ir.FLOAT32
    local = ir.ArrayType(np.dtype(np.float32), 1, space="local", shape=(group,))
    lid, gid = item("local_id"), item("global_id")
    mirrored = ir.Load(scalar, "tile", [binary("sub", number(group - 1), lid)])
    body = [ir.Store("tile", [lid], ir.Load(scalar, "x", [gid])), ir.Barrier(), ir.Store("out", [gid], mirrored)]
    params = [array("x", np.float32), array("out", np.float32, written=True)]
    return kernel("conformance_reverse", params, body, arrays=[ir.ArrayDecl("tile", local)], uses_barrier=True)


def ids_kernel(function: str, rank: int) -> ir.Kernel:
    """Return a kernel that stores what a work-item function gives, for every axis."""
    ids = [item("global_id", axis) for axis in range(rank)]
    body: list[ir.Stmt] = [ir.Store("out", [*ids, number(axis)], item(function, axis)) for axis in range(rank)]
    return kernel(f"conformance_{function}", [array("out", np.int64, rank + 1, written=True)], body, rank)


class Bench:
    """Blocks of a device, filled from NumPy arrays and read back, for one test."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self.backend = device.backend_device

    def put(self, values: np.ndarray) -> View:
        """Return a contiguous view of fresh memory that holds the values."""
        view = self.room(values.shape, values.dtype)
        if values.size:
            self.backend.copy_in(view.storage.block, 0, np.ascontiguousarray(values).reshape(-1).view(np.uint8))
        return view

    def room(self, shape: tuple[int, ...], dtype: Any) -> View:
        """Return a contiguous view of fresh memory."""
        chosen = np.dtype(dtype)
        count = int(np.prod(shape, dtype=np.int64))
        return View(Storage(self.device, count * chosen.itemsize), chosen, shape, contiguous_strides(shape))

    def get(self, view: View) -> np.ndarray:
        """Return the values of a contiguous view."""
        out = np.empty(view.shape, view.dtype)
        if out.size:
            raw = out.reshape(-1).view(np.uint8)
            self.backend.copy_out(view.storage.block, view.offset * view.dtype.itemsize, raw)
        return out

    def build(self, node: ir.Kernel) -> Executable:
        """Compile a kernel, without debug mode's checks."""
        return build(node, self.device, debug=False)

    def run(
        self, node: ir.Kernel, size: tuple[int, ...], *arguments: Any, local: tuple[int, ...] | None = None
    ) -> None:
        """Compile and launch a kernel."""
        self.build(node).run(size, local, arguments)
