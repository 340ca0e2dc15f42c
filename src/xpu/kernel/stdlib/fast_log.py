"""log, log1p, log2 and log10 without branches: the exponent, and a series for the significand."""

from __future__ import annotations

from typing import Any

from . import words as xp
from .fast_format import DOUBLE, SINGLE, Format, make_exponent, make_polynomial, make_significand

INF = float("inf")
NAN = float("nan")

SINGLE_TAIL = make_polynomial(
    (
        0.3333331048488617, -0.25, 0.20002241432666779, -0.166685551404953, 0.14217647910118103,
        -0.12395288050174713, 0.1189185231924057, -0.11736027896404266, 0.06809946149587631,
    )
)  # fmt: skip
"""``(log1p(f) - f + f**2 / 2) / f**3`` for significands between sqrt(1/2) and sqrt(2)."""
DOUBLE_TAIL = make_polynomial(
    (
        0.6666666666666742, 0.3999999999936497, 0.2857142875383883, 0.2222219734951439, 0.1818363058240607,
        0.153122867784205, 0.14814276292461087,
    )
)  # fmt: skip
"""``(log1p(f) - 2 s) / s**3`` in ``s**2``, where ``s = f / (2 + f)``."""


@xp.func
def rest_single(f: Any) -> Any:
    """``log1p(f) - f``."""
    square = f * f
    return square * f * SINGLE_TAIL(f) - 0.5 * square


@xp.func
def rest_double(f: Any) -> Any:
    """``log1p(f) - f``."""
    s = f / (2.0 + f)
    z = s * s
    half_square = 0.5 * f * f
    return s * (half_square + z * DOUBLE_TAIL(z)) - half_square


@xp.func
def finish(x: Any, y: Any) -> Any:
    """Put in the special values of a logarithm: at zero, below it, at infinity, of NaN."""
    y = xp.where(x == 0.0, -INF, xp.where(x < 0.0, NAN, y))
    return xp.where(x < INF, y, x)


def make_log(form: Format, rest: Any, ln2_high: float, ln2_low: float) -> Any:
    """Return log."""
    exponent, significand = make_exponent(form), make_significand(form)

    @xp.func
    def log(x: Any) -> Any:
        k = exponent(x)
        f = significand(x) - 1.0
        return finish(x, k * ln2_high + (f + (rest(f) + k * ln2_low)))

    return log


def make_log1p(form: Format, rest: Any, ln2_high: float, ln2_low: float) -> Any:
    """Return log1p: the logarithm of the rounded sum, and what the rounding left."""
    exponent, significand = make_exponent(form), make_significand(form)

    @xp.func
    def log1p(x: Any) -> Any:
        u = 1.0 + x
        k = exponent(u)
        f = significand(u) - 1.0
        lost = xp.where(x > 1.0, 1.0 - (u - x), x - (u - 1.0)) / u
        y = k * ln2_high + (f + (rest(f) + (k * ln2_low + lost)))
        y = xp.where(x == -1.0, -INF, xp.where(x < -1.0, NAN, y))
        return xp.where((x < INF) & (x != 0.0), y, x)

    return log1p


def make_log2(form: Format, rest: Any, more_high: float, more_low: float) -> Any:
    """Return log2; log2(e) is one and ``more``, whose high part has few bits."""
    exponent, significand = make_exponent(form), make_significand(form)

    @xp.func
    def log2(x: Any) -> Any:
        k = exponent(x)
        f = significand(x) - 1.0
        y = rest(f)
        small = (y + f) * more_low + y * more_high
        return finish(x, k + (f + (f * more_high + (y + small))))

    return log2


def make_log10(form: Format, rest: Any, e_high: float, e_low: float, two_high: float, two_low: float) -> Any:
    """Return log10; both constants are split so that their high parts have few bits."""
    exponent, significand = make_exponent(form), make_significand(form)

    @xp.func
    def log10(x: Any) -> Any:
        k = exponent(x)
        f = significand(x) - 1.0
        y = rest(f)
        small = (y + f) * e_low + k * two_low + y * e_high
        return finish(x, k * two_high + (f * e_high + small))

    return log10


_LN2_SINGLE = (0.693359375, -2.12194440e-4)
_LN2_DOUBLE = (0.6931471803691238, 1.9082149292705877e-10)

log_single = make_log(SINGLE, rest_single, *_LN2_SINGLE)
log_double = make_log(DOUBLE, rest_double, *_LN2_DOUBLE)
log1p_single = make_log1p(SINGLE, rest_single, *_LN2_SINGLE)
log1p_double = make_log1p(DOUBLE, rest_double, *_LN2_DOUBLE)
log2_single = make_log2(SINGLE, rest_single, 0.4426950514316559, -1.0542692476429138e-08)
log2_double = make_log2(DOUBLE, rest_double, 0.4426950408889634, 2.0355273740931033e-17)
log10_single = make_log10(SINGLE, rest_single, 0.43359375, 7.007319032518277e-4, 0.30078125, 2.487456639811952e-4)
log10_double = make_log10(
    DOUBLE, rest_double, 0.4342944818781689, 2.5082946711645275e-11, 0.3010299955494702, 1.1451100898021838e-10
)
