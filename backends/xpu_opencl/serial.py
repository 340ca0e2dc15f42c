"""Devices of implementations that only one thread at a time may use.

Oclgrind runs queued work inside whichever call waits for it, and ends the process ("Assertion m_kernelInvocation ==
NULL failed") when a second thread comes in meanwhile, even with a queue of its own.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from .device import OpenCLDevice, platform_word

_SINGLE_THREADED = frozenset(["oclgrind"])
_CALLS = (
    "open allocate free copy_in copy_out copy_within fill adopt release compile load launch synchronize new_stream "
    "record elapsed"
)


def device_class(platform: Any) -> type[OpenCLDevice]:
    """Return the class for a platform's devices."""
    return SerialDevice if platform_word(platform.name) in _SINGLE_THREADED else OpenCLDevice


class SerialDevice(OpenCLDevice):
    """A device that lets one thread in at a time."""


_lock = threading.RLock()
"""One for all such devices: the implementation shares its state between them."""


def _one_at_a_time(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(*arguments: Any, **named: Any) -> Any:
        with _lock:
            return method(*arguments, **named)

    return call


for _name in _CALLS.split():
    setattr(SerialDevice, _name, _one_at_a_time(getattr(OpenCLDevice, _name)))
