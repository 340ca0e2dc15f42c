"""Kernels as plain Python that runs one work-item: what the interpreter executes and ``k.source`` shows.

A kernel becomes a function of the work-item and the kernel's arguments. Its nodes carry the user's own file name, line
and column, so that debuggers and tracebacks show the user's source; names of the user stay as they are. Values are
NumPy scalars of exact dtypes, vectors are small NumPy arrays. A kernel with barriers becomes a generator, which yields
the number of the barrier it has reached. Every access says which one it is (``x.load(item, 3, i)``), for messages.

The names that the text uses beyond Python's are in ``xpu.kernel.interpreter.functions`` and ``.memory``.
"""

from __future__ import annotations

import ast
import keyword
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...backend import DeviceInfo
from .. import ir

SITES = (ir.Load, ir.Store, ir.Atomic, ir.Assert)
"""Nodes that have a number, as in ``xpu.kernel.debug``."""

_BINARY: dict[str, ast.operator] = {
    "add": ast.Add(),
    "sub": ast.Sub(),
    "mul": ast.Mult(),
    "truediv": ast.Div(),
    "floordiv": ast.FloorDiv(),
    "mod": ast.Mod(),
    "shl": ast.LShift(),
    "shr": ast.RShift(),
    "and": ast.BitAnd(),
    "or": ast.BitOr(),
    "xor": ast.BitXor(),
    "pow": ast.Pow(),
}
_COMPARE: dict[str, ast.cmpop] = {
    "lt": ast.Lt(),
    "le": ast.LtE(),
    "gt": ast.Gt(),
    "ge": ast.GtE(),
    "eq": ast.Eq(),
    "ne": ast.NotEq(),
}
_LOAD = ast.Load()
_STORE = ast.Store()


@dataclass(slots=True)
class Translation:
    """A kernel as Python: the module, and what its names and numbers stand for."""

    module: ast.Module
    entry: str
    """Name of the kernel's function in the module."""
    constants: dict[str, Any]
    """Values of names that the module uses: literals, and functions chosen by dtype."""
    literals: dict[int, tuple[ast.Call, str]]
    """Calls that make a constant, by their ``id``, with the name of that constant made once."""
    sites: list[Any]
    """The numbered accesses and assertions."""
    barriers: list[ir.Barrier]
    functions: dict[int, str]
    """For an access inside a helper: the helper's name, by the access's number."""
    file: str


def render(kernel: ir.Kernel, info: DeviceInfo, debug: bool) -> str:
    """Return the Python text of a kernel.

    Its head names the user's file and every line: the same text at two places makes two kernels here.
    """
    translation = translate(kernel)
    lines = [node.loc.line if node.loc else 0 for node in ir.all_bodies(kernel) if isinstance(node, ir.Stmt)]
    where = ",".join(map(str, lines))
    places = ",".join(f"{s.loc.line}:{s.loc.col}" if s.loc else "-" for s in translation.sites)
    head = f"# kernel {kernel.name!r}, {translation.file}\n# lines {where}\n# accesses {places}\n"
    # The Python text is the same for every dtype; what it was specialised for tells such kernels apart.
    head += f"# types {' '.join(map(_type_name, _types(kernel)))}\n"
    return head + ast.unparse(translation.module) + "\n"


def _types(kernel: ir.Kernel) -> Iterator[ir.Type]:
    """Yield the types of all parameters, arrays and expressions, in a fixed order."""
    functions: list[ir.Kernel | ir.Function] = [*kernel.functions, kernel]
    for function in functions:
        yield from (param.type for param in function.params)
        yield from (array.type for array in function.arrays)
    yield from (node.type for node in ir.all_bodies(kernel) if isinstance(node, ir.Expr))


def _type_name(type_: ir.Type) -> str:
    if isinstance(type_, ir.ArrayType):
        return f"{type_.dtype.char}[{type_.ndim},{type_.shape},{type_.contiguous}]"
    return f"{type_.dtype.char}{type_.lanes if isinstance(type_, ir.Vector) else ''}"


