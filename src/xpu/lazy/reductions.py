"""Reductions of pending expressions: the expression becomes the reduction kernel's producer, without an array between."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..kernel import ir
from ..kernels.producer import Producer
from ..kernels.reduce import run, run_stages
from ..kernels.reduce_operations import Reduction
from ..memory import View
from .emit import INT, FunctionPool, PlanEmitter
from .node import Node, force
from .plan import Operand, Plan, broadcast_strides
from .run import structure_of

if TYPE_CHECKING:
    from ..device import Device

DType = np.dtype[Any]

_WIDEST = 16
"""Lanes of the widest vectors."""


class Box:
    """The index space of a reduction: groups of axes that every array walks as one, each kept or reduced.

    Where the groups are at most one kept, one reduced, one kept, in this order, they are the reduction's box itself;
    otherwise the kept ones are folded into ``o`` and the reduced ones into ``k``, and the producer splits them again.
    """

    def __init__(self, shape: tuple[int, ...], axes: tuple[int, ...], strides: list[tuple[int, ...]]) -> None:
        self.groups: list[tuple[int, bool]] = []
        self.strides: list[list[int]] = [[] for _ in strides]
        previous = -1
        for axis, extent in enumerate(shape):
            if extent == 1:
                continue
            reduced = axis in axes
            joins = (
                previous >= 0
                and self.groups[-1][1] == reduced
                and all(own[previous] == own[axis] * extent for own in strides)
            )
            if joins:
                self.groups[-1] = (self.groups[-1][0] * extent, reduced)
            else:
                self.groups.append((extent, reduced))
            for merged, own in zip(self.strides, strides, strict=True):
                if joins:
                    merged[-1] = own[axis]
                else:
                    merged.append(own[axis])
            previous = axis
        kinds = "".join("r" if reduced else "k" for _, reduced in self.groups)
        self.direct = kinds in ("", "k", "r", "kr", "rk", "krk")
        self.names = self._names(kinds)

    def _names(self, kinds: str) -> list[str]:
        """Return the index variable of each group."""
        if self.direct:
            seen = False
            names = []
            for kind in kinds:
                seen = seen or kind == "r"
                names.append("xk" if kind == "r" else "xi" if seen else "xo")
            return names
        return [f"g{number}" for number in range(len(kinds))]

    def sizes(self) -> tuple[int, int, int]:
        """Return outer, length and inner."""
        out = {"xo": 1, "xk": 1, "xi": 1}
        for (extent, reduced), name in zip(self.groups, self.names, strict=True):
            out[name if self.direct else "xk" if reduced else "xo"] *= extent
        return out["xo"], out["xk"], out["xi"]

    @property
    def last_reduced(self) -> int:
        """The extent of the innermost reduced group: vectors along ``k`` stay inside it, or are gathered."""
        return next((extent for extent, reduced in reversed(self.groups) if reduced), 1)

    def key(self) -> Any:
        """Return what tells this box from others, extents apart."""
        return (tuple(self.names), tuple(reduced for _, reduced in self.groups), self.direct)

    def split(self) -> tuple[list[ir.Stmt], dict[str, ir.Type]]:
        """Return the statements that find the groups' indices from ``xo`` and ``xk``."""
        body: list[ir.Stmt] = []
        variables: dict[str, ir.Type] = {}
        if self.direct:
            return body, variables
        for source, wanted in (("xo", False), ("xk", True)):
            numbers = [number for number, (_, reduced) in enumerate(self.groups) if reduced == wanted]
            rest: ir.Expr = ir.Var(INT, source)
            for place, number in enumerate(reversed(numbers)):
                name, extent = self.names[number], ir.Var(INT, f"n{number}")
                variables[name] = INT
                if place == len(numbers) - 1:
                    body.append(ir.Assign(name, rest))
                    break
                body.append(ir.Assign(name, ir.Binary(INT, "mod", rest, extent)))
                variables[f"{name}_rest"] = INT
                body.append(ir.Assign(f"{name}_rest", ir.Binary(INT, "floordiv", rest, extent)))
                rest = ir.Var(INT, f"{name}_rest")
        return body, variables


