"""Helpers merged into the kernel, so that a printer sees one body without calls and without early returns."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from .. import ir
from .copying import Copier, Sites
from .returns import without_returns


def flatten_kernel(original: ir.Kernel, kernel: ir.Kernel) -> tuple[ir.Kernel, Sites]:
    """Return a copy of a kernel without helpers and returns, and the numbers of its accesses.

    ``kernel`` is the original, perhaps with calls of more helpers in it; both are left as they are. Accesses are
    numbered as in the original. Parameters that the kernel assigns to become variables.
    """
    sites = Sites(original)
    sites.follow_kernel(original, kernel)
    inliner = _Inliner(kernel, sites)
    assigned = {node.name for node in ir.walk(kernel.body) if isinstance(node, (ir.Assign, ir.For))}
    start: list[ir.Stmt] = []
    renamed: dict[str, str] = {}
    for param in kernel.params:
        if param.name in assigned and not isinstance(param.type, ir.ArrayType):
            renamed[param.name] = inliner.new_variable(param.name, param.type)
            start.append(ir.Assign(renamed[param.name], ir.Var(param.type, param.name), loc=param.loc))
    body = Copier(sites, variables=renamed)(kernel.body)
    body = without_returns(body, None, inliner.new_variable)
    body = start + inliner.block(body)
    flat = replace(kernel, body=body, functions=[], variables=inliner.variables, arrays=inliner.arrays)
    return flat, sites


class _Inliner:
    def __init__(self, kernel: ir.Kernel, sites: Sites) -> None:
        self.functions = {function.name: function for function in kernel.functions}
        self.sites = sites
        self.variables = dict(kernel.variables)
        self.arrays = list(kernel.arrays)
        self._taken = set(self.variables) | {param.name for param in kernel.params}
        self._array_names = {declared.name for declared in self.arrays} | {param.name for param in kernel.params}
        self._declared: dict[str, dict[str, str]] = {}
        self._effects: dict[str, bool] = {}
        self._counter = 0

    def new_variable(self, hint: str, type_: ir.Type) -> str:
        name = hint
        while name in self._taken:
            self._counter += 1
            name = f"{hint}_{self._counter}"
        self._taken.add(name)
        self.variables[name] = type_
        return name

    # -- statements

    def block(self, statements: list[ir.Stmt]) -> list[ir.Stmt]:
        out: list[ir.Stmt] = []
        for statement in statements:
            self._statement(statement, out)
        return out

    def _statement(self, statement: ir.Stmt, out: list[ir.Stmt]) -> None:
        if isinstance(statement, ir.While):
            self._while(statement, out)
            return
        for item in fields(statement):
            value = getattr(statement, item.name)
            if isinstance(value, list) and value and isinstance(value[0], ir.Stmt):
                setattr(statement, item.name, self.block(value))
        self._operands(statement, out)
        if isinstance(statement, ir.ExprStmt) and not _acts(statement.value):
            return  # the value of a helper whose statements are already out
        out.append(statement)

    def _while(self, statement: ir.While, out: list[ir.Stmt]) -> None:
        before: list[ir.Stmt] = []
        condition = self.expression(statement.condition, before)
        body = self.block(statement.body)
        if before:
            leave = ir.If(ir.Unary(ir.BOOL, "not", condition), [ir.Break(loc=statement.loc)], loc=statement.loc)
            out.append(ir.While(ir.Const(ir.BOOL, True), [*before, leave, *body], loc=statement.loc))
        else:
            out.append(ir.While(condition, body, loc=statement.loc))

    # -- expressions

    def expression(self, value: Any, out: list[ir.Stmt]) -> Any:
        """Return an expression without calls of helpers; their statements go to ``out``."""
        if not self._calls(value):
            return value
        if isinstance(value, ir.CallFunction):
            return self._inline(value, out)
        if isinstance(value, ir.Binary) and value.op in ("land", "lor"):
            return self._short_circuit(value, out)
        if isinstance(value, ir.Select) and not isinstance(value.condition.type, ir.Vector):
            return self._ternary(value, out)
        self._operands(value, out)
        return value

    def _operands(self, node: Any, out: list[ir.Stmt]) -> None:
        """Free the operands of a node from calls, in the order of their evaluation."""
        places: list[tuple[Any, Any]] = []
        for item in fields(node):
            value = getattr(node, item.name)
            if isinstance(value, ir.Expr):
                places.append((item.name, None))
            elif isinstance(value, list):
                places += [(item.name, i) for i, element in enumerate(value) if isinstance(element, ir.Expr)]
        values = [self._get(node, place) for place in places]
        last = max((i for i, value in enumerate(values) if self._disturbs(value)), default=-1)
        for number, (place, value) in enumerate(zip(places, values, strict=True)):
            new = self.expression(value, out)
            if number < last and self._reads(new):
                new = self._keep(new, out)
            self._set(node, place, new)

    @staticmethod
    def _get(node: Any, place: tuple[Any, Any]) -> Any:
        value = getattr(node, place[0])
        return value if place[1] is None else value[place[1]]

    @staticmethod
    def _set(node: Any, place: tuple[Any, Any], value: Any) -> None:
        if place[1] is None:
            setattr(node, place[0], value)
        else:
            getattr(node, place[0])[place[1]] = value

    def _keep(self, value: ir.Expr, out: list[ir.Stmt]) -> ir.Expr:
        name = self.new_variable("kept", value.type)
        out.append(ir.Assign(name, value, loc=value.loc))
        return ir.Var(value.type, name, loc=value.loc)

    def _short_circuit(self, value: ir.Binary, out: list[ir.Stmt]) -> ir.Expr:
        name = self.new_variable("holds", value.type)
        variable = ir.Var(value.type, name, loc=value.loc)
        out.append(ir.Assign(name, self.expression(value.left, out), loc=value.loc))
        inner: list[ir.Stmt] = []
        right = self.expression(value.right, inner)
        inner.append(ir.Assign(name, right, loc=value.loc))
        test: ir.Expr = variable if value.op == "land" else ir.Unary(ir.BOOL, "not", variable)
        out.append(ir.If(test, inner, loc=value.loc))
        return variable

    def _ternary(self, value: ir.Select, out: list[ir.Stmt]) -> ir.Expr:
        name = self.new_variable("chosen", value.type)
        condition = self.expression(value.condition, out)
        branches: list[list[ir.Stmt]] = []
        for branch in (value.then, value.other):
            inner: list[ir.Stmt] = []
            result = self.expression(branch, inner)
            branches.append([*inner, ir.Assign(name, result, loc=value.loc)])
        out.append(ir.If(condition, *branches, loc=value.loc))
        return ir.Var(value.type, name, loc=value.loc)

    # -- calls

    def _inline(self, call: ir.CallFunction, out: list[ir.Stmt]) -> ir.Expr:
        function = self.functions[call.function]
        self._operands(call, out)
        arrays = dict(self._arrays_of(function))
        variables = {name: self.new_variable(name, type_) for name, type_ in function.variables.items()}
        constants: dict[str, ir.Const] = {}
        assigned = {node.name for node in ir.walk(function.body) if isinstance(node, (ir.Assign, ir.For))}
        for param, arg in zip(function.params, call.args, strict=True):
            if isinstance(arg, ir.ArrayRef):
                arrays[param.name] = arg.name
            elif isinstance(arg, ir.Var) and param.name not in assigned:
                variables[param.name] = arg.name  # nobody changes the caller's variable meanwhile
            elif isinstance(arg, ir.Const) and param.name not in assigned:
                constants[param.name] = arg
            else:
                variables[param.name] = self.new_variable(param.name, param.type)
                out.append(ir.Assign(variables[param.name], arg, loc=call.loc))
        copy = _Body(self.sites, variables, arrays, constants)
        returns = [node for node in ir.walk(function.body) if isinstance(node, ir.Return)]
        if len(returns) == 1 and function.body[-1] is returns[0] and returns[0].value is not None:
            out += self.block(copy(function.body[:-1]))
            value: ir.Expr = self.expression(copy(returns[0].value), out)
            return value
        result = None
        if function.result is not None:
            result = ir.Var(function.result, self.new_variable(f"{function.name}_result", function.result))
        out += self.block(without_returns(copy(function.body), result, self.new_variable))
        return result or ir.Const(ir.INT64, 0, loc=call.loc)

    def _arrays_of(self, function: ir.Function) -> dict[str, str]:
        """Declare a helper's own arrays once, whoever calls it."""
        if function.name not in self._declared:
            names: dict[str, str] = {}
            for declared in function.arrays:
                name = f"{function.name}_{declared.name}"
                while name in self._array_names:
                    name += "_"
                self._array_names.add(name)
                names[declared.name] = name
                self.arrays.append(replace(declared, name=name))
            self._declared[function.name] = names
        return self._declared[function.name]

    def _calls(self, value: Any) -> bool:
        return any(isinstance(node, ir.CallFunction) for node in ir.walk(value))

    def _disturbs(self, value: Any) -> bool:
        """Whether evaluating it calls a helper that writes memory or waits at a barrier."""
        return any(isinstance(node, ir.CallFunction) and self._writes(node.function) for node in ir.walk(value))

    def _writes(self, name: str) -> bool:
        if name not in self._effects:
            body = self.functions[name].body
            effects = any(isinstance(node, (ir.Store, ir.Atomic, ir.Barrier, ir.Print)) for node in ir.walk(body))
            self._effects[name] = effects or self._disturbs(body)
        return self._effects[name]

    @staticmethod
    def _reads(value: Any) -> bool:
        return any(isinstance(node, ir.Load) for node in ir.walk(value))


def _acts(value: ir.Expr) -> bool:
    return any(isinstance(node, ir.Atomic) for node in ir.walk(value))


class _Body(Copier):
    """Copies a helper's body, with constants in the place of parameters."""

    def __init__(
        self, sites: Sites, variables: dict[str, str], arrays: dict[str, str], constants: dict[str, ir.Const]
    ) -> None:
        super().__init__(sites, variables, arrays)
        self._constants = constants

    def replace(self, node: Any) -> Any:
        if isinstance(node, ir.Var) and node.name in self._constants:
            return replace(self._constants[node.name])
        return None
