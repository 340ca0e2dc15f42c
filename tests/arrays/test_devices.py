"""Arrays and the current device: threads, tasks, nesting, calls with ``device=``."""

from __future__ import annotations

import asyncio
import threading

import pytest

import xpu as xp
from xpu.device import current_device, get_device


def test_with_blocks_nest():
    with xp.device("cpu"):
        with xp.device("interpreter"):
            assert str(xp.zeros(1).device) == "interpreter"
        assert str(xp.zeros(1).device) == "cpu"


def test_a_with_block_ends_after_an_error():
    before = current_device()
    with pytest.raises(KeyError), xp.device("interpreter"):
        raise KeyError
    assert current_device() is before


def test_device_in_calls():
    other = get_device("interpreter")
    for x in (
        xp.zeros(2, device="interpreter"),
        xp.ones(2, device=other),
        xp.arange(3, device=other),
        xp.asarray([1, 2], device=other),
        xp.full(2, 5, device=other),
        xp.eye(2, device=other),
        xp.linspace(0, 1, 3, device=other),
        xp.zeros_like(xp.zeros(2, device="cpu"), device=other),
        xp.asarray(xp.zeros(2, device="cpu"), device=other),
        xp.zeros(2, device="cpu").astype(xp.int32, device=other),
    ):
        assert x.device is other
        assert (x + 1).device is other
        assert x.sum().device is other


def test_threads_have_their_own_device():
    seen = {}
    ready = threading.Barrier(2)

    def work(name):
        with xp.device(name):
            ready.wait()
            seen[name] = str(xp.zeros(3).device)
            ready.wait()

    threads = [threading.Thread(target=work, args=(name,)) for name in ("cpu", "interpreter")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen == {"cpu": "cpu", "interpreter": "interpreter"}


def test_tasks_have_their_own_device():
    async def work(name):
        xp.set_device(name)
        await asyncio.sleep(0)
        return str(xp.zeros(1).device)

    async def both():
        return await asyncio.gather(work("cpu"), work("interpreter"))

    before = current_device()
    assert asyncio.run(both()) == ["cpu", "interpreter"]
    assert current_device() is before


def test_threads_share_arrays():
    x = xp.arange(1000, dtype=xp.int64, device="cpu")
    results = []

    def work(k):
        results.append(int((x * k + k).sum()))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [k * (999 * 1000 // 2) + 1000 * k for k in range(8)]


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        ("opencll", "did you mean 'opencl'?"),
        ("cude:1", "did you mean 'cuda:1'?"),
        ("gpu", "'opencl:gpu', or 'auto'"),
        ("cpu:3", "cpu has 1 device(s), numbered from 0"),
    ],
)
def test_a_wrong_device_string_is_explained(wrong, hint):
    before = current_device()
    with pytest.raises(xp.DeviceNotFoundError) as raised:
        xp.set_device(wrong)
    message = str(raised.value)
    assert hint in message
    assert "cpu" in message.splitlines()[1], "every backend is named, as one that works or has not been tried"
    assert "opencl" in message.splitlines()[1]
    assert current_device() is before


def test_what_is_no_device_string():
    with pytest.raises(TypeError, match="a device is a string"):
        xp.set_device(0)
    with pytest.raises(TypeError, match=r"xp.device.* is for `with` blocks"):
        xp.zeros(3, device=xp.device("cpu"))


def test_a_wrong_device_from_the_environment_says_where_it_comes_from(monkeypatch):
    monkeypatch.setenv("XPU_DEVICE", "no-such-device")
    with pytest.raises(xp.DeviceNotFoundError, match=r"device 'no-such-device' \(from XPU_DEVICE\)"):
        get_device("no-such-device")


def test_lists_of_arrays_stay_or_move():
    x = xp.arange(2, device="interpreter")
    with xp.device("cpu"):
        assert str(xp.asarray([x, [5, 6]]).device) == "interpreter"
        moved = xp.asarray([x, [x[0], 7]], device="cpu")
        assert str(moved.device) == "cpu"
        assert moved.tolist() == [[0, 1], [0, 7]]
        for mixed in ([x, xp.arange(2)], [[x[0], 1], [xp.asarray(2), 3]]):
            with pytest.raises(xp.DeviceMismatchError):
                xp.asarray(mixed)
        with pytest.raises(xp.DeviceMismatchError):
            xp.zeros(2)[:] = [x[0], 1]
