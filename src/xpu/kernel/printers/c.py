"""Kernels in OpenCL C, CUDA C and HIP C: one printer, three tables (:mod:`.dialects`).

The printed text keeps the user's names, with the prefix ``v_``. For an array ``a`` the parameters are ``v_a`` (the
pointer), ``o_a`` (its offset), ``n0_a, n1_a...`` (its shape) and ``s0_a...`` (its strides). In CUDA and HIP the grid is
one-dimensional: the launch linearises the groups, the language's last axis fastest, and the kernel finds its place
again from ``blockIdx.x`` and the number of groups of each axis, ``ceil(gsize / local size)``. Compile CUDA with
``--fmad=false``.
"""

from __future__ import annotations

import math
from pathlib import PurePath
from typing import Any

import numpy as np

from ...backend import DeviceInfo
from ...dtypes import needs_fp64
from ...errors import KernelCompileError, UnsupportedDTypeError
from .. import ir
from .c_expressions import Expressions
from .c_memory import Array, Memory, Signature, identifier
from .c_negations import has_negation
from .c_numbers import from_bits16
from .c_prelude import Prelude
from .c_ranges import Ranges
from .c_recurrences import ZERO, chained
from .c_statements import Statements
from .dialects import DIALECTS, SPELLED_COMPLEX, Dialect, spelled

__all__ = ["render_cuda", "render_hip", "render_opencl", "spelled"]


def render_opencl(kernel: ir.Kernel, info: DeviceInfo, debug: bool = False) -> str:
    """Print a kernel in OpenCL C."""
    return _render(kernel, info, debug, "opencl")


def render_cuda(kernel: ir.Kernel, info: DeviceInfo, debug: bool = False) -> str:
    """Print a kernel in CUDA C."""
    return _render(kernel, info, debug, "cuda")


def render_hip(kernel: ir.Kernel, info: DeviceInfo, debug: bool = False) -> str:
    """Print a kernel in HIP C."""
    return _render(kernel, info, debug, "hip")


def _render(kernel: ir.Kernel, info: DeviceInfo, debug: bool, language: str) -> str:
    if not info.fp64 and any(needs_fp64(dtype) for dtype in ir.dtypes_used(kernel)):
        raise UnsupportedDTypeError(
            f"kernel {kernel.name!r} computes in float64, which {info.name} does not have; use float32 there"
        )
    kernel, added = _with_library(kernel, info, language)
    printer = KernelPrinter(kernel, DIALECTS[language], debug, added, language == "opencl" and info.kind == "cpu")
    text = printer.render()
    if "atomics64" in printer.prelude.features and not info.atomics64:
        raise KernelCompileError(
            f"kernel {kernel.name!r} needs 64-bit atomics, which {info.name} does not have; use 32-bit arrays there"
        )
    return text


def _with_library(kernel: ir.Kernel, info: DeviceInfo, language: str) -> tuple[ir.Kernel, int]:
    """Return the kernel with the library's functions where the language lacks its own, and how many were added.

    On a CPU the fast ones are taken instead of the driver's: they give the same bits in every lane and without vectors.
    """
    from ..frontend.expand import expand
    from ..stdlib import FAST

    own = spelled(language)
    fast = {} if info.kind != "cpu" else {name: f for name, f in FAST.items() if name != "pow" or info.fp64}

    def missing(function: str, dtype: np.dtype[Any]) -> bool:
        if dtype.kind == "c":
            return function not in SPELLED_COMPLEX
        halves = function == "nextafter" and dtype == np.float16  # the languages' own would step in float32
        return halves or function in fast or function not in own

    expanded = expand(kernel, missing, info, fast)
    return expanded, len(expanded.functions) - len(kernel.functions)


