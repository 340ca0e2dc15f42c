"""The loops over work-items in printed Numba kernels."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from .numba_statements import Writer

LINE = 64
"""Bytes of a cache line: arrays in scratch memory start at one."""


def round_up(nbytes: int) -> int:
    """Return the bytes up to the next cache line."""
    return -(-nbytes // LINE) * LINE


class Loops:
    """Writes the loops around a body: over the units of a slice, and over the items of each unit.

    Without groups a unit is one work-item. Rank 1 is one loop; with more axes the slice is cut into rows of the last
    axis, of which the first and the last may be partial. With groups a unit is one group, whose items are counted by
    ``lid0``...
    """

    def __init__(self, writer: Writer, rank: int, grouped: bool) -> None:
        self.writer = writer
        self.rank = rank
        self.grouped = grouped
        self.bounds: dict[int, tuple[list[str], list[str]]] = {}
        """By axis, starts and stops that the work-items with something to do lie between (kernels without groups)."""

    def head(self) -> list[tuple[str, str]]:
        """Return the definitions that the loops need, in order."""
        out = [
            (f"groups{axis}", f"floordiv_const(gsize{axis} + lsize{axis} - 1, lsize{axis})")
            for axis in range(self.rank)
        ]
        items = " * ".join(f"lsize{axis}" for axis in range(self.rank))
        out.append(("slots", f"({items} + {LINE - 1}) & {-LINE}"))
        return out

    @contextmanager
    def units(self) -> Iterator[None]:
        """Write the loop over the units of a slice."""
        with ExitStack() as stack:
            if self.grouped:
                stack.enter_context(self._groups())
            yield

    @contextmanager
    def items(self) -> Iterator[None]:
        """Write the loops over the items of a unit (without groups: over all of the slice)."""
        if self.grouped:
            with self._group_items():
                yield
        elif self.rank == 1:
            with self.writer.block(f"for gid0 in items({self._clipped(0, 'begin', 'end')}):"):
                yield
        else:
            with self._rows():
                yield

    def _clipped(self, axis: int, start: str, stop: str) -> str:
        starts, stops = self.bounds.get(axis, ([], []))
        for text in starts:
            start = f"max({start}, {text})"
        for text in stops:
            stop = f"min({stop}, {text})"
        return f"{start}, {stop}"

    def _inside(self, axis: int) -> str:
        starts, stops = self.bounds[axis]
        tests = [f"(gid{axis} >= {text})" for text in starts] + [f"(gid{axis} < {text})" for text in stops]
        return " & ".join(tests)

    @contextmanager
    def _groups(self) -> Iterator[None]:
        writer, last = self.writer, self.rank - 1
        with writer.block("for unit in count(begin, end):"):
            rest = "unit"
            for axis in range(last, 0, -1):
                writer.line(f"rest{axis} = floordiv_const({rest}, groups{axis})")
                writer.line(f"group{axis} = {rest} - rest{axis} * groups{axis}")
                rest = f"rest{axis}"
            writer.line(f"group0 = {rest}")
            for axis in range(self.rank):
                writer.line(f"base{axis} = group{axis} * lsize{axis}")
                writer.line(f"size{axis} = min(lsize{axis}, gsize{axis} - base{axis})")
            yield

    @contextmanager
    def _group_items(self) -> Iterator[None]:
        with ExitStack() as stack:
            slot = ""
            for axis in range(self.rank):
                stack.enter_context(self.writer.block(f"for lid{axis} in items(0, size{axis}):"))
                self.writer.line(f"gid{axis} = base{axis} + lid{axis}")
                slot = f"lid{axis}" if axis == 0 else f"({slot}) * lsize{axis} + lid{axis}"
            self.writer.line(f"slot = {slot}")
            yield

    @contextmanager
    def _rows(self) -> Iterator[None]:
        writer, last = self.writer, self.rank - 1
        width = f"gsize{last}"
        writer.line(f"row = floordiv_const(begin, {width})")
        writer.line(f"first = begin - row * {width}")
        writer.line("left = end - begin")
        if last == 1:
            writer.line("gid0 = row")
        else:
            writer.line("gid0 = floordiv_const(row, gsize1)")
            writer.line("gid1 = row - gid0 * gsize1")
        with writer.block("while left > 0:"):
            writer.line(f"stop = min({width}, first + left)")
            with ExitStack() as stack:
                outer = [self._inside(axis) for axis in range(last) if axis in self.bounds]
                if outer:
                    stack.enter_context(writer.block(f"if {' & '.join(outer)}:"))
                stack.enter_context(writer.block(f"for gid{last} in items({self._clipped(last, 'first', 'stop')}):"))
                yield
            writer.line("left = left - (stop - first)")
            writer.line("first = 0")
            if last == 1:
                writer.line("gid0 = gid0 + 1")
            else:
                writer.line("gid1 = gid1 + 1")
                with writer.block("if gid1 == gsize1:"):
                    writer.line("gid1 = 0")
                    writer.line("gid0 = gid0 + 1")
