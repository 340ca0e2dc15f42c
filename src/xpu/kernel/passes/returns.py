"""Early returns as control flow: afterwards a body runs to its end.

``if c: return`` followed by the rest becomes ``if c: pass else: rest``. A return inside a loop sets a flag and leaves
the loop; what follows runs only where the flag is down.
"""

from __future__ import annotations

from collections.abc import Callable

from .. import ir

NewVariable = Callable[[str, ir.Type], str]


def without_returns(body: list[ir.Stmt], result: ir.Var | None, new_variable: NewVariable) -> list[ir.Stmt]:
    """Return the body without :class:`xpu.kernel.ir.Return`.

    Parameters
    ----------
    body : list of Stmt
        Statements of a function; not changed.
    result : Var or None
        The variable that takes the value returned.
    new_variable : callable
        Makes a variable from a hint and a type, and returns its name.
    """
    if not _returns(body):
        return body
    return _Structurer(result, new_variable).block(body)


def _returns(statements: list[ir.Stmt]) -> bool:
    return any(isinstance(node, ir.Return) for node in ir.walk(statements))


def _always(statements: list[ir.Stmt]) -> bool:
    """Whether every path through the statements returns."""
    for statement in statements:
        if isinstance(statement, ir.Return):
            return True
        if isinstance(statement, ir.If) and _always(statement.body) and _always(statement.orelse):
            return True
    return False


class _Structurer:
    def __init__(self, result: ir.Var | None, new_variable: NewVariable) -> None:
        self.result = result
        self.new_variable = new_variable

    def block(self, statements: list[ir.Stmt], flag: str | None = None, in_loop: bool = False) -> list[ir.Stmt]:
        """Rewrite a list; ``flag`` is the variable to raise on return, where somebody looks at it."""
        out: list[ir.Stmt] = []
        for position, statement in enumerate(statements):
            rest = statements[position + 1 :]
            if isinstance(statement, ir.Return):
                return out + self._leave(statement, flag, in_loop)
            if not _returns([statement]):
                out.append(statement)
                continue
            if isinstance(statement, ir.If):
                return out + self._branch(statement, rest, flag, in_loop)
            return out + self._loop(statement, rest, flag, in_loop)
        return out

    def _leave(self, statement: ir.Return, flag: str | None, in_loop: bool) -> list[ir.Stmt]:
        out: list[ir.Stmt] = []
        if statement.value is not None and self.result is not None:
            out.append(ir.Assign(self.result.name, statement.value, loc=statement.loc))
        if flag is not None:
            out.append(ir.Assign(flag, ir.Const(ir.BOOL, True), loc=statement.loc))
        if in_loop:
            out.append(ir.Break(loc=statement.loc))
        return out

    def _branch(self, statement: ir.If, rest: list[ir.Stmt], flag: str | None, in_loop: bool) -> list[ir.Stmt]:
        condition, body, orelse = statement.condition, statement.body, statement.orelse
        if _always(body):
            new = ir.If(
                condition,
                self.block(body, flag, in_loop),
                self.block(orelse + rest, flag, in_loop),
                loc=statement.loc,
            )
            return [new]
        if _always(orelse):
            new = ir.If(
                condition,
                self.block(body + rest, flag, in_loop),
                self.block(orelse, flag, in_loop),
                loc=statement.loc,
            )
            return [new]
        if in_loop or not rest:
            new = ir.If(
                condition, self.block(body, flag, in_loop), self.block(orelse, flag, in_loop), loc=statement.loc
            )
            return [new, *self.block(rest, flag, in_loop)]
        own = flag or self.new_variable("returned", ir.BOOL)
        start: list[ir.Stmt] = [] if flag else [ir.Assign(own, ir.Const(ir.BOOL, False), loc=statement.loc)]
        new = ir.If(condition, self.block(body, own), self.block(orelse, own), loc=statement.loc)
        return [*start, new, self._guard(own, self.block(rest, flag), statement)]

    def _loop(self, statement: ir.Stmt, rest: list[ir.Stmt], flag: str | None, in_loop: bool) -> list[ir.Stmt]:
        own = flag or self.new_variable("returned", ir.BOOL)
        start: list[ir.Stmt] = [] if flag else [ir.Assign(own, ir.Const(ir.BOOL, False), loc=statement.loc)]
        new: ir.Stmt
        if isinstance(statement, ir.For):
            new = ir.For(
                statement.name,
                statement.start,
                statement.stop,
                statement.step,
                self.block(statement.body, own, True),
                loc=statement.loc,
            )
        else:
            assert isinstance(statement, ir.While)
            new = ir.While(statement.condition, self.block(statement.body, own, True), loc=statement.loc)
        out = [*start, new]
        if in_loop:
            out.append(ir.If(ir.Var(ir.BOOL, own), [ir.Break(loc=statement.loc)], loc=statement.loc))
            return out + self.block(rest, own, True)
        if rest:
            out.append(self._guard(own, self.block(rest, flag), statement))
        return out

    @staticmethod
    def _guard(flag: str, rest: list[ir.Stmt], statement: ir.Stmt) -> ir.Stmt:
        lowered = ir.Unary(ir.BOOL, "not", ir.Var(ir.BOOL, flag))
        return ir.If(lowered, rest, loc=statement.loc)
