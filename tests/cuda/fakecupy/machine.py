"""The pretended machine: how many cards, of which kind, and what goes wrong next."""

from __future__ import annotations

import threading
from typing import Any

_NAMES = {
    1: "InvalidValue",
    2: "MemoryAllocation",
    35: "InsufficientDriver",
    100: "NoDevice",
    209: "NoKernelImageForDevice",
    700: "IllegalAddress",
    701: "LaunchOutOfResources",
    719: "LaunchFailure",
}


class CUDARuntimeError(RuntimeError):
    """The runtime API's error, with its number."""

    def __init__(self, status: int, detail: str = "the stand-in was told to fail") -> None:
        self.status = status
        super().__init__(f"cudaError{_NAMES.get(status, f'Unknown{status}')}: {detail}")


class CUDADriverError(RuntimeError):
    """The driver API's error, with its number."""

    def __init__(self, status: int, detail: str = "the stand-in was told to fail") -> None:
        self.status = status
        super().__init__(f"CUDA_ERROR_{_NAMES.get(status, status)}: {detail}")


class Machine:
    """State of the stand-in; one a process, as a real driver is."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.reset()

    def reset(self, **settings: Any) -> None:
        """Go back to one healthy card, with these settings changed."""
        self.devices = 1
        self.hip = False
        self.capability = (8, 0)
        self.memory = 4 * 2**30
        self.max_threads = 1024
        """What a compiled kernel allows in a block."""
        self.max_threads_dim = (1024, 1024, 64)
        self.driver_version = 12040
        self.runtime_version = 12060
        self.compiler_version: tuple[int, int] | None = (12, 6)
        self.local = threading.local()
        self.calls: list[tuple[str, Any]] = []
        """Calls of interest, in order, with what mattered in them."""
        self.failures: dict[str, list[int]] = {}
        self.allocated = 0
        for name, value in settings.items():
            if not hasattr(self, name):
                raise TypeError(f"the stand-in has no setting {name!r}")
            setattr(self, name, value)

    def fail_next(self, call: str, *statuses: int) -> None:
        """Let the next calls of one name fail with these error numbers, one each."""
        self.failures.setdefault(call, []).extend(statuses)

    def enter(
        self, call: str, detail: Any = None, error: type[CUDARuntimeError | CUDADriverError] = CUDARuntimeError
    ) -> None:
        """Note a call; fail where that was asked for."""
        self.calls.append((call, detail))
        pending = self.failures.get(call)
        if pending:
            raise error(pending.pop(0))

    def count(self, call: str) -> int:
        """Return how often a call was made."""
        return sum(name == call for name, _ in self.calls)

    @property
    def current(self) -> int:
        return getattr(self.local, "device", 0)

    @current.setter
    def current(self, ordinal: int) -> None:
        if not 0 <= ordinal < self.devices:
            raise CUDARuntimeError(101, f"there is no device {ordinal}")
        self.local.device = ordinal


machine = Machine()
