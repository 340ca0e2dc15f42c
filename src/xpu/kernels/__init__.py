"""The portable kernels, written in the kernel language: what every device can run.

Its modules are loaded at their first use (``kernels.sort.order_of``): whoever only imports xpu pays for none of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import compact, gather, scan, sort

__all__ = ["compact", "gather", "scan", "sort"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
