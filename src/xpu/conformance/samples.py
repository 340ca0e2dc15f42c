"""Sample inputs: for every dtype the special values and random ones, the same on every run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

DType = np.dtype[Any]
Samples = tuple[np.ndarray, ...]


def _generator(*key: Any) -> np.random.Generator:
    """Return random numbers that depend on nothing but the key."""
    return np.random.Generator(np.random.Philox(sum(ord(c) * (k + 1) for k, c in enumerate(repr(key)))))


# ----------------------------------------------------------------------------------------------- one operand


def real_specials(dtype: DType) -> np.ndarray:
    """Return zeros of both signs, ones, infinities, NaN, and the ends of the range, subnormal numbers included."""
    limits = np.finfo(dtype)
    largest, smallest, tiniest = float(limits.max), float(limits.smallest_normal), float(limits.smallest_subnormal)
    eps = float(limits.eps)
    values = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -2.5, 2.0, -3.0, 10.0, np.inf, -np.inf, np.nan]
    values += [largest, -largest, smallest, -smallest, tiniest, -tiniest, 1 + eps, 1 - eps / 2]
    with np.errstate(over="ignore"):
        return np.array(values, dtype)


def _real(dtype: DType) -> np.ndarray:
    random = _generator("real", dtype.str)
    top = 4.0 if dtype.itemsize == 2 else 30.0
    parts = [
        real_specials(dtype),
        np.array([np.pi, np.pi / 2, np.e, 1e-3, -1e-3, 0.9999, -0.9999, 88.0, -88.0, 700.0, -700.0, 1e4, -1e4]),
        random.uniform(-1, 1, 64),
        random.uniform(-10, 10, 64),
        random.uniform(-100, 100, 32),
        1 + random.uniform(-1e-2, 1e-2, 16),
        np.exp(random.uniform(-top, top / 3, 48)) * random.choice([-1, 1], 48),
    ]
    if dtype.itemsize > 2:
        parts.append(np.array([1e5, -123456.0, 1e7, 1e10, -3e15, 1e20]))
    with np.errstate(over="ignore"):
        return np.concatenate([np.asarray(part, dtype) for part in parts])


def _integers(dtype: DType) -> np.ndarray:
    limits = np.iinfo(dtype)
    random = _generator("integers", dtype.str)
    values = [0, 1, 2, 3, 5, 7, 8, 10, 100, limits.max, limits.max - 1, limits.max // 2, limits.min, limits.min + 1]
    if limits.min < 0:
        values += [-1, -2, -3, -7, -10, -100, limits.min // 2]
    full = random.integers(limits.min, limits.max, 64, dtype, endpoint=True)
    return np.concatenate([np.array(values, dtype), full, random.integers(0, 100, 16).astype(dtype)])


def _complex(dtype: DType) -> np.ndarray:
    random = _generator("complex", dtype.str)
    parts = [0.0, -0.0, 1.0, -1.0, 0.5, -2.0, np.inf, -np.inf, np.nan]
    grid = [complex(a, b) for a in parts for b in parts]
    drawn = random.normal(size=64) * 2 + 1j * random.normal(size=64) * 2
    return np.concatenate([np.array(grid, dtype), drawn.astype(dtype)])


def one(dtype: DType) -> np.ndarray:
    """Return sample values of any dtype."""
    if dtype.kind == "b":
        return np.array([False, True])
    if dtype.kind in "iu":
        return _integers(dtype)
    return _real(dtype) if dtype.kind == "f" else _complex(dtype)


def plain(dtype: DType, count: int = 64, key: str = "") -> np.ndarray:
    """Return random values without special ones, small enough for sums and products to stay in range."""
    random = _generator("plain", dtype.str, count, key)
    if dtype.kind == "b":
        return random.integers(0, 2, count).astype(bool)
    if dtype.kind in "iu":
        return random.integers(0 if dtype.kind == "u" else -9, 10, count).astype(dtype)
    values = random.normal(size=count)
    return (values if dtype.kind == "f" else values + 1j * random.normal(size=count)).astype(dtype)


# ------------------------------------------------------------------------------------------------ per function


def unary(dtype: DType) -> Samples:
    """Sample values of one operand."""
    return (one(dtype),)


def unary_unit(dtype: DType) -> Samples:
    """The same, with more values between -1 and 1."""
    random = _generator("unit", dtype.str)
    return (np.concatenate([one(dtype), random.uniform(-1, 1, 64).astype(dtype)]),)


def unary_small(dtype: DType) -> Samples:
    """The same, with more values close to zero."""
    random = _generator("small", dtype.str)
    exponent = -10.0 if dtype.itemsize == 2 else -60.0
    tiny = np.exp2(random.uniform(exponent, -1, 64)) * random.choice([-1, 1], 64)
    return (np.concatenate([one(dtype), tiny.astype(dtype)]),)


def binary(dtype: DType) -> Samples:
    """Every pair of special values, and random pairs."""
    values = one(dtype)
    special = values if dtype.kind == "b" else (real_specials(dtype) if dtype.kind == "f" else values[:21])
    if dtype.kind == "c":
        special = values[:81:4]
    left, right = np.repeat(special, special.size), np.tile(special, special.size)
    random = _generator("binary", dtype.str)
    return (
        np.concatenate([left, values, random.permutation(values)]),
        np.concatenate([right, random.permutation(values), values]),
    )


def shifts(dtype: DType) -> Samples:
    """Any integer, shifted by 0 up to more than its width."""
    values = _integers(dtype)
    amounts = np.arange(8 * dtype.itemsize + 3, dtype=dtype)
    return np.repeat(values[:24], amounts.size), np.tile(amounts, 24)


def integer_powers(dtype: DType) -> Samples:
    """Any integer, raised to 0 up to 9."""
    values = _integers(dtype)
    exponents = np.arange(10, dtype=dtype)
    return np.repeat(values[:32], exponents.size), np.tile(exponents, 32)


def powers(dtype: DType) -> Samples:
    """Pairs for the power: real ones include negative bases with whole exponents; complex ones stay moderate."""
    random = _generator("powers", dtype.str)
    if dtype.kind in "iu":
        return integer_powers(dtype)
    if dtype.kind == "c":
        values = random.normal(size=(2, 96)) + 1j * random.normal(size=(2, 96))
        return values[0].astype(dtype), values[1].astype(dtype)
    left, right = binary(dtype)
    bases, exponents = np.exp(random.uniform(-2, 2, 64)), random.uniform(-4, 4, 64)
    negative, whole = -np.exp(random.uniform(-1, 1, 32)), random.integers(-6, 7, 32)
    return (
        np.concatenate([left, bases.astype(dtype), negative.astype(dtype)]),
        np.concatenate([right, exponents.astype(dtype), whole.astype(dtype)]),
    )


def small_integers(dtype: DType) -> Samples:
    """Pairs of small integers, zeros and (where there are any) negative ones among them."""
    low = -10 if dtype.kind == "i" else 0
    values = np.arange(low, 11).astype(dtype)
    return np.repeat(values, values.size), np.tile(values, values.size)


def quotients(dtype: DType) -> Samples:
    """Pairs for division with remainder; real quotients stay below 2**precision, where they are whole numbers apart."""
    if dtype.kind != "f":
        return binary(dtype)
    random = _generator("quotients", dtype.str)
    special = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 7.0, np.inf, -np.inf, np.nan], dtype)
    left, right = np.repeat(special, special.size), np.tile(special, special.size)
    values = random.uniform(-50, 50, (2, 128)).astype(dtype)
    return np.concatenate([left, values[0]]), np.concatenate([right, values[1]])


def quotients_complex(dtype: DType) -> Samples:
    """Pairs for division: complex ones stay finite, and the divisor away from zero."""
    if dtype.kind != "c":
        return binary(dtype)
    random = _generator("complex quotients", dtype.str)
    values = random.normal(size=(2, 128)) + 1j * random.normal(size=(2, 128))
    return values[0].astype(dtype), (values[1] + np.sign(values[1].real)).astype(dtype)


def finite_complex(dtype: DType) -> Samples:
    """Pairs; complex ones are finite."""
    if dtype.kind != "c":
        return binary(dtype)
    left, right = binary(dtype)
    keep = np.isfinite(left) & np.isfinite(right)
    return left[keep], right[keep]


Maker = Callable[[DType], Samples]
