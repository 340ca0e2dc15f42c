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


def _registered(backend):
    """Yield the device of a backend, as users get it; afterwards the registry is as it was."""
    from xpu.device import get_device, registry

    real = registry.load().get(backend.name)
    registry.register(backend)
    try:
        yield get_device(backend.name)
    finally:
        registry.unregister(backend.name)
        if real is not None:
            registry.register(real)


@pytest.fixture
def cuda(machine, host_compiler):
    """The device ``cuda`` over the stand-in."""
    from xpu_cuda import CudaBackend

    yield from _registered(CudaBackend())


@pytest.fixture
def rocm(host_compiler):
    """The device ``rocm`` over the stand-in."""
    from xpu_cuda import RocmBackend

    with fakecupy.installed(hip=True):
        yield from _registered(RocmBackend())
