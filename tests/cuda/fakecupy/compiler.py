"""The run-time compiler: CUDA C to a shared library, by the host's C++ compiler."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import types
from functools import lru_cache
from pathlib import Path
from typing import Any

from .machine import machine

SHIM = Path(__file__).with_name("device_shim.h")
_KERNEL = re.compile(r'extern\s+"C"\s+__global__\s+void\s+(?:__launch_bounds__\([^)]*\)\s+)?(\w+)')
_OPTIONS = ("-std=c++17", "-O1", "-w", "-fPIC", "-shared", "-fwrapv", "-ffp-contract=off", "-fno-strict-aliasing")


class CompileException(Exception):
    """The compiler refused; the text is its log."""

    def __init__(self, log: str, source: str, name: str, options: tuple[str, ...]) -> None:
        super().__init__(log)
        self.source, self.name, self.options = source, name, options


@lru_cache(maxsize=1)
def host_compiler() -> str | None:
    """Return the path of a C++ compiler, or None."""
    for name in (os.environ.get("CXX"), "g++", "c++", "clang++"):
        found = name and shutil.which(name)
        if found:
            return found
    return None


def compile_for_host(source: str) -> bytes:
    """Return a shared library with, for each kernel, a function that launches it and one that tells its arguments."""
    compiler = host_compiler()
    if compiler is None:
        raise RuntimeError("there is no C++ compiler here")
    barriers = int("__syncthreads" in source)
    doors = "\n".join(f"XPU_HOST_EXPORT({name}, {barriers})" for name in _KERNEL.findall(source))
    with tempfile.TemporaryDirectory() as folder:
        code, library = Path(folder, "kernel.cpp"), Path(folder, "kernel.so")
        code.write_text(f'#include "{SHIM}"\n#line 1 "kernel.cu"\n{source}\n{doors}\n', encoding="utf-8")
        done = subprocess.run(
            [compiler, *_OPTIONS, str(code), "-o", str(library)], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise CompileException(done.stderr, source, str(code), _OPTIONS)
        return library.read_bytes()


def compile_using_nvrtc(
    source: str,
    options: tuple[str, ...] = (),
    arch: str | None = None,
    filename: str = "kern.cu",
    name_expressions: Any = None,
    log_stream: Any = None,
    cache_in_memory: bool = False,
) -> tuple[bytes, None]:
    """Compile, with CuPy's signature."""
    machine.enter("compile", options)
    if machine.compiler_version is None:
        raise RuntimeError('Failure finding "libnvrtc.so.12"')
    return compile_for_host(source), None


def make_module() -> types.ModuleType:
    """Return the module ``cupy.cuda.compiler``."""
    module = types.ModuleType("cupy.cuda.compiler")
    module.CompileException = CompileException
    module.compile_using_nvrtc = compile_using_nvrtc
    return module


def _get_version() -> tuple[int, int]:
    if machine.compiler_version is None:
        raise RuntimeError('Failure finding "libnvrtc.so.12"')
    return machine.compiler_version


def make_nvrtc_module() -> types.ModuleType:
    """Return the module ``cupy.cuda.nvrtc``."""
    module = types.ModuleType("cupy.cuda.nvrtc")
    module.getVersion = _get_version
    return module
