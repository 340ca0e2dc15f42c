"""The Mandelbrot set: each pixel is its own loop, and stops when it is done.

python examples/kernels/mandelbrot.py --device opencl
"""

from __future__ import annotations

from typing import Any

import numpy as np
from common import check, compare, run

import xpu as xp


@xp.kernel
def mandelbrot(xs, ys, limit, out):
    row = xp.global_id(0)
    column = xp.global_id(1)
    cx, cy = xs[column], ys[row]
    x, y = cx, cy
    steps = 0
    while steps < limit and x * x + y * y <= 4:
        x, y = x * x - y * y + cx, 2 * x * y + cy
        steps += 1
    out[row, column] = steps


def numpy_mandelbrot(xs: np.ndarray, ys: np.ndarray, limit: int) -> np.ndarray:
    cx, cy = np.broadcast_arrays(xs, ys[:, None])
    x, y = cx.copy(), cy.copy()
    steps = np.zeros(x.shape, np.int32)
    for _ in range(limit):
        inside = x * x + y * y <= 4
        steps += inside
        x, y = np.where(inside, x * x - y * y + cx, x), np.where(inside, 2 * x * y + cy, y)
    return steps


def main(device: Any, size: int) -> None:
    """Draw the Mandelbrot set."""
    limit = 50
    xs = np.linspace(-2, 0.6, size, dtype=np.float32)
    ys = np.linspace(-1.2, 1.2, max(size * 3 // 4, 1), dtype=np.float32)
    with xp.device(device):
        x, y = xp.asarray(xs), xp.asarray(ys)
        out = xp.empty((len(ys), len(xs)), dtype=xp.int32)
        mandelbrot[out.shape](x, y, limit, out)
        check("mandelbrot", out, numpy_mandelbrot(xs, ys, limit))
        compare(
            ("NumPy", lambda: numpy_mandelbrot(xs, ys, limit)),
            ("the kernel", lambda: mandelbrot[out.shape](x, y, limit, out)),
        )


if __name__ == "__main__":
    run(main, size=800, small=12)
