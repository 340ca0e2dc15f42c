"""Devices: what there is, which one is current, and why the others are not usable."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .backend import Backend, BackendDevice, DeviceInfo, Layer, load_backends
from .config import config
from .errors import DeviceNotFoundError, UnsupportedDTypeError
from .memory import Pool

_KIND_ORDER = {"gpu": 0, "accelerator": 1, "cpu": 2}
AUTO = ("cuda", "rocm", "opencl:gpu", "cpu")


class Device:
    """One device that xpu can use.

    Attributes
    ----------
    info : DeviceInfo
        Name, vendor, kind, memory, compute units, fp64, fp16, limits.
    pool : Pool
        The device's memory pool, with ``stats()`` and ``release()``.
    """

    run_probe: ClassVar[Callable[[Device], float]]
    """Run a tiny kernel and return its speed; the floor above, which has kernels, puts it here."""
    new_error_buffer: ClassVar[Callable[[Device], Any]]
    """Make the buffer for errors in checked kernels; from the floor above, too."""

    def __init__(self, backend_name: str, index: int, alone: bool, backend_device: BackendDevice) -> None:
        self.backend_name = backend_name
        self.index = index
        self.backend_device = backend_device
        self._text = backend_name if alone else f"{backend_name}:{index}"
        self.pool = Pool(self)
        self.kernels: dict[str, Any] = {}
        """Compiled kernels by the digest of their source."""
        self.plans: dict[Any, Any] = {}
        """What upper floors remember for this device: fused kernels by structure, launch shapes, crossovers."""
        self.small: dict[Any, Any] | None = None
        """Functions on host memory, by operation and dtypes (see ``small``); None where there are none."""
        self.lock = threading.RLock()
        """Held while deferred work of this device is planned and launched."""
        self._probed = False
        self._failure: str | None = None
        self._error: Any = None
        self.speed = 0.0
        """Elements a second in the probe kernel."""
        self.default_float: np.dtype[Any] = np.dtype(np.float64)

    # -- what it is

    @property
    def info(self) -> DeviceInfo:
        """Name, vendor, kind, memory, limits."""
        return self.backend_device.info

    @property
    def name(self) -> str:
        """The hardware's name."""
        return self.info.name

    @property
    def fingerprint(self) -> str:
        """A text that changes when compiled kernels of an earlier day no longer fit."""
        return f"{self.backend_name}|{self.backend_device.fingerprint()}"

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return f"Device({self._text!r}, {self.info.name!r})"

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Device):
            return self is other
        if isinstance(other, str):
            return self._text == other or (self.index == 0 and other == f"{self.backend_name}:0")
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> Any:
        return (get_device, (self._text,))

    # -- using it

    def probe(self) -> str | None:
        """Open the device and run a tiny kernel, once; return the reason of a failure, or None."""
        if not self._probed:
            with self.lock:
                if not self._probed:
                    self._failure = self._probe()
                    self._probed = True
        return self._failure

    def _probe(self) -> str | None:
        try:
            self.backend_device.open()
            if not self.info.fp64:
                self.default_float = np.dtype(np.float32)
            self.speed = self.run_probe()
            if self.info.unified_memory and self.backend_device.library.get("elementwise"):
                self.small = {}
        except Exception as error:
            remedy = self.backend_device.explain(error)
            first = " ".join(str(error).split("\n\n")[0].split()) or type(error).__name__
            return f"{first[:600]}{f' -> {remedy}' if remedy else ''}"
        return None

    def forget_kernels(self) -> None:
        """Let go of compiled kernels and what was planned with them; those in use live on until they are done."""
        self.kernels.clear()
        self.plans.clear()
        if self.small:
            self.small.clear()

    def synchronize(self) -> None:
        """Wait until all work of the device is done; in debug mode raise what kernels found wrong."""
        self.backend_device.synchronize()
        if self._error is not None:
            self._error.check()

    def error_block(self, executable: Any) -> Any:
        """Return the buffer in which checked kernels leave their first error (debug mode)."""
        with self.lock:
            if self._error is None:
                self._error = self.new_error_buffer()
            return self._error.block_for(executable)

    def check_dtype(self, dtype: np.dtype[Any]) -> None:
        """Raise if the device cannot compute in this dtype."""
        if not self.info.fp64 and (dtype.char == "d" or dtype.char == "D"):
            narrow = "float32" if dtype.char == "d" else "complex64"
            raise UnsupportedDTypeError(
                f"{self} ({self.info.name}) has no float64 arithmetic, so {dtype.name} cannot be used there; "
                f"ask for dtype=xp.{narrow}, or choose another device"
            )


