"""Random programs of arrays: expressions, views, in-place writes, reads in between. A program is data, and can be printed.

A program is a list of statements over numbered arrays; :func:`execute` runs it with any namespace that looks like NumPy.
Statements are drawn so that NumPy accepts them; shapes and strides vary freely, the set of operations is small, since every
new expression is a kernel to compile.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

Key = tuple[Any, ...]


@dataclass(frozen=True)
class Statement:
    """One step: ``new`` array from an expression, ``view``, ``move`` (permute axes), ``write``, ``update``, or ``read``."""

    kind: str
    target: int
    """The array written, viewed or read; for ``new`` the number of the new one."""
    key: Key = ()
    op: str = ""
    value: Any = None
    """An expression: a number, or a tuple of a function's name and its operands; ``("array", n)`` is an array."""

    def __str__(self) -> str:
        place = f"v{self.target}[{', '.join(map(_key_text, self.key)) or '...'}]"
        return {
            "new": f"v{self.target} = {_text(self.value)}",
            "view": f"v{self.value} = {place}",
            "move": f"v{self.value} = v{self.target}.transpose({self.key})",
            "write": f"{place} = {_text(self.value)}",
            "update": f"{place} {self.op}= {_text(self.value)}",
            "read": f"read v{self.target}",
        }[self.kind]


def _key_text(item: Any) -> str:
    if not isinstance(item, slice):
        return str(item)
    return ":".join("" if part is None else str(part) for part in (item.start, item.stop, item.step))


def _text(value: Any) -> str:
    if not isinstance(value, tuple):
        return repr(value)
    return f"v{value[1]}" if value[0] == "array" else f"{value[0]}({', '.join(map(_text, value[1:]))})"


@dataclass(frozen=True)
class Program:
    """Starting arrays and statements."""

    dtype: np.dtype[Any]
    shapes: tuple[tuple[int, ...], ...]
    seed: int
    statements: tuple[Statement, ...]

    def __str__(self) -> str:
        head = [f"v{k} = array of shape {shape}, {self.dtype.name}" for k, shape in enumerate(self.shapes)]
        return "\n".join(head + [str(s) for s in self.statements])

    def inputs(self) -> list[np.ndarray]:
        """Return the starting arrays."""
        random = np.random.Generator(np.random.Philox(self.seed))
        out = []
        for shape in self.shapes:
            if self.dtype.kind in "iu":
                out.append(random.integers(0, 20, shape).astype(self.dtype))
            else:
                out.append((random.integers(-40, 40, shape) / 8).astype(self.dtype))
        return out


BINARY = {
    "real": ("add", "subtract", "multiply", "maximum", "minimum", "divide"),
    "int": ("add", "subtract", "multiply", "maximum"),
}
UNARY = {"real": ("negative", "abs", "floor"), "int": ("negative", "square")}
SMOOTH = ("tanh", "sin")
UPDATES = {"real": "+-*", "int": "+-*"}


