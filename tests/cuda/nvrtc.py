"""NVIDIA's run-time compiler from its wheel: no card and no driver are needed to compile for any architecture."""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

OPTIONS = ("--std=c++17", "--fmad=false", "--device-as-default-execution-space")
"""What ``xpu_cuda`` and CuPy compile with."""
ARCHITECTURES = ("compute_75", "sm_90")
"""PTX for the oldest architecture that today's CUDA knows, and machine code for Hopper."""


class NvrtcError(Exception):
    """The compiler refused a source; the message is its log."""


def library_path() -> Path | None:
    """Return where the wheel put the library, or None where it is not installed."""
    from importlib.util import find_spec

    for package, pattern in (("nvidia.cuda_nvrtc", "libnvrtc.so.*"), ("nvidia.cu13", "libnvrtc.so.*")):
        try:
            spec = find_spec(package)
        except ModuleNotFoundError:
            continue
        for folder in spec.submodule_search_locations or () if spec else ():
            found = [path for path in sorted(Path(folder, "lib").glob(pattern)) if "alt" not in path.name]
            if found:
                return found[0]
    return None


class Nvrtc:
    """The library's few functions that are needed here."""

    def __init__(self, path: Path) -> None:
        self._library = ctypes.CDLL(str(path))
        self._library.nvrtcGetErrorString.restype = ctypes.c_char_p

    def _check(self, status: int) -> None:
        if status:
            raise RuntimeError(f"NVRTC: {self._library.nvrtcGetErrorString(status).decode()}")

    def version(self) -> tuple[int, int]:
        """Return the version: ``(12, 9)``."""
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._check(self._library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor)))
        return major.value, minor.value

    def compile(self, source: str, architecture: str, options: Sequence[str] = OPTIONS) -> tuple[bytes, str]:
        """Compile for ``compute_NN`` (PTX) or ``sm_NN`` (machine code).

        Returns
        -------
        image : bytes
        log : str
            The compiler's warnings.

        Raises
        ------
        NvrtcError
            With the compiler's log.
        """
        program = ctypes.c_void_p()
        text = source.encode()
        self._check(self._library.nvrtcCreateProgram(ctypes.byref(program), text, b"kernel.cu", 0, None, None))
        try:
            flags = [option.encode() for option in (*options, f"--gpu-architecture={architecture}")]
            status = self._library.nvrtcCompileProgram(program, len(flags), (ctypes.c_char_p * len(flags))(*flags))
            log = self._fetch("ProgramLog", program).rstrip(b"\0").decode(errors="replace")
            if status:
                raise NvrtcError(log or self._library.nvrtcGetErrorString(status).decode())
            return self._fetch("PTX" if architecture.startswith("compute") else "CUBIN", program), log
        finally:
            self._library.nvrtcDestroyProgram(ctypes.byref(program))

    def _fetch(self, what: str, program: Any) -> bytes:
        size = ctypes.c_size_t()
        self._check(getattr(self._library, f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
        buffer = ctypes.create_string_buffer(size.value)
        self._check(getattr(self._library, f"nvrtcGet{what}")(program, buffer))
        return buffer.raw


@lru_cache(maxsize=1)
def load() -> Nvrtc | None:
    """Return the compiler, or None where its wheel is not installed."""
    path = library_path()
    return Nvrtc(path) if path is not None else None


# ------------------------------------------------------------------------------------------- many kernels at once

HURRY = "--Ofast-compile=max"
"""Whether a source is accepted does not hang on optimisation, and without it the compiler needs half the time (NVRTC 12.9)."""
HURRY_SINCE = (12, 9)

BATCH = 24
"""Kernels in one translation unit: enough to share the compiler's start, few enough for both cores to have work."""


def merged(sources: Sequence[tuple[str, str]]) -> str:
    """Return one translation unit of ``(kernel's name, text)``: namespaces of their own, entries under new names."""
    parts = []
    for number, (name, text) in enumerate(sources):
        renamed = re.sub(rf"\b{re.escape(name)}\b", f"{name}_{number}", text)
        parts.append(f"namespace kernel_{number} {{\n{renamed}\n}}")
    return "\n".join(parts) + "\n"


def check_all(
    sources: Sequence[tuple[str, str]], architectures: Sequence[str] = ARCHITECTURES, compiler: Nvrtc | None = None
) -> list[tuple[int, str, str]]:
    """Compile every source for every architecture; return ``(source's number, architecture, log)`` of each refusal.

    Sources go in batches; a batch that is refused is compiled again one by one, so that the guilty one is named.
    """
    compiler = compiler or load()
    assert compiler is not None
    options = (*OPTIONS, HURRY) if compiler.version() >= HURRY_SINCE else OPTIONS
    failures: list[tuple[int, str, str]] = []
    jobs = [(first, architecture) for first in range(0, len(sources), BATCH) for architecture in architectures]
    lock = threading.Lock()

    def work() -> None:
        while True:
            with lock:
                if not jobs:
                    return
                first, architecture = jobs.pop(0)
            found = _check_batch(compiler, sources, first, architecture, options)
            with lock:
                failures.extend(found)

    threads = [threading.Thread(target=work) for _ in architectures]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(failures)


def _check_batch(
    compiler: Nvrtc, sources: Sequence[tuple[str, str]], first: int, architecture: str, options: Sequence[str]
) -> list[tuple[int, str, str]]:
    batch = sources[first : first + BATCH]
    try:
        compiler.compile(merged(batch), architecture, options)
    except NvrtcError as together:
        failures = []
        for number, (_, text) in enumerate(batch, first):
            try:
                compiler.compile(text, architecture, options)
            except NvrtcError as error:
                failures.append((number, architecture, str(error)))
        # Each alone is accepted: then merging is at fault, which must not pass for a success.
        return failures or [(first, architecture, f"only together with the next {len(batch) - 1}: {together}")]
    return []
