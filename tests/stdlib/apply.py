"""Runs a kernel-language function over arrays, on a device that compiles."""

from __future__ import annotations

from typing import Any

import numpy as np

import xpu as xp
from xpu.array import Array
from xpu.device import devices, get_device
from xpu.kernel.stdlib import words
from xpu.kernels.views import launch
from xpu.memory import new_view


def apply(function: Any, *arrays: np.ndarray, dtype: Any = None) -> np.ndarray:
    """Return ``function`` of the elements of one or two arrays."""
    found = devices("opencl")
    device = found[0] if found else get_device("cpu")
    if len(arrays) == 1:

        @words.kernel
        def run(x: Any, out: Any) -> None:
            i = words.global_id(0)
            out[i] = function(x[i])

    else:

        @words.kernel
        def run(x: Any, y: Any, out: Any) -> None:
            i = words.global_id(0)
            out[i] = function(x[i], y[i])

    views = [xp.asarray(array, device=device)._concrete() for array in arrays]
    out = new_view(device, arrays[0].shape, np.dtype(dtype or arrays[0].dtype))
    launch(run, device, arrays[0].shape, None, [*views, out])
    return xp.asnumpy(Array._of_view(out))


def units(got: np.ndarray, exact: np.ndarray) -> np.ndarray:
    """Return errors in units in the last place of a type narrower than ``exact``'s; wrong infinities and NaN are infinite."""
    with np.errstate(all="ignore"):
        rounded = exact.astype(got.dtype)
        step = np.spacing(np.abs(rounded)).astype(exact.dtype)
        error = np.abs(got.astype(exact.dtype) - exact) / step
        finite = np.isfinite(got) & np.isfinite(rounded)
        same = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
    return np.where(finite, error, np.where(same, 0, np.inf)).astype(float)
