"""``xp.math`` on the host: the same functions, with Python's and NumPy's numbers."""

import math

import numpy as np
import pytest

import xpu as xp
from xpu.kernel.intrinsics import TABLE


def test_every_function_is_there():
    for name, row in TABLE.items():
        function = getattr(xp.math, name)
        assert function.__name__ == name
        assert function.__doc__
        value = 3 if row.kinds == "iu" else 0.5
        function(*[value] * row.arity)


def test_pythons_numbers_stay_pythons():
    assert type(xp.math.exp(1.0)) is float
    assert xp.math.exp(1.0) == pytest.approx(math.e)
    assert type(xp.math.sqrt(np.float32(2))) is np.float32


@pytest.mark.parametrize(
    ("name", "args", "expected"),
    [
        ("erf", (0.5,), math.erf(0.5)),
        ("tgamma", (5.0,), 24.0),
        ("tgamma", (0.0,), math.inf),
        ("lgamma", (-1.0,), math.inf),
        ("rsqrt", (4.0,), 0.5),
        ("remainder", (5.0, 3.0), -1.0),
        ("fmod", (-5.0, 3.0), -2.0),
        ("fdim", (5.0, 3.0), 2.0),
        ("fdim", (3.0, 5.0), 0.0),
        ("clamp", (7.0, 0.0, 5.0), 5.0),
        ("fma", (0.1, 10.0, -1.0), 5.551115123125783e-17),
        ("mad", (2.0, 3.0, 4.0), 10.0),
        ("popcount", (7,), 3),
        ("clz", (np.int32(1),), 31),
        ("popcount", (np.int8(-1),), 8),
        ("copysign", (2.0, -0.0), -2.0),
        ("hypot", (3.0, 4.0), 5.0),
        ("signbit", (-0.0,), True),
        ("rint", (2.5,), 2.0),
        ("degrees", (math.pi,), 180.0),
    ],
)
def test_values(name, args, expected):
    assert getattr(xp.math, name)(*args) == expected


def test_nan_rules():
    assert xp.math.fmin(math.nan, 1.0) == 1.0
    assert math.isnan(xp.math.minimum(math.nan, 1.0))
    assert xp.math.min(1.0, math.nan) == 1.0
    assert math.isnan(xp.math.sqrt(-1.0))


def test_wrong_use():
    with pytest.raises(TypeError, match="atan2 takes 2 arguments, not 1"):
        xp.math.atan2(1.0)
    with pytest.raises(TypeError, match="takes numbers; for whole arrays"):
        xp.math.exp(xp.zeros(3))
    with pytest.raises(AttributeError, match="has no function 'expo'"):
        xp.math.expo(1.0)


def test_constants():
    assert (xp.math.pi, xp.math.e, xp.math.inf) == (math.pi, math.e, math.inf)
    assert math.isnan(xp.math.nan)
