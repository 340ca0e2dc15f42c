"""Helpers for numbers that C lacks: 16-bit floats and complex numbers."""

from __future__ import annotations

import numpy as np

from .. import ir
from .c_prelude import Prelude, short

_F16 = ir.Scalar(np.dtype(np.float16))


def _bits(prelude: Prelude, type_: str, value: str) -> str:
    if not prelude.dialect.native_vectors:
        need_bits(prelude)
    return prelude.dialect.bits.format(type_, value)


def need_bits(prelude: Prelude) -> None:
    """Add the template that reinterprets a value (C++ dialects)."""
    prelude.need(
        "xpu_bits",
        f"template <typename T, typename S>\n{prelude.dialect.function} T xpu_bits(S value) {{\n"
        '    static_assert(sizeof(T) == sizeof(S), "a reinterpretation keeps the width");\n'
        "    union {\n        S from;\n        T to;\n    } both;\n    both.from = value;\n    return both.to;\n}",
    )


def round16(prelude: Prelude, type_: ir.Type) -> str:
    """Return the name of the function that rounds a float to the nearest 16-bit float."""
    if prelude.dialect.native_vectors:
        return _round16_portable(prelude, type_)
    to, back = to_bits16(prelude), from_bits16(prelude)
    scalar = prelude.define("xpu_round16", "float", "float a", [f"return {back}({to}(a));"])
    if isinstance(type_, ir.Vector):
        return prelude.lift("xpu_round16", type_, [type_], lambda texts: f"{scalar}({texts[0]})")
    return scalar


def _round16_portable(prelude: Prelude, type_: ir.Type) -> str:
    lanes = str(type_.lanes) if isinstance(type_, ir.Vector) else ""
    uint, value = f"{prelude.dialect.types['uint32']}{lanes}", f"float{lanes}"
    magnitude = _bits(prelude, value, "u")
    return prelude.define(
        f"xpu_round16_{short(type_)}",
        value,
        f"{value} a",
        [
            f"{uint} u = {_bits(prelude, uint, 'a')};",
            f"{uint} sign = u & 0x80000000u;",
            "u &= 0x7fffffffu;",
            f"{uint} normal = (u + 0xfffu + ((u >> 13) & 1u)) & 0xffffe000u;",
            f"{uint} tiny = {_bits(prelude, uint, f'({magnitude} + 0.5f) - 0.5f')};",
            f"{uint} r = u < 0x38800000u ? tiny : normal;",
            f"r = r >= 0x47800000u ? (u > 0x7f800000u ? u : ({uint})(0x7f800000u)) : r;",
            f"return {_bits(prelude, value, 'r | sign')};",
        ],
    )


def to_bits16(prelude: Prelude) -> str:
    """Return the name of the function from a float to the bits of the nearest 16-bit float."""
    uint, ushort = prelude.dialect.types["uint32"], prelude.dialect.types["uint16"]
    magnitude = _bits(prelude, "float", "u")
    portable = [
        f"{uint} u = {_bits(prelude, uint, 'a')};",
        f"{uint} sign = (u >> 16) & 0x8000u;",
        "u &= 0x7fffffffu;",
        f"{uint} normal = (u - 0x38000000u + 0xfffu + ((u >> 13) & 1u)) >> 13;",
        f"{uint} tiny = {_bits(prelude, uint, f'{magnitude} + 0.5f')} - 0x3f000000u;",
        f"{uint} r = u < 0x38800000u ? tiny : normal;",
        "r = u >= 0x477ff000u ? 0x7c00u : r;",
        "r = u > 0x7f800000u ? (0x7e00u | ((u >> 13) & 0x1ffu)) : r;",
        f"return ({ushort})(r | sign);",
    ]
    cuda = ["unsigned short r;", 'asm("cvt.rn.f16.f32 %0, %1;" : "=h"(r) : "f"(a));', "return r;"]
    hip = ["return xpu_bits<unsigned short>((_Float16)a);"]
    return prelude.define("xpu_to_bits16", ushort, "float a", _by_hardware(prelude, cuda, hip, portable))


def from_bits16(prelude: Prelude) -> str:
    """Return the name of the function from the bits of a 16-bit float to a float."""
    uint, ushort = prelude.dialect.types["uint32"], prelude.dialect.types["uint16"]
    portable = [
        f"{uint} sign = ({uint})(a & 0x8000) << 16, u = ({uint})(a & 0x7fff) << 13;",
        f"{uint} normal = u + (u >= 0x0f800000u ? 0x70000000u : 0x38000000u);",
        f"{uint} tiny = {_bits(prelude, uint, '(float)(u >> 13) * 5.9604645e-08f')};",
        f"return {_bits(prelude, 'float', '(u < 0x00800000u ? tiny : normal) | sign')};",
    ]
    cuda = ["float r;", 'asm("cvt.f32.f16 %0, %1;" : "=f"(r) : "h"(a));', "return r;"]
    hip = ["return (float)xpu_bits<_Float16>(a);"]
    return prelude.define("xpu_from_bits16", "float", f"{ushort} a", _by_hardware(prelude, cuda, hip, portable))


