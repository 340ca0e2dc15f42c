"""Images in and out: checks, layout, and where results go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..array import Array
from ..lazy.evaluate import copy_into, write
from ..memory import View, new_view
from .constants import BORDER_ISOLATED, BORDER_WRAP, DEPTHS, error

DType = np.dtype[Any]
PIXELS = tuple(np.dtype(name) for name in ("uint8", "uint16", "int16", "float32", "float64"))
"""Depths that filters take."""


@dataclass(slots=True)
class Image:
    """An image whose rows are contiguous."""

    view: View
    height: int
    width: int
    """In pixels."""
    channels: int
    step: int
    """Elements from one row to the next."""

    @property
    def numbers(self) -> int:
        """Numbers in a row."""
        return self.width * self.channels


def check_image(name: str, src: Any, dtypes: tuple[DType, ...] = PIXELS) -> Array:
    """Check that an argument is an image of one of some dtypes."""
    if not isinstance(src, Array):
        raise TypeError(f"{name}: src is {type(src).__name__}, not an xpu array; convert it: xp.asarray(src)")
    if src.ndim not in (2, 3):
        raise error(f"{name}: an image has 2 or 3 axes (height, width, channels), and this array has shape {src.shape}")
    if 0 in src.shape:
        raise error(f"{name}: the image is empty (shape {src.shape})")
    if src.dtype not in dtypes:
        names = ", ".join(dtype.name for dtype in dtypes)
        raise error(f"{name}: images of dtype {src.dtype.name} are not supported ({names} are)")
    return src


def result_shape(src: Array) -> tuple[int, ...]:
    """Return the shape of a result: as in cv2, a single channel has no axis."""
    return src.shape[:2] if src.ndim == 3 and src.shape[2] == 1 else src.shape


def depth(name: str, ddepth: int, src: Array) -> DType:
    """Return the dtype that a ``ddepth`` means; -1 is the source's."""
    if ddepth == -1:
        return src.dtype
    if ddepth not in DEPTHS or DEPTHS[ddepth] not in PIXELS:
        raise error(f"{name}: ddepth {ddepth} is not supported; use -1, CV_8U, CV_16U, CV_16S, CV_32F or CV_64F")
    src.device.check_dtype(DEPTHS[ddepth])
    return DEPTHS[ddepth]


def border(name: str, border_type: int, wrap: bool = False) -> int:
    """Check a border type and return it without its flags."""
    plain = border_type & ~BORDER_ISOLATED
    if plain == BORDER_WRAP and not wrap:
        raise error(f"{name}: BORDER_WRAP is not supported (nor is it in cv2)")
    if not 0 <= plain <= 4:
        raise error(
            f"{name}: borderType {border_type} is none of BORDER_CONSTANT, BORDER_REPLICATE, BORDER_REFLECT, "
            f"BORDER_REFLECT_101"
        )
    return plain


def open_image(src: Array) -> Image:
    """Return an image to read; rows that are not contiguous are copied."""
    view = src._concrete()
    height, width = view.shape[:2]
    channels = view.shape[2] if len(view.shape) == 3 else 1
    inner = view.strides[2] if len(view.shape) == 3 else 1
    even = (channels == 1 or inner == 1) and (width == 1 or view.strides[1] == channels) and view.strides[0] > 0
    if not even:
        packed = new_view(src.device, view.shape, view.dtype)
        copy_into(packed, view)
        view = packed
    return Image(view, height, width, channels, view.strides[0])


class Target:
    """Where a result goes: a new array, or ``dst``."""

    def __init__(self, name: str, src: Array, dtype: DType, dst: Any) -> None:
        shape = result_shape(src)
        self.dst = dst
        if dst is not None:
            if not isinstance(dst, Array):
                raise TypeError(f"{name}: dst is {type(dst).__name__}, not an xpu array")
            if dst.shape != shape or dst.dtype != dtype or dst.device != src.device:
                raise error(
                    f"{name}: dst has shape {dst.shape}, dtype {dst.dtype.name} on {dst.device}; "
                    f"the result has shape {shape}, dtype {dtype.name} on {src.device}"
                )
            dst._check_writeable()
        self.view = new_view(src.device, shape, dtype)

    def finish(self) -> Array:
        """Return the result."""
        if self.dst is None:
            return Array._of_view(self.view)
        write(self.dst.__xpu_write__(), self.view, self.dst.device)
        result: Array = self.dst
        return result
