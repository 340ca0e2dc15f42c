"""Matrix products of views: chooses among register tiles, local tiles, reductions and single elements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..memory import View
from . import matmul_groups as groups, matmul_tiles as tiles
from .producer import product
from .reduce import lanes_for, run as reduce_run
from .views import alone, collapse_batch, launch, temporary, window

if TYPE_CHECKING:
    from ..device import Device

DType = np.dtype[Any]
SMALL = 4096
"""Multiplications up to which one work-item an element is as good as anything."""
IN_CACHE = 1 << 15
"""Elements of the right operand up to which its rows may be used where they lie."""
LEFT_IN_CACHE = 1 << 18
"""The same for the left operand."""


@dataclass(slots=True)
class Operand:
    """A stack of matrices in a flat window of memory."""

    window: View
    base: int
    batch: int
    row: int
    column: int


def work_type(dtype: DType) -> DType:
    """Return the dtype in which products of a dtype are added up."""
    if dtype.char == "e":
        return np.dtype(np.float32)
    if dtype.kind == "b":
        return np.dtype(np.int32)
    if dtype.kind in "iu" and dtype.itemsize < 4:
        return np.dtype(np.int32 if dtype.kind == "i" else np.uint32)
    return dtype


def matmul_views(a: View, b: View, out: View) -> None:
    """Compute ``out[...] = a @ b``.

    Parameters
    ----------
    a, b : View
        Stacks of matrices with the same leading axes (broadcast by strides of 0) and one dtype; any strides.
    out : View
        Of the product's shape and the same dtype; shares no memory with the operands.
    """
    if out.size == 0:
        return
    batch, (sa, sb, so) = collapse_batch(out.shape[:-2], [v.strides[:-2] for v in (a, b, out)])
    if len(batch) > 1:
        for index in np.ndindex(*batch[:-1]):
            parts = []
            for view, strides in ((a, sa), (b, sb), (out, so)):
                shift = sum(i * s for i, s in zip(index, strides, strict=False))
                shape = (batch[-1], *view.shape[-2:])
                moved = (strides[-1], *view.strides[-2:])
                parts.append(View(view.storage, view.dtype, shape, moved, view.offset + shift))
            matmul_views(*parts)
        return
    count = batch[0] if batch else 1
    left, right, target = (
        Operand(window(view), view.offset, strides[0] if batch else 0, view.strides[-2], view.strides[-1])
        for view, strides in ((a, sa), (b, sb), (out, so))
    )
    rows, depth, columns = a.shape[-2], a.shape[-1], b.shape[-1]
    _multiply(left, right, target, count, rows, depth, columns, out)


def _group_fits(work: DType, device: Device) -> bool:
    """Whether the device takes the groups of the local tile."""
    limits = device.info.limits
    local = 2 * groups.DEPTH * (groups.TILE + 1) * work.itemsize
    return limits.max_work_group >= groups.SIDE**2 and limits.local_memory >= local


def _multiply(
    a: Operand, b: Operand, out: Operand, count: int, rows: int, depth: int, columns: int, target: View
) -> None:
    device = target.storage.device
    dtype = target.dtype
    work = work_type(dtype)
    tiled = device.info.kind == "cpu" and dtype.kind != "c" and out.column == 1
    if (rows == 1 or columns == 1) and target.contiguous and dtype.kind != "b":
        _vector_product(a, b, count, rows, depth, columns, target, work)
    elif rows * columns * depth <= SMALL or not (tiled or _group_fits(work, device)):
        sizes = (count, rows, columns)
        launch(groups.make_elements(work, dtype), device, sizes, None, [*_left(a), *_right(b), *_target(out), depth])
    elif tiled:
        _register_tiles(a, b, out, count, rows, depth, columns, device, work, dtype)
    else:
        side = groups.SIDE
        sizes = (count, -(-rows // groups.TILE) * side, -(-columns // groups.TILE) * side)
        args = [*_left(a), *_right(b), *_target(out), rows, columns, depth]
        launch(groups.make_groups(work, dtype), device, sizes, (1, side, side), args)


def _left(a: Operand) -> list[Any]:
    return [a.window, a.base, a.batch, a.row, a.column]


_right = _target = _left


def _vector_product(
    a: Operand, b: Operand, count: int, rows: int, depth: int, columns: int, target: View, work: DType
) -> None:
    """Return a matrix and a vector: a reduction of products."""
    if columns == 1:
        source = product(
            a.window, (a.base, a.batch, a.row, a.column, 0), b.window, (b.base, b.batch, 0, b.row, 0), rows, work
        )
        reduce_run("sum", source, count * rows, depth, 1, target)
    else:
        source = product(
            a.window, (a.base, a.batch, 0, a.column, 0), b.window, (b.base, b.batch, 0, b.row, b.column), 1, work
        )
        reduce_run("sum", source, count, depth, columns, target)


def _register_tiles(
    a: Operand,
    b: Operand,
    out: Operand,
    count: int,
    rows: int,
    depth: int,
    columns: int,
    device: Device,
    work: DType,
    dtype: DType,
) -> None:
    lanes = lanes_for(work, device.info)
    width = 2 * lanes
    panels = -(-columns // width)
    height = tiles.rows_for(device.info)
    tile_count = -(-rows // height)
    plain = dtype == work
    if plain and b.column == 1 and columns % width == 0 and depth * columns <= IN_CACHE:
        right = [b.window, b.base, b.batch, width, b.row]
    else:
        shared = b.batch == 0
        copies = 1 if shared else count
        packed = temporary(device, (copies * panels * depth * width,), work)
        args = [b.window, b.base, b.batch, b.row, b.column, columns, panels, depth, packed]
        launch(tiles.make_pack_right(dtype, work, lanes), device, (copies, panels, depth), None, args)
        right = [packed, 0, 0 if shared else panels * depth * width, depth * width, width]
    if plain and (rows * depth <= LEFT_IN_CACHE or panels == 1):
        left = [a.window, a.base, a.batch, height * a.row, a.column, a.row]
    else:
        shared = a.batch == 0
        copies = 1 if shared else count
        packed = temporary(device, (copies * tile_count * depth * height,), work)
        args = [a.window, a.base, a.batch, a.row, a.column, rows, tile_count, depth, packed]
        launch(tiles.make_pack_left(dtype, work, height), device, (copies, tile_count, -(-depth // 8)), None, args)
        size = depth * height
        left = [packed, 0, 0 if shared else tile_count * size, size, height, 1]
    kernel = tiles.make_tile(work, dtype, lanes, height)
    args = [*left, *right, out.window, out.base, out.batch, out.row, rows, columns, depth]
    launch(kernel, device, (count, panels, tile_count), alone(device, 3), args)
