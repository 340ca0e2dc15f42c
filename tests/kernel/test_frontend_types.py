"""Types by inference: weak numbers, promotion, one type a name, the kernel's default float."""

import numpy as np
import pytest

import xpu as xp
from xpu.backend import DeviceInfo
from xpu.kernel import ir
from xpu.kernel.frontend.promotion import Number, join, promote

DEVICE = DeviceInfo("test device", "test", "cpu")
NO_FP64 = DeviceInfo("narrow device", "test", "gpu", fp64=False)
F32, F64 = np.dtype("f4"), np.dtype("f8")


def array(dtype, ndim=1, contiguous=True):
    return ir.ArrayType(np.dtype(dtype), ndim, contiguous)


def types_of(kernel, *args, info=DEVICE):
    typed = kernel.specialize(args, info)
    return {name: kind.dtype.name for name, kind in typed.variables.items()}


@xp.kernel
def names(x, y, s, n, out):
    i = xp.global_id(0)
    weak_int = 3 + n
    weak_float = s * 2
    element = x[i]
    scaled = element * 0.5
    counted = element * n
    mixed = x[i] * y[i]
    half = i / 2
    root = xp.math.sqrt(i)
    positive = element > 0
    total = 0
    total += x[i]
    out[i] = weak_int + weak_float + scaled + counted + mixed + half + root + total if positive else 0


@pytest.mark.parametrize(
    ("x", "y", "expected"),
    [
        (
            "f4",
            "f4",
            "element float32 scaled float32 counted float32 mixed float32 "
            "half float32 root float32 total float32 weak_float float32",
        ),
        (
            "f8",
            "f4",
            "element float64 scaled float64 counted float64 mixed float64 "
            "half float64 root float64 total float64 weak_float float64",
        ),
        (
            "i4",
            "f4",
            "element int32 scaled float32 counted int32 mixed float32 "
            "half float32 root float32 total int32 weak_float float32",
        ),
        (
            "u1",
            "i2",
            "element uint8 scaled float64 counted uint8 mixed int16 "
            "half float64 root float64 total uint8 weak_float float64",
        ),
        (
            "f2",
            "f2",
            "element float16 scaled float16 counted float16 mixed float16 "
            "half float32 root float32 total float16 weak_float float32",
        ),
    ],
)
def test_inference(x, y, expected):
    found = types_of(names, array(x), array(y), float, int, array(y))
    words = expected.split()
    expected = dict(zip(words[::2], words[1::2], strict=True))
    assert {name: found[name] for name in expected} == expected
    assert found["i"] == "int64"
    assert found["weak_int"] == "int64"
    assert found["positive"] == "bool"


def test_no_double_in_a_float32_kernel():
    typed = names.specialize([array("f4"), array("f4"), float, int, array("f4")], NO_FP64)
    assert F64 not in ir.dtypes_used(typed)


def test_without_arrays_the_default_is_the_devices():
    @xp.kernel
    def integers(x, out):
        i = xp.global_id(0)
        v = x[i] / 3
        out[i] = int(v)

    assert types_of(integers, array("i4"), array("i4"))["v"] == "float64"
    assert types_of(integers, array("i4"), array("i4"), info=NO_FP64)["v"] == "float32"


def test_numpy_scalars_are_not_weak():
    @xp.kernel
    def scaled(s, x, out):
        i = xp.global_id(0)
        v = x[i] * s
        out[i] = v

    assert types_of(scaled, np.float64, array("f4"), array("f4"))["v"] == "float64"
    assert types_of(scaled, float, array("f4"), array("f4"))["v"] == "float32"


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("int8", "uint8", "int16"),
        ("int32", "uint32", "int64"),
        ("int64", "uint32", "int64"),
        ("int16", "float16", "float32"),
        ("int32", "float32", "float32"),
        ("int64", "float16", "float32"),
        ("float32", "float64", "float64"),
        ("int64", "complex64", "complex64"),
        ("float64", "complex64", "complex128"),
        ("bool", "int8", "int8"),
        ("bool", "float16", "float16"),
    ],
)
def test_promotion_in_a_float32_kernel(left, right, expected):
    found = promote(Number(np.dtype(left)), Number(np.dtype(right)), F32)
    assert found == Number(np.dtype(expected))
    assert promote(Number(np.dtype(right)), Number(np.dtype(left)), F32) == found


@pytest.mark.parametrize("left", ["int8", "uint16", "int32", "uint64", "float16", "float32", "complex64"])
@pytest.mark.parametrize("right", ["bool", "int64", "uint8", "float32", "float64", "complex128"])
def test_promotion_with_a_float64_default_is_numpys(left, right):
    a, b = np.dtype(left), np.dtype(right)
    if {left, right} == {"uint64", "int64"}:
        assert promote(Number(a), Number(b), F64) is None
    else:
        assert promote(Number(a), Number(b), F64).dtype == np.result_type(a, b)


@pytest.mark.parametrize("firm", ["int8", "uint64", "float16", "float32", "complex64"])
@pytest.mark.parametrize("loose", [1, 1.0, 1j])
def test_weak_numbers_follow_nep_50(firm, loose):
    kind = {int: "i8", float: "f8", complex: "c16"}[type(loose)]
    found = promote(Number(np.dtype(firm)), Number(np.dtype(kind), True), F64)
    assert found == Number(np.result_type(np.dtype(firm), loose))


