"""Reductions of a box of elements along its middle axis, on any device.

Callers bring the axes into the form outer x length x inner (collapsing what lies side by side) and a
:class:`~xpu.kernels.producer.Producer`, which may be an array or a fused expression::

    run("sum", from_view(x, strides), outer, length, inner, out)

``plan`` decides how: one work-item for a result where there are many results; else the length is cut into pieces whose
results a second stage reduces. On CPUs a work-item walks along with short vectors; on GPUs neighbouring work-items read
neighbouring elements, and a group shares a row through local memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ..backend import DeviceInfo
from ..config import config
from ..kernel.build import build
from ..memory import View
from . import reduce_index_templates as arguments, reduce_templates as templates
from .producer import Producer, from_view
from .reduce_operations import Reduction, reduction
from .views import argument_type, flat, launch, temporary

if TYPE_CHECKING:
    from ..device import Device

DType = np.dtype[Any]
ARGUMENTS = ("argmin", "argmax")
PIECE = 16384
"""Elements that a work-item should have at least, where the length is cut."""


@dataclass(frozen=True)
class Stage:
    """One launch."""

    shape: str
    """``rows``, ``columns`` or ``groups``: which template."""
    outer: int
    length: int
    inner: int
    parts: int
    chunk: int
    lanes: int
    strip: int
    """Columns of a work-item."""

    @property
    def along(self) -> str:
        """The axis along which vectors lie."""
        return "i" if self.shape == "columns" else "k"

    @property
    def sizes(self) -> tuple[tuple[int, ...], tuple[int, ...] | None]:
        """Global and local size."""
        if self.shape == "rows":
            return (self.outer, self.parts), None
        if self.shape == "groups":
            return (self.outer, self.parts * templates.GROUP), (1, templates.GROUP)
        return (self.outer, self.parts, -(-self.inner // self.strip)), None


def lanes_for(dtype: DType, info: DeviceInfo) -> int:
    """Return how many elements the vectors of a reduction hold; 1 where scalars are the device's way."""
    width = info.limits.vector_bytes or (64 if info.kind == "cpu" else 0)
    if not width:
        return 1
    return max(2, min(16, width // max(dtype.itemsize, 4)))


@lru_cache(maxsize=4096)
def plan(
    vectors: bool, work: DType, outer: int, length: int, inner: int, info: DeviceInfo, indexed: bool = False
) -> tuple[Stage, ...]:
    """Return the stages of a reduction.

    Parameters
    ----------
    vectors : bool
        Whether the reduction's functions work on short vectors.
    work : dtype
        In which elements are combined.
    outer, length, inner : int
        All at least 1.
    info : DeviceInfo
    indexed : bool
        argmin or argmax.
    """
    lanes = lanes_for(work, info) if vectors else 1
    if info.kind == "cpu":
        shape = "columns" if inner > 1 else "rows"
        strip = 1 if lanes == 1 else lanes if indexed else 4 * lanes
        if inner < lanes:
            strip, lanes = 1, lanes if inner == 1 else 1
        wanted = 4 * info.compute_units
    else:
        many = outer * inner >= 64 * templates.GROUP
        alone = "groups" if info.limits.max_work_group >= templates.GROUP else "rows"
        shape, lanes, strip = ("columns" if inner > 1 or (many and length <= 32) else alone), 1, 1
        wanted = 4 * info.compute_units * (1 if shape == "groups" else templates.GROUP)
    results = outer * (-(-inner // strip) if shape == "columns" else 1)
    piece = PIECE if shape != "columns" else max(64, PIECE // strip)
    if info.kind != "cpu":
        piece = 16 * templates.GROUP if shape == "groups" else 256
    parts = 1
    if results < wanted and length >= 2 * piece:
        parts = min(-(-wanted // results), length // piece)
    chunk = -(-length // parts)
    if lanes > 1 and shape == "rows":
        chunk = -(-chunk // lanes) * lanes
    parts = -(-length // chunk)
    first = Stage(shape, outer, length, inner, parts, chunk, lanes, strip)
    if parts == 1 or indexed:
        return (first,)
    return (first, *plan(vectors, work, outer, parts, inner, info))


def run(op: str, producer: Producer, outer: int, length: int, inner: int, out: View) -> None:
    """Reduce the elements that a producer gives.

    Parameters
    ----------
    op : str
        ``sum``, ``prod``, ``min``, ``max``, ``any``, ``all``, ``count_nonzero``, ``argmin``, ``argmax``.
    producer : Producer
    outer, length, inner : int
        Extents; ``length`` is reduced and not 0.
    out : View
        Contiguous, with ``outer * inner`` elements; its dtype is the result's (int64 for the last two operations).
    """
    if outer * inner == 0:
        return
    device = out.storage.device
    if op in ARGUMENTS:
        _run_arguments(op, producer, outer, length, inner, flat(out), device)
        return
    what = reduction(op, producer.dtype, out.dtype, double=device.info.kind == "cpu" and device.info.fp64)
    run_stages(what, _second(op, what), producer, outer, length, inner, out)


def run_stages(
    what: Reduction, again: Reduction, producer: Producer, outer: int, length: int, inner: int, out: View
) -> None:
    """Reduce with any reduction; ``again`` combines the results of pieces."""
    device = out.storage.device
    source = producer
    stages = plan(what.lanes, what.block, outer, length, inner, device.info)
    for number, stage in enumerate(stages):
        final = number == len(stages) - 1
        step = again if number else what
        target = flat(out) if final else temporary(device, (outer * stage.parts * inner,), step.total)
        _launch_stage(step, stage, source, target, final, device)
        source = from_view(target, (stage.parts * inner, inner, 1))


@lru_cache(maxsize=512)
def _second(op: str, what: Reduction) -> Reduction:
    """Return the reduction of the results of pieces."""
    combined = {"any": "max", "all": "min", "count_nonzero": "sum"}.get(op, op)
    if what.total.char == "B" and what.result.kind == "b":
        combined = "max" if what.identity == 0 else "min"
    again = reduction(combined, what.total, what.total)
    return Reduction(
        again.name,
        again.source,
        again.block,
        again.total,
        what.result,
        again.enter,
        again.combine,
        again.identity,
        again.lanes,
    )


def _launch_stage(what: Reduction, stage: Stage, source: Producer, out: View, final: bool, device: Device) -> None:
    if stage.shape == "rows":
        kernel = templates.make_rows(what, stage.lanes, final)
    elif stage.shape == "groups":
        kernel = templates.make_groups(what, final)
    else:
        kernel = templates.make_columns(what, stage.lanes, stage.strip, final)
    numbers = [stage.length, stage.chunk, stage.parts]
    if stage.shape == "columns":
        numbers.append(stage.inner)
    _launch(kernel, stage, source, [*numbers, out], device)


def _launch(kernel: Any, stage: Stage, source: Producer, args: list[Any], device: Device) -> None:
    types = tuple(argument_type(value) for value in args)
    key = (kernel, types, source.key, config.debug)
    executable = device.plans.get(key)
    if executable is None:
        made = source.install(kernel.specialize(types, device.info), stage.lanes, stage.along)
        executable = device.plans[key] = build(made, device)
    values = [np.int64(value) if isinstance(value, int) else value for value in args]
    executable.run(*stage.sizes, [*values, *source.args])


def _run_arguments(op: str, producer: Producer, outer: int, length: int, inner: int, out: View, device: Device) -> None:
    work = arguments.work_type(producer.dtype)
    (stage,) = plan(producer.dtype.kind != "c", work, outer, length, inner, device.info, True)
    final = stage.parts == 1
    places = out if final else temporary(device, (outer * stage.parts * inner,), out.dtype)
    values = temporary(device, (1 if final else outer * stage.parts * inner,), work)
    if stage.shape == "rows":
        kernel = arguments.make_rows(op, producer.dtype, stage.lanes, final)
    elif stage.shape == "groups":
        kernel = arguments.make_groups(op, producer.dtype, final)
    else:
        kernel = arguments.make_columns(op, producer.dtype, stage.lanes if stage.strip > 1 else 1, final)
    numbers = [stage.length, stage.chunk, stage.parts]
    if stage.shape == "columns":
        numbers.append(stage.inner)
    _launch(kernel, stage, producer, [*numbers, values, places], device)
    if not final:
        last = arguments.make_last(op, producer.dtype)
        launch(last, device, (outer, inner), None, [stage.parts, inner, values, places, out])
