"""Intervals of integers: where plain C arithmetic is safe.

Signed overflow is undefined in C and wraps in the kernel language, so printers compute through unsigned types unless an
interval shows that nothing can overflow. The intervals are coarse: constants, work-item functions, shapes, and what
follows from these.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from .. import ir

Interval = tuple[int, int]

_EXTENT = 2**47
"""No shape and no global size is larger: more than any device addresses."""
_GROUP = 2**20


def full(dtype: ir.DType) -> Interval:
    """Return all that a dtype can hold."""
    if dtype.kind == "b":
        return (0, 1)
    info = np.iinfo(dtype)
    return (int(info.min), int(info.max))


def inside(inner: Interval, outer: Interval) -> bool:
    """Whether an interval lies within another."""
    return outer[0] <= inner[0] and inner[1] <= outer[1]


class Ranges:
    """The intervals of one function's variables."""

    def __init__(self, params: Iterable[ir.Param], variables: Mapping[str, ir.Type], body: list[ir.Stmt]) -> None:
        self._known: dict[str, Interval] = {}
        names = {n: t.dtype for n, t in variables.items() if isinstance(t, ir.Scalar) and t.dtype.kind in "iu"}
        assigned: dict[str, list[ir.Expr | ir.For]] = {name: [] for name in names}
        for node in ir.walk(body):
            if isinstance(node, ir.Assign) and node.name in names:
                assigned[node.name].append(node.value)
            elif isinstance(node, ir.For) and node.name in names:
                assigned[node.name].append(node)
        # A variable is known once everything assigned to it is; those that depend on themselves never are.
        pending = {name for name in names if assigned[name]}
        progress = True
        while pending and progress:
            progress = False
            for name in sorted(pending):
                if any(self._mentions(value, pending) for value in assigned[name]):
                    continue
                self._known[name] = self._union(assigned[name])
                pending.discard(name)
                progress = True

    def _mentions(self, value: ir.Expr | ir.For, names: set[str]) -> bool:
        parts = [value.start, value.stop, value.step] if isinstance(value, ir.For) else [value]
        return any(isinstance(node, ir.Var) and node.name in names for part in parts for node in ir.walk(part))

    def _union(self, values: list[ir.Expr | ir.For]) -> Interval:
        found = [self.loop(value) if isinstance(value, ir.For) else self.of(value) for value in values]
        return (min(low for low, _ in found), max(high for _, high in found))

    def loop(self, node: ir.For) -> Interval:
        """Return the interval of a loop's variable."""
        start, stop = self.of(node.start), self.of(node.stop)
        return (min(start[0], stop[0]), max(start[1], stop[1]))

    def of(self, node: ir.Expr) -> Interval:
        """Return the interval of an integer expression, within its type."""
        everything = full(node.type.dtype) if node.type.dtype.kind in "iub" else (0, 0)
        if not isinstance(node.type, ir.Scalar) or node.type.dtype.kind not in "iub":
            return everything
        found = self._of(node)
        return found if found is not None and inside(found, everything) else everything

    def fits(self, node: ir.Binary | ir.Unary) -> bool:
        """Whether the exact result of add, sub, mul or neg fits the type, so that C's own operator is right."""
        if not isinstance(node.type, ir.Scalar) or node.type.dtype.kind not in "iu":
            return False
        found = self._of(node)
        return found is not None and inside(found, full(node.type.dtype))

    def _of(self, node: ir.Expr) -> Interval | None:
        match node:
            case ir.Const(value=value):
                return (int(value.real), int(value.real))
            case ir.Var(name=name):
                return self._known.get(name)
            case ir.Dim():
                return (0, _EXTENT)
            case ir.WorkItem(function=function):
                return (0, _GROUP if function in ("local_id", "local_size") else _EXTENT)
            case ir.Cast(operand=operand) if operand.type.dtype.kind in "iub":
                return self.of(operand)
            case ir.Unary(op="neg", operand=operand):
                low, high = self.of(operand)
                return (-high, -low)
            case ir.Select(then=then, other=other):
                a, b = self.of(then), self.of(other)
                return (min(a[0], b[0]), max(a[1], b[1]))
            case ir.Call(function="min" | "max" | "minimum" | "maximum" as name, args=[left, right]):
                a, b = self.of(left), self.of(right)
                pick = min if name.startswith("min") else max
                return (pick(a[0], b[0]), pick(a[1], b[1]))
            case ir.Binary(op=op, left=left, right=right):
                return self._binary(op, self.of(left), self.of(right))
        return None

    @staticmethod
    def _binary(op: str, a: Interval, b: Interval) -> Interval | None:
        if op == "add":
            return (a[0] + b[0], a[1] + b[1])
        if op == "sub":
            return (a[0] - b[1], a[1] - b[0])
        if op == "mul":
            corners = [x * y for x in a for y in b]
            return (min(corners), max(corners))
        if op == "floordiv" and a[0] >= 0 and b[0] >= 0:
            return (0, a[1])
        if op == "mod" and b[0] >= 0:
            return (0, max(b[1] - 1, 0))
        if op == "and" and (a[0] >= 0 or b[0] >= 0):
            return (0, min(high for low, high in (a, b) if low >= 0))
        if op == "shr" and a[0] >= 0:
            return (0, a[1])
        return None
