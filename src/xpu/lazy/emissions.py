"""How one result of each operation is computed: IR for the rows of ``operations.TABLE``.

Loaded when the first kernel is generated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..kernel import ir

DType = np.dtype[Any]
Emit = Callable[["Emitter", list[ir.Expr], ir.Type], ir.Expr]
_BOOL = np.dtype(np.bool_)


class Emitter:
    """What an emission may ask of the kernel under construction."""

    def call(self, name: str, args: list[ir.Expr]) -> ir.Expr:
        """Call a kernel-language function of ``kernels.elementwise``."""
        raise NotImplementedError

    def call_function(self, function: Any, args: list[ir.Expr]) -> ir.Expr:
        """Call any kernel-language function."""
        raise NotImplementedError


def element(type_: ir.Type) -> DType:
    """Return the dtype of a scalar or of a vector's lanes."""
    return type_.dtype


def like(type_: ir.Type, dtype: DType) -> ir.Type:
    """Return the scalar or vector type of another dtype with the same lanes."""
    return ir.Vector(dtype, type_.lanes) if isinstance(type_, ir.Vector) else ir.Scalar(dtype)


def constant(type_: ir.Type, value: Any) -> ir.Expr:
    """Return a constant, in every lane."""
    scalar = ir.Const(ir.Scalar(type_.dtype), value)
    return ir.VectorOf(type_, [scalar]) if isinstance(type_, ir.Vector) else scalar


def cast(value: ir.Expr, type_: ir.Type) -> ir.Expr:
    """Return the value converted, if it needs to be."""
    return value if value.type == type_ else ir.Cast(type_, value)


def _binary(op: str, for_bool: str | None = None) -> Emit:
    def emit(emitter: Emitter, args: list[ir.Expr], result: ir.Type) -> ir.Expr:
        chosen = for_bool if for_bool and result.dtype.kind == "b" else op
        return ir.Binary(result, chosen, args[0], args[1])

    return emit


def _unary(op: str) -> Emit:
    return lambda emitter, args, result: ir.Unary(result, op, args[0])


def _compare(op: str) -> Emit:
    def emit(emitter: Emitter, args: list[ir.Expr], result: ir.Type) -> ir.Expr:
        left, right = args
        if left.type != right.type:  # NumPy compares int64 with uint64 by value
            return _compare_mixed(op, left, right, result)
        if left.type.dtype.kind == "c" and op in _COMPLEX_ORDER:
            return emitter.call(_COMPLEX_ORDER[op], args)
        return ir.Binary(result, op, left, right)

    return emit


_COMPLEX_ORDER = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal"}
_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le", "eq": "eq", "ne": "ne"}


def _compare_mixed(op: str, left: ir.Expr, right: ir.Expr, result: ir.Type) -> ir.Expr:
    if left.type.dtype.kind == "u":
        return _compare_mixed(_MIRRORED[op], right, left, result)
    negative = ir.Binary(result, "lt", left, constant(left.type, 0))
    same = ir.Binary(result, op, ir.Cast(right.type, left), right)
    return ir.Select(result, negative, constant(result, op in ("lt", "le", "ne")), same)


def _math(function: str) -> Emit:
    return lambda emitter, args, result: ir.Call(result, function, list(args))


def _function(name: str) -> Emit:
    return lambda emitter, args, result: emitter.call(name, args)


def _on_floats(name: str, otherwise: bool, function: str | None = None) -> Emit:
    """Ask floats; integers are answered at once."""

    def emit(emitter: Emitter, args: list[ir.Expr], result: ir.Type) -> ir.Expr:
        if args[0].type.dtype.kind in "fc":
            return ir.Call(result, function or name, list(args))
        return constant(result, otherwise)

    return emit


def _rounding(function: str) -> Emit:
    def emit(emitter: Emitter, args: list[ir.Expr], result: ir.Type) -> ir.Expr:
        kind = args[0].type.dtype.kind
        if kind == "f":
            return ir.Call(result, function, list(args))
        return args[0] if kind != "c" else emitter.call(function, args)

    return emit


def _logical(op: str) -> Emit:
    def emit(emitter: Emitter, args: list[ir.Expr], result: ir.Type) -> ir.Expr:
        truths = [cast(arg, like(arg.type, _BOOL)) for arg in args]
        return ir.Binary(result, op, truths[0], truths[1])

    return emit


def _logical_not(emitter: Emitter, args: list[ir.Expr], result: ir.Type) -> ir.Expr:
    return ir.Unary(result, "not", cast(args[0], like(args[0].type, _BOOL)))


def _invert(emitter: Emitter, args: list[ir.Expr], result: ir.Type) -> ir.Expr:
    return ir.Unary(result, "not" if result.dtype.kind == "b" else "invert", args[0])


def _power(emitter: Emitter, args: list[ir.Expr], result: ir.Type) -> ir.Expr:
    if result.dtype.kind in "fc":
        return ir.Call(result, "pow", list(args))
    return ir.Binary(result, "pow", args[0], args[1])


