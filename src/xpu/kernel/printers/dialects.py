"""The C languages as tables: how each one spells types, work-items, literals, and functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from ..intrinsics import TABLE

_SAME_NAME = """
sqrt exp expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp2 rsqrt cbrt
erf erfc tgamma lgamma floor ceil trunc rint pow atan2 fmod hypot copysign nextafter remainder fdim fmin fmax
fma
"""
_FLOAT_FUNCTIONS = _SAME_NAME.split()
_ARGUMENTS = "{0}", "{0}, {1}", "{0}, {1}, {2}"


def _call(name: str, function: str) -> str:
    """Return the template of a plain call."""
    return f"{name}({_ARGUMENTS[TABLE[function].arity - 1]})"


@dataclass(frozen=True)
class Dialect:
    """One C language. Templates are for ``str.format``, with the arguments' texts."""

    name: str
    types: Mapping[str, str]
    """Type of a number in a register, by dtype name. float16 is computed in float and bool has a type of its own."""
    storage: Mapping[str, str]
    """Type of an array's element, where it is another."""
    kernel: str
    function: str
    spaces: Mapping[str, str]
    """Qualifier of a pointer's target, by array space."""
    local: str
    """Qualifier of the declaration of local memory."""
    barrier: str
    complex_type: Mapping[str, str]
    complex_make: Mapping[str, str]
    literal_suffix: Mapping[str, str]
    float32: Mapping[str, str]
    """Templates of the functions of ``xp.math`` over float32 (and float16)."""
    float64: Mapping[str, str]
    integer: Mapping[str, str]
    """Templates over 32-bit and narrower integers (extended to 32 bits where ``native_integers`` is False)."""
    integer64: Mapping[str, str]
    native_vectors: bool
    """Short vectors are types of the language, and its operators and functions take them."""
    native_integers: bool
    """Integer functions are overloaded for every width."""
    int64_format: str
    uint64_format: str
    special: Mapping[str, str]
    """Infinity and NaN, by dtype name."""
    bits: str
    """Template of a reinterpretation: {0} the type, {1} the value."""
    header: tuple[str, ...] = ()
    extensions: Mapping[str, str] = field(default_factory=dict)
    """Lines that switch a feature on: ``float64``, ``atomics64``."""


_C_TYPES = {
    "bool": "bool",
    "int8": "signed char",
    "int16": "short",
    "int32": "int",
    "int64": "long long",
    "uint8": "unsigned char",
    "uint16": "unsigned short",
    "uint32": "unsigned int",
    "uint64": "unsigned long long",
    "float16": "float",
    "float32": "float",
    "float64": "double",
}

_OPENCL_FUNCTIONS = {name: _call(name, name) for name in _FLOAT_FUNCTIONS} | {
    "abs": "fabs({0})",
    "mad": "mad({0}, {1}, {2})",
    "isnan": "isnan({0})",
    "isinf": "isinf({0})",
    "isfinite": "isfinite({0})",
    "signbit": "signbit({0})",
}

OPENCL = Dialect(
    name="opencl",
    types=_C_TYPES
    | {
        "int8": "char",
        "int64": "long",
        "uint8": "uchar",
        "uint16": "ushort",
        "uint32": "uint",
        "uint64": "ulong",
    },
    storage={"bool": "uchar", "float16": "ushort"},
    kernel="__kernel void",
    function="static",
    spaces={"global": "__global ", "local": "__local ", "private": ""},
    local="__local ",
    barrier="barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);",
    complex_type={"complex64": "float2", "complex128": "double2"},
    complex_make={"complex64": "(float2)({0}, {1})", "complex128": "(double2)({0}, {1})"},
    literal_suffix={"int64": "L", "uint32": "u", "uint64": "UL"},
    float32=_OPENCL_FUNCTIONS | {"degrees": "degrees({0})", "radians": "radians({0})"},
    float64=_OPENCL_FUNCTIONS | {"degrees": "degrees({0})", "radians": "radians({0})"},
    integer={"popcount": "popcount({0})", "clz": "clz({0})"},
    integer64={"popcount": "popcount({0})", "clz": "clz({0})"},
    native_vectors=True,
    native_integers=True,
    int64_format="%ld",
    uint64_format="%lu",
    special={
        "inf:float32": "INFINITY",
        "nan:float32": "NAN",
        "inf:float64": "(double)INFINITY",
        "nan:float64": "(double)NAN",
    },
    bits="as_{0}({1})",
    header=("#pragma OPENCL FP_CONTRACT OFF",),
    extensions={
        "float64": "#pragma OPENCL EXTENSION cl_khr_fp64 : enable",
        "atomics64": (
            "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
            "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable"
        ),
    },
)


def _cuda_functions(suffix: str) -> dict[str, str]:
    literal = "f" if suffix else ""
    table = {name: _call(name + suffix, name) for name in _FLOAT_FUNCTIONS}
    table |= {
        "abs": f"fabs{suffix}({{0}})",
        "mad": f"fma{suffix}({{0}}, {{1}}, {{2}})",
        "isnan": "isnan({0})",
        "isinf": "isinf({0})",
        "isfinite": "isfinite({0})",
        "signbit": f"(copysign{suffix}(1.0{literal}, {{0}}) < 0.0{literal})",
        "degrees": f"({{0}} * 57.29577951308232{literal})",
        "radians": f"({{0}} * 0.017453292519943295{literal})",
    }
    return table


CUDA = Dialect(
    name="cuda",
    types=_C_TYPES,
    storage={"bool": "unsigned char", "float16": "unsigned short"},
    kernel='extern "C" __global__ void',
    function="static __device__ inline",
    spaces={"global": "", "local": "", "private": ""},
    local="__shared__ ",
    barrier="__syncthreads();",
    complex_type={"complex64": "xpu_c64", "complex128": "xpu_c128"},
    complex_make={"complex64": "xpu_make_c64({0}, {1})", "complex128": "xpu_make_c128({0}, {1})"},
    literal_suffix={"int64": "LL", "uint32": "u", "uint64": "ULL"},
    float32=_cuda_functions("f"),
    float64=_cuda_functions(""),
    integer={"popcount": "__popc({0})", "clz": "__clz((int)({0}))"},
    integer64={"popcount": "__popcll({0})", "clz": "__clzll((long long)({0}))"},
    native_vectors=False,
    native_integers=False,
    int64_format="%lld",
    uint64_format="%llu",
    special={
        "inf:float32": "__int_as_float(0x7f800000)",
        "nan:float32": "__int_as_float(0x7fc00000)",
        "inf:float64": "__longlong_as_double(0x7ff0000000000000LL)",
        "nan:float64": "__longlong_as_double(0x7ff8000000000000LL)",
    },
    bits="xpu_bits<{0}>({1})",
)

HIP = replace(CUDA, name="hip", header=("#pragma clang fp contract(off)",))

DIALECTS: dict[str, Dialect] = {"opencl": OPENCL, "cuda": CUDA, "hip": HIP}

_GENERATED = frozenset(["minimum", "maximum", "min", "max", "clamp", "real", "imag", "conj"])
"""Functions that the printer writes out itself, in every dialect."""


def spelled(language: str) -> frozenset[str]:
    """Return the functions of ``xp.math`` over real numbers that a language has, or that its printer writes out.

    Over complex numbers every dialect has ``real``, ``imag`` and ``conj`` only.
    """
    dialect = DIALECTS[language]
    return frozenset(dialect.float32) | frozenset(dialect.integer) | _GENERATED


SPELLED_COMPLEX = frozenset(("real", "imag", "conj"))
"""Functions that printers write out for complex numbers too."""