def _by_hardware(prelude: Prelude, cuda: list[str], hip: list[str], portable: list[str]) -> list[str]:
    """Return a body that uses the GPU's conversion where the code is compiled for one."""
    if prelude.dialect.native_vectors:
        return portable
    need_bits(prelude)
    guard, native = ("__HIP_DEVICE_COMPILE__", hip) if prelude.dialect.name == "hip" else ("__CUDA_ARCH__", cuda)
    return [f"#if defined({guard})", *native, "#else", *portable, "#endif"]


def round16_from_double(prelude: Prelude) -> str:
    """Return the name of the function that rounds a double to a 16-bit float, once.

    Through float it would be rounded twice; the first step therefore rounds to odd, which the second cannot confuse
    with a tie.
    """
    rounded = round16(prelude, _F16)
    prelude.features.add("float64")
    size = prelude.dialect.float64["abs"].format
    return prelude.define(
        "xpu_round16_f64",
        "float",
        "double a",
        [
            "float near = (float)a;",
            f"{prelude.dialect.types['uint32']} u = {_bits(prelude, prelude.dialect.types['uint32'], 'near')};",
            "if ((double)near != a && (u & 0x7fffffffu) < 0x7f800000u) {",
            f"    u -= {size('(double)near')} > {size('a')} ? 1u : 0u;",
            "    u |= 1u;",
            "}",
            f"return {rounded}({_bits(prelude, 'float', 'u')});",
        ],
    )


# ------------------------------------------------------------------------------------------------ complex numbers


def complex_binary(prelude: Prelude, op: str, dtype: ir.DType) -> str:
    """Return the name of add, sub, mul or truediv, with NumPy's formulas."""
    type_ = ir.Scalar(dtype)
    real = prelude.ctype(ir.Scalar(np.dtype(np.float32 if dtype.itemsize == 8 else np.float64)))
    make = prelude.make_complex
    table = prelude.dialect.float32 if dtype.itemsize == 8 else prelude.dialect.float64
    one = "1.0f" if dtype.itemsize == 8 else "1.0"
    zero = "0.0f" if dtype.itemsize == 8 else "0.0"
    bodies = {
        "add": [f"return {make(dtype, 'a.x + b.x', 'a.y + b.y')};"],
        "sub": [f"return {make(dtype, 'a.x - b.x', 'a.y - b.y')};"],
        "mul": [f"return {make(dtype, 'a.x * b.x - a.y * b.y', 'a.x * b.y + a.y * b.x')};"],
    }
    if prelude.dialect.name == "opencl":
        # Intel's optimiser takes 0 * y for 0, whatever y is, where it makes a vector of two such formulas; not of products.
        pair = prelude.ctype(type_)
        bodies["mul"] = [
            f"{pair} p = a.xx * b.xy, q = a.yy * b.yx;",
            f"return {make(dtype, 'p.x - q.x', 'p.y + q.y')};",
        ]
    if op != "truediv":
        return prelude.function(f"xpu_{op}", type_, [type_, type_], bodies[op])
    size_x, size_y = table["abs"].format("b.x"), table["abs"].format("b.y")
    return prelude.function(
        "xpu_div",
        type_,
        [type_, type_],
        [
            f"bool wide = {size_x} >= {size_y};",
            f"{real} p = wide ? b.x : b.y, q = wide ? b.y : b.x;",
            f"{real} ratio = q / p;",
            f"{real} scale = {one} / (p + q * ratio);",
            f"{real} x = wide ? a.x + a.y * ratio : a.x * ratio + a.y;",
            f"{real} y = wide ? a.y - a.x * ratio : a.y * ratio - a.x;",
            f"bool zero = b.x == {zero} && b.y == {zero};",
            f"return {make(dtype, f'zero ? a.x / {size_x} : x * scale', f'zero ? a.y / {size_x} : y * scale')};",
        ],
    )


def complex_compare(prelude: Prelude, op: str, dtype: ir.DType) -> str:
    """Return the name of a comparison; the order is NumPy's: by the real part, then by the imaginary one."""
    type_ = ir.Scalar(dtype)
    bool_ = ir.BOOL
    if op in ("eq", "ne"):
        body = "a.x == b.x && a.y == b.y" if op == "eq" else "a.x != b.x || a.y != b.y"
    else:
        strict = {"lt": "<", "le": "<", "gt": ">", "ge": ">"}[op]
        last = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}[op]
        body = f"(a.x {strict} b.x && a.y == a.y && b.y == b.y) || (a.x == b.x && a.y {last} b.y)"
    return prelude.function(f"xpu_{op}", bool_, [type_, type_], [f"return {body};"])


def complex_unary(prelude: Prelude, op: str, dtype: ir.DType) -> str:
    """Return the name of ``neg`` or ``conj``."""
    type_ = ir.Scalar(dtype)
    real = "-a.x" if op == "neg" else "a.x"
    return prelude.function(f"xpu_{op}", type_, [type_], [f"return {prelude.make_complex(dtype, real, '-a.y')};"])
