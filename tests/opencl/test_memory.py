"""Memory of OpenCL devices, against the contract."""

from __future__ import annotations

import threading

import numpy as np
import pytest


def block_of(device, values):
    block = device.allocate(values.nbytes)
    device.copy_in(block, 0, values.view(np.uint8).reshape(-1))
    return block


def content(device, block, dtype, count, offset=0):
    out = np.empty(count, dtype)
    device.copy_out(block, offset, out.view(np.uint8))
    return out


def test_round_trip_with_offsets(device):
    values = np.arange(1000, dtype=np.int32)
    block = block_of(device, values)
    assert (content(device, block, np.int32, 1000) == values).all()
    device.copy_in(block, 40, np.full(5, -1, np.int32).view(np.uint8))
    expected = values.copy()
    expected[10:15] = -1
    assert (content(device, block, np.int32, 1000) == expected).all()
    assert (content(device, block, np.int32, 7, offset=36) == expected[9:16]).all()
    device.free(block)


@pytest.mark.parametrize("nbytes", [1, 2, 3, 255, 4097])
def test_odd_sizes(device, nbytes):
    values = np.arange(nbytes, dtype=np.uint8)
    block = block_of(device, values)
    assert (content(device, block, np.uint8, nbytes) == values).all()
    device.free(block)


def test_copies_between_and_inside_blocks(device):
    a = block_of(device, np.arange(100, dtype=np.float32))
    b = block_of(device, np.zeros(100, np.float32))
    device.copy_within(b, 4 * 50, a, 4 * 10, 4 * 20)
    device.copy_within(b, 0, b, 4 * 50, 4 * 5)
    out = content(device, b, np.float32, 100)
    assert (out[50:70] == np.arange(10, 30)).all() and (out[:5] == np.arange(10, 15)).all()
    device.free(a)
    device.free(b)


@pytest.mark.parametrize("size", [1, 2, 4, 8, 16])
def test_fill_with_patterns(device, size):
    pattern = bytes(range(1, size + 1))
    block = block_of(device, np.zeros(160, np.uint8))
    device.fill(block, 2 * size, 5 * size, pattern)
    out = content(device, block, np.uint8, 160).tobytes()
    assert out == bytes(2 * size) + pattern * 5 + bytes(160 - 7 * size)
    device.free(block)


def test_no_room_is_a_memory_error_and_nothing_breaks(device):
    with pytest.raises(MemoryError):
        device.allocate(device.info.limits.max_allocation + 1)
    with pytest.raises(MemoryError):
        device.allocate(2**60)
    block = block_of(device, np.arange(4))
    assert (content(device, block, np.int64, 4) == np.arange(4)).all()
    device.free(block)


def test_live_blocks_are_counted(device):
    before = device.blocks._live
    block = device.allocate(1 << 20)
    assert device.blocks._live == before + (1 << 20)
    device.free(block)
    assert device.blocks._live == before
    stats = device.memory_stats()
    assert 0 < stats["total"] == device.info.memory
    assert 0 <= stats.get("free", 0) <= stats["total"]
    device.release()


def test_host_view_shows_the_same_memory(device):
    if not device.info.unified_memory:
        pytest.skip("declared unsupported: unified memory")
    block = device.allocate(4000)
    view = device.host_view(block)
    assert view is not None and view.nbytes == 4000
    device.fill(block, 0, 4000, b"\7")
    device.synchronize()
    assert (view == 7).all()
    view[:] = 3
    assert (content(device, block, np.uint8, 4000) == 3).all()
    device.free(block)


def test_adopting_host_memory(device):
    if not device.info.unified_memory:
        pytest.skip("declared unsupported: unified memory")
    raw = np.zeros(8192 + 64, np.uint8)
    start = -raw.ctypes.data % 64
    host = raw[start : start + 4000]
    block = device.adopt(host)
    assert block is not None
    device.fill(block, 0, 4000, b"\5")
    device.synchronize()
    assert (host == 5).all() and not raw[:start].any() and not raw[start + 4000 :].any()
    host[:] = 9
    other = device.allocate(4000)
    device.copy_within(other, 0, block, 0, 4000)
    assert (content(device, other, np.uint8, 4000) == 9).all()
    device.free(other)
    device.free(block)


def test_memory_that_cannot_be_adopted(device):
    raw = np.zeros(8192, np.uint8)
    start = -raw.ctypes.data % 64
    assert device.adopt(raw[start + 1 : start + 100]) is None
    frozen = raw[start : start + 128]
    frozen.flags.writeable = False
    assert device.adopt(frozen) is None
    assert device.adopt(raw[:0]) is None


def test_a_freed_block_serves_queued_work(device):
    """Freed while a copy from it waits in the queue: the copy still sees its content."""
    target = block_of(device, np.zeros(1 << 20, np.uint8))
    for value in range(1, 9):
        source = device.allocate(1 << 20)
        device.fill(source, 0, 1 << 20, bytes([value]))
        device.copy_within(target, 0, source, 0, 1 << 20)
        device.free(source)
    assert (content(device, target, np.uint8, 1 << 20) == 8).all()
    device.free(target)


def test_memory_of_the_devices_own(device, monkeypatch):
    """What a device does that shares nothing with the host: buffers of the driver, copied through the queue."""
    monkeypatch.setattr(device.blocks, "shared", False)
    before = device.blocks._live
    a = block_of(device, np.arange(100, dtype=np.int32))
    b = device.allocate(400)
    assert device.host_view(a) is None
    device.copy_within(b, 0, a, 0, 400)
    device.fill(b, 0, 8, b"\xff" * 4)
    assert content(device, b, np.int32, 100).tolist() == [-1, -1, *range(2, 100)]
    device.free(a)
    device.free(b)
    assert device.blocks._live == before


def test_many_threads(device):
    failures = []

    def work(seed):
        try:
            rng = np.random.default_rng(seed)
            for _ in range(20):
                values = rng.integers(0, 255, 5000, dtype=np.uint8)
                block = block_of(device, values)
                if not (content(device, block, np.uint8, 5000) == values).all():
                    failures.append(seed)
                device.free(block)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
