"""The tree of layers below the OpenCL backend: hardware, loader, implementations, Python package."""

from __future__ import annotations

from xpu.backend import Layer


def diagnose() -> Layer:
    return Layer("OpenCL", None)
