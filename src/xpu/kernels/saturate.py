"""Conversion to small integers as image code means it: rounded to nearest, and held inside the range."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..kernel.stdlib import words as xp


@lru_cache(maxsize=128)
def make_saturate(source: np.dtype[Any], target: np.dtype[Any]) -> Any:
    """Return the function from a working dtype to a pixel dtype; it works on numbers and short vectors."""
    kind = target.type
    if target.kind == "f":

        @xp.func
        def convert(x: Any) -> Any:
            return kind(x)

        return convert
    low, high = (int(bound) for bound in (np.iinfo(target).min, np.iinfo(target).max))
    if source.kind == "f":
        lowest, highest = float(low), float(high)
        if target.itemsize == 4:  # the largest integer is no float32
            highest = float(np.nextafter(source.type(2.0**31), source.type(0)))

        @xp.func
        def rounded(x: Any) -> Any:
            return kind(xp.math.rint(xp.math.min(xp.math.max(x, lowest), highest)))

        return rounded
    limits = np.iinfo(source)

    @xp.func
    def held(x: Any) -> Any:
        y = x
        if limits.max > high:
            y = xp.math.min(y, high)
        if limits.min < low:
            y = xp.math.max(y, low)
        return kind(y)

    return held
