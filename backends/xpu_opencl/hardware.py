"""Graphics hardware that the system sees, and whether an OpenCL driver serves it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from xpu.backend import Layer

PCI = Path("/sys/bus/pci/devices")
RENDER = Path("/dev/dri")
_CPU = 2
"""The bit CL_DEVICE_TYPE_CPU."""
_MAKERS = {"0x1002": "AMD", "0x8086": "Intel", "0x10de": "NVIDIA"}
_REMEDIES = {
    "AMD": "apt install mesa-opencl-icd and set RUSTICL_ENABLE=radeonsi, or install ROCm's rocm-opencl-runtime",
    "Intel": "apt install intel-opencl-icd",
    "NVIDIA": "apt install nvidia-opencl-icd (with NVIDIA's own driver)",
}
_WORDS = {
    "AMD": ("amd", "advanced micro devices", "radeon"),
    "Intel": ("intel",),
    "NVIDIA": ("nvidia",),
}


def graphics_cards(root: Path | None = None) -> list[tuple[str, str]]:
    """Return maker and PCI address of every display controller, whether or not it has a kernel driver."""
    found = []
    root = PCI if root is None else root
    try:
        devices = sorted(root.iterdir())
    except OSError:
        return []
    for device in devices:
        try:
            class_ = (device / "class").read_text(encoding="ascii").strip()
            vendor = (device / "vendor").read_text(encoding="ascii").strip().lower()
        except (OSError, ValueError):
            continue
        if class_.startswith("0x03") and vendor in _MAKERS:
            found.append((_MAKERS[vendor], device.name))
    return found


def layer(platforms: list[Any]) -> Layer:
    """Judge the graphics cards: served by an OpenCL driver or not, and why."""
    cards = graphics_cards()
    tree = Layer("hardware", None if not cards else True)
    tree.detail = "no graphics card seen" if not cards else f"{len(cards)} graphics card(s)"
    served = " ".join(_gpus(platforms)).lower()
    for maker, address in cards:
        child = Layer(f"{maker} graphics card at {address}", True, "has an OpenCL driver")
        if not any(word in served for word in _WORDS[maker]):
            child.ok, child.detail, child.remedy = False, "no OpenCL driver serves it", _REMEDIES[maker]
        tree.children.append(child)
    forbidden = _forbidden()
    if forbidden:
        tree.children.append(
            Layer(
                "permission",
                False,
                f"you may not use {', '.join(forbidden)}",
                "sudo usermod -aG render,video $USER, then log in again",
            )
        )
    if any(child.ok is False for child in tree.children):
        tree.ok = None
    return tree


def _gpus(platforms: list[Any]) -> list[str]:
    """Return vendor and name of every OpenCL device that is no processor."""
    found = []
    for platform in platforms:
        try:
            devices = platform.get_devices()
        except Exception:  # platforms without devices raise  # noqa: S112
            continue
        others = [device for device in devices if not device.type & _CPU]
        found += [f"{device.vendor} {device.name}" for device in others]
    return found


def _forbidden(folder: Path | None = None) -> list[str]:
    """Return the render nodes that this user may not open."""
    folder = RENDER if folder is None else folder
    try:
        nodes = sorted(folder.glob("renderD*"))
    except OSError:
        return []
    return [str(node) for node in nodes if not os.access(node, os.R_OK | os.W_OK)]
