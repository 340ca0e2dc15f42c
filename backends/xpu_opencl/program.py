"""Compiling and launching on OpenCL."""

from __future__ import annotations

import hashlib
import os
import tempfile
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from xpu.backend import Compiled, CompileError, LaunchRefused, Source

from .leak import keep_forever as keep_forever  # noqa: PLC0414
from .shape import Shapes

if TYPE_CHECKING:
    from .device import OpenCLDevice


def build_options(platform: str, correct_division: bool) -> bytes:
    """Return the compiler's options: no warnings, IEEE division where it must be asked for, a platform's needs."""
    options = ["-w"]
    if correct_division:
        options.append("-cl-fp32-correctly-rounded-divide-sqrt")
    if "oclgrind" in platform.lower():  # it cannot run the intrinsics that LLVM's optimiser makes (llvm.abs)
        options += ["-cl-opt-disable", "-D XPU_NO_RACES"]
    return " ".join(options).encode()


def compile_source(device: OpenCLDevice, source: Source) -> OpenCLKernel:
    """Build a printed kernel; raise ``CompileError`` with the log."""
    cl = device._cl
    raw = cl._Program(device.context, source.text)
    return OpenCLKernel(device, source, _build(device, raw))


def load_binary(device: OpenCLDevice, source: Source, binary: bytes) -> OpenCLKernel | None:
    """Return the kernel of a stored binary, or None where it does not fit."""
    cl = device._cl
    payload = unsealed(binary)
    if payload is None:
        return None
    try:
        raw = cl._Program(device.context, [device.device], [payload])
        return OpenCLKernel(device, source, _build(device, raw), binary)
    except (cl.Error, CompileError):
        return None


_SEAL = b"xpu-opencl-1"


def sealed(payload: bytes) -> bytes:
    """Return a driver's binary with a checksum: some drivers (PoCL) crash on a damaged one."""
    return _SEAL + hashlib.sha256(payload).digest() + payload


def unsealed(binary: bytes) -> bytes | None:
    """Return the driver's binary, or None where it is damaged."""
    start = len(_SEAL) + 32
    payload = binary[start:]
    return payload if payload and binary[:start] == sealed(payload)[:start] else None


def _build(device: OpenCLDevice, raw: Any) -> Any:
    cl = device._cl
    platform = device.platform.name.lower()
    with hidden_messages("portable" in platform or "oclgrind" in platform) as said:
        try:
            # pyopencl's own build() warns of every message and keeps a cache of its own.
            if hasattr(raw, "_build"):
                raw._build(device.options, [device.device])
            else:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    raw.build(device.options, [device.device])
            return raw
        except cl.Error as error:
            failure = error
    log = _log(cl, raw, device.device)
    texts = [text.strip() for text in (log, said[0] if said else "") if text.strip()]
    raise CompileError("\n".join([*texts, str(failure)])) from failure


def _log(cl: Any, raw: Any, device: Any) -> str:
    try:
        return str(raw.get_build_info(device, cl.program_build_info.LOG) or "")
    except cl.Error:
        return ""


_stderr_lock = threading.Lock()


@contextmanager
def hidden_messages(wanted: bool) -> Iterator[list[str]]:
    """Catch what a library writes to the process's standard error (PoCL and Oclgrind do); the list receives it at the end."""
    said: list[str] = []
    if not wanted:
        yield said
        return
    with _stderr_lock, tempfile.TemporaryFile() as file:
        try:
            saved = os.dup(2)
        except OSError:  # there is no standard error
            yield said
            return
        os.dup2(file.fileno(), 2)
        try:
            yield said
        finally:
            os.dup2(saved, 2)
            os.close(saved)
            file.seek(0)
            said.append(file.read().decode("utf-8", "replace"))


