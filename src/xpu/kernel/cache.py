"""The disk cache of compiled kernels: what a second process need not compile.

A folder of small files, one a kernel. Its place is ``XPU_CACHE_DIR`` (``config.cache_dir``), else ``xpu/kernels`` in
the user's cache directory; where that cannot be used, nothing is kept (:func:`problem` says why).

A cache may cost time but never an error and never a wrong kernel. So every file begins with a header that names its
format, its full key and the checksum of what follows: a torn, foreign or damaged file is a miss. Files appear by
``os.replace``, whole or not at all, so no locks are needed however many processes write. Folder and files belong to the
user and are writable for nobody else; others are not read, since a binary from the cache is code that will run.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from ..config import config

FORMAT = b"xpu kernel 1\n"
"""First bytes of every file; the number changes with the layout below."""
SIZE_LIMIT = 256 * 2**20
"""Bytes the folder may hold; the files longest unused go first."""
PRUNE_TO = 0.75
"""What pruning leaves, as a share of the limit, so that it is rare."""
WRITES_BETWEEN_CHECKS = 64
"""The folder is measured at a process' first write and then after as many more."""

_DIGEST_BYTES = hashlib.sha256().digest_size
_HEADER_BYTES = len(FORMAT) + 2 * _DIGEST_BYTES
_OURS = re.compile(r"[0-9a-f]{40}\.xpu|\.[0-9a-f]{16}\.xpu-tmp")
"""Names of our files: whatever else lies in the folder is not touched."""

_writes = 0


# --------------------------------------------------------------------------------------------------- read and write


def read(key: str, fingerprint: str) -> bytes | None:
    """Return a stored binary, or None.

    Parameters
    ----------
    key : str
        Digest of the printed source.
    fingerprint : str
        The device's, with its driver's version: a binary fits only there.
    """
    full_key = _full_key(key, fingerprint)
    with suppress(OSError, ValueError):  # ValueError: a NUL in the path
        folder = location()
        if _refusal(folder, folder.stat(), folder=True):
            return None
        path = folder / _file_name(full_key)
        payload = _payload(_read_private(path), full_key)
        if payload is not None:
            with suppress(OSError):  # the time of last use, for pruning
                os.utime(path)
        return payload
    return None


def write(key: str, fingerprint: str, binary: bytes) -> None:
    """Store a binary; where nothing can be stored, do nothing."""
    full_key = _full_key(key, fingerprint)
    data = FORMAT + full_key + hashlib.sha256(binary).digest() + binary
    with suppress(OSError, ValueError):
        folder = location()
        if not folder.is_absolute():  # there is no home to put it in
            return
        if not folder.exists():
            _make_private(folder)
        if not _refusal(folder, folder.stat(), folder=True):
            _write_whole(folder / _file_name(full_key), data)
            _prune_now_and_then(folder)


def _file_name(full_key: bytes) -> str:
    return full_key.hex()[:40] + ".xpu"


def _full_key(key: str, fingerprint: str) -> bytes:
    parts = (_version(), key, fingerprint)
    text = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


@lru_cache(maxsize=1)
def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("xpu-array")
    except PackageNotFoundError:  # used from a source tree that is not installed
        return "source"


def _payload(data: bytes | None, full_key: bytes) -> bytes | None:
    """Return what follows the header if everything about it is right."""
    if data is None or len(data) < _HEADER_BYTES or not data.startswith(FORMAT):
        return None
    stored_key = data[len(FORMAT) : len(FORMAT) + _DIGEST_BYTES]
    checksum = data[len(FORMAT) + _DIGEST_BYTES : _HEADER_BYTES]
    payload = data[_HEADER_BYTES:]
    if stored_key != full_key or checksum != hashlib.sha256(payload).digest():
        return None
    return payload


# ------------------------------------------------------------------------------------ for people: place, size, clearing


def location() -> Path:
    """Return the folder that is meant to hold the cache, whether or not it exists."""
    if config.cache_dir:
        chosen = os.path.expanduser(config.cache_dir)  # noqa: PTH111  (Path.expanduser raises where there is no home)
        return Path(chosen) if chosen.startswith("~") else Path(os.path.abspath(chosen))  # noqa: PTH100
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("xpu", appauthor=False)) / "kernels"


