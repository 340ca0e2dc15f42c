"""``FAST``: float functions without branches, for devices whose own are scalar calls.

Largest errors seen, in units in the last place (ULP), over dense samples of the whole range; ``tests/stdlib`` repeats
the measurement:

======= ======= ======= ======= ======= =======
name    float32 float64 name    float32 float64
======= ======= ======= ======= ======= =======
exp     0.98    0.91    sin     1.01    0.99
exp2    1.06    1.02    cos     1.02    0.96
expm1   1.43    1.50    tan     1.84    1.39
log     0.85    0.76    tanh    1.50    2.06
log1p   0.82    0.76    erf     1.25    1.09
log2    1.19    0.95    pow     0.51    1.03
log10   1.83    1.50
======= ======= ======= ======= ======= =======

Subnormal results, infinities, NaN and signed zeros are C99's. float16 is computed in float32. ``pow`` of float32 uses
float64 inside, so a device without that type must not take it.
"""

from __future__ import annotations

from typing import Any

from . import fast_erf, fast_exp, fast_log, fast_pow, fast_trig, words as xp

FAST: dict[str, Any] = {}


def _unary(name: str, single: Any, double: Any) -> None:
    @xp.func
    def fast(x: Any) -> Any:
        if x.dtype == xp.float64:
            return double(x)
        if x.dtype == xp.float16:
            return xp.float16(single(xp.float32(x)))
        return single(x)

    FAST[name] = fast


@xp.func
def fast_power(x: Any, y: Any) -> Any:
    """``x ** y``."""
    if x.dtype == xp.float64:
        return fast_pow.pow_double(x, y)
    if x.dtype == xp.float16:
        return xp.float16(fast_pow.pow_single(xp.float32(x), xp.float32(y)))
    return fast_pow.pow_single(x, y)


FAST["pow"] = fast_power
for _module, _names in (
    (fast_exp, "exp exp2 expm1 tanh"),
    (fast_log, "log log1p log2 log10"),
    (fast_trig, "sin cos tan"),
    (fast_erf, "erf"),
):
    for _name in _names.split():
        _unary(_name, getattr(_module, f"{_name}_single"), getattr(_module, f"{_name}_double"))
