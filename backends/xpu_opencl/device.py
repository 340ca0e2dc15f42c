"""One OpenCL device: what it is, memory, code, order."""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from xpu.backend import BackendDevice, Compiled, DeviceInfo, DeviceLostError, Limits, Source

from . import program
from .explain import explain
from .memory import Block, Blocks

PLATFORM_WORDS = {
    "intel": "intel",
    "portable computing language": "pocl",
    "pocl": "pocl",
    "rusticl": "rusticl",
    "clover": "clover",
    "nvidia": "nvidia",
    "amd": "amd",
    "oclgrind": "oclgrind",
    "apple": "apple",
    "arm": "arm",
    "qualcomm": "qualcomm",
}
_VENDOR_WORDS = {"nvidia": "nvidia", "amd": "amd", "advanced micro devices": "amd", "radeon": "amd", "intel": "intel"}
_CORRECT_DIVISION = 1 << 7
"""The bit CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT."""

_MOST_QUEUES = 64
"""Queues remembered, to be waited for when the process ends; they cannot be referred to weakly."""


class OpenCLDevice(BackendDevice):
    """A device of one OpenCL platform, with one context and one queue that runs in order."""

    printer = "opencl"
    blocks_class: type[Blocks] = Blocks

    def __init__(self, platform: Any, device: Any) -> None:
        import pyopencl as cl

        self._cl = cl
        self.platform = platform
        self.device = device
        self.info = _describe(cl, platform, device)
        self.aliases = _aliases(platform, self.info)
        self._lock = threading.RLock()
        self._pid = os.getpid()
        self.context: Any = None
        self.queue: Any = None
        self.blocks: Blocks = None  # type: ignore[assignment]  # made by open()
        self.options = b""
        self._clock: bool | None = None
        self._queues: list[Any] = []

    def open(self) -> None:
        cl = self._cl
        with self._lock:
            if self.queue is not None:
                return
            self._pid = os.getpid()
            self.context = cl.Context([self.device])
            self.queue = self.new_stream()
            self.blocks = self.blocks_class(cl, self.context, self.queue, self.info)
            config = self.device.single_fp_config
            self.options = program.build_options(self.platform.name, bool(config & _CORRECT_DIVISION))
            if not _opened:
                atexit.register(_finish_everything)
            _opened.append(self)

    def explain(self, error: BaseException) -> str:
        return explain(self.platform.name, error)

    def check_process(self) -> None:
        """Refuse to work in a forked child: the driver's threads stayed in the parent."""
        if self._pid != os.getpid():
            raise DeviceLostError(
                f"{self.info.name}: an OpenCL device opened before a fork cannot be used in the child process; start "
                'processes with multiprocessing.get_context("spawn"), or open the device in the child only'
            )

    # -- 2. memory

    def allocate(self, nbytes: int) -> Block:
        self.check_process()
        return self.blocks.allocate(nbytes)

    def free(self, block: Block) -> None:
        if self._pid == os.getpid():
            self.blocks.free(block)

    def copy_in(self, block: Block, offset: int, host: np.ndarray) -> None:
        self.check_process()
        self.blocks.copy_in(block, offset, host)

    def copy_out(self, block: Block, offset: int, host: np.ndarray) -> None:
        self.check_process()
        self.blocks.copy_out(block, offset, host)

    def copy_within(self, target: Block, target_offset: int, source: Block, source_offset: int, nbytes: int) -> None:
        self.check_process()
        self.blocks.copy_within(target, target_offset, source, source_offset, nbytes)

    def fill(self, block: Block, offset: int, nbytes: int, pattern: bytes) -> None:
        self.check_process()
        self.blocks.fill(block, offset, nbytes, pattern)

    def host_view(self, block: Block) -> np.ndarray | None:
        return block.host

    def adopt(self, host: np.ndarray) -> Block | None:
        self.check_process()
        return self.blocks.adopt(host)

    def memory_stats(self) -> Mapping[str, int]:
        return self.blocks.stats(self.device)

    def release(self) -> None:
        if self._pid == os.getpid():
            self.blocks.release()

    # -- 3. code

    def compile(self, source: Source) -> Compiled:
        self.check_process()
        return program.compile_source(self, source)

    def load(self, source: Source, binary: bytes) -> Compiled | None:
        self.check_process()
        return program.load_binary(self, source, binary)

    def fingerprint(self) -> str:
        device = self.device
        parts = (self.platform.name, self.platform.version, device.name, device.version, device.driver_version)
        return "|".join((*(part.strip() for part in parts), self.options.decode()))

    def launch(
        self,
        compiled: Compiled,
        global_size: tuple[int, ...],
        local_size: tuple[int, ...] | None,
        arguments: Sequence[Any],
        stream: Any = None,
    ) -> None:
        if _forked:
            self.check_process()
        compiled.launch(stream or self.queue, global_size, local_size, arguments)  # type: ignore[attr-defined]

    # -- 4. order

    def synchronize(self, stream: Any = None) -> None:
        self.check_process()
        if stream is not None:
            stream.finish()
            return
        self.queue.finish()
        self.blocks.retire()

    def new_stream(self) -> Any:
        queue = self._cl.CommandQueue(self.context, properties=self._cl.command_queue_properties.PROFILING_ENABLE)
        self._queues.append(queue)
        if len(self._queues) > _MOST_QUEUES:  # the first is the device's own
            self._queues.pop(1).finish()
        return queue

    def finish(self) -> None:
        """Wait for the work of every queue, also those of streams; before the process ends."""
        if self._pid != os.getpid():
            return
        for queue in self._queues:
            queue.finish()

    def record(self, stream: Any = None) -> Any:
        self.check_process()
        queue = stream or self.queue
        if not self._has_clock():
            queue.finish()
            return time.perf_counter()
        event = self._cl.enqueue_marker(queue)
        queue.flush()
        return event

    def _has_clock(self) -> bool:
        """Try once whether the driver tells when a marker was reached (Mesa 22's Rusticl does not)."""
        if self._clock is None:
            with self._lock:
                try:
                    times = []
                    for _ in range(2):
                        event = self._cl.enqueue_marker(self.queue)
                        self.queue.finish()
                        times.append(event.profile.end)
                        time.sleep(1e-3)
                    self._clock = 5e5 < times[1] - times[0] < 1e10
                except self._cl.Error:
                    self._clock = False
        return self._clock

    def elapsed(self, start: Any, stop: Any) -> float:
        if isinstance(stop, float):
            return float(stop - start)
        stop.wait()
        return 1e-9 * float(stop.profile.end - start.profile.end)


