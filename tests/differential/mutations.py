"""Mistakes that a printer could make, to see that the comparison notices each of them."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import fields
from typing import Any

import numpy as np

from xpu.kernel import ir

Change = Callable[[Any], Any]
"""A node to its replacement: itself, another, or None for a statement that is left out."""


def rewrite(kernel: ir.Kernel, change: Change) -> ir.Kernel:
    """Return a copy of a kernel with every node replaced, inner ones first."""
    out = copy.deepcopy(kernel)
    for function in (*out.functions, out):
        function.body = _each(function.body, change)
    return out


def _each(items: list[Any], change: Change) -> list[Any]:
    changed = (_node(item, change) if isinstance(item, (ir.Expr, ir.Stmt)) else item for item in items)
    return [item for item in changed if item is not None]


def _node(node: Any, change: Change) -> Any:
    for item in fields(node):
        value = getattr(node, item.name)
        if isinstance(value, (ir.Expr, ir.Stmt)):
            setattr(node, item.name, _node(value, change))
        elif isinstance(value, list):
            setattr(node, item.name, _each(value, change))
    return change(node)


def _is_binary(node: Any, op: str, kinds: str) -> bool:
    return isinstance(node, ir.Binary) and node.op == op and node.left.type.dtype.kind in kinds


def _scalar(node: Any) -> bool:
    return isinstance(node.type, ir.Scalar)


def _narrow(node: Any) -> Any:
    """Compute sums and products of int64 in 32 bits."""
    arithmetic = isinstance(node, ir.Binary) and node.op in ("add", "sub", "mul")
    if arithmetic and node.type == ir.INT64:
        return ir.Cast(ir.INT64, ir.Cast(ir.INT32, node))
    return node


def _truncating_mod(node: Any) -> Any:
    """Give the remainder the dividend's sign, as C does."""
    if not (_is_binary(node, "mod", "i") and _scalar(node)):
        return node
    zero = ir.Const(node.type, 0)
    off = ir.Binary(
        ir.BOOL,
        "land",
        ir.Binary(ir.BOOL, "ne", node, zero),
        ir.Binary(ir.BOOL, "ne", ir.Binary(ir.BOOL, "lt", node.left, zero), ir.Binary(ir.BOOL, "lt", node, zero)),
    )
    return ir.Select(node.type, off, ir.Binary(node.type, "sub", node, node.right), node)


def _truncating_floordiv(node: Any) -> Any:
    """Round quotients of integers towards zero, as C does."""
    if not (_is_binary(node, "floordiv", "i") and _scalar(node)):
        return node
    rest = _truncating_mod(ir.Binary(node.type, "mod", node.left, node.right))
    return ir.Binary(node.type, "floordiv", ir.Binary(node.type, "sub", node.left, rest), node.right)


def _masked_shift(node: Any) -> Any:
    """Take shift amounts modulo the width, as processors do."""
    if (_is_binary(node, "shl", "iu") or _is_binary(node, "shr", "iu")) and _scalar(node):
        mask = ir.Const(node.type, 8 * node.type.dtype.itemsize - 1)
        return ir.Binary(node.type, node.op, node.left, ir.Binary(node.type, "and", node.right, mask))
    return node


def _contracted(node: Any) -> Any:
    """Fuse multiplication and addition."""
    float_ = _is_binary(node, "add", "f") and _scalar(node) and node.type.dtype.itemsize > 2
    if float_ and _is_binary(node.left, "mul", "f"):
        return ir.Call(node.type, "fma", [node.left.left, node.left.right, node.right])
    return node


def _swapped(ops: dict[str, str], kinds: str) -> Change:
    def change(node: Any) -> Any:
        if isinstance(node, ir.Binary) and node.op in ops and node.left.type.dtype.kind in kinds:
            return ir.Binary(node.type, ops[node.op], node.left, node.right)
        return node

    return change


def _without(*kinds: type) -> Change:
    return lambda node: None if isinstance(node, kinds) else node


def _signed_comparison(node: Any) -> Any:
    """Compare unsigned numbers as signed ones."""
    if isinstance(node, ir.Binary) and node.op in ("lt", "gt") and _scalar(node) and node.left.type.dtype.kind == "u":
        signed = ir.Scalar(np.dtype(f"i{node.left.type.dtype.itemsize}"))
        return ir.Binary(node.type, node.op, ir.Reinterpret(signed, node.left), ir.Reinterpret(signed, node.right))
    return node


def _rounding_down(node: Any) -> Any:
    """Round to integers downwards instead of towards zero."""
    if (
        isinstance(node, ir.Cast)
        and _scalar(node)
        and node.type.dtype.kind == "i"
        and node.operand.type.dtype.kind == "f"
    ):
        return ir.Cast(node.type, ir.Call(node.operand.type, "floor", [node.operand]))
    return node


def _plain_atomic(node: Any) -> Any:
    """Add where an atomic should subtract."""
    if isinstance(node, ir.Atomic) and node.op == "sub":
        return ir.Atomic(node.type, "add", node.array, node.indices, node.values)
    return node


def _wrong_half(node: Any) -> Any:
    """Keep more digits than float16 has, in products."""
    half, single = ir.Scalar(np.dtype(np.float16)), ir.FLOAT32
    sum_ = isinstance(node, ir.Binary) and node.op == "add" and node.type == half
    if sum_ and isinstance(node.left, ir.Binary) and node.left.op == "mul":
        wide = [ir.Cast(single, part) for part in (node.left.left, node.left.right, node.right)]
        return ir.Cast(half, ir.Binary(single, "add", ir.Binary(single, "mul", wide[0], wide[1]), wide[2]))
    return node


MUTATIONS: dict[str, Change] = {
    "floordiv rounds towards zero": _truncating_floordiv,
    "mod has the dividend's sign": _truncating_mod,
    "int64 arithmetic in 32 bits": _narrow,
    "barriers are dropped": _without(ir.Barrier),
    "continue is dropped": _without(ir.Continue),
    "shift amounts are masked": _masked_shift,
    "multiply and add are fused": _contracted,
    "<= is printed <": _swapped({"le": "lt", "ge": "gt"}, "iu"),
    "unsigned compared as signed": _signed_comparison,
    "casts to integers round down": _rounding_down,
    "atomic_sub adds": _plain_atomic,
    "float16 keeps extra digits": _wrong_half,
}
