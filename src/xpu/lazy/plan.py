"""A plan: an expression flattened into leaves, scalars and steps, with its dimensions collapsed.

Plans hold no nodes. Two plans with the same ``key`` need the same kernel, whatever their shapes, strides and scalars.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..memory import View, contiguous_strides
from .node import Node
from .operations import Operation

DType = np.dtype[Any]
Ref = tuple[str, int]
"""Where an operand comes from: ``("leaf", 0)``, ``("scalar", 1)``, ``("step", 2)``."""


class Step(NamedTuple):
    """One operation of a plan."""

    op: Operation
    ins: tuple[DType, ...]
    dtype: DType
    args: tuple[Ref, ...]


class Plan:
    """What a fused kernel computes; see the module."""

    __slots__ = ("_leaf_index", "_scalar_index", "_seen", "leaves", "outputs", "scalars", "shape", "steps")

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape
        self.leaves: list[View] = []
        self.scalars: list[Any] = []
        self.steps: list[Step] = []
        self.outputs: list[int] = []
        """Steps whose results are stored."""
        self._seen: dict[int, Ref] = {}
        self._leaf_index: dict[Any, int] = {}
        self._scalar_index: dict[int, int] = {}

    def add(self, value: Any) -> Ref:
        """Add an operand, with all that it depends on, and return where it is found."""
        if type(value) is Node:
            if value.value is not None:
                return self.add_leaf(value.value)
            known = self._seen.get(id(value))
            if known is None:
                args = tuple([self.add(arg) for arg in value.args])
                self.steps.append(Step(value.op, value.ins, value.dtype, args))
                known = self._seen[id(value)] = ("step", len(self.steps) - 1)
            return known
        if type(value) is View:
            return self.add_leaf(value)
        self.scalars.append(value)
        return ("scalar", len(self.scalars) - 1)

    def add_leaf(self, view: View) -> Ref:
        """Add an input array; the same window is added once."""
        place = (id(view.storage), view.offset, view.shape, view.strides, view.dtype)
        index = self._leaf_index.get(place)
        if index is None:
            index = self._leaf_index[place] = len(self.leaves)
            self.leaves.append(view)
        return ("leaf", index)

    def index_of(self, node: Node) -> int | None:
        """Return the step that computes a node of this plan."""
        ref = self._seen.get(id(node))
        return ref[1] if ref is not None else None

    def seal(self) -> None:
        """Forget which nodes the plan was made from, so that it keeps none alive and no id can be mistaken."""
        self._seen.clear()

    def has_complex(self) -> bool:
        """Whether a complex number occurs anywhere: there are no short vectors of those."""
        return any(leaf.dtype.kind == "c" for leaf in self.leaves) or any(
            dtype.kind == "c" for step in self.steps for dtype in (step.dtype, *step.ins)
        )

    def structure(self) -> Any:
        """Return the part of the key that does not depend on layout."""
        return (
            tuple(self.steps),
            tuple([leaf.dtype for leaf in self.leaves]),
            tuple([scalar.dtype for scalar in self.scalars]),
            tuple(self.outputs),
        )

    def size(self) -> int:
        """Return how many elements a result has."""
        return math.prod(self.shape)


class Operand:
    """How a kernel walks one array: base element, a stride for each collapsed axis, and the class of these strides.

    Classes: ``u`` uniform (one element for all), ``l`` linear (C-contiguous over the whole index space), ``r`` rows (unit
    stride along the last axis), ``b`` constant along the last axis, ``s`` any strides.
    """

    __slots__ = ("base", "extent", "kind", "low", "strides", "view")

    def __init__(self, view: View, shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
        self.view = view
        self.strides = strides
        lowest = highest = 0
        for extent, stride in zip(shape, strides, strict=True):
            if stride < 0:
                lowest += (extent - 1) * stride
            else:
                highest += (extent - 1) * stride
        self.low = view.offset + lowest
        self.base = -lowest
        self.extent = highest - lowest + 1
        self.kind = self._classify(shape)

    def _classify(self, shape: tuple[int, ...]) -> str:
        strides = self.strides
        if not any(strides):
            return "u"
        if strides == contiguous_strides(shape):
            return "l"
        if strides[-1] == 1:
            return "r"
        return "b" if strides[-1] == 0 else "s"

    def flat(self) -> View:
        """Return the operand's bytes as a contiguous one-dimensional view, which the kernel addresses itself."""
        return View(self.view.storage, self.view.dtype, (self.extent,), (1,), self.low)


def broadcast_strides(view: View, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides of a view seen with a larger shape: zero along repeated axes."""
    lead = len(shape) - len(view.shape)
    repeated = [
        0 if own == 1 and full != 1 else stride
        for own, full, stride in zip(view.shape, shape[lead:], view.strides, strict=True)
    ]
    return (0,) * lead + tuple(repeated)


def collapse(
    shape: tuple[int, ...], all_strides: list[tuple[int, ...]]
) -> tuple[tuple[int, ...], list[tuple[int, ...]]]:
    """Merge neighbouring axes that every operand walks as one, and drop axes of length one.

    Returns the shorter shape (at least one axis) and strides.
    """
    axes = [axis for axis, extent in enumerate(shape) if extent != 1]
    if not axes:
        return (1,), [(0,)] * len(all_strides)
    groups: list[list[int]] = [[axes[0]]]
    for axis in axes[1:]:
        previous = groups[-1][-1]
        if all(strides[previous] == strides[axis] * shape[axis] for strides in all_strides):
            groups[-1].append(axis)
        else:
            groups.append([axis])
    merged = tuple(int(np.prod([shape[axis] for axis in group], dtype=object)) for group in groups)
    return merged, [tuple(strides[group[-1]] for group in groups) for strides in all_strides]


def layout(shape: tuple[int, ...], views: list[View]) -> tuple[tuple[int, ...], list[Operand]]:
    """Return the collapsed index space of some views broadcast to ``shape``, and how each is walked."""
    merged, strides = collapse(shape, [broadcast_strides(view, shape) for view in views])
    return merged, [Operand(view, merged, own) for view, own in zip(views, strides, strict=True)]
