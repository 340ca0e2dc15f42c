"""A kernel with barriers as a tree: regions that each item runs through alone, and the control that all items share."""

from __future__ import annotations

from dataclasses import dataclass, field

from .. import ir


@dataclass(eq=False)
class Region:
    """Statements without a barrier among them."""

    statements: list[ir.Stmt]
    live_in: set[str] = field(default_factory=set)
    live_out: set[str] = field(default_factory=set)


@dataclass(eq=False)
class Branch:
    """An ``if`` that holds a barrier, or that leaves a loop which does."""

    condition: ir.Expr
    body: list[Node]
    orelse: list[Node]


@dataclass(eq=False)
class Loop:
    """A loop that holds a barrier; ``head`` is the statement, whose own body is not used."""

    head: ir.For | ir.While
    body: list[Node]


@dataclass(eq=False)
class Leave:
    """``break`` or ``continue`` of a loop that holds a barrier."""

    statement: ir.Break | ir.Continue


Node = Region | Branch | Loop | Leave


def has_barrier(statement: ir.Stmt) -> bool:
    """Whether a barrier is in a statement."""
    return any(isinstance(node, ir.Barrier) for node in ir.walk(statement))


def split(statements: list[ir.Stmt], in_loop: bool = False) -> list[Node]:
    """Cut a body at its barriers; ``in_loop`` tells whether a shared loop is around it."""
    nodes: list[Node] = []
    run: list[ir.Stmt] = []

    def flush() -> None:
        if run:
            nodes.append(Region(list(run)))
            run.clear()

    for statement in statements:
        if isinstance(statement, ir.Barrier):
            flush()
        elif isinstance(statement, (ir.Break, ir.Continue)):
            flush()
            nodes.append(Leave(statement))
        elif isinstance(statement, (ir.For, ir.While)) and has_barrier(statement):
            flush()
            nodes.append(Loop(statement, split(statement.body, True)))
        elif isinstance(statement, ir.If) and (has_barrier(statement) or (in_loop and leaves([statement]))):
            flush()
            nodes.append(Branch(statement.condition, split(statement.body, in_loop), split(statement.orelse, in_loop)))
        else:
            run.append(statement)
    flush()
    return nodes


def leaves(statements: list[ir.Stmt]) -> bool:
    """Whether statements hold a ``break`` or ``continue`` of the loop around them."""
    for statement in statements:
        if isinstance(statement, (ir.Break, ir.Continue)):
            return True
        if isinstance(statement, ir.If) and (leaves(statement.body) or leaves(statement.orelse)):
            return True
    return False


def regions(nodes: list[Node]) -> list[Region]:
    """Return all regions of a tree, in the order of the text."""
    found: list[Region] = []
    for node in nodes:
        if isinstance(node, Region):
            found.append(node)
        elif isinstance(node, Branch):
            found += regions(node.body) + regions(node.orelse)
        elif isinstance(node, Loop):
            found += regions(node.body)
    return found
