"""Blocks of the host's memory."""

from __future__ import annotations

import numpy as np

LINE = 64


class Block:
    """Bytes with a fixed address."""

    __slots__ = ("address", "bytes")

    def __init__(self, data: np.ndarray) -> None:
        self.bytes = data
        self.address = int(data.ctypes.data)

    @classmethod
    def new(cls, nbytes: int) -> Block:
        """Return a block that starts at a cache line."""
        raw = np.empty(nbytes + LINE, np.uint8)
        start = -raw.ctypes.data % LINE
        return cls(raw[start : start + nbytes])
