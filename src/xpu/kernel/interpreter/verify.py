"""Checks that a typed kernel obeys the rules of ``xpu.kernel.ir``: what the printers take for granted.

A kernel that breaks one is a mistake of whoever built it (the front end, or ``lazy``), never of the user.
"""

from __future__ import annotations

from typing import Any

from ...dtypes import real_of
from ...errors import KernelTypeError
from .. import ir
from ..intrinsics import TABLE
from .report import place

_ARRAY_NODES = (ir.Load, ir.Store, ir.Atomic)


def verify(kernel: ir.Kernel) -> None:
    """Check a kernel and its helpers.

    Raises
    ------
    KernelTypeError
        Naming the rule, the node and its place.
    """
    functions = {f.name: f for f in kernel.functions}
    seen: set[str] = set()
    for function in kernel.functions:
        _Verifier(kernel, function, {n: f for n, f in functions.items() if n in seen}).run()
        seen.add(function.name)
    _Verifier(kernel, kernel, functions).run()


class _Verifier:
    """Checks one function; ``callable_`` are the helpers printed before it."""

    def __init__(self, kernel: ir.Kernel, node: ir.Kernel | ir.Function, callable_: dict[str, ir.Function]) -> None:
        self.kernel = kernel
        self.node = node
        self.callable = callable_
        self.variables: dict[str, ir.Type] = dict(node.variables)
        self.arrays: dict[str, ir.ArrayType] = {d.name: d.type for d in node.arrays}
        self.read_only: set[str] = set()
        for param in node.params:
            if isinstance(param.type, ir.ArrayType):
                self.arrays[param.name] = param.type
                if isinstance(node, ir.Kernel) and not param.written:
                    self.read_only.add(param.name)
            else:
                self.variables[param.name] = param.type

    def fail(self, node: Any, rule: str) -> None:
        raise KernelTypeError(
            f"kernel {self.kernel.name!r} breaks a rule of the intermediate representation: {rule} "
            f"({type(node).__name__}){place(getattr(node, 'loc', None))}"
        )

    def need(self, ok: bool, node: Any, rule: str) -> None:
        if not ok:
            self.fail(node, rule)

    def run(self) -> None:
        for decl in self.node.arrays:
            self.need(decl.type.shape is not None, decl, f"array {decl.name!r} is declared without a shape")
            self.need(decl.type.space != "global", decl, f"array {decl.name!r} is declared in global memory")
        for node in ir.walk(self.node.body):
            if isinstance(node, ir.Expr):
                self.expression(node)
            else:
                self.statement(node)

    # ---------------------------------------------------------------------------------------------- statements

    def statement(self, s: ir.Stmt) -> None:
        match s:
            case ir.Assign(name, value):
                self.need(name in self.variables, s, f"variable {name!r} is not declared")
                wanted = self.variables[name]
                self.need(value.type == wanted, s, f"variable {name!r} of {wanted} gets {value.type}")
            case ir.Store(array, indices, value):
                self.access(s, array, indices)
                self.need(array not in self.read_only, s, f"argument {array!r} is stored to but not marked as written")
                self.element(s, array, value.type)
            case ir.If(condition) | ir.While(condition) | ir.Assert(condition):
                self.need(condition.type == ir.BOOL, s, f"a condition has type {condition.type}")
            case ir.For(name, start, stop, step):
                types = {self.variables.get(name), start.type, stop.type, step.type}
                self.need(len(types) == 1, s, f"loop variable and bounds have types {types}")
                self.need(
                    isinstance(start.type, ir.Scalar) and start.type.dtype.kind in "iu", s, "bounds are no integers"
                )
            case ir.Return(value):
                result = self.node.result if isinstance(self.node, ir.Function) else None
                got = None if value is None else value.type
                self.need(got == result, s, f"returns {got} instead of {result}")
            case ir.Barrier():
                self.need(self.node.uses_barrier, s, "a barrier in a function that is not marked as using barriers")

    # --------------------------------------------------------------------------------------------- expressions

    def expression(self, e: ir.Expr) -> None:
        if not isinstance(e, ir.ArrayRef):
            self.need(isinstance(e.type, (ir.Scalar, ir.Vector)), e, f"an expression has type {e.type}")
        match e:
            case ir.Var(type_, name):
                self.need(self.variables.get(name) == type_, e, f"{name!r} is {self.variables.get(name)}, not {type_}")
            case ir.Unary(type_, op, operand):
                self.need(op in ir.UNARY_OPS, e, f"no operation {op!r}")
                self.need(operand.type == type_, e, f"{op} of {operand.type} gives {type_}")
                self.need(op != "not" or type_.dtype.kind == "b", e, f"'not' of {type_}")
            case ir.Binary():
                self.binary(e)
            case ir.Select(type_, condition, then, other):
                self.need(condition.type.dtype.kind == "b", e, f"a condition has type {condition.type}")
                self.need(then.type == type_ == other.type, e, f"branches of {then.type} and {other.type} give {type_}")
            case ir.Cast(type_, operand):
                self.same_lanes(e, type_, operand.type)
            case ir.Reinterpret(type_, operand):
                self.same_lanes(e, type_, operand.type)
                same = type_.dtype.itemsize == operand.type.dtype.itemsize
                self.need(same, e, f"reinterprets {operand.type} as {type_}")
            case ir.Call():
                self.call(e)
            case ir.CallFunction(type_, name, args):
                function = self.callable.get(name)
                if function is None:
                    self.fail(e, f"helper {name!r} is called before it is defined")
                    return
                self.need(len(args) == len(function.params), e, f"{name!r} gets {len(args)} arguments")
                for arg, param in zip(args, function.params, strict=True):
                    if isinstance(param.type, ir.ArrayType):
                        self.need(isinstance(arg, ir.ArrayRef), e, f"{param.name!r} of {name!r} gets {arg.type}")
                    else:
                        self.need(
                            arg.type == param.type, e, f"{param.name!r} of {name!r} is {param.type}, gets {arg.type}"
                        )
                self.need(function.result in (None, type_), e, f"{name!r} gives {function.result}, not {type_}")
            case ir.ArrayRef(_, name):
                self.need(name in self.arrays, e, f"no array {name!r}")
            case ir.Complex(type_, real, imag):
                part = ir.Scalar(real_of(type_.dtype))
                self.need(type_.dtype.kind == "c" and real.type == part == imag.type, e, f"parts are {real.type}")
            case ir.WorkItem(type_, _, axis) | ir.Dim(type_, _, axis):
                self.need(type_ == ir.INT64, e, f"an index of type {type_}")
                rank = self.arrays[e.array].ndim if isinstance(e, ir.Dim) else self.kernel.rank
                self.need(0 <= axis < rank, e, f"axis {axis} of {rank}")
            case ir.Load(type_, array, indices):
                self.access(e, array, indices)
                self.element(e, array, type_)
            case ir.Lane(type_, vector, index):
                self.need(
                    isinstance(vector.type, ir.Vector) and index < vector.type.lanes,
                    e,
                    f"lane {index} of {vector.type}",
                )
                self.need(type_ == ir.Scalar(vector.type.dtype), e, f"a lane of {vector.type} is no {type_}")
            case ir.VectorOf(type_, items):
                lanes = type_.lanes if isinstance(type_, ir.Vector) else 0
                self.need(len(items) in (1, lanes), e, f"{len(items)} numbers make {type_}")
                self.need(all(i.type == ir.Scalar(type_.dtype) for i in items), e, f"{items[0].type} in {type_}")
            case ir.Atomic(type_, op, array, indices, values):
                self.access(e, array, indices)
                self.need(op in ir.ATOMIC_OPS, e, f"no atomic {op!r}")
                self.need(array not in self.read_only, e, f"argument {array!r} is updated but not marked as written")
                self.need(self.arrays[array].space != "private", e, "an atomic on private memory")
                self.need(len(values) == (2 if op == "cas" else 1), e, f"atomic {op} with {len(values)} values")
                for value in values:
                    self.need(value.type == type_, e, f"atomic {op} on {type_} with {value.type}")
                self.element(e, array, type_)

    def binary(self, e: ir.Binary) -> None:
        left, right = e.left.type, e.right.type
        self.need(left == right, e, f"{e.op} of {left} and {right}")
        if e.op in ir.COMPARE_OPS:
            self.need(e.type.dtype.kind == "b", e, f"{e.op} gives {e.type}")
            self.same_lanes(e, e.type, left)
            return
        self.need(e.op in ir.ARITHMETIC_OPS or e.op in ir.LOGICAL_OPS, e, f"no operation {e.op!r}")
        self.need(e.type == left, e, f"{e.op} of {left} gives {e.type}")
        kind = e.type.dtype.kind
        kinds = {
            "truediv": "fc",
            "land": "b",
            "lor": "b",
            "shl": "iu",
            "shr": "iu",
            "and": "biu",
            "or": "biu",
            "xor": "biu",
        }
        kinds |= {"floordiv": "iuf", "mod": "iuf"}
        self.need(kind in kinds.get(e.op, "iufc"), e, f"{e.op} of {left}")

    def call(self, e: ir.Call) -> None:
        row = TABLE.get(e.function)
        if row is None:
            self.fail(e, f"xp.math has no {e.function!r}")
            return
        self.need(len(e.args) == row.arity, e, f"{e.function} with {len(e.args)} arguments")
        first = e.args[0].type
        self.need(all(a.type == first for a in e.args), e, f"{e.function} of {[a.type for a in e.args]}")
        wanted = {"bool": ir.BOOL.dtype, "real": real_of(first.dtype)}.get(row.rule, first.dtype)
        self.need(e.type.dtype == wanted, e, f"{e.function} of {first} gives {e.type}")
        self.same_lanes(e, e.type, first)

    def access(self, node: Any, array: str, indices: list[ir.Expr]) -> None:
        type_ = self.arrays.get(array)
        if type_ is None:
            self.fail(node, f"no array {array!r}")
            return
        self.need(len(indices) == type_.ndim, node, f"{array!r} of {type_.ndim} dimensions with {len(indices)} indices")
        for index in indices:
            self.need(index.type == ir.INT64, node, f"an index of {array!r} has type {index.type}")

    def element(self, node: Any, array: str, type_: ir.Type) -> None:
        dtype = self.arrays[array].dtype
        ok = not isinstance(type_, ir.ArrayType) and type_.dtype == dtype
        self.need(ok, node, f"an element of {array!r} is {dtype}, not {type_}")

    def same_lanes(self, e: ir.Expr, a: ir.Type, b: ir.Type) -> None:
        self.need(getattr(a, "lanes", 1) == getattr(b, "lanes", 1), e, f"{b} becomes {a}")
