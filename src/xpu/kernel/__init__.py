"""The kernel language: Python functions in, device code out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..device import Device

if TYPE_CHECKING:
    from .errorbuffer import ErrorBuffer


def _run_probe(device: Device) -> float:
    from .probe import run_probe

    return run_probe(device)


def _new_error_buffer(device: Device) -> ErrorBuffer:
    from .errorbuffer import ErrorBuffer

    return ErrorBuffer(device)


# Devices stand on a lower floor and know no kernels: what they need of them is handed down, as methods.
Device.run_probe = _run_probe
Device.new_error_buffer = _new_error_buffer
