"""Matrix products in tiles of local memory, for GPUs, and element by element for what is too small for tiles."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..kernel.stdlib import words as xp

DType = np.dtype[Any]
TILE = 64
"""Rows and columns of the result that one work-group computes."""
DEPTH = 16
"""Columns of the left tile (rows of the right one) that are in local memory at a time."""
SIDE = 16
"""Work-items along each side of a group; each computes a square of 4 x 4."""
EACH = TILE // SIDE


def _types(work: DType, result: DType) -> tuple[Any, Any]:
    return work.type, (result.type if result.kind != "b" else xp.bool)


@lru_cache(maxsize=64)
def make_groups(work: DType, result: DType) -> Any:
    """Return the kernel of the local tile.

    Index space: (batch, rows / 64 * 16, columns / 64 * 16) in groups of (1, 16, 16). Both operands are strided:
    ``x[base + batch * s_batch + row * s_row + column * s_column]``.
    """
    kind, final = _types(work, result)

    @xp.kernel
    def matmul_groups(
        a: Any, a_base: Any, a_batch: Any, a_m: Any, a_k: Any,
        b: Any, b_base: Any, b_batch: Any, b_k: Any, b_n: Any,
        out: Any, o_base: Any, o_batch: Any, o_row: Any, o_column: Any,
        rows: Any, columns: Any, depth: Any,
    ) -> None:  # fmt: skip
        left = xp.local_array((DEPTH, TILE + 1), work)
        right = xp.local_array((DEPTH, TILE + 1), work)
        batch = xp.group_id(0)
        m0 = xp.group_id(1) * TILE
        n0 = xp.group_id(2) * TILE
        i = xp.local_id(1)
        j = xp.local_id(2)
        me = i * SIDE + j
        sums = xp.private_array((EACH, EACH), work)
        for r in xp.static_range(EACH):
            for c in xp.static_range(EACH):
                sums[r, c] = kind(0)
        a_start = a_base + batch * a_batch
        b_start = b_base + batch * b_batch
        for k0 in range(0, depth, DEPTH):
            for part in xp.static_range(TILE * DEPTH // (SIDE * SIDE)):
                item = me + part * SIDE * SIDE
                # neighbours read neighbours along k on the left, along n on the right
                row = item // DEPTH
                k = item % DEPTH
                value = kind(0)
                if m0 + row < rows and k0 + k < depth:
                    value = kind(a[a_start + (m0 + row) * a_m + (k0 + k) * a_k])
                left[k, row] = value
                k = item // TILE
                column = item % TILE
                value = kind(0)
                if n0 + column < columns and k0 + k < depth:
                    value = kind(b[b_start + (k0 + k) * b_k + (n0 + column) * b_n])
                right[k, column] = value
            xp.barrier()
            for k in range(DEPTH):
                for r in xp.static_range(EACH):
                    x = left[k, i + r * SIDE]
                    for c in xp.static_range(EACH):
                        sums[r, c] = sums[r, c] + x * right[k, j + c * SIDE]
            xp.barrier()
        for r in xp.static_range(EACH):
            for c in xp.static_range(EACH):
                m = m0 + i + r * SIDE
                n = n0 + j + c * SIDE
                if m < rows and n < columns:
                    out[o_base + batch * o_batch + m * o_row + n * o_column] = final(sums[r, c])

    return matmul_groups


@lru_cache(maxsize=64)
def make_elements(work: DType, result: DType) -> Any:
    """Return the kernel with one work-item for each element of the result. Index space: (batch, rows, columns)."""
    kind, final = _types(work, result)

    @xp.kernel
    def matmul_elements(
        a: Any, a_base: Any, a_batch: Any, a_m: Any, a_k: Any,
        b: Any, b_base: Any, b_batch: Any, b_k: Any, b_n: Any,
        out: Any, o_base: Any, o_batch: Any, o_row: Any, o_column: Any,
        depth: Any,
    ) -> None:  # fmt: skip
        batch = xp.global_id(0)
        m = xp.global_id(1)
        n = xp.global_id(2)
        x = a_base + batch * a_batch + m * a_m
        y = b_base + batch * b_batch + n * b_n
        total = kind(0)
        for _ in range(depth):
            total = total + kind(a[x]) * kind(b[y])
            x += a_k
            y += b_k
        out[o_base + batch * o_batch + m * o_row + n * o_column] = final(total)

    return matmul_elements
