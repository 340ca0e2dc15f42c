"""The kernels of this level: what every introduction to GPU computing begins with, in xpu's language."""

from __future__ import annotations

from typing import Any

import xpu as xp


@xp.kernel
def vector_add(x: Any, y: Any, out: Any) -> None:
    i = xp.global_id(0)
    if i < out.shape[0]:
        out[i] = x[i] + y[i]


@xp.kernel
def saxpy(a: Any, x: Any, y: Any, out: Any) -> None:
    i = xp.global_id(0)
    out[i] = a * x[i] + y[i]


@xp.kernel
def transpose(x: Any, out: Any) -> None:
    i = xp.global_id(0)
    j = xp.global_id(1)
    out[j, i] = x[i, j]


@xp.kernel
def positions(out: Any) -> None:
    i = xp.global_id(0)
    j = xp.global_id(1)
    k = xp.global_id(2)
    out[i, j, k] = i * 10000 + j * 100 + k


@xp.func
def clamp_index(i: Any, n: Any) -> Any:
    if i < 0:
        return 0
    if i >= n:
        return n - 1
    return i


@xp.kernel
def smooth(x: Any, out: Any) -> None:
    i = xp.global_id(0)
    n = x.shape[0]
    total = x[i] * 2
    for d in range(-2, 3):
        total += x[clamp_index(i + d, n)]
    out[i] = total / 7


@xp.kernel
def collatz(x: Any, out: Any) -> None:
    i = xp.global_id(0)
    n = x[i]
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
        if steps >= 500:
            break
    out[i] = steps


@xp.kernel
def python_division(x: Any, y: Any, quotient: Any, rest: Any) -> None:
    i = xp.global_id(0)
    quotient[i] = x[i] // y[i]
    rest[i] = x[i] % y[i]


@xp.kernel
def odd_rows_only(x: Any, out: Any) -> None:
    i = xp.global_id(0)
    if i % 2 == 0:
        return
    for j in range(x.shape[1]):
        if x[i, j] < 0:
            continue
        out[i, j] = x[i, j]


@xp.kernel
def sort_of_eight(x: Any, out: Any) -> None:
    row = xp.global_id(0)
    mine = xp.private_array(8, xp.float32)
    for k in range(8):
        mine[k] = x[row, k]
    for a in range(8):
        for b in range(7 - a):
            if mine[b + 1] < mine[b]:
                mine[b], mine[b + 1] = mine[b + 1], mine[b]
    for k in xp.static_range(8):
        out[row, k] = mine[k]


@xp.kernel
def histogram(x: Any, counts: Any) -> None:
    i = xp.global_id(0)
    xp.atomic_add(counts, x[i], 1)


@xp.kernel
def extremes(x: Any, low: Any, high: Any) -> None:
    i = xp.global_id(0)
    xp.atomic_min(low, 0, x[i])
    xp.atomic_max(high, 0, x[i])


@xp.kernel
def tickets(counter: Any, taken: Any) -> None:
    i = xp.global_id(0)
    taken[i] = xp.atomic_add(counter, 0, 1)


@xp.kernel
def claim(owner: Any, winners: Any) -> None:
    i = xp.global_id(0)
    slot = i % owner.shape[0]
    if xp.atomic_cas(owner, slot, -1, xp.int32(i)) == -1:
        winners[i] = 1


@xp.kernel
def total(x: Any, out: Any) -> None:
    xp.atomic_add(out, 0, x[xp.global_id(0)])


@xp.kernel
def functions(x: Any, out: Any) -> None:
    i = xp.global_id(0)
    v = x[i]
    out[0, i] = xp.math.sqrt(v)
    out[1, i] = xp.math.exp(-v)
    out[2, i] = xp.math.log(v)
    out[3, i] = xp.math.sin(v) * xp.math.cos(v)
    out[4, i] = xp.math.floor(v * 3)
    out[5, i] = xp.math.pow(v, 1.5)
    out[6, i] = xp.math.hypot(v, 2.0)
    out[7, i] = xp.math.maximum(v, 1.0)


@xp.kernel
def casts(x: Any, out: Any) -> None:
    i = xp.global_id(0)
    out[0, i] = xp.int32(x[i])
    out[1, i] = xp.int32(xp.uint8(xp.int32(x[i])))
    out[2, i] = xp.int32(xp.int8(xp.int32(x[i]) * 100))
    out[3, i] = xp.int32(x[i] > 1.5)


@xp.kernel
def doubled_lanes(x: Any, out: Any) -> None:
    i = xp.global_id(0) * 4
    v = xp.vload(x, i, 4)
    xp.vstore(out, i, v * 2 + 1)


@xp.kernel
def out_of_range(x: Any, shift: Any) -> None:
    i = xp.global_id(0)
    x[i + shift] = 1


@xp.kernel
def refuses_negative(x: Any, out: Any) -> None:
    i = xp.global_id(0)
    assert x[i] >= 0, "negative input"
    out[i] = x[i]


def tiled_matmul(side: int) -> Any:
    """Return the matrix product through tiles of local memory, ``side * side`` work-items a group."""

    @xp.kernel
    def matmul(a: Any, b: Any, out: Any) -> None:
        row = xp.global_id(0)
        column = xp.global_id(1)
        i = xp.local_id(0)
        j = xp.local_id(1)
        tile_a = xp.local_array((side, side), xp.float32)
        tile_b = xp.local_array((side, side), xp.float32)
        total = xp.float32(0)
        for t in range((a.shape[1] + side - 1) // side):
            k = t * side
            tile_a[i, j] = a[row, k + j] if row < a.shape[0] and k + j < a.shape[1] else 0
            tile_b[i, j] = b[k + i, column] if k + i < b.shape[0] and column < b.shape[1] else 0
            xp.barrier()
            for q in range(side):
                total += tile_a[i, q] * tile_b[q, j]
            xp.barrier()
        if row < out.shape[0] and column < out.shape[1]:
            out[row, column] = total

    return matmul


def group_sum(group: int) -> Any:
    """Return a kernel that adds up each group through a tree in local memory."""

    @xp.kernel
    def reduce(x: Any, out: Any) -> None:
        i = xp.global_id(0)
        lid = xp.local_id(0)
        scratch = xp.local_array(group, xp.int32)
        scratch[lid] = x[i]
        xp.barrier()
        step = group // 2
        while step > 0:
            if lid < step:
                scratch[lid] += scratch[lid + step]
            xp.barrier()
            step //= 2
        if lid == 0:
            out[xp.group_id(0)] = scratch[0]

    return reduce
