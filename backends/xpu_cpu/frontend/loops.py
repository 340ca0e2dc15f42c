"""Counted loops."""

from __future__ import annotations

from typing import Any

from numba.core import cgutils, types
from numba.core.imputils import RefType, iternext_impl

from . import types as t
from .instructions import compare
from .words import declare, word


def _declare_range(name: str, unit: bool, parallel: bool) -> None:
    """Declare ``count(start, stop)`` (unit steps) or ``count_by(start, stop, step)`` over any integer type."""

    def typing(*bounds: Any) -> Any:
        fitting = len(bounds) == (2 if unit else 3) and len(set(bounds)) == 1 and t.is_integer(bounds[0])
        return t.Range(t.Counter(bounds[0], unit, parallel)) if fitting else None

    def lowering(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        state = context.make_helper(builder, sig.return_type)
        state.start, state.stop = args[0], args[1]
        state.step = t.constant(sig.args[0], 1) if unit else args[2]
        return state._getvalue()

    word(name, typing, lowering)


_declare_range("count", True, False)
_declare_range("count_by", False, False)
_declare_range("items", True, True)


def _start_counting(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    ty = sig.return_type
    state = context.make_helper(builder, sig.args[0], args[0])
    counter = context.make_helper(builder, ty)
    counter.now = cgutils.alloca_once_value(builder, state.start)
    limit = state.stop if ty.unit else _rounds(builder, ty.count, state.start, state.stop, state.step)
    counter.limit = cgutils.alloca_once_value(builder, limit)
    counter.step = state.step
    # In a loop the slots are used again: set them each time, not only once.
    builder.store(state.start, counter.now)
    builder.store(limit, counter.limit)
    return counter._getvalue()


def _rounds(builder: Any, ty: Any, start: Any, stop: Any, step: Any) -> Any:
    """Return how often a loop with this step turns, as an unsigned number of the same width."""
    zero, one = t.constant(ty, 0), t.constant(ty, 1)
    up = compare(builder, ">", ty, step, zero)
    low, high = builder.select(up, start, stop), builder.select(up, stop, start)
    size = builder.select(up, step, builder.sub(zero, step))
    size = builder.select(builder.icmp_unsigned("==", size, zero), one, size)
    some = builder.and_(compare(builder, "<", ty, low, high), builder.icmp_unsigned("!=", step, zero))
    rounds = builder.add(builder.udiv(builder.sub(builder.sub(high, low), one), size), one)
    return builder.select(some, rounds, zero)


def _count_on(context: Any, builder: Any, sig: Any, args: Any, result: Any) -> None:
    ty = sig.args[0]
    counter = context.make_helper(builder, ty, args[0])
    now, limit = builder.load(counter.now), builder.load(counter.limit)
    one = t.constant(ty.count, 1)
    if ty.unit:
        valid = compare(builder, "<", ty.count, now, limit)
    else:
        valid = builder.icmp_unsigned("!=", limit, t.constant(ty.count, 0))
    result.set_valid(valid)
    result.yield_(now)
    with builder.if_then(valid):
        if ty.unit:
            flags = ["nsw"] if ty.count.signed else ["nuw"]
            builder.store(builder.add(now, one, flags=flags), counter.now)
        else:
            builder.store(builder.add(now, counter.step), counter.now)
            builder.store(builder.sub(limit, one), counter.limit)


declare("getiter", lambda ty: ty.iterator_type if isinstance(ty, t.Range) else None, _start_counting)
declare("iternext", lambda ty: types.Pair(ty.yield_type, types.boolean), iternext_impl(RefType.UNTRACKED)(_count_on))
declare("pair_first", lambda pair: pair.first_type, lambda context, builder, sig, args: None)
declare("pair_second", lambda pair: pair.second_type, lambda context, builder, sig, args: None)
