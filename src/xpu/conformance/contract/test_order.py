"""Part 4: order. Work of one stream runs in the order it was given; events measure it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ...device import Device
from ..draw import Budget
from .by_hand import Bench, copy_kernel, scale_kernel


@pytest.fixture
def bench(device: Device) -> Bench:
    return Bench(device)


def test_launches_follow_each_other(bench: Bench, budget: Budget) -> None:
    count = budget.choose(1000, 100)
    x = bench.put(np.zeros(count, np.int32))
    add, double = bench.build(scale_kernel(np.int32)), bench.build(scale_kernel(np.int32, "mul"))
    expected = 0
    for turn in range(20):
        add.run((count,), None, [x, np.int32(turn), x])
        double.run((count,), None, [x, np.int32(2), x])
        expected = (expected + turn) * 2
    assert (bench.get(x) == expected).all()


def test_a_read_sees_the_launch_before_it(bench: Bench, budget: Budget) -> None:
    values = np.arange(budget.choose(100_000, 500), dtype=np.float32)
    x, out = bench.put(values), bench.put(np.zeros_like(values))
    executable = bench.build(scale_kernel(np.float32))
    for turn in range(5):
        executable.run(values.shape, None, [x, np.float32(turn), out])
        assert np.array_equal(bench.get(out), values + np.float32(turn))


def test_a_launch_sees_the_copy_before_it(bench: Bench, backend: Any) -> None:
    first, second = np.arange(1000, dtype=np.float32), -np.arange(1000, dtype=np.float32)
    x, other, out = bench.put(first), bench.put(second), bench.room((1000,), np.float32)
    executable = bench.build(copy_kernel(np.float32))
    executable.run((1000,), None, [x, out])
    backend.copy_within(x.storage.block, 0, other.storage.block, 0, 4000)
    kept = bench.room((1000,), np.float32)
    executable.run((1000,), None, [x, kept])
    assert np.array_equal(bench.get(out), first)
    assert np.array_equal(bench.get(kept), second)


def test_a_fill_waits_for_the_launch_before_it(bench: Bench, backend: Any) -> None:
    x, out = bench.put(np.arange(1000, dtype=np.float32)), bench.room((1000,), np.float32)
    bench.run(copy_kernel(np.float32), (1000,), x, out)
    backend.fill(x.storage.block, 0, 4000, b"\0\0\0\0")
    assert np.array_equal(bench.get(out), np.arange(1000, dtype=np.float32))
    assert (bench.get(x) == 0).all()


def test_synchronize_returns(backend: Any) -> None:
    backend.synchronize()
    backend.synchronize(None)


def test_events_measure_time(bench: Bench, backend: Any) -> None:
    x, out = bench.put(np.zeros(1000, np.float32)), bench.room((1000,), np.float32)
    executable = bench.build(copy_kernel(np.float32))
    start = backend.record()
    executable.run((1000,), None, [x, out])
    stop = backend.record()
    assert backend.elapsed(start, stop) >= 0


def test_a_stream_of_its_own(bench: Bench, backend: Any) -> None:
    stream = backend.new_stream()
    values = np.arange(1000, dtype=np.float32)
    x, out = bench.put(values), bench.room((1000,), np.float32)
    backend.synchronize()
    bench.build(copy_kernel(np.float32)).run((1000,), None, [x, out], stream)
    backend.synchronize(stream)
    assert np.array_equal(bench.get(out), values)


def test_blocks_may_be_freed_while_work_is_queued(bench: Bench, budget: Budget) -> None:
    count = budget.choose(100_000, 500)
    executable = bench.build(scale_kernel(np.float32))
    out = bench.room((count,), np.float32)
    for turn in range(4):
        x = bench.put(np.full(count, turn, np.float32))
        executable.run((count,), None, [x, np.float32(1), out])
        del x
    assert (bench.get(out) == 4).all()
