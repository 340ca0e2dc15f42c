"""Rows, then columns: how every separable filter runs."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..kernels import filters
from ..kernels.reduce import lanes_for
from ..kernels.views import flat, launch, temporary, window
from ..memory import View
from .images import Image

if TYPE_CHECKING:
    from ..device import Device

DType = np.dtype[Any]


@dataclass(frozen=True)
class Arithmetic:
    """In which types a filter computes."""

    row: DType
    """Of the sums along rows, kept between the two passes."""
    column: DType
    shift: int = 0
    """Bits behind the point of the columns' sums; negative: ``delta`` is added and ``scale`` multiplied before."""


FIXED_8 = Arithmetic(np.dtype(np.uint16), np.dtype(np.uint32), 16)
"""Weights of 8 bits behind the point; uint8 pixels."""
FIXED_16 = Arithmetic(np.dtype(np.uint32), np.dtype(np.uint64), 32)
"""Weights of 16 bits behind the point; uint16 pixels."""
INTEGER = Arithmetic(np.dtype(np.int32), np.dtype(np.int32))
DIVISION = Arithmetic(np.dtype(np.int32), np.dtype(np.int64), -23)
"""Means of uint8 pixels, by a multiplication."""
SINGLE = Arithmetic(np.dtype(np.float32), np.dtype(np.float32))
DOUBLE = Arithmetic(np.dtype(np.float64), np.dtype(np.float64))


@lru_cache(maxsize=512)
def _uploaded(device: Device, raw: bytes, dtype: DType, shape: tuple[int, ...]) -> View:
    host = np.frombuffer(raw, np.uint8)
    view = temporary(device, shape, dtype)
    device.backend_device.copy_in(view.storage.block, 0, host)
    return view


def upload(device: Device, weights: Any, dtype: DType) -> View:
    """Return weights in a device's memory; the same ones are sent once."""
    host = np.ascontiguousarray(weights, dtype=dtype)
    return _uploaded(device, host.tobytes(), dtype, host.shape)


def filter_separable(
    image: Image,
    out: View,
    kx: Any,
    ky: Any,
    arithmetic: Arithmetic,
    border: int,
    anchor: tuple[int, int] = (-1, -1),
    delta: float = 0,
    scale: float = 1,
) -> None:
    """Filter an image into a contiguous view of the same extents.

    Parameters
    ----------
    image : Image
    out : View
    kx, ky : array_like
        Weights along rows and along columns.
    arithmetic : Arithmetic
    border : int
        A border type; the constant border is 0.
    anchor : tuple of int
        The weight (of ``kx``, of ``ky``) that lies on the pixel; -1: the middle one.
    delta : float
        Added to the result.
    scale : float
        The result is multiplied by it first.
    """
    device = out.storage.device
    source, target = image.view.dtype, out.dtype
    row, column = arithmetic.row, arithmetic.column
    anchor_x = len(kx) // 2 if anchor[0] == -1 else anchor[0]
    anchor_y = len(ky) // 2 if anchor[1] == -1 else anchor[1]
    lanes = lanes_for(row, device.info)
    between = temporary(device, (image.height * image.numbers,), row)
    launch(
        filters.make_rows(source, row, lanes),
        device,
        (image.height, -(-image.numbers // lanes)),
        None,
        [
            window(image.view), image.view.offset, image.step, image.channels, image.width, upload(device, kx, row),
            anchor_x, border, row.type(0), between,
        ],
    )  # fmt: skip
    lanes = lanes_for(column, device.info)
    launch(
        filters.make_columns(row, column, target, arithmetic.shift, lanes),
        device,
        (image.height, -(-image.numbers // lanes)),
        None,
        [
            between, image.height, image.numbers, upload(device, ky, column), anchor_y, border, column.type(0),
            column.type(scale), column.type(delta), flat(out), 0, image.numbers,
        ],
    )  # fmt: skip
