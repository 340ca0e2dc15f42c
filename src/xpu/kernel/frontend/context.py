"""One compilation: the kernel being made, its helpers, and what the device can do."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from ...backend import DeviceInfo
from .. import ir
from ..ir import DType
from .diagnostics import NotConstantError
from .lowering import FunctionLowering
from .promotion import Number
from .signature import ArgType, arg_type
from .source import FunctionSource
from .values import Value


@dataclass(slots=True)
class Helper:
    """A helper specialised on argument types."""

    function: ir.Function
    result: Number | None
    inline: bool
    """It holds a barrier or local memory, or returns what no function can: callers take its body."""
    fixed: bool
    """Constant arguments are part of the key."""


class Compilation:
    """What the lowering of a kernel and of all its helpers share."""

    def __init__(self, info: DeviceInfo, default: DType, name: str, digests: bool = False) -> None:
        self.info = info
        self.default = default
        self.digests = digests
        """Whether helpers are named by their content, so that helpers of several compilations can be put together."""
        self.functions: dict[str, ir.Function] = {}
        self._names = {name}
        self._helpers: dict[tuple[Any, ...], Helper] = {}
        self._fixed: set[FunctionSource] = set()
        self.stack: list[FunctionSource] = []

    def helper(self, source: FunctionSource, arguments: list[Value]) -> Helper:
        """Return a helper specialised on the types of arguments.

        Constant arguments become ordinary parameters, unless the helper needs them while compiling.
        """
        if source not in self._fixed:
            try:
                return self._specialize(source, arguments, fixed=False)
            except NotConstantError:
                result = self._specialize(source, arguments, fixed=True)
                self._fixed.add(source)
                return result
        return self._specialize(source, arguments, fixed=True)

    def _specialize(self, source: FunctionSource, arguments: list[Value], fixed: bool) -> Helper:
        types = tuple(arg_type(value, fixed) for value in arguments)
        key = (source, types)
        known = self._helpers.get(key)
        if known is None:
            self.stack.append(source)
            try:
                known = self._lower(source, types, arguments, fixed)
            finally:
                self.stack.pop()
            self._helpers[key] = known
        return known

    def _lower(self, source: FunctionSource, types: tuple[ArgType, ...], arguments: list[Value], fixed: bool) -> Helper:
        lowering = FunctionLowering(self, source, types, arguments, fixed)
        lowering.run()
        inline = lowering.must_inline()
        function = lowering.function("")
        if not inline:
            function.name = (
                f"{plain_name(source.name)}_{digest(function)}" if self.digests else self.unique(source.name)
            )
            self.functions[function.name] = function
        return Helper(function, lowering.result, inline, fixed)

    def unique(self, name: str) -> str:
        """Return a function name that nothing else has."""
        plain = plain_name(name)
        candidate, count = plain, 0
        while candidate in self._names:
            count += 1
            candidate = f"{plain}_{count}"
        self._names.add(candidate)
        return candidate

    def reachable(self, body: list[ir.Stmt]) -> list[ir.Function]:
        """Return the helpers that a body calls, callees first."""
        needed: set[str] = set()
        waiting = [body]
        while waiting:
            for node in ir.walk(waiting.pop()):
                if isinstance(node, ir.CallFunction) and node.function not in needed:
                    needed.add(node.function)
                    waiting.append(self.functions[node.function].body)
        return [function for name, function in self.functions.items() if name in needed]


def plain_name(name: str) -> str:
    """Return a name made of letters that every printed language takes."""
    return "".join(c if c.isascii() else f"u{ord(c):x}" for c in name)


def digest(function: ir.Function) -> str:
    """Return a short hash of what a helper is and does; places in files do not count."""
    parts = (function.params, function.result, sorted(function.variables.items()), function.arrays, function.body)
    return hashlib.sha256(_text(parts).encode()).hexdigest()[:10]


def _text(node: Any) -> str:
    if is_dataclass(node) and not isinstance(node, (ir.Scalar, ir.Vector, ir.ArrayType)):
        items = (_text(getattr(node, item.name)) for item in fields(node) if item.name != "loc")
        return f"{type(node).__name__}({','.join(items)})"
    if isinstance(node, (list, tuple)):
        return f"[{','.join(map(_text, node))}]"
    return repr(node)
