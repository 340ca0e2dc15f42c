"""Control flow, memory, vectors, helpers, atomics and debug mode, run on every target."""

from __future__ import annotations

import numpy as np
import pytest

from xpu.errors import KernelCompileError
from xpu.kernel import debug, ir

from .nodes import (
    BOOL,
    F32,
    I32,
    I64,
    add,
    array,
    binary,
    call,
    cast,
    const,
    elementwise,
    function,
    gid,
    item,
    kernel,
    lanewise,
    load,
    mul,
    scalar,
    var,
    vector,
)
from .test_c_numbers import check, corners, fits


def local_array(name, *shape, dtype=np.float32, space="local"):
    return ir.ArrayDecl(name, ir.ArrayType(np.dtype(dtype), len(shape), space=space, shape=shape))


# ------------------------------------------------------------------------------------------------ index spaces


@pytest.mark.parametrize("size", [1, 7, 64, 1000])
def test_exactly_global_items_run(target, size):
    node = kernel("count", [array("y", np.int32, written=True)], [ir.Store("y", [gid()], const(1, I32))])
    out = target(node, size, np.zeros(size + 600, np.int32))[0]
    assert out[:size].all() and not out[size:].any()


@pytest.mark.parametrize("size", [(3, 5), (33, 70), (2, 3, 5), (9, 4, 17)])
def test_axes_are_in_numpy_order(target, size):
    rank = len(size)
    index = [gid(axis) for axis in range(rank)]
    value = index[0]
    for axis in range(1, rank):
        value = add(mul(value, 100), index[axis])
    sizes = add(mul(item("global_size", 0), 1000), item("global_size", rank - 1))
    params = [array("y", np.int64, rank, written=True), array("z", np.int64, rank, written=True)]
    node = kernel("axes", params, [ir.Store("y", index, value), ir.Store("z", index, sizes)], rank=rank)
    y, z = target(node, size, np.zeros(size, np.int64), np.zeros(size, np.int64))
    grid = np.indices(size)
    expected = grid[0]
    for axis in range(1, rank):
        expected = expected * 100 + grid[axis]
    assert (y == expected).all()
    assert (z == size[0] * 1000 + size[-1]).all()


