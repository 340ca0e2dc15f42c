"""Which values a region needs from earlier ones, and which it must leave for later ones.

Private arrays take part as variables that are never overwritten as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .. import ir
from .regions import Branch, Leave, Loop, Node, Region


def names_read(node: Any) -> set[str]:
    """Return the variables that an expression reads, and the arrays it touches."""
    found = set()
    for item in ir.walk(node):
        if isinstance(item, ir.Var):
            found.add(item.name)
        elif isinstance(item, (ir.Load, ir.Atomic)):
            found.add(item.array)
    return found


def assigned(statements: list[ir.Stmt]) -> set[str]:
    """Return the variables that statements may give a value to."""
    return {node.name for node in ir.walk(statements) if isinstance(node, (ir.Assign, ir.For))}


def exposed(statements: list[ir.Stmt]) -> tuple[set[str], set[str]]:
    """Return what statements read before they write it, and what they write on every path."""
    reads: set[str] = set()
    writes: set[str] = set()

    def read(names: Iterable[str]) -> None:
        reads.update(name for name in names if name not in writes)

    for statement in statements:
        if isinstance(statement, ir.Assign):
            read(names_read(statement.value))
            writes.add(statement.name)
        elif isinstance(statement, ir.If):
            read(names_read(statement.condition))
            branches = [exposed(statement.body), exposed(statement.orelse)]
            for inner, _ in branches:
                read(inner)
            writes |= branches[0][1] & branches[1][1]
        elif isinstance(statement, (ir.For, ir.While)):
            heads = [statement.condition] if isinstance(statement, ir.While) else _bounds(statement)
            for head in heads:
                read(names_read(head))
            inner = exposed(statement.body)[0]
            read(inner - ({statement.name} if isinstance(statement, ir.For) else set()))
        else:
            for child in ir.children(statement):
                read(names_read(child))
            if isinstance(statement, ir.Store):
                read([statement.array])
    return reads, writes


def _bounds(loop: ir.For) -> list[ir.Expr]:
    return [loop.start, loop.stop, loop.step]


def analyze(nodes: list[Node], after: set[str] | None = None) -> set[str]:
    """Fill in ``live_in`` and ``live_out`` of all regions; return what is live before the tree."""
    return _before(nodes, after or set(), set(), set())


def _before(nodes: list[Node], after: set[str], on_break: set[str], on_continue: set[str]) -> set[str]:
    live = set(after)
    for node in reversed(nodes):
        if isinstance(node, Region):
            reads, writes = exposed(node.statements)
            node.live_out |= live
            live = reads | (live - writes)
            node.live_in |= live
        elif isinstance(node, Branch):
            taken = _before(node.body, live, on_break, on_continue)
            live = names_read(node.condition) | taken | _before(node.orelse, live, on_break, on_continue)
        elif isinstance(node, Loop):
            live = _before_loop(node, live)
        else:
            assert isinstance(node, Leave)
            live = set(on_break if isinstance(node.statement, ir.Break) else on_continue)
    return live


def _before_loop(loop: Loop, after: set[str]) -> set[str]:
    own = {loop.head.name} if isinstance(loop.head, ir.For) else set()
    entry = set(after)
    if isinstance(loop.head, ir.While):
        entry |= names_read(loop.head.condition)
    while True:
        around = entry | (_before(loop.body, entry, after, entry) - own)
        if around == entry:
            break
        entry = around
    if isinstance(loop.head, ir.For):
        for bound in _bounds(loop.head):
            entry |= names_read(bound)
    return entry
