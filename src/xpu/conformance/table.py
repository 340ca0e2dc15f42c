"""The operation table: one row a function, read by the tests and by the coverage page.

A row says for which dtypes a function is defined, what NumPy computes for it, on which samples it is tried, and how many
units in the last place a result may be off. Exact functions have tolerance 0. The tolerances of the others are those that
the OpenCL standard (full profile) grants its own functions; complex results are measured relative to their magnitude.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import samples
from .samples import Maker

BOOL, SIGNED, UNSIGNED, REAL, COMPLEX = "?", "bhiq", "BHIQ", "efd", "FD"
INTEGERS = SIGNED + UNSIGNED
NUMBERS = INTEGERS + REAL + COMPLEX
ORDERED = INTEGERS + REAL


@dataclass(frozen=True)
class Operation:
    """One row of the table."""

    name: str
    nin: int
    chars: str
    """The dtypes of its operands, as NumPy's characters."""
    reference: Callable[..., Any]
    samples: Maker
    ulp: float = 0
    """Tolerance for real results."""
    complex_ulp: float = 0
    """Tolerance for complex operands."""
    half_ulp: float = 1
    """Tolerance for float16, where the function is not exact."""
    zero_signs: bool = True
    """Whether the sign of a zero counts; NumPy's own depends on the machine for some."""
    cancels: bool = False
    """Whether results cancel, so that the tolerance is relative to the largest operand."""

    def dtypes(self) -> list[np.dtype[Any]]:
        """Return the operands' dtypes."""
        return [np.dtype(char) for char in self.chars]

    def tolerance(self, dtype: np.dtype[Any]) -> float:
        """Return the units in the last place by which a result may be off."""
        if dtype.kind == "c":
            return self.complex_ulp
        if dtype.kind != "f" or self.ulp == 0:
            return 0
        return self.half_ulp if dtype.itemsize == 2 else self.ulp

    def inputs(self, dtype: np.dtype[Any]) -> tuple[np.ndarray, ...]:
        """Return the sample inputs."""
        return self.samples(dtype)

    def scale(self, inputs: tuple[np.ndarray, ...], expected: np.ndarray) -> np.ndarray | None:
        """Return the sizes to which the tolerance is relative; None: the results' own."""
        if not self.cancels:
            return None
        largest = np.abs(expected)
        for x in inputs:
            largest = np.fmax(largest, np.abs(x))
        return largest

    def expected(self, inputs: tuple[np.ndarray, ...]) -> np.ndarray:
        """Return the reference: NumPy's result, in the next wider type where the function is not exact."""
        with np.errstate(all="ignore"):
            own = np.asarray(self.reference(*inputs))
            if self.tolerance(inputs[0].dtype) == 0 or own.dtype.kind not in "fc":
                return own
            wide = [x.astype(_WIDER[x.dtype.char]) for x in inputs]
            return np.asarray(self.reference(*wide)).astype(own.dtype)


_WIDER = {"e": "d", "f": "d", "d": "g", "F": "D", "D": "G"}


def expm1(x: np.ndarray) -> np.ndarray:
    """Return ``exp(x) - 1``; NumPy's own does not follow the standard for infinite complex numbers."""
    if x.dtype.kind != "c":
        return np.asarray(np.expm1(x))
    return np.where(np.isfinite(x), np.expm1(x), np.exp(x) - 1).astype(x.dtype)


def log1p(x: np.ndarray) -> np.ndarray:
    """Return ``log(1 + x)``; NumPy's own loses all accuracy near zero for complex numbers."""
    if x.dtype.kind != "c":
        return np.asarray(np.log1p(x))
    a, b = x.real, x.imag
    near = np.log1p(a * (2 + a) + b * b) / 2
    size = np.where(np.abs(x) < 0.5, near, np.log(np.hypot(1 + a, b)))
    finite = np.isfinite(a) & np.isfinite(b)
    return np.where(finite, size + 1j * np.arctan2(b, 1 + a), np.log1p(x)).astype(x.dtype)


TABLE: dict[str, Operation] = {}


def _add(names: str, chars: str, samples: Maker, *references: Callable[..., Any], **more: Any) -> None:
    for k, name in enumerate(names.split()):
        reference = references[k] if references else getattr(np, name)
        nin = getattr(reference, "nin", 1)
        TABLE[name] = Operation(name, nin, chars, reference, samples, **more)


