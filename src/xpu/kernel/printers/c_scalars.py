"""Operations on single numbers in C: text in, text out."""

from __future__ import annotations

import numpy as np

from ...errors import KernelCompileError
from .. import ir
from ..intrinsics import TABLE
from . import c_numbers
from .c_prelude import Prelude, short
from .c_text import group, ungroup

SYMBOLS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "and": "&", "or": "|", "xor": "^"}
COMPARISONS = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
_EXACT_WORDS = "abs floor ceil trunc rint copysign fmin fmax minimum maximum min max clamp conj real"
EXACT = frozenset(_EXACT_WORDS.split())
"""Functions of 16-bit floats whose result needs no rounding."""
IDENTITY_OVER_INTEGERS = frozenset(["floor", "ceil", "trunc", "rint", "conj", "real"])


class Scalars:
    """Prints what one language does with numbers of every dtype."""

    def __init__(self, prelude: Prelude) -> None:
        self.prelude = prelude
        self.dialect = prelude.dialect

    def literal(self, dtype: ir.DType, value: complex) -> str:
        """Return a literal that is exact in its type."""
        if dtype.kind == "b":
            return "true" if value else "false"
        if dtype.kind == "c":
            real = np.dtype(np.float32 if dtype.itemsize == 8 else np.float64)
            parts = complex(value)
            return self.prelude.make_complex(dtype, self.literal(real, parts.real), self.literal(real, parts.imag))
        if dtype.kind == "f":
            return self._float_literal(dtype, value)
        number = int(value.real)
        if dtype.itemsize < 4:
            return f"({self.dialect.types[dtype.name]}){number if number >= 0 else f'({number})'}"
        suffix = self.dialect.literal_suffix.get(dtype.name, "")
        if dtype.kind == "i" and number == np.iinfo(dtype).min:
            return f"(-{-(number + 1)}{suffix} - 1)"
        return f"{number}{suffix}" if number >= 0 else f"({number}{suffix})"

    def _float_literal(self, dtype: ir.DType, value: complex) -> str:
        number = dtype.type(value.real)
        name = "float64" if dtype.itemsize == 8 else "float32"
        if name == "float64":
            self.prelude.features.add("float64")
        if not np.isfinite(number):
            word = self.dialect.special[f"{'nan' if np.isnan(number) else 'inf'}:{name}"]
            return f"(-{group(word)})" if number < 0 else group(word)
        text = repr(float(number)) if name == "float64" else f"{np.float32(number)!s}f"
        return f"({text})" if np.signbit(number) else text

    # -- operators

    def unary(self, op: str, dtype: ir.DType, a: str) -> str:
        """Return a unary operation."""
        if op == "not" or (op == "invert" and dtype.kind == "b"):
            return f"!{a}"
        name = self.dialect.types.get(dtype.name, "")
        if op == "invert":
            return f"({name})~{a}" if dtype.itemsize < 4 else f"~{a}"
        if dtype.kind == "c":
            return f"{c_numbers.complex_unary(self.prelude, 'neg', dtype)}({ungroup(a)})"
        if dtype.kind == "f":
            return f"-{a}"
        return f"({name})(0 - ({self.prelude.unsigned(dtype)}){a})"

    def binary(self, op: str, dtype: ir.DType, a: str, b: str) -> str:
        """Return an arithmetic operation between two scalars."""
        a, b = group(a), group(b)
        if dtype.kind == "c":
            if op in ("add", "sub", "mul", "truediv"):
                return f"{c_numbers.complex_binary(self.prelude, op, dtype)}({ungroup(a)}, {ungroup(b)})"
            raise KernelCompileError(f"complex {op} has no spelling in {self.dialect.name}")
        if dtype.kind == "b":
            return self._bool_text(op, a, b)
        if dtype.kind == "f":
            return self._float_text(op, dtype, a, b)
        if op in ("floordiv", "mod"):
            function = self.prelude.floordiv(dtype) if op == "floordiv" else self.prelude.mod(dtype)
        elif op in ("shl", "shr"):
            function = self.prelude.shift(op, dtype)
        elif op == "pow":
            function = self.prelude.integer_pow(dtype)
        elif op in SYMBOLS and op != "truediv":
            return self._integer_text(op, dtype, a, b)
        else:
            raise KernelCompileError(f"{op} of integers has no spelling in {self.dialect.name}")
        return f"{function}({ungroup(a)}, {ungroup(b)})"

    def _integer_text(self, op: str, dtype: ir.DType, a: str, b: str) -> str:
        name = self.dialect.types[dtype.name]
        symbol = SYMBOLS[op]
        if op in ("and", "or", "xor") or (dtype.kind == "u" and dtype.itemsize >= 4):
            text = f"{a} {symbol} {b}"
            return f"({name})({text})" if dtype.itemsize < 4 else text
        if dtype.itemsize < 4 and not (op == "mul" and dtype.name == "uint16"):
            return f"({name})({a} {symbol} {b})"  # C computes it in int, where it fits
        unsigned = self.prelude.unsigned(dtype)
        return f"({name})(({unsigned}){a} {symbol} ({unsigned}){b})"

    def _float_text(self, op: str, dtype: ir.DType, a: str, b: str) -> str:
        computed = np.dtype(np.float32) if dtype.itemsize == 2 else dtype
        if op in ("floordiv", "mod"):
            text = f"{self.prelude.float_divmod(op, computed)}({ungroup(a)}, {ungroup(b)})"
        elif op == "pow":
            text = self.table(dtype)["pow"].format(ungroup(a), ungroup(b))
        elif op in ("add", "sub", "mul", "truediv"):
            text = f"{a} {SYMBOLS[op]} {b}"
        else:
            raise KernelCompileError(f"{op} of floats has no spelling in {self.dialect.name}")
        return f"{c_numbers.round16(self.prelude, ir.Scalar(dtype))}({text})" if dtype.itemsize == 2 else text

    @staticmethod
    def _bool_text(op: str, a: str, b: str) -> str:
        symbols = {"and": "&&", "mul": "&&", "or": "||", "add": "||", "xor": "!="}
        if op not in symbols:
            raise KernelCompileError(f"{op} of bools has no meaning")
        return f"{a} {symbols[op]} {b}"

    def table(self, dtype: ir.DType) -> dict[str, str]:
        """Return the functions of a floating dtype."""
        return dict(self.dialect.float64 if dtype.itemsize == 8 else self.dialect.float32)

    def comparison(self, op: str, dtype: ir.DType, a: str, b: str) -> str:
        """Return a comparison."""
        if dtype.kind == "c":
            return f"{c_numbers.complex_compare(self.prelude, op, dtype)}({ungroup(a)}, {ungroup(b)})"
        return f"{a} {COMPARISONS[op]} {b}"

    # -- conversions

    def cast(self, source: ir.DType, target: ir.DType, text: str) -> str:
        """Return the conversion of a scalar's value."""
        if source == target:
            return text
        a = group(text)
        if target.kind == "b":
            if source.kind == "c":
                body = ["return a.x != 0 || a.y != 0;"]
                return f"{self.prelude.function('xpu_nonzero', ir.BOOL, [ir.Scalar(source)], body)}({ungroup(a)})"
            return f"{a} != 0"
        if source.kind == "c":
            return self._cast_complex(source, target, a)
        if target.kind == "c":
            real = np.dtype(np.float32 if target.itemsize == 8 else np.float64)
            return self.prelude.make_complex(target, self.cast(source, real, text), self.literal(real, 0.0))
        if target.name == "float16":
            return self._cast_half(source, a)
        name = self.prelude.ctype(ir.Scalar(target))
        if source.name == "float16" and target.name == "float32":
            return text
        if source.kind == "f" and target.name == "uint64":
            return f"{self.float_to_uint64(source)}({ungroup(a)})"
        if source.kind == "f" and target.kind in "iu" and (target.itemsize < 4 or target.name == "uint32"):
            middle = self.dialect.types["int64" if target.name == "uint32" else "int32"]
            return f"({name})({middle}){a}"  # negative values wrap instead of being undefined
        return f"({name}){a}"

    def _cast_half(self, source: ir.DType, a: str) -> str:
        half = ir.Scalar(np.dtype(np.float16))
        if source.kind == "b" or (source.kind in "iu" and source.itemsize == 1):
            return f"(float){a}"
        if source.name == "float64":
            return f"{c_numbers.round16_from_double(self.prelude)}({ungroup(a)})"
        rounded = c_numbers.round16(self.prelude, half)
        return f"{rounded}({ungroup(a)})" if source.kind == "f" else f"{rounded}((float){a})"

    def _cast_complex(self, source: ir.DType, target: ir.DType, a: str) -> str:
        real = np.dtype(np.float32 if source.itemsize == 8 else np.float64)
        if target.kind != "c":
            return self.cast(real, target, f"{a}.x")
        part = np.dtype(np.float32 if target.itemsize == 8 else np.float64)
        made = self.prelude.make_complex(target, self.cast(real, part, "a.x"), self.cast(real, part, "a.y"))
        name = self.prelude.function(
            f"xpu_to_{short(ir.Scalar(target))}", ir.Scalar(target), [ir.Scalar(source)], [f"return {made};"]
        )
        return f"{name}({ungroup(a)})"

    def float_to_uint64(self, source: ir.DType) -> str:
        """Return the name of a conversion that wraps negative values as NumPy does."""
        signed, unsigned = self.dialect.types["int64"], self.dialect.types["uint64"]
        source = np.dtype(np.float32) if source.itemsize == 2 else source
        return self.prelude.function(
            "xpu_to_u64",
            ir.Scalar(np.dtype(np.uint64)),
            [ir.Scalar(source)],
            [f"return a < 0 ? ({unsigned})({signed})a : ({unsigned})a;"],
        )

    def bits(self, source: ir.DType, target: ir.DType, a: str) -> str:
        """Return a reinterpretation between two dtypes of the same width."""
        if source.name == "float16":
            a, source = f"{c_numbers.to_bits16(self.prelude)}({a})", np.dtype(np.uint16)
        if target.name == "float16":
            if source.name != "uint16":
                a = f"({self.dialect.types['uint16']}){group(a)}"
            return f"{c_numbers.from_bits16(self.prelude)}({a})"
        return a if source == target else self.bits_of(self.prelude.ctype(ir.Scalar(target)), a)

    def bits_of(self, name: str, a: str) -> str:
        """Return a reinterpretation as a C type."""
        if not self.dialect.native_vectors:
            c_numbers.need_bits(self.prelude)
        return self.dialect.bits.format(name, a)

    # -- functions

    def call(self, function: str, dtype: ir.DType, texts: list[str]) -> str:
        """Return a call on scalars."""
        joined = ", ".join(texts)
        if function not in TABLE:
            raise KernelCompileError(f"there is no function {function!r}")
        if dtype.kind == "c":
            if function in ("real", "imag"):
                return f"{group(texts[0])}.{'x' if function == 'real' else 'y'}"
            if function == "conj":
                return f"{c_numbers.complex_unary(self.prelude, 'conj', dtype)}({joined})"
            raise KernelCompileError(f"{function} of complex numbers has no spelling in {self.dialect.name}")
        if dtype.kind in "iub":
            return self._integer_call(function, dtype, texts)
        if function in ("conj", "real"):
            return texts[0]
        if function == "imag":
            return self.literal(dtype, 0.0)
        if function in ("min", "max", "minimum", "maximum", "clamp"):
            computed = np.dtype(np.float32) if dtype.itemsize == 2 else dtype
            return f"{self.prelude.choice(function, ir.Scalar(computed))}({joined})"
        table = self.table(dtype)
        if function not in table:
            raise KernelCompileError(f"{function} of {dtype.name} has no spelling in {self.dialect.name}")
        template = table[function]
        if template.count("{0}") > 1:
            texts = [group(text) for text in texts]
        text = template.format(*(group(t) for t in texts) if function in ("degrees", "radians") else texts)
        if TABLE[function].rule == "bool":
            return f"({text} != 0)" if self.dialect.native_vectors else text
        return (
            f"{c_numbers.round16(self.prelude, ir.Scalar(dtype))}({text})"
            if dtype.itemsize == 2 and function not in EXACT
            else text
        )

    def _integer_call(self, function: str, dtype: ir.DType, texts: list[str]) -> str:
        joined = ", ".join(texts)
        type_ = ir.Scalar(dtype)
        name = self.prelude.ctype(type_)
        if function in IDENTITY_OVER_INTEGERS:
            return texts[0]
        if function == "imag":
            return self.literal(dtype, 0)
        if dtype.kind == "b":
            if function == "abs":
                return texts[0]
            if function in ("min", "minimum", "fmin", "max", "maximum", "fmax"):
                return f"{group(texts[0])} {'&&' if 'min' in function else '||'} {group(texts[1])}"
        if function == "abs":
            if dtype.kind == "u":
                return texts[0]
            body = [f"return a < 0 ? ({name})(0 - ({self.prelude.unsigned(dtype)})a) : a;"]
            return f"{self.prelude.function('xpu_abs', type_, [type_], body)}({joined})"
        if function in ("min", "max", "minimum", "maximum", "fmin", "fmax", "clamp"):
            return f"{self.prelude.choice(function, type_)}({joined})"
        if function in ("popcount", "clz"):
            return self._bit_count(function, dtype, texts[0])
        raise KernelCompileError(f"{function} of {dtype.name} has no spelling in {self.dialect.name}")

    def _bit_count(self, function: str, dtype: ir.DType, text: str) -> str:
        name = self.dialect.types[dtype.name]
        if self.dialect.native_integers:
            if dtype.itemsize < 4:  # C computes small integers as int, and the function is overloaded
                text = f"({name}){group(text)}"
            return self.dialect.integer[function].format(text)
        if dtype.itemsize == 8:
            return f"({name}){self.dialect.integer64[function].format(text)}"
        wide = self.dialect.types["uint32"]
        mask = f" & {hex(2 ** (8 * dtype.itemsize) - 1)}u" if dtype.itemsize < 4 else ""
        counted = self.dialect.integer[function].format(f"({wide}){group(text)}{mask}")
        spare = 32 - 8 * dtype.itemsize
        return f"({name})({counted} - {spare})" if function == "clz" and spare else f"({name}){counted}"