class _Leaf:
    """How a reduction walks one array."""

    def __init__(self, view: View, box: Box, number: int) -> None:
        extents = tuple(extent for extent, _ in box.groups) or (1,)
        strides = tuple(box.strides[number]) or (0,)
        self.operand = Operand(view, extents, strides)
        self.view = view
        self.name = f"a{number}"
        self.strides = strides
        self.unit = tuple(stride == 1 for stride in strides)
        self.zero = tuple(stride == 0 for stride in strides)

    def stride_names(self) -> list[str]:
        moving = [k for k, unit in enumerate(self.unit) if not unit and not self.zero[k]]
        return [f"{self.name}_base", *[f"{self.name}_s{k}" for k in moving]]

    def values(self) -> list[Any]:
        moving = [stride for k, stride in enumerate(self.strides) if not self.unit[k] and not self.zero[k]]
        return [self.operand.flat(), np.int64(self.operand.base), *map(np.int64, moving)]

    def index(self, names: list[str], shift: tuple[str, int] | None) -> ir.Expr:
        index: ir.Expr = ir.Var(INT, f"{self.name}_base")
        for group, name in enumerate(names):
            if self.zero[group]:
                continue
            step: ir.Expr = ir.Var(INT, name)
            if shift is not None and shift[0] == name:
                step = ir.Binary(INT, "add", step, ir.Const(INT, shift[1]))
            if not self.unit[group]:
                step = ir.Binary(INT, "mul", step, ir.Var(INT, f"{self.name}_s{group}"))
            index = ir.Binary(INT, "add", index, step)
        return index


def producer_of(plan: Plan, box: Box, device: Device) -> Producer:
    """Return the producer of a plan's one output over a box."""
    leaves = [_Leaf(view, box, number) for number, view in enumerate(plan.leaves)]
    wide = any(leaf.operand.extent * leaf.view.dtype.itemsize > 2**31 - 1 for leaf in leaves)
    params: list[ir.Param] = []
    args: list[Any] = []
    if not box.direct:
        params += [ir.Param(f"n{number}", INT) for number in range(len(box.groups))]
        args += [np.int64(extent) for extent, _ in box.groups]
    for leaf in leaves:
        params.append(ir.Param(leaf.name, ir.ArrayType(leaf.view.dtype, 1, wide=wide)))
        params += [ir.Param(name, INT) for name in leaf.stride_names()]
        args += leaf.values()
    for number, scalar in enumerate(plan.scalars):
        params.append(ir.Param(f"k{number}", ir.Scalar(scalar.dtype)))
        args.append(scalar)
    pool = FunctionPool(device.info)
    functions: list[ir.Function] = []

    def load(lanes: int, along: str) -> tuple[list[ir.Stmt], dict[str, ir.Type]]:
        body, variables = _load_body(plan, box, leaves, pool, lanes, along)
        functions[:] = pool.functions.values()
        return body, variables

    result = plan.steps[plan.outputs[0]].dtype if plan.steps else plan.leaves[0].dtype
    # Vectors of some widths lie in one row each, wider ones straddle rows: the kernels differ.
    whole = 0 if box.direct else math.gcd(box.last_reduced, _WIDEST)
    key = (
        "plan",
        plan.structure(),
        box.key(),
        whole,
        wide,
        tuple((leaf.view.dtype, leaf.unit, leaf.zero) for leaf in leaves),
    )
    return Producer(key, result, params, args, load, functions)


