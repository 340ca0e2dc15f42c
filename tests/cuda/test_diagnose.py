"""The tree of layers names the broken one and its remedy, on pretended machines."""

from __future__ import annotations

import types

import pytest

from xpu_cuda.diagnose import diagnose_cuda
from xpu_cuda.diagnose_rocm import diagnose_rocm
from xpu_cuda.system import PciDevice, System

NVIDIA_CARD = PciDevice("0000:01:00.0", "0x10de", "0x2330", "0x030200")
AMD_CARD = PciDevice("0000:03:00.0", "0x1002", "0x740c", "0x038000")
HYGON_CARD = PciDevice("0000:41:00.0", "0x1d94", "0x54b7", "0x0b4000")
INTEL_CARD = PciDevice("0000:00:02.0", "0x8086", "0x9a49", "0x030000")
NVIDIA_SOUND = PciDevice("0000:01:00.1", "0x10de", "0x22bb", "0x040300")
BRIDGE = PciDevice("0000:00:00.0", "0x8086", "0x1237", "0x060000")


class Libcuda:
    """A loaded driver library."""

    def __init__(self, version=12040, init=0):
        self.version, self.init = version, init

    def cuDriverGetVersion(self, reference):
        reference._obj.value = self.version
        return 0

    def cuInit(self, flags):
        return self.init


def make_cupy(hip=False, runtime=12060, compiler=(12, 6), devices=1):
    def version():
        if compiler is None:
            raise RuntimeError("Failure finding libnvrtc.so.12\nmore lines")
        return compiler

    def count():
        if isinstance(devices, Exception):
            raise devices
        return devices

    runtime_module = types.SimpleNamespace(is_hip=hip, runtimeGetVersion=lambda: runtime, getDeviceCount=count)
    cuda = types.SimpleNamespace(runtime=runtime_module, nvrtc=types.SimpleNamespace(getVersion=version))
    return types.SimpleNamespace(__version__="14.0.0", cuda=cuda)


class Pretended(System):
    """A machine given by what it would answer."""

    platform = "linux"

    def __init__(self, pci=(BRIDGE,), files=(), closed=(), libraries=None, packages=None, cupy=None):
        self._pci = pci
        self._files = dict.fromkeys(files, "") if not isinstance(files, dict) else files
        self._closed = closed
        self._libraries = libraries or {}
        self._packages = packages or {}
        self._cupy = cupy

    def pci_devices(self):
        return None if self._pci is None else list(self._pci)

    def read(self, path):
        return self._files.get(path)

    def exists(self, path):
        return any(name == path or name.startswith(f"{path}/") for name in self._files)

    def usable(self, path):
        return path not in self._closed

    def list(self, folder):
        below = [name[len(folder) + 1 :] for name in self._files if name.startswith(f"{folder}/")]
        return sorted({name.split("/")[0] for name in below})

    def library(self, *names):
        for name in names:
            if name in self._libraries:
                return name, self._libraries[name]
        return "not found"

    def cupy_packages(self):
        return self._packages

    def cupy(self):
        if self._cupy is None:
            raise ModuleNotFoundError("No module named 'cupy'", name="cupy")
        if isinstance(self._cupy, Exception):
            raise self._cupy
        return self._cupy


WORKING = {
    "pci": (BRIDGE, NVIDIA_CARD, NVIDIA_SOUND),
    "files": {"/sys/module/nvidia/version": "550.54.14\n", "/dev/nvidia0": "", "/dev/nvidiactl": ""},
    "libraries": {"libcuda.so.1": Libcuda()},
    "packages": {"cupy-cuda12x": "14.0.0"},
    "cupy": make_cupy(),
}


def broken(tree):
    found = tree.first_broken()
    assert found is not None
    assert not tree.ok
    assert found.detail
    assert found.remedy
    return found


def cuda(**changes):
    return diagnose_cuda(Pretended(**{**WORKING, **changes}))


def test_all_is_well():
    tree = cuda()
    assert tree.ok
    assert tree.first_broken() is None
    assert [layer.ok for layer in tree.children] == [True] * 5
    details = " ".join(layer.detail for layer in tree.children)
    assert "0000:01:00.0 [10de:2330]" in details
    assert "0000:01:00.1" not in details  # the card's sound device
    for word in ("550.54.14", "CUDA up to 12.4", "cupy-cuda12x 14.0.0", "for CUDA 12.6", "12.6"):
        assert word in details


@pytest.mark.parametrize(
    ("pci", "remedy"),
    [
        ((BRIDGE,), "device 'cpu' or 'opencl'"),
        ((BRIDGE, INTEL_CARD), "try device 'opencl'"),
        ((BRIDGE, AMD_CARD), "device 'rocm' or 'opencl'"),
        ((HYGON_CARD,), "device 'rocm' or 'opencl'"),
    ],
)
def test_no_card(pci, remedy):
    found = broken(diagnose_cuda(Pretended(pci=pci)))
    assert found.name == "NVIDIA card"
    assert f"none among the {len(pci)} devices" in found.detail
    assert remedy in found.remedy


