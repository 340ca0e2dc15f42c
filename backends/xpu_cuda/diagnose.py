"""The layers below a CUDA device, from the card up to CuPy: which one is broken, and how to mend it."""

from __future__ import annotations

import ctypes
import re
from typing import Any

from xpu.backend import Layer

from .errors import remedy_for
from .system import System

NVIDIA = "0x10de"
AMD_VENDORS = ("0x1002", "0x1d94")
SOUND = 0

# What cuInit says, and what follows from it.
_INIT_ERRORS = {
    34: ("a stub of the library, for linking only, was loaded", "remove CUDA's `stubs` folder from LD_LIBRARY_PATH"),
    100: ("the driver sees no card", "look at CUDA_VISIBLE_DEVICES, and at `nvidia-smi`"),
    101: ("CUDA_VISIBLE_DEVICES names a card that is not there", "unset or correct CUDA_VISIBLE_DEVICES"),
    802: ("the card's fabric is not ready", "start NVIDIA's fabric manager: sudo systemctl start nvidia-fabricmanager"),
    803: (
        "the library and the kernel's driver are of different versions",
        "restart the machine; in a container, use the host's driver libraries (nvidia-container-toolkit)",
    ),
    804: (
        "CUDA's compatibility package does not support this card",
        "update NVIDIA's driver, or remove the cuda-compat package",
    ),
    999: ("the driver failed", "restart the machine; after a suspend: sudo rmmod nvidia_uvm; sudo modprobe nvidia_uvm"),
}


def diagnose_cuda(system: System) -> Layer:
    """Return the tree of layers; the first broken one is the one to mend."""
    driver, supported = _user_driver(system)
    package, cupy = _package(system, supported)
    layers = [_hardware(system), _kernel_driver(system), driver, package, _compiler(cupy)]
    return tree("cuda", "NVIDIA cards through CuPy", layers)


def tree(name: str, detail: str, layers: list[Layer]) -> Layer:
    """Return the tree of these layers, hardware first; without hardware it does not matter what else is missing."""
    hardware, *others = layers
    if hardware.ok is False:
        for layer in others:
            if layer.ok is False:
                layer.ok, layer.remedy = None, ""
    works = all(layer.ok is not False for layer in layers)
    return Layer(name, works, detail, children=layers)


# ------------------------------------------------------------------------------------------------------ the card


def _nodes(system: System) -> list[str]:
    return [f"/dev/{name}" for name in system.list("/dev") if re.fullmatch(r"nvidia\d+", name)]


def _is_wsl(system: System) -> bool:
    return system.exists("/dev/dxg")


def _is_tegra(system: System) -> bool:
    return "nvidia,tegra" in (system.read("/proc/device-tree/compatible") or "")


def _hardware(system: System) -> Layer:
    name = "NVIDIA card"
    devices = system.pci_devices()
    cards = [device for device in devices or () if device.vendor == NVIDIA and device.computes]
    if cards:
        return Layer(name, True, ", ".join(map(str, cards)))
    if _is_tegra(system):
        return Layer(name, True, "a Jetson's own GPU")
    if _nodes(system) or system.list("/proc/driver/nvidia/gpus"):
        return Layer(name, True, "known to the kernel's driver")
    if _is_wsl(system):
        return Layer(name, None, "Windows has it, if there is one; Linux under WSL cannot look")
    if devices is None:
        return Layer(name, None, "the PCI bus cannot be seen from here")
    others = [device for device in devices if device.computes]
    if any(device.vendor in AMD_VENDORS for device in others):
        instead = "for the AMD or Hygon card here, use device 'rocm' or 'opencl'"
    elif others:
        instead = "for the graphics device here, try device 'opencl'"
    else:
        instead = "use device 'cpu' or 'opencl', or a machine with an NVIDIA card"
    return Layer(name, False, f"none among the {len(devices)} devices on the PCI bus", instead)


def _kernel_driver(system: System) -> Layer:
    name = "kernel driver"
    if not system.platform.startswith("linux") or _is_wsl(system) or _is_tegra(system):
        return Layer(name, None, "part of the system here")
    version = _kernel_driver_version(system)
    nodes = _nodes(system)
    if version is None and not nodes:
        if system.exists("/sys/module/nouveau"):
            return Layer(
                name,
                False,
                "the free driver nouveau is loaded; CUDA needs NVIDIA's own",
                "install NVIDIA's driver (Debian: nvidia-driver, Ubuntu: sudo ubuntu-drivers install) and restart",
            )
        return Layer(
            name,
            False,
            "NVIDIA's kernel module is not loaded",
            "install NVIDIA's driver (Debian: nvidia-driver, Ubuntu: sudo ubuntu-drivers install) and restart; "
            "if it is installed, Secure Boot may have refused the module (`sudo dmesg | grep -i nvidia`)",
        )
    if not nodes:
        return Layer(
            name,
            False,
            f"{version} is loaded, but there is no /dev/nvidia0",
            "in a container: start it with `docker run --gpus all` (nvidia-container-toolkit); else run `nvidia-smi` "
            "once, as root",
        )
    closed = [node for node in (*nodes, "/dev/nvidiactl") if system.exists(node) and not system.usable(node)]
    if closed:
        return Layer(name, False, f"this user may not open {', '.join(closed)}", "ask for access to these files")
    return Layer(name, True, f"{version or 'loaded'}, {len(nodes)} device file(s)")


