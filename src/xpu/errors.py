"""Every error xpu raises on purpose.

Each class derives from :class:`XpuError` and, where NumPy has a class for the situation, from that too,
so that code written for NumPy keeps catching what it caught.
"""

from __future__ import annotations

__all__ = [
    "AxisError",
    "BroadcastError",
    "DeviceLostError",
    "DeviceMismatchError",
    "DeviceNotFoundError",
    "KernelAssertionError",
    "KernelCompileError",
    "KernelIndexError",
    "KernelLaunchError",
    "KernelRaceError",
    "KernelTypeError",
    "OutOfMemoryError",
    "UnsupportedDTypeError",
    "XpuError",
]


class XpuError(Exception):
    """Base class of all errors raised by xpu."""


class DeviceNotFoundError(XpuError, LookupError, ValueError):
    """The device asked for does not exist here; the message says why and lists what does."""


class DeviceLostError(XpuError, RuntimeError):
    """A device stopped answering (it was unplugged, its driver was reset, or the process was forked)."""


class DeviceMismatchError(XpuError, TypeError, ValueError):
    """Operands live on different devices, or an xpu array met a NumPy array; the message names the fix."""


class UnsupportedDTypeError(XpuError, TypeError):
    """The dtype is none of xpu's, or the device cannot compute with it."""


class OutOfMemoryError(XpuError, MemoryError):
    """The device has no room, also after the pool was emptied."""


class BroadcastError(XpuError, ValueError):
    """Shapes do not fit together."""


class AxisError(XpuError, ValueError, IndexError):
    """An axis is outside an array's dimensions (NumPy's ``AxisError`` in both of its base classes)."""


class KernelCompileError(XpuError, SyntaxError):
    """A kernel uses what the language does not have, or the device's compiler refused it."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class KernelTypeError(XpuError, TypeError):
    """Types inside a kernel, or of its arguments, do not fit."""


class KernelLaunchError(XpuError, ValueError):
    """A launch is malformed: sizes of the wrong rank, a work-group the device refuses, a missing argument."""


class KernelIndexError(XpuError, IndexError):
    """Debug mode or the interpreter saw an index outside an array."""


class KernelAssertionError(XpuError, AssertionError):
    """An ``assert`` inside a kernel failed (debug mode, interpreter)."""


class KernelRaceError(XpuError, RuntimeError):
    """The interpreter saw two work-items race, a divergent barrier, or a read of memory never written."""
