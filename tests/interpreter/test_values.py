"""What operations give: NumPy's rules, in exact dtypes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from xpu.errors import KernelTypeError
from xpu.kernel import ir
from xpu.kernel.interpreter import Program
from xpu.kernel.interpreter.functions import intrinsic

from .hand import BOOL, F32, F64, I32, I64, array, binary, const, gid, kernel, load, local, run, scalar, store, var

INTEGERS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]


def corner_values(dtype):
    info = np.iinfo(dtype)
    rng = np.random.default_rng(1)
    return np.array([0, 1, 2, 3, 7, info.max, info.max - 1, info.min, info.min + 1, *rng.integers(0, 100, 7)], dtype)


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("op", ["add", "sub", "mul", "floordiv", "mod", "and", "or", "xor"])
def test_integers_follow_numpy(dtype, op):
    name = {"sub": "subtract", "mul": "multiply", "floordiv": "floor_divide", "mod": "remainder"}.get(op, op)
    name = {"and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor"}.get(name, name)
    values = corner_values(dtype)
    a, b = (m.ravel().copy() for m in np.meshgrid(values, values))
    t = scalar(dtype)
    body = [store("out", binary(op, load("a", gid(), type_=t), load("b", gid(), type_=t)), gid())]
    node = kernel([array("a", dtype), array("b", dtype), array("out", dtype, written=True)], body)
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(a, b)
    np.testing.assert_array_equal(run(node, a.size, a, b, np.zeros_like(a))[2], expected)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_shifts_by_the_width_or_more(dtype):
    values = corner_values(dtype)
    bits = 8 * np.dtype(dtype).itemsize
    t = scalar(dtype)
    for op, amount in [("shl", bits), ("shr", bits), ("shl", bits - 1), ("shr", 1)]:
        body = [store("a", binary(op, load("a", gid(), type_=t), const(amount, t)), gid())]
        got = run(kernel([array("a", dtype, written=True)], body), values.size, values)[0]
        exact = [int(v) << amount if op == "shl" else int(v) >> amount for v in values]
        np.testing.assert_array_equal(got, np.array([e % 2**bits for e in exact], np.uint64).astype(dtype))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("op", ["add", "sub", "mul", "truediv", "floordiv", "mod"])
def test_floats_follow_numpy(dtype, op):
    name = {"sub": "subtract", "mul": "multiply", "truediv": "true_divide"}.get(op, op)
    name = {"floordiv": "floor_divide", "mod": "remainder"}.get(name, name)
    values = np.array([0.0, -0.0, 1.5, -2.25, 7.0, -0.1, 1e4, np.inf, -np.inf, np.nan], dtype)
    a, b = (m.ravel().copy() for m in np.meshgrid(values, values))
    t = scalar(dtype)
    body = [store("out", binary(op, load("a", gid(), type_=t), load("b", gid(), type_=t)), gid())]
    node = kernel([array("a", dtype), array("b", dtype), array("out", dtype, written=True)], body)
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(a, b)
    np.testing.assert_array_equal(run(node, a.size, a, b, np.zeros_like(a))[2], expected)


def test_casts_wrap_and_truncate():
    body = [
        store("out", ir.Cast(scalar(np.int8), const(300)), const(0)),
        store("out", ir.Cast(scalar(np.int8), const(-3.9, F64)), const(1)),
        store("out", ir.Cast(scalar(np.int8), ir.Cast(BOOL, const(0.25, F32))), const(2)),
        store("out", ir.Cast(scalar(np.int8), const(7 + 2j, scalar(np.complex64))), const(3)),
    ]
    got = run(kernel([array("out", np.int8, written=True)], body), 1, np.zeros(4, np.int8))[0]
    assert got.tolist() == [44, -3, 1, 7]


def test_select_evaluates_one_branch():
    outside = load("a", const(99))
    chosen = ir.Select(F32, binary("lt", gid(), const(5)), load("a", gid()), outside)
    assert run(kernel([array("a", written=True)], [store("a", chosen, gid())]), 2, np.ones(2, np.float32))


def test_loops_break_continue_and_the_last_value():
    body = [
        ir.Assign("s", const(0)),
        ir.For(
            "j",
            const(10),
            const(0),
            const(-3),
            [
                ir.If(binary("eq", var("j"), const(7)), [ir.Continue()]),
                ir.If(binary("lt", var("j"), const(2)), [ir.Break()]),
                ir.Assign("s", binary("add", var("s"), var("j"))),
            ],
        ),
        ir.While(binary("lt", var("s"), const(100)), [ir.Assign("s", binary("mul", var("s"), const(2)))]),
        store("out", var("s"), const(0)),
        store("out", var("j"), const(1)),
    ]
    node = kernel([array("out", np.int64, written=True)], body, {"s": I64, "j": I64})
    assert run(node, 1, np.zeros(2, np.int64))[0].tolist() == [112, 1]


def test_helpers_with_arrays_and_early_return():
    function = ir.Function(
        "pick",
        [ir.Param("p", ir.ArrayType(np.dtype(np.float32), 1)), ir.Param("n", I64)],
        F32,
        {},
        [],
        [ir.If(binary("gt", var("n"), const(1)), [ir.Return(const(-1.0, F32))]), ir.Return(load("p", var("n")))],
    )
    call = ir.CallFunction(F32, "pick", [ir.ArrayRef(ir.ArrayType(np.dtype(np.float32), 1), "a"), gid()])
    node = kernel([array("a"), array("out", written=True)], [store("out", call, gid())], functions=[function])
    assert run(node, 3, np.array([5, 6, 7], np.float32), np.zeros(3, np.float32))[1].tolist() == [5, 6, -1]


def test_barriers_order_work_through_local_memory():
    body = [
        store("tile", load("a", gid()), lid_()),
        ir.Barrier(),
        store("a", load("tile", binary("sub", const(3), lid_())), gid()),
    ]
    node = kernel([array("a", written=True)], body, arrays=[local("tile", 4)])
    assert run(node, 8, np.arange(8, dtype=np.float32), local=4)[0].tolist() == [3, 2, 1, 0, 7, 6, 5, 4]


def lid_():
    return ir.WorkItem(I64, "local_id", 0)


def test_only_true_items_run():
    body = [store("a", ir.Cast(F32, binary("add", gid(), ir.WorkItem(I64, "global_size", 0))), gid())]
    got = run(kernel([array("a", written=True)], body), 8, np.zeros(8, np.float32), local=4, true_size=(5,))[0]
    assert got.tolist() == [5, 6, 7, 8, 9, 0, 0, 0]


def test_two_dimensions_in_numpys_order():
    body = [store("a", ir.Cast(F32, binary("add", binary("mul", gid(0), const(10)), gid(1))), gid(0), gid(1))]
    got = run(kernel([array("a", ndim=2, written=True)], body, rank=2), (2, 3), np.zeros((2, 3), np.float32))[0]
    assert got.tolist() == [[0, 1, 2], [10, 11, 12]]


def test_vectors():
    t = ir.Vector(np.dtype(np.int16), 4)
    first = binary("mul", gid(), const(4))
    doubled = binary("mul", load("a", first, type_=t), ir.VectorOf(t, [const(30000, scalar(np.int16))]))
    node = kernel([array("a", np.int16, written=True)], [store("a", doubled, first)])
    got = run(node, 2, np.arange(8, dtype=np.int16))[0]
    np.testing.assert_array_equal(got, np.arange(8, dtype=np.int16) * np.int16(30000))


@pytest.mark.parametrize(
    ("op", "values", "old", "new"),
    [
        ("add", [5], 7, 12),
        ("sub", [9], 7, -2),
        ("min", [-3], 7, -3),
        ("max", [3], 7, 7),
        ("and", [-2], 7, 6),
        ("or", [8], 7, 15),
        ("xor", [1], 7, 6),
        ("xchg", [1], 7, 1),
        ("cas", [7, 99], 7, 99),
        ("cas", [6, 99], 7, 7),
    ],
)
def test_atomics_give_the_old_value(op, values, old, new):
    atomic = ir.Atomic(I32, op, "a", [const(0)], [const(v, I32) for v in values])
    node = kernel(
        [array("a", np.int32, written=True)], [ir.Assign("v", atomic), store("a", var("v", I32), const(1))], {"v": I32}
    )
    assert run(node, 1, np.array([7, 0], np.int32))[0].tolist() == [new, old]


def test_fma_rounds_once():
    fma32, fma64 = (intrinsic("fma", np.dtype(t), np.dtype(t)) for t in (np.float32, np.float64))
    a = np.float32(1 + 2**-12)
    exact = 1 + 2**-11 + 2**-24 - 1
    assert fma32(a, a, np.float32(-1)) == np.float32(exact) != a * a - np.float32(1)
    assert fma64(np.float64(1e300), np.float64(1e300), np.float64(-np.inf)) == -np.inf
    assert math.copysign(1, fma32(np.float32(-0.0), np.float32(1), np.float32(-0.0))) == -1


def test_integer_power_wraps():
    body = [store("a", binary("pow", load("a", gid(), type_=I32), const(5, I32)), gid())]
    values = np.array([0, 1, -1, 2, 1000, -12345], np.int32)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(run(kernel([array("a", np.int32, written=True)], body), 6, values)[0], values**5)


@pytest.mark.parametrize(
    "body",
    [
        [store("a", const(1.0, F64), gid())],
        [store("a", binary("add", load("a", gid()), const(1)), gid())],
        [store("a", load("a", const(1, I32)), gid())],
        [ir.Assign("unknown", const(1))],
        [ir.If(const(1), [])],
        [store("a", ir.Call(F32, "sqrt", [const(1.0, F64)]), gid())],
    ],
)
def test_ill_typed_kernels_are_refused(body):
    with pytest.raises(KernelTypeError, match="intermediate representation"):
        Program(kernel([array("a", written=True)], body))


def test_names_that_python_keeps_for_itself():
    body = [
        ir.Assign("lambda", gid()),
        ir.Assign("range", const(2)),
        ir.For("item", const(0), var("range"), const(1), [ir.Assign("int64", var("item"))]),
        store("a", ir.Cast(F32, binary("add", var("int64"), var("lambda"))), var("lambda")),
    ]
    names = {"lambda": I64, "range": I64, "item": I64, "int64": I64}
    assert run(kernel([array("a", written=True)], body, names), 2, np.zeros(2, np.float32))[0].tolist() == [1, 2]
