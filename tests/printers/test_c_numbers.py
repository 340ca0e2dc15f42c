"""What printed arithmetic gives: NumPy's results, for every dtype."""

from __future__ import annotations

import numpy as np
import pytest

from xpu.kernel import ir

from .nodes import BOOL, F32, I64, binary, call, cast, const, elementwise, scalar

INTEGERS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64]
FLOATS = [np.float16, np.float32, np.float64]


def fits(target, *dtypes):
    if any(np.dtype(d).name in ("float64", "complex128") for d in dtypes) and not target.info.fp64:
        pytest.skip("declared unsupported: float64")


def corners(dtype, seed=0):
    """Return pairs of every corner value with every other, and random ones."""
    dtype = np.dtype(dtype)
    rng = np.random.default_rng(seed)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        some = np.array([0, 1, 2, 3, 7, info.max, info.max - 1, info.min, info.min + 1], dtype)
        if dtype.kind == "i":
            some = np.concatenate([some, np.array([-1, -2, -3, -7], dtype)])
        noise = rng.integers(info.min, info.max, (2, 500), dtype, endpoint=True)
    else:
        info = np.finfo(dtype)
        some = np.array(
            [0, 1, 0.5, 3, 1e-3, 100.25, info.max, info.tiny, info.smallest_subnormal, np.inf, np.nan], dtype
        )
        some = np.concatenate([some, -some])
        noise = np.concatenate([rng.normal(0, 1, (2, 300)), rng.normal(0, 100, (2, 200))], 1).astype(dtype)
    a, b = (grid.ravel() for grid in np.meshgrid(some, some))
    return np.concatenate([a, noise[0]]), np.concatenate([b, noise[1]])


def check(found, expected, what=""):
    assert found.dtype == expected.dtype
    same = (found == expected) | ((found != found) & (expected != expected))
    if found.dtype.kind == "f":
        same &= (np.signbit(found) == np.signbit(expected)) | (expected != expected)
    assert same.all(), (what, np.flatnonzero(~same)[:5], found[~same][:5], expected[~same][:5])


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integer_arithmetic(target, dtype):
    a, b = corners(dtype)
    operations = {
        "add": np.add,
        "sub": np.subtract,
        "mul": np.multiply,
        "floordiv": np.floor_divide,
        "mod": np.remainder,
        "and": np.bitwise_and,
        "or": np.bitwise_or,
        "xor": np.bitwise_xor,
    }
    formulas = [lambda x, y, op=op: binary(op, x, y) for op in operations]
    unary = {"neg": np.negative, "invert": np.invert, "pos": np.positive}
    formulas += [lambda x, y, op=op: ir.Unary(x.type, op, x) for op in unary]
    kernel = elementwise("integers", [dtype, dtype], formulas)
    found = target(kernel, a.size, a, b, *[np.empty_like(a) for _ in formulas])[2:]
    with np.errstate(all="ignore"):
        for out, (name, function) in zip(found, operations.items(), strict=False):
            check(out, function(a, b), name)
        for out, (name, function) in zip(found[len(operations) :], unary.items(), strict=True):
            check(out, function(a), name)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_shifts_powers_and_choices(target, dtype):
    a, _ = corners(dtype)
    rng = np.random.default_rng(2)
    counts = rng.integers(0, np.dtype(dtype).itemsize * 8 + 4, a.size).astype(dtype)
    if np.dtype(dtype).kind == "i":
        counts[:5] = [-1, -2, -100, np.iinfo(dtype).min, np.iinfo(dtype).max]
    powers = {"shl": np.left_shift, "shr": np.right_shift, "pow": np.power}
    formulas = [lambda x, n, p, op=op: binary(op, x, p if op == "pow" else n) for op in powers]
    choices = {"minimum": np.minimum, "maximum": np.maximum, "min": np.minimum, "max": np.maximum, "fmin": np.fmin}
    formulas += [lambda x, n, p, f=f: call(f, x, n) for f in choices]
    formulas += [lambda x, n, p: call("clamp", x, const(2, x.type), const(100, x.type)), lambda x, n, p: call("abs", x)]
    formulas += [lambda x, n, p: call("popcount", x), lambda x, n, p: call("clz", x)]
    exponents = np.abs(counts % 9).astype(dtype)
    kernel = elementwise("shifts", [dtype] * 3, formulas)
    found = target(kernel, a.size, a, counts, exponents, *[np.empty_like(a) for _ in formulas])[3:]
    expected = [np.left_shift(a, counts), np.right_shift(a, counts), np.power(a, exponents)]
    expected += [function(a, counts) for function in choices.values()]
    with np.errstate(all="ignore"):
        expected += [np.clip(a, dtype(2), dtype(100)), np.abs(a)]
    width = a.dtype.itemsize * 8
    unsigned = a.view(f"u{a.dtype.itemsize}")
    expected.append(np.array([int(v).bit_count() for v in unsigned], dtype))
    expected.append(np.array([width - int(v).bit_length() for v in unsigned], dtype))
    names = [*powers, *choices, "clamp", "abs", "popcount", "clz"]
    for out, right, name in zip(found, expected, names, strict=True):
        check(out, right, name)


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int32, np.int64, np.uint64])
def test_constant_operands(target, dtype):
    """Constants may be printed as plain operators: the same results."""
    a, _ = corners(dtype)
    numbers = [1, 2, 7, 100]
    formulas = []
    for n in numbers:
        formulas += [lambda x, n=n, op=op: binary(op, x, const(n, x.type)) for op in ("floordiv", "mod", "mul", "sub")]
    shifts = [0, 1, 7, 60]
    for n in shifts:
        formulas += [lambda x, n=n, op=op: binary(op, x, const(n, x.type)) for op in ("shl", "shr")]
    kernel = elementwise("constants", [dtype], formulas)
    found = target(kernel, a.size, a, *[np.empty_like(a) for _ in formulas])[1:]
    expected = []
    with np.errstate(all="ignore"):
        for n in numbers:
            expected += [f(a, dtype(n)) for f in (np.floor_divide, np.remainder, np.multiply, np.subtract)]
        for n in shifts:
            expected += [np.left_shift(a, dtype(n)), np.right_shift(a, dtype(n))]
    for k, (out, right) in enumerate(zip(found, expected, strict=True)):
        check(out, right, k)


