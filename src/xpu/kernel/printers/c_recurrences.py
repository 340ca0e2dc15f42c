"""Chained recurrences: loops in which one variable takes over another's value of the round before.

``a, b = b, a + b`` in a loop whose length differs between work-items sends the vectoriser of Intel's CPU runtime into an
endless recursion, which ends the process while it builds. The loop needs a variable that after a round *is* another one's
value from before it, where that other one is computed from the first. So such values pass through an operation that
no compiler can see through and that changes nothing: an exclusive or with ``xpu_zero``, a number that is always 0 but
follows from an argument.

Compilers find copies that the source hides, ``(a + b) - a`` for instance. The analysis therefore asks what a value may
be, and answers generously: one operation too many costs next to nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .. import ir
from .c_text import group, ungroup

ZERO = "xpu_zero"


@dataclass(frozen=True)
class Origin:
    """What a value comes from: names of variables and private arrays as they were before the round."""

    same: frozenset[str] = frozenset()
    """It may be the value of one of these."""
    near: frozenset[str] = frozenset()
    """It may differ from one of these by constants only."""
    uses: frozenset[str] = frozenset()
    """It is computed from these."""

    def __or__(self, other: Origin) -> Origin:
        return Origin(self.same | other.same, self.near | other.near, self.uses | other.uses)


_NOTHING = Origin()
_State = dict[str, Origin]
_Uses = dict[str, frozenset[str]]


def chained(function: ir.Function | ir.Kernel) -> set[int]:
    """Return the ids of the assignments and stores that may close a chain, in all loops of a function."""
    private = [declared.name for declared in function.arrays if declared.type.space == "private"]
    found: set[int] = set()
    inner: set[int] = set()
    for node in ir.walk(function.body):
        if isinstance(node, (ir.For, ir.While)) and id(node) not in inner:
            nest = [loop for loop in ir.walk(node) if isinstance(loop, (ir.For, ir.While))]
            inner |= {id(loop) for loop in nest}
            uses: _Uses = {}
            _collect([node], uses, frozenset())
            for loop in nest:
                found |= _Round(loop, function.body, private).found(uses)
    return found


def hidden_copy(text: str, type_: ir.Type, ctype: str) -> str:
    """Return the same value, which the compiler takes for a new one (OpenCL C)."""
    dtype = type_.dtype
    lanes = type_.lanes if isinstance(type_, ir.Vector) else 1
    if dtype.kind in "fc":
        wide = dtype.name in ("float64", "complex128")
        width = lanes * (2 if dtype.kind == "c" else 1)
        bits = f"{'long' if wide else 'int'}{width if width > 1 else ''}"
        zero = f"(long){ZERO}" if wide else ZERO
        return f"as_{ctype}(as_{bits}({ungroup(text)}) ^ {zero})"
    if lanes > 1:
        return f"{group(text)} ^ ({ctype.rstrip('0123456789')}){ZERO}"
    return f"({ctype})({group(text)} ^ {ZERO})"


class _Round:
    """One round of a loop, followed in order.

    Nodes of the graph are the variables that the loop assigns to and the elements of private arrays, ``name[0]``, or
    ``name[*]`` where the index is not constant (compilers keep small ones in registers).
    """

    def __init__(self, loop: ir.For | ir.While, function: list[ir.Stmt], private: Iterable[str]) -> None:
        inside = list(ir.walk(loop.body))
        assigned = {node.name for node in inside if isinstance(node, (ir.Assign, ir.For))}
        stored = {node.array for node in inside if isinstance(node, ir.Store)} & set(private)
        self._private = stored
        self._kept = _read_early(loop, assigned) | (assigned & _read_outside(loop, function))
        self._copies: dict[int, tuple[str, frozenset[str]]] = {}
        """For each assignment its target, and which values it may take over."""
        self._elements: dict[str, dict[str, Origin]] = {}
        """What lies in memory, by array and element."""
        if len(self._kept) < 2 and not stored:
            return  # a chain has two links
        before = -1
        while before != self._size():  # what the end of the body stores, its start may load
            before = self._size()
            self._block(loop.body, {name: _itself(name) for name in assigned})

    def found(self, uses: _Uses) -> set[int]:
        """Return the assignments that copy a value which is computed from their own target, somewhere in the nest."""
        return {
            key
            for key, (name, same) in self._copies.items()
            if any(name in _reached(uses, other) for other in same if other != name or name.endswith("[*]"))
        }

    def _size(self) -> int:
        memory = [origin for elements in self._elements.values() for origin in elements.values()]
        return sum(len(origin.same) + len(origin.near) + len(origin.uses) for origin in memory)

    # -- statements

    def _block(self, statements: list[ir.Stmt], state: _State) -> None:
        for node in statements:
            if isinstance(node, ir.Assign):
                origin = self._of(node.value, state)
                state[node.name] = origin
                if node.name in self._kept:
                    self._note(node, node.name, origin)
            elif isinstance(node, ir.Store):
                self._stored(node, self._of(node.value, state))
            elif isinstance(node, ir.If):
                other = dict(state)
                self._block(node.body, state)
                self._block(node.orelse, other)
                _merge(state, other)
            elif isinstance(node, (ir.For, ir.While)):
                self._inner(node, state)

    def _note(self, node: ir.Stmt, name: str, origin: Origin) -> None:
        same = self._copies.get(id(node), (name, frozenset()))[1] | origin.same
        self._copies[id(node)] = (name, same)

    def _stored(self, node: ir.Store, origin: Origin) -> None:
        elements = self._elements.setdefault(node.array, {})
        name = _element(node)
        elements[name] = elements.get(name, _NOTHING) | origin
        if node.array in self._private:
            self._note(node, name, origin)

    def _inner(self, node: ir.For | ir.While, state: _State) -> None:
        if isinstance(node, ir.For):
            state[node.name] = state.get(node.name, _NOTHING) | self._of(node.start, state)
        while True:
            before = dict(state)
            after = dict(state)
            self._block(node.body, after)
            _merge(state, after)
            if state == before:
                return

    # -- expressions

    def _of(self, node: ir.Expr, state: _State) -> Origin:
        match node:
            case ir.Var(name=name):
                return state.get(name, _NOTHING)
            case ir.Load():
                return self._loaded(node)
            case ir.Select(condition=condition, then=then, other=other):
                chosen_by = Origin(uses=self._of(condition, state).uses)
                return self._of(then, state) | self._of(other, state) | chosen_by
            case ir.Cast(operand=operand) | ir.Reinterpret(operand=operand) | ir.Lane(vector=operand):
                return self._of(operand, state)
            case ir.Binary(left=left, right=right):
                return _binary(node, self._of(left, state), self._of(right, state))
        parts = [self._of(part, state) for part in ir.children(node) if isinstance(part, ir.Expr)]
        uses = _union(origin.uses for origin in parts)
        if isinstance(node, (ir.CallFunction, ir.Unary, ir.VectorOf, ir.Complex)):
            return Origin(uses, uses, uses)  # a helper may return an argument; two negations are none
        overlap = sum(len(origin.uses) for origin in parts) > len(uses)
        return Origin(uses if overlap else frozenset(), frozenset(), uses)

    def _loaded(self, node: ir.Load) -> Origin:
        elements = self._elements.get(node.array, {})
        name = _element(node)
        constant = not name.endswith("[*]")
        origin = _itself(name) if node.array in self._private else _NOTHING
        for other, stored in elements.items():
            if not constant or other in (name, f"{node.array}[*]"):
                origin = origin | stored
                if node.array in self._private:
                    origin = origin | _itself(other)
        return origin


def _itself(name: str) -> Origin:
    alone = frozenset([name])
    return Origin(alone, alone, alone)


def _element(node: ir.Load | ir.Store | ir.Atomic) -> str:
    """Return the name of an array's element."""
    if all(isinstance(index, ir.Const) for index in node.indices):
        return f"{node.array}[{', '.join(str(index.value) for index in node.indices if isinstance(index, ir.Const))}]"
    return f"{node.array}[*]"


