"""Running a plan: as a compiled kernel, or operation by operation: on the host, or by kernels of single operations.

A structure of operations is looked up once; then, for each combination of shapes and strides, a launch is kept with all its
arguments but memory and scalars, so that the next plan of the kind only fills these in.
"""

from __future__ import annotations

from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ..config import config
from ..memory import View, new_view
from .plan import Operand, Plan, Ref, Step, layout

if TYPE_CHECKING:
    from ..device import Device
    from ..kernel.build import Executable

NATIVE_ALWAYS = 1 << 14
"""Elements up to which a native library computes exact operations one by one: launching a kernel costs more."""
NATIVE_BUDGET = 0.2
"""Seconds that a structure may spend on the host, operation by operation, before it is worth a compiler."""
HOT_RUNS, HOT_SECONDS = 8, 2e-3
"""From this many runs on, and this time on the host, a structure may be in a loop, and is compiled if that is affordable."""
COMPILE_SHARE = 0.3
"""The part of the process's time that may go into compiling structures because they are hot."""
COMPILE_AT_ONCE = 0.25
"""Seconds of compiling that are always affordable."""
FREE_KERNELS = 16
"""Structures that a device compiles at first sight. A program with more of them has many different lines, and lines that are
not in a loop are not worth a compiler each: they go by kernels of single operations, which all lines share."""
ALWAYS_FUSED = 1 << 20
"""Elements from which on a structure is compiled at first sight: it would need much memory for what lies between."""
NATIVE_RATE = 1e-9
"""Seconds that an element of an exact operation takes on the host, roughly."""
TILE = 8
"""Side of the square that a work-item of a CPU computes where rows of one array meet columns of another (8: 17 ms for
4096^2 float32, 16: 18 ms, 32: 27 ms)."""
MAX_LAUNCHES = 512
"""Combinations of shapes and strides that a structure remembers."""

_started = perf_counter()


class Launch:
    """A compiled kernel with its arguments, for operands of certain shapes and strides; memory and scalars are filled in."""

    __slots__ = ("executable", "low", "places", "sizes", "template")

    def __init__(
        self, executable: Executable, sizes: tuple[int, ...], values: list[Any], operands: list[Operand]
    ) -> None:
        from ..kernel import abi

        self.executable = executable
        self.sizes = sizes
        self.template = abi.flatten(executable.kernel, sizes, values)
        places = abi.places(executable.kernel)
        self.places = [place for place, value in zip(places, values, strict=True) if isinstance(value, View)]
        self.low = [operand.low - operand.view.offset for operand in operands]
        """From each view's first element to the lowest that is touched."""
        for place in self.places:
            self.template[place] = None  # keep no memory alive

    def __call__(self, plan: Plan, outputs: list[View]) -> None:
        """Launch for the arrays and scalars of a plan."""
        values = self.template.copy()
        for view, place, low in zip([*plan.leaves, *outputs], self.places, self.low, strict=True):
            values[place] = view.storage.block
            values[place + 1] = np.int64(view.offset + low)
        self._start(values, plan.scalars)

    def on_blocks(self, blocks: list[Any], scalars: list[Any]) -> None:
        """Launch for contiguous arrays at the beginning of blocks."""
        values = self.template.copy()
        for block, place in zip(blocks, self.places, strict=True):
            values[place] = block
        self._start(values, scalars)

    def _start(self, values: list[Any], scalars: list[Any]) -> None:
        if scalars:
            values[-len(scalars) :] = scalars
        executable = self.executable
        if executable.debug:
            values.append(executable.device.error_block(executable))
        executable.start(self.sizes, None, values)


class Structure:
    """What is remembered of plans of one structure on one device."""

    __slots__ = ("compiles", "exact", "executables", "functions", "launches", "runs", "spent", "steps")

    def __init__(self, plan: Plan, device: Device) -> None:
        from .blocks import step_functions

        for dtype in {step.dtype for step in plan.steps} | {d for step in plan.steps for d in step.ins}:
            device.check_dtype(dtype)
        self.functions = step_functions(plan, device) if device.backend_device.library else None
        self.exact = all(dtype.kind in step.op.exact for step in plan.steps for dtype in step.ins)
        self.steps = len(plan.steps)
        self.compiles = False
        self.runs = 0
        self.spent = 0.0
        self.executables: dict[Any, Executable] = {}
        self.launches: dict[Any, Launch] = {}

    def stays_on_host(self, size: int, compiled: bool) -> bool:
        """Whether plans of that many elements should run operation by operation."""
        if self.exact and size <= NATIVE_ALWAYS:
            return True
        if compiled:
            return False
        expected = size * self.steps * NATIVE_RATE * (1 if self.exact else 10)
        if self.spent + expected >= NATIVE_BUDGET:
            return False
        return self.runs < HOT_RUNS or self.spent < HOT_SECONDS or not compiling_is_affordable()

    def waits(self, size: int, device: Device, least: int = 2) -> bool:
        """Whether plans of that many elements, and of ``least`` operations or more, should do without a kernel of their own.

        What counts is how often structures came before, never the clock: the same program asks for the same kernels
        again, and finds them on disk.
        """
        if self.compiles or self.steps < least or size >= ALWAYS_FUSED or not config.library:
            return False
        free = device.plans.setdefault("free kernels", FREE_KERNELS)
        self.runs += 1
        if free or self.runs > HOT_RUNS:
            device.plans["free kernels"] = max(free - 1, 0)
            self.compiles = True
        return not self.compiles

    def run_on_host(self, plan: Plan, outputs: list[View]) -> None:
        """Compute a plan through the library."""
        from .blocks import run_on_host

        start = perf_counter()
        assert self.functions is not None
        run_on_host(plan, self.functions, outputs)
        self.spent += perf_counter() - start
        self.runs += 1


