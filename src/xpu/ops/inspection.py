"""Looking at what xpu does: pending work, kernels, memory."""

from __future__ import annotations

from typing import Any

from ..apply import check_arrays
from ..array import Array
from ..device import Device, get_device
from ..lazy.node import Node

__all__ = ["evaluate", "explain", "memory_stats", "release_memory", "statistics"]


def evaluate(*arrays: Array) -> None:
    """Compute pending arrays now, and wait until that is done: for timings; values come by themselves."""
    devices = set()
    for x in arrays:
        if x._node is not None:
            x._concrete()
        devices.add(x._device)
    for device in devices:
        device.synchronize()


def explain(x: Array, /) -> str:
    """Return what is pending in an array and which kernel it will become, without computing it.

    Examples
    --------
    >>> print(xp.explain(a * b + 1))
    """
    check_arrays("explain", x)
    operand = x._operand()
    if isinstance(operand, Node):
        from ..lazy.explain import describe

        return describe(operand)
    layout = "contiguous" if operand.contiguous else f"strides {x.strides}"
    return (
        f"computed: {x.dtype.name}{list(x.shape)} on {x.device}, {layout}, {operand.storage.nbytes:,} bytes of storage"
    )


def statistics() -> dict[str, int]:
    """Return how many kernels this process compiled, and how many it took from the disk cache."""
    from ..kernel.build import statistics as counts

    return {"compiled": counts.compiled, "from_disk": counts.from_disk}


def memory_stats(device: Device | str | None = None) -> dict[str, int]:
    """Return the bytes in use and held by a device's pool, the peak, and the pool's requests and hits."""
    chosen = get_device(device)
    stats: dict[str, Any] = {**chosen.backend_device.memory_stats(), **chosen.pool.stats()}
    return stats


def release_memory(device: Device | str | None = None) -> int:
    """Give the free blocks of a device's pool back to the system; return their bytes."""
    return get_device(device).pool.release()
