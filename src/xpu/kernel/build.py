"""From a typed kernel to something that runs: print, look in the caches, compile, launch."""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Any

from ..backend import Compiled, CompileError, LaunchRefused, Source
from ..config import config
from ..errors import KernelCompileError, KernelLaunchError
from . import abi, ir, sizes
from .printers import digest, print_kernel

if TYPE_CHECKING:
    from ..device import Device

_SUFFIX = {"opencl": "cl", "cuda": "cu", "hip": "hip", "numba": "py", "interpreter": "py"}


class Executable:
    """A compiled kernel on one device."""

    __slots__ = ("allowed", "compiled", "debug", "device", "kernel", "source")

    def __init__(self, kernel: ir.Kernel, source: Source, compiled: Compiled, device: Device, debug: bool) -> None:
        self.kernel = kernel
        self.source = source
        self.compiled = compiled
        self.device = device
        self.debug = debug
        self.allowed = min(compiled.max_work_group, device.info.limits.max_work_group)
        """Work-items in a group at most; lowered when the device refuses more."""

    def run(
        self,
        global_size: tuple[int, ...],
        local_size: tuple[int, ...] | None,
        arguments: Sequence[Any],
        stream: Any = None,
    ) -> None:
        """Launch over ``global_size`` work-items; ``arguments`` are Views and NumPy scalars, one a parameter.

        Where the local size does not divide the global one, more work-items are started; those beyond ``global_size``
        return at once (kernels with barriers must divide). Work-groups that the device refuses are tried smaller where
        the choice was xpu's; a size the caller chose is an error.
        """
        if 0 in global_size:
            return
        launched = global_size
        chosen = local_size
        if local_size is not None:
            launched = self._check(global_size, local_size)
        elif self.source.barriers:
            chosen = sizes.choose_local(global_size, self.device.info.limits, self.allowed)
        error = self.device.error_block(self) if self.debug else None
        flat = abi.flatten(self.kernel, global_size, list(arguments), error)
        self.start(launched, chosen, flat, stream, fixed=local_size is not None)

    def start(
        self,
        launched: tuple[int, ...],
        chosen: tuple[int, ...] | None,
        flat: list[Any],
        stream: Any = None,
        *,
        fixed: bool = False,
    ) -> None:
        """Launch with arguments that are flat already (see :mod:`xpu.kernel.abi`); a fixed group size is never lowered."""
        launch = self.device.backend_device.launch
        while True:
            try:
                launch(self.compiled, launched, chosen, flat, stream)
            except LaunchRefused as refusal:
                if fixed or self.allowed <= 1:
                    raise self._refused(chosen, refusal) from None
                self.allowed = min(self.allowed, math.prod(chosen) if chosen else self.allowed) // 2
                chosen = sizes.choose_local(launched, self.device.info.limits, self.allowed)
            else:
                return

    def _check(self, global_size: tuple[int, ...], local_size: tuple[int, ...]) -> tuple[int, ...]:
        """Return the size to launch with groups that the caller chose; raise if that cannot be."""
        if self.source.barriers:
            sizes.check_division(self.kernel.name, global_size, local_size)
        if math.prod(local_size) > self.allowed:
            raise self._refused(local_size, f"{math.prod(local_size)} work-items are too many")
        return sizes.round_up(global_size, local_size)

    def _refused(self, local_size: tuple[int, ...] | None, why: Any) -> KernelLaunchError:
        return KernelLaunchError(
            f"kernel {self.kernel.name!r}: {self.device} refuses work-groups of {local_size}: {why}; this kernel "
            f"allows at most {self.allowed} work-items in a group. Leave the local size out to have it chosen"
        )


class BuildStatistics:
    """How many kernels were printed, compiled, and found in the disk cache, in this process."""

    def __init__(self) -> None:
        self.compiled = 0
        self.from_disk = 0
        self.seconds = 0.0
        """Spent on compiling and loading."""

    def __repr__(self) -> str:
        return f"BuildStatistics(compiled={self.compiled}, from_disk={self.from_disk})"


statistics = BuildStatistics()
MAX_KERNELS = 1024
"""Kernels that a device keeps loaded (1 MB each and more, on some drivers); then all are let go, and come back from disk."""
_lock = threading.RLock()


def build(kernel: ir.Kernel, device: Device, debug: bool | None = None) -> Executable:
    """Compile a typed kernel for a device, or take it from the device's cache or the disk.

    Raises
    ------
    KernelCompileError
        If the device's compiler refuses the printed source; the message has its log and the source.
    """
    debug = config.debug if debug is None else debug
    backend = device.backend_device
    source = print_kernel(kernel, backend.printer, device.info, debug)
    key = digest(source)
    with _lock:
        known: Executable | None = device.kernels.get(key)
        if known is not None:
            return known
        if config.dump:
            dump(source, key)
        if len(device.kernels) >= MAX_KERNELS:
            device.forget_kernels()
        start = perf_counter()
        compiled = _load(source, key, device) or _compile(source, key, device)
        statistics.seconds += perf_counter() - start
        executable = Executable(kernel, source, compiled, device, debug)
        device.kernels[key] = executable
    return executable


def _load(source: Source, key: str, device: Device) -> Compiled | None:
    from . import cache

    binary = cache.read(key, device.fingerprint)
    if binary is None:
        return None
    try:
        compiled = device.backend_device.load(source, binary)
    except Exception:  # a binary of another day or another driver: costs a compilation
        compiled = None
    if compiled is not None:
        statistics.from_disk += 1
    return compiled


def _compile(source: Source, key: str, device: Device) -> Compiled:
    from . import cache

    try:
        compiled = device.backend_device.compile(source)
    except CompileError as error:
        raise KernelCompileError(
            f"{device} could not compile kernel {source.name!r}:\n{error}\n\n{numbered(source.text)}"
        ) from None
    statistics.compiled += 1
    binary = compiled.binary()
    if binary is not None:
        cache.write(key, device.fingerprint, binary)
    return compiled


def numbered(text: str) -> str:
    """Return a source with line numbers, as compilers' messages count them."""
    return "\n".join(f"{number:4d}  {line}" for number, line in enumerate(text.splitlines(), 1))


def dump(source: Source, key: str) -> None:
    """Write a generated source into the folder named by ``XPU_DUMP``."""
    folder = Path(str(config.dump)).expanduser()
    folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"\W+", "_", source.name)
    (folder / f"{name}_{key[:8]}.{_SUFFIX.get(source.language, 'txt')}").write_text(source.text, encoding="utf-8")
