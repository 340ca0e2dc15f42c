"""The host's side of debug mode: reads the error buffer of checked kernels and raises what they found."""

from __future__ import annotations

import linecache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import KernelAssertionError, KernelIndexError
from ..memory import Storage
from . import debug, ir

if TYPE_CHECKING:
    from ..device import Device
    from .build import Executable

CHECKED = (ir.Load, ir.Store, ir.Atomic, ir.Assert)


class ErrorBuffer:
    """One buffer a device, checked after every launch that may have written to it."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._storage = Storage(device, 8 * debug.WORDS)
        self._zero()
        self._last: Executable | None = None

    def _zero(self) -> None:
        self._device.backend_device.fill(self._storage.block, 0, 8 * debug.WORDS, b"\0" * 8)

    def block_for(self, executable: Executable) -> Any:
        """Return the block for a launch; what an earlier kernel left is raised first, so the culprit is known."""
        if self._last is not None and self._last is not executable:
            self.check()
        self._last = executable
        return self._storage.block

    def check(self) -> None:
        """Raise the first error that the last kernel found, and clear the buffer."""
        words = np.zeros(debug.WORDS, np.int64)
        self._device.backend_device.copy_out(self._storage.block, 0, words.view(np.uint8))
        executable, self._last = self._last, None
        if words[debug.CODE] == 0 or executable is None:
            return
        self._zero()
        raise describe(executable.kernel, words)


def sites(kernel: ir.Kernel) -> list[Any]:
    """Return the checked accesses and assertions, in the order of their numbers."""
    return [node for node in ir.all_bodies(kernel) if isinstance(node, CHECKED)]


def describe(kernel: ir.Kernel, words: np.ndarray) -> Exception:
    """Return the exception for an error record."""
    site = sites(kernel)[int(words[debug.SITE])]
    item = tuple(int(v) for v in words[debug.GLOBAL_ID : debug.GLOBAL_ID + kernel.rank])
    who = f"work-item {item[0] if len(item) == 1 else item}"
    place = ""
    if site.loc is not None:
        line = linecache.getline(site.loc.file, site.loc.line).rstrip()
        caret = " " * site.loc.col + "^" * max(site.loc.end_col - site.loc.col, 1)
        place = f'\n  File "{site.loc.file}", line {site.loc.line}\n    {line}\n    {caret}'
    if isinstance(site, ir.Assert):
        return KernelAssertionError(f"kernel {kernel.name!r}: {site.message or 'assertion failed'} ({who}){place}")
    axis, index, extent = (int(words[k]) for k in (debug.AXIS, debug.INDEX, debug.EXTENT))
    return KernelIndexError(
        f"kernel {kernel.name!r}: index {index} is out of range for axis {axis} of argument {site.array!r}, "
        f"which has {extent} elements there ({who}){place}"
    )
