"""What operations give on the CPU: NumPy's values, bit for bit where NumPy's are exact."""

from __future__ import annotations

import math

import numpy as np
import pytest

from xpu.kernel import ir

from .hand import (
    BOOL,
    F32,
    F64,
    I32,
    I64,
    array,
    binary,
    compute,
    compute_all,
    const,
    declared,
    element,
    gid,
    kernel,
    load,
    run,
    scalar,
    store,
    var,
)

INTEGERS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
FLOATS = [np.float16, np.float32, np.float64]
COMPLEX = [np.complex64, np.complex128]
UFUNCS = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.true_divide,
    "floordiv": np.floor_divide,
    "mod": np.remainder,
    "shl": np.left_shift,
    "shr": np.right_shift,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
}


def integers(dtype):
    info = np.iinfo(dtype)
    rng = np.random.default_rng(1)
    some = rng.integers(info.min, info.max, 12, dtype=dtype, endpoint=True)
    values = np.array([0, 1, 2, 3, 7, info.max, info.max - 1, info.min, info.min + 1, info.bits, *some], dtype)
    return [m.ravel().copy() for m in np.meshgrid(values, values)]


def floats(dtype):
    rng = np.random.default_rng(2)
    some = rng.normal(0, 3, 14).astype(dtype)
    tiny = np.finfo(dtype).tiny
    values = np.array([0.0, -0.0, 1, -1, 0.5, 2.5, -2.5, np.inf, -np.inf, np.nan, tiny, tiny / 4, *some], dtype)
    return [m.ravel().copy() for m in np.meshgrid(values, values)]


def complexes(dtype):
    a, b = floats(np.float32)
    keep = np.isfinite(a) & np.isfinite(b)
    values = (a[keep][::7] + 1j * b[keep][::7]).astype(dtype)
    return [m.ravel().copy() for m in np.meshgrid(values, values)]


def same(got, expected):
    np.testing.assert_array_equal(got, expected)
    if got.dtype.kind == "f":
        sound = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(got[sound]), np.signbit(expected[sound]))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_operators(dtype):
    a, b = integers(dtype)
    operators(("add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", *ir.COMPARE_OPS), dtype, a, b)


def operators(names, dtype, a, b, check=same):
    left, right = element("a", dtype), element("b", dtype)
    got = compute_all(
        {op: (binary(op, left, right), np.bool_ if op in ir.COMPARE_OPS else dtype) for op in names}, a, b
    )
    for op, values in got.items():
        with np.errstate(all="ignore"):
            check(values, UFUNCS[op](a, b))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_shifts(dtype):
    a, b = integers(dtype)
    keep = (b >= 0) & (b <= 70)
    a, b = a[keep], b[keep]
    operators(("shl", "shr"), dtype, a, b)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_division_by_a_constant(dtype):
    divisors = [1, 2, 3, 7, 64] + ([-1, -3] if np.dtype(dtype).kind == "i" else [])
    a = integers(dtype)[0]
    cases = {
        (op, d): (binary(op, element("a", dtype), const(d, scalar(dtype))), dtype)
        for op in ("floordiv", "mod")
        for d in divisors
    }
    for (op, divisor), got in compute_all(cases, a).items():
        with np.errstate(all="ignore"):
            same(got, UFUNCS[op](a, dtype(divisor)))


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_power(dtype):
    a, b = integers(dtype)
    keep = (b >= 0) & (b < 70)
    a, b = a[keep], b[keep]
    same(compute(binary("pow", element("a", dtype), element("b", dtype)), dtype, a, b), np.power(a, b))


@pytest.mark.parametrize("dtype", FLOATS)
def test_float_operators(dtype):
    a, b = floats(dtype)
    operators(("add", "sub", "mul", "truediv", "floordiv", "mod", *ir.COMPARE_OPS), dtype, a, b)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_complex_operators(dtype):
    def check(got, expected):
        if got.dtype == np.bool_:
            same(got, expected)
        else:
            np.testing.assert_allclose(got, expected, rtol=4 * np.finfo(dtype).eps)

    operators(("add", "sub", "mul", "truediv", *ir.COMPARE_OPS), dtype, *complexes(dtype), check)


