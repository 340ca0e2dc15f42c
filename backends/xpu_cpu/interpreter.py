"""The interpreter as a device: the smallest complete backend, and a model for new ones.

Memory is NumPy bytes, a compiled kernel is Python code, and everything has happened when a call returns.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from xpu.backend import Backend, BackendDevice, Compiled, DeviceInfo, LaunchRefused, Layer, Limits, Source
from xpu.kernel.interpreter import Block, Program


class InterpretedKernel(Compiled):
    """A kernel as Python code."""

    def __init__(self, source: Source) -> None:
        self.program = Program(source.ir)


class InterpreterDevice(BackendDevice):
    """Runs kernels work-item by work-item and checks everything they do."""

    printer = "interpreter"
    listed = False
    pool_limit = 0
    aliases = ("interp", "debug")

    # -- 1. what it is

    def __init__(self) -> None:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 2**32
        limits = Limits(local_memory=1 << 20)
        self.info = DeviceInfo(
            "Python interpreter",
            "xpu",
            "cpu",
            driver=f"NumPy {np.__version__}",
            memory=memory,
            fp16=True,
            limits=limits,
        )

    # -- 2. memory

    def allocate(self, nbytes: int) -> Block:
        return Block(nbytes)

    def free(self, block: Block) -> None:
        pass

    def copy_in(self, block: Block, offset: int, host: np.ndarray) -> None:
        block.write(offset, host)

    def copy_out(self, block: Block, offset: int, host: np.ndarray) -> None:
        block.read(offset, host)

    def copy_within(self, target: Block, target_offset: int, source: Block, source_offset: int, nbytes: int) -> None:
        target.copy(target_offset, source, source_offset, nbytes)

    def fill(self, block: Block, offset: int, nbytes: int, pattern: bytes) -> None:
        block.fill(offset, nbytes, pattern)

    # -- 3. code

    def compile(self, source: Source) -> InterpretedKernel:
        return InterpretedKernel(source)

    def launch(
        self,
        compiled: Compiled,
        global_size: tuple[int, ...],
        local_size: tuple[int, ...] | None,
        arguments: Sequence[Any],
        stream: Any = None,
    ) -> None:
        assert isinstance(compiled, InterpretedKernel)
        limit = self.info.limits.max_work_group
        if local_size is not None and np.prod(local_size) > limit:
            raise LaunchRefused(f"at most {limit} work-items in a group")
        compiled.program.run(global_size, local_size, arguments, limit)

    # -- 4. order

    def synchronize(self, stream: Any = None) -> None:
        pass


class InterpreterBackend(Backend):
    """Always there; has one device."""

    name: ClassVar[str] = "interpreter"

    def devices(self) -> Sequence[BackendDevice]:
        return [InterpreterDevice()]

    def diagnose(self) -> Layer:
        return Layer("Python interpreter", True, "for debugging kernels: checks every access")
