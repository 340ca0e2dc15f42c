"""Kernels as Python for Numba: a serial function over a slice of the work.

``xpu_<kernel>(begin, end, args, scratch)`` runs the work units ``begin`` to ``end``: work-items in the order of the
index space, or, where groups matter, work-groups. ``args`` are slots of 8 bytes: the parameters of the kernel in their
order (complex128 takes two slots), the local size of each axis, and the address that ``print`` calls. ``scratch`` is
memory of the running thread: ``SCRATCH_BYTES``, and ``ITEM_BYTES`` more for each item of a group, each array starting
at a cache line.

The words that a printed kernel uses are those of ``xpu_cpu.frontend``. For the user's variable ``x`` the text has
``v_x``, for an array ``a`` its memory ``a_a``, its extents ``n0_a``... and its strides ``s0_a``...; ``gid0`` and the
like are the work-item functions.
"""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import Any

import numpy as np

from ...backend import DeviceInfo
from ...errors import KernelCompileError
from .. import intrinsics, ir
from ..frontend.expand import expand
from ..passes.guards import take_guards
from ..passes.inline import flatten_kernel
from ..stdlib import FAST
from . import numba_barriers
from .numba_expressions import Expressions, array, variable
from .numba_loops import Loops, round_up
from .numba_statements import Statements, Writer

STACK_BYTES = 16 * 1024
"""Private arrays larger than this are not on the stack of the thread, which is small, but in its scratch memory."""
GROUP_WORDS = ("local_id", "group_id", "local_size", "num_groups")
_REAL = (
    "sqrt exp expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh exp2 rsqrt cbrt "
    "erf erfc tgamma lgamma degrees radians floor ceil trunc rint abs pow atan2 fmod hypot copysign nextafter "
    "remainder fdim fmin fmax minimum maximum min max fma mad clamp isnan isinf isfinite signbit popcount clz real imag conj"
)
NATIVE = frozenset(_REAL.split())
"""Functions of real numbers that the words have; of complex numbers it is ``real``, ``imag`` and ``conj``."""


def lacks(function: str, dtype: np.dtype[Any]) -> bool:
    """Whether a function of a dtype must be written in the kernel language for this printer."""
    if dtype.kind == "c":
        return function not in ("real", "imag", "conj")
    return function in FAST or function not in NATIVE


def render(kernel: ir.Kernel, info: DeviceInfo, debug: bool = False) -> str:
    """Print a kernel for Numba."""
    for node in ir.all_bodies(kernel):
        if isinstance(node, ir.Call) and node.function not in intrinsics.TABLE:
            raise KernelCompileError(f"the Numba printer has no function {node.function!r}")
    return KernelPrinter(kernel, info, debug).render()