def translate(kernel: ir.Kernel) -> Translation:
    """Translate a kernel and its helpers."""
    shared = _Shared(kernel)
    body: list[ast.stmt] = [_Translator(function, shared).function() for function in kernel.functions]
    body.append(_Translator(kernel, shared).function())
    module = ast.Module(body=body, type_ignores=[])
    ast.fix_missing_locations(module)
    return Translation(
        module=module,
        entry=shared.functions[None],
        constants=shared.constants,
        literals=shared.literals,
        sites=shared.sites,
        barriers=shared.barriers,
        functions=shared.owner,
        file=shared.file,
    )


class _Shared:
    """What all functions of one kernel have in common: names, numbers, constants."""

    def __init__(self, kernel: ir.Kernel) -> None:
        self.kernel = kernel
        self.file = kernel.loc.file if kernel.loc else f"<kernel {kernel.name}>"
        self.sites = [node for node in ir.all_bodies(kernel) if isinstance(node, SITES)]
        self.numbers = {id(node): number for number, node in enumerate(self.sites)}
        self.owner: dict[int, str] = {}
        for function in kernel.functions:
            for node in ir.walk(function.body):
                if isinstance(node, SITES):
                    self.owner[self.numbers[id(node)]] = function.name
        self.barriers = [node for node in ir.all_bodies(kernel) if isinstance(node, ir.Barrier)]
        self.barrier_numbers = {id(node): number for number, node in enumerate(self.barriers)}
        self.constants: dict[str, Any] = {}
        self._by_key: dict[Any, str] = {}
        self.literals: dict[int, tuple[ast.Call, str]] = {}
        self.users = _user_names(kernel)
        self.taken = set(self.users)
        self.functions: dict[str | None, str] = {f.name: self.fresh(f.name) for f in kernel.functions}
        self.functions[None] = self.fresh(kernel.name)
        self.generators = {f.name for f in kernel.functions if f.uses_barrier}
        self.item = self.fresh("item")

    def fresh(self, wish: str) -> str:
        """Return a name near the wish that nothing else has."""
        name = (
            wish
            if wish.isidentifier() and not keyword.iskeyword(wish)
            else "v_" + "".join(c if c.isalnum() else "_" for c in wish)
        )
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def constant(self, key: Any, wish: str, make: Callable[[], Any]) -> str:
        """Return the name of a value that the module needs, the same for the same key."""
        name = self._by_key.get(key)
        if name is None:
            name = self.fresh(wish)
            self._by_key[key] = name
            self.constants[name] = make()
        return name


def _user_names(kernel: ir.Kernel) -> set[str]:
    names: set[str] = set()
    functions: Sequence[ir.Kernel | ir.Function] = [*kernel.functions, kernel]
    for function in functions:
        names |= {p.name for p in function.params} | set(function.variables) | {d.name for d in function.arrays}
    return names


