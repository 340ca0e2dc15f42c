"""The tree of layers: what is broken is named, with its remedy."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from xpu.backend import Layer
from xpu_opencl import OpenCLBackend, diagnose, hardware, icd
from xpu_opencl.explain import explain

linux = pytest.mark.skipif(not icd.supported(), reason="declared unsupported: .icd files")


def flat(layer: Layer) -> list[Layer]:
    found = [layer]
    for child in layer.children:
        found += flat(child)
    return found


def in_process(code: str, **environment: str) -> str:
    """Run Python in a process of its own; return its output, which must be all."""
    full = {k: v for k, v in os.environ.items() if not k.startswith(("OCL_ICD", "RUSTICL"))} | environment
    prelude = (
        "def lines(layer, depth=0):\n"
        "    yield ' | '.join((str(layer.ok), layer.name, layer.detail, layer.remedy))\n"
        "    for child in layer.children:\n"
        "        yield from lines(child)\n"
        "from xpu_opencl import OpenCLBackend\n"
    )
    done = subprocess.run([sys.executable, "-c", prelude + code], capture_output=True, text=True, env=full, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


SHOW = "tree = OpenCLBackend().diagnose()\nprint('\\n'.join(lines(tree)))\nprint('FIRST', tree.first_broken())\n"


def test_here_it_is_quiet_and_complete(capfd):
    tree = OpenCLBackend().diagnose()
    out, err = capfd.readouterr()
    assert out == "" and err == ""
    names = [layer.name for layer in flat(tree)]
    assert "Python package pyopencl" in names and "hardware" in names
    for layer in flat(tree):
        assert layer.ok is not False or layer.remedy


def test_without_pyopencl():
    code = (
        "import sys\n"
        "class Blocker:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name.split('.')[0] == 'pyopencl':\n"
        "            raise ModuleNotFoundError('No module named pyopencl')\n"
        "sys.meta_path.insert(0, Blocker())\n"
        "backend = OpenCLBackend()\n"
        "assert list(backend.devices()) == []\n"
        "from xpu_opencl import diagnose\n"
        "diagnose.distributions = lambda: []\n"
    )
    text = in_process(code + SHOW)
    assert "False | Python package pyopencl | not installed" in text
    assert "pip install" in text.split("FIRST")[1] and "pyopencl" in text.split("FIRST")[1]


@linux
def test_an_icd_file_that_names_a_missing_library(tmp_path):
    (tmp_path / "gone.icd").write_text("/opt/gone/libgone.so\n")
    text = in_process(SHOW, OCL_ICD_VENDORS=str(tmp_path))
    line = next(line for line in text.split("\n") if "gone.icd" in line)
    assert line.startswith("False") and "does not exist" in line and "remove" in line


@linux
@pytest.mark.skipif(not shutil.which("cc"), reason="declared unsupported: a C compiler")
def test_libraries_that_are_no_implementations(tmp_path):
    """One that the dynamic linker refuses for a missing dependency, one that is something else."""
    source = tmp_path / "a.c"
    source.write_text("int helper(void); int nothing(void) { return helper(); }\n")
    (tmp_path / "h.c").write_text("int helper(void) { return 1; }\n")
    run = lambda *words: subprocess.run(["cc", "-shared", "-fPIC", *words], check=True, cwd=tmp_path)  # noqa: E731
    run("-o", "libimf_gone.so", "h.c", "-Wl,-soname,libimf_gone.so")
    run("-o", "needs.so", "a.c", "-L.", "-limf_gone")
    run("-o", "other.so", "h.c")
    (tmp_path / "libimf_gone.so").unlink()
    vendors = tmp_path / "vendors"
    vendors.mkdir()
    for name in ("needs", "other"):
        (vendors / f"{name}.icd").write_text(str(tmp_path / f"{name}.so"))
    text = in_process(SHOW, OCL_ICD_VENDORS=str(vendors))
    needs = next(line for line in text.split("\n") if "needs.icd" in line)
    assert needs.startswith("False") and "libimf_gone.so" in needs and "pip install intel-cmplr-lib-rt" in needs
    other = next(line for line in text.split("\n") if "other.icd" in line)
    assert other.startswith("False") and "no OpenCL implementation" in other


@linux
@pytest.mark.skipif(not shutil.which("cc"), reason="declared unsupported: a C compiler")
def test_an_implementation_whose_compiler_fails(tmp_path):
    """A real ICD with one platform and one device; every build fails. It is listed, reported, and not chosen."""
    library = tmp_path / "libbroken.so"
    fake = Path(__file__).with_name("broken_icd.c")
    subprocess.run(["cc", "-shared", "-fPIC", "-w", "-o", library, fake], check=True)
    (tmp_path / "broken.icd").write_text(str(library))
    code = (
        "from xpu.device import DeviceNotFoundError, get_device, survey\n"
        "records = [r for r in survey() if r.backend == 'opencl']\n"
        "for r in records: print(r.info.name, '|', r.failure)\n"
        "try:\n"
        "    print('chosen', get_device('opencl').info.name)\n"
        "except DeviceNotFoundError as error: print('none', error)\n"
        "try:\n"
        "    get_device('opencl:broken')\n"
        "except DeviceNotFoundError as error: print('asked', error)\n"
    )
    text = in_process(code, OCL_ICD_VENDORS=str(tmp_path))
    assert "Broken device | " in text and "unknown target CPU" in text
    assert "chosen Broken" not in text
    asked = text.split("asked")[1]
    assert "unknown target CPU" in asked


@linux
def test_intels_missing_companion_is_named(monkeypatch, tmp_path):
    monkeypatch.setattr(icd, "intel_version", lambda: "2026.2")
    monkeypatch.setattr(icd, "intel_library", lambda: tmp_path / "libintelocl.so")
    error = "libimf.so: cannot open shared object file: No such file or directory"
    monkeypatch.setattr(diagnose, "try_library", lambda library: error)
    layer = diagnose._intel([], [], early=False)
    assert layer.ok is False and layer.remedy == "pip install intel-cmplr-lib-rt" and "libimf.so" in layer.detail


@linux
def test_pyopencl_used_before_xpu(monkeypatch, tmp_path):
    monkeypatch.setattr(icd, "intel_version", lambda: "2026.2")
    monkeypatch.setattr(icd, "intel_library", lambda: tmp_path / "libintelocl.so")
    monkeypatch.setattr(diagnose, "try_library", lambda library: "")
    layer = diagnose._intel([], [], early=True)
    assert layer.ok is False and "before" in layer.detail and "before" in layer.remedy


class FakePlatform:
    def __init__(self, name, devices=()):
        self.name, self.version, self.vendor = name, "OpenCL 3.0", "x"
        self._devices = list(devices)

    def get_devices(self):
        return self._devices


def test_rusticl_without_its_variable(monkeypatch):
    monkeypatch.delenv("RUSTICL_ENABLE", raising=False)
    layer = diagnose._platform(FakePlatform("rusticl"), anything=False)
    assert layer.ok is False and "not enabled" in layer.detail and "RUSTICL_ENABLE" in layer.remedy
    assert diagnose._platform(FakePlatform("rusticl"), anything=True).ok is None


def pci(root, name, class_, vendor):
    folder = root / name
    folder.mkdir(parents=True)
    (folder / "class").write_text(class_ + "\n")
    (folder / "vendor").write_text(vendor + "\n")


def test_a_card_without_driver(monkeypatch, tmp_path):
    pci(tmp_path, "0000:00:02.0", "0x030000", "0x1002")
    pci(tmp_path, "0000:00:03.0", "0x020000", "0x8086")
    pci(tmp_path, "0000:00:04.0", "0x030200", "0x10DE")
    pci(tmp_path, "0000:00:05.0", "0x030000", "0x1234")
    assert hardware.graphics_cards(tmp_path) == [("AMD", "0000:00:02.0"), ("NVIDIA", "0000:00:04.0")]
    monkeypatch.setattr(hardware, "PCI", tmp_path)

    class Radeon:
        type, vendor, name = 4, "Advanced Micro Devices, Inc.", "gfx1030"

    bare = hardware.layer([])
    assert [child.ok for child in bare.children[:2]] == [False, False]
    assert "mesa-opencl-icd" in bare.children[0].remedy and "nvidia-opencl-icd" in bare.children[1].remedy
    served = hardware.layer([FakePlatform("AMD", [Radeon()])])
    assert [child.ok for child in served.children[:2]] == [True, False]


def test_a_render_node_that_the_user_may_not_open(monkeypatch, tmp_path):
    (tmp_path / "renderD128").write_text("")
    monkeypatch.setattr(hardware, "RENDER", tmp_path)
    monkeypatch.setattr(hardware.os, "access", lambda path, mode: False)
    layer = hardware.layer([])
    assert any(child.name == "permission" and "usermod" in child.remedy for child in layer.children)


@pytest.mark.parametrize(
    ("platform", "message", "word"),
    [
        ("Portable Computing Language", "error: unknown target CPU 'generic'", "pocl-opencl-icd"),
        ("rusticl", "failed to load libclc", "libclc"),
        ("Clover", "anything", "RUSTICL_ENABLE"),
        ("Some Vendor", "clBuildProgram failed: BUILD_PROGRAM_FAILURE", "pip install intel-opencl-rt"),
        ("Some Vendor", "something unheard of", ""),
    ],
)
def test_explanations(platform, message, word):
    assert word in explain(platform, RuntimeError(message))
