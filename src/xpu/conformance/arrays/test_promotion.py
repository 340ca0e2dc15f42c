"""Mixed dtypes: NumPy's promotion (NEP 50), with Python numbers weak."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import xpu as xp

from ...dtypes import NAMES, needs_fp64
from ..capabilities import Capabilities
from ..compare import check
from ..samples import plain

PAIRS = list(itertools.combinations(NAMES, 2))


@pytest.mark.parametrize(("first", "second"), PAIRS, ids=[f"{a}-{b}" for a, b in PAIRS])
def test_add_of_two_dtypes(first: str, second: str, can: Capabilities) -> None:
    can.require_dtype(first, second)
    x, y = plain(np.dtype(first), 12), plain(np.dtype(second), 12, "other")
    expected = x + y
    if not can.fp64 and needs_fp64(expected.dtype):
        # Integers joined with floats give the widest float that the device has.
        expected = expected.astype(np.complex64 if expected.dtype.kind == "c" else np.float32)
    check(xp.asarray(x) + xp.asarray(y), expected, what=f"{first} + {second}")


WEAK = [True, 3, 2.5, 1 + 2j]


@pytest.mark.parametrize("scalar", WEAK, ids=["bool", "int", "float", "complex"])
@pytest.mark.parametrize("name", NAMES)
def test_python_numbers_are_weak(name: str, scalar: complex, can: Capabilities) -> None:
    can.require_dtype(name)
    x = plain(np.dtype(name), 12)
    expected = x * scalar
    narrow = {np.dtype(np.float64): np.float32, np.dtype(np.complex128): np.complex64}
    if not can.fp64 and expected.dtype in narrow:
        expected = expected.astype(narrow[expected.dtype])
    tolerance = 2 if expected.dtype.kind == "c" else 0
    check(xp.asarray(x) * scalar, expected, tolerance, what=f"{name} * {scalar!r}")
    if name in ("float32", "int8"):
        check(scalar * xp.asarray(x), expected, tolerance, what=f"{scalar!r} * {name}")


@pytest.mark.parametrize("scalar", [np.int8(3), np.uint64(3), np.float32(2.5), np.bool_(True)])
def test_numpy_scalars_are_not_weak(scalar: np.generic, can: Capabilities) -> None:
    x = plain(np.dtype(np.int16), 12)
    expected = x * scalar
    if not can.fp64 and needs_fp64(expected.dtype):
        expected = expected.astype(np.float32)
    check(xp.asarray(x) * scalar, expected)


def test_integers_that_do_not_fit_are_refused() -> None:
    x = xp.asarray(np.arange(3, dtype=np.uint8))
    with pytest.raises(OverflowError):
        x + 300
    with pytest.raises(OverflowError):
        x + -1


def test_comparisons_with_integers_that_do_not_fit() -> None:
    values = np.arange(3, dtype=np.uint8)
    x = xp.asarray(values)
    for number in (300, -1, 2**70):
        check(x < number, values < number)
        check(x >= number, values >= number)
        check(x == number, values == number)
        check(x != number, values != number)
        check(number > x, number > values)


def test_signed_and_unsigned_64_bit_integers_compare_by_value() -> None:
    a = np.array([-1, 0, 5, 2**62], np.int64)
    b = np.array([2**63, 0, 5, 2**62 + 1], np.uint64)
    for name in ("less", "less_equal", "greater", "greater_equal", "equal", "not_equal"):
        check(getattr(xp, name)(xp.asarray(a), xp.asarray(b)), getattr(np, name)(a, b))
        check(getattr(xp, name)(xp.asarray(b), xp.asarray(a)), getattr(np, name)(b, a))


def test_in_place_keeps_the_dtype() -> None:
    x = xp.asarray(np.arange(4, dtype=np.float32))
    x += 1
    x *= xp.asarray(np.arange(4, dtype=np.float16))
    check(x, np.array([0, 2, 6, 12], np.float32))


def test_zero_d_arrays_are_not_weak() -> None:
    x, zero_d = np.arange(3, dtype=np.int8), np.asarray(np.int32(5))
    check(xp.asarray(x) + xp.asarray(zero_d), x + zero_d)
