"""Small functions in front of a printed kernel, written only where the kernel calls them.

Each returns once, at its end: where a call stands under a condition, Intel's vectoriser loses values of early returns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...errors import KernelCompileError
from .. import ir
from .dialects import Dialect

_SHORT = {"b": "i", "u": "u"}

LANES = "0123456789abcdef"


def short(type_: ir.Type) -> str:
    """Return a type's abbreviation in the names of helpers: ``f32``, ``u8``, ``c64``, ``f32x4``."""
    dtype = type_.dtype
    text = "b" if dtype.kind == "b" else f"{dtype.kind}{dtype.itemsize * 8}"
    return f"{text}x{type_.lanes}" if isinstance(type_, ir.Vector) else text


class Prelude:
    """Collects helper functions, each after those it calls."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.texts: dict[str, str] = {}
        self.features: set[str] = set()

    def need(self, name: str, text: str) -> str:
        """Add a helper unless it is there; return its name."""
        self.texts.setdefault(name, text.strip("\n"))
        return name

    def define(self, name: str, result: str, params: str, lines: Sequence[str]) -> str:
        """Add a function from its parts; return its name."""
        body = "".join(f"    {line}\n" for line in lines)
        return self.need(name, f"{self.dialect.function} {result} {name}({params}) {{\n{body}}}")

    def text(self) -> str:
        """Return all helpers, in an order that C accepts."""
        return "\n\n".join(self.texts.values())

    # -- types

    def ctype(self, type_: ir.Type) -> str:
        """Return the C type of a value."""
        dtype = type_.dtype
        if dtype.name in ("float64", "complex128"):
            self.features.add("float64")
        if isinstance(type_, ir.Vector):
            return self._vector_type(type_)
        if dtype.kind == "c":
            return self._complex_type(dtype)
        return self.dialect.types[dtype.name]

    def storage(self, dtype: ir.DType) -> str:
        """Return the C type of an array's element."""
        return self.dialect.storage.get(dtype.name) or self.ctype(ir.Scalar(dtype))

    def _vector_type(self, type_: ir.Vector) -> str:
        dtype, lanes = type_.dtype, type_.lanes
        if dtype.kind == "c":
            raise KernelCompileError("short vectors of complex numbers do not exist; use vectors of their parts")
        if self.dialect.native_vectors:
            return f"{'char' if dtype.kind == 'b' else self.dialect.types[dtype.name]}{lanes}"
        self.need("xpu_vec", "template <typename T, int N>\nstruct xpu_vec {\n    T v[N];\n};")
        return f"xpu_vec<{self.dialect.types[dtype.name]}, {lanes}>"

    def _complex_type(self, dtype: ir.DType) -> str:
        name = self.dialect.complex_type[dtype.name]
        if not self.dialect.native_vectors:
            real = self.dialect.types["float32" if dtype.itemsize == 8 else "float64"]
            self.need(
                name,
                f"struct __align__({dtype.itemsize}) {name} {{\n    {real} x, y;\n}};\n\n"
                f"{self.dialect.function} {name} {name.replace('xpu_', 'xpu_make_')}({real} x, {real} y) {{\n"
                f"    {name} z;\n    z.x = x;\n    z.y = y;\n    return z;\n}}",
            )
        return name

    def make_complex(self, dtype: ir.DType, real: str, imag: str) -> str:
        """Return a complex number of two real texts."""
        self._complex_type(dtype)
        return self.dialect.complex_make[dtype.name].format(real, imag)

    def unsigned(self, dtype: ir.DType) -> str:
        """Return the unsigned type in which an integer's wrapping arithmetic is done: 32 or 64 bits."""
        return self.dialect.types["uint64" if dtype.itemsize == 8 else "uint32"]

    # -- helpers made from a template

    def function(self, name: str, result: ir.Type, params: Sequence[ir.Type], body: Sequence[str]) -> str:
        """Add a function of parameters ``a``, ``b``, ``c``; return its full name."""
        full = f"{name}_{'_'.join(dict.fromkeys(short(p) for p in params))}"
        if full in self.texts:
            return full
        arguments = ", ".join(f"{self.ctype(p)} {letter}" for p, letter in zip(params, "abc", strict=False))
        return self.define(full, self.ctype(result), arguments, body)

    def lift(self, name: str, result: ir.Type, params: Sequence[ir.Type], scalar: Callable[[list[str]], str]) -> str:
        """Add a function that applies a scalar formula to each lane; return its name."""
        full = f"{name}_{'_'.join(dict.fromkeys(short(p) for p in (*params, result)))}"
        if full in self.texts:
            return full
        letters = "abcd"[: len(params)]
        arguments = ", ".join(f"{self.ctype(p)} {letter}" for p, letter in zip(params, letters, strict=True))
        head = f"{self.dialect.function} {self.ctype(result)} {full}({arguments}) {{\n"
        lanes = next(p.lanes for p in (*params, result) if isinstance(p, ir.Vector))
        if self.dialect.native_vectors:
            items = []
            for k in range(lanes):
                texts = [self.lane(letter, p, str(k)) for letter, p in zip(letters, params, strict=True)]
                item = scalar(texts)
                items.append(f"-(char)({item})" if result.dtype.kind == "b" else item)
            joined = ",\n        ".join(items)
            body = f"    return ({self.ctype(result)})(\n        {joined});\n}}"
        else:
            texts = [self.lane(letter, p, "k") for letter, p in zip(letters, params, strict=True)]
            body = (
                f"    {self.ctype(result)} r;\n    #pragma unroll\n    for (int k = 0; k < {lanes}; k++) {{\n"
                f"        r.v[k] = {scalar(texts)};\n    }}\n    return r;\n}}"
            )
        return self.need(full, head + body)

    def lane(self, vector: str, type_: ir.Type, index: str) -> str:
        """Return the text of one lane; scalars are the same in all."""
        if not isinstance(type_, ir.Vector):
            return vector
        if not self.dialect.native_vectors:
            return f"{vector}.v[{index}]"
        text = f"{vector}.s{LANES[int(index)]}"
        return f"({text} != 0)" if type_.dtype.kind == "b" else text

    # -- integers

    def floordiv(self, dtype: ir.DType) -> str:
        """Return the name of Python's ``//`` for integers; 0 for a zero divisor."""
        type_ = ir.Scalar(dtype)
        name = self.ctype(type_)
        if dtype.kind == "u":
            return self.function(
                "xpu_floordiv", type_, [type_, type_], [f"return b == 0 ? 0 : a / (b == 0 ? ({name})1 : b);"]
            )
        return self.function(
            "xpu_floordiv",
            type_,
            [type_, type_],
            [
                f"{name} d = (b == 0 || b == -1) ? 1 : b;",
                f"{name} q = a / d - ((a % d != 0) & ((a < 0) != (d < 0)));",
                f"return b == 0 ? 0 : b == -1 ? ({name})(0 - ({self.unsigned(dtype)})a) : q;",
            ],
        )

    def mod(self, dtype: ir.DType) -> str:
        """Return the name of Python's ``%`` for integers; 0 for a zero divisor."""
        type_ = ir.Scalar(dtype)
        name = self.ctype(type_)
        if dtype.kind == "u":
            return self.function(
                "xpu_mod", type_, [type_, type_], [f"return b == 0 ? 0 : a % (b == 0 ? ({name})1 : b);"]
            )
        return self.function(
            "xpu_mod",
            type_,
            [type_, type_],
            [
                f"{name} d = (b == 0 || b == -1) ? 1 : b;",
                f"{name} r = a % d;",
                "return (r != 0 && (r < 0) != (d < 0)) ? r + d : r;",
            ],
        )

    def shift(self, op: str, dtype: ir.DType) -> str:
        """Return the name of ``shl`` or ``shr`` for any count."""
        type_ = ir.Scalar(dtype)
        name, unsigned, bits = self.ctype(type_), self.unsigned(dtype), dtype.itemsize * 8
        if op == "shl":
            body = f"return ({unsigned})b < {bits} ? ({name})(({unsigned})a << b) : ({name})0;"
        else:
            beyond = "(a < 0 ? -1 : 0)" if dtype.kind == "i" else "0"
            body = f"return ({unsigned})b < {bits} ? ({name})(a >> b) : ({name}){beyond};"
        return self.function(f"xpu_{op}", type_, [type_, type_], [body])

    def integer_pow(self, dtype: ir.DType) -> str:
        """Return the name of the power of integers; negative exponents truncate."""
        type_ = ir.Scalar(dtype)
        name, unsigned = self.ctype(type_), self.unsigned(dtype)
        last = f"({name})result"
        if dtype.kind == "i":  # the loop runs for negative ones too: llvmpipe crashes where a condition stops it
            last = f"b < 0 ? (a == 1 ? 1 : a == -1 ? ((b & 1) ? -1 : 1) : 0) : {last}"
        body = [
            f"{unsigned} result = 1, square = ({unsigned})a;",
            f"for ({unsigned} rest = ({unsigned})b; rest != 0; rest >>= 1) {{",
            "    result = rest & 1 ? result * square : result;",
            "    square *= square;",
            "}",
            f"return {last};",
        ]
        return self.function("xpu_pow", type_, [type_, type_], body)

    def trips(self, dtype: ir.DType) -> str:
        """Return the name of the function that counts the rounds of ``range(a, b, c)``."""
        type_ = ir.Scalar(dtype)
        name, u = self.ctype(type_), self.unsigned(dtype)
        text = f"step > 0 && start < stop ? (({u})stop - ({u})start - 1) / ({u})step + 1 : "
        if dtype.kind == "i":
            text += f"step < 0 && start > stop ? (({u})start - ({u})stop - 1) / (0 - ({u})step) + 1 : "
        params = f"{name} start, {name} stop, {name} step"
        return self.define(f"xpu_trips_{short(type_)}", u, params, [f"return {text}0;"])

    # -- floating point

    def float_divmod(self, op: str, dtype: ir.DType) -> str:
        """Return the name of NumPy's floor division or remainder of floats."""
        type_ = ir.Scalar(dtype)
        table = self.dialect.float64 if dtype.itemsize == 8 else self.dialect.float32
        name = self.ctype(type_)
        zero, half, one = ("0.0", "0.5", "1.0") if dtype.itemsize == 8 else ("0.0f", "0.5f", "1.0f")
        remainder = [f"{name} r = {table['fmod'].format('a', 'b')};"]
        if op == "mod":
            return self.function(
                "xpu_mod",
                type_,
                [type_, type_],
                [
                    *remainder,
                    f"{name} signed_zero = {table['copysign'].format(zero, 'b')};",
                    f"{name} moved = (r < {zero}) != (b < {zero}) ? r + b : r;",
                    f"return b == {zero} || r != r ? r : r == {zero} ? signed_zero : moved;",
                ],
            )
        return self.function(
            "xpu_floordiv",
            type_,
            [type_, type_],
            [
                *remainder,
                f"{name} exact = (a - r) / b, ratio = a / b;",
                f"{name} q = r != {zero} && (r < {zero}) != (b < {zero}) ? exact - {one} : exact;",
                f"{name} f = {table['floor'].format('q')};",
                f"{name} nearest = q - f > {half} ? f + {one} : f;",
                f"{name} signed_zero = {table['copysign'].format(zero, 'ratio')};",
                f"return b == {zero} ? ratio : q == {zero} ? signed_zero : nearest;",
            ],
        )

    # -- choices

    def choice(self, function: str, type_: ir.Type) -> str:
        """Return the name of minimum, maximum, min, max, clamp, or of fmin and fmax over integers."""
        if type_.dtype.name == "int8" and self.dialect.native_integers:
            return self._choice_of_bytes(function, type_)
        floating = type_.dtype.kind == "f"
        conditions = {
            "min": "b < a ? b : a",
            "max": "b > a ? b : a",
            "fmin": "b < a ? b : a",
            "fmax": "b > a ? b : a",
            "minimum": "(a < b) | (a != a) ? a : b" if floating else "b < a ? b : a",
            "maximum": "(a > b) | (a != a) ? a : b" if floating else "b > a ? b : a",
        }
        if function == "clamp":
            return self.function(
                "xpu_clamp",
                type_,
                [type_, type_, type_],
                [f"{self.ctype(type_)} r = b > a ? b : a;", "return c < r ? c : r;"],
            )
        return self.function(f"xpu_{function}", type_, [type_, type_], [f"return {conditions[function]};"])

    def _choice_of_bytes(self, function: str, type_: ir.Type) -> str:
        """Compare bytes as ints: Mesa's llvmpipe crashes on the minimum of signed bytes."""
        if function == "clamp":
            body = "return (char)min(max((int)a, (int)b), (int)c);"
            return self.function("xpu_clamp", type_, [type_, type_, type_], [body])
        word = "min" if "min" in function else "max"
        return self.function(f"xpu_{function}", type_, [type_, type_], [f"return (char){word}((int)a, (int)b);"])
