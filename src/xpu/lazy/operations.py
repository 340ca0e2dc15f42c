"""The table of elementwise operations: their types come from NumPy's own ufuncs.

A row names the NumPy ufunc whose type resolution it follows; ``emissions`` says how one result is computed. ``exact`` tells
whether every correct implementation gives the same bits, so that a device's native library may stand in for small arrays.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..dtypes import canonical
from ..errors import UnsupportedDTypeError

DType = np.dtype[Any]
Signature = tuple[tuple[DType, ...], DType]

_BOOL = np.dtype(np.bool_)


@dataclass(slots=True, eq=False)
class Operation:
    """One elementwise operation."""

    name: str
    nin: int
    ufunc: Any
    exact: str = ""
    """Kinds of input dtypes (NumPy's letters) for which all correct implementations agree bit for bit."""
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


# ----------------------------------------------------------------------------------------------------- the table

# Kinds of input for which every correct implementation gives the same bits, then the operations; a second name, after a
# colon, is NumPy's where it differs. No kinds: results differ by rounding, so each device has one source for them.
_ROWS = {
    "biufc": """
        add equal not_equal logical_and logical_or logical_xor logical_not isnan isinf isfinite conj:conjugate
    """,
    "iufc": "subtract negative positive",
    "biuf": "multiply abs:absolute less less_equal greater greater_equal floor ceil trunc",
    "iuf": "square sign",
    "biu": """
        bitwise_and bitwise_or bitwise_xor bitwise_invert:invert maximum minimum fmax fmin
    """,
    "iu": """
        floor_divide remainder bitwise_left_shift:left_shift bitwise_right_shift:right_shift bitwise_count power gcd lcm
    """,
    "f": "divide:true_divide fabs reciprocal rint signbit copysign nextafter sqrt heaviside",
    "": """
        fmod float_power exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh cbrt acos:arccos asin:arcsin atan:arctan
        acosh:arccosh asinh:arcsinh atanh:arctanh atan2:arctan2 hypot logaddexp logaddexp2 deg2rad rad2deg
    """,
}


def _rows() -> dict[str, Operation]:
    table = {}
    for exact, names in _ROWS.items():
        for entry in names.split():
            name, _, numpy_name = entry.partition(":")
            ufunc = getattr(np, numpy_name or name)
            table[name] = Operation(name, ufunc.nin, ufunc, exact)
    return table


TABLE: dict[str, Operation] = _rows()


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


CAST = TABLE["cast"] = _Cast("cast", 1, None, "biufc")
WHERE = TABLE["where"] = _Where("where", 3, None, "biufc")
TABLE["real"] = _RealPart("real", 1, None)
TABLE["imag"] = _RealPart("imag", 1, None)