def _binary(node: ir.Binary, left: Origin, right: Origin) -> Origin:
    """Return the origin of an operation: compilers drop ``+ 0`` and find ``b + 1 - 1`` and ``a + b - a``."""
    uses = left.uses | right.uses
    if node.op in ir.COMPARE_OPS:
        return Origin(uses=uses)
    number = next((part.value for part in (node.left, node.right) if isinstance(part, ir.Const)), None)
    if number is None:
        cancels = left.uses & right.uses and node.type.dtype.kind in "iub" and node.op != "mul"
        return Origin(uses if cancels else frozenset(), frozenset(), uses)
    both = left | right
    if node.op in ("add", "sub", "xor") and number != 0:
        return Origin(both.near - both.same, both.near, uses)
    return Origin(both.near if number in (0, 1, -1) else frozenset(), both.near, uses)


def _union(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*sets)


def _merge(state: _State, other: _State) -> None:
    for name, origin in other.items():
        state[name] = state.get(name, _NOTHING) | origin


# ------------------------------------------------------------------------------------- what is computed from what


def _collect(statements: list[ir.Stmt], uses: _Uses, control: frozenset[str]) -> None:
    """Add what each variable and element is computed from, conditions included, whatever the order."""
    for node in statements:
        if isinstance(node, ir.Assign):
            _add(uses, node.name, _read(node.value) | control)
        elif isinstance(node, ir.Store):
            _add(uses, _element(node), _read(node.value) | control)
            _add(uses, f"{node.array}[*]", frozenset([_element(node)]))
        elif isinstance(node, ir.If):
            inner = control | _read(node.condition)
            _collect(node.body, uses, inner)
            _collect(node.orelse, uses, inner)
        elif isinstance(node, ir.For):
            inner = control | _read(node.start) | _read(node.stop) | _read(node.step)
            _add(uses, node.name, inner)
            _collect(node.body, uses, inner)
        elif isinstance(node, ir.While):
            _collect(node.body, uses, control | _read(node.condition))


