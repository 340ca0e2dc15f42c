"""Fixtures of the suite: the device under test, what it declares, and the record of what happened."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ..device import Device, device as using, get_device
from . import capabilities, levels
from .capabilities import Capabilities
from .draw import Budget
from .known import KNOWN
from .record import Recorder, level_of

PACKAGE = Path(__file__).parent


def pytest_configure(config: pytest.Config) -> None:
    """Start the record; the marks of the suite."""
    config.addinivalue_line("markers", "slow: left out by --xpu-quick")
    if not config.pluginmanager.has_plugin("xpu_recorder"):
        config.pluginmanager.register(Recorder(config), "xpu_recorder")


def _is_ours(item: pytest.Item) -> bool:
    return PACKAGE in Path(item.path).parents


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep the levels asked for, in their order; leave slow tests out where asked; mark the known failures."""
    wanted = levels.parse(config.getoption("--xpu-level", None))
    quick = config.getoption("--xpu-quick", False)
    kept, dropped = [], []
    for item in items:
        if _is_ours(item) and (level_of(item.path) not in wanted or (quick and item.get_closest_marker("slow"))):
            dropped.append(item)
        else:
            kept.append(item)
    order = {name: place for place, name in enumerate(levels.LEVELS)}
    kept.sort(key=lambda item: order[level_of(item.path)] if _is_ours(item) else -1)
    if dropped:
        config.hook.pytest_deselected(items=dropped)
    items[:] = kept
    for item in items:
        for known in KNOWN:
            if _is_ours(item) and item.nodeid.endswith(known.test):
                item.add_marker(pytest.mark.xfail(reason=known.reason, strict=True))


@pytest.fixture(scope="session")
def device(request: pytest.FixtureRequest) -> Device:
    """The device under test."""
    return get_device(request.config.getoption("--xpu-device", None))


@pytest.fixture(scope="session")
def can(device: Device) -> Capabilities:
    """What the device declares."""
    return capabilities.of(device)


@pytest.fixture(scope="session")
def budget(request: pytest.FixtureRequest) -> Budget:
    """How much to draw and compute."""
    return Budget(
        quick=bool(request.config.getoption("--xpu-quick", False)),
        programs=request.config.getoption("--xpu-programs", None),
    )


@pytest.fixture(autouse=True)
def on_device(device: Device) -> Iterator[None]:
    """Run each test with the device as the current one, and end it when the device has ended its work."""
    with using(device):
        yield
        device.synchronize()


@pytest.fixture
def backend(device: Device) -> Any:
    """The device as the contract sees it."""
    return device.backend_device
