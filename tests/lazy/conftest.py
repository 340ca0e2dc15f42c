"""The devices on which fused kernels are tested."""

from __future__ import annotations

import pytest

import xpu as xp
from xpu.device import devices


@pytest.fixture(params=["cpu", *sorted(str(found) for found in devices("opencl"))])
def device(request):
    """Make each device that compiles the current one, with kernels only, no library."""
    with xp.device(request.param), xp.config.override(library=False):
        yield request.param