# ------------------------------------------------------------------------------------------------ describing


def _describe(cl: Any, platform: Any, device: Any) -> DeviceInfo:
    kind = _kind(cl, device)
    extensions = set(device.extensions.split())
    sizes = tuple(int(n) for n in device.max_work_item_sizes[:3])
    x, y, z = (*sizes, 1, 1, 1)[:3]
    lanes = int(device.native_vector_width_float)
    limits = Limits(
        max_work_group=int(device.max_work_group_size),
        max_work_items=(x, y, z),
        local_memory=int(device.local_mem_size),
        max_allocation=int(device.max_mem_alloc_size),
        max_parameter_bytes=int(device.max_parameter_size),
        vector_bytes=min(4 * lanes, 64) if kind == "cpu" and lanes > 1 else 0,
    )
    return DeviceInfo(
        name=device.name.strip(),
        vendor=device.vendor.strip(),
        kind=kind,
        driver=_driver(platform, device),
        memory=int(device.global_mem_size),
        compute_units=int(device.max_compute_units),
        fp64="cl_khr_fp64" in extensions,
        fp16="cl_khr_fp16" in extensions,
        unified_memory=kind == "cpu" or bool(device.host_unified_memory),
        atomics64={"cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics"} <= extensions,
        limits=limits,
    )


def _kind(cl: Any, device: Any) -> Any:
    if device.type & cl.device_type.GPU:
        return "gpu"
    return "cpu" if device.type & cl.device_type.CPU else "accelerator"


def _driver(platform: Any, device: Any) -> str:
    name = platform.name.strip()
    short = {"Portable Computing Language": "PoCL", "Intel(R) OpenCL": "Intel OpenCL"}.get(name, name)
    return f"{short} {device.driver_version.strip()}"


def platform_word(name: str) -> str:
    """Return the word by which users call a platform."""
    lowered = name.lower()
    for part, word in PLATFORM_WORDS.items():
        if part in lowered:
            return word
    return lowered.split()[0] if lowered.split() else "opencl"


def _aliases(platform: Any, info: DeviceInfo) -> tuple[str, ...]:
    words = [platform_word(platform.name)]
    if info.kind != "cpu":  # a CPU's maker says nothing of the implementation: PoCL runs on Intel's processors too
        lowered = f"{info.vendor} {info.name}".lower()
        words += [word for part, word in _VENDOR_WORDS.items() if part in lowered]
    return tuple(dict.fromkeys([*words, info.kind]))


# ------------------------------------------------------------------------------------------------ at the end


def _finish_everything() -> None:
    """Let no kernel run while the process tears its libraries down: Mesa's driver crashes then."""
    for device in _opened:
        with contextlib.suppress(Exception):  # a device lost on the way out has nothing more to do
            device.finish()


# ----------------------------------------------------------------------------------------------- after a fork

_opened: list[OpenCLDevice] = []
_forked = False


def _after_fork() -> None:
    """In a child: never touch what the driver made, not even to free it (its threads are not here)."""
    global _forked
    _forked = True
    for device in _opened:
        program.keep_forever(device.context)
        program.keep_forever(device.queue)
        device.blocks.keep_forever()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