def test_groups_and_local_ids(target):
    functions = ["global_id", "local_id", "group_id", "global_size", "local_size", "num_groups"]
    params = [array("y", np.int64, 3, written=True)]
    body = []
    for number, name in enumerate(functions):
        planes = [const(2 * number + axis) for axis in (0, 1)]
        body += [ir.Store("y", [plane, gid(0), gid(1)], item(name, axis)) for axis, plane in enumerate(planes)]
    node = kernel("places", params, body, rank=2)
    out = target(node, (6, 8), np.zeros((12, 6, 8), np.int64), local=(3, 4))[0]
    i, j = np.indices((6, 8))
    expected = [i, j, i % 3, j % 4, i // 3, j // 4, 6, 8, 3, 4, 2, 2]
    for plane, right in zip(out, expected, strict=True):
        assert (plane == right).all()


# ------------------------------------------------------------------------------------------------------- arrays


@pytest.mark.parametrize("dtype", [np.bool_, np.float16, np.int64, np.complex64])
def test_strided_views(target, dtype):
    base = (np.arange(240).reshape(10, 24) % 100).astype(dtype)
    type_ = scalar(dtype)
    body = [ir.Store("y", [gid(0), gid(1)], load("x", gid(0), gid(1), type_=type_))]
    for window in (base[::2, ::3], base[::-1, 5::-1], base.T[3:9, 2:5], base[4:5, 7:8]):
        contiguous = False
        params = [array("x", dtype, 2, contiguous=contiguous), array("y", dtype, 2, written=True)]
        node = kernel("strided", params, body, rank=2)
        out = target(node, window.shape, window, np.zeros(window.shape, dtype))[1]
        assert (out == window).all()


def test_writing_through_a_view(target):
    base = np.zeros((8, 12), np.float32)
    params = [array("y", np.float32, 2, written=True, contiguous=False)]
    node = kernel("fill", params, [ir.Store("y", [gid(0), gid(1)], const(2.0, F32))], rank=2)
    out = target(node, (4, 4), base[::2, 1::3])[0]
    assert (out == 2).all()


def test_no_dimensions_and_scalar_arguments(target):
    params = [array("x", np.float32, 0), array("y", np.float32, 1, written=True)]
    params += [ir.Param("a", scalar(np.float16)), ir.Param("b", scalar(np.bool_)), ir.Param("c", scalar(np.uint8))]
    params += [ir.Param("d", scalar(np.complex64))]
    value = ir.Select(F32, var("b", BOOL), cast(var("a", scalar(np.float16)), np.float32), const(0.0, F32))
    value = add(add(value, cast(var("c", scalar(np.uint8)), np.float32)), load("x"))
    value = add(value, call("imag", var("d", scalar(np.complex64)), type_=F32))
    node = kernel("scalars", params, [ir.Store("y", [gid()], value)])
    x = np.array(10, np.float32)
    out = target(node, 3, x, np.zeros(3, np.float32), np.float16(0.25), np.True_, np.uint8(200), np.complex64(1 + 3j))[
        1
    ]
    assert (out == 213.25).all()


@pytest.mark.parametrize("dtype", [np.float16, np.int32, np.bool_])
def test_private_arrays(target, dtype):
    type_ = scalar(dtype)
    body: list[ir.Stmt] = [
        ir.For("k", const(0), const(6), const(1), [
            ir.Store("p", [binary("floordiv", var("k"), const(3)), binary("mod", var("k"), const(3))],
                     cast(add(gid(), var("k")), dtype)),
        ]),
        ir.Store("y", [gid()], load("p", const(1), const(2), type_=type_)),
    ]  # fmt: skip
    node = kernel(
        "private",
        [array("y", dtype, written=True)],
        body,
        arrays=[local_array("p", 2, 3, dtype=dtype, space="private")],
    )
    out = target(node, 20, np.zeros(20, dtype))[0]
    assert (out == (np.arange(20) + 5).astype(dtype)).all()


# --------------------------------------------------------------------------------------------------------- loops


@pytest.mark.parametrize(
    "bounds",
    [(0, 5, 1), (5, 0, -1), (0, 10, 3), (10, -2, -4), (3, 3, 1), (4, 1, 1), (-7, 7, 5)],
)
@pytest.mark.parametrize("constant", [True, False])
def test_ranges(opencl, bounds, constant):
    """The sum, the number of rounds, and the variable's last value, with constant bounds and with arguments."""
    names = ["start", "stop", "step"]
    expressions = [const(b) if constant else var(n) for n, b in zip(names, bounds, strict=True)]
    body: list[ir.Stmt] = [
        ir.Assign("total", const(0)),
        ir.Assign("i", const(-99)),
        ir.For("i", *expressions, [
            ir.Assign("total", add(var("total"), add(mul(var("i"), 1000), 1))),
            ir.Assign("i", const(77)),
        ]),
        ir.Store("y", [const(0)], var("total")),
        ir.Store("y", [const(1)], var("i")),
    ]  # fmt: skip
    params = [array("y", np.int64, written=True)] + ([] if constant else [ir.Param(n, I64) for n in names])
    out = opencl(kernel("ranges", params, body), 1, np.zeros(2, np.int64), *([] if constant else map(np.int64, bounds)))
    expected = list(range(*bounds))
    assert out[0].tolist() == [sum(expected) * 1000 + len(expected), 77 if expected else -99]


def test_a_range_near_the_end_of_its_type(target):
    top = 2**31 - 1
    body: list[ir.Stmt] = [
        ir.Assign("n", const(0, I32)),
        ir.For("i", var("start", I32), const(top, I32), const(2, I32), [ir.Assign("n", add(var("n", I32), 1))]),
        ir.Store("y", [const(0)], var("n", I32)),
    ]
    params = [array("y", np.int32, written=True), ir.Param("start", I32)]
    assert target(kernel("top", params, body), 1, np.zeros(1, np.int32), np.int32(top - 5))[0][0] == 3


def test_while_break_continue_and_early_return(target):
    i = var("i")
    body: list[ir.Stmt] = [
        ir.If(binary("eq", gid(), const(3)), [ir.Return()]),
        ir.Assign("i", const(0)),
        ir.Assign("s", const(0)),
        ir.While(const(True, BOOL), [
            ir.Assign("i", add(i, 1)),
            ir.If(binary("gt", i, gid()), [ir.Break()]),
            ir.If(binary("eq", binary("mod", i, const(2)), const(0)), [ir.Continue()],
                  [ir.If(binary("eq", i, const(5)), [ir.Assign("s", add(var("s"), 100))],
                         [ir.Assign("s", add(var("s"), i))])]),
        ]),
        ir.Store("y", [gid()], var("s")),
    ]  # fmt: skip
    out = target(kernel("flow", [array("y", np.int64, written=True)], body), 9, np.full(9, -1, np.int64))[0]
    expected = [sum(100 if i == 5 else i for i in range(1, g + 1) if i % 2) for g in range(9)]
    expected[3] = -1
    assert out.tolist() == expected


def test_names_collide_with_nothing(target):
    words = ["int", "half", "kernel", "min", "log", "float4", "double", "xpu_i1", "linux", "gsize0", "σ", "x_n0"]
    body: list[ir.Stmt] = []
    total: ir.Expr = const(0)
    for number, word in enumerate(words):
        body.append(ir.Assign(word, add(gid(), number)))
        total = add(total, var(word))
    body.append(ir.Store("x", [gid()], add(total, ir.Dim(I64, "x", 0))))
    out = target(kernel("names", [array("x", np.int64, written=True)], body), 4, np.zeros(4, np.int64))[0]
    assert out.tolist() == [len(words) * g + sum(range(len(words))) + 4 for g in range(4)]


# ------------------------------------------------------------------------------------------------------- helpers


def test_helpers(target):
    """A helper with a value, one that writes to arrays, one that calls another; shapes and strides travel along."""
    rows = ir.ArrayType(np.dtype(np.float32), 2, contiguous=False)
    row_sum = function(
        "row_sum",
        [ir.Param("a", rows), ir.Param("r", I64)],
        F32,
        [
            ir.Assign("s", const(0.0, F32)),
            ir.For("c", const(0), ir.Dim(I64, "a", 1), const(1), [
                ir.Assign("s", add(var("s", F32), load("a", var("r"), var("c"))))
            ]),
            ir.Return(var("s", F32)),
        ],
    )  # fmt: skip
    store = function(
        "put",
        [ir.Param("out", ir.ArrayType(np.dtype(np.float32), 1), written=True), ir.Param("a", rows)],
        None,
        [
            ir.If(binary("ge", gid(), item("global_size")), [ir.Return()]),
            ir.Store("out", [gid()], ir.CallFunction(F32, "row_sum", [ir.ArrayRef(rows, "a"), gid()])),
        ],
    )
    params = [array("a", np.float32, 2, contiguous=False), array("y", written=True)]
    body = [ir.ExprStmt(ir.CallFunction(I64, "put", [ir.ArrayRef(params[1].type, "y"), ir.ArrayRef(rows, "a")]))]
    node = kernel("helpers", params, body, functions=[row_sum, store])
    a = np.arange(60, dtype=np.float32).reshape(6, 10)[::2, ::-1]
    out = target(node, 3, a, np.zeros(3, np.float32))[1]
    assert (out == a.sum(1)).all()


def test_helpers_with_local_and_private_memory(opencl):
    """Local memory declared in a helper, a barrier in it, and a private array handed to it."""
    private = ir.ArrayType(np.dtype(np.int32), 1, space="private", shape=(4,))
    mirror = function(
        "mirror",
        [ir.Param("p", private, written=True), ir.Param("value", I32)],
        I32,
        [
            ir.Store("tile", [item("local_id")], var("value", I32)),
            ir.Barrier(),
            ir.Store("p", [const(2)], load("tile", binary("sub", const(7), item("local_id")), type_=I32)),
            ir.Return(load("p", const(2), type_=I32)),
        ],
        arrays=[local_array("tile", 8, dtype=np.int32)],
    )
    body: list[ir.Stmt] = [
        ir.Assign("v", cast(gid(), np.int32)),
        ir.Assign("w", ir.CallFunction(I32, "mirror", [ir.ArrayRef(private, "q"), var("v", I32)])),
        ir.Store("y", [gid()], add(var("w", I32), load("q", const(2), type_=I32))),
    ]
    node = kernel(
        "mirrors",
        [array("y", np.int32, written=True)],
        body,
        functions=[mirror],
        arrays=[local_array("q", 4, dtype=np.int32, space="private")],
    )
    out = opencl(node, 24, np.zeros(24, np.int32), local=(8,))[0]
    assert (out == 2 * np.arange(24).reshape(3, 8)[:, ::-1].ravel()).all()


# -------------------------------------------------------------------------------------- local memory and barriers


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int64, np.complex64])
def test_reversal_through_local_memory(opencl, dtype):
    type_ = scalar(dtype)
    lid = item("local_id")
    body = [
        ir.Store("tile", [lid], load("x", gid(), type_=type_)),
        ir.Barrier(),
        ir.Store("y", [gid()], load("tile", binary("sub", const(15), lid), type_=type_)),
    ]
    params = [array("x", dtype), array("y", dtype, written=True)]
    node = kernel("reverse", params, body, arrays=[local_array("tile", 16, dtype=dtype)])
    x = np.arange(64).astype(dtype)
    out = opencl(node, 64, x, np.zeros_like(x), local=(16,))[1]
    assert (out == x.reshape(4, 16)[:, ::-1].ravel()).all()


