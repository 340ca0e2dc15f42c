"""What every call needs: its arguments, conversions to a dtype, the rules of ``intrinsics.TABLE``."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ... import dtypes
from ...errors import UnsupportedDTypeError
from .. import intrinsics, ir
from .expressions import Expressions
from .promotion import Number
from .values import Num, Value, constant, fold_function, number_type

PYTHON_TYPES: dict[Any, str] = {int: "i", float: "f", complex: "c", bool: "b"}


class Application(Expressions):
    """Arguments of calls, casts, and functions of ``xp.math`` applied to numbers."""

    # ------------------------------------------------------------------------------------------------ arguments

    def no_keywords(self, node: ast.Call, name: str) -> None:
        """Refuse keyword arguments."""
        if node.keywords:
            raise self.refuse(f"{name} takes no keyword arguments", node.keywords[0].value, "give them by position")

    def arguments(self, node: ast.Call, name: str, low: int, high: int | None = None) -> list[tuple[Value, ast.expr]]:
        """Return the values of positional arguments, between ``low`` and ``high`` of them."""
        self.no_keywords(node, name)
        out: list[tuple[Value, ast.expr]] = []
        plain = [a.value if isinstance(a, ast.Starred) else a for a in node.args]
        for value, argument in zip(self.sequence(plain), node.args, strict=True):
            if isinstance(argument, ast.Starred):
                out += [(item, argument) for item in self.unpack(value, argument)]
            else:
                out.append((value, argument))
        high = low if high is None else high
        if not low <= len(out) <= high:
            wanted = str(low) if low == high else f"{low} to {high}"
            raise self.mismatch(f"{name} takes {wanted} argument{'s' * (wanted != '1')}, not {len(out)}", node)
        return out

    def numbers(self, node: ast.Call, name: str, low: int, high: int | None = None) -> list[Num]:
        """Return positional arguments that are numbers."""
        return [self.as_number(value, argument) for value, argument in self.arguments(node, name, low, high)]

    # -------------------------------------------------------------------------------------------------------- casts

    def dtype_of(self, obj: Any, node: ast.AST) -> np.dtype[Any]:
        """Return the dtype meant by a Python object."""
        if obj is float:
            return self.default
        try:
            return dtypes.canonical(obj)
        except UnsupportedDTypeError:
            raise self.mismatch(
                f"{obj!r} is not a dtype of kernels", node, f"use one of {', '.join(dtypes.NAMES)}"
            ) from None

    def cast(self, obj: Any, value: Num, node: ast.AST) -> Num | None:
        """Convert a number to a Python type or a dtype; None where that is none."""
        loc = self.loc(node)
        if obj is int and value.is_const and value.weak:
            return constant(int(value.value), self.default, loc)
        if obj is float and value.is_const and value.weak:
            return constant(float(value.value), self.default, loc)
        if not (
            obj in PYTHON_TYPES or isinstance(obj, np.dtype) or (isinstance(obj, type) and issubclass(obj, np.generic))
        ):
            return None
        target = Number(self.dtype_of(obj, node), False, value.number.lanes)
        if value.is_const:
            if value.dtype.kind == "c" and target.dtype.kind not in "cb":
                raise self.mismatch("a complex number is no real one", node, "take z.real, z.imag or abs(z)")
            return constant(value.value, self.default, loc, target.dtype)
        if target.dtype.kind == "b" and not value.number.lanes:
            return Num(self.truth(value, node))
        return Num(self.convert(value, target, node))

    # --------------------------------------------------------------------------------------------- xp.math functions

    def apply(self, name: str, values: list[Num], node: ast.AST) -> Num:
        """Apply a function of ``intrinsics.TABLE`` to numbers."""
        row = intrinsics.TABLE[name]
        loc = self.loc(node)
        loose = all(v.is_const and (v.weak or v.dtype.kind == "b") for v in values)
        if loose:
            folded = fold_function(name, [v.value for v in values])
            if folded is not None:
                return constant(folded, self.default, loc)
        number = values[0].number
        for value in values[1:]:
            number = self.common(Num(ir.Var(number_type(number), ""), number.weak), value, node)
        kind = number.dtype.kind
        if row.rule in ("float", "bool") and kind in "biu":
            if name in ("isnan", "isinf"):
                return constant(False, self.default, loc) if not number.lanes else self._refuse_kind(name, number, node)
            number = Number(self.default, number.weak, number.lanes)
        elif kind == "b":
            if name in ("min", "max", "minimum", "maximum", "fmin", "fmax", "conj", "real"):
                return self._bool_function(name, values, node)
            number = Number(np.dtype(np.int64), False, number.lanes)
        kind = number.dtype.kind
        if kind == "c" and not row.complex_:
            raise self.mismatch(f"{name} is not defined for complex numbers", node, "take z.real, z.imag or abs(z)")
        if kind in "iu" and name in ("floor", "ceil", "trunc", "rint", "conj", "real"):
            return values[0]
        if kind == "u" and name == "abs":
            return values[0]
        if kind not in row.kinds and not (kind == "c" and row.complex_):
            return self._refuse_kind(name, number, node)
        args = [self.convert(value, number, node) for value in values]
        if name in ("conj", "real") and kind == "f":
            return Num(args[0], number.weak)
        if name == "imag" and kind == "f":
            return self.part("imag", Num(args[0], number.weak), node)
        result = number
        if row.rule == "bool":
            result = Number(np.dtype(np.bool_), False, number.lanes)
        elif row.rule == "real":
            result = Number(dtypes.real_of(number.dtype), number.weak, number.lanes)
        return Num(ir.Call(number_type(result), name, args, loc=loc), result.weak)

    def _refuse_kind(self, name: str, number: Number, node: ast.AST) -> Num:
        advice = (
            "convert the argument first: xp.uint32(x)" if name in ("popcount", "clz") else "convert the argument first"
        )
        raise self.mismatch(f"{name} is not defined for {number}", node, advice)

    def _bool_function(self, name: str, values: list[Num], node: ast.AST) -> Num:
        if len(values) == 1:
            return values[0]
        op = "and" if "min" in name else "or"
        return self.arithmetic(op, values[0], values[1], node)
