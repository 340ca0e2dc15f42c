"""Calls of ``@xp.func`` helpers: as functions, or, where a function cannot do it, by taking their body."""

from __future__ import annotations

import ast

from ...errors import KernelCompileError, KernelTypeError
from .. import ir
from .promotion import INT64, Number
from .pyfunctions import PythonFunctions
from .signature import Fixed
from .source import FunctionSource
from .state import Scope
from .values import Array, Num, Static, Tuple, Value, number_type, wrap

_ARGUMENT = -3
_RESULT = "<result>"
"""The slot of an inlined helper's result; no name of the user's."""


class Functions(PythonFunctions):
    """Lowers calls of helpers."""

    def body(self, nodes: list[ast.stmt]) -> bool:
        """Lower statements; return whether the end can be reached."""
        raise NotImplementedError

    def call_helper(self, source: FunctionSource, node: ast.Call) -> Value:
        """Lower a call of a helper."""
        if source in self.compilation.stack or self._is_open(source):
            raise self.refuse(
                f"helper {source.name!r} calls itself, directly or through another",
                node,
                "write the recursion as a loop",
            )
        arguments = self._match(source, node)
        try:
            helper = self.compilation.helper(source, arguments)
            if helper.inline:
                return self._inline(source, arguments, node)
        except (KernelCompileError, KernelTypeError) as error:
            self._add_caller(error, source, node)
            raise
        flat: list[ir.Expr] = []
        for value in arguments:
            self._flatten(value, flat, helper.fixed, node)
        loc = self.loc(node)
        if helper.result is None:
            self.emit(ir.ExprStmt(ir.CallFunction(ir.INT64, helper.function.name, flat, loc=loc), loc=loc))
            return Static(None)
        call = ir.CallFunction(number_type(helper.result), helper.function.name, flat, loc=loc)
        return Num(call, helper.result.weak)

    def _is_open(self, source: FunctionSource) -> bool:
        """Whether we are inside of an inlined call of this helper."""
        return any(self.scopes[self.scope_key[: k + 1]].source is source for k in range(len(self.scope_key)))

    def _add_caller(self, error: KernelCompileError | KernelTypeError, source: FunctionSource, node: ast.Call) -> None:
        loc = self.loc(node)
        line = f'  called as {source.name}(...) (File "{loc.file}", line {loc.line}, in {self.source.where})'
        text = str(error.args[0])
        if line not in text:
            error.args = (f"{text}\n{line}", *error.args[1:])

    def _match(self, source: FunctionSource, node: ast.Call) -> list[Value]:
        """Return the arguments in the order of the helper's parameters."""
        names = source.parameters()
        positional: list[tuple[Value, ast.expr]] = []
        nodes = [*node.args, *(k.value for k in node.keywords)]
        plain = [a.value if isinstance(a, ast.Starred) else a for a in nodes]
        values = self.sequence(plain)
        given: dict[str, Value] = {}
        for value, argument in zip(values[: len(node.args)], node.args, strict=True):
            if isinstance(argument, ast.Starred):
                positional += [(item, argument) for item in self.unpack(value, argument)]
            else:
                positional.append((value, argument))
        if len(positional) > len(names):
            raise self.mismatch(
                f"helper {source.name!r} takes {len(names)} arguments, not {len(positional)}", node, self._form(source)
            )
        given = dict(zip(names, (value for value, _ in positional), strict=False))
        for keyword, value in zip(node.keywords, values[len(node.args) :], strict=True):
            if keyword.arg is None or keyword.arg not in names:
                shown = "**" if keyword.arg is None else repr(keyword.arg)
                raise self.mismatch(
                    f"helper {source.name!r} has no argument {shown}", keyword.value, self._form(source)
                )
            if keyword.arg in given:
                raise self.mismatch(f"helper {source.name!r} got {keyword.arg!r} twice", keyword.value)
            given[keyword.arg] = value
        defaults = source.defaults()
        for name in names:
            if name not in given and name in defaults:
                given[name] = wrap(defaults[name], self.default, self.loc(node))
            elif name not in given:
                raise self.mismatch(f"helper {source.name!r} misses the argument {name!r}", node, self._form(source))
        return [given[name] for name in names]

    def _form(self, source: FunctionSource) -> str:
        return f"its form is {source.name}({', '.join(source.parameters())})"

    def _flatten(self, value: Value, flat: list[ir.Expr], fixed: bool, node: ast.AST) -> None:
        if isinstance(value, Num):
            if not (fixed and value.is_const):
                flat.append(self.convert(value, Number(value.dtype, False, value.number.lanes), node))
        elif isinstance(value, Array):
            flat.append(ir.ArrayRef(value.type, value.name, loc=self.loc(node)))
            flat.extend(value.indices)
        elif isinstance(value, Tuple):
            for item in value.items:
                self._flatten(item, flat, fixed, node)

    # ----------------------------------------------------------------------------------------------------- inlining

    def _inline(self, source: FunctionSource, arguments: list[Value], node: ast.Call) -> Value:
        """Lower a helper's body in the place of its call."""
        count = self.occurrences.get((self.scope_key, id(node)), 0)
        self.occurrences[self.scope_key, id(node)] = count + 1
        arguments = [self._own(value) for value in arguments]
        outer, outer_key = self.scope, self.scope_key
        key = (*outer_key, (id(node), count))
        if key not in self.scopes:
            self.scopes[key] = Scope(source, f"{source.name}_")
        self.scope, self.scope_key = self.scopes[key], key
        errors = len(self.errors)
        try:
            for name, value in zip(source.parameters(), arguments, strict=True):
                self.bind(self.scope.slot(name), value, source.loc, _ARGUMENT)
            through = self._structured(source.body())
            result = self.scope.slots.get(_RESULT)
            if result is None:
                return Static(None)
            if through:
                raise self.refuse(
                    f"{source.where} returns a value on some ways and reaches its end on others",
                    result.place or source.loc,
                    "add a return at the end",
                )
            return self.read(result, None)
        finally:
            self.scope, self.scope_key = outer, outer_key
            for error in self.errors[errors:]:
                self._add_caller(error, source, node)

    def _own(self, value: Value) -> Value:
        """Keep an argument's value apart from names that the caller may still change."""
        return self.settle(value)

    def _structured(self, nodes: list[ast.stmt]) -> bool:
        """Lower a body in which returns end branches; what follows a branch that returns goes into the other one."""
        for position, node in enumerate(nodes):
            if isinstance(node, ast.Return):
                self._keep_result(node)
                return False
            if isinstance(node, ast.If) and (_returns(node.body) or _returns(node.orelse)):
                return self._branch(node, nodes[position + 1 :])
            if not self.body([node]):
                return False
        return True

    def _branch(self, node: ast.If, rest: list[ast.stmt]) -> bool:
        condition = self.test(node.test)
        if isinstance(condition, ir.Const):
            return self._structured([*(node.body if condition.value else node.orelse), *rest])
        then, other = node.body, node.orelse
        if not _ends(then) and not _ends(other) and rest:
            raise self.refuse(
                "this helper is inlined (it holds a barrier or local memory, or returns a tuple), and returns from the "
                "middle of a branch",
                node,
                "return at the end of the helper only: put the value in a name first",
            )
        with self.sub_block() as first:
            through = self._structured(then if _ends(then) else [*then, *rest])
        with self.sub_block() as second:
            through = self._structured(other if _ends(other) else [*other, *rest]) or through
        self.emit(ir.If(condition, first, second, loc=self.loc(node.test)))
        return through

    def _keep_result(self, node: ast.Return) -> None:
        if node.value is None:
            return
        try:
            value = self.expr(node.value)
            self.bind(self.scope.slot(_RESULT), value, self.loc(node), id(node))
        except (KernelCompileError, KernelTypeError) as error:
            self.errors.append(error)


def _returns(nodes: list[ast.stmt]) -> bool:
    """Whether there is a return outside of loops."""
    for node in nodes:
        if isinstance(node, ast.Return):
            return True
        if isinstance(node, ast.If) and (_returns(node.body) or _returns(node.orelse)):
            return True
    return False


def _ends(nodes: list[ast.stmt]) -> bool:
    """Whether every way through these statements returns."""
    if not nodes:
        return False
    last = nodes[-1]
    if isinstance(last, ast.If):
        return _ends(last.body) and _ends(last.orelse)
    return isinstance(last, ast.Return)


__all__ = ["INT64", "Fixed", "Functions"]