@pytest.mark.parametrize("dtype", FLOATS)
def test_float_arithmetic(target, dtype):
    fits(target, dtype)
    a, b = corners(dtype)
    if target.name == "rusticl":  # llvmpipe of Mesa 22 flushes subnormal numbers
        keep = ~((np.abs(a) < np.finfo(dtype).tiny) & (a != 0) | (np.abs(b) < np.finfo(dtype).tiny) & (b != 0))
        a, b = a[keep], b[keep]
    names = ["add", "sub", "mul", "truediv"]
    formulas = [lambda x, y, op=op: binary(op, x, y) for op in names]
    formulas += [lambda x, y: call("sqrt", x), lambda x, y: call("abs", x), lambda x, y: ir.Unary(x.type, "neg", x)]
    formulas += [lambda x, y, f=f: call(f, x) for f in ("floor", "ceil", "trunc", "rint")]
    formulas += [lambda x, y, f=f: call(f, x, y) for f in ("minimum", "maximum", "fmin", "copysign")]
    kernel = elementwise("floats", [dtype, dtype], formulas)
    found = target(kernel, a.size, a, b, *[np.empty_like(a) for _ in formulas])[2:]
    with np.errstate(all="ignore"):
        expected = [np.add(a, b), np.subtract(a, b), np.multiply(a, b), np.divide(a, b)]
        expected += [np.sqrt(a), np.abs(a), -a, np.floor(a), np.ceil(a), np.trunc(a), np.rint(a)]
        expected += [np.minimum(a, b), np.maximum(a, b), np.fmin(a, b), np.copysign(a, b)]
    names += ["sqrt", "abs", "neg", "floor", "ceil", "trunc", "rint", "minimum", "maximum", "fmin", "copysign"]
    tiny = np.finfo(dtype).tiny
    for out, right, name in zip(found, expected, names, strict=True):
        if target.name == "rusticl":
            right = np.where(np.abs(right) < tiny, np.copysign(dtype(0), right), right).astype(dtype)
            out = np.where(np.abs(out) < tiny, np.copysign(dtype(0), out), out).astype(dtype)
        if name in ("minimum", "maximum", "fmin"):
            out, right = out + dtype(0), right + dtype(0)  # the sign of zero is not specified
        check(out, right, name)


