"""``xp.nn``: building blocks of neural networks."""

from __future__ import annotations

from .convolution import conv2d

__all__ = ["conv2d"]
