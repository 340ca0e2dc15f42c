"""Where printed kernels run in these tests: every OpenCL device that works here, and CUDA C as C++ on the host."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from xpu.backend import DeviceInfo
from xpu.kernel import abi, debug, ir
from xpu.kernel.printers import print_kernel
from xpu.memory import is_contiguous

ONLY = os.environ.get("XPU_TEST_OPENCL", "")
"""Restricts the devices to one platform's word, for runs in a subprocess."""


class Target:
    """Runs kernels on NumPy arrays."""

    name: str
    info: DeviceInfo

    def run(
        self, kernel: ir.Kernel, size: Any, *arguments: Any, local: Any = None, checked: bool = False
    ) -> tuple[list[Any], np.ndarray]:
        """Launch; return the arguments as they are afterwards, and the error buffer."""
        raise NotImplementedError

    def __call__(self, kernel: ir.Kernel, size: Any, *arguments: Any, local: Any = None) -> list[Any]:
        return self.run(kernel, size, *arguments, local=local)[0]


def layout(argument: np.ndarray) -> tuple[np.ndarray, int, tuple[int, ...]]:
    """Return the bytes that an array's view spans, its offset and its strides, in elements."""
    itemsize = argument.dtype.itemsize
    strides = tuple(step // itemsize for step in argument.strides)
    if is_contiguous(argument.shape, strides):
        return np.ascontiguousarray(argument).view(np.uint8).reshape(-1), 0, strides
    low = sum(min((extent - 1) * stride, 0) for extent, stride in zip(argument.shape, strides, strict=True))
    high = sum(max((extent - 1) * stride, 0) for extent, stride in zip(argument.shape, strides, strict=True))
    start = argument.__array_interface__["data"][0] + low * itemsize
    count = (high - low + 1) * itemsize
    raw = np.ctypeslib.as_array((ctypes.c_uint8 * count).from_address(start))
    return raw, -low, strides


class OpenCLTarget(Target):
    def __init__(self, device: Any) -> None:
        self.device = device
        self.name = device.aliases[0]
        self.info = device.info
        self._kernels: dict[str, Any] = {}

    def build(self, kernel: ir.Kernel, checked: bool = False) -> Any:
        source = print_kernel(kernel, "opencl", self.info, checked)
        if source.text not in self._kernels:
            self._kernels[source.text] = self.device.compile(source)
        return self._kernels[source.text]

    def run(
        self, kernel: ir.Kernel, size: Any, *arguments: Any, local: Any = None, checked: bool = False
    ) -> tuple[list[Any], np.ndarray]:
        size = size if isinstance(size, tuple) else (size,)
        compiled = self.build(kernel, checked)
        views: list[Any] = []
        for argument in arguments:
            if isinstance(argument, np.ndarray):
                raw, offset, strides = layout(argument)
                block = self.device.allocate(max(raw.nbytes, 1))
                if raw.nbytes:
                    self.device.copy_in(block, 0, raw)
                storage = SimpleNamespace(block=block)
                views.append(SimpleNamespace(storage=storage, offset=offset, shape=argument.shape, strides=strides))
            else:
                views.append(argument)
        error = np.zeros(debug.WORDS, np.int64)
        error_block = self.device.allocate(error.nbytes)
        self.device.copy_in(error_block, 0, error.view(np.uint8))
        flat = abi.flatten(kernel, size, views, error_block if checked else None)
        self.device.launch(compiled, size, local, flat)
        self.device.synchronize()
        results = []
        for argument, view in zip(arguments, views, strict=True):
            if isinstance(argument, np.ndarray):
                raw, offset, _ = layout(argument)
                back = np.empty(raw.nbytes, np.uint8)
                if raw.nbytes:
                    self.device.copy_out(view.storage.block, 0, back)
                results.append(
                    np.lib.stride_tricks.as_strided(
                        back.view(argument.dtype)[offset:], argument.shape, argument.strides
                    ).copy()
                    if argument.size
                    else argument
                )
                self.device.free(view.storage.block)
            else:
                results.append(argument)
        self.device.copy_out(error_block, 0, error.view(np.uint8))
        self.device.free(error_block)
        return results, error


_SHIM = """
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cstdint>
#define __global__
#define __device__
#define __shared__ static
#define __align__(n) alignas(n)
struct xpu_dim { unsigned x, y, z; };
static xpu_dim blockIdx, threadIdx, blockDim, gridDim;
static inline float __int_as_float(int v) { float r; std::memcpy(&r, &v, 4); return r; }
static inline double __longlong_as_double(long long v) { double r; std::memcpy(&r, &v, 8); return r; }
static inline int __popc(unsigned v) { return __builtin_popcount(v); }
static inline int __popcll(unsigned long long v) { return __builtin_popcountll(v); }
static inline int __clz(int v) { return v ? __builtin_clz(v) : 32; }
static inline int __clzll(long long v) { return v ? __builtin_clzll(v) : 64; }
static inline float rsqrtf(float v) { return 1.0f / sqrtf(v); }
static inline double rsqrt(double v) { return 1.0 / std::sqrt(v); }
using std::isnan; using std::isinf; using std::isfinite;
template <class T> T atomicAdd(T *p, T v) { T o = *p; *p = o + v; return o; }
template <class T> T atomicSub(T *p, T v) { T o = *p; *p = o - v; return o; }
template <class T> T atomicMin(T *p, T v) { T o = *p; *p = v < o ? v : o; return o; }
template <class T> T atomicMax(T *p, T v) { T o = *p; *p = v > o ? v : o; return o; }
template <class T> T atomicAnd(T *p, T v) { T o = *p; *p = o & v; return o; }
template <class T> T atomicOr(T *p, T v) { T o = *p; *p = o | v; return o; }
template <class T> T atomicXor(T *p, T v) { T o = *p; *p = o ^ v; return o; }
template <class T> T atomicExch(T *p, T v) { T o = *p; *p = v; return o; }
template <class T> T atomicCAS(T *p, T e, T v) { T o = *p; if (o == e) *p = v; return o; }
"""


class HostCudaTarget(Target):
    """CUDA C as C++: threads one after the other, so kernels with barriers do not run."""

    name = "cuda-as-c++"
    info = DeviceInfo("host", "GNU", "gpu")

    def __init__(self, language: str = "cuda") -> None:
        self.language = language
        self.name = f"{language}-as-c++"
        self._folder = Path(tempfile.mkdtemp(prefix="xpu-host-cuda-"))
        self._libraries: dict[str, Any] = {}

    def _build(self, kernel: ir.Kernel, checked: bool) -> Any:
        source = print_kernel(kernel, self.language, self.info, checked)
        key = hashlib.sha256(source.text.encode()).hexdigest()[:16]
        if key not in self._libraries:
            header = source.text[source.text.index(f"{source.name}(\n") :]
            header = header[header.index("(") + 1 : header.index(") {")]
            types = [text.strip().rsplit(" ", 1) for text in header.split(",\n")]
            passed = []
            for k, (type_, name) in enumerate(types):
                if name.startswith("*"):
                    passed.append(f"({type_} *)a[{k}]")
                else:
                    passed.append(f"*({type_} *)a[{k}]")
            loops = (
                'extern "C" void run(unsigned groups, const unsigned *block, void **a) {\n'
                "    blockDim = {block[0], block[1], block[2]}; gridDim = {groups, 1, 1};\n"
                "    for (unsigned g = 0; g < groups; g++) for (unsigned z = 0; z < block[2]; z++)\n"
                "    for (unsigned y = 0; y < block[1]; y++) for (unsigned x = 0; x < block[0]; x++) {\n"
                "        blockIdx = {g, 0, 0}; threadIdx = {x, y, z};\n"
                f"        {source.name}({', '.join(passed)});\n"
                "    }\n}\n"
            )
            path = self._folder / f"{key}.cpp"
            path.write_text(_SHIM + source.text + loops)
            library = path.with_suffix(".so")
            command = [
                "g++",
                "-std=c++17",
                "-O0",
                "-ffp-contract=off",
                "-w",
                "-fPIC",
                "-shared",
                str(path),
                "-o",
                library,
            ]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise AssertionError(f"{done.stderr[:3000]}\n{source.text}")
            self._libraries[key] = ctypes.CDLL(str(library))
        return self._libraries[key]

    def run(
        self, kernel: ir.Kernel, size: Any, *arguments: Any, local: Any = None, checked: bool = False
    ) -> tuple[list[Any], np.ndarray]:
        size = size if isinstance(size, tuple) else (size,)
        library = self._build(kernel, checked)
        local = local or (1, 4, 8)[3 - len(size) :]
        views: list[Any] = []
        kept: list[Any] = []
        for argument in arguments:
            if isinstance(argument, np.ndarray):
                raw, offset, strides = layout(argument)
                raw = raw.copy()
                kept.append(raw)
                storage = SimpleNamespace(block=raw)
                views.append(SimpleNamespace(storage=storage, offset=offset, shape=argument.shape, strides=strides))
            else:
                views.append(argument)
        error = np.zeros(debug.WORDS, np.int64)
        flat = abi.flatten(kernel, size, views, error if checked else None)
        pointers = []
        for value in flat:
            if isinstance(value, np.ndarray):
                pointers.append(value.ctypes.data)
            else:
                cell = np.array([value])
                kept.append(cell)
                pointers.append(cell.ctypes.data)
        groups = 1
        for extent, part in zip(size, local, strict=True):
            groups *= -(-extent // part)
        block = (*reversed(local), 1, 1)[:3]
        library.run(groups, (ctypes.c_uint * 3)(*block), (ctypes.c_void_p * len(pointers))(*pointers))
        results = []
        for argument, view in zip(arguments, views, strict=True):
            if isinstance(argument, np.ndarray) and argument.size:
                back = view.storage.block.view(argument.dtype)[view.offset :]
                results.append(np.lib.stride_tricks.as_strided(back, argument.shape, argument.strides).copy())
            else:
                results.append(argument)
        return results, error


@lru_cache(maxsize=1)
def opencl_targets() -> tuple[OpenCLTarget, ...]:
    """Return every OpenCL device that opens and builds a kernel."""
    from xpu.kernel.probe import probe_kernel
    from xpu_opencl import OpenCLBackend

    found = []
    for device in OpenCLBackend().devices():
        if ONLY and ONLY not in device.aliases:
            continue
        try:
            device.open()
            target = OpenCLTarget(device)
            target.build(probe_kernel())
        except Exception:  # listed, but not usable: the probe's business
            continue
        found.append(target)
    return tuple(found)


@lru_cache(maxsize=1)
def targets() -> tuple[Target, ...]:
    """Return all targets of this machine."""
    found: list[Target] = list(opencl_targets())
    if shutil.which("g++") and not ONLY:
        found.append(HostCudaTarget())
    return tuple(found)
