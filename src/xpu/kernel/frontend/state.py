"""What the lowering of one function knows: scopes, the slots of local names, and the block being filled."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import KernelCompileError, KernelTypeError
from .. import ir
from ..ir import DType, Loc
from .diagnostics import Note, UnresolvedError, compile_error, type_error
from .promotion import Number, fits, join
from .source import MISSING, FunctionSource, assigned_names, augmented_names, read_names
from .values import Array, Num, Static, Tuple, Value, describe, number_type, to_python, wrap

if TYPE_CHECKING:
    from .context import Compilation


@dataclass(eq=False)
class Slot:
    """A local name: what it holds, and where it got it."""

    root: str
    """The name in the user's function; parts of a tuple share it."""
    label: str
    place: Loc | None = None
    kind: str = ""
    """``""`` while nothing is known; ``number``, ``array``, ``tuple`` or ``static``."""
    number: Number | None = None
    irname: str = ""
    items: list[Slot] = field(default_factory=list)
    array: Array | None = None
    const: Value | None = None
    """Set while the name holds something known at compile time, assigned in one place only."""
    site: int = 0

    def forget(self) -> None:
        """Return to the state before anything was known."""
        self.kind, self.number, self.place = "", None, None
        self.items, self.array = [], None
        self.forget_const()

    def forget_const(self) -> None:
        """Forget what one pass found constant."""
        self.const, self.site = None, 0
        for item in self.items:
            item.forget_const()


class Scope:
    """The names of one function, or of one inlined call of a helper."""

    def __init__(self, source: FunctionSource, prefix: str = "") -> None:
        self.source = source
        self.prefix = prefix
        self.local_names = set(assigned_names(source.tree)) | set(source.parameters())
        self.read_names = read_names(source.tree)
        self.slots: dict[Any, Slot] = {}
        self.variable_names = augmented_names(source.tree)
        """Names that were tried as constants and proved to be variables."""
        self.early_reads: set[str] = set()

    def slot(self, name: str, site: int = 0) -> Slot:
        """Return the slot of a local name; ``site`` tells several uses of one name apart."""
        key = (name, site) if site else name
        slot = self.slots.get(key)
        if slot is None:
            slot = self.slots[key] = Slot(name, name.strip("<>"))
        return slot

    def unread(self, name: str) -> bool:
        """Whether this is the name ``_`` of a value that nobody wants."""
        return name == "_" and name not in self.read_names


