"""Runs the works on NumPy and on devices, in turns, and checks that the results agree."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

import xpu

from ..device import Device, get_device
from .agreement import disagreeing
from .environment import machine
from .limits import Limits, measure
from .timing import race
from .works import WORKS, Work, classic

NUMPY = "numpy"
CLASSIC_SECONDS = 2.5
"""What the 10,000 x 10,000 matrix product may take on each contestant; else a smaller one is taken."""
CLASSIC_SIZES = (10_000, 8000, 6000, 5000, 4000, 3000, 2000, 1000)
TINY = 1 << 20
"""Bytes below which the memory's bandwidth is no limit: such operands stay in the caches."""


@dataclass
class Row:
    """One work: seconds by contestant, and what a call moves and computes."""

    name: str
    title: str
    nbytes: int
    flops: int
    double: bool
    seconds: dict[str, float] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)
    """Contestants whose result is not NumPy's."""

    def times_numpy(self, contestant: str) -> float | None:
        """Return how many times faster than NumPy a contestant is; None where either is missing."""
        if NUMPY not in self.seconds or contestant not in self.seconds:
            return None
        return self.seconds[NUMPY] / self.seconds[contestant]

    def share(self, contestant: str, limits: Limits) -> float | None:
        """Return the share of the device's limit: of its bandwidth or arithmetic, whichever is nearer."""
        seconds = self.seconds.get(contestant)
        peak = limits.double if self.double else limits.single
        if not seconds or not peak or (self.nbytes < TINY and not self.flops):
            return None
        return max(self.nbytes / limits.bandwidth, self.flops / peak) / seconds


@dataclass
class Report:
    """What was measured, and on what."""

    machine: dict[str, str]
    devices: dict[str, str]
    limits: dict[str, Limits]
    rows: list[Row]
    date: str

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain data, for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Report:
        """Return the report that :meth:`to_dict` made plain."""
        limits = {name: Limits(**one) for name, one in data["limits"].items()}
        rows = [Row(**one) for one in data["rows"]]
        return cls(dict(data["machine"]), dict(data["devices"]), limits, rows, data["date"])

    @property
    def wrong(self) -> list[str]:
        """Whose result is not NumPy's: ``work on contestant``."""
        return [f"{row.name} on {name}" for row in self.rows for name in row.wrong]


def run(
    devices: Sequence[Device | str] | None = None,
    *,
    works: Sequence[Work] | None = None,
    full: bool = False,
    rounds: int = 5,
    progress: Callable[[str, int, int], None] = lambda text, done, total: None,
) -> Report:
    """Time works on NumPy and on devices.

    Parameters
    ----------
    devices : sequence of Device or str, optional
        The current device if left out.
    works : sequence of Work, optional
        By default the quick ones, or all with ``full``; and the classic matrix product of 10,000 x 10,000, made smaller
        where it would take too long or not fit.
    full : bool
    rounds : int
        Measurements of which the median is taken.
    progress : callable
        Called with what comes next, the steps done and the steps in all.
    """
    chosen = list(dict.fromkeys(get_device(device) for device in devices)) if devices else [get_device()]
    todo = list(works) if works is not None else [work for work in WORKS if full or work.quick]
    total = len(chosen) + len(todo) + (works is None)
    about = machine()
    limits = {}
    for done, device in enumerate(chosen):
        progress(f"limits of {device}", done, total)
        limits[str(device)] = measure(device)
    rows = []
    for done, work in enumerate(todo, len(chosen)):
        progress(work.name, done, total)
        rows.append(time_work(work, chosen, rounds))
    if works is None:
        progress("the classic matrix product", total - 1, total)
        rows.append(time_work(_fitting(chosen), chosen, 3))
    progress("done", total, total)
    return Report(about, described(chosen), limits, rows, time.strftime("%Y-%m-%d"))


def described(devices: Sequence[Device]) -> dict[str, str]:
    """Return what each device is, and by which driver it works."""
    return {str(device): ", ".join(filter(None, (device.info.name, device.info.driver))) for device in devices}


def _fitting(devices: Sequence[Device]) -> Work:
    """Return the classic product in the largest size that every contestant can do in a few seconds."""
    small = time_work(classic(1000), devices, 3)
    slowest = max(small.seconds.values())
    room = min(device.info.memory or 2**63 for device in devices) / 4
    for n in CLASSIC_SIZES:
        if slowest * (n / 1000) ** 3 <= CLASSIC_SECONDS and 12 * n * n <= room:
            return classic(n)
    return classic(CLASSIC_SIZES[-1])


def time_work(work: Work, devices: Sequence[Device], rounds: int = 5) -> Row:
    """Time one work on NumPy, where it has it, and on the devices that can do it."""
    operands = work.inputs(np.random.default_rng(7))
    contestants = {
        str(device): device_call(work, device, operands) for device in devices if device.info.fp64 or not work.double
    }
    return time_contestants(work, operands, contestants, rounds)


def time_contestants(
    work: Work, operands: tuple[Any, ...], contestants: Mapping[str, Callable[[], Any]], rounds: int = 5
) -> Row:
    """Time one work on NumPy and on whatever else is called, after a check of all results against NumPy's."""
    row = Row(work.name, work.title, work.nbytes, work.flops, work.double)
    reference = work.numpy(operands) if work.numpy else lambda: work.call(np, *operands)
    row.wrong = disagreeing(reference(), {name: call() for name, call in contestants.items()})
    row.seconds = race({NUMPY: reference, **contestants} if work.has_numpy else contestants, rounds=rounds)
    return row


def device_call(work: Work, device: Device, operands: tuple[Any, ...]) -> Callable[[], Any]:
    """Return the work on a device, its operands there already; each call returns when the result is computed."""
    there = tuple(xpu.asarray(x, device=device) for x in operands)

    def call() -> Any:
        result = work.call(xpu, *there)
        xpu.evaluate(result)
        return result

    return call
