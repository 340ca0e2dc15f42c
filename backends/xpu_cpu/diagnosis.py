"""What the CPU backend stands on, and what to install where something is missing."""

from __future__ import annotations

import os
import platform
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from xpu.backend import Layer

MISSING_NUMBA = "pip install numba"


def processor_name() -> tuple[str, str]:
    """Return the processor's name and its maker."""
    facts: dict[str, str] = {}
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            facts.setdefault(key.strip(), value.strip())
            if not line.strip():
                break
    except OSError:
        pass
    name = facts.get("model name") or platform.processor() or platform.machine() or "CPU"
    return name, facts.get("vendor_id") or platform.machine() or "unknown"


def memory_bytes() -> int:
    """Return the bytes of the host's memory."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 4 << 30


def diagnose() -> Layer:
    """Return the layers below the backend."""
    name, _ = processor_name()
    hardware = Layer("hardware", True, f"{name}, {memory_bytes() / 2**30:.1f} GiB")
    return Layer("cpu", True, children=[hardware, _threads(), _numpy(), _numba()])


def _threads() -> Layer:
    from .threads import limit

    try:
        count = limit()
    except ValueError as error:
        return Layer("threads", False, str(error), "unset XPU_NUM_THREADS, or set it to a positive number")
    origin = "XPU_NUM_THREADS" if os.environ.get("XPU_NUM_THREADS", "").strip() else "processors this process may use"
    return Layer("threads", True, f"{count} ({origin})")


def _numpy() -> Layer:
    forced = os.environ.get("OPENBLAS_CORETYPE")
    if forced:
        return Layer(
            "NumPy",
            None,
            f"{np.__version__}, but OPENBLAS_CORETYPE={forced} forces the matrix products of another processor",
            "unset OPENBLAS_CORETYPE",
        )
    return Layer("NumPy", True, np.__version__)


def _numba() -> Layer:
    layers = []
    for package, oldest in (("llvmlite", (0, 45)), ("numba", (0, 62))):
        if find_spec(package) is None:
            return Layer("Numba", False, f"the package {package} is not installed", MISSING_NUMBA)
        try:
            text = version(package)
        except PackageNotFoundError:
            text = "0.0 (unknown version)"
        numbers = tuple(int(part) for part in text.split(".")[:2] if part.isdigit())
        if numbers < oldest:
            wanted = ".".join(map(str, oldest))
            return Layer(
                "Numba",
                False,
                f"{package} {text} is too old; {wanted} is needed",
                f"pip install -U '{package}>={wanted}'",
            )
        layers.append(f"{package} {text}")
    try:
        import_module("numba")
    except Exception as error:  # Numba refuses a NumPy that is newer than itself
        return Layer("Numba", False, f"numba cannot be imported: {error}", "pip install --upgrade numba")
    return Layer("Numba", True, ", ".join(reversed(layers)))
