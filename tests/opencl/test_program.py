"""Compiling, binaries, launching, order."""

from __future__ import annotations

import threading
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

from xpu.backend import CompileError, LaunchRefused
from xpu_opencl import program

from .hand import SAXPY, saxpy, where
from .test_memory import block_of, content


def run_saxpy(device, compiled, n=1000, local=None):
    x, y = np.arange(n, dtype=np.float32), np.ones(n, np.float32)
    blocks = block_of(device, x), block_of(device, y)
    device.launch(compiled, (n,), local, [np.int64(n), np.float32(2), *blocks])
    out = content(device, blocks[1], np.float32, n)
    for block in blocks:
        device.free(block)
    return (out == 2 * x + 1).all()


@pytest.mark.parametrize("n", [1, 10, 63, 64, 65, 5000])
def test_launch_with_a_size_of_the_devices_choice(device, n):
    compiled = device.compile(saxpy())
    assert 1 <= compiled.max_work_group <= device.info.limits.max_work_group
    assert run_saxpy(device, compiled, n)


def test_launch_with_a_given_size(device):
    compiled = device.compile(saxpy())
    assert run_saxpy(device, compiled, 1000, (8,))


def test_sizes_arrive_in_the_language_order(device):
    compiled = device.compile(where())
    block = block_of(device, np.zeros(24, np.int64))
    device.launch(compiled, (4, 6), (2, 3), [np.int64(4), np.int64(6), block])
    assert (content(device, block, np.int64, 24) == 20003).all()
    device.launch(compiled, (4, 6), None, [np.int64(4), np.int64(6), block])
    assert (content(device, block, np.int64, 24) > 0).all()
    device.free(block)


def test_a_group_that_is_too_large_is_refused(device):
    compiled = device.compile(saxpy())
    n = 4 * device.info.limits.max_work_group
    with pytest.raises(LaunchRefused):
        run_saxpy(device, compiled, n, (n,))
    assert run_saxpy(device, compiled)


def test_the_own_choice_shrinks_until_the_device_takes_it(device, monkeypatch):
    compiled = device.compile(saxpy())
    real, asked = compiled._enqueue, []

    def refuse(queue, sizes, local, arguments):
        asked.append(local[0])
        if local[0] > 16:
            raise LaunchRefused("too large")
        real(queue, sizes, local, arguments)

    monkeypatch.setattr(compiled, "_enqueue", refuse)
    assert run_saxpy(device, compiled, 100_000)
    assert asked == sorted(asked, reverse=True) and asked[-1] <= 16 < asked[0]


def test_a_syntax_error_gives_the_compilers_log(device, capfd):
    with pytest.raises(CompileError) as caught:
        device.compile(saxpy(SAXPY.replace("gsize0)", "nonsense)")))
    assert "nonsense" in str(caught.value)
    out, err = capfd.readouterr()
    assert out == "" and err == ""


def test_compilers_are_silent(device, capfd):
    chatty = SAXPY.replace("if (", "int unused; float *p; if (")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        device.compile(saxpy(chatty))
    out, err = capfd.readouterr()
    assert out == "" and err == ""


def test_binaries_are_loaded_without_the_compiler(device, monkeypatch):
    source = saxpy()
    binary = device.compile(source).binary()
    assert binary is not None and len(binary) > 100
    monkeypatch.setattr(program, "compile_source", lambda *a: pytest.fail("compiled"))
    again = device.load(SimpleNamespace(**{**_fields(source), "text": "this is no OpenCL C"}), binary)
    assert again is not None and run_saxpy(device, again)
    assert again.binary() == binary


def _fields(source):
    return {name: getattr(source, name) for name in source.__slots__}


@pytest.mark.parametrize("damage", ["empty", "truncated", "noise"])
def test_damaged_binaries_are_not_loaded(device, damage):
    source = saxpy()
    binary = device.compile(source).binary()
    broken = {"empty": b"", "truncated": binary[: len(binary) // 2], "noise": b"noise" * 50}[damage]
    assert device.load(source, broken) is None
    assert run_saxpy(device, device.compile(source))


def test_fingerprint_names_versions(device):
    text = device.fingerprint()
    assert device.device.driver_version.strip() in text and device.platform.version.strip() in text


def test_kernels_launched_from_many_threads(device):
    compiled = device.compile(saxpy())
    results = []

    def work(seed):
        results.append(all(run_saxpy(device, compiled, 100 + seed + k) for k in range(25)))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 8


def test_events_and_streams(device):
    compiled = device.compile(saxpy())
    n = 1 << 18
    blocks = [block_of(device, np.ones(n, np.float32)) for _ in range(2)]
    arguments = [np.int64(n), np.float32(0.5), *blocks]
    start = device.record()
    for _ in range(5):
        device.launch(compiled, (n,), None, arguments)
    stop = device.record()
    assert 0 < device.elapsed(start, stop) < 60
    stream = device.new_stream()
    device.synchronize()
    device.launch(compiled, (n,), None, arguments, stream)
    device.synchronize(stream)
    assert (content(device, blocks[1], np.float32, n) == 4).all()
    for block in blocks:
        device.free(block)
