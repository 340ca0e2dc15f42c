"""The text of kernels printed for Numba."""

from __future__ import annotations

import re

import numpy as np
import pytest

import xpu as xp
from xpu.backend import DeviceInfo
from xpu.kernel import ir
from xpu.kernel.printers import print_kernel

INFO = DeviceInfo("a processor", "somebody", "cpu")


def text_of(function, *types, debug=False):
    return print_kernel(function.specialize(list(types), INFO), "numba", INFO, debug).text


def array(dtype="float32", ndim=1, contiguous=True):
    return ir.ArrayType(np.dtype(dtype), ndim, contiguous)


def scalar(dtype="int64"):
    return ir.Scalar(np.dtype(dtype))


def loops(text):
    return [line.strip() for line in text.splitlines() if " in items(" in line]


@xp.kernel
def guarded(x, out):
    i = xp.global_id(0)
    if i < out.shape[0]:
        out[i] = x[i]


@xp.kernel
def returns_first(x, out):
    i = xp.global_id(0)
    n = out.shape[0] - 2
    if i < 1 or i >= n:
        return
    out[i] = x[i]


@xp.kernel
def interior(x, out):
    i, j = xp.global_id(0), xp.global_id(1)
    n, m = x.shape
    if i == 0 or i >= n - 1:
        return
    if j > 0 and j < m - 1 and x[i, j] > 0:
        out[i, j] = x[i - 1, j]


@xp.kernel
def guard_after_a_load(x, out):
    i = xp.global_id(0)
    value = x[0]
    if i < out.shape[0]:
        out[i] = value


@xp.kernel
def guard_by_a_changing_bound(x, out):
    i = xp.global_id(0)
    n = out.shape[0]
    n = n // 2
    if i < n:
        out[i] = x[i]


def test_a_guard_becomes_the_end_of_the_loop():
    text = text_of(guarded, array(), array())
    assert loops(text) == ["for gid0 in items(begin, min(end, n0_out)):"]
    assert "if " not in text


def test_an_early_return_becomes_bounds():
    assert loops(text_of(returns_first, array(), array())) == [
        "for gid0 in items(max(begin, 1), min(end, (n0_out - 2))):"
    ]


def test_bounds_of_two_axes_and_what_is_left_of_a_condition():
    text = text_of(interior, array(ndim=2), array(ndim=2))
    assert "if (gid0 >= 1) & (gid0 < (n0_x - 1)):" in text
    assert loops(text) == ["for gid1 in items(max(first, 1), min(stop, (n1_x - 1))):"]
    assert "if (load(a_x, (v_i * n1_x + v_j)) > float32(0.0)):" in text


@pytest.mark.parametrize("function", [guard_after_a_load, guard_by_a_changing_bound])
def test_other_guards_stay(function):
    text = text_of(function, array(), array())
    assert loops(text) == ["for gid0 in items(begin, end):"]
    assert "if (v_i < " in text


@xp.kernel
def copy(x, out):
    i, j = xp.global_id(0), xp.global_id(1)
    out[i, j] = x[i, j]


def test_addresses_follow_the_layout():
    text = text_of(copy, array(ndim=2, contiguous=False), array(ndim=2))
    assert "load(a_x, v_i * s0_x + v_j * s1_x)" in text
    assert "store(a_out, (v_i * n1_out + v_j)," in text


def test_only_used_arguments_are_read():
    text = text_of(copy, array(ndim=2), array(ndim=2))
    assert "n0_x" not in text
    assert "n1_x = argument_int64(args, 5)" in text


def test_debug_mode_checks_every_index():
    text = text_of(copy, array(ndim=2), array(ndim=2), debug=True)
    assert "errors = buffer_int64(args, 10)" in text
    assert "check(errors, 1, 2, gid0, gid1, 0, v_i, n0_x, n1_x, 1, v_j, n1_x, 1)" in text
    assert "store_checked" in text


@xp.kernel
def constants(out):
    i = xp.global_id(0)
    out[i] = xp.int64(3074457345618258602) * 3 + i


def test_python_does_not_compute_with_constants():
    body = text_of(constants, array("int64"))
    assert not re.search(r"\d+ \* \d+", body)


@xp.kernel
def powers_of_two(x, out):
    i = xp.global_id(0)
    out[i] = x[i] // 8 + x[i] % 8 + x[i] // 7


def test_division_by_constants():
    text = text_of(powers_of_two, array("int32"), array("int32"))
    assert ">> int32(3)" in text
    assert "& int32(7)" in text
    assert "floordiv_const(load(a_x, v_i), int32(7))" in text


@xp.kernel
def choices(x, out):
    i = xp.global_id(0)
    cheap = x[i] if i > 3 else xp.float32(0)
    out[i] = cheap if cheap > 1 else -cheap


def test_loads_are_not_speculated():
    text = text_of(choices, array(), array())
    assert "(load(a_x, v_i) if (v_i > 3) else float32(0.0))" in text
    assert "select((v_cheap > float32(1.0)), v_cheap, (-v_cheap))" in text


@xp.kernel
def halves(x, out):
    i = xp.global_id(0)
    out[i] = x[i] * x[i] + x[i]


def test_halves_are_rounded_after_each_operation():
    text = text_of(halves, array("float16"), array("float16"))
    assert "float16((float16((load(a_x, v_i) * load(a_x, v_i))) + load(a_x, v_i)))" in text


# -------------------------------------------------------------------------------------------------- barriers


@xp.kernel
def neighbours(x, scale, out):
    tile = xp.local_array(64, xp.float32)
    k = xp.local_id(0)
    i = xp.global_id(0)
    value = x[i]
    step = scale * 2
    tile[k] = value
    xp.barrier()
    step += 1
    out[i] = tile[63 - k] + value * xp.float32(step)


def test_only_what_must_be_kept_is_kept():
    text = text_of(neighbours, array(), scalar(), array())
    assert "SCRATCH_BYTES = 256" in text
    assert "ITEM_BYTES = 4" in text
    assert text.count("store(kept_value, slot, v_value)") == 1
    assert text.count("v_value = load(kept_value, slot)") == 1
    assert "kept_k" not in text  # computed again
    assert text.count("v_k = lid0") == 2
    assert "        v_step = (v_step + 1)\n        for lid0" in text  # once for the group


@xp.kernel
def shared_loop(x, out):
    tile = xp.local_array(16, xp.float32)
    k = xp.local_id(0)
    total = xp.float32(0)
    for turn in range(x.shape[0] // 16):
        tile[k] = x[turn * 16 + k]
        xp.barrier()
        for n in range(16):
            total += tile[n]
        xp.barrier()
    out[xp.global_id(0)] = total


def test_a_loop_with_barriers_stays_outside():
    lines = text_of(shared_loop, array(), array()).splitlines()
    shared = next(i for i, line in enumerate(lines) if "for v_turn in count(0, (n0_x >> 4)):" in line)
    inner = next(i for i, line in enumerate(lines) if "for v_n in count(0, 16):" in line)
    assert " in items(" not in lines[shared - 1]
    depth = [len(lines[i]) - len(lines[i].lstrip()) for i in (shared, inner)]
    assert depth == [8, 16]


@xp.kernel
def divergent_tail(x, out):
    tile = xp.local_array(8, xp.float32)
    k = xp.local_id(0)
    tile[k] = x[xp.global_id(0)]
    xp.barrier()
    if k > 0:
        return
    out[xp.group_id(0)] = tile[7]


def test_returns_of_single_items_after_the_last_barrier():
    text = text_of(divergent_tail, array(), array())
    assert "return" not in text
    assert "if ~(v_k > 0):" in text