def test_tiled_matmul(opencl):
    tile, n = 8, 24
    row, col, k, t = gid(0), gid(1), var("k"), var("t")
    i, j = item("local_id", 0), item("local_id", 1)
    body: list[ir.Stmt] = [
        ir.Assign("s", const(0.0, F32)),
        ir.For("t", const(0), const(n), const(tile), [
            ir.Store("ta", [i, j], load("a", row, add(t, j))),
            ir.Store("tb", [i, j], load("b", add(t, i), col)),
            ir.Barrier(),
            ir.For("k", const(0), const(tile), const(1), [
                ir.Assign("s", add(var("s", F32), mul(load("ta", i, k), load("tb", k, j))))
            ]),
            ir.Barrier(),
        ]),
        ir.Store("c", [row, col], var("s", F32)),
    ]  # fmt: skip
    params = [array("a", ndim=2), array("b", ndim=2), array("c", ndim=2, written=True)]
    node = kernel("matmul", params, body, rank=2, arrays=[local_array("ta", tile, tile), local_array("tb", tile, tile)])
    rng = np.random.default_rng(0)
    a, b = rng.integers(-4, 5, (2, n, n)).astype(np.float32)
    for local in ((tile, tile),):
        out = opencl(node, (n, n), a, b, np.zeros((n, n), np.float32), local=local)[2]
        assert (out == a @ b).all()


