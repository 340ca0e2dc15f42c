"""Atomic operations in C: the language's own where it has them, compare-and-swap loops elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import KernelCompileError
from .. import ir
from .c_numbers import need_bits
from .c_prelude import Prelude, short

_CUDA_NAMES = {
    "add": "atomicAdd",
    "sub": "atomicSub",
    "min": "atomicMin",
    "max": "atomicMax",
    "and": "atomicAnd",
    "or": "atomicOr",
    "xor": "atomicXor",
    "xchg": "atomicExch",
    "cas": "atomicCAS",
}
_COMBINE = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "min": "{1} < {0} ? {1} : {0}",
    "max": "{1} > {0} ? {1} : {0}",
    "and": "{0} & {1}",
    "or": "{0} | {1}",
    "xor": "{0} ^ {1}",
    "xchg": "{1}",
}


class Atomics:
    """Prints atomics; each gives the old value. Floats are compared and swapped by their bits."""

    def __init__(self, prelude: Prelude) -> None:
        self.prelude = prelude
        self.dialect = prelude.dialect

    def call(self, op: str, array: ir.ArrayType, pointer: str, values: Sequence[str]) -> str:
        """Return the call of an atomic on the element at ``pointer``."""
        dtype = array.dtype
        if dtype.itemsize < 4 or dtype.kind not in "iuf":
            raise KernelCompileError(
                f"atomics exist for int32, uint32, int64, uint64, float32 and float64; not for {dtype.name}"
            )
        if dtype.itemsize == 8:
            self.prelude.features.add("atomics64")
        if dtype.kind == "f" and op in ("and", "or", "xor"):
            raise KernelCompileError(f"atomic_{op} is for integers; the array has {dtype.name}")
        joined = ", ".join([pointer, *values])
        if self.dialect.name == "opencl":
            return self._opencl(op, array, joined)
        return self._cuda(op, array, joined)

    # -- OpenCL

    def _opencl(self, op: str, array: ir.ArrayType, joined: str) -> str:
        dtype = array.dtype
        native = {"cas": "cmpxchg"}.get(op, op)
        prefix = "atomic_" if dtype.itemsize == 4 else "atom_"
        if dtype.kind in "iu":
            return f"{prefix}{native}({joined})"
        space = self.dialect.spaces[array.space]
        name = f"xpu_atomic_{op}_{short(array)}_{array.space}"
        return f"{self._loop(op, array, name, space, f'{prefix}cmpxchg')}({joined})"

    def _loop(self, op: str, array: ir.ArrayType, name: str, space: str, swap: str) -> str:
        """Add a compare-and-swap loop on the bits of a float; return its name."""
        dtype = array.dtype
        value = self.dialect.types[dtype.name]
        word = self.dialect.types["uint32" if dtype.itemsize == 4 else "uint64"]
        if dtype.itemsize == 8:
            self.prelude.features.add("float64")
        volatile = f"volatile {space}"
        if not self.dialect.native_vectors:
            need_bits(self.prelude)
            volatile = ""
        params = f"{volatile}{value} *p, {value} v"
        lines = [f"{volatile}{word} *cell = ({volatile}{word} *)p;"]
        if op == "cas":
            swapped = f"{swap}(cell, {self._bits(word, 'v')}, {self._bits(word, 'w')})"
            return self.prelude.define(
                name, value, f"{params}, {value} w", [*lines, f"return {self._bits(value, swapped)};"]
            )
        combined = _COMBINE[op].format(self._bits(value, "old"), "v")
        lines += [
            f"{word} old;",
            *self._guess(word, swap),
            "do {",
            "    old = seen;",
            f"    seen = {swap}(cell, old, {self._bits(word, combined)});",
            "} while (seen != old);",
            f"return {self._bits(value, 'old')};",
        ]
        return self.prelude.define(name, value, params, lines)

    def _guess(self, word: str, swap: str) -> list[str]:
        """Return what the first swap expects: it checks that itself, so a plain read may race with others' swaps."""
        plain = f"{word} seen = *cell;"
        if not self.dialect.native_vectors:
            return [plain]
        # A simulator that looks for races gets an atomic read, which costs as much as another swap.
        return ["#ifdef XPU_NO_RACES", f"{word} seen = {swap}(cell, 0, 0);", "#else", plain, "#endif"]

    def _bits(self, type_: str, text: str) -> str:
        return self.dialect.bits.format(type_, text)

    # -- CUDA and HIP

    def _cuda(self, op: str, array: ir.ArrayType, joined: str) -> str:
        dtype = array.dtype
        value = self.dialect.types[dtype.name]
        name = f"xpu_atomic_{op}_{short(array)}"
        native = _CUDA_NAMES[op]
        if dtype.kind == "f":
            if op == "add" or (op == "xchg" and dtype.itemsize == 4):
                return f"{native}({joined})"
            return f"{self._loop(op, array, name, '', 'atomicCAS')}({joined})"
        if dtype.itemsize == 4 or (op in ("min", "max")) or (dtype.kind == "u" and op != "sub"):
            return f"{native}({joined})"
        unsigned = self.dialect.types["uint64"]
        given = f"({unsigned})v"
        if op == "sub":
            native, given = "atomicAdd", f"0 - ({unsigned})v"
        elif op == "cas":
            given += f", ({unsigned})w"
        params = f"{value} *p, {value} v" + (f", {value} w" if op == "cas" else "")
        line = f"return ({value}){native}(({unsigned} *)p, {given});"
        return f"{self.prelude.define(name, value, params, [line])}({joined})"
