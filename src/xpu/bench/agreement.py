"""Whether two libraries computed the same: a fast wrong answer is no answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import xpu

ROUNDING = {4: 1e-4, 8: 1e-10}
"""By the size of a number: what sums of millions and products of thousands of terms may differ by, in any order."""


def disagreeing(reference: Any, results: Mapping[str, Any]) -> list[str]:
    """Return the names of the results that differ from a reference by more than rounding explains."""
    expected = on_host(reference)
    return [name for name, result in results.items() if not agree(on_host(result), expected)]


def agree(result: np.ndarray[Any, Any], expected: np.ndarray[Any, Any]) -> bool:
    """Return whether a result is the expected one: integers exactly, other numbers up to rounding."""
    if result.shape != expected.shape:
        return False
    if expected.dtype.kind in "biu":
        return bool(np.array_equal(result, expected))
    allowed = ROUNDING[expected.dtype.itemsize]
    return bool(np.allclose(result, expected, rtol=allowed, atol=allowed * np.abs(expected).max(initial=0)))


def on_host(result: Any) -> np.ndarray[Any, Any]:
    """Return a result as an array of NumPy's."""
    return xpu.asnumpy(result) if isinstance(result, xpu.Array) else np.asarray(result)
