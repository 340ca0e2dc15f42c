"""Negated numbers in kernels with barriers, on OpenCL processors.

Intel's CPU runtime takes the result of the instruction that changes a floating sign for the same in all work-items of a
group. In kernels with barriers that shows: after ``y = -x`` and a barrier every work-item has the last one's ``y``, and
what was computed from it. So no such instruction may arise there. Negations are written ``z - x``, where ``z`` is -0.0, which
follows from an argument so that no compiler knows it; compilers make negations of ``x * -1``, ``x / -1`` and
``-0.0 - x`` too, so these are written likewise.
"""

from __future__ import annotations

import math
from typing import Any

from ...dtypes import real_of
from .. import ir
from .c_prelude import Prelude
from .c_recurrences import ZERO
from .c_text import group, ungroup


def negated(node: Any) -> ir.Expr | None:
    """Return what a node negates, or None for nodes of which no compiler makes a negation."""
    if not isinstance(node, ir.Expr) or node.type.dtype.kind not in "fc":
        return None
    match node:
        case ir.Unary(op="neg", operand=operand):
            return operand
        case ir.Call(function="conj", args=[operand]):
            return operand
        case ir.Binary(op="mul", left=left, right=right) if node.type.dtype.kind == "f":
            return right if _is(left, -1) else left if _is(right, -1) else None
        case ir.Binary(op="truediv", left=left, right=right) if node.type.dtype.kind == "f":
            return left if _is(right, -1) else None
        case ir.Binary(op="sub", left=left, right=right) if node.type.dtype.kind == "f":
            return right if _is(left, 0) and _signed(left) else None
    return None


def has_negation(function: ir.Function | ir.Kernel) -> bool:
    """Whether a function negates a floating number somewhere."""
    return any(negated(node) is not None for node in ir.walk(function.body))


def opaque_negation(prelude: Prelude, node: ir.Expr, text: str) -> str:
    """Return the negation (or conjugate) of an operand's text, in OpenCL C."""
    if not isinstance(node, ir.Call):
        return f"{_minus_zero(node.type.dtype)} - {group(text)}"
    dtype = node.type.dtype
    made = prelude.make_complex(dtype, "a.x", f"{_minus_zero(dtype)} - a.y")
    type_ = prelude.ctype(node.type)
    name = prelude.define(f"xpu_hidden_conj_{dtype.name}", type_, f"{type_} a, const int {ZERO}", [f"return {made};"])
    return f"{name}({ungroup(text)}, {ZERO})"


def _minus_zero(dtype: ir.DType) -> str:
    if real_of(dtype).itemsize == 8:
        return f"as_double((long)0x8000000000000000UL ^ (long){ZERO})"
    return f"as_float((int)0x80000000u ^ {ZERO})"  # float16 is computed in float32


def _is(node: ir.Expr, value: int) -> bool:
    return isinstance(node, ir.Const) and node.value == value


def _signed(node: ir.Expr) -> bool:
    return isinstance(node, ir.Const) and math.copysign(1, complex(node.value).real) < 0
