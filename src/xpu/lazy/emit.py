"""A plan as a typed kernel.

Every array is passed as a flat window of its storage and the kernel computes addresses itself, so that one kernel serves
all shapes and strides of a class. The index space is the collapsed shape; axes beyond three share the first. Where the
device likes short vectors, a work-item computes ``lanes`` neighbours of the last axis, and the rest of a row one by one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..backend import DeviceInfo
from ..errors import KernelCompileError, KernelTypeError
from ..kernel import ir
from .emissions import Emitter, cast, emission
from .plan import Operand, Plan, Ref

DType = np.dtype[Any]
INT = ir.INT64


def _int(value: int) -> ir.Expr:
    return ir.Const(INT, value)


def _add(left: ir.Expr, right: ir.Expr) -> ir.Expr:
    return ir.Binary(INT, "add", left, right)


def _mul(left: ir.Expr, right: ir.Expr) -> ir.Expr:
    return ir.Binary(INT, "mul", left, right)


class FunctionPool:
    """The kernel-language functions that a kernel calls, specialised, each once."""

    def __init__(self, info: DeviceInfo) -> None:
        self.info = info
        self.functions: dict[str, ir.Function] = {}

    def call(self, function: Any, args: list[ir.Expr]) -> ir.Expr:
        """Return a call of a kernel-language function."""
        specialised, result = function.specialize([arg.type for arg in args], self.info)
        for item in specialised:
            self.functions.setdefault(item.name, item)
        return ir.CallFunction(result, specialised[-1].name, list(args))


class PlanEmitter(Emitter):
    """Turns the steps of a plan into statements, at one place of the index space.

    ``load`` gives the value of a leaf there; ``lanes`` is 1 or the width of the vectors being computed.
    """

    def __init__(self, plan: Plan, pool: FunctionPool, load: Callable[[int], ir.Expr], lanes: int, prefix: str) -> None:
        self.plan = plan
        self.pool = pool
        self.load = load
        self.lanes = lanes
        self.prefix = prefix
        self.body: list[ir.Stmt] = []
        self.variables: dict[str, ir.Type] = {}
        self._leaves: dict[int, ir.Expr] = {}
        self.results: list[ir.Expr] = []

    def type_of(self, dtype: DType) -> ir.Type:
        """Return the type in which values of a dtype are computed here: a scalar, or a vector of ``lanes``."""
        return ir.Scalar(dtype) if self.lanes == 1 else ir.Vector(dtype, self.lanes)

    def assign(self, value: ir.Expr, hint: str) -> ir.Expr:
        """Keep a value in a variable of its own."""
        name = f"{self.prefix}{hint}"
        self.variables[name] = value.type
        self.body.append(ir.Assign(name, value))
        return ir.Var(value.type, name)

    def operand(self, ref: Ref, dtype: DType) -> ir.Expr:
        """Return an operand of a step, cast to the dtype that the step takes."""
        where, index = ref
        if where == "leaf":
            if index not in self._leaves:
                self._leaves[index] = self.assign(self.load(index), f"x{index}")
            value = self._leaves[index]
        elif where == "scalar":
            own = ir.Scalar(self.plan.scalars[index].dtype)
            value = ir.Var(own, f"k{index}")
            if self.lanes > 1:
                value = ir.VectorOf(ir.Vector(own.dtype, self.lanes), [cast(value, own)])
        else:
            value = self.results[index]
        return cast(value, self.type_of(dtype))

    def call(self, name: str, args: list[ir.Expr]) -> ir.Expr:
        """Call a kernel-language function of ``kernels.elementwise``, lane by lane where it takes no vectors."""
        from ..kernels.elementwise import FUNCTIONS

        overloads = FUNCTIONS[name]
        dtype = args[0].type.dtype
        function = overloads.pick(dtype)
        if self.lanes == 1 or dtype.kind in overloads.lanes:
            return self.pool.call(function, args)
        return self._lane_by_lane(function, args)

    def call_function(self, function: Any, args: list[ir.Expr]) -> ir.Expr:
        """Call any kernel-language function; on vectors as a whole if it takes them, else lane by lane."""
        if self.lanes > 1:
            try:
                return self.pool.call(function, args)
            except (KernelCompileError, KernelTypeError):  # it branches on a value: right for one number only
                return self._lane_by_lane(function, args)
        return self.pool.call(function, args)

    def _lane_by_lane(self, function: Any, args: list[ir.Expr]) -> ir.Expr:
        kept = [self.assign(arg, f"v{len(self.variables)}") for arg in args]
        items = []
        for lane in range(self.lanes):
            scalars: list[ir.Expr] = [ir.Lane(ir.Scalar(arg.type.dtype), arg, lane) for arg in kept]
            items.append(self.pool.call(function, scalars))
        return ir.VectorOf(ir.Vector(items[0].type.dtype, self.lanes), items)

    def run(self) -> list[ir.Expr]:
        """Emit every step; return the values of the plan's outputs."""
        for number, step in enumerate(self.plan.steps):
            args = [self.operand(ref, dtype) for ref, dtype in zip(step.args, step.ins, strict=True)]
            value = emission(step.op)(self, args, self.type_of(step.dtype))
            value = cast(value, self.type_of(step.dtype))
            self.results.append(self.assign(value, f"t{number}"))
        return [self.results[index] for index in self.plan.outputs]


