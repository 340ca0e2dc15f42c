"""From a Python function to its syntax tree, with places in the user's own file."""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
import textwrap
from collections.abc import Callable
from typing import Any

from ..ir import Loc
from .diagnostics import compile_error

MISSING = object()


class FunctionSource:
    """A Python function: its syntax tree, its places, and the names it sees from outside.

    Parameters
    ----------
    function : callable
        A function made by ``def``.
    what : str
        ``"kernel"`` or ``"helper"``, for messages.
    """

    def __init__(self, function: Callable[..., Any], what: str) -> None:
        decorator = "xp.kernel" if what == "kernel" else "xp.func"
        if not inspect.isfunction(function):
            raise compile_error(
                f"@{decorator} takes a function made by `def`, not {type(function).__name__}",
                None,
                "write the kernel as a plain function at module level or inside another function",
            )
        self.function = function
        self.name = function.__name__
        self.what = what
        self.where = f"{what} {self.name!r}"
        self.file = inspect.getsourcefile(function) or function.__code__.co_filename
        self.tree, self._indent = self._parse()
        self.loc = self.place(self.tree)
        closure = function.__closure__ or ()
        self._cells = dict(zip(function.__code__.co_freevars, closure, strict=True))
        self._frozen: dict[str, Any] = {}

    def _parse(self) -> tuple[ast.FunctionDef, int]:
        linecache.checkcache(self.file)
        try:
            lines, first = inspect.getsourcelines(self.function)
        except (OSError, TypeError):
            raise compile_error(
                f"{self.where} has no source text: it was defined in an interactive session or by exec()",
                Loc(self.file, self.function.__code__.co_firstlineno),
                "put it into a .py file (a notebook cell works too): kernels are compiled from their source",
            ) from None
        text = "".join(lines)
        dedented = textwrap.dedent(text)
        indent = len(lines[0]) - len(lines[0].lstrip())
        try:
            module = ast.parse(dedented)
        except SyntaxError as error:
            raise compile_error(
                f"the source of {self.where} cannot be read on its own: {error.msg}",
                Loc(self.file, first),
                "write it as a `def` statement that starts on its own line",
            ) from None
        node = module.body[0] if module.body else None
        if not isinstance(node, ast.FunctionDef):
            problem = "is an async function" if isinstance(node, ast.AsyncFunctionDef) else "is not a `def`"
            raise compile_error(
                f"{self.where} {problem}", Loc(self.file, first), "write it as a `def` statement on its own line"
            )
        ast.increment_lineno(module, first - 1)
        return node, indent

    def place(self, node: Any) -> Loc:
        """Return the place of a syntax node: one line; columns count characters of the user's line."""
        line = node.lineno
        text = linecache.getline(self.file, line)
        col = self._column(text, node.col_offset)
        if getattr(node, "end_lineno", line) == line:
            end = self._column(text, node.end_col_offset)
        else:
            end = len(text.rstrip())
        if isinstance(node, ast.FunctionDef):
            end = col + len(f"def {node.name}")
        return Loc(self.file, line, col, max(end, col + 1))

    def _column(self, text: str, offset: int) -> int:
        """Turn a byte offset in the dedented line into a character column of the real one."""
        encoded = text.encode()
        return len(encoded[: offset + self._indent].decode(errors="replace"))

    def outside(self, name: str) -> Any:
        """Return what a name means outside of the function: closure, module, builtins; ``MISSING`` if nothing.

        The value is frozen when it is first asked for: later changes are not seen by compiled kernels.
        """
        if name in self._frozen:
            return self._frozen[name]
        value = MISSING
        if name in self._cells:
            try:
                value = self._cells[name].cell_contents
            except ValueError:  # not assigned yet
                value = MISSING
        elif name in self.function.__globals__:
            value = self.function.__globals__[name]
        elif hasattr(builtins, name):
            value = getattr(builtins, name)
        if value is not MISSING:
            self._frozen[name] = value
        return value

    def parameters(self) -> list[str]:
        """Return the names of the parameters."""
        return [argument.arg for argument in [*self.tree.args.posonlyargs, *self.tree.args.args]]

    def defaults(self) -> dict[str, Any]:
        """Return the parameters that have default values."""
        values = self.function.__defaults__ or ()
        return dict(zip(self.parameters()[len(self.parameters()) - len(values) :], values, strict=True))

    def body(self) -> list[ast.stmt]:
        """Return the statements, without a docstring."""
        statements = self.tree.body
        if statements and isinstance(statements[0], ast.Expr) and isinstance(statements[0].value, ast.Constant):
            if isinstance(statements[0].value.value, str):
                return statements[1:]
        return statements


def assigned_names(tree: ast.FunctionDef) -> dict[str, ast.AST]:
    """Return the local names of a function, each with the first place that binds it."""
    found: dict[str, ast.AST] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            known = found.get(node.id)
            if known is None or (node.lineno, node.col_offset) < (known.lineno, known.col_offset):  # type: ignore[attr-defined]
                found[node.id] = node
    return found


def augmented_names(tree: ast.FunctionDef) -> set[str]:
    """Return the names that ``+=`` and its like change: variables for certain."""
    return {
        node.target.id for node in ast.walk(tree) if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
    }