def _divide(op: str, name: str) -> Emit:
    def emit(emitter: Emitter, args: list[ir.Expr], result: ir.Type) -> ir.Expr:
        if result.dtype.kind in "iu":
            return ir.Binary(result, op, args[0], args[1])
        return emitter.call(name, args)

    return emit


def _absolute(emitter: Emitter, args: list[ir.Expr], result: ir.Type) -> ir.Expr:
    if args[0].type.dtype.kind in "bu":
        return args[0]
    return ir.Call(result, "abs", list(args))


def _square(emitter: Emitter, args: list[ir.Expr], result: ir.Type) -> ir.Expr:
    return ir.Binary(result, "mul", args[0], args[0])


def _extremum(name: str) -> Emit:
    def emit(emitter: Emitter, args: list[ir.Expr], result: ir.Type) -> ir.Expr:
        kind = result.dtype.kind
        if kind == "b":
            return ir.Binary(result, "or" if name in ("maximum", "fmax") else "and", args[0], args[1])
        return emitter.call(name, args) if kind == "c" else ir.Call(result, name, list(args))

    return emit


def _part(name: str) -> Emit:
    def emit(emitter: Emitter, args: list[ir.Expr], result: ir.Type) -> ir.Expr:
        if args[0].type.dtype.kind == "c":
            return ir.Call(result, name, list(args))
        return constant(result, 0) if name == "imag" else args[0]

    return emit


def _sign(emitter: Emitter, args: list[ir.Expr], result: ir.Type) -> ir.Expr:
    return emitter.call("sign", args)


def _emit_cast(emitter: Emitter, args: list[ir.Expr], result: ir.Type) -> ir.Expr:
    return cast(args[0], result)


def _emit_where(emitter: Emitter, args: list[ir.Expr], result: ir.Type) -> ir.Expr:
    return ir.Select(result, args[0], args[1], args[2])


_MATH = """
    sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh cbrt acos acosh asin asinh atan atanh atan2 hypot
    signbit copysign nextafter
"""


def emission(op: Any) -> Emit:
    """Return how an operation is computed: its own way, or the table's."""
    own: Emit | None = getattr(op, "emit", None)
    return own if own is not None else EMIT[op.name]


EMIT: dict[str, Emit] = {
    "add": _binary("add", "or"),
    "subtract": _binary("sub"),
    "multiply": _binary("mul", "and"),
    "divide": _binary("truediv"),
    "floor_divide": _divide("floordiv", "floor_divide"),
    "remainder": _divide("mod", "remainder"),
    "fmod": _function("fmod"),
    "power": _power,
    "float_power": _power,
    "negative": _unary("neg"),
    "positive": _unary("pos"),
    "abs": _absolute,
    "fabs": _absolute,
    "square": _square,
    "reciprocal": _function("reciprocal"),
    "sign": _sign,
    "equal": _compare("eq"),
    "not_equal": _compare("ne"),
    "logical_and": _logical("and"),
    "logical_or": _logical("or"),
    "logical_xor": _logical("xor"),
    "logical_not": _logical_not,
    "bitwise_and": _binary("and"),
    "bitwise_or": _binary("or"),
    "bitwise_xor": _binary("xor"),
    "bitwise_invert": _invert,
    "bitwise_left_shift": _binary("shl"),
    "bitwise_right_shift": _binary("shr"),
    "bitwise_count": _function("bitwise_count"),
    "floor": _rounding("floor"),
    "ceil": _rounding("ceil"),
    "trunc": _rounding("trunc"),
    "rint": _rounding("rint"),
    "maximum": _extremum("maximum"),
    "minimum": _extremum("minimum"),
    "fmax": _extremum("fmax"),
    "fmin": _extremum("fmin"),
    "isnan": _on_floats("isnan", False),
    "isinf": _on_floats("isinf", False),
    "isfinite": _on_floats("isfinite", True),
    "signbit": _math("signbit"),
    "copysign": _math("copysign"),
    "nextafter": _math("nextafter"),
    "conj": _part("conj"),
    "sqrt": _math("sqrt"),
    "atan2": _math("atan2"),
    "hypot": _math("hypot"),
    "logaddexp": _function("logaddexp"),
    "logaddexp2": _function("logaddexp2"),
    "heaviside": _function("heaviside"),
    "deg2rad": _math("radians"),
    "rad2deg": _math("degrees"),
    "gcd": _function("gcd"),
    "lcm": _function("lcm"),
    "less": _compare("lt"),
    "less_equal": _compare("le"),
    "greater": _compare("gt"),
    "greater_equal": _compare("ge"),
    "real": _part("real"),
    "imag": _part("imag"),
    "cast": _emit_cast,
    "where": _emit_where,
    **{name: _math(name) for name in _MATH.split()},
}
