"""The tree of layers below the OpenCL backend: Python package, loader, implementations, platforms, hardware."""

from __future__ import annotations

import ctypes
import os
import re
import sys
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Any

from xpu.backend import Layer

from . import hardware, icd
from .device import platform_word

PACKAGE_REMEDY = 'pip install "xpu-array[opencl-cpu]"'
_INTEL_REMEDY = "pip install --force-reinstall intel-opencl-rt intel-cmplr-lib-rt"
_DEPENDENCIES = {
    "libimf": "pip install intel-cmplr-lib-rt",
    "libsvml": "pip install intel-cmplr-lib-rt",
    "libirng": "pip install intel-cmplr-lib-rt",
    "libintlc": "pip install intel-cmplr-lib-rt",
    "libirc": "pip install intel-cmplr-lib-rt",
    "libtbb": "pip install tbb",
    "libhwloc": "pip install tcmlib",
    "libtcm": "pip install tcmlib",
}
_MISSING = re.compile(r"([\w.+-]+\.so[\w.]*): cannot open shared object file")


def diagnose() -> Layer:
    """Return the tree; it never raises, and prints nothing."""
    from .backend import platforms

    root = Layer("OpenCL", None)
    found: list[Any] = []
    root.children.append(_guarded("Python package pyopencl", _package))
    if root.children[0].ok:
        found = platforms()
        if icd.supported():
            root.children.append(_guarded("OpenCL loader", _loader))
            root.children.append(_guarded("implementations (.icd files)", _implementations, found))
        root.children.append(_guarded("platforms", _platforms, found))
    root.children.append(_guarded("hardware", hardware.layer, found))
    count = sum(len(devices_of(platform)) for platform in found)
    root.ok = count > 0
    root.detail = f"{count} device(s) on {len(found)} platform(s)" if count else "no device"
    if not count and root.first_broken() is root:
        root.remedy = PACKAGE_REMEDY
    return root


def _guarded(name: str, function: Any, *arguments: Any) -> Layer:
    try:
        layer: Layer = function(*arguments)
        return layer
    except Exception as error:  # a doctor must not fall ill himself
        return Layer(name, None, f"could not be judged: {type(error).__name__}: {error}")


def devices_of(platform: Any) -> list[Any]:
    """Return a platform's devices; none where it raises instead of saying so."""
    try:
        return list(platform.get_devices())
    except Exception:
        return []


# ------------------------------------------------------------------------------------------- the Python package


def _package() -> Layer:
    from . import backend

    installed = [d for d in distributions() if (d.metadata["Name"] or "").lower() == "pyopencl"]
    layer = Layer("Python package pyopencl", True)
    if backend.platforms() == [] and backend.start.error and "pyopencl" not in sys.modules:
        layer.ok = False
        if not installed:
            layer.detail, layer.remedy = "not installed", PACKAGE_REMEDY
        else:
            layer.detail = f"{installed[0].version} is installed but cannot be imported: {backend.start.error}"
            layer.remedy = "pip install --force-reinstall pyopencl"
        return layer
    import pyopencl as cl

    layer.detail = f"{cl.VERSION_TEXT}, {Path(cl.__file__).parent}"
    places = {str(_home(d)) for d in installed}
    if len(places) > 1:
        detail = f"installed more than once: {', '.join(sorted(places))}"
        layer.children.append(Layer("one installation", False, detail, "pip uninstall pyopencl in all but one"))
    return layer


def _home(found: Distribution) -> Path:
    return Path(str(found.locate_file("")))


def _loader() -> Layer:
    """Say which libOpenCL is in use."""
    loaded = _loaded_libraries("libOpenCL")
    if loaded:
        return Layer("OpenCL loader", True, ", ".join(loaded))
    return Layer("OpenCL loader", None, "linked into pyopencl")


def _loaded_libraries(word: str) -> list[str]:
    try:
        lines = Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    paths = {line.split(maxsplit=5)[-1] for line in lines if word in line and "/" in line}
    return sorted(paths)


# ------------------------------------------------------------------------------------------- implementations


def _implementations(found: list[Any]) -> Layer:
    from . import backend

    layer = Layer("implementations (.icd files)", None)
    entries = icd.registered()
    chosen = os.environ.get("OCL_ICD_VENDORS")
    if chosen:
        layer.detail = f"OCL_ICD_VENDORS={chosen}"
    layer.children.append(_intel(found, entries, backend.start.early))
    layer.children += [_registered(entry) for entry in entries]
    bundled = _bundled()
    if bundled is not None:
        layer.children.append(bundled)
    layer.ok = any(child.ok for child in layer.children)
    if not layer.ok:
        layer.detail = (layer.detail + "; " if layer.detail else "") + "none can be loaded"
        layer.remedy = PACKAGE_REMEDY
    return layer


