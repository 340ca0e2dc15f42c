"""The words of ``language.py``: work-items, memory, barriers, atomics, short vectors."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from ...errors import UnsupportedDTypeError
from .. import intrinsics, ir
from .application import Application
from .diagnostics import format_diagnostic
from .promotion import BOOL, INT64, Number
from .values import Array, Num, Static, Tuple, Value, constant, describe, number_type

LANES = (2, 4, 8, 16)


class Builtins(Application):
    """Lowers calls of the language's own functions."""

    def builtin(self, name: str, node: ast.Call) -> Value:
        """Lower a call of a word of the language."""
        if name in intrinsics.WORK_ITEM_FUNCTIONS:
            return self._work_item(name, node)
        if name in intrinsics.ATOMICS:
            return self._atomic(name, node)
        method = getattr(self, f"_builtin_{name}")
        result: Value = method(node)
        return result

    def _work_item(self, name: str, node: ast.Call) -> Num:
        self.no_keywords(node, name)
        if len(node.args) != 1:
            raise self.refuse(
                f"{name} takes one axis, not {len(node.args)} arguments", node, f"write xp.{name}(0) for the first axis"
            )
        axis = self.static(node.args[0], f"the axis of {name}")
        if isinstance(axis, bool) or not isinstance(axis, int) or not 0 <= axis <= 2:
            raise self.refuse(f"the axis of {name} is 0, 1 or 2, not {axis!r}", node.args[0])
        return Num(ir.WorkItem(ir.INT64, name, axis, loc=self.loc(node)))

    # ------------------------------------------------------------------------------------------------------ memory

    def _builtin_local_array(self, node: ast.Call) -> Value:
        return self._declare("local", node)

    def _builtin_private_array(self, node: ast.Call) -> Value:
        return self._declare("private", node)

    def _declare(self, space: Any, node: ast.Call) -> Value:
        name = f"{space}_array"
        given = dict(zip(("shape", "dtype"), node.args, strict=False))
        for keyword in node.keywords:
            if keyword.arg not in ("shape", "dtype") or keyword.arg in given:
                raise self.refuse(
                    f"{name} has no argument {keyword.arg!r}", keyword.value, f"write xp.{name}(shape, dtype)"
                )
            given[keyword.arg] = keyword.value
        if len(node.args) > 2 or "shape" not in given or "dtype" not in given:
            raise self.refuse(f"{name} takes a shape and a dtype", node, f"write xp.{name}((16, 16), xp.float32)")
        shape = self.static(given["shape"], f"the shape of {name}")
        shape = shape if isinstance(shape, tuple) else (shape,)
        for extent in shape:
            if isinstance(extent, bool) or not isinstance(extent, int) or extent < 1:
                raise self.refuse(f"the shape of {name} holds positive integers, not {extent!r}", given["shape"])
        dtype = self.dtype_of(self.static(given["dtype"], f"the dtype of {name}"), given["dtype"])
        kind = ir.ArrayType(dtype, len(shape), True, space, shape)
        key = f"{self.scope_key}{id(node)}"
        declared = self.arrays.get(key)
        if declared is None:
            irname = self.array_names.get(key) or self.unique(self.scope.prefix + self._array_label(node))
            self.array_names[key] = irname
            declared = self.arrays[key] = ir.ArrayDecl(irname, kind, loc=self.loc(node))
        elif declared.type != kind:
            raise self.refuse(f"this {name} has another shape in an earlier round of the loop", node)
        return Array(declared.name, declared.type, self._array_label(node))

    def _array_label(self, node: ast.Call) -> str:
        """Return the name that the user gives to a declared array."""
        for statement in ast.walk(self.source.tree):
            if isinstance(statement, ast.Assign) and statement.value is node:
                target = statement.targets[0]
                return target.id if isinstance(target, ast.Name) else "array"
        return "array"

    def _builtin_barrier(self, node: ast.Call) -> Value:
        self.arguments(node, "barrier", 0)
        self.emit(ir.Barrier(loc=self.loc(node)))
        return Static(None)

    def _builtin_static_range(self, node: ast.Call) -> Value:
        raise self.refuse("static_range stands only in a for loop", node, "write `for k in xp.static_range(n):`")

    # ----------------------------------------------------------------------------------------------------- atomics

    def _atomic(self, name: str, node: ast.Call) -> Value:
        op = intrinsics.ATOMICS[name]
        count = 4 if op == "cas" else 3
        form = f"xp.{name}(array, index, {'expected, new' if op == 'cas' else 'value'})"
        self.no_keywords(node, name)
        if len(node.args) != count:
            advice = f"write {form}; the index of more than one axis is a tuple: (i, j)"
            raise self.mismatch(f"{name} takes {count} arguments, not {len(node.args)}", node, advice)
        values = self.sequence(node.args)
        array = values[0]
        if not isinstance(array, Array):
            raise self.mismatch(
                f"the first argument of {name} is an array, not {describe(array)}", node.args[0], f"write {form}"
            )
        array = self.element(array, values[1], node.args[1])
        self._check_atomic(name, op, array, node)
        target = Number(array.type.dtype)
        operands = [
            self.convert(self.as_number(value, argument), target, argument)
            for value, argument in zip(values[2:], node.args[2:], strict=True)
        ]
        kind = ir.Scalar(array.type.dtype)
        atomic = ir.Atomic(kind, op, array.name, array.indices, operands, loc=self.loc(node))
        result = self.temporary(kind)
        self.emit(ir.Assign(result, atomic, loc=self.loc(node)))
        return Num(ir.Var(kind, result, loc=self.loc(node)))

    def _check_atomic(self, name: str, op: str, array: Array, node: ast.Call) -> None:
        dtype = array.type.dtype
        if array.type.space == "private":
            raise self.refuse(
                f"{name} on a private array", node.args[0], "only this work-item sees it: plain assignment is enough"
            )
        if dtype.kind == "c" or dtype.kind == "b" or dtype.itemsize < 4:
            raise self.mismatch(
                f"{name} on an array of {dtype.name}: atomics exist for 32 and 64 bits",
                node.args[0],
                "use an array of int32, uint32, int64, uint64, float32 or float64",
            )
        if dtype.kind == "f" and op in ("and", "or", "xor"):
            raise self.mismatch(f"{name} on an array of {dtype.name}: bits are combined in integers only", node.args[0])
        if dtype.itemsize == 8 and not self.compilation.info.atomics64:
            raise UnsupportedDTypeError(
                format_diagnostic(
                    f"{name} on {dtype.name}: {self.compilation.info.name} has no 64-bit atomics",
                    self.loc(node),
                    "use a 32-bit dtype on this device",
                    self.source.where,
                )
            )

    def element(self, array: Array, index: Value, node: ast.AST) -> Array:
        """Return one element, from an index or a tuple of indices."""
        items = index.items if isinstance(index, Tuple) else [index]
        array = self.with_indices(array, [(item, node) for item in items], node)
        if array.ndim:
            raise self.mismatch(
                f"{array.label!r} needs {array.type.ndim} indices, and {len(array.indices)} are given",
                node,
                "give a tuple of indices: (i, j)",
            )
        return array

    # ----------------------------------------------------------------------------------------------- short vectors

    def _lanes(self, lanes: Any, node: ast.AST) -> int:
        if isinstance(lanes, bool) or lanes not in LANES:
            raise self.refuse(f"a vector has 2, 4, 8 or 16 lanes, not {lanes!r}", node)
        return int(lanes)

    def _keyword_arguments(self, node: ast.Call, name: str, names: tuple[str, ...], least: int) -> dict[str, ast.expr]:
        form = f"write xp.{name}({', '.join(names)})"
        if len(node.args) > len(names):
            raise self.refuse(f"{name} takes at most {len(names)} arguments, not {len(node.args)}", node, form)
        given = dict(zip(names, node.args, strict=False))
        for keyword in node.keywords:
            if keyword.arg not in names or keyword.arg in given:
                raise self.refuse(f"{name} has no argument {keyword.arg!r}", keyword.value, form)
            given[keyword.arg] = keyword.value
        for wanted in names[:least]:
            if wanted not in given:
                raise self.refuse(f"{name} needs the argument {wanted!r}", node, form)
        return given

    def _builtin_vector(self, node: ast.Call) -> Value:
        given = self._keyword_arguments(node, "vector", ("value", "lanes"), 1)
        value = self.expr(given["value"])
        loc = self.loc(node)
        if isinstance(value, Tuple):
            lanes = self._lanes(len(value.items), given["value"])
            items = [self.as_number(item, given["value"]) for item in value.items]
            number = items[0].number
            for item in items[1:]:
                number = self.common(Num(ir.Var(number_type(number), ""), number.weak), item, node)
        else:
            items = [self.as_number(value, given["value"])]
            number = items[0].number
            if "lanes" not in given:
                raise self.refuse("a vector of one number needs its lanes", node, "write xp.vector(x, 8)")
            lanes = self._lanes(self.static(given["lanes"], "the number of lanes"), given["lanes"])
        self._vector_dtype(number, node)
        if number.lanes:
            raise self.mismatch("a vector is made of numbers, not of vectors", node)
        single = Number(number.dtype)
        exprs = [self.convert(item, single, node) for item in items]
        return Num(ir.VectorOf(ir.Vector(number.dtype, lanes), exprs, loc=loc), number.weak)

    def _vector_dtype(self, number: Number, node: ast.AST) -> None:
        if number.dtype.kind == "c":
            raise self.mismatch(
                "vectors of complex numbers are not part of the kernel language",
                node,
                "keep two vectors, one for each part",
            )

    def _start(self, array: Value, index: Value, node: ast.Call, name: str) -> Array:
        if not isinstance(array, Array):
            raise self.mismatch(
                f"the first argument of {name} is an array, not {describe(array)}", node.args[0] if node.args else node
            )
        self._vector_dtype(Number(array.type.dtype), node)
        return self.element(array, index, node.args[1] if len(node.args) > 1 else node)

    def _builtin_vload(self, node: ast.Call) -> Value:
        given = self._keyword_arguments(node, "vload", ("array", "index", "lanes"), 3)
        lanes = self._lanes(self.static(given["lanes"], "the number of lanes"), given["lanes"])
        array_value, index = self.sequence([given["array"], given["index"]])
        array = self._start(array_value, index, node, "vload")
        kind = ir.Vector(array.type.dtype, lanes)
        loc = self.loc(node)
        if array.type.contiguous:
            return Num(ir.Load(kind, array.name, array.indices, loc=loc))
        scalar = ir.Scalar(array.type.dtype)
        places = self._neighbours(array, lanes)
        return Num(ir.VectorOf(kind, [ir.Load(scalar, array.name, place, loc=loc) for place in places], loc=loc))

    def _neighbours(self, array: Array, lanes: int) -> list[list[ir.Expr]]:
        """Return the indices of elements that follow each other on the last axis."""
        fixed = [self.spill(Num(index)).expr for index in array.indices]
        places: list[list[ir.Expr]] = []
        for lane in range(lanes):
            step = ir.Const(ir.INT64, lane)
            last = fixed[-1] if lane == 0 else ir.Binary(ir.INT64, "add", fixed[-1], step, loc=fixed[-1].loc)
            places.append([*fixed[:-1], last])
        return places

    def _builtin_vstore(self, node: ast.Call) -> Value:
        given = self._keyword_arguments(node, "vstore", ("array", "index", "value"), 3)
        array_value, index, value = self.sequence([given["array"], given["index"], given["value"]])
        array = self._start(array_value, index, node, "vstore")
        number = self.as_number(value, given["value"])
        if not number.number.lanes:
            raise self.mismatch(
                f"vstore stores a vector, not {number.number}", given["value"], "write xp.vector(x, 8), or a[i] = x"
            )
        target = Number(array.type.dtype, False, number.number.lanes)
        expr = self.convert(number, target, node)
        loc = self.loc(node)
        if array.type.contiguous:
            self.emit(ir.Store(array.name, array.indices, expr, loc=loc))
            return Static(None)
        kept = self.spill(Num(expr)).expr
        for lane, place in enumerate(self._neighbours(array, target.lanes)):
            item = ir.Lane(ir.Scalar(target.dtype), kept, lane, loc=loc)
            self.emit(ir.Store(array.name, place, item, loc=loc))
        return Static(None)

    def _builtin_reinterpret(self, node: ast.Call) -> Value:
        (value, first), (kind, second) = self.arguments(node, "reinterpret", 2)
        number = self.as_number(value, first)
        dtype = self.dtype_of(self.static_value(kind, second, "the dtype"), second)
        if number.weak:
            number = Num(self.convert(number, Number(number.dtype), node))
        if dtype.itemsize != number.dtype.itemsize or "c" in (dtype.kind, number.dtype.kind):
            raise self.mismatch(
                f"{number.number} has {number.dtype.itemsize * 8} bits and {dtype.name} has {dtype.itemsize * 8}",
                node,
                "reinterpret keeps the bits: both dtypes have the same width, and none is complex",
            )
        if BOOL in (dtype, number.dtype):
            raise self.mismatch("the bits of a bool cannot be reinterpreted", node, "convert it: xp.uint8(x)")
        if isinstance(number.expr, ir.Const):
            bits = np.array(number.expr.value, dtype=number.dtype).view(dtype)
            return constant(bits.item(), self.default, self.loc(node), dtype)
        result = Number(dtype, False, number.number.lanes)
        return Num(ir.Reinterpret(number_type(result), number.expr, loc=self.loc(node)))


__all__ = ["BOOL", "INT64", "Builtins"]
