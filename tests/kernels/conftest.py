from __future__ import annotations

from dataclasses import replace

import pytest

from xpu.device import Device

from .devices import named


@pytest.fixture(params=["interpreter", "compiled"])
def device(request: pytest.FixtureRequest) -> Device:
    return named(request.param)


@pytest.fixture(params=["interpreter", "compiled"])
def gpu(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Device:
    """Return a device that says it is a GPU, so that the kernels for GPUs are chosen."""
    chosen = named(request.param)
    limits = replace(chosen.info.limits, vector_bytes=0)
    monkeypatch.setattr(chosen.backend_device, "info", replace(chosen.info, kind="gpu", limits=limits))
    monkeypatch.setattr(chosen, "plans", {})
    return chosen
