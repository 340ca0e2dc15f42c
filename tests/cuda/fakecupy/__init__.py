"""A small stand-in for CuPy: the calls that ``xpu_cuda`` makes, over the host's memory and processor.

Memory is NumPy's, poisoned and fenced; streams and events run everything at once; kernels are the printed CUDA C,
compiled as C++ (``device_shim.h``) and run thread by thread. So both the backend's calls and the generated code are
executed on a machine without a card.

    with fakecupy.installed() as machine:      # ``import cupy`` gives the stand-in from here on
        machine.fail_next("memcpy", 719)       # and the driver can be made to fail
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from . import arrays, compiler, driver, memory, runtime, streams
from .machine import Machine, machine

__all__ = ["Machine", "installed", "machine", "make_cupy", "register"]


def make_cupy(version: str = "14.0.0+standin") -> types.ModuleType:
    """Return a module that looks like CuPy, with the submodules that ``import`` must find."""
    cupy = types.ModuleType("cupy")
    cupy.__path__ = []
    cupy.__version__ = version
    cuda = types.ModuleType("cupy.cuda")
    cuda.__path__ = []
    cuda.runtime = runtime.make_module()
    cuda.driver = driver.make_module()
    cuda.compiler = compiler.make_module()
    cuda.nvrtc = compiler.make_nvrtc_module()
    cuda.Device = runtime.Device
    cuda.Memory = memory.Memory
    cuda.MemoryPointer = memory.MemoryPointer
    cuda.UnownedMemory = memory.UnownedMemory
    cuda.Stream = streams.Stream
    cuda.Event = streams.Event
    cuda.get_elapsed_time = streams.get_elapsed_time
    cuda.Module = driver.Module
    cuda.Function = driver.Function
    cupy.cuda = cuda
    cupy.get_default_memory_pool = memory.get_default_memory_pool
    cupy.get_default_pinned_memory_pool = memory.get_default_memory_pool
    arrays.add_functions(cupy, np)
    return cupy


def register(cupy: types.ModuleType) -> None:
    """Put the stand-in and its submodules where ``import`` looks."""
    sys.modules["cupy"] = cupy
    sys.modules["cupy.cuda"] = cupy.cuda
    for name in ("runtime", "driver", "compiler", "nvrtc"):
        sys.modules[f"cupy.cuda.{name}"] = getattr(cupy.cuda, name)


def _take_out() -> dict[str, types.ModuleType]:
    """Remove CuPy, real or not, from the modules that are imported; return what was there."""
    return {name: sys.modules.pop(name) for name in list(sys.modules) if name.split(".")[0] == "cupy"}


@contextmanager
def installed(**settings: Any) -> Iterator[Machine]:
    """Make ``import cupy`` give the stand-in for the length of a ``with`` block.

    ``settings`` are attributes of :class:`Machine`: ``devices=2``, ``hip=True``, ``capability=(7, 5)`` ...
    """
    before = _take_out()
    machine.reset(**settings)
    register(make_cupy())
    try:
        yield machine
    finally:
        _take_out()
        sys.modules.update(before)
        machine.reset()
