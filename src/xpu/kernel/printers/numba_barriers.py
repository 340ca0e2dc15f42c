"""Kernels with barriers: the loop over the items of a group, split at each barrier.

What happens to a variable:

* uniform: one Python variable of the group. A region that reads and then changes it starts each item from the old one.
* recomputed: assigned once, from work-item functions and what does not change; every region that reads it computes it.
* all others, where they live across a barrier, have an element for each item in scratch memory; a region loads what it
  reads and stores what later ones need. Small private arrays are copied in and out the same way, large ones stay there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import ir
from ..passes import liveness
from ..passes.regions import Branch, Leave, Loop, Node, Region, regions, split
from ..passes.uniform import Uniformity
from .numba_expressions import CHEAP, array, variable
from .numba_loops import Loops
from .numba_statements import Statements

COPIED = 64
"""Private arrays of at most this many elements are copied into registers for the length of a region."""
RECOMPUTED = 24
"""Nodes of an expression, with all it depends on, that is computed again rather than kept."""


@dataclass(frozen=True)
class ItemArray:
    """Memory that keeps ``size`` elements for each item of a group."""

    name: str
    dtype: np.dtype[Any]
    size: int


class Splitter:
    """Writes a kernel as regions between barriers."""

    def __init__(self, kernel: ir.Kernel, statements: Statements, loops: Loops) -> None:
        self.kernel = kernel
        self.statements = statements
        self.writer = statements.writer
        self.expr = statements.expr
        self.loops = loops
        self.uniformity = Uniformity(kernel)
        self.variables = dict(kernel.variables)
        self.private = {d.name: d.type for d in kernel.arrays if d.type.space == "private"}
        self.tree = split(kernel.body)
        self._own_counters(self.tree)
        self.recomputed = _recomputed(kernel, self.uniformity)
        liveness.analyze(self.tree)
        self.crossing = self._crossing_arrays()
        self._kept: dict[str, ItemArray] = {}

    @property
    def items(self) -> list[ItemArray]:
        """What is kept for each item, in the order of its place in memory."""
        return list(self._kept.values())

    @property
    def in_memory(self) -> set[str]:
        """Private arrays that live in the items' memory all the time."""
        return {name for name in self.crossing if _size(self.private[name]) > COPIED}

    def run(self) -> None:
        """Write the kernel's body."""
        with self.loops.units():
            self._maybe_unassigned()
            self._nodes(self.tree)

    def _maybe_unassigned(self) -> None:
        """Give a value to shared variables that some way reads before any other value: Numba wants all to have one."""
        early = liveness.exposed(self.kernel.body)[0] & self.variables.keys() - self.uniformity.varying
        for name in sorted(early):
            self.writer.line(f"{variable(name)} = {self.expr(ir.Const(self.variables[name], 0))}")

    # -- preparation

    def _own_counters(self, nodes: list[Node]) -> None:
        """Give shared loops a counter of their own where items change the variable."""
        for node in nodes:
            if isinstance(node, Branch):
                self._own_counters(node.body)
                self._own_counters(node.orelse)
            elif isinstance(node, Loop):
                self._own_counters(node.body)
                head = node.head
                if isinstance(head, ir.For) and head.name in self.uniformity.varying:
                    name = f"{head.name}_counter"
                    while name in self.variables:
                        name += "_"
                    type_ = self.variables[name] = self.variables[head.name]
                    node.head = replace(head, name=name)
                    first = ir.Assign(head.name, ir.Var(type_, name), loc=head.loc)
                    if node.body and isinstance(node.body[0], Region):
                        node.body[0].statements.insert(0, first)
                    else:
                        node.body.insert(0, Region([first]))

    def _crossing_arrays(self) -> set[str]:
        """Return the private arrays whose contents outlive a region."""
        touched: dict[str, int] = {}
        in_loops = _looped_regions(self.tree, False)
        for region in regions(self.tree):
            reads = liveness.exposed(region.statements)[0]
            for name in reads & self.private.keys():
                touched[name] = touched.get(name, 0) + (2 if region in in_loops else 1)
        return {name for name, count in touched.items() if count > 1}

    def _keep(self, name: str) -> ItemArray:
        """Return the memory of a variable or a private array."""
        if name not in self._kept:
            if name in self.private:
                type_: Any = self.private[name]
                size = _size(type_)
            else:
                type_ = self.variables[name]
                size = type_.lanes if isinstance(type_, ir.Vector) else 1
            self._kept[name] = ItemArray(f"kept_{name}", type_.dtype, size)
        return self._kept[name]

    # -- shared control

    def _nodes(self, nodes: list[Node]) -> None:
        for node in nodes:
            if isinstance(node, Region):
                self._region(node)
            elif isinstance(node, Branch):
                self._branch(node)
            elif isinstance(node, Loop):
                self._loop(node)
            else:
                assert isinstance(node, Leave)
                self.writer.line("break" if isinstance(node.statement, ir.Break) else "continue")

    def _branch(self, node: Branch) -> None:
        self._prelude([node.condition])
        with self.writer.block(f"if {self.expr(node.condition)}:"):
            self._nodes(node.body)
        if node.orelse:
            with self.writer.block("else:"):
                self._nodes(node.orelse)

    def _loop(self, node: Loop) -> None:
        head = node.head
        if isinstance(head, ir.For):
            self._prelude([head.start, head.stop, head.step])
            with self.writer.block(self.statements.loop_head(head)):
                self._nodes(node.body)
        elif self._needs_prelude([head.condition]):
            with self.writer.block("while True:"):
                self._prelude([head.condition])
                with self.writer.block(f"if ~{self.expr(head.condition)}:"):
                    self.writer.line("break")
                self._nodes(node.body)
        else:
            with self.writer.block(f"while {self.expr(head.condition)}:"):
                self._nodes(node.body)

    def _needs_prelude(self, expressions: list[ir.Expr]) -> bool:
        return not all(map(self.uniformity.expression, expressions))

    def _prelude(self, expressions: list[ir.Expr]) -> None:
        """Make the first item's values known outside the items' loop, for control that the analysis finds varying."""
        if not self._needs_prelude(expressions):
            return
        for axis in range(self.kernel.rank):
            self.writer.line(f"lid{axis} = 0")
            self.writer.line(f"gid{axis} = base{axis}")
        self.writer.line("slot = 0")
        names = set().union(*(liveness.names_read(expression) for expression in expressions))
        self._compute_again(names)
        for name in sorted(names & self.variables.keys()):
            if name in self.uniformity.varying and name not in self.recomputed:
                self._load(name)

    # -- regions

    def _region(self, region: Region) -> None:
        statements = list(region.statements)
        while statements and self.uniformity.statement(statements[0]):
            self.statements(statements.pop(0))
        last: list[ir.Stmt] = []
        while statements and self.uniformity.statement(statements[-1]):
            last.insert(0, statements.pop())
        if statements:
            self._items(statements, region)
        self.statements.block(last)

    def _items(self, statements: list[ir.Stmt], region: Region) -> None:
        reads, surely = liveness.exposed(statements)
        changes = liveness.assigned(statements)
        varying = {name for name in self.variables if name in self.uniformity.varying} - self.recomputed.keys()
        again = sorted(reads & changes & self.variables.keys() - self.uniformity.varying)
        loads = sorted(((reads | (changes - surely)) & varying) & (reads | region.live_out))
        stores = sorted(changes & varying & region.live_out)
        arrays = sorted(reads & self.crossing)
        for name in again:
            self.writer.line(f"old_{name} = {variable(name)}")
        with self.loops.items():
            for name in again:
                self.writer.line(f"{variable(name)} = old_{name}")
            self._compute_again(reads)
            for name in loads:
                self._load(name)
            for name in arrays:
                self._open_array(name)
            self.statements.block(statements)
            for name in stores:
                self._store(name)
            for name in arrays:
                self._close_array(name)

    def _compute_again(self, names: set[str]) -> None:
        """Write the assignments of recomputed variables, with what they depend on, in their order."""
        wanted: set[str] = set()
        stack = [name for name in names if name in self.recomputed]
        while stack:
            name = stack.pop()
            if name not in wanted:
                wanted.add(name)
                depends = liveness.names_read(self.recomputed[name].value)
                stack += [other for other in depends if other in self.recomputed]
        for name, statement in self.recomputed.items():
            if name in wanted:
                self.statements(statement)

    def _load(self, name: str) -> None:
        kept = self._keep(name)
        if kept.size == 1:
            self.writer.line(f"{variable(name)} = load({kept.name}, slot)")
        else:
            self.writer.line(f"{variable(name)} = load{kept.size}({kept.name}, slot * {kept.size})")

    def _store(self, name: str) -> None:
        kept = self._keep(name)
        if kept.size == 1:
            self.writer.line(f"store({kept.name}, slot, {variable(name)})")
        else:
            self.writer.line(f"store_vector({kept.name}, slot * {kept.size}, {variable(name)})")

    def _open_array(self, name: str) -> None:
        kept = self._keep(name)
        if kept.size > COPIED:
            self.writer.line(f"{array(name)} = advance({kept.name}, slot * {kept.size})")
        else:
            self.writer.line(f"copy_elements({array(name)}, 0, {kept.name}, slot * {kept.size}, {kept.size})")

    def _close_array(self, name: str) -> None:
        kept = self._keep(name)
        if kept.size <= COPIED:
            self.writer.line(f"copy_elements({kept.name}, slot * {kept.size}, {array(name)}, 0, {kept.size})")


