"""Devices for tests of portable kernels, and the way in and out of them."""

from __future__ import annotations

from typing import Any

import numpy as np

import xpu as xp
from xpu.array import Array
from xpu.device import Device, devices, get_device
from xpu.memory import new_view


def compiled_device() -> Device:
    """Return a device that compiles kernels: the first OpenCL one, else the CPU."""
    found = devices("opencl")
    return found[0] if found else get_device("cpu")


def named(name: str) -> Device:
    return get_device("interpreter") if name == "interpreter" else compiled_device()


def upload(host: np.ndarray, device: Device) -> Any:
    """Return the view of an array on a device."""
    return xp.asarray(host, device=device)._concrete()


def empty(device: Device, shape: tuple[int, ...], dtype: Any) -> Any:
    """Return a view for a kernel to fill."""
    return new_view(device, shape, np.dtype(dtype))


def download(view: Any) -> np.ndarray:
    """Return a view's contents."""
    return xp.asnumpy(Array._of_view(view))
