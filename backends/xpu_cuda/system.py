"""What the diagnosis asks of the machine: files, PCI devices, shared libraries, Python packages."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_CUPY_NAMES = re.compile(r"(amd-)?cupy(-cuda\d+x?|-rocm-[\d-]+)?")


@dataclass(frozen=True, slots=True)
class PciDevice:
    """A device on the PCI bus, its numbers as /sys has them: ``0x10de``."""

    slot: str
    vendor: str
    device: str
    class_: str

    @property
    def computes(self) -> bool:
        """Whether it is a display controller, an accelerator or a co-processor: what a GPU can call itself."""
        return self.class_.startswith(("0x03", "0x12", "0x0b40"))

    def __str__(self) -> str:
        return f"{self.slot} [{self.vendor.removeprefix('0x')}:{self.device.removeprefix('0x')}]"


class System:
    """The real machine. Tests put another in its place."""

    platform: str = sys.platform

    def pci_devices(self) -> list[PciDevice] | None:
        """Return the devices on the PCI bus, or None where they cannot be seen."""
        root = Path("/sys/bus/pci/devices")
        try:
            folders = sorted(root.iterdir())
        except OSError:
            return None
        return [
            PciDevice(
                folder.name, *((self.read(str(folder / name)) or "").strip() for name in ("vendor", "device", "class"))
            )
            for folder in folders
        ]

    def read(self, path: str) -> str | None:
        """Return a text file's content, or None."""
        try:
            return Path(path).read_text(encoding="utf-8", errors="replace")
        except OSError:
            return None

    def exists(self, path: str) -> bool:
        """Whether a path exists."""
        return os.path.exists(path)  # noqa: PTH110  (Path.exists raises where a parent is forbidden)

    def usable(self, path: str) -> bool:
        """Whether this user may read and write a path."""
        return os.access(path, os.R_OK | os.W_OK)

    def list(self, folder: str) -> list[str]:
        """Return the names in a folder; none where it cannot be read."""
        try:
            return sorted(os.listdir(folder))  # noqa: PTH208
        except OSError:
            return []

    def library(self, *names: str) -> tuple[str, Any] | str:
        """Load the first shared library that loads; return its name and handle, or why none did."""
        reason = "not found"
        for name in names:
            try:
                return name, ctypes.CDLL(name)
            except OSError as error:
                if not reason.startswith("found") and "cannot open shared object file" not in str(error):
                    reason = f"found, but it does not load: {error}"
        return reason

    def cupy_packages(self) -> Mapping[str, str]:
        """Return every installed distribution of CuPy, with its version."""
        from importlib.metadata import distributions

        found = {}
        for distribution in distributions():
            name = (distribution.metadata["Name"] or "").lower().replace("_", "-")
            if _CUPY_NAMES.fullmatch(name):
                found[name] = distribution.version
        return found

    def cupy(self) -> Any:
        """Return CuPy; raises what its import raises."""
        from .discovery import import_cupy

        return import_cupy()
