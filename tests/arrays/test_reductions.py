"""Reductions of views, by each way a device has."""

from __future__ import annotations

import numpy as np
import pytest

import xpu as xp

from .same import same

WINDOWS = [
    lambda x: x[::-1],
    lambda x: x.T,
    lambda x: x[..., ::2],
    lambda x: x[:, :, ::2, :, None],
]


@pytest.mark.parametrize("name", ["sum", "max", "argmax", "any"])
@pytest.mark.parametrize("window", WINDOWS)
def test_axes_of_length_one(way, name, window):
    x = np.arange(24).reshape(2, 1, 3, 4)
    y, shown = window(x), window(xp.asarray(x))
    for axis in [axis for axis, extent in enumerate(y.shape) if extent == 1]:
        same(getattr(xp, name)(shown, axis=axis), getattr(np, name)(y, axis=axis))
        same(getattr(xp, name)(shown * 2, axis=axis), getattr(np, name)(y * 2, axis=axis))
