"""The place of an extremum in arrays so large that processors look for its value first."""

from __future__ import annotations

import numpy as np
import pytest

import xpu as xp
from xpu.device import devices
from xpu.reduce import CHUNK, CHUNKED_FROM

SIZE = CHUNKED_FROM + CHUNK + 5


@pytest.fixture(params=sorted(str(device) for device in devices()), autouse=True)
def device(request):
    with xp.device(request.param):
        yield


def both(host: np.ndarray) -> None:
    x = xp.asarray(host)
    for name in ("argmax", "argmin"):
        assert int(getattr(xp, name)(x)) == int(getattr(np, name)(host)), name


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "uint64", "float16", "float32", "float64"])
def test_every_dtype_and_ties(dtype):
    rng = np.random.default_rng(1)
    both(rng.integers(0, 2 if dtype == "bool" else 50, SIZE).astype(dtype))
    both(np.zeros(SIZE, dtype))


@pytest.mark.parametrize("place", [0, CHUNK - 1, CHUNK, SIZE - 6, SIZE - 1])
def test_extremum_at_the_edges_of_chunks(place):
    host = np.zeros(SIZE, np.float32)
    host[place] = 1
    both(host)
    both(-host)


@pytest.mark.parametrize("places", [[5], [SIZE - 1], [CHUNK + 1, 3 * CHUNK], [CHUNK * 2 - 1, CHUNK * 2]])
def test_the_first_nan_wins(places):
    host = np.random.default_rng(2).random(SIZE, np.float32)
    host[places] = np.nan
    host[0], host[-2] = np.inf, -np.inf
    both(host)


def test_zeros_of_both_signs_are_equal():
    host = np.zeros(SIZE, np.float32)
    host[: SIZE // 2] = -0.0
    both(host)
    both(-host)


def test_windows_and_pending_expressions():
    host = np.random.default_rng(3).random((700, 500), np.float32)
    x = xp.asarray(host)
    for got, want in ((x[1:], host[1:]), (x[:, 1:], host[:, 1:]), (x.T, host.T), (x * 2, host * 2)):
        assert int(xp.argmax(got)) == int(np.argmax(want))
        assert int(xp.argmin(got)) == int(np.argmin(want))
    whole = xp.argmax(x, keepdims=True)
    assert whole.shape == (1, 1)
    assert int(whole[0, 0]) == int(host.argmax())
