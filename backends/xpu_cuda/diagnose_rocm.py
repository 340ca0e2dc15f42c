"""The layers below a ROCm device (AMD, Hygon), from the card up to CuPy."""

from __future__ import annotations

import re
from typing import Any

from xpu.backend import Layer

from .diagnose import duplicates, first_line, tree
from .system import System

AMD = "0x1002"
HYGON = "0x1d94"
NEWEST_MAJOR = 9
"""Names of libraries are tried from this version of ROCm downwards."""

_INSTALL_ROCM = "install ROCm (https://rocm.docs.amd.com), or for a Hygon DCU its maker's DTK"


def diagnose_rocm(system: System) -> Layer:
    """Return the tree of layers; the first broken one is the one to mend."""
    runtime, major = _runtime(system)
    package, cupy = _package(system, major)
    layers = [_hardware(system), _kernel_driver(system), _access(system), runtime, package, _compiler(cupy)]
    return tree("rocm", "AMD cards and Hygon DCUs through CuPy", layers)


def _compute_nodes(system: System) -> int:
    """Return how many nodes of the kernel's compute topology are GPUs."""
    root = "/sys/class/kfd/kfd/topology/nodes"
    texts = [system.read(f"{root}/{node}/properties") or "" for node in system.list(root)]
    return sum(bool(re.search(r"^simd_count [1-9]", text, re.MULTILINE)) for text in texts)


def _hardware(system: System) -> Layer:
    name = "AMD card or Hygon DCU"
    devices = system.pci_devices()
    cards = [device for device in devices or () if device.vendor in (AMD, HYGON) and device.computes]
    if cards:
        makers = {AMD: "AMD", HYGON: "Hygon"}
        return Layer(name, True, ", ".join(f"{makers[card.vendor]} {card}" for card in cards))
    count = _compute_nodes(system)
    if count:
        return Layer(name, True, f"{count} known to the kernel's driver")
    if devices is None:
        return Layer(name, None, "the PCI bus cannot be seen from here")
    return Layer(
        name,
        False,
        f"none among the {len(devices)} devices on the PCI bus",
        "use device 'cpu' or 'opencl', or a machine with such a card",
    )


def _kernel_driver(system: System) -> Layer:
    name = "kernel driver"
    if not system.platform.startswith("linux"):
        return Layer(name, None, "part of the system here")
    modules = [module for module in ("amdgpu", "hydcu", "hycu") if system.exists(f"/sys/module/{module}")]
    if not modules and not system.exists("/dev/kfd"):
        return Layer(
            name, False, "neither amdgpu nor Hygon's hydcu is loaded", f"sudo modprobe amdgpu, or {_INSTALL_ROCM}"
        )
    return Layer(name, True, modules[0] if modules else "loaded")


def _access(system: System) -> Layer:
    name = "device files"
    if not system.platform.startswith("linux"):
        return Layer(name, None, "not used here")
    if not system.exists("/dev/kfd"):
        return Layer(
            name,
            False,
            "there is no /dev/kfd",
            "in a container: `docker run --device=/dev/kfd --device=/dev/dri`; else the driver lacks compute support",
        )
    files = ["/dev/kfd", *(f"/dev/dri/{name}" for name in system.list("/dev/dri") if name.startswith("renderD"))]
    closed = [file for file in files if not system.usable(file)]
    if closed:
        return Layer(
            name,
            False,
            f"this user may not open {', '.join(closed)}",
            "sudo usermod -aG render,video $USER, then log in again; in a container: `--group-add render`",
        )
    return Layer(name, True, ", ".join(files))


def _library_names(stem: str) -> list[str]:
    return [f"{stem}.so.{major}" for major in range(NEWEST_MAJOR, 3, -1)] + [f"{stem}.so"]


def _runtime(system: System) -> tuple[Layer, int | None]:
    """Return the layer of HIP's runtime, and ROCm's major version."""
    name = "runtime (libamdhip64)"
    names = ["amdhip64_7.dll", "amdhip64_6.dll", "amdhip64.dll"] if system.platform == "win32" else []
    loaded = system.library(*(names or _library_names("libamdhip64")))
    installed = (system.read("/opt/rocm/.info/version") or system.read("/opt/dtk/.info/version") or "").strip()
    if isinstance(loaded, str):
        where = f"; {installed} is in /opt: add its lib folder to LD_LIBRARY_PATH" if installed else ""
        return Layer(name, False, f"{loaded}{where}", _INSTALL_ROCM), None
    file, _ = loaded
    found = re.search(r"\.so\.(\d+)|_(\d+)\.dll", file)
    major = int(found.group(1) or found.group(2)) if found else None
    if major is None and re.match(r"\d+", installed):
        major = int(installed.split(".")[0])
    return Layer(name, True, f"{file}{f', ROCm {installed}' if installed else ''}"), major


def _package(system: System, runtime_major: int | None) -> tuple[Layer, Any]:
    packages = system.cupy_packages()
    install = 'pip install "xpu-array[rocm]", or a CuPy from your ROCm release or DTK'
    if len(packages) > 1:
        return duplicates(sorted(packages), "the one for your ROCm release"), None
    name = next(iter(packages), "")
    made_for = re.search(r"-rocm-(\d+)-(\d+)", name)
    if made_for and runtime_major is not None and int(made_for.group(1)) != runtime_major:
        needs = ".".join(made_for.groups())
        return (
            Layer(
                "CuPy",
                False,
                f"{name} is made for ROCm {needs} and the runtime here is of ROCm {runtime_major}",
                f"install ROCm {needs}, or build CuPy for your release: "
                "CUPY_INSTALL_USE_HIP=1 pip install --no-binary cupy cupy",
            ),
            None,
        )
    try:
        cupy = system.cupy()
    except ModuleNotFoundError as error:
        if error.name == "cupy" and not packages:
            return Layer("CuPy", False, "not installed", install), None
        return Layer("CuPy", False, f"its import fails: {error}", install), None
    except Exception as error:
        wanted = re.search(r"lib[\w-]+\.so[.\d]*", str(error))
        remedy = f"install the ROCm that has {wanted.group(0)}, or {install}" if wanted else install
        return Layer("CuPy", False, f"its import fails: {first_line(error)}", remedy), None
    shown = f"{name or 'cupy'} {cupy.__version__}"
    if not cupy.cuda.runtime.is_hip:
        return Layer(
            "CuPy", False, f"{shown} is built for CUDA", f"its devices are called 'cuda'; for ROCm: {install}"
        ), None
    return Layer("CuPy", True, shown), cupy


def _compiler(cupy: Any) -> Layer:
    name = "run-time compiler (hipRTC)"
    if cupy is None:
        return Layer(name, None, "not looked for, since CuPy would find it")
    try:
        major, minor = cupy.cuda.nvrtc.getVersion()
    except Exception as error:
        return Layer(name, False, f"CuPy does not find it: {first_line(error)}", "install ROCm's package hiprtc")
    return Layer(name, True, f"{major}.{minor}")