def test_the_device_chooses_a_group_that_divides(opencl):
    lid = item("local_id")
    body = [ir.Store("tile", [lid], const(1, I32)), ir.Barrier(), ir.Store("y", [gid()], load("tile", lid, type_=I32))]
    node = kernel(
        "divides", [array("y", np.int32, written=True)], body, arrays=[local_array("tile", 4096, dtype=np.int32)]
    )
    for size in (1, 7, 96, 1000):
        assert opencl(node, size, np.zeros(size, np.int32))[0].all()


# ------------------------------------------------------------------------------------------------------- vectors


@pytest.mark.parametrize(
    ("dtype", "lanes"),
    [
        (np.int8, 16),
        (np.uint16, 8),
        (np.int32, 2),
        (np.int32, 16),
        (np.uint64, 4),
        (np.float16, 8),
        (np.float32, 4),
        (np.float32, 16),
        (np.float64, 8),
    ],
)
def test_vector_arithmetic(target, dtype, lanes):
    fits(target, dtype)
    a, b = corners(dtype)
    n = a.size // 16 * 16
    a, b = a[:n].copy(), b[:n].copy()
    if np.dtype(dtype).kind == "f":
        a, b = (np.where(np.isfinite(v) & (np.abs(v) > 1e-3), v, dtype(1)).astype(dtype) for v in (a, b))
        a, b = (np.clip(v, dtype(-200), dtype(200)) for v in (a, b))
        operations = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "truediv": np.divide}
    else:
        operations = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "xor": np.bitwise_xor}
        operations |= {"shl": np.left_shift, "floordiv": np.floor_divide}
    formulas = [lambda x, y, op=op: binary(op, x, y) for op in operations]
    formulas += [lambda x, y: ir.Unary(x.type, "neg", x), lambda x, y: call("abs", x)]
    formulas += [lambda x, y: call("minimum", x, y), lambda x, y: call("max", x, y)]
    formulas += [lambda x, y: ir.Select(x.type, binary("lt", x, y), x, ir.Unary(x.type, "neg", y))]
    formulas += [lambda x, y: binary("ge", x, y), lambda x, y: cast(binary("ne", x, y), np.int16)]
    formulas += [lambda x, y: binary("mul", x, ir.VectorOf(x.type, [const(3, ir.Scalar(x.type.dtype))]))]
    node = lanewise("vectors", [dtype, dtype], lanes, formulas)
    bools = [np.zeros(n, bool), np.zeros(n, np.int16)]
    outs = [np.zeros_like(a) for _ in range(len(formulas) - 3)] + bools + [np.zeros_like(a)]
    found = target(node, n // lanes, a, b, *outs)[2:]
    with np.errstate(all="ignore"):
        expected = [f(a, b) for f in operations.values()]
        expected += [-a, np.abs(a), np.minimum(a, b), np.maximum(a, b), np.where(a < b, a, -b)]
        expected += [a >= b, (a != b).astype(np.int16), a * dtype(3)]
    for k, (out, right) in enumerate(zip(found, expected, strict=True)):
        check(out + np.zeros(1, out.dtype), right + np.zeros(1, right.dtype), k)


@pytest.mark.parametrize("source", [np.bool_, np.int8, np.uint32, np.float16, np.float32])
def test_vector_casts_and_bits(target, source):
    wanted = [np.bool_, np.int8, np.uint8, np.int16, np.int32, np.uint32, np.int64, np.uint64, np.float16, np.float32]
    if np.dtype(source).kind in "bf":
        a = np.array([0, 1, -1, 2.5, -2.5, 100.7, 0.1, 7] * 2, np.float32).astype(source)
    else:
        a = corners(source)[0][:16].copy()
    formulas = [lambda x, d=d: cast(x, d) for d in wanted]
    node = lanewise("vcasts", [source], 8, formulas)
    found = target(node, 2, a, *[np.zeros(16, d) for d in wanted])[1:]
    with np.errstate(all="ignore"):
        for out, dtype in zip(found, wanted, strict=True):
            check(out, a.astype(dtype), dtype)


def test_lanes_and_vectors_from_scalars(target):
    f4 = vector(np.float32, 4)

    def reverse(x):
        return ir.VectorOf(f4, [ir.Lane(F32, x, k) for k in (3, 2, 1, 0)])

    def flags(x):
        zero = ir.VectorOf(f4, [const(0.0, F32)])
        mask = binary("gt", x, zero)
        both = ir.Binary(
            mask.type, "land", mask, ir.Unary(mask.type, "not", binary("gt", x, ir.VectorOf(f4, [const(5.0, F32)])))
        )
        chosen = [ir.Select(F32, ir.Lane(BOOL, both, k), const(1.0, F32), const(0.0, F32)) for k in range(4)]
        return ir.VectorOf(f4, chosen)

    node = lanewise("lanes", [np.float32], 4, [reverse, flags, lambda x: call("isnan", x, type_=vector(np.bool_, 4))])
    x = np.array([1, -2, 3, 4, 5, 6, np.nan, 8], np.float32)
    found = target(node, 2, x, np.zeros(8, np.float32), np.zeros(8, np.float32), np.zeros(8, bool))[1:]
    check(found[0], x.reshape(2, 4)[:, ::-1].ravel().copy())
    check(found[1], ((x > 0) & ~(x > 5)).astype(np.float32))
    check(found[2], np.isnan(x))


@pytest.mark.parametrize("space", ["local", "private"])
def test_vectors_in_other_memory(opencl, space):
    f4 = vector(np.float16, 4)
    body = [
        ir.Store("t", [const(1)], load("x", mul(gid(), 4), type_=f4)),
        ir.Store("y", [mul(gid(), 4)], load("t", const(1), type_=f4)),
    ]
    params = [array("x", np.float16), array("y", np.float16, written=True)]
    node = kernel("space", params, body, arrays=[local_array("t", 8, dtype=np.float16, space=space)])
    x = np.arange(32, dtype=np.float16)
    assert (opencl(node, 8, x, np.zeros_like(x), local=(1,))[1] == x).all()


def test_vector_functions(target):
    formulas = [lambda x: call("sqrt", x), lambda x: call("exp", x), lambda x: call("mad", x, x, x)]
    formulas += [lambda x: call("clamp", x, const(0.25, x.type), const(0.5, x.type))]
    x = np.linspace(0, 1, 64, dtype=np.float32)
    node = lanewise("vfunctions", [np.float32], 16, formulas)
    found = target(node, 4, x, *[np.zeros_like(x) for _ in formulas])[1:]
    expected = [np.sqrt(x), np.exp(x), x * x + x, np.clip(x, np.float32(0.25), np.float32(0.5))]
    for out, right in zip(found, expected, strict=True):
        assert np.allclose(out, right, rtol=1e-6)


# ------------------------------------------------------------------------------------------------------- atomics

COUNTED = {
    "add": lambda x: x.sum(),
    "sub": lambda x: np.subtract.reduce(np.concatenate([x[:0], x.dtype.type([0]), x])),
    "min": lambda x: x.min(),
    "max": lambda x: x.max(),
    "and": np.bitwise_and.reduce,
    "or": np.bitwise_or.reduce,
    "xor": np.bitwise_xor.reduce,
}


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64])
@pytest.mark.parametrize("space", ["global", "local"])
def test_atomics(opencl, dtype, space):
    wide = np.dtype(dtype).itemsize == 8
    if (wide and not opencl.info.atomics64) or (dtype is np.float64 and not opencl.info.fp64):
        pytest.skip("declared unsupported: 64-bit atomics")
    floating = np.dtype(dtype).kind == "f"
    ops = [op for op in COUNTED if not (floating and op in ("and", "or", "xor"))]
    type_ = scalar(dtype)
    value = load("x", gid(), type_=type_)
    name = "y" if space == "global" else "t"
    body: list[ir.Stmt] = []
    if space == "local":
        copy = [ir.Store("t", [const(k)], load("y", const(k), type_=type_)) for k in range(len(ops))]
        body += [ir.If(binary("eq", item("local_id"), const(0)), copy), ir.Barrier()]
    body += [ir.ExprStmt(ir.Atomic(type_, op, name, [const(k)], [value])) for k, op in enumerate(ops)]
    if space == "local":
        back = [ir.Store("y", [const(k)], load("t", const(k), type_=type_)) for k in range(len(ops))]
        body += [ir.Barrier(), ir.If(binary("eq", item("local_id"), const(0)), back)]
    params = [array("x", dtype), array("y", dtype, written=True)]
    arrays = [local_array("t", len(ops), dtype=dtype)] if space == "local" else []
    node = kernel("atomics", params, body, arrays=arrays)
    n = 256
    x = np.random.default_rng(1).integers(1, 1000, n).astype(dtype)
    start = np.array([0, 0, 2000, 0, 1023, 0, 0][: len(ops)], dtype)
    out = opencl(node, n, x, start, local=(n if space == "local" else 64,))[1]
    expected = [COUNTED[op](x) if op != "and" else COUNTED[op](x) & 1023 for op in ops]
    with np.errstate(all="ignore"):
        assert out.tolist() == np.array(expected).astype(dtype).tolist()


