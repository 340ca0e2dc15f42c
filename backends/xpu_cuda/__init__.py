"""The CUDA and ROCm backends: CuPy's memory, streams and compiler under xpu's own kernels.

CuPy comes in builds for NVIDIA's CUDA and for AMD's ROCm (Hygon's DCUs included). One process has one of them, so one
package serves both: :class:`CudaBackend` lists the devices of the first build, :class:`RocmBackend` those of the
second.
"""

from .discovery import CudaBackend, RocmBackend

__all__ = ["CudaBackend", "RocmBackend"]