class KernelPrinter:
    """Prints one kernel."""

    def __init__(self, kernel: ir.Kernel, info: DeviceInfo, debug: bool) -> None:
        self.original = kernel
        self.debug = debug
        self.kernel, self.sites = flatten_kernel(kernel, expand(kernel, lacks, info, FAST))
        arrays = {p.name: p.type for p in kernel.params if isinstance(p.type, ir.ArrayType)}
        arrays |= {declared.name: declared.type for declared in self.kernel.arrays}
        self.writer = Writer()
        self.expr = Expressions(arrays, kernel.rank, self.sites, debug)
        self.statements = Statements(self.writer, self.expr)
        self.barriers = any(isinstance(node, ir.Barrier) for node in ir.walk(self.kernel.body))
        words = any(isinstance(n, ir.WorkItem) and n.function in GROUP_WORDS for n in ir.walk(self.kernel.body))
        self.grouped = words or any(declared.type.space == "local" for declared in self.kernel.arrays) or self.barriers
        self.loops = Loops(self.writer, kernel.rank, self.grouped)
        self.in_memory: set[str] = set()
        """Private arrays that the items' memory holds."""
        self.scratch_bytes = 0
        self.item_bytes = 0

    def render(self) -> str:
        """Return the whole source."""
        with self.writer.block(f"def xpu_{self.kernel.name}(begin, end, args, scratch):"):
            top = len(self.writer.lines)
            if self.barriers:
                split = numba_barriers.Splitter(self.kernel, self.statements, self.loops)
                split.run()
                items, self.in_memory = split.items, split.in_memory
            else:
                items = []
                statements = self.kernel.body
                if not self.grouped:
                    statements, bounds = take_guards(self.kernel, self.sites)
                    for axis, bound in bounds.items():
                        texts = (list(map(self.expr, side)) for side in (bound.starts, bound.stops))
                        self.loops.bounds[axis] = (next(texts), next(texts))
                with self.loops.units(), self.loops.items():
                    self.statements.block(statements)
        body = self.writer.lines[top:]
        head = self._head(body, items)
        lines = [*self._comment(), *self._constants(), "", "", *self.writer.lines[:top], *head, *body]
        return "\n".join(lines) + "\n"

    def _comment(self) -> list[str]:
        loc = self.original.loc
        place = f", from {PurePath(loc.file).name}:{loc.line}" if loc is not None else ""
        return [f"# xpu kernel {self.kernel.name}{place}".encode("ascii", "replace").decode()]

    def _constants(self) -> list[str]:
        return [
            'inf, nan = float("inf"), float("nan")',
            f"GROUPED = {self.grouped}",
            f"SCRATCH_BYTES = {self.scratch_bytes}",
            f"ITEM_BYTES = {self.item_bytes}",
            f"PRINTS = {tuple(self.statements.prints)!r}",
        ]

    # -- the head: only what the body uses

    def _head(self, body: list[str], items: list[numba_barriers.ItemArray]) -> list[str]:
        definitions = self._arguments() + self.loops.head() + self._arrays() + self._items(items)
        used = _words("\n".join(body))
        kept: list[str] = []
        for name, value in reversed(definitions):
            if name in used:
                kept.append(f"    {name} = {value}")
                used |= _words(value)
        return kept[::-1]

    def _arguments(self) -> list[tuple[str, str]]:
        out: list[tuple[str, str]] = []
        slot = 0
        for axis in range(self.kernel.rank):
            out.append((f"gsize{axis}", f"argument_int64(args, {slot})"))
            slot += 1
        for param in self.kernel.params:
            name, type_ = param.name, param.type
            if not isinstance(type_, ir.ArrayType):
                out.append((variable(name), f"argument_{type_.dtype.name}(args, {slot})"))
                slot += 2 if type_.dtype.itemsize == 16 else 1
                continue
            out.append((array(name), f"array_{type_.dtype.name}(args, {slot})"))
            slot += 2
            for letter in "n" if type_.contiguous else "ns":
                for axis in range(type_.ndim):
                    out.append((f"{letter}{axis}_{name}", f"argument_int64(args, {slot})"))
                    slot += 1
        if self.debug:
            out.append(("errors", f"buffer_int64(args, {slot})"))
            slot += 1
        for axis in range(self.kernel.rank):
            out.append((f"lsize{axis}", f"argument_int64(args, {slot})"))
            slot += 1
        out.append(("printer", f"argument_int64(args, {slot})"))
        return out

    def _arrays(self) -> list[tuple[str, str]]:
        """Return the pointers of local and private arrays, and count the bytes of the local ones."""
        out = []
        for declared in self.kernel.arrays:
            size = int(np.prod(declared.type.shape or (), dtype=np.int64))
            dtype = declared.type.dtype
            if declared.type.space == "local":
                out.append((array(declared.name), f"local_{dtype.name}(scratch, {self.scratch_bytes})"))
                self.scratch_bytes += round_up(size * dtype.itemsize)
            elif declared.name in self.in_memory:
                continue
            elif size * dtype.itemsize > STACK_BYTES:
                out.append((array(declared.name), f"large_{dtype.name}(scratch, {self.scratch_bytes})"))
                self.scratch_bytes += round_up(size * dtype.itemsize)
            else:
                out.append((array(declared.name), f"private_{dtype.name}({max(size, 1)})"))
        return out

    def _items(self, items: list[numba_barriers.ItemArray]) -> list[tuple[str, str]]:
        """Return the pointers of values kept for each item of a group, behind the local arrays."""
        out = []
        for item in items:
            place = f"{self.scratch_bytes} + {self.item_bytes} * slots"
            out.append((item.name, f"items_{item.dtype.name}(scratch, {place})"))
            self.item_bytes += item.size * item.dtype.itemsize
        return out


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text))
