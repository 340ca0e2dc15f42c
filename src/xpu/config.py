"""Switches, read once from the environment and changeable at run time (``xp.config.fuse = False``).

============== ============================================================== =========
attribute      environment                                                    default
============== ============================================================== =========
device         ``XPU_DEVICE``: the device chosen at start                     ``cpu``
fuse           ``XPU_FUSE``: defer and fuse elementwise work                  on
library        ``XPU_LIBRARY``: use a device's native library, and kernels of
               single operations for lines that are new                       on
debug          ``XPU_DEBUG``: kernels check every index                       off
dump           ``XPU_DUMP``: a folder that receives every generated source    none
cache_dir      ``XPU_CACHE_DIR``: where compiled kernels are kept             user cache
============== ============================================================== =========
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_OFF = {"0", "false", "off", "no"}


def _flag(name: str, default: bool) -> bool:
    text = os.environ.get(name)
    return default if text is None or text == "" else text.strip().lower() not in _OFF


class Config:
    """The process-wide switches; see the module's table."""

    __slots__ = ("cache_dir", "debug", "device", "dump", "fuse", "library")

    def __init__(self) -> None:
        self.device: str | None = os.environ.get("XPU_DEVICE") or None
        self.fuse = _flag("XPU_FUSE", True)
        self.library = _flag("XPU_LIBRARY", True)
        self.debug = _flag("XPU_DEBUG", False)
        self.dump: str | None = os.environ.get("XPU_DUMP") or None
        self.cache_dir: str | None = os.environ.get("XPU_CACHE_DIR") or None

    @contextmanager
    def override(self, **values: Any) -> Iterator[Config]:
        """Set switches for the length of a ``with`` block."""
        before = {name: getattr(self, name) for name in values}
        try:
            for name, value in values.items():
                setattr(self, name, value)
            yield self
        finally:
            for name, value in before.items():
                setattr(self, name, value)

    def __repr__(self) -> str:
        return f"Config({', '.join(f'{name}={getattr(self, name)!r}' for name in self.__slots__)})"


config = Config()
