"""Who touched which element since the last barrier: the shadow of one block of memory.

Two accesses are ordered if one work-item makes both, or if a barrier of their group lies between. Everything else may
happen in any order, so an element that two such accesses touch, one of them writing and not both atomic, is a race.
Groups run one after another here, and the items of a group from barrier to barrier; thus the shadow only keeps the
accesses of the current group since its last barrier, and, for memory that groups share, one of each kind by the groups
before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .groups import Item

Record = tuple["Item", int]
"""A work-item, and the number of its access."""


class Conflict(NamedTuple):
    """An earlier access that a new one races with; ``other`` is None for an element never written."""

    other: Record | None
    how: str


UNWRITTEN = Conflict(None, "")
READS, WRITES, UPDATES = "reads", "writes", "atomically updates"


class Shadow:
    """The record of accesses to one block; addresses are its elements.

    ``known`` tells which elements have a value, one byte each; None where all have.
    """

    def __init__(self, known: bytearray | None = None) -> None:
        self.known = known
        self.reads: dict[int, Record] = {}
        self.more_reads: dict[int, Record] = {}
        self.writes: dict[int, Record] = {}
        self.atomics: dict[int, Record] = {}
        self.more_atomics: dict[int, Record] = {}
        self._group: list[tuple[dict[int, Record], dict[int, Record], dict[int, Record]]] = []
        self.past_reads: dict[int, Record] = {}
        self.past_writes: dict[int, Record] = {}
        self.past_atomics: dict[int, Record] = {}

    def read(self, address: int, item: Item, site: int) -> Conflict | None:
        """Note a read; return what it races with."""
        if self.known is not None and not self.known[address]:
            return UNWRITTEN
        other = self.writes.get(address)
        if other is not None and other[0] is not item:
            return Conflict(other, WRITES)
        if self.atomics and (found := self._other(self.atomics, self.more_atomics, address, item)):
            return Conflict(found, UPDATES)
        if self.past_writes and address in self.past_writes:
            return Conflict(self.past_writes[address], WRITES)
        if self.past_atomics and address in self.past_atomics:
            return Conflict(self.past_atomics[address], UPDATES)
        first = self.reads.get(address)
        if first is None:
            self.reads[address] = (item, site)
        elif first[0] is not item and address not in self.more_reads:
            self.more_reads[address] = (item, site)
        return None

    def write(self, address: int, item: Item, site: int) -> Conflict | None:
        """Note a write; return what it races with."""
        other = self.writes.get(address)
        if other is not None and other[0] is not item:
            return Conflict(other, WRITES)
        first = self.reads.get(address)
        if first is not None:
            if first[0] is not item:
                return Conflict(first, READS)
            if address in self.more_reads:
                return Conflict(self.more_reads[address], READS)
        if self.atomics and (found := self._other(self.atomics, self.more_atomics, address, item)):
            return Conflict(found, UPDATES)
        conflict = self._past(address)
        if conflict is not None:
            return conflict
        if self.past_atomics and address in self.past_atomics:
            return Conflict(self.past_atomics[address], UPDATES)
        if self.known is not None:
            self.known[address] = 1
        self.writes[address] = (item, site)
        return None

    def atomic(self, address: int, item: Item, site: int) -> Conflict | None:
        """Note an atomic update; return what it races with."""
        if self.known is not None and not self.known[address]:
            return UNWRITTEN
        other = self.writes.get(address)
        if other is not None and other[0] is not item:
            return Conflict(other, WRITES)
        if found := self._other(self.reads, self.more_reads, address, item):
            return Conflict(found, READS)
        conflict = self._past(address)
        if conflict is not None:
            return conflict
        first = self.atomics.get(address)
        if first is None:
            self.atomics[address] = (item, site)
        elif first[0] is not item and address not in self.more_atomics:
            self.more_atomics[address] = (item, site)
        return None

    def _past(self, address: int) -> Conflict | None:
        if self.past_writes and address in self.past_writes:
            return Conflict(self.past_writes[address], WRITES)
        if self.past_reads and address in self.past_reads:
            return Conflict(self.past_reads[address], READS)
        return None

    @staticmethod
    def _other(first: dict[int, Record], more: dict[int, Record], address: int, item: Item) -> Record | None:
        found = first.get(address)
        if found is not None and found[0] is item:
            return more.get(address)
        return found

    def barrier(self) -> None:
        """Note that the current group has passed a barrier: what it did before is ordered."""
        self._group.append((self.reads, self.writes, self.atomics))
        self.reads, self.more_reads, self.writes, self.atomics, self.more_atomics = {}, {}, {}, {}, {}

    def next_group(self) -> None:
        """Note that another group begins: nothing orders it with the groups before."""
        self.barrier()
        for reads, writes, atomics in self._group:
            self.past_reads.update(reads)
            self.past_writes.update(writes)
            self.past_atomics.update(atomics)
        self._group = []


class WideShadow:
    """The shadow of a block whose arrays have elements of several sizes, for an array with larger ones."""

    def __init__(self, shadow: Shadow, units: int) -> None:
        self.shadow = shadow
        self.units = units

    def _each(self, verb: str, address: int, item: Item, site: int) -> Conflict | None:
        act = getattr(self.shadow, verb)
        for unit in range(address * self.units, (address + 1) * self.units):
            conflict: Conflict | None = act(unit, item, site)
            if conflict is not None:
                return conflict
        return None

    def read(self, address: int, item: Item, site: int) -> Conflict | None:
        """As :meth:`Shadow.read`."""
        return self._each("read", address, item, site)

    def write(self, address: int, item: Item, site: int) -> Conflict | None:
        """As :meth:`Shadow.write`."""
        return self._each("write", address, item, site)

    def atomic(self, address: int, item: Item, site: int) -> Conflict | None:
        """As :meth:`Shadow.atomic`."""
        return self._each("atomic", address, item, site)