class _Translator:
    """Translates one function."""

    def __init__(self, function: ir.Kernel | ir.Function, shared: _Shared) -> None:
        self.node = function
        self.shared = shared
        self.renamed: dict[str, str] = {}

    # -------------------------------------------------------------------------------------------- pieces of ast

    def name(self, user: str) -> str:
        """Return the Python name of a user's variable: itself, unless that is no name in Python."""
        if user.isidentifier() and not keyword.iskeyword(user):
            return user
        if user not in self.renamed:
            self.renamed[user] = self.shared.fresh(user)
        return self.renamed[user]

    def place(self, node: Any, loc: ir.Loc | None) -> Any:
        """Give a Python node the user's place; what lies in another file keeps the place around it."""
        if loc is not None and loc.file == self.shared.file:
            node.lineno = node.end_lineno = loc.line
            node.col_offset = loc.col
            node.end_col_offset = max(loc.end_col, loc.col + 1)
        return node

    def runtime(self, function: str, *key: Any) -> ast.expr:
        """Return the name of a function of the interpreter's own, specialised by ``key`` (dtypes, mostly)."""
        from ..interpreter import functions

        def make() -> Any:
            return getattr(functions, function)(*key) if key else getattr(functions, function)

        wish = "_".join([function, *(str(k) for k in key)])
        if function in ("cast", "intrinsic", "literal_type"):
            wish = str(key[0])
        return ast.Name(self.shared.constant((function, *key), wish, make), _LOAD)

    def call(self, function: ast.expr, *args: ast.expr) -> ast.Call:
        return ast.Call(function, list(args), [])

    def item(self) -> ast.expr:
        return ast.Name(self.shared.item, _LOAD)

    def tuple(self, items: Iterable[ir.Expr]) -> ast.expr:
        return ast.Tuple([self.expr(i) for i in items], _LOAD)

    # ---------------------------------------------------------------------------------------------- functions

    def function(self) -> ast.FunctionDef:
        node = self.node
        params = [ast.arg(self.shared.item), *(ast.arg(self.name(p.name)) for p in node.params)]
        arguments = ast.arguments(posonlyargs=[], args=params, kwonlyargs=[], kw_defaults=[], defaults=[])
        body: list[ast.stmt] = [self.declaration(d) for d in node.arrays]
        body += self.block(node.body)
        if node.uses_barrier and not any(map(self.yields, ir.walk(node.body))):  # a generator all the same
            body += [ast.Return(None), ast.Expr(ast.Yield(None))]
        is_kernel = isinstance(node, ir.Kernel)
        name = self.shared.functions[None if is_kernel else node.name]
        out = ast.FunctionDef(name, arguments, body or [ast.Pass()], [], None)
        return self.place(out, node.loc)  # type: ignore[no-any-return]

    def yields(self, node: Any) -> bool:
        return isinstance(node, ir.Barrier) or (
            isinstance(node, ir.CallFunction) and node.function in self.shared.generators
        )

    def declaration(self, decl: ir.ArrayDecl) -> ast.stmt:
        """Fetch the group's local array, or make the item's private one."""
        if decl.type.space == "local":
            owner = "" if isinstance(self.node, ir.Kernel) else self.node.name
            table = ast.Attribute(self.item(), "local_arrays", _LOAD)
            value: ast.expr = ast.Subscript(
                table, ast.Tuple([ast.Constant(owner), ast.Constant(decl.name)], _LOAD), _LOAD
            )
        else:
            make = ast.Attribute(self.item(), "private_array", _LOAD)
            dtype = ast.Constant(decl.type.dtype.name)
            shape = ast.Tuple([ast.Constant(n) for n in decl.type.shape or ()], _LOAD)
            value = self.call(make, ast.Constant(decl.name), dtype, shape)
        out = ast.Assign([ast.Name(self.name(decl.name), _STORE)], value)
        return self.place(out, decl.loc)  # type: ignore[no-any-return]

    def block(self, body: list[ir.Stmt]) -> list[ast.stmt]:
        return [self.place(self.statement(s), s.loc) for s in body] or [ast.Pass()]

    # ---------------------------------------------------------------------------------------------- statements

    def statement(self, s: ir.Stmt) -> ast.stmt:
        match s:
            case ir.Assign(name, value):
                return ast.Assign([ast.Name(self.name(name), _STORE)], self.expr(value))
            case ir.Store(array, indices, value):
                store = ast.Attribute(ast.Name(self.name(array), _LOAD), self.verb("store", value.type), _LOAD)
                site = ast.Constant(self.shared.numbers[id(s)])
                return ast.Expr(self.call(store, self.item(), site, self.expr(value), *map(self.expr, indices)))
            case ir.ExprStmt(value):
                return ast.Expr(self.expr(value))
            case ir.If(condition, body, orelse):
                return ast.If(self.condition(condition), self.block(body), self.block(orelse) if orelse else [])
            case ir.For(name, start, stop, step, body):
                dtype = start.type.dtype
                bounds = [self.expr(start), self.expr(stop), self.expr(step)]
                counted = self.call(self.runtime("counter", dtype), *bounds)
                return ast.For(ast.Name(self.name(name), _STORE), counted, self.block(body), [])
            case ir.While(condition, body):
                return ast.While(self.condition(condition), self.block(body), [])
            case ir.Break():
                return ast.Break()
            case ir.Continue():
                return ast.Continue()
            case ir.Return(value):
                return ast.Return(None if value is None else self.expr(value))
            case ir.Barrier():
                return ast.Expr(ast.Yield(ast.Constant(self.shared.barrier_numbers[id(s)])))
            case ir.Assert(condition):
                fail = ast.Attribute(self.item(), "assertion_failed", _LOAD)
                raising = ast.Expr(self.call(fail, ast.Constant(self.shared.numbers[id(s)])))
                self.place(raising, s.loc)
                return ast.If(ast.UnaryOp(ast.Not(), self.condition(condition)), [raising], [])
            case ir.Print(args):
                shown = [ast.Constant(a) if isinstance(a, str) else self.expr(a) for a in args]
                return ast.Expr(self.call(self.runtime("print_values"), *shown))
            case ir.Breakpoint():
                return ast.Expr(self.call(self.runtime("breakpoint")))
        raise TypeError(f"the interpreter has no translation for {type(s).__name__}")

    # --------------------------------------------------------------------------------------------- expressions

    def condition(self, e: ir.Expr) -> ast.expr:
        """Translate an expression of which only the truth matters."""
        if isinstance(e, ir.Unary) and e.op == "not" and isinstance(e.type, ir.Scalar):
            return self.place(ast.UnaryOp(ast.Not(), self.condition(e.operand)), e.loc)  # type: ignore[no-any-return]
        return self.expr(e)

    def expr(self, e: ir.Expr) -> ast.expr:
        return self.place(self.expression(e), e.loc)  # type: ignore[no-any-return]

    def expression(self, e: ir.Expr) -> ast.expr:
        match e:
            case ir.Const():
                return self.constant(e)
            case ir.Var(_, name) | ir.ArrayRef(_, name):
                return ast.Name(self.name(name), _LOAD)
            case ir.Unary():
                return self.unary(e)
            case ir.Binary():
                return self.binary(e)
            case ir.Select(type_, condition, then, other):
                if isinstance(condition.type, ir.Vector):
                    args = (self.expr(condition), self.expr(then), self.expr(other))
                    return self.call(self.runtime("select_lanes", type_.dtype), *args)
                return ast.IfExp(self.condition(condition), self.expr(then), self.expr(other))
            case ir.Cast(type_, operand):
                kind = "cast_lanes" if isinstance(type_, ir.Vector) else "cast"
                return self.call(self.runtime(kind, type_.dtype, operand.type.dtype), self.expr(operand))
            case ir.Reinterpret(type_, operand):
                kind = "reinterpret_lanes" if isinstance(type_, ir.Vector) else "reinterpret"
                return self.call(self.runtime(kind, type_.dtype), self.expr(operand))
            case ir.Call(type_, function, args):
                made = self.runtime("intrinsic", function, type_.dtype, args[0].type.dtype)
                if isinstance(type_, ir.Vector):
                    made = self.runtime("by_lane", function, type_.dtype, args[0].type.dtype)
                return self.call(made, *map(self.expr, args))
            case ir.CallFunction(_, function, args):
                target = ast.Name(self.shared.functions[function], _LOAD)
                called = self.call(target, self.item(), *map(self.expr, args))
                return ast.YieldFrom(called) if function in self.shared.generators else called
            case ir.Complex(type_, real, imag):
                return self.call(self.runtime("complex_of", type_.dtype), self.expr(real), self.expr(imag))
            case ir.WorkItem(_, function, axis):
                return ast.Subscript(ast.Attribute(self.item(), function, _LOAD), ast.Constant(axis), _LOAD)
            case ir.Dim(_, array, axis):
                shape = ast.Attribute(ast.Name(self.name(array), _LOAD), "shape", _LOAD)
                return ast.Subscript(shape, ast.Constant(axis), _LOAD)
            case ir.Load(type_, array, indices):
                load = ast.Attribute(ast.Name(self.name(array), _LOAD), self.verb("load", type_), _LOAD)
                site = ast.Constant(self.shared.numbers[id(e)])
                extra = [ast.Constant(type_.lanes)] if isinstance(type_, ir.Vector) else []
                return self.call(load, self.item(), site, *extra, *map(self.expr, indices))
            case ir.Lane(_, vector, index):
                return ast.Subscript(self.expr(vector), ast.Constant(index), _LOAD)
            case ir.VectorOf(ir.Vector() as type_, items):
                return self.call(self.runtime("vector_of", type_.dtype, type_.lanes), *map(self.expr, items))
            case ir.Atomic(_, op, array, indices, values):
                atomic = ast.Attribute(ast.Name(self.name(array), _LOAD), "atomic", _LOAD)
                site = ast.Constant(self.shared.numbers[id(e)])
                where = self.tuple(indices)
                return self.call(atomic, self.item(), site, ast.Constant(op), where, *map(self.expr, values))
        raise TypeError(f"the interpreter has no translation for {type(e).__name__}")

    @staticmethod
    def verb(word: str, type_: ir.Type) -> str:
        return f"{word}_lanes" if isinstance(type_, ir.Vector) else word

    def constant(self, e: ir.Const) -> ast.expr:
        """Translate a literal: written ``float32(0.5)``, and made once."""
        from ..interpreter import functions

        if isinstance(e.type, ir.Vector):
            scalar = self.constant(ir.Const(ir.Scalar(e.type.dtype), e.value))
            return self.call(self.runtime("vector_of", e.type.dtype, e.type.lanes), scalar)
        value = functions.literal(e.type.dtype, e.value)
        key = ("literal", e.type.dtype, value.tobytes())
        name = self.shared.constant(key, f"{e.type.dtype}_literal", lambda: value)
        node = self.call(self.runtime("literal_type", e.type.dtype), _shown(e.value))
        self.shared.literals[id(node)] = (node, name)
        return node

    def unary(self, e: ir.Unary) -> ast.expr:
        operand = self.expr(e.operand)
        vector = isinstance(e.type, ir.Vector)
        match e.op:
            case "pos":
                return operand
            case "neg":
                return ast.UnaryOp(ast.USub(), operand)
            case "invert" if vector or e.type.dtype.kind != "b":
                return ast.UnaryOp(ast.Invert(), operand)
            case "not" if vector:
                return ast.UnaryOp(ast.Invert(), operand)
            case "not" | "invert":
                return self.call(self.runtime("logical_not"), operand)
        raise TypeError(f"no unary operation {e.op!r}")

    def binary(self, e: ir.Binary) -> ast.expr:
        left, right = self.expr(e.left), self.expr(e.right)
        vector = isinstance(e.type, ir.Vector)
        if e.op in _COMPARE:
            return ast.Compare(left, [_COMPARE[e.op]], [right])
        if e.op in ir.LOGICAL_OPS:
            if vector:
                return ast.BinOp(left, ast.BitAnd() if e.op == "land" else ast.BitOr(), right)
            return ast.BoolOp(ast.And() if e.op == "land" else ast.Or(), [left, right])
        dtype = e.type.dtype
        if dtype.kind == "c" and e.op in ("mul", "truediv"):  # NumPy's vector loops round otherwise than its scalars
            return self.call(self.runtime("complex_lanes" if vector else "complex_op", e.op, dtype), left, right)
        if e.op == "pow" and dtype.kind in "iu":
            return self.call(self.runtime("integer_power_lanes" if vector else "integer_power", dtype), left, right)
        return ast.BinOp(left, _BINARY[e.op], right)


def _shown(value: Any) -> ast.expr:
    """Return a literal as ast, with strings for what Python has no literal of."""
    if isinstance(value, (np.generic,)):
        value = value.item()
    if isinstance(value, complex):
        return ast.Constant(str(value).strip("()"))
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return ast.Constant(str(value))
    return ast.Constant(value)
