"""argmin and argmax: reductions that carry a value and its place, written with placeholders (see ``producer``).

The first of equal elements wins, and NaN wins over all. Pieces of a long row leave their best value and its place; a
last kernel compares these, in order.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..kernel.stdlib import words as xp
from . import elementwise_complex
from .reduce_templates import GROUP, placeholders

DType = np.dtype[Any]


@xp.func
def greater(a: Any, b: Any) -> Any:
    """Whether ``a`` replaces ``b`` in argmax."""
    return (a > b) | ((a != a) & (b == b))


@xp.func
def smaller(a: Any, b: Any) -> Any:
    """Whether ``a`` replaces ``b`` in argmin."""
    return (a < b) | ((a != a) & (b == b))


@xp.func
def complex_greater(a: Any, b: Any) -> Any:
    """Whether ``a`` replaces ``b`` in argmax, by real parts, then by imaginary ones."""
    if elementwise_complex.has_nan(a):
        return not elementwise_complex.has_nan(b)
    return elementwise_complex.less(b, a) and not elementwise_complex.has_nan(b)


@xp.func
def complex_smaller(a: Any, b: Any) -> Any:
    """Whether ``a`` replaces ``b`` in argmin, by real parts, then by imaginary ones."""
    if elementwise_complex.has_nan(a):
        return not elementwise_complex.has_nan(b)
    return elementwise_complex.less(a, b) and not elementwise_complex.has_nan(b)


def better(op: str, source: DType) -> Any:
    """Return the function that tells whether a later element replaces an earlier one."""
    if source.kind == "c":
        return complex_greater if op == "argmax" else complex_smaller
    return greater if op == "argmax" else smaller


def work_type(source: DType) -> DType:
    """Return the dtype in which elements are compared."""
    if source.kind == "b":
        return np.dtype(np.uint8)
    return np.dtype(np.float32) if source.char == "e" else source


@lru_cache(maxsize=256)
def make_rows(op: str, source: DType, lanes: int, final: bool) -> Any:
    """Return the kernel in which a work-item searches a piece of a row. Index space: (outer, parts).

    A lane counts the vectors it has seen in 32 bits; a piece is never that long.
    """
    load_one, load_lanes = placeholders(source, lanes)
    work, wins = work_type(source).type, better(op, source)

    @xp.kernel
    def argument_rows(length: Any, chunk: Any, parts: Any, xr_values: Any, xr_out: Any) -> None:
        o = xp.global_id(0)
        p = xp.global_id(1)
        begin = p * chunk
        end = xp.math.min(begin + chunk, length)
        k = begin
        best = work(load_one(o, begin, 0))
        where = begin
        if lanes > 1:
            whole = begin + (end - begin) // lanes * lanes
            if whole > begin:
                tops = work(load_lanes(o, begin, 0))
                places = xp.vector(xp.int32(0), lanes)
                count = xp.int32(0)
                while k < whole:
                    x = work(load_lanes(o, k, 0))
                    mask = wins(x, tops)
                    tops = xp.where(mask, x, tops)
                    places = xp.where(mask, xp.vector(count, lanes), places)
                    count += 1
                    k += lanes
                best = tops[0]
                where = begin + xp.int64(places[0]) * lanes
                for lane in xp.static_range(1, lanes):
                    place = begin + xp.int64(places[lane]) * lanes + lane
                    top = tops[lane]
                    if wins(top, best) or (not wins(best, top) and place < where):
                        best = top
                        where = place
        while k < end:
            item = work(load_one(o, k, 0))
            if wins(item, best):
                best = item
                where = k
            k += 1
        if not final:
            xr_values[o * parts + p] = best
        xr_out[o * parts + p] = where

    return argument_rows


@lru_cache(maxsize=256)
def make_columns(op: str, source: DType, lanes: int, final: bool) -> Any:
    """Return the kernel in which a work-item searches a piece of ``lanes`` columns.

    Index space: (outer, parts, ceil(inner / lanes)).
    """
    load_one, load_lanes = placeholders(source, lanes)
    work, wins = work_type(source).type, better(op, source)

    @xp.kernel
    def argument_columns(length: Any, chunk: Any, parts: Any, inner: Any, xr_values: Any, xr_out: Any) -> None:
        o = xp.global_id(0)
        p = xp.global_id(1)
        first = xp.global_id(2) * lanes
        begin = p * chunk
        end = xp.math.min(begin + chunk, length)
        base = (o * parts + p) * inner
        if lanes > 1 and first + lanes <= inner:
            tops = work(load_lanes(o, begin, first))
            places = xp.vector(xp.int32(0), lanes)
            count = xp.int32(0)
            for k in range(begin, end):
                x = work(load_lanes(o, k, first))
                mask = wins(x, tops)
                tops = xp.where(mask, x, tops)
                places = xp.where(mask, xp.vector(count, lanes), places)
                count += 1
            if not final:
                xp.vstore(xr_values, base + first, tops)
            for lane in xp.static_range(lanes):
                xr_out[base + first + lane] = begin + xp.int64(places[lane])
        else:
            for i in range(first, xp.math.min(first + lanes, inner)):
                best = work(load_one(o, begin, i))
                where = begin
                for kk in range(begin + 1, end):
                    item = work(load_one(o, kk, i))
                    if wins(item, best):
                        best = item
                        where = kk
                if not final:
                    xr_values[base + i] = best
                xr_out[base + i] = where

    return argument_columns


@lru_cache(maxsize=256)
def make_groups(op: str, source: DType, final: bool) -> Any:
    """Return the kernel in which a group searches a piece of a row. Index space: (outer, parts * GROUP)."""
    load_one, _ = placeholders(source, 1)
    work, wins = work_type(source).type, better(op, source)
    held = work_type(source)

    @xp.kernel
    def argument_groups(length: Any, chunk: Any, parts: Any, xr_values: Any, xr_out: Any) -> None:
        tops = xp.local_array(GROUP, held)
        places = xp.local_array(GROUP, xp.int64)
        o = xp.group_id(0)
        p = xp.group_id(1)
        me = xp.local_id(1)
        begin = p * chunk
        end = xp.math.min(begin + chunk, length)
        where = xp.math.min(begin + me, end - 1)
        best = work(load_one(o, where, 0))
        k = begin + me + GROUP
        while k < end:
            item = work(load_one(o, k, 0))
            if wins(item, best):
                best = item
                where = k
            k += GROUP
        tops[me] = best
        places[me] = where
        xp.barrier()
        step = GROUP // 2
        while step > 0:
            if me < step:
                mine = tops[me]
                other = tops[me + step]
                place = places[me + step]
                if wins(other, mine) or (not wins(mine, other) and place < places[me]):
                    tops[me] = other
                    places[me] = place
            xp.barrier()
            step = step // 2
        if me == 0:
            if not final:
                xr_values[o * parts + p] = tops[0]
            xr_out[o * parts + p] = places[0]

    return argument_groups


@lru_cache(maxsize=256)
def make_last(op: str, source: DType) -> Any:
    """Return the kernel that compares the results of a row's pieces. Index space: (outer, inner)."""
    wins = better(op, source)

    @xp.kernel
    def argument_last(parts: Any, inner: Any, values: Any, places: Any, xr_out: Any) -> None:
        o = xp.global_id(0)
        i = xp.global_id(1)
        start = o * parts * inner + i
        best = values[start]
        where = places[start]
        for p in range(1, parts):
            item = values[start + p * inner]
            if wins(item, best):
                best = item
                where = places[start + p * inner]
        xr_out[o * inner + i] = where

    return argument_last
