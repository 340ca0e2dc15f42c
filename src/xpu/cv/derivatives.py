"""Derivatives of images: Sobel, Scharr."""

from __future__ import annotations

import numpy as np

from ..array import Array
from .constants import BORDER_DEFAULT, FILTER_SCHARR, error
from .images import Target, border, check_image, depth, open_image
from .separable import DOUBLE, INTEGER, SINGLE, filter_separable


def derivative_weights(name: str, order: int, size: int, other: int) -> np.ndarray:
    """Return the integer weights of a derivative along one axis.

    Parameters
    ----------
    order : int
        0: only smoothing.
    size : int
        Number of weights, or ``FILTER_SCHARR``.
    other : int
        The derivative's order along the other axis.
    """
    if size == FILTER_SCHARR:
        if order + other != 1:
            raise error(f"{name}: Scharr's filter is a first derivative along one axis; dx + dy is {order + other}")
        return np.array([3, 10, 3] if order == 0 else [-1, 0, 1])
    if size % 2 == 0 or not 1 <= size <= 31:
        raise error(f"{name}: ksize is {size}; it is odd, from 1 to 31, or -1 for Scharr's filter")
    taps = 3 if size == 1 and order > 0 else size
    if order >= taps:
        raise error(f"{name}: a derivative of order {order} needs more than {taps} weights")
    weights = np.array([1], dtype=np.int64)
    for _ in range(taps - order - 1):
        weights = np.convolve(weights, [1, 1])
    for _ in range(order):
        weights = np.convolve(weights, [-1, 1])
    return weights


def Sobel(
    src: Array,
    ddepth: int,
    dx: int,
    dy: int,
    dst: Array | None = None,
    ksize: int = 3,
    scale: float = 1,
    delta: float = 0,
    borderType: int = BORDER_DEFAULT,
) -> Array:
    """Compute a derivative of an image, smoothed along the other axis, as ``cv2.Sobel``.

    Parameters
    ----------
    src : Array
        uint8, uint16, int16, float32 or float64, of shape (height, width) or (height, width, channels).
    ddepth : int
        Depth of the result: -1 (that of ``src``), ``CV_16S``, ``CV_32F`` ...; values outside of its range are cut off.
    dx, dy : int
        Order of the derivative along rows and along columns.
    dst : Array, optional
    ksize : int
        1, 3, 5, 7 ..., or -1 for Scharr's 3 x 3 filter.
    scale, delta : float
        The result is ``scale * derivative + delta``.
    borderType : int

    Returns
    -------
    Array
    """
    return _derivative("Sobel", src, ddepth, dx, dy, dst, ksize, scale, delta, borderType)


def Scharr(
    src: Array,
    ddepth: int,
    dx: int,
    dy: int,
    dst: Array | None = None,
    scale: float = 1,
    delta: float = 0,
    borderType: int = BORDER_DEFAULT,
) -> Array:
    """Compute a first derivative with Scharr's filter, as ``cv2.Scharr``; see :func:`Sobel`."""
    return _derivative("Scharr", src, ddepth, dx, dy, dst, FILTER_SCHARR, scale, delta, borderType)


def _derivative(
    name: str,
    src: Array,
    ddepth: int,
    dx: int,
    dy: int,
    dst: Array | None,
    ksize: int,
    scale: float,
    delta: float,
    border_type: int,
) -> Array:
    check_image(name, src)
    kind = border(name, border_type)
    if dx < 0 or dy < 0 or dx + dy == 0:
        raise error(f"{name}: the orders dx = {dx}, dy = {dy} are not negative, and one is positive")
    kx: np.ndarray = derivative_weights(name, dx, ksize, dy)
    ky: np.ndarray = derivative_weights(name, dy, ksize, dx)
    target = Target(name, src, depth(name, ddepth, src), dst)
    largest = {"B": 255, "H": 65535, "h": 32768}.get(src.dtype.char)
    exact = largest is not None and scale == 1 and delta == int(delta)
    if exact and largest is not None and largest * int(abs(kx).sum()) * int(abs(ky).sum()) + abs(delta) < 2**31:
        arithmetic = INTEGER
    else:
        arithmetic = DOUBLE if "d" in (src.dtype.char, target.view.dtype.char) else SINGLE
        if scale != 1:
            # on the smoothing filter, so that the other one stays exact
            kx, ky = (kx * scale, ky) if dx == 0 else (kx, ky * scale)
    filter_separable(open_image(src), target.view, kx, ky, arithmetic, kind, delta=delta)
    return target.finish()
