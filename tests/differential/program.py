"""A generated kernel as a tree: it prints itself as Python source, and lists smaller versions of itself."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Expr:
    """An expression: a template whose ``{0}``, ``{1}`` ... are its operands."""

    template: str
    dtype: str
    args: list[Expr] = field(default_factory=list)

    def __str__(self) -> str:
        return self.template.format(*self.args) if self.args else self.template


@dataclass
class Stmt:
    """A statement: clauses of a header template, its expressions, and a body (None for plain statements)."""

    clauses: list[tuple[str, list[Expr], list[Stmt] | None]]

    def lines(self) -> Iterator[str]:
        for header, exprs, body in self.clauses:
            yield header.format(*exprs)
            if body is not None:
                lines = [line for stmt in body for line in stmt.lines()]
                for line in lines or ["pass"]:
                    yield f"    {line}"


def plain(template: str, *exprs: Expr) -> Stmt:
    """Return a statement of one line."""
    return Stmt([(template, list(exprs), None)])


@dataclass
class Helper:
    """An ``@xp.func`` function."""

    header: str
    body: list[Stmt]

    def lines(self) -> Iterator[str]:
        yield "@xp.func"
        yield f"def {self.header}:"
        for stmt in self.body:
            for line in stmt.lines():
                yield f"    {line}"
        yield ""
        yield ""


@dataclass
class Argument:
    """An argument of the kernel: how its value is made from the seed."""

    name: str
    dtype: str
    shape: tuple[int, ...] | None
    """None: one number."""
    role: str
    """``in``, ``out`` or ``atomic`` for arrays (``atomic`` starts with small numbers); ``weak`` for Python numbers, ``firm``
    for numbers with a dtype."""
    layout: str = "C"
    """``C``, ``strided`` (every second element of a larger array), ``reversed`` (negative strides)."""


@dataclass
class Program:
    """A whole kernel with its launch."""

    seed: int
    arguments: list[Argument]
    helpers: list[Helper]
    body: list[Stmt]
    global_size: tuple[int, ...]
    local_size: tuple[int, ...] | None
    inexact: bool = False

    def source(self) -> str:
        """Return the Python source: helpers, and the kernel ``k``."""
        lines = ["import xpu as xp", "", ""]
        body = [f"    {line}" for stmt in self.body for line in stmt.lines()]
        text = "\n".join(body)
        for helper in self.helpers:
            name = helper.header.split("(")[0]
            if f"{name}(" in text or any(f"{name}(" in str(line) for h in self.helpers for line in list(h.lines())[2:]):
                lines += helper.lines()
        used = [a.name for a in self.arguments]
        lines += ["@xp.kernel", f"def k({', '.join(used)}):", *(body or ["    pass"])]
        return "\n".join(lines) + "\n"

    # ------------------------------------------------------------------------------------------------ shrinking

    def smaller(self) -> Iterator[Program]:
        """Yield programs with something left out, larger cuts first."""
        yield from self._without_statements()
        yield from self._unwrapped()
        yield from self._simpler_expressions()
        yield from self._without_arguments()

    def _blocks(self) -> list[list[Stmt]]:
        """Return every block of the program, in a fixed order."""
        found: list[list[Stmt]] = []
        pending = [self.body, *(h.body for h in self.helpers)]
        while pending:
            block = pending.pop(0)
            found.append(block)
            pending += [body for stmt in block for _, _, body in stmt.clauses if body is not None]
        return found

    def _without_statements(self) -> Iterator[Program]:
        for number, block in enumerate(self._blocks()):
            size = len(block)
            width = size
            while width >= 1:
                for start in range(0, size, width):
                    other = copy.deepcopy(self)
                    del other._blocks()[number][start : start + width]
                    yield other
                width //= 2

    def _unwrapped(self) -> Iterator[Program]:
        for number, block in enumerate(self._blocks()):
            for index, stmt in enumerate(block):
                for clause, (_, _, body) in enumerate(stmt.clauses):
                    if body is not None:
                        other = copy.deepcopy(self)
                        there = other._blocks()[number]
                        there[index : index + 1] = there[index].clauses[clause][2] or []
                        yield other

    def _holders(self) -> list[tuple[list[Expr], int]]:
        """Return where every expression is held, outer ones first."""
        found: list[tuple[list[Expr], int]] = []

        def visit(held: list[Expr]) -> None:
            for index, expr in enumerate(held):
                found.append((held, index))
                visit(expr.args)

        for block in self._blocks():
            for stmt in block:
                for _, exprs, _ in stmt.clauses:
                    visit(exprs)
        return found

    def _simpler_expressions(self) -> Iterator[Program]:
        for number, (held, index) in enumerate(self._holders()):
            expr = held[index]
            for simpler in _simpler(expr):
                other = copy.deepcopy(self)
                there, position = other._holders()[number]
                there[position] = copy.deepcopy(simpler)
                yield other

    def _without_arguments(self) -> Iterator[Program]:
        text = self.source()
        for index, argument in enumerate(self.arguments):
            if text.count(argument.name) == 1:
                other = copy.deepcopy(self)
                del other.arguments[index]
                yield other
            elif argument.layout != "C":
                other = copy.deepcopy(self)
                other.arguments[index].layout = "C"
                yield other


def _simpler(expr: Expr) -> Iterator[Expr]:
    yield from (arg for arg in expr.args if arg.dtype == expr.dtype)
    if expr.args:
        yield literal(expr.dtype, 1)


def literal(dtype: str, value: Any) -> Expr:
    """Return a number of an exact dtype."""
    if dtype == "bool":
        return Expr(str(bool(value)), dtype)
    return Expr(f"xp.{dtype}({value!r})", dtype)
