"""How many work-items, and who takes which elements: occupancy, latency hiding, coalesced access.

Both kernels compute the same from the same array. In ``dot_strided`` the work-items that are neighbours read elements
that are neighbours (a GPU fetches those together); in ``dot_in_runs`` each work-item reads a run of its own.

python examples/kernels/work_items.py --device opencl
"""

from __future__ import annotations

from typing import Any

import numpy as np
from common import check, compare, run

import xpu as xp


@xp.kernel
def dot_strided(x, y, partial):
    me = xp.global_id(0)
    total = 0.0
    for i in range(me, x.shape[0], xp.global_size(0)):  # me, me + all, me + 2 * all ...
        total += x[i] * y[i]
    partial[me] = total


@xp.kernel
def dot_in_runs(x, y, partial):
    me = xp.global_id(0)
    each = (x.shape[0] + xp.global_size(0) - 1) // xp.global_size(0)
    total = 0.0
    for i in range(me * each, min((me + 1) * each, x.shape[0])):
        total += x[i] * y[i]
    partial[me] = total


def main(device: Any, size: int) -> None:
    """Compute dot products with few and with many work-items."""
    rng = np.random.default_rng(2)
    a, b = (rng.integers(-3, 4, size).astype(np.float32) for _ in range(2))
    expected = float(np.dot(a.astype(np.float64), b))
    with xp.device(device):
        x, y = xp.asarray(a), xp.asarray(b)
        for items in (1, 2, 16, 256, 4096, 65536):
            if items > size:
                break
            partial = xp.empty(items, dtype=xp.float32)
            for kernel in (dot_strided, dot_in_runs):
                partial[...] = 0
                kernel[items](x, y, partial)
                total = xp.sum(partial, dtype=xp.float64 if xp.current_device().info.fp64 else xp.float32)
                check(f"{kernel.__name__}, {items} work-items", total, expected, 1e-5)
            compare(
                ("in runs", lambda partial=partial, n=items: dot_in_runs[n](x, y, partial)),
                ("strided", lambda partial=partial, n=items: dot_strided[n](x, y, partial)),
            )


if __name__ == "__main__":
    run(main, size=4_000_000, small=300)
