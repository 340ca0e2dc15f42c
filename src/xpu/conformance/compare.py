"""Comparing a device's results with references: exactly, or within a number of units in the last place."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..array import Array
from ..ops.creation import asnumpy

_ORDERED: dict[int, Any] = {2: np.int16, 4: np.int32, 8: np.int64}


def host(x: Any) -> np.ndarray:
    """Return a result as a NumPy array."""
    return asnumpy(x) if isinstance(x, Array) else np.asarray(x)


def ulp_distance(actual: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Return how many representable numbers lie between two real arrays of one dtype; NaN is 0 from NaN, else infinity."""
    integer = _ORDERED[actual.dtype.itemsize]
    ranks = []
    for values in (actual, expected):
        bits = np.ascontiguousarray(values).view(integer).astype(np.int64)
        # Numbers of either sign in one order: -0.0 and 0.0 share rank 0.
        magnitude = bits & np.int64(np.iinfo(integer).max)
        ranks.append(np.where(bits < 0, -magnitude, magnitude))
    # In unsigned arithmetic, which holds every difference of two 64-bit ranks.
    first, second = (rank.view(np.uint64) for rank in ranks)
    distance = np.where(ranks[0] > ranks[1], first - second, second - first).astype(np.float64)
    nan = np.isnan(actual), np.isnan(expected)
    distance = np.where(nan[0] & nan[1], 0.0, distance)
    distance = np.where(nan[0] != nan[1], np.inf, distance)
    infinite = np.isinf(expected) | np.isinf(actual)
    # An overflow one step early or late is as far as its neighbour; a wrong infinity is wrong.
    return np.where(infinite & (distance > 1), np.where(distance > 64, np.inf, distance), distance)


def _real_errors(actual: np.ndarray, expected: np.ndarray, ulp: float, zero_signs: bool = True) -> np.ndarray:
    """Return where real numbers are wrong."""
    if ulp == 0:
        nan = np.isnan(actual) & np.isnan(expected)
        right = (actual == expected) | nan
    else:
        right = ulp_distance(actual, expected) <= ulp
    if zero_signs:
        right &= ~((actual == 0) & (expected == 0) & (np.signbit(actual) != np.signbit(expected)))
    return ~right


def _complex_errors(actual: np.ndarray, expected: np.ndarray, ulp: float) -> np.ndarray:
    """Return where complex numbers are wrong: by their distance in the plane, where both are finite.

    Otherwise both must be infinite, or both not a number: which of the parts is, differs among mathematical libraries.
    """
    if ulp == 0:
        return _real_errors(actual.real, expected.real, 0) | _real_errors(actual.imag, expected.imag, 0)
    eps = np.finfo(expected.dtype).eps
    finite = np.isfinite(actual) & np.isfinite(expected)
    with np.errstate(all="ignore"):
        wide = expected.astype(np.complex128)
        distance = np.abs(actual.astype(np.complex128) - wide)
        near = distance <= ulp * eps * np.abs(wide) + np.finfo(expected.real.dtype).tiny
    alike = (np.isinf(actual) & np.isinf(expected)) | (
        np.isnan(actual) & np.isnan(expected) & ~np.isinf(actual) & ~np.isinf(expected)
    )
    return ~np.where(finite, near, alike)


def errors(
    actual: np.ndarray, expected: np.ndarray, ulp: float = 0, scale: np.ndarray | None = None, zero_signs: bool = True
) -> np.ndarray:
    """Return a mask of the elements that differ by more than ``ulp``; 0: they must be equal, NaN being equal to NaN.

    With ``scale``, units are those of numbers of that size, where results cancel.
    """
    if expected.dtype.kind == "f":
        wrong = _real_errors(actual, expected, ulp, zero_signs)
        if scale is not None:
            wrong &= ~(np.abs(actual - expected) <= ulp * np.spacing(np.abs(scale)))
        return wrong
    if expected.dtype.kind == "c":
        return _complex_errors(actual, expected, ulp)
    return np.asarray(actual != expected)


def check(
    actual: Any,
    expected: Any,
    ulp: float = 0,
    inputs: tuple[Any, ...] = (),
    what: str = "",
    *,
    scale: np.ndarray | None = None,
    zero_signs: bool = True,
) -> None:
    """Assert that a device's array equals a NumPy array: dtype, shape and values.

    Parameters
    ----------
    actual : Array
        The device's result.
    expected : numpy.ndarray or NumPy scalar
        The reference.
    ulp : float
        Tolerance in units in the last place; for complex numbers relative to the magnitude.
    inputs : tuple of numpy.ndarray
        Shown where they have the result's shape, at the first wrong element.
    what : str
        What was computed, for the message.
    scale : numpy.ndarray, optional
        The sizes of numbers whose units in the last place are meant, where results cancel; default: the results' own.
    zero_signs : bool
        Whether -0.0 and 0.0 are different.
    """
    want = np.asarray(expected)
    name = f"{what}: " if what else ""
    assert isinstance(actual, Array), f"{name}the result is a {type(actual).__name__}, not an xp.Array"
    assert actual.shape == want.shape, f"{name}shape {actual.shape} instead of {want.shape}"
    assert actual.dtype == want.dtype, f"{name}dtype {actual.dtype} instead of {want.dtype}"
    check_values(host(actual), want, ulp, inputs, what, scale=scale, zero_signs=zero_signs)


def check_values(
    got: np.ndarray,
    want: np.ndarray,
    ulp: float = 0,
    inputs: tuple[Any, ...] = (),
    what: str = "",
    *,
    scale: np.ndarray | None = None,
    zero_signs: bool = True,
) -> None:
    """Assert that two NumPy arrays of one dtype and shape agree; see :func:`check`."""
    name = f"{what}: " if what else ""
    with np.errstate(all="ignore"):
        wrong = np.asarray(errors(got, want, ulp, scale, zero_signs))
    if not wrong.any():
        return
    place = tuple(int(k) for k in np.argwhere(wrong)[0]) if want.ndim else ()
    shown = ", ".join(f"{x[place]!r}" for x in inputs if isinstance(x, np.ndarray) and x.shape == want.shape)
    text = f"{name}{int(wrong.sum())} of {wrong.size} elements are wrong; at {place}: {got[place]!r} instead of {want[place]!r}"
    if shown:
        text += f" for {shown}"
    if ulp and want.dtype.kind == "f":
        text += f" ({ulp_distance(got, want)[place]:g} ulp, allowed {ulp:g})"
    raise AssertionError(text)
