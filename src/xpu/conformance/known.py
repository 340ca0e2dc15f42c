"""Known failures: strict, so that a repaired one must be taken off this list."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Known:
    """A test that fails for a known reason on every device."""

    test: str
    """The end of its id: ``arrays/test_elementwise.py::test_function[exp-float32]``."""
    reason: str


KNOWN: tuple[Known, ...] = ()
