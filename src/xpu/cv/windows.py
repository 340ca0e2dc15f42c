"""Filters with weights of the caller's: filter2D, sepFilter2D."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..array import Array
from ..kernels import filters
from ..kernels.reduce import lanes_for
from ..kernels.views import flat, launch, window
from .constants import BORDER_DEFAULT, error
from .images import Target, border, check_image, depth, open_image
from .separable import DOUBLE, SINGLE, filter_separable, upload


def pair(name: str, what: str, value: Any) -> tuple[int, int]:
    """Check an argument that holds two whole numbers, as (x, y)."""
    try:
        x, y = value
        return int(x), int(y)
    except (TypeError, ValueError):
        raise error(f"{name}: {what} is two whole numbers (x, y), not {value!r}") from None


def weights_of(name: str, kernel: Any, ndim: int) -> np.ndarray:
    """Return a filter's weights, on the host, as float64."""
    from ..ops.creation import asnumpy

    host = np.asarray(asnumpy(kernel) if isinstance(kernel, Array) else kernel)
    if host.dtype.kind not in "biuf" or host.size == 0:
        raise error(f"{name}: the weights are real numbers, at least one; got shape {host.shape}, dtype {host.dtype}")
    if ndim == 1:
        if host.size != max(host.shape, default=0):
            raise error(f"{name}: the weights of a row or a column lie on one axis; got shape {host.shape}")
        return host.reshape(-1).astype(np.float64)
    if host.ndim == 1:
        host = host[:, None]
    if host.ndim != 2:
        raise error(f"{name}: the weights lie on two axes; got shape {host.shape}")
    return host.astype(np.float64)


def check_anchor(name: str, anchor: tuple[int, int], width: int, height: int) -> tuple[int, int]:
    """Return an anchor inside of a window; -1 is the middle."""
    x, y = pair(name, "anchor", anchor)
    x = width // 2 if x == -1 else x
    y = height // 2 if y == -1 else y
    if not (0 <= x < width and 0 <= y < height):
        raise error(f"{name}: anchor {tuple(anchor)} lies outside of a window of {width} x {height}")
    return x, y


def filter2D(
    src: Array,
    ddepth: int,
    kernel: Any,
    dst: Array | None = None,
    anchor: tuple[int, int] = (-1, -1),
    delta: float = 0,
    borderType: int = BORDER_DEFAULT,
) -> Array:
    """Correlate an image with a window of weights, as ``cv2.filter2D``.

    Parameters
    ----------
    src : Array
    ddepth : int
        Depth of the result; -1: that of ``src``.
    kernel : Array or array_like
        Weights, of shape (height, width); they are used as float32, or float64 where an image is.
    dst : Array, optional
    anchor : tuple of int
        The weight (x, y) that lies on the pixel; -1: the middle.
    delta : float
        Added to the result.
    borderType : int
    """
    name = "filter2D"
    check_image(name, src)
    kind = border(name, borderType)
    weights = weights_of(name, kernel, 2)
    target = Target(name, src, depth(name, ddepth, src), dst)
    image = open_image(src)
    anchor_x, anchor_y = check_anchor(name, anchor, weights.shape[1], weights.shape[0])
    work = np.dtype(np.float64 if "d" in (src.dtype.char, target.view.dtype.char) else np.float32)
    device = src.device
    lanes = lanes_for(work, device.info)
    launch(
        filters.make_window(src.dtype, work, target.view.dtype, lanes),
        device,
        (image.height, -(-image.numbers // lanes)),
        None,
        [
            window(image.view), image.view.offset, image.step, image.channels, image.height, image.width,
            upload(device, weights, work), anchor_y, anchor_x, kind, work.type(0), work.type(1), work.type(delta),
            flat(target.view), 0, image.numbers,
        ],
    )  # fmt: skip
    return target.finish()


def sepFilter2D(
    src: Array,
    ddepth: int,
    kernelX: Any,
    kernelY: Any,
    dst: Array | None = None,
    anchor: tuple[int, int] = (-1, -1),
    delta: float = 0,
    borderType: int = BORDER_DEFAULT,
) -> Array:
    """Correlate the rows with one list of weights and the columns with another, as ``cv2.sepFilter2D``.

    Parameters
    ----------
    src : Array
    ddepth : int
    kernelX, kernelY : Array or array_like
        Weights along rows and along columns.
    dst : Array, optional
    anchor : tuple of int
    delta : float
    borderType : int
    """
    name = "sepFilter2D"
    check_image(name, src)
    kind = border(name, borderType)
    kx, ky = weights_of(name, kernelX, 1), weights_of(name, kernelY, 1)
    target = Target(name, src, depth(name, ddepth, src), dst)
    at = check_anchor(name, anchor, len(kx), len(ky))
    double = "d" in (src.dtype.char, target.view.dtype.char)
    filter_separable(open_image(src), target.view, kx, ky, DOUBLE if double else SINGLE, kind, at, delta)
    return target.finish()
