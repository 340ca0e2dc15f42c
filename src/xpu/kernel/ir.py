"""The typed intermediate representation of kernels.

The front end makes it from Python functions, ``lazy`` makes it from chains of operations, and the printers turn it
into OpenCL C, CUDA C, Python for Numba, and Python for the interpreter. A tree of small dataclasses: statements hold
expressions, every expression has its final type, every node the place in the user's file that it came from.

Rules that printers rely on
---------------------------
* Both operands of a :class:`Binary` have the same type, which is also the result's (comparisons: bool; vectors: lanes
  of bool). The front end inserts every :class:`Cast`. There are no weak types left.
* Index expressions, shapes, and all work-item functions are int64. A printer may compute addresses in 32 bits for an
  array whose ``wide`` is False: its byte extent has been proven small.
* Array indices are complete (as many as dimensions) and non-negative.
* Evaluation order is Python's: left to right; atomics inside a larger expression have been moved to statements of
  their own, except under a short circuit or a ternary.
* Integer arithmetic wraps around at the width of its type; ``floordiv`` and ``mod`` are Python's for negatives and give 0
  for a zero divisor; shifts by the width or more give 0 (or -1 for negative signed values shifted right). Floating
  arithmetic is IEEE, never contracted; float16 operations are computed in float32 and rounded after each where the
  device has none.
* Local variables are function-wide, with one type each; names are unique in a function and are no printer's keywords
  (printers add a prefix of their own).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from typing import Any, Literal

import numpy as np

# ------------------------------------------------------------------------------------------------------- types

DType = np.dtype[Any]


@dataclass(frozen=True, slots=True)
class Scalar:
    """One number: any of xpu's dtypes."""

    dtype: DType


@dataclass(frozen=True, slots=True)
class Vector:
    """``lanes`` numbers (2, 4, 8 or 16) side by side."""

    dtype: DType
    lanes: int


Space = Literal["global", "local", "private"]


@dataclass(frozen=True, slots=True)
class ArrayType:
    """An array that kernels index.

    Global arrays come as arguments; their shape is known at launch. Local and private arrays are declared in the
    kernel with a constant ``shape`` and are always contiguous.
    """

    dtype: DType
    ndim: int
    contiguous: bool = True
    """C-contiguous: strides follow from the shape and are not passed."""
    space: Space = "global"
    shape: tuple[int, ...] | None = None
    wide: bool = False
    """Whether an element's address may need 64 bits."""


Type = Scalar | Vector | ArrayType

BOOL = Scalar(np.dtype(np.bool_))
INT32 = Scalar(np.dtype(np.int32))
INT64 = Scalar(np.dtype(np.int64))
FLOAT32 = Scalar(np.dtype(np.float32))
FLOAT64 = Scalar(np.dtype(np.float64))


@dataclass(frozen=True, slots=True)
class Loc:
    """A place in the user's source: 1-based line, 0-based columns."""

    file: str
    line: int
    col: int = 0
    end_col: int = 0


# -------------------------------------------------------------------------------------------------- expressions


@dataclass(slots=True)
class Expr:
    """Base of expressions; ``type`` is final."""

    type: Type
    loc: Loc | None = field(default=None, kw_only=True, compare=False)


@dataclass(slots=True)
class Const(Expr):
    """A literal: bool, int, float (also nan and inf) or complex, exact in its type."""

    value: bool | int | float | complex


@dataclass(slots=True)
class Var(Expr):
    """A local variable or a scalar parameter."""

    name: str


UNARY_OPS = ("neg", "pos", "invert", "not")
ARITHMETIC_OPS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "shl", "shr", "and", "or", "xor")
COMPARE_OPS = ("lt", "le", "gt", "ge", "eq", "ne")
LOGICAL_OPS = ("land", "lor")


@dataclass(slots=True)
class Unary(Expr):
    """``neg``, ``pos``, ``invert`` (bitwise; logical for bool) or ``not`` (of bool)."""

    op: str
    operand: Expr


@dataclass(slots=True)
class Binary(Expr):
    """Arithmetic, comparison, or ``land``/``lor``, which do not evaluate their right side in vain."""

    op: str
    left: Expr
    right: Expr


@dataclass(slots=True)
class Select(Expr):
    """``then if condition else other``; scalar conditions evaluate one branch, vector conditions choose lane-wise."""

    condition: Expr
    then: Expr
    other: Expr


