"""Where a reduction's elements come from: an array, or an expression fused into the reduction.

A reduction kernel is written in the kernel language with a call of a placeholder ``load(o, k, i)``: element ``k`` of the
reduced axes, at place ``o`` of the axes before them and ``i`` of those after. When the kernel is specialised,
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
        ``load(lanes)`` returns the body of the loading function as ``(statements, variables)``; it reads the int64
        variables ``xo``, ``xk`` and ``xi`` and ends in a ``Return`` of a Scalar (``lanes == 1``) or of a Vector of elements
        that follow each other along ``along``.
    functions : list of ir.Function
        Helpers that the body calls, callees first.
    along : str
        ``"k"`` or ``"i"``: the axis along which vectors lie. Set by the reduction before it asks for the body.
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
        functions = [*self.functions]
        for function in kernel.functions:
            if function.name in found:
                width = 1 if function.name == "load_one" else lanes
                functions.append(self._function(function, width, along))
            else:
                functions.append(function)
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


def from_view(view: View, strides: tuple[int, int, int]) -> Producer:
    """Return the producer that reads one array.

    Parameters
    ----------
    view : View
        Whose storage and offset are used.
    strides : tuple of int
        Elements from one ``o``, ``k`` and ``i`` to the next.
    """
    unit = tuple(stride == 1 for stride in strides)
    scalar = ir.Scalar(view.dtype)
    wide = view.wide
    length = view.storage.nbytes // view.dtype.itemsize
    window = View(view.storage, view.dtype, (length,), (1,), 0)
    array = ir.Param("source", ir.ArrayType(view.dtype, 1, wide=wide))
    names = ["source_base", *(f"source_s{axis}" for axis in range(3) if not unit[axis])]
    params = [array, *(ir.Param(name, ir.INT64) for name in names)]
    args = [window, np.int64(view.offset), *(np.int64(strides[axis]) for axis in range(3) if not unit[axis])]

    def place(offset: int, along: int) -> ir.Expr:
        index: ir.Expr = ir.Var(ir.INT64, "source_base")
        for axis, name in enumerate(INDICES):
            step: ir.Expr = ir.Var(ir.INT64, name)
            if offset and axis == along:
                step = ir.Binary(ir.INT64, "add", step, ir.Const(ir.INT64, offset))
            if not unit[axis]:
                step = ir.Binary(ir.INT64, "mul", step, ir.Var(ir.INT64, f"source_s{axis}"))
            index = ir.Binary(ir.INT64, "add", index, step)
        return index

    def load(lanes: int, along: str) -> tuple[list[ir.Stmt], dict[str, ir.Type]]:
        axis = 1 if along == "k" else 2
        if lanes == 1:
            value: ir.Expr = ir.Load(scalar, "source", [place(0, axis)])
        elif unit[axis]:
            value = ir.Load(ir.Vector(view.dtype, lanes), "source", [place(0, axis)])
        else:
            items: list[ir.Expr] = [ir.Load(scalar, "source", [place(lane, axis)]) for lane in range(lanes)]
            value = ir.VectorOf(ir.Vector(view.dtype, lanes), items)
        return [ir.Return(value)], {}

    return Producer(("view", view.dtype, unit, wide), view.dtype, params, args, load)
