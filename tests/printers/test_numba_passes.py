"""Inlining, early returns, uniformity and liveness, on small kernels."""

from __future__ import annotations

import numpy as np
import pytest

import xpu as xp
from xpu.backend import DeviceInfo
from xpu.kernel import ir
from xpu.kernel.passes import liveness
from xpu.kernel.passes.inline import flatten_kernel
from xpu.kernel.passes.regions import Branch, Loop, Region, regions, split
from xpu.kernel.passes.uniform import Uniformity

INFO = DeviceInfo("a processor", "somebody", "cpu")
F32 = ir.ArrayType(np.dtype(np.float32), 1)
I64 = ir.Scalar(np.dtype(np.int64))


def flat(function, *types):
    kernel = function.specialize(list(types), INFO)
    return flatten_kernel(kernel, kernel)[0]


def run(function, *arrays, size=8):
    with xp.device("cpu"):
        given = [xp.asarray(a) for a in arrays]
        function[size](*given)
        return [xp.asnumpy(a) for a in given]


@xp.func
def bump(cells, i):
    cells[i] = cells[i] + 1
    return cells[i] * 10


@xp.kernel
def order_of_effects(x, out):
    i = xp.global_id(0)
    out[i] = x[i] + bump(x, i) + x[i]


def test_what_is_read_before_a_helper_writes_is_read_before():
    x = np.arange(8, dtype=np.float32)
    got = run(order_of_effects, x.copy(), np.zeros_like(x))[1]
    np.testing.assert_array_equal(got, x + (x + 1) * 10 + (x + 1))


@xp.kernel
def helpers_under_conditions(x, out):
    i = xp.global_id(0)
    found = i > 3 and bump(x, i) > 50
    value = bump(x, i) if i < 2 else xp.float32(-1)
    out[i] = value + xp.float32(found)


def test_helpers_run_only_where_their_value_is_wanted():
    x = np.arange(8, dtype=np.float32)
    changed, got = run(helpers_under_conditions, x.copy(), np.zeros_like(x))
    i = np.arange(8)
    np.testing.assert_array_equal(changed, x + (i > 3) + (i < 2))
    np.testing.assert_array_equal(got, np.where(i < 2, (x + 1) * 10, -1) + ((i > 3) & ((x + 1) * 10 > 50)))


@xp.func
def less(a, b):
    if a == b:
        return False
    return a < b


@xp.kernel
def helper_in_a_while(x, out):
    i = xp.global_id(0)
    n = 0
    while less(n * n, i) and less(n, 100):
        n += 1
        if n == 2:
            continue
    out[i] = xp.float32(n)


def test_the_condition_of_a_loop_calls_helpers():
    x = np.zeros(20, np.float32)
    got = run(helper_in_a_while, x, x.copy(), size=20)[1]
    np.testing.assert_array_equal(got, np.ceil(np.sqrt(np.arange(20))))


@xp.func
def first_multiple(start, divisor):
    for row in range(10):
        for column in range(10):
            n = start + row * 10 + column
            if n % divisor == 0:
                return n
    return -1


@xp.kernel
def return_from_loops(out, divisor):
    i = xp.global_id(0)
    found = first_multiple(i, divisor)
    if found > 20:
        if found % 2 == 0:
            out[i] = -found
            return
        out[i] = found
    if found < 0:
        return
    out[i] = out[i] * 2 + found


def reference_return_from_loops(i, divisor):
    found = next((n for n in range(i, i + 100) if n % divisor == 0), -1)
    value = 0
    if found > 20:
        if found % 2 == 0:
            return -found
        value = found
    return value if found < 0 else value * 2 + found


@pytest.mark.parametrize("divisor", [1, 7, 23, 46, 250])
def test_returns_from_nested_loops(divisor):
    with xp.device("cpu"):
        out = xp.zeros(40, dtype=xp.int64)
        return_from_loops[40](out, divisor)
        got = xp.asnumpy(out)
    np.testing.assert_array_equal(got, [reference_return_from_loops(i, divisor) for i in range(40)])
    kernel = flat(return_from_loops, ir.ArrayType(np.dtype(np.int64), 1), I64)
    assert not any(isinstance(node, (ir.Return, ir.CallFunction)) for node in ir.walk(kernel.body))


@xp.func
def square(value):
    return value * value


@xp.kernel
def small_helpers(x, out):
    i = xp.global_id(0)
    out[i] = square(x[i]) + square(xp.float32(3))


def test_small_helpers_leave_no_copies():
    kernel = flat(small_helpers, F32, F32)
    names = [node.name for node in ir.walk(kernel.body) if isinstance(node, ir.Assign)]
    assert names == ["i", "value"]


def test_the_original_is_left_alone():
    kernel = return_from_loops.specialize([ir.ArrayType(np.dtype(np.int64), 1), I64], INFO)
    before = repr(kernel)
    flatten_kernel(kernel, kernel)
    assert repr(kernel) == before


# ------------------------------------------------------------------------------------------- uniform and live


@xp.kernel
def mixture(x, n, out):
    tile = xp.local_array(16, xp.float32)
    k = xp.local_id(0)
    group = xp.group_id(0)
    tile[k] = x[group * 16 + k]
    xp.barrier()
    shared = tile[0] + tile[n]
    own = tile[k]
    stop = n
    for turn in range(n):
        stop = stop - 1
        for inner in range(k):
            own += xp.float32(inner)
        if turn == 3:
            break
    late = 0
    if own > 3:
        late = n
    out[xp.global_id(0)] = own + shared + xp.float32(stop + late)


def test_uniform_variables():
    varying = Uniformity(flat(mixture, F32, I64, F32)).varying
    assert {"k", "own", "inner", "late"} <= varying
    assert not {"group", "shared", "stop", "turn"} & varying


@xp.kernel
def shared_control(x, n, out):
    tile = xp.local_array(16, xp.float32)
    k = xp.local_id(0)
    value = x[k]
    if n > 2:
        tile[k] = value
        xp.barrier()
        value = tile[15 - k]
    for turn in range(n):
        xp.barrier()
        tile[k] = value
        xp.barrier()
        if turn > 5:
            break
        value += tile[turn]
    out[k] = value


def test_the_tree_of_regions():
    tree = split(flat(shared_control, F32, I64, F32).body)
    assert [type(node) for node in tree] == [Region, Branch, Loop, Region]
    loop = tree[2]
    assert [type(node) for node in loop.body] == [Region, Branch, Region]
    assert len(regions(tree)) == 7 - 1


def test_what_lives_across_barriers():
    tree = split(flat(shared_control, F32, I64, F32).body)
    assert liveness.analyze(tree) <= {"n", "tile", "x", "out"}
    first, before, after, stored, added, last = regions(tree)
    assert ["value" in region.live_in for region in (first, before, after, stored, added, last)] == [
        False,
        True,
        False,
        True,
        True,
        True,
    ]
    assert ["value" in region.live_out for region in (first, before, after, stored, added, last)] == [
        True,
        False,
        True,
        True,
        True,
        False,
    ]
