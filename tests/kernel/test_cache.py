"""The disk cache may cost time; it never raises and never gives back what was not stored."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from xpu.config import config
from xpu.kernel import cache

BINARY = bytes(range(256)) * 8
posix = pytest.mark.skipif(os.name != "posix", reason="owners and permission bits are POSIX's")
is_root = os.name == "posix" and os.geteuid() == 0


@pytest.fixture
def folder(tmp_path):
    """A cache folder that does not exist yet."""
    place = tmp_path / "kernels"
    with config.override(cache_dir=str(place)):
        yield place


def stored_file(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


def test_what_was_written_is_read(folder):
    assert cache.read("key", "device") is None
    cache.write("key", "device", BINARY)
    assert cache.read("key", "device") == BINARY
    cache.write("key", "device", b"")
    assert cache.read("key", "device") == b""


def test_reading_creates_nothing(folder):
    cache.read("key", "device")
    cache.size()
    cache.clear()
    assert cache.problem() == ""
    assert not folder.exists()


@pytest.mark.parametrize(("key", "fingerprint"), [("key2", "device"), ("key", "device2"), ("keyd", "evice"), ("", "")])
def test_another_key_or_device_is_a_miss(folder, key, fingerprint):
    cache.write("key", "device", BINARY)
    assert cache.read(key, fingerprint) is None


def test_another_version_of_xpu_is_a_miss(folder, monkeypatch):
    cache.write("key", "device", BINARY)
    monkeypatch.setattr(cache, "_version", lambda: "another")
    assert cache.read("key", "device") is None


@posix
def test_folder_and_files_are_private(folder):
    previous = os.umask(0)
    try:
        cache.write("key", "device", BINARY)
    finally:
        os.umask(previous)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(stored_file(folder).stat().st_mode) == 0o600


@posix
@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777])
def test_folder_that_others_can_write_is_not_used(folder, mode):
    cache.write("key", "device", BINARY)
    folder.chmod(mode)
    assert cache.read("key", "device") is None
    cache.write("other", "device", BINARY)
    assert len(list(folder.iterdir())) == 1
    assert "writable for other users" in cache.problem()


@posix
def test_file_that_others_can_write_is_not_read(folder):
    cache.write("key", "device", BINARY)
    stored_file(folder).chmod(0o620)
    assert cache.read("key", "device") is None
    cache.write("key", "device", BINARY)  # replaced by a private one
    assert cache.read("key", "device") == BINARY


@posix
def test_folder_of_another_user_is_not_used(folder, monkeypatch):
    cache.write("key", "device", BINARY)
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    assert cache.read("key", "device") is None
    assert "belongs to another user" in cache.problem()


@posix
def test_links_and_pipes_in_place_of_files_are_misses(folder, tmp_path):
    cache.write("key", "device", BINARY)
    path = stored_file(folder)
    elsewhere = tmp_path / "elsewhere"
    path.rename(elsewhere)
    path.symlink_to(elsewhere)
    assert cache.read("key", "device") is None
    path.unlink()
    os.mkfifo(path, 0o600)  # opening one must not wait for a writer
    assert cache.read("key", "device") is None
    path.unlink()
    path.mkdir()
    assert cache.read("key", "device") is None
    cache.write("key", "device", BINARY)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(data=st.data())
def test_damaged_file_is_a_miss(data, tmp_path_factory):
    folder = tmp_path_factory.getbasetemp() / "damaged"
    with config.override(cache_dir=str(folder)):
        cache.write("key", "device", BINARY)
        path = stored_file(folder)
        content = path.read_bytes()
        kind = data.draw(st.sampled_from(["cut", "flip", "append", "replace"]))
        position = data.draw(st.integers(0, len(content) - 1))
        if kind == "cut":
            damaged = content[:position]
        elif kind == "flip":
            bit = 1 << data.draw(st.integers(0, 7))
            damaged = content[:position] + bytes([content[position] ^ bit]) + content[position + 1 :]
        elif kind == "append":
            damaged = content + data.draw(st.binary(min_size=1, max_size=8))
        else:
            damaged = data.draw(st.binary(max_size=200))
        path.write_bytes(damaged)
        assert cache.read("key", "device") is None
        cache.write("key", "device", BINARY)
        assert cache.read("key", "device") == BINARY


def test_file_under_another_name_is_a_miss(folder):
    cache.write("key", "device", BINARY)
    path = stored_file(folder)
    cache.write("other", "device", b"other")
    (other,) = set(folder.iterdir()) - {path}
    other.write_bytes(path.read_bytes())
    assert cache.read("other", "device") is None


@pytest.mark.parametrize("name", ["with space", "naïve-ключ-鍵", "a'b\"c", "x" * 100])
def test_unusual_names_of_folders(tmp_path, name):
    with config.override(cache_dir=str(tmp_path / name / name)):
        cache.write("key", "device", BINARY)
        assert cache.read("key", "device") == BINARY


def test_relative_folder_and_home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with config.override(cache_dir="here"):
        assert cache.location() == tmp_path / "here"
    with config.override(cache_dir="~/there"):
        assert cache.location() == tmp_path / "home" / "there"


@pytest.mark.parametrize("place", ["file", "file/below", "nul\0byte", "x" * 5000, "~nobody-of-that-name/x"])
def test_impossible_places_cost_time_only(tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_bytes(b"")
    chosen = place if place.startswith("~") else str(tmp_path / place)
    with config.override(cache_dir=chosen):
        cache.write("key", "device", BINARY)
        assert cache.read("key", "device") is None
        assert cache.problem()
        assert cache.size() == cache.entries() == cache.clear() == 0
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@posix
@pytest.mark.skipif(is_root, reason="root may write everywhere")
def test_read_only_home(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o500)
    with config.override(cache_dir=str(home / "cache")):
        cache.write("key", "device", BINARY)
        assert cache.read("key", "device") is None
        assert "cannot be made" in cache.problem()


def test_default_place_is_the_users_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path))
    with config.override(cache_dir=None):
        assert tmp_path in cache.location().parents
        cache.write("key", "device", BINARY)
        assert cache.read("key", "device") == BINARY


@pytest.mark.parametrize("step", ["open", "replace", "mkdir", "scandir", "utime"])
def test_failing_system_calls_cost_time_only(folder, monkeypatch, step):
    def fail(*args, **kwargs):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, step, fail)
        cache.write("key", "device", BINARY)
        assert cache.read("key", "device") in (None, BINARY)
        cache.size()
        cache.clear()
    assert not list(folder.glob(".*")) if folder.exists() else True
    cache.write("key", "device", BINARY)
    assert cache.read("key", "device") == BINARY


def test_disk_that_fills_up_while_writing_leaves_nothing(folder, monkeypatch):
    real_fdopen = os.fdopen

    class Full:
        def __init__(self, file):
            self.file = file

        def __enter__(self):
            return self

        def __exit__(self, *args):
            self.file.close()

        def write(self, data):
            self.file.write(data[: len(data) // 2])
            raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fdopen", lambda *args, **kwargs: Full(real_fdopen(*args, **kwargs)))
        cache.write("key", "device", BINARY)
    assert list(folder.iterdir()) == []
    assert cache.read("key", "device") is None


def test_size_and_clear_touch_own_files_only(folder):
    cache.write("one", "device", BINARY)
    cache.write("two", "device", BINARY)
    foreign = folder / "thesis.bin"
    foreign.write_bytes(b"precious")
    assert cache.entries() == 2
    assert 2 * len(BINARY) < cache.size() < 2 * len(BINARY) + 500
    assert cache.clear() == 2
    assert list(folder.iterdir()) == [foreign]
    assert cache.size() == 0


def test_pruning_takes_the_longest_unused(folder):
    for number in range(10):
        cache.write(f"key{number}", "device", BINARY)
    for number, path in enumerate(sorted(folder.iterdir())):
        os.utime(path, (number, number))
    assert cache.read("key7", "device") == BINARY  # used just now, whatever its age was
    file_bytes = cache.size() // 10
    removed = cache.prune(folder, limit=4 * file_bytes)
    assert removed == 7
    assert cache.entries() == 3
    assert cache.read("key7", "device") == BINARY
    assert cache.prune(folder, limit=4 * file_bytes) == 0


def test_folder_stays_below_its_limit(folder, monkeypatch):
    monkeypatch.setattr(cache, "SIZE_LIMIT", 20 * len(BINARY))
    monkeypatch.setattr(cache, "WRITES_BETWEEN_CHECKS", 4)
    for number in range(60):
        cache.write(f"key{number}", "device", BINARY)
    assert cache.size() < 25 * len(BINARY)
    assert cache.read("key59", "device") == BINARY


WRITER = """
import sys
from xpu.kernel import cache
me = int(sys.argv[1])
wrong = 0
for round in range(40):
    for key in range(5):
        found = cache.read(f"key{key}", "device")
        wrong += found is not None and found != bytes([key]) * 20000
        if found is None or (round + me) % 4 == 0:
            cache.write(f"key{key}", "device", bytes([key]) * 20000)
    if me == 0 and round % 10 == 5:
        cache.clear()
sys.exit(wrong)
"""


def test_sixteen_processes_at_once(tmp_path):
    folder = tmp_path / "shared by all"
    environment = {**os.environ, "XPU_CACHE_DIR": str(folder)}
    processes = [subprocess.Popen([sys.executable, "-c", WRITER, str(number)], env=environment) for number in range(16)]
    assert [process.wait(timeout=120) for process in processes] == [0] * 16
    assert len(list(folder.iterdir())) == 5  # nothing half-written is left


def test_killed_writer_does_no_harm(folder):
    cache.write("key", "device", BINARY)
    left_over = folder / f".{'0' * 16}.xpu-tmp"
    left_over.write_bytes(BINARY[:100])
    assert cache.read("key", "device") == BINARY
    cache.clear()
    assert list(folder.iterdir()) == []
