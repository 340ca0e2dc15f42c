"""Statements of printed Numba kernels, and the lines they are written to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ...errors import KernelCompileError
from .. import ir
from .numba_expressions import Expressions, array, value_name, variable


class Writer:
    """Lines of Python with their indentation."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._depth = 0

    def line(self, text: str) -> None:
        """Write a line."""
        self.lines.append("    " * self._depth + text)

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Write a compound statement; its body is what is written inside the ``with``."""
        self.line(head)
        self._depth += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.line("pass")
        self._depth -= 1


class Statements:
    """Prints statements of one work-item."""

    def __init__(self, writer: Writer, expressions: Expressions) -> None:
        self.writer = writer
        self.expr = expressions
        self.prints: list[tuple[tuple[str, str], ...]] = []
        """For each ``print``, its pieces: ``("text", string)`` or ``("value", dtype)``."""

    def block(self, statements: list[ir.Stmt]) -> None:
        """Print statements one after the other."""
        for statement in statements:
            self(statement)

    def __call__(self, node: ir.Stmt) -> None:
        """Print a statement."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise KernelCompileError(f"the Numba printer has no statement {type(node).__name__}")
        method(node)

    def _assign(self, node: ir.Assign) -> None:
        self.writer.line(f"{variable(node.name)} = {self.expr(node.value)}")

    def _store(self, node: ir.Store) -> None:
        value = self.expr(node.value)
        vector = isinstance(node.value.type, ir.Vector)
        lanes = node.value.type.lanes if isinstance(node.value.type, ir.Vector) else 1
        word, index = self.expr.access("store_vector" if vector else "store", node, lanes)
        self.writer.line(f"{word}({array(node.array)}, {index}, {value})")

    def _exprstmt(self, node: ir.ExprStmt) -> None:
        self.writer.line(self.expr(node.value))

    def _if(self, node: ir.If) -> None:
        condition = self.expr(node.condition)
        if not node.body and node.orelse:
            condition, body, orelse = f"~{condition}", node.orelse, []
        else:
            body, orelse = node.body, node.orelse
        with self.writer.block(f"if {condition}:"):
            self.block(body)
        if orelse:
            with self.writer.block("else:"):
                self.block(orelse)

    def loop_head(self, node: ir.For) -> str:
        """Return the first line of a counted loop."""
        start, stop = self.expr(node.start), self.expr(node.stop)
        if isinstance(node.step, ir.Const) and node.step.value == 1:
            return f"for {variable(node.name)} in count({start}, {stop}):"
        return f"for {variable(node.name)} in count_by({start}, {stop}, {self.expr(node.step)}):"

    def _for(self, node: ir.For) -> None:
        with self.writer.block(self.loop_head(node)):
            self.block(node.body)

    def _while(self, node: ir.While) -> None:
        with self.writer.block(f"while {self.expr(node.condition)}:"):
            self.block(node.body)

    def _break(self, node: ir.Break) -> None:
        self.writer.line("break")

    def _continue(self, node: ir.Continue) -> None:
        self.writer.line("continue")

    def _breakpoint(self, node: ir.Breakpoint) -> None:
        pass

    def _assert(self, node: ir.Assert) -> None:
        if self.expr.debug:
            ids = "".join(f", gid{axis}" for axis in range(self.expr.rank))
            self.writer.line(f"check_assertion(errors, {self.expr.sites.get(node)}, {self.expr(node.condition)}{ids})")

    def _print(self, node: ir.Print) -> None:
        pieces: list[tuple[str, str]] = []
        values: list[str] = []
        for arg in node.args:
            if isinstance(arg, str):
                pieces.append(("text", arg))
                continue
            if isinstance(arg.type, ir.Vector):
                for lane in range(arg.type.lanes):
                    pieces.append(("value", value_name(arg.type.dtype)))
                    values.append(f"lane({self.expr(arg)}, {lane})")
                continue
            pieces.append(("value", value_name(arg.type.dtype)))
            values.append(self.expr(arg))
        self.writer.line(f"print_values({', '.join(['printer', str(len(self.prints)), *values])})")
        self.prints.append(tuple(pieces))
