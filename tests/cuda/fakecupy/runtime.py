"""The runtime API: devices, copies, versions."""

from __future__ import annotations

import types
from typing import Any

from .machine import CUDARuntimeError, machine
from .memory import bytes_at, check_range


class Device:
    """A device, and the context manager that makes it current."""

    def __init__(self, device: int | None = None) -> None:
        self.id = machine.current if device is None else int(device)
        self._before: list[int] = []

    def __enter__(self) -> Device:
        stack = getattr(machine.local, "stack", None)
        if stack is None:
            stack = machine.local.stack = []
        stack.append(machine.current)
        machine.current = self.id
        return self

    def __exit__(self, *exc: Any) -> None:
        machine.current = machine.local.stack.pop()


def _get_device_count() -> int:
    machine.enter("getDeviceCount")
    if machine.devices == 0:
        raise CUDARuntimeError(100, "there is no card")
    return machine.devices


def _get_device_properties(ordinal: int) -> dict[str, Any]:
    major, minor = machine.capability
    properties = {
        "name": f"Stand-in {ordinal}".encode(),
        "totalGlobalMem": machine.memory,
        "sharedMemPerBlock": 49152,
        "maxThreadsPerBlock": 1024,
        "maxThreadsDim": machine.max_threads_dim,
        "multiProcessorCount": 4,
        "major": major,
        "minor": minor,
        "integrated": 0,
        "pciDomainID": 0xFFFF,
        "pciBusID": 0xFF,
        "pciDeviceID": 0,
    }
    if machine.hip:
        properties["gcnArchName"] = b"gfx906:sramecc+:xnack-"
    return properties


def _memcpy(target: int, source: int, nbytes: int, kind: int) -> None:
    machine.enter("memcpy", (nbytes, kind))
    if kind in (1, 3):
        check_range(target, nbytes)
    if kind in (2, 3):
        check_range(source, nbytes)
    bytes_at(target, nbytes)[:] = bytes_at(source, nbytes)


def _memcpy_async(target: int, source: int, nbytes: int, kind: int, stream: int) -> None:
    assert isinstance(stream, int)
    _memcpy(target, source, nbytes, kind)


def _memset_async(target: int, value: int, nbytes: int, stream: int) -> None:
    machine.enter("memset", (value, nbytes))
    assert isinstance(stream, int)
    check_range(target, nbytes)
    bytes_at(target, nbytes)[:] = value


def _mem_get_info() -> tuple[int, int]:
    return machine.memory - machine.allocated, machine.memory


def _free(address: int) -> None:
    machine.enter("free", address)
    assert address == 0, "only the call that makes a context is expected"


def _device_synchronize() -> None:
    machine.enter("deviceSynchronize")


def make_module() -> types.ModuleType:
    """Return the module ``cupy.cuda.runtime``."""
    module = types.ModuleType("cupy.cuda.runtime")
    module.is_hip = machine.hip
    module.CUDARuntimeError = CUDARuntimeError
    module.getDeviceCount = _get_device_count
    module.getDeviceProperties = _get_device_properties
    module.getDevice = lambda: machine.current
    module.driverGetVersion = lambda: machine.driver_version
    module.runtimeGetVersion = lambda: machine.runtime_version
    module.memcpy = _memcpy
    module.memcpyAsync = _memcpy_async
    module.memsetAsync = _memset_async
    module.memGetInfo = _mem_get_info
    module.free = _free
    module.deviceSynchronize = _device_synchronize
    return module