@dataclass(slots=True)
class Cast(Expr):
    """A conversion of value: C's between numbers; to bool it is ``!= 0``; complex to real drops the imaginary part."""

    operand: Expr


@dataclass(slots=True)
class Reinterpret(Expr):
    """The same bits as another type of the same width."""

    operand: Expr


@dataclass(slots=True)
class Call(Expr):
    """A function of ``intrinsics.TABLE``; arguments already have the types the table asks for."""

    function: str
    args: list[Expr]


@dataclass(slots=True)
class CallFunction(Expr):
    """A call of a helper (:class:`Function`), found by its unique name in ``Kernel.functions``.

    Array arguments are :class:`ArrayRef`. A helper without a value has ``type`` int64 and is called from an
    :class:`ExprStmt`.
    """

    function: str
    args: list[Expr]


@dataclass(slots=True)
class ArrayRef(Expr):
    """A whole array, as an argument of a helper."""

    name: str


@dataclass(slots=True)
class Complex(Expr):
    """A complex number from two real ones."""

    real: Expr
    imag: Expr


@dataclass(slots=True)
class WorkItem(Expr):
    """``global_id``, ``local_id``, ``group_id``, ``global_size``, ``local_size`` or ``num_groups`` of an axis; int64."""

    function: str
    axis: int


@dataclass(slots=True)
class Dim(Expr):
    """``array.shape[axis]`` of a global array; int64."""

    array: str
    axis: int


@dataclass(slots=True)
class Load(Expr):
    """One element, or, where ``type`` is a Vector, that many consecutive ones of the last axis (unit stride)."""

    array: str
    indices: list[Expr]


@dataclass(slots=True)
class Lane(Expr):
    """One lane of a vector; ``index`` is constant."""

    vector: Expr
    index: int


@dataclass(slots=True)
class VectorOf(Expr):
    """A vector from ``lanes`` scalars, or from one that fills all lanes."""

    items: list[Expr]


ATOMIC_OPS = ("add", "sub", "min", "max", "and", "or", "xor", "xchg", "cas")


@dataclass(slots=True)
class Atomic(Expr):
    """An atomic on a global or local array; gives the old value. ``cas`` has two values: expected and new."""

    op: str
    array: str
    indices: list[Expr]
    values: list[Expr]


# --------------------------------------------------------------------------------------------------- statements


@dataclass(slots=True)
class Stmt:
    """Base of statements."""

    loc: Loc | None = field(default=None, kw_only=True, compare=False)


@dataclass(slots=True)
class Assign(Stmt):
    """``name = value``; the value has the variable's type."""

    name: str
    value: Expr


@dataclass(slots=True)
class Store(Stmt):
    """``array[indices] = value``; a Vector value is stored to consecutive elements of the last axis."""

    array: str
    indices: list[Expr]
    value: Expr


@dataclass(slots=True)
class ExprStmt(Stmt):
    """An expression for its effect: an atomic or a helper."""

    value: Expr


@dataclass(slots=True)
class If(Stmt):
    """``if condition: body else: orelse``."""

    condition: Expr
    body: list[Stmt]
    orelse: list[Stmt] = field(default_factory=list)


@dataclass(slots=True)
class For(Stmt):
    """``for name in range(start, stop, step)``: the bounds are evaluated once; ``step`` is a non-zero constant or any value.

    As in Python, the variable keeps its last value after the loop and assigning to it does not change the trip.
    ``type`` of start, stop, step and the variable is one integer Scalar.
    """

    name: str
    start: Expr
    stop: Expr
    step: Expr
    body: list[Stmt]


@dataclass(slots=True)
class While(Stmt):
    """``while condition: body``."""

    condition: Expr
    body: list[Stmt]


@dataclass(slots=True)
class Break(Stmt):
    """Leave the innermost loop."""


@dataclass(slots=True)
class Continue(Stmt):
    """Go on with the next trip of the innermost loop."""


@dataclass(slots=True)
class Return(Stmt):
    """In a kernel the value is None; in a helper every path returns a value of its type, or none does."""

    value: Expr | None = None


@dataclass(slots=True)
class Barrier(Stmt):
    """All items of a group arrive before any leaves; local and global memory are consistent then."""


