"""Variables that may be read before they are assigned get a zero at the top, the same on every device.

Python would raise an error there; a kernel cannot, and the program may well be right: the front end only cannot see
that the ways that skip the assignment skip the use too.
"""

from __future__ import annotations

from .. import ir


def zero_unassigned(function: ir.Function | ir.Kernel) -> None:
    """Assign zero, at the top, to each variable that some way through the function reads before it is assigned."""
    walk = _Walk({param.name for param in function.params}, set(function.variables))
    walk.body(function.body, set(walk.params))
    zeros: list[ir.Stmt] = [ir.Assign(name, _zero(function.variables[name])) for name in walk.early]
    function.body[:0] = zeros


def _zero(kind: ir.Type) -> ir.Expr:
    scalar = ir.Scalar(kind.dtype)
    value = {"b": False, "f": 0.0, "c": 0j}.get(kind.dtype.kind, 0)
    zero = ir.Const(scalar, value)
    return ir.VectorOf(kind, [zero]) if isinstance(kind, ir.Vector) else zero


class _Walk:
    """Follows which variables are assigned for certain; None stands for a place that is not reached."""

    def __init__(self, params: set[str], variables: set[str]) -> None:
        self.params = params
        self.variables = variables
        self.early: dict[str, None] = {}
        self.breaks: list[list[set[str]]] = []

    def reads(self, node: ir.Expr | ir.Stmt, known: set[str]) -> None:
        for item in ir.walk(node):
            if isinstance(item, ir.Var) and item.name in self.variables and item.name not in known:
                self.early.setdefault(item.name)

    def body(self, body: list[ir.Stmt], known: set[str] | None) -> set[str] | None:
        """Return what is assigned after these statements."""
        for statement in body:
            if known is None:
                return None
            known = self.statement(statement, known)
        return known

    def statement(self, node: ir.Stmt, known: set[str]) -> set[str] | None:
        if isinstance(node, ir.Assign):
            self.reads(node.value, known)
            return known | {node.name}
        if isinstance(node, ir.If):
            self.reads(node.condition, known)
            then, other = self.body(node.body, known), self.body(node.orelse, known)
            if then is None or other is None:
                return other if then is None else then
            return then & other
        if isinstance(node, (ir.For, ir.While)):
            return self._loop(node, known)
        if isinstance(node, ir.Break):
            self.breaks[-1].append(known)
            return None
        self.reads(node, known)
        return None if isinstance(node, (ir.Continue, ir.Return)) else known

    def _loop(self, node: ir.For | ir.While, known: set[str]) -> set[str] | None:
        inside = known
        if isinstance(node, ir.For):
            for bound in (node.start, node.stop, node.step):
                self.reads(bound, known)
            inside = known | {node.name}
        else:
            self.reads(node.condition, known)
        self.breaks.append([])
        self.body(node.body, inside)
        left = self.breaks.pop()
        if isinstance(node, ir.While) and isinstance(node.condition, ir.Const) and node.condition.value:
            return set.intersection(*left) if left else None
        return known