class State:
    """Base of the lowering: variables, temporaries, statements, errors."""

    def __init__(self, compilation: Compilation, source: FunctionSource) -> None:
        self.compilation = compilation
        self.default: DType = compilation.default
        self.scopes: dict[tuple[Any, ...], Scope] = {(): Scope(source)}
        self.scope_key: tuple[Any, ...] = ()
        self.scope = self.scopes[()]
        self.taken: set[str] = set()
        self.array_names: dict[str, str] = {}
        self.start_pass()

    def start_pass(self) -> None:
        """Prepare for one walk over the function."""
        self.block: list[ir.Stmt] = []
        self.variables: dict[str, ir.Type] = {}
        self.arrays: dict[str, ir.ArrayDecl] = {}
        self.errors: list[KernelCompileError | KernelTypeError] = []
        self.changed = False
        self.restart = False
        self.temporaries = 0
        self.occurrences: dict[Any, int] = {}
        self.dynamic_depth = 0
        self.static_depths: list[int] = []
        self.static_counters: list[Slot] = []
        self.loops: list[str] = []
        for scope in self.scopes.values():
            scope.early_reads = set()
            for slot in scope.slots.values():
                slot.forget_const()

    def forget_types(self) -> None:
        """Begin anew: something taken for a constant was none."""
        for scope in self.scopes.values():
            for slot in scope.slots.values():
                slot.forget()

    # ------------------------------------------------------------------------------------------- errors and places

    @property
    def source(self) -> FunctionSource:
        """The function whose statements are being lowered."""
        return self.scope.source

    def loc(self, node: ast.AST) -> Loc:
        """Return the place of a syntax node."""
        return self.source.place(node)

    def refuse(
        self,
        problem: str,
        node: ast.AST | Loc | None,
        advice: str = "",
        kind: type[KernelCompileError] = KernelCompileError,
    ) -> KernelCompileError:
        """Return the error for something that the language does not have."""
        loc = self.loc(node) if isinstance(node, ast.AST) else node
        return compile_error(problem, loc, advice, self.source.where, kind=kind)

    def mismatch(self, problem: str, node: ast.AST | Loc | None, advice: str = "", *notes: Note) -> KernelTypeError:
        """Return the error for types that do not fit."""
        loc = self.loc(node) if isinstance(node, ast.AST) else node
        return type_error(problem, loc, advice, self.source.where, notes)

    # ------------------------------------------------------------------------------------- statements and temporaries

    def emit(self, statement: ir.Stmt) -> None:
        """Put a statement at the end of the block."""
        self.block.append(statement)

    @contextmanager
    def sub_block(self, dynamic: bool = True) -> Iterator[list[ir.Stmt]]:
        """Collect what is emitted inside in a list of its own."""
        outer, self.block = self.block, []
        self.dynamic_depth += dynamic
        try:
            yield self.block
        finally:
            self.block = outer
            self.dynamic_depth -= dynamic

    def unique(self, name: str) -> str:
        """Return a name that nothing else in this function has, made of plain letters."""
        plain = "".join(c if c.isascii() else f"u{ord(c):x}" for c in name if c not in "<>")
        candidate, count = plain, 0
        while candidate in self.taken:
            count += 1
            candidate = f"{plain}_{count}"
        self.taken.add(candidate)
        return candidate

    def temporary(self, kind: ir.Type) -> str:
        """Declare a variable for a value that is needed later."""
        while True:
            name = f"tmp{self.temporaries}"
            self.temporaries += 1
            if name not in self.taken:
                break
        self.variables[name] = kind
        return name

    def spill(self, value: Num) -> Num:
        """Keep a number in a temporary, unless it is as cheap to name again."""
        if isinstance(value.expr, (ir.Const, ir.Var, ir.WorkItem, ir.Dim)):
            return value
        name = self.temporary(value.expr.type)
        self.emit(ir.Assign(name, value.expr, loc=value.expr.loc))
        return Num(ir.Var(value.expr.type, name, loc=value.expr.loc), value.weak)

    def settle(self, value: Value) -> Value:
        """Keep what statements to come could change: elements of arrays, results of helpers."""
        if isinstance(value, Num):
            return self.spill(value) if reads_memory(value.expr) else value
        if isinstance(value, Tuple):
            return Tuple([self.settle(item) for item in value.items])
        if isinstance(value, Array):
            fixed = [self.spill(Num(e)).expr if reads_memory(e) else e for e in value.indices]
            return Array(value.name, value.type, value.label, fixed)
        return value

    # ------------------------------------------------------------------------------------------------ conversions

    def convert(self, value: Num, target: Number, node: ast.AST | Loc | None) -> ir.Expr:
        """Return a number's expression in another type."""
        kind = number_type(target)
        expr = value.expr
        loc = self.loc(node) if isinstance(node, ast.AST) else node
        if isinstance(expr, ir.Const) and not isinstance(expr.type, ir.Vector):
            if value.weak and not fits(expr.value, target.dtype):
                raise self.mismatch(
                    f"{expr.value} does not fit into {target.dtype.name}",
                    loc,
                    f"use a wider type for the other operand, or convert it: xp.{target.dtype.name}({expr.value})",
                )
            folded = ir.Const(ir.Scalar(target.dtype), to_python(expr.value, target.dtype), loc=expr.loc or loc)
            return ir.VectorOf(kind, [folded], loc=loc) if target.lanes else folded
        if expr.type == kind:
            return expr
        if isinstance(expr, ir.VectorOf) and value.weak and value.number.lanes == target.lanes:
            single = Number(target.dtype)
            return ir.VectorOf(kind, [self.convert(Num(e, True), single, loc) for e in expr.items], loc=loc)
        if target.lanes and not isinstance(expr.type, ir.Vector):
            scalar = self.convert(value, Number(target.dtype), loc)
            return ir.VectorOf(kind, [scalar], loc=loc)
        if isinstance(expr.type, ir.Vector) and not target.lanes:
            raise self.mismatch(
                f"a vector of {expr.type.lanes} lanes is used where one number is wanted", loc, "take one lane: v[0]"
            )
        if isinstance(expr.type, ir.Vector) and expr.type.lanes != target.lanes:
            raise self.mismatch(f"a vector of {expr.type.lanes} lanes meets one of {target.lanes}", loc)
        if expr.type.dtype.kind == "c" and target.dtype.kind not in "cb":
            raise self.mismatch(
                f"a complex number does not become {target.dtype.name} by itself",
                loc,
                "take a part of it: z.real, z.imag or abs(z)",
            )
        return ir.Cast(kind, expr, loc=expr.loc or loc)

    # ------------------------------------------------------------------------------------------------ local names

    def constable(self, slot: Slot) -> bool:
        """Whether a constant assigned here holds for everything that follows."""
        if slot.root in self.scope.variable_names:
            return False
        return not self.static_depths or self.static_depths[0] == self.dynamic_depth

    def not_constant(self, slot: Slot) -> None:
        """Note that a name is a variable, and begin anew."""
        self.scope.variable_names.add(slot.root)
        self.restart = True

    def bind(self, slot: Slot, value: Value, loc: Loc, site: int) -> None:
        """Give a local name a value: note its type, emit what the assignment needs."""
        if slot in self.static_counters:
            raise self.refuse(
                f"{slot.root!r} counts a static_range loop and cannot be assigned in it", loc, "use another name"
            )
        if slot.const is not None and slot.site != site:
            self.not_constant(slot)
            return
        fixed = is_fixed(value)
        if fixed and not slot.kind and self.constable(slot):
            if slot.root in self.scope.early_reads:
                self.not_constant(slot)
                return
            slot.const, slot.site, slot.place = value, site, loc
            return
        if slot.const is not None:  # the same place gave a constant before, in another round of an unrolled loop
            self.not_constant(slot)
            return
        kind = {Num: "number", Array: "array", Tuple: "tuple", Static: "static"}[type(value)]
        if not slot.kind:
            slot.kind, slot.place = kind, loc
            self.changed = True
        elif slot.kind != kind:
            raise self._conflict(slot, value, loc)
        if isinstance(value, Num):
            self._bind_number(slot, value, loc)
        elif isinstance(value, Array):
            self._bind_array(slot, value, loc)
        elif isinstance(value, Tuple):
            self._bind_tuple(slot, value, loc, site)
        else:
            if slot.array is None:
                slot.array = value  # type: ignore[assignment]
            elif slot.array.obj is not value.obj and slot.array.obj != value.obj:  # type: ignore[attr-defined]
                raise self._conflict(slot, value, loc)

    def _conflict(self, slot: Slot, value: Value, loc: Loc) -> KernelTypeError:
        before = str(slot.number) if slot.number is not None else describe(self.read(slot, None))
        advice = "use another name for the second value"
        if isinstance(value, Num) and slot.number is not None:
            wanted = slot.number.dtype.name
            advice = f"a name has one type in a kernel: write xp.{wanted}(...) here, or use another name"
        return self.mismatch(
            f"{slot.root!r} becomes {describe(value)} here, but was {before} before",
            loc,
            advice,
            Note(f"it was {before} here", slot.place),
        )

    def _bind_number(self, slot: Slot, value: Num, loc: Loc) -> None:
        number = value.number
        if slot.number is None:
            slot.number = number
            self.changed = True
        else:
            joined = join(slot.number, number)
            if joined is None:
                raise self._conflict(slot, value, loc)
            if joined != slot.number:
                slot.number, slot.place = joined, loc
                self.changed = True
        name = self._name(slot)
        self.variables[name] = number_type(slot.number)
        self.emit(ir.Assign(name, self.convert(value, slot.number, loc), loc=loc))

    def _name(self, slot: Slot) -> str:
        if not slot.irname:
            slot.irname = self.unique(self.scope.prefix + slot.label)
        return slot.irname

    def _bind_array(self, slot: Slot, value: Array, loc: Loc) -> None:
        if slot.array is None:
            slot.array = value
        elif slot.array.name != value.name or len(slot.array.indices) != len(value.indices):
            raise self.mismatch(
                f"{slot.root!r} names one array in one place and another array here",
                loc,
                "a name stands for one array in a kernel: use an index, or a helper that is called with either array",
                Note("the other array", slot.place),
            )
        name = self._name(slot)
        indices: list[ir.Expr] = []
        for axis, index in enumerate(value.indices):
            variable = f"{name}_i{axis}"
            self.taken.add(variable)
            self.variables[variable] = ir.INT64
            self.emit(ir.Assign(variable, index, loc=loc))
            indices.append(ir.Var(ir.INT64, variable, loc=loc))
        slot.array = Array(value.name, value.type, value.label, indices)

    def _bind_tuple(self, slot: Slot, value: Tuple, loc: Loc, site: int) -> None:
        if not slot.items:
            slot.items = [Slot(slot.root, f"{slot.label}_{k}") for k in range(len(value.items))]
        if len(slot.items) != len(value.items):
            raise self.mismatch(
                f"{slot.root!r} is a tuple of {len(value.items)} here, but was one of {len(slot.items)} before",
                loc,
                "use another name for the second tuple",
                Note("it was assigned here", slot.place),
            )
        self.bind_all(slot.items, value.items, loc, [site] * len(slot.items))

    def bind_all(self, slots: list[Slot], values: list[Value], loc: Loc, sites: list[int]) -> None:
        """Give several names their values at the same time."""
        overwritten: set[str] = set()
        safe: list[Value] = []
        for slot, value in zip(slots, values, strict=True):
            safe.append(self._apart(value, overwritten, loc))
            overwritten |= _names_of(slot)
        for slot, value, site in zip(slots, safe, sites, strict=True):
            self.bind(slot, value, loc, site)

    def _apart(self, value: Value, overwritten: set[str], loc: Loc) -> Value:
        """Keep a value that reads a name about to be overwritten."""
        if isinstance(value, Tuple):
            return Tuple([self._apart(item, overwritten, loc) for item in value.items])
        if isinstance(value, Num) and any(isinstance(n, ir.Var) and n.name in overwritten for n in ir.walk(value.expr)):
            name = self.temporary(value.expr.type)
            self.emit(ir.Assign(name, value.expr, loc=loc))
            return Num(ir.Var(value.expr.type, name, loc=loc), value.weak)
        return value

    def read(self, slot: Slot, node: ast.AST | None) -> Value:
        """Return what a local name holds."""
        if slot.const is not None:
            return slot.const
        loc = self.loc(node) if node is not None else slot.place
        if slot.kind == "number" and slot.number is not None:
            return Num(ir.Var(number_type(slot.number), self._name(slot), loc=loc), slot.number.weak)
        if slot.kind == "array" and slot.array is not None:
            return slot.array
        if slot.kind == "static" and slot.array is not None:
            return slot.array
        if slot.kind == "tuple" and slot.items:
            return Tuple([self.read(item, node) for item in slot.items])
        self.scope.early_reads.add(slot.root)
        raise self.unassigned(slot.root, node)

    def unassigned(self, name: str, node: ast.AST | Loc | None) -> KernelCompileError:
        """Return the error for a name that has no value where it is read."""
        advice = f"assign it on every way to this line, for example at the top: {name} = 0"
        return self.refuse(f"{name!r} is read before it has a value", node, advice, UnresolvedError)

    def name(self, node: ast.Name) -> Value:
        """Return what a name means: a local, a constant from outside, a builtin."""
        if node.id in self.scope.local_names:
            return self.read(self.scope.slot(node.id), node)
        obj = self.source.outside(node.id)
        if obj is MISSING:
            raise self.refuse(
                f"{node.id!r} is not defined", node, "it is no local name, no global of the file, and no builtin"
            )
        if isinstance(obj, np.ndarray) or hasattr(obj, "__xpu_view__"):
            raise self.refuse(
                f"{node.id!r} is an array from outside of the kernel",
                node,
                "pass arrays as arguments; only numbers, tuples of numbers, dtypes and enums may come from outside",
            )
        return wrap(obj, self.default, self.loc(node))


def is_fixed(value: Value) -> bool:
    """Whether a value is known while compiling."""
    if isinstance(value, Num):
        return value.is_const
    if isinstance(value, Array):
        return all(isinstance(index, ir.Const) for index in value.indices)
    if isinstance(value, Tuple):
        return all(is_fixed(item) for item in value.items)
    return True


def _names_of(slot: Slot) -> set[str]:
    """Return the IR variables behind a local name."""
    names = {slot.irname} if slot.irname else set()
    return names.union(*(_names_of(item) for item in slot.items)) if slot.items else names


def reads_memory(expr: ir.Expr) -> bool:
    """Whether an expression's value could change with a store or an atomic."""
    return any(isinstance(node, (ir.Load, ir.CallFunction, ir.Atomic)) for node in ir.walk(expr))
