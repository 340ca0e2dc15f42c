"""An expression that has not been computed yet."""

from __future__ import annotations

import math
import weakref
from typing import TYPE_CHECKING, Any

import numpy as np

from ..config import config
from ..memory import View

if TYPE_CHECKING:
    from ..device import Device
    from .operations import Operation

DType = np.dtype[Any]

MAX_OPERATIONS = 64
"""Operations in one expression."""
MAX_INPUTS = 16
"""Arrays that one kernel reads."""
MAX_PINNED = 256 * 2**20
"""Bytes of inputs that an expression may keep alive, or eight times its own result where that is more."""
_PRUNE_AT = 32


class Node:
    """One deferred operation.

    ``args`` are nodes, views and NumPy scalars, each to be cast to its dtype in ``ins``. Once computed, ``value`` is the
    result and ``args`` is empty, so that inputs are released. ``owner`` refers weakly to the array that shows this node:
    while it lives, evaluating a larger expression stores this node's result too. ``users`` are the nodes that have this one
    as an argument: once it is computed, they read its memory. ``count``, ``inputs`` and ``pinned`` are at least the numbers
    of operations and inputs, and the bytes of those, which the limits above bound.
    """

    __slots__ = (
        "__weakref__",
        "args",
        "count",
        "device",
        "dtype",
        "inputs",
        "ins",
        "op",
        "owner",
        "pinned",
        "shape",
        "users",
        "value",
    )

    op: Operation
    args: tuple[Any, ...]
    ins: tuple[DType, ...]
    dtype: DType
    shape: tuple[int, ...]
    device: Device
    value: View | None
    owner: Any
    count: int
    inputs: int
    pinned: int
    users: list[weakref.ref[Node]]


def register(node: Node, view: View) -> None:
    """Enter a node among the readers of a storage."""
    readers = view.storage.readers
    readers.append(weakref.ref(node))
    if len(readers) >= _PRUNE_AT and len(readers) & (len(readers) - 1) == 0:
        readers[:] = [ref for ref in readers if (other := ref()) is not None and other.value is None]


def defer(
    op: Operation, ins: tuple[DType, ...], dtype: DType, args: tuple[Any, ...], shape: tuple[int, ...], device: Device
) -> Node:
    """Return a node for an operation whose types and shape have been checked.

    Arguments that are smaller than the result are computed first, and so is the largest argument when a limit is met.
    """
    node = Node()
    node.op = op
    node.ins = ins
    node.dtype = dtype
    node.shape = shape
    node.device = device
    node.value = None
    node.owner = None
    node.users = []
    while True:
        count, inputs, pinned = 1, 0, 0
        largest: Node | None = None
        settled = []
        for arg in args:
            if type(arg) is Node:
                if arg.value is None and arg.shape != shape:
                    force(arg)
                if arg.value is not None:
                    arg = arg.value
                else:
                    count += arg.count
                    inputs += arg.inputs
                    pinned += arg.pinned
                    if largest is None or arg.count > largest.count:
                        largest = arg
            if type(arg) is View:
                inputs += 1
                pinned += arg.storage.nbytes
            settled.append(arg)
        args = tuple(settled)
        if largest is None:
            break
        if _fits(node, count, inputs, pinned):
            break
        count, inputs, pinned = _census(args)
        if _fits(node, count, inputs, pinned):
            break
        force(largest)
    node.args = args
    node.count = count
    node.inputs = inputs
    node.pinned = pinned
    for arg in args:
        if type(arg) is View:
            register(node, arg)
        elif type(arg) is Node:
            arg.users.append(weakref.ref(node))
    if not config.fuse:
        force(node)
    return node


def _fits(node: Node, count: int, inputs: int, pinned: int) -> bool:
    if count > MAX_OPERATIONS or inputs > MAX_INPUTS:
        return False
    return pinned <= MAX_PINNED or pinned <= 8 * node.dtype.itemsize * math.prod(node.shape)


def _census(args: tuple[Any, ...]) -> tuple[int, int, int]:
    """Count the operations, inputs and bytes of an expression with these arguments, what is shared once.

    The sums that nodes keep count shared parts each time, and are too large where a value is used twice.
    """
    nodes: set[int] = set()
    windows = set()
    storages: dict[int, int] = {}
    rest = list(args)
    while rest:
        arg = rest.pop()
        if type(arg) is Node:
            if arg.value is None:
                if id(arg) not in nodes:
                    nodes.add(id(arg))
                    rest.extend(arg.args)
                continue
            arg = arg.value
        if type(arg) is View:
            windows.add((id(arg.storage), arg.offset, arg.shape, arg.strides, arg.dtype))
            storages[id(arg.storage)] = arg.storage.nbytes
    return 1 + len(nodes), len(windows), sum(storages.values())


def force(node: Node) -> View:
    """Compute a node, if that has not been done, and return its value."""
    if node.value is None:
        from .evaluate import evaluate

        evaluate(node)
    assert node.value is not None
    return node.value
