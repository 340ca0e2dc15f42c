"""The wheel has everything, the extras say what they must, and the two commands explain what they miss."""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the unpacked wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    code = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    subprocess.run([sys.executable, "-c", code, str(folder)], cwd=ROOT, check=True, capture_output=True, timeout=120)
    (packed,) = folder.glob("xpu_array-*-py3-none-any.whl")
    unpacked = folder / "unpacked"
    zipfile.ZipFile(packed).extractall(unpacked)
    return unpacked


def sources() -> set[str]:
    found = set()
    for base in (ROOT / "src", ROOT / "backends"):
        found |= {str(path.relative_to(base)) for path in base.rglob("*.py") if "__pycache__" not in path.parts}
    return found


def test_the_wheel_has_every_module_and_nothing_else(wheel: Path) -> None:
    packed = {str(path.relative_to(wheel)) for path in wheel.rglob("*.py")}
    assert packed == sources()


def test_the_wheel_has_types_licence_and_conformance(wheel: Path) -> None:
    (info,) = wheel.glob("xpu_array-*.dist-info")
    assert (wheel / "xpu" / "py.typed").exists()
    assert (wheel / "xpu" / "conformance" / "__init__.py").exists()
    assert (info / "licenses" / "LICENSE").exists()


def test_the_wheel_works_by_itself(wheel: Path) -> None:
    code = (
        "import xpu, importlib.metadata as m\n"
        "print(xpu.__file__)\n"
        "print(float(xpu.arange(4, device='cpu').sum()))\n"
        "print(xpu.__version__ == m.version('xpu-array'))\n"
    )
    environment = os.environ | {"PYTHONPATH": str(wheel)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=wheel, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    where, total, same = done.stdout.split("\n")[:3]
    assert Path(where).is_relative_to(wheel)
    assert (total, same) == ("6.0", "True")


def names(extra: str) -> set[str]:
    """Return the packages of an extra, those of the extras that it contains included."""
    found = set()
    for requirement in EXTRAS[extra]:
        inner = re.fullmatch(r"xpu-array\[([\w,-]+)\]", requirement)
        if inner:
            for name in inner[1].split(","):
                found |= names(name)
        else:
            found.add(re.split(r"[\s\[<>=;]", requirement)[0])
    return found


def test_extras() -> None:
    assert {"opencl", "opencl-cpu", "opencl-pocl", "cuda12", "cuda13", "rocm", "test", "docs", "bench", "demo"} <= set(
        EXTRAS
    )
    assert names("opencl-cpu") == {"pyopencl", "intel-opencl-rt", "intel-cmplr-lib-rt"}
    assert names("opencl-cpu") <= names("demo") <= names("test")
    assert {"opencv-python-headless", "scipy", "scikit-image"} <= names("demo")


@pytest.mark.parametrize(
    ("system", "machine", "there"),
    [("linux", "x86_64", True), ("win32", "AMD64", True), ("linux", "aarch64", False), ("darwin", "arm64", False)],
)
def test_intels_runtime_is_asked_for_only_where_it_exists(system: str, machine: str, there: bool) -> None:
    place = {"sys_platform": system, "platform_machine": machine, "extra": ""}
    asked = {one.name for one in map(Requirement, EXTRAS["opencl-cpu"]) if not one.marker or one.marker.evaluate(place)}
    assert asked == {"pyopencl"} | ({"intel-opencl-rt", "intel-cmplr-lib-rt"} if there else set())


def test_core_dependencies_need_no_hardware() -> None:
    core = {re.split(r"[<>=;]", requirement)[0] for requirement in PROJECT["dependencies"]}
    assert core == {"numpy", "numba", "array-api-compat", "platformdirs", "rich"}


def test_the_photograph_is_inside_an_installed_package() -> None:
    from importlib.metadata import files

    assert any(str(path).endswith("skimage/data/coffee.png") for path in files("scikit-image") or ())


def make(python: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    command = ["make", "demo", f"PYTHON={python}", f"VENV={tmp_path / 'venv'}"]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)


def fake_python(tmp_path: Path, body: str) -> str:
    path = tmp_path / "python"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def test_make_names_the_remedy_for_a_missing_python(tmp_path: Path) -> None:
    done = make("no-such-python", tmp_path)
    assert done.returncode != 0
    assert "apt-get install python3 python3-venv" in done.stdout


def test_make_names_the_remedy_for_an_old_python(tmp_path: Path) -> None:
    done = make(fake_python(tmp_path, 'test "$1" = -V && echo Python 3.9.2; exit 1'), tmp_path)
    assert done.returncode != 0
    assert "needs Python 3.11 or newer" in done.stdout
    assert "Python 3.9.2" in done.stdout


def test_make_names_the_remedy_for_a_missing_venv(tmp_path: Path) -> None:
    done = make(fake_python(tmp_path, 'case "$2" in *ensurepip*) exit 1;; esac; exit 0'), tmp_path)
    assert done.returncode != 0
    assert "apt-get install python3-venv" in done.stdout
    assert not (tmp_path / "venv").exists()
