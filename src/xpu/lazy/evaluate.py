"""When and how deferred work is computed, and how arrays are written.

What forces an expression: reading it on the host, taking a view of it, passing it to anything that is not elementwise,
a write to memory that it reads, a limit of ``node``, and ``XPU_FUSE=0``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..memory import Storage, View, new_view
from .node import Node, force
from .operations import CAST
from .plan import Plan, Step
from .run import prepare, run

if TYPE_CHECKING:
    from ..device import Device

DType = np.dtype[Any]

MAX_OUTPUTS = 8
"""Results that one kernel stores."""


# -------------------------------------------------------------------------------------------------- evaluating


def evaluate(node: Node) -> None:
    """Compute a node, and with it those parts of its expression that arrays still show."""
    with node.device.lock:
        if node.value is not None:
            return
        plan = Plan(node.shape)
        plan.add(node)
        nodes = [node, *shown_parts(node)]
        plan.outputs = [plan.index_of(item) or 0 for item in nodes]
        plan.seal()
        outputs = [new_view(node.device, node.shape, item.dtype) for item in nodes]
        run(plan, outputs, node.device)
        for item, view in zip(nodes, outputs, strict=True):
            item.value = view
            item.args = ()
            view.storage.readers += item.users
            item.users = []


def shown_parts(root: Node) -> list[Node]:
    """Return the nodes below ``root`` that live arrays show, as many as one kernel may store."""
    found: list[Node] = []
    seen = {id(root)}
    stack = [arg for arg in root.args if type(arg) is Node]
    while stack and len(found) < MAX_OUTPUTS - 1:
        node = stack.pop()
        if node.value is not None or id(node) in seen:
            continue
        seen.add(id(node))
        owner = node.owner
        if owner is not None and owner() is not None:
            found.append(node)
        stack += [arg for arg in node.args if type(arg) is Node]
    return found


def force_readers(storage: Storage) -> None:
    """Compute every expression that reads a storage: it is about to change."""
    readers, storage.readers = storage.readers, []
    for ref in readers:
        node = ref()
        if node is not None and node.value is None:
            force(node)


# ---------------------------------------------------------------------------------------------------- writing


def write(target: View, source: Any, device: Device) -> None:
    """Store ``source`` (a node, view or NumPy scalar that broadcasts to the target) into existing memory.

    Every other expression that reads this memory is computed first. The value is computed straight into the target,
    unless it reads the target's memory at other places than it writes: then it goes through a temporary.
    """
    with device.lock:
        if 0 in target.shape:
            return
        root = source if type(source) is Node and source.value is None else None
        if root is not None and root.shape != target.shape:
            source, root = force(root), None
        plan = _assignment(target, source)
        shown = root is not None and _is_shown(root)
        if _conflicts(plan, target) or (shown and any(leaf.storage is target.storage for leaf in plan.leaves)):
            source = _settle(root, plan, target, device)
            root = None
            plan = _assignment(target, source)
        outputs = [target]
        launch = prepare(plan, outputs, device)
        if root is not None and not shown:
            # The plan has all it needs. Intermediates that nobody else refers to die here, and need no evaluation.
            root.args = ()
            root.value = target
        del source, root
        force_readers(target.storage)
        launch(plan, outputs)


def _settle(root: Node | None, plan: Plan, target: View, device: Device) -> View:
    """Compute what is to be written into memory of its own."""
    if root is not None:
        return force(root)
    temporary = new_view(device, target.shape, target.dtype)
    run(plan, [temporary], device)
    return temporary


def _is_shown(node: Node) -> bool:
    return node.owner is not None and node.owner() is not None


def _assignment(target: View, source: Any) -> Plan:
    plan = Plan(target.shape)
    ref = plan.add(source)
    dtype = target.dtype
    if ref[0] == "step" and plan.steps[ref[1]].dtype == dtype:
        plan.outputs = [ref[1]]
    else:
        plan.steps.append(Step(CAST, (source.dtype,), dtype, (ref,)))
        plan.outputs = [len(plan.steps) - 1]
    plan.seal()
    return plan


def _conflicts(plan: Plan, target: View) -> bool:
    for leaf in plan.leaves:
        if leaf.storage is not target.storage or leaf.same_place(target):
            continue
        low, high = leaf.bounds()
        target_low, target_high = target.bounds()
        if low < target_high and target_low < high:
            return True
    return False


def copy_into(target: View, source: View) -> None:
    """Copy one view into another of the same device, casting as needed; readers are the caller's business."""
    run(_assignment(target, source), [target], target.storage.device)
