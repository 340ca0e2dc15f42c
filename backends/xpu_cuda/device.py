"""One CUDA or ROCm device in the contract's five parts, through CuPy."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial, wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from xpu.backend import (
    BackendDevice,
    Compiled,
    CompileError,
    DeviceInfo,
    DeviceLostError,
    LaunchRefused,
    Limits,
    Source,
)

from . import errors
from .geometry import MAX_BLOCKS, block_count, block_dimensions, choose_local

# Contraction is off: the same expression gives the same bits fused or not, and as NumPy. CuPy's RawModule compiles
# with -ftz=true, which would flush float32 subnormals to zero, so its NVRTC call one level below is used.
CUDA_OPTIONS = ("--std=c++17", "--fmad=false")
HIP_OPTIONS = ("-std=c++17", "-O3", "-ffp-contract=off")

_HOST_TO_DEVICE = 1
_DEVICE_TO_HOST = 2
_DEVICE_TO_DEVICE = 3
_FILL_TILE = 4096
_VENDORS = {"0x10de": "NVIDIA", "0x1002": "AMD", "0x1d94": "Hygon"}

P = ParamSpec("P")
R = TypeVar("R")
_kept_after_fork: list[Any] = []


def _on_device(
    method: Callable[Concatenate[CudaDevice, P], R],
) -> Callable[Concatenate[CudaDevice, P], R]:
    """Make the device current for a method, and give the driver's errors xpu's meaning."""

    @wraps(method)
    def wrapper(self: CudaDevice, /, *args: P.args, **kwargs: P.kwargs) -> R:
        if os.getpid() != self._process:
            self._refuse_process()
        try:
            with self._device:
                return method(self, *args, **kwargs)
        except RuntimeError as error:  # CUDARuntimeError and CUDADriverError
            translated = self._translated(error)
            if translated is error:
                raise
            raise translated from error

    return wrapper


class CudaKernel(Compiled):
    """A loaded function, with the image that it came from."""

    def __init__(self, device: CudaDevice, source: Source, image: bytes) -> None:
        driver = device._cupy.cuda.driver
        module = device._cupy.cuda.Module()
        module.load(image)
        self.function = module.get_function(source.name)
        self.source = source
        self._image = image
        pointer = self.function.ptr
        self.max_work_group = driver.funcGetAttribute(driver.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, pointer)
        registers = driver.funcGetAttribute(driver.CU_FUNC_ATTRIBUTE_NUM_REGS, pointer)
        spilled = driver.funcGetAttribute(driver.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, pointer)
        self.private_bytes = 4 * registers + spilled

    def binary(self) -> bytes:
        """Return the cubin (PTX or a code object where the compiler gives these)."""
        return self._image


class CudaDevice(BackendDevice):
    """A device that CuPy lists."""

    def __init__(self, cupy: Any, ordinal: int) -> None:
        self._cupy = cupy
        self._runtime = cupy.cuda.runtime
        self.ordinal = ordinal
        self._hip = bool(self._runtime.is_hip)
        self._device = cupy.cuda.Device(ordinal)
        self._process = os.getpid()
        self.printer = "hip" if self._hip else "cuda"
        properties = self._runtime.getDeviceProperties(ordinal)
        self._architecture = _architecture(properties, self._hip)
        self.info = _info(properties, self._runtime, cupy.__version__, self._hip)
        self.aliases = (self._architecture,)

    def open(self) -> None:
        """Make the device's primary context, and the library table that needs it."""
        from .library import make_library

        with self._device:
            self._runtime.free(0)
        self._stream = self._cupy.cuda.Stream.null
        table = make_library(self._cupy)
        self.library = {name: partial(self._call_library, function) for name, function in table.items()}

    def explain(self, error: BaseException) -> str:
        """Return the remedy for a failed start or probe."""
        return errors.remedy_for(error, self._hip)

    # -- 2. memory

    @_on_device
    def allocate(self, nbytes: int) -> Any:
        """Return a pointer object over a new block, straight from the driver: xpu's own pool is above."""
        memory = self._cupy.cuda.Memory(nbytes)
        return self._cupy.cuda.MemoryPointer(memory, 0)

    def free(self, block: Any) -> None:
        """Give a block back with its last reference; the driver waits for work that still uses it."""
        if os.getpid() != self._process:
            _kept_after_fork.append(block)  # the driver of a forked process must not be called

    @_on_device
    def copy_in(self, block: Any, offset: int, host: np.ndarray) -> None:
        """Copy from the host, complete on return."""
        if host.nbytes:
            self._runtime.memcpy(block.ptr + offset, host.ctypes.data, host.nbytes, _HOST_TO_DEVICE)

    @_on_device
    def copy_out(self, block: Any, offset: int, host: np.ndarray) -> None:
        """Copy to the host, complete on return."""
        if host.nbytes:
            self._runtime.memcpy(host.ctypes.data, block.ptr + offset, host.nbytes, _DEVICE_TO_HOST)

    @_on_device
    def copy_within(self, target: Any, target_offset: int, source: Any, source_offset: int, nbytes: int) -> None:
        """Copy on the device, in order with the launches."""
        if nbytes:
            self._copy(target.ptr + target_offset, source.ptr + source_offset, nbytes)

    def _copy(self, target: int, source: int, nbytes: int) -> None:
        self._runtime.memcpyAsync(target, source, nbytes, _DEVICE_TO_DEVICE, self._stream.ptr)

    @_on_device
    def fill(self, block: Any, offset: int, nbytes: int, pattern: bytes) -> None:
        """Repeat a pattern; the driver itself repeats single bytes only."""
        if nbytes == 0:
            return
        start = block.ptr + offset
        if len(set(pattern)) == 1:
            self._runtime.memsetAsync(start, pattern[0], nbytes, self._stream.ptr)
            return
        # A tile from the host, then copies that double what is done.
        done = min(nbytes, _FILL_TILE)
        tile = np.resize(np.frombuffer(pattern, np.uint8), done)
        self._runtime.memcpy(start, tile.ctypes.data, done, _HOST_TO_DEVICE)
        while done < nbytes:
            step = min(done, nbytes - done)
            self._copy(start + done, start, step)
            done += step

    @_on_device
    def memory_stats(self) -> Mapping[str, int]:
        """Return the driver's count of free and all bytes."""
        free, total = self._runtime.memGetInfo()
        return {"free": int(free), "total": int(total)}

    @_on_device
    def release(self) -> None:
        """Empty the pools of CuPy, which its library functions use."""
        self._cupy.get_default_memory_pool().free_all_blocks()
        self._cupy.get_default_pinned_memory_pool().free_all_blocks()

    # -- 3. code

    @_on_device
    def compile(self, source: Source) -> Compiled:
        """Build with NVRTC or hipRTC."""
        compiler = self._cupy.cuda.compiler
        try:
            image, _ = compiler.compile_using_nvrtc(source.text, self._options, cache_in_memory=True)
        except compiler.CompileException as error:
            raise CompileError(str(error)) from error
        return CudaKernel(self, source, image)

    @_on_device
    def load(self, source: Source, binary: bytes) -> Compiled | None:
        """Load an image of an earlier day; the driver raises where it does not fit."""
        return CudaKernel(self, source, binary)

    @property
    def _options(self) -> tuple[str, ...]:
        return HIP_OPTIONS if self._hip else CUDA_OPTIONS

    def fingerprint(self) -> str:
        """Return driver, card, architecture and compiler options: what an image depends on."""
        return "|".join((self.info.driver, self.info.name, self._architecture, *self._options))

    @_on_device
    def launch(
        self,
        compiled: Compiled,
        global_size: tuple[int, ...],
        local_size: tuple[int, ...] | None,
        arguments: Sequence[Any],
        stream: Any = None,
    ) -> None:
        """Run a kernel; a size that the device chooses is halved until the driver takes it."""
        assert isinstance(compiled, CudaKernel)
        limits = self.info.limits
        if local_size is not None:
            self._launch(compiled, global_size, local_size, arguments, stream)
            return
        limit = compiled.max_work_group
        while True:
            chosen = choose_local(global_size, limit, limits.max_work_items, compiled.source.barriers)
            try:
                self._launch(compiled, global_size, chosen, arguments, stream)
            except LaunchRefused:
                limit = math.prod(chosen) // 2
                if limit == 0:
                    raise
            else:
                return

    def _launch(
        self,
        compiled: CudaKernel,
        global_size: tuple[int, ...],
        local_size: tuple[int, ...],
        arguments: Sequence[Any],
        stream: Any,
    ) -> None:
        block = block_dimensions(local_size)
        blocks = block_count(global_size, local_size)
        self._check_sizes(compiled, block, blocks)
        try:
            compiled.function((blocks,), block, arguments, stream=stream or self._stream)
        except RuntimeError as error:
            if errors.status_of(error) == errors.LAUNCH_OUT_OF_RESOURCES:
                raise LaunchRefused(str(error)) from error
            raise

    def _check_sizes(self, compiled: CudaKernel, block: tuple[int, int, int], blocks: int) -> None:
        x, y, z = block
        allowed = self.info.limits.max_work_items
        if x * y * z > compiled.max_work_group:
            raise LaunchRefused(f"{x * y * z} work-items are more than the {compiled.max_work_group} that fit")
        if x > allowed[0] or y > allowed[1] or z > allowed[2]:
            raise LaunchRefused(f"the most along each axis, last axis first, is {allowed}")
        # ROCm counts the work-items of a whole launch in 32 bits.
        if blocks > MAX_BLOCKS or (self._hip and blocks * x * y * z >= 2**32):
            raise ValueError(f"{blocks:,} work-groups of {x * y * z} work-items are more than one launch can have")

    # -- 4. order

    @_on_device
    def synchronize(self, stream: Any = None) -> None:
        """Wait for a stream, or for all of the device."""
        if stream is None:
            self._runtime.deviceSynchronize()
        else:
            stream.synchronize()

    @_on_device
    def new_stream(self) -> Any:
        """Return a stream that does not wait for the default one."""
        return self._cupy.cuda.Stream(non_blocking=True)

    @_on_device
    def record(self, stream: Any = None) -> Any:
        """Return an event recorded in the stream."""
        event = self._cupy.cuda.Event()
        event.record(stream or self._stream)
        return event

    @_on_device
    def elapsed(self, start: Any, stop: Any) -> float:
        """Return the seconds between two events."""
        stop.synchronize()
        return float(self._cupy.cuda.get_elapsed_time(start, stop)) / 1000  # the driver gives milliseconds

    # -- 5. library

    @_on_device
    def native_array(
        self, block: Any, dtype: np.dtype[Any], shape: tuple[int, ...], strides: tuple[int, ...], offset: int
    ) -> Any:
        """Return CuPy's array over a window of a block."""
        return self._cupy.ndarray(shape, dtype, memptr=block + offset, strides=strides)

    @_on_device
    def _call_library(self, function: Callable[..., Any], *arrays: Any) -> Any:
        with self._stream:  # CuPy works on the stream that the user made current for it; xpu on the default one
            return function(*arrays)

    # -- what went wrong

    def _refuse_process(self) -> None:
        raise DeviceLostError(
            f"{self.info.name} was first used before this process was forked, and its driver does not survive a fork. "
            'Start processes with the "spawn" method: multiprocessing.set_start_method("spawn")'
        )

    def _translated(self, error: RuntimeError) -> Exception:
        status = errors.status_of(error)
        if status == errors.OUT_OF_MEMORY:
            return MemoryError(str(error))
        if status in errors.LOST:
            return DeviceLostError(
                f"{self.info.name} reported {error}, and its context is lost: arrays on it cannot be read any more. "
                "Start a new process; with XPU_DEBUG=1 kernels check every index and name the one that is wrong"
            )
        return error