# -------------------------------------------------------------------------------------------- finding devices


class _Registry:
    """Every backend and its devices, found once."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self.backends: dict[str, Backend] | None = None
        self.failures: dict[str, str] = {}
        self.found: dict[str, list[Device]] = {}

    def load(self) -> dict[str, Backend]:
        with self.lock:
            if self.backends is None:
                self.backends, self.failures = load_backends()
            return self.backends

    def devices(self, name: str) -> list[Device]:
        with self.lock:
            if name not in self.found:
                raw = list(self.load()[name].devices())
                self.found[name] = [Device(name, i, len(raw) == 1, device) for i, device in enumerate(raw)]
            return self.found[name]

    def register(self, backend: Backend) -> None:
        """Add a backend without an entry point (tests, notebooks); replaces one of the same name."""
        with self.lock:
            self.load()[backend.name] = backend
            self.found.pop(backend.name, None)
            _resolved.clear()

    def unregister(self, name: str) -> None:
        with self.lock:
            self.load().pop(name, None)
            self.found.pop(name, None)
            _resolved.clear()


registry = _Registry()
_resolved: dict[str, Device] = {}
_current: ContextVar[Device | None] = ContextVar("xpu_device", default=None)
_process_default: Device | None = None


@dataclass(slots=True)
class DeviceRecord:
    """A device with its state, for listings: see :func:`survey`."""

    backend: str
    text: str
    info: DeviceInfo
    aliases: tuple[str, ...]
    failure: str | None
    speed: float
    device: Device


def survey() -> list[DeviceRecord]:
    """Probe every device of every backend, and return working and broken ones."""
    records = []
    for name in registry.load():
        for device in registry.devices(name):
            failure = device.probe()
            records.append(
                DeviceRecord(
                    name, str(device), device.info, device.backend_device.aliases, failure, device.speed, device
                )
            )
    return records


def diagnose() -> dict[str, Layer]:
    """Return, for every backend, its tree of layers; backends that cannot be imported have one broken layer."""
    trees = {}
    for name, backend in registry.load().items():
        try:
            trees[name] = backend.diagnose()
        except Exception as error:  # a doctor must not fall ill himself
            trees[name] = Layer(name, False, f"its diagnosis failed: {type(error).__name__}: {error}")
    for name, reason in registry.failures.items():
        trees[name] = Layer(
            name, False, f"the backend cannot be imported: {reason}", "reinstall the package it comes from"
        )
    return trees


def devices(backend: str | None = None) -> list[Device]:
    """Return the devices that work, the default one of each backend first.

    Parameters
    ----------
    backend : str, optional
        Only those of one backend, for example ``"opencl"``.
    """
    if backend is not None and backend not in registry.load():
        raise DeviceNotFoundError(_not_found(backend, _no_backend(backend, "")))
    out: list[Device] = []
    for name in registry.load():
        if backend is None or name == backend:
            working = [d for d in registry.devices(name) if (backend or d.backend_device.listed) and d.probe() is None]
            out += sorted(working, key=_preference)
    return out


def _preference(device: Device) -> tuple[int, float, int]:
    return (_KIND_ORDER.get(device.info.kind, 3), -device.speed, device.index)


def get_device(device: Device | str | None = None) -> Device:
    """Return the device meant by a device string, a :class:`Device`, or None (the current one).

    Raises
    ------
    DeviceNotFoundError
        With the reason, and a list of what there is.
    """
    if device is None:
        return current_device()
    if isinstance(device, Device):
        reason = device.probe()
        if reason is not None:
            raise DeviceNotFoundError(_not_found(str(device), reason))
        return device
    known = _resolved.get(device) if isinstance(device, str) else None
    if known is not None:
        return known
    if not isinstance(device, str):
        block = "; xp.device(...) is for `with` blocks" if hasattr(device, "__enter__") else ""
        raise TypeError(
            f"a device is a string such as 'cpu' or 'opencl:0', or an xp.Device; got {type(device).__name__}{block}"
        )
    found = _resolve(device)
    _resolved[device] = found
    return found


def _resolve(text: str) -> Device:
    wanted = text.strip().lower()
    if wanted == "auto":
        for candidate in AUTO:
            try:
                return _resolve(candidate)
            except DeviceNotFoundError:
                continue
        raise DeviceNotFoundError(_not_found(text, "no device works"))
    name, colon, word = wanted.partition(":")
    backends = registry.load()
    if name not in backends:
        reason = registry.failures.get(name)
        raise DeviceNotFoundError(_not_found(text, reason or _no_backend(name, colon + word)))
    listed = registry.devices(name)
    if not listed:
        raise DeviceNotFoundError(_not_found(text, _why_none(name, backends[name])))
    if word.isdecimal():
        if int(word) >= len(listed):
            raise DeviceNotFoundError(_not_found(text, f"{name} has {len(listed)} device(s), numbered from 0"))
        chosen = listed[int(word)]
        reason = chosen.probe()
        if reason is not None:
            raise DeviceNotFoundError(_not_found(text, reason))
        return chosen
    # An implementation's own word comes first: "intel" is Intel's runtime, not PoCL on a processor of that name.
    named = [device for device in listed if word in device.backend_device.aliases]
    matching = named or [device for device in listed if _matches(device, word)]
    if not matching:
        raise DeviceNotFoundError(
            _not_found(text, f"no {name} device has {word!r} in its kind, platform, vendor or name")
        )
    # The best kind that works; its members are probed and the fastest is taken.
    failures = []
    for kind in sorted({device.info.kind for device in matching}, key=lambda kind: _KIND_ORDER.get(kind, 3)):
        working = []
        for device in (d for d in matching if d.info.kind == kind):
            failure = device.probe()
            if failure is None:
                working.append(device)
            else:
                failures.append(f"{device} ({device.info.driver or device.info.name}): {failure}")
        if working:
            return min(working, key=_preference)
    raise DeviceNotFoundError(_not_found(text, "; ".join(failures)))


def _matches(device: Device, word: str) -> bool:
    info = device.info
    texts = (info.kind, info.name, info.vendor, info.driver, *device.backend_device.aliases)
    if word in _KIND_ORDER:
        return info.kind == word
    return word == "" or any(word in text.lower() for text in texts)


def _why_none(name: str, backend: Backend) -> str:
    try:
        broken = backend.diagnose().first_broken()
    except Exception as error:
        return f"its diagnosis failed: {error}"
    if broken is None:
        return f"the {name} runtime lists no device"
    remedy = f". Remedy: {broken.remedy}" if broken.remedy else ""
    return f"{broken.name}: {broken.detail}{remedy}"


def _described(device: Device) -> str:
    driver = f", {device.info.driver}" if device.info.driver else ""
    return f"{device} ({device.info.name}{driver})"


def _no_backend(name: str, what: str) -> str:
    """Return why there is no such backend, and what may have been meant."""
    if name in _KIND_ORDER:  # every word for a kind but "cpu", which is a backend
        return f"{name!r} is a kind of device; say of which backend, for example 'opencl:{name}', or 'auto'"
    from difflib import get_close_matches

    meant = get_close_matches(name, [*registry.load(), "auto"], n=1)
    return f"there is no backend {name!r}" + (f" (did you mean {meant[0] + what!r}?)" if meant else "")


def _not_found(asked: str, reason: str) -> str:
    """Return the message; devices that nobody has tried yet are named, but not tried for it: that may take long."""
    work, untried = [], []
    for name in registry.load():
        if name not in registry.found:
            untried.append(name)
        for device in registry.found.get(name, ()):
            if not device._probed:
                untried.append(str(device))
            elif device._failure is None:
                work.append(_described(device))
    source = " (from XPU_DEVICE)" if asked == os.environ.get("XPU_DEVICE") else ""
    there = []
    if work:
        there.append(f"known to work: {', '.join(work)}")
    if untried:
        there.append(f"not tried yet: {', '.join(untried)}")
    return (
        f"device {asked!r}{source} is not available: {reason.rstrip('.')}.\n"
        f"Devices {'; '.join(there) or 'there are none'}.\n"
        "`xpu info` shows every layer of driver, runtime and package."
    )


# ------------------------------------------------------------------------------------------ the current device


def current_device() -> Device:
    """Return the device on which new arrays are made in this context."""
    device = _current.get()
    if device is None:
        device = _process_default
        if device is None:
            device = _first_default()
    return device


def _first_default() -> Device:
    global _process_default
    _process_default = get_device(config.device or "cpu")
    return _process_default


def set_device(device: Device | str) -> Device:
    """Choose the device on which arrays are made from now on.

    Parameters
    ----------
    device : Device or str
        ``cpu``, ``cuda``, ``cuda:1``, ``rocm``, ``opencl``, ``opencl:1``, ``opencl:gpu``, ``opencl:<vendor or platform>``,
        ``interpreter`` or ``auto`` (CUDA or ROCm, then an OpenCL GPU, then the CPU).

    Returns
    -------
    Device

    Raises
    ------
    DeviceNotFoundError
        With the layer that is missing, its remedy, and what there is instead. The choice stays as it was.

    Notes
    -----
    The choice is local to the thread or asyncio task. Made in the main thread, outside a task, it is also the default
    of threads that have made no choice of their own.
    """
    global _process_default
    chosen = get_device(device)
    _current.set(chosen)
    if threading.current_thread() is threading.main_thread() and not _inside_task():
        _process_default = chosen
    return chosen


def _inside_task() -> bool:
    asyncio = sys.modules.get("asyncio")  # not imported: no task can be running
    if asyncio is None:
        return False
    try:
        return asyncio.current_task() is not None
    except RuntimeError:
        return False


@contextmanager
def device(device: Device | str) -> Iterator[Device]:
    """Use a device for the length of a ``with`` block, in this thread or task only.

    Examples
    --------
    >>> with xp.device("cpu"):
    ...     x = xp.zeros(3)
    """
    chosen = get_device(device)
    token = _current.set(chosen)
    try:
        yield chosen
    finally:
        _current.reset(token)


def synchronize(device: Device | str | None = None) -> None:
    """Wait until all work of a device (the current one) is done."""
    get_device(device).synchronize()


def add_device_option(parser: Any, flag: str = "--device") -> None:
    """Give an ``argparse.ArgumentParser`` a ``--device`` flag that chooses the current device while parsing.

    The parsed value is the :class:`Device`; without the flag it is None and the current device stays.
    """
    import argparse

    class DeviceAction(argparse.Action):
        def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
            try:
                chosen = set_device(values)
            except DeviceNotFoundError as error:
                parser.error(str(error))
            setattr(namespace, self.dest, chosen)

    parser.add_argument(
        flag,
        action=DeviceAction,
        default=None,
        metavar="DEVICE",
        help="cpu, cuda, cuda:1, rocm, opencl, opencl:1, opencl:gpu, opencl:VENDOR, interpreter or auto (see `xpu info`)",
    )
