"""Part 2: memory. Offsets are bytes; copies are complete when they say so, and touch nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from ...device import Device


@pytest.fixture
def blocks(backend: Any) -> Iterator[Any]:
    """Return a function that makes blocks; they are freed afterwards."""
    made = []

    def allocate(nbytes: int) -> Any:
        made.append(backend.allocate(nbytes))
        return made[-1]

    yield allocate
    backend.synchronize()
    for block in made:
        backend.free(block)


def bytes_of(count: int, seed: int = 0) -> np.ndarray:
    return np.random.Generator(np.random.Philox(seed)).integers(0, 256, count, np.uint8)


def read(backend: Any, block: Any, offset: int, count: int) -> np.ndarray:
    out = np.full(count, 0x5A, np.uint8)
    backend.copy_out(block, offset, out)
    return out


@pytest.mark.parametrize("count", [1, 3, 64, 1000, 4096, 100_003])
def test_bytes_come_back(backend: Any, blocks: Any, count: int) -> None:
    block, data = blocks(count), bytes_of(count)
    backend.copy_in(block, 0, data)
    assert np.array_equal(read(backend, block, 0, count), data)


@pytest.mark.parametrize("offset", [1, 4, 7, 64, 255])
def test_copy_in_at_an_offset_touches_nothing_else(backend: Any, blocks: Any, offset: int) -> None:
    block, before, data = blocks(512), bytes_of(512), bytes_of(100, 1)
    backend.copy_in(block, 0, before)
    backend.copy_in(block, offset, data)
    expected = before.copy()
    expected[offset : offset + 100] = data
    assert np.array_equal(read(backend, block, 0, 512), expected)


@pytest.mark.parametrize("offset", [1, 4, 7, 64, 255])
def test_copy_out_at_an_offset(backend: Any, blocks: Any, offset: int) -> None:
    block, data = blocks(512), bytes_of(512)
    backend.copy_in(block, 0, data)
    assert np.array_equal(read(backend, block, offset, 100), data[offset : offset + 100])


def test_the_host_array_is_free_after_copy_in(backend: Any, blocks: Any) -> None:
    block, data = blocks(100_000), bytes_of(100_000)
    expected = data.copy()
    backend.copy_in(block, 0, data)
    data[:] = 0
    assert np.array_equal(read(backend, block, 0, data.size), expected)


@pytest.mark.parametrize(("target_offset", "source_offset"), [(0, 0), (4, 0), (0, 4), (3, 17), (128, 64)])
def test_copy_within_two_blocks(backend: Any, blocks: Any, target_offset: int, source_offset: int) -> None:
    target, source = blocks(512), blocks(512)
    before, data = bytes_of(512), bytes_of(512, 1)
    backend.copy_in(target, 0, before)
    backend.copy_in(source, 0, data)
    backend.copy_within(target, target_offset, source, source_offset, 200)
    expected = before.copy()
    expected[target_offset : target_offset + 200] = data[source_offset : source_offset + 200]
    assert np.array_equal(read(backend, target, 0, 512), expected)
    assert np.array_equal(read(backend, source, 0, 512), data)


def test_copy_within_one_block(backend: Any, blocks: Any) -> None:
    block, data = blocks(512), bytes_of(512)
    backend.copy_in(block, 0, data)
    backend.copy_within(block, 300, block, 4, 200)
    expected = data.copy()
    expected[300:500] = data[4:204]
    assert np.array_equal(read(backend, block, 0, 512), expected)


@pytest.mark.parametrize("width", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("repeats", [1, 5, 1000])
def test_fill_repeats_a_pattern(backend: Any, blocks: Any, width: int, repeats: int) -> None:
    room = width * repeats + 64
    block, before = blocks(room), bytes_of(room)
    pattern = bytes(range(1, width + 1))
    backend.copy_in(block, 0, before)
    backend.fill(block, 16, width * repeats, pattern)
    expected = before.copy()
    expected[16 : 16 + width * repeats] = np.frombuffer(pattern * repeats, np.uint8)
    assert np.array_equal(read(backend, block, 0, room), expected)


def test_fill_at_an_offset_of_its_own_width(backend: Any, blocks: Any) -> None:
    block = blocks(64)
    backend.fill(block, 0, 64, b"\0")
    backend.fill(block, 2, 6, b"\1\2")
    backend.fill(block, 9, 3, b"\7")
    expected = np.zeros(64, np.uint8)
    expected[2:8] = [1, 2] * 3
    expected[9:12] = 7
    assert np.array_equal(read(backend, block, 0, 64), expected)


def test_blocks_are_separate(backend: Any, blocks: Any) -> None:
    many = [blocks(256) for _ in range(32)]
    for number, block in enumerate(many):
        backend.fill(block, 0, 256, bytes([number]))
    for number, block in enumerate(many):
        assert (read(backend, block, 0, 256) == number).all()


def test_a_freed_block_does_not_disturb_others(backend: Any, blocks: Any) -> None:
    kept, data = blocks(1024), bytes_of(1024)
    backend.copy_in(kept, 0, data)
    for _ in range(8):
        passing = backend.allocate(1024)
        backend.fill(passing, 0, 1024, b"\xff")
        backend.free(passing)
    assert np.array_equal(read(backend, kept, 0, 1024), data)


def test_host_view_shows_the_same_memory(device: Device, backend: Any, blocks: Any) -> None:
    block, data = blocks(256), bytes_of(256)
    backend.copy_in(block, 0, data)
    shown = backend.host_view(block)
    if shown is None:
        assert not device.info.unified_memory, "a device that shares memory with the host has to show it"
        return
    assert shown.dtype == np.uint8
    backend.synchronize()
    assert np.array_equal(shown[:256], data)
    shown[5] = data[5] ^ 0xFF
    assert read(backend, block, 5, 1)[0] == data[5] ^ 0xFF


def test_adopted_memory_is_the_host_arrays_own(backend: Any) -> None:
    raw = np.zeros(8192, np.uint8)
    start = -raw.ctypes.data % 4096
    host = raw[start : start + 4096]
    block = backend.adopt(host)
    if block is None:
        return
    backend.fill(block, 0, 4096, b"\3")
    backend.synchronize()
    assert (read(backend, block, 0, 4096) == 3).all()
    shown = backend.host_view(block)
    assert shown is not None
    assert (host == 3).all()


def test_memory_statistics_are_bytes(backend: Any) -> None:
    stats = backend.memory_stats()
    assert all(isinstance(value, int) and value >= 0 for value in stats.values())
    if "free" in stats and "total" in stats:
        assert stats["free"] <= stats["total"]


def test_release_keeps_live_blocks(backend: Any, blocks: Any) -> None:
    block, data = blocks(4096), bytes_of(4096)
    backend.copy_in(block, 0, data)
    backend.release()
    assert np.array_equal(read(backend, block, 0, 4096), data)


def test_the_pool_reuses_and_releases(device: Device) -> None:
    device.pool.release()
    block, size = device.pool.allocate(5000)
    assert size >= 5000
    used = device.pool.used
    device.pool.free(block, size)
    assert device.pool.used == used - size
    device.pool.release()
    assert device.pool.held == 0
