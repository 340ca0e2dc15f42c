"""Which function of ``xp.math`` a Python object stands for: ``math.exp``, ``numpy.exp`` and ``xp.math.exp`` are one."""

from __future__ import annotations

import builtins
import cmath
import math
from typing import Any

import numpy as np

from ..intrinsics import TABLE

ALIASES = {
    "absolute": "abs",
    "arccos": "acos",
    "arccosh": "acosh",
    "arcsin": "asin",
    "arcsinh": "asinh",
    "arctan": "atan",
    "arctan2": "atan2",
    "arctanh": "atanh",
    "clip": "clamp",
    "conjugate": "conj",
    "deg2rad": "radians",
    "fabs": "abs",
    "gamma": "tgamma",
    "power": "pow",
    "rad2deg": "degrees",
}
"""NumPy's and Python's names for functions of the table."""

_PYTHON_MATH = {
    "ceil", "floor", "trunc", "log", "hypot", "isclose", "modf", "ldexp", "pow", "prod", "dist", "gcd", "lcm", "isqrt",
    "fma",
}  # fmt: skip
"""Functions of Python's ``math`` whose meaning or arguments differ from the table's."""

_NUMPY_OPERATORS = {
    "add": "add",
    "subtract": "sub",
    "multiply": "mul",
    "divide": "truediv",
    "true_divide": "truediv",
    "floor_divide": "floordiv",
    "remainder": "mod",
    "mod": "mod",
    "left_shift": "shl",
    "right_shift": "shr",
    "bitwise_left_shift": "shl",
    "bitwise_right_shift": "shr",
    "bitwise_and": "and",
    "bitwise_or": "or",
    "bitwise_xor": "xor",
    "less": "lt",
    "less_equal": "le",
    "greater": "gt",
    "greater_equal": "ge",
    "equal": "eq",
    "not_equal": "ne",
}
_NUMPY_SPECIAL = {
    "where", "square", "sign", "negative", "positive", "reciprocal", "divmod", "modf", "ldexp", "isclose",
    "logical_and", "logical_or", "logical_not", "logical_xor", "invert", "bitwise_invert", "round", "cbrt",
}  # fmt: skip

_BUILTINS: dict[Any, str] = {
    builtins.abs: "abs",
    builtins.min: "min",
    builtins.max: "max",
    builtins.round: "round_int",
    builtins.len: "len",
    builtins.pow: "power_operator",
    builtins.divmod: "divmod",
    builtins.print: "print",
    builtins.breakpoint: "breakpoint",
    builtins.sum: "sum",
    builtins.any: "any",
    builtins.all: "all",
    builtins.range: "range_alone",
    builtins.tuple: "tuple",
    builtins.isinstance: "isinstance",
}


def _origin(obj: Any) -> tuple[str, str]:
    name = getattr(obj, "__name__", "")
    if isinstance(obj, np.ufunc):
        return "numpy", name
    module = getattr(obj, "__module__", None) or ""
    return module.split(".")[0], name


def python_name(obj: Any) -> str | None:
    """Return the word under which ``Python`` functions are handled specially, or None."""
    try:
        if obj in _BUILTINS:
            return _BUILTINS[obj]
    except TypeError:  # not hashable
        return None
    origin, name = _origin(obj)
    if origin == "math" and name in _PYTHON_MATH and getattr(math, name, None) is obj:
        return f"math_{name}"
    special = getattr(obj, "__xpu_math__", None)
    if special is not None and special not in TABLE:
        return f"numpy_{special}"
    if origin in ("numpy", "xpu") and special is None:
        if name in _NUMPY_OPERATORS:
            return f"operator_{_NUMPY_OPERATORS[name]}"
        if name in _NUMPY_SPECIAL and name not in TABLE:
            return f"numpy_{name}"
    return None


def function_name(obj: Any) -> str | None:
    """Return the name in ``intrinsics.TABLE`` of a Python function, or None."""
    special: str | None = getattr(obj, "__xpu_math__", None)
    if special is not None:
        return special
    origin, name = _origin(obj)
    name = ALIASES.get(name, name)
    if origin == "math" and (name in TABLE) and hasattr(math, getattr(obj, "__name__", "")):
        return name
    if origin == "cmath" and name in TABLE and hasattr(cmath, getattr(obj, "__name__", "")):
        return name
    if origin in ("numpy", "xpu") and name in TABLE and name not in ("min", "max"):
        return name
    return None