@dataclass(slots=True)
class Assert(Stmt):
    """Checked in debug mode and by the interpreter; compiled away elsewhere."""

    condition: Expr
    message: str


@dataclass(slots=True)
class Print(Stmt):
    """``print(...)``: strings and scalars, separated by blanks, and a newline."""

    args: list[str | Expr]


@dataclass(slots=True)
class Breakpoint(Stmt):
    """``breakpoint()``: stops in a debugger on the interpreter device; the other printers leave it out."""


# ------------------------------------------------------------------------------------------- kernels and helpers


@dataclass(slots=True)
class Param:
    """An argument: a Scalar, or a global ArrayType (in helpers also a local or private one)."""

    name: str
    type: Type
    read: bool = True
    written: bool = False
    """For arrays: whether the kernel (with its helpers) stores to it."""
    loc: Loc | None = None


@dataclass(slots=True)
class ArrayDecl:
    """A local or private array; declarations are hoisted to the top of their function."""

    name: str
    type: ArrayType
    loc: Loc | None = None


@dataclass(slots=True)
class Function:
    """A helper, specialised on its argument types (spaces and layouts included)."""

    name: str
    params: list[Param]
    result: Type | None
    variables: dict[str, Type]
    """Local variables and their types; parameters are not among them, but scalar parameters may be assigned to."""
    arrays: list[ArrayDecl]
    body: list[Stmt]
    loc: Loc | None = None
    uses_barrier: bool = False


@dataclass(slots=True)
class Kernel:
    """A kernel, specialised and typed: what printers take.

    Signature of the printed kernel, in this order (``abi.parameters`` computes it): the global sizes ``gsize0..`` as
    int64, one an axis; then each parameter: a scalar as itself; an array as its buffer, its offset (int64, in elements),
    its shape (int64 each), and, unless contiguous, its strides (int64 each, in elements); last, in debug mode, the error
    buffer (see ``debug.py``).
    """

    name: str
    params: list[Param]
    variables: dict[str, Type]
    arrays: list[ArrayDecl]
    body: list[Stmt]
    functions: list[Function] = field(default_factory=list)
    """Helpers, callees before callers."""
    rank: int = 1
    loc: Loc | None = None
    uses_barrier: bool = False


# ------------------------------------------------------------------------------------------------------ walking


_field_names: dict[type, tuple[str, ...]] = {}


def children(node: Any) -> Iterator[Any]:
    """Yield the expressions and statements directly below a node."""
    names = _field_names.get(type(node))
    if names is None:
        names = _field_names[type(node)] = tuple(item.name for item in fields(node) if item.name not in ("type", "loc"))
    for name in names:
        value = getattr(node, name)
        if isinstance(value, (Expr, Stmt)):
            yield value
        elif isinstance(value, list):
            for element in value:
                if isinstance(element, (Expr, Stmt)):
                    yield element


def walk(node: Any) -> Iterator[Any]:
    """Yield a node (or every node of a list) and everything below it, parents first."""
    stack = list(reversed(node)) if isinstance(node, list) else [node]
    while stack:
        item = stack.pop()
        yield item
        stack.extend(reversed(list(children(item))))


def all_bodies(kernel: Kernel) -> Iterator[Any]:
    """Yield every node of a kernel and its helpers."""
    for function in kernel.functions:
        yield from walk(function.body)
    yield from walk(kernel.body)


def dtypes_used(kernel: Kernel) -> set[DType]:
    """Return every dtype that a kernel names in an argument, a variable or an expression."""
    found = {p.type.dtype for p in kernel.params} | {t.dtype for t in kernel.variables.values()}
    found |= {d.type.dtype for d in kernel.arrays}
    for function in kernel.functions:
        found |= {p.type.dtype for p in function.params} | {t.dtype for t in function.variables.values()}
        found |= {d.type.dtype for d in function.arrays}
    found |= {node.type.dtype for node in all_bodies(kernel) if isinstance(node, Expr)}
    return found


def local_bytes(kernel: Kernel) -> int:
    """Return the bytes of local memory that one group of the kernel needs."""
    declared = [d for d in kernel.arrays if d.type.space == "local"]
    for function in kernel.functions:
        declared += [d for d in function.arrays if d.type.space == "local"]
    return sum(int(np.prod(d.type.shape or (0,))) * d.type.dtype.itemsize for d in declared)
