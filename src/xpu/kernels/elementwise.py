"""What the elementwise functions of the Array API and of NumPy mean on a device.

``FUNCTIONS`` has every function that is more than one operator or intrinsic of the kernel language for some kind of
number. ``FUNCTIONS[name].pick(dtype)`` is the ``@xp.func`` for operands of that dtype (already promoted by NumPy's
rules); a fused kernel calls it, on scalars, or on short vectors for the kinds in ``lanes``.
"""

from __future__ import annotations

from ..kernel.stdlib import complex_basic
from . import elementwise_complex as c, elementwise_integer as n, elementwise_real as r
from .overloads import Overloads

FUNCTIONS: dict[str, Overloads] = {}


def _add(function: Overloads) -> None:
    FUNCTIONS[function.name] = function


def _fill() -> None:
    _add(Overloads("floor_divide", 2, {"f": r.floor_divide, "iu": n.floor_divide}))
    _add(Overloads("remainder", 2, {"f": r.remainder, "iu": n.remainder}))
    _add(Overloads("fmod", 2, {"f": r.fmod, "i": n.fmod_signed, "u": n.remainder}))
    _add(Overloads("divide", 2, {"c": c.divide}))
    _add(Overloads("square", 1, {"f": r.square, "iu": n.square, "c": c.square}))
    _add(Overloads("reciprocal", 1, {"f": r.reciprocal, "iu": n.make_reciprocal, "c": c.reciprocal}, made="iu"))
    _add(Overloads("sign", 1, {"f": r.sign, "iu": n.make_sign, "c": c.sign}, made="iu"))
    _add(Overloads("power", 2, {"iu": n.make_power, "c": complex_basic.power}, made="iu", lanes=""))
    _add(Overloads("gcd", 2, {"i": n.gcd_signed, "u": n.gcd_unsigned}, lanes=""))
    _add(Overloads("lcm", 2, {"i": n.lcm_signed, "u": n.lcm_unsigned}, lanes=""))
    _add(Overloads("bitwise_count", 1, {"i": n.bitwise_count_signed, "u": n.bitwise_count_unsigned}))
    _add(Overloads("bitwise_left_shift", 2, {"iu": n.left_shift}))
    _add(Overloads("bitwise_right_shift", 2, {"iu": n.right_shift}))
    _add(Overloads("logical_xor", 2, {"biu": n.logical_xor, "c": c.logical_xor}))

    _add(Overloads("logaddexp", 2, {"f": r.logaddexp}))
    _add(Overloads("logaddexp2", 2, {"f": r.logaddexp2}))
    _add(Overloads("heaviside", 2, {"f": r.heaviside}))
    _add(Overloads("sinc", 1, {"f": r.sinc}))
    _add(Overloads("i0", 1, {"f": r.i0}))
    _add(Overloads("modf_fraction", 1, {"f": r.modf_fraction}))
    _add(Overloads("ldexp", 2, {"f": r.make_ldexp}, made="f"))
    _add(Overloads("frexp_mantissa", 1, {"f": r.make_frexp_mantissa}, made="f"))
    _add(Overloads("frexp_exponent", 1, {"f": r.make_frexp_exponent}, made="f", same=False))
    _add(Overloads("isposinf", 1, {"f": r.isposinf}, same=False))
    _add(Overloads("isneginf", 1, {"f": r.isneginf}, same=False))

    _add(Overloads("clip", 3, {"f": r.clip, "iu": n.clip, "c": c.clip}))
    _add(Overloads("nan_to_num", 4, {"f": r.nan_to_num, "c": c.nan_to_num}))
    _add(Overloads("angle", 1, {"f": r.angle, "c": c.angle}))
    _add(Overloads("round_decimals", 2, {"f": r.round_decimals, "c": c.round_decimals}))
    for name in ("floor", "ceil", "trunc", "rint"):
        _add(Overloads(name, 1, {"biu": n.same, "c": getattr(c, name)}))
    for name in ("less", "less_equal", "greater", "greater_equal"):
        _add(Overloads(name, 2, {"c": getattr(c, name)}))
    for name in ("maximum", "minimum", "fmax", "fmin"):
        _add(Overloads(name, 2, {"c": getattr(c, name)}))
    for name in ("isnan", "isinf", "isfinite", "conj", "real", "imag"):
        _add(Overloads(name, 1, {"c": getattr(complex_basic, name)}))
    _add(Overloads("abs", 1, {"c": complex_basic.absolute}))
    _add(Overloads("spacing", 1, {"ef": r.make_spacing}, made="ef"))


_fill()
