"""Printed CUDA C, executed: kernels go through xpu to the stand-in for CuPy and are compared with NumPy."""

from __future__ import annotations

import math

import numpy as np
import pytest

from xpu.config import config
from xpu.errors import KernelIndexError, KernelLaunchError
from xpu.kernel import ir
from xpu.kernel.build import build, statistics
from xpu.kernel.intrinsics import TABLE
from xpu.kernel.printers.dialects import spelled
from xpu.memory import Storage, View, contiguous_strides

I64, I32, F32, BOOL = ir.INT64, ir.INT32, ir.FLOAT32, ir.BOOL


def const(value, type_=I64):
    return ir.Const(type_, value)


def var(name, type_=I64):
    return ir.Var(type_, name)


def binary(op, left, right):
    return ir.Binary(BOOL if op in ir.COMPARE_OPS else left.type, op, left, right)


def work_item(function, axis=0):
    return ir.WorkItem(I64, function, axis)


def param(name, dtype=np.float32, ndim=1, written=False, contiguous=True):
    return ir.Param(name, ir.ArrayType(np.dtype(dtype), ndim, contiguous), read=True, written=written)


def scalar(name, dtype):
    return ir.Param(name, ir.Scalar(np.dtype(dtype)))


def local(name, shape, dtype=np.float32):
    return ir.ArrayDecl(name, ir.ArrayType(np.dtype(dtype), len(shape), space="local", shape=shape))


