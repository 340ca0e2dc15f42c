from __future__ import annotations

import os
from functools import lru_cache
from typing import Any

import pytest


@lru_cache(maxsize=1)
def opened() -> tuple[Any, ...]:
    from xpu_opencl import OpenCLBackend

    found = []
    only = os.environ.get("XPU_TEST_OPENCL", "")
    for device in OpenCLBackend().devices():
        if only and only not in device.aliases:
            continue
        try:
            device.open()
        except Exception:  # listed, but not usable: what the probe reports
            continue
        found.append(device)
    return tuple(found)


def pytest_generate_tests(metafunc: Any) -> None:
    if "device" in metafunc.fixturenames:
        devices = opened()
        if not devices:
            devices = (pytest.param(None, marks=pytest.mark.skip(reason="declared unsupported: no OpenCL device")),)
            metafunc.parametrize("device", devices)
        else:
            metafunc.parametrize("device", devices, ids=[device.aliases[0] for device in devices])
