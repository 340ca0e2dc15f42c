"""LLVM text to machine code, and machine code to something callable; needs llvmlite, not Numba."""

from __future__ import annotations

import ctypes
import functools
import threading
from typing import Any

import numpy as np

_lock = threading.Lock()
_engines: list[Any] = []
"""Every engine made: machine code lives as long as the process."""

ENTRY = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_void_p)
"""Takes the description of a call (counter, units, units of a chunk, argument slots) and scratch memory.

ctypes releases the GIL for the length of a call.
"""

Entry = Any


@functools.cache
def _binding() -> Any:
    import llvmlite.binding as llvm

    try:  # llvmlite before 0.45 asks for it, later versions refuse
        llvm.initialize()
    except RuntimeError:
        pass
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm


@functools.cache
def processor() -> tuple[str, str]:
    """Return the processor's name and its features, as LLVM calls them."""
    llvm = _binding()
    try:
        features = llvm.get_host_cpu_features().flatten()
    except RuntimeError:
        features = ""
    return llvm.get_host_cpu_name(), features


def vector_bits() -> int:
    """Return the width of vectors to ask for; 0 leaves it to LLVM.

    LLVM stays with 256 bits on all of Intel's processors with AVX-512, for the sake of the first ones, which slow down.
    Those since Ice Lake (known by VBMI2) do not: exp in float32 runs 1.4 times faster with 512.
    """
    return 512 if "+avx512vbmi2" in processor()[1].split(",") else 0


def _target_machine(jit: bool = True) -> Any:
    llvm = _binding()
    name, features = processor()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=name, features=features, opt=3, reloc="pic", codemodel="jitdefault", jit=jit
    )


def versions() -> str:
    """Return what decides whether machine code of another day still fits."""
    llvm = _binding()
    name, features = processor()
    return f"llvm {'.'.join(map(str, llvm.llvm_version_info))}|{name}|{features}"


def optimize(text: str) -> Any:
    """Parse, verify and optimise LLVM text; return the module and its target machine."""
    llvm = _binding()
    module = llvm.parse_assembly(text)
    module.verify()
    machine = _target_machine()
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization = True
    tuning.slp_vectorization = True
    tuning.loop_interleaving = True
    tuning.loop_unrolling = True
    builder = llvm.create_pass_builder(machine, tuning)
    passes = builder.getModulePassManager()
    passes.run(module, builder)
    return module, machine


def assemble(text: str) -> bytes:
    """Return the object file (ELF, Mach-O, COFF) of LLVM text."""
    with _lock:
        module, machine = optimize(text)
        return bytes(machine.emit_object(module))


def link(binary: bytes, name: str) -> Entry:
    """Load an object file into this process and return its entry point."""
    llvm = _binding()
    with _lock:
        engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target_machine())
        engine.add_object_file(llvm.ObjectFileRef.from_data(binary))
        engine.finalize_object()
        address = engine.get_function_address(name)
        if not address:
            raise ValueError(f"the object file has no function {name!r}")
        _engines.append(engine)
    return ENTRY(address)


class Scratch(threading.local):
    """Working memory of a thread: local arrays of the group it runs, and values kept for each item."""

    def __init__(self) -> None:
        self._block: np.ndarray | None = None
        self._size = 0
        self._address = 0

    def address(self, nbytes: int) -> int:
        """Return the address of at least ``nbytes`` bytes, aligned to a cache line."""
        if nbytes > self._size:
            self._size = max(nbytes, 2 * self._size, 1 << 16)
            self._block = np.empty(self._size + 64, np.uint8)
            self._address = -(-self._block.ctypes.data // 64) * 64
        return self._address


scratch = Scratch()