def _add(uses: _Uses, name: str, more: frozenset[str]) -> None:
    uses[name] = uses.get(name, frozenset()) | more


def _read(value: ir.Expr) -> frozenset[str]:
    found: set[str] = set()
    for node in ir.walk(value):
        if isinstance(node, ir.Var):
            found.add(node.name)
        elif isinstance(node, (ir.Load, ir.Atomic)):
            found.add(_element(node))
        elif isinstance(node, ir.ArrayRef):
            found.add(f"{node.name}[*]")
    return frozenset(found)


def _reached(uses: _Uses, name: str) -> set[str]:
    """Return all that a value is computed from, at any distance."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        for other in uses.get(waiting.pop(), ()):
            if other not in found:
                found.add(other)
                waiting.append(other)
    return found


# ------------------------------------------------------------------------- which variables live from round to round


def _read_outside(loop: ir.For | ir.While, function: list[ir.Stmt]) -> set[str]:
    """Return the variables that are read anywhere but in the loop."""
    inside = {id(node) for node in ir.walk(loop)}
    return {node.name for node in ir.walk(function) if isinstance(node, ir.Var) and id(node) not in inside}


def _read_early(loop: ir.For | ir.While, assigned: set[str]) -> set[str]:
    """Return the variables that a round may read before it assigns to them."""
    early: set[str] = set()
    done: set[str] = set()
    if isinstance(loop, ir.While):
        early |= {node.name for node in ir.walk(loop.condition) if isinstance(node, ir.Var)}
    else:
        done.add(loop.name)
    _scan(loop.body, done, early)
    return early & assigned


def _scan(statements: list[ir.Stmt], done: set[str], early: set[str]) -> None:
    for node in statements:
        heads: list[ir.Expr | ir.Stmt] = [node]
        if isinstance(node, ir.For):
            heads = [node.start, node.stop, node.step]
        elif isinstance(node, (ir.If, ir.While)):
            heads = [node.condition]
        read = {part.name for head in heads for part in ir.walk(head) if isinstance(part, ir.Var)}
        early |= read - done
        if isinstance(node, ir.Assign):
            done.add(node.name)
        elif isinstance(node, ir.If):
            first, second = set(done), set(done)
            _scan(node.body, first, early)
            _scan(node.orelse, second, early)
            done |= first & second
        elif isinstance(node, (ir.For, ir.While)):
            inner = set(done)
            if isinstance(node, ir.For):
                inner.add(node.name)
            _scan(node.body, inner, early)
