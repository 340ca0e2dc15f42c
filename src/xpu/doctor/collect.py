"""Look at every backend and device, and say what a device string would choose."""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path
from typing import Any

from ..backend import ENTRY_POINT_GROUP, Layer
from ..device import Device, get_device, registry
from ..errors import XpuError
from .report import BackendReport, Choice, DeviceReport, Report

VARIABLES = (
    "XPU_DEVICE",
    "XPU_FUSE",
    "XPU_LIBRARY",
    "XPU_DEBUG",
    "XPU_DUMP",
    "XPU_CACHE_DIR",
    "OCL_ICD_VENDORS",
    "OCL_ICD_FILENAMES",
    "RUSTICL_ENABLE",
    "POCL_DEVICES",
    "PYOPENCL_CTX",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_PATH",
    "HIP_VISIBLE_DEVICES",
    "ROCM_HOME",
)
"""Variables that change which devices are found, or how they compute."""

PATIENCE = 180.0
"""Seconds that the drivers get to answer."""


def collect(only: str | None = None) -> Report:
    """Look from inside this process.

    Parameters
    ----------
    only : str, optional
        Look at this backend alone, and choose nothing.
    """
    names = sorted({*registry.load(), *registry.failures})
    backends = [_backend(name) for name in names if only in (None, name)]
    if only is None:
        current, auto = _choice(_asked()), _choice("auto")
    else:
        current = auto = Choice("", None)
    return Report(_versions(), _environment(), backends, current, auto)


def collect_safely() -> Report:
    """Look from a child process, so that a driver which crashes or hangs is reported and not suffered.

    If the child dies, one child for each backend finds out whose fault it was.
    """
    whole, _ = _in_child()
    if whole is not None:
        return Report.from_dict(whole)
    backends = []
    for name in sorted({point.name for point in entry_points(group=ENTRY_POINT_GROUP)}):
        part, why = _in_child("backend", name)
        if part is None:
            layer = Layer(name, False, f"looking at it {why}", "update or remove the driver that it loads")
            backends.append(BackendReport(name, layer))
        else:
            backends += Report.from_dict(part).backends
    choices = []
    for text in (_asked(), "auto"):
        answer, why = _in_child("choice", text)
        choices.append(Choice(text, None, f"opening it {why}") if answer is None else Choice(**answer))
    return Report(_versions(), _environment(), backends, *choices)


def _in_child(*arguments: str) -> tuple[dict[str, Any] | None, str]:
    """Run this module's ``main`` in a new process; return its answer, or how it ended."""
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder) / "report.json"
        command = [sys.executable, "-m", "xpu.doctor", str(answer), *arguments]
        try:
            done = subprocess.run(
                command, check=False, timeout=PATIENCE, capture_output=True, text=True, errors="replace"
            )
        except subprocess.TimeoutExpired:
            return None, f"did not end within {PATIENCE:.0f} s"
        if done.returncode == 0 and answer.exists():
            return json.loads(answer.read_text(encoding="utf-8")), ""
    if done.returncode < 0:
        return None, f"crashed the process ({signal.Signals(-done.returncode).name})"
    lines = done.stderr.strip().splitlines()
    return None, f"failed: {lines[-1] if lines else f'exit code {done.returncode}'}"


def main(arguments: list[str]) -> int:
    """Write an answer into the file named first: the report, or what ``backend NAME`` or ``choice DEVICE`` asks."""
    answer, *question = arguments
    match question:
        case ["choice", text]:
            data = asdict(_choice(text))
        case ["backend", name]:
            data = collect(name).to_dict()
        case _:
            data = collect().to_dict()
    Path(answer).write_text(json.dumps(data), encoding="utf-8")
    return 0


def _backend(name: str) -> BackendReport:
    backend = registry.load().get(name)
    if backend is None:
        detail = f"the backend cannot be imported: {registry.failures[name]}"
        return BackendReport(name, Layer(name, False, detail, "reinstall the package that it comes from"))
    layers = _guarded(name, backend.diagnose)
    if isinstance(layers, str):
        layers = Layer(name, False, f"its diagnosis failed: {layers}", "report this to the authors of the backend")
    devices = _guarded(name, lambda: registry.devices(name))
    if isinstance(devices, str):
        layers.children.append(Layer("devices", False, f"cannot be listed: {devices}"))
        devices = []
    return BackendReport(name, layers, [_device(device) for device in devices])


def _guarded(name: str, action: Callable[[], Any]) -> Any:
    try:
        return action()
    except Exception as error:  # a doctor must not fall ill himself
        return f"{type(error).__name__}: {error}"


def _device(device: Device) -> DeviceReport:
    failure = device.probe()
    info = device.info
    return DeviceReport(
        device=str(device),
        name=info.name,
        vendor=info.vendor,
        kind=info.kind,
        driver=info.driver,
        memory=info.memory,
        compute_units=info.compute_units,
        fp64=info.fp64,
        fp16=info.fp16,
        unified_memory=info.unified_memory,
        aliases=list(device.backend_device.aliases),
        failure=failure,
        speed=device.speed,
        limits={
            name: list(value) if isinstance(value, tuple) else value for name, value in asdict(info.limits).items()
        },
        listed=device.backend_device.listed,
    )


def _asked() -> str:
    """Return the device string that a script without any choice of its own would use."""
    return os.environ.get("XPU_DEVICE") or "cpu"


def _choice(text: str) -> Choice:
    try:
        return Choice(text, str(get_device(text)))
    except XpuError as error:
        return Choice(text, None, str(error))


def _versions() -> dict[str, str]:
    packages = {}
    for package in ("xpu-array", "numpy", "numba", "scipy", "pyopencl", "opencv-python-headless", "opencv-python"):
        try:
            packages[package] = version(package)
        except PackageNotFoundError:
            continue
    system = f"{platform.system()} {platform.machine()}"
    return {"python": platform.python_version(), "system": system, **packages}


def _environment() -> dict[str, str]:
    return {name: os.environ[name] for name in VARIABLES if os.environ.get(name)}