# ------------------------------------------------------------------------------------------------- what a device is


def _text(value: bytes | str) -> str:
    return value.decode(errors="replace") if isinstance(value, bytes) else value


def _architecture(properties: Mapping[str, Any], hip: bool) -> str:
    if hip and "gcnArchName" in properties:
        return _text(properties["gcnArchName"])
    return f"sm_{properties['major']}{properties['minor']}"


def _info(properties: Mapping[str, Any], runtime: Any, cupy_version: str, hip: bool) -> DeviceInfo:
    memory = int(properties["totalGlobalMem"])
    x, y, z = properties["maxThreadsDim"]
    return DeviceInfo(
        name=_text(properties["name"]),
        vendor=_vendor(properties, hip),
        kind="gpu",
        driver=f"{_driver(runtime, hip)}, CuPy {cupy_version}",
        memory=memory,
        compute_units=int(properties["multiProcessorCount"]),
        fp64=True,
        fp16=hip or (properties["major"], properties["minor"]) >= (5, 3),
        unified_memory=bool(properties.get("integrated", 0)),
        atomics64=True,
        limits=Limits(
            max_work_group=int(properties["maxThreadsPerBlock"]),
            max_work_items=(int(x), int(y), int(z)),
            local_memory=int(properties["sharedMemPerBlock"]),
            max_allocation=memory,
            max_parameter_bytes=4096,
        ),
    )


def _driver(runtime: Any, hip: bool) -> str:
    version = runtime.driverGetVersion()
    if hip:  # major * 10^7 + minor * 10^5 + patch
        return f"ROCm {version // 10**7}.{version // 10**5 % 100}"
    return f"CUDA {version // 1000}.{version % 1000 // 10}"


def _vendor(properties: Mapping[str, Any], hip: bool) -> str:
    if not hip:
        return "NVIDIA"
    slot = "{pciDomainID:04x}:{pciBusID:02x}:{pciDeviceID:02x}.0".format(**properties)
    try:
        code = Path(f"/sys/bus/pci/devices/{slot}/vendor").read_text(encoding="ascii").strip()
    except OSError:
        return "AMD"
    return _VENDORS.get(code, "AMD")
