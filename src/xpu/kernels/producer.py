"""Where a reduction's elements come from: an array, or an expression fused into the reduction.

A reduction kernel is written in the kernel language with a call of a placeholder ``load(o, k, i)``: element ``k`` of
the reduced axes, at place ``o`` of the axes before them and ``i`` of those after. When the kernel is specialised,
:meth:`Producer.install` puts a function of the producer's own in the placeholder's place and gives the kernel the
arguments which that function needs, behind the reduction's own.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..kernel import ir
from ..kernel.frontend.analysis import mark_accesses
from ..memory import View
from .views import window

INDICES = ("xo", "xk", "xi")
PLACEHOLDERS = {"load_one": 1, "load_lanes": 0}
"""Names of the placeholders in the templates: one element, or as many as the template's vectors have lanes."""


@dataclass
class Producer:
    """What a reduction reads.

    Parameters
    ----------
    key : hashable
        Stands for the structure: producers with one key give one kernel.
    dtype : dtype
        Of the elements.
    params : list of ir.Param
        The arguments that loading takes: arrays and scalars. Names must not begin with ``xr_``.
    args : list
        Their values: views and NumPy scalars.
    load : callable
        ``load(lanes, along)`` returns the body of the loading function as ``(statements, variables)``; it reads the
        int64 variables ``xo``, ``xk`` and ``xi`` and ends in a ``Return`` of a Scalar (``lanes == 1``) or of a Vector
        of elements that follow each other along the axis ``along``, ``"k"`` or ``"i"``.
    functions : list of ir.Function
        Helpers that the body calls, callees first; complete once ``load`` has returned.
    """

    key: Any
    dtype: np.dtype[Any]
    params: list[ir.Param]
    args: list[Any]
    load: Callable[[int, str], tuple[list[ir.Stmt], dict[str, ir.Type]]]
    functions: list[ir.Function] = field(default_factory=list)

    def install(self, kernel: ir.Kernel, lanes: int, along: str) -> ir.Kernel:
        """Return the kernel with this producer in place of the placeholders."""
        found = {name: function for name in PLACEHOLDERS for function in kernel.functions if function.name == name}
        made = {
            name: self._function(function, 1 if name == "load_one" else lanes, along)
            for name, function in found.items()
        }
        functions = [*self.functions, *(made.get(function.name, function) for function in kernel.functions)]
        extra: list[ir.Expr] = []
        for param in self.params:
            if isinstance(param.type, ir.ArrayType):
                extra.append(ir.ArrayRef(param.type, param.name))
            else:
                extra.append(ir.Var(param.type, param.name))
        body = deepcopy(kernel.body)  # the template's own is used again
        for node in ir.walk(body):
            if isinstance(node, ir.CallFunction) and node.function in found:
                node.args = [*node.args, *extra]
        params = [*(replace(param) for param in kernel.params), *(replace(param) for param in self.params)]
        result = replace(kernel, params=params, functions=functions, body=body)
        mark_accesses(result)
        return result

    def _function(self, placeholder: ir.Function, lanes: int, along: str) -> ir.Function:
        body, variables = self.load(lanes, along)
        indices = [ir.Param(name, ir.INT64) for name in INDICES]
        return ir.Function(
            name=placeholder.name,
            params=[*indices, *(replace(param) for param in self.params)],
            result=ir.Scalar(self.dtype) if lanes == 1 else ir.Vector(self.dtype, lanes),
            variables=variables,
            arrays=[],
            body=body,
        )


def _place(name: str, steps: list[tuple[str, int, ir.Expr]], shift: int) -> ir.Expr:
    """Return ``base + sum(index * stride)``; strides of 0 and 1 are not arguments."""
    index: ir.Expr = ir.Var(ir.INT64, f"{name}_base")
    if shift:
        index = ir.Binary(ir.INT64, "add", index, ir.Const(ir.INT64, shift))
    for label, stride, step in steps:
        if stride == 0:
            continue
        if stride != 1:
            step = ir.Binary(ir.INT64, "mul", step, ir.Var(ir.INT64, f"{name}_{label}"))
        index = ir.Binary(ir.INT64, "add", index, step)
    return index