@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64])
def test_atomics_give_the_old_value(target, dtype):
    wide = np.dtype(dtype).itemsize == 8
    if (wide and not target.info.atomics64) or (dtype is np.float64 and not target.info.fp64):
        pytest.skip("declared unsupported: 64-bit atomics")
    type_ = scalar(dtype)
    body: list[ir.Stmt] = []
    steps = [
        ("add", [5]),
        ("sub", [2]),
        ("min", [4]),
        ("max", [9]),
        ("xchg", [20]),
        ("cas", [20, 30]),
        ("cas", [20, 40]),
    ]
    for number, (op, values) in enumerate(steps):
        atomic = ir.Atomic(type_, op, "c", [const(0)], [const(v, type_) for v in values])
        body.append(ir.Assign(f"old{number}", atomic))
        body.append(ir.Store("y", [const(number)], var(f"old{number}", type_)))
    params = [array("c", dtype, written=True), array("y", dtype, written=True)]
    c, y = target(kernel("old", params, body), 1, np.array([10], dtype), np.zeros(len(steps), dtype))
    assert y.tolist() == [10, 15, 13, 4, 9, 20, 30]
    assert c[0] == 30


def test_each_item_gets_its_own_ticket(opencl):
    body: list[ir.Stmt] = [
        ir.Assign("ticket", ir.Atomic(I32, "add", "c", [const(0)], [const(1, I32)])),
        ir.Store("y", [cast(var("ticket", I32), np.int64)], const(1, I32)),
    ]
    params = [array("c", np.int32, written=True), array("y", np.int32, written=True)]
    c, y = opencl(kernel("tickets", params, body), 5000, np.zeros(1, np.int32), np.zeros(5000, np.int32))
    assert c[0] == 5000 and y.all()