def test_sound_device_of_a_card_is_no_card():
    assert broken(diagnose_cuda(Pretended(pci=(NVIDIA_SOUND,)))).name == "NVIDIA card"


def test_bus_that_cannot_be_seen_is_no_verdict():
    tree = cuda(pci=None, files={})
    assert tree.children[0].ok is None
    assert broken(tree).name == "kernel driver"
    assert cuda(pci=None).children[0].ok is True  # its driver knows the card


@pytest.mark.parametrize(
    ("files", "closed", "detail", "remedy"),
    [
        ({}, (), "not loaded", "nvidia-driver"),
        ({"/sys/module/nouveau/x": ""}, (), "nouveau", "nvidia-driver"),
        ({"/sys/module/nvidia/version": "550.1"}, (), "550.1 is loaded, but there is no /dev/nvidia0", "--gpus all"),
        (
            {"/proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX x86_64 Kernel Module  470.82.01  Wed"},
            (),
            "470.82.01",
            "docker",
        ),
        (WORKING["files"], ("/dev/nvidia0",), "may not open /dev/nvidia0", "access"),
    ],
)
def test_kernel_driver(files, closed, detail, remedy):
    found = broken(cuda(files=files, closed=closed))
    assert found.name == "kernel driver"
    assert detail in found.detail
    assert remedy in found.remedy


def test_windows_subsystem_and_jetson_have_no_kernel_module():
    for files in ({"/dev/dxg": ""}, {"/proc/device-tree/compatible": "nvidia,p3737\0nvidia,tegra234"}):
        tree = cuda(pci=(), files=files)
        assert tree.ok
        assert tree.children[1].ok is None


@pytest.mark.parametrize(
    ("libraries", "detail", "remedy"),
    [
        ({}, "not found", "libnvidia-compute"),
        ({"libcuda.so.1": Libcuda(init=100)}, "sees no card", "CUDA_VISIBLE_DEVICES"),
        ({"libcuda.so.1": Libcuda(init=803)}, "different versions", "restart"),
        ({"libcuda.so.1": Libcuda(init=34)}, "stub", "LD_LIBRARY_PATH"),
        ({"libcuda.so.1": Libcuda(init=12345)}, "error 12345", "nvidia-smi"),
    ],
)
def test_user_driver(libraries, detail, remedy):
    found = broken(cuda(libraries=libraries))
    assert found.name == "driver library (libcuda)"
    assert detail in found.detail
    assert remedy in found.remedy


@pytest.mark.parametrize(("version", "extra"), [(12040, "cuda12"), (13000, "cuda13"), (11080, "cuda12")])
def test_cupy_is_missing(version, extra):
    found = broken(cuda(libraries={"libcuda.so.1": Libcuda(version)}, packages={}, cupy=None))
    assert (found.name, found.detail) == ("CuPy", "not installed")
    assert found.remedy == f'pip install "xpu-array[{extra}]"'


def test_cupy_for_a_newer_cuda_than_the_driver():
    found = broken(cuda(packages={"cupy-cuda13x": "14.0.0"}))
    assert found.name == "CuPy"
    assert "made for CUDA 13, and the driver supports 12.4" in found.detail
    assert "pip uninstall -y cupy-cuda13x" in found.remedy
    assert "cupy-cuda12x[ctk]" in found.remedy
    assert "580" in found.remedy


def test_older_cupy_on_a_newer_driver_is_fine():
    assert cuda(libraries={"libcuda.so.1": Libcuda(13000)}).ok


def test_two_distributions_of_cupy():
    found = broken(cuda(packages={"cupy-cuda13x": "14", "cupy-cuda12x": "14"}))
    assert "cupy-cuda12x and cupy-cuda13x are installed side by side" in found.detail
    assert found.remedy == 'pip uninstall -y cupy-cuda12x cupy-cuda13x; pip install "cupy-cuda12x[ctk]"'


def test_import_of_cupy_fails():
    error = ImportError("\n====\nFailed to import CuPy.\n\nmore\n====")
    found = broken(cuda(cupy=error))
    assert found.detail == "its import fails: Failed to import CuPy."
    assert "--force-reinstall" in found.remedy
    assert broken(cuda(cupy=ModuleNotFoundError("No module named 'fastrlock'", name="fastrlock"))).name == "CuPy"


def test_cupy_for_rocm():
    found = broken(cuda(cupy=make_cupy(hip=True)))
    assert "built for ROCm" in found.detail
    assert "'rocm'" in found.remedy


def test_cupy_that_cannot_reach_the_driver():
    found = broken(cuda(cupy=make_cupy(devices=RuntimeError("cudaErrorInsufficientDriver: too old"))))
    assert found.name == "CuPy"
    assert "cudaErrorInsufficientDriver" in found.detail


