"""Transpose: coalesced access by way of local memory, and bank conflicts.

A naive transpose reads along rows and writes along columns: neighbours write far from each other. The tiled one
reads a tile along rows, and writes it along rows too; the turn happens in local memory. There, a column of a tile of
32 columns lies in one and the same memory bank; one column of padding spreads it over all of them.

python examples/kernels/transpose_tiled.py --device opencl
"""

from __future__ import annotations

from typing import Any

import numpy as np
from common import check, compare, round_up, run

import xpu as xp

TILE = 32
ROWS = 8  # a group is 8 x 32 work-items; each moves 4 elements of a tile


@xp.kernel
def transpose_naive(a, out):
    row = xp.global_id(0)
    column = xp.global_id(1)
    out[column, row] = a[row, column]


def make_tiled(columns: int) -> Any:
    """Return the kernel for tiles with that many columns in local memory: a constant from a closure."""

    @xp.kernel
    def transpose_tiled(a, out):
        tile = xp.local_array((TILE, columns), a.dtype)
        top = xp.group_id(0) * TILE
        left = xp.group_id(1) * TILE
        i = xp.local_id(0)
        j = xp.local_id(1)
        for k in xp.static_range(0, TILE, ROWS):
            if top + i + k < a.shape[0] and left + j < a.shape[1]:
                tile[i + k, j] = a[top + i + k, left + j]
        xp.barrier()
        for k in xp.static_range(0, TILE, ROWS):
            if left + i + k < out.shape[0] and top + j < out.shape[1]:
                out[left + i + k, top + j] = tile[j, i + k]

    return transpose_tiled


conflicting = make_tiled(TILE)
padded = make_tiled(TILE + 1)


def main(device: Any, size: int) -> None:
    """Transpose a matrix in three ways."""
    rows, columns = size, size + size // 4
    host = np.arange(rows * columns, dtype=np.float32).reshape(rows, columns)
    with xp.device(device):
        a = xp.asarray(host)
        out = xp.empty((columns, rows), dtype=xp.float32)
        whole = (round_up(rows, TILE) // TILE * ROWS, round_up(columns, TILE))

        def naive() -> None:
            transpose_naive[(rows, columns)](a, out)

        def tiled() -> None:
            conflicting[whole, (ROWS, TILE)](a, out)

        def tiled_and_padded() -> None:
            padded[whole, (ROWS, TILE)](a, out)

        for work in (naive, tiled, tiled_and_padded):
            out[...] = 0
            work()
            check(work.__name__, out, host.T)
        compare(("naive", naive), ("tiled", tiled), ("tiled, padded", tiled_and_padded))


if __name__ == "__main__":
    run(main, size=2048, small=36)