@pytest.mark.parametrize("source", [np.bool_, *INTEGERS, *FLOATS, *COMPLEX])
def test_casts(source):
    kind = np.dtype(source).kind
    if kind == "b":
        a = np.array([True, False, True])
    elif kind in "iu":
        a = integers(source)[0]
    elif kind == "f":
        a = np.concatenate([floats(source)[0], np.array([126.9, -127.5, 1000.25, 65519.0], source)])
    else:
        a = complexes(source)[0]
    targets = [np.bool_, *INTEGERS, *FLOATS, *COMPLEX]
    results = compute_all({t: (ir.Cast(scalar(t), element("a", source)), t) for t in targets}, a)
    for target, got in results.items():
        inside = np.ones(a.size, np.bool_)
        with np.errstate(all="ignore"):
            if kind in "fc" and np.dtype(target).kind in "iu":  # C leaves the rest undefined
                info = np.iinfo(target)
                real = np.trunc(a.real.astype(np.float64))
                inside = np.isfinite(real) & (real >= info.min) & (real <= min(info.max, 2**53))
            expected = (a.real if kind == "c" and np.dtype(target).kind not in "cb" else a).astype(target)
        same(got[inside], expected[inside])


def test_halves_are_rounded_once():
    rng = np.random.default_rng(3)
    ties = np.float64(1) + np.arange(64) / 2048.0
    values = np.concatenate([rng.normal(0, 1e4, 500), rng.normal(0, 1e-6, 500), ties + 2.0**-40, ties - 2.0**-40, ties])
    got = compute(ir.Cast(scalar(np.float16), element("a", np.float64)), np.float16, values)
    with np.errstate(over="ignore"):
        same(got, values.astype(np.float16))


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (np.float32, np.uint32),
        (np.int64, np.float64),
        (np.float16, np.uint16),
        (np.uint16, np.float16),
        (np.int8, np.uint8),
    ],
)
def test_reinterpret(source, target):
    values = np.arange(-40, 40).astype(source)
    got = compute(ir.Reinterpret(scalar(target), element("a", source)), target, values)
    np.testing.assert_array_equal(got.view(np.uint8), values.view(np.uint8))


EXACT = {
    "sqrt": np.sqrt,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
    "abs": np.abs,
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "signbit": np.signbit,
}


@pytest.mark.parametrize("dtype", FLOATS)
def test_exact_functions(dtype):
    a = floats(dtype)[0]
    cases = {}
    for name in EXACT:
        result = np.bool_ if name.startswith("is") or name == "signbit" else dtype
        cases[name] = (ir.Call(scalar(result), name, [element("a", dtype)]), result)
    for name, got in compute_all(cases, a).items():
        with np.errstate(all="ignore"):
            same(got, EXACT[name](a))


PAIRS = {
    "minimum": np.minimum,
    "maximum": np.maximum,
    "fmin": np.fmin,
    "fmax": np.fmax,
    "copysign": np.copysign,
    "nextafter": np.nextafter,
}


@pytest.mark.parametrize("dtype", FLOATS)
def test_pairs(dtype):
    a, b = floats(dtype)
    operands = [element("a", dtype), element("b", dtype)]
    for name, got in compute_all({n: (ir.Call(scalar(dtype), n, operands), dtype) for n in PAIRS}, a, b).items():
        expected = PAIRS[name](a, b)
        if name == "nextafter":
            same(got, expected)
        np.testing.assert_array_equal(got, expected)


CLOSE = "exp expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp2 cbrt"
NUMPY = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
}


@pytest.mark.parametrize("dtype", FLOATS)
def test_close_functions(dtype):
    a = np.concatenate([np.linspace(-4, 4, 401), np.linspace(0, 1, 50)]).astype(dtype)
    cases = {n: (ir.Call(scalar(dtype), n, [element("a", dtype)]), dtype) for n in CLOSE.split()}
    for name, got in compute_all(cases, a).items():
        with np.errstate(all="ignore"):
            expected = getattr(np, NUMPY.get(name, name))(a.astype(np.float64)).astype(dtype)
        np.testing.assert_allclose(got, expected, rtol=5 * np.finfo(dtype).eps, atol=2 * np.finfo(dtype).eps)


