"""The functions of ``xp.math``: one row each, read by the front end, the printers, and the interpreter.

A row says how many arguments a function takes, over which kinds of numbers it is defined, and what it gives. How a
language spells it is in that language's dialect table; a function that a dialect does not spell, or that is defined
for complex numbers, is written in the kernel language itself, in ``stdlib``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Rule = Literal["float", "same", "bool", "int32", "real"]


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """A function of ``xp.math``.

    ``rule`` says what arguments become and what comes out: ``float``: arguments are promoted to one floating type
    (integers to the kernel's default float), result the same; ``same``: promoted to one common type, result the same;
    ``bool``: as ``float``, result bool; ``int32``: integer argument, result the same type; ``real``: complex in, its real
    type out (real in: the same type).
    ``kinds`` are NumPy's kind letters accepted after promotion. ``complex_`` tells that a complex version exists in
    ``stdlib``.
    """

    name: str
    arity: int
    rule: Rule
    kinds: str
    complex_: bool = False
    doc: str = ""


def _rows() -> dict[str, Intrinsic]:
    table: dict[str, Intrinsic] = {}

    def add(names: str, arity: int, rule: Rule, kinds: str, complex_: bool = False) -> None:
        for name in names.split():
            table[name] = Intrinsic(name, arity, rule, kinds, complex_)

    add("sqrt exp expm1 log log2 log10 log1p sin cos tan asin acos atan", 1, "float", "f", True)
    add("sinh cosh tanh asinh acosh atanh", 1, "float", "f", True)
    add("exp2 rsqrt cbrt erf erfc tgamma lgamma degrees radians", 1, "float", "f")
    add("floor ceil trunc rint", 1, "same", "biuf")  # rint: to nearest, ties to even
    add("abs", 1, "real", "biuf", True)
    add("pow", 2, "float", "f", True)  # integers: the ** operator
    add("atan2 fmod hypot copysign nextafter remainder fdim", 2, "float", "f")
    add("fmin fmax", 2, "same", "biuf")  # NaN loses, as C's
    add("minimum maximum", 2, "same", "biuf")  # NaN wins, as NumPy's
    add("min max", 2, "same", "biuf")  # Python's: b if b < a else a, b if b > a else a
    add("fma mad", 3, "float", "f")  # mad: fused or not, whichever is fast here
    add("clamp", 3, "same", "biuf")  # min(max(x, low), high)
    add("isnan isinf isfinite", 1, "bool", "f", True)
    add("signbit", 1, "bool", "f")
    add("popcount clz", 1, "int32", "iu")
    add("real imag", 1, "real", "fc", True)
    add("conj", 1, "same", "biufc", True)
    return table


TABLE: dict[str, Intrinsic] = _rows()

WORK_ITEM_FUNCTIONS = ("global_id", "local_id", "group_id", "global_size", "local_size", "num_groups")
ATOMICS = {f"atomic_{op}": op for op in ("add", "sub", "min", "max", "and", "or", "xor", "xchg", "cas")}
