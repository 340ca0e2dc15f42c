"""Running sums and products along an axis, on any device.

Where there are many rows, a work-item runs along each. A long row is cut into pieces: their totals first, then the running
totals of these (the same way again), then every piece once more with what came before it. The cut depends on the device and
the shape alone, so that results repeat bit for bit.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..backend import DeviceInfo
from ..kernel.stdlib import words as xp
from ..memory import View
from .reduce import lanes_for
from .views import launch, temporary, window

DType = np.dtype[Any]


def work_type(dtype: DType) -> DType:
    """Return the dtype in which a scan of this dtype adds: float16 in float32."""
    return np.dtype(np.float32) if dtype.char == "e" else dtype


@xp.func
def _add(a: Any, b: Any) -> Any:
    return a + b


@xp.func
def _multiply(a: Any, b: Any) -> Any:
    return a * b


Combination = tuple[Any, Any]
"""A kernel-language function of two totals, and its identity."""
_COMBINE: dict[str, Combination] = {"sum": (_add, 0), "prod": (_multiply, 1)}


def _combination(op: str | Combination) -> Combination:
    return _COMBINE[op] if isinstance(op, str) else op


@lru_cache(maxsize=128)
def make_totals(op: str | Combination, work: DType) -> Any:
    """Return the kernel of the pieces' totals. Index space: (outer, parts, inner)."""
    combine, identity = _combination(op)
    kind = work.type

    @xp.kernel
    def scan_totals(
        x: Any, base: Any, x_o: Any, x_k: Any, x_i: Any, length: Any, chunk: Any, parts: Any, inner: Any, totals: Any
    ) -> None:
        o = xp.global_id(0)
        p = xp.global_id(1)
        i = xp.global_id(2)
        begin = p * chunk
        end = xp.math.min(begin + chunk, length)
        total = kind(identity)
        for k in range(begin, end):
            total = combine(total, kind(x[base + o * x_o + k * x_k + i * x_i]))
        totals[(o * parts + p) * inner + i] = total

    return scan_totals


@lru_cache(maxsize=128)
def make_write(op: str | Combination, work: DType, result: DType, carried: bool, exclusive: bool) -> Any:
    """Return the kernel that writes running totals. Index space: (outer, parts, inner).

    ``carried``: the running totals of pieces are in ``totals``. ``exclusive``: an element is what came before it.
    """
    combine, identity = _combination(op)
    kind, final = work.type, result.type

    @xp.kernel
    def scan_write(
        x: Any, base: Any, x_o: Any, x_k: Any, x_i: Any, length: Any, chunk: Any, parts: Any, inner: Any, totals: Any,
        out: Any, start: Any, out_o: Any, out_k: Any, out_i: Any,
    ) -> None:  # fmt: skip
        o = xp.global_id(0)
        p = xp.global_id(1)
        i = xp.global_id(2)
        begin = p * chunk
        end = xp.math.min(begin + chunk, length)
        total = kind(identity)
        if carried and p > 0:
            total = totals[(o * parts + p - 1) * inner + i]
        for k in range(begin, end):
            item = kind(x[base + o * x_o + k * x_k + i * x_i])
            place = start + o * out_o + k * out_k + i * out_i
            if exclusive:
                out[place] = final(total)
                total = combine(total, item)
            else:
                total = combine(total, item)
                out[place] = final(total)

    return scan_write


@lru_cache(maxsize=128)
def make_columns(op: str, work: DType, result: DType, lanes: int, exclusive: bool) -> Any:
    """Return the kernel that runs down ``lanes`` columns at once. Index space: (outer, ceil(inner / lanes)).

    Columns lie side by side in both arrays.
    """
    combine, identity = _COMBINE[op]
    kind, final = work.type, result.type

    @xp.kernel
    def scan_columns(
        x: Any, base: Any, x_o: Any, x_k: Any, length: Any, inner: Any, out: Any, start: Any, out_o: Any, out_k: Any
    ) -> None:
        o = xp.global_id(0)
        first = xp.global_id(1) * lanes
        source = base + o * x_o
        target = start + o * out_o
        if first + lanes <= inner:
            totals = xp.vector(kind(identity), lanes)
            for k in range(length):
                items = kind(xp.vload(x, source + k * x_k + first, lanes))
                if exclusive:
                    xp.vstore(out, target + k * out_k + first, final(totals))
                    totals = combine(totals, items)
                else:
                    totals = combine(totals, items)
                    xp.vstore(out, target + k * out_k + first, final(totals))
        else:
            for i in range(first, inner):
                total = kind(identity)
                for k in range(length):
                    item = kind(x[source + k * x_k + i])
                    if exclusive:
                        out[target + k * out_k + i] = final(total)
                        total = combine(total, item)
                    else:
                        total = combine(total, item)
                        out[target + k * out_k + i] = final(total)

    return scan_columns


def _lanes(x: View, out: View, work: DType, info: DeviceInfo) -> int:
    """Return how many columns a work-item takes at once; 1 where vectors do not serve."""
    plain = all(dtype.kind in "iuf" for dtype in (x.dtype, out.dtype))
    if not plain or info.kind != "cpu" or x.strides[2] != 1 or out.strides[2] != 1:
        return 1
    lanes = lanes_for(work, info)
    return lanes if x.shape[2] >= 2 * lanes else 1


def _parts(outer: int, length: int, inner: int, info: DeviceInfo) -> int:
    """Return into how many pieces rows are cut."""
    wanted = 4 * info.compute_units * (1 if info.kind == "cpu" else 256)
    piece = 4096 if info.kind == "cpu" else 64
    if outer * inner >= wanted or length < 2 * piece:
        return 1
    return min(-(-wanted // (outer * inner)), length // piece)


def scan(op: str | Combination, x: View, out: View, exclusive: bool = False) -> None:
    """Write running totals along the middle axis.

    Parameters
    ----------
    op : str, or pair of function and identity
        ``sum``, ``prod``, or any associative function of the kernel language.
    x, out : View
        Three axes: outer, length, inner; any strides. Elements are combined in the dtype of ``out``.
    exclusive : bool
        Leave each element out of its own total.
    """
    outer, length, inner = x.shape
    if x.size == 0:
        return
    device = out.storage.device
    work = work_type(out.dtype)
    parts = _parts(outer, length, inner, device.info)
    chunk = -(-length // parts)
    parts = -(-length // chunk)
    lanes = _lanes(x, out, work, device.info) if parts == 1 else 1
    if lanes > 1:
        columns = make_columns(op, work, out.dtype, lanes, exclusive)
        source: list[Any] = [window(x), x.offset, *x.strides[:2], length, inner]
        launch(columns, device, (outer, -(-inner // lanes)), None, [*source, window(out), out.offset, *out.strides[:2]])
        return
    totals = temporary(device, (outer, parts, inner), work)
    args: list[Any] = [window(x), x.offset, *x.strides, length, chunk, parts, inner, window(totals)]
    if parts > 1:
        launch(make_totals(op, work), device, (outer, parts, inner), None, args)
        scan(op, totals, totals)
    kernel = make_write(op, work, out.dtype, parts > 1, exclusive)
    launch(kernel, device, (outer, parts, inner), None, [*args, window(out), out.offset, *out.strides])
