"""Blocks of device memory: the pool, storages that own them, and strided views of storages."""

from __future__ import annotations

import math
import threading
import weakref
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import OutOfMemoryError

if TYPE_CHECKING:
    from .device import Device

_SMALLEST = 256


def size_class(nbytes: int) -> int:
    """Return the bytes a block for ``nbytes`` really has: an eighth of waste at most, few distinct sizes."""
    if nbytes <= _SMALLEST:
        return _SMALLEST
    step = 1 << max((nbytes - 1).bit_length() - 4, 8)
    return -(-nbytes // step) * step


class Pool:
    """Keeps freed blocks of one device for reuse, by size class.

    Work on the default stream runs in order, so a block may be handed out again while earlier work still uses it.
    """

    def __init__(self, device: Device, limit: int | None = None) -> None:
        self._device = device
        self._free: dict[int, list[Any]] = {}
        self._lock = threading.RLock()
        self.limit = limit
        """Bytes kept at most while free; None: what the device says (``BackendDevice.pool_limit``)."""
        self.held = 0
        """Bytes free in the pool."""
        self.used = 0
        """Bytes in live arrays."""
        self.peak = 0
        self.requests = 0
        self.hits = 0

    def allocate(self, nbytes: int) -> tuple[Any, int]:
        """Return a block and its size; empty the pool and retry once before giving up."""
        size = size_class(max(nbytes, 1))
        with self._lock:
            self.requests += 1
            blocks = self._free.get(size)
            if blocks:
                self.hits += 1
                self.held -= size
                block = blocks.pop()
            else:
                block = self._allocate_new(size, nbytes)
            self.used += size
            self.peak = max(self.peak, self.used)
        return block, size

    def _allocate_new(self, size: int, nbytes: int) -> Any:
        backend = self._device.backend_device
        limit = self._device.info.limits.max_allocation
        if size <= limit:
            for attempt in (1, 2):
                try:
                    return backend.allocate(size)
                except MemoryError:
                    if attempt == 1:
                        self.release()
        stats = backend.memory_stats()
        free = f"{stats['free']:,} bytes free" if "free" in stats else f"{self._device.info.memory:,} bytes in all"
        raise OutOfMemoryError(
            f"{self._device}: no room for {nbytes:,} bytes ({free}; at most {limit:,} in one array; live arrays hold "
            f"{self.used:,}, the pool {self.held:,}). Delete arrays you no longer need, or work in smaller pieces."
        )

    def free(self, block: Any, size: int) -> None:
        """Take a block back."""
        with self._lock:
            self.used -= size
            limit = self.limit if self.limit is not None else self._device.backend_device.pool_limit
            if limit is None:
                limit = self._device.info.memory // 4
            if self.held + size > limit:
                self._device.backend_device.free(block)
                return
            self._free.setdefault(size, []).append(block)
            self.held += size

    def release(self) -> int:
        """Give all free blocks back to the device; return their bytes."""
        with self._lock:
            backend = self._device.backend_device
            for blocks in self._free.values():
                for block in blocks:
                    backend.free(block)
            self._free.clear()
            released, self.held = self.held, 0
            backend.release()
        return released

    def stats(self) -> dict[str, int]:
        """Return counts and bytes: ``used``, ``held``, ``peak``, ``requests``, ``hits``."""
        return {name: getattr(self, name) for name in ("used", "held", "peak", "requests", "hits")}


class Storage:
    """One block of device memory, shared by the arrays that are views of it.

    ``readers`` holds the deferred expressions that read this storage and have not been evaluated: a write must
    evaluate them first (see ``lazy``).
    """

    __slots__ = ("__weakref__", "_size", "block", "device", "host", "nbytes", "readers")

    def __init__(self, device: Device, nbytes: int) -> None:
        self.device = device
        self.nbytes = nbytes
        self.readers: list[weakref.ref[Any]] = []
        self.host: np.ndarray | None = None
        self.block, self._size = device.pool.allocate(nbytes)

    @classmethod
    def adopt(cls, device: Device, block: Any, nbytes: int, host: np.ndarray) -> Storage:
        """Return a storage over memory that ``host`` owns; it is kept alive and never enters the pool."""
        self = cls.__new__(cls)
        self.device, self.nbytes, self.readers = device, nbytes, []
        self.block, self._size, self.host = block, 0, host
        return self

    def __del__(self) -> None:
        size = getattr(self, "_size", None)
        if size:
            try:
                self.device.pool.free(self.block, size)
            except Exception:  # interpreter shutdown: the driver may be gone already  # noqa: S110
                pass


class _Keeper:
    """The base of exported arrays: while one of them lives, the storage does."""

    def __init__(self, host: np.ndarray, storage: Storage) -> None:
        self.__array_interface__ = host.__array_interface__
        self.storage = storage


class View:
    """A strided window of a storage: what a concrete array is made of. Strides and offset count elements."""

    __slots__ = ("_host", "_layout", "_native", "dtype", "offset", "shape", "storage", "strides")

    def __init__(
        self, storage: Storage, dtype: np.dtype[Any], shape: tuple[int, ...], strides: tuple[int, ...], offset: int = 0
    ) -> None:
        self.storage = storage
        self.dtype = dtype
        self.shape = shape
        self.strides = strides
        self.offset = offset
        self._host: np.ndarray | None = None
        self._native: Any = None
        self._layout: tuple[np.dtype[Any], int, bool, bool] | None = None

    @property
    def layout(self) -> tuple[np.dtype[Any], int, bool, bool]:
        """What kernels are specialised on: dtype, dimensions, whether contiguous, whether wide."""
        layout = self._layout
        if layout is None:
            layout = self._layout = (self.dtype, len(self.shape), self.contiguous, self.wide)
        return layout

    def host(self) -> np.ndarray | None:
        """Return a NumPy array over the same memory, where host and device share it."""
        if self._host is None:
            raw = self.storage.device.backend_device.host_view(self.storage.block)
            if raw is None:
                return None
            offset, strides = self._bytes()
            self._host = np.ndarray(self.shape, self.dtype, raw, offset, strides)
        return self._host

    def _bytes(self) -> tuple[int, tuple[int, ...]]:
        """Return offset and strides in bytes; those of a window without elements are within any block."""
        itemsize = self.dtype.itemsize
        empty = 0 in self.shape
        strides = contiguous_strides(self.shape) if empty else self.strides
        return 0 if empty else self.offset * itemsize, tuple([stride * itemsize for stride in strides])

    def exported(self) -> np.ndarray | None:
        """Return a NumPy array over the same memory that others may keep: it keeps the storage out of the pool."""
        host = self.host()
        return None if host is None else np.asarray(_Keeper(host, self.storage))

    def native(self) -> Any:
        """Return the array over the same memory that the device's library works on."""
        if self._native is None:
            offset, strides = self._bytes()
            backend = self.storage.device.backend_device
            self._native = backend.native_array(self.storage.block, self.dtype, self.shape, strides, offset)
        return self._native

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self.shape)

    @property
    def contiguous(self) -> bool:
        """Whether the elements lie in C order without gaps."""
        return is_contiguous(self.shape, self.strides)

    def bounds(self) -> tuple[int, int]:
        """Return the first byte touched and the one after the last, within the storage."""
        low = high = self.offset
        for extent, stride in zip(self.shape, self.strides, strict=True):
            if extent == 0:
                return self.offset * self.dtype.itemsize, self.offset * self.dtype.itemsize
            if stride < 0:
                low += (extent - 1) * stride
            else:
                high += (extent - 1) * stride
        return low * self.dtype.itemsize, (high + 1) * self.dtype.itemsize

    @property
    def wide(self) -> bool:
        """Whether an element's address, in bytes or elements, needs more than 31 bits."""
        return self.bounds()[1] > 2**31 - 1 or self.size > 2**31 - 1

    def same_place(self, other: View) -> bool:
        """Whether both windows show the same elements in the same order."""
        return (
            self.storage is other.storage
            and self.offset == other.offset
            and self.shape == other.shape
            and self.strides == other.strides
            and self.dtype == other.dtype
        )


@lru_cache(maxsize=4096)
def contiguous_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides, in elements, of a C-contiguous array."""
    strides = []
    step = 1
    for extent in reversed(shape):
        strides.append(step)
        step *= max(extent, 1)
    return tuple(reversed(strides))


def is_contiguous(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    """Whether such an array is C-contiguous; axes of length one do not count, and empty arrays are."""
    expected = 1
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        if extent == 0:
            return True
        if extent != 1 and stride != expected:
            return False
        expected *= extent
    return True


def new_view(device: Device, shape: tuple[int, ...], dtype: np.dtype[Any]) -> View:
    """Return a fresh contiguous view; its contents are undefined."""
    return View(Storage(device, math.prod(shape) * dtype.itemsize), dtype, shape, contiguous_strides(shape))