class KernelPrinter:
    """Prints one kernel with its helpers.

    ``added`` counts the library's functions in front of the kernel's own; they hold no access that debug mode numbers.
    ``hide`` says that chained recurrences are hidden from the compiler, and negations where there are barriers.
    """

    def __init__(self, kernel: ir.Kernel, dialect: Dialect, debug: bool, added: int = 0, hide: bool = False) -> None:
        self.kernel = kernel
        self.dialect = dialect
        self.debug = debug
        self.prelude = Prelude(dialect)
        self.word = dialect.types["int64"]
        self.sites: dict[int, int] | None = None
        if debug:
            checked = (ir.Load, ir.Store, ir.Atomic, ir.Assert)
            bodies = [*(function.body for function in kernel.functions[added:]), kernel.body]
            nodes = [node for body in bodies for node in ir.walk(body) if isinstance(node, checked)]
            self.sites = {id(node): number for number, node in enumerate(nodes)}
        self.helpers: dict[str, Signature] = {}
        self.hidden: dict[str, list[tuple[str, str]]] = {}
        """For each helper its hidden parameters: name and type."""
        self.hide = hide
        functions: list[ir.Function | ir.Kernel] = [*kernel.functions, kernel] if hide else []
        self.chained = {id(function): found for function in functions if (found := chained(function))}
        """For each function the assignments that close a chain, if there are any."""
        self.hide_negations = hide and kernel.uses_barrier
        if self.hide_negations:
            for function in filter(has_negation, functions):
                self.chained.setdefault(id(function), set())

    def render(self) -> str:
        """Return the whole source."""
        if self.dialect.name != "opencl":
            self._grid()
        functions = [self._helper(function) for function in self.kernel.functions]
        body = self._kernel()
        parts = ["\n".join(self._head())]
        if self.prelude.texts:
            parts.append(self.prelude.text())
        return "\n\n".join([*parts, *functions, body]) + "\n"

    def _head(self) -> list[str]:
        lines = [f"// xpu kernel {self.kernel.name}"]
        loc = self.kernel.loc
        if loc is not None:
            lines[0] += f", from {_printable(PurePath(loc.file).name)}:{loc.line}"
        lines += self.dialect.header
        for feature in sorted(self.prelude.features):
            if feature in self.dialect.extensions:
                lines.append(self.dialect.extensions[feature])
        return lines

    # -- where a thread is (CUDA, HIP)

    def _grid(self) -> None:
        word, rank = self.word, self.kernel.rank
        self.prelude.need(
            "xpu_grid",
            "// Where this thread is: axes in the language's order, the last one along x.\n"
            f"struct xpu_grid {{\n    {word} size[3], groups[3], group[3], id[3];\n}};",
        )
        lines = ["xpu_grid g;", f"{word} rest = blockIdx.x;"]
        for axis in reversed(range(rank)):
            hardware = "xyz"[rank - 1 - axis]
            lines += [
                f"g.size[{axis}] = gsize{axis};",
                f"g.groups[{axis}] = (gsize{axis} + blockDim.{hardware} - 1) / blockDim.{hardware};",
                f"g.group[{axis}] = {'rest' if axis == 0 else f'rest % g.groups[{axis}]'};",
                f"g.id[{axis}] = g.group[{axis}] * blockDim.{hardware} + threadIdx.{hardware};",
            ]
            if axis:
                lines.append(f"rest /= g.groups[{axis}];")
        lines.append("return g;")
        arguments = ", ".join(f"{word} gsize{axis}" for axis in range(rank))
        body = "\n".join(f"    {line}" for line in lines)
        self.prelude.need("xpu_locate", f"{self.dialect.function} xpu_grid xpu_locate({arguments}) {{\n{body}\n}}")

    # -- functions

    def _helper(self, function: ir.Function) -> str:
        hidden = self._hidden_parameters(function)
        self.hidden[function.name] = hidden
        name = f"f_{identifier(function.name)}"
        self.helpers[function.name] = Signature(name, tuple(item for item, _ in hidden))
        arrays: dict[str, Array] = {}
        params: list[str] = []
        for param in function.params:
            params += self._parameter(param, arrays)
        params += [f"{type_}{item}" for item, type_ in hidden]
        for declared in function.arrays:
            owner = None if declared.type.space == "private" else function.name
            arrays[declared.name] = self._declared(declared, owner)
        memory = Memory(self.prelude, self.kernel.rank, arrays, self.helpers, self.sites)
        result = "void" if function.result is None else self.prelude.ctype(function.result)
        private = [declared for declared in function.arrays if declared.type.space == "private"]
        body = self._body(function, memory, [self._declaration(item, arrays) for item in private])
        comment = f"// {_place(function.loc)}\n" if function.loc else ""
        return f"{comment}{self.dialect.function} {result} {name}({', '.join(params)}) {{\n{body}}}"

    def _parameter(self, param: ir.Param, arrays: dict[str, Array]) -> list[str]:
        """Return a helper's C parameters for one of the language."""
        name = identifier(param.name)
        if not isinstance(param.type, ir.ArrayType):
            return [f"{self.prelude.ctype(param.type)} v_{name}"]
        memory = Memory(self.prelude, self.kernel.rank, {}, {}, None)
        pointer = f"{memory.pointer_type(param.type, param.written)}v_{name}"
        if param.type.space != "global":
            arrays[param.name] = self._array(f"v_{name}", param.type, name, param.written)
            return [pointer]
        array = self._array(f"v_{name}", param.type, name, param.written)
        arrays[param.name] = array
        return [pointer, *(f"{self.word} {text}" for text in (*array.extents, *array.strides))]

    def _array(self, pointer: str, type_: ir.ArrayType, name: str, written: bool = True) -> Array:
        if type_.shape is not None:
            suffix = self.dialect.literal_suffix["int64"]
            return Array(pointer, type_, tuple(f"{extent}{suffix}" for extent in type_.shape), (), written)
        extents = tuple(f"n{axis}_{name}" for axis in range(type_.ndim))
        strides = () if type_.contiguous else tuple(f"s{axis}_{name}" for axis in range(type_.ndim))
        return Array(pointer, type_, extents, strides, written)

    def _declared(self, declared: ir.ArrayDecl, owner: str | None) -> Array:
        prefix = "v" if owner is None else f"l_{identifier(owner)}"
        return self._array(f"{prefix}_{identifier(declared.name)}", declared.type, identifier(declared.name))

    def _declaration(self, declared: ir.ArrayDecl, arrays: dict[str, Array]) -> str:
        array = arrays[declared.name]
        count = max(math.prod(declared.type.shape or ()), 1)
        qualifier = self.dialect.local if declared.type.space == "local" else ""
        return f"{qualifier}{self.prelude.storage(declared.type.dtype)} {array.pointer}[{count}];"

    def _hidden_parameters(self, function: ir.Function) -> list[tuple[str, str]]:
        """Return what a helper, and those it calls, need from the kernel: place, local memory, error buffer."""
        found: dict[str, str] = {}
        nodes = list(ir.walk(function.body))
        checked = self.debug and any(id(node) in (self.sites or {}) for node in nodes)
        if self.dialect.name == "opencl":
            sizes = any(isinstance(node, ir.WorkItem) and node.function == "global_size" for node in nodes)
            if sizes:
                found |= {f"gsize{axis}": f"{self.word} " for axis in range(self.kernel.rank)}
        elif checked or any(isinstance(node, ir.WorkItem) for node in nodes):
            found["xpu_g"] = "const xpu_grid &"
        if id(function) in self.chained:
            found[ZERO] = "const int "
        for declared in function.arrays:
            if declared.type.space == "local":
                array = self._declared(declared, function.name)
                found[array.pointer] = f"{self.dialect.spaces['local']}{self.prelude.storage(declared.type.dtype)} *"
        for node in nodes:
            if isinstance(node, ir.CallFunction):
                found |= dict(self.hidden[node.function])
        if checked:
            found["xpu_error"] = f"{self.dialect.spaces['global']}{self.word} *"
        return list(found.items())

    def _kernel(self) -> str:
        kernel = self.kernel
        arrays: dict[str, Array] = {}
        params = [f"{self.word} gsize{axis}" for axis in range(kernel.rank)]
        setup: list[str] = []
        for param in kernel.params:
            name = identifier(param.name)
            if isinstance(param.type, ir.ArrayType):
                pointer, *extents = self._parameter(param, arrays)
                params += [pointer, f"{self.word} o_{name}", *extents]
                setup.append(f"v_{name} += o_{name};")
            elif param.type.dtype.name in ("float16", "bool"):
                params.append(f"{self.prelude.storage(param.type.dtype)} raw_{name}")
                half = param.type.dtype.name == "float16"
                value = f"{from_bits16(self.prelude)}(raw_{name})" if half else f"raw_{name} != 0"
                setup.append(f"{self.prelude.ctype(param.type)} v_{name} = {value};")
            else:
                params.append(f"{self.prelude.ctype(param.type)} v_{name}")
        if self.debug:
            params.append(f"{self.dialect.spaces['global']}{self.word} *xpu_error")
        declarations = []
        for declared in kernel.arrays:
            arrays[declared.name] = self._declared(declared, None)
            declarations.append(self._declaration(declared, arrays))
        for function in kernel.functions:
            for declared in function.arrays:
                if declared.type.space == "local":
                    array = {declared.name: self._declared(declared, function.name)}
                    declarations.append(self._declaration(declared, array))
        if self.chained:  # no global size is that large, but no compiler knows
            setup.append(f"const int {ZERO} = (int)(gsize0 >> 62);")
        memory = Memory(self.prelude, kernel.rank, arrays, self.helpers, self.sites)
        if self.dialect.name != "opencl":
            sizes = ", ".join(f"gsize{axis}" for axis in range(kernel.rank))
            setup.insert(0, f"const xpu_grid xpu_g = xpu_locate({sizes});")
        if not kernel.uses_barrier:
            ids = [memory.work_item("global_id", axis) for axis in range(kernel.rank)]
            outside = " || ".join(f"{text} >= gsize{axis}" for axis, text in enumerate(ids))
            guard = [f"if ({outside}) {{", "    return;", "}"]
            setup = setup + guard if self.dialect.name == "opencl" else setup[:1] + guard + setup[1:]
        body = self._body(kernel, memory, declarations + setup)
        separator = ",\n    "
        name = f"xpu_{identifier(kernel.name)}"
        return f"{self.dialect.kernel} {name}(\n    {separator.join(params)}) {{\n{body}}}"

    def _body(self, function: ir.Function | ir.Kernel, memory: Memory, first: list[str]) -> str:
        ranges = Ranges(function.params, function.variables, function.body)
        expressions = Expressions(self.prelude, memory, ranges, self.debug, self.hide_negations)
        statements = Statements(
            expressions, memory, function, self.chained.get(id(function), ()) if self.hide else None
        )
        lines = [f"    {line}" for line in first]
        lines += statements.render()
        return "".join(f"{line}\n" for line in lines)


def _printable(text: str) -> str:
    return "".join(letter if letter.isascii() and letter.isprintable() and letter != "\\" else "?" for letter in text)


def _place(loc: ir.Loc) -> str:
    return f"{_printable(PurePath(loc.file).name)}:{loc.line}"
