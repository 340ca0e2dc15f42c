"""Two-dimensional convolutions of stacks of images with stacks of filters (as neural networks mean it: correlations).

On CPUs the images are first copied with their border of zeros, the columns of one stride phase side by side, so that a
register tile of 8 filters by two vectors of neighbouring results reads whole vectors for every stride and dilation.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..kernel.stdlib import words as xp
from .matmul_tiles import make_both, make_put

DType = np.dtype[Any]


@lru_cache(maxsize=64)
def make_pad(source: DType, work: DType) -> Any:
    """Return the kernel that copies images with a border of zeros. Index space: (images * channels, rows, phases).

    ``target[((image * channels + c) * rows + y) * phases + phase, x]`` is pixel ``x * phases + phase`` of a padded row.
    """
    kind = work.type

    @xp.kernel
    def conv_pad(
        image: Any, base: Any, s_image: Any, s_channel: Any, s_y: Any, s_x: Any, channels: Any, height: Any, width: Any,
        top: Any, left: Any, rows: Any, phases: Any, length: Any, target: Any,
    ) -> None:  # fmt: skip
        which = xp.global_id(0)
        row = xp.global_id(1)
        phase = xp.global_id(2)
        number = which // channels
        y = row - top
        start = base + number * s_image + (which - number * channels) * s_channel + y * s_y
        place = ((which * rows + row) * phases + phase) * length
        for k in range(length):
            x = k * phases + phase - left
            value = kind(0)
            if y >= 0 and y < height and x >= 0 and x < width:
                value = kind(image[start + x * s_x])
            target[place + k] = value

    return conv_pad


@lru_cache(maxsize=64)
def make_tile(work: DType, source: DType, result: DType, lanes: int, height: int, biased: bool) -> Any:
    """Return the kernel of the register tile. Index space: (images * groups, tiles of filters, out_height * panels).

    ``filters`` is contiguous: (filters, channels of a group, height, width).
    """
    kind = work.type
    both, put = make_both(work), make_put(result, lanes)
    width = 2 * lanes

    @xp.kernel
    def conv_tile(
        padded: Any, filters: Any, bias: Any, out: Any, groups: Any, group_channels: Any, group_filters: Any, rows: Any,
        phases: Any, length: Any, filter_height: Any, filter_width: Any, stride_y: Any, step_y: Any, step_x: Any,
        out_height: Any, out_width: Any, panels: Any,
    ) -> None:  # fmt: skip
        batch = xp.global_id(0)
        m = xp.global_id(1) * height
        oy = xp.global_id(2) // panels
        ox = (xp.global_id(2) - oy * panels) * width
        group = batch % groups
        last = group_filters - 1 - m  # filters beyond it are computed from the last one and not stored
        taps = group_channels * filter_height * filter_width
        at = (group * group_filters + m) * taps
        r1 = xp.math.min(last, 1) * taps
        r2 = xp.math.min(last, 2) * taps
        r3 = xp.math.min(last, 3) * taps
        r4 = xp.math.min(last, 4) * taps
        r5 = xp.math.min(last, 5) * taps
        r6 = xp.math.min(last, 6) * taps
        r7 = xp.math.min(last, 7) * taps
        zero = xp.vector(kind(0), lanes)
        c0, c1, c2, c3, c4, c5, c6, c7 = zero, zero, zero, zero, zero, zero, zero, zero
        d0, d1, d2, d3, d4, d5, d6, d7 = zero, zero, zero, zero, zero, zero, zero, zero
        for c in range(group_channels):
            plane = (batch * group_channels + c) * rows + oy * stride_y
            for ky in range(filter_height):
                line = (plane + ky * step_y) * phases
                for kx in range(filter_width):
                    shift = kx * step_x
                    far = shift // phases
                    place = (line + shift - far * phases) * length + far + ox
                    p = xp.vload(padded, place, lanes)
                    q = xp.vload(padded, place + lanes, lanes)
                    c0, d0 = both(kind(filters[at]), p, q, c0, d0)
                    c1, d1 = both(kind(filters[at + r1]), p, q, c1, d1)
                    c2, d2 = both(kind(filters[at + r2]), p, q, c2, d2)
                    c3, d3 = both(kind(filters[at + r3]), p, q, c3, d3)
                    if height > 4:
                        c4, d4 = both(kind(filters[at + r4]), p, q, c4, d4)
                        c5, d5 = both(kind(filters[at + r5]), p, q, c5, d5)
                    if height > 6:
                        c6, d6 = both(kind(filters[at + r6]), p, q, c6, d6)
                        c7, d7 = both(kind(filters[at + r7]), p, q, c7, d7)
                    at += 1
        first = group * group_filters + m
        if biased:
            c0, d0 = c0 + kind(bias[first]), d0 + kind(bias[first])
            c1, d1 = c1 + kind(bias[first + xp.math.min(last, 1)]), d1 + kind(bias[first + xp.math.min(last, 1)])
            c2, d2 = c2 + kind(bias[first + xp.math.min(last, 2)]), d2 + kind(bias[first + xp.math.min(last, 2)])
            c3, d3 = c3 + kind(bias[first + xp.math.min(last, 3)]), d3 + kind(bias[first + xp.math.min(last, 3)])
            if height > 4:
                c4, d4 = c4 + kind(bias[first + xp.math.min(last, 4)]), d4 + kind(bias[first + xp.math.min(last, 4)])
                c5, d5 = c5 + kind(bias[first + xp.math.min(last, 5)]), d5 + kind(bias[first + xp.math.min(last, 5)])
            if height > 6:
                c6, d6 = c6 + kind(bias[first + xp.math.min(last, 6)]), d6 + kind(bias[first + xp.math.min(last, 6)])
                c7, d7 = c7 + kind(bias[first + xp.math.min(last, 7)]), d7 + kind(bias[first + xp.math.min(last, 7)])
        plane = out_height * out_width
        place = (batch * group_filters + m) * plane + oy * out_width + ox
        left = out_width - ox
        put(out, place, c0, d0, left)
        if last >= 1:
            put(out, place + plane, c1, d1, left)
        if last >= 2:
            put(out, place + 2 * plane, c2, d2, left)
        if last >= 3:
            put(out, place + 3 * plane, c3, d3, left)
        if height > 4 and last >= 4:
            put(out, place + 4 * plane, c4, d4, left)
        if height > 4 and last >= 5:
            put(out, place + 5 * plane, c5, d5, left)
        if height > 6 and last >= 6:
            put(out, place + 6 * plane, c6, d6, left)
        if height > 6 and last >= 7:
            put(out, place + 7 * plane, c7, d7, left)

    return conv_tile


@lru_cache(maxsize=64)
def make_elements(work: DType, result: DType, biased: bool) -> Any:
    """Return the kernel with one work-item for each result. Index space: (images, filters, out_height * out_width)."""
    kind, final = work.type, result.type

    @xp.kernel
    def conv_elements(
        image: Any, base: Any, s_image: Any, s_channel: Any, s_y: Any, s_x: Any, height: Any, width: Any, filters: Any,
        bias: Any, out: Any, count: Any, group_channels: Any, group_filters: Any, filter_height: Any, filter_width: Any,
        stride_y: Any, stride_x: Any, top: Any, left: Any, step_y: Any, step_x: Any, out_width: Any, plane: Any,
    ) -> None:  # fmt: skip
        number = xp.global_id(0)
        m = xp.global_id(1)
        pixel = xp.global_id(2)
        oy = pixel // out_width
        y0 = oy * stride_y - top
        x0 = (pixel - oy * out_width) * stride_x - left
        start = base + number * s_image + m // group_filters * group_channels * s_channel
        at = m * group_channels * filter_height * filter_width
        total = kind(0)
        for c in range(group_channels):
            for ky in range(filter_height):
                y = y0 + ky * step_y
                if y >= 0 and y < height:
                    line = start + c * s_channel + y * s_y
                    tap = at + (c * filter_height + ky) * filter_width
                    for kx in range(filter_width):
                        x = x0 + kx * step_x
                        if x >= 0 and x < width:
                            total = total + kind(image[line + x * s_x]) * kind(filters[tap + kx])
        if biased:
            total = total + kind(bias[m])
        out[(number * count + m) * plane + pixel] = final(total)

    return conv_elements
