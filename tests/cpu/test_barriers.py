"""Kernels with barriers on the CPU: what crosses a barrier arrives, however it is used."""

from __future__ import annotations

import numpy as np
import pytest

import xpu as xp


@pytest.fixture(autouse=True)
def on_cpu():
    with xp.device("cpu"):
        yield


def launch(kernel, size, local, *arrays):
    """Launch on copies of NumPy arrays; return them as they are afterwards."""
    given = [xp.asarray(a.copy()) if isinstance(a, np.ndarray) else a for a in arrays]
    kernel[tuple(np.atleast_1d(size).tolist()), tuple(np.atleast_1d(local).tolist())](*given)
    return [xp.asnumpy(a) for a in given if not isinstance(a, (int, float))]


@xp.kernel
def reverse(x, out):
    tile = xp.local_array(64, xp.float32)
    i = xp.global_id(0)
    k = xp.local_id(0)
    tile[k] = x[i]
    xp.barrier()
    out[i] = tile[xp.local_size(0) - 1 - k]


@pytest.mark.parametrize("local", [1, 7, 64])
def test_reverse(local):
    x = np.arange(local * 9, dtype=np.float32)
    got = launch(reverse, x.size, local, x, np.zeros_like(x))[1]
    np.testing.assert_array_equal(got, x.reshape(-1, local)[:, ::-1].ravel())


@xp.kernel
def tree_sum(x, out):
    tile = xp.local_array(128, xp.int32)
    k = xp.local_id(0)
    tile[k] = x[xp.global_id(0)]
    xp.barrier()
    step = xp.local_size(0) // 2
    while step > 0:
        if k < step:
            tile[k] += tile[k + step]
        xp.barrier()
        step = step // 2
    if k == 0:
        out[xp.group_id(0)] = tile[0]


def test_tree_of_barriers():
    x = np.random.default_rng(0).integers(-99, 99, 128 * 5, dtype=np.int32)
    got = launch(tree_sum, x.size, 128, x, np.zeros(5, np.int32))[1]
    np.testing.assert_array_equal(got, x.reshape(5, 128).sum(1))


@xp.kernel
def scan(x, out):
    tile = xp.local_array(64, xp.float64)
    k = xp.local_id(0)
    value = x[xp.global_id(0)]
    tile[k] = value
    xp.barrier()
    step = 1
    while step < xp.local_size(0):
        other = 0.0
        if k >= step:
            other = tile[k - step]
        xp.barrier()
        value += other
        tile[k] = value
        xp.barrier()
        step *= 2
    out[xp.global_id(0)] = value


def test_scan_keeps_a_value_for_each_item():
    x = np.arange(1.0, 193.0)
    got = launch(scan, x.size, 64, x, np.zeros_like(x))[1]
    np.testing.assert_array_equal(got, x.reshape(3, 64).cumsum(1).ravel())


@xp.kernel
def matmul(a, b, c):
    at = xp.local_array((8, 8), xp.float32)
    bt = xp.local_array((8, 8), xp.float32)
    row, col = xp.global_id(0), xp.global_id(1)
    ly, lx = xp.local_id(0), xp.local_id(1)
    total = xp.float32(0)
    for t in range(a.shape[1] // 8):
        at[ly, lx] = a[row, t * 8 + lx]
        bt[ly, lx] = b[t * 8 + ly, col]
        xp.barrier()
        for k in range(8):
            total += at[ly, k] * bt[k, lx]
        xp.barrier()
    c[row, col] = total


def test_tiled_matmul():
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-5, 5, shape).astype(np.float32) for shape in ((24, 40), (40, 32)))
    got = launch(matmul, (24, 32), (8, 8), a, b, np.zeros((24, 32), np.float32))[2]
    np.testing.assert_array_equal(got, a @ b)


@xp.kernel
def leave_together(x, limit, out):
    tile = xp.local_array(16, xp.int64)
    k = xp.local_id(0)
    i = xp.global_id(0)
    out[i] = -1
    if xp.group_id(0) >= limit:
        return
    tile[k] = x[i]
    xp.barrier()
    for turn in range(100):
        if turn == limit:
            break
        if turn == 1:
            continue
        value = tile[(k + 1) % 16]
        xp.barrier()
        tile[k] = value
        xp.barrier()
    if k > 7:
        return
    out[i] = tile[k] * 1000 + k