@pytest.mark.parametrize("dtype", FLOATS)
def test_float_division_with_floor(target, dtype):
    fits(target, dtype)
    a, b = corners(dtype)
    small = (np.abs(a) < 1e4) & (np.abs(b) < 1e4) & ((a == 0) | (np.abs(a) > 1e-3)) & ((b == 0) | (np.abs(b) > 1e-3))
    keep = small | np.isinf(a) | np.isnan(a)
    a, b = a[keep], b[keep]
    formulas = [lambda x, y: binary("floordiv", x, y), lambda x, y: binary("mod", x, y)]
    kernel = elementwise("divmod", [dtype, dtype], formulas)
    found = target(kernel, a.size, a, b, np.empty_like(a), np.empty_like(a))[2:]
    with np.errstate(all="ignore"):
        check(found[0], np.floor_divide(a, b), "floordiv")
        check(found[1], np.remainder(a, b), "mod")


@pytest.mark.parametrize("dtype", [*INTEGERS, *FLOATS, np.complex64, np.complex128])
def test_comparisons(target, dtype):
    fits(target, dtype)
    if np.dtype(dtype).kind == "c":
        parts = np.array([0, 1, -1, 2, np.nan, np.inf], np.float32)
        grid = (parts[:, None] + 1j * parts[None, :]).ravel().astype(dtype)
        a, b = (v.ravel() for v in np.meshgrid(grid, grid))
    else:
        a, b = corners(dtype)
        if target.name == "rusticl" and np.dtype(dtype).kind == "f":
            keep = (np.abs(a) >= np.finfo(dtype).tiny) & (np.abs(b) >= np.finfo(dtype).tiny)
            a, b = a[keep], b[keep]
    operations = {
        "lt": np.less,
        "le": np.less_equal,
        "gt": np.greater,
        "ge": np.greater_equal,
        "eq": np.equal,
        "ne": np.not_equal,
    }
    formulas = [lambda x, y, op=op: binary(op, x, y) for op in operations]
    kernel = elementwise("compare", [dtype, dtype], formulas)
    found = target(kernel, a.size, a, b, *[np.empty(a.size, bool) for _ in formulas])[2:]
    with np.errstate(invalid="ignore"):
        for out, (name, function) in zip(found, operations.items(), strict=True):
            check(out, function(a, b), name)


@pytest.mark.parametrize("source", [np.bool_, *INTEGERS, *FLOATS, np.complex64])
def test_casts(target, source):
    wanted = [np.bool_, *INTEGERS, *FLOATS, np.complex64, np.complex128]
    wanted = [d for d in wanted if target.info.fp64 or np.dtype(d).name not in ("float64", "complex128")]
    fits(target, source)
    kind = np.dtype(source).kind
    if kind == "b":
        a = np.array([True, False])
    elif kind in "iu":
        a, _ = corners(source)
    else:
        real = np.array([0, 1, -1, 2.5, -2.5, 100.7, -100.7, 127, 30000, 0.1, -0.0], np.float32)
        a = (real + 1j * real[::-1] if kind == "c" else real).astype(source)
    formulas = [lambda x, d=d: cast(x, d) for d in wanted]
    kernel = elementwise("casts", [source], formulas)
    found = target(kernel, a.size, a, *[np.empty(a.size, d) for d in wanted])[1:]
    with np.errstate(all="ignore"):
        for out, dtype in zip(found, wanted, strict=True):
            base = a.real if kind == "c" and np.dtype(dtype).kind not in "cb" else a
            check(out, base.astype(dtype), dtype)


def test_rounding_to_float16_is_exact(target):
    """All neighbourhoods of ties, from float32 and float64: NumPy rounds once, and so must kernels."""
    halves = np.arange(0, 0x7C00, 7, dtype=np.uint16).view(np.float16).astype(np.float32)
    ties = (halves + np.nextafter(halves.astype(np.float16), np.float16(np.inf)).astype(np.float32)) / 2
    ties = ties[np.isfinite(ties)]
    values = np.concatenate([ties, np.nextafter(ties, np.float32(0)), np.nextafter(ties, np.float32(1e9)), -ties])
    values = np.concatenate([values, np.array([65503, 65504, 65519.9, 65520, 65536, 1e9, np.inf, np.nan], np.float32)])
    if target.name == "rusticl":
        values = values[(np.abs(values) > 1e-4) | np.isnan(values)]
    kernel = elementwise(
        "round32", [np.float32], [lambda x: cast(x, np.float16), lambda x: cast(cast(x, np.float16), np.float32)]
    )
    found = target(kernel, values.size, values, np.empty(values.size, np.float16), np.empty_like(values))[1:]
    with np.errstate(all="ignore"):
        check(found[0], values.astype(np.float16))
        check(found[1], values.astype(np.float16).astype(np.float32))
    if target.info.fp64:
        fine = ties.astype(np.float64)
        fine = np.concatenate([fine, fine * (1 + 2.0**-40), fine * (1 - 2.0**-40), np.array([1e300, 1e-300, np.inf])])
        kernel = elementwise("round64", [np.float64], [lambda x: cast(x, np.float16)])
        out = target(kernel, fine.size, fine, np.empty(fine.size, np.float16))[1]
        with np.errstate(all="ignore"):
            check(out, fine.astype(np.float16))


