"""Sources to kernels, and kernels to bytes and back.

Numba is needed only here, and only when something must be compiled: what is kept on disk is the object file that LLVM
made, behind a line of facts, and loading it needs llvmlite alone.
"""

from __future__ import annotations

import functools
import hashlib
import json
import threading
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from xpu.backend import CompileError, Source

from . import native
from .kernel import CpuKernel

_MAGIC = b"xpu-cpu-1\n"
_lock = threading.RLock()


@functools.cache
def _front() -> Any:
    from .frontend.lower import Front

    return Front()


def compile_source(source: Source) -> CpuKernel:
    """Compile a printed kernel."""
    with _lock:
        try:
            text, namespace = _front().lower(source.text, source.name)
            code = native.assemble(text)
        except ImportError as error:
            raise CompileError(f"kernels on the CPU need Numba: {error}") from None
        except (SyntaxError, RuntimeError, NotImplementedError, TypeError, ValueError, KeyError) as error:
            raise CompileError(f"{type(error).__name__}: {error}") from None
    facts = {
        "name": source.name,
        "grouped": namespace["GROUPED"],
        "scratch": namespace["SCRATCH_BYTES"],
        "item": namespace["ITEM_BYTES"],
        "prints": namespace["PRINTS"],
    }
    binary = _MAGIC + json.dumps(facts).encode("ascii") + b"\n" + code
    return CpuKernel(source, native.link(code, source.name), facts, binary)


def load_binary(source: Source, binary: bytes) -> CpuKernel | None:
    """Return the kernel from what :meth:`CpuKernel.binary` gave; None if it is something else."""
    if not binary.startswith(_MAGIC):
        return None
    line, _, code = binary[len(_MAGIC) :].partition(b"\n")
    facts = json.loads(line)
    if facts["name"] != source.name:
        return None
    return CpuKernel(source, native.link(code, source.name), facts, binary)


@functools.cache
def fingerprint() -> str:
    """Return what machine code depends on: this compiler, LLVM, and the processor."""
    digest = hashlib.sha256()
    for path in sorted([*(Path(__file__).parent / "frontend").glob("*.py"), Path(native.__file__)]):
        digest.update(path.read_bytes())
    versions = []
    for package in ("numba", "llvmlite"):
        try:
            versions.append(f"{package} {version(package)}")
        except PackageNotFoundError:
            versions.append(f"no {package}")
    return "|".join([*versions, native.versions(), digest.hexdigest()[:16]])
