"""Finding implementations: Intel's runtime wherever pip put it, the system's files, the user's variables."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from xpu_opencl import icd

linux = pytest.mark.skipif(not icd.supported(), reason="declared unsupported: .icd files")


class FakeDistribution:
    """A distribution installed in ``home``, with ``files`` relative to it."""

    def __init__(self, home: Path, files: list[str]) -> None:
        from importlib.metadata import PackagePath

        self.home = home
        self.files = [PackagePath(name) for name in files]
        self.version = "2026.0"

    def locate_file(self, name):
        return self.home / str(name)


@pytest.fixture
def no_variables(monkeypatch):
    for name in ("OCL_ICD_VENDORS", "OCL_ICD_FILENAMES"):
        monkeypatch.delenv(name, raising=False)


def install(monkeypatch, tmp_path, home, library):
    """Pretend that pip has put Intel's runtime there."""
    monkeypatch.setattr(platform, "machine", lambda: "x86_64")
    target = tmp_path / library
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(b"")
    folder = tmp_path / home
    folder.mkdir(parents=True, exist_ok=True)
    relative = os.path.relpath(target, folder)
    monkeypatch.setattr("importlib.metadata.distribution", lambda name: FakeDistribution(folder, [relative]))
    return target


@pytest.mark.parametrize(
    ("home", "library"),
    [
        ("venv/lib/python3.11/site-packages", "venv/lib/libintelocl.so"),
        ("target", "target/lib/libintelocl.so"),
        ("user base/lib/python3.12/site-packages", "user base/lib/libintelocl.so"),
        ("Ünïcode/lib/python3.12/site-packages", "Ünïcode/lib/libintelocl.so"),
    ],
)
def test_intel_is_found_where_pip_put_it(monkeypatch, tmp_path, home, library):
    target = install(monkeypatch, tmp_path, home, library)
    assert icd.intel_library() == target


def test_intel_is_found_when_the_record_is_wrong(monkeypatch, tmp_path):
    """``pip install --target`` moves files after it has written where they are."""
    target = install(monkeypatch, tmp_path, "target", "target/lib/libintelocl.so")
    monkeypatch.setattr(
        "importlib.metadata.distribution", lambda name: FakeDistribution(tmp_path / "target", ["../../libintelocl.so"])
    )
    assert icd.intel_library() == target


def test_no_intel_elsewhere(monkeypatch, tmp_path):
    install(monkeypatch, tmp_path, "a", "lib/libintelocl.so")
    monkeypatch.setattr(platform, "machine", lambda: "aarch64")
    assert icd.intel_library() is None


def write_icd(folder, name, text):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


def test_registered_files_of_the_system(monkeypatch, tmp_path, no_variables):
    monkeypatch.setattr(icd, "SYSTEM_FOLDER", tmp_path / "vendors")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "none"))
    assert icd.registered() == []
    write_icd(tmp_path / "vendors", "b.icd", "libb.so.1\n")
    write_icd(tmp_path / "vendors", "a.icd", "/opt/a.so")
    write_icd(tmp_path / "vendors", "empty.icd", "\n")
    write_icd(tmp_path / "vendors", "notes.txt", "nothing")
    assert [entry.library for entry in icd.registered()] == ["/opt/a.so", "libb.so.1"]


def test_the_users_variables_are_honoured(monkeypatch, tmp_path, no_variables):
    write_icd(tmp_path / "mine", "x.icd", "libx.so")
    write_icd(tmp_path / "mine", "y.icd", "liby.so")
    monkeypatch.setenv("OCL_ICD_VENDORS", str(tmp_path / "mine"))
    assert [entry.library for entry in icd.registered()] == ["libx.so", "liby.so"]
    monkeypatch.setenv("OCL_ICD_VENDORS", str(tmp_path / "mine" / "y.icd"))
    assert [entry.library for entry in icd.registered()] == ["liby.so"]
    monkeypatch.setenv("OCL_ICD_VENDORS", "/opt/libz.so")
    monkeypatch.setenv("OCL_ICD_FILENAMES", "/opt/libw.so")
    assert [entry.library for entry in icd.registered()] == ["/opt/libz.so", "/opt/libw.so"]