class Layout:
    """The part of a fused kernel's structure that comes from shapes and strides."""

    def __init__(self, ndim: int, leaves: list[Operand], outputs: list[Operand], lanes: int, tile: int = 0) -> None:
        self.ndim = ndim
        self.leaves = tuple((o.kind, o.view.dtype) for o in leaves)
        self.outputs = tuple((o.kind, o.view.dtype) for o in outputs)
        self.wide = any(o.extent * o.view.dtype.itemsize > 2**31 - 1 for o in (*leaves, *outputs))
        self.lanes = lanes
        self.tile = tile
        """Side of the square that one work-item computes in the last two axes; 0: it computes ``lanes`` elements."""
        self.rank = min(ndim, 3)

    def key(self) -> Any:
        """Return what tells this layout from others."""
        return (self.ndim, self.leaves, self.outputs, self.wide, self.lanes, self.tile)

    def index_space(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return how many work-items along which axes compute a collapsed shape."""
        folded = self.ndim - self.rank
        sizes = [math.prod(shape[: folded + 1]), *shape[folded + 1 :]]
        if self.tile:
            sizes[-2:] = [-(-extent // self.tile) for extent in sizes[-2:]]
        else:
            sizes[-1] = -(-sizes[-1] // self.lanes)
        return tuple(sizes)


class _Indices:
    """Address arithmetic: indices of the collapsed axes from the work-item, and an array's element from those."""

    def __init__(self, ndim: int, rank: int) -> None:
        self.ndim = ndim
        self.rank = rank
        self.variables: dict[str, ir.Type] = {}
        self.body: list[ir.Stmt] = []
        self.linear_used = False

    def name(self, axis: int) -> ir.Expr:
        return ir.Var(INT, f"i{axis}")

    def extent(self, axis: int) -> ir.Expr:
        return ir.Var(INT, f"n{axis}")

    def set(self, name: str, value: ir.Expr) -> None:
        self.variables[name] = INT
        self.body.append(ir.Assign(name, value))

    def start(self, inner: ir.Expr) -> None:
        """Give every axis its index; ``inner`` is that of the last."""
        folded = self.ndim - self.rank
        for axis in range(self.rank - 1):
            self.set(f"i{folded + axis}", ir.WorkItem(INT, "global_id", axis))
        if folded and self.rank > 1:
            # The first axis of the launch stands for several: split it, last one first.
            self.set("rest", self.name(folded))
            for axis in range(folded, 0, -1):
                self.set(f"i{axis}", ir.Binary(INT, "mod", ir.Var(INT, "rest"), self.extent(axis)))
                self.set("rest", ir.Binary(INT, "floordiv", ir.Var(INT, "rest"), self.extent(axis)))
            self.set("i0", ir.Var(INT, "rest"))
        self.set(f"i{self.ndim - 1}", inner)

    def element(self, kind: str, name: str, inner: ir.Expr) -> ir.Expr:
        """Return the element of an array at this work-item, with ``inner`` as the index of the last axis."""
        last = self.ndim - 1
        if kind == "u":
            return _int(0)
        if kind == "l":
            if self.ndim == 1:
                return inner
            row = self.name(0)
            for axis in range(1, last):
                row = _add(_mul(row, self.extent(axis)), self.name(axis))
            return _add(_mul(row, self.extent(last)), inner)
        index: ir.Expr = ir.Var(INT, f"{name}_base")
        for axis in range(last):
            index = _add(index, _mul(self.name(axis), ir.Var(INT, f"{name}_s{axis}")))
        if kind == "r":
            return _add(index, inner)
        return index if kind == "b" else _add(index, _mul(inner, ir.Var(INT, f"{name}_s{last}")))


def stride_names(kind: str, name: str, ndim: int) -> list[str]:
    """Return the scalar arguments that address an array of a class."""
    if kind in "ul":
        return []
    count = ndim if kind == "s" else ndim - 1
    return [f"{name}_base", *[f"{name}_s{axis}" for axis in range(count)]]


def stride_values(operand: Operand) -> list[Any]:
    """Return the values for :func:`stride_names`."""
    if operand.kind in "ul":
        return []
    strides = operand.strides if operand.kind == "s" else operand.strides[:-1]
    return [np.int64(operand.base), *map(np.int64, strides)]


def parameters(plan: Plan, layout: Layout) -> list[ir.Param]:
    """Return a fused kernel's parameters; :func:`arguments` gives the values in the same order."""
    out = [ir.Param(f"n{axis}", INT) for axis in range(layout.ndim)]
    arrays = [(f"a{i}", kind, dtype, False) for i, (kind, dtype) in enumerate(layout.leaves)]
    arrays += [(f"out{i}", kind, dtype, True) for i, (kind, dtype) in enumerate(layout.outputs)]
    for name, kind, dtype, written in arrays:
        array = ir.ArrayType(dtype, 1, wide=layout.wide)
        out.append(ir.Param(name, array, read=not written, written=written))
        out += [ir.Param(scalar, INT) for scalar in stride_names(kind, name, layout.ndim)]
    for number, scalar in enumerate(plan.scalars):
        out.append(ir.Param(f"k{number}", ir.Scalar(scalar.dtype)))
    return out


def arguments(shape: tuple[int, ...], leaves: list[Operand], outputs: list[Operand], scalars: list[Any]) -> list[Any]:
    """Return the values for :func:`parameters`."""
    out: list[Any] = [np.int64(n) for n in shape]
    for operand in (*leaves, *outputs):
        out.append(operand.flat())
        out += stride_values(operand)
    out += scalars
    return out


def fused_kernel(plan: Plan, layout: Layout, info: DeviceInfo) -> ir.Kernel:
    """Return the kernel of a plan with a given layout."""
    pool = FunctionPool(info)
    indices = _Indices(layout.ndim, layout.rank)
    last = layout.ndim - 1
    lanes = layout.lanes
    gid = ir.WorkItem(INT, "global_id", layout.rank - 1)
    indices.start(gid if lanes == 1 else _mul(gid, _int(lanes)))
    inner = indices.name(last)
    if layout.tile:
        body, variables = _tile_body(plan, layout, pool, indices)
    elif lanes == 1:
        body, variables = _body(plan, layout, pool, indices, inner, 1, "")
    else:
        body, variables = _vector_body(plan, layout, pool, indices, inner)
    return ir.Kernel(
        name=_kernel_name(plan),
        params=parameters(plan, layout),
        variables={**indices.variables, **variables},
        arrays=[],
        body=[*indices.body, *body],
        functions=list(pool.functions.values()),
        rank=layout.rank,
    )


def _tile_body(
    plan: Plan, layout: Layout, pool: FunctionPool, indices: _Indices
) -> tuple[list[ir.Stmt], dict[str, ir.Type]]:
    """Emit loops over a square of the last two axes, small enough that all its cache lines are used while they are near."""
    place = layout.ndim - 2
    row, column = ir.Var(INT, "row"), ir.Var(INT, "column")
    body, variables = _body(plan, layout, pool, indices, column, 1, "")
    bounds: list[ir.Stmt] = []  # computed before the loops, not again for each row
    ranges: list[tuple[ir.Expr, ir.Expr]] = []
    for axis in (place, place + 1):
        first, end = ir.Var(INT, f"first{axis}"), ir.Var(INT, f"end{axis}")
        extent = indices.extent(axis)
        bounds.append(ir.Assign(first.name, _mul(indices.name(axis), _int(layout.tile))))
        whole = _add(first, _int(layout.tile))
        bounds.append(ir.Assign(end.name, ir.Select(INT, ir.Binary(ir.BOOL, "lt", whole, extent), whole, extent)))
        variables |= {first.name: INT, end.name: INT}
        ranges.append((first, end))
    columns = ir.For(column.name, *ranges[1], _int(1), body)
    rows = ir.For(row.name, *ranges[0], _int(1), [ir.Assign(f"i{place}", row), columns])
    return [*bounds, rows], {**variables, row.name: INT, column.name: INT}


def _vector_body(
    plan: Plan, layout: Layout, pool: FunctionPool, indices: _Indices, inner: ir.Expr
) -> tuple[list[ir.Stmt], dict[str, ir.Type]]:
    lanes = layout.lanes
    extent = indices.extent(layout.ndim - 1)
    whole, variables = _body(plan, layout, pool, indices, inner, lanes, "v")
    single = ir.Var(INT, "j")
    rest, more = _body(plan, layout, pool, indices, single, 1, "")
    variables = {**variables, **more, "j": INT}
    fits = ir.Binary(ir.BOOL, "le", _add(inner, _int(lanes)), extent)
    loop = ir.For("j", inner, extent, _int(1), rest)
    return [ir.If(fits, whole, [loop])], variables


def _body(
    plan: Plan, layout: Layout, pool: FunctionPool, indices: _Indices, inner: ir.Expr, lanes: int, prefix: str
) -> tuple[list[ir.Stmt], dict[str, ir.Type]]:
    """Emit the computation and the stores at one place: ``inner`` and its ``lanes - 1`` followers."""

    def load(number: int) -> ir.Expr:
        kind, dtype = layout.leaves[number]
        return _load(f"a{number}", kind, dtype, indices, inner, lanes)

    emitter = PlanEmitter(plan, pool, load, lanes, prefix)
    values = emitter.run()
    body = emitter.body
    for number, ((kind, dtype), value) in enumerate(zip(layout.outputs, values, strict=True)):
        body += _store(f"out{number}", kind, dtype, indices, inner, lanes, cast(value, emitter.type_of(dtype)))
    return body, emitter.variables


def _load(name: str, kind: str, dtype: DType, indices: _Indices, inner: ir.Expr, lanes: int) -> ir.Expr:
    scalar = ir.Scalar(dtype)
    if lanes == 1:
        return ir.Load(scalar, name, [indices.element(kind, name, inner)])
    vector = ir.Vector(dtype, lanes)
    if kind in "lr":
        return ir.Load(vector, name, [indices.element(kind, name, inner)])
    if kind in "ub":
        return ir.VectorOf(vector, [ir.Load(scalar, name, [indices.element(kind, name, inner)])])
    items: list[ir.Expr] = [
        ir.Load(scalar, name, [indices.element(kind, name, _add(inner, _int(lane)))]) for lane in range(lanes)
    ]
    return ir.VectorOf(vector, items)


def _store(
    name: str, kind: str, dtype: DType, indices: _Indices, inner: ir.Expr, lanes: int, value: ir.Expr
) -> list[ir.Stmt]:
    if lanes == 1 or kind in "lr":
        return [ir.Store(name, [indices.element(kind, name, inner)], value)]
    return [
        ir.Store(name, [indices.element(kind, name, _add(inner, _int(lane)))], ir.Lane(ir.Scalar(dtype), value, lane))
        for lane in range(lanes)
    ]


def _kernel_name(plan: Plan) -> str:
    names = [step.op.name for step in plan.steps]
    shown = "_".join(names[:4])
    return f"{shown}_and_{len(names) - 4}_more" if len(names) > 4 else shown


__all__ = ["FunctionPool", "Layout", "PlanEmitter", "arguments", "fused_kernel"]
