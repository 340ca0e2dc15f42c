"""What a reader of figures must know of the machine, and what would make NumPy slow without anybody's noticing."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import MutableMapping
from typing import NoReturn

import numpy as np

import xpu

from ..device import get_device

SLOWING = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
"""Variables that OpenBLAS reads when NumPy is loaded; some machines set them for another processor than their own."""


def machine() -> dict[str, str]:
    """Return what a reader of figures must know: processor, threads, versions."""
    cpu = get_device("cpu").info
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": f"{cpu.name}, {cpu.compute_units} usable",
        "python": platform.python_version(),
        "xpu": xpu.__version__,
        "numpy": np.__version__,
        "blas": blas(),
    }


def blas() -> str:
    """Return which BLAS NumPy uses, for which processor it runs and on how many threads; needs threadpoolctl."""
    try:
        from threadpoolctl import threadpool_info
    except ModuleNotFoundError:
        return "unknown: threadpoolctl is not installed"
    found = [one for one in threadpool_info() if one.get("user_api") == "blas" and "numpy" in one.get("filepath", "")]
    words = (
        f"{b['internal_api']} {b.get('version')}, kernel {b.get('architecture')}, {b['num_threads']} threads"
        for b in found
    )
    slowed = [f"{name}={os.environ[name]}" for name in SLOWING if name in os.environ]
    return ("; ".join(words) or "none that threadpoolctl knows") + "".join(f", {one}" for one in slowed)


def start_again_without(environment: MutableMapping[str, str], names: tuple[str, ...] = SLOWING) -> None:
    """Start this process again if the environment holds such variables: NumPy has read them already."""
    found = [name for name in names if name in environment]
    if found:
        for name in found:
            del environment[name]
        _start_again()


def _start_again() -> NoReturn:
    command = [sys.executable, *sys.orig_argv[1:]]
    if sys.platform == "win32":  # its exec returns to the shell at once
        sys.exit(subprocess.run(command, check=False).returncode)
    os.execv(sys.executable, command)  # noqa: S606 - our own command line
