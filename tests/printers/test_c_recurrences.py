"""Chained recurrences: values that one variable takes over from another, hidden from the compiler where that matters."""

from __future__ import annotations

import numpy as np
import pytest

from xpu.backend import DeviceInfo
from xpu.kernel import ir
from xpu.kernel.printers import print_kernel

from .nodes import F32, I32, I64, add, array, binary, call, const, function, gid, kernel, load, mul, scalar, var

CPU = DeviceInfo("processor", "maker", "cpu")
GPU = DeviceInfo("card", "maker", "gpu")


def chain(name, type_, round_, loop="for", start=(0, 1, 2)):
    """Return a kernel that repeats a round as often as an element of ``x`` says."""
    x = load("x", gid(), type_=I64)
    body: list[ir.Stmt] = [
        ir.Assign(letter, const(type_.dtype.type(k).item(), type_)) for letter, k in zip("abc", start, strict=True)
    ]
    if loop == "for":
        body.append(ir.For("k", const(0), x, const(1), round_))
    elif loop == "while":
        less = ir.Assign("k", binary("sub", var("k"), const(1)))
        body += [ir.Assign("k", x), ir.While(binary("gt", var("k"), const(0)), [less, *round_])]
    else:
        body.append(ir.For("j", const(0), const(1), const(1), [ir.For("k", const(0), x, const(1), round_)]))
    body.append(ir.Store("y", [gid()], var("a", type_)))
    return kernel(name, [array("x", np.int64), array("y", type_.dtype, written=True)], body)


def fibonacci(type_):
    a, b = var("a", type_), var("b", type_)
    return [ir.Assign("t", add(a, b)), ir.Assign("a", b), ir.Assign("b", var("t", type_))]


def three(type_):
    a, b, c = (var(letter, type_) for letter in "abc")
    total = add(add(a, b), c)
    return [ir.Assign("t", total), ir.Assign("a", b), ir.Assign("b", c), ir.Assign("c", var("t", type_))]


def expected(values, terms):
    out = []
    for count in values:
        last = list(range(terms))
        for _ in range(count):
            last = [*last[1:], sum(last)]
        out.append(last[0])
    return out


COUNTS = np.array([0, 1, 2, 7, 5, 3, 11, 4], np.int64)


@pytest.mark.parametrize("loop", ["for", "while", "nested"])
@pytest.mark.parametrize("type_", [I64, I32, F32], ids=["int64", "int32", "float32"])
def test_chains_are_computed(target, type_, loop):
    for terms, round_ in ((2, fibonacci), (3, three)):
        node = chain(f"chain{terms}", type_, round_(type_), loop)
        out = target(node, 8, COUNTS, np.zeros(8, type_.dtype))[1]
        assert out.tolist() == expected(COUNTS.tolist(), terms)


def test_copies_that_compilers_find(target):
    """``t = a + b; a = t - a`` is ``a = b``."""
    a, b, t = var("a"), var("b"), var("t")
    round_ = [ir.Assign("t", add(a, b)), ir.Assign("a", binary("sub", t, a)), ir.Assign("b", t)]
    out = target(chain("folded", I64, round_), 8, COUNTS, np.zeros(8, np.int64))[1]
    assert out.tolist() == expected(COUNTS.tolist(), 2)


def test_in_a_helper_and_through_one(target):
    second = function("second", [ir.Param("u", I64), ir.Param("v", I64)], I64, [ir.Return(var("v"))])
    step = ir.CallFunction(I64, "second", [var("a"), var("b")])
    loop = ir.For("k", const(0), var("n"), const(1), [ir.Assign("t", add(var("a"), var("b"))), ir.Assign("a", step)])
    loop.body.append(ir.Assign("b", var("t")))
    body = [ir.Assign("a", const(0)), ir.Assign("b", const(1)), loop, ir.Return(var("a"))]
    outer = function("outer", [ir.Param("n", I64)], I64, body)
    value = ir.CallFunction(I64, "outer", [load("x", gid(), type_=I64)])
    params = [array("x", np.int64), array("y", np.int64, written=True)]
    node = kernel("helped", params, [ir.Store("y", [gid()], value)], functions=[second, outer])
    out = target(node, 8, COUNTS, np.zeros(8, np.int64))[1]
    assert out.tolist() == expected(COUNTS.tolist(), 2)


def test_in_private_memory(target):
    private = ir.ArrayDecl("p", ir.ArrayType(np.dtype(np.int64), 1, space="private", shape=(2,)))
    first, second = load("p", const(0), type_=I64), load("p", const(1), type_=I64)
    round_ = [
        ir.Assign("t", add(first, second)),
        ir.Store("p", [const(0)], second),
        ir.Store("p", [const(1)], var("t")),
    ]
    body = [
        ir.Store("p", [const(0)], const(0)),
        ir.Store("p", [const(1)], const(1)),
        ir.For("k", const(0), load("x", gid(), type_=I64), const(1), round_),
        ir.Store("y", [gid()], first),
    ]
    params = [array("x", np.int64), array("y", np.int64, written=True)]
    node = kernel("private_chain", params, body, arrays=[private])
    out = target(node, 8, COUNTS, np.zeros(8, np.int64))[1]
    assert out.tolist() == expected(COUNTS.tolist(), 2)


# --------------------------------------------------------------------------------------------------- the text


def hidden(node, language="opencl", info=CPU):
    return print_kernel(node, language, info).text.count("^ xpu_zero")


def test_only_the_copy_is_hidden_and_only_on_processors():
    node = chain("text", I64, fibonacci(I64))
    assert hidden(node) == 1
    assert hidden(node, info=GPU) == 0 and hidden(node, "cuda", GPU) == 0


def test_a_copy_that_closes_a_ring_through_the_outer_loop_is_hidden():
    inner = ir.For("j", const(0), const(3), const(1), [ir.Assign("a", var("b")), ir.Assign("b", const(2))])
    node = chain("ring", I64, [inner, ir.Assign("b", var("a"))])
    assert hidden(node) == 2


@pytest.mark.parametrize(
    "round_",
    [
        [ir.Assign("a", add(var("a"), var("k")))],
        [ir.Assign("a", add(mul(var("a"), 5), 3)), ir.Assign("b", add(var("b"), var("a")))],
        [ir.Assign("a", var("b")), ir.Assign("b", var("c")), ir.Assign("c", load("x", var("k"), type_=I64))],
        [ir.If(binary("gt", load("x", var("k"), type_=I64), var("a")), [ir.Assign("a", var("k"))])],
        [ir.Assign("b", call("max", var("a"), load("x", var("k"), type_=I64))), ir.Assign("a", var("b"))],
    ],
    ids=["sum", "two", "delay", "place", "greatest"],
)
def test_ordinary_loops_stay_as_they_are(round_):
    assert hidden(chain("ordinary", I64, round_)) == 0


def test_vectors_and_other_types_keep_their_bits():
    for dtype, form in (
        (np.float64, "as_double(as_long(v_b) ^ (long)xpu_zero)"),
        (np.uint8, "(uchar)(v_b ^ xpu_zero)"),
    ):
        type_ = scalar(dtype)
        info = DeviceInfo("processor", "maker", "cpu", fp64=True)
        assert form in print_kernel(chain("typed", type_, fibonacci(type_)), "opencl", info).text
