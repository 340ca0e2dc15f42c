"""Convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..apply import astype
from ..array import Array
from ..dtypes import result_type
from ..errors import DeviceMismatchError, XpuError
from ..kernels.conv import conv2d_views, out_extent
from ..memory import new_view


class ConvolutionError(XpuError, ValueError):
    """Images and filters do not fit together."""


def conv2d(
    x: Array,
    w: Array,
    bias: Array | None = None,
    stride: int | tuple[int, int] = 1,
    padding: int | str | tuple[Any, Any] = 0,
    dilation: int | tuple[int, int] = 1,
    groups: int = 1,
) -> Array:
    """Convolve images with filters, as neural networks do: the filters are not flipped.

    Parameters
    ----------
    x : Array
        Images, of shape (count, channels, height, width).
    w : Array
        Filters, of shape (filters, channels / groups, height, width).
    bias : Array, optional
        One number for each filter.
    stride, dilation : int or tuple of int
        Steps of the filter over the image, and between its taps, along y and x.
    padding : int, tuple, or str
        Zeros around the image: one number, one each for y and x, or pairs (above, below), (left, right). ``"valid"``
        is 0; ``"same"`` keeps height and width where the stride is 1.
    groups : int
        Channels and filters are split into so many groups that do not see each other.

    Returns
    -------
    Array
        Of shape (count, filters, out_height, out_width).
    """
    for label, array in (("x", x), ("w", w), *((("bias", bias),) if bias is not None else ())):
        if not isinstance(array, Array):
            raise TypeError(
                f"conv2d: {label} is {type(array).__name__}, not an xpu array; convert it: xp.asarray({label})"
            )
        if array.device != x.device:
            raise DeviceMismatchError(
                f"conv2d: x is on {x.device} and {label} on {array.device}; "
                f"move it: {label}.to_device({str(x.device)!r})"
            )
    if x.ndim != 4 or w.ndim != 4:
        raise ConvolutionError(
            f"conv2d takes images (count, channels, height, width) and filters (filters, channels, height, width); "
            f"got shapes {x.shape} and {w.shape}"
        )
    channels, filters, group_channels = x.shape[1], w.shape[0], w.shape[1]
    if groups < 1 or channels != group_channels * groups or filters % groups:
        raise ConvolutionError(
            f"conv2d: {channels} channels and {filters} filters of {group_channels} channels do not fit {groups} groups"
        )
    if bias is not None and bias.shape != (filters,):
        raise ConvolutionError(f"conv2d: bias has shape {bias.shape}, and there are {filters} filters")
    steps, gaps = _pair("stride", stride), _pair("dilation", dilation)
    zeros = _padding(padding, w.shape[2:], gaps)
    extents = [
        out_extent(x.shape[2 + axis], w.shape[2 + axis], steps[axis], *zeros[axis], gaps[axis]) for axis in (0, 1)
    ]
    if min(extents) < 1 or 0 in w.shape[2:]:
        raise ConvolutionError(
            f"conv2d: a filter of {w.shape[2]} x {w.shape[3]} (dilation {gaps}) is larger than the image of "
            f"{x.shape[2]} x {x.shape[3]} with its padding {zeros}"
        )
    arrays = [x, w] if bias is None else [x, w, bias]
    dtype = result_type(*(array.dtype for array in arrays))
    if dtype.kind == "b":
        raise ConvolutionError("conv2d: bools cannot be convolved; convert them to numbers first")
    views = [astype(array, dtype)._concrete() for array in arrays]
    views[1:] = [view if view.contiguous else _packed(view) for view in views[1:]]
    out = new_view(x.device, (x.shape[0], filters, *extents), dtype)
    if channels == 0:
        result = Array._of_view(out)
        result[...] = 0 if bias is None else bias.reshape((filters, 1, 1))
        return result
    conv2d_views(views[0], views[1], views[2] if bias is not None else None, out, steps, zeros, gaps, groups)
    return Array._of_view(out)


def _packed(view: Any) -> Any:
    from ..lazy.evaluate import copy_into

    packed = new_view(view.storage.device, view.shape, view.dtype)
    copy_into(packed, view)
    return packed


def _pair(what: str, value: Any) -> tuple[int, int]:
    """Return a positive number for each of y and x."""
    pair = tuple(value) if isinstance(value, (tuple, list)) else (value, value)
    if len(pair) != 2 or not all(isinstance(v, (int, np.integer)) and v > 0 for v in pair):
        raise ConvolutionError(f"conv2d: {what} is a positive number, or two (along y and x), not {value!r}")
    return int(pair[0]), int(pair[1])


def _padding(value: Any, taps: tuple[int, ...], gaps: tuple[int, int]) -> tuple[tuple[int, int], tuple[int, int]]:
    """Return the zeros (before, after) along y and x."""
    if value == "valid":
        return (0, 0), (0, 0)
    if value == "same":
        spans = [gap * (tap - 1) for tap, gap in zip(taps, gaps, strict=True)]
        return (spans[0] // 2, spans[0] - spans[0] // 2), (spans[1] // 2, spans[1] - spans[1] // 2)
    items = tuple(value) if isinstance(value, (tuple, list)) else (value, value)
    pairs = [tuple(item) if isinstance(item, (tuple, list)) else (item, item) for item in items]
    flat = [number for pair in pairs for number in pair]
    if len(pairs) != 2 or len(flat) != 4 or not all(isinstance(n, (int, np.integer)) and n >= 0 for n in flat):
        raise ConvolutionError(f"conv2d: padding is a number, two, two pairs, 'same' or 'valid', not {value!r}")
    return (int(flat[0]), int(flat[1])), (int(flat[2]), int(flat[3]))