def _intel(found: list[Any], entries: list[icd.IcdFile], early: bool) -> Layer:
    """Judge Intel's CPU runtime from PyPI."""
    layer = Layer("Intel's CPU runtime (PyPI)", None)
    version, library = icd.intel_version(), icd.intel_library()
    if version is None:
        layer.detail, layer.remedy = "not installed", f"optional: {PACKAGE_REMEDY}"
        return layer
    if library is None:
        layer.ok, layer.detail = False, f"{version} is installed, but {icd.INTEL_LIBRARY} is not where pip put it"
        layer.remedy = _INTEL_REMEDY
        return layer
    error = try_library(str(library))
    if error:
        layer.ok, layer.detail, layer.remedy = False, f"{library}: {error}", dependency_remedy(error, _INTEL_REMEDY)
        return layer
    layer.ok, layer.detail = True, f"{version}, {library}"
    if not any(platform_word(platform.name) == "intel" for platform in found) and not icd.has_intel(entries):
        layer.ok = False
        layer.detail += "; it loads, but the loader did not list it"
        if early:
            layer.detail += ", because pyopencl was used before xpu looked for devices"
            layer.remedy = "use xpu's OpenCL device (xp.devices()) before the first call of pyopencl in this process"
        else:
            folder = f"OCL_ICD_VENDORS to a folder with an .icd file that contains {library}"
            layer.remedy = f"use pyopencl's own loader (pip install --force-reinstall pyopencl), or set {folder}"
    return layer


def _registered(entry: icd.IcdFile) -> Layer:
    name = str(entry.path)
    layer = Layer(name, True, entry.library)
    if os.sep in entry.library and not Path(entry.library).exists():
        layer.ok, layer.detail = False, f"names {entry.library}, which does not exist"
        layer.remedy = f"reinstall the package it came from, or remove {name}"
        return layer
    error = try_library(entry.library)
    if error:
        layer.ok, layer.detail = False, f"{entry.library} cannot be loaded: {error}"
        layer.remedy = dependency_remedy(error, f"reinstall the package that {name} came from")
    return layer


def _bundled() -> Layer | None:
    """Return PoCL's wheel, which pyopencl's loader adds by itself."""
    for found in distributions():
        if (found.metadata["Name"] or "").lower() == "pocl-binary-distribution":
            return Layer("PoCL's wheel", True, f"{found.version}, {_home(found)}")
    return None


def try_library(library: str) -> str:
    """Load a library as the loader does; return why it fails, or an empty text."""
    try:
        loaded = ctypes.CDLL(library)
    except OSError as error:
        return str(error)
    if not hasattr(loaded, "clGetExtensionFunctionAddress") and not hasattr(loaded, "clIcdGetPlatformIDsKHR"):
        return "it is no OpenCL implementation: it has no clGetExtensionFunctionAddress"
    return ""


def dependency_remedy(error: str, otherwise: str) -> str:
    """Return what installs the library that an error of the dynamic linker names."""
    match = _MISSING.search(error)
    if match is None:
        return otherwise
    name = match.group(1)
    for start, remedy in _DEPENDENCIES.items():
        if name.startswith(start):
            return remedy
    return f"install the package that has {name} (Debian: apt-file search {name})"


# ------------------------------------------------------------------------------------------------- platforms


def _platforms(found: list[Any]) -> Layer:
    from . import backend

    layer = Layer("platforms", bool(found))
    if not found:
        layer.detail = backend.start.error or "the loader lists none"
        layer.remedy = PACKAGE_REMEDY
        return layer
    anything = any(devices_of(platform) for platform in found)
    layer.detail = f"{len(found)} listed"
    layer.children = [_platform(platform, anything) for platform in found]
    return layer


def _platform(platform: Any, anything: bool) -> Layer:
    devices = devices_of(platform)
    word = platform_word(platform.name)
    name, version = platform.name.strip(), " ".join(platform.version.split())
    if devices:
        return Layer(name, True, f"{version}, {len(devices)} device(s)")
    layer = Layer(name, None if anything else False, f"{version}, no device")
    if word == "rusticl":
        enabled = os.environ.get("RUSTICL_ENABLE", "")
        layer.detail += f"; RUSTICL_ENABLE={enabled}" if enabled else "; present but not enabled"
        drivers = "radeonsi for AMD, iris for Intel, nouveau for NVIDIA, llvmpipe for the processor"
        layer.remedy = f"set RUSTICL_ENABLE before the program starts: {drivers}"
    elif word == "clover":
        layer.detail += "; Clover serves old AMD and NVIDIA cards only, and is no longer maintained"
        layer.remedy = "use Rusticl (RUSTICL_ENABLE=...), or remove it: it does no harm"
    else:
        layer.remedy = "look for its driver: see hardware below"
    return layer
