"""Counts by number and by interval, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import xpu as xp

from .same import same

RNG = np.random.default_rng(5)
NUMBERS = RNG.integers(0, 7, 40)
FLOATS = np.round(RNG.standard_normal(40), 1)
WEIGHTS = RNG.integers(1, 9, 40) / 4


@pytest.mark.parametrize("code", "?bBqQ")
def test_bincount(way, code):
    x = (NUMBERS % 2 if code == "?" else NUMBERS).astype(code)
    y = xp.asarray(x)
    host = x.astype(np.int64)
    same(xp.bincount(y), np.bincount(host))
    same(xp.bincount(y, xp.asarray(WEIGHTS), minlength=9), np.bincount(host, WEIGHTS, minlength=9))
    same(xp.bincount(y[:0], minlength=2), np.bincount(host[:0], minlength=2))


def test_bincount_refuses(way):
    with pytest.raises(ValueError, match="negative"):
        xp.bincount(xp.asarray([1, -1]))
    with pytest.raises(TypeError, match="integers"):
        xp.bincount(xp.asarray([1.0]))
    with pytest.raises(ValueError, match="shape"):
        xp.bincount(xp.asarray([1]), xp.asarray([1.0, 2.0]))


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("step", [1, -1])
def test_digitize(way, right, step):
    bins = np.array([-1.0, 0.0, 0.5, 1.0])[::step]
    x = np.append(FLOATS, bins)
    same(xp.digitize(xp.asarray(x), xp.asarray(bins), right=right), np.digitize(x, bins, right=right))
    with pytest.raises(ValueError, match="rise or"):
        xp.digitize(xp.asarray(x), xp.asarray([1.0, 3.0, 2.0]))


def test_histogram(way):
    edges = np.array([-1.0, 0.0, 0.5, 1.5])
    for x in (FLOATS, NUMBERS, FLOATS.reshape(4, 10)[:, ::-2]):
        for options in ({}, {"bins": 4, "range": (-0.5, 1.0)}):
            counts, bins = np.histogram(x, **options)
            got = xp.histogram(xp.asarray(x), **options)
            same(got[0], counts)
            np.testing.assert_allclose(xp.asnumpy(got[1]), bins, rtol=1e-15, atol=1e-15)
        same(xp.histogram(xp.asarray(x), xp.asarray(edges))[0], np.histogram(x, edges)[0])
    got = xp.histogram(xp.asarray(FLOATS), xp.asarray(edges), weights=xp.asarray(WEIGHTS), density=True)[0]
    expected = np.histogram(FLOATS, edges, weights=WEIGHTS, density=True)[0]
    np.testing.assert_allclose(xp.asnumpy(got), expected, rtol=1e-14)
    same(xp.histogram(xp.asarray(FLOATS[:0]), 3)[0], np.histogram(FLOATS[:0], 3)[0])
    with pytest.raises(ValueError, match="finite"):
        xp.histogram(xp.asarray([1.0, np.nan]))
