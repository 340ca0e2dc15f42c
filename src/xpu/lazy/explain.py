"""``xp.explain``: what is pending, and which kernel it will become."""

from __future__ import annotations

from typing import Any

from ..config import config
from .evaluate import shown_parts
from .node import Node
from .plan import Plan, layout


def describe(node: Node) -> str:
    """Return the pending expression of a node as text, step by step."""
    plan = Plan(node.shape)
    plan.add(node)
    shown = [node, *shown_parts(node)]
    plan.outputs = [plan.index_of(item) or 0 for item in shown]
    shape, operands = layout(plan.shape, plan.leaves)
    lines = [
        f"pending: {len(plan.steps)} operation(s) on {len(plan.leaves)} array(s), result {node.dtype.name}{list(node.shape)} "
        f"on {node.device}; index space {list(shape)}"
    ]
    kinds = {"u": "one element", "l": "contiguous", "r": "rows", "b": "constant along rows", "s": "strided"}
    for number, operand in enumerate(operands):
        view = operand.view
        lines.append(f"  a{number} = {view.dtype.name}{list(view.shape)}, {kinds[operand.kind]}")
    for number, step in enumerate(plan.steps):
        args = ", ".join(_name(plan, ref) for ref in step.args)
        stored = "   -> stored" if number in plan.outputs else ""
        lines.append(f"  t{number} = {step.op.name}({args})  {step.dtype.name}{stored}")
    structure = node.device.plans.get(("fused", plan.structure()))
    if structure is None:
        lines.append("  this structure has not run on the device yet")
    elif structure.executables or not structure.runs:
        lines.append(f"  {len(structure.executables)} compiled kernel(s) of this structure")
    else:
        lines.append(f"  ran {structure.runs} time(s) operation by operation; compiled if it goes on coming")
    if not config.fuse:
        lines.append("  fusion is off (XPU_FUSE=0)")
    return "\n".join(lines)


def _name(plan: Plan, ref: Any) -> str:
    where, index = ref
    if where == "scalar":
        return repr(plan.scalars[index].item())
    return f"{'a' if where == 'leaf' else 't'}{index}"
