"""Memory of one OpenCL device: buffers, copies, and memory shared with the host.

On a device that shares the host's memory a block lies over a NumPy array of ours (CL_MEM_USE_HOST_PTR), aligned so that
the implementation uses it in place; whether it does is tried once. Host and device then see one memory, and the queue's
end is the only thing to wait for.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from xpu.backend import DeviceInfo

from .leak import keep_forever

_ALIGNMENT = 4096
"""Of our own host memory: a page; implementations ask for 64 to 128 bytes, some for pages."""
_ADOPT_ALIGNMENT = 64
"""Of memory that users bring: what a 16-lane vector of float32 may need."""
_RETIRED_BYTES = 1 << 28


class Block:
    """A buffer, and where the memory is shared, the host's view of it."""

    __slots__ = ("adopted", "buffer", "host", "nbytes")

    def __init__(self, buffer: Any, nbytes: int, host: np.ndarray | None = None, adopted: bool = False) -> None:
        self.buffer = buffer
        self.nbytes = nbytes
        self.host = host
        self.adopted = adopted
        """Whether the memory is the user's."""


class Blocks:
    """Allocates, copies and fills; raises ``MemoryError`` where there is no room."""

    def __init__(self, cl: Any, context: Any, queue: Any, info: DeviceInfo) -> None:
        self._cl = cl
        self._context = context
        self._queue = queue
        self._info = info
        self._lock = threading.RLock()
        self._live = 0
        self._retired: list[Block] = []
        self._retired_bytes = 0
        self._no_room = (
            cl.status_code.MEM_OBJECT_ALLOCATION_FAILURE,
            cl.status_code.OUT_OF_RESOURCES,
            cl.status_code.OUT_OF_HOST_MEMORY,
            cl.status_code.INVALID_BUFFER_SIZE,
        )
        self.shared = info.kind == "cpu" and self._in_place(_ALIGNMENT)
        """Whether blocks lie in the host's memory."""
        self._adopts = self.shared and self._in_place(_ADOPT_ALIGNMENT)

    # -- allocation

    def allocate(self, nbytes: int) -> Block:
        with self._lock:
            if nbytes > self._info.limits.max_allocation or self._live + nbytes > self._info.memory:
                raise MemoryError(f"{nbytes} bytes asked, {self._info.memory - self._live} left")
        block = self._shared_block(nbytes) if self.shared else self._device_block(nbytes)
        with self._lock:
            self._live += nbytes
        return block

    def _shared_block(self, nbytes: int) -> Block:
        size = -(-nbytes // _ALIGNMENT) * _ALIGNMENT
        raw = np.empty(size + _ALIGNMENT, np.uint8)
        start = -raw.ctypes.data % _ALIGNMENT
        host = raw[start : start + size]
        return Block(self._over(host), nbytes, host[:nbytes])

    def _over(self, host: np.ndarray) -> Any:
        flags = self._cl.mem_flags
        with self.translated():
            return self._cl.Buffer(self._context, flags.READ_WRITE | flags.USE_HOST_PTR, hostbuf=host)

    def _device_block(self, nbytes: int) -> Block:
        with self.translated():
            block = Block(self._cl.Buffer(self._context, self._cl.mem_flags.READ_WRITE, nbytes), nbytes)
            self.touch(block)
        return block

    def touch(self, block: Block) -> None:
        """Use a new block: drivers put memory off until then, and the caller can still be told."""
        self._cl.enqueue_fill_buffer(self._queue, block.buffer, np.uint8(0), block.nbytes - 1, 1)

    def adopt(self, host: np.ndarray) -> Block | None:
        address = host.ctypes.data
        if not self._adopts or host.nbytes == 0 or address % _ADOPT_ALIGNMENT or not host.flags.writeable:
            return None
        return Block(self._over(host), host.nbytes, host, adopted=True)

    def free(self, block: Block) -> None:
        """Give a block back; its memory stays until the work that may use it is done."""
        with self._lock:
            if not block.adopted:
                self._live -= block.nbytes
            if block.host is None:
                block.buffer.release()  # the driver keeps it for queued work
                return
            self._retired.append(block)
            self._retired_bytes += block.nbytes
            full = self._retired_bytes > _RETIRED_BYTES
        if full:
            self._queue.finish()
            self.retire()

    def retire(self) -> None:
        """Drop the freed blocks; the queue must be idle."""
        if self._retired:
            with self._lock:
                retired, self._retired, self._retired_bytes = self._retired, [], 0
            for block in retired:
                block.buffer.release()

    def release(self) -> None:
        self._queue.finish()
        self.retire()

    def _in_place(self, alignment: int) -> bool:
        """Try whether host memory of this alignment is used in place, in both directions."""
        cl = self._cl
        size = 1 << 14
        raw = np.zeros(size + 2 * _ALIGNMENT, np.uint8)
        start = -raw.ctypes.data % _ALIGNMENT + (alignment if alignment < _ALIGNMENT else 0)
        host = raw[start : start + size]
        try:
            flags = cl.mem_flags
            buffer = cl.Buffer(self._context, flags.READ_WRITE | flags.USE_HOST_PTR, hostbuf=host)
            other = cl.Buffer(self._context, flags.READ_WRITE, size)
            cl.enqueue_fill_buffer(self._queue, buffer, np.uint8(7), 0, size)
            self._queue.finish()
            if not (host == 7).all():
                return False
            host[:] = 9
            cl.enqueue_copy(self._queue, other, buffer, byte_count=size)
            back = np.zeros(size, np.uint8)
            cl.enqueue_copy(self._queue, back, other)
            buffer.release()
            other.release()
        except cl.Error:
            return False
        return bool((back == 9).all())

    # -- copies

    def copy_in(self, block: Block, offset: int, host: np.ndarray) -> None:
        if block.host is not None:
            self._queue.finish()
            block.host[offset : offset + host.nbytes] = host
            return
        with self.translated():
            self._cl.enqueue_copy(self._queue, block.buffer, host, dst_offset=offset, is_blocking=True)

    def copy_out(self, block: Block, offset: int, host: np.ndarray) -> None:
        if block.host is not None:
            self._queue.finish()
            host[...] = block.host[offset : offset + host.nbytes]
            return
        with self.translated():
            self._cl.enqueue_copy(self._queue, host, block.buffer, src_offset=offset, is_blocking=True)

    def copy_within(self, target: Block, target_offset: int, source: Block, source_offset: int, nbytes: int) -> None:
        with self.translated():
            self._cl.enqueue_copy(
                self._queue,
                target.buffer,
                source.buffer,
                dst_offset=target_offset,
                src_offset=source_offset,
                byte_count=nbytes,
            )

    def fill(self, block: Block, offset: int, nbytes: int, pattern: bytes) -> None:
        with self.translated():
            self._cl.enqueue_fill_buffer(self._queue, block.buffer, np.frombuffer(pattern, np.uint8), offset, nbytes)

    # -- the rest

    def stats(self, device: Any) -> Mapping[str, int]:
        found = {"total": self._info.memory}
        if self._info.kind == "cpu":
            found["free"] = max(min(_free_host_memory(), self._info.memory - self._live), 0)
        elif "cl_amd_device_attribute_query" in device.extensions:
            try:
                kilobytes = device.get_info(self._cl.device_info.GLOBAL_FREE_MEMORY_AMD)
                found["free"] = 1024 * int(np.max(kilobytes))
            except self._cl.Error:
                pass
        return found

    def translated(self) -> _Translated:
        """Return a context manager that turns the driver's lack of room into ``MemoryError``."""
        return _Translated(self._cl.Error, self._no_room)

    def keep_forever(self) -> None:
        for block in self._retired:
            keep_forever(block)


class _Translated:
    __slots__ = ("_codes", "_error")

    def __init__(self, error: type[Exception], codes: tuple[int, ...]) -> None:
        self._error = error
        self._codes = codes

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, self._error) and error.code in self._codes:  # type: ignore[attr-defined]
            raise MemoryError(str(error)) from error


def _free_host_memory() -> int:
    try:
        with Path("/proc/meminfo").open(encoding="ascii") as lines:
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return 1024 * int(line.split()[1])
    except (OSError, ValueError):
        pass
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