@pytest.mark.parametrize("dtype", [np.complex64, np.complex128])
def test_complex_arithmetic(target, dtype):
    fits(target, dtype)
    rng = np.random.default_rng(5)
    a = (rng.normal(size=400) + 1j * rng.normal(size=400)).astype(dtype)
    b = (rng.normal(size=400) + 1j * rng.normal(size=400)).astype(dtype)
    b[:4] = [0, 1, 1j, -2j]
    real = scalar(np.float32 if dtype is np.complex64 else np.float64)
    formulas = [lambda x, y, op=op: binary(op, x, y) for op in ("add", "sub", "mul", "truediv")]
    formulas += [lambda x, y: ir.Unary(x.type, "neg", x), lambda x, y: call("conj", x)]
    formulas += [lambda x, y: call("real", x, type_=real), lambda x, y: call("imag", x, type_=real)]
    formulas += [lambda x, y: ir.Complex(x.type, call("imag", x, type_=real), call("real", y, type_=real))]
    formulas += [lambda x, y: const(1.5 - 2.25j, x.type)]
    kernel = elementwise("complex", [dtype, dtype], formulas)
    outs = [np.empty(400, dtype)] * 6 + [np.empty(400, real.dtype)] * 2 + [np.empty(400, dtype)] * 2
    found = target(kernel, 400, a, b, *outs)[2:]
    with np.errstate(all="ignore"):
        expected = [a + b, a - b, a * b, a / b, -a, a.conj(), a.real, a.imag, a.imag + 1j * b.real]
    for k, (out, right) in enumerate(zip(found[:-1], expected, strict=True)):
        assert np.allclose(out, right.astype(out.dtype), rtol=4 * np.finfo(dtype).eps, equal_nan=True), k
    assert (found[-1] == dtype(1.5 - 2.25j)).all()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_functions(target, dtype):
    fits(target, dtype)
    from scipy import special

    x = np.linspace(0.05, 0.95, 200).astype(dtype)
    y = np.linspace(3, 1, 200).astype(dtype)
    one = {
        "exp": np.exp, "expm1": np.expm1, "log": np.log, "log2": np.log2, "log10": np.log10, "log1p": np.log1p,
        "sin": np.sin, "cos": np.cos, "tan": np.tan, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
        "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "asinh": np.arcsinh, "atanh": np.arctanh,
        "exp2": np.exp2, "cbrt": np.cbrt, "erf": special.erf, "erfc": special.erfc, "tgamma": special.gamma,
        "lgamma": special.gammaln, "degrees": np.degrees, "radians": np.radians, "rsqrt": lambda v: 1 / np.sqrt(v),
    }  # fmt: skip
    two = {
        "pow": np.power,
        "atan2": np.arctan2,
        "fmod": np.fmod,
        "hypot": np.hypot,
        "fdim": lambda a, b: np.maximum(a - b, 0),
    }
    two["nextafter"] = np.nextafter
    formulas = [lambda a, b, f=f: call(f, a) for f in one] + [lambda a, b, f=f: call(f, a, b) for f in two]
    formulas += [lambda a, b: call("acosh", b), lambda a, b: call("remainder", b, a)]
    formulas += [lambda a, b, f=f: call(f, a, b, a) for f in ("fma", "mad")]
    expected = [f(x.astype(np.float64)) for f in one.values()]
    expected += [f(x, y) if name == "nextafter" else f(x.astype(float), y.astype(float)) for name, f in two.items()]
    fmod = np.remainder(y.astype(float) + x / 2.0, x.astype(float)) - x / 2.0
    expected += [np.arccosh(y.astype(float)), fmod, x.astype(float) * y + x, x.astype(float) * y + x]
    half = len(formulas) // 2
    names = [*one, *two, "acosh", "remainder", "fma", "mad"]
    for part in (slice(0, half), slice(half, None)):
        kernel = elementwise("functions", [dtype, dtype], formulas[part])
        found = target(kernel, 200, x, y, *[np.empty_like(x) for _ in formulas[part]])[2:]
        for out, right, name in zip(found, expected[part], names[part], strict=True):
            tolerance = 1e-4 if name in ("tgamma", "lgamma") else 32 * np.finfo(dtype).eps
            if name == "remainder":  # an exact function of rounded inputs: ties may go either way
                d = np.abs(out.astype(float) - right)
                assert (np.minimum(d, np.abs(d - x)) < 1e-5).all(), name
            else:
                assert np.allclose(out, right, rtol=tolerance, atol=tolerance), (name, np.abs(out - right).max())


