"""Elementwise functions, as the kernels that fused code calls, against NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from xpu.errors import UnsupportedDTypeError
from xpu.kernel.stdlib import words
from xpu.kernels.elementwise import FUNCTIONS
from xpu.kernels.views import launch

from .devices import compiled_device, download, empty, upload

FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.5, 3.0, -7.0, 1e-40, 1e30, -3e38, np.inf, -np.inf, np.nan]


def apply(name: str, arrays: list[np.ndarray], dtype: Any) -> np.ndarray:
    device = compiled_device()
    function = FUNCTIONS[name].pick(arrays[0].dtype)
    if len(arrays) == 1:

        @words.kernel
        def run(x: Any, out: Any) -> None:
            i = words.global_id(0)
            out[i] = function(x[i])

    else:

        @words.kernel
        def run(x: Any, y: Any, out: Any) -> None:
            i = words.global_id(0)
            out[i] = function(x[i], y[i])

    out = empty(device, arrays[0].shape, dtype)
    launch(run, device, arrays[0].shape, None, [*(upload(array, device) for array in arrays), out])
    return download(out)


def check(name: str, numpy: Any, arrays: list[np.ndarray], rtol: float = 0) -> None:
    with np.errstate(all="ignore"):
        expected = numpy(*arrays)
    got = apply(name, arrays, expected.dtype)
    np.testing.assert_allclose(got, expected, rtol=rtol, err_msg=name)
    if expected.dtype.kind == "f":
        numbers = ~np.isnan(expected)
        np.testing.assert_array_equal(np.signbit(got[numbers]), np.signbit(expected[numbers]), err_msg=name)


def pairs(values: Any, dtype: Any) -> list[np.ndarray]:
    with np.errstate(over="ignore"):
        items = np.array(values).astype(dtype)
    return [grid.ravel() for grid in np.meshgrid(items, items)]


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", ["floor_divide", "remainder", "fmod", "heaviside"])
def test_exact_functions_of_two_floats(name: str, dtype: str) -> None:
    check(name, getattr(np, name), pairs(FLOATS, dtype))


@pytest.mark.parametrize("name", ["logaddexp", "logaddexp2"])
def test_logarithms_of_sums(name: str) -> None:
    check(name, getattr(np, name), pairs([0.0, 1.0, -3.5, 700.0, 1000.0, np.inf, -np.inf, np.nan], "float64"), 1e-15)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_functions_of_one_float(dtype: str) -> None:
    with np.errstate(over="ignore"):
        x = np.array(FLOATS).astype(dtype)
    check("sign", np.sign, [x])
    check("modf_fraction", lambda v: np.modf(v)[0], [x])
    check("isposinf", np.isposinf, [x])
    check("spacing", np.spacing, [x])
    if dtype != "float16":
        check("sinc", np.sinc, [x[np.abs(x) < 10]], 1e-5)
        check("frexp_mantissa", lambda v: np.frexp(v)[0], [x])
        check("frexp_exponent", lambda v: np.frexp(v)[1], [x])
        check("i0", np.i0, [x[np.abs(x) < 50]], 1e-6)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_ldexp_rounds_once(dtype: str) -> None:
    exponents = np.array(
        [0, 1, -1, 127, 128, -126, -149, -150, 300, -300, 1074, -1074, 2100, -2100, 2**31 - 1, -(2**31)]
    )
    x, n = (grid.ravel() for grid in np.meshgrid(np.array([*FLOATS, 1.7, 3e-310]).astype(dtype), exponents))
    check("ldexp", np.ldexp, [x, n.astype(np.int32)])


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64", "int64"])
def test_integers(dtype: str) -> None:
    limits = np.iinfo(dtype)
    values = [0, 1, 2, 3, 12, 18, limits.max, limits.min, limits.max // 3]
    a, b = pairs(np.array(values, dtype), dtype)
    for name in ("floor_divide", "remainder", "fmod", "gcd", "lcm"):
        check(name, getattr(np, name), [a, b])
    for name in ("sign", "bitwise_count", "square"):
        check(name, getattr(np, name), [a])
    check("power", np.power, [a, (b.astype(np.uint64) % 9).astype(dtype)])
    assert apply("reciprocal", [np.array([1, 2, 5, limits.max], dtype)], dtype).tolist() == [1, 0, 0, 0]


PARTS = [0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan]


@pytest.mark.parametrize(
    "name", ["less", "less_equal", "greater", "greater_equal", "maximum", "minimum", "fmax", "fmin", "logical_xor"]
)
def test_the_order_of_complex_numbers(name: str) -> None:
    z = np.array([complex(x, y) for x in PARTS for y in PARTS])
    arrays = [grid.ravel() for grid in np.meshgrid(z, z)]
    with np.errstate(all="ignore"):
        expected = getattr(np, name)(*arrays)
    np.testing.assert_array_equal(apply(name, arrays, expected.dtype), expected)


def test_functions_of_complex_numbers() -> None:
    z = np.array([complex(x, y) for x in PARTS for y in PARTS])
    for name in ("sign", "reciprocal", "angle", "rint"):
        with np.errstate(all="ignore"):
            expected = getattr(np, name)(z)
        np.testing.assert_allclose(apply(name, [z], expected.dtype), expected, rtol=1e-15, err_msg=name)


def test_what_has_no_meaning_is_refused() -> None:
    with pytest.raises(UnsupportedDTypeError, match="gcd is not defined for float32"):
        FUNCTIONS["gcd"].pick("float32")