def test_special_functions():
    a = np.linspace(0.3, 5, 60)
    reference = {"erf": math.erf, "erfc": math.erfc, "tgamma": math.gamma, "lgamma": math.lgamma}
    cases = {name: (ir.Call(F64, name, [element("a", np.float64)]), np.float64) for name in reference}
    for name, got in compute_all(cases, a).items():
        np.testing.assert_allclose(got, [reference[name](v) for v in a], rtol=1e-14, atol=1e-15)


@pytest.mark.parametrize("dtype", [np.uint8, np.int16, np.uint32, np.int64])
def test_bits(dtype):
    a = integers(dtype)[0]
    width = np.iinfo(dtype).bits
    t = scalar(dtype)
    same(
        compute(ir.Call(t, "popcount", [element("a", dtype)]), dtype, a),
        np.array([bin(int(v) & 2**width - 1).count("1") for v in a], dtype),
    )
    zeros = np.array([width - (int(v) & 2**width - 1).bit_length() for v in a], dtype)
    same(compute(ir.Call(t, "clz", [element("a", dtype)]), dtype, a), zeros)


def test_short_circuit_does_not_evaluate_in_vain():
    a = np.array([0, 3, 5, 1000], np.int64)
    inside = binary("lt", element("a", np.int64), const(4))
    entry = binary("gt", load("b", element("a", np.int64), type_=I64), const(1))
    got = np.zeros(4, np.bool_)
    node = kernel(
        [array("a", np.int64), array("b", np.int64), array("out", np.bool_)],
        [store("out", ir.Binary(BOOL, "land", inside, entry), gid())],
    )
    run(node, 4, a, np.array([0, 1, 2, 3], np.int64), got)
    np.testing.assert_array_equal(got, [False, True, False, False])


@pytest.mark.parametrize(
    ("dtype", "lanes"),
    [(np.float16, 8), (np.float32, 16), (np.float32, 2), (np.float64, 4), (np.int32, 8), (np.uint8, 16)],
)
def test_vectors(dtype, lanes):
    v = ir.Vector(np.dtype(dtype), lanes)
    start = binary("mul", gid(), const(lanes))
    a, b = ((np.arange(lanes * 5) * k % 11).astype(dtype) for k in (3, 5))
    la, lb = ir.Load(v, "a", [start]), ir.Load(v, "b", [start])
    bigger = ir.Select(v, binary("gt", la, lb), la, lb)
    value = binary("add", binary("mul", bigger, ir.VectorOf(v, [const(2, scalar(dtype))])), lb)
    out = np.zeros_like(a)
    run(kernel([array("a", dtype), array("b", dtype), array("out", dtype)], [store("out", value, start)]), 5, a, b, out)
    np.testing.assert_array_equal(out, np.maximum(a, b) * dtype(2) + b)


def test_lanes_and_vectors_of_scalars():
    v = ir.Vector(np.dtype(np.float32), 4)
    items = [binary("mul", element("a", np.float32), const(float(k), F32)) for k in range(4)]
    total = binary("add", ir.Lane(F32, var("w", v), 3), ir.Lane(F32, var("w", v), 1))
    body = [ir.Assign("w", ir.VectorOf(v, items)), store("out", total, gid())]
    a, out = np.arange(7, dtype=np.float32), np.zeros(7, np.float32)
    run(kernel([array("a"), array("out")], body, {"w": v}), 7, a, out)
    np.testing.assert_array_equal(out, a * 4)


