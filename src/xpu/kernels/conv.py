"""Convolutions of views: chooses between the register tile and single elements."""

from __future__ import annotations

from typing import Any

from ..memory import View
from . import conv_tiles as tiles
from .matmul import work_type
from .matmul_tiles import rows_for
from .reduce import lanes_for
from .views import flat, launch, temporary, window


def out_extent(extent: int, taps: int, stride: int, before: int, after: int, step: int) -> int:
    """Return how many results a convolution has along an axis; 0 or less where the filter does not fit."""
    return (extent + before + after - step * (taps - 1) - 1) // stride + 1


def conv2d_views(
    x: View,
    w: View,
    bias: View | None,
    out: View,
    stride: tuple[int, int] = (1, 1),
    padding: tuple[tuple[int, int], tuple[int, int]] = ((0, 0), (0, 0)),
    dilation: tuple[int, int] = (1, 1),
    groups: int = 1,
) -> None:
    """Convolve images with filters, without flipping these: ``out[n, f, y, x]``.

    Parameters
    ----------
    x : View
        Images: (count, channels, height, width), any strides.
    w : View
        Filters: (filters, channels / groups, height, width), contiguous, of the dtype of ``x``.
    bias : View or None
        One number for each filter, contiguous, of the same dtype.
    out : View
        (count, filters, out_height, out_width), contiguous, of the same dtype.
    stride, dilation : tuple of int
        Along y and x.
    padding : tuple of tuples of int
        Zeros above and below, left and right.
    groups : int
        Channels and filters are split into so many groups that do not see each other.
    """
    if out.size == 0:
        return
    device = out.storage.device
    dtype = out.dtype
    work = work_type(dtype)
    biased = bias is not None
    offset = flat(bias) if bias is not None else flat(w)  # an argument is needed, and not read
    count, channels, height, width = x.shape
    filters, group_channels, filter_height, filter_width = w.shape
    out_height, out_width = out.shape[2:]
    (top, _), (left, _) = padding
    source: list[Any] = [window(x), x.offset, *x.strides]
    if device.info.kind != "cpu" or dtype.kind == "c":
        kernel = tiles.make_elements(work, dtype, biased)
        args = [
            *source, height, width, flat(w), offset, flat(out), filters, group_channels, filters // groups,
            filter_height, filter_width, *stride, top, left, *dilation, out_width, out_height * out_width,
        ]  # fmt: skip
        launch(kernel, device, (count, filters, out_height * out_width), None, args)
        return
    lanes = lanes_for(work, device.info)
    panels = -(-out_width // (2 * lanes))
    phases = stride[1]
    rows = (out_height - 1) * stride[0] + (filter_height - 1) * dilation[0] + 1
    length = panels * 2 * lanes + (filter_width - 1) * dilation[1] // phases
    padded = temporary(device, (count * channels * rows * phases * length,), work)
    args = [*source, channels, height, width, top, left, rows, phases, length, padded]
    launch(tiles.make_pad(dtype, work), device, (count * channels, rows, phases), None, args)
    group_filters = filters // groups
    args = [
        padded, flat(w), offset, flat(out), groups, group_channels, group_filters, rows, phases, length, filter_height,
        filter_width, stride[0], *dilation, out_height, out_width, panels,
    ]  # fmt: skip
    tile_rows = rows_for(device.info)
    sizes = (count * groups, -(-group_filters // tile_rows), out_height * panels)
    launch(tiles.make_tile(work, dtype, dtype, lanes, tile_rows, biased), device, sizes, None, args)
