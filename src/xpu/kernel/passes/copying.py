"""Copies of trees with other names, which remember what each memory access was a copy of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from .. import ir

CHECKED = (ir.Load, ir.Store, ir.Atomic, ir.Assert)


class Sites:
    """The number of each access and assertion (see :mod:`xpu.kernel.debug`), kept through copies."""

    def __init__(self, kernel: ir.Kernel) -> None:
        nodes = [node for node in ir.all_bodies(kernel) if isinstance(node, CHECKED)]
        self._numbers = {id(node): number for number, node in enumerate(nodes)}
        self._alive: list[Any] = nodes

    def get(self, node: Any) -> int | None:
        """Return the number of an access; None for one inside a function that the user did not write."""
        return self._numbers.get(id(node))

    def follow(self, original: Any, new: Any) -> None:
        """Give a copy the number of its original."""
        number = self._numbers.get(id(original))
        if number is not None:
            self._numbers[id(new)] = number
            self._alive.append(new)

    def follow_kernel(self, original: ir.Kernel, new: ir.Kernel) -> None:
        """Give the accesses of a kernel that was made from another by replacing calls the same numbers."""
        if new is original:
            return
        bodies = {function.name: function.body for function in original.functions}
        pairs = [(bodies[function.name], function.body) for function in new.functions if function.name in bodies]
        for before, after in [*pairs, (original.body, new.body)]:
            nodes = [[node for node in ir.walk(body) if isinstance(node, CHECKED)] for body in (before, after)]
            for old, copy in zip(*nodes, strict=True):
                self.follow(old, copy)


class Copier:
    """Copies statements and expressions, renaming variables and arrays."""

    def __init__(
        self, sites: Sites, variables: Mapping[str, str] | None = None, arrays: Mapping[str, str] | None = None
    ) -> None:
        self.sites = sites
        self.variables = variables or {}
        self.arrays = arrays or {}

    def __call__(self, node: Any) -> Any:
        """Return a deep copy of a node, or of every node of a list."""
        if isinstance(node, list):
            return [self(item) for item in node]
        if not isinstance(node, (ir.Expr, ir.Stmt)):
            return node
        new = self.replace(node)
        if new is None:
            values = {item.name: self(getattr(node, item.name)) for item in fields(node)}
            self._rename(node, values)
            new = type(node)(**values)
        self.sites.follow(node, new)
        return new

    def replace(self, node: Any) -> Any:
        """Return what stands for a node instead of its copy; None to copy it (for subclasses)."""
        return None

    def _rename(self, node: Any, values: dict[str, Any]) -> None:
        if isinstance(node, (ir.Var, ir.Assign, ir.For)):
            values["name"] = self.variables.get(node.name, node.name)
        elif isinstance(node, ir.ArrayRef):
            values["name"] = self.arrays.get(node.name, node.name)
        elif isinstance(node, (ir.Load, ir.Store, ir.Atomic, ir.Dim)):
            values["array"] = self.arrays.get(node.array, node.array)
