"""Random whole kernels: statements, loops, helpers, local memory with barriers, atomics, short vectors."""

from __future__ import annotations

import random

import numpy as np

from .expressions import INTEGERS, SIGNED, Config, Expressions, Scope
from .program import Argument, Expr, Helper, Program, Stmt, plain

LAYOUTS = ("C", "C", "strided", "reversed")
GUARDS = {"int8": (-100, 100), "uint8": (-0.5, 200)}


def generate(seed: int, config: Config | None = None) -> Program:
    """Return the program of a seed."""
    config = config or Config()
    rng = random.Random(seed)
    kind = rng.choices([Plain, Grouped, Vectors], [6, 4, 1])[0]
    return kind(seed, rng, config).program()


class Plain:
    """Kernels in which every work-item works alone."""

    items = 12
    statements = (3, 7)

    def __init__(self, seed: int, rng: random.Random, config: Config) -> None:
        self.seed = seed
        self.rng = rng
        self.config = config
        self.make = Expressions(rng, config)
        self.scope = Scope()
        self.count = 0
        self.outputs: dict[str, int] = {}
        self.helpers: list[Helper] = []
        self.arguments: list[Argument] = []
        self.global_size, self.local_size = self.sizes()
        self.index = ("i", "y, x", "z, y, x")[len(self.global_size) - 1]

    # ---------------------------------------------------------------------------------------------------- the frame

    def sizes(self) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
        return self.rng.choice([(self.items,)] * 5 + [(3, self.items // 3)] * 3 + [(2, 3, self.items // 6)] * 2), None

    def program(self) -> Program:
        body = self.prologue()
        for dtype in self.config.dtypes:
            self.guard(dtype)
        x = Expr("x", "")
        self.helpers.append(Helper("sure(x)", [plain("return {0} if {0} == {0} else 1.0", x)]))
        self.helpers.append(Helper("small(x)", [plain("return {0} if xp.math.abs({0}) < 1000.0 else 1.0", x)]))
        for _ in range(self.rng.choice([0, 1, 2])):
            self.helper()
        body += [stmt for _ in range(2) for stmt in self._assign(self.scope, 0)]
        body += self.block(self.scope, self.rng.randint(*self.statements), 0)
        body += [self.output(self.scope) for _ in range(6)]
        body += [self.show(name, dtype) for name, dtype in self.scope.variables]
        shape = self.global_size
        for dtype, slots in self.outputs.items():
            self.arguments.append(Argument(f"o_{dtype}", dtype, (slots, *shape), "out", self.rng.choice(LAYOUTS)))
        return Program(self.seed, self.arguments, self.helpers, body, self.global_size, self.local_size)

    def prologue(self) -> list[Stmt]:
        """Declare arguments and ids."""
        dtypes = self.rng.sample(self.config.dtypes, min(6, len(self.config.dtypes)))
        for dtype in dict.fromkeys([self.config.default, "int32", *dtypes]):
            name = f"a_{dtype}"
            self.arguments.append(Argument(name, dtype, self.global_size, "in", self.rng.choice(LAYOUTS)))
            self.scope.leaves += [(f"{name}[{self.index}]", dtype)] * 2
        self.arguments += [Argument("s_int", "int64", None, "weak"), Argument("s_float", "float64", None, "weak")]
        firm = self.rng.choice(self.config.dtypes)
        self.arguments.append(Argument(f"c_{firm}", firm, None, "firm"))
        self.scope.leaves.append((f"c_{firm}", firm))
        first = f"a_{self.config.default}"
        names = self.index.split(", ")
        body = [plain(f"{name} = xp.global_id({axis})") for axis, name in enumerate(names)]
        self.scope.leaves += [(name, "int64") for name in names]
        self.scope.leaves += [(f"{first}.shape[0]", "int64"), (f"xp.global_size({len(names) - 1})", "int64")]
        return body

    def guard(self, dtype: str) -> None:
        """Make the helper that converts floats to an integer dtype where that is defined."""
        if dtype not in INTEGERS:
            return
        low, high = GUARDS.get(dtype, (-30000, 30000) if dtype in SIGNED else (-0.5, 30000))
        x = Expr("x", "")
        body = [plain(f"return xp.{dtype}({{0}}) if {low} < {{0}} and {{0}} < {high} else xp.{dtype}(0)", x)]
        self.helpers.append(Helper(f"to_{dtype}(x)", body))

    def helper(self) -> None:
        """Make a helper with typed parameters, an early return, perhaps a loop."""
        rng = self.rng
        self.count += 1
        params = [rng.choice(self.config.dtypes) for _ in range(rng.randint(1, 3))]
        result = rng.choice(self.config.dtypes)
        names = [f"p{k}" for k in range(len(params))]
        self.make.scalars = False
        scope = Scope(list(zip(names, params, strict=True)), [], [], list(self.scope.functions))
        body: list[Stmt] = []
        if rng.random() < 0.5:
            early = plain("return {0}", self.make.expr(result, 1, scope))
            body.append(Stmt([("if {0}:", [self.make.expr("bool", 2, scope)], [early])]))
        if rng.random() < 0.5:
            start = self.make.expr(result, 1, scope)
            body.append(plain("r = {0}", start))
            scope.variables.append(("r", result))
            update = plain("r = {0}", self.make.expr(result, 2, scope))
            body.append(Stmt([(f"for j in range({rng.randint(1, 3)}):", [], [update])]))
        body.append(plain("return {0}", self.make.expr(result, 2, scope)))
        self.make.scalars = True
        name = f"h{self.count}"
        self.helpers.append(Helper(f"{name}({', '.join(names)})", body))
        self.scope.functions.append((name, result, tuple(params)))

    def slot(self, dtype: str) -> int:
        number = self.outputs.get(dtype, 0)
        self.outputs[dtype] = number + 1
        return number

    def show(self, name: str, dtype: str) -> Stmt:
        return plain(f"o_{dtype}[{self.slot(dtype)}, {self.index}] = {{0}}", Expr(name, dtype))

    def output(self, scope: Scope) -> Stmt:
        dtype = self.rng.choice(self.config.dtypes)
        return plain(f"o_{dtype}[{self.slot(dtype)}, {self.index}] = {{0}}", self.make.expr(dtype, 3, scope))

    def fresh(self, prefix: str = "v") -> str:
        self.count += 1
        return f"{prefix}{self.count}"

    # --------------------------------------------------------------------------------------------------- statements

    def block(self, scope: Scope, length: int, depth: int, loop: bool = False) -> list[Stmt]:
        out: list[Stmt] = []
        for _ in range(length):
            out += self.statement(scope, depth, loop)
        return out

    def statement(self, scope: Scope, depth: int, loop: bool) -> list[Stmt]:
        rng = self.rng
        ways = ["assign"] * (1 if depth else 4) + ["update"] * (6 if depth else 4) + ["swap", "private", "cell"]
        if depth < 2:
            ways += ["branch"] * 3 + ["for", "while", "unroll"]
        if loop:
            ways.append("leave")
        return getattr(self, f"_{rng.choice(ways)}")(scope, depth)

    def _assign(self, scope: Scope, depth: int) -> list[Stmt]:
        dtype = self.rng.choice(self.config.dtypes)
        name = self.fresh()
        stmt = plain(f"{name} = {{0}}", self.make.expr(dtype, 3, scope))
        scope.variables.append((name, dtype))
        return [stmt]

    def _update(self, scope: Scope, depth: int) -> list[Stmt]:
        own = [v for v in scope.variables if v[0].startswith("v")]
        if not own:
            return self._assign(scope, depth)
        name, dtype = self.rng.choice(own)
        expr = self.make.expr(dtype, 3, scope)
        if dtype in INTEGERS and self.rng.random() < 0.5:
            return [plain(f"{name} {self.rng.choice(['+', '-', '*', '^', '//', '%'])}= {{0}}", expr)]
        if dtype not in ("bool", *INTEGERS) and self.rng.random() < 0.5:
            return [plain(f"{name} {self.rng.choice(['+', '-', '*'])}= {{0}}", expr)]
        return [plain(f"{name} = {{0}}", expr)]

    def _swap(self, scope: Scope, depth: int) -> list[Stmt]:
        own = [v for v in scope.variables if v[0].startswith("v")]
        pairs = [(a, b) for a, s in own for b, t in own if s == t and a != b]
        if not pairs:
            return self._assign(scope, depth)
        a, b = self.rng.choice(pairs)
        return [plain(f"{a}, {b} = {b}, {a}")]

    def _private(self, scope: Scope, depth: int) -> list[Stmt]:
        if depth:
            return self._update(scope, depth)
        dtype = self.rng.choice(self.config.dtypes)
        name, counter, length = self.fresh("p"), self.fresh("k"), self.rng.choice([2, 4])
        inner = scope.child()
        inner.leaves = [*scope.leaves, (counter, "int64")]
        fill = plain(f"{name}[{counter}] = {{0}}", self.make.expr(dtype, 2, inner))
        scope.cells.append((name, dtype, length))
        return [
            plain(f"{name} = xp.private_array({length}, xp.{dtype})"),
            Stmt([(f"for {counter} in range({length}):", [], [fill])]),
        ]

    def _cell(self, scope: Scope, depth: int) -> list[Stmt]:
        own = [cell for cell in scope.cells if cell[0].startswith("p")]
        if not own:
            return self._private(scope, depth)
        name, dtype, length = self.rng.choice(own)
        index = self.make.expr("int64", 1, scope)
        return [plain(f"{name}[{{0}} & {length - 1}] = {{1}}", index, self.make.expr(dtype, 2, scope))]

    def _branch(self, scope: Scope, depth: int) -> list[Stmt]:
        clauses: list[tuple[str, list[Expr], list[Stmt] | None]] = []
        for word in ["if"] + ["elif"] * (self.rng.random() < 0.3):
            condition = self.make.expr("bool", 2, scope)
            clauses.append(
                (f"{word} {{0}}:", [condition], self.block(scope.child(), self.rng.randint(1, 2), depth + 1))
            )
        if self.rng.random() < 0.5:
            clauses.append(("else:", [], self.block(scope.child(), self.rng.randint(1, 2), depth + 1)))
        return [Stmt(clauses)]

    def _for(self, scope: Scope, depth: int) -> list[Stmt]:
        rng = self.rng
        counter = self.fresh("k")
        bounds = rng.choice(["4", "1, 4", "6, 0, -2", "{0} & 3", "xp.int32(3)", "s_int", "-2, {0} & 3"])
        exprs = [self.make.expr("int64", 1, scope)] if "{0}" in bounds else []
        inner = scope.child()
        inner.leaves = [*scope.leaves, (counter, "int32" if "int32" in bounds else "int64")]
        return [Stmt([(f"for {counter} in range({bounds}):", exprs, self.loop(inner, depth))])]

    def loop(self, scope: Scope, depth: int) -> list[Stmt]:
        """Return the body of a loop: something, perhaps a way out, and something that the way out skips."""
        body = self.block(scope, self.rng.randint(1, 2), depth + 1, True)
        if self.rng.random() < 0.6:
            body += [*self._leave(scope, depth), *self._update(scope, depth + 1)]
        return body

    def _while(self, scope: Scope, depth: int) -> list[Stmt]:
        counter = self.fresh("w")
        inner = scope.child()
        inner.leaves = [*scope.leaves, (counter, "int64")]
        condition = self.make.expr("bool", 2, inner)
        body = [plain(f"{counter} += 1"), *self.loop(inner, depth)]
        return [plain(f"{counter} = xp.int64(0)"), Stmt([(f"while {counter} < 4 and {{0}}:", [condition], body)])]

    def _unroll(self, scope: Scope, depth: int) -> list[Stmt]:
        counter = self.fresh("u")
        body = self.block(scope.child(), 1, 2)
        return [Stmt([(f"for {counter} in xp.static_range(3):", [], body)])]

    def _leave(self, scope: Scope, depth: int) -> list[Stmt]:
        word = self.rng.choice(["break", "continue"])
        return [Stmt([("if {0}:", [self.make.expr("bool", 2, scope)], [plain(word)])])]


class Grouped(Plain):
    """Kernels whose work-items meet at barriers and exchange values through local memory."""

    statements = (1, 3)

    def sizes(self) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
        if self.rng.random() < 0.6:
            return (16,), (8,)
        return (4, 8), (2, 4)

    @property
    def flat(self) -> str:
        """The work-item's number in its group."""
        return "xp.local_id(0)" if len(self.global_size) == 1 else "xp.local_id(0) * 4 + xp.local_id(1)"

    def prologue(self) -> list[Stmt]:
        body = super().prologue()
        self.scope.leaves += [("l", "int64"), ("xp.group_id(0)", "int64"), ("xp.num_groups(0)", "int64")]
        return [*body, plain(f"l = {self.flat}")]

    def block(self, scope: Scope, length: int, depth: int, loop: bool = False) -> list[Stmt]:
        out = super().block(scope, length, depth, loop)
        if depth == 0:
            phases = [self.exchange, self.looped, self.tree, self.counted, self.shared, self.helped]
            for _ in range(self.rng.randint(1, 3)):
                phase = self.rng.choice(phases)
                out += phase(scope)
                out += super().block(scope, 1, 0)
        return out

    def tile(self, dtype: str) -> tuple[str, Stmt]:
        name = self.fresh("t")
        return name, plain(f"{name} = xp.local_array(8, xp.{dtype})")

    def exchange(self, scope: Scope) -> list[Stmt]:
        """Store, wait, read a neighbour's."""
        dtype = self.rng.choice(self.config.dtypes)
        name, declare = self.tile(dtype)
        value = self.fresh()
        out = [declare, plain(f"{name}[l] = {{0}}", self.make.expr(dtype, 2, scope)), plain("xp.barrier()")]
        out.append(plain(f"{value} = {name}[(l + {self.rng.randint(1, 7)}) % 8]"))
        scope.variables.append((value, dtype))
        return out

    def looped(self, scope: Scope) -> list[Stmt]:
        """Exchange in a loop, over a two-dimensional tile."""
        dtype = self.rng.choice(self.config.dtypes)
        name, value, counter = self.fresh("t"), self.fresh(), self.fresh("k")
        first = self.make.expr(dtype, 2, scope)
        scope.variables.append((value, dtype))
        inner = scope.child()
        inner.leaves = [*scope.leaves, (counter, "int64")]
        body = [
            plain(f"{name}[l // 4, l % 4] = {value}"),
            plain("xp.barrier()"),
            plain(f"{value} = {name}[(l + {counter}) % 2, (l + {counter} + 1) % 4]"),
            plain(f"{value} = {{0}}", self.make.expr(dtype, 2, inner)),
            plain("xp.barrier()"),
        ]
        trips = self.rng.choice(["3", "s_int", "1, 4", "xp.num_groups(0)"])
        return [
            plain(f"{name} = xp.local_array((2, 4), xp.{dtype})"),
            plain(f"{value} = {{0}}", first),
            Stmt([(f"for {counter} in range({trips}):", [], body)]),
        ]

    def tree(self, scope: Scope) -> list[Stmt]:
        """Reduce by halving in a while loop."""
        dtype = self.rng.choice([d for d in self.config.dtypes if d != "bool"])
        name, declare = self.tile(dtype)
        step, value = self.fresh("w"), self.fresh()
        add = Stmt(
            [(f"if l < {step}:", [], [plain(f"{name}[l] = {name}[l] {self.rng.choice('+-*')} {name}[l + {step}]")])]
        )
        out = [
            declare,
            plain(f"{name}[l] = {{0}}", self.make.expr(dtype, 2, scope)),
            plain("xp.barrier()"),
            plain(f"{step} = 4"),
            Stmt([(f"while {step} > 0:", [], [add, plain("xp.barrier()"), plain(f"{step} //= 2")])]),
            plain(f"{value} = {name}[0]"),
        ]
        scope.variables.append((value, dtype))
        return out

    def counted(self, scope: Scope) -> list[Stmt]:
        """Atomics on local memory, in an order that does not matter."""
        dtype = self.rng.choice(["int32", "uint32", "int64", "uint64"])
        name, value = self.fresh("t"), self.fresh()
        op = self.rng.choice(["add", "sub", "min", "max", "and", "or", "xor"])
        index = self.make.expr("int64", 1, scope)
        out = [
            plain(f"{name} = xp.local_array(2, xp.{dtype})"),
            Stmt([("if l < 2:", [], [plain(f"{name}[l] = xp.{dtype}(l + 77)")])]),
            plain("xp.barrier()"),
            plain(f"xp.atomic_{op}({name}, {{0}} & 1, {{1}})", index, self.make.expr(dtype, 2, scope)),
            plain("xp.barrier()"),
            plain(f"{value} = {name}[l & 1]"),
        ]
        scope.variables.append((value, dtype))
        return out

    def shared(self, scope: Scope) -> list[Stmt]:
        """Atomics on global memory."""
        floats = [d for d in self.config.floats if d != "float16"]
        dtype = self.rng.choice(["int32", "uint32", "int64", "uint64", *floats])
        name = f"g_{dtype}"
        if not any(a.name == name for a in self.arguments):
            self.arguments.append(Argument(name, dtype, (4,), "atomic"))
        op = self.rng.choice(["add", "min", "max"]) if dtype in floats else self.rng.choice(["add", "sub", "or", "xor"])
        element = {"add": 0, "sub": 0, "or": 1, "xor": 2, "min": 1, "max": 2}[op]  # updates of one element commute
        value = self.make.expr(dtype, 2, scope)
        if dtype in floats:
            value = Expr(f"xp.{dtype}(to_int8({{0}}))", dtype, [value])
        condition = self.make.expr("bool", 1, scope)
        update = plain(f"xp.atomic_{op}({name}, {element}, {{0}})", value)
        return [Stmt([("if {0}:", [condition], [update])])]

    def helped(self, scope: Scope) -> list[Stmt]:
        """A helper with barriers."""
        dtype = self.rng.choice(self.config.dtypes)
        name, declare = self.tile(dtype)
        value = self.fresh()
        if not any(h.header.startswith("mirror(") for h in self.helpers):
            lines = ["tile[l] = value", "xp.barrier()", "other = tile[7 - l]", "xp.barrier()", "return other"]
            self.helpers.append(Helper("mirror(tile, l, value)", [plain(line) for line in lines]))
        out = [declare, plain(f"{value} = mirror({name}, l, {{0}})", self.make.expr(dtype, 2, scope))]
        scope.variables.append((value, dtype))
        return out


class Vectors(Plain):
    """Kernels on short vectors."""

    def sizes(self) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
        return (4,), None

    def program(self) -> Program:
        rng = self.rng
        self.lanes = rng.choice([2, 4, 8, 16])
        kinds = [*INTEGERS, *self.config.floats]
        self.kinds = list(dict.fromkeys([self.config.default, *rng.choices(kinds, k=4)]))
        length = 4 * self.lanes
        self.arguments = [Argument(f"a_{d}", d, (length,), "in") for d in self.kinds]
        self.arguments += [Argument("s_int", "int64", None, "weak"), Argument("s_float", "float64", None, "weak")]
        body = [plain("i = xp.global_id(0)"), plain(f"j = i * {self.lanes}")]
        variables: list[tuple[str, str]] = []
        for _ in range(8):
            dtype = rng.choice(self.kinds)
            name = self.fresh()
            body.append(plain(f"{name} = {{0}}", self.vector(dtype, 3, variables)))
            variables.append((name, dtype))
        for name, dtype in variables:
            body.append(plain(f"xp.vstore(o_{dtype}, ({self.slot(dtype)}, j), {{0}})", Expr(name, dtype)))
        for dtype, slots in self.outputs.items():
            self.arguments.append(Argument(f"o_{dtype}", dtype, (slots, length), "out"))
        return Program(self.seed, self.arguments, self.helpers, body, self.global_size, self.local_size)

    def vector(self, d: str, depth: int, variables: list[tuple[str, str]]) -> Expr:
        """Return a vector expression."""
        rng = self.rng
        own = [Expr(name, d) for name, kind in variables if kind == d]
        if depth <= 0 or rng.random() < 0.15:
            scalar = f"xp.vector(xp.{d}({rng.randint(0, 9)}), {self.lanes})"
            return rng.choice([Expr(f"xp.vload(a_{d}, j, {self.lanes})", d), Expr(scalar, d), *own, *own])

        def sub(kind: str) -> Expr:
            return self.vector(kind, depth - 1, variables)

        way = rng.choice(["arith"] * 4 + ["weak", "where", "function", "cast"])
        integer = np.dtype(d).kind in "iu"
        if way == "arith":
            ops = ["+", "-", "*", "&", "|", "^", "//", "%"] if integer else ["+", "-", "*", "/"]
            return Expr(f"({{0}} {rng.choice(ops)} {{1}})", d, [sub(d), sub(d)])
        if way == "weak":
            return Expr(f"({{0}} {rng.choice('+-*')} {self.make.weak(d)})", d, [sub(d)])
        if way == "where":
            kind = rng.choice(self.kinds)
            template = f"xp.where({{0}} {rng.choice(['<', '>=', '==', '!='])} {{1}}, {{2}}, {{3}})"
            return Expr(template, d, [sub(kind), sub(kind), sub(d), sub(d)])
        if way == "function":
            return Expr(rng.choice(["min({0}, {1})", "max({0}, {1})"]), d, [sub(d), sub(d)])
        sources = [k for k in self.kinds if not integer or np.dtype(k).kind in "iu"]
        source = rng.choice(sources) if sources else d
        return Expr(f"xp.{d}({{0}})", d, [sub(source)])
