"""Statements: assignments, branches, loops, returns."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import KernelCompileError, KernelTypeError
from .. import ir
from ..ir import Loc
from .calls import Calls
from .diagnostics import Note, UnresolvedError
from .operators import OPERATORS
from .promotion import INT64, Number, join
from .state import Scope, Slot
from .values import Array, Num, Static, Tuple, Value, constant, describe, number_type

UNROLL_LIMIT = 4096


class Statements(Calls):
    """Turns statement nodes into IR."""

    result: Number | None
    """What a helper returns, joined over its returns."""
    result_place: Loc | None
    returns_nothing: Loc | None

    def body(self, nodes: list[ast.stmt]) -> bool:
        """Lower statements; return whether the end can be reached."""
        for node in nodes:
            try:
                reachable = self.statement(node)
            except (KernelCompileError, KernelTypeError) as error:
                self.errors.append(error)
                reachable = True
            if not reachable:
                return False
        return True

    def statement(self, node: ast.stmt) -> bool:
        """Lower one statement; return whether the next can be reached."""
        method: Callable[[Any], bool | None] | None = getattr(self, f"_{type(node).__name__}", None)
        if method is None:
            raise self.refuse(f"`{type(node).__name__.lower()}` is not part of the kernel language", node)
        return method(node) is not False

    # -------------------------------------------------------------------------------------------------- assignment

    def _Assign(self, node: ast.Assign) -> None:
        value = self.expr(node.value)
        self._refuse_missing_value(value, node.value)
        if len(node.targets) > 1:
            value = self._keep(value)
        for target in node.targets:
            self.assign(target, value, node)

    def _AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is None:
            raise self.refuse("a declaration without a value", node, "give the name its first value here")
        value = self.expr(node.value)
        kind = self.expr(node.annotation)
        if isinstance(kind, Static) and isinstance(value, Num):
            value = self.cast(kind.obj, value, node.annotation) or value
        self.assign(node.target, value, node)

    def _refuse_missing_value(self, value: Value, node: ast.AST) -> None:
        if isinstance(value, Static) and value.obj is None and isinstance(node, ast.Call):
            raise self.mismatch(
                "this call returns nothing", node, "call it on a line of its own, without an assignment"
            )

    def _keep(self, value: Value) -> Value:
        if isinstance(value, Num):
            return self.spill(value)
        if isinstance(value, Tuple):
            return Tuple([self._keep(item) for item in value.items])
        return value

    def assign(self, target: ast.expr, value: Value, node: ast.stmt) -> None:
        """Assign a value to a name, an element, or a tuple of these."""
        if isinstance(target, ast.Name) and self.scope.unread(target.id):
            self._discard(value, node)
        elif isinstance(target, ast.Name):
            self.bind(self.scope.slot(target.id), value, self.loc(node), id(target))
        elif isinstance(target, (ast.Tuple, ast.List)):
            self._assign_items(target, value, node)
        elif isinstance(target, ast.Subscript):
            self._store(target, value, node)
        elif isinstance(target, ast.Attribute):
            raise self.refuse(
                "attributes cannot be assigned in a kernel", target, "assign a local name or an array element"
            )
        else:
            raise self.refuse("this cannot be assigned to in a kernel", target)

    def _discard(self, value: Value, node: ast.stmt) -> None:
        """Keep only the effect of a value that is assigned to ``_``."""
        if isinstance(value, Num) and reads(value.expr) and not isinstance(value.expr, ir.Var):
            self.spill(value)
        elif isinstance(value, Tuple):
            for item in value.items:
                self._discard(item, node)

    def _assign_items(self, target: ast.Tuple | ast.List, value: Value, node: ast.stmt) -> None:
        items = self.unpack(value, node)
        starred = [e for e in target.elts if isinstance(e, ast.Starred)]
        if starred:
            raise self.refuse("a starred target is not part of the kernel language", starred[0], "name each item")
        if len(items) != len(target.elts):
            raise self.mismatch(
                f"{len(items)} values cannot be unpacked into {len(target.elts)} names", node, "write one name for each"
            )
        if all(isinstance(e, ast.Name) and not self.scope.unread(e.id) for e in target.elts):
            slots = [self.scope.slot(element.id) for element in target.elts]  # type: ignore[attr-defined]
            sites = [id(element) for element in target.elts]
            self.bind_all(slots, items, self.loc(node), sites)
            return
        for element, item in zip(target.elts, [self._keep(item) for item in items], strict=True):
            self.assign(element, item, node)

    def _store(self, target: ast.Subscript, value: Value, node: ast.stmt) -> None:
        if isinstance(value, Num) and not isinstance(value.expr, ir.Const):
            mark = len(self.block)
            array = self._element(target)
            if len(self.block) > mark and reads(value.expr):
                grown = self.block[mark:]
                del self.block[mark:]
                value = self.spill(value)
                self.block.extend(grown)
        else:
            array = self._element(target)
        self.emit_store(array, self.as_number(value, node), target, node)

    def _element(self, target: ast.Subscript) -> Array:
        base = self.expr(target.value)
        if isinstance(base, Num) and base.number.lanes:
            raise self.refuse(
                "a lane of a vector cannot be assigned", target, "build a new vector: xp.vector((v[0], x, v[2], v[3]))"
            )
        if isinstance(base, Tuple):
            raise self.refuse("items of a tuple cannot be assigned", target, "use xp.private_array(n, dtype)")
        if not isinstance(base, Array):
            raise self.mismatch(f"{describe(base)} has no elements to assign", target)
        array = self.index(base, target)
        if array.ndim:
            raise self.mismatch(
                f"{array.label!r} needs {array.type.ndim} indices, and {len(array.indices)} are given",
                target,
                "assign element by element, in a loop",
            )
        return array

    def emit_store(self, array: Array, value: Num, target: ast.AST, node: ast.AST) -> None:
        """Store a number to an element; it is converted as NumPy does, but never drops an imaginary part."""
        if value.number.lanes:
            raise self.mismatch(
                f"a vector of {value.number.lanes} lanes is stored to one element",
                node,
                f"write xp.vstore({array.label}, index, v)",
            )
        expr = self.convert(value, Number(array.type.dtype), node)
        self.emit(ir.Store(array.name, array.indices, expr, loc=self.loc(target)))

    def _AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.op, ast.MatMult):
            raise self.refuse("@= is not part of the kernel language", node)
        op = OPERATORS[type(node.op)][0]
        if isinstance(node.target, ast.Name):
            slot = self.scope.slot(node.target.id)
            current = self.read(slot, node.target)
            before, value = self._with_operand(current, node)
            self.bind(slot, self._augmented(op, before, value, node), self.loc(node), id(node.target))
        elif isinstance(node.target, ast.Subscript):
            array = self._element(node.target)
            fixed = [self.spill(Num(index)).expr for index in array.indices]
            array = Array(array.name, array.type, array.label, fixed)
            load = Num(ir.Load(ir.Scalar(array.type.dtype), array.name, array.indices, loc=self.loc(node.target)))
            before, value = self._with_operand(load, node)
            self.emit_store(array, self._augmented(op, before, value, node), node.target, node)
        else:
            raise self.refuse("attributes cannot be assigned in a kernel", node.target)

    def _with_operand(self, current: Value, node: ast.AugAssign) -> tuple[Num, Num]:
        mark = len(self.block)
        value = self.number(node.value)
        if len(self.block) > mark:
            grown = self.block[mark:]
            del self.block[mark:]
            current = self.settle(current)
            self.block.extend(grown)
        return self.as_number(current, node.target), value

    def _augmented(self, op: str, before: Num, value: Num, node: ast.AugAssign) -> Num:
        """Return the new value; a firm type stays where the operand is of the same kind (int, float) or a lower one."""
        rank = {"b": 0, "i": 1, "u": 1, "f": 2, "c": 3}
        kept = not before.weak and before.dtype.kind != "b" and rank[value.dtype.kind] <= rank[before.dtype.kind]
        if kept and {before.dtype, value.dtype} == {INT64, np.dtype(np.uint64)}:
            value = Num(self.convert(value, Number(before.dtype, False, value.number.lanes), node))
        result = self.arithmetic(op, before, value, node)
        if kept and result.dtype != before.dtype and rank[result.dtype.kind] == rank[before.dtype.kind]:
            result = Num(self.convert(result, Number(before.dtype, False, result.number.lanes), node))
        return result

    # ------------------------------------------------------------------------------------------- plain statements

    def _Pass(self, node: ast.Pass) -> None:
        del node

    def _Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return
        if isinstance(node.value, ast.Call):
            self.effect(node.value)
            return
        self.expr(node.value)

    def _Assert(self, node: ast.Assert) -> None:
        message = ""
        if node.msg is not None:
            message = str(self.static(node.msg, "the message of an assert"))
        condition = self.test(node.test)
        if isinstance(condition, ir.Const) and condition.value:
            return
        self.emit(ir.Assert(condition, message, loc=self.loc(node.test)))

    # ------------------------------------------------------------------------------------------------- branches

    def _If(self, node: ast.If) -> bool:
        condition = self._condition(node.test)
        if isinstance(condition, ir.Const):
            return self.body(node.body if condition.value else node.orelse)
        with self.sub_block() as then:
            through = self.body(node.body)
        with self.sub_block() as other:
            through = self.body(node.orelse) or through
        self.emit(ir.If(condition, then, other, loc=self.loc(node.test)))
        return through

    def _condition(self, node: ast.expr) -> ir.Expr:
        """Return a condition; an error in it is noted, and what depends on it is still looked at."""
        try:
            return self.test(node)
        except (KernelCompileError, KernelTypeError) as error:
            self.errors.append(error)
            return ir.Var(ir.BOOL, "unknown")

    # --------------------------------------------------------------------------------------------------- loops

    def _While(self, node: ast.While) -> bool:
        self._refuse_else(node)
        with self.sub_block() as body:
            condition = self._condition(node.test)
            hoisted = bool(body)
            if hoisted:
                gate = self.negate(condition, node.test)
                self.emit(ir.If(gate, [ir.Break(loc=self.loc(node.test))], loc=self.loc(node.test)))
            if not (isinstance(condition, ir.Const) and not condition.value):
                self.loops.append("while")
                self.body(node.body)
                self.loops.pop()
        if isinstance(condition, ir.Const) and not condition.value:
            return True
        forever = isinstance(condition, ir.Const)
        if hoisted:
            condition = ir.Const(ir.BOOL, True, loc=self.loc(node.test))
        self.emit(ir.While(condition, body, loc=self.loc(node.test)))
        return not forever or _has_break(body)

    def _refuse_else(self, node: ast.While | ast.For) -> None:
        if node.orelse:
            raise self.refuse(
                "`else` of a loop is not part of the kernel language",
                node.orelse[0],
                "keep a flag: found = False before the loop, and test it after",
            )

    def _For(self, node: ast.For) -> bool:
        self._refuse_else(node)
        iterable = node.iter
        if isinstance(iterable, ast.Call):
            function = self.expr(iterable.func)
            if isinstance(function, Static):
                if function.obj is builtins.range:
                    return self._range(node, iterable)
                if getattr(function.obj, "__xpu_builtin__", None) == "static_range":
                    values = [constant(k, self.default, self.loc(iterable)) for k in self._static_range(iterable)]
                    return self._unroll(node, list(values))
                if function.obj in (builtins.enumerate, builtins.zip):
                    return self._unroll(node, self._static_pairs(function.obj, iterable))
        value = self.expr(iterable)
        if isinstance(value, (Tuple, Static)) and not (isinstance(value, Static) and not isinstance(value.obj, tuple)):
            return self._unroll(node, self.unpack(value, iterable))
        raise self.refuse(
            f"a for loop in a kernel runs over range(...), not over {describe(value)}",
            iterable,
            "write `for k in range(a.shape[0]):` and use a[k]",
        )

    def _static_pairs(self, function: Any, call: ast.Call) -> list[Value]:
        columns = [self.unpack(self.expr(argument), argument) for argument in call.args]
        for keyword in call.keywords:
            if keyword.arg != "strict" or function is not builtins.zip:
                raise self.refuse(f"{function.__name__} takes no argument {keyword.arg!r} here", keyword.value)
            if self.static(keyword.value, "strict") and len({len(column) for column in columns}) > 1:
                raise self.refuse("zip of tuples of different lengths", call)
        if function is builtins.enumerate:
            counter: list[Value] = [constant(k, self.default, self.loc(call)) for k in range(len(columns[0]))]
            columns.insert(0, counter)
        return [Tuple(list(row)) for row in zip(*columns, strict=False)]

    def _static_range(self, call: ast.Call) -> range:
        self.no_keywords(call, "static_range")
        bounds = [self.static(argument, "the bound of static_range") for argument in call.args]
        for bound, argument in zip(bounds, call.args, strict=True):
            if isinstance(bound, bool) or not isinstance(bound, int):
                raise self.mismatch("the bounds of static_range are integers", argument)
        if not 1 <= len(bounds) <= 3:
            raise self.refuse("static_range takes one to three numbers", call, "write static_range(start, stop, step)")
        if len(bounds) == 3 and bounds[2] == 0:
            raise self.refuse("the step of static_range is 0", call.args[2])
        numbers = range(*bounds)
        if len(numbers) > UNROLL_LIMIT:
            raise self.refuse(
                f"static_range would be unrolled {len(numbers)} times", call, "use range(...) for long loops"
            )
        return numbers

    def _unroll(self, node: ast.For, values: list[Value]) -> bool:
        control = _own_control(node.body)
        if control is not None and values:
            word = "break" if isinstance(control, ast.Break) else "continue"
            raise self.refuse(
                f"`{word}` cannot leave an unrolled loop", control, "put the rest under an `if`, or use range(...)"
            )
        names = [n for n in ast.walk(node.target) if isinstance(n, ast.Name)]
        slots = [self.scope.slot(n.id) for n in names]
        through = True
        self.static_depths.append(self.dynamic_depth)
        try:
            for value in values:
                self._set_counter(node.target, value, node)
                self.static_counters += slots
                try:
                    through = self.body(node.body)
                finally:
                    del self.static_counters[len(self.static_counters) - len(slots) :]
                if not through:
                    break
        finally:
            self.static_depths.pop()
        for slot in slots:
            if slot.root in self.scope.variable_names and slot.const is not None:
                value, slot.const = slot.const, None
                self.bind(slot, value, self.loc(node), -1)
        return through

    def _set_counter(self, target: ast.expr, value: Value, node: ast.For) -> None:
        if isinstance(target, ast.Name):
            slot = self.scope.slot(target.id)
            if slot in self.static_counters:
                raise self.refuse(f"{target.id!r} already counts an outer loop", target, "use another name")
            slot.const, slot.site, slot.place = value, -1, self.loc(target)
        elif isinstance(target, (ast.Tuple, ast.List)):
            items = self.unpack(value, node.iter)
            if len(items) != len(target.elts):
                raise self.mismatch(f"{len(items)} values cannot be unpacked into {len(target.elts)} names", target)
            for element, item in zip(target.elts, items, strict=True):
                self._set_counter(element, item, node)
        else:
            raise self.refuse("the counter of a loop is a name", target)

    def _range(self, node: ast.For, call: ast.Call) -> bool:
        if not isinstance(node.target, ast.Name):
            raise self.refuse("the counter of a range loop is one name", node.target, "write `for k in range(n):`")
        slot = self.scope.slot(node.target.id, id(node) if self.scope.unread(node.target.id) else 0)
        start, stop, step, number = self._range_bounds(call)
        if slot in self.static_counters:
            raise self.refuse(f"{slot.root!r} already counts an outer loop", node.target, "use another name")
        self._bind_counter(slot, number, self.loc(node.target))
        name = self._name(slot)
        with self.sub_block() as body:
            self.loops.append("for")
            self.body(node.body)
            self.loops.pop()
        counter = name
        if slot.number is not None and number_type(slot.number) != ir.Scalar(number.dtype):
            counter = self.temporary(ir.Scalar(number.dtype))
            value = Num(ir.Var(ir.Scalar(number.dtype), counter, loc=self.loc(node.target)))
            body.insert(0, ir.Assign(name, self.convert(value, slot.number, node.target), loc=self.loc(node.target)))
        self.emit(ir.For(counter, start, stop, step, body, loc=self.loc(node)))
        return True

    def _bind_counter(self, slot: Slot, number: Number, loc: Loc) -> None:
        if slot.const is not None:
            self.not_constant(slot)
            slot.const = None
        self.scope.variable_names.add(slot.root)
        if slot.kind not in ("", "number"):
            raise self._conflict(slot, Num(ir.Var(number_type(number), slot.label), number.weak), loc)
        if slot.number is None:
            slot.kind, slot.number, slot.place = "number", number, loc
            self.changed = True
        else:
            joined = join(slot.number, number)
            if joined is None:
                raise self._conflict(slot, Num(ir.Var(number_type(number), slot.label), number.weak), loc)
            if joined != slot.number:
                slot.number, slot.place = joined, loc
                self.changed = True
        self.variables[self._name(slot)] = number_type(slot.number)

    def _range_bounds(self, call: ast.Call) -> tuple[ir.Expr, ir.Expr, ir.Expr, Number]:
        self.no_keywords(call, "range")
        if not 1 <= len(call.args) <= 3:
            raise self.refuse(f"range takes one to three numbers, not {len(call.args)}", call)
        values = []
        for value, argument in zip(self.sequence(call.args), call.args, strict=True):
            number = self.as_number(value, argument)
            if number.dtype.kind not in "iu" or number.number.lanes:
                raise self.mismatch(
                    f"range counts with integers, and this is {number.number}",
                    argument,
                    "convert it on purpose: int(x)",
                )
            values.append(number)
        zero, one = (constant(k, self.default, self.loc(call)) for k in (0, 1))
        if len(values) == 1:
            values.insert(0, zero)
        start, stop, step = values if len(values) == 3 else [*values, one]
        if step.is_const and step.value == 0:
            raise self.refuse("the step of this range is 0", call.args[2], "a loop needs a step")
        joined = self.common(start, stop, call)
        joined = self.common(Num(ir.Var(number_type(joined), ""), joined.weak), step, call)
        kind = Number(joined.dtype)
        a, b, c = (self.convert(value, kind, call) for value in (start, stop, step))
        return a, b, c, kind

    def _Break(self, node: ast.Break) -> bool:
        self.emit(ir.Break(loc=self.loc(node)))
        return False

    def _Continue(self, node: ast.Continue) -> bool:
        self.emit(ir.Continue(loc=self.loc(node)))
        return False

    # -------------------------------------------------------------------------------------------------- returning

    def _Return(self, node: ast.Return) -> bool:
        if self.scope_key:
            raise self.refuse(
                "a helper that holds a barrier or local memory, or returns a tuple, cannot return inside a loop",
                node,
                "leave the loop with `break` and return at the end of the helper",
            )
        if self.source.what == "kernel":
            if node.value is not None and not (isinstance(node.value, ast.Constant) and node.value.value is None):
                raise self.refuse("a kernel returns nothing", node.value, "write results into an array argument")
            self.emit(ir.Return(None, loc=self.loc(node)))
            return False
        self.helper_return(node)
        return False

    def helper_return(self, node: ast.Return) -> None:
        """Lower the return of a helper that stays a function."""
        value = self.expr(node.value) if node.value is not None else Static(None)
        loc = self.loc(node)
        if isinstance(value, Static) and value.obj is None:
            self.returns_nothing = self.returns_nothing or loc
            if self.result is not None:
                raise self._mixed_returns(loc)
            self.emit(ir.Return(None, loc=loc))
            return
        if isinstance(value, Tuple):
            self.returns_tuple = True
            return
        if isinstance(value, Array):
            raise self.refuse(
                "a helper cannot return an array", node, "pass the array to the helper, and return an index"
            )
        number = self.as_number(value, node).number
        if self.returns_nothing is not None:
            raise self._mixed_returns(loc)
        joined = number if self.result is None else join(self.result, number)
        if joined is None:
            raise self.mismatch(
                f"this helper returns {number} here and {self.result} in another place",
                loc,
                f"convert one of them: xp.{self.result.dtype.name if self.result else ''}(...)",
                Note(f"{self.result} is returned here", self.result_place),
            )
        if joined != self.result:
            self.result, self.result_place = joined, loc
            self.changed = True
        self.emit(ir.Return(self.convert(self.as_number(value, node), joined, node), loc=loc))

    def _mixed_returns(self, loc: Loc) -> KernelTypeError:
        other = self.returns_nothing if self.result is None else self.result_place
        return self.mismatch(
            "this helper returns a value in one place and nothing in another",
            loc,
            "return a value on every way through the helper",
            Note("the other return", other),
        )


def reads(expr: ir.Expr) -> bool:
    """Whether an expression reads something that a statement could change."""
    return any(isinstance(node, (ir.Load, ir.CallFunction, ir.Var)) for node in ir.walk(expr))


def _has_break(body: list[ir.Stmt]) -> bool:
    """Whether a loop body holds a break of its own loop."""
    for statement in body:
        if isinstance(statement, ir.Break):
            return True
        if isinstance(statement, ir.If) and (_has_break(statement.body) or _has_break(statement.orelse)):
            return True
    return False


def _own_control(nodes: list[ast.stmt]) -> ast.stmt | None:
    """Return a break or continue that belongs to the loop whose body this is."""
    for node in nodes:
        if isinstance(node, (ast.Break, ast.Continue)):
            return node
        if isinstance(node, ast.If):
            found = _own_control(node.body) or _own_control(node.orelse)
            if found is not None:
                return found
    return None


__all__ = ["Scope", "Statements", "UnresolvedError"]