@pytest.mark.parametrize("type_", [I32, I64, scalar(np.uint8), scalar(np.uint64)])
def test_ranges(type_):
    ranges = [(0, 10, 1), (2, 11, 4), (5, 5, 1), (7, 3, 2), (1, 120, 100)]
    if type_.dtype.kind == "i":
        ranges += [(9, 1, -3), (3, -4, -1), (1, 9, -1)]
    one = ir.Cast(I64, var("i", type_))
    body: list[ir.Stmt] = []
    for number, bounds in enumerate(ranges):
        start, stop, step = (const(value, type_) for value in bounds)
        add = ir.Assign("s", binary("add", binary("mul", var("s"), const(17)), one))
        body += [ir.Assign("s", const(0)), ir.For("i", start, stop, step, [add]), store("out", var("s"), const(number))]
    out = np.zeros(len(ranges), np.int64)
    run(kernel([array("out", np.int64)], body, {"i": type_, "s": I64}), 1, out)
    for got, bounds in zip(out, ranges, strict=True):
        expected = 0
        for i in range(*bounds):
            expected = (expected * 17 + i) % 2**64
        assert int(got) % 2**64 == expected


def test_strided_arguments():
    a = np.arange(60, dtype=np.float32).reshape(5, 12)[::-1, ::3]
    out = np.zeros((4, 10), np.float32).T[::2]
    node = kernel(
        [array("a", ndim=2, contiguous=False), array("out", ndim=2, contiguous=False)],
        [store("out", load("a", gid(0), gid(1)), gid(0), gid(1))],
        rank=2,
    )
    run(node, (5, 4), a, out)
    np.testing.assert_array_equal(out, a)


@pytest.mark.parametrize("size", [(3, 100_000), (100_000, 3), (300, 301)])
def test_two_axes_over_slices(size):
    cell = binary("add", binary("mul", gid(0), const(1_000_000)), gid(1))
    out = np.zeros(size, np.int64)
    node = kernel([array("out", np.int64, 2)], [store("out", cell, gid(0), gid(1))], rank=2)
    for _ in range(3):  # divided among threads, if only for its size
        out[...] = -1
        run(node, size, out)
        np.testing.assert_array_equal(out, np.arange(size[0])[:, None] * 1_000_000 + np.arange(size[1]))


def test_three_axes():
    size = (7, 11, 13)
    cell = binary("add", binary("mul", binary("add", binary("mul", gid(0), const(100)), gid(1)), const(100)), gid(2))
    out = np.zeros(size, np.int64)
    run(kernel([array("out", np.int64, 3)], [store("out", cell, gid(0), gid(1), gid(2))], rank=3), size, out)
    x, y, z = np.indices(size)
    np.testing.assert_array_equal(out, (x * 100 + y) * 100 + z)


def test_scalar_arguments_of_every_dtype():
    values = [np.bool_(True), *(d(5) for d in INTEGERS), *(d(2.5) for d in FLOATS), *(d(1 + 2j) for d in COMPLEX)]
    params = [ir.Param(f"p{i}", scalar(v.dtype)) for i, v in enumerate(values)]
    outs = [array(f"o{i}", v.dtype) for i, v in enumerate(values)]
    body = [store(f"o{i}", var(f"p{i}", scalar(v.dtype)), const(0)) for i, v in enumerate(values)]
    arrays = [np.zeros(1, v.dtype) for v in values]
    run(kernel([*params, *outs], body), 1, *values, *arrays)
    for value, got in zip(values, arrays, strict=True):
        assert got[0] == value


def test_large_private_arrays():
    n = 1_000_000
    fill = ir.For(
        "k", const(0), const(n), const(1), [store("p", ir.Cast(I32, binary("add", var("k"), gid())), var("k"))]
    )
    total = ir.For(
        "k", const(0), const(n), const(1),
        [ir.Assign("s", binary("add", var("s"), ir.Cast(I64, load("p", var("k"), type_=I32))))],
    )  # fmt: skip
    body = [fill, ir.Assign("s", const(0)), total, store("out", var("s"), gid())]
    out = np.zeros(9, np.int64)
    private = declared("p", n, dtype=np.int32, space="private")
    run(kernel([array("out", np.int64)], body, {"k": I64, "s": I64}, [private]), 9, out)
    np.testing.assert_array_equal(out, n * (n - 1) // 2 + n * np.arange(9))