def test_64_bit_atomics_are_refused_where_there_are_none(opencl):
    from dataclasses import replace

    from xpu.kernel.printers import print_kernel

    body = [ir.ExprStmt(ir.Atomic(I64, "add", "y", [const(0)], [const(1)]))]
    node = kernel("wide", [array("y", np.int64, written=True)], body)
    with pytest.raises(KernelCompileError, match="64-bit atomics"):
        print_kernel(node, "opencl", replace(opencl.info, atomics64=False))


# ---------------------------------------------------------------------------------------------------- debug mode


def test_an_index_outside_is_reported_and_left_out(target):
    index = add(gid(), 3)
    body = [ir.Store("y", [gid()], load("x", index)), ir.Store("z", [index], const(1.0, F32))]
    params = [array("x"), array("y", written=True), array("z", written=True)]
    node = kernel("outside", params, body)
    x, z = np.ones(8, np.float32), np.zeros(8, np.float32)
    (_, y, z), error = target.run(node, 8, x, np.zeros(8, np.float32), z, checked=True)
    assert error[debug.CODE] == debug.INDEX_ERROR
    assert error[debug.SITE] in (1, 2)  # the store to y, its value, the store to z: numbered parents first
    assert error[debug.AXIS] == 0 and error[debug.EXTENT] == 8
    assert error[debug.INDEX] >= 8 and error[debug.GLOBAL_ID] == error[debug.INDEX] - 3
    assert y.tolist() == [1] * 5 + [0] * 3
    assert z.tolist() == [0] * 3 + [1] * 5


