"""Blocks of the host's memory."""

from __future__ import annotations

import numpy as np

LINE = 64


class Block:
    """Bytes with a fixed address."""

    __slots__ = ("address", "bytes")

    def __init__(self, data: np.ndarray) -> None:
        self.bytes = data
        self.address: int = data.__array_interface__["data"][0]

    @classmethod
    def new(cls, nbytes: int) -> Block:
        """Return a block that starts at a cache line."""
        raw = np.empty(nbytes + LINE, np.uint8)
        start = -raw.__array_interface__["data"][0] % LINE
        return cls(raw[start : start + nbytes])
