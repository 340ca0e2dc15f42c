"""Users without a home: pyopencl and PoCL keep files in the user's cache folder, and fail where nobody can write there.

pyopencl's invoker raises when it is imported, PoCL lists no device. Accounts of services and containers with a
read-only file system are like that. Both read variables when they are loaded, so this comes first.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

from . import icd


def prepare() -> None:
    """Let pyopencl and PoCL do without the user's cache folder if it cannot be written (Linux)."""
    if not icd.supported():
        return
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path("~").expanduser() / ".cache")
    if not writable(base / "pytools"):
        os.environ.setdefault("PYOPENCL_NO_CACHE", "1")
    if "POCL_CACHE_DIR" not in os.environ and not writable(base / "pocl" / "kcache"):
        _give_pocl_a_place()


def writable(folder: Path) -> bool:
    """Whether a folder can be written, or be made where it is not there yet."""
    try:
        existing = next(place for place in (folder, *folder.parents) if place.exists())
    except OSError:  # not even to be looked at
        return False
    return folder.is_absolute() and existing.is_dir() and os.access(existing, os.W_OK | os.X_OK)


def _give_pocl_a_place() -> None:
    chosen = os.environ.get("XPU_CACHE_DIR")
    if chosen and writable(Path(chosen)):
        os.environ["POCL_CACHE_DIR"] = str(Path(chosen) / "pocl")
        return
    try:
        folder = tempfile.mkdtemp(prefix="xpu-pocl-")  # only the user can read or write it
    except OSError:
        return
    os.environ["POCL_CACHE_DIR"] = folder
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
