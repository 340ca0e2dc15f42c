"""A compiled kernel: packs its arguments and runs it over slices."""

from __future__ import annotations

import ctypes
import struct
import time
from collections.abc import Sequence
from typing import Any

from xpu.backend import Compiled, Source

from .native import Entry, scratch
from .printing import make_printer
from .threads import pool

_FORMATS = {
    "bool": "?7x",
    "int8": "b7x",
    "int16": "h6x",
    "int32": "i4x",
    "int64": "q",
    "uint8": "B7x",
    "uint16": "H6x",
    "uint32": "I4x",
    "uint64": "Q",
    "float16": "e6x",
    "float32": "f4x",
    "float64": "d",
    "complex64": "ff",
    "complex128": "dd",
}
LINE = 64
SERIAL_NS = 60_000
"""A launch that should take less than this stays in the calling thread: waking another one takes some 10 us."""
THREAD_NS = 25_000
"""The least work that is worth a thread."""
CALL_NS = 2_000
"""What a launch costs without any work."""
CHUNKS = 8
"""Chunks a thread: enough to even out what the neighbours do, few enough to cost nothing."""


class CpuKernel(Compiled):
    """Machine code with what it needs to be called."""

    def __init__(self, source: Source, entry: Entry, facts: dict[str, Any], binary: bytes) -> None:
        self.entry = entry
        self.rank = source.rank
        self.barriers = source.barriers
        self.grouped = bool(facts["grouped"])
        self.scratch_bytes = int(facts["scratch"])
        self.item_bytes = int(facts["item"])
        self._binary = binary
        self._printer = make_printer(facts["prints"])
        self._buffers = tuple(i for i, p in enumerate(source.parameters) if p.kind == "buffer")
        self._complex = tuple(i for i, p in enumerate(source.parameters) if p.kind == "scalar" and p.dtype.kind == "c")
        formats = ["Q" if p.kind == "buffer" else _FORMATS[p.dtype.name] for p in source.parameters]
        self._pack = struct.Struct("=Qqq" + "".join(formats) + "q" * source.rank + "Q").pack
        self._cost = 0.0
        """Nanoseconds a unit of work on one thread, learnt from launches."""

    def binary(self) -> bytes:
        return self._binary

    def launch(
        self, global_size: tuple[int, ...], local_size: tuple[int, ...] | None, arguments: Sequence[Any]
    ) -> None:
        """Run the kernel; it has ended when this returns."""
        values = list(arguments)
        for index in self._buffers:
            values[index] = values[index].address
        for index in reversed(self._complex):
            number = complex(values[index])
            values[index : index + 1] = (number.real, number.imag)
        units = 0
        nbytes = self.scratch_bytes
        if self.grouped:
            local = local_size or choose_local(global_size, self.barriers)
            units = items = 1
            for extent, size in zip(global_size, local, strict=True):
                units *= -(-extent // size)
                items *= size
            nbytes += self.item_bytes * (-(-items // LINE) * LINE)
        else:
            local = local_size or (1,) * self.rank
            # Nothing sees the groups, so there are none to fill: exactly the work-items that were asked for, with which
            # the arguments begin, where ``global_size`` is rounded up to whole groups.
            units = items = 1
            for extent in arguments[: self.rank]:
                units *= int(extent)
        printer = self._printer
        values += local
        values.append(printer.address if printer is not None else 0)
        expected = units * (self._cost or 2.0 * items)
        threads = 1 if expected < SERIAL_NS else min(pool.size, units, 1 + int(expected / THREAD_NS))
        start = time.perf_counter_ns()
        if threads == 1:
            self.entry(self._pack(0, units, units, *values), scratch.address(nbytes) if nbytes else None)
        else:
            self._divide(units, threads, values, nbytes)
        spent = time.perf_counter_ns() - start - CALL_NS
        if spent > CALL_NS:
            cost = spent * threads / units
            self._cost = cost if not self._cost else 0.5 * (self._cost + cost)

    def _divide(self, units: int, threads: int, values: list[Any], nbytes: int) -> None:
        """Run in several threads, which draw chunks from one counter."""
        chunk = max(1, units // (threads * CHUNKS))
        if not self.grouped:
            chunk = -(-chunk // LINE) * LINE
        counter = ctypes.c_int64(0)
        call = self._pack(ctypes.addressof(counter), units, chunk, *values)
        entry = self.entry
        pool.run(lambda: entry(call, scratch.address(nbytes) if nbytes else None), threads)


def choose_local(global_size: tuple[int, ...], divides: bool, most: int = 256) -> tuple[int, ...]:
    """Return a work-group size for a kernel in which groups matter: the last axis first, at most ``most`` items."""
    left = most
    local = []
    for extent in reversed(global_size):
        size = min(extent, left)
        if divides:
            while extent % size:
                size -= 1
        local.append(size)
        left //= size
    return tuple(reversed(local))
