"""Weights of Gaussian filters, as cv2 computes them."""

from __future__ import annotations

import math

import numpy as np

_SMALL = {
    1: (1.0,),
    3: (0.25, 0.5, 0.25),
    5: (0.0625, 0.25, 0.375, 0.25, 0.0625),
    7: (0.03125, 0.109375, 0.21875, 0.28125, 0.21875, 0.109375, 0.03125),
    9: tuple(n / 256 for n in (4, 13, 30, 51, 60, 51, 30, 13, 4)),
}
"""Weights of small filters whose sigma is not given."""


def gaussian_weights(size: int, sigma: float) -> np.ndarray:
    """Return float64 weights that sum to one.

    Parameters
    ----------
    size : int
        Number of weights.
    sigma : float
        Standard deviation; not positive: it follows from the size.
    """
    if sigma <= 0 and size in _SMALL:
        return np.array(_SMALL[size])
    sigma = sigma if sigma > 0 else size * 0.15 + 0.35
    scale = -0.125 / (sigma * sigma)
    half = (size - 1) // 2
    side = [math.exp(float((1 - size + 2 * i) ** 2) * scale) for i in range(half)]
    middle = [1.0] * (size - 2 * half)
    total = 0.0
    for value in side:
        total += value
    factor = 1.0 / (total * 2.0 + len(middle))
    left = [value * factor for value in side]
    return np.array([*left, *(value * factor for value in middle), *reversed(left)])


def fixed_weights(weights: np.ndarray, bits: int) -> list[int]:
    """Return weights as integers with ``bits`` behind the point: each one's rounding error goes to its neighbour.

    The middle weight takes what is left, so that they sum to one.
    """
    size = len(weights)
    out = [0] * size
    error = 0.0
    for i in range(size // 2):
        wanted = float(weights[i]) * 2.0**bits + error
        out[i] = out[size - 1 - i] = round(wanted)
        error = wanted - out[i]
    out[size // 2] = (1 << bits) - sum(out)
    return out


def size_from_sigma(sigma: float, pixels8: bool) -> int:
    """Return the odd number of weights that holds a Gaussian: three deviations to each side, or four."""
    return round(sigma * (3 if pixels8 else 4) * 2 + 1) | 1
