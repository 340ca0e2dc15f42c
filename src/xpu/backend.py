"""The contract: all that a backend owes xpu, and all that it may know of it.

A backend is one import package with two classes. :class:`Backend` finds devices and explains why there are none;
:class:`BackendDevice` has the five parts: what it is, memory, code, order, and an optional library. Parts one to four
give a device the whole of xpu, through the portable kernels. Pools, retries, probes, caches and argument checks live
above this line, written once.

A package announces itself by an entry point in the group ``xpu.backends``::

    [project.entry-points."xpu.backends"]
    mine = "my_package:MyBackend"

``docs/backends.md`` teaches how to write one.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np

# For backends to raise: the device is gone for this process.
from .errors import DeviceLostError as DeviceLostError  # noqa: PLC0414

ENTRY_POINT_GROUP = "xpu.backends"

Kind = Literal["cpu", "gpu", "accelerator"]


# ---------------------------------------------------------------------------------------------- 1. what it is


@dataclass(frozen=True, slots=True)
class Limits:
    """What a device cannot exceed, and what it likes."""

    max_work_group: int = 1024
    """Work-items in one group; a compiled kernel may allow fewer (:attr:`Compiled.max_work_group`)."""
    max_work_items: tuple[int, int, int] = (1024, 1024, 64)
    """The same for each axis, in the language's order reversed: fastest axis first, as drivers say it."""
    local_memory: int = 32768
    """Bytes of local memory a group can have."""
    max_allocation: int = 2**63 - 1
    """Bytes in one allocation."""
    max_parameter_bytes: int = 4096
    """Bytes of arguments one kernel can take."""
    vector_bytes: int = 0
    """Width of the short vectors that make element-wise kernels fast; 0 where scalars are as fast (GPUs, LLVM)."""


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """What a device says of itself."""

    name: str
    vendor: str
    kind: Kind
    driver: str = ""
    """Implementation and version, for people: ``"PoCL 3.1"``."""
    memory: int = 0
    """Bytes of device memory."""
    compute_units: int = 1
    fp64: bool = True
    fp16: bool = False
    """Arithmetic in hardware; float16 is stored everywhere, and computed in float32 where this is False."""
    unified_memory: bool = False
    """Whether host and device share memory."""
    atomics64: bool = True
    """Whether 64-bit integer atomics exist."""
    limits: Limits = field(default_factory=Limits)


@dataclass(slots=True)
class Layer:
    """One layer of driver, runtime and package below a backend: a node of the tree that ``xpu info`` prints."""

    name: str
    ok: bool | None
    """True: works. False: broken or missing. None: could not be judged, or does not matter."""
    detail: str = ""
    remedy: str = ""
    """What the user types or installs to mend it."""
    children: list[Layer] = field(default_factory=list)

    def first_broken(self) -> Layer | None:
        """Return the lowest layer that is broken, deepest first: the one to mend."""
        for child in self.children:
            broken = child.first_broken()
            if broken is not None:
                return broken
        return self if self.ok is False else None


# ------------------------------------------------------------------------------------------------- 3. code


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a compiled kernel, in the order of its signature."""

    name: str
    kind: Literal["buffer", "scalar"]
    dtype: np.dtype[Any]


@dataclass(frozen=True, slots=True)
class Source:
    """A printed kernel, ready for a device's compiler."""

    name: str
    """The entry point; starts with ``xpu_`` so that profilers show whose a kernel is."""
    text: str
    language: str
    """The printer's name: ``opencl``, ``cuda``, ``hip``, ``numba`` or ``interpreter``."""
    parameters: tuple[Parameter, ...]
    rank: int
    """Axes of the index space, 1 to 3."""
    local_bytes: int = 0
    barriers: bool = False
    ir: Any = None
    """The typed kernel itself, for backends that interpret."""