def test_checked_strides_vectors_and_atomics(target):
    f4 = vector(np.float32, 4)
    rows = array("x", ndim=2, contiguous=False)
    body = [
        ir.Store("y", [gid(), const(0)], load("x", gid(), const(2), type_=f4)),
        ir.ExprStmt(ir.Atomic(I32, "add", "c", [gid()], [const(1, I32)])),
    ]
    params = [rows, array("y", ndim=2, written=True), array("c", np.int32, written=True)]
    x = np.arange(48, dtype=np.float32).reshape(4, 12)[:, ::-1][:, ::-1]
    for width, fine in ((6, True), (5, False)):
        arguments = [x[:, :width], np.zeros((4, 4), np.float32), np.zeros(3, np.int32)]
        found, error = target.run(kernel("checked", params, body), 4, *arguments, checked=True)
        assert (found[1] == (x[:, 2:6] if fine else 0)).all()
        assert found[2].tolist() == [1, 1, 1]
        assert error[debug.CODE] == debug.INDEX_ERROR
        if fine:
            assert error[debug.INDEX] == 3 and error[debug.EXTENT] == 3 and error[debug.GLOBAL_ID] == 3


def test_nothing_is_reported_where_nothing_is_wrong(target):
    node = elementwise("fine", [np.float32], [lambda x: add(x, 1.0)])
    x = np.arange(100, dtype=np.float32)
    found, error = target.run(node, 100, x, np.zeros_like(x), checked=True)
    assert (found[1] == x + 1).all() and not error.any()


