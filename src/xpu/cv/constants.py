"""cv2's numbers: depths, borders, and special sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import XpuError

CV_8U, CV_8S, CV_16U, CV_16S, CV_32S, CV_32F, CV_64F, CV_16F = range(8)

BORDER_CONSTANT = 0
BORDER_REPLICATE = 1
BORDER_REFLECT = 2
BORDER_WRAP = 3
BORDER_REFLECT_101 = 4
BORDER_REFLECT101 = 4
BORDER_DEFAULT = 4
BORDER_ISOLATED = 16

FILTER_SCHARR = -1

DEPTHS: dict[int, np.dtype[Any]] = {
    CV_8U: np.dtype(np.uint8),
    CV_8S: np.dtype(np.int8),
    CV_16U: np.dtype(np.uint16),
    CV_16S: np.dtype(np.int16),
    CV_32S: np.dtype(np.int32),
    CV_32F: np.dtype(np.float32),
    CV_64F: np.dtype(np.float64),
}


class error(XpuError, ValueError):
    """An image, a size or a flag that a function of ``xp.cv`` does not take."""
