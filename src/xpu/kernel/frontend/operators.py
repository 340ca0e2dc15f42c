"""Operators on numbers: promotion, constant folding, the special cases of powers and bools."""

from __future__ import annotations

import ast

import numpy as np

from .. import ir
from .promotion import BOOL, Number, promote, weak_dtype
from .state import State
from .values import Num, constant, fold_firm, fold_weak, number_type

OPERATORS: dict[type[ast.AST], tuple[str, str]] = {
    ast.Add: ("add", "+"),
    ast.Sub: ("sub", "-"),
    ast.Mult: ("mul", "*"),
    ast.Div: ("truediv", "/"),
    ast.FloorDiv: ("floordiv", "//"),
    ast.Mod: ("mod", "%"),
    ast.Pow: ("pow", "**"),
    ast.LShift: ("shl", "<<"),
    ast.RShift: ("shr", ">>"),
    ast.BitAnd: ("and", "&"),
    ast.BitOr: ("or", "|"),
    ast.BitXor: ("xor", "^"),
    ast.Lt: ("lt", "<"),
    ast.LtE: ("le", "<="),
    ast.Gt: ("gt", ">"),
    ast.GtE: ("ge", ">="),
    ast.Eq: ("eq", "=="),
    ast.NotEq: ("ne", "!="),
}
_INTEGER_ONLY = ("shl", "shr", "and", "or", "xor")
_ORDER = ("lt", "le", "gt", "ge")
_WORDS = {"and": "and", "or": "or", "xor": "!="}


