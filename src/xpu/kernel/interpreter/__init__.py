"""The interpreter: runs kernels work-item by work-item in plain Python, and defines what they mean.

A backend on it needs two things: :class:`Block` for its memory, and :class:`Program` for its kernels.
"""

from .memory import Block
from .program import Program

__all__ = ["Block", "Program"]