def _kernel_driver_version(system: System) -> str | None:
    text = system.read("/sys/module/nvidia/version")
    if text:
        return text.strip()
    found = re.search(r"Kernel Module.*?\s(\d+\.\d[\d.]*)", system.read("/proc/driver/nvidia/version") or "")
    return found.group(1) if found else None


def _user_driver(system: System) -> tuple[Layer, int | None]:
    """Return the layer of libcuda, and the newest CUDA that it supports (12040 for 12.4)."""
    name = "driver library (libcuda)"
    loaded = system.library(*(("nvcuda.dll",) if system.platform == "win32" else ("libcuda.so.1", "libcuda.so")))
    if isinstance(loaded, str):
        remedy = (
            "install NVIDIA's driver for Windows, which brings it into WSL (/usr/lib/wsl/lib)"
            if _is_wsl(system)
            else "install the driver's libraries (Debian: libcuda1; Ubuntu: libnvidia-compute-<version>); "
            "in a container: `docker run --gpus all`"
        )
        return Layer(name, False, f"{loaded}", remedy), None
    file, handle = loaded
    version = ctypes.c_int(0)
    handle.cuDriverGetVersion(ctypes.byref(version))
    code = handle.cuInit(0)
    supports = f"{file}, supports CUDA up to {_dotted(version.value)}" if version.value else file
    if code != SOUND:
        what, remedy = _INIT_ERRORS.get(
            code, (f"cuInit gives error {code}", "run `nvidia-smi` and follow what it says")
        )
        return Layer(name, False, f"{supports}; {what}", remedy), version.value or None
    return Layer(name, True, supports), version.value or None


def _dotted(version: int) -> str:
    return f"{version // 1000}.{version % 1000 // 10}"


# ---------------------------------------------------------------------------------------------------------- CuPy


def fitting_extra(supported: int | None) -> str:
    """Return the extra of xpu that brings the CuPy for a driver."""
    return "cuda13" if supported is not None and supported >= 13000 else "cuda12"


def duplicates(packages: list[str], keep: str) -> Layer:
    """Return the layer for several distributions of CuPy at once."""
    listed = " ".join(packages)
    return Layer(
        "CuPy",
        False,
        f"{' and '.join(packages)} are installed side by side and overwrite each other's files",
        f"pip uninstall -y {listed}; pip install {keep}",
    )


def _package(system: System, supported: int | None) -> tuple[Layer, Any]:
    """Return the layer of the Python package, and CuPy itself where it imports."""
    packages = system.cupy_packages()
    wanted = fitting_extra(supported)
    install = f'pip install "xpu-array[{wanted}]"'
    if len(packages) > 1:
        return duplicates(sorted(packages), f'"cupy-{wanted}x[ctk]"'), None
    name = next(iter(packages), "")
    major = re.search(r"cupy-cuda(\d\d)", name)
    if major and supported is not None and int(major.group(1)) > supported // 1000:
        need = {"12": "525", "13": "580"}.get(major.group(1), "a newer one")
        return (
            Layer(
                "CuPy",
                False,
                f"{name} is made for CUDA {major.group(1)}, and the driver supports {_dotted(supported)}",
                f'pip uninstall -y {name}; pip install "cupy-{wanted}x[ctk]"; '
                f"or update NVIDIA's driver to {need} or newer",
            ),
            None,
        )
    try:
        cupy = system.cupy()
    except ModuleNotFoundError as error:
        if error.name == "cupy" and not packages:
            return Layer("CuPy", False, "not installed", install), None
        return Layer("CuPy", False, f"its import fails: {error}", _reinstall(name, wanted)), None
    except Exception as error:
        return Layer("CuPy", False, f"its import fails: {first_line(error)}", _reinstall(name, wanted)), None
    shown = f"{name or 'cupy'} {cupy.__version__}"
    if cupy.cuda.runtime.is_hip:
        remedy = f"its devices are called 'rocm'; for NVIDIA: {install}"
        return Layer("CuPy", False, f"{shown} is built for ROCm", remedy), None
    try:
        cupy.cuda.runtime.getDeviceCount()
    except Exception as error:
        if supported is not None:  # else the driver is at fault
            remedy = remedy_for(error, hip=False) or "run `nvidia-smi` and follow what it says"
            return Layer("CuPy", False, f"{shown} cannot use the driver: {first_line(error)}", remedy), cupy
    return Layer("CuPy", True, f"{shown}, for CUDA {_dotted(cupy.cuda.runtime.runtimeGetVersion())}"), cupy


def _reinstall(name: str, wanted: str) -> str:
    package = name or f"cupy-{wanted}x"
    return f'pip install --force-reinstall --no-cache-dir "{package}[ctk]"'


def first_line(error: Exception) -> str:
    """Return the first line of an error's text that says something."""
    lines = [line.strip(" =") for line in str(error).splitlines()]
    return next((line for line in lines if line), type(error).__name__)


def _compiler(cupy: Any) -> Layer:
    name = "run-time compiler (NVRTC)"
    if cupy is None:
        return Layer(name, None, "not looked for, since CuPy would find it")
    try:
        major, minor = cupy.cuda.nvrtc.getVersion()
    except Exception as error:
        package = f"cupy-cuda{cupy.cuda.runtime.runtimeGetVersion() // 1000}x[ctk]"
        return Layer(name, False, f"CuPy does not find it: {first_line(error)}", f'pip install "{package}"')
    return Layer(name, True, f"{major}.{minor}")
