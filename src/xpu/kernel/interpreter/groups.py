"""Work-items and work-groups: who runs when.

Groups run one after another, in order; the items of a group in order, each up to its next barrier. So a launch always
gives the same result, and what happens at a barrier is seen.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ...errors import KernelLaunchError, XpuError
from .memory import Array
from .races import Shadow

if TYPE_CHECKING:
    from .. import ir
    from .program import Program

Sizes = tuple[int, ...]
Ids = tuple[Any, ...]


class Launch:
    """One launch: its sizes, and the shadows of the blocks it touches."""

    def __init__(self, program: Program, true_size: Sizes, global_size: Sizes, local_size: Sizes) -> None:
        self.program = program
        self.report = program.report
        self.true_size = true_size
        """How many items really run: less than ``global_size`` where that was rounded up."""
        self.global_size: Ids = tuple(map(np.int64, true_size))
        self.local_size: Ids = tuple(map(np.int64, local_size))
        self.counts = tuple(math.ceil(n / m) for n, m in zip(global_size, local_size, strict=True))
        self.num_groups: Ids = tuple(map(np.int64, self.counts))
        self.sizes = local_size
        self.shadows: list[Shadow] = []


class Group:
    """One work-group, with its local arrays."""

    __slots__ = ("group_id", "launch", "local_arrays", "shadows")

    def __init__(self, launch: Launch, group_id: Sizes) -> None:
        self.launch = launch
        self.group_id: Ids = tuple(map(np.int64, group_id))
        self.shadows: list[Shadow] = []
        self.local_arrays: dict[tuple[str, str], Array] = {}
        for owner, decl in launch.program.local_declarations:
            shadow = Shadow()
            self.shadows.append(shadow)
            self.local_arrays[owner, decl.name] = declared(decl.name, decl.type, shadow, launch)

    def items(self) -> Iterator[Item]:
        """Yield the group's work-items in order, without those beyond the true global size."""
        launch = self.launch
        starts = [int(g) * n for g, n in zip(self.group_id, launch.sizes, strict=True)]
        for local in itertools.product(*map(range, launch.sizes)):
            position = [s + i for s, i in zip(starts, local, strict=True)]
            if all(p < n for p, n in zip(position, launch.true_size, strict=True)):
                yield Item(self, tuple(map(np.int64, position)), tuple(map(np.int64, local)))


class Item:
    """One work-item: what a kernel's function receives first."""

    __slots__ = ("global_id", "group", "local_arrays", "local_id")

    def __init__(self, group: Group, global_id: Ids, local_id: Ids) -> None:
        self.group = group
        self.global_id = global_id
        self.local_id = local_id
        self.local_arrays = group.local_arrays

    @property
    def group_id(self) -> Ids:
        """The group's index."""
        return self.group.group_id

    @property
    def global_size(self) -> Ids:
        """Work-items of the launch, an axis each."""
        return self.group.launch.global_size

    @property
    def local_size(self) -> Ids:
        """Work-items of a group."""
        return self.group.launch.local_size

    @property
    def num_groups(self) -> Ids:
        """Groups of the launch."""
        return self.group.launch.num_groups

    def private_array(self, name: str, dtype: str, shape: Sizes) -> Array:
        """Return a new private array, in which nothing is written yet."""
        return _array(name, "private", np.dtype(dtype), shape, None, self.group.launch)

    def assertion_failed(self, site: int) -> NoReturn:
        """Raise the error of an ``assert``."""
        raise self.group.launch.report.assertion(self, site)

    def __str__(self) -> str:
        numbers = tuple(map(int, self.global_id))
        return f"work-item {numbers[0] if len(numbers) == 1 else numbers}"

    __repr__ = __str__


def declared(name: str, type_: ir.ArrayType, shadow: Shadow, launch: Launch) -> Array:
    """Return a group's new local array."""
    return _array(name, "local", type_.dtype, type_.shape or (), shadow, launch)


def _array(name: str, space: str, dtype: np.dtype[Any], shape: Sizes, shadow: Shadow | None, launch: Launch) -> Array:
    strides = tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))
    return Array(name, space, dtype, shape, strides, 0, [None] * math.prod(shape), shadow, launch.report)


def choose_local_size(global_size: Sizes, barriers: bool, limit: int) -> Sizes:
    """Return a group size for a launch that leaves the choice: one group for all if they may wait for each other."""
    if barriers and math.prod(global_size) <= limit:
        return global_size
    room = limit if barriers else min(limit, 64)
    chosen = []
    for extent in reversed(global_size):
        size = next(n for n in range(min(extent, room), 0, -1) if extent % n == 0)
        chosen.append(size)
        room //= size
    return tuple(reversed(chosen))


def run(launch: Launch, arguments: list[Any]) -> None:
    """Run every work-item of a launch."""
    program = launch.program
    with np.errstate(all="ignore"):
        for number, group_id in enumerate(itertools.product(*map(range, launch.counts))):
            group = Group(launch, group_id)
            if program.barrier:
                if number:
                    for shadow in launch.shadows:
                        shadow.next_group()
                _run_with_barriers(program, group, arguments)
            else:
                _run_straight(program, group, arguments)


def _run_straight(program: Program, group: Group, arguments: list[Any]) -> None:
    entry = program.entry
    for item in group.items():
        try:
            entry(item, *arguments)
        except Exception as error:
            _explain(program, item, error)
            raise


def _run_with_barriers(program: Program, group: Group, arguments: list[Any]) -> None:
    active = [(item, program.entry(item, *arguments)) for item in group.items()]
    ended: Item | None = None
    while active:
        waiting: list[tuple[Item, Any]] = []
        at: list[int] = []
        for item, run_on in active:
            try:
                at.append(next(run_on))
                waiting.append((item, run_on))
            except StopIteration:
                ended = ended or item
            except Exception as error:
                _explain(program, item, error)
                raise
        if waiting:
            first = waiting[0][0]
            if ended is not None:
                raise program.report.divergent(first, at[0], ended, None)
            for (item, _), barrier in zip(waiting, at, strict=True):
                if barrier != at[0]:
                    raise program.report.divergent(first, at[0], item, barrier)
        for shadow in itertools.chain(group.shadows, group.launch.shadows):
            shadow.barrier()
        active = waiting


def _explain(program: Program, item: Item, error: Exception) -> None:
    """Turn Python's own exceptions into the language's, with the user's line."""
    if isinstance(error, XpuError):
        return
    frames = []
    traceback = error.__traceback__
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == program.file:
            frames.append(traceback)
        traceback = traceback.tb_next
    line = frames[-1].tb_lineno if frames else 0
    if isinstance(error, NameError):
        name = getattr(error, "name", None) or str(error).split("'")[1]
        raise program.report.unassigned(item, name, line) from None
    if isinstance(error, ValueError) and "range() arg 3" in str(error):
        raise KernelLaunchError(program.report.failed(item, ValueError("a range with step 0"), line)) from None
    error.add_note(program.report.failed(item, error, line))