def compiling_is_affordable() -> bool:
    """Whether little enough of the process's time went into compilers."""
    from ..kernel.build import statistics

    return statistics.seconds < COMPILE_AT_ONCE + COMPILE_SHARE * (perf_counter() - _started)


def run_by_operations(plan: Plan, outputs: list[View]) -> None:
    """Compute a plan by a kernel for each operation."""
    device = outputs[0].storage.device
    values: dict[int, View] = {}
    last = {index: number for number, step in enumerate(plan.steps) for kind, index in step.args if kind == "step"}
    for number, step in enumerate(plan.steps):
        single = Plan(plan.shape)
        refs: list[Ref] = []
        for kind, index in step.args:
            if kind == "scalar":
                single.scalars.append(plan.scalars[index])
                refs.append((kind, len(single.scalars) - 1))
            else:
                refs.append(single.add_leaf(plan.leaves[index] if kind == "leaf" else values[index]))
        single.steps.append(Step(step.op, step.ins, step.dtype, tuple(refs)))
        single.outputs = [0]
        stored = number in plan.outputs
        values[number] = outputs[plan.outputs.index(number)] if stored else new_view(device, plan.shape, step.dtype)
        run(single, [values[number]], device)
        for kind, index in step.args:
            if kind == "step" and last[index] == number:
                values.pop(index, None)  # nothing needs it any more: its memory serves the next


def structure_of(plan: Plan, device: Device, use: str = "fused") -> Structure:
    """Return what is remembered of plans like this one, when they are put to some use."""
    key = (use, plan.structure())
    known: Structure | None = device.plans.get(key)
    if known is None:
        known = device.plans[key] = Structure(plan, device)
    return known


def run(plan: Plan, outputs: list[View], device: Device) -> None:
    """Compute a plan into views of its shape."""
    if 0 not in plan.shape:
        prepare(plan, outputs, device)(plan, outputs)


def prepare(plan: Plan, outputs: list[View], device: Device) -> Callable[[Plan, list[View]], None]:
    """Return what computes a plan: everything that can fail without having changed anything is done."""
    structure = structure_of(plan, device)
    key: Any = (plan.shape, config.debug, *[(v.shape, v.strides) for v in plan.leaves], *[v.strides for v in outputs])
    launch = structure.launches.get(key)
    if structure.functions is not None and config.library and structure.stays_on_host(plan.size(), launch is not None):
        return structure.run_on_host
    if launch is None:
        if structure.waits(plan.size(), device):
            return run_by_operations
        launch = _launch(plan, outputs, device, structure)
        if len(structure.launches) >= MAX_LAUNCHES:
            structure.launches.clear()
        structure.launches[key] = launch
    return launch


def compiled(plan: Plan, outputs: list[View], device: Device) -> Launch:
    """Return a plan as a compiled kernel, also where a library could do it."""
    return _launch(plan, outputs, device, structure_of(plan, device))


def _launch(plan: Plan, outputs: list[View], device: Device, structure: Structure) -> Launch:
    from .emit import Layout, arguments, fused_kernel

    shape, operands = layout(plan.shape, [*plan.leaves, *outputs])
    count = len(plan.leaves)
    leaves, targets = operands[:count], operands[count:]
    tile = TILE if device.info.kind == "cpu" and crosses(shape, operands) else 0
    lanes = 1 if tile or plan.has_complex() else _lanes(shape[-1], device, targets)
    form = Layout(len(shape), leaves, targets, lanes, tile)
    key = (form.key(), config.debug)
    executable = structure.executables.get(key)
    if executable is None:
        from ..kernel.build import build

        executable = structure.executables[key] = build(fused_kernel(plan, form, device.info), device)
    return Launch(executable, form.index_space(shape), arguments(shape, leaves, targets, plan.scalars), operands)


def crosses(shape: tuple[int, ...], operands: list[Operand]) -> bool:
    """Whether some operands run along the last axis and others along the one before, as in the copy of a transpose."""
    if len(shape) < 2 or min(shape[-2:]) < 2 * TILE:
        return False
    along = {abs(o.strides[-1]) < abs(o.strides[-2]) for o in operands if 0 not in o.strides[-2:]}
    return len(along) == 2


def _lanes(extent: int, device: Device, targets: list[Operand]) -> int:
    width = device.info.limits.vector_bytes // 4
    if width < 2 or extent < width or any(target.kind not in "lr" for target in targets):
        return 1
    return width
