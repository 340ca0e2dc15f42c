"""Variables that are read before they are assigned.

Where no way to the reading assigns the variable, that is an error. Where only some ways do, the variable gets a zero
at the top, the same on every device: Python would raise an error on the others; a kernel cannot, and the program may
well be right, for example when the ways that skip the assignment skip the use too.
"""

from __future__ import annotations

from collections.abc import Iterable

from .. import ir


def zero_unassigned(function: ir.Function | ir.Kernel) -> ir.Var | None:
    """Assign zero, at the top, to each variable that some way through the function reads before it is assigned.

    Returns
    -------
    ir.Var or None
        The first reading that no assignment can reach.
    """
    walk = _Walk(set(function.variables))
    params = {param.name for param in function.params}
    walk.body(function.body, _Known(params, set(params)))
    zeros: list[ir.Stmt] = [ir.Assign(name, _zero(function.variables[name])) for name in walk.early]
    function.body[:0] = zeros
    return walk.hopeless


def _zero(kind: ir.Type) -> ir.Expr:
    scalar = ir.Scalar(kind.dtype)
    value = {"b": False, "f": 0.0, "c": 0j}.get(kind.dtype.kind, 0)
    zero = ir.Const(scalar, value)
    return ir.VectorOf(kind, [zero]) if isinstance(kind, ir.Vector) else zero


class _Known:
    """Which variables are assigned for certain, and which perhaps, at one place."""

    __slots__ = ("certain", "perhaps")

    def __init__(self, certain: set[str], perhaps: set[str]) -> None:
        self.certain = certain
        self.perhaps = perhaps

    def plus(self, name: str) -> _Known:
        return _Known(self.certain | {name}, self.perhaps | {name})

    def meet(self, others: Iterable[_Known]) -> _Known:
        certain, perhaps = self.certain, self.perhaps
        for other in others:
            certain = certain & other.certain
            perhaps = perhaps | other.perhaps
        return _Known(certain, perhaps)


class _Walk:
    """Follows the assignments; None stands for a place that is not reached."""

    def __init__(self, variables: set[str]) -> None:
        self.variables = variables
        self.early: dict[str, None] = {}
        self.hopeless: ir.Var | None = None
        self.breaks: list[list[_Known]] = []

    def reads(self, node: ir.Expr | ir.Stmt, known: _Known) -> None:
        """Note the variables that an expression reads."""
        for item in ir.walk(node):
            if isinstance(item, ir.Var) and item.name in self.variables and item.name not in known.certain:
                self.early.setdefault(item.name)
                if item.name not in known.perhaps and self.hopeless is None:
                    self.hopeless = item

    def body(self, body: list[ir.Stmt], known: _Known | None) -> _Known | None:
        """Return what is assigned after these statements."""
        for statement in body:
            if known is None:
                return None
            known = self.statement(statement, known)
        return known

    def statement(self, node: ir.Stmt, known: _Known) -> _Known | None:
        """Return what is assigned after a statement."""
        if isinstance(node, ir.Assign):
            self.reads(node.value, known)
            return known.plus(node.name)
        if isinstance(node, ir.If):
            self.reads(node.condition, known)
            then, other = self.body(node.body, known), self.body(node.orelse, known)
            if then is None or other is None:
                return other if then is None else then
            return then.meet([other])
        if isinstance(node, (ir.For, ir.While)):
            return self._loop(node, known)
        if isinstance(node, ir.Break):
            self.breaks[-1].append(known)
            return None
        self.reads(node, known)
        return None if isinstance(node, (ir.Continue, ir.Return)) else known

    def _loop(self, node: ir.For | ir.While, known: _Known) -> _Known | None:
        assigned = {item.name for item in ir.walk(node.body) if isinstance(item, (ir.Assign, ir.For))}
        inside = _Known(known.certain, known.perhaps | assigned)  # an earlier round may have assigned them
        if isinstance(node, ir.For):
            for bound in (node.start, node.stop, node.step):
                self.reads(bound, known)
            inside = inside.plus(node.name)
        else:
            self.reads(node.condition, inside)
        self.breaks.append([])
        self.body(node.body, inside)
        left = self.breaks.pop()
        if isinstance(node, ir.While) and isinstance(node.condition, ir.Const) and node.condition.value:
            return left[0].meet(left[1:]) if left else None
        return _Known(known.certain, inside.perhaps)
