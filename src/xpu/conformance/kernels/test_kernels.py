"""Kernels as users write them, on the device under test."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import xpu as xp

from ...config import config
from ..capabilities import Capabilities
from ..compare import check, host
from ..samples import plain
from . import library as lib


def drawn(dtype: Any, *shape: int) -> np.ndarray:
    return plain(np.dtype(dtype), int(np.prod(shape)), "kernels").reshape(shape)


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint64", "float16", "float32", "float64", "complex64"])
def test_vector_add(dtype: str, can: Capabilities) -> None:
    can.require_dtype(dtype)
    x, y = drawn(dtype, 1000), drawn(dtype, 1000)[::-1].copy()
    out = xp.zeros(1000, dtype=dtype)
    lib.vector_add[1000](xp.asarray(x), xp.asarray(y), out)
    check(out, x + y)


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 997])
def test_exactly_the_global_size_runs(count: int) -> None:
    x = xp.ones(1024, dtype=xp.int32)
    out = xp.zeros(1024, dtype=xp.int32)
    lib.vector_add[count](x, x, out)
    assert out.tolist() == [2] * count + [0] * (1024 - count)


@pytest.mark.parametrize(("count", "group"), [(1, 2), (5, 3), (63, 64), (65, 64), (997, 32)])
def test_exactly_the_global_size_runs_in_groups_that_do_not_divide_it(
    count: int, group: int, can: Capabilities
) -> None:
    group = min(group, can.max_work_group)
    x = xp.ones(1024, dtype=xp.int32)
    out = xp.zeros(1024, dtype=xp.int32)
    lib.vector_add[count, group](x, x, out)
    assert out.tolist() == [2] * count + [0] * (1024 - count)


@pytest.mark.parametrize("group", [(1, 1, 2), (2, 2, 2), (2, 3, 4), (4, 1, 1)])
def test_groups_that_do_not_divide_three_axes(group: tuple[int, int, int], can: Capabilities) -> None:
    if math.prod(group) > can.max_work_group:
        group = (1, 1, 1)
    around = xp.full((6, 8, 10), -1, dtype=xp.int64)
    lib.positions[(3, 4, 5), group](around[:3, :4, :5])
    expected = np.full((6, 8, 10), -1)
    i, j, k = np.indices((3, 4, 5))
    expected[:3, :4, :5] = i * 10000 + j * 100 + k
    check(around, expected)


@pytest.mark.parametrize("a", [2, 2.5, np.float32(0.1)])
def test_scalar_arguments(a: Any) -> None:
    x, y = drawn(np.float32, 64), drawn(np.float32, 64)
    out = xp.empty(64, dtype=xp.float32)
    lib.saxpy[64](a, xp.asarray(x), xp.asarray(y), out)
    check(out, np.float32(a) * x + y)


def test_two_axes() -> None:
    x = drawn(np.int32, 7, 12)
    out = xp.empty((12, 7), dtype=xp.int32)
    lib.transpose[7, 12](xp.asarray(x), out)
    check(out, x.T)
    if_tuple = xp.empty((12, 7), dtype=xp.int32)
    lib.transpose[(7, 12)](xp.asarray(x), if_tuple)
    check(if_tuple, x.T)


def test_three_axes() -> None:
    out = xp.empty((3, 4, 5), dtype=xp.int64)
    lib.positions[3, 4, 5](out)
    i, j, k = np.indices((3, 4, 5))
    check(out, i * 10000 + j * 100 + k)


def test_views_as_arguments() -> None:
    x = drawn(np.int32, 8, 10)
    y = xp.asarray(x)
    out = xp.zeros((20, 20), dtype=xp.int32)
    lib.transpose[4, 5](y[::-2, 1::2], out[::3, ::-4][:5, :4])
    want = np.zeros((20, 20), np.int32)
    want[::3, ::-4][:5, :4] = x[::-2, 1::2].T
    check(out, want)


def test_a_pending_expression_as_argument() -> None:
    x = xp.arange(10, dtype=xp.int32)
    out = xp.zeros(10, dtype=xp.int32)
    later = out + 5
    lib.vector_add[10](x * 2, x + 1, out)
    check(out, np.arange(10, dtype=np.int32) * 3 + 1)
    assert later.tolist() == [5] * 10


def test_helpers_and_loops() -> None:
    x = drawn(np.float32, 50)
    out = xp.empty(50, dtype=xp.float32)
    lib.smooth[50](xp.asarray(x), out)
    padded = np.pad(x, 2, mode="edge").astype(np.float64)
    want = (2 * x + sum(padded[d : d + 50] for d in range(5))) / 7
    assert np.allclose(host(out), want, rtol=1e-5, atol=1e-6)


def test_while_and_break() -> None:
    def reference(n: int) -> int:
        steps = 0
        while n > 1 and steps < 500:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    x = np.arange(1, 60, dtype=np.int64)
    out = xp.zeros(59, dtype=xp.int32)
    lib.collatz[59](xp.asarray(x), out)
    assert out.tolist() == [reference(int(n)) for n in x]


@pytest.mark.parametrize("dtype", ["int32", "int64", "float32"])
def test_division_follows_python(dtype: str) -> None:
    x = np.repeat(np.arange(-7, 8), 6).astype(dtype)
    y = np.tile(np.array([-3, -2, -1, 1, 2, 3]), 15).astype(dtype)
    quotient, rest = xp.zeros(90, dtype=dtype), xp.zeros(90, dtype=dtype)
    lib.python_division[90](xp.asarray(x), xp.asarray(y), quotient, rest)
    check(quotient, x // y, zero_signs=False)
    check(rest, x % y, zero_signs=False)


def test_return_and_continue() -> None:
    x = drawn(np.float32, 6, 9)
    out = xp.zeros((6, 9), dtype=xp.float32)
    lib.odd_rows_only[6](xp.asarray(x), out)
    want = np.where((np.arange(6)[:, None] % 2 == 1) & (x >= 0), x, np.float32(0))
    check(out, want)


def test_private_arrays() -> None:
    x = drawn(np.float32, 20, 8)
    out = xp.zeros((20, 8), dtype=xp.float32)
    lib.sort_of_eight[20](xp.asarray(x), out)
    check(out, np.sort(x, axis=1))


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64"])
def test_histogram_with_atomics(dtype: str, can: Capabilities) -> None:
    if np.dtype(dtype).itemsize == 8:
        can.require("atomics64")
    x = drawn(np.uint8, 2000) % 7
    counts = xp.zeros(7, dtype=dtype)
    lib.histogram[2000](xp.asarray(x), counts)
    check(counts, np.bincount(x, minlength=7).astype(dtype))


@pytest.mark.parametrize("dtype", ["int32", "uint32", "int64", "uint64", "float32", "float64"])
def test_atomic_minimum_and_maximum(dtype: str, can: Capabilities) -> None:
    can.require_dtype(dtype)
    if np.dtype(dtype).itemsize == 8:
        can.require("atomics64")
    x = drawn(dtype, 500)
    low, high = xp.asarray(x[:1]), xp.asarray(x[:1])
    lib.extremes[500](xp.asarray(x), low, high)
    check(low, x.min(keepdims=True), zero_signs=False)
    check(high, x.max(keepdims=True), zero_signs=False)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_atomic_sums_of_floats(dtype: str, can: Capabilities) -> None:
    can.require_dtype(dtype)
    if dtype == "float64":
        can.require("atomics64")
    x = np.arange(1, 513, dtype=dtype)  # whole numbers: every order of addition is exact
    out = xp.zeros(1, dtype=dtype)
    lib.total[512](xp.asarray(x), out)
    assert float(out[0]) == 512 * 513 / 2


def test_atomics_return_the_old_value() -> None:
    counter, taken = xp.zeros(1, dtype=xp.int32), xp.zeros(300, dtype=xp.int32)
    lib.tickets[300](counter, taken)
    assert int(counter[0]) == 300
    assert sorted(taken.tolist()) == list(range(300))


def test_compare_and_swap_has_one_winner() -> None:
    owner, winners = xp.full(10, -1, dtype=xp.int32), xp.zeros(200, dtype=xp.int32)
    lib.claim[200](owner, winners)
    assert sum(winners.tolist()) == 10
    for slot, who in enumerate(owner.tolist()):
        assert who % 10 == slot
        assert int(winners[who]) == 1


def test_functions_of_the_language() -> None:
    x = np.linspace(0.25, 4, 32, dtype=np.float32)
    out = xp.empty((8, 32), dtype=xp.float32)
    lib.functions[32](xp.asarray(x), out)
    v = x.astype(np.float64)
    want = [
        np.sqrt(v),
        np.exp(-v),
        np.log(v),
        np.sin(v) * np.cos(v),
        np.floor(v * 3),
        v**1.5,
        np.hypot(v, 2),
        np.maximum(v, 1),
    ]
    assert np.allclose(host(out), want, rtol=2e-6, atol=1e-6)


def test_casts_of_the_language() -> None:
    x = np.array([0, 1.9, 2, 100.5, -1, -1.9], np.float32)
    out = xp.empty((4, 6), dtype=xp.int32)
    lib.casts[6](xp.asarray(x), out)
    whole = x.astype(np.int32)
    want = [whole, whole.astype(np.uint8), (whole * 100).astype(np.int8), x > 1.5]
    check(out, np.array(want).astype(np.int32))


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8"])
def test_short_vectors(dtype: str) -> None:
    x = drawn(dtype, 32)
    out = xp.zeros(32, dtype=dtype)
    lib.doubled_lanes[8](xp.asarray(x), out)
    check(out, x * np.dtype(dtype).type(2) + np.dtype(dtype).type(1))


@pytest.mark.parametrize("shape", [(8, 8, 8), (5, 7, 9), (1, 16, 3), (12, 4, 10)])
def test_tiled_matmul_through_local_memory(shape: tuple[int, int, int], can: Capabilities) -> None:
    rows, inner, columns = shape
    side = max(s for s in (1, 2, 4, 8) if s * s <= can.max_work_group)
    a, b = drawn(np.float32, rows, inner), drawn(np.float32, inner, columns)
    out = xp.zeros((rows, columns), dtype=xp.float32)
    size = tuple(-(-n // side) * side for n in (rows, columns))
    lib.tiled_matmul(side)[size, (side, side)](xp.asarray(a), xp.asarray(b), out)
    assert np.allclose(host(out), a.astype(np.float64) @ b, rtol=1e-5, atol=1e-5)


def test_barriers_in_a_loop(can: Capabilities) -> None:
    group = max(s for s in (1, 2, 4, 8, 16, 32, 64) if s <= can.max_work_group)
    x = drawn(np.int32, 5 * group)
    out = xp.zeros(5, dtype=xp.int32)
    lib.group_sum(group)[5 * group, group](xp.asarray(x), out)
    check(out, x.reshape(5, group).sum(axis=1, dtype=np.int32))


def test_source_and_description_can_be_seen() -> None:
    x = xp.zeros(4, dtype=xp.float32)
    text = lib.vector_add.source(xp.current_device(), x, x, x)
    assert "vector_add" in text
    assert "vector_add" in lib.vector_add.describe(xp.current_device(), x, x, x)


def test_debug_mode_names_the_index() -> None:
    x = xp.zeros(10, dtype=xp.int32)
    with config.override(debug=True), pytest.raises(xp.KernelIndexError) as caught:
        lib.out_of_range[10](x, 3)
        xp.synchronize()
    text = str(caught.value)
    assert "'x'" in text
    assert "10" in text
    assert "out_of_range" in text
    assert "library.py" in text
    xp.synchronize()
    assert x.tolist()[:3] == [0, 0, 0]


def test_debug_mode_lets_right_kernels_pass() -> None:
    x = xp.zeros(10, dtype=xp.int32)
    with config.override(debug=True):
        lib.out_of_range[7](x, 3)
        xp.synchronize()
        assert x.tolist() == [0, 0, 0] + [1] * 7


def test_debug_mode_checks_assertions() -> None:
    x, out = xp.asarray(np.array([1, 2, -3, 4], np.int32)), xp.zeros(4, dtype=xp.int32)
    with config.override(debug=True), pytest.raises(xp.KernelAssertionError, match="negative input"):
        lib.refuses_negative[4](x, out)
        xp.synchronize()