def _size(type_: ir.ArrayType) -> int:
    return math.prod(type_.shape or ())


def _looped_regions(nodes: list[Node], inside: bool) -> set[Region]:
    found: set[Region] = set()
    for node in nodes:
        if isinstance(node, Region) and inside:
            found.add(node)
        elif isinstance(node, Branch):
            found |= _looped_regions(node.body, inside) | _looped_regions(node.orelse, inside)
        elif isinstance(node, Loop):
            found |= _looped_regions(node.body, True)
    return found


def _recomputed(kernel: ir.Kernel, uniformity: Uniformity) -> dict[str, ir.Assign]:
    """Return the assignments of variables that are cheaper to compute again than to keep, in the order of the text."""
    counts: dict[str, int] = {}
    for node in ir.walk(kernel.body):
        if isinstance(node, (ir.Assign, ir.For)):
            counts[node.name] = counts.get(node.name, 0) + 1
    once = {name for name, count in counts.items() if count == 1}
    outside = _outside_loops(kernel.body)
    steady = {param.name for param in kernel.params} | {n for n in once & outside if n not in uniformity.varying}
    found: dict[str, ir.Assign] = {}
    weights: dict[str, int] = {}
    for node in ir.walk(kernel.body):
        if not isinstance(node, ir.Assign) or node.name not in once or node.name not in uniformity.varying:
            continue
        weight = _weight(node.value, steady, weights)
        if weight is not None and weight <= RECOMPUTED:
            found[node.name] = node
            weights[node.name] = weight
    return found


def _outside_loops(statements: list[ir.Stmt]) -> set[str]:
    names: set[str] = set()
    for statement in statements:
        if isinstance(statement, ir.Assign):
            names.add(statement.name)
        elif isinstance(statement, ir.If):
            names |= _outside_loops(statement.body) | _outside_loops(statement.orelse)
    return names


def _weight(value: ir.Expr, steady: set[str], weights: dict[str, int]) -> int | None:
    """Return the nodes that computing a value takes; None where it may come out differently the next time."""
    total = 0
    for node in ir.walk(value):
        total += 1
        if isinstance(node, (ir.Load, ir.Atomic, ir.CallFunction)):
            return None
        if isinstance(node, ir.Call) and node.function not in CHEAP:
            return None
        if isinstance(node, ir.Var) and node.name not in steady:
            if node.name not in weights:
                return None
            total += weights[node.name]
    return total
