"""Kernels in which rows of one array meet columns of another: squares of the last two axes."""

from __future__ import annotations

import numpy as np
import pytest

import xpu as xp
from xpu.lazy.plan import layout
from xpu.lazy.run import TILE, crosses


@pytest.mark.parametrize(
    "shape", [(2 * TILE, 2 * TILE), (2 * TILE - 1, 50), (67, 131), (300, 65), (3, 70, 99), (2, 3, 2, 66, 77)]
)
@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.complex128])
def test_copies_of_transposes(device, shape, dtype):
    host = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    x = xp.asarray(host)
    np.testing.assert_array_equal(xp.asnumpy(xp.copy(x.mT)), host.swapaxes(-1, -2))
    np.testing.assert_array_equal(xp.asnumpy(xp.copy(x[..., ::-1].mT)), host[..., ::-1].swapaxes(-1, -2))


def test_sums_with_transposes_and_writes_into_them(device):
    host = np.arange(131.0 * 131, dtype=np.float32).reshape(131, 131)
    x = xp.asarray(host)
    np.testing.assert_array_equal(xp.asnumpy(x + 2 * x.T), host + 2 * host.T)
    target = xp.zeros((131, 131), dtype=xp.float32)
    target.T[:100, 5:] = x[:100, 5:]
    expected = np.zeros_like(host)
    expected.T[:100, 5:] = host[:100, 5:]
    np.testing.assert_array_equal(xp.asnumpy(target), expected)
    x.T[...] += x
    np.testing.assert_array_equal(xp.asnumpy(x), host + host.T)


@pytest.mark.parametrize(
    ("turned", "extent", "expected"), [(True, 4 * TILE, True), (False, 4 * TILE, False), (True, TILE, False)]
)
def test_when_squares_are_used(turned, extent, expected):
    x = xp.ones((extent, extent), dtype=xp.float32, device="cpu")
    other = x.T if turned else x
    shape, operands = layout((extent, extent), [x._concrete(), other._concrete()])
    assert crosses(shape, operands) is expected
