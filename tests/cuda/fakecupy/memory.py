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

_live: dict[int, weakref.ref[Memory]] = {}
_addresses: list[int] = []


class Memory:
    """One allocation of the current device."""

    def __init__(self, size: int) -> None:
        machine.enter("malloc", size)
        self._size = 0
        with machine.lock:
            if machine.allocated + size > machine.memory:
                raise CUDARuntimeError(2)
            self._host = np.full(size + 2 * FENCE_BYTES + ALIGNMENT, FENCE, np.uint8)
            address = self._host.ctypes.data + FENCE_BYTES
            self.ptr = -(-address // ALIGNMENT) * ALIGNMENT
            self._start = self.ptr - self._host.ctypes.data
            self._host[self._start : self._start + size] = POISON
            self.size = self._size = size
            self.device_id = machine.current
            machine.allocated += size
            bisect.insort(_addresses, self.ptr)
            _live[self.ptr] = weakref.ref(self)

    def check_fences(self) -> None:
        """Raise if something was written beside the block."""
        before = self._host[self._start - FENCE_BYTES : self._start]
        after = self._host[self._start + self._size :]
        if not ((before == FENCE).all() and (after == FENCE).all()):
            raise CUDARuntimeError(700)

    def __del__(self) -> None:
        if self._size:
            with machine.lock:
                machine.allocated -= self._size
                _live.pop(self.ptr, None)
                position = bisect.bisect_left(_addresses, self.ptr)
                if position < len(_addresses) and _addresses[position] == self.ptr:
                    del _addresses[position]


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
    position = bisect.bisect_right(_addresses, address) - 1
    reference = _live.get(_addresses[position]) if position >= 0 else None
    block = reference() if reference is not None else None
    if block is None or address + nbytes > block.ptr + block.size or block.device_id != machine.current:
        raise CUDARuntimeError(1)


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