def _fetch(name: str, dtype: np.dtype[Any], steps: list[tuple[str, int, ir.Expr]], lanes: int, along: str) -> ir.Expr:
    """Return one element, or ``lanes`` of them along an axis, of a strided array."""
    scalar = ir.Scalar(dtype)
    if lanes == 1:
        return ir.Load(scalar, name, [_place(name, steps, 0)])
    vector = ir.Vector(dtype, lanes)
    stride = next((stride for label, stride, _ in steps if label == along), 0)
    if stride == 1:
        return ir.Load(vector, name, [_place(name, steps, 0)])
    if stride == 0:
        return ir.VectorOf(vector, [ir.Load(scalar, name, [_place(name, steps, 0)])])
    items: list[ir.Expr] = []
    for lane in range(lanes):
        moved = [
            (label, step, ir.Binary(ir.INT64, "add", at, ir.Const(ir.INT64, lane)) if label == along and lane else at)
            for label, step, at in steps
        ]
        items.append(ir.Load(scalar, name, [_place(name, moved, 0)]))
    return ir.VectorOf(vector, items)


def _arguments(name: str, view: View, base: int, strides: dict[str, int]) -> tuple[list[ir.Param], list[Any]]:
    """Return the parameters and values that address a strided array in a flat window."""
    named = {f"{name}_base": base}
    named |= {f"{name}_{label}": stride for label, stride in strides.items() if stride not in (0, 1)}
    params = [ir.Param(name, ir.ArrayType(view.dtype, 1, wide=view.wide)), *(ir.Param(n, ir.INT64) for n in named)]
    return params, [view, *map(np.int64, named.values())]


def _variable(name: str) -> ir.Expr:
    return ir.Var(ir.INT64, name)


def _pattern(strides: dict[str, int]) -> tuple[int, ...]:
    """Return what of strides is compiled in: whether each is 0, 1, or an argument."""
    return tuple(stride if stride in (0, 1) else 2 for stride in strides.values())


def from_view(view: View, strides: tuple[int, int, int]) -> Producer:
    """Return the producer that reads one array.

    Parameters
    ----------
    view : View
        Whose storage and offset are used.
    strides : tuple of int
        Elements from one ``o``, ``k`` and ``i`` to the next.
    """
    steps = dict(zip("oki", strides, strict=True))
    whole = window(view)
    params, args = _arguments("source", whole, view.offset, steps)
    places = [(label, stride, _variable(f"x{label}")) for label, stride in steps.items()]

    def load(lanes: int, along: str) -> tuple[list[ir.Stmt], dict[str, ir.Type]]:
        return [ir.Return(_fetch("source", view.dtype, places, lanes, along))], {}

    return Producer(("view", view.dtype, _pattern(steps), whole.wide), view.dtype, params, args, load)


def product(
    a: View, a_steps: tuple[int, ...], b: View, b_steps: tuple[int, ...], rows: int, work: np.dtype[Any]
) -> Producer:
    """Return the producer of products of two arrays' elements, computed in ``work``.

    Parameters
    ----------
    a, b : View
        Flat windows.
    a_steps, b_steps : tuple of int
        First element, and elements from one batch, row, ``k`` and ``i`` to the next.
    rows : int
        Rows in a batch: ``o`` is ``batch * rows + row``.
    work : dtype
    """
    labels = ("t", "m", "k", "i")
    a_strides = dict(zip(labels, a_steps[1:], strict=True))
    b_strides = dict(zip(labels, b_steps[1:], strict=True))
    left, left_args = _arguments("left", a, a_steps[0], a_strides)
    right, right_args = _arguments("right", b, b_steps[0], b_strides)
    o, count = _variable("xo"), ir.Var(ir.INT64, "rows")
    at = {
        "t": ir.Binary(ir.INT64, "floordiv", o, count),
        "m": ir.Binary(ir.INT64, "mod", o, count),
        "k": _variable("xk"),
        "i": _variable("xi"),
    }

    def load(lanes: int, along: str) -> tuple[list[ir.Stmt], dict[str, ir.Type]]:
        kind: ir.Type = ir.Scalar(work) if lanes == 1 else ir.Vector(work, lanes)
        factors = []
        for name, dtype, strides in (("left", a.dtype, a_strides), ("right", b.dtype, b_strides)):
            steps = [(label, stride, at[label]) for label, stride in strides.items()]
            value = _fetch(name, dtype, steps, lanes, along)
            factors.append(value if dtype == work else ir.Cast(kind, value))
        return [ir.Return(ir.Binary(kind, "mul", *factors))], {}

    key = ("product", a.dtype, work, _pattern(a_strides), _pattern(b_strides), a.wide or b.wide)
    return Producer(
        key, work, [*left, *right, ir.Param("rows", ir.INT64)], [*left_args, *right_args, np.int64(rows)], load
    )