@linux
def test_the_private_folder_repeats_the_systems_files(monkeypatch, tmp_path, no_variables):
    target = install(monkeypatch, tmp_path, "pre fix/lib/py/site-packages", "pre fix/lib/libintelocl.so")
    monkeypatch.setattr(icd, "SYSTEM_FOLDER", tmp_path / "vendors")
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "none"))
    write_icd(tmp_path / "vendors", "pocl.icd", "libpocl.so.2\n")
    with icd.complete_vendors():
        folder = Path(os.environ["OCL_ICD_VENDORS"])
        contents = sorted(path.read_text().strip() for path in folder.glob("*.icd"))
        assert folder.stat().st_mode & 0o077 == 0
    assert contents == sorted([str(target), "libpocl.so.2"])
    assert not folder.exists() and "OCL_ICD_VENDORS" not in os.environ


@linux
def test_variables_are_restored(monkeypatch, tmp_path, no_variables):
    install(monkeypatch, tmp_path, "lib/py/site-packages", "lib/libintelocl.so")
    monkeypatch.setenv("OCL_ICD_VENDORS", str(tmp_path))
    monkeypatch.setenv("OCL_ICD_FILENAMES", "/opt/libw.so")
    with icd.complete_vendors():
        assert os.environ["OCL_ICD_VENDORS"] != str(tmp_path) and "OCL_ICD_FILENAMES" not in os.environ
    assert os.environ["OCL_ICD_VENDORS"] == str(tmp_path)
    assert os.environ["OCL_ICD_FILENAMES"] == "/opt/libw.so"


@linux
def test_a_registered_intel_runtime_is_not_added_twice(monkeypatch, tmp_path, no_variables):
    target = install(monkeypatch, tmp_path, "lib/py/site-packages", "lib/libintelocl.so")
    monkeypatch.setattr(icd, "SYSTEM_FOLDER", tmp_path / "vendors")
    write_icd(tmp_path / "vendors", "intel.icd", str(target))
    with icd.complete_vendors():
        assert "OCL_ICD_VENDORS" not in os.environ


@linux
def test_the_cache_folder_serves_where_there_is_no_temporary_one(monkeypatch, tmp_path, no_variables):
    import tempfile

    install(monkeypatch, tmp_path, "lib/py/site-packages", "lib/libintelocl.so")
    monkeypatch.setenv("XPU_CACHE_DIR", str(tmp_path / "cache"))
    real = tempfile.mkdtemp

    def full(prefix, dir=None):
        if dir is None:
            raise OSError("no space left")
        return real(prefix=prefix, dir=dir)

    monkeypatch.setattr(tempfile, "mkdtemp", full)
    with icd.complete_vendors():
        assert os.environ["OCL_ICD_VENDORS"].startswith(str(tmp_path / "cache"))

    def read_only(**options):
        raise OSError("read-only file system")

    monkeypatch.setattr(tempfile, "mkdtemp", read_only)
    with icd.complete_vendors():
        assert "OCL_ICD_VENDORS" not in os.environ


@linux
def test_intels_runtime_is_listed_beside_the_systems(tmp_path):
    """A fresh process, no variable set: pip's runtime and Debian's files together."""
    if icd.intel_library() is None:
        pytest.skip("declared unsupported: Intel's CPU runtime")
    code = (
        "import os\n"
        "from xpu_opencl.backend import platforms\n"
        "names = [p.name for p in platforms()]\n"
        "assert 'OCL_ICD_VENDORS' not in os.environ\n"
        "print('\\n'.join(names))\n"
    )
    environment = {k: v for k, v in os.environ.items() if not k.startswith("OCL_ICD")}
    folder = tmp_path / "tempörary files"
    folder.mkdir()
    environment["TMPDIR"] = str(folder)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    names = done.stdout.split("\n")
    assert any("Intel" in name for name in names)
    if Path("/etc/OpenCL/vendors/pocl.icd").exists():
        assert any("Portable" in name for name in names)
    assert done.stderr == ""
    assert not list(folder.iterdir())
