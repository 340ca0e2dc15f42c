"""Small pieces of LLVM code that everything here is made of."""

from __future__ import annotations

from typing import Any

from llvmlite import ir

from . import types as t


def compare(builder: Any, op: str, ty: Any, left: Any, right: Any) -> Any:
    """Compare two real numbers or vectors of them; NaN makes everything false but ``!=``."""
    if t.is_float(ty):
        return builder.fcmp_unordered(op, left, right) if op == "!=" else builder.fcmp_ordered(op, left, right)
    if t.is_bool(ty) or not t.element(ty).signed:
        return builder.icmp_unsigned(op, left, right)
    return builder.icmp_signed(op, left, right)


def parts(builder: Any, value: Any) -> tuple[Any, Any]:
    """Return the real and the imaginary part of a complex value."""
    return builder.extract_value(value, 0), builder.extract_value(value, 1)


def join(builder: Any, ty: Any, real: Any, imag: Any) -> Any:
    """Return a complex value of its parts."""
    value = ir.Constant(t.llvm(ty), ir.Undefined)
    return builder.insert_value(builder.insert_value(value, real, 0), imag, 1)


def call_intrinsic(builder: Any, name: str, ty: Any, *args: Any) -> Any:
    """Call an LLVM intrinsic that is named after one type."""
    kind = t.llvm(ty)
    suffix = f"f{t.bits(ty)}" if t.is_float(ty) else f"i{t.bits(ty)}"
    if isinstance(ty, t.Vector):
        suffix = f"v{ty.lanes}{suffix}"
    return call_external(builder, f"{name}.{suffix}", kind, *args)


def call_external(builder: Any, name: str, result: Any, *args: Any) -> Any:
    """Call a function of LLVM or of the C library."""
    module = builder.module
    known = module.globals.get(name)
    if known is None:
        known = ir.Function(module, ir.FunctionType(result, [arg.type for arg in args]), name)
    return builder.call(known, args)


def freeze(builder: Any, value: Any) -> Any:
    """Make the result of an out-of-range conversion some number, not undefined behaviour."""
    instruction = ir.instructions.Instruction(builder.block, value.type, "freeze", [value])
    builder._insert(instruction)
    return instruction
