"""Finding OpenCL implementations: the system's .icd files, and Intel's CPU runtime from PyPI.

The loader inside pyopencl's wheel looks into one folder of ``.icd`` files. Intel's runtime, installed by pip, brings
``.icd`` files that name a path of the machine it was built on. So the first look at the platforms happens with
``OCL_ICD_VENDORS`` pointing to a private folder: the real path of Intel's library, and a copy of every ``.icd`` file
that the loader would have read. Afterwards the variable is what it was, so that child processes see the user's own.
"""

from __future__ import annotations

import os
import platform
import shutil
import site
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

INTEL_DISTRIBUTION = "intel-opencl-rt"
INTEL_LIBRARY = "libintelocl.so"
SYSTEM_FOLDER = Path("/etc/OpenCL/vendors")


@dataclass(frozen=True)
class IcdFile:
    """One registered implementation."""

    path: Path
    """The ``.icd`` file, or the library itself where a variable names it directly."""
    library: str
    """What it says to load: a path, or a name for the dynamic linker."""


def supported() -> bool:
    """Whether implementations are found through .icd files here."""
    return sys.platform.startswith("linux")


# --------------------------------------------------------------------------------------- Intel's runtime from PyPI


def intel_version() -> str | None:
    """Return the version of the installed ``intel-opencl-rt``, or None."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(INTEL_DISTRIBUTION)
    except PackageNotFoundError:
        return None


def intel_library() -> Path | None:
    """Return the real path of Intel's runtime, wherever pip put it (environment, ``--user``, ``--target``)."""
    if platform.machine().lower() not in ("x86_64", "amd64"):
        return None
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        found = distribution(INTEL_DISTRIBUTION)
    except PackageNotFoundError:
        return None
    entries = [entry for entry in found.files or () if entry.name == INTEL_LIBRARY]
    candidates = [Path(str(found.locate_file(entry))) for entry in entries]
    home = Path(str(found.locate_file(""))).resolve()
    candidates += [home / "lib" / INTEL_LIBRARY, home / INTEL_LIBRARY]
    candidates += [parent / INTEL_LIBRARY for parent in home.parents if parent.name == "lib"]
    candidates.append(Path(sys.prefix) / "lib" / INTEL_LIBRARY)
    if site.USER_BASE:
        candidates.append(Path(site.USER_BASE) / "lib" / INTEL_LIBRARY)
    for candidate in candidates:
        if candidate.is_file():
            return candidate.resolve().parent / INTEL_LIBRARY if candidate.is_symlink() else candidate.resolve()
    return None


# ------------------------------------------------------------------------------------------- what is registered


def _read(path: Path) -> IcdFile | None:
    try:
        text = path.read_text(encoding="utf-8", errors="surrogateescape").strip()
    except OSError:
        return None
    return IcdFile(path, text.splitlines()[0].strip()) if text else None


def _folder(path: Path) -> list[IcdFile]:
    try:
        names = sorted(path.glob("*.icd"))
    except OSError:
        return []
    return [entry for entry in map(_read, names) if entry is not None]


def registered() -> list[IcdFile]:
    """Return what the loader reads by itself, with the user's own variables honoured."""
    chosen = os.environ.get("OCL_ICD_VENDORS")
    found: list[IcdFile] = []
    if chosen:
        path = Path(chosen)
        if path.is_dir():
            found = _folder(path)
        elif path.suffix == ".icd":
            entry = _read(path if path.is_absolute() or path.is_file() else SYSTEM_FOLDER / path)
            found = [entry] if entry is not None else []
        else:
            found = [IcdFile(path, chosen)]
    else:
        found = _folder(SYSTEM_FOLDER)
        # Conda keeps .icd files in the environment; pip's Intel runtime puts its broken ones there too.
        found += [e for e in _folder(Path(sys.prefix) / "etc" / "OpenCL" / "vendors") if Path(e.library).is_file()]
    for name in os.environ.get("OCL_ICD_FILENAMES", "").split(os.pathsep):
        if name:
            found.append(IcdFile(Path(name), name))
    unique: dict[str, IcdFile] = {}
    for entry in found:
        unique.setdefault(entry.library, entry)
    return list(unique.values())


def has_intel(entries: list[IcdFile]) -> bool:
    """Whether Intel's CPU runtime is registered already, under a path that exists."""
    return any(Path(e.library).name.startswith(INTEL_LIBRARY) and Path(e.library).is_file() for e in entries)


# -------------------------------------------------------------------------------------------- for the first look


@contextmanager
def complete_vendors() -> Iterator[None]:
    """Show the loader every implementation while it looks for them the first time."""
    folder = _private_folder()
    if folder is None:
        yield
        return
    before = {name: os.environ.get(name) for name in ("OCL_ICD_VENDORS", "OCL_ICD_FILENAMES")}
    os.environ["OCL_ICD_VENDORS"] = str(folder)
    os.environ.pop("OCL_ICD_FILENAMES", None)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        shutil.rmtree(folder, ignore_errors=True)


def _private_folder() -> Path | None:
    """Make a folder of .icd files; None where the loader's own is as good, or nothing can be written."""
    if not supported():
        return None
    entries = registered()
    intel = intel_library()
    own_variables = "OCL_ICD_FILENAMES" in os.environ
    if (intel is None or has_intel(entries)) and not own_variables:
        return None
    libraries = [entry.library for entry in entries]
    if intel is not None and not has_intel(entries):
        libraries.insert(0, str(intel))
    for parent in (None, _cache_folder()):
        try:
            if parent is not None:
                parent.mkdir(parents=True, exist_ok=True)
            folder = Path(tempfile.mkdtemp(prefix="xpu-icd-", dir=parent))  # only the user can read or write it
            for number, library in enumerate(libraries):
                text = f"{library}\n".encode("utf-8", "surrogateescape")
                (folder / f"{number:02d}.icd").write_bytes(text)
        except OSError:
            continue
        return folder
    return None


def _cache_folder() -> Path:
    chosen = os.environ.get("XPU_CACHE_DIR")
    if chosen:
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "xpu"
