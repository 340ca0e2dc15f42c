"""Part 1: what the device says of itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ...backend import DeviceInfo
from ...device import Device, get_device


def test_the_device_has_a_name(device: Device) -> None:
    info = device.info
    assert isinstance(info, DeviceInfo)
    assert info.name.strip()
    assert info.kind in ("cpu", "gpu", "accelerator")


def test_sizes_are_positive(device: Device) -> None:
    assert device.info.memory > 0
    assert device.info.compute_units > 0


def test_limits_are_usable(device: Device) -> None:
    limits = device.info.limits
    assert limits.max_work_group >= 1
    assert len(limits.max_work_items) == 3
    assert min(limits.max_work_items) >= 1
    assert limits.local_memory >= 0
    assert limits.max_allocation >= 1 << 20
    assert limits.max_parameter_bytes >= 256
    assert limits.vector_bytes in (0, 8, 16, 32, 64, 128)


def test_the_device_is_found_by_its_own_text(device: Device) -> None:
    assert get_device(str(device)) is device


def test_fingerprint_is_stable_text(backend: Any) -> None:
    first = backend.fingerprint()
    assert isinstance(first, str)
    assert first
    assert backend.fingerprint() == first


def test_aliases_are_words(backend: Any) -> None:
    assert all(isinstance(alias, str) and alias for alias in backend.aliases)


def test_library_maps_names_to_functions(backend: Any) -> None:
    for name, native in backend.library.items():
        assert isinstance(name, str)
        assert callable(native) or isinstance(native, dict)


def test_the_probe_passed(device: Device) -> None:
    assert device.probe() is None
    assert device.speed > 0


def test_the_default_float_follows_fp64(device: Device) -> None:
    assert device.default_float == np.dtype(np.float64 if device.info.fp64 else np.float32)


@pytest.mark.parametrize("word", ["kind", "name"])
def test_the_device_is_found_by_kind_and_name(device: Device, word: str) -> None:
    found = get_device(f"{device.backend_name}:{getattr(device.info, word).lower()}")
    assert found.backend_name == device.backend_name
