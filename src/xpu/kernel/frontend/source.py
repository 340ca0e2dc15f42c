"""From a Python function to its syntax tree, with places in the user's own file."""

from __future__ import annotations

import ast
import builtins
import inspect
import linecache
from collections.abc import Callable
from functools import cached_property
from typing import Any

from ..ir import Loc
from .diagnostics import compile_error

MISSING = object()

_files: dict[str, tuple[list[str], dict[int, list[ast.AST]]]] = {}
"""For each file its lines, and the functions that begin on a line (that of the first decorator)."""


def _functions_of(file: str, lines: list[str]) -> dict[int, list[ast.AST]]:
    """Return the functions of a file by their first line; files are parsed once."""
    known = _files.get(file)
    if known is None or known[0] != lines:
        found: dict[int, list[ast.AST]] = {}
        for node in ast.walk(ast.parse("".join(lines))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                decorators = getattr(node, "decorator_list", [])
                first = min([node.lineno, *(d.lineno for d in decorators)])
                found.setdefault(first, []).append(node)
        known = _files[file] = (list(lines), found)
    return known[1]


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
        self.file = function.__code__.co_filename
        closure = function.__closure__ or ()
        self._cells = dict(zip(function.__code__.co_freevars, closure, strict=True))
        self._frozen: dict[str, Any] = {}
        self._places: dict[Any, Loc] = {}

    @cached_property
    def tree(self) -> ast.FunctionDef:
        """The ``def`` statement."""
        first = self.function.__code__.co_firstlineno
        linecache.lazycache(self.file, self.function.__globals__)
        lines = linecache.getlines(self.file)
        if not lines:
            raise compile_error(
                f"{self.where} has no source text: it was defined in an interactive session or by exec()",
                Loc(self.file, first),
                "put it into a .py file (a notebook cell works too): kernels are compiled from their source",
            )
        try:
            found = _functions_of(self.file, lines).get(first, [])
        except SyntaxError as error:
            raise compile_error(f"the file of {self.where} cannot be read: {error}", Loc(self.file, first)) from None
        named = [node for node in found if getattr(node, "name", "<lambda>") == self.function.__code__.co_name]
        if not named:
            raise compile_error(
                f"the source of {self.where} is not where Python says it is: the file has changed since its import",
                Loc(self.file, first),
                "start Python anew",
            )
        if not isinstance(named[0], ast.FunctionDef):
            kind = "an async function" if isinstance(named[0], ast.AsyncFunctionDef) else "a lambda"
            raise compile_error(
                f"{self.where} is {kind}", self.place(named[0]), "write it as a `def` statement on its own line"
            )
        return named[0]

    @cached_property
    def loc(self) -> Loc:
        """The place of the ``def``."""
        return self.place(self.tree)

    def place(self, node: Any) -> Loc:
        """Return the place of a syntax node: one line; columns count characters."""
        known = self._places.get(node)
        if known is None:
            known = self._places[node] = self._find_place(node)
        return known

    def _find_place(self, node: Any) -> Loc:
        line = node.lineno
        text = linecache.getline(self.file, line)
        col = _column(text, node.col_offset)
        if getattr(node, "end_lineno", line) == line:
            end = _column(text, node.end_col_offset)
        else:
            end = len(text.rstrip())
        if isinstance(node, ast.FunctionDef):
            end = col + len(f"def {node.name}")
        return Loc(self.file, line, col, max(end, col + 1))

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
        return statements[1:] if ast.get_docstring(self.tree, clean=False) is not None else statements


def _column(text: str, offset: int) -> int:
    """Turn a byte offset into a column of characters."""
    return offset if text.isascii() else len(text.encode()[:offset].decode(errors="replace"))


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
        node.target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name)
    }


def read_names(tree: ast.FunctionDef) -> set[str]:
    """Return the names that a function reads."""
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
