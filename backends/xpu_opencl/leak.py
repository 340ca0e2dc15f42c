"""Objects of the driver that must never be released: a forked child has not the threads that would do it."""

from __future__ import annotations

import ctypes
from typing import Any


def keep_forever(thing: Any) -> None:
    """Let an object outlive the process's end."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))