def test_joining_types():
    int32, float32 = Number(np.dtype("i4")), Number(F32)
    weak_int, weak_float = Number(np.dtype("i8"), True), Number(F64, True)
    assert join(weak_int, weak_float) == weak_float
    assert join(weak_int, float32) == float32
    assert join(int32, weak_int) == int32
    assert join(int32, weak_float) is None
    assert join(int32, float32) is None
    assert join(Number(np.dtype("?")), weak_int) is None


def test_types_grow_through_loops():
    @xp.kernel
    def loop(x, out):
        i = xp.global_id(0)
        a = 0
        b = 0
        c = 0
        for k in range(3):
            a = b
            b = c
            c = x[k]
        out[i] = a

    found = types_of(loop, array("f4"), array("f4"))
    assert found["a"] == found["b"] == found["c"] == "float32"


def test_an_augmented_assignment_keeps_the_type():
    @xp.kernel
    def augmented(x, n, out):
        i = xp.global_id(0)
        count = xp.int32(0)
        mask = xp.uint32(1)
        s = xp.float32(0)
        for k in range(5):
            count += k
            mask |= k << 3
            s += x[k] * xp.float64(2)
        out[i] = count + mask + s

    found = types_of(augmented, array("f4"), int, array("f8"))
    assert (found["count"], found["mask"], found["s"]) == ("int32", "uint32", "float32")


def test_index_expressions_are_int64():
    @xp.kernel
    def shifted(x, b, out):
        i = xp.global_id(0)
        out[i] = x[b[i] + 1]

    typed = shifted.specialize([array("f4"), array("i2"), array("f4")], DEVICE)
    for node in ir.all_bodies(typed):
        if isinstance(node, (ir.Load, ir.Store)):
            assert all(index.type == ir.INT64 for index in node.indices)


def test_operands_of_every_binary_have_one_type():
    typed = names.specialize([array("i2"), array("f2"), float, int, array("c8")], DEVICE)
    for node in ir.all_bodies(typed):
        if isinstance(node, ir.Binary):
            assert node.left.type == node.right.type
            wanted = ir.BOOL if node.op in (*ir.COMPARE_OPS, *ir.LOGICAL_OPS) else node.left.type
            assert node.type == wanted
        if isinstance(node, ir.Assign):
            assert node.value.type == typed.variables[node.name]


def test_accesses_and_rank_are_noted():
    @xp.func
    def put(target, i, value):
        target[i] = value

    @xp.kernel
    def uses(x, unused, out, counts):
        i, j = xp.global_id(0), xp.global_id(1)
        put(out, i, x[j])
        xp.atomic_add(counts, i, 1)

    typed = uses.specialize([array("f4"), array("f4"), array("f4"), array("i4")], DEVICE)
    assert [(p.name, p.read, p.written) for p in typed.params] == [
        ("x", True, False),
        ("unused", False, False),
        ("out", False, True),
        ("counts", True, True),
    ]
    assert typed.rank == 2
    assert not typed.uses_barrier


def test_every_node_has_a_place():
    typed = names.specialize([array("f4"), array("f4"), float, int, array("f4")], DEVICE)
    first = names.__wrapped__.__code__.co_firstlineno
    for node in ir.all_bodies(typed):
        assert node.loc is not None, node
        assert node.loc.file == __file__
        assert first < node.loc.line < first + 20


def test_specialisations_are_kept():
    types = [array("f4"), array("f4"), float, int, array("f4")]
    assert names.specialize(types, DEVICE) is names.specialize(types, DEVICE)
    assert names.specialize([*types[:-1], array("f8")], DEVICE) is not names.specialize(types, DEVICE)


LIMIT = 3


def test_constants_from_outside_are_frozen():
    global LIMIT

    @xp.kernel
    def uses(x, out):
        for k in xp.static_range(LIMIT):
            out[k] = x[k]

    first = uses.specialize([array("f4"), array("f4")], DEVICE)
    LIMIT = 5
    try:
        second = uses.specialize([array("f8"), array("f4")], DEVICE)
    finally:
        LIMIT = 3
    assert len(first.body) == len(second.body) == 3


def test_helpers_are_specialised_on_their_arguments():
    @xp.func
    def double(x):
        return x + x

    @xp.kernel
    def uses(a, b, out):
        i = xp.global_id(0)
        out[i] = double(a[i]) + double(b[i]) + double(a[i])

    typed = uses.specialize([array("f4"), array("i4"), array("f8")], DEVICE)
    assert [(f.name, f.params[0].type.dtype.name) for f in typed.functions] == [
        ("double", "float32"),
        ("double_1", "int32"),
    ]


def test_a_helper_that_needs_a_constant_gets_it():
    @xp.func
    def power(x, n):
        result = x
        for _ in xp.static_range(n - 1):
            result = result * x
        return result

    @xp.kernel
    def uses(a, out):
        i = xp.global_id(0)
        out[i] = power(a[i], 3) + power(a[i], 5)

    typed = uses.specialize([array("f4"), array("f4")], DEVICE)
    assert [f.name for f in typed.functions] == ["power", "power_1"]
    assert all(len(f.params) == 1 for f in typed.functions)


def test_names_that_only_look_alike():
    @xp.kernel
    def alike(tmp0, a_i0, a, größe):  # noqa: PLC2401
        i = xp.global_id(0)
        row = a[i]
        row_i0 = i + tmp0
        xp.atomic_add(a, (row_i0, 0), größe + a_i0)
        tmp1 = xp.atomic_add(row, 0, 1)
        row[0] = tmp1

    typed = alike.specialize([int, int, array("i4", 2), int], DEVICE)
    declared = [*typed.variables, *(p.name for p in typed.params)]
    assert len(set(declared)) == len(declared)
    assert all(name.isascii() for name in declared)