def test_assertions(target):
    body: list[ir.Stmt] = [
        ir.Assert(binary("lt", gid(), const(5)), "too far"),
        ir.Store("y", [gid()], const(1.0, F32)),
    ]
    node = kernel("asserts", [array("y", written=True)], body)
    _, error = target.run(node, 8, np.zeros(8, np.float32), checked=True)
    assert error[debug.CODE] == debug.ASSERT_ERROR and error[debug.SITE] == 0 and error[debug.GLOBAL_ID] >= 5
    _, error = target.run(node, 8, np.zeros(8, np.float32))
    assert not error.any()


def test_checks_inside_helpers(target):
    whole = ir.ArrayType(np.dtype(np.float32), 1)
    get = function("get", [ir.Param("a", whole), ir.Param("k", I64)], F32, [ir.Return(load("a", var("k")))])
    body = [ir.Store("y", [gid()], ir.CallFunction(F32, "get", [ir.ArrayRef(whole, "x"), add(gid(), 1)]))]
    node = kernel("inside", [array("x"), array("y", written=True)], body, functions=[get])
    found, error = target.run(node, 4, np.ones(4, np.float32), np.zeros(4, np.float32), checked=True)
    assert error[debug.CODE] == debug.INDEX_ERROR and error[debug.SITE] == 0 and error[debug.GLOBAL_ID] == 3
    assert found[1].tolist() == [1, 1, 1, 0]


@pytest.mark.parametrize("dtype", [np.bool_, np.uint8, np.int64, np.uint64, np.float16, np.float32, np.complex64])
def test_print_compiles(opencl, dtype):
    if opencl.name == "rusticl":
        pytest.skip("declared unsupported: printf")
    fits(opencl, dtype)
    type_ = scalar(dtype)
    body = [ir.If(binary("lt", gid(), const(0)), [ir.Print(["100%", '"x" \\ é', load("x", gid(), type_=type_)])])]
    opencl(kernel("printing", [array("x", dtype)], body), 4, np.zeros(4, dtype))