def test_questions_about_floats(target):
    a = np.array([0, -0.0, 1, -1, np.inf, -np.inf, np.nan], np.float32)
    questions = {"isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite, "signbit": np.signbit}
    formulas = [lambda x, f=f: call(f, x, type_=BOOL) for f in questions]
    kernel = elementwise("questions", [np.float32], formulas)
    found = target(kernel, a.size, a, *[np.empty(a.size, bool) for _ in formulas])[1:]
    for out, (name, function) in zip(found, questions.items(), strict=True):
        check(out[:6], function(a)[:6], name)
        if name != "signbit":
            check(out, function(a), name)


@pytest.mark.parametrize(
    ("source", "to"),
    [
        (np.float32, np.int32),
        (np.uint32, np.float32),
        (np.float16, np.uint16),
        (np.int16, np.float16),
        (np.float64, np.int64),
        (np.int8, np.uint8),
    ],
)
def test_reinterpretation(target, source, to):
    fits(target, source)
    rng = np.random.default_rng(3)
    a = (
        rng.normal(size=100).astype(source)
        if np.dtype(source).kind == "f"
        else rng.integers(0, 100, 100).astype(source)
    )
    kernel = elementwise("bits", [source], [lambda x: ir.Reinterpret(scalar(to), x)])
    if target.name == "rusticl" and np.dtype(to).kind == "f":
        a = a + np.array(0x4000, source) if a.dtype.itemsize == 2 else a + np.array(0x40000000, source)
    check(target(kernel, 100, a, np.empty(100, to))[1], a.view(to))


def test_bools(target):
    a, b = np.array([0, 0, 1, 1], bool), np.array([0, 1, 0, 1], bool)
    formulas = [lambda x, y, op=op: binary(op, x, y) for op in ("and", "or", "xor", "land", "lor", "eq", "ne")]
    formulas += [lambda x, y: ir.Unary(BOOL, "not", x), lambda x, y: ir.Unary(BOOL, "invert", x)]
    formulas += [lambda x, y: ir.Select(BOOL, x, y, ir.Unary(BOOL, "not", y))]
    kernel = elementwise("bools", [np.bool_, np.bool_], formulas)
    found = target(kernel, 4, a, b, *[np.empty(4, bool) for _ in formulas])[2:]
    expected = [a & b, a | b, a ^ b, a & b, a | b, a == b, a != b, ~a, ~a, np.where(a, b, ~b)]
    for out, right in zip(found, expected, strict=True):
        check(out, right)


def test_selection_evaluates_one_branch(target):
    """Only the chosen branch may read memory: the other index is far outside."""
    x = np.arange(8, dtype=np.float32)

    def formula(value):
        from .nodes import gid, load

        inside = binary("lt", gid(), const(4))
        return ir.Select(F32, inside, load("x0", gid()), const(-1.0, F32))

    kernel = elementwise("chosen", [np.float32], [formula])
    check(target(kernel, 8, x, np.empty_like(x))[1], np.where(x < 4, x, np.float32(-1)))


def test_integer_literals(target):
    values = [0, 1, -1, 2**31, -(2**63), 2**63 - 1]
    kernel = elementwise("literals", [np.int64], [lambda x, v=v: const(v, I64) for v in values])
    found = target(kernel, 3, np.zeros(3, np.int64), *[np.empty(3, np.int64) for _ in values])[1:]
    assert [out.tolist() for out in found] == [[v] * 3 for v in values]


def test_float_literals(target):
    values = [0.1, -0.0, 3.4028235e38, float("inf"), float("-inf"), float("nan"), 1e10]
    if target.name != "rusticl":  # llvmpipe of Mesa 22 flushes subnormal numbers
        values.append(1e-45)
    kernel = elementwise("literals", [np.float32], [lambda x, v=v: const(v, F32) for v in values])
    found = target(kernel, 3, np.zeros(3, np.float32), *[np.empty(3, np.float32) for _ in values])[1:]
    for out, value in zip(found, values, strict=True):
        check(out, np.full(3, value, np.float32), value)
