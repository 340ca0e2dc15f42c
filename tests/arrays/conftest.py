"""Each test runs on the ways an array is computed: the CPU with its library and without, OpenCL, plain Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

import xpu as xp
from xpu.config import config

WAYS = ("cpu", "cpu-kernels", "opencl", "interpreter")


def _works(name: str) -> bool:
    try:
        with xp.device(name):
            return True
    except xp.DeviceNotFoundError:
        return False


@contextmanager
def _using(way: str) -> Iterator[str]:
    name = way.removesuffix("-kernels")
    if name == "opencl" and not _works(name):
        pytest.skip("no OpenCL device works here")
    with pytest.MonkeyPatch.context() as patch, xp.device(name):
        if name != way:
            patch.setattr(config, "library", False)
        yield way


@pytest.fixture(params=WAYS)
def way(request):
    """The name of a way, with its device as the current one."""
    with _using(request.param) as name:
        yield name


@pytest.fixture(params=WAYS[:-1])
def fast_way(request):
    """A way on which thousands of elements take no time: not plain Python."""
    with _using(request.param) as name:
        yield name
