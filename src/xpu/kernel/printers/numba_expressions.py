"""Expressions of printed Numba kernels.

The words are those of ``xpu_cpu.frontend``: operators keep the type of their operands, ``load(a_x, i)`` reads an
element, ``float32(v)`` converts. float16 is computed in float32 and rounded by ``float16(v)`` after each operation.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...errors import KernelCompileError
from .. import ir
from ..passes.copying import Sites

OPERATORS = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "pow": "**",
    "shl": "<<",
    "shr": ">>",
    "and": "&",
    "or": "|",
    "xor": "^",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
    "eq": "==",
    "ne": "!=",
}
_CHEAP = (
    "sqrt abs floor ceil trunc rint copysign minimum maximum min max fmin fmax clamp isnan isinf isfinite signbit "
    "fma mad popcount clz real imag conj"
)
CHEAP = frozenset(_CHEAP.split())
"""Functions that are better evaluated in vain than branched around."""

WORK_ITEM = {
    "global_id": "gid",
    "local_id": "lid",
    "group_id": "group",
    "global_size": "gsize",
    "local_size": "lsize",
    "num_groups": "groups",
}


def variable(name: str) -> str:
    """Return the name of a variable in the text."""
    return f"v_{name}"


def array(name: str) -> str:
    """Return the name of an array's memory in the text."""
    return f"a_{name}"


def cast_word(dtype: np.dtype[Any]) -> str:
    """Return the word that converts to a dtype."""
    return "bool_" if dtype.kind == "b" else dtype.name


def value_name(dtype: np.dtype[Any]) -> str:
    """Return the name of the dtype in which values are computed."""
    return "float32" if dtype == np.float16 else dtype.name