class Compiled(ABC):
    """A kernel that a device can launch."""

    max_work_group: int = 1024
    """The most work-items a group of *this* kernel may have."""
    private_bytes: int | None = None
    """Registers or private memory for a work-item, where the device tells."""

    def binary(self) -> bytes | None:
        """Return what :meth:`BackendDevice.load` takes to skip the compiler, or None."""
        return None


class CompileError(Exception):
    """The device's compiler refused a source; the message is the compiler's log."""


class LaunchRefused(Exception):
    """The device refused a work-group size; xpu tries a smaller one."""


# ------------------------------------------------------------------------------------------------ the device


class BackendDevice(ABC):
    """One device, in five parts.

    Creating the object is cheap and touches no driver context; :meth:`open` does. Every method may be called from any
    thread. ``stream`` is what :meth:`new_stream` returned, or None for the device's default stream, which runs its
    work in order.
    """

    # -- 1. what it is

    info: DeviceInfo
    aliases: tuple[str, ...] = ()
    """Further words by which users call this device: its platform, its vendor (``("pocl",)``)."""
    listed: bool = True
    """Whether ``xp.devices()`` lists it; devices for debugging are reached by name only."""
    pool_limit: int | None = None
    """Bytes of free blocks that xpu keeps for reuse; None: a quarter of the device's memory; 0: none, each block is fresh."""

    def open(self) -> None:  # noqa: B027
        """Make contexts and queues. Called once before any other method below; raise on failure."""

    def explain(self, error: BaseException) -> str:
        """Return the remedy for a failed :meth:`open` or probe; empty where none is known."""
        return ""

    # -- 2. memory

    @abstractmethod
    def allocate(self, nbytes: int) -> Any:
        """Return a new block of at least ``nbytes`` (> 0) bytes; raise ``MemoryError`` where there is no room."""

    @abstractmethod
    def free(self, block: Any) -> None:
        """Give a block back. Work queued before may still use it: the device must allow for that."""

    @abstractmethod
    def copy_in(self, block: Any, offset: int, host: np.ndarray) -> None:
        """Copy a contiguous uint8 array to ``block`` at byte ``offset``; the host array is free on return."""

    @abstractmethod
    def copy_out(self, block: Any, offset: int, host: np.ndarray) -> None:
        """Copy from ``block`` at byte ``offset`` into a contiguous uint8 array, complete on return."""

    @abstractmethod
    def copy_within(self, target: Any, target_offset: int, source: Any, source_offset: int, nbytes: int) -> None:
        """Copy between two blocks (not overlapping where they are one), in order with the launches."""

    @abstractmethod
    def fill(self, block: Any, offset: int, nbytes: int, pattern: bytes) -> None:
        """Repeat ``pattern`` (1, 2, 4, 8 or 16 bytes) over ``nbytes`` bytes."""

    def host_view(self, block: Any) -> np.ndarray | None:
        """Return a uint8 array over the block's own memory, where host and device share it; else None."""
        return None

    def adopt(self, host: np.ndarray) -> Any | None:
        """Return a block over the host array's own memory, without a copy, where the device can; else None."""
        return None

    def memory_stats(self) -> Mapping[str, int]:
        """Return bytes as the driver counts them: ``total``, ``free`` (where it tells)."""
        return {}

    def release(self) -> None:  # noqa: B027
        """Give caches of the driver or its library back to the system (xpu's own pool is emptied by xpu)."""

    # -- 3. code

    printer: str
    """The language this device reads: ``opencl``, ``cuda``, ``hip``, ``numba`` or ``interpreter``."""

    @abstractmethod
    def compile(self, source: Source) -> Compiled:
        """Build a kernel; raise :class:`CompileError` with the compiler's log."""

    def load(self, source: Source, binary: bytes) -> Compiled | None:
        """Return the kernel from what :meth:`Compiled.binary` gave before; None where it does not fit (any more)."""
        return None

    def fingerprint(self) -> str:
        """Return a text that changes whenever binaries of an earlier day no longer fit: driver and device versions."""
        return f"{self.info.driver}|{self.info.name}"

    @abstractmethod
    def launch(
        self,
        compiled: Compiled,
        global_size: tuple[int, ...],
        local_size: tuple[int, ...] | None,
        arguments: Sequence[Any],
        stream: Any = None,
    ) -> None:
        """Run a kernel over ``global_size`` work-items.

        Sizes are in the language's order: the *last* axis is the one whose neighbours run side by side (OpenCL's
        dimension 0, CUDA's x). ``arguments`` follow ``source.parameters``: a block, or a NumPy scalar of the
        parameter's dtype. ``local_size`` None leaves the choice to the device, which may round the global size up:
        printed kernels without barriers return at once in work-items beyond it. A given local size divides the global one.
        Raise :class:`LaunchRefused` if the work-group is too large.
        """

    # -- 4. order

    @abstractmethod
    def synchronize(self, stream: Any = None) -> None:
        """Wait until all work of the stream (None: of the device) is done."""

    def new_stream(self) -> Any:
        """Return a stream that runs beside the default one; devices without any return None."""
        return None

    def record(self, stream: Any = None) -> Any:
        """Return an event that marks this point of the stream, for :meth:`elapsed`."""
        import time

        self.synchronize(stream)
        return time.perf_counter()

    def elapsed(self, start: Any, stop: Any) -> float:
        """Return seconds between two events, waiting for the second."""
        return float(stop - start)

    # -- 5. library

    library: Mapping[str, Any] = {}
    """``operation -> native implementation``, on arrays that :meth:`native_array` made; see ``docs/backends.md``.

    ``elementwise``: a mapping of operation names to functions of arrays that return a new array, only those whose result is
    exact. ``matmul(a, b, out)``; ``sum``, ``prod``, ``min``, ``max``, ``any``, ``all`` as ``f(a, axes, out)`` with a tuple of
    axes, computed in the dtype of ``out``; ``argmin``, ``argmax``, ``sort``, ``argsort`` as ``f(a, axis, out)``;
    ``cumulative(op, a, axis, out)`` with op ``sum`` or ``prod``; ``searchsorted(a, values, side, out)``;
    ``getitem(a, indices, out)`` and ``setitem(a, indices, value)`` with index arrays along the leading axes;
    ``count_nonzero(a)`` and ``nonzero(a, outs)``.
    """

    def native_array(
        self, block: Any, dtype: np.dtype[Any], shape: tuple[int, ...], strides: tuple[int, ...], offset: int
    ) -> Any:
        """Return the library's array over a window of a block; strides and offset count bytes."""
        return np.ndarray(shape, dtype, self.host_view(block), offset, strides)


# ----------------------------------------------------------------------------------------------- the backend


class Backend(ABC):
    """Finds the devices of one kind of runtime, and explains why there are none."""

    name: ClassVar[str]
    """The first word of its device strings: ``opencl``."""

    @abstractmethod
    def devices(self) -> Sequence[BackendDevice]:
        """Return every device the runtime lists, in its own order, working or not. Never raises: none if a layer is missing."""

    @abstractmethod
    def diagnose(self) -> Layer:
        """Return the tree of layers: hardware, driver, runtime, Python package; devices are added by xpu."""


def load_backends() -> tuple[dict[str, Backend], dict[str, str]]:
    """Find the backends through their entry points.

    Returns
    -------
    backends : dict of str to Backend
        In alphabetical order of their names.
    failures : dict of str to str
        Entry points that could not be imported, with the reason.
    """
    from importlib.metadata import entry_points

    found: dict[str, Backend] = {}
    failures: dict[str, str] = {}
    for point in sorted(entry_points(group=ENTRY_POINT_GROUP), key=lambda point: point.name):
        if point.name in found:
            continue
        try:
            found[point.name] = point.load()()
        except Exception as error:  # a broken third party must not take the others down
            failures[point.name] = f"{type(error).__name__}: {error}"
    return found, failures
