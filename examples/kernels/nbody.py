"""Gravity among n bodies: a tile of bodies at a time comes into local memory, and each work-item meets all of it.

python examples/kernels/nbody.py --device opencl
"""

from __future__ import annotations

from typing import Any

import numpy as np
from common import check, compare, round_up, run

import xpu as xp

GROUP = 128
SOFTENING = 0.01


@xp.func
def pull(dx, dy, dz, mass):
    """Return mass over distance cubed; a body pulls itself with a distance of 0, hence the softening."""
    inverse = xp.math.rsqrt(dx * dx + dy * dy + dz * dz + SOFTENING)
    return mass * inverse * inverse * inverse


@xp.kernel
def accelerations_naive(bodies, out):
    """One work-item for each body; ``bodies`` has rows x, y, z, mass."""
    i = xp.global_id(0)
    x, y, z = bodies[0, i], bodies[1, i], bodies[2, i]
    ax, ay, az = 0.0, 0.0, 0.0
    for k in range(bodies.shape[1]):
        dx, dy, dz = bodies[0, k] - x, bodies[1, k] - y, bodies[2, k] - z
        w = pull(dx, dy, dz, bodies[3, k])
        ax += w * dx
        ay += w * dy
        az += w * dz
    out[0, i], out[1, i], out[2, i] = ax, ay, az


@xp.kernel
def accelerations_tiled(bodies, out):
    tile = xp.local_array((4, GROUP), bodies.dtype)
    n = bodies.shape[1]
    i = xp.global_id(0)
    me = xp.local_id(0)
    mine = min(i, n - 1)  # the last group may be larger than what is left: those beyond work for nothing
    x, y, z = bodies[0, mine], bodies[1, mine], bodies[2, mine]
    ax, ay, az = 0.0, 0.0, 0.0
    for start in range(0, n, GROUP):
        for row in xp.static_range(4):
            tile[row, me] = bodies[row, start + me] if start + me < n else 0  # no mass, no pull
        xp.barrier()
        for k in range(GROUP):
            dx, dy, dz = tile[0, k] - x, tile[1, k] - y, tile[2, k] - z
            w = pull(dx, dy, dz, tile[3, k])
            ax += w * dx
            ay += w * dy
            az += w * dz
        xp.barrier()
    if i < n:
        out[0, i], out[1, i], out[2, i] = ax, ay, az


def numpy_accelerations(bodies: np.ndarray) -> np.ndarray:
    where, mass = bodies[:3].astype(np.float64), bodies[3].astype(np.float64)
    d = where[:, None, :] - where[:, :, None]
    w = mass * ((d**2).sum(0) + SOFTENING) ** -1.5
    return (w * d).sum(2)


def main(device: Any, size: int) -> None:
    """Compute the accelerations of a cloud of bodies."""
    rng = np.random.default_rng(7)
    host = rng.random((4, size), dtype=np.float32)
    host[3] /= size
    expected = numpy_accelerations(host)
    with xp.device(device):
        bodies = xp.asarray(host)
        out = xp.empty((3, size), dtype=xp.float32)

        def naive() -> None:
            accelerations_naive[size](bodies, out)

        def tiled() -> None:
            accelerations_tiled[round_up(size, GROUP), GROUP](bodies, out)

        for work in (naive, tiled):
            out[...] = 0
            work()
            check(work.__name__, out, expected, 1e-4)
        compare(
            ("NumPy", lambda: numpy_accelerations(host)),
            ("kernel, bodies in global memory", naive),
            ("kernel, tiles in local memory", tiled),
        )


if __name__ == "__main__":
    run(main, size=2000, small=20)
