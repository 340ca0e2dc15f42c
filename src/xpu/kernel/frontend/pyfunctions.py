"""Python's builtins and those functions of ``math`` and NumPy that are no rows of ``intrinsics.TABLE``."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .. import ir
from .builtins import Builtins
from .promotion import INT64, Number
from .values import Array, Num, Static, Tuple, Value, constant, number_type


class PythonFunctions(Builtins):
    """Methods named ``_python_<word>``, one for each word that ``names.python_name`` gives."""

    def _python_abs(self, node: ast.Call) -> Value:
        (value,) = self.numbers(node, "abs", 1)
        return self.apply("abs", [value], node)

    def _python_min(self, node: ast.Call) -> Value:
        return self._extreme("min", node)

    def _python_max(self, node: ast.Call) -> Value:
        return self._extreme("max", node)

    def _extreme(self, name: str, node: ast.Call) -> Value:
        arguments = self.arguments(node, name, 1, 64)
        if len(arguments) == 1:
            value, argument = arguments[0]
            if isinstance(value, Array):
                raise self.refuse(
                    f"{name} of an array is not part of the kernel language",
                    node,
                    "loop over its elements, or xp.min before",
                )
            arguments = [(item, argument) for item in self.unpack(value, argument)]
        numbers = [self.as_number(value, argument) for value, argument in arguments]
        if all(v.is_const and v.weak for v in numbers):
            return min(numbers, key=lambda v: v.value) if name == "min" else max(numbers, key=lambda v: v.value)
        result = numbers[0]
        for value in numbers[1:]:
            result = self.apply(name, [result, value], node)
        return result

    def _python_round_int(self, node: ast.Call) -> Value:
        if len(node.args) > 1:
            raise self.refuse("round to digits is not part of the kernel language", node, "write round(x * 100) / 100")
        (value,) = self.numbers(node, "round", 1)
        return self._whole("rint", value, node)

    def _whole(self, name: str, value: Num, node: ast.AST) -> Num:
        """Return a rounded value as an integer, as Python's own functions do."""
        if value.dtype.kind in "biu":
            return value
        if value.is_const and value.weak:
            import math

            function: Any = {"rint": round, "floor": math.floor, "ceil": math.ceil, "trunc": math.trunc}[name]
            return constant(function(value.value), self.default, self.loc(node))
        rounded = self.apply(name, [value], node)
        return Num(self.convert(rounded, Number(INT64, False, rounded.number.lanes), node))

    def _python_len(self, node: ast.Call) -> Value:
        ((value, argument),) = self.arguments(node, "len", 1)
        if isinstance(value, Array):
            if not value.ndim:
                raise self.mismatch(f"{value.label!r} has no dimensions", argument)
            return self.shape(value, node)[0]
        return constant(len(self.unpack(value, argument)), self.default, self.loc(node))

    def _python_power_operator(self, node: ast.Call) -> Value:
        base, exponent = self.numbers(node, "pow", 2)
        return self.arithmetic("pow", base, exponent, node)

    def _python_divmod(self, node: ast.Call) -> Value:
        left, right = (self.spill(v) for v in self.numbers(node, "divmod", 2))
        return Tuple([self.arithmetic("floordiv", left, right, node), self.arithmetic("mod", left, right, node)])

    def _python_print(self, node: ast.Call) -> Value:
        self.no_keywords(node, "print")
        parts: list[str | ir.Expr] = []
        for value, argument in self.arguments(node, "print", 0, 64):
            parts += self._printed(value, argument)
        self.emit(ir.Print(parts, loc=self.loc(node)))
        return Static(None)

    def _printed(self, value: Value, node: ast.AST) -> list[str | ir.Expr]:
        if isinstance(value, Static):
            return [str(value.obj)]
        if isinstance(value, Tuple):
            return [part for item in value.items for part in self._printed(item, node)]
        number = self.as_number(value, node)
        if number.number.lanes:
            kept = self.spill(number).expr
            kind = ir.Scalar(number.dtype)
            return [ir.Lane(kind, kept, lane, loc=self.loc(node)) for lane in range(number.number.lanes)]
        return [number.expr]

    def _python_breakpoint(self, node: ast.Call) -> Value:
        self.emit(ir.Breakpoint(loc=self.loc(node)))
        return Static(None)

    def _python_sum(self, node: ast.Call) -> Value:
        (value, argument), *start = self.arguments(node, "sum", 1, 2)
        if isinstance(value, Array):
            raise self.refuse("sum of an array is not part of the kernel language", node, "loop over its elements")
        result = self.as_number(start[0][0], node) if start else constant(0, self.default, self.loc(node))
        for item in self.unpack(value, argument):
            result = self.arithmetic("add", result, self.as_number(item, argument), node)
        return result

    def _truths(self, op: str, node: ast.Call) -> Value:
        ((value, argument),) = self.arguments(node, "any" if op == "lor" else "all", 1)
        items = self.unpack(value, argument)
        if not items:
            return constant(op == "land", self.default, self.loc(node))
        parts = [partial(self.truth_of, item, argument) for item in items]
        return Num(self.short_circuit(op, parts, node))

    def _python_any(self, node: ast.Call) -> Value:
        return self._truths("lor", node)

    def _python_all(self, node: ast.Call) -> Value:
        return self._truths("land", node)

    def _python_range_alone(self, node: ast.Call) -> Value:
        raise self.refuse("range stands only in a for loop", node, "write `for k in range(n):`")

    def _python_tuple(self, node: ast.Call) -> Value:
        ((value, argument),) = self.arguments(node, "tuple", 1)
        return Tuple(self.unpack(value, argument))

    def _python_isinstance(self, node: ast.Call) -> Value:
        raise self.refuse(
            "isinstance is not part of the kernel language", node, "compare dtypes: `if a.dtype == xp.float32:`"
        )

    # ---------------------------------------------------------------------------------------- functions of `math`

    def _python_math_floor(self, node: ast.Call) -> Value:
        (value,) = self.numbers(node, "math.floor", 1)
        return self._whole("floor", value, node)

    def _python_math_ceil(self, node: ast.Call) -> Value:
        (value,) = self.numbers(node, "math.ceil", 1)
        return self._whole("ceil", value, node)

    def _python_math_trunc(self, node: ast.Call) -> Value:
        (value,) = self.numbers(node, "math.trunc", 1)
        return self._whole("trunc", value, node)

    def _python_math_log(self, node: ast.Call) -> Value:
        values = self.numbers(node, "log", 1, 2)
        logs = [self.apply("log", [value], node) for value in values]
        return logs[0] if len(logs) == 1 else self.arithmetic("truediv", logs[0], logs[1], node)

    def _python_math_hypot(self, node: ast.Call) -> Value:
        values = self.numbers(node, "hypot", 1, 64)
        if len(values) == 1:
            return self.apply("abs", values, node)
        result = values[0]
        for value in values[1:]:
            result = self.apply("hypot", [result, value], node)
        return result

    def _python_math_pow(self, node: ast.Call) -> Value:
        return self.apply("pow", self.numbers(node, "pow", 2), node)

    def _python_math_fma(self, node: ast.Call) -> Value:
        return self.apply("fma", self.numbers(node, "fma", 3), node)

    def _python_math_prod(self, node: ast.Call) -> Value:
        ((value, argument),) = self.arguments(node, "prod", 1)
        result = constant(1, self.default, self.loc(node))
        for item in self.unpack(value, argument):
            result = self.arithmetic("mul", result, self.as_number(item, argument), node)
        return result

    def _python_math_ldexp(self, node: ast.Call) -> Value:
        value, exponent = self.numbers(node, "ldexp", 2)
        scale = self.apply("exp2", [self._floating(exponent, value, node)], node)
        return self.arithmetic("mul", value, scale, node)

    _python_numpy_ldexp = _python_math_ldexp

    def _floating(self, value: Num, like: Num, node: ast.AST) -> Num:
        """Return an integer in the floating type that goes with another operand."""
        dtype = like.dtype if like.dtype.kind == "f" and not like.weak else self.default
        return Num(self.convert(value, Number(dtype, False, value.number.lanes), node))

    def _python_math_modf(self, node: ast.Call) -> Value:
        value = self.spill(self.numbers(node, "modf", 1)[0])
        whole = self.spill(self.apply("trunc", [value], node))
        return Tuple([self.arithmetic("sub", value, whole, node), whole])

    _python_numpy_modf = _python_math_modf

    def _python_math_isclose(self, node: ast.Call) -> Value:
        raise self.refuse("isclose is not part of the kernel language", node, "write abs(a - b) <= tolerance")

    _python_numpy_isclose = _python_math_isclose

    def _python_math_dist(self, node: ast.Call) -> Value:
        raise self.refuse("math.dist is not part of the kernel language", node, "write xp.math.hypot(ax - bx, ay - by)")

    def _python_math_gcd(self, node: ast.Call) -> Value:
        return self._divisors(self._gcd, "gcd", node)

    def _python_math_lcm(self, node: ast.Call) -> Value:
        return self._divisors(self._lcm, "lcm", node)

    def _divisors(self, function: Callable[[Num, Num, ast.AST], Num], name: str, node: ast.Call) -> Value:
        """Return a function of any number of integers, two at a time."""
        values = self.numbers(node, name, 1, 64)
        for value in values:
            if value.dtype.kind not in "iu" or value.number.lanes:
                raise self.mismatch(f"{name} is of integers, and this is {value.number}", node, "convert it: int(x)")
        if all(value.is_const and value.weak for value in values):
            import math

            return constant(getattr(math, name)(*(v.value for v in values)), self.default, self.loc(node))
        result = values[0]
        for value in values[1:]:
            result = function(result, value, node)
        return self.apply("abs", [result], node)

    def _gcd(self, left: Num, right: Num, node: ast.AST) -> Num:
        """Return the greatest common divisor, of either sign: Euclid's loop on two names."""
        number = self.common(left, right, node)
        kind, loc = number_type(number), self.loc(node)
        start = [self.convert(value, number, node) for value in (left, right)]
        names = [self.temporary(kind) for _ in start]
        a, b = (Num(ir.Var(kind, name, loc=loc), number.weak) for name in names)
        for name, value in zip(names, start, strict=True):
            self.emit(ir.Assign(name, value, loc=loc))
        goes_on = self.compare("ne", b, constant(0, self.default, loc), node).expr
        with self.sub_block() as body:
            rest = self.temporary(kind)
            self.emit(ir.Assign(rest, self.arithmetic("mod", a, b, node).expr, loc=loc))
            self.emit(ir.Assign(names[0], b.expr, loc=loc))
            self.emit(ir.Assign(names[1], ir.Var(kind, rest, loc=loc), loc=loc))
        self.emit(ir.While(goes_on, body, loc=loc))
        return a

    def _lcm(self, left: Num, right: Num, node: ast.AST) -> Num:
        left, right = self.spill(left), self.spill(right)
        part = self.arithmetic("floordiv", left, self._gcd(left, right, node), node)
        return self.arithmetic("mul", part, right, node)

    def _python_math_isqrt(self, node: ast.Call) -> Value:
        raise self.refuse(
            "math.isqrt is not part of the kernel language", node, "write int(xp.math.sqrt(xp.float64(n)))"
        )

    # ------------------------------------------------------------------------------- NumPy's functions (and xpu's)

    def _python_numpy_where(self, node: ast.Call) -> Value:
        arguments = self.arguments(node, "where", 3)
        condition, then, other = arguments
        mask = self.as_number(condition[0], condition[1])
        if mask.number.lanes:
            truth = Num(self.convert(mask, Number(np.dtype(np.bool_), False, mask.number.lanes), node)).expr
            return self.select(truth, then[0], other[0], node)
        test = self.truth(mask, condition[1])
        if isinstance(test, ir.Const):
            return self.as_number((then if test.value else other)[0], node)
        return self.select(test, then[0], other[0], node)

    def _python_numpy_square(self, node: ast.Call) -> Value:
        value = self.spill(self.numbers(node, "square", 1)[0])
        return self.arithmetic("mul", value, value, node)

    def _python_numpy_negative(self, node: ast.Call) -> Value:
        (value,) = self.numbers(node, "negative", 1)
        return self.unary(ast.copy_location(ast.UnaryOp(ast.USub(), node.args[0]), node), value)

    def _python_numpy_positive(self, node: ast.Call) -> Value:
        return self.numbers(node, "positive", 1)[0]

    def _python_numpy_invert(self, node: ast.Call) -> Value:
        (value,) = self.numbers(node, "invert", 1)
        return self.unary(ast.copy_location(ast.UnaryOp(ast.Invert(), node.args[0]), node), value)

    _python_numpy_bitwise_invert = _python_numpy_invert

    def _python_numpy_reciprocal(self, node: ast.Call) -> Value:
        (value,) = self.numbers(node, "reciprocal", 1)
        return self.arithmetic("truediv", constant(1, self.default, self.loc(node)), value, node)

    def _python_numpy_round(self, node: ast.Call) -> Value:
        return self.apply("rint", self.numbers(node, "round", 1), node)

    def _python_numpy_divmod(self, node: ast.Call) -> Value:
        return self._python_divmod(node)

    def _python_numpy_sign(self, node: ast.Call) -> Value:
        value = self.spill(self.numbers(node, "sign", 1)[0])
        zero = constant(0, self.default, self.loc(node))
        one = constant(1, self.default, self.loc(node))
        minus = constant(-1, self.default, self.loc(node))
        if value.dtype.kind == "u" or value.dtype.kind == "b":
            return self.select(self.compare("gt", value, zero, node).expr, one, zero, node)
        below = self.select(self.compare("lt", value, zero, node).expr, minus, value, node)
        signed = self.select(self.compare("gt", value, zero, node).expr, one, below, node)
        assert isinstance(signed, Num)
        return Num(self.convert(signed, Number(value.dtype, False, value.number.lanes), node), value.weak)

    def _logical_function(self, op: str, node: ast.Call) -> Value:
        left, right = self.numbers(node, f"logical_{op}", 2)
        lanes = max(left.number.lanes, right.number.lanes)
        kind = Number(np.dtype(np.bool_), False, lanes)
        a, b = (self.convert(v, kind, node) for v in (left, right))
        return Num(ir.Binary(number_type(kind), op, a, b, loc=self.loc(node)))

    def _python_numpy_logical_and(self, node: ast.Call) -> Value:
        return self._logical_function("and", node)

    def _python_numpy_logical_or(self, node: ast.Call) -> Value:
        return self._logical_function("or", node)

    def _python_numpy_logical_xor(self, node: ast.Call) -> Value:
        return self._logical_function("xor", node)

    def _python_numpy_logical_not(self, node: ast.Call) -> Value:
        (value,) = self.numbers(node, "logical_not", 1)
        kind = Number(np.dtype(np.bool_), False, value.number.lanes)
        return Num(ir.Unary(number_type(kind), "invert", self.convert(value, kind, node), loc=self.loc(node)))

    # ----------------------------------------------------------------------------- operators under NumPy's names

    def _operator(self, op: str, node: ast.Call) -> Value:
        left, right = self.numbers(node, op, 2)
        if op in ("lt", "le", "gt", "ge", "eq", "ne"):
            return self.compare(op, left, right, node)
        return self.arithmetic(op, left, right, node)

    def __getattr__(self, name: str) -> Any:
        prefix = "_python_operator_"
        if name.startswith(prefix):
            return lambda node: self._operator(name[len(prefix) :], node)
        raise AttributeError(name)
