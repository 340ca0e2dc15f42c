"""Memory in C: names, addresses, loads and stores, atomics, and debug mode's checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...errors import KernelCompileError
from .. import debug, ir
from . import c_numbers
from .c_atomics import Atomics
from .c_prelude import Prelude, short
from .c_text import group, ungroup

if TYPE_CHECKING:
    from .c_expressions import Expressions


def identifier(name: str) -> str:
    """Return a user's name with only the letters that every C compiler takes."""
    return "".join(letter if letter.isascii() else f"_u{ord(letter):x}_" for letter in name)


@dataclass(frozen=True)
class Array:
    """An array as one function sees it."""

    pointer: str
    type: ir.ArrayType
    extents: tuple[str, ...]
    strides: tuple[str, ...]
    written: bool = True


@dataclass(frozen=True)
class Signature:
    """What callers pass to a helper beside its arguments."""

    name: str
    hidden: tuple[str, ...]


class Memory:
    """The variables and arrays of one function."""

    def __init__(
        self,
        prelude: Prelude,
        rank: int,
        arrays: Mapping[str, Array],
        helpers: Mapping[str, Signature],
        sites: Mapping[int, int] | None,
    ) -> None:
        self.prelude = prelude
        self.dialect = prelude.dialect
        self.rank = rank
        self.arrays = arrays
        self.helpers = helpers
        self.sites = sites
        """Numbers of the checked accesses, by the nodes' ids; None: unchecked."""
        self.atomics = Atomics(prelude)

    # -- names

    def variable(self, name: str) -> str:
        """Return the C name of a variable or scalar parameter."""
        return f"v_{identifier(name)}"

    def extent(self, array: str, axis: int) -> str:
        """Return the text of ``array.shape[axis]``."""
        return self.arrays[array].extents[axis]

    def work_item(self, function: str, axis: int) -> str:
        """Return a work-item function of a language axis."""
        if axis >= self.rank:
            return self.literal(0 if function.endswith("_id") else 1)
        if function == "global_size":
            return f"gsize{axis}" if self.dialect.name == "opencl" else f"xpu_g.size[{axis}]"
        if self.dialect.name == "opencl":
            return f"(long)get_{function}({self.rank - 1 - axis})"
        hardware = "xyz"[self.rank - 1 - axis]
        words = {
            "global_id": f"xpu_g.id[{axis}]",
            "group_id": f"xpu_g.group[{axis}]",
            "num_groups": f"xpu_g.groups[{axis}]",
            "local_id": f"(long long)threadIdx.{hardware}",
            "local_size": f"(long long)blockDim.{hardware}",
        }
        return words[function]

    def literal(self, value: int) -> str:
        """Return an int64 literal."""
        return f"{value}{self.dialect.literal_suffix['int64']}"

    def pointer_type(self, type_: ir.ArrayType, written: bool) -> str:
        """Return the C type of a pointer to an array's elements, up to the name."""
        const = "" if written else "const "
        return f"{self.dialect.spaces[type_.space]}{const}{self.prelude.storage(type_.dtype)} *"

    def pass_array(self, name: str) -> list[str]:
        """Return an array as arguments of a helper: pointer, shape, strides."""
        array = self.arrays[name]
        if array.type.space != "global":
            return [array.pointer]
        return [array.pointer, *array.extents, *(array.strides if not array.type.contiguous else ())]

    def call_helper(self, name: str, arguments: Sequence[str]) -> str:
        """Return the call of a helper, with what it needs from its caller."""
        signature = self.helpers[name]
        return f"{signature.name}({', '.join([*arguments, *signature.hidden])})"

    # -- addresses

    def address(self, expressions: Expressions, node: ir.Load | ir.Store | ir.Atomic, lanes: int) -> str:
        """Return the element's position behind the array's pointer; checked in debug mode."""
        array = self.arrays[node.array]
        texts = [expressions.index(index) for index in node.indices]
        if self.sites is not None:
            return self._checked_address(array, texts, self.sites[id(node)], lanes)
        if not texts:
            return "0"
        if array.type.contiguous:
            text = texts[0]
            for extent, index in zip(array.extents[1:], texts[1:], strict=True):
                text = f"{group(text)} * {extent} + {group(index)}"
            return ungroup(text)
        parts = [f"{group(index)} * {stride}" for index, stride in zip(texts, array.strides, strict=True)]
        return " + ".join(parts)

    def _checked_address(self, array: Array, texts: list[str], site: int, lanes: int) -> str:
        if not texts:
            return self.literal(0)
        strides = list(array.strides)
        if array.type.contiguous:
            strides = [self.literal(1)]
            for extent in reversed(array.extents[1:]):
                strides.insert(0, extent if len(strides) == 1 else f"{extent} * {strides[0]}")
        parts = [part for triple in zip(texts, array.extents, strides, strict=True) for part in triple]
        return f"{self._check_function(len(texts))}({self.error_arguments}, {site}, {lanes}, {', '.join(parts)})"

    @property
    def error_arguments(self) -> str:
        """What checked accesses pass on to report errors."""
        return "xpu_error" if self.dialect.name == "opencl" else "xpu_error, xpu_g"

    @property
    def error_parameters(self) -> str:
        """The C parameters for :attr:`error_arguments`."""
        word = self.dialect.types["int64"]
        pointer = f"{self.dialect.spaces['global']}{word} *xpu_error"
        return pointer if self.dialect.name == "opencl" else f"{pointer}, const xpu_grid &xpu_g"

    def fail_function(self) -> str:
        """Add the function that records the first error; return its name."""
        word = self.dialect.types["int64"]
        space = self.dialect.spaces["global"]
        claim = (
            f"atomic_cmpxchg((volatile {space}int *)xpu_error, 0, (int)code)"
            if self.dialect.name == "opencl"
            else "atomicCAS((int *)xpu_error, 0, (int)code)"
        )
        params = f"{self.error_parameters}, {word} code, {word} site, {word} axis, {word} index, {word} extent"
        lines = [f"if ({claim} != 0) {{", "    return;", "}"]
        for slot, name in (
            (debug.SITE, "site"),
            (debug.AXIS, "axis"),
            (debug.INDEX, "index"),
            (debug.EXTENT, "extent"),
        ):
            lines.append(f"xpu_error[{slot}] = {name};")
        ids = [self.work_item("global_id", axis) for axis in range(3)]
        lines += [f"xpu_error[{debug.GLOBAL_ID + axis}] = {text};" for axis, text in enumerate(ids)]
        return self.prelude.define("xpu_fail", "void", params, lines)

    def _check_function(self, rank: int) -> str:
        word = self.dialect.types["int64"]
        fail = self.fail_function()
        self.prelude.need("xpu_bad", f"#define XPU_BAD ({-(2**63 - 1)}{self.dialect.literal_suffix['int64']} - 1)")
        params = "".join(f", {word} i{k}, {word} n{k}, {word} s{k}" for k in range(rank))
        lines = []
        for axis in range(rank):
            last = axis == rank - 1
            above = f"i{axis} > n{axis} - lanes" if last else f"i{axis} >= n{axis}"
            shown = f"(i{axis} < 0 || i{axis} >= n{axis} ? i{axis} : n{axis})" if last else f"i{axis}"
            lines += [
                f"if (i{axis} < 0 || {above}) {{",
                f"    {fail}({self.error_arguments}, {debug.INDEX_ERROR}, site, {axis}, {shown}, n{axis});",
                "    return XPU_BAD;",
                "}",
            ]
        lines.append(f"return {' + '.join(f'i{k} * s{k}' for k in range(rank))};")
        params = f"{self.error_parameters}, {word} site, {word} lanes{params}"
        return self.prelude.define(f"xpu_at{rank}", word, params, lines)

    # -- loads and stores

    def load(self, expressions: Expressions, node: ir.Load) -> str:
        """Return the text of a load: one element, or a vector of consecutive ones."""
        array = self.arrays[node.array]
        lanes = node.type.lanes if isinstance(node.type, ir.Vector) else 1
        at = self.address(expressions, node, lanes)
        if self.sites is None or not node.indices:
            return self._read(array.type, array.pointer, at, node.type)
        word = self.dialect.types["int64"]
        name = f"xpu_get_{short(node.type)}_{array.type.space}"
        zero = expressions.text(_zero(node.type))
        found = self._read(array.type, "p", "at", node.type)
        self.prelude.define(
            name,
            self.prelude.ctype(node.type),
            f"{self.pointer_type(array.type, False)}p, {word} at",
            [
                "if (at == XPU_BAD) {",
                f"    return {zero};",
                "}",
                f"return {found};",
            ],
        )
        return f"{name}({array.pointer}, {at})"

    def _read(self, array: ir.ArrayType, pointer: str, at: str, type_: ir.Type) -> str:
        dtype = array.dtype
        if isinstance(type_, ir.Vector):
            return self._read_vector(array, pointer, at, type_)
        if dtype.name == "float16":
            if self.dialect.name == "opencl":
                return f"vload_half({at}, (const {self.dialect.spaces[array.space]}half *){pointer})"
            return f"{c_numbers.from_bits16(self.prelude)}({pointer}[{at}])"
        return f"({pointer}[{at}] != 0)" if dtype.kind == "b" else f"{pointer}[{at}]"

    def _read_vector(self, array: ir.ArrayType, pointer: str, at: str, type_: ir.Vector) -> str:
        lanes = type_.lanes
        start = pointer if at == "0" else f"{pointer} + ({at})"
        if not self.dialect.native_vectors:
            storage = self.prelude.storage(array.dtype)
            name = f"xpu_load_{short(type_)}"
            if name not in self.prelude.texts:
                made = self.prelude.ctype(type_)
                item = self._read(array, "p", "k", ir.Scalar(array.dtype))
                loop = ["#pragma unroll", f"for (int k = 0; k < {lanes}; k++) {{", f"    r.v[k] = {item};", "}"]
                self.prelude.define(name, made, f"const {storage} *p", [f"{made} r;", *loop, "return r;"])
            return f"{name}({start})"
        if array.dtype.name == "float16":
            return f"{self._halves(lanes, read=True)}(vload{lanes}(0, {start}))"
        if array.dtype.kind == "b":
            return f"(vload{lanes}(0, {start}) != (uchar{lanes})(0))"
        return f"vload{lanes}(0, {start})"

    def store(
        self, expressions: Expressions, node: ir.Store, hide: Callable[[str, ir.Type, str], str] | None = None
    ) -> list[str]:
        """Return the statements of a store; ``hide`` wraps the value's text, given its type in both languages."""
        array = self.arrays[node.array]
        lanes = node.value.type.lanes if isinstance(node.value.type, ir.Vector) else 1
        at = self.address(expressions, node, lanes)
        value = ungroup(expressions.text(node.value))
        if hide is not None:
            value = hide(value, node.value.type, self.prelude.ctype(node.value.type))
        if self.sites is None or not node.indices:
            return [self._write(array, at, value, node.value.type)]
        word = self.dialect.types["int64"]
        return [
            "{",
            f"    const {word} xpu_at = {at};",
            "    if (xpu_at != XPU_BAD) {",
            f"        {self._write(array, 'xpu_at', value, node.value.type)}",
            "    }",
            "}",
        ]

    def _write(self, array: Array, at: str, value: str, type_: ir.Type) -> str:
        dtype, pointer = array.type.dtype, array.pointer
        half = f"({self.dialect.spaces[array.type.space]}half *)"
        if isinstance(type_, ir.Vector):
            start = pointer if at == "0" else f"{pointer} + ({at})"
            if not self.dialect.native_vectors:
                return f"{self._store_function(array.type, type_)}({value}, {start});"
            if dtype.name == "float16":
                return f"vstore{type_.lanes}({self._halves(type_.lanes, read=False)}({value}), 0, {start});"
            if dtype.kind == "b":
                value = f"as_uchar{type_.lanes}({value}) & (uchar{type_.lanes})(1)"
            return f"vstore{type_.lanes}({value}, 0, {start});"
        if dtype.name == "float16":
            if self.dialect.name == "opencl":
                return f"vstore_half_rte({value}, {at}, {half}{pointer});"
            return f"{pointer}[{at}] = {c_numbers.to_bits16(self.prelude)}({value});"
        return f"{pointer}[{at}] = {value};"

    def _halves(self, lanes: int, read: bool) -> str:
        """Return the name of the conversion between vectors of 16 bits and of floats.

        Through a variable: PoCL's ``vload_half8`` takes any address for a multiple of 16 bytes.
        """
        bits, numbers = f"ushort{lanes}", f"float{lanes}"
        if read:
            body = [f"return vload_half{lanes}(0, (const __private half *)&a);"]
            return self.prelude.define(f"xpu_from_halves{lanes}", numbers, f"{bits} a", body)
        body = [f"{bits} r;", f"vstore_half{lanes}_rte(a, 0, (__private half *)&r);", "return r;"]
        return self.prelude.define(f"xpu_to_halves{lanes}", bits, f"{numbers} a", body)

    def _store_function(self, array: ir.ArrayType, type_: ir.Vector) -> str:
        name = f"xpu_store_{short(type_)}"
        item = "a.v[k]"
        if array.dtype.name == "float16":
            item = f"{c_numbers.to_bits16(self.prelude)}(a.v[k])"
        params = f"{self.prelude.ctype(type_)} a, {self.prelude.storage(array.dtype)} *p"
        loop = ["#pragma unroll", f"for (int k = 0; k < {type_.lanes}; k++) {{", f"    p[k] = {item};", "}"]
        return self.prelude.define(name, "void", params, loop)

    # -- atomics

    def atomic(self, expressions: Expressions, node: ir.Atomic) -> str:
        """Return the text of an atomic."""
        array = self.arrays[node.array]
        if array.type.space == "private":
            raise KernelCompileError(f"{node.array!r} is private to its work-item: use plain reads and writes on it")
        at = self.address(expressions, node, 1)
        values = [expressions.value(value) for value in node.values]
        if self.sites is None or not node.indices:
            pointer = array.pointer if at == "0" else f"{array.pointer} + ({at})"
            return self.atomics.call(node.op, array.type, pointer, values)
        word = self.dialect.types["int64"]
        type_ = ir.Scalar(array.type.dtype)
        name = f"xpu_checked_{node.op}_{short(type_)}_{array.type.space}"
        letters = ["v", "w"][: len(values)]
        inner = self.atomics.call(node.op, array.type, "p + at", letters)
        params = "".join(f", {self.prelude.ctype(type_)} {letter}" for letter in letters)
        self.prelude.define(
            name,
            self.prelude.ctype(type_),
            f"{self.pointer_type(array.type, True)}p, {word} at{params}",
            ["if (at == XPU_BAD) {", "    return 0;", "}", f"return {inner};"],
        )
        return f"{name}({array.pointer}, {at}{''.join(f', {value}' for value in values)})"


def _zero(type_: ir.Type) -> ir.Expr:
    return ir.Const(type_, False if type_.dtype.kind == "b" else 0)