def _load_body(
    plan: Plan, box: Box, leaves: list[_Leaf], pool: FunctionPool, lanes: int, along: str
) -> tuple[list[ir.Stmt], dict[str, ir.Type]]:
    body, variables = box.split()
    axis = _vector_axis(box, along)

    def load(number: int) -> ir.Expr:
        leaf = leaves[number]
        scalar = ir.Scalar(leaf.view.dtype)
        here = ir.Load(scalar, leaf.name, [leaf.index(box.names, None)])
        if lanes == 1:
            return here
        vector = ir.Vector(leaf.view.dtype, lanes)
        place = box.names.index(axis) if axis in box.names else -1
        if place < 0 or leaf.zero[place]:
            return ir.VectorOf(vector, [here])
        if leaf.unit[place]:
            return ir.Load(vector, leaf.name, [leaf.index(box.names, None)])
        items: list[ir.Expr] = [ir.Load(scalar, leaf.name, [leaf.index(box.names, (axis, k))]) for k in range(lanes)]
        return ir.VectorOf(vector, items)

    straddles = not box.direct and box.last_reduced % lanes
    if lanes > 1 and (straddles or plan.has_complex()):
        return _gathered(plan, box, leaves, pool, lanes, along)
    emitter = PlanEmitter(plan, pool, load, lanes, "v" if lanes > 1 else "")
    value = _value(plan, emitter)
    return [*body, *emitter.body, ir.Return(value)], {**variables, **emitter.variables}


def _value(plan: Plan, emitter: PlanEmitter) -> ir.Expr:
    if plan.steps:
        return emitter.run()[0]
    return emitter.operand(("leaf", 0), plan.leaves[0].dtype)


def _vector_axis(box: Box, along: str) -> str:
    if box.direct:
        return "xk" if along == "k" else "xi"
    reduced = [name for name, (_, is_reduced) in zip(box.names, box.groups, strict=True) if is_reduced]
    return reduced[-1] if reduced else ""  # every reduced axis has length one


def _gathered(
    plan: Plan, box: Box, leaves: list[_Leaf], pool: FunctionPool, lanes: int, along: str
) -> tuple[list[ir.Stmt], dict[str, ir.Type]]:
    """Return a vector whose lanes are computed one by one: they may lie in different rows."""
    body: list[ir.Stmt] = []
    moving = "xi" if along == "i" else "xk"
    variables: dict[str, ir.Type] = {"first": INT}
    body.append(ir.Assign("first", ir.Var(INT, moving)))
    values: list[ir.Expr] = []
    for lane in range(lanes):
        body.append(ir.Assign(moving, ir.Binary(INT, "add", ir.Var(INT, "first"), ir.Const(INT, lane))))
        split, more = box.split()

        def load(number: int) -> ir.Expr:
            leaf = leaves[number]
            return ir.Load(ir.Scalar(leaf.view.dtype), leaf.name, [leaf.index(box.names, None)])

        emitter = PlanEmitter(plan, pool, load, 1, f"l{lane}_")
        value = emitter.assign(_value(plan, emitter), "value")
        body += [*split, *emitter.body]
        variables |= {**more, **emitter.variables}
        values.append(value)
    vector = ir.Vector(values[0].type.dtype, lanes)
    return [*body, ir.Return(ir.VectorOf(vector, values))], variables


def reduce_into(op: str, source: Node | View, axes: tuple[int, ...], out: View, device: Device) -> None:
    """Reduce a pending expression, or an array, over axes into a contiguous view of the kept axes."""
    with device.lock:
        producer, sizes, flat = _prepared(source, axes, out, device)
        run(op, producer, *sizes, flat)


def reduce_with(
    what: Reduction, again: Reduction, source: Node | View, axes: tuple[int, ...], out: View, device: Device
) -> None:
    """Reduce as :func:`reduce_into` does, by any reduction; ``again`` combines the results of pieces."""
    with device.lock:
        producer, sizes, flat = _prepared(source, axes, out, device)
        run_stages(what, again, producer, *sizes, flat)


def _prepared(
    source: Node | View, axes: tuple[int, ...], out: View, device: Device
) -> tuple[Producer, tuple[int, int, int], View]:
    shape = source.shape
    plan = Plan(shape)
    ref = plan.add(source)
    if ref[0] == "step":
        plan.outputs = [ref[1]]
    plan.seal()
    if isinstance(source, Node) and structure_of(plan, device, "reduced").waits(plan.size(), device, least=1):
        return _prepared(force(source), axes, out, device)
    box = Box(shape, axes, [broadcast_strides(leaf, shape) for leaf in plan.leaves])
    producer = producer_of(plan, box, device)
    return producer, box.sizes(), View(out.storage, out.dtype, (out.size,), (1,), out.offset)


__all__ = ["Box", "producer_of", "reduce_into", "reduce_with"]
