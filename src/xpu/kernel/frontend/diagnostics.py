"""Errors that show the user's own line: one function formats them all."""

from __future__ import annotations

import linecache
from dataclasses import dataclass

from ...errors import KernelCompileError, KernelTypeError
from ..ir import Loc

__all__ = ["NotConstantError", "Note", "UnresolvedError", "compile_error", "format_diagnostic", "type_error"]


@dataclass(frozen=True, slots=True)
class Note:
    """A second place that an error is about."""

    text: str
    loc: Loc | None


class NotConstantError(KernelCompileError):
    """A value must be known when the kernel is compiled, and is not."""


class UnresolvedError(KernelCompileError):
    """A name is read before the pass has seen a value for it."""


def _excerpt(loc: Loc) -> list[str]:
    text = linecache.getline(loc.file, loc.line).rstrip("\n")
    if not text.strip():
        return []
    stripped = text.lstrip()
    indent = len(text) - len(stripped)
    start = max(loc.col - indent, 0)
    width = max(min(loc.end_col, len(text)) - loc.col, 1)
    pad = "".join("\t" if c == "\t" else " " for c in stripped[:start])
    return [f"    {stripped}", f"    {pad}{'^' * width}"]


def format_diagnostic(
    problem: str, loc: Loc | None, advice: str = "", where: str = "", notes: tuple[Note, ...] = ()
) -> str:
    """Return the text of an error: what is wrong, the place with a caret, what to write instead.

    Parameters
    ----------
    problem : str
        One sentence on what is wrong.
    loc : Loc or None
        The place in the user's file.
    advice : str
        What to write instead.
    where : str
        The kernel or helper: ``"kernel 'saxpy'"``.
    notes : tuple of Note
        Further places, each shown with its line.
    """
    lines = [problem]
    if loc is not None:
        inside = f", in {where}" if where else ""
        lines.append(f'  File "{loc.file}", line {loc.line}{inside}')
        lines += _excerpt(loc)
    for note in notes:
        lines.append(f"  {note.text}" + (f' (File "{note.loc.file}", line {note.loc.line}):' if note.loc else ""))
        if note.loc is not None:
            lines += _excerpt(note.loc)
    if advice:
        lines.append(f"  {advice}")
    return "\n".join(lines)


def _finish(
    error: KernelCompileError | KernelTypeError, problem: str, loc: Loc | None, advice: str
) -> KernelCompileError | KernelTypeError:
    error.loc = loc  # type: ignore[union-attr]
    error.problem = problem  # type: ignore[union-attr]
    error.advice = advice  # type: ignore[union-attr]
    return error


def compile_error(
    problem: str,
    loc: Loc | None,
    advice: str = "",
    where: str = "",
    notes: tuple[Note, ...] = (),
    kind: type[KernelCompileError] = KernelCompileError,
) -> KernelCompileError:
    """Return the error for something that the language does not have; it carries ``loc``, ``problem``, ``advice``."""
    error = kind(format_diagnostic(problem, loc, advice, where, notes))
    _finish(error, problem, loc, advice)
    return error


def type_error(
    problem: str, loc: Loc | None, advice: str = "", where: str = "", notes: tuple[Note, ...] = ()
) -> KernelTypeError:
    """Return the error for types that do not fit; it carries ``loc``, ``problem``, ``advice``."""
    error = KernelTypeError(format_diagnostic(problem, loc, advice, where, notes))
    _finish(error, problem, loc, advice)
    return error