class Operators(State):
    """Unary and binary operators, comparisons, conversion to truth."""

    def common(self, left: Num, right: Num, node: ast.AST) -> Number:
        """Return the common type of two numbers."""
        number = promote(left.number, right.number, self.default)
        if number is None:
            raise self.mismatch(
                f"{left.number} and {right.number} have no common integer type",
                node,
                "convert one of them: xp.int64(...) or xp.uint64(...)",
            )
        return number

    def arithmetic(self, op: str, left: Num, right: Num, node: ast.AST) -> Num:
        """Return ``left op right``."""
        sign = next(s for name, s in OPERATORS.values() if name == op)
        if left.is_const and right.is_const:
            folded = self._fold(op, left, right, node)
            if folded is not None:
                return folded
        number = self.common(left, right, node)
        kind = number.dtype.kind
        if kind == "b":
            number = self._bools(op, sign, number, node)
            kind = number.dtype.kind
        if op in _INTEGER_ONLY and kind not in "biu":
            advice = "use xp.int32(...) or xp.int64(...) on the operands first"
            if op == "xor":
                advice = "a power is written ** in Python; " + advice
            raise self.mismatch(f"{sign} works on integers, not on {left.number} and {right.number}", node, advice)
        if kind == "c" and op in ("floordiv", "mod"):
            raise self.mismatch(f"{sign} is not defined for complex numbers", node)
        if op == "truediv" and kind in "iu":
            number = Number(self.default, number.weak, number.lanes)
        if op == "pow":
            return self._power(left, right, number, node)
        a, b = self.convert(left, number, node), self.convert(right, number, node)
        return Num(ir.Binary(number_type(number), op, a, b, loc=self.loc(node)), number.weak)

    def _bools(self, op: str, sign: str, number: Number, node: ast.AST) -> Number:
        if op in ("and", "or", "xor"):
            return number
        if op in ("truediv", "shl", "shr", "floordiv", "mod", "pow"):
            return Number(weak_dtype("i", self.default), False, number.lanes)
        raise self.mismatch(
            f"{sign} of two bools: NumPy and Python disagree on what that is",
            node,
            "for truth write `a or b`, `a and b`; for counting convert first: xp.int32(a) + xp.int32(b)",
        )

    def _fold(self, op: str, left: Num, right: Num, node: ast.AST) -> Num | None:
        loose = [v.weak or v.dtype == BOOL for v in (left, right)]
        if all(loose):
            try:
                value = fold_weak(op, left.value, right.value)
            except ZeroDivisionError:
                if "f" in (left.dtype.kind, right.dtype.kind):
                    return None
                raise self.refuse("division by zero", node, "the divisor is the constant 0") from None
            except (OverflowError, ValueError, TypeError) as error:
                raise self.refuse(f"this constant cannot be computed: {error}", node) from None
            return constant(value, self.default, self.loc(node))
        number = promote(left.number, right.number, self.default)
        if number is None:
            return None
        a, b = self.convert(left, number, node), self.convert(right, number, node)
        if isinstance(a, ir.Const) and isinstance(b, ir.Const):
            value = fold_firm(op, a.value, b.value, number.dtype)
            if value is not None:
                result = BOOL if op in (*_ORDER, "eq", "ne") else number.dtype
                return constant(value, self.default, self.loc(node), result)
        return None

    def _power(self, left: Num, right: Num, number: Number, node: ast.AST) -> Num:
        kind = number_type(number)
        loc = self.loc(node)
        exponent = right.value if right.is_const else None
        if number.dtype.kind in "iu" and isinstance(exponent, int) and exponent < 0:
            raise self.mismatch(
                "integers to negative powers are no integers", node, "convert the base first: xp.float32(n) ** -1"
            )
        if exponent in (0, 1, 2, 3, 4, -1, 0.5) and not isinstance(exponent, complex):
            base = self.spill(Num(self.convert(left, number, node), number.weak)).expr
            one = self.convert(constant(1, self.default, loc), number, node)
            if exponent == 0:
                return Num(one, number.weak)
            if exponent == 1:
                return Num(base, number.weak)
            if exponent == -1:
                return Num(ir.Binary(kind, "truediv", one, base, loc=loc), number.weak)
            if exponent == 0.5:
                return Num(ir.Call(kind, "sqrt", [base], loc=loc), number.weak)
            square: ir.Expr = ir.Binary(kind, "mul", base, base, loc=loc)
            if exponent == 3:
                square = ir.Binary(kind, "mul", square, base, loc=loc)
            elif exponent == 4:
                square = self.spill(Num(square)).expr
                square = ir.Binary(kind, "mul", square, square, loc=loc)
            return Num(square, number.weak)
        a, b = self.convert(left, number, node), self.convert(right, number, node)
        if number.dtype.kind in "iu":
            return Num(ir.Binary(kind, "pow", a, b, loc=loc), number.weak)
        return Num(ir.Call(kind, "pow", [a, b], loc=loc), number.weak)

    def compare(self, op: str, left: Num, right: Num, node: ast.AST) -> Num:
        """Return ``left op right``, a bool."""
        for this, other in ((left, right), (right, left)):
            outside = self._outside(op if this is left else _mirror(op), this, other)
            if outside is not None:
                return constant(outside, self.default, self.loc(node))
        if left.is_const and right.is_const:
            folded = self._fold(op, left, right, node)
            if folded is not None:
                return folded
        number = self.common(left, right, node)
        if number.dtype.kind == "c" and op in _ORDER:
            raise self.mismatch("complex numbers have no order", node, "compare abs(z), z.real or z.imag")
        a, b = self.convert(left, number, node), self.convert(right, number, node)
        result = ir.Vector(BOOL, number.lanes) if number.lanes else ir.BOOL
        return Num(ir.Binary(result, op, a, b, loc=self.loc(node)))

    def _outside(self, op: str, value: Num, other: Num) -> bool | None:
        """Return the answer of ``value op other`` for a constant that the value's type cannot reach."""
        if not (other.is_const and other.weak and isinstance(other.value, int)) or value.weak:
            return None
        if value.dtype.kind not in "iu" or value.number.lanes:
            return None
        info = np.iinfo(value.dtype)
        if other.value > int(info.max):
            return op in ("lt", "le", "ne")
        if other.value < int(info.min):
            return op in ("gt", "ge", "ne")
        return None

    def unary(self, node: ast.UnaryOp, operand: Num) -> Num:
        """Return ``-x``, ``+x`` or ``~x``."""
        loc = self.loc(node)
        kind = operand.dtype.kind
        if isinstance(node.op, ast.Invert):
            if kind not in "biu":
                raise self.mismatch(f"~ works on integers and bools, not on {operand.number}", node)
            if operand.is_const and kind == "b":
                return constant(not operand.value, self.default, loc)
            if operand.is_const and operand.weak:
                return constant(~operand.value, self.default, loc)
            return Num(ir.Unary(operand.expr.type, "invert", operand.expr, loc=loc), operand.weak)
        sign = -1 if isinstance(node.op, ast.USub) else 1
        if operand.is_const and (operand.weak or kind == "b"):
            return constant(-operand.value if sign < 0 else +operand.value, self.default, loc)
        if kind == "b":
            raise self.mismatch(
                "a bool has no sign", node, "for the opposite write `not x`; for a number convert first: xp.int32(x)"
            )
        if operand.is_const and kind in "if":
            return constant(-operand.value if sign < 0 else operand.value, self.default, loc, operand.dtype)
        if sign > 0:
            return operand
        return Num(ir.Unary(operand.expr.type, "neg", operand.expr, loc=loc), operand.weak)

    def truth(self, value: Num, node: ast.AST) -> ir.Expr:
        """Return whether a number is not zero, as a bool."""
        if value.number.lanes:
            raise self.mismatch(
                "a vector has one truth for each lane, and a condition wants one",
                node,
                "choose lane by lane with xp.where(condition, a, b), or take one lane: v[0] > 0",
            )
        if value.dtype.kind == "b":
            return value.expr
        if value.is_const:
            return ir.Const(ir.BOOL, bool(value.value), loc=self.loc(node))
        zero = ir.Const(value.expr.type, to_zero(value), loc=self.loc(node))
        return ir.Binary(ir.BOOL, "ne", value.expr, zero, loc=self.loc(node))

    def negate(self, truth: ir.Expr, node: ast.AST) -> ir.Expr:
        """Return the opposite of a bool."""
        if isinstance(truth, ir.Const):
            return ir.Const(ir.BOOL, not truth.value, loc=self.loc(node))
        return ir.Unary(ir.BOOL, "not", truth, loc=self.loc(node))


def to_zero(value: Num) -> int | float | complex:
    """Return zero in the Python type that fits a number."""
    return {"f": 0.0, "c": 0j}.get(value.dtype.kind, 0)


def _mirror(op: str) -> str:
    return {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}.get(op, op)
