"""Random well-typed expressions of the kernel language, exact ones only: every device must give the same bits."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np

from xpu.kernel.frontend.promotion import Number, promote

from .program import Expr, literal

SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
INTEGERS = SIGNED + UNSIGNED


@dataclass(frozen=True)
class Config:
    """What programs may use; a device that lacks something gets programs without it."""

    fp64: bool = True
    fp16: bool = True
    complex: bool = True

    @property
    def floats(self) -> tuple[str, ...]:
        return ("float16",) * self.fp16 + ("float32",) + ("float64",) * self.fp64

    @property
    def complexes(self) -> tuple[str, ...]:
        if not self.complex:
            return ()
        return ("complex64",) + ("complex128",) * self.fp64

    @property
    def dtypes(self) -> tuple[str, ...]:
        return ("bool", *INTEGERS, *self.floats, *self.complexes)

    @property
    def default(self) -> str:
        """The kernel's default float: programs always have an array of it."""
        return "float64" if self.fp64 else "float32"


@dataclass
class Scope:
    """Names that an expression may use."""

    variables: list[tuple[str, str]] = field(default_factory=list)
    """Name and dtype; all assigned."""
    leaves: list[tuple[str, str]] = field(default_factory=list)
    """Texts that read something without operands: elements of inputs, ids."""
    cells: list[tuple[str, str, int]] = field(default_factory=list)
    """Private arrays, all written: name, dtype, length (a power of two)."""
    functions: list[tuple[str, str, tuple[str, ...]]] = field(default_factory=list)
    """Helpers: name, result, parameters."""

    def child(self) -> Scope:
        return Scope(list(self.variables), self.leaves, list(self.cells), self.functions)


