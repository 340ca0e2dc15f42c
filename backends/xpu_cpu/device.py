"""The CPU as a device: memory, code, order, library."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from xpu.backend import BackendDevice, Compiled, DeviceInfo, LaunchRefused, Limits, Source

from .blocks import Block
from .diagnosis import MISSING_NUMBA, memory_bytes, processor_name
from .kernel import CpuKernel
from .library import LIBRARY
from .threads import limit

MAX_WORK_GROUP = 1024
LOCAL_MEMORY = 256 * 1024


def _threads() -> int:
    try:
        return limit()
    except ValueError:
        return os.cpu_count() or 1


class CpuDevice(BackendDevice):
    """The host's processor; all work is done when a call returns."""

    printer = "numba"
    aliases = ("host",)
    library = LIBRARY

    # -- 1. what it is

    def __init__(self) -> None:
        memory = memory_bytes()
        name, vendor = processor_name()
        limits = Limits(
            max_work_group=MAX_WORK_GROUP,
            max_work_items=(MAX_WORK_GROUP, MAX_WORK_GROUP, MAX_WORK_GROUP),
            local_memory=LOCAL_MEMORY,
            max_allocation=memory,
            max_parameter_bytes=1 << 16,
        )
        self.info = DeviceInfo(
            name=name,
            vendor=vendor,
            kind="cpu",
            driver=f"NumPy {np.__version__}",
            memory=memory,
            compute_units=_threads(),
            unified_memory=True,
            limits=limits,
        )

    def open(self) -> None:
        limit()  # a malformed XPU_NUM_THREADS makes the device unusable, with that reason

    def explain(self, error: BaseException) -> str:
        if isinstance(error, ImportError) or "No module named" in str(error):
            return MISSING_NUMBA
        return ""

    # -- 2. memory

    def allocate(self, nbytes: int) -> Block:
        return Block.new(nbytes)

    def free(self, block: Block) -> None:
        pass

    def copy_in(self, block: Block, offset: int, host: np.ndarray) -> None:
        block.bytes[offset : offset + host.size] = host

    def copy_out(self, block: Block, offset: int, host: np.ndarray) -> None:
        host[...] = block.bytes[offset : offset + host.size]

    def copy_within(self, target: Block, target_offset: int, source: Block, source_offset: int, nbytes: int) -> None:
        part = source.bytes[source_offset : source_offset + nbytes]
        target.bytes[target_offset : target_offset + nbytes] = part

    def fill(self, block: Block, offset: int, nbytes: int, pattern: bytes) -> None:
        window = block.bytes[offset : offset + nbytes]
        if pattern.count(pattern[0]) == len(pattern):
            window[...] = pattern[0]
            return
        whole = nbytes - nbytes % len(pattern)
        window[:whole].reshape(-1, len(pattern))[...] = np.frombuffer(pattern, np.uint8)
        window[whole:] = np.frombuffer(pattern, np.uint8)[: nbytes - whole]

    def host_view(self, block: Block) -> np.ndarray:
        return block.bytes

    def adopt(self, host: np.ndarray) -> Block | None:
        flags = host.flags
        if not (flags.c_contiguous and flags.writeable and flags.aligned):
            return None
        return Block(host.reshape(-1).view(np.uint8))

    def memory_stats(self) -> Mapping[str, int]:
        stats = {"total": self.info.memory}
        try:
            stats["free"] = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        except (AttributeError, ValueError, OSError):
            pass
        return stats

    # -- 3. code

    def compile(self, source: Source) -> CpuKernel:
        from .compiler import compile_source

        return compile_source(source)

    def load(self, source: Source, binary: bytes) -> Compiled | None:
        from .compiler import load_binary

        return load_binary(source, binary)

    def fingerprint(self) -> str:
        from .compiler import fingerprint

        return fingerprint()

    def launch(
        self,
        compiled: Compiled,
        global_size: tuple[int, ...],
        local_size: tuple[int, ...] | None,
        arguments: Sequence[Any],
        stream: Any = None,
    ) -> None:
        assert isinstance(compiled, CpuKernel)
        if local_size is not None:
            count = 1
            for extent in local_size:
                count *= extent
            if count > compiled.max_work_group:
                raise LaunchRefused(f"{count} work-items in a group")
        compiled.launch(global_size, local_size, arguments)

    # -- 4. order

    def synchronize(self, stream: Any = None) -> None:
        pass
