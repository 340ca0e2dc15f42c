"""Kernels that do nothing useful as fast as they can."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..kernel.stdlib import words as xp

STEPS = 2048
"""Rounds of a work-item in the arithmetic probe."""
CHAINS = 10
"""Independent multiply-adds in a round: as many as hide their latency without running out of registers."""


@lru_cache(maxsize=8)
def make_triad(lanes: int) -> Any:
    """Return ``c = a + 3 * b``. Index space: elements / lanes."""

    @xp.kernel
    def bench_triad(a: Any, b: Any, c: Any) -> None:
        if lanes > 1:
            i = xp.global_id(0) * lanes
            xp.vstore(c, i, xp.vload(a, i, lanes) + xp.vload(b, i, lanes) * 3)
        else:
            j = xp.global_id(0)
            c[j] = a[j] + b[j] * 3

    return bench_triad


@lru_cache(maxsize=8)
def make_arithmetic(dtype: np.dtype[Any], lanes: int) -> Any:
    """Return a kernel that multiplies and adds in registers.

    ``2 * STEPS * CHAINS * lanes`` operations a work-item, whose sum goes to ``out[i * lanes]``.
    """
    kind = dtype.type

    @xp.kernel
    def bench_arithmetic(factor: Any, term: Any, out: Any) -> None:
        i = xp.global_id(0)
        own = kind(factor) + kind(i) * kind(1e-6)  # work-items that all did the same would be done once
        a = xp.vector(own, lanes) if lanes > 1 else own
        b = xp.vector(kind(term), lanes) if lanes > 1 else kind(term)
        c0, c1, c2, c3, c4, c5, c6, c7, c8, c9 = a, a + 1, a + 2, a + 3, a + 4, a + 5, a + 6, a + 7, a + 8, a + 9
        for _ in range(STEPS):
            c0 = xp.math.mad(c0, a, b)
            c1 = xp.math.mad(c1, a, b)
            c2 = xp.math.mad(c2, a, b)
            c3 = xp.math.mad(c3, a, b)
            c4 = xp.math.mad(c4, a, b)
            c5 = xp.math.mad(c5, a, b)
            c6 = xp.math.mad(c6, a, b)
            c7 = xp.math.mad(c7, a, b)
            c8 = xp.math.mad(c8, a, b)
            c9 = xp.math.mad(c9, a, b)
        total = c0 + c1 + c2 + c3 + c4 + c5 + c6 + c7 + c8 + c9
        if lanes > 1:
            xp.vstore(out, i * lanes, total)
        else:
            out[i] = total

    return bench_arithmetic


@xp.kernel
def bench_nothing(out: Any) -> None:
    """Write one number: what is left is the launch."""
    if xp.global_id(0) == 0:
        out[0] = 1
