"""Atomics on the CPU, hit by all threads at once."""

from __future__ import annotations

import numpy as np
import pytest

import xpu as xp
from xpu.kernel import ir

from .hand import F32, array, binary, const, declared, gid, kernel, lid, load, run, scalar, store, var

N = 200_000
DTYPES = [np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64]


def atomic(op, target, dtype, index, *values):
    return ir.Atomic(scalar(dtype), op, target, [index], list(values))


@pytest.mark.parametrize("dtype", DTYPES)
def test_sums_and_extremes(dtype):
    rng = np.random.default_rng(0)
    x = rng.integers(0, 8, N).astype(dtype)
    item = load("x", gid(), type_=scalar(dtype))
    ops = ["add", "sub", "min", "max"] + (["and", "or", "xor"] if np.dtype(dtype).kind in "iu" else [])
    body = [ir.ExprStmt(atomic(op, "out", dtype, const(k), item)) for k, op in enumerate(ops)]
    start = np.array([0, 0, 9, 1, 15, 0, 0], dtype)[: len(ops)]
    out = start.copy()
    run(kernel([array("x", dtype), array("out", dtype)], body), N, x, out)
    expected = [x.sum(dtype=dtype), np.negative(x.sum(dtype=dtype, keepdims=True))[0], 0, 7]
    expected += (
        [np.bitwise_and.reduce(x) & 15, np.bitwise_or.reduce(x), np.bitwise_xor.reduce(x)][: len(ops) - 4]
        if len(ops) > 4
        else []
    )
    np.testing.assert_array_equal(out, np.array(expected, dtype))


def test_old_values_are_a_permutation():
    body = [ir.Assign("old", atomic("add", "count", np.int32, const(0), const(1, scalar(np.int32)))),
            store("out", var("old", scalar(np.int32)), gid())]  # fmt: skip
    count, out = np.zeros(1, np.int32), np.zeros(N, np.int32)
    run(kernel([array("count", np.int32), array("out", np.int32)], body, {"old": scalar(np.int32)}), N, count, out)
    np.testing.assert_array_equal(np.sort(out), np.arange(N))


def test_exchange_and_compare_and_swap():
    t = scalar(np.int64)
    body = [
        ir.Assign("old", atomic("cas", "cell", np.int64, const(0), const(-1, t), binary("add", gid(), const(0)))),
        ir.If(
            binary("eq", var("old"), const(-1)), [ir.ExprStmt(atomic("add", "won", np.int64, const(0), const(1, t)))]
        ),
        ir.Assign("previous", atomic("xchg", "swap", np.int64, const(0), gid())),
        ir.ExprStmt(atomic("add", "sum", np.int64, const(0), var("previous"))),
    ]
    arrays = [np.array([-1]), np.zeros(1, np.int64), np.array([N]), np.zeros(1, np.int64)]
    params = [array(name, np.int64) for name in ("cell", "won", "swap", "sum")]
    run(kernel(params, body, {"old": t, "previous": t}), N, *arrays)
    cell, won, swap, total = (int(a[0]) for a in arrays)
    assert won == 1
    assert 0 <= cell < N
    assert total + swap == N * (N - 1) // 2 + N  # each value was seen once, or is there still


def test_histogram_in_local_memory():
    x = np.random.default_rng(1).integers(0, 16, 4096)
    one = const(1, scalar(np.int32))
    body = [
        ir.If(binary("lt", lid(), const(16)), [store("h", const(0, scalar(np.int32)), lid())]),
        ir.Barrier(),
        ir.ExprStmt(atomic("add", "h", np.int32, load("x", gid(), type_=scalar(np.int64)), one)),
        ir.Barrier(),
        ir.If(
            binary("lt", lid(), const(16)),
            [ir.ExprStmt(atomic("add", "out", np.int32, lid(), load("h", lid(), type_=scalar(np.int32))))],
        ),
    ]
    node = kernel([array("x", np.int64), array("out", np.int32)], body, arrays=[declared("h", 16, dtype=np.int32)])
    out = np.zeros(16, np.int32)
    run(node, 4096, x, out, local=256)
    np.testing.assert_array_equal(out, np.bincount(x, minlength=16))


def test_local_atomics_give_old_values():
    body = [
        ir.If(binary("eq", lid(), const(0)), [store("c", const(0.0, F32), const(0))]),
        ir.Barrier(),
        ir.Assign("old", atomic("add", "c", np.float32, const(0), const(2.0, F32))),
        store("out", var("old", F32), gid()),
    ]
    out = np.zeros(64, np.float32)
    run(kernel([array("out")], body, {"old": F32}, [declared("c", 1)]), 64, out, local=32)
    np.testing.assert_array_equal(np.sort(out.reshape(2, 32), axis=1), [np.arange(32) * 2.0] * 2)


@xp.kernel
def bump(x, bins, counts):
    i = xp.global_id(0)
    where = xp.int64(x[i] * xp.float32(bins))
    xp.atomic_add(counts, where, 1)


def test_in_the_language():
    x = np.random.default_rng(2).random(50_000).astype(np.float32)
    with xp.device("cpu"):
        counts = xp.zeros(10, dtype=xp.int64)
        bump[x.size](xp.asarray(x), 10, counts)
        np.testing.assert_array_equal(xp.asnumpy(counts), np.bincount((x * np.float32(10)).astype(int), minlength=10))
