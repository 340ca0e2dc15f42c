"""exp, exp2, expm1 and tanh without branches: ``2**k`` times a polynomial on a small interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from . import words as xp
from .fast_format import DOUBLE, SINGLE, Format, make_polynomial, make_power_of_two, make_scale

LOG2E = 1.4426950408889634


@dataclass(frozen=True)
class Constants:
    """Numbers that go with a format."""

    form: Format
    ln2_high: float
    """The leading bits of log(2): a multiple of it by any exponent is exact."""
    ln2_low: float
    low: float
    """Below it, exp is 0."""
    high: float
    """Above it, exp is infinite."""
    flat: float
    """From here on tanh is 1."""
    exp: tuple[float, ...]
    """``(exp(r) - 1 - r) / r**2`` on half of log(2)."""
    expm1: tuple[float, ...]
    """The same, for a small relative error of ``exp(r) - 1``."""
    exp2: tuple[float, ...]
    """``(2**r - 1) / r`` on [-0.5, 0.5]."""


SINGLE_CONSTANTS = Constants(
    SINGLE,
    0.693359375,
    -2.12194440e-4,
    -104.0,
    89.0,
    10.0,
    (0.5, 0.16666509211063385, 0.04166644811630249, 0.0083699319511652, 0.001393660088069737),
    (0.5, 0.1666666716337204, 0.04166647046804428, 0.008333193138241768, 0.0013934571761637926, 0.0001995737402467057),
    (
        0.6931471824645996, 0.24022650718688965, 0.05550406500697136, 0.00961807556450367, 0.0013336407719179988,
        0.00015457345580216497, 1.4712497431901284e-05,
    ),
)  # fmt: skip
DOUBLE_CONSTANTS = Constants(
    DOUBLE,
    0.6931471803691238,
    1.9082149292705877e-10,
    -746.0,
    710.0,
    20.0,
    (
        0.5000000000000014, 0.16666666666666685, 0.04166666666650061, 0.008333333333315639, 0.0013888888951076091,
        0.00019841269899934915, 2.4801485566458998e-05, 2.7557231255241657e-06, 2.763289753478611e-07,
        2.5113307170417768e-08,
    ),
    (
        0.5, 0.16666666666666677, 0.04166666666666668, 0.008333333333321166, 0.001388888888887721,
        0.0001984126988778142, 2.48015873415635e-05, 2.7557242153032225e-06, 2.7557258007328965e-07,
        2.5109868595230767e-08, 2.0919983435623284e-09,
    ),
    (
        0.6931471805599453, 0.24022650695910072, 0.055504108664822915, 0.009618129107628057, 0.0013333558146171722,
        0.00015403530394028555, 1.5252734028323532e-05, 1.321548634275495e-06, 1.0177989641858739e-07,
        7.055050981068258e-09, 4.4648765554400947e-10, 2.553756569912338e-11,
    ),
)  # fmt: skip

TANH_NEAR = (-0.33333298563957214, 0.13331210613250732, -0.053561676293611526, 0.018743464723229408)
"""``(tanh(x) - x) / x**3`` in ``x**2``, to single precision, below 0.4."""


def make_exp(c: Constants) -> Any:
    """Return exp."""
    integer, magic, magic_bits = c.form.integer, c.form.magic, c.form.magic_bits
    ln2_high, ln2_low, low, high = c.ln2_high, c.ln2_low, c.low, c.high
    tail, scale = make_polynomial(c.exp), make_scale(c.form)

    @xp.func
    def exp(x: Any) -> Any:
        t = xp.where(x > low, x, low)
        t = xp.where(t < high, t, high)
        shifted = t * LOG2E + magic
        n = shifted - magic
        r = (t - n * ln2_high) - n * ln2_low
        y = 1.0 + (r + r * r * tail(r))
        return xp.where(x == x, scale(y, xp.math.reinterpret(shifted, integer) - magic_bits), x)

    return exp


def make_exp2(c: Constants) -> Any:
    """Return exp2."""
    integer, magic, magic_bits = c.form.integer, c.form.magic, c.form.magic_bits
    low = -float(c.form.bias + c.form.mantissa + 2)
    high = float(c.form.bias + 2)
    tail, scale = make_polynomial(c.exp2), make_scale(c.form)

    @xp.func
    def exp2(x: Any) -> Any:
        t = xp.where(x > low, x, low)
        t = xp.where(t < high, t, high)
        shifted = t + magic
        r = t - (shifted - magic)
        y = 1.0 + r * tail(r)
        return xp.where(x == x, scale(y, xp.math.reinterpret(shifted, integer) - magic_bits), x)

    return exp2


def make_expm1(c: Constants) -> Any:
    """Return expm1."""
    integer, magic, magic_bits = c.form.integer, c.form.magic, c.form.magic_bits
    ln2_high, ln2_low, high = c.ln2_high, c.ln2_low, c.high
    tail, power_of_two = make_polynomial(c.expm1), make_power_of_two(c.form)

    @xp.func
    def expm1(x: Any) -> Any:
        t = xp.where(x > -40.0, x, -40.0)
        t = xp.where(t < high, t, high)
        shifted = t * LOG2E + magic
        n = shifted - magic
        r = (t - n * ln2_high) - n * ln2_low
        p = r + r * r * tail(r)
        half = power_of_two(xp.math.reinterpret(shifted, integer) - (magic_bits + 1))
        y = 2.0 * (half * p + (half - 0.5))
        y = xp.where(n == 0.0, p, y)
        return xp.where((x == 0.0) | (x != x), x, y)

    return expm1


def make_tanh(c: Constants) -> Any:
    """Return tanh: by expm1, and by a polynomial near zero where the format has no digits to spare."""
    expm1, flat = make_expm1(c), c.flat
    near = make_polynomial(TANH_NEAR)
    small = 0.375 if c.form is SINGLE else -1.0

    @xp.func
    def tanh(x: Any) -> Any:
        a = xp.math.abs(x)
        e = expm1(2.0 * xp.where(a < flat, a, flat))
        y = e / (e + 2.0)
        if small > 0.0:
            z = a * a
            y = xp.where(a < small, a + a * z * near(z), y)
        return xp.where(x == x, xp.math.copysign(y, x), x)

    return tanh


exp_single = make_exp(SINGLE_CONSTANTS)
exp_double = make_exp(DOUBLE_CONSTANTS)
exp2_single = make_exp2(SINGLE_CONSTANTS)
exp2_double = make_exp2(DOUBLE_CONSTANTS)
expm1_single = make_expm1(SINGLE_CONSTANTS)
expm1_double = make_expm1(DOUBLE_CONSTANTS)
tanh_single = make_tanh(SINGLE_CONSTANTS)
tanh_double = make_tanh(DOUBLE_CONSTANTS)
