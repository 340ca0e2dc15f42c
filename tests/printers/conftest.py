from __future__ import annotations

from typing import Any


def pytest_generate_tests(metafunc: Any) -> None:
    from .targets import opencl_targets, targets

    if "target" in metafunc.fixturenames:
        found = targets()
        metafunc.parametrize("target", found, ids=[target.name for target in found])
    if "opencl" in metafunc.fixturenames:
        devices = opencl_targets()
        metafunc.parametrize("opencl", devices, ids=[target.name for target in devices])
