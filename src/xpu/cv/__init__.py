"""``xp.cv``: image processing with cv2's names, arguments and pixels, on every device.

>>> import xpu as xp
>>> x = xp.asarray(photo)
>>> edges = xp.cv.Sobel(xp.cv.GaussianBlur(x, (5, 5), 0), xp.cv.CV_16S, 1, 0)
"""

from __future__ import annotations

from .constants import (
    BORDER_CONSTANT,
    BORDER_DEFAULT,
    BORDER_ISOLATED,
    BORDER_REFLECT,
    BORDER_REFLECT101,
    BORDER_REFLECT_101,
    BORDER_REPLICATE,
    BORDER_WRAP,
    CV_8S,
    CV_8U,
    CV_16S,
    CV_16U,
    CV_32F,
    CV_32S,
    CV_64F,
    FILTER_SCHARR,
    error,
)
from .derivatives import Scharr, Sobel
from .smoothing import GaussianBlur, blur, boxFilter
from .windows import filter2D, sepFilter2D

__all__ = [
    "BORDER_CONSTANT",
    "BORDER_DEFAULT",
    "BORDER_ISOLATED",
    "BORDER_REFLECT",
    "BORDER_REFLECT101",
    "BORDER_REFLECT_101",
    "BORDER_REPLICATE",
    "BORDER_WRAP",
    "CV_8S",
    "CV_8U",
    "CV_16S",
    "CV_16U",
    "CV_32F",
    "CV_32S",
    "CV_64F",
    "FILTER_SCHARR",
    "GaussianBlur",
    "Scharr",
    "Sobel",
    "blur",
    "boxFilter",
    "error",
    "filter2D",
    "sepFilter2D",
]
