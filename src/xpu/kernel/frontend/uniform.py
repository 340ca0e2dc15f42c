"""Which values are the same for all work-items of a group, and whether every barrier is reached by all of them.

Uniform are constants, scalar arguments, shapes, group ids and sizes, elements of arrays that the kernel does not write
and of local memory since the last barrier, each at a uniform index, and what is computed from these under uniform
control. The analysis starts from "everything is uniform" and takes back until nothing changes.
"""

from __future__ import annotations

from .. import ir
from ..ir import Loc
from .diagnostics import Note, compile_error

_DIVERGENT = ("global_id", "local_id")


def check_barriers(kernel: ir.Kernel, where: str) -> None:
    """Raise where a barrier of a kernel may be missed by some work-items of a group."""
    if kernel.uses_barrier:
        _Uniformity(kernel, where).run()


class _Uniformity:
    def __init__(self, kernel: ir.Kernel, where: str) -> None:
        self.kernel = kernel
        self.where = where
        self.divergent: dict[str, Loc | None] = {}
        """Variables and private arrays that differ between work-items, with the place that made them so."""
        self.loops: dict[int, Loc | None] = {}
        """Loops that some work-items leave earlier than others, with the reason."""
        self.written = {p.name for p in kernel.params if p.written}
        self.space = {d.name: d.type.space for d in kernel.arrays}
        self.space |= {p.name: "global" for p in kernel.params if isinstance(p.type, ir.ArrayType)}
        self.functions = {f.name: f for f in kernel.functions}
        self.item_functions: set[str] = set()
        for function in kernel.functions:
            for node in ir.walk(function.body):
                named = isinstance(node, ir.WorkItem) and node.function in _DIVERGENT
                calls = isinstance(node, ir.CallFunction) and node.function in self.item_functions
                if named or calls or isinstance(node, ir.Atomic):
                    self.item_functions.add(function.name)
        self.checking = False

    def run(self) -> None:
        while True:
            before = (len(self.divergent), len(self.loops))
            self._walk_all()
            if before == (len(self.divergent), len(self.loops)):
                break
        self.checking = True
        self._walk_all()

    def _walk_all(self) -> None:
        self.stale: set[str] = set()
        self.left: Loc | None = None
        """Where some work-items returned: nothing after it is reached by all."""
        self.skipped: Loc | None = None
        self.gone = False
        self.skipping = False
        self.open_loops: list[ir.Stmt] = []
        self._body(self.kernel.body, False, None)

    # ---------------------------------------------------------------------------------------------- expressions

    def uniform(self, expr: ir.Expr) -> bool:
        """Whether all work-items of a group get the same value."""
        if isinstance(expr, ir.Var):
            return expr.name not in self.divergent
        if isinstance(expr, ir.WorkItem):
            return expr.function not in _DIVERGENT
        if isinstance(expr, ir.Atomic):
            return False
        if isinstance(expr, ir.Load):
            return self._same_array(expr.array) and all(map(self.uniform, expr.indices))
        if isinstance(expr, ir.CallFunction):
            if expr.function in self.item_functions:
                return False
            params = self.functions[expr.function].params
            for param, argument in zip(params, expr.args, strict=True):
                if isinstance(argument, ir.ArrayRef) and (param.written or not self._same_array(argument.name)):
                    return False
        return all(self.uniform(child) for child in ir.children(expr))

    def _same_array(self, name: str) -> bool:
        space = self.space[name]
        if space == "global":
            return name not in self.written
        if space == "local":
            return name not in self.stale
        return name not in self.divergent

    def _effects(self, statement: ir.Stmt) -> None:
        """Note which arrays the expressions of a statement change."""
        for node in ir.walk(statement):
            if isinstance(node, ir.Atomic):
                self.stale.add(node.array)
            elif isinstance(node, ir.CallFunction):
                params = self.functions[node.function].params
                for param, argument in zip(params, node.args, strict=True):
                    if isinstance(argument, ir.ArrayRef) and param.written:
                        self.stale.add(argument.name)
                        if self.space[argument.name] == "private":
                            self.divergent.setdefault(argument.name, node.loc)

    # ----------------------------------------------------------------------------------------------- statements

    def _body(self, body: list[ir.Stmt], apart: bool, why: Loc | None) -> None:
        """Walk over statements; ``apart`` tells that only some work-items come here, ``why`` the reason."""
        for statement in body:
            here = apart or self.gone or self.skipping
            reason = why if apart else (self.left if self.gone else self.skipped)
            self._statement(statement, here, reason)

    def _statement(self, node: ir.Stmt, apart: bool, why: Loc | None) -> None:
        if isinstance(node, ir.Assign):
            if apart or not self.uniform(node.value):
                self.divergent.setdefault(node.name, node.loc)
            self._effects(node)
        elif isinstance(node, ir.Store):
            self._effects(node)
            self.stale.add(node.array)
            same = not apart and all(map(self.uniform, [node.value, *node.indices]))
            if self.space[node.array] == "private" and not same:
                self.divergent.setdefault(node.array, node.loc)
        elif isinstance(node, ir.If):
            self._if(node, apart, why)
        elif isinstance(node, (ir.For, ir.While)):
            self._loop(node, apart, why)
        elif isinstance(node, ir.Return):
            if apart:
                self.left, self.gone = why, True
                for loop in self.open_loops:
                    self.loops.setdefault(id(loop), why)
        elif isinstance(node, ir.Break):
            if apart:
                self.loops.setdefault(id(self.open_loops[-1]), why)
        elif isinstance(node, ir.Continue):
            if apart:
                self.skipped, self.skipping = why, True
        elif isinstance(node, ir.Barrier):
            if apart and self.checking:
                self._refuse(node, why)
            self.stale.clear()
        else:
            self._effects(node)

    def _if(self, node: ir.If, apart: bool, why: Loc | None) -> None:
        split = not self.uniform(node.condition)
        inner = apart or split
        reason = why if apart else node.condition.loc or node.loc
        before = set(self.stale)
        self._body(node.body, inner, reason)
        after, self.stale = self.stale, before
        self._body(node.orelse, inner, reason)
        self.stale = self.stale | after

    def _loop(self, node: ir.For | ir.While, apart: bool, why: Loc | None) -> None:
        bounds = [node.start, node.stop, node.step] if isinstance(node, ir.For) else [node.condition]
        skipping, skipped = self.skipping, self.skipped
        self.open_loops.append(node)
        for _ in range(2):  # the second time with what the end of the body leaves behind
            split = not all(map(self.uniform, bounds))
            inner, reason = apart, why
            if not apart and split:
                inner, reason = True, bounds[0].loc or node.loc
                if isinstance(node, ir.For):
                    reason = next((b.loc for b in bounds if not self.uniform(b) and b.loc), node.loc)
            elif not apart and id(node) in self.loops:
                inner, reason = True, self.loops[id(node)]
            if isinstance(node, ir.For) and inner:
                self.divergent.setdefault(node.name, node.loc)
            before = set(self.stale)
            self._body(node.body, inner, reason)
            self.stale |= before
            self.skipping, self.skipped = skipping, skipped
        self.open_loops.pop()

    def _refuse(self, node: ir.Barrier, why: Loc | None) -> None:
        notes = (Note("this differs between work-items", why),) if why is not None else ()
        raise compile_error(
            "some work-items of a group may not come to this barrier",
            node.loc,
            "every work-item of a group must reach it: move the barrier out of the branch, loop to a bound that is the "
            "same for all, and replace an early return by `if` around the work",
            self.where,
            notes,
        )
