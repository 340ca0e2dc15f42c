"""Expressions in C: one class that turns typed nodes into text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import KernelCompileError
from .. import ir
from . import c_numbers
from .c_negations import negated, opaque_negation
from .c_prelude import LANES, Prelude, short
from .c_ranges import Ranges
from .c_scalars import COMPARISONS, EXACT, IDENTITY_OVER_INTEGERS, SYMBOLS, Scalars
from .c_text import group, ungroup

if TYPE_CHECKING:
    from .c_memory import Memory

_NATIVE_ON_VECTORS = frozenset(["isnan", "isinf", "isfinite", "signbit"])


class Expressions:
    """Prints the expressions of one function."""

    def __init__(
        self, prelude: Prelude, memory: Memory, ranges: Ranges, checked: bool, hide_negations: bool = False
    ) -> None:
        self.prelude = prelude
        self.dialect = prelude.dialect
        self.scalars = Scalars(prelude)
        self.memory = memory
        self.ranges = ranges
        self.checked = checked
        self.hide_negations = hide_negations
        self._in_index = 0

    def text(self, node: ir.Expr) -> str:
        """Return the C text of an expression."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise KernelCompileError(f"{type(node).__name__} has no spelling in {self.dialect.name}")
        operand = negated(node) if self.hide_negations else None
        if operand is not None:
            return opaque_negation(self.prelude, node, self.value(operand))
        found: str = method(node)
        return found

    def index(self, node: ir.Expr) -> str:
        """Return the text of an index: its arithmetic cannot overflow unless it leaves the array anyway."""
        self._in_index += 1
        try:
            return self.text(node)
        finally:
            self._in_index -= 1

    def value(self, node: ir.Expr) -> str:
        """Return the text of an expression inside an index that is not index arithmetic itself."""
        depth, self._in_index = self._in_index, 0
        try:
            return self.text(node)
        finally:
            self._in_index = depth

    # -- leaves

    def _const(self, node: ir.Const) -> str:
        text = self.scalars.literal(node.type.dtype, node.value)
        return self.splat(node.type, text) if isinstance(node.type, ir.Vector) else text

    def splat(self, type_: ir.Vector, text: str) -> str:
        """Return a vector with the same value in all lanes."""
        if self.dialect.native_vectors:
            return f"({self.prelude.ctype(type_)})({f'-(char)({text})' if type_.dtype.kind == 'b' else text})"
        return f"{self.prelude.lift('xpu_splat', type_, [ir.Scalar(type_.dtype)], lambda texts: texts[0])}({text})"

    def _var(self, node: ir.Var) -> str:
        return self.memory.variable(node.name)

    def _dim(self, node: ir.Dim) -> str:
        return self.memory.extent(node.array, node.axis)

    def _workitem(self, node: ir.WorkItem) -> str:
        return self.memory.work_item(node.function, node.axis)

    # -- operators

    def _unary(self, node: ir.Unary) -> str:
        if node.op == "pos":
            return self.text(node.operand)
        if node.op == "neg" and (self.ranges.fits(node) or self._free_index(node)):
            return f"-{group(self.text(node.operand))}"
        a = group(self.value(node.operand))
        if isinstance(node.type, ir.Vector):
            return self._vector_unary(node.op, node.type, a)
        return self.scalars.unary(node.op, node.type.dtype, a)

    def _vector_unary(self, op: str, type_: ir.Vector, a: str) -> str:
        if not self.dialect.native_vectors:
            name = self.prelude.lift(
                f"xpu_lanes_{op}", type_, [type_], lambda texts: self.scalars.unary(op, type_.dtype, texts[0])
            )
            return f"{name}({ungroup(a)})"
        if op == "neg" and type_.dtype.kind == "u":
            return f"({self.prelude.ctype(type_)})(0) - {a}"
        if op == "neg" and type_.dtype.kind == "i":
            return self._wrap("sub", type_, "0", a)
        return f"{'-' if op == 'neg' else '~'}{a}"

    def _free_index(self, node: ir.Expr) -> bool:
        return self._in_index > 0 and not self.checked and node.type == ir.INT64

    def _binary(self, node: ir.Binary) -> str:
        op, operand = node.op, node.left.type
        if op in ir.COMPARE_OPS:
            return self._comparison(node)
        if op in ir.LOGICAL_OPS:
            return self._logical(node)
        plain = op in ("add", "sub", "mul") and (self._free_index(node) or self.ranges.fits(node))
        if plain and self._in_index:
            a, b = group(self.text(node.left)), group(self.text(node.right))
        else:
            a, b = group(self.value(node.left)), group(self.value(node.right))
        if isinstance(operand, ir.Vector):
            return self._vector_binary(node, operand, a, b)
        if plain:
            name = self.dialect.types[operand.dtype.name]
            text = f"{a} {SYMBOLS[op]} {b}"
            return f"({name})({text})" if operand.dtype.itemsize < 4 else text
        if operand.dtype.kind in "iu":
            simple = self._simple_integer(node, a, b)
            if simple is not None:
                return simple
        return self.scalars.binary(op, operand.dtype, a, b)

    def _simple_integer(self, node: ir.Binary, a: str, b: str) -> str | None:
        """Return the plain operator where the operands' intervals allow it."""
        dtype = node.type.dtype
        left, right = self.ranges.of(node.left), self.ranges.of(node.right)
        name = self.dialect.types[dtype.name]
        text = None
        if node.op in ("floordiv", "mod") and left[0] >= 0 and right[0] >= 1:
            text = f"{a} {'/' if node.op == 'floordiv' else '%'} {b}"
        elif node.op == "shr" and right[0] >= 0 and right[1] < dtype.itemsize * 8:
            text = f"{a} >> {b}"
        elif node.op == "shl" and right[0] >= 0 and right[1] < dtype.itemsize * 8:
            if dtype.kind == "u":
                text = f"{a} << {b}"
            else:
                return f"({name})(({self.prelude.unsigned(dtype)}){a} << {b})"
        if text is None:
            return None
        return f"({name})({text})" if dtype.itemsize < 4 else text

    # -- comparisons and choices

    def _comparison(self, node: ir.Binary) -> str:
        type_ = node.left.type
        a, b = group(self.value(node.left)), group(self.value(node.right))
        if isinstance(type_, ir.Vector):
            result = ir.Vector(np.dtype(np.bool_), type_.lanes)
            if not self.dialect.native_vectors:
                name = self.prelude.lift(
                    f"xpu_{node.op}",
                    result,
                    [type_, type_],
                    lambda t: self.scalars.comparison(node.op, type_.dtype, *t),
                )
                return f"{name}({ungroup(a)}, {ungroup(b)})"
            text = self._lanes_compared(node.op, type_.dtype, a, b)
            return text if type_.dtype.itemsize == 1 else f"convert_char{type_.lanes}({text})"
        return self.scalars.comparison(node.op, type_.dtype, a, b)

    @staticmethod
    def _lanes_compared(op: str, dtype: ir.DType, a: str, b: str) -> str:
        """Return the comparison of OpenCL's vectors; true is -1 in a lane, so the order of booleans is turned round."""
        if dtype.kind == "b":
            a, b = b, a
        return f"{a} {COMPARISONS[op]} {b}"

    def _logical(self, node: ir.Binary) -> str:
        a, b = group(self.value(node.left)), group(self.value(node.right))
        if isinstance(node.type, ir.Vector):
            if self.dialect.native_vectors:
                return f"{a} {'&' if node.op == 'land' else '|'} {b}"
            return self._vector_binary(
                ir.Binary(node.type, "and" if node.op == "land" else "or", node.left, node.right), node.type, a, b
            )
        return f"{a} {'&&' if node.op == 'land' else '||'} {b}"

    def _select(self, node: ir.Select) -> str:
        condition_type = node.condition.type
        if not isinstance(condition_type, ir.Vector):
            condition, then, other = (group(self.value(part)) for part in (node.condition, node.then, node.other))
            return f"{condition} ? {then} : {other}"
        type_ = node.type
        assert isinstance(type_, ir.Vector)
        then, other = self.value(node.then), self.value(node.other)
        if self.dialect.native_vectors:
            return f"select({other}, {then}, {self._mask(node.condition, type_)})"
        name = self.prelude.lift(
            "xpu_select", type_, [condition_type, type_, type_], lambda t: f"{t[0]} ? {t[1]} : {t[2]}"
        )
        return f"{name}({self.value(node.condition)}, {then}, {other})"

    def _mask(self, node: ir.Expr, type_: ir.Vector) -> str:
        """Return a lane mask as wide as ``type_``'s lanes in registers (OpenCL)."""
        width = 1 if type_.dtype.kind == "b" else max(type_.dtype.itemsize, 4 if type_.dtype.kind == "f" else 1)
        base = {1: "char", 2: "short", 4: "int", 8: "long"}[width]
        if isinstance(node, ir.Binary) and node.op in ir.COMPARE_OPS:
            operand = node.left.type.dtype
            compared = max(operand.itemsize, 4) if operand.kind == "f" else operand.itemsize
            if compared == width:
                a, b = group(self.value(node.left)), group(self.value(node.right))
                return self._lanes_compared(node.op, operand, a, b)
        text = self.value(node)
        return text if width == 1 else f"convert_{base}{type_.lanes}({text})"

    # -- vectors

    def _vector_binary(self, node: ir.Binary, type_: ir.Vector, a: str, b: str) -> str:
        op, dtype = node.op, type_.dtype
        if self.dialect.native_vectors:
            if dtype.kind == "b" and op in ("and", "or", "xor", "add", "mul"):
                return f"{a} {dict(SYMBOLS, add='|', mul='&')[op]} {b}"
            if dtype.kind == "f" and op in ("add", "sub", "mul", "truediv"):
                text = f"{a} {SYMBOLS[op]} {b}"
                return f"{c_numbers.round16(self.prelude, type_)}({text})" if dtype.itemsize == 2 else text
            if dtype.kind == "f" and op == "pow":
                text = f"pow({ungroup(a)}, {ungroup(b)})"
                return f"{c_numbers.round16(self.prelude, type_)}({text})" if dtype.itemsize == 2 else text
            if dtype.kind in "iu" and op in ("and", "or", "xor"):
                return f"{a} {SYMBOLS[op]} {b}"
            if dtype.kind in "iu" and op in ("add", "sub", "mul"):
                return f"{a} {SYMBOLS[op]} {b}" if dtype.kind == "u" else self._wrap(op, type_, a, b)
            if op in ("shl", "shr") and self._small_shift(node.right, dtype):
                text = f"{a} {'<<' if op == 'shl' else '>>'} {b}"
                if op == "shl" and dtype.kind == "i":
                    unsigned = f"u{self.prelude.ctype(type_)}"
                    return f"as_{self.prelude.ctype(type_)}(as_{unsigned}({ungroup(a)}) << as_{unsigned}({ungroup(b)}))"
                return text
        name = self.prelude.lift(
            f"xpu_lanes_{op}", type_, [type_, type_], lambda t: self.scalars.binary(op, dtype, t[0], t[1])
        )
        return f"{name}({ungroup(a)}, {ungroup(b)})"

    @staticmethod
    def _small_shift(node: ir.Expr, dtype: ir.DType) -> bool:
        if isinstance(node, ir.VectorOf) and len(node.items) == 1:
            node = node.items[0]
        return isinstance(node, ir.Const) and 0 <= int(node.value.real) < dtype.itemsize * 8

    def _wrap(self, op: str, type_: ir.Vector, a: str, b: str) -> str:
        """Return wrapping arithmetic of signed lanes."""
        name = self.prelude.ctype(type_)
        left = f"(u{name})(0)" if a == "0" else f"as_u{name}({ungroup(a)})"
        return f"as_{name}({left} {SYMBOLS[op]} as_u{name}({ungroup(b)}))"

    def _lane(self, node: ir.Lane) -> str:
        return self.prelude.lane(group(self.value(node.vector)), node.vector.type, str(node.index))

    def _vectorof(self, node: ir.VectorOf) -> str:
        type_ = node.type
        assert isinstance(type_, ir.Vector)
        texts = [self.value(item) for item in node.items]
        if len(texts) == 1:
            return self.splat(type_, texts[0])
        if self.dialect.native_vectors:
            if type_.dtype.kind == "b":
                texts = [f"-(char)({text})" for text in texts]
            return f"({self.prelude.ctype(type_)})({', '.join(texts)})"
        scalar = self.prelude.ctype(ir.Scalar(type_.dtype))
        names = [f"a{LANES[k]}" for k in range(type_.lanes)]
        made = self.prelude.ctype(type_)
        params = ", ".join(f"{scalar} {name}" for name in names)
        lines = [f"{made} r = {{{{{', '.join(names)}}}}};", "return r;"]
        function = self.prelude.define(f"xpu_vector_{short(type_)}", made, params, lines)
        return f"{function}({', '.join(texts)})"

    # -- conversions

    def _cast(self, node: ir.Cast) -> str:
        source, target = node.operand.type, node.type
        a = self.text(node.operand) if target == ir.INT64 and source.dtype.kind in "iu" else self.value(node.operand)
        if source == target:
            return a
        if isinstance(target, ir.Vector):
            if not isinstance(source, ir.Vector):
                return self.splat(target, self.scalars.cast(source.dtype, target.dtype, a))
            if self.dialect.native_vectors:
                return self._convert(source, target, a)
            name = self.prelude.lift(
                "xpu_cast", target, [source], lambda t: self.scalars.cast(source.dtype, target.dtype, t[0])
            )
            return f"{name}({a})"
        return self.scalars.cast(source.dtype, target.dtype, a)

    def _convert(self, source: ir.Vector, target: ir.Vector, a: str) -> str:
        """Return a conversion of OpenCL vectors."""
        name, lanes = self.prelude.ctype(target), target.lanes
        if source.dtype.kind == "b":
            return f"convert_{name}({group(a)} & (char{lanes})(1))"
        if target.dtype.kind == "b":
            masked = f"{group(a)} != ({self.prelude.ctype(source)})(0)"
            return masked if source.dtype.itemsize == 1 else f"convert_char{lanes}({masked})"
        if target.dtype.name == "float16":
            if source.dtype.name == "float64":
                function = c_numbers.round16_from_double(self.prelude)
                return f"{self.prelude.lift('xpu_cast', target, [source], lambda t: f'{function}({t[0]})')}({a})"
            rounded = c_numbers.round16(self.prelude, target)
            return f"{rounded}({a if source.dtype.kind == 'f' else f'convert_{name}({a})'})"
        if source.dtype.name == "float16" and target.dtype.name == "float32":
            return a
        if source.dtype.kind == "f" and target.dtype.name == "uint64":
            function = self.scalars.float_to_uint64(source.dtype)
            return f"{self.prelude.lift('xpu_cast', target, [source], lambda t: f'{function}({t[0]})')}({a})"
        narrow = target.dtype.kind in "iu" and (target.dtype.itemsize < 4 or target.dtype.name == "uint32")
        if source.dtype.kind == "f" and narrow:
            middle = f"{'long' if target.dtype.name == 'uint32' else 'int'}{lanes}"
            return f"convert_{name}(convert_{middle}({a}))"
        return f"convert_{name}({a})"

    def _reinterpret(self, node: ir.Reinterpret) -> str:
        source, target = node.operand.type, node.type
        a = self.value(node.operand)
        if source == target:
            return a
        if isinstance(source, ir.Vector) and isinstance(target, ir.Vector) and source.lanes == target.lanes:
            if "f2" in (source.dtype.str[1:], target.dtype.str[1:]) or not self.dialect.native_vectors:
                name = self.prelude.lift(
                    "xpu_reinterpret", target, [source], lambda t: self.scalars.bits(source.dtype, target.dtype, t[0])
                )
                return f"{name}({a})"
            return f"as_{self.prelude.ctype(target)}({a})"
        if "float16" in (source.dtype.name, target.dtype.name) and isinstance(source, type(target)):
            return self.scalars.bits(source.dtype, target.dtype, a)
        return self.scalars.bits_of(self.prelude.ctype(target), a)

    def _complex(self, node: ir.Complex) -> str:
        return self.prelude.make_complex(node.type.dtype, self.value(node.real), self.value(node.imag))

    # -- functions

    def _call(self, node: ir.Call) -> str:
        texts = [self.value(arg) for arg in node.args]
        type_ = node.args[0].type
        if not isinstance(type_, ir.Vector):
            return self.scalars.call(node.function, type_.dtype, texts)
        native = self.dialect.native_vectors and self._native_call(node.function, type_, texts)
        if native:
            return native
        assert isinstance(node.type, ir.Vector)
        name = self.prelude.lift(
            f"xpu_lanes_{node.function}",
            node.type,
            [arg.type for arg in node.args],
            lambda t: self.scalars.call(node.function, type_.dtype, t),
        )
        return f"{name}({', '.join(texts)})"

    def _native_call(self, function: str, type_: ir.Vector, texts: list[str]) -> str | None:
        """Return a call on OpenCL vectors, or None where it is done lane by lane."""
        kind = type_.dtype.kind
        joined = ", ".join(texts)
        if kind in "iub" and function in IDENTITY_OVER_INTEGERS:
            return texts[0]
        if kind in "iu":
            if function in ("min", "max", "minimum", "maximum", "fmin", "fmax"):
                return f"{'min' if 'min' in function else 'max'}({joined})"
            if function in ("popcount", "clz"):
                return f"{function}({joined})"
            return None
        if kind != "f":
            return None
        if function in ("min", "max", "minimum", "maximum", "clamp"):
            return f"{self.prelude.choice(function, type_)}({joined})" if type_.dtype.itemsize != 2 else None
        template = self.scalars.table(type_.dtype).get(function)
        if template is None:
            return texts[0] if function in ("conj", "real") else None
        text = template.format(*texts)
        if function in _NATIVE_ON_VECTORS:
            return f"convert_char{type_.lanes}({text})"
        if type_.dtype.itemsize == 2 and function not in EXACT:
            return f"{c_numbers.round16(self.prelude, type_)}({text})"
        return text

    def _callfunction(self, node: ir.CallFunction) -> str:
        arguments: list[str] = []
        for arg in node.args:
            if isinstance(arg, ir.ArrayRef):
                arguments += self.memory.pass_array(arg.name)
            else:
                arguments.append(self.value(arg))
        return self.memory.call_helper(node.function, arguments)

    # -- memory

    def _load(self, node: ir.Load) -> str:
        return self.memory.load(self, node)

    def _atomic(self, node: ir.Atomic) -> str:
        return self.memory.atomic(self, node)