def test_compiler_is_missing():
    found = broken(cuda(cupy=make_cupy(compiler=None)))
    assert found.name == "run-time compiler (NVRTC)"
    assert found.remedy == 'pip install "cupy-cuda12x[ctk]"'


def test_without_a_card_nothing_else_is_to_be_mended():
    for tree in (diagnose_cuda(Pretended()), diagnose_rocm(Pretended())):
        broken(tree)
        hardware, *others = tree.children
        assert hardware.ok is False
        assert all(layer.ok is None and layer.detail and not layer.remedy for layer in others)


# --------------------------------------------------------------------------------------------------------- ROCm

ROCM = {
    "pci": (BRIDGE, AMD_CARD),
    "files": {
        "/sys/module/amdgpu/version": "6.7",
        "/dev/kfd": "",
        "/dev/dri/renderD128": "",
        "/opt/rocm/.info/version": "7.0.1\n",
    },
    "libraries": {"libamdhip64.so.7": object()},
    "packages": {"cupy-rocm-7-0": "14.0.0"},
    "cupy": make_cupy(hip=True, compiler=(7, 0)),
}


def rocm(**changes):
    return diagnose_rocm(Pretended(**{**ROCM, **changes}))


def test_rocm_is_well():
    tree = rocm()
    assert tree.ok
    details = " ".join(layer.detail for layer in tree.children)
    for word in ("AMD 0000:03:00.0 [1002:740c]", "amdgpu", "/dev/dri/renderD128", "libamdhip64.so.7", "7.0.1"):
        assert word in details


def test_hygon_dcu():
    files = {**ROCM["files"], "/sys/module/hydcu/x": ""}
    del files["/sys/module/amdgpu/version"]
    tree = rocm(pci=(BRIDGE, HYGON_CARD), files=files)
    assert tree.ok
    assert "Hygon 0000:41:00.0 [1d94:54b7]" in tree.children[0].detail
    assert tree.children[1].detail == "hydcu"


def test_card_seen_by_the_kernel_only():
    nodes = "/sys/class/kfd/kfd/topology/nodes"
    files = {
        **ROCM["files"],
        f"{nodes}/0/properties": "cpu_cores_count 8\nsimd_count 0\n",
        f"{nodes}/1/properties": "cpu_cores_count 0\nsimd_count 240\n",
    }
    assert rocm(pci=(BRIDGE,), files=files).children[0].detail == "1 known to the kernel's driver"


def test_rocm_kernel_driver_and_device_files():
    found = broken(rocm(files={}))
    assert found.name == "kernel driver"
    assert "modprobe amdgpu" in found.remedy
    found = broken(rocm(files={"/sys/module/amdgpu/version": "6.7"}))
    assert "no /dev/kfd" in found.detail
    assert "--device=/dev/kfd" in found.remedy
    found = broken(rocm(closed=("/dev/kfd", "/dev/dri/renderD128")))
    assert "/dev/kfd, /dev/dri/renderD128" in found.detail
    assert "usermod -aG render,video $USER" in found.remedy


def test_rocm_runtime():
    found = broken(rocm(libraries={}))
    assert found.name == "runtime (libamdhip64)"
    assert "7.0.1 is in /opt: add its lib folder to LD_LIBRARY_PATH" in found.detail
    found = broken(rocm(libraries={"libamdhip64.so.6": object()}))
    assert found.name == "CuPy"
    assert "cupy-rocm-7-0 is made for ROCm 7.0 and the runtime here is of ROCm 6" in found.detail
    assert "CUPY_INSTALL_USE_HIP=1" in found.remedy


def test_rocm_cupy():
    assert broken(rocm(packages={}, cupy=None)).remedy.startswith('pip install "xpu-array[rocm]"')
    found = broken(rocm(packages={"cupy-cuda12x": "14"}, cupy=make_cupy()))
    assert "built for CUDA" in found.detail
    found = broken(rocm(cupy=ImportError("libamdhip64.so.5: cannot open shared object file")))
    assert "install the ROCm that has libamdhip64.so.5" in found.remedy
    found = broken(rocm(cupy=make_cupy(hip=True, compiler=None)))
    assert found.name == "run-time compiler (hipRTC)"
    assert "side by side" in broken(rocm(packages={"cupy-rocm-7-0": "1", "amd-cupy": "1"})).detail


# ------------------------------------------------------------------------------------------------- the real machine


def test_the_real_system_answers():
    system = System()
    devices = system.pci_devices()
    assert devices is None or all(device.vendor.startswith("0x") for device in devices)
    assert system.read("/no/such/file") is None
    assert system.list("/no/such/folder") == []
    assert system.library("libno-such-library.so.1") == "not found"
    assert isinstance(system.cupy_packages(), dict)


def test_the_real_trees_never_raise():
    for tree in (diagnose_cuda(System()), diagnose_rocm(System())):
        found = tree.first_broken()
        assert tree.ok is (found is None)
        assert found is None or (found.detail and found.remedy)
