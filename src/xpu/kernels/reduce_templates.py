"""Reduction kernels, written with placeholders for the elements they read (see ``producer``).

The elements form a box of ``outer`` x ``length`` x ``inner``; the middle is reduced, in ``parts`` pieces of ``chunk``
whose results lie in ``out[(o * parts + p) * inner + i]``. Within a piece, blocks of ``BLOCK`` elements are combined
first and then the blocks, which bounds the rounding error of sums.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from ..kernel.stdlib import words as xp
from .reduce_operations import Reduction

BLOCK = 32
"""Elements (or vectors) that are combined before their sum is widened."""
GROUP = 256
"""Work-items of a group that share a row on GPUs."""


def placeholders(dtype: Any, lanes: int) -> tuple[Any, Any]:
    """Return ``load_one`` and ``load_lanes``: functions whose bodies a producer replaces."""
    kind = dtype.type

    @xp.func
    def load_one(o: Any, k: Any, i: Any) -> Any:
        return kind(xp.int64(o) + xp.int64(k) + xp.int64(i))

    @xp.func
    def load_lanes(o: Any, k: Any, i: Any) -> Any:
        return xp.vector(kind(xp.int64(o) + xp.int64(k) + xp.int64(i)), lanes)

    return load_one, load_lanes


def _parts(op: Reduction) -> tuple[Any, ...]:
    result = op.result.type if op.result.kind != "b" else xp.bool
    return op.block.type, op.total.type, result, op.enter, op.combine, op.identity


@lru_cache(maxsize=512)
def make_rows(op: Reduction, lanes: int, final: bool) -> Any:
    """Return the kernel in which a work-item reduces a piece of a row, along vectors where ``lanes`` > 1.

    Index space: (outer, parts). ``final`` says that ``out`` has the result's dtype rather than the total's.
    """
    load_one, load_lanes = placeholders(op.source, lanes)
    block, total, result, enter, combine, identity = _parts(op)
    last = result if final else total
    span = lanes * BLOCK

    @xp.kernel
    def reduce_rows(length: Any, chunk: Any, parts: Any, xr_out: Any) -> None:
        o = xp.global_id(0)
        p = xp.global_id(1)
        begin = p * chunk
        end = xp.math.min(begin + chunk, length)
        value = total(identity)
        k = begin
        if lanes > 1:
            whole = begin + (end - begin) // lanes * lanes
            if whole > begin:
                sums = xp.vector(total(identity), lanes)
                while k < whole:
                    stop = xp.math.min(k + span, whole)
                    part = xp.vector(block(identity), lanes)
                    while k < stop:
                        part = combine(part, enter(load_lanes(o, k, 0)))
                        k += lanes
                    sums = combine(sums, total(part))
                for lane in xp.static_range(lanes):
                    value = combine(value, sums[lane])
        while k < end:
            stop = xp.math.min(k + BLOCK, end)
            single = block(identity)
            while k < stop:
                single = combine(single, enter(load_one(o, k, 0)))
                k += 1
            value = combine(value, total(single))
        xr_out[o * parts + p] = last(value)

    return reduce_rows


@lru_cache(maxsize=512)
def make_columns(op: Reduction, lanes: int, strip: int, final: bool) -> Any:
    """Return the kernel in which a work-item reduces a piece of some neighbouring columns.

    Index space: (outer, parts, ceil(inner / strip)). ``strip`` is four vectors, or one column where ``lanes`` is 1.
    """
    load_one, load_lanes = placeholders(op.source, lanes)
    block, total, result, enter, combine, identity = _parts(op)
    last = result if final else total

    @xp.kernel
    def reduce_columns(length: Any, chunk: Any, parts: Any, inner: Any, xr_out: Any) -> None:
        o = xp.global_id(0)
        p = xp.global_id(1)
        first = xp.global_id(2) * strip
        begin = p * chunk
        end = xp.math.min(begin + chunk, length)
        place = (o * parts + p) * inner
        if lanes > 1:
            if first + strip <= inner:
                empty = xp.vector(total(identity), lanes)
                t0 = empty
                t1 = empty
                t2 = empty
                t3 = empty
                k = begin
                while k < end:
                    stop = xp.math.min(k + BLOCK, end)
                    nothing = xp.vector(block(identity), lanes)
                    b0 = nothing
                    b1 = nothing
                    b2 = nothing
                    b3 = nothing
                    while k < stop:
                        b0 = combine(b0, enter(load_lanes(o, k, first)))
                        b1 = combine(b1, enter(load_lanes(o, k, first + lanes)))
                        b2 = combine(b2, enter(load_lanes(o, k, first + 2 * lanes)))
                        b3 = combine(b3, enter(load_lanes(o, k, first + 3 * lanes)))
                        k += 1
                    t0 = combine(t0, total(b0))
                    t1 = combine(t1, total(b1))
                    t2 = combine(t2, total(b2))
                    t3 = combine(t3, total(b3))
                xp.vstore(xr_out, place + first, last(t0))
                xp.vstore(xr_out, place + first + lanes, last(t1))
                xp.vstore(xr_out, place + first + 2 * lanes, last(t2))
                xp.vstore(xr_out, place + first + 3 * lanes, last(t3))
            else:
                for i in range(first, inner):
                    k = begin
                    value = total(identity)
                    while k < end:
                        stop = xp.math.min(k + BLOCK, end)
                        single = block(identity)
                        while k < stop:
                            single = combine(single, enter(load_one(o, k, i)))
                            k += 1
                        value = combine(value, total(single))
                    xr_out[place + i] = last(value)
        else:
            k = begin
            value = total(identity)
            while k < end:
                stop = xp.math.min(k + BLOCK, end)
                single = block(identity)
                while k < stop:
                    single = combine(single, enter(load_one(o, k, first)))
                    k += 1
                value = combine(value, total(single))
            xr_out[place + first] = last(value)

    return reduce_columns


@lru_cache(maxsize=512)
def make_groups(op: Reduction, final: bool) -> Any:
    """Return the kernel in which a group of work-items reduces a piece of a row: neighbours read neighbours.

    Index space: (outer, parts * GROUP) in groups of (1, GROUP).
    """
    load_one, _ = placeholders(op.source, 1)
    block, total, result, enter, combine, identity = _parts(op)
    last = result if final else total

    @xp.kernel
    def reduce_groups(length: Any, chunk: Any, parts: Any, xr_out: Any) -> None:
        shared = xp.local_array(GROUP, total)
        o = xp.group_id(0)
        p = xp.group_id(1)
        me = xp.local_id(1)
        begin = p * chunk
        end = xp.math.min(begin + chunk, length)
        value = total(identity)
        k = begin + me
        while k < end:
            stop = xp.math.min(k + BLOCK * GROUP, end)
            single = block(identity)
            while k < stop:
                single = combine(single, enter(load_one(o, k, 0)))
                k += GROUP
            value = combine(value, total(single))
        shared[me] = value
        xp.barrier()
        step = GROUP // 2
        while step > 0:
            if me < step:
                shared[me] = combine(shared[me], shared[me + step])
            xp.barrier()
            step = step // 2
        if me == 0:
            xr_out[o * parts + p] = last(shared[0])

    return reduce_groups
