"""Plans on host memory through NumPy, without a compiler, with the bits of the compiled kernel.

Exact operations are the library's own. ``exp``, ``log``, ``sin`` and their like are written in the kernel language without
branches (``kernel.stdlib.FAST``), out of operations that are exact. So NumPy, running the typed function array by array, gives
the very bits of the compiled kernel: slower for each element, but at once. Functions that branch, or that a language brings
along, are not run here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backend import DeviceInfo
from ..kernel import ir
from ..kernel.frontend.expand import expand
from ..kernel.stdlib.fast import FAST
from ..memory import View
from .emissions import Emitter, cast, emission
from .operations import CAST, Operation
from .plan import Plan

if TYPE_CHECKING:
    from ..device import Device

DType = np.dtype[Any]
Values = dict[str, Any]

_BINARY: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "truediv": np.true_divide,
    "shl": np.left_shift,
    "shr": np.right_shift,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "eq": np.equal,
    "ne": np.not_equal,
    "land": np.logical_and,
    "lor": np.logical_or,
}
_UNARY: dict[str, Callable[..., Any]] = {
    "neg": np.negative,
    "pos": np.positive,
    "invert": np.invert,
    "not": np.logical_not,
}
_CALLS: dict[str, Callable[..., Any]] = {
    "sqrt": np.sqrt,
    "abs": np.absolute,
    "floor": np.floor,
    "ceil": np.ceil,
    "trunc": np.trunc,
    "rint": np.rint,
    "copysign": np.copysign,
    "isnan": np.isnan,
    "isinf": np.isinf,
    "isfinite": np.isfinite,
    "signbit": np.signbit,
    "radians": lambda x: x * x.dtype.type(np.pi / 180.0),
    "degrees": lambda x: x * x.dtype.type(180.0 / np.pi),
    "min": lambda a, b: np.where(b < a, b, a),
    "max": lambda a, b: np.where(b > a, b, a),
}


class NeedsCompilerError(Exception):
    """The function has a branch, a loop, or a call that NumPy does not answer with the same bits."""


class _ArrayEvaluator:
    """Runs expressions of one kernel on NumPy arrays."""

    def __init__(self, functions: list[ir.Function]) -> None:
        self.functions = {function.name: function for function in functions}

    def value(self, node: ir.Expr, values: Values) -> Any:
        """Return the value of an expression."""
        if isinstance(node, ir.Var):
            return values[node.name]
        if isinstance(node, ir.Const):
            return node.type.dtype.type(node.value)
        if isinstance(node, ir.Binary) and node.op in _BINARY:
            return _BINARY[node.op](self.value(node.left, values), self.value(node.right, values))
        if isinstance(node, ir.Unary):
            return _UNARY[node.op](self.value(node.operand, values))
        if isinstance(node, ir.Select):
            choices = self.value(node.then, values), self.value(node.other, values)
            return np.where(self.value(node.condition, values), *choices)
        if isinstance(node, ir.Cast):
            return self.value(node.operand, values).astype(node.type.dtype)
        if isinstance(node, ir.Reinterpret):
            return np.asarray(self.value(node.operand, values)).view(node.type.dtype)
        if isinstance(node, ir.Call) and node.function in _CALLS:
            return _CALLS[node.function](*[self.value(arg, values) for arg in node.args])
        if isinstance(node, ir.CallFunction):
            return self.call(self.functions[node.function], [self.value(arg, values) for arg in node.args])
        raise NeedsCompilerError(type(node).__name__)

    def call(self, function: ir.Function, args: list[Any]) -> Any:
        """Return the result of a helper."""
        values: Values = dict(zip((param.name for param in function.params), args, strict=True))
        for statement in function.body:
            if isinstance(statement, ir.Return) and statement.value is not None:
                return self.value(statement.value, values)
            if not isinstance(statement, ir.Assign):
                break
            values[statement.name] = self.value(statement.value, values)
        raise NeedsCompilerError(function.name)


class _Collector(Emitter):
    def __init__(self, info: DeviceInfo) -> None:
        self.info = info
        self.functions: dict[str, ir.Function] = {}

    def call(self, name: str, args: list[ir.Expr]) -> ir.Expr:
        from ..kernels.elementwise import FUNCTIONS

        return self.call_function(FUNCTIONS[name].pick(args[0].type.dtype), args)

    def call_function(self, function: Any, args: list[ir.Expr]) -> ir.Expr:
        specialised, result = function.specialize([arg.type for arg in args], self.info)
        for item in specialised:
            self.functions.setdefault(item.name, item)
        return ir.CallFunction(result, specialised[-1].name, list(args))


def array_function(op: Operation, ins: tuple[DType, ...], dtype: DType, info: DeviceInfo) -> Callable[..., Any] | None:
    """Return an operation as a function of NumPy arrays of its input dtypes; None if it needs a compiler."""
    if any(d.kind == "c" or d == np.float16 for d in (*ins, dtype)):
        return None
    params = [ir.Param(f"p{number}", ir.Scalar(d)) for number, d in enumerate(ins)]
    collector = _Collector(info)
    args: list[ir.Expr] = [ir.Var(param.type, param.name) for param in params]
    result = ir.Scalar(dtype)
    value = cast(emission(op)(collector, args, result), result)
    main = ir.Function("main", params, result, {}, [], [ir.Return(value)])
    kernel = ir.Kernel(op.name, [], {}, [], [], [*collector.functions.values(), main])
    expanded = expand(kernel, lambda name, _: name in FAST, info, FAST)
    evaluator = _ArrayEvaluator(expanded.functions)
    entry = evaluator.functions["main"]
    try:
        with np.errstate(all="ignore"):
            evaluator.call(entry, [np.ones(1, d) for d in ins])
    except NeedsCompilerError:
        return None

    def run(*arrays: Any) -> Any:
        return evaluator.call(entry, list(arrays))

    return run


# ------------------------------------------------------------------------------------------------------- plans

BLOCK = 1 << 15
"""Elements of a piece of a large contiguous plan: its temporaries stay in the cache."""
Functions = list[Callable[..., Any] | None]
"""One function a step; None for a cast."""


def step_functions(plan: Plan, device: Device) -> Functions | None:
    """Return the functions that compute a plan's steps on host memory; None where one of them needs a compiler."""
    table = device.backend_device.library.get("elementwise")
    if not table or not device.info.unified_memory or device.info.kind != "cpu":
        return None
    functions: Functions = []
    for step in plan.steps:
        if step.op is CAST:
            functions.append(None)
            continue
        if step.op.name in table and all(dtype.kind in step.op.exact for dtype in step.ins):
            functions.append(table[step.op.name])
            continue
        key = ("array function", step.op.name, step.ins, step.dtype)
        if key not in device.plans:
            device.plans[key] = array_function(step.op, step.ins, step.dtype, device.info)
        if device.plans[key] is None:
            return None
        functions.append(device.plans[key])
    return functions


