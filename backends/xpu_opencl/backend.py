"""Lists the devices of every OpenCL platform."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Sequence
from typing import Any

from xpu.backend import Backend, BackendDevice, Layer

from . import homeless, icd

_lock = threading.RLock()
_platforms: list[Any] | None = None


class _Start:
    """How the first look at the platforms went."""

    error: str = ""
    """Why there are none."""
    early: bool = False
    """Whether pyopencl was imported, and perhaps used, before xpu looked."""


start = _Start()


def platforms() -> list[Any]:
    """Return pyopencl's platforms, with every implementation registered; none where a layer is missing."""
    global _platforms
    with _lock:
        if _platforms is None:
            start.early = "pyopencl" in sys.modules
            _platforms = _first_look()
        return _platforms


def _first_look() -> list[Any]:
    # PoCL would compile a kernel once for its binary and again for each work-group size; so once is enough.
    os.environ.setdefault("POCL_WORK_GROUP_SPECIALIZATION", "0")
    homeless.prepare()
    try:
        import pyopencl as cl
    except Exception as error:  # a broken installation raises all kinds
        start.error = f"{type(error).__name__}: {error}"
        return []
    try:
        with icd.complete_vendors():
            return list(cl.get_platforms())
    except cl.Error as error:
        start.error = str(error)
        return []


class OpenCLBackend(Backend):
    """Every device of every OpenCL implementation."""

    name = "opencl"

    def devices(self) -> Sequence[BackendDevice]:
        from .serial import device_class

        found: list[BackendDevice] = []
        for platform in platforms():
            try:
                listed = platform.get_devices()
            except Exception:  # Clover and others raise where they have none  # noqa: S112
                continue
            for device in listed:
                try:
                    found.append(device_class(platform)(platform, device))
                except Exception:  # a device that cannot even say its name  # noqa: S112
                    continue
        return found

    def diagnose(self) -> Layer:
        from .diagnose import diagnose

        return diagnose()
