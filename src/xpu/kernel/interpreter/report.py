"""The messages of the interpreter: what happened, to whom, and the user's own line with a caret."""

from __future__ import annotations

import linecache
from typing import TYPE_CHECKING, Any

from ...errors import KernelAssertionError, KernelIndexError, KernelRaceError, KernelTypeError
from .. import ir

if TYPE_CHECKING:
    from .groups import Item
    from .program import Program


def place(loc: ir.Loc | None) -> str:
    """Return file, line, source line and caret, as the last lines of a message."""
    if loc is None:
        return ""
    text = f'\n  File "{loc.file}", line {loc.line}'
    line = linecache.getline(loc.file, loc.line).rstrip("\n")
    if line.strip():
        caret = " " * loc.col + "^" * max(loc.end_col - loc.col, 1)
        text += f"\n    {line}\n    {caret}"
    return text


def tuple_text(values: Any) -> str:
    """Return ``3`` for one number, ``(3, 4)`` for several."""
    numbers = tuple(int(v) for v in values)
    return str(numbers[0]) if len(numbers) == 1 else str(numbers)


class Reporter:
    """Makes the errors of one kernel."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.kernel = program.kernel.name

    def _loc(self, site: int) -> ir.Loc | None:
        loc: ir.Loc | None = self.program.sites[site].loc
        return loc

    def _array(self, site: int, name: str, space: str) -> str:
        """Name an array: by the kernel's argument, and by a helper's own word for it."""
        word = {"global": "argument", "local": "local array", "private": "private array"}[space]
        helper = self.program.helper_of(site)
        inside: str = self.program.sites[site].array
        if helper is not None and inside != name:
            return f"{word} {name!r} ({inside!r} in helper {helper!r})"
        return f"{word} {name!r}"

    def index(
        self, item: Item, site: int, name: str, space: str, shape: Any, axis: int, index: int, lanes: int = 0
    ) -> KernelIndexError:
        """Return the error for an index outside an array."""
        what = f"index {index}" if not lanes else f"a vector of {lanes} lanes at index {index}"
        shown = tuple(int(n) for n in shape)
        return KernelIndexError(
            f"kernel {self.kernel!r}: {what} is out of range for axis {axis} of {self._array(site, name, space)} "
            f"of shape {shown} ({item}){place(self._loc(site))}"
        )

    def unwritten(self, item: Item, site: int, name: str, space: str, index: Any) -> KernelRaceError:
        """Return the error for a read of an element that nothing has been written to."""
        return KernelRaceError(
            f"kernel {self.kernel!r}: reads element {tuple_text(index)} of {self._array(site, name, space)}, "
            f"to which nothing has been written yet ({item}){place(self._loc(site))}"
        )

    def race(
        self,
        item: Item,
        site: int,
        how: str,
        name: str,
        space: str,
        index: Any,
        other: tuple[Item, int],
        other_how: str,
    ) -> KernelRaceError:
        """Return the error for two work-items at one element."""
        first, first_site = other
        together = first.group is item.group
        why = "with no barrier between" if together else "and are in different groups, which nothing orders"
        return KernelRaceError(
            f"kernel {self.kernel!r}: race on element {tuple_text(index)} of {self._array(site, name, space)}: "
            f"{first} {other_how} it and {item} {how} it, {why}."
            + self._spot(f"{first} {other_how} it", self._loc(first_site))
            + self._spot(f"{item} {how} it", self._loc(site))
        )

    @staticmethod
    def _spot(who: str, loc: ir.Loc | None) -> str:
        return f"\n{who} here:{place(loc)}" if loc is not None else ""

    def divergent(self, waiting: Item, barrier: int, other: Item, other_barrier: int | None) -> KernelRaceError:
        """Return the error for a barrier that not all items of a group reach."""
        loc = self.program.barriers[barrier].loc
        start = (
            f"kernel {self.kernel!r}: divergent barrier in group {tuple_text(waiting.group_id)}: {waiting} waits at "
        )
        if other_barrier is None:
            return KernelRaceError(f"{start}a barrier that {other} never reached: it has ended.{place(loc)}")
        there = self.program.barriers[other_barrier].loc
        return KernelRaceError(
            f"{start}one barrier, {other} at another."
            + self._spot(f"{waiting} waits", loc)
            + self._spot(f"{other} waits", there)
        )

    def assertion(self, item: Item, site: int) -> KernelAssertionError:
        """Return the error for an ``assert`` that failed."""
        message = self.program.sites[site].message or "assertion failed"
        return KernelAssertionError(f"kernel {self.kernel!r}: {message} ({item}){place(self._loc(site))}")

    def unassigned(self, item: Item, variable: str, line: int) -> KernelRaceError:
        """Return the error for a local variable read before anything was assigned to it."""
        loc = None
        if self.program.kernel.loc is not None:
            text = linecache.getline(self.program.file, line)
            column = max(text.find(variable), 0)
            loc = ir.Loc(self.program.file, line, column, column + len(variable))
        return KernelRaceError(
            f"kernel {self.kernel!r}: variable {variable!r} is read before anything was assigned to it; assign it on "
            f"every path ({item}){place(loc)}"
        )

    def wrong_type(self, item: Item, site: int, name: str, space: str, expected: str, value: Any) -> KernelTypeError:
        """Return the error for a value of another type than its array: a mistake of the front end."""
        got = getattr(value, "dtype", type(value).__name__)
        return KernelTypeError(
            f"kernel {self.kernel!r}: a value of type {got} is stored to {self._array(site, name, space)} of type "
            f"{expected} ({item}){place(self._loc(site))}"
        )

    def failed(self, item: Item, error: BaseException, line: int) -> str:
        """Return any other exception's message, with the place."""
        loc = ir.Loc(self.program.file, line) if self.program.kernel.loc is not None else None
        return f"kernel {self.kernel!r}: {error} ({item}){place(loc)}"
