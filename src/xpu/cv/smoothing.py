"""Smoothing: GaussianBlur, boxFilter, blur."""

from __future__ import annotations

from ..array import Array
from .constants import BORDER_CONSTANT, BORDER_DEFAULT, error
from .gaussian import fixed_weights, gaussian_weights, size_from_sigma
from .images import Target, border, check_image, depth, open_image
from .separable import DIVISION, DOUBLE, FIXED_8, FIXED_16, INTEGER, SINGLE, filter_separable
from .windows import pair


def GaussianBlur(
    src: Array,
    ksize: tuple[int, int],
    sigmaX: float,
    dst: Array | None = None,
    sigmaY: float = 0,
    borderType: int = BORDER_DEFAULT,
) -> Array:
    """Blur an image with a Gaussian filter, as ``cv2.GaussianBlur``.

    uint8 and uint16 results are cv2's to the last bit; float32 ones differ by rounding, int16 ones by at most 1.

    Parameters
    ----------
    src : Array
        uint8, uint16, int16, float32 or float64, of shape (height, width) or (height, width, channels).
    ksize : tuple of int
        Width and height of the filter, odd; 0: from sigma.
    sigmaX : float
        Standard deviation along rows; 0: from the size.
    dst : Array, optional
        Where the result goes.
    sigmaY : float
        The same along columns; 0: as ``sigmaX``.
    borderType : int
        How the image goes on outside; any but ``BORDER_WRAP``.

    Returns
    -------
    Array
        Of the shape (without a single channel's axis) and dtype of ``src``.
    """
    name = "GaussianBlur"
    check_image(name, src)
    kind = border(name, borderType)
    width, height = pair(name, "ksize", ksize)
    target = Target(name, src, src.dtype, dst)
    image = open_image(src)
    if kind != BORDER_CONSTANT:
        height = 1 if image.height == 1 else height
        width = 1 if image.width == 1 else width
    small = src.dtype.itemsize == 1
    sigma_y = sigmaY if sigmaY > 0 else sigmaX
    width = size_from_sigma(sigmaX, small) if width <= 0 < sigmaX else width
    height = size_from_sigma(sigma_y, small) if height <= 0 < sigma_y else height
    if width <= 0 or height <= 0 or width % 2 == 0 or height % 2 == 0:
        raise error(f"{name}: ksize is {tuple(ksize)}; both sizes are odd and positive, or 0 with a positive sigma")
    kx, ky = gaussian_weights(width, sigmaX), gaussian_weights(height, sigma_y)
    bits = {"B": 8, "H": 16}.get(src.dtype.char)
    if bits is not None:
        arithmetic = FIXED_8 if bits == 8 else FIXED_16
        filter_separable(image, target.view, fixed_weights(kx, bits), fixed_weights(ky, bits), arithmetic, kind)
    else:
        filter_separable(image, target.view, kx, ky, DOUBLE if src.dtype.char == "d" else SINGLE, kind)
    return target.finish()


def boxFilter(
    src: Array,
    ddepth: int,
    ksize: tuple[int, int],
    dst: Array | None = None,
    anchor: tuple[int, int] = (-1, -1),
    normalize: bool = True,
    borderType: int = BORDER_DEFAULT,
) -> Array:
    """Replace each pixel by the mean (or the sum) of a window, as ``cv2.boxFilter``.

    Parameters
    ----------
    src : Array
    ddepth : int
        Depth of the result; -1: that of ``src``.
    ksize : tuple of int
        Width and height of the window.
    dst : Array, optional
    anchor : tuple of int
        The window's element (x, y) that lies on the pixel; -1: the middle.
    normalize : bool
        Mean rather than sum.
    borderType : int
    """
    name = "boxFilter"
    check_image(name, src)
    kind = border(name, borderType)
    width, height = pair(name, "ksize", ksize)
    if width < 1 or height < 1:
        raise error(f"{name}: ksize is {tuple(ksize)}; both sizes are positive")
    target = Target(name, src, depth(name, ddepth, src), dst)
    image = open_image(src)
    at = pair(name, "anchor", anchor)
    area = width * height
    ones = [1] * width, [1] * height
    double = "d" in (src.dtype.char, target.view.dtype.char)
    if not normalize and src.dtype.kind in "iu":
        filter_separable(image, target.view, *ones, INTEGER, kind, at)
    elif normalize and src.dtype.char == target.view.dtype.char == "B" and area <= 256:
        factor, left = divmod(1 << 23, area)
        # cv2's own rounding: a factor that was rounded down is made good by one more in the sum, also where it is exact
        rounded = (factor + 1, area // 2) if 2 * left >= area else (factor, area // 2 + 1)
        filter_separable(image, target.view, *ones, DIVISION, kind, at, scale=rounded[0], delta=rounded[1])
    else:
        scale = 1.0 / area if normalize else 1.0
        filter_separable(image, target.view, *ones, DOUBLE if double else SINGLE, kind, at, scale=scale)
    return target.finish()


def blur(
    src: Array,
    ksize: tuple[int, int],
    dst: Array | None = None,
    anchor: tuple[int, int] = (-1, -1),
    borderType: int = BORDER_DEFAULT,
) -> Array:
    """Replace each pixel by the mean of a window, as ``cv2.blur``; see :func:`boxFilter`."""
    return boxFilter(src, -1, ksize, dst, anchor, True, borderType)


__all__ = ["GaussianBlur", "blur", "boxFilter"]
