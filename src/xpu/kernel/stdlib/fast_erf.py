"""erf without branches: a polynomial near zero, ``1 - exp(-q)`` farther out."""

from __future__ import annotations

from typing import Any

from . import words as xp
from .fast_exp import exp_double, exp_single
from .fast_format import make_polynomial

SINGLE_NEAR = make_polynomial(
    (
        0.12837916612625122, -0.3761262595653534, 0.1128358244895935, -0.026853643357753754, 0.005187962669879198,
        -0.0008006793214008212, 7.842288323445246e-05,
    )
)  # fmt: skip
"""``erf(x) / x - 1`` in ``x**2``, below 1."""
SINGLE_FAR = make_polynomial(
    (
        1.8496055603027344, 2.638965606689453, 0.8431263566017151, 0.04148350656032562, -0.009886513464152813,
        0.001850139582529664, -0.00021036146790720522, 6.918115559528815e-06,
    )
)  # fmt: skip
"""``-log(erfc(x))`` in ``x - 1``, from 1 to 4."""
DOUBLE_NEAR = make_polynomial(
    (
        0.1283791670955126, -0.37612638903183876, 0.11283791670958743, -0.02686617064561954, 0.005223977629095658,
        -0.0008548327189606624, 0.00012055337777810952, -1.4925738504204218e-05, 1.646308709483387e-06,
        -1.637063829093387e-07, 1.4786548418167036e-08, -1.1830590465705277e-09, 6.684830822627492e-11,
    )
)  # fmt: skip
DOUBLE_FAR = make_polynomial(
    (
        1.8496055099332482, 2.638967514234781, 0.8431072563592646, 0.04156109802694058, -0.010033825191798334,
        0.001977901267500007, -0.00023731656731880178, -2.6296112038726018e-05, 2.719876824820636e-05,
        -9.671310795348565e-06, 2.1320383690842724e-06, -2.0497697575646158e-07, -5.788551050840831e-08,
        3.333190060018436e-08, -8.500724807930974e-09, 1.3156454027335417e-09, -1.1894621842058206e-10,
        4.84682515465115e-12,
    )
)  # fmt: skip


def make_erf(near: Any, far: Any, exp: Any, end: float) -> Any:
    """Return erf; from ``end`` on it is 1."""

    @xp.func
    def erf(x: Any) -> Any:
        a = xp.math.abs(x)
        t = xp.where(a < end, a, end)
        small = xp.where(a < 1.0, x, 1.0)
        inner = small + small * near(small * small)
        outer = xp.math.copysign(1.0 - exp(-far(t - 1.0)), x)
        return xp.where(x == x, xp.where(a < 1.0, inner, outer), x)

    return erf


erf_single = make_erf(SINGLE_NEAR, SINGLE_FAR, exp_single, 4.0)
erf_double = make_erf(DOUBLE_NEAR, DOUBLE_FAR, exp_double, 6.0)
