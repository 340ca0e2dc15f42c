"""Convolution: a group fetches its tile of the image and a rim around it (the halo), then computes from local memory.

python examples/kernels/conv2d_halo.py --device opencl
"""

from __future__ import annotations

from typing import Any

import numpy as np
from common import check, compare, round_up, run

import xpu as xp

SIDE = 16  # a group is 16 x 16 work-items, one for each pixel
RADIUS = 3  # of the window: 7 x 7
WINDOW = 2 * RADIUS + 1
TILE = SIDE + 2 * RADIUS


@xp.func
def pixel(image, row, column):
    """Return a pixel; outside of the image, the nearest one inside."""
    row = xp.math.clamp(row, 0, image.shape[0] - 1)
    column = xp.math.clamp(column, 0, image.shape[1] - 1)
    return image[row, column]


@xp.kernel
def convolve_naive(image, weights, out):
    row = xp.global_id(0)
    column = xp.global_id(1)
    total = 0.0
    for i in range(WINDOW):
        for j in range(WINDOW):
            total += weights[i, j] * pixel(image, row + i - RADIUS, column + j - RADIUS)
    out[row, column] = total


@xp.kernel
def convolve_tiled(image, weights, out):
    tile = xp.local_array((TILE, TILE), image.dtype)
    top = xp.group_id(0) * SIDE - RADIUS
    left = xp.group_id(1) * SIDE - RADIUS
    i = xp.local_id(0)
    j = xp.local_id(1)
    # 22 x 22 pixels for 16 x 16 work-items: each fetches one to four of them
    for r in range(i, TILE, SIDE):
        for c in range(j, TILE, SIDE):
            tile[r, c] = pixel(image, top + r, left + c)
    xp.barrier()
    row = xp.global_id(0)
    column = xp.global_id(1)
    if row < out.shape[0] and column < out.shape[1]:
        total = 0.0
        for r in range(WINDOW):
            for c in range(WINDOW):
                total += weights[r, c] * tile[i + r, j + c]
        out[row, column] = total


def numpy_convolve(image: np.ndarray, weights: np.ndarray) -> np.ndarray:
    padded = np.pad(image, RADIUS, mode="edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, weights.shape)
    return np.einsum("hwij,ij->hw", windows, weights)


def main(device: Any, size: int) -> None:
    """Blur an image."""
    rng = np.random.default_rng(9)
    host = rng.integers(0, 256, (size, size + 7)).astype(np.float32)
    around = np.arange(WINDOW) - RADIUS
    window = np.exp(-(around[:, None] ** 2 + around**2) / 8)
    window = (window / window.sum()).astype(np.float32)
    with xp.device(device):
        image, weights = xp.asarray(host), xp.asarray(window)
        out = xp.empty_like(image)
        whole = tuple(round_up(n, SIDE) for n in image.shape)

        def naive() -> None:
            convolve_naive[image.shape](image, weights, out)

        def tiled() -> None:
            convolve_tiled[whole, (SIDE, SIDE)](image, weights, out)

        for work in (naive, tiled):
            out[...] = 0
            work()
            check(work.__name__, out, numpy_convolve(host, window), 1e-4)
        compare(("pixels from global memory", naive), ("tile and halo in local memory", tiled))


if __name__ == "__main__":
    run(main, size=1000, small=18)
