"""What can be refused without knowing types: checked when a function is decorated."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...errors import KernelCompileError
from .diagnostics import compile_error
from .source import FunctionSource

_LOOP = "write a for loop over range(...); keep several values in xp.private_array(n, dtype)"
_ASYNC = "kernels run to their end by themselves"

REFUSED: dict[type[ast.AST], tuple[str, str]] = {
    ast.Import: ("imports are not part of the kernel language", "import at the top of the file"),
    ast.ImportFrom: ("imports are not part of the kernel language", "import at the top of the file"),
    ast.Global: ("`global` is not part of the kernel language", "write results into an array argument"),
    ast.Nonlocal: ("`nonlocal` is not part of the kernel language", "write results into an array argument"),
    ast.Lambda: (
        "lambda functions are not part of the kernel language",
        "write an @xp.func helper outside of the kernel",
    ),
    ast.FunctionDef: (
        "functions inside of functions are not part of the kernel language",
        "move it outside and decorate it with @xp.func",
    ),
    ast.AsyncFunctionDef: ("async functions are not part of the kernel language", _ASYNC),
    ast.ClassDef: ("classes are not part of the kernel language", "use tuples, and arrays for each field"),
    ast.Try: (
        "exceptions are not part of the kernel language",
        "test for the case with `if`; `assert` checks in debug mode",
    ),
    ast.Raise: (
        "exceptions are not part of the kernel language",
        "use `assert condition, 'message'`, which debug mode checks, or write an error code into an array",
    ),
    ast.With: ("`with` is not part of the kernel language", "open and close around the launch"),
    ast.AsyncWith: ("`async with` is not part of the kernel language", _ASYNC),
    ast.AsyncFor: ("`async for` is not part of the kernel language", _ASYNC),
    ast.Await: ("`await` is not part of the kernel language", _ASYNC),
    ast.Yield: ("generators are not part of the kernel language", "write the values into an array argument"),
    ast.YieldFrom: ("generators are not part of the kernel language", "write the values into an array argument"),
    ast.ListComp: ("comprehensions are not part of the kernel language", _LOOP),
    ast.SetComp: ("comprehensions are not part of the kernel language", _LOOP),
    ast.DictComp: ("comprehensions are not part of the kernel language", _LOOP),
    ast.GeneratorExp: ("generator expressions are not part of the kernel language", _LOOP),
    ast.Set: ("sets are not part of the kernel language", "compare with each value: x == 1 or x == 2"),
    ast.Dict: ("dictionaries are not part of the kernel language", "use `if`/`elif`, or an array argument as a table"),
    ast.JoinedStr: ("f-strings are not part of the kernel language", "give the parts to print: print('x =', x)"),
    ast.Delete: ("`del` is not part of the kernel language", "names end with the kernel"),
    ast.NamedExpr: (":= is not part of the kernel language", "assign on a line of its own before"),
    ast.Match: ("`match` is not part of the kernel language", "write `if`/`elif`"),
}
if hasattr(ast, "TryStar"):
    REFUSED[ast.TryStar] = REFUSED[ast.Try]


def check_syntax(source: FunctionSource) -> None:
    """Raise for the first construct that the language does not have."""
    _check_parameters(source)
    for statement in source.tree.body:
        for node in _in_order(statement):
            error = _refusal(source, node)
            if error is not None:
                raise error


def _in_order(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        yield from _in_order(child)


def _check_parameters(source: FunctionSource) -> None:
    arguments = source.tree.args
    for star, argument in (("*", arguments.vararg), ("**", arguments.kwarg)):
        if argument is not None:
            raise compile_error(
                f"{star}{argument.arg}: a {source.what} has a fixed list of arguments",
                source.place(argument),
                "name each argument; a tuple of arrays or numbers can be one argument",
                source.where,
            )
    if arguments.kwonlyargs:
        raise compile_error(
            f"keyword-only argument {arguments.kwonlyargs[0].arg!r}",
            source.place(arguments.kwonlyargs[0]),
            "leave out the * before it: every argument can be given by name",
            source.where,
        )


def _refusal(source: FunctionSource, node: ast.AST) -> KernelCompileError | None:
    known = REFUSED.get(type(node))
    if known is not None:
        return compile_error(known[0], source.place(node), known[1], source.where)
    if isinstance(node, ast.List) and isinstance(node.ctx, ast.Load):
        advice = "use a tuple, or xp.private_array(n, dtype) for values that change"
        return compile_error("lists are not part of the kernel language", source.place(node), advice, source.where)
    if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.MatMult):
        advice = "write the loop over k: s += a[i, k] * b[k, j]"
        return compile_error("@ is not part of the kernel language", source.place(node), advice, source.where)
    if isinstance(node, (ast.While, ast.For)) and node.orelse:
        advice = "keep a flag: found = False before the loop, and test it after"
        place = source.place(node.orelse[0])
        return compile_error("`else` of a loop is not part of the kernel language", place, advice, source.where)
    if isinstance(node, ast.Return) and source.what == "kernel" and not _nothing(node.value):
        advice = "write results into an array argument"
        return compile_error("a kernel returns nothing", source.place(node.value), advice, source.where)
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
        advice = "assign a local name or an array element"
        return compile_error("attributes cannot be assigned in a kernel", source.place(node), advice, source.where)
    if isinstance(node, ast.Constant) and isinstance(node.value, bytes):
        return compile_error("bytes are not part of the kernel language", source.place(node), "", source.where)
    return None


def _nothing(node: ast.expr | None) -> bool:
    return node is None or (isinstance(node, ast.Constant) and node.value is None)