def _fill() -> None:
    one, two = samples.unary, samples.binary

    _add("add subtract", NUMBERS, two)
    _add("multiply", NUMBERS, samples.finite_complex, complex_ulp=4)
    _add("divide", REAL + COMPLEX, samples.quotients_complex, complex_ulp=8)
    _add("floor_divide remainder", ORDERED, samples.quotients)
    _add("fmod", ORDERED, samples.quotients)
    _add("pow", NUMBERS, samples.powers, np.power, ulp=16, complex_ulp=64)
    _add("abs", NUMBERS, one, np.absolute, complex_ulp=4)
    _add("negative positive", NUMBERS, one)
    _add("square", NUMBERS, one, complex_ulp=4)
    _add("sign", ORDERED, one)
    _add("reciprocal", REAL, one)
    _add("maximum minimum fmax fmin", BOOL + ORDERED, two, zero_signs=False)
    _add("gcd lcm", INTEGERS, samples.small_integers)
    _add("heaviside copysign nextafter", REAL, two)

    _add("equal not_equal", BOOL + NUMBERS, two)
    _add("less less_equal greater greater_equal", BOOL + ORDERED, two)
    _add("logical_and logical_or logical_xor", BOOL + NUMBERS, two)
    _add("logical_not", BOOL + NUMBERS, one)
    _add("isnan isinf isfinite", NUMBERS, one)
    _add("signbit", REAL, one)

    _add("bitwise_and bitwise_or bitwise_xor", BOOL + INTEGERS, two)
    _add("bitwise_invert", BOOL + INTEGERS, one, np.invert)
    _add("bitwise_left_shift bitwise_right_shift", INTEGERS, samples.shifts, np.left_shift, np.right_shift)
    _add("bitwise_count", INTEGERS, one)

    _add("floor ceil trunc round", ORDERED, one, np.floor, np.ceil, np.trunc, np.round)
    _add("rint", REAL, one)

    _add("real imag", ORDERED + COMPLEX, one, np.real, np.imag)
    _add("conj", COMPLEX, one)

    _add("sqrt", REAL + COMPLEX, one, complex_ulp=8)
    _add("exp", REAL + COMPLEX, one, ulp=3, complex_ulp=16)
    _add("log", REAL + COMPLEX, one, ulp=3, complex_ulp=16)
    _add("log2 log10", REAL + COMPLEX, one, ulp=3, complex_ulp=16)
    _add("expm1", REAL + COMPLEX, samples.unary_small, expm1, ulp=3, complex_ulp=16)
    _add("log1p", REAL + COMPLEX, samples.unary_small, log1p, ulp=3, complex_ulp=16)
    _add("exp2", REAL, one, ulp=3)
    _add("cbrt", REAL, one, ulp=2)
    _add("sin cos", REAL + COMPLEX, one, ulp=4, complex_ulp=16)
    _add("tan", REAL + COMPLEX, one, ulp=5, complex_ulp=16)
    _add("sinh cosh", REAL + COMPLEX, one, ulp=4, complex_ulp=16)
    _add("tanh", REAL + COMPLEX, one, ulp=5, complex_ulp=16)
    _add("asin acos", REAL + COMPLEX, samples.unary_unit, np.arcsin, np.arccos, ulp=4, complex_ulp=32)
    _add("atan", REAL + COMPLEX, one, np.arctan, ulp=5, complex_ulp=32)
    _add("asinh acosh", REAL + COMPLEX, one, np.arcsinh, np.arccosh, ulp=4, complex_ulp=32)
    _add("atanh", REAL + COMPLEX, samples.unary_unit, np.arctanh, ulp=5, complex_ulp=32)
    _add("atan2", REAL, two, np.arctan2, ulp=6)
    _add("hypot", REAL, two, ulp=4)
    _add("logaddexp logaddexp2", REAL, two, ulp=6, cancels=True)
    _add("deg2rad rad2deg", REAL, one, ulp=2)


_fill()


@dataclass(frozen=True)
class Reduction:
    """A function over axes."""

    name: str
    chars: str
    reference: Callable[..., Any]
    ulp: float = 0
    """Tolerance, in units in the last place of the largest partial result: summation order is the device's."""
    tuples: bool = True
    """Whether it takes several axes."""
    empty: bool = True
    """Whether it is defined for no elements."""

    def dtypes(self) -> list[np.dtype[Any]]:
        """Return the operand's dtypes."""
        return [np.dtype(char) for char in self.chars]


REDUCTIONS: dict[str, Reduction] = {
    row.name: row
    for row in (
        Reduction("sum", BOOL + NUMBERS, np.sum, ulp=4),
        Reduction("prod", NUMBERS, np.prod, ulp=16),
        Reduction("min", BOOL + ORDERED, np.min, empty=False),
        Reduction("max", BOOL + ORDERED, np.max, empty=False),
        Reduction("mean", REAL + COMPLEX, np.mean, ulp=4),
        Reduction("var", REAL + COMPLEX, np.var, ulp=16),
        Reduction("std", REAL + COMPLEX, np.std, ulp=16),
        Reduction("any", BOOL + NUMBERS, np.any),
        Reduction("all", BOOL + NUMBERS, np.all),
        Reduction("argmin", BOOL + ORDERED, np.argmin, tuples=False, empty=False),
        Reduction("argmax", BOOL + ORDERED, np.argmax, tuples=False, empty=False),
        Reduction("count_nonzero", BOOL + NUMBERS, np.count_nonzero),
    )
}
"""The reductions: second part of the operation table."""
