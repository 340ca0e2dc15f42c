"""Printers: typed kernels to the languages that devices read.

``print_kernel`` is the one door. A printer is a module with a function ``render(kernel, info, debug) -> str`` (and, for C
dialects, a table); it is imported when first needed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from importlib import import_module

from ...backend import DeviceInfo, Source
from .. import abi, ir

PRINTERS: dict[str, tuple[str, str]] = {
    "opencl": ("xpu.kernel.printers.c", "render_opencl"),
    "cuda": ("xpu.kernel.printers.c", "render_cuda"),
    "hip": ("xpu.kernel.printers.c", "render_hip"),
    "numba": ("xpu.kernel.printers.numba", "render"),
    "interpreter": ("xpu.kernel.printers.interpreter", "render"),
}

Render = Callable[[ir.Kernel, DeviceInfo, bool], str]


def print_kernel(kernel: ir.Kernel, language: str, info: DeviceInfo, debug: bool = False) -> Source:
    """Print a typed kernel for a device.

    The entry point is named ``xpu_<kernel>``; the signature is :func:`xpu.kernel.abi.parameters`.
    """
    module, function = PRINTERS[language]
    render: Render = getattr(import_module(module), function)
    return Source(
        name=f"xpu_{kernel.name}",
        text=render(kernel, info, debug),
        language=language,
        parameters=abi.parameters(kernel, debug),
        rank=kernel.rank,
        local_bytes=ir.local_bytes(kernel),
        barriers=kernel.uses_barrier,
        ir=kernel,
    )


def digest(source: Source) -> str:
    """Return a short hash of a source: the key of every cache."""
    return hashlib.sha256(f"{source.language}\0{source.name}\0{source.text}".encode()).hexdigest()[:32]