def problem() -> str:
    """Return why compiled kernels are not kept; empty where they are, or will be from the first one on."""
    folder = location()
    if not folder.is_absolute():
        return f"there is no home directory to make {folder} in; set XPU_CACHE_DIR to a folder of your own"
    try:
        if "\0" in str(folder):
            reason = f"{str(folder)!r} is no path"
        elif folder.exists():
            reason = _refusal(folder, folder.stat(), folder=True)
            if not reason and not os.access(folder, os.W_OK | os.X_OK):
                reason = f"{folder} cannot be written"
        else:
            parent = next(parent for parent in folder.parents if parent.exists())
            good = parent.is_dir() and os.access(parent, os.W_OK | os.X_OK)
            reason = "" if good else f"{folder} cannot be made"
    except (OSError, ValueError) as error:
        reason = f"{folder}: {error}"
    return f"{reason}; mend it, or set XPU_CACHE_DIR to a folder of your own" if reason else ""


def size() -> int:
    """Return the bytes that the stored kernels take."""
    return sum(nbytes for _, nbytes, _ in _files(location()))


def entries() -> int:
    """Return how many compiled kernels are stored."""
    return sum(path.suffix == ".xpu" for path, _, _ in _files(location()))


def clear() -> int:
    """Delete every stored kernel; return how many there were. Other files in the folder are left alone."""
    removed = 0
    for path, _, _ in list(_files(location())):
        with suppress(OSError):
            path.unlink()
            removed += path.suffix == ".xpu"
    return removed


# -------------------------------------------------------------------------------------------------- private files only


def _refusal(path: Path, status: os.stat_result, folder: bool) -> str:
    """Return why a folder or file is not trusted: it must be the user's own, and writable for nobody else."""
    if folder and not stat.S_ISDIR(status.st_mode):
        return f"{path} is not a folder"
    if not folder and not stat.S_ISREG(status.st_mode):
        return f"{path} is not a file"
    if os.name != "posix":  # Windows: the user's own profile is private already
        return ""
    if status.st_uid != os.geteuid():
        return f"{path} belongs to another user"
    if status.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        return f"{path} is writable for other users"
    return ""


def _make_private(folder: Path) -> None:
    folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with suppress(FileExistsError):  # another process was faster
        folder.mkdir(mode=0o700)


def _read_private(path: Path) -> bytes | None:
    # judged on the open file, so that it cannot be exchanged between the check and the reading
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    with os.fdopen(os.open(path, flags), "rb") as file:
        return None if _refusal(path, os.fstat(file.fileno()), folder=False) else file.read()


def _write_whole(path: Path, data: bytes) -> None:
    temporary = path.with_name(f".{secrets.token_hex(8)}.xpu-tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(temporary, flags, 0o600), "wb") as file:
            file.write(data)
        temporary.replace(path)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise


# ------------------------------------------------------------------------------------------------------------ pruning


def _files(folder: Path) -> Iterator[tuple[Path, int, float]]:
    """Yield our files, unfinished ones too, with their bytes and time of last use."""
    try:
        with os.scandir(folder) as items:
            for item in items:
                if not _OURS.fullmatch(item.name):
                    continue
                with suppress(OSError):  # deleted by another process meanwhile
                    status = item.stat(follow_symlinks=False)
                    if stat.S_ISREG(status.st_mode):
                        yield Path(item.path), status.st_size, status.st_mtime
    except (OSError, ValueError):
        return


def _prune_now_and_then(folder: Path) -> None:
    global _writes
    _writes += 1
    if _writes % WRITES_BETWEEN_CHECKS == 1:
        prune(folder, SIZE_LIMIT)


def prune(folder: Path, limit: int) -> int:
    """Delete the files longest unused until the folder is well below ``limit`` bytes; return how many went."""
    files = list(_files(folder))
    total = sum(nbytes for _, nbytes, _ in files)
    if total <= limit:
        return 0
    removed = 0
    for path, nbytes, _ in sorted(files, key=lambda file: file[2]):
        if total <= limit * PRUNE_TO:
            break
        total -= nbytes
        with suppress(OSError):
            path.unlink()
            removed += 1
    return removed
