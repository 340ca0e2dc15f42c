"""Expressions: names, attributes, indexing, conditions."""

from __future__ import annotations

import ast
import difflib
import enum
from collections.abc import Callable, Sequence
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from .. import ir
from .diagnostics import NotConstantError
from .operators import OPERATORS, Operators
from .promotion import BOOL, INT64, Number
from .values import Array, Num, Static, Tuple, Value, constant, describe, number_type, wrap


class Expressions(Operators):
    """Turns expression nodes into values."""

    def call(self, node: ast.Call) -> Value:
        """Return the value of a call."""
        raise NotImplementedError

    def expr(self, node: ast.expr) -> Value:
        """Return the value of an expression."""
        method: Callable[[Any], Value] | None = getattr(self, f"_{type(node).__name__}", None)
        if method is None:
            raise self.refuse(f"{type(node).__name__} expressions are not part of the kernel language", node)
        return method(node)

    def number(self, node: ast.expr) -> Num:
        """Return an expression that must be a number."""
        return self.as_number(self.expr(node), node)

    def as_number(self, value: Value, node: ast.AST) -> Num:
        """Check that a value is a number."""
        if isinstance(value, Num):
            return value
        if isinstance(value, Array):
            given = len(value.indices)
            index = ", ".join("ijklmn"[: given + value.ndim]) or "()"
            if given:
                raise self.mismatch(
                    f"{value.label!r} has {given + value.ndim} dimensions and is indexed with {given}: "
                    f"this is {describe(value)}, not a number",
                    node,
                    f"take one element: {value.label}[{index}]",
                )
            raise self.mismatch(
                f"{value.label!r} is {describe(value)}, not a number", node, f"take one element: {value.label}[{index}]"
            )
        if isinstance(value, Tuple):
            raise self.mismatch("a tuple is used where a number is wanted", node, "take one item: t[0]")
        advice = "call it with parentheses" if callable(value.obj) else "only numbers can be computed with"
        raise self.mismatch(f"{describe(value)} is used where a number is wanted", node, advice)

    def sequence(self, nodes: list[ast.expr]) -> list[Value]:
        """Return the values of several expressions, evaluated from left to right."""
        values: list[Value] = []
        for node in nodes:
            mark = len(self.block)
            value = self.expr(node)
            if len(self.block) > mark:
                grown = self.block[mark:]
                del self.block[mark:]
                values = [self.settle(earlier) for earlier in values]
                self.block.extend(grown)
            values.append(value)
        return values

    def pair(self, left: ast.expr, right: ast.expr) -> tuple[Value, Value]:
        """Return the values of two operands, evaluated from left to right."""
        first, second = self.sequence([left, right])
        return first, second

    def static(self, node: ast.expr, what: str) -> Any:
        """Return the Python object of an expression that must be known when the kernel is compiled."""
        value = self.expr(node)
        return self.static_value(value, node, what)

    def static_value(self, value: Value, node: ast.AST, what: str) -> Any:
        """Return the Python object of a value that must be known when the kernel is compiled."""
        if isinstance(value, Num) and value.is_const:
            return value.value
        if isinstance(value, Static):
            return value.obj
        if isinstance(value, Tuple):
            return tuple(self.static_value(item, node, what) for item in value.items)
        raise self.refuse(
            f"{what} must be known when the kernel is compiled",
            node,
            "use a literal, or a constant from outside of the kernel (a global or closure variable)",
            NotConstantError,
        )

    # ----------------------------------------------------------------------------------------------------- leaves

    def _Constant(self, node: ast.Constant) -> Value:
        if isinstance(node.value, (bool, int, float, complex)):
            return constant(node.value, self.default, self.loc(node))
        return Static(node.value)

    def _Name(self, node: ast.Name) -> Value:
        return self.name(node)

    def _Tuple(self, node: ast.Tuple) -> Value:
        items: list[Value] = []
        plain = [e.value if isinstance(e, ast.Starred) else e for e in node.elts]
        for element, value in zip(node.elts, self.sequence(plain), strict=True):
            if isinstance(element, ast.Starred):
                items += self.unpack(value, element)
            else:
                items.append(value)
        return Tuple(items)

    def unpack(self, value: Value, node: ast.AST) -> list[Value]:
        """Return the items of a tuple."""
        if isinstance(value, Tuple):
            return value.items
        if isinstance(value, Static) and isinstance(value.obj, (tuple, list, range)):
            return [wrap(item, self.default, self.loc(node)) for item in value.obj]
        raise self.mismatch(f"{describe(value)} cannot be unpacked", node, "only tuples can")

    # ------------------------------------------------------------------------------------------------- operators

    def _BinOp(self, node: ast.BinOp) -> Value:
        if isinstance(node.op, ast.MatMult):
            raise self.refuse(
                "@ is not part of the kernel language", node, "write the loop over k: s += a[i, k] * b[k, j]"
            )
        left, right = self.pair(node.left, node.right)
        if isinstance(left, Tuple) and isinstance(right, Tuple) and isinstance(node.op, ast.Add):
            return Tuple(left.items + right.items)
        op = OPERATORS[type(node.op)][0]
        return self.arithmetic(op, self.as_number(left, node.left), self.as_number(right, node.right), node)

    def _UnaryOp(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            value = self.expr(node.operand)
            return Num(self.negate(self.truth_of(value, node.operand), node))
        return self.unary(node, self.number(node.operand))

    def truth_of(self, value: Value, node: ast.AST) -> ir.Expr:
        """Return the truth of any value; objects known at compile time have Python's."""
        if isinstance(value, Num):
            return self.truth(value, node)
        if isinstance(value, Static) and not isinstance(value.obj, ModuleType):
            return ir.Const(ir.BOOL, bool(value.obj), loc=self.loc(node))
        if isinstance(value, Tuple):
            return ir.Const(ir.BOOL, bool(value.items), loc=self.loc(node))
        return self.truth(self.as_number(value, node), node)

    def test(self, node: ast.expr) -> ir.Expr:
        """Return a condition: ``and``, ``or``, ``not`` and numbers by their truth."""
        if isinstance(node, ast.BoolOp):
            return self._logical(node, truth=True)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return self.negate(self.test(node.operand), node)
        return self.truth_of(self.expr(node), node)

    def _BoolOp(self, node: ast.BoolOp) -> Value:
        return Num(self._logical(node, truth=False))

    def _logical(self, node: ast.BoolOp, truth: bool) -> ir.Expr:
        op = "land" if isinstance(node.op, ast.And) else "lor"
        parts = [partial(self._part, part, truth, op) for part in node.values]
        return self.short_circuit(op, parts, node)

    def _part(self, node: ast.expr, truth: bool, op: str) -> ir.Expr:
        if truth or isinstance(node, (ast.BoolOp, ast.Compare)):
            return self.test(node)
        value = self.expr(node)
        if isinstance(value, Num) and (value.dtype.kind != "b" or value.number.lanes):
            word = "and" if op == "land" else "or"
            raise self.mismatch(
                f"`{word}` gives a bool in kernels, and this operand is {value.number}",
                node,
                "compare it (x != 0); to choose between numbers write `a if a != 0 else b`; for bits use & and |",
            )
        return self.truth_of(value, node)

    def short_circuit(self, op: str, parts: Sequence[Callable[[], ir.Expr]], node: ast.AST) -> ir.Expr:
        """Join conditions so that later ones are evaluated only where they decide."""
        result = parts[0]()
        decided = op == "lor"
        for part in parts[1:]:
            if isinstance(result, ir.Const):
                if result.value is decided:
                    return result
                result = part()
                continue
            with self.sub_block() as hoisted:
                right = part()
            if not hoisted:
                if isinstance(right, ir.Const) and right.value is not decided:
                    continue
                result = ir.Binary(ir.BOOL, op, result, right, loc=self.loc(node))
                continue
            name = self.temporary(ir.BOOL)
            self.emit(ir.Assign(name, result, loc=self.loc(node)))
            result = ir.Var(ir.BOOL, name, loc=self.loc(node))
            hoisted.append(ir.Assign(name, right, loc=self.loc(node)))
            gate = result if op == "land" else ir.Unary(ir.BOOL, "not", result, loc=self.loc(node))
            self.emit(ir.If(gate, hoisted, loc=self.loc(node)))
        return result

    def _Compare(self, node: ast.Compare) -> Value:
        if len(node.ops) == 1:
            left, right = self.pair(node.left, node.comparators[0])
            return self.relation(node.ops[0], left, right, node)
        values: list[Value] = [self.expr(node.left)]
        nodes = [node.left, *node.comparators]

        def link(index: int) -> ir.Expr:
            right = self.expr(nodes[index + 1])
            if index + 2 < len(nodes) and isinstance(right, Num):
                right = self.spill(right)
            values.append(right)
            result = self.relation(node.ops[index], values[index], right, node)
            return self.truth(result, node)

        if isinstance(values[0], Num):
            values[0] = self.settle(values[0])
        return Num(self.short_circuit("land", [partial(link, k) for k in range(len(node.ops))], node))

    def relation(self, op: ast.cmpop, left: Value, right: Value, node: ast.Compare) -> Num:
        """Return one comparison, of numbers or of things known while compiling."""
        if isinstance(op, (ast.In, ast.NotIn)):
            return self._membership(op, left, right, node)
        if isinstance(left, Static) or isinstance(right, Static) or isinstance(op, (ast.Is, ast.IsNot)):
            return self._static_relation(op, left, right, node)
        if isinstance(left, Tuple) and isinstance(right, Tuple) and isinstance(op, (ast.Eq, ast.NotEq)):
            same = self._same_tuples(left, right, node)
            return Num(same if isinstance(op, ast.Eq) else self.negate(same, node))
        first = self.as_number(left, node.left)
        second = self.as_number(right, node.comparators[-1] if len(node.comparators) == 1 else node)
        return self.compare(OPERATORS[type(op)][0], first, second, node)

    def _same_tuples(self, left: Tuple, right: Tuple, node: ast.Compare) -> ir.Expr:
        same: ir.Expr = ir.Const(ir.BOOL, len(left.items) == len(right.items), loc=self.loc(node))
        if len(left.items) == len(right.items):
            for a, b in zip(left.items, right.items, strict=True):
                equal = self.truth(self.relation(ast.Eq(), a, b, node), node)
                if isinstance(same, ir.Const):
                    same = equal if same.value else same
                elif not (isinstance(equal, ir.Const) and equal.value):
                    same = ir.Binary(ir.BOOL, "land", same, equal, loc=self.loc(node))
        return same

    def _membership(self, op: ast.cmpop, left: Value, right: Value, node: ast.Compare) -> Num:
        items = self.unpack(right, node.comparators[-1])
        if isinstance(left, Num):
            left = self.spill(left)
        parts = [partial(self._equal, left, item, node) for item in items]
        found = self.short_circuit("lor", parts, node) if parts else ir.Const(ir.BOOL, False, loc=self.loc(node))
        return Num(found if isinstance(op, ast.In) else self.negate(found, node))

    def _equal(self, left: Value, right: Value, node: ast.Compare) -> ir.Expr:
        return self.truth(self.relation(ast.Eq(), left, right, node), node)

    def _static_relation(self, op: ast.cmpop, left: Value, right: Value, node: ast.Compare) -> Num:
        a, b = (_plain(v) for v in (left, right))
        if isinstance(op, (ast.Eq, ast.NotEq, ast.Is, ast.IsNot)):
            if _is_dtype(a) and _is_dtype(b):
                same = np.dtype(a) == np.dtype(b)
            elif isinstance(left, Static) and isinstance(right, Static):
                same = a is b if isinstance(op, (ast.Is, ast.IsNot)) else bool(a == b)
            elif isinstance(op, (ast.Is, ast.IsNot)) and not (isinstance(left, Static) or isinstance(right, Static)):
                raise self.refuse("`is` compares objects, and kernels have none", node, "compare values with ==")
            else:
                same = False
            return constant(same == isinstance(op, (ast.Eq, ast.Is)), self.default, self.loc(node))
        if isinstance(a, enum.Enum) or isinstance(b, enum.Enum):
            raise self.mismatch("members of an Enum have no order", node, "use an IntEnum, or compare with ==")
        self.as_number(left, node.left)
        self.as_number(right, node)
        raise AssertionError

    def _IfExp(self, node: ast.IfExp) -> Value:
        condition = self.test(node.test)
        if isinstance(condition, ir.Const):
            return self.expr(node.body if condition.value else node.orelse)
        with self.sub_block() as then_block:
            then = self.expr(node.body)
        with self.sub_block() as else_block:
            other = self.expr(node.orelse)
        if then_block or else_block:
            return self._branching(condition, then_block, then, else_block, other, node)
        return self.select(condition, then, other, node)

    def select(self, condition: ir.Expr, then: Value, other: Value, node: ast.AST) -> Value:
        """Return one of two values."""
        if isinstance(then, Tuple) and isinstance(other, Tuple) and len(then.items) == len(other.items):
            condition = self.spill(Num(condition)).expr
            pairs = zip(then.items, other.items, strict=True)
            return Tuple([self.select(condition, a, b, node) for a, b in pairs])
        if isinstance(then, Array) and isinstance(other, Array):
            raise self.refuse(
                "an array cannot be chosen at run time", node, "choose elements: a[i] if condition else b[i]"
            )
        first, second = self.as_number(then, node), self.as_number(other, node)
        number = self.common(first, second, node)
        mask = condition.type
        if isinstance(mask, ir.Vector) and not number.lanes:
            number = Number(number.dtype, number.weak, mask.lanes)
        a, b = self.convert(first, number, node), self.convert(second, number, node)
        return Num(ir.Select(number_type(number), condition, a, b, loc=self.loc(node)), number.weak)

    def _branching(
        self,
        condition: ir.Expr,
        then_block: list[ir.Stmt],
        then: Value,
        else_block: list[ir.Stmt],
        other: Value,
        node: ast.AST,
    ) -> Value:
        first, second = self.as_number(then, node), self.as_number(other, node)
        number = self.common(first, second, node)
        name = self.temporary(number_type(number))
        loc = self.loc(node)
        then_block.append(ir.Assign(name, self.convert(first, number, node), loc=loc))
        else_block.append(ir.Assign(name, self.convert(second, number, node), loc=loc))
        self.emit(ir.If(condition, then_block, else_block, loc=loc))
        return Num(ir.Var(number_type(number), name, loc=loc), number.weak)

    # --------------------------------------------------------------------------------------------------- attributes

    def _Attribute(self, node: ast.Attribute) -> Value:
        return self.attribute(self.expr(node.value), node)

    def attribute(self, value: Value, node: ast.Attribute) -> Value:
        """Return ``value.name``."""
        name = node.attr
        if isinstance(value, Array):
            return self._array_attribute(value, node)
        if isinstance(value, Num):
            if name in ("real", "imag"):
                return self.part(name, value, node)
            if name == "dtype":
                return Static(value.dtype)
            if name == "lanes" and value.number.lanes:
                return constant(value.number.lanes, self.default, self.loc(node))
            raise self.refuse(
                f"numbers in kernels have no attribute {name!r}",
                node,
                "they have .real, .imag, .dtype and .conjugate()",
            )
        if isinstance(value, Tuple):
            raise self.refuse(f"tuples in kernels have no attribute {name!r}", node, "use t[k] and len(t)")
        if not hasattr(value.obj, name):
            near = difflib.get_close_matches(name, dir(value.obj), 1)
            raise self.refuse(
                f"{describe(value)} has no attribute {name!r}", node, f"did you mean {near[0]!r}?" if near else ""
            )
        return wrap(getattr(value.obj, name), self.default, self.loc(node))

    def part(self, name: str, value: Num, node: ast.AST) -> Num:
        """Return the real or imaginary part."""
        kind = value.expr.type
        if value.dtype.kind != "c":
            if name == "real":
                return value
            return Num(self.convert(constant(0, self.default, self.loc(node)), value.number, node), value.weak)
        if value.is_const:
            weak = value.weak
            result = getattr(value.value, name)
            return constant(
                result, self.default, self.loc(node), None if weak else np.dtype(f"f{value.dtype.itemsize // 2}")
            )
        real = np.dtype(f"f{kind.dtype.itemsize // 2}")
        return Num(ir.Call(ir.Scalar(real), name, [value.expr], loc=self.loc(node)), value.weak)

    def shape(self, array: Array, node: ast.AST) -> list[Num]:
        """Return the extents that are left of an array."""
        first = len(array.indices)
        loc = self.loc(node)
        if array.type.shape is not None:
            return [constant(n, self.default, loc, INT64) for n in array.type.shape[first:]]
        return [Num(ir.Dim(ir.INT64, array.name, axis, loc=loc)) for axis in range(first, array.type.ndim)]

    def _array_attribute(self, array: Array, node: ast.Attribute) -> Value:
        if node.attr == "shape":
            return Tuple(list(self.shape(array, node)))
        if node.attr == "ndim":
            return constant(array.ndim, self.default, self.loc(node))
        if node.attr == "dtype":
            return Static(array.type.dtype)
        if node.attr == "size":
            size = constant(1, self.default, self.loc(node), INT64)
            for extent in self.shape(array, node):
                size = extent if size.is_const and size.value == 1 else self.arithmetic("mul", size, extent, node)
            return size
        raise self.refuse(
            f"arrays in kernels have no attribute {node.attr!r}", node, "they have .shape, .size, .ndim and .dtype"
        )

    # ----------------------------------------------------------------------------------------------------- indexing

    def _Subscript(self, node: ast.Subscript) -> Value:
        value = self.expr(node.value)
        if isinstance(value, Array):
            array = self.index(value, node)
            if array.ndim:
                return array
            return Num(ir.Load(ir.Scalar(array.type.dtype), array.name, array.indices, loc=self.loc(node)))
        if isinstance(value, Num) and value.number.lanes:
            lane = self.static(node.slice, "the lane of a vector")
            if not isinstance(lane, int) or not -value.number.lanes <= lane < value.number.lanes:
                raise self.refuse(f"lane {lane} is outside of a vector of {value.number.lanes} lanes", node.slice)
            return Num(ir.Lane(ir.Scalar(value.dtype), value.expr, lane % value.number.lanes, loc=self.loc(node)))
        if isinstance(value, Num):
            raise self.mismatch(f"a number ({value.number}) cannot be indexed", node)
        return self._tuple_item(value, node)

    def _tuple_item(self, value: Value, node: ast.Subscript) -> Value:
        self._refuse_objects(value, node)
        items = self.unpack(value, node.value)
        if isinstance(node.slice, ast.Slice):
            bounds = [
                None if part is None else self.static(part, "the slice of a tuple")
                for part in (node.slice.lower, node.slice.upper, node.slice.step)
            ]
            return Tuple(items[slice(*bounds)])
        position = self.expr(node.slice)
        if isinstance(position, Num) and not position.is_const:
            raise self.refuse(
                "the index of a tuple must be known when the kernel is compiled",
                node.slice,
                "use a literal, xp.static_range, or a constant from outside; for an index that varies pass the values as "
                "an array, or keep them in xp.private_array(n, dtype)",
                NotConstantError,
            )
        index = self.static_value(position, node.slice, "the index of a tuple")
        if isinstance(index, bool) or not isinstance(index, int):
            raise self.mismatch("the index of a tuple is an integer", node.slice)
        if not -len(items) <= index < len(items):
            raise self.refuse(f"index {index} is outside of a tuple of {len(items)}", node.slice)
        return items[index]

    def _refuse_objects(self, value: Value, node: ast.Subscript) -> None:
        """Raise for objects from outside that have items in Python and none in kernels."""
        obj = value.obj if isinstance(value, Static) else None
        if isinstance(obj, dict):
            raise self.refuse(
                "dictionaries are not part of the kernel language",
                node.value,
                "take the item outside of the kernel, into a global or closure variable; or pass an array as a table",
            )
        if hasattr(obj, "__xpu_kernel__"):
            raise self.refuse(
                "a kernel cannot launch a kernel",
                node.value,
                "move the shared part into an @xp.func helper, or launch the kernels one after the other",
            )

    def index(self, array: Array, node: ast.Subscript) -> Array:
        """Return an array with further indices given."""
        nodes = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for part in nodes:
            self._refuse_slices(array, part)
        given: list[tuple[Value, ast.AST]] = []
        plain = [e.value if isinstance(e, ast.Starred) else e for e in nodes]
        for value, part in zip(self.sequence(plain), nodes, strict=True):
            if isinstance(value, Tuple):
                given += [(item, part) for item in value.items]
            else:
                given.append((value, part))
        return self.with_indices(array, given, node)

    def with_indices(self, array: Array, given: list[tuple[Value, ast.AST]], node: ast.AST) -> Array:
        """Check indices and put them behind those that an array has."""
        if len(given) > array.ndim:
            raise self.mismatch(
                f"{array.label!r} has {array.ndim} dimension{'s' * (array.ndim != 1)} and is indexed with {len(given)}",
                node,
                f"write {array.label}[{', '.join('ijklmnop'[: array.ndim]) or '()'}]",
            )
        extents = self.shape(array, node)
        indices = [self.position(v, e, array, n) for (v, n), e in zip(given, extents, strict=False)]
        return Array(array.name, array.type, array.label, [*array.indices, *indices])

    def _refuse_slices(self, array: Array, node: ast.AST) -> None:
        if isinstance(node, ast.Slice):
            raise self.refuse(
                f"slices of arrays are not part of the kernel language ({array.label}[...:...])",
                node,
                "loop over the elements: for k in range(start, stop), or slice the array before the launch",
            )
        if isinstance(node, ast.Constant) and (node.value is None or node.value is Ellipsis):
            shown = "..." if node.value is Ellipsis else "None"
            raise self.refuse(f"{shown} is no index in a kernel", node, "give one integer for each dimension")

    def position(self, value: Value, extent: Num, array: Array, node: ast.AST) -> ir.Expr:
        """Return one index as int64, negative constants counted from the end."""
        if not isinstance(value, Num):
            self.as_number(value, node)
        assert isinstance(value, Num)
        if value.number.lanes or value.dtype.kind not in "iu":
            kind = value.dtype.kind
            advice = "convert it on purpose: int(x)"
            if kind == "b":
                advice = "masks are not part of the kernel language: write `if mask[i]: ...`"
            raise self.mismatch(f"an index of {array.label!r} is {value.number}; indices are integers", node, advice)
        if not value.is_const:
            return self.convert(value, Number(INT64), node)
        index = int(value.value)
        if extent.is_const:
            size = int(extent.value)
            if not -size <= index < size:
                raise self.refuse(f"index {index} is outside of an axis of {size} elements of {array.label!r}", node)
            return ir.Const(ir.INT64, index % size, loc=self.loc(node))
        here = ir.Const(ir.INT64, abs(index), loc=self.loc(node))
        return here if index >= 0 else ir.Binary(ir.INT64, "sub", extent.expr, here, loc=self.loc(node))

    def _Call(self, node: ast.Call) -> Value:
        return self.call(node)


def _plain(value: Value) -> Any:
    if isinstance(value, Static):
        return value.obj
    if isinstance(value, Num) and value.is_const:
        return value.value
    return value


def _is_dtype(obj: Any) -> bool:
    return isinstance(obj, np.dtype) or (
        isinstance(obj, type) and issubclass(obj, (np.generic, bool, int, float, complex))
    )


__all__ = ["BOOL", "Expressions"]
