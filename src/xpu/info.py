"""The Array API's inspection of a namespace."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import dtypes
from .device import Device, current_device, devices, get_device


class NamespaceInfo:
    """What ``xpu.__array_namespace_info__()`` returns; see the Array API standard, "Inspection"."""

    def capabilities(self) -> dict[str, Any]:
        """Return whether boolean masks and data-dependent shapes work, and the largest number of axes."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": None}

    def default_device(self) -> Device:
        """Return the current device."""
        return current_device()

    def default_dtypes(self, *, device: Device | str | None = None) -> dict[str, np.dtype[Any]]:
        """Return the dtypes of Python numbers and indices on a device."""
        real = get_device(device).default_float
        return {
            "real floating": real,
            "complex floating": np.dtype(np.complex128 if real.itemsize == 8 else np.complex64),
            "integral": np.dtype(np.int64),
            "indexing": np.dtype(np.int64),
        }

    def dtypes(
        self, *, device: Device | str | None = None, kind: str | tuple[str, ...] | None = None
    ) -> dict[str, np.dtype[Any]]:
        """Return the dtypes that a device computes with, by name; optionally only of a kind."""
        fp64 = get_device(device).info.fp64
        usable = {d.name: d for d in dtypes.SUPPORTED if fp64 or not dtypes.needs_fp64(d)}
        usable.pop("float16")  # not among the standard's dtypes
        if kind is None:
            return usable
        return {name: d for name, d in usable.items() if np.isdtype(d, kind)}

    def devices(self) -> tuple[Device, ...]:
        """Return the devices that work."""
        return tuple(devices())


def __array_namespace_info__() -> NamespaceInfo:
    """Return an object that tells devices, dtypes, defaults and capabilities."""
    return NamespaceInfo()
