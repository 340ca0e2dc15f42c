"""``print`` in kernels: machine code calls back with the values, Python formats them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any

import numpy as np

_CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p)
_SLOT = 16

Pieces = Sequence[Sequence[str]]


class Printer:
    """The callback of one kernel."""

    def __init__(self, prints: Sequence[Pieces]) -> None:
        self._prints = prints
        self._callback = _CALLBACK(self._print)
        self.address = ctypes.cast(self._callback, ctypes.c_void_p).value or 0

    def _print(self, site: int, slots: int) -> None:
        words: list[Any] = []
        place = slots
        for kind, text in self._prints[site]:
            if kind == "text":
                words.append(text)
                continue
            dtype = np.dtype(text)
            words.append(np.frombuffer(ctypes.string_at(place, dtype.itemsize), dtype)[0])
            place += _SLOT
        print(*words)  # noqa: T201  (it is what the user asked for)


def make_printer(prints: Sequence[Pieces]) -> Printer | None:
    """Return the printer of a kernel; None for one that prints nothing."""
    return Printer(prints) if prints else None
