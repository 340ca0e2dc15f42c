"""Launching portable kernels on views, below the array class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..config import config
from ..kernel import ir
from ..kernel.build import build
from ..memory import Storage, View, contiguous_strides

if TYPE_CHECKING:
    from ..device import Device

INT64 = np.dtype(np.int64)


def argument_type(value: Any) -> ir.Type:
    """Return the kernel-language type of a view or a NumPy scalar; Python integers are int64."""
    if isinstance(value, View):
        return ir.ArrayType(value.dtype, len(value.shape), value.contiguous, wide=value.wide)
    if isinstance(value, int):
        return ir.INT64
    return ir.Scalar(value.dtype)


def alone(device: Device, rank: int) -> tuple[int, ...] | None:
    """Return the group size for kernels of few work-items, each with a run of memory of its own.

    On a processor one: a group would keep them all in one thread, and Intel's runtime would compute them in the lanes of a
    vector, gathering and scattering (to count 10^7 flags 18 ms instead of 3, to write places 47 ms instead of 12).
    """
    return (1,) * rank if device.info.kind == "cpu" else None


def launch(
    kernel: Any, device: Device, global_size: tuple[int, ...], local_size: tuple[int, ...] | None, args: Sequence[Any]
) -> None:
    """Run a kernel function on views and numbers.

    Parameters
    ----------
    kernel : KernelFunction
        What ``@xp.kernel`` made.
    device : Device
    global_size, local_size : tuple of int
        In the language's order; ``local_size`` None leaves the choice to the device.
    args : sequence of View, NumPy scalar, or int
    """
    types = tuple(argument_type(value) for value in args)
    key = (kernel, types, config.debug)
    executable = device.plans.get(key)
    if executable is None:
        executable = device.plans[key] = build(kernel.specialize(types, device.info), device)
    values = [np.int64(value) if isinstance(value, int) else value for value in args]
    executable.run(global_size, local_size, values)


def temporary(device: Device, shape: tuple[int, ...], dtype: np.dtype[Any]) -> View:
    """Return a fresh contiguous view; its contents are undefined."""
    size = 1
    for extent in shape:
        size *= extent
    return View(Storage(device, size * dtype.itemsize), dtype, shape, contiguous_strides(shape))


def flat(view: View) -> View:
    """Return a contiguous view as one axis."""
    return View(view.storage, view.dtype, (view.size,), (1,), view.offset)


def window(view: View) -> View:
    """Return all of a view's storage as one axis; its own first element is at ``view.offset``."""
    return View(view.storage, view.dtype, (view.storage.nbytes // view.dtype.itemsize,), (1,), 0)


def collapse_batch(
    shape: tuple[int, ...], strides: Sequence[tuple[int, ...]]
) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    """Join neighbouring axes that every operand walks through evenly; drop axes of length one."""
    extents: list[int] = []
    steps: list[list[int]] = [[] for _ in strides]
    for axis, extent in enumerate(shape):
        if extent == 1:
            continue
        if extents and all(s[-1] == own[axis] * extent for s, own in zip(steps, strides, strict=True)):
            extents[-1] *= extent
            for s, own in zip(steps, strides, strict=True):
                s[-1] = own[axis]
            continue
        extents.append(extent)
        for s, own in zip(steps, strides, strict=True):
            s.append(own[axis])
    return tuple(extents), [tuple(s) for s in steps]
