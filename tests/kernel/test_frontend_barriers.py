"""Which barriers are reached by all work-items of a group."""

import numpy as np
import pytest

import xpu as xp
from xpu.backend import DeviceInfo
from xpu.kernel import ir

DEVICE = DeviceInfo("test device", "test", "cpu")
F4 = ir.ArrayType(np.dtype("f4"), 1)
I4 = ir.ArrayType(np.dtype("i4"), 1)


@xp.kernel
def plain(a, b, n):
    xp.barrier()


@xp.kernel
def by_scalar(a, b, n):
    if n > 3:
        xp.barrier()


@xp.kernel
def by_shape_and_group(a, b, n):
    for k in range(a.shape[0] // xp.local_size(0)):
        if xp.group_id(0) == k:
            xp.barrier()


@xp.kernel
def halving(a, b, n):
    step = xp.local_size(0) // 2
    while step > 0:
        if xp.local_id(0) < step:
            a[xp.global_id(0)] = 0
        xp.barrier()
        step //= 2


@xp.kernel
def by_read_only_element(a, b, n):
    for k in range(b[xp.group_id(0)]):
        a[xp.global_id(0)] = k
        xp.barrier()


@xp.kernel
def by_local_after_barrier(a, b, n):
    t = xp.local_array(1, xp.int32)
    if xp.local_id(0) == 0:
        t[0] = b[xp.global_id(0)]
    xp.barrier()
    if t[0] > 0:
        xp.barrier()


@xp.kernel
def return_by_scalar(a, b, n):
    if n < 0:
        return
    xp.barrier()


@xp.kernel
def continue_after_barrier(a, b, n):
    for k in range(n):
        xp.barrier()
        if xp.local_id(0) > k:
            continue
        a[k] = 1


@xp.kernel
def break_in_an_inner_loop(a, b, n):
    for _ in range(n):
        for j in range(10):
            if j == xp.local_id(0):
                break
        xp.barrier()


@xp.kernel
def break_of_all(a, b, n):
    for k in range(10):
        if k == n:
            break
        xp.barrier()


@xp.kernel
def private_uniform(a, b, n):
    p = xp.private_array(2, xp.int32)
    p[0] = n
    if p[0] > 0:
        xp.barrier()


@xp.func
def twice(x):
    return x * 2


@xp.kernel
def helper_of_uniform(a, b, n):
    if twice(n) > 3:
        xp.barrier()


GOOD = [
    plain,
    by_scalar,
    by_shape_and_group,
    halving,
    by_read_only_element,
    by_local_after_barrier,
    return_by_scalar,
    continue_after_barrier,
    break_in_an_inner_loop,
    break_of_all,
    private_uniform,
    helper_of_uniform,
]


@pytest.mark.parametrize("kernel", GOOD, ids=lambda k: k.__name__)
def test_reached_by_all(kernel):
    assert kernel.specialize([F4, I4, int], DEVICE).uses_barrier


@xp.kernel
def by_item(a, b, n):
    if xp.local_id(0) < n:  # why
        xp.barrier()


@xp.kernel
def by_variable(a, b, n):
    flag = n
    if a[xp.global_id(0)] > 0:
        flag = 3
    if flag > 2:  # why
        xp.barrier()


@xp.kernel
def by_written_element(a, b, n):
    a[xp.global_id(0)] = 1
    if a[0] > 0:  # why
        xp.barrier()


@xp.kernel
def by_local_before_barrier(a, b, n):
    t = xp.local_array(1, xp.int32)
    if xp.local_id(0) == 0:
        t[0] = b[xp.global_id(0)]
    if t[0] > 0:  # why
        xp.barrier()


@xp.kernel
def by_local_written_in_a_loop(a, b, n):
    t = xp.local_array(1, xp.int32)
    xp.barrier()
    for k in range(n):
        if t[0] > k:  # why
            xp.barrier()
        t[0] = k


@xp.kernel
def after_a_return(a, b, n):
    if xp.global_id(0) >= n:  # why
        return
    xp.barrier()


@xp.kernel
def after_a_continue(a, b, n):
    for k in range(n):
        if xp.local_id(0) > k:  # why
            continue
        xp.barrier()


@xp.kernel
def before_a_break(a, b, n):
    for k in range(n):
        xp.barrier()
        if xp.local_id(0) == k:  # why
            break


@xp.kernel
def own_length(a, b, n):
    for _ in range(b[xp.global_id(0)]):  # why
        xp.barrier()


@xp.kernel
def while_of_its_own(a, b, n):
    x = xp.global_id(0)
    while x > 0:  # why
        xp.barrier()
        x -= 1


@xp.kernel
def by_atomic(a, b, n):
    if xp.atomic_add(b, 0, 1) == 0:  # why
        xp.barrier()


@xp.kernel
def by_private(a, b, n):
    p = xp.private_array(2, xp.int32)
    p[0] = xp.local_id(0)
    if p[0] > 0:  # why
        xp.barrier()


@xp.kernel
def in_an_else(a, b, n):
    if xp.local_id(0) > 0:  # why
        a[0] = 1
    else:
        xp.barrier()


@xp.func
def mine(x):
    return x + xp.local_id(0)


@xp.kernel
def helper_of_items(a, b, n):
    if mine(n) > 0:  # why
        xp.barrier()


@xp.func
def with_barrier(x):
    xp.barrier()
    return x


@xp.kernel
def through_a_helper(a, b, n):
    if xp.local_id(0) > 0:  # why
        a[0] = with_barrier(a[1])


@xp.kernel
def short_circuit(a, b, n):
    ok = xp.local_id(0) > 0 and with_barrier(a[1]) > 0
    a[0] = ok


@xp.kernel
def counter_after_a_break(a, b, n):
    last = 0
    for k in range(n):
        last = k
        if xp.local_id(0) == k:
            break
    if last > 2:  # why
        xp.barrier()


BAD = [
    by_item,
    by_variable,
    by_written_element,
    by_local_before_barrier,
    by_local_written_in_a_loop,
    after_a_return,
    after_a_continue,
    before_a_break,
    own_length,
    while_of_its_own,
    by_atomic,
    by_private,
    in_an_else,
    helper_of_items,
    through_a_helper,
    short_circuit,
    counter_after_a_break,
]


@pytest.mark.parametrize("kernel", BAD, ids=lambda k: k.__name__)
def test_missed_by_some(kernel):
    import inspect

    with pytest.raises(xp.KernelCompileError, match="may not come to this barrier") as caught:
        kernel.specialize([F4, I4, int], DEVICE)
    lines, first = inspect.getsourcelines(kernel.__wrapped__)
    reasons = [first + n for n, line in enumerate(lines) if "# why" in line]
    for reason in reasons:
        assert f"line {reason}):" in str(caught.value)
    assert "xp.barrier()" in str(caught.value)


def test_a_helper_with_a_barrier_that_returns_inside_a_loop():
    @xp.func
    def searching(t, n):
        xp.barrier()
        for k in range(n):
            if t[k] > 0:
                return k
        return 0

    @xp.kernel
    def uses(a, b, n):
        b[0] = searching(b, n)

    with pytest.raises(xp.KernelCompileError, match="cannot return inside a loop"):
        uses.specialize([F4, I4, int], DEVICE)
