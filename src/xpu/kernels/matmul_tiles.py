"""Matrix products in register tiles of short vectors, for CPUs.

A work-item computes 8, 6 or 4 rows of two vectors, and walks along ``k`` once: each step loads two vectors of the right
operand and a number of the left one for each row. The operands lie in panels that are read from front to back: the right
one in panels of two vectors' width, the left one, where it is large, in panels of a tile's rows. Neighbouring work-items share a
right panel.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..backend import DeviceInfo
from ..kernel.stdlib import words as xp

DType = np.dtype[Any]


def rows_for(info: DeviceInfo) -> int:
    """Return the rows of a tile: with two vectors to a row, the sums of all rows and three more vectors are in registers.

    Processors with vectors of 64 bytes have 32 registers; others, as a rule, 16.
    """
    return 8 if info.limits.vector_bytes >= 64 else 6


@lru_cache(maxsize=64)
def make_pack_right(source: DType, work: DType, lanes: int) -> Any:
    """Return the kernel that copies the right operand into panels, padded with zeros.

    Index space: (batch, panels, k). ``target[((batch * panels + p) * depth + k) * width + j]``.
    """
    kind = work.type
    width = 2 * lanes

    @xp.kernel
    def matmul_pack_right(
        b: Any, base: Any, s_batch: Any, s_k: Any, s_n: Any, columns: Any, panels: Any, depth: Any, target: Any
    ) -> None:
        batch = xp.global_id(0)
        panel = xp.global_id(1)
        k = xp.global_id(2)
        place = ((batch * panels + panel) * depth + k) * width
        first = base + batch * s_batch + k * s_k + panel * width * s_n
        left = columns - panel * width
        if s_n == 1 and left >= width:
            xp.vstore(target, place, kind(xp.vload(b, first, lanes)))
            xp.vstore(target, place + lanes, kind(xp.vload(b, first + lanes, lanes)))
        else:
            for j in range(width):
                value = kind(0)
                if j < left:
                    value = kind(b[first + j * s_n])
                target[place + j] = value

    return matmul_pack_right


@lru_cache(maxsize=64)
def make_pack_left(source: DType, work: DType, height: int) -> Any:
    """Return the kernel that copies the left operand into panels of ``height`` rows, padded with zeros.

    Index space: (batch, tiles, ceil(depth / 8)). ``target[((batch * tiles + t) * depth + k) * height + r]``.
    """
    kind = work.type

    @xp.kernel
    def matmul_pack_left(
        a: Any, base: Any, s_batch: Any, s_m: Any, s_k: Any, rows: Any, tiles: Any, depth: Any, target: Any
    ) -> None:
        batch = xp.global_id(0)
        tile = xp.global_id(1)
        start = xp.global_id(2) * 8
        stop = xp.math.min(start + 8, depth)
        for r in range(height):
            m = tile * height + r
            for k in range(start, stop):
                value = kind(0)
                if m < rows:
                    value = kind(a[base + batch * s_batch + m * s_m + k * s_k])
                target[((batch * tiles + tile) * depth + k) * height + r] = value

    return matmul_pack_left


@lru_cache(maxsize=64)
def make_both(work: DType) -> Any:
    """Return ``(x * p + c, x * q + d)`` of a number and two pairs of vectors, fused or not; integers wrap around."""
    floats = work.kind == "f"

    @xp.func
    def both(x: Any, p: Any, q: Any, c: Any, d: Any) -> Any:
        if floats:
            return xp.math.mad(x, p, c), xp.math.mad(x, q, d)
        return x * p + c, x * q + d

    return both


@lru_cache(maxsize=64)
def make_put(result: DType, lanes: int) -> Any:
    """Return the function that stores two vectors side by side, or as much of them as there is room for."""
    final = result.type if result.kind != "b" else xp.bool

    @xp.func
    def put(out: Any, place: Any, first: Any, second: Any, room: Any) -> Any:
        if room >= 2 * lanes:
            xp.vstore(out, place, final(first))
            xp.vstore(out, place + lanes, final(second))
        else:
            for lane in xp.static_range(lanes):
                if lane < room:
                    out[place + lane] = final(first[lane])
                if lanes + lane < room:
                    out[place + lanes + lane] = final(second[lane])
        return 0

    return put


@lru_cache(maxsize=64)
def make_tile(work: DType, result: DType, lanes: int, height: int) -> Any:
    """Return the kernel of the register tile. Index space: (batch, panels, tiles).

    Left: ``a[a_base + batch * a_batch + tile * a_tile + k * a_k + r * a_row]``, right:
    ``b[b_base + batch * b_batch + panel * b_panel + k * b_k + j]``, result:
    ``out[o_base + batch * o_batch + m * o_row + n]``.
    """
    kind = work.type
    both, put = make_both(work), make_put(result, lanes)
    width = 2 * lanes

    @xp.kernel
    def matmul_tile(
        a: Any, a_base: Any, a_batch: Any, a_tile: Any, a_k: Any, a_row: Any,
        b: Any, b_base: Any, b_batch: Any, b_panel: Any, b_k: Any,
        out: Any, o_base: Any, o_batch: Any, o_row: Any,
        rows: Any, columns: Any, depth: Any,
    ) -> None:  # fmt: skip
        batch = xp.global_id(0)
        panel = xp.global_id(1)
        tile = xp.global_id(2)
        m = tile * height
        last = rows - 1 - m  # rows beyond it are computed from the last one and not stored
        at = a_base + batch * a_batch + tile * a_tile
        r1 = xp.math.min(last, 1) * a_row
        r2 = xp.math.min(last, 2) * a_row
        r3 = xp.math.min(last, 3) * a_row
        r4 = xp.math.min(last, 4) * a_row
        r5 = xp.math.min(last, 5) * a_row
        r6 = xp.math.min(last, 6) * a_row
        r7 = xp.math.min(last, 7) * a_row
        right = b_base + batch * b_batch + panel * b_panel
        zero = xp.vector(kind(0), lanes)
        c0, c1, c2, c3, c4, c5, c6, c7 = zero, zero, zero, zero, zero, zero, zero, zero
        d0, d1, d2, d3, d4, d5, d6, d7 = zero, zero, zero, zero, zero, zero, zero, zero
        for _ in range(depth):
            p = xp.vload(b, right, lanes)
            q = xp.vload(b, right + lanes, lanes)
            c0, d0 = both(a[at], p, q, c0, d0)
            c1, d1 = both(a[at + r1], p, q, c1, d1)
            c2, d2 = both(a[at + r2], p, q, c2, d2)
            c3, d3 = both(a[at + r3], p, q, c3, d3)
            if height > 4:
                c4, d4 = both(a[at + r4], p, q, c4, d4)
                c5, d5 = both(a[at + r5], p, q, c5, d5)
            if height > 6:
                c6, d6 = both(a[at + r6], p, q, c6, d6)
                c7, d7 = both(a[at + r7], p, q, c7, d7)
            at += a_k
            right += b_k
        left = columns - panel * width
        place = o_base + batch * o_batch + m * o_row + panel * width
        put(out, place, c0, d0, left)
        if last >= 1:
            put(out, place + o_row, c1, d1, left)
        if last >= 2:
            put(out, place + 2 * o_row, c2, d2, left)
        if last >= 3:
            put(out, place + 3 * o_row, c3, d3, left)
        if height > 4 and last >= 4:
            put(out, place + 4 * o_row, c4, d4, left)
        if height > 4 and last >= 5:
            put(out, place + 5 * o_row, c5, d5, left)
        if height > 6 and last >= 6:
            put(out, place + 6 * o_row, c6, d6, left)
        if height > 6 and last >= 7:
            put(out, place + 7 * o_row, c7, d7, left)

    return matmul_tile
