"""What a device declares it can do. Tests ask this, and never for the name of a backend."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NoReturn

import numpy as np

from ..device import Device
from ..dtypes import SUPPORTED, needs_fp64


@dataclass(frozen=True)
class Capabilities:
    """The declarations of a device that decide which tests apply to it."""

    fp64: bool
    fp16: bool
    atomics64: bool
    unified_memory: bool
    compiler: bool
    """Whether the device compiles source text; else it interprets kernels."""
    library: tuple[str, ...]
    """Operations for which the device has a native implementation."""
    compute_units: int
    memory: int
    max_allocation: int
    local_memory: int
    max_work_group: int
    vector_bytes: int

    def dtypes(self) -> list[np.dtype[Any]]:
        """Return the dtypes that the device computes with."""
        return [dtype for dtype in SUPPORTED if self.fp64 or not needs_fp64(dtype)]

    def require(self, name: str) -> None:
        """Skip the running test unless the device declares a capability."""
        if not getattr(self, name):
            skip(name)

    def require_dtype(self, *dtypes: Any) -> None:
        """Skip the running test unless the device computes with some dtypes."""
        for dtype in dtypes:
            if needs_fp64(np.dtype(dtype)):
                self.require("fp64")

    def require_bytes(self, nbytes: int) -> None:
        """Skip the running test unless an allocation is small against the device's memory."""
        if nbytes > self.max_allocation or nbytes > self.memory // 4:
            skip(f"arrays of {nbytes / 2**30:.1f} GiB (memory {self.memory / 2**30:.1f} GiB)")

    def as_dict(self) -> dict[str, Any]:
        """Return the capabilities as plain data, for reports."""
        return asdict(self)


def skip(what: str) -> NoReturn:
    """Skip the running test for the one reason there is: the device declares that it lacks something."""
    import pytest

    pytest.skip(f"declared unsupported: {what}")


def of(device: Device) -> Capabilities:
    """Return what a device declares."""
    info, limits = device.info, device.info.limits
    return Capabilities(
        fp64=info.fp64,
        fp16=info.fp16,
        atomics64=info.atomics64,
        unified_memory=info.unified_memory,
        compiler=device.backend_device.printer != "interpreter",
        library=tuple(sorted(device.backend_device.library)),
        compute_units=info.compute_units,
        memory=info.memory,
        max_allocation=limits.max_allocation,
        local_memory=limits.local_memory,
        max_work_group=limits.max_work_group,
        vector_bytes=limits.vector_bytes,
    )
