"""Device memory over NumPy: poisoned when fresh, fenced at both ends, every copy checked against what is allocated."""

from __future__ import annotations

import bisect
import weakref
from typing import Any

import numpy as np

from .machine import CUDARuntimeError, machine

POISON = 0xEF
FENCE = 0xA5
FENCE_BYTES = 256
ALIGNMENT = 256

_live: dict[int, tuple[int, int]] = {}
"""Size and device of the blocks in use, by address."""
_addresses: list[int] = []


def _forget(address: int) -> None:
    with machine.lock:
        size, _ = _live.pop(address)
        machine.allocated -= size
        del _addresses[bisect.bisect_left(_addresses, address)]


class Memory:
    """One allocation of the current device.

    It ends with its NumPy array, of which the cycle collector knows nothing: a ``__del__`` would be called, too, for a
    block in a dead cycle that the pool is about to rescue. CuPy's own class is exempt from the collector.
    """

    def __init__(self, size: int) -> None:
        machine.enter("malloc", size)
        with machine.lock:
            if machine.allocated + size > machine.memory:
                raise CUDARuntimeError(2, f"{size:,} bytes do not fit")
            self._host = np.full(size + 2 * FENCE_BYTES + ALIGNMENT, FENCE, np.uint8)
            first = self._host.ctypes.data
            self.ptr = -(-(first + FENCE_BYTES) // ALIGNMENT) * ALIGNMENT
            self._start = self.ptr - first
            self._host[self._start : self._start + size] = POISON
            self.size = size
            self.device_id = machine.current
            _live[self.ptr] = (size, self.device_id)
            bisect.insort(_addresses, self.ptr)
            machine.allocated += size
            weakref.finalize(self._host, _forget, self.ptr).atexit = False

    def check_fences(self) -> None:
        """Raise if something was written beside the block."""
        before = self._host[self._start - FENCE_BYTES : self._start]
        after = self._host[self._start + self.size :]
        if not ((before == FENCE).all() and (after == FENCE).all()):
            raise CUDARuntimeError(700, f"something was written beside a block of {self.size} bytes")


class MemoryPointer:
    """A place in an allocation."""

    def __init__(self, mem: Any, offset: int) -> None:
        self.mem = mem
        self.ptr = mem.ptr + offset
        self.device_id = mem.device_id

    def __int__(self) -> int:
        return self.ptr

    def __add__(self, offset: int) -> MemoryPointer:
        return MemoryPointer(self.mem, self.ptr - self.mem.ptr + offset)


class UnownedMemory:
    """Memory that somebody else owns."""

    def __init__(self, ptr: int, size: int, owner: Any, device_id: int = -1) -> None:
        self.ptr, self.size, self.owner = ptr, size, owner
        self.device_id = machine.current if device_id < 0 else device_id


def check_range(address: int, nbytes: int) -> None:
    """Raise unless the bytes lie in one allocation of the current device."""
    with machine.lock:
        position = bisect.bisect_right(_addresses, address) - 1
        start = _addresses[position] if position >= 0 else 0
        size, device = _live.get(start, (0, 0))
    if address >= start + size:
        raise CUDARuntimeError(1, f"{nbytes} bytes at {address:#x} are in no block")
    if address + nbytes > start + size:
        raise CUDARuntimeError(1, f"{nbytes} bytes at {address - start} leave a block of {size} bytes")
    if device != machine.current:
        raise CUDARuntimeError(1, f"the block is on device {device}, the call on {machine.current}")


def bytes_at(address: int, nbytes: int) -> np.ndarray:
    """Return the host's view of device memory."""
    import ctypes

    return np.frombuffer((ctypes.c_uint8 * nbytes).from_address(address), np.uint8)


class _Pool:
    def free_all_blocks(self) -> None:
        machine.enter("free_all_blocks")


_pool = _Pool()


def get_default_memory_pool() -> _Pool:
    return _pool