class Expressions:
    """Makes expressions of a wanted dtype."""

    def __init__(self, rng: random.Random, config: Config) -> None:
        self.rng = rng
        self.config = config
        self.scalars = True
        """Whether the kernel's Python numbers ``s_int`` and ``s_float`` can be seen."""
        default = np.dtype(config.default)
        self.pairs: dict[str, list[tuple[str, str]]] = {}
        for a in config.dtypes:
            for b in config.dtypes:
                common = promote(Number(np.dtype(a)), Number(np.dtype(b)), default)
                if common is not None and not a == b == "bool":
                    self.pairs.setdefault(common.dtype.name, []).append((a, b))

    # --------------------------------------------------------------------------------------------------- leaves

    def literal(self, dtype: str) -> Expr:
        """Return a constant. None is zero: Intel's compiler takes ``x * (0.0 / n)`` for zero even where ``n`` is."""
        rng = self.rng
        if dtype == "bool":
            return literal(dtype, rng.random() < 0.5)
        if dtype in INTEGERS:
            info = np.iinfo(dtype)
            corners = [1, 2, 3, 5, 7, 10, int(info.max), int(info.min) or 1, int(info.max) // 3]
            return literal(dtype, rng.choice(corners))
        real = rng.choice([1.0, -1.0, 0.5, 2.0, -3.25, 1e3, 0.1, 7.75])
        if dtype.startswith("complex"):
            return literal(dtype, complex(real, rng.choice([0.0, 1.0, -0.5])))
        return literal(dtype, real)

    def weak(self, dtype: str) -> str:
        """Return a Python number that fits a dtype."""
        if dtype in INTEGERS:
            return self.rng.choice(["1", "2", "3", "7", "100"] + ["s_int"] * self.scalars)
        scalars = ["s_int", "s_float"] * self.scalars
        if dtype.startswith("complex"):
            return self.rng.choice(["2", "0.5", "(1+2j)", "1j", *scalars])
        return self.rng.choice(["1", "2.5", "0.5", "-3", "100.0", *scalars])

    def leaf(self, dtype: str, scope: Scope) -> Expr:
        rng = self.rng
        choices = [Expr(name, dtype) for name, kind in scope.variables if kind == dtype]
        choices += [Expr(text, dtype) for text, kind in scope.leaves if kind == dtype]
        for name, kind, length in scope.cells:
            if kind == dtype:
                index = self.expr("int64", 0, Scope(scope.variables, scope.leaves))
                choices.append(Expr(f"{name}[{{0}} & {length - 1}]", dtype, [index]))
        if not choices and rng.random() < 0.8:
            return self.converted(dtype, scope)
        if not choices or rng.random() < 0.1:
            return self.literal(dtype)
        return rng.choice(choices)

    def converted(self, dtype: str, scope: Scope) -> Expr:
        """Return a leaf of another dtype, converted: constants alone would be folded away."""
        real = {"complex64": "float32", "complex128": "float64"}.get(dtype)
        kinds = {real} if real else {*INTEGERS, "bool"} if dtype in INTEGERS else set(self.config.dtypes)
        found = [(text, kind) for text, kind in [*scope.variables, *scope.leaves] if kind in kinds and kind[0] != "c"]
        if not found:
            return self.literal(dtype)
        text, kind = self.rng.choice(found)
        if dtype.startswith("complex") and kind != "bool":
            return Expr(f"xp.{dtype}(small({{0}}))", dtype, [Expr(text, kind)])
        if dtype == "bool" and kind != "bool":
            return Expr(
                f"({{0}} {self.rng.choice(['<', '>', '=='])} {{1}})", dtype, [Expr(text, kind), self.literal(kind)]
            )
        return Expr(f"xp.{dtype}({{0}})", dtype, [Expr(text, kind)])

    # -------------------------------------------------------------------------------------------------- by kind

    def expr(self, dtype: str, depth: int, scope: Scope) -> Expr:
        """Return a random expression of a dtype."""
        rng = self.rng
        if depth <= 0 or rng.random() < 0.12:
            return self.leaf(dtype, scope)
        callable_ = [f for f in scope.functions if f[1] == dtype]
        if callable_ and rng.random() < 0.15:
            name, _, params = rng.choice(callable_)
            args = [self.expr(p, depth - 1, scope) for p in params]
            return Expr(f"{name}({', '.join(f'{{{k}}}' for k in range(len(args)))})", dtype, args)
        if dtype == "bool":
            return self.boolean(depth, scope)
        if rng.random() < 0.12:
            choice = rng.choice(["({0} if {1} else {2})", "xp.where({1}, {0}, {2})"])
            return self.make(choice, dtype, (dtype, "bool", dtype), depth, scope)
        if dtype in INTEGERS:
            return self.integer(dtype, depth, scope)
        if dtype.startswith("complex"):
            return self.complex_number(dtype, depth, scope)
        return self.floating(dtype, depth, scope)

    def make(self, template: str, dtype: str, kinds: tuple[str, ...], depth: int, scope: Scope) -> Expr:
        return Expr(template, dtype, [self.expr(kind, depth - 1, scope) for kind in kinds])

    def pair(self, dtype: str) -> tuple[str, str]:
        """Return the dtypes of two operands that meet in a dtype."""
        return self.rng.choice(self.pairs[dtype]) if self.rng.random() < 0.35 else (dtype, dtype)

    def integer(self, d: str, depth: int, scope: Scope) -> Expr:
        rng = self.rng
        way = rng.choice(["arith"] * 6 + ["weak", "shift", "unary", "function", "cast", "cast", "power"])
        if way == "arith":
            op = rng.choice(["+", "-", "*", "//", "%", "&", "|", "^"])
            return self.make(f"({{0}} {op} {{1}})", d, self.pair(d), depth, scope)
        if way == "weak":
            op = rng.choice(["+", "-", "*", "//", "%", "&"])
            left, right = ("{0}", self.weak(d)) if rng.random() < 0.7 else (self.weak(d), "{0}")
            return self.make(f"({left} {op} {right})", d, (d,), depth, scope)
        if way == "shift":
            op = rng.choice(["<<", ">>"])
            if op == ">>" and d in ("int8", "int16"):  # Intel's compiler: -a >> 15 is 0 for the smallest a
                return Expr("({0} >> ({1} & 127))", d, [self.leaf(d, scope), self.expr(d, depth - 1, scope)])
            return self.make(f"({{0}} {op} ({{1}} & 127))", d, (d, d), depth, scope)
        if way == "unary":
            return self.make(rng.choice(["(-{0})", "(~{0})", "(+{0})"]), d, (d,), depth, scope)
        if way == "power":
            template = rng.choice(["({0} ** ({1} & 3))", "({0} ** 2)", "({0} ** 3)", "({0} ** 5)"])
            return self.make(template, d, (d, d) if "{1}" in template else (d,), depth, scope)
        if way == "function":
            return self.integer_function(d, depth, scope)
        return self.cast_to_integer(d, depth, scope)

    def integer_function(self, d: str, depth: int, scope: Scope) -> Expr:
        rows = [("abs({0})", 1), ("min({0}, {1})", 2), ("max({0}, {1})", 2), ("xp.math.clamp({0}, {1}, {2})", 3)]
        rows += [("xp.math.popcount({0})", 1), ("xp.math.clz({0})", 1)]
        template, arity = self.rng.choice(rows)
        return self.make(template, d, (d,) * arity, depth, scope)

    def cast_to_integer(self, d: str, depth: int, scope: Scope) -> Expr:
        source = self.rng.choice(["bool", *INTEGERS, *self.config.floats])
        if source in self.config.floats:  # only what fits is defined
            return self.make(f"to_{d}({{0}})", d, (source,), depth, scope)
        return self.make(f"xp.{d}({{0}})", d, (source,), depth, scope)

    def floating(self, d: str, depth: int, scope: Scope) -> Expr:
        rng = self.rng
        way = rng.choice(["arith"] * 6 + ["fusable", "weak", "unary", "function", "function", "cast", "cast", "divide"])
        if way == "arith":
            op = rng.choice(["+", "-", "*", "/", "+", "-", "*", "/", "//", "%"])
            return self.make(f"({{0}} {op} {{1}})", d, self.pair(d), depth, scope)
        if way == "weak":
            op = rng.choice(["+", "-", "*", "/"])
            left, right = ("{0}", self.weak(d)) if rng.random() < 0.7 else (self.weak(d), "{0}")
            return self.make(f"({left} {op} {right})", d, (d,), depth, scope)
        if way == "unary":
            return self.make(rng.choice(["(-{0})", "(+{0})"]), d, (d,), depth, scope)
        if way == "fusable":  # no compiler may
            template = rng.choice(["({0} * {1} + {2})", "({0} * {1} - {2})", "({2} - {0} * {1})"])
            return self.make(template, d, (d, d, d), depth, scope)
        if way == "divide" and d == self.config.default:
            kind = rng.choice(INTEGERS)
            return self.make("({0} / {1})", d, (kind, kind), depth, scope)
        if way == "cast":
            kinds = ["bool", *INTEGERS, *self.config.floats]
            source = rng.choice(kinds)
            return self.make(f"xp.{d}({{0}})", d, (source,), depth, scope)
        return self.float_function(d, depth, scope)

    def float_function(self, d: str, depth: int, scope: Scope) -> Expr:
        rows = [("abs({0})", 1), ("xp.math.sqrt(abs({0}))", 1), ("min({0}, {1})", 2), ("max({0}, {1})", 2)]
        rows += [(f"xp.math.{name}({{0}})", 1) for name in ("floor", "ceil", "trunc", "rint")]
        rows += [
            ("xp.math.clamp({0}, {1}, {2})", 3),
            ("xp.math.copysign({0}, sure({1}))", 2),
            ("xp.math.fmod({0}, {1})", 2),
        ]
        rows += [(f"(xp.math.{name}({{0}}, {{1}}) + 0.0)", 2) for name in ("fmin", "fmax", "minimum", "maximum")]
        if d != "float16":
            rows.append(("xp.math.fma({0}, {1}, {2})", 3))
        parts = {"float32": "complex64", "float64": "complex128"}
        if parts.get(d) in self.config.complexes and self.rng.random() < 0.2:
            return self.make(
                self.rng.choice(["small({0}.real + 0.0)", "small({0}.imag + 0.0)"]), d, (parts[d],), depth, scope
            )
        template, arity = self.rng.choice(rows)
        return self.make(template, d, (d,) * arity, depth, scope)

    def complex_number(self, d: str, depth: int, scope: Scope) -> Expr:
        rng = self.rng
        part = "float32" if d == "complex64" else "float64"
        way = rng.choice(["arith"] * 4 + ["weak", "unary", "parts", "parts"])
        if way == "arith":
            return self.make(f"({{0}} {rng.choice('+-*')} {{1}})", d, self.pair(d), depth, scope)
        if way == "weak":
            return self.make(f"({{0}} {rng.choice('+-*')} {self.weak(d)})", d, (d,), depth, scope)
        if way == "unary":
            return self.make(rng.choice(["(-{0})", "xp.math.conj({0})"]), d, (d,), depth, scope)
        return self.make(f"xp.{d}(small({{0}}), small({{1}}))", d, (part, part), depth, scope)

    def boolean(self, depth: int, scope: Scope) -> Expr:
        rng = self.rng
        way = rng.choice(["compare"] * 5 + ["logic"] * 3 + ["chain", "bits", "class", "outside", "truth"])
        reals = [*INTEGERS, *self.config.floats]
        if way == "compare":
            common = rng.choice(self.config.dtypes[1:])
            ops = ["==", "!="] if common.startswith("complex") else ["<", "<=", ">", ">=", "==", "!="]
            return self.make(f"({{0}} {rng.choice(ops)} {{1}})", "bool", self.pair(common), depth, scope)
        if way == "logic":
            template = rng.choice(["({0} and {1})", "({0} or {1})", "(not {0})"])
            return self.make(template, "bool", ("bool",) * (2 if "{1}" in template else 1), depth, scope)
        if way == "chain":
            kind = rng.choice(reals)
            ops = rng.choices(["<", "<=", ">", "!="], k=2)
            return self.make(f"({{0}} {ops[0]} {{1}} {ops[1]} {{2}})", "bool", (kind,) * 3, depth, scope)
        if way == "bits":
            template = rng.choice(["({0} & {1})", "({0} | {1})", "({0} ^ {1})", "(~{0})"])
            return self.make(template, "bool", ("bool",) * (2 if "{1}" in template else 1), depth, scope)
        if way == "class":
            name = rng.choice(["isnan", "isinf", "isfinite", "signbit"])
            if name == "signbit":  # the sign of a NaN is not defined
                kind = rng.choice(self.config.floats)
                return self.make("(xp.math.signbit({0}) and not xp.math.isnan({0}))", "bool", (kind,), 1, scope)
            return self.make(f"xp.math.{name}({{0}})", "bool", (rng.choice(self.config.floats),), depth, scope)
        if way == "outside":
            template = rng.choice(["({0} < 1000)", "({0} >= -1)", "({0} == 300)", "(-200 <= {0})", "({0} != 70000)"])
            return self.make(template, "bool", (rng.choice(INTEGERS),), depth, scope)
        return self.make("xp.bool({0})", "bool", (rng.choice(self.config.dtypes),), depth, scope)
