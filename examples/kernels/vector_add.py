"""The first kernel: one work-item adds one pair of numbers.

python examples/kernels/vector_add.py --device opencl
"""

from __future__ import annotations

from typing import Any

import numpy as np
from common import check, compare, run

import xpu as xp


@xp.kernel
def vector_add(a, b, out):
    i = xp.global_id(0)  # which work-item am I? 0, 1, 2 ... n - 1
    out[i] = a[i] + b[i]


@xp.kernel
def vector_add_alone(a, b, out):
    """Add all pairs in one work-item: right, but nothing happens side by side."""
    for i in range(out.shape[0]):
        out[i] = a[i] + b[i]


def main(device: Any, size: int) -> None:
    """Add two vectors."""
    rng = np.random.default_rng(1)
    a, b = rng.random(size, dtype=np.float32), rng.random(size, dtype=np.float32)
    with xp.device(device):
        x, y = xp.asarray(a), xp.asarray(b)
        out = xp.empty_like(x)
        vector_add[size](x, y, out)
        check("vector_add", out, a + b)
        out[...] = 0
        vector_add_alone[1](x, y, out)
        check("vector_add_alone", out, a + b)
        compare(
            ("all in one work-item", lambda: vector_add_alone[1](x, y, out)),
            ("one work-item for each element", lambda: vector_add[size](x, y, out)),
        )


if __name__ == "__main__":
    run(main, size=10_000_000, small=100)
