"""Histogram: atomics, first on global memory, then on a copy of the bins for each group.

python examples/kernels/histogram.py --device opencl
"""

from __future__ import annotations

from typing import Any

import numpy as np
from common import check, compare, run

import xpu as xp

BINS = 256
GROUP = 256
GROUPS = 64


@xp.kernel
def histogram_naive(pixels, bins):
    i = xp.global_id(0)
    xp.atomic_add(bins, pixels[i], 1)  # bins[pixels[i]] += 1 would lose counts


@xp.kernel
def histogram_local(pixels, bins):
    mine = xp.local_array(BINS, xp.int32)
    me = xp.local_id(0)
    for k in range(me, BINS, xp.local_size(0)):
        mine[k] = 0  # local memory holds anything at first
    xp.barrier()
    for i in range(xp.global_id(0), pixels.shape[0], xp.global_size(0)):
        xp.atomic_add(mine, pixels[i], 1)
    xp.barrier()
    for k in range(me, BINS, xp.local_size(0)):
        if mine[k] > 0:
            xp.atomic_add(bins, k, mine[k])


def main(device: Any, size: int) -> None:
    """Count the values of 8-bit pixels."""
    rng = np.random.default_rng(4)
    host = np.clip(rng.normal(128, 20, size), 0, 255).astype(np.uint8)
    expected = np.bincount(host, minlength=BINS)
    groups = min(GROUPS, -(-size // GROUP))
    with xp.device(device):
        pixels = xp.asarray(host)
        bins = xp.zeros(BINS, dtype=xp.int32)

        def naive() -> None:
            histogram_naive[size](pixels, bins)

        def local() -> None:
            histogram_local[groups * GROUP, GROUP](pixels, bins)

        for work in (naive, local):
            bins[...] = 0
            work()
            check(work.__name__, bins, expected)
        compare(("atomics on global memory", naive), ("atomics on local memory", local))


if __name__ == "__main__":
    run(main, size=8_000_000, small=400)
