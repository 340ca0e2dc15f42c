"""The stand-in for CuPy, as fixtures."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import fakecupy
from fakecupy import compiler


@pytest.fixture
def machine():
    """A machine with one card, as far as CuPy can tell."""
    with fakecupy.installed() as pretended:
        yield pretended


@pytest.fixture
def host_compiler():
    """Skip where kernels cannot be run as C++."""
    found = compiler.host_compiler()
    if found is None:
        pytest.skip("no C++ compiler here (g++, clang++): printed CUDA C cannot be run on the host")
    return found


@pytest.fixture
def cuda(machine, host_compiler):
    """The device ``cuda``, as users get it, over the stand-in."""
    from xpu.device import get_device, registry
    from xpu_cuda import CudaBackend

    real = registry.load().get("cuda")
    registry.register(CudaBackend())
    try:
        yield get_device("cuda")
    finally:
        registry.unregister("cuda")
        if real is not None:
            registry.register(real)
