"""Arguments by position: NumPy code says ``np.sum(x, 0)``, and means the same here."""

from __future__ import annotations

import numpy as np
import pytest

import xpu as xp

CALLS = {
    "all": lambda m, x: m.all(x, 0),
    "any": lambda m, x: m.any(x, 1),
    "argmax": lambda m, x: m.argmax(x, 1),
    "argmin": lambda m, x: m.argmin(x, 0),
    "argsort": lambda m, x: m.argsort(x, 0),
    "compress": lambda m, x: m.compress(x[0] > 3, x, 1),
    "concat": lambda m, x: m.concat([x, x], 1),
    "concatenate": lambda m, x: m.concatenate([x, x], -1),
    "count_nonzero": lambda m, x: m.count_nonzero(x, 0),
    "diff": lambda m, x: m.diff(x, 2, 0),
    "flip": lambda m, x: m.flip(x, 1),
    "max": lambda m, x: m.max(x, 0),
    "mean": lambda m, x: m.mean(x, 1, np.float32),
    "median": lambda m, x: m.median(x, 0),
    "min": lambda m, x: m.min(x, 1),
    "percentile": lambda m, x: m.percentile(x, 50, 0),
    "prod": lambda m, x: m.prod(x, 1, np.float64),
    "ptp": lambda m, x: m.ptp(x, 0),
    "quantile": lambda m, x: m.quantile(x, 0.5, 1),
    "repeat": lambda m, x: m.repeat(x, 2, 1),
    "roll": lambda m, x: m.roll(x, 1, 0),
    "searchsorted": lambda m, x: m.searchsorted(m.sort(x[0]), m.sort(x[1]), "right"),
    "sort": lambda m, x: m.sort(x, 0),
    "stack": lambda m, x: m.stack([x, x], 2),
    "std": lambda m, x: m.std(x, 0, np.float64),
    "sum": lambda m, x: m.sum(x, 0, np.float64),
    "take": lambda m, x: m.take(x, m.asarray([1, 0]), 1),
    "take_along_axis": lambda m, x: m.take_along_axis(x, m.argsort(x, 1), 1),
    "tensordot": lambda m, x: m.tensordot(x, x, 2),
    "unique": lambda m, x: m.unique(x, True)[1],
    "var": lambda m, x: m.var(x, 1, np.float64),
}


@pytest.mark.parametrize("name", CALLS)
def test_what_numpy_takes_by_position(name):
    host = np.random.default_rng(3).permutation(20).reshape(5, 4).astype(np.float32)
    expected = CALLS[name](np, host)
    got = CALLS[name](xp, xp.asarray(host))
    assert got.shape == expected.shape
    np.testing.assert_allclose(xp.asnumpy(got), expected, rtol=1e-6)
