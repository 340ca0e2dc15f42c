"""The table of elementwise operations: types from NumPy's own ufuncs, meaning from the kernel language.

A row names the NumPy ufunc whose type resolution it follows, and how one result is computed: an IR operator, a function
of ``xp.math``, or a kernel-language function of ``kernels.elementwise``. ``exact`` tells whether every correct
implementation gives the same bits, so that a device's native library may stand in for small arrays.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..dtypes import canonical
from ..errors import UnsupportedDTypeError
from ..kernel import ir

DType = np.dtype[Any]
Signature = tuple[tuple[DType, ...], DType]
Emit = Callable[["Emitter", list[ir.Expr], ir.Type], ir.Expr]

_BOOL = np.dtype(np.bool_)


class Emitter:
    """What an emission may ask of the kernel under construction."""

    def call(self, name: str, args: list[ir.Expr]) -> ir.Expr:
        """Call a kernel-language function of ``kernels.elementwise``."""
        raise NotImplementedError


@dataclass(slots=True)
class Operation:
    """One elementwise operation."""

    name: str
    nin: int
    ufunc: Any
    emit: Emit
    exact: str = ""
    """Kinds of input dtypes (NumPy's letters) for which all correct implementations agree bit for bit."""
    native: Any = None
    """The NumPy function to run where the device has it in its library; None: none."""
    cache: dict[Any, Signature] = field(default_factory=dict)

    def resolve(self, operands: tuple[Any, ...]) -> Signature:
        """Return the dtypes that inputs are cast to, and the result's.

        ``operands`` holds dtypes, and ``int``, ``float``, ``complex`` or ``bool`` for weak Python scalars.
        """
        known = self.cache.get(operands)
        if known is None:
            known = self.cache[operands] = self._resolve(operands)
        return known

    def _resolve(self, operands: tuple[Any, ...]) -> Signature:
        # NumPy resolves weak bools as the dtype bool.
        asked = tuple(_BOOL if operand is bool else operand for operand in operands)
        try:
            resolved = self.ufunc.resolve_dtypes((*asked, *([None] * self.ufunc.nout)))
        except TypeError as error:
            named = ", ".join(o.__name__ if isinstance(o, type) else o.name for o in operands)
            raise UnsupportedDTypeError(f"{self.name} is not defined for ({named}): {_first_line(error)}") from None
        return tuple(canonical(d) for d in resolved[: self.nin]), canonical(resolved[self.nin])

    def __repr__(self) -> str:
        return f"<operation {self.name}>"


def _first_line(error: BaseException) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__


# ------------------------------------------------------------------------------------------------- emissions


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
    """A question to floats that integers answer at once."""

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


# ----------------------------------------------------------------------------------------------------- the table

TABLE: dict[str, Operation] = {}


def _add(name: str, ufunc: Any, emit: Emit, exact: str = "", native: Any = "same") -> None:
    TABLE[name] = Operation(name, ufunc.nin, ufunc, emit, exact, ufunc if native == "same" else native)


def _fill() -> None:
    _add("add", np.add, _binary("add", "or"), "biufc")
    _add("subtract", np.subtract, _binary("sub"), "iufc")
    _add("multiply", np.multiply, _binary("mul", "and"), "biuf")
    _add("divide", np.true_divide, _binary("truediv"), "f")
    _add("floor_divide", np.floor_divide, _divide("floordiv", "floor_divide"), "iu")
    _add("remainder", np.remainder, _divide("mod", "remainder"), "iu")
    _add("fmod", np.fmod, _function("fmod"), "")
    _add("power", np.power, _power, "iu")
    _add("float_power", np.float_power, _power)
    _add("negative", np.negative, _unary("neg"), "iufc")
    _add("positive", np.positive, _unary("pos"), "iufc")
    _add("abs", np.absolute, _absolute, "biuf")
    _add("fabs", np.fabs, _absolute, "f")
    _add("square", np.square, _square, "iuf")
    _add("reciprocal", np.reciprocal, _function("reciprocal"), "f")
    _add("sign", np.sign, _sign, "iuf")

    for name, op in (("less", "lt"), ("less_equal", "le"), ("greater", "gt"), ("greater_equal", "ge")):
        _add(name, getattr(np, name), _compare(op), "biuf")
    _add("equal", np.equal, _compare("eq"), "biufc")
    _add("not_equal", np.not_equal, _compare("ne"), "biufc")
    _add("logical_and", np.logical_and, _logical("and"), "biufc")
    _add("logical_or", np.logical_or, _logical("or"), "biufc")
    _add("logical_xor", np.logical_xor, _logical("xor"), "biufc")
    _add("logical_not", np.logical_not, _logical_not, "biufc")

    _add("bitwise_and", np.bitwise_and, _binary("and"), "biu")
    _add("bitwise_or", np.bitwise_or, _binary("or"), "biu")
    _add("bitwise_xor", np.bitwise_xor, _binary("xor"), "biu")
    _add("bitwise_invert", np.invert, _invert, "biu")
    _add("bitwise_left_shift", np.left_shift, _binary("shl"), "iu")
    _add("bitwise_right_shift", np.right_shift, _binary("shr"), "iu")
    _add("bitwise_count", np.bitwise_count, _function("bitwise_count"), "iu")

    _add("floor", np.floor, _rounding("floor"), "biuf")
    _add("ceil", np.ceil, _rounding("ceil"), "biuf")
    _add("trunc", np.trunc, _rounding("trunc"), "biuf")
    _add("rint", np.rint, _rounding("rint"), "f")

    _add("maximum", np.maximum, _extremum("maximum"), "biu")
    _add("minimum", np.minimum, _extremum("minimum"), "biu")
    _add("fmax", np.fmax, _extremum("fmax"), "biu")
    _add("fmin", np.fmin, _extremum("fmin"), "biu")
    _add("isnan", np.isnan, _on_floats("isnan", False), "biufc")
    _add("isinf", np.isinf, _on_floats("isinf", False), "biufc")
    _add("isfinite", np.isfinite, _on_floats("isfinite", True), "biufc")
    _add("signbit", np.signbit, _math("signbit"), "f")
    _add("copysign", np.copysign, _math("copysign"), "f")
    _add("nextafter", np.nextafter, _math("nextafter"), "f")
    _add("conj", np.conjugate, _part("conj"), "biufc")

    _add("sqrt", np.sqrt, _math("sqrt"), "f")
    for name in "exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh cbrt".split():
        _add(name, getattr(np, name), _math(name), "", None)
    for name, function in (("acos", "arccos"), ("asin", "arcsin"), ("atan", "arctan")):
        _add(name, getattr(np, function), _math(name), "", None)
        _add(f"{name}h", getattr(np, f"{function}h"), _math(f"{name}h"), "", None)
    _add("atan2", np.arctan2, _math("atan2"), "", None)
    _add("hypot", np.hypot, _math("hypot"), "", None)
    _add("logaddexp", np.logaddexp, _function("logaddexp"), "", None)
    _add("logaddexp2", np.logaddexp2, _function("logaddexp2"), "", None)
    _add("heaviside", np.heaviside, _function("heaviside"), "f")
    _add("deg2rad", np.deg2rad, _math("radians"), "", None)
    _add("rad2deg", np.rad2deg, _math("degrees"), "", None)
    _add("gcd", np.gcd, _function("gcd"), "iu")
    _add("lcm", np.lcm, _function("lcm"), "iu")


_fill()


# ------------------------------------------------------------- operations whose types do not come from a ufunc


class _Cast(Operation):
    """Conversion to a dtype; the target is the node's own dtype."""

    def resolve(self, operands: tuple[Any, ...]) -> Signature:
        raise NotImplementedError


class _Where(Operation):
    def resolve(self, operands: tuple[Any, ...]) -> Signature:
        known = self.cache.get(operands)
        if known is None:
            dtype = canonical(np.result_type(*(_example(operand) for operand in operands[1:])))
            known = self.cache[operands] = ((_BOOL, dtype, dtype), dtype)
        return known


class _RealPart(Operation):
    """Real and imaginary parts: complex in, their own real dtype out."""

    def resolve(self, operands: tuple[Any, ...]) -> Signature:
        (dtype,) = operands
        if dtype.kind == "c":
            return (dtype,), np.dtype(np.float32 if dtype.itemsize == 8 else np.float64)
        return (dtype,), dtype


def _example(operand: Any) -> Any:
    return operand if isinstance(operand, np.dtype) else operand(1)


def _emit_cast(emitter: Emitter, args: list[ir.Expr], result: ir.Type) -> ir.Expr:
    return cast(args[0], result)


def _emit_where(emitter: Emitter, args: list[ir.Expr], result: ir.Type) -> ir.Expr:
    return ir.Select(result, args[0], args[1], args[2])


CAST = TABLE["cast"] = _Cast("cast", 1, None, _emit_cast, "biufc", None)
WHERE = TABLE["where"] = _Where("where", 3, None, _emit_where, "biufc", None)
TABLE["real"] = _RealPart("real", 1, None, _part("real"), "", None)
TABLE["imag"] = _RealPart("imag", 1, None, _part("imag"), "", None)
