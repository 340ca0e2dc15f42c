"""Timings of this machine: what its limits are, and how near to them plain array code comes.

``xpu bench`` on the command line; :func:`run` from Python. Timings are never tests.
"""

from __future__ import annotations

from .run import Report, run
from .works import WORKS, Work

__all__ = ["WORKS", "Report", "Work", "run"]
