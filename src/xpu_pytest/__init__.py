"""The conformance suite's options for pytest, so that ``pytest --pyargs xpu.conformance --xpu-device D`` knows them.

pytest loads this module in every run on a machine that has xpu installed: it imports nothing, least of all xpu, which
reads its environment when it is imported. The suite itself begins in ``xpu/conformance/conftest.py``.
"""

from __future__ import annotations

from typing import Any


def pytest_addoption(parser: Any) -> None:
    """Add the options; called by pytest."""
    group = parser.getgroup("xpu", "xpu's conformance suite")
    group.addoption("--xpu-device", metavar="DEVICE", help="the device to certify (default: XPU_DEVICE, else cpu)")
    group.addoption("--xpu-level", metavar="LEVELS", help="only these levels, by commas: contract,arrays,kernels ...")
    group.addoption("--xpu-quick", action="store_true", help="a reduced set, for slow devices such as simulators")
    group.addoption("--xpu-report", metavar="DIR", help="write conformance-<device>.md and .json into this folder")
    group.addoption("--xpu-programs", metavar="N", type=int, help="how many random programs to run of each kind")
