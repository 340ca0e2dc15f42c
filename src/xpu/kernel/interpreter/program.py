"""A kernel made ready to interpret, and its launch on blocks of memory."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Sequence
from typing import Any

import numpy as np

from ...memory import contiguous_strides
from .. import ir
from ..printers.interpreter import translate
from . import groups
from .memory import Array, Block
from .races import Shadow, WideShadow
from .report import Reporter
from .verify import verify


class Program:
    """A kernel as Python code. It may be launched from several threads at once: a launch keeps its state apart."""

    def __init__(self, kernel: ir.Kernel) -> None:
        verify(kernel)
        translation = translate(kernel)
        self.kernel = kernel
        self.file = translation.file
        self.sites = translation.sites
        self.barriers = translation.barriers
        self.barrier = kernel.uses_barrier
        self.report = Reporter(self)
        self._owners = translation.functions
        self.local_declarations = [("", d) for d in kernel.arrays if d.type.space == "local"]
        for function in kernel.functions:
            self.local_declarations += [(function.name, d) for d in function.arrays if d.type.space == "local"]
        module: ast.Module = _HoistLiterals(translation.literals).visit(translation.module)
        namespace: dict[str, Any] = dict(translation.constants)
        code: Any
        if kernel.loc is None:  # a kernel that no user wrote: debuggers show the translation
            text = ast.unparse(module)
            linecache.cache[self.file] = (len(text), None, text.splitlines(keepends=True), self.file)
            code = compile(text, self.file, "exec")
        else:
            code = compile(module, self.file, "exec")
        exec(code, namespace)  # noqa: S102
        self.entry = namespace[translation.entry]

    def helper_of(self, site: int) -> str | None:
        """Return the helper that an access belongs to; None: the kernel itself."""
        return self._owners.get(site)

    def run(
        self,
        global_size: tuple[int, ...],
        local_size: tuple[int, ...] | None,
        arguments: Sequence[Any],
        limit: int = 1024,
    ) -> None:
        """Launch on arguments in the order of :func:`xpu.kernel.abi.parameters`; buffers are :class:`Block`."""
        rank = self.kernel.rank
        true_size = tuple(int(n) for n in arguments[:rank])
        if local_size is None:
            local_size = groups.choose_local_size(global_size, self.barrier, limit)
        launch = groups.Launch(self, true_size, global_size, local_size)
        memory = _Memory(launch)
        values = self._bind(arguments[rank:], memory)
        try:
            groups.run(launch, values)
        finally:
            memory.finish()

    def _bind(self, arguments: Sequence[Any], memory: _Memory) -> list[Any]:
        """Gather the flat arguments into scalars and arrays."""
        pending = iter(arguments)
        found: list[tuple[ir.Param, Any, int, tuple[int, ...], tuple[int, ...]]] = []
        values: list[Any] = []
        for param in self.kernel.params:
            if not isinstance(param.type, ir.ArrayType):
                values.append(next(pending))
                continue
            block, offset = next(pending), int(next(pending))
            shape = tuple(int(next(pending)) for _ in range(param.type.ndim))
            if param.type.contiguous:
                strides = contiguous_strides(shape)
            else:
                strides = tuple(int(next(pending)) for _ in range(param.type.ndim))
            memory.add(block, param)
            values.append(len(found))
            found.append((param, block, offset, shape, strides))
        arrays = [memory.array(*what) for what in found]
        return [
            arrays[value] if isinstance(param.type, ir.ArrayType) else value
            for param, value in zip(self.kernel.params, values, strict=True)
        ]


class _Memory:
    """The blocks of one launch with their shadows; one shadow a block, whatever arrays lie in it."""

    def __init__(self, launch: groups.Launch) -> None:
        self.launch = launch
        self.units: dict[int, int] = {}
        self.written: set[int] = set()
        self.blocks: dict[int, Block] = {}
        self.shadows: dict[int, Shadow | None] = {}

    def add(self, block: Block, param: ir.Param) -> None:
        key, size = id(block), param.type.dtype.itemsize
        self.blocks[key] = block
        self.units[key] = min(size, self.units.get(key, size))
        if param.written:
            self.written.add(key)

    def _shadow(self, key: int) -> Shadow | None:
        """Return a block's shadow; None where nothing can go wrong: all written, and read only."""
        if key not in self.shadows:
            block, unit = self.blocks[key], self.units[key]
            complete = bool(block.written.all())
            if complete and key not in self.written:
                self.shadows[key] = None
            else:
                whole = block.written[: block.written.size // unit * unit].reshape(-1, unit).all(axis=1)
                shadow = Shadow(None if complete else bytearray(whole.tobytes()))
                self.shadows[key] = shadow
                self.launch.shadows.append(shadow)
        return self.shadows[key]

    def array(
        self, param: ir.Param, block: Block, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]
    ) -> Array:
        key, dtype = id(block), param.type.dtype
        shadow: Shadow | WideShadow | None = self._shadow(key)
        units = dtype.itemsize // self.units[key]
        if shadow is not None and units > 1:
            shadow = WideShadow(shadow, units)  # type: ignore[arg-type]
        values = block.data[: block.data.size // dtype.itemsize * dtype.itemsize].view(dtype)
        report = self.launch.report
        return Array(param.name, "global", dtype, shape, strides, offset, values, shadow, report, param.written)

    def finish(self) -> None:
        """Write back which elements have a value now."""
        for key, shadow in self.shadows.items():
            if shadow is not None and shadow.known is not None:
                known = np.frombuffer(shadow.known, np.bool_).repeat(self.units[key])
                self.blocks[key].written[: known.size] |= known


class _HoistLiterals(ast.NodeTransformer):
    """Replaces the calls that make literals by the names of constants."""

    def __init__(self, literals: dict[int, tuple[ast.Call, str]]) -> None:
        self.literals = literals

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if id(node) in self.literals:
            return ast.copy_location(ast.Name(self.literals[id(node)][1], ast.Load()), node)
        return self.generic_visit(node)
