"""The kernel language: Python functions in, device code out."""

from ..device import Device
from .errorbuffer import ErrorBuffer
from .probe import run_probe


def _new_error_buffer(device: Device) -> ErrorBuffer:
    return ErrorBuffer(device)


# Devices stand on a lower floor and know no kernels: what they need of them is handed down, as methods.
Device.run_probe = run_probe
Device.new_error_buffer = _new_error_buffer
