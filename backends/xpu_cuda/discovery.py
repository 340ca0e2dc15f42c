"""Which devices there are, and the tree of layers below them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar

from xpu.backend import Backend, BackendDevice, Layer


def import_cupy() -> Any:
    """Return CuPy, or raise what its import raises; its warnings are left to the diagnosis."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import cupy
        import cupy.cuda
    return cupy


class CudaBackend(Backend):
    """NVIDIA's devices, through a CuPy built for CUDA."""

    name: ClassVar[str] = "cuda"
    hip: ClassVar[bool] = False

    def devices(self) -> Sequence[BackendDevice]:
        """Return the devices that CuPy counts; none where CuPy or the driver is missing or CuPy is the other build."""
        try:
            cupy = import_cupy()
            if bool(cupy.cuda.runtime.is_hip) != self.hip:
                return ()
            count = cupy.cuda.runtime.getDeviceCount()
        except Exception:  # whatever is wrong, diagnose() finds out
            return ()
        from .device import CudaDevice

        return [CudaDevice(cupy, ordinal) for ordinal in range(count)]

    def diagnose(self) -> Layer:
        """Return the tree: hardware, kernel driver, user driver, CuPy, run-time compiler."""
        from .diagnose import diagnose_cuda
        from .system import System

        return diagnose_cuda(System())


class RocmBackend(CudaBackend):
    """AMD's and Hygon's devices, through a CuPy built for ROCm."""

    name: ClassVar[str] = "rocm"
    hip: ClassVar[bool] = True

    def diagnose(self) -> Layer:
        """Return the tree: hardware, kernel driver and its permissions, ROCm's libraries, CuPy, run-time compiler."""
        from .diagnose_rocm import diagnose_rocm
        from .system import System

        return diagnose_rocm(System())