def reference_leave_together(x, limit):
    out = np.full(x.size, -1)
    for group in range(min(limit, x.size // 16)):
        tile = x[group * 16 : group * 16 + 16].copy()
        for turn in range(100):
            if turn == limit:
                break
            if turn == 1:
                continue
            tile = np.roll(tile, -1)
        out[group * 16 : group * 16 + 8] = tile[:8] * 1000 + np.arange(8)
    return out


@pytest.mark.parametrize("limit", [0, 1, 3])
def test_uniform_exits(limit):
    x = np.random.default_rng(2).integers(0, 1000, 64)
    got = launch(leave_together, 64, 16, x, limit, np.zeros(64, np.int64))[1]
    np.testing.assert_array_equal(got, reference_leave_together(x, limit))


@xp.kernel
def private_across(x, out):
    tile = xp.local_array(32, xp.float32)
    mine = xp.private_array(5, xp.float32)
    large = xp.private_array(100, xp.int32)
    k = xp.local_id(0)
    i = xp.global_id(0)
    for n in range(5):
        mine[n] = x[i] + n
    for n in range(100):
        large[n] = k * n
    tile[k] = x[i]
    xp.barrier()
    for turn in range(3):
        for n in range(5):
            mine[n] += tile[(k + turn) % 32]
        xp.barrier()
    total = xp.float32(0)
    for n in range(5):
        total += mine[n] * (n + 1)
    for n in range(100):
        total += xp.float32(large[n])
    out[i] = total


def test_private_arrays_cross_barriers():
    x = np.random.default_rng(3).integers(0, 9, 96).astype(np.float32)
    got = launch(private_across, 96, 32, x, np.zeros_like(x))[1]
    k = np.tile(np.arange(32), 3)
    tiles = x.reshape(3, 32)
    shifted = sum(np.roll(tiles, -turn, axis=1) for turn in range(3)).ravel()
    expected = sum((x + n + shifted) * (n + 1) for n in range(5)) + k * np.arange(100).sum()
    np.testing.assert_array_equal(got, expected.astype(np.float32))


@xp.func
def sum_of_group(value, tile):
    k = xp.local_id(0)
    tile[k] = value
    xp.barrier()
    step = xp.local_size(0) // 2
    while step > 0:
        if k < step:
            tile[k] += tile[k + step]
        xp.barrier()
        step //= 2
    total = tile[0]
    xp.barrier()
    return total


@xp.kernel
def with_helper(x, out):
    tile = xp.local_array(32, xp.float32)
    i = xp.global_id(0)
    mean = sum_of_group(x[i], tile) / xp.float32(xp.local_size(0))
    deviation = x[i] - mean
    out[i] = sum_of_group(deviation * deviation, tile) + mean


def test_barriers_in_helpers():
    x = np.random.default_rng(4).integers(0, 50, 128).astype(np.float32)
    got = launch(with_helper, 128, 32, x, np.zeros_like(x))[1]
    groups = x.reshape(4, 32)
    mean = groups.mean(1, keepdims=True)
    expected = np.broadcast_to(((groups - mean) ** 2).sum(1, keepdims=True) + mean, (4, 32))
    np.testing.assert_allclose(got.reshape(4, 32), expected, rtol=1e-6)


@xp.kernel
def every_kind(x, flags, z, out):
    tile = xp.local_array(16, xp.float32)
    k = xp.local_id(0)
    i = xp.global_id(0)
    flag = flags[i]
    half = xp.float16(x[i])
    number = z[i] * 2
    small = xp.uint8(k + 250)
    tile[k] = x[i]
    xp.barrier()
    other = tile[15 - k]
    xp.barrier()
    if flag:
        out[i] = xp.float32(half) + other + xp.math.real(number) + xp.float32(small)
    else:
        out[i] = xp.math.imag(number)


def test_every_kind_of_value_is_kept():
    rng = np.random.default_rng(5)
    x = rng.integers(0, 99, 64).astype(np.float32)
    flags = rng.random(64) < 0.5
    z = (x + 1j * x[::-1]).astype(np.complex64)
    got = launch(every_kind, 64, 16, x, flags, z, np.zeros_like(x))[3]
    k = np.tile(np.arange(16), 4)
    other = x.reshape(4, 16)[:, ::-1].ravel()
    expected = np.where(flags, x + other + (z * 2).real + ((k + 250) % 256), (z * 2).imag)
    np.testing.assert_array_equal(got, expected.astype(np.float32))


@xp.kernel
def loop_variable_of_items(x, out):
    tile = xp.local_array(8, xp.int64)
    k = xp.local_id(0)
    total = 0
    for n in range(3):
        tile[k] = x[xp.global_id(0)] + n
        xp.barrier()
        total += tile[(k + n) % 8]
        xp.barrier()
    for n in range(k):
        total += n
    out[xp.global_id(0)] = total


def test_one_name_for_a_shared_and_an_own_counter():
    x = np.arange(16) * 10
    got = launch(loop_variable_of_items, 16, 8, x, np.zeros(16, np.int64))[1]
    k = np.tile(np.arange(8), 2)
    tiles = x.reshape(2, 8)
    expected = sum(np.roll(tiles, -n, axis=1).ravel() + n for n in range(3)) + k * (k - 1) // 2
    np.testing.assert_array_equal(got, expected)


@xp.kernel
def groups_without_barrier(out):
    i, j = xp.global_id(0), xp.global_id(1)
    out[i, j] = (
        ((xp.group_id(0) * 10 + xp.group_id(1)) * 10 + xp.local_id(0)) * 10 + xp.local_id(1) + 10000 * xp.local_size(1)
    )


def test_groups_that_do_not_divide():
    got = launch(groups_without_barrier, (4, 6), (2, 3), np.zeros((4, 6), np.int64))[0]
    i, j = np.indices((4, 6))
    np.testing.assert_array_equal(got, ((i // 2 * 10 + j // 3) * 10 + i % 2) * 10 + j % 3 + 30000)


def test_the_device_chooses_a_size_that_divides():
    x = np.arange(90, dtype=np.float32)
    given, out = xp.asarray(x), xp.zeros(90, dtype=xp.float32)
    reverse[90](given, out)
    got = xp.asnumpy(out)
    assert sorted(got) == sorted(x)


@xp.func
def first_above(tile, limit):
    for k in range(8):
        if tile[k] > limit:
            return k
    return -1


@xp.kernel
def search(x, limit, out):
    tile = xp.local_array(8, xp.int32)
    tile[xp.local_id(0)] = x[xp.global_id(0)]
    xp.barrier()
    for k in range(8):
        if tile[k] > limit:
            last = k
    out[xp.global_id(0)] = first_above(tile, limit) * 100 + last


def test_shared_variables_that_not_every_way_assigns():
    x = np.array([0, 5, 1, 6, 2, 0, 9, 3] * 2, np.int32)
    got = launch(search, 16, 8, x, 4, np.zeros(16, np.int32))[1]
    np.testing.assert_array_equal(got, np.full(16, 106))
