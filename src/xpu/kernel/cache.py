"""The disk cache of compiled kernels."""

from __future__ import annotations


def read(key: str, fingerprint: str) -> bytes | None:
    """Return a stored binary, or None."""
    return None


def write(key: str, fingerprint: str, binary: bytes) -> None:
    """Store a binary."""
