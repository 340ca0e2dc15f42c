"""Matrix product: elements that many work-items need are fetched once, into local memory.

python examples/kernels/matmul_tiled.py --device opencl
"""

from __future__ import annotations

from typing import Any

import numpy as np
from common import check, compare, round_up, run

import xpu as xp

TILE = 16  # a constant from outside: part of the compiled kernel


@xp.kernel
def matmul_naive(a, b, out):
    row = xp.global_id(0)
    column = xp.global_id(1)
    total = 0.0
    for k in range(a.shape[1]):
        total += a[row, k] * b[k, column]
    out[row, column] = total


@xp.kernel
def matmul_tiled(a, b, out):
    left = xp.local_array((TILE, TILE), a.dtype)  # one copy for the whole group
    right = xp.local_array((TILE, TILE), b.dtype)
    row = xp.global_id(0)
    column = xp.global_id(1)
    i = xp.local_id(0)
    j = xp.local_id(1)
    total = 0.0
    for start in range(0, a.shape[1], TILE):
        # each work-item fetches one element of both tiles; beyond the edges there are zeros
        left[i, j] = a[row, start + j] if row < a.shape[0] and start + j < a.shape[1] else 0
        right[i, j] = b[start + i, column] if start + i < b.shape[0] and column < b.shape[1] else 0
        xp.barrier()  # the tiles are full
        for k in range(TILE):
            total += left[i, k] * right[k, j]
        xp.barrier()  # nobody reads them any more
    if row < out.shape[0] and column < out.shape[1]:
        out[row, column] = total


def main(device: Any, size: int) -> None:
    """Multiply two matrices, naively and in tiles."""
    rng = np.random.default_rng(3)
    rows, depth, columns = size, size + 3, size + 5
    a = rng.integers(-4, 5, (rows, depth)).astype(np.float32)
    b = rng.integers(-4, 5, (depth, columns)).astype(np.float32)
    with xp.device(device):
        x, y = xp.asarray(a), xp.asarray(b)
        out = xp.empty((rows, columns), dtype=xp.float32)
        # a kernel with barriers needs full groups: the global size is rounded up, and the kernel tests the edges
        whole = (round_up(rows, TILE), round_up(columns, TILE))

        def naive() -> None:
            matmul_naive[(rows, columns)](x, y, out)

        def tiled() -> None:
            matmul_tiled[whole, (TILE, TILE)](x, y, out)

        for work in (naive, tiled):
            out[...] = 0
            work()
            check(work.__name__, out, a @ b)

        def ready_made() -> None:
            out[...] = xp.matmul(x, y)

        compare(("naive", naive), ("tiles in local memory", tiled), ("xp.matmul", ready_made))


if __name__ == "__main__":
    run(main, size=512, small=18)