class Expressions:
    """Prints expressions of one kernel."""

    def __init__(self, arrays: dict[str, ir.ArrayType], rank: int, sites: Sites, debug: bool) -> None:
        self.arrays = arrays
        self.rank = rank
        self.sites = sites
        self.debug = debug

    def __call__(self, node: ir.Expr) -> str:
        """Return the text of an expression."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise KernelCompileError(f"the Numba printer has no expression {type(node).__name__}")
        text: str = method(node)
        return text

    # -- numbers

    def _const(self, node: ir.Const) -> str:
        if isinstance(node.type, ir.Vector):
            item = self.constant(node.type.dtype, node.value)
            return f"splat{node.type.lanes}({item})"
        return self.constant(_dtype(node), node.value)

    def constant(self, dtype: np.dtype[Any], value: Any) -> str:
        """Return a literal of a dtype."""
        if dtype.kind == "b":
            return "True" if value else "False"
        if dtype.kind in "iu":
            text = str(int(value))
            text = f"({text})" if text[0] == "-" else text
            return text if dtype == np.int64 else f"{dtype.name}({text})"
        if dtype.kind == "c":
            real = np.dtype(np.float32 if dtype.itemsize == 8 else np.float64)
            return f"make_{dtype.name}({self.constant(real, value.real)}, {self.constant(real, value.imag)})"
        number = float(value)
        text = repr(number) if math.isfinite(number) else {math.inf: "inf", -math.inf: "(-inf)"}.get(number, "nan")
        text = f"({text})" if text[0] == "-" else text
        return text if dtype == np.float64 else f"float32({text})"

    def _var(self, node: ir.Var) -> str:
        return variable(node.name)

    def _operands(self, *nodes: ir.Expr) -> list[str]:
        """Return the texts of operands; Python must not compute with literals itself, in its own way."""
        texts = list(map(self, nodes))
        if all(isinstance(node, ir.Const) for node in nodes):
            texts = [f"{cast_word(_dtype(node))}({text})" for node, text in zip(nodes, texts, strict=True)]
        return texts

    def _unary(self, node: ir.Unary) -> str:
        (operand,) = self._operands(node.operand)
        if node.op == "pos":
            return operand
        return f"(-{operand})" if node.op == "neg" else f"(~{operand})"

    def _binary(self, node: ir.Binary) -> str:
        left, right = self._operands(node.left, node.right)
        if node.op in ("land", "lor"):
            if _speculative(node.right) or isinstance(node.type, ir.Vector):
                return f"({left} {'&' if node.op == 'land' else '|'} {right})"
            return f"({left} {'and' if node.op == 'land' else 'or'} {right})"
        text = self._by_constant(node, left, right) or f"({left} {OPERATORS[node.op]} {right})"
        return self._rounded(node, text)

    def _by_constant(self, node: ir.Binary, left: str, right: str) -> str | None:
        """Return a division by a constant integer without a division; None for all else."""
        if node.op not in ("floordiv", "mod") or not isinstance(node.right, ir.Const) or _dtype(node).kind not in "iu":
            return None
        divisor = int(node.right.value.real)
        if divisor > 0 and divisor & (divisor - 1) == 0 and not isinstance(node.type, ir.Vector):
            if node.op == "mod":
                return f"({left} & {self.constant(_dtype(node), divisor - 1)})"
            return f"({left} >> {self.constant(_dtype(node), divisor.bit_length() - 1)})"
        word = "floordiv_const" if node.op == "floordiv" else "mod_const"
        return f"{word}({left}, {right})"

    def _rounded(self, node: ir.Expr, text: str) -> str:
        return f"float16({text})" if _dtype(node) == np.float16 else text

    def _select(self, node: ir.Select) -> str:
        condition, then, other = self(node.condition), self(node.then), self(node.other)
        if isinstance(node.condition.type, ir.Vector) or (_speculative(node.then) and _speculative(node.other)):
            if isinstance(node.type, ir.Vector) and not isinstance(node.condition.type, ir.Vector):
                condition = f"splat{node.type.lanes}({condition})"
            return f"select({condition}, {then}, {other})"
        return f"({then} if {condition} else {other})"

    def _cast(self, node: ir.Cast) -> str:
        operand = self(node.operand)
        target, source = _dtype(node), _dtype(node.operand)
        if isinstance(node.type, ir.Vector) and not isinstance(node.operand.type, ir.Vector):
            operand = f"splat{node.type.lanes}({operand})"
        if target == source or (target == np.float32 and source == np.float16):
            return operand
        return f"{cast_word(target)}({operand})"

    def _reinterpret(self, node: ir.Reinterpret) -> str:
        operand = self(node.operand)
        target, source = _dtype(node), _dtype(node.operand)
        if target == source:
            return operand
        if source == np.float16:
            operand = f"bits_of_float16({operand})"
            return operand if target == np.uint16 else f"bits_{target.name}({operand})"
        return f"bits_{target.name}({operand})"

    def _call(self, node: ir.Call) -> str:
        halves = node.function == "nextafter" and _dtype(node) == np.float16
        text = f"{node.function}{'_float16' if halves else ''}({', '.join(map(self, node.args))})"
        return self._rounded(node, text) if node.function not in ("isnan", "isinf", "isfinite", "signbit") else text

    def _complex(self, node: ir.Complex) -> str:
        return f"make_{_dtype(node).name}({self(node.real)}, {self(node.imag)})"

    # -- vectors

    def _lane(self, node: ir.Lane) -> str:
        return f"lane({self(node.vector)}, {node.index})"

    def _vectorof(self, node: ir.VectorOf) -> str:
        assert isinstance(node.type, ir.Vector)
        if len(node.items) == 1:
            return f"splat{node.type.lanes}({self(node.items[0])})"
        return f"vector({', '.join(map(self, node.items))})"

    # -- work-items and memory

    def _workitem(self, node: ir.WorkItem) -> str:
        return f"{WORK_ITEM[node.function]}{node.axis}"

    def _dim(self, node: ir.Dim) -> str:
        return self.extent(node.array, node.axis)

    def extent(self, name: str, axis: int) -> str:
        """Return the extent of an array along an axis."""
        shape = self.arrays[name].shape
        return str(shape[axis]) if shape is not None else f"n{axis}_{name}"

    def stride(self, name: str, axis: int) -> str:
        """Return the stride of an array along an axis, in elements."""
        type_ = self.arrays[name]
        if type_.shape is not None:
            return str(math.prod(type_.shape[axis + 1 :]))
        if not type_.contiguous:
            return f"s{axis}_{name}"
        inner = [self.extent(name, i) for i in range(axis + 1, type_.ndim)]
        return " * ".join(inner) or "1"

    def index(self, name: str, indices: list[ir.Expr]) -> str:
        """Return the flat index of an element."""
        texts = list(map(self, indices))
        if not texts:
            return "0"
        type_ = self.arrays[name]
        if type_.contiguous or type_.shape is not None:
            flat = texts[0]
            for axis, text in enumerate(texts[1:], 1):
                flat = f"({flat} * {self.extent(name, axis)} + {text})"
            return flat
        return " + ".join(f"{text} * {self.stride(name, axis)}" for axis, text in enumerate(texts))

    def checked_index(self, node: Any, lanes: int = 1) -> str:
        """Return the flat index, found by a word that reports an index out of range."""
        items = ["errors", str(self.sites.get(node)), str(self.rank), *(f"gid{axis}" for axis in range(self.rank))]
        name, texts = node.array, list(map(self, node.indices))
        for axis, text in enumerate(texts):
            items += [str(axis), text, self.extent(name, axis), self.stride(name, axis)]
        if lanes > 1:
            last = len(texts) - 1
            items += [str(last), f"{texts[last]} + {lanes - 1}", self.extent(name, last), "0"]
        return f"check({', '.join(items)})"

    def access(self, word: str, node: Any, lanes: int = 1) -> tuple[str, str]:
        """Return the word for an access and its flat index, checked in debug mode."""
        if self.debug and node.indices and self.sites.get(node) is not None:
            return f"{word}_checked", self.checked_index(node, lanes)
        return word, self.index(node.array, node.indices)

    def _load(self, node: ir.Load) -> str:
        lanes = node.type.lanes if isinstance(node.type, ir.Vector) else 1
        word, index = self.access("load" if lanes == 1 else f"load{lanes}", node, lanes)
        return f"{word}({array(node.array)}, {index})"

    def _atomic(self, node: ir.Atomic) -> str:
        word, index = self.access(f"atomic_{node.op}", node)
        return f"{word}({', '.join([array(node.array), index, *map(self, node.values)])})"


def _dtype(node: ir.Expr) -> np.dtype[Any]:
    return node.type.dtype


def _speculative(node: ir.Expr) -> bool:
    """Whether an expression is cheap and harmless where its value is not wanted."""
    for item in ir.walk(node):
        if isinstance(item, (ir.Load, ir.Atomic, ir.CallFunction)):
            return False
        if isinstance(item, ir.Call) and item.function not in CHEAP:
            return False
        if isinstance(item, ir.Binary) and item.op in ("pow", "floordiv", "mod") and _dtype(item).kind != "b":
            return False
    return True
