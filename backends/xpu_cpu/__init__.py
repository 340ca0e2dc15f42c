"""The CPU: NumPy memory, NumPy's library, kernels compiled by Numba and LLVM and run by a pool of threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xpu.backend import Backend, BackendDevice, Layer


class CpuBackend(Backend):
    """The host's processor, as one device."""

    name: ClassVar[str] = "cpu"

    def devices(self) -> Sequence[BackendDevice]:
        from .device import CpuDevice

        return [CpuDevice()]

    def diagnose(self) -> Layer:
        from .diagnosis import diagnose

        return diagnose()
