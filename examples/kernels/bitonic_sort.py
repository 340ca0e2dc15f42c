"""Bitonic sort: a network of compare-and-exchange steps, the short ones in local memory.

In each step, every work-item looks at two elements that no other work-item looks at, so no step has a race; between
steps all must have finished. Steps within a block of 512 elements are done by one group, which waits by barriers;
steps across blocks are launches of their own.

python examples/kernels/bitonic_sort.py --device opencl
"""

from __future__ import annotations

from typing import Any

import numpy as np
from common import check, compare, run

import xpu as xp

GROUP = 256
BLOCK = 2 * GROUP


@xp.func
def first_of_pair(k, distance):
    """Return the position of the first element of pair ``k``; the second one is ``distance`` further on."""
    inside = k & (distance - 1)  # k % distance, for a power of two: bits are cheap, divisions are not
    return 2 * (k - inside) + inside


@xp.kernel
def step(x, length, distance):
    """Do one step on all of x, in global memory."""
    i = first_of_pair(xp.global_id(0), distance)
    rising = (i & length) == 0
    a, b = x[i], x[i + distance]
    if (a > b) == rising:
        x[i], x[i + distance] = b, a


@xp.kernel
def steps_in_block(x, first_length, last_length):
    """Do all steps that stay within a block of 512 elements, for the lengths from first to last."""
    block = xp.local_array(BLOCK, x.dtype)
    me = xp.local_id(0)
    base = xp.group_id(0) * BLOCK
    block[me], block[me + GROUP] = x[base + me], x[base + me + GROUP]
    xp.barrier()
    length = first_length
    while length <= last_length:
        distance = min(length // 2, GROUP)
        while distance > 0:
            i = first_of_pair(me, distance)
            rising = ((base + i) & length) == 0
            a, b = block[i], block[i + distance]
            if (a > b) == rising:
                block[i], block[i + distance] = b, a
            xp.barrier()
            distance //= 2
        length *= 2
    x[base + me], x[base + me + GROUP] = block[me], block[me + GROUP]


def sort_naive(x: Any) -> None:
    """Sort in place; the number of elements is a power of two."""
    n = x.shape[0]
    length = 2
    while length <= n:
        distance = length // 2
        while distance > 0:
            step[n // 2](x, length, distance)
            distance //= 2
        length *= 2


def sort(x: Any) -> None:
    """Sort in place; the number of elements is a power of two, and at least 512."""
    n = x.shape[0]
    steps_in_block[n // 2, GROUP](x, 2, BLOCK)
    length = 2 * BLOCK
    while length <= n:
        distance = length // 2
        while distance > GROUP:
            step[n // 2](x, length, distance)
            distance //= 2
        steps_in_block[n // 2, GROUP](x, length, length)
        length *= 2


def main(device: Any, size: int) -> None:
    """Sort random numbers."""
    n = max(BLOCK, 1 << (size - 1).bit_length())
    host = np.random.default_rng(8).random(n, dtype=np.float32)
    with xp.device(device):
        for work in (sort_naive, sort):
            x = xp.asarray(host, copy=True)
            work(x)
            check(work.__name__, x, np.sort(host))
        start = xp.asarray(host)
        x = xp.empty_like(start)

        def fresh(work: Any) -> None:
            x[...] = start
            work(x)

        compare(
            ("every step in global memory", lambda: fresh(sort_naive)),
            ("short steps in local memory", lambda: fresh(sort)),
        )


if __name__ == "__main__":
    run(main, size=1 << 18, small=512)
