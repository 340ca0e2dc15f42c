"""Filters of images: rows, then columns, or a whole window at once.

An image is a flat window of memory with ``height`` rows of ``width`` numbers, ``step`` elements apart; the
``channels`` of a pixel lie side by side, so a tap moves by whole pixels. Inside of the image a work-item computes a
short vector of numbers; where the window leaves the image at the sides it goes number by number.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..kernel.stdlib import words as xp
from .saturate import make_saturate

DType = np.dtype[Any]
CONSTANT, REPLICATE, REFLECT, WRAP, REFLECT_101 = range(5)


@xp.func
def border_index(position: Any, extent: Any, border: Any) -> Any:
    """Return which pixel stands for one outside of the image; -1 for a constant one."""
    p = position
    if p >= 0 and p < extent:
        return p
    if border == CONSTANT:
        return xp.int64(-1)
    if border == REPLICATE:
        return xp.math.min(xp.math.max(p, 0), extent - 1)
    if border == WRAP:
        return p % extent
    if extent == 1:
        return xp.int64(0)
    edge = xp.int64(1) if border == REFLECT_101 else xp.int64(0)
    while p < 0 or p >= extent:
        if p < 0:
            p = -p - 1 + edge
        else:
            p = 2 * extent - 1 - p - edge
    return p


@lru_cache(maxsize=256)
def make_rows(source: DType, work: DType, lanes: int) -> Any:
    """Return the kernel that filters rows. Index space: (height, ceil(width / lanes)).

    ``out[y, x] = sum(weights[j] * image[y, x + (j - anchor) * channels])``
    """
    kind = work.type

    @xp.func
    def one(
        image: Any, row: Any, x: Any, channels: Any, pixels: Any, weights: Any, anchor: Any, border: Any, outside: Any
    ) -> Any:
        """Filter at one number, looking at the border."""
        pixel = x // channels
        channel = x - pixel * channels
        total = kind(0)
        for j in range(weights.shape[0]):
            place = border_index(pixel + j - anchor, pixels, border)
            value = outside
            if place >= 0:
                value = kind(image[row + place * channels + channel])
            total = total + weights[j] * value
        return total

    @xp.kernel
    def filter_rows(
        image: Any, base: Any, step: Any, channels: Any, pixels: Any, weights: Any, anchor: Any, border: Any,
        outside: Any, out: Any,
    ) -> None:  # fmt: skip
        y = xp.global_id(0)
        width = pixels * channels
        x = xp.global_id(1) * lanes
        row = base + y * step
        before = anchor * channels
        after = (weights.shape[0] - 1 - anchor) * channels
        if lanes > 1 and x >= before and x + lanes + after <= width:
            at = row + x - before
            total = xp.vector(kind(0), lanes)
            for j in range(weights.shape[0]):
                total = total + weights[j] * kind(xp.vload(image, at, lanes))
                at += channels
            xp.vstore(out, y * width + x, total)
        else:
            for k in range(x, xp.math.min(x + lanes, width)):
                out[y * width + k] = one(image, row, k, channels, pixels, weights, anchor, border, outside)

    return filter_rows


@lru_cache(maxsize=256)
def make_columns(source: DType, work: DType, target: DType, shift: int, lanes: int) -> Any:
    """Return the kernel that filters columns. Index space: (height, ceil(width / lanes)).

    ``out[y, x] = saturate(sum(weights[i] * image[y + i - anchor, x]) * scale + delta)``, or with ``shift`` bits
    behind the point, rounded, without ``scale`` and ``delta``; with a ``shift`` of -23 it is ``((sum + delta) *
    scale) >> 23``. ``image`` is contiguous, ``out`` has rows ``step`` apart.
    """
    kind = work.type
    half = 1 << (shift - 1) if shift > 0 else 0
    saturate = make_saturate(work, target)

    @xp.func
    def finish(total: Any, scale: Any, delta: Any) -> Any:
        if shift > 0:
            return saturate((total + half) >> shift)
        if shift < 0:
            return saturate(((total + delta) * scale) >> -shift)
        return saturate(total * scale + delta)

    @xp.kernel
    def filter_columns(
        image: Any, height: Any, width: Any, weights: Any, anchor: Any, border: Any, outside: Any, scale: Any,
        delta: Any, out: Any, base: Any, step: Any,
    ) -> None:  # fmt: skip
        y = xp.global_id(0)
        x = xp.global_id(1) * lanes
        if lanes > 1 and x + lanes <= width:
            total = xp.vector(kind(0), lanes)
            for i in range(weights.shape[0]):
                place = border_index(y + i - anchor, height, border)
                if place >= 0:
                    total = total + weights[i] * kind(xp.vload(image, place * width + x, lanes))
                else:
                    total = total + weights[i] * outside
            xp.vstore(out, base + y * step + x, finish(total, scale, delta))
        else:
            for k in range(x, xp.math.min(x + lanes, width)):
                single = kind(0)
                for i in range(weights.shape[0]):
                    place = border_index(y + i - anchor, height, border)
                    value = outside
                    if place >= 0:
                        value = kind(image[place * width + k])
                    single = single + weights[i] * value
                out[base + y * step + k] = finish(single, scale, delta)

    return filter_columns


@lru_cache(maxsize=256)
def make_window(source: DType, work: DType, target: DType, lanes: int) -> Any:
    """Return the kernel that filters with a window of weights. Index space: (height, ceil(width / lanes)).

    ``out[y, x] = saturate(sum(weights[i, j] * image[y + i - anchor_y, x + j - anchor_x]) * scale + delta)``
    """
    kind = work.type
    saturate = make_saturate(work, target)

    @xp.kernel
    def filter_window(
        image: Any, base: Any, step: Any, channels: Any, height: Any, pixels: Any, weights: Any, anchor_y: Any,
        anchor_x: Any, border: Any, outside: Any, scale: Any, delta: Any, out: Any, out_base: Any, out_step: Any,
    ) -> None:  # fmt: skip
        y = xp.global_id(0)
        width = pixels * channels
        x = xp.global_id(1) * lanes
        before = anchor_x * channels
        after = (weights.shape[1] - 1 - anchor_x) * channels
        if lanes > 1 and x >= before and x + lanes + after <= width:
            total = xp.vector(kind(0), lanes)
            for i in range(weights.shape[0]):
                place = border_index(y + i - anchor_y, height, border)
                at = base + place * step + x - before
                for j in range(weights.shape[1]):
                    if place >= 0:
                        total = total + weights[i, j] * kind(xp.vload(image, at + j * channels, lanes))
                    else:
                        total = total + weights[i, j] * outside
            xp.vstore(out, out_base + y * out_step + x, saturate(total * scale + delta))
        else:
            for k in range(x, xp.math.min(x + lanes, width)):
                pixel = k // channels
                channel = k - pixel * channels
                single = kind(0)
                for i in range(weights.shape[0]):
                    place = border_index(y + i - anchor_y, height, border)
                    for j in range(weights.shape[1]):
                        column = border_index(pixel + j - anchor_x, pixels, border)
                        value = outside
                        if place >= 0 and column >= 0:
                            value = kind(image[base + place * step + column * channels + channel])
                        single = single + weights[i, j] * value
                out[out_base + y * out_step + k] = saturate(single * scale + delta)

    return filter_window
