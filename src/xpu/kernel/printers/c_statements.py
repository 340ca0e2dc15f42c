"""Statements in C."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import PurePath

from ...errors import KernelCompileError
from .. import debug, ir
from .c_expressions import Expressions
from .c_memory import Memory
from .c_ranges import full
from .c_recurrences import hidden_copy
from .c_text import group, ungroup


class Statements:
    """Prints the body of one function."""

    def __init__(
        self,
        expressions: Expressions,
        memory: Memory,
        function: ir.Function | ir.Kernel,
        chained: Collection[int] | None = None,
    ) -> None:
        self.expressions = expressions
        self.memory = memory
        self.function = function
        self.chained = chained or ()
        """Ids of the assignments and stores whose value is hidden from the compiler (:mod:`.c_recurrences`)."""
        self.steady = chained is not None
        """Whether loops that copy their counter must not be unrolled: Intel's InstCombine crashes on some of them."""
        self.prelude = expressions.prelude
        self.dialect = expressions.dialect
        self.lines: list[str] = []
        self.depth = 1
        self._line = 0
        self._counter = 0
        self._declared: set[str] = set()
        self._loops = self._loops_with_own_variable()
        self._file = PurePath(function.loc.file).name if function.loc else ""

    def render(self) -> list[str]:
        """Return the lines: declarations first, then the statements."""
        early = self._declared_where_assigned()
        for name, type_ in self.function.variables.items():
            if name not in early and name not in self._loops and isinstance(type_, (ir.Scalar, ir.Vector)):
                self._emit(f"{self.prelude.ctype(type_)} {self.memory.variable(name)};")
                self._declared.add(name)
        self._block(self.function.body)
        return self.lines

    def _declared_where_assigned(self) -> set[str]:
        """Return the variables whose first appearance is an assignment at the top of the function."""
        found: set[str] = set()
        seen: set[str] = set()
        for statement in self.function.body:
            names = _names(statement)
            if isinstance(statement, ir.Assign) and statement.name not in seen:
                inside = {node.name for node in ir.walk(statement.value) if isinstance(node, ir.Var)}
                if statement.name not in inside and statement.name in self.function.variables:
                    found.add(statement.name)
            seen |= names
        return found

    def _loops_with_own_variable(self) -> dict[str, ir.For]:
        """Return the loops whose variable lives and changes nowhere else, by its name."""
        total: dict[str, int] = {}
        loops: dict[str, list[ir.For]] = {}
        assigned = {param.name for param in self.function.params}
        for node in ir.walk(self.function.body):
            if isinstance(node, ir.Assign):
                assigned.add(node.name)
            elif isinstance(node, ir.For):
                loops.setdefault(node.name, []).append(node)
            if isinstance(node, (ir.Var, ir.Assign, ir.For)):
                total[node.name] = total.get(node.name, 0) + 1
        found = {}
        for name, nodes in loops.items():
            if len(nodes) == 1 and name not in assigned:
                inside = sum(isinstance(n, ir.Var) and n.name == name for n in ir.walk(nodes[0].body))
                step = nodes[0].step
                constant = isinstance(step, ir.Const) and self._steps_safely(
                    nodes[0], nodes[0].start.type.dtype, int(step.value.real)
                )
                if constant and inside + 1 == total[name]:
                    found[name] = nodes[0]
        return found

    def _emit(self, text: str, loc: ir.Loc | None = None) -> None:
        note = ""
        if loc is not None and loc.line != self._line:
            self._line = loc.line
            note = f"  // line {loc.line}"
        self.lines.append(f"{'    ' * self.depth}{text}{note}")

    def _block(self, statements: list[ir.Stmt]) -> None:
        for statement in statements:
            name = f"_{type(statement).__name__.lower()}"
            method = getattr(self, name, None)
            if method is None:
                raise KernelCompileError(f"{type(statement).__name__} has no spelling in {self.dialect.name}")
            method(statement)

    def _nested(self, statements: list[ir.Stmt]) -> None:
        self.depth += 1
        self._block(statements)
        self.depth -= 1

    def _fresh(self, word: str) -> str:
        self._counter += 1
        return f"xpu_{word}{self._counter}"

    # -- simple statements

    def _assign(self, node: ir.Assign) -> None:
        value = ungroup(self.expressions.text(node.value))
        if id(node) in self.chained:
            value = hidden_copy(value, node.value.type, self.prelude.ctype(node.value.type))
        type_ = ""
        if node.name in self.function.variables and node.name not in self._declared:
            type_ = f"{self.prelude.ctype(self.function.variables[node.name])} "
            self._declared.add(node.name)
        self._emit(f"{type_}{self.memory.variable(node.name)} = {value};", node.loc)

    def _store(self, node: ir.Store) -> None:
        hide = hidden_copy if id(node) in self.chained else None
        for line in self.memory.store(self.expressions, node, hide):
            self._emit(line, node.loc)

    def _exprstmt(self, node: ir.ExprStmt) -> None:
        self._emit(f"{ungroup(self.expressions.text(node.value))};", node.loc)

    def _break(self, node: ir.Break) -> None:
        self._emit("break;", node.loc)

    def _continue(self, node: ir.Continue) -> None:
        self._emit("continue;", node.loc)

    def _breakpoint(self, node: ir.Breakpoint) -> None:
        pass

    def _return(self, node: ir.Return) -> None:
        if node.value is None:
            self._emit("return;", node.loc)
        else:
            self._emit(f"return {ungroup(self.expressions.text(node.value))};", node.loc)

    def _barrier(self, node: ir.Barrier) -> None:
        self._emit(self.dialect.barrier, node.loc)

    def _assert(self, node: ir.Assert) -> None:
        if self.memory.sites is None:
            return
        site = self.memory.sites[id(node)]
        self._emit(f"if (!{group(self.expressions.text(node.condition))}) {{", node.loc)
        fail = self.memory.fail_function()
        self._emit(f"    {fail}({self.memory.error_arguments}, {debug.ASSERT_ERROR}, {site}, 0, 0, 0);")
        self._emit("}")

    def _print(self, node: ir.Print) -> None:
        formats: list[str] = []
        values: list[str] = []
        for arg in node.args:
            if isinstance(arg, str):
                formats.append(_escape(arg))
            else:
                self._print_value(arg, formats, values)
        arguments = "".join(f", {value}" for value in values)
        self._emit(f'printf("{" ".join(formats)}\\n"{arguments});', node.loc)

    def _print_value(self, node: ir.Expr, formats: list[str], values: list[str]) -> None:
        dtype = node.type.dtype
        text = self.expressions.text(node)
        if isinstance(node.type, ir.Vector):
            lanes = [self.prelude.lane(group(text), node.type, str(k)) for k in range(node.type.lanes)]
            forms = [self._format(dtype, lane) for lane in lanes]
            formats.append(f"[{', '.join(form for form, _ in forms)}]")
            values += [value for _, value in forms]
        elif dtype.kind == "c":
            form = "%.9g" if dtype.itemsize == 8 else "%.17g"
            formats.append(f"({form}%+{form[1:]}j)")
            values += [f"{group(text)}.x", f"{group(text)}.y"]
        else:
            form, value = self._format(dtype, text)
            formats.append(form)
            values.append(value)

    def _format(self, dtype: ir.DType, text: str) -> tuple[str, str]:
        if dtype.kind == "f":
            return {2: "%.5g", 4: "%.9g", 8: "%.17g"}[dtype.itemsize], text
        if dtype.itemsize == 8:
            return (self.dialect.int64_format if dtype.kind == "i" else self.dialect.uint64_format), text
        if dtype.kind == "u":
            return "%u", f"({self.dialect.types['uint32']}){group(text)}"
        return "%d", f"(int){group(text)}"

    # -- control flow

    def _if(self, node: ir.If) -> None:
        self._emit(f"if ({ungroup(self.expressions.text(node.condition))}) {{", node.loc)
        self._nested(node.body)
        orelse = node.orelse
        while len(orelse) == 1 and isinstance(orelse[0], ir.If):
            inner = orelse[0]
            self._emit(f"}} else if ({ungroup(self.expressions.text(inner.condition))}) {{", inner.loc)
            self._nested(inner.body)
            orelse = inner.orelse
        if orelse:
            self._emit("} else {")
            self._nested(orelse)
        self._emit("}")

    def _while(self, node: ir.While) -> None:
        self._emit(f"while ({ungroup(self.expressions.text(node.condition))}) {{", node.loc)
        self._nested(node.body)
        self._emit("}")

    def _for(self, node: ir.For) -> None:
        """``range``: bounds evaluated once, the variable keeps its last value, nothing overflows."""
        type_ = node.start.type
        dtype = type_.dtype
        ctype = self.prelude.ctype(type_)
        variable = self.memory.variable(node.name)
        start = self._once(node.start, "start", node.loc)
        stop = self._once(node.stop, "stop", node.loc)
        step = int(node.step.value.real) if isinstance(node.step, ir.Const) else 0
        if step and self._steps_safely(node, dtype, step):
            own = self._only_here(node)
            counter = variable if own else self._fresh("i")
            word = "<" if step > 0 else ">"
            move = f"{counter} += {step}" if step > 0 else f"{counter} -= {-step}"
            if self.steady and not own:
                self._emit("#pragma unroll 1")
            self._emit(f"for ({ctype} {counter} = {start}; {counter} {word} {group(stop)}; {move}) {{", node.loc)
            self.depth += 1
            if not own:
                self._emit(f"{variable} = {counter};")
        else:
            stride = self._once(node.step, "step", node.loc)
            unsigned = self.prelude.unsigned(dtype)
            trips, counter = self._fresh("trips"), self._fresh("i")
            function = self.prelude.trips(dtype)
            self._emit(f"const {unsigned} {trips} = {function}({start}, {stop}, {stride});")
            self._emit(f"for ({unsigned} {counter} = 0; {counter} < {trips}; {counter}++) {{", node.loc)
            self.depth += 1
            self._emit(f"{variable} = ({ctype})(({unsigned}){group(start)} + {counter} * ({unsigned}){group(stride)});")
        self._block(node.body)
        self.depth -= 1
        self._emit("}")

    def _only_here(self, node: ir.For) -> bool:
        """Whether nothing but the loop assigns to its variable and nothing outside it reads that."""
        return node.name in self._loops and self._loops[node.name] is node

    def _steps_safely(self, node: ir.For, dtype: ir.DType, step: int) -> bool:
        """Whether ``i += step`` cannot overflow beyond the last round."""
        if step in (1, -1):
            return step == 1 or dtype.kind == "i"
        low, high = full(dtype)
        start, stop = self.expressions.ranges.of(node.start), self.expressions.ranges.of(node.stop)
        if step > 0:
            return max(stop[1], start[1]) + step <= high
        return dtype.kind == "i" and min(stop[0], start[0]) + step >= low

    def _once(self, node: ir.Expr, word: str, loc: ir.Loc | None) -> str:
        """Return a text that can be evaluated again: constants and shapes as they are, others from a variable."""
        text = ungroup(self.expressions.text(node))
        if isinstance(node, (ir.Const, ir.Dim)):
            return text
        name = self._fresh(word)
        self._emit(f"const {self.prelude.ctype(node.type)} {name} = {text};", loc)
        return name


def _names(statement: ir.Stmt) -> set[str]:
    found: set[str] = set()
    for node in ir.walk(statement):
        if isinstance(node, (ir.Var, ir.Assign, ir.For)):
            found.add(node.name)
    return found


def _escape(text: str) -> str:
    """Return a string for a printf format."""
    out = []
    for letter in text:
        if letter == "%":
            out.append("%%")
        elif letter in '"\\':
            out.append(f"\\{letter}")
        elif letter == "\n":
            out.append("\\n")
        elif letter == "\t":
            out.append("\\t")
        elif letter.isascii() and letter.isprintable():
            out.append(letter)
        else:
            out += [f"\\{byte:03o}" for byte in letter.encode("utf-8")]
    return "".join(out)
