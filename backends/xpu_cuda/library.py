"""CuPy's own functions, where they are faster than the portable kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def make_library(cupy: Any, device: Any) -> Mapping[str, Callable[..., Any]]:
    """Return the table ``operation -> native implementation`` of a device."""
    return {}
