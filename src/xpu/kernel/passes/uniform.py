"""Which variables have one value for all items of a group.

Uniform are constants, scalar arguments, shapes, group ids and sizes, counters of loops with uniform bounds, elements of
global and local arrays at uniform indices (work-items that wrote there since the last barrier would race), and what
follows from these under uniform control. The analysis starts from the hope that all are uniform and drops what is not.
"""

from __future__ import annotations

from typing import Any

from .. import ir

_UNIFORM_WORDS = ("group_id", "global_size", "local_size", "num_groups")


class Uniformity:
    """Tells uniform expressions and variables of a kernel without helpers and returns."""

    def __init__(self, kernel: ir.Kernel) -> None:
        self._private = {declared.name for declared in kernel.arrays if declared.type.space == "private"}
        self.varying: set[str] = set()
        before = -1
        while before != len(self.varying):
            before = len(self.varying)
            self._block(kernel.body, False)

    def expression(self, node: Any) -> bool:
        """Whether an expression is the same for all items of a group."""
        if isinstance(node, ir.Var):
            return node.name not in self.varying
        if isinstance(node, ir.WorkItem):
            return node.function in _UNIFORM_WORDS
        if isinstance(node, (ir.Atomic, ir.CallFunction)):
            return False
        if isinstance(node, ir.Load) and node.array in self._private:
            return False
        return all(self.expression(child) for child in ir.children(node))

    def statement(self, node: ir.Stmt) -> bool:
        """Whether a statement only gives uniform values to uniform variables."""
        return isinstance(node, ir.Assign) and node.name not in self.varying and self.expression(node.value)

    def _block(self, statements: list[ir.Stmt], divergent: bool) -> None:
        for statement in statements:
            if isinstance(statement, ir.Assign):
                if divergent or not self.expression(statement.value):
                    self.varying.add(statement.name)
            elif isinstance(statement, ir.If):
                inner = divergent or not self.expression(statement.condition)
                self._block(statement.body, inner)
                self._block(statement.orelse, inner)
            elif isinstance(statement, (ir.For, ir.While)):
                self._loop(statement, divergent)

    def _loop(self, loop: ir.For | ir.While, divergent: bool) -> None:
        if isinstance(loop, ir.For):
            controls = [loop.start, loop.stop, loop.step]
        else:
            controls = [loop.condition]
        even = all(map(self.expression, controls)) and not self._leaves(loop.body, False)
        inner = divergent or not even
        if inner and isinstance(loop, ir.For):
            self.varying.add(loop.name)
        self._block(loop.body, inner)

    def _leaves(self, statements: list[ir.Stmt], divergent: bool) -> bool:
        """Whether some items may leave a round of the loop before others."""
        for statement in statements:
            if isinstance(statement, (ir.Break, ir.Continue)) and divergent:
                return True
            if isinstance(statement, ir.If):
                inner = divergent or not self.expression(statement.condition)
                if self._leaves(statement.body, inner) or self._leaves(statement.orelse, inner):
                    return True
        return False