class Generator:
    """Draws a program while running it on NumPy, so that shapes are known."""

    def __init__(self, dtype: np.dtype[Any], seed: int, smooth: bool = False) -> None:
        self.random = np.random.Generator(np.random.Philox(seed + 1000))
        self.dtype = dtype
        self.kind = "int" if dtype.kind in "iu" else "real"
        self.smooth = smooth
        self.seed = seed

    def pick(self, items: Any) -> Any:
        return items[int(self.random.integers(len(items)))]

    def program(self, length: int) -> Program:
        """Return a program of about ``length`` statements."""
        full = tuple(int(n) for n in self.random.integers(2, 7, self.pick((1, 2, 2, 3))))
        shapes = (full, full, tuple(self.pick((1, n)) for n in full))
        empty = Program(self.dtype, shapes, self.seed, ())
        self.arrays: list[np.ndarray] = empty.inputs()
        self.writeable = list(range(len(shapes)))
        statements: list[Statement] = []
        while len(statements) < length:
            statement = self.statement()
            if statement is not None:
                run_statement(statement, self.arrays, np, [])
                statements.append(statement)
        return Program(self.dtype, shapes, self.seed, tuple(statements))

    def statement(self) -> Statement | None:
        """Return one statement, or None where what was drawn makes none."""
        kind = self.pick(("new", "new", "view", "move", "write", "update", "update", "read"))
        target = self.pick(range(len(self.arrays)))
        if kind == "new":
            return Statement("new", len(self.arrays), value=self.expression(self.arrays[target].shape, 3))
        if kind == "view":
            return Statement("view", target, self.key(self.arrays[target].shape), value=len(self.arrays))
        if kind == "move":
            order = tuple(int(k) for k in self.random.permutation(self.arrays[target].ndim))
            return Statement("move", target, order, value=len(self.arrays)) if order else None
        if kind == "read":
            return Statement("read", target)
        key = self.key(self.arrays[target].shape) if self.random.random() < 0.6 else ()
        shape = np.shape(self.arrays[target][key])
        op = self.pick(UPDATES[self.kind]) if kind == "update" else ""
        return Statement(kind, target, key, op, self.expression(shape, self.pick((0, 1, 2))))

    def key(self, shape: tuple[int, ...]) -> Key:
        """Return a basic index that keeps at least one element."""
        items: list[Any] = []
        for extent in shape:
            start = int(self.random.integers(0, extent))
            stop = int(self.random.integers(start + 1, extent + 1))
            choice = self.random.random()
            if choice < 0.15:
                items.append(start)
            elif choice < 0.4:
                items.append(slice(None))
            elif choice < 0.75:
                items.append(slice(start, stop, self.pick((None, 2))))
            else:
                items.append(slice(None, None, -1))
        return tuple(items)

    def expression(self, shape: tuple[int, ...], depth: int) -> Any:
        """Return an expression whose result broadcasts to ``shape`` and is an array for depth > 0."""
        if depth == 0:
            return self.number() if self.random.random() < 0.3 else self.operand(shape)
        if self.random.random() < 0.25:
            names = UNARY[self.kind] + (SMOOTH if self.smooth else ())
            return (self.pick(names), self.expression_array(shape, depth - 1))
        if not self.smooth and self.random.random() < 0.15:
            condition = ("less", self.expression_array(shape, depth - 1), self.operand(shape))
            return ("where", condition, self.operand(shape), self.expression(shape, depth - 1))
        names = BINARY[self.kind]
        if self.smooth:
            names = tuple(name for name in names if name != "divide")
        return (self.pick(names), self.expression_array(shape, depth - 1), self.expression(shape, 0))

    def expression_array(self, shape: tuple[int, ...], depth: int) -> Any:
        return self.operand(shape) if depth == 0 else self.expression(shape, depth)

    def number(self) -> Any:
        value = int(self.random.integers(1, 5))
        return value if self.kind == "int" or self.random.random() < 0.5 else value / 2

    def operand(self, shape: tuple[int, ...]) -> Any:
        """Return an array that broadcasts to a shape; if there is none, a new one is not made: a number of it is taken."""
        fitting = [
            k
            for k, x in enumerate(self.arrays)
            if x.ndim <= len(shape) and all(a in (1, b) for a, b in zip(x.shape[::-1], shape[::-1], strict=False))
        ]
        if fitting:
            return ("array", self.pick(fitting))
        return ("item", ("array", self.pick(range(len(self.arrays)))))


def evaluate(value: Any, arrays: list[Any], namespace: Any) -> Any:
    """Return an expression's value."""
    if not isinstance(value, tuple):
        return value
    if value[0] == "array":
        return arrays[value[1]]
    if value[0] == "item":
        x = evaluate(value[1], arrays, namespace)
        return x[(0,) * x.ndim]
    return getattr(namespace, value[0])(*[evaluate(item, arrays, namespace) for item in value[1:]])


def run_statement(statement: Statement, arrays: list[Any], namespace: Any, seen: list[Any]) -> None:
    """Run one statement; what it reads is appended to ``seen``."""
    with np.errstate(all="ignore"):
        if statement.kind == "new":
            arrays.append(evaluate(statement.value, arrays, namespace))
        elif statement.kind == "view":
            view = arrays[statement.target][statement.key]
            arrays.append(view if view.ndim else view.reshape(1))
        elif statement.kind == "move":
            arrays.append(arrays[statement.target].transpose(statement.key))
        elif statement.kind == "read":
            seen.append(namespace.asarray(arrays[statement.target]).tolist())
        else:
            value = evaluate(statement.value, arrays, namespace)
            key = statement.key or (Ellipsis,)
            if statement.kind == "write":
                arrays[statement.target][key] = value
            else:
                view = arrays[statement.target][key]
                if statement.op == "+":
                    view += value
                elif statement.op == "-":
                    view -= value
                else:
                    view *= value
                if not getattr(view, "shape", ()):
                    # NumPy gives a number for a complete index: it has to be stored.
                    arrays[statement.target][key] = view


def execute(program: Program, namespace: Any, make: Any) -> tuple[list[Any], list[Any]]:
    """Run a program; return its arrays and what it read."""
    arrays = [make(x.copy()) for x in program.inputs()]
    seen: list[Any] = []
    for statement in program.statements:
        run_statement(statement, arrays, namespace, seen)
    return arrays, seen
