"""Convolutions against sums of shifted images."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xpu as xp
from xpu.kernels.conv import conv2d_views, out_extent

from .devices import download, empty, upload

CASES = [
    ((1, 1, 5, 5), (1, 1, 3, 3), (1, 1), ((0, 0), (0, 0)), (1, 1), 1),
    ((2, 4, 6, 7), (4, 2, 3, 3), (2, 3), ((1, 0), (2, 1)), (1, 2), 2),
    ((1, 2, 9, 40), (9, 2, 2, 5), (1, 1), ((1, 1), (2, 2)), (2, 1), 1),
]


def reference(x: Any, w: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> np.ndarray:
    padded = np.pad(x, ((0, 0), (0, 0), *padding))
    filters, channels, height, width = w.shape
    extent = [out_extent(x.shape[2 + k], w.shape[2 + k], stride[k], *padding[k], dilation[k]) for k in (0, 1)]
    out = np.zeros((x.shape[0], filters, *extent), x.dtype)
    each = filters // groups
    for g in range(groups):
        for i in range(height):
            for j in range(width):
                rows = slice(i * dilation[0], i * dilation[0] + (extent[0] - 1) * stride[0] + 1, stride[0])
                columns = slice(j * dilation[1], j * dilation[1] + (extent[1] - 1) * stride[1] + 1, stride[1])
                window = padded[:, g * channels : (g + 1) * channels, rows, columns]
                taps = w[g * each : (g + 1) * each, :, i, j]
                out[:, g * each : (g + 1) * each] += np.einsum("nchw,fc->nfhw", window, taps).astype(x.dtype)
    return out if bias is None else out + bias[None, :, None, None]


def example(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    return np.random.default_rng(sum(shape)).integers(0, 5, shape).astype(dtype)


@pytest.mark.parametrize("dtype", ["float32", "float16", "uint8", "complex64"])
@pytest.mark.parametrize("case", CASES)
def test_against_numpy(case: Any, dtype: str, device: Any) -> None:
    images, filters, stride, padding, dilation, groups = case
    x, w = example(images, dtype), example(filters, dtype)
    for bias in (None, example(filters[:1], dtype)):
        expected = reference(x, w, bias, stride, padding, dilation, groups)
        out = empty(device, expected.shape, dtype)
        arrays = [upload(x, device), upload(w, device), None if bias is None else upload(bias, device)]
        conv2d_views(*arrays, out, stride, padding, dilation, groups)
        np.testing.assert_array_equal(download(out), expected)


def test_the_kernel_for_gpus(gpu: Any) -> None:
    images, filters, stride, padding, dilation, groups = CASES[1]
    x, w = example(images, "float32"), example(filters, "float32")
    expected = reference(x, w, None, stride, padding, dilation, groups)
    out = empty(gpu, expected.shape, "float32")
    conv2d_views(upload(x, gpu), upload(w, gpu), None, out, stride, padding, dilation, groups)
    np.testing.assert_array_equal(download(out), expected)


def test_conv2d(device: Any) -> None:
    with xp.device(device):
        x, w = example((1, 3, 6, 5), "float32"), example((2, 3, 3, 3), "float32")
        got = xp.nn.conv2d(xp.asarray(x), xp.asarray(w)[:, :, ::-1], padding="same")
        expected = reference(x, w[:, :, ::-1], None, (1, 1), ((1, 1), (1, 1)), (1, 1), 1)
        np.testing.assert_array_equal(xp.asnumpy(got), expected)
        assert xp.nn.conv2d(xp.zeros((0, 3, 6, 5)), xp.zeros((2, 3, 3, 3))).shape == (0, 2, 4, 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"groups": 2}, "do not fit 2 groups"),
        ({"stride": 0}, "stride is a positive number"),
        ({"padding": "full"}, "padding is a number"),
        ({"dilation": 9}, "larger than the image"),
    ],
)
def test_conv2d_refuses(arguments: dict[str, Any], message: str) -> None:
    x, w = xp.zeros((1, 3, 6, 5), device="interpreter"), xp.zeros((2, 3, 3, 3), device="interpreter")
    with pytest.raises(ValueError, match=message):
        xp.nn.conv2d(x, w, **arguments)
