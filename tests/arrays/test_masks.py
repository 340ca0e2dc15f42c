"""``x[mask]`` for masks of the array's own shape: pieces are counted, then written behind one another."""

from __future__ import annotations

import numpy as np
import pytest

import xpu as xp
from xpu.device import devices


@pytest.fixture(params=sorted(str(device) for device in devices()), autouse=True)
def device(request):
    with xp.device(request.param):
        yield


def same(host: np.ndarray, mask: np.ndarray) -> None:
    x, m = xp.asarray(host), xp.asarray(mask)
    for switches in ({}, {"library": False}):
        with xp.config.override(**switches):
            got = x[m]
            assert got.dtype == host.dtype
            np.testing.assert_array_equal(xp.asnumpy(got), host[mask])
            np.testing.assert_array_equal(xp.asnumpy(xp.nonzero(m)[0]), np.nonzero(mask)[0])


@pytest.mark.parametrize("size", [1, 7, 1023, 1025, 40_000, 300_001])
@pytest.mark.parametrize("share", [0, 0.001, 0.5, 1])
def test_sizes_and_shares(size, share):
    rng = np.random.default_rng(size)
    same(rng.random(size, np.float32), rng.random(size) < share)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float64", "complex64", "complex128"])
def test_dtypes(dtype):
    rng = np.random.default_rng(1)
    same(rng.integers(0, 2, 50_000).astype(dtype), rng.random(50_000) < 0.3)


def test_only_the_ends_of_pieces():
    """The last true element of each piece meets the first of the next."""
    host = np.arange(100_000, dtype=np.int32)
    mask = np.zeros(100_000, bool)
    mask[[0, 1023, 1024, 3124, 3125, 50_000, 99_999]] = True
    same(host, mask)
    same(host, ~mask)


def test_more_axes_windows_and_pending_masks():
    host = np.random.default_rng(2).random((300, 200), np.float32)
    x = xp.asarray(host)
    cases = [(x, host), (x.T, host.T), (x[::2, 1:], host[::2, 1:]), (x * 2, host * 2), (x[:0], host[:0])]
    for got, want in cases:
        np.testing.assert_array_equal(xp.asnumpy(got[got > 0.5]), want[want > 0.5])
    with pytest.raises(IndexError):
        x[x[1:] > 0.5]