def upload(device, array):
    """Return a view of a copy of the array on the device, with the same strides."""
    base = array if array.base is None else array.base
    storage = Storage(device, max(base.nbytes, 1))
    device.backend_device.copy_in(storage.block, 0, np.ascontiguousarray(base).reshape(-1).view(np.uint8))
    offset = (array.ctypes.data - base.ctypes.data) // array.itemsize
    return View(storage, array.dtype, array.shape, tuple(s // array.itemsize for s in array.strides), offset)


def download(device, view):
    out = np.empty(view.shape, view.dtype)
    assert view.strides == contiguous_strides(view.shape)
    device.backend_device.copy_out(
        view.storage.block, view.offset * view.dtype.itemsize, out.reshape(-1).view(np.uint8)
    )
    return out


def run(device, kernel, size, local_size, *arguments):
    """Run on copies of the arrays; return those copies' content."""
    views = [upload(device, a) if isinstance(a, np.ndarray) else a for a in arguments]
    build(kernel, device, debug=False).run(size, local_size, views)
    device.synchronize()
    return [download(device, v) for v in views if isinstance(v, View) and v.contiguous]


def elementwise(name, params, value, out_dtype, rank=1):
    """``out[i] = value`` over the whole index space."""
    indices = [work_item("global_id", axis) for axis in range(rank)]
    return ir.Kernel(
        name,
        [*params, param("out", out_dtype, rank, written=True)],
        {},
        [],
        [ir.Store("out", indices, value)],
        rank=rank,
    )


def test_the_device_passes_its_probe(cuda):
    assert str(cuda) == "cuda"
    assert cuda.speed > 0
    assert cuda.info.name == "Stand-in 0"


@pytest.mark.parametrize("local_size", [None, (5,), (100,)])
def test_vector_add(cuda, local_size):
    i = [work_item("global_id")]
    kernel = elementwise(
        "vector_add",
        [param("a"), param("b")],
        binary("add", ir.Load(F32, "a", i), ir.Load(F32, "b", i)),
        np.float32,
    )
    a, b = np.arange(1000, dtype=np.float32), np.linspace(0, 1, 1000, dtype=np.float32)
    *_, out = run(cuda, kernel, (1000,), local_size, a, b, np.zeros(1000, np.float32))
    assert (out == a + b).all()


def test_strided_views_and_offsets(cuda):
    i, j = work_item("global_id", 0), work_item("global_id", 1)
    kernel = elementwise(
        "copy", [param("a", np.int32, 2, contiguous=False)], ir.Load(I32, "a", [i, j]), np.int32, rank=2
    )
    base = np.arange(20 * 30, dtype=np.int32).reshape(20, 30)
    view = base[15:2:-3, 4:28:2].T
    (out,) = run(cuda, kernel, view.shape, None, view, np.zeros(view.shape, np.int32))
    assert (out == view).all()


def test_three_axes_with_groups(cuda):
    ids = [work_item("global_id", axis) for axis in range(3)]
    value = const(0)
    for axis in range(3):
        for function in ("group_id", "local_id", "local_size", "num_groups", "global_size"):
            value = binary("add", binary("mul", value, const(7)), work_item(function, axis))
    kernel = ir.Kernel("where", [param("out", np.int64, 3, True)], {}, [], [ir.Store("out", ids, value)], rank=3)
    size, local_size = (4, 6, 10), (2, 3, 5)
    (out,) = run(cuda, kernel, size, local_size, np.zeros(size, np.int64))
    expected = np.zeros(size, np.int64)
    for axis, index in enumerate(np.indices(size)):
        width = local_size[axis]
        for number in (index // width, index % width, width, size[axis] // width, size[axis]):
            expected = expected * 7 + number
    assert (out == expected).all()


def matmul(tile):
    """Multiply matrices whose extents are multiples of ``tile`` through two tiles in local memory."""
    row, column, k = var("row"), var("column"), var("k")
    y, x = work_item("local_id", 0), work_item("local_id", 1)
    start = binary("mul", var("t"), const(tile))
    inner = ir.For(
        "k",
        const(0),
        const(tile),
        const(1),
        [
            ir.Assign(
                "total",
                binary(
                    "add",
                    var("total", F32),
                    binary("mul", ir.Load(F32, "left", [y, k]), ir.Load(F32, "right", [k, x])),
                ),
            )
        ],
    )
    rounds = ir.For(
        "t",
        const(0),
        binary("floordiv", ir.Dim(I64, "a", 1), const(tile)),
        const(1),
        [
            ir.Store("left", [y, x], ir.Load(F32, "a", [row, binary("add", start, x)])),
            ir.Store("right", [y, x], ir.Load(F32, "b", [binary("add", start, y), column])),
            ir.Barrier(),
            inner,
            ir.Barrier(),
        ],
    )
    return ir.Kernel(
        "tiled_matmul",
        [param("a", ndim=2), param("b", ndim=2), param("c", ndim=2, written=True)],
        {"row": I64, "column": I64, "t": I64, "k": I64, "total": F32},
        [local("left", (tile, tile)), local("right", (tile, tile))],
        [
            ir.Assign("row", work_item("global_id", 0)),
            ir.Assign("column", work_item("global_id", 1)),
            ir.Assign("total", const(0.0, F32)),
            rounds,
            ir.Store("c", [row, column], var("total", F32)),
        ],
        rank=2,
        uses_barrier=True,
    )


def test_tiled_matmul_with_barriers(cuda):
    rng = np.random.default_rng(1)
    a = rng.integers(-9, 9, (48, 32)).astype(np.float32)
    b = rng.integers(-9, 9, (32, 64)).astype(np.float32)
    *_, c = run(cuda, matmul(16), (48, 64), (16, 16), a, b, np.zeros((48, 64), np.float32))
    assert (c == a @ b).all()


def test_histogram_with_local_and_global_atomics(cuda):
    bins, item = 10, work_item("local_id")
    value = ir.Cast(I64, ir.Load(ir.Scalar(np.dtype(np.uint8)), "data", [work_item("global_id")]))
    first = binary("lt", item, const(bins))
    kernel = ir.Kernel(
        "histogram",
        [param("data", np.uint8), param("out", np.int32, written=True)],
        {},
        [local("counts", (bins,), np.int32)],
        [
            ir.If(first, [ir.Store("counts", [item], const(0, I32))]),
            ir.Barrier(),
            ir.ExprStmt(ir.Atomic(I32, "add", "counts", [value], [const(1, I32)])),
            ir.Barrier(),
            ir.If(first, [ir.ExprStmt(ir.Atomic(I32, "add", "out", [item], [ir.Load(I32, "counts", [item])]))]),
        ],
        uses_barrier=True,
    )
    data = np.random.default_rng(2).integers(0, bins, 4096).astype(np.uint8)
    _, out = run(cuda, kernel, (4096,), (128,), data, np.zeros(bins, np.int32))
    assert (out == np.bincount(data, minlength=bins)).all()


ATOMICS = [
    (op, dtype)
    for op in ("add", "sub", "min", "max", "and", "or", "xor", "xchg", "cas")
    for dtype in ("int32", "uint32", "int64", "uint64", "float32", "float64")
    if not (dtype.startswith("float") and op in ("and", "or", "xor"))
]


@pytest.mark.parametrize(("op", "dtype"), ATOMICS)
def test_every_atomic(cuda, op, dtype):
    dtype = np.dtype(dtype)
    type_ = ir.Scalar(dtype)
    i = work_item("global_id")
    values = [ir.Load(type_, "data", [i])]
    if op == "cas":
        values = [const(dtype.type(0).item(), type_), *values]
    old = ir.Atomic(type_, op, "cell", [const(0)], values)
    kernel = elementwise(f"atomic_{op}", [param("data", dtype), param("cell", dtype, written=True)], old, dtype)
    data = np.array([5, 3, 12, 9], dtype)
    start = 0 if op == "cas" else 6
    _, cell, olds = run(cuda, kernel, (4,), (4,), data, np.array([start], dtype), np.zeros(4, dtype))
    functions = {
        "add": np.add,
        "sub": np.subtract,
        "min": np.minimum,
        "max": np.maximum,
        "and": np.bitwise_and,
        "or": np.bitwise_or,
        "xor": np.bitwise_xor,
        "xchg": lambda held, value: value,
        "cas": lambda held, value: value if held == 0 else held,
    }
    held, expected = dtype.type(start), []
    for value in data:
        expected.append(held)
        held = functions[op](held, value)
    assert cell[0] == held
    assert olds.tolist() == expected


def test_half_is_stored_and_rounded(cuda):
    half = ir.Scalar(np.dtype(np.float16))
    i = [work_item("global_id")]
    value = binary("mul", ir.Load(half, "a", i), var("factor", half))
    kernel = elementwise("half", [param("a", np.float16), scalar("factor", np.float16)], value, np.float16)
    a = np.arange(65536, dtype=np.uint16).view(np.float16)
    a = a[np.isfinite(a)]
    factor = np.float16(1.2)
    _, out = run(cuda, kernel, a.shape, None, a.copy(), factor, np.zeros(a.shape, np.float16))
    with np.errstate(over="ignore"):
        assert (out == a * factor).all()


@pytest.mark.parametrize("op", ["add", "sub", "mul"])
@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_numbers(cuda, op, dtype):
    type_ = ir.Scalar(np.dtype(dtype))
    i = [work_item("global_id")]
    value = binary(op, ir.Load(type_, "a", i), var("z", type_))
    kernel = elementwise(f"complex_{op}", [param("a", dtype), scalar("z", dtype)], value, dtype)
    rng = np.random.default_rng(3)
    a = (rng.integers(-9, 9, 50) + 1j * rng.integers(-9, 9, 50)).astype(dtype)
    z = dtype(3 - 2j)
    _, out = run(cuda, kernel, a.shape, None, a, z, np.zeros(50, dtype))
    function = {"add": np.add, "sub": np.subtract, "mul": np.multiply}[op]
    assert (out == function(a, z)).all()


def test_bool_scalars_and_selection(cuda):
    i = [work_item("global_id")]
    value = ir.Select(F32, var("flag", BOOL), ir.Load(F32, "a", i), const(-1.0, F32))
    kernel = elementwise("chosen", [param("a"), scalar("flag", np.bool_)], value, np.float32)
    a = np.arange(5, dtype=np.float32)
    for flag in (True, False):
        _, out = run(cuda, kernel, (5,), None, a, np.bool_(flag), np.zeros(5, np.float32))
        assert out.tolist() == (a.tolist() if flag else [-1] * 5)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
@pytest.mark.parametrize("op", ["floordiv", "mod", "add", "mul", "shl", "shr"])
def test_integer_rules_are_numpys(cuda, op, dtype):
    dtype = np.dtype(dtype)
    type_ = ir.Scalar(dtype)
    i = [work_item("global_id")]
    value = binary(op, ir.Load(type_, "a", i), ir.Load(type_, "b", i))
    kernel = elementwise(f"integer_{op}", [param("a", dtype), param("b", dtype)], value, dtype)
    info = np.iinfo(dtype)
    edges = np.array([info.min, info.max, 0, 1, 2, 7, info.max - 6, info.min // 2], dtype)
    if dtype.kind == "i":
        edges = np.append(edges, np.array([-1, -7], dtype))
    a, b = (m.ravel() for m in np.meshgrid(edges, edges))
    if op in ("shl", "shr"):
        b = np.resize(np.arange(dtype.itemsize * 8 + 2, dtype=dtype), a.shape)
    function = {
        "floordiv": np.floor_divide,
        "mod": np.remainder,
        "add": np.add,
        "mul": np.multiply,
        "shl": np.left_shift,
        "shr": np.right_shift,
    }[op]
    with np.errstate(all="ignore"):
        expected = function(a, b)
    *_, out = run(cuda, kernel, a.shape, None, a.copy(), b.copy(), np.zeros_like(a))
    assert (out == expected).all()


@pytest.mark.parametrize("lanes", [2, 4, 8, 16])
def test_short_vectors(cuda, lanes):
    vector = ir.Vector(np.dtype(np.float32), lanes)
    start = [binary("mul", work_item("global_id"), const(lanes))]
    loaded = ir.Load(vector, "a", start)
    value = binary("add", binary("mul", loaded, loaded), ir.VectorOf(vector, [const(1.0, F32)]))
    kernel = ir.Kernel(
        "lanes", [param("a"), param("out", written=True)], {}, [], [ir.Store("out", start, value)], rank=1
    )
    a = np.arange(10 * lanes, dtype=np.float32)
    _, out = run(cuda, kernel, (10,), None, a, np.zeros_like(a))
    assert (out == a * a + 1).all()


def test_nothing_is_contracted_and_subnormals_live(cuda):
    i = [work_item("global_id")]
    a = ir.Load(F32, "a", i)
    kernel = elementwise("mul_sub", [param("a")], binary("sub", binary("mul", a, a), a), np.float32)
    data = np.float32([1 + 2**-12, 1e-39, 2**-149, 3.3e38])
    with np.errstate(over="ignore"):
        expected = data * data - data
    _, out = run(cuda, kernel, (4,), None, data, np.zeros(4, np.float32))
    assert (out.view(np.uint32) == expected.view(np.uint32)).all()


def from_math(names):
    return {name: getattr(math, name) for name in names.split()}


ONE_ARGUMENT = {
    **from_math("sqrt exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh atanh"),
    **from_math("erf erfc lgamma cbrt floor ceil trunc degrees radians isnan isinf isfinite"),
    "acosh": lambda x: math.acosh(x + 1),
    "tgamma": math.gamma,
    "rsqrt": lambda x: 1 / math.sqrt(x),
    "rint": round,
    "abs": abs,
    "signbit": lambda x: math.copysign(1, x) < 0,
}
TWO_ARGUMENTS = {
    **from_math("pow atan2 fmod hypot copysign remainder"),
    "nextafter": lambda x, y: x,
    "fdim": lambda x, y: max(x - y, 0.0),
    **dict.fromkeys(("fmin", "minimum", "min"), min),
    **dict.fromkeys(("fmax", "maximum", "max"), max),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_functions_of_the_dialect(cuda, dtype):
    """Every function that CUDA C spells is there, and is the one that is meant: one kernel calls them all."""
    type_ = ir.Scalar(np.dtype(dtype))
    names = [name for name in {**ONE_ARGUMENT, **TWO_ARGUMENTS} if name in spelled("cuda")]
    assert set(TABLE) - set(names) <= {"fma", "mad", "clamp", "popcount", "clz", "real", "imag", "conj"}
    x, y = ir.Load(type_, "x", [work_item("global_id")]), ir.Load(type_, "y", [work_item("global_id")])
    body = []
    for row, name in enumerate(names):
        first = binary("add", x, const(1.0, type_)) if name == "acosh" else x
        rule = TABLE[name].rule
        call = ir.Call(BOOL if rule == "bool" else type_, name, [first, y][: TABLE[name].arity])
        value = ir.Cast(type_, call) if rule == "bool" else call
        body.append(ir.Store("out", [const(row), work_item("global_id")], value))
    kernel = ir.Kernel("functions", [param("x", dtype), param("y", dtype), param("out", dtype, 2, True)], {}, [], body)
    a = np.linspace(0.05, 0.95, 16).astype(dtype)
    b = np.linspace(1.7, -1.4, 16).astype(dtype)
    *_, out = run(cuda, kernel, (16,), None, a, b, np.zeros((len(names), 16), dtype))
    tolerance = 64 * np.finfo(dtype).eps
    for row, name in enumerate(names):
        if name in ONE_ARGUMENT:
            expected = [float(ONE_ARGUMENT[name](float(v))) for v in a]
        else:
            expected = [float(TWO_ARGUMENTS[name](float(v), float(w))) for v, w in zip(a, b, strict=True)]
        np.testing.assert_allclose(out[row], expected, tolerance, tolerance, err_msg=name)


def test_integer_functions(cuda):
    for dtype in (np.int32, np.uint32, np.int64, np.uint64, np.uint8):
        type_ = ir.Scalar(np.dtype(dtype))
        load = ir.Load(type_, "a", [work_item("global_id")])
        for name in ("popcount", "clz"):
            kernel = elementwise(f"{name}_it", [param("a", dtype)], ir.Call(type_, name, [load]), dtype)
            a = np.array([0, 1, 2, 5, 127, np.iinfo(dtype).max], dtype)
            bits = np.dtype(dtype).itemsize * 8
            expected = [int(v).bit_count() if name == "popcount" else bits - int(v).bit_length() for v in a]
            _, out = run(cuda, kernel, a.shape, None, a, np.zeros_like(a))
            assert out.tolist() == expected, (name, dtype)


def test_debug_mode_reports_the_index(cuda):
    i = work_item("global_id")
    loc = ir.Loc(__file__, 7, 4, 10)
    load = ir.Load(F32, "a", [binary("add", i, const(3))], loc=loc)
    kernel = ir.Kernel(
        "beyond", [param("a"), param("out", written=True)], {}, [], [ir.Store("out", [i], load)], loc=loc
    )
    views = [upload(cuda, np.arange(8, dtype=np.float32)) for _ in range(2)]
    with pytest.raises(KernelIndexError, match=r"axis 0 of argument 'a', which has 8 elements"):
        build(kernel, cuda, debug=True).run((8,), None, views)
        cuda.synchronize()
    assert download(cuda, views[1])[:5].tolist() == [3, 4, 5, 6, 7]
    cuda.synchronize()  # reported once


def test_the_same_kernels_as_hip(rocm):
    assert str(rocm) == "rocm"
    assert rocm.backend_device.printer == "hip"
    a, b = (np.arange(n, n + 48 * 48, dtype=np.float32).reshape(48, 48) % 7 for n in (0, 3))
    *_, c = run(rocm, matmul(16), (48, 48), (16, 16), a, b, np.zeros((48, 48), np.float32))
    assert (c == a @ b).all()


def test_too_large_group_is_a_launch_error(cuda):
    kernel = elementwise("zero", [], const(0.0, F32), np.float32)
    with pytest.raises(KernelLaunchError, match=r"refuses work-groups of \(2048,\)"):
        run(cuda, kernel, (4096,), (2048,), np.zeros(4096, np.float32))


def test_second_process_compiles_nothing(cuda, machine, tmp_path):
    """A device object that is new finds the binaries of the first one on disk."""
    from xpu.device import get_device, registry
    from xpu_cuda import CudaBackend

    kernel = elementwise("cached", [param("a")], ir.Load(F32, "a", [work_item("global_id")]), np.float32)
    with config.override(cache_dir=str(tmp_path / "kernels")):
        data = np.arange(3, dtype=np.float32)
        run(cuda, kernel, (3,), None, data, np.zeros(3, np.float32))
        compiled = machine.count("compile")
        registry.register(CudaBackend())
        again = get_device("cuda")
        assert again is not cuda
        before = statistics.from_disk
        _, out = run(again, kernel, (3,), None, data, np.zeros(3, np.float32))
        assert (out == data).all()
        assert statistics.from_disk == before + 1
        # The probe's kernel was built before the folder was chosen.
        assert machine.count("compile") == compiled + 1
