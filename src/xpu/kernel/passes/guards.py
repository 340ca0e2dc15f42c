"""The guard ``if i < n`` around a kernel's body, as bounds of the loops over work-items.

A loop with the guard inside has to mask every access; one that ends at the bound is plain.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .. import ir
from .copying import Copier, Sites

_MIRRORED = {"lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}
_NEGATED = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt", "eq": "ne", "ne": "eq"}


@dataclass
class Bounds:
    """The work-items of an axis that have something to do: from the largest start to the smallest stop."""

    starts: list[ir.Expr] = field(default_factory=list)
    stops: list[ir.Expr] = field(default_factory=list)


def take_guards(kernel: ir.Kernel, sites: Sites) -> tuple[list[ir.Stmt], dict[int, Bounds]]:
    """Return the body without the comparisons that bound an axis, and the bounds by axis.

    The body must be assignments without effects and then one ``if``, whose condition is a conjunction; what is inside
    may be of that form again.
    """
    body = kernel.body
    bounds: dict[int, Bounds] = {}
    known = _Known(kernel)
    while True:
        inner = _take_one(body, known, bounds, sites)
        if inner is None:
            return body, bounds
        body = inner


class _Known:
    """What does not change while the kernel runs: parameters, and variables that are assigned once, up front."""

    def __init__(self, kernel: ir.Kernel) -> None:
        self.params = {param.name for param in kernel.params}
        self.counts: dict[str, int] = {}
        for node in ir.walk(kernel.body):
            if isinstance(node, (ir.Assign, ir.For)):
                self.counts[node.name] = self.counts.get(node.name, 0) + 1
        self.values: dict[str, ir.Expr] = {}

    def learn(self, statements: list[ir.Stmt]) -> None:
        """Remember the values of variables that are assigned nowhere else."""
        for statement in statements:
            if isinstance(statement, ir.Assign) and self.counts[statement.name] == 1:
                self.values[statement.name] = statement.value


def _take_one(body: list[ir.Stmt], known: _Known, bounds: dict[int, Bounds], sites: Sites) -> list[ir.Stmt] | None:
    """Take the bounds of one guard; None where there is none to take."""
    if not body or not isinstance(body[-1], ir.If):
        return None
    guard = body[-1]
    if any(not isinstance(s, ir.Assign) or not _pure(s.value) for s in body[:-1]) or (guard.body and guard.orelse):
        return None
    known.learn(body[:-1])
    conditions = _conjunction(guard.condition) if guard.body else _negated(guard.condition)
    inner = guard.body or guard.orelse
    rest = [condition for condition in conditions if not _take(condition, known, bounds, sites)]
    if len(rest) == len(conditions):
        return None
    if rest:
        condition = rest[0]
        for other in rest[1:]:
            condition = ir.Binary(ir.BOOL, "land", condition, other, loc=other.loc)
        inner = [ir.If(condition, inner, loc=guard.loc)]
    return [*body[:-1], *inner]


def _pure(value: ir.Expr) -> bool:
    return not any(isinstance(node, (ir.Load, ir.Atomic, ir.CallFunction)) for node in ir.walk(value))


def _conjunction(condition: ir.Expr) -> list[ir.Expr]:
    if isinstance(condition, ir.Binary) and condition.op == "land":
        return _conjunction(condition.left) + _conjunction(condition.right)
    if isinstance(condition, ir.Unary) and condition.op in ("not", "invert"):
        return _negated(condition.operand)
    return [condition]


def _negated(condition: ir.Expr) -> list[ir.Expr]:
    """Return conditions that hold together exactly where the given one does not."""
    if isinstance(condition, ir.Binary) and condition.op == "lor":
        return _negated(condition.left) + _negated(condition.right)
    if isinstance(condition, ir.Unary) and condition.op in ("not", "invert"):
        return _conjunction(condition.operand)
    if isinstance(condition, ir.Binary) and condition.op in _NEGATED and condition.left.type == ir.INT64:
        return [ir.Binary(ir.BOOL, _NEGATED[condition.op], condition.left, condition.right, loc=condition.loc)]
    return [ir.Unary(ir.BOOL, "not", condition, loc=condition.loc)]


def _take(condition: ir.Expr, known: _Known, bounds: dict[int, Bounds], sites: Sites) -> bool:
    """Turn a comparison of a global id with something that does not depend on the work-item into a bound."""
    if not isinstance(condition, ir.Binary) or condition.left.type != ir.INT64:
        return False
    op, left, right = condition.op, condition.left, condition.right
    if op == "ne" and isinstance(right, ir.Const) and right.value == 0:
        op = "gt"  # ids are not negative
    if op not in _MIRRORED:
        return False
    axis = _axis(left, known)
    if axis is None:
        op, left, right = _MIRRORED[op], right, left
        axis = _axis(left, known)
    if axis is None:
        return False
    bound = _Settle(sites, known)(right)
    if not _pure(bound) or not _steady(bound, known):
        return False
    if op in ("le", "gt"):
        one = ir.Const(ir.INT64, 1)
        bound = (
            ir.Const(ir.INT64, bound.value + 1)
            if isinstance(bound, ir.Const)
            else ir.Binary(ir.INT64, "add", bound, one)
        )
    entry = bounds.setdefault(axis, Bounds())
    (entry.stops if op in ("lt", "le") else entry.starts).append(bound)
    return True


def _axis(value: ir.Expr, known: _Known) -> int | None:
    while isinstance(value, ir.Var) and value.name in known.values:
        value = known.values[value.name]
    return value.axis if isinstance(value, ir.WorkItem) and value.function == "global_id" else None


def _steady(bound: ir.Expr, known: _Known) -> bool:
    for node in ir.walk(bound):
        if isinstance(node, ir.Var) and node.name not in known.params:
            return False
        if isinstance(node, ir.WorkItem) and node.function != "global_size":
            return False
    return True


class _Settle(Copier):
    """Puts the values of known variables in their place."""

    def __init__(self, sites: Sites, known: _Known) -> None:
        super().__init__(sites)
        self._known = known

    def replace(self, node: ir.Expr) -> ir.Expr | None:
        if isinstance(node, ir.Var) and node.name in self._known.values:
            copy: ir.Expr = self(self._known.values[node.name])
            return copy
        return None