class OpenCLKernel(Compiled):
    """A built kernel. Arguments are a state of OpenCL's kernel object, so one launch at a time sets them."""

    def __init__(self, device: OpenCLDevice, source: Source, raw: Any, binary: bytes | None = None) -> None:
        cl = device._cl
        self._cl = cl
        self._device = device
        self._program = raw
        self._binary = binary
        self._kernel = cl.Kernel(raw, source.name)
        self._lock = threading.Lock()
        asked = cl.kernel_work_group_info
        self.max_work_group = int(self._kernel.get_work_group_info(asked.WORK_GROUP_SIZE, device.device))
        self.private_bytes = _private_bytes(cl, self._kernel, device.device)
        self._shapes = Shapes(device.info, self.max_work_group, source.barriers)
        self._set_up(source)

    def _set_up(self, source: Source) -> None:
        """Prepare the lists in which the positions of arguments alternate with their values."""
        buffers = [i for i, parameter in enumerate(source.parameters) if parameter.kind == "buffer"]
        scalars = [i for i, parameter in enumerate(source.parameters) if parameter.kind == "scalar"]
        self._buffers = buffers
        self._buffer_slots = _slots(buffers)
        self._scalar_slots = _slots(scalars)
        self._pick_scalars = itemgetter(*scalars) if len(scalars) > 1 else lambda args: (args[scalars[0]],)
        self._together = hasattr(self._kernel, "_set_arg_multi") and hasattr(self._kernel, "_set_arg_buf_multi")
        refused = self._cl.status_code
        self._refusals = (
            refused.INVALID_WORK_GROUP_SIZE,
            refused.INVALID_WORK_ITEM_SIZE,
            refused.OUT_OF_RESOURCES,
        )

    def binary(self) -> bytes | None:
        if self._binary is None:
            try:
                payload = bytes(self._program.get_info(self._cl.program_info.BINARIES)[0])
            except (self._cl.Error, IndexError):
                return None
            self._binary = sealed(payload) if payload else b""
        return self._binary or None

    def launch(
        self, queue: Any, global_size: tuple[int, ...], local_size: tuple[int, ...] | None, arguments: Sequence[Any]
    ) -> None:
        if local_size is not None:
            self._enqueue(queue, global_size[::-1], local_size[::-1], arguments)
            return
        while True:
            rounded, chosen = self._shapes.choose(global_size)
            try:
                self._enqueue(queue, rounded, chosen, arguments)
                return
            except LaunchRefused:
                if not self._shapes.shrink():
                    raise

    def _enqueue(self, queue: Any, sizes: tuple[int, ...], local: tuple[int, ...], arguments: Sequence[Any]) -> None:
        """Launch with sizes in OpenCL's order."""
        cl = self._cl
        try:
            with self._lock:
                self._set_arguments(arguments)
                cl.enqueue_nd_range_kernel(queue, self._kernel, sizes, local)
        except cl.Error as error:
            if error.code == cl.status_code.MEM_OBJECT_ALLOCATION_FAILURE:
                raise MemoryError(str(error)) from error
            if error.code in self._refusals:
                raise LaunchRefused(str(error)) from error
            raise

    def _set_arguments(self, arguments: Sequence[Any]) -> None:
        kernel = self._kernel
        if not self._together:
            for position, value in enumerate(arguments):
                kernel.set_arg(position, value.buffer if hasattr(value, "buffer") else value)
            return
        slots = self._buffer_slots.copy()
        slots[1::2] = [arguments[i].buffer for i in self._buffers]
        kernel._set_arg_multi(tuple(slots))
        slots = self._scalar_slots.copy()
        slots[1::2] = self._pick_scalars(arguments)
        kernel._set_arg_buf_multi(tuple(slots))


def _slots(positions: list[int]) -> list[Any]:
    slots: list[Any] = [None] * (2 * len(positions))
    slots[::2] = positions
    return slots


def _private_bytes(cl: Any, kernel: Any, device: Any) -> int | None:
    try:
        return int(kernel.get_work_group_info(cl.kernel_work_group_info.PRIVATE_MEM_SIZE, device))
    except cl.Error:
        return None
