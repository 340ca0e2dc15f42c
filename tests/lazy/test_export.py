"""Memory that NumPy was given stays what it was: the pool does not hand it out again."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import xpu as xp


@pytest.mark.parametrize("export", [np.asarray, np.from_dlpack])
@pytest.mark.parametrize("size", [6, 50_000])
def test_exported_memory_outlives_the_array(export, size):
    with xp.device("cpu"):
        host = np.arange(float(size))
        shown = export(xp.asarray(host))
        gc.collect()
        others = [xp.zeros(size) + k for k in range(8)]
        for other in others:
            other._concrete()
        np.testing.assert_array_equal(shown, host)


def test_the_pool_gets_the_memory_back_in_the_end():
    with xp.device("cpu") as device:
        x = xp.zeros(100_000)
        shown = np.asarray(x)
        used = device.pool.used
        del x
        gc.collect()
        assert device.pool.used == used
        del shown
        gc.collect()
        assert device.pool.used < used


def test_asarray_is_read_only_and_without_a_copy():
    with xp.device("cpu"):
        x = xp.arange(5.0)
        shown = np.asarray(x)
        x += 1
        assert shown.tolist() == [1, 2, 3, 4, 5]
        with pytest.raises(ValueError):
            shown[0] = 7