def run_on_host(plan: Plan, functions: Functions, outputs: list[View]) -> None:
    """Compute a plan step by step into views of host memory."""
    leaves = [leaf.native() for leaf in plan.leaves]
    targets = [view.native() for view in outputs]
    size = targets[0].size
    flat = size > BLOCK and all(view.contiguous and view.shape == plan.shape for view in (*plan.leaves, *outputs))
    with np.errstate(all="ignore"):
        if not flat:
            _run_steps(plan, functions, leaves, targets)
            return
        leaves = [leaf.reshape(-1) for leaf in leaves]
        targets = [target.reshape(-1) for target in targets]
        for start in range(0, size, BLOCK):
            piece = slice(start, start + BLOCK)
            _run_steps(plan, functions, [leaf[piece] for leaf in leaves], [target[piece] for target in targets])


def _converted(value: Any, dtype: DType) -> Any:
    if value.dtype.kind == "c" and dtype.kind not in "cb":
        value = value.real  # NumPy would warn
    return value.astype(dtype)


def _run_steps(plan: Plan, functions: Functions, leaves: list[Any], targets: list[Any]) -> None:
    results: list[Any] = []
    sources = {"leaf": leaves, "scalar": plan.scalars, "step": results}
    for step, function in zip(plan.steps, functions, strict=True):
        args = []
        for (where, index), dtype in zip(step.args, step.ins, strict=True):
            value = sources[where][index]
            args.append(value if value.dtype == dtype else _converted(value, dtype))
        results.append(_converted(args[0], step.dtype) if function is None else function(*args))
    for index, target in zip(plan.outputs, targets, strict=True):
        target[...] = results[index]
