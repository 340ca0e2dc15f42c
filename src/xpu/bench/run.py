"""Runs the works on NumPy and on devices, in turns, and checks that the results agree."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

import xpu

from ..device import Device, get_device
from .limits import Limits, measure
from .timing import race
from .works import WORKS, Work, classic

NUMPY = "numpy"
CLASSIC_SECONDS = 20.0
"""What the 10,000 x 10,000 matrix product may take on each contestant; else a smaller one is taken."""


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
        if not seconds or not peak:
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
    chosen = [get_device(device) for device in devices] if devices else [get_device()]
    todo = list(works) if works is not None else [work for work in WORKS if full or work.quick]
    total = len(chosen) + len(todo) + (works is None)
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
        rows.append(time_work(_fitting(chosen, limits), chosen, 3))
    progress("done", total, total)
    return Report(machine(), {str(d): d.info.name for d in chosen}, limits, rows, time.strftime("%Y-%m-%d"))


def _fitting(devices: Sequence[Device], limits: dict[str, Limits]) -> Work:
    """Return the classic product in a size that every contestant can do in some seconds."""
    slowest = min(one.single for one in limits.values()) / 4
    room = min(device.info.memory or 2**63 for device in devices) / 4
    n = 10_000
    while n > 1000 and (2 * n**3 / slowest > CLASSIC_SECONDS or 12 * n * n > room):
        n //= 2
    return classic(n)


def machine() -> dict[str, str]:
    """Return what a reader of figures must know: processor, threads, versions."""
    return {
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "xpu": xpu.__version__,
        "numpy": np.__version__,
        "blas": _blas(),
    }


def _blas() -> str:
    """Return which BLAS NumPy uses, and for which processor it runs; needs threadpoolctl."""
    try:
        from threadpoolctl import threadpool_info
    except ModuleNotFoundError:
        return "unknown (threadpoolctl is not installed)"
    found = [one for one in threadpool_info() if one.get("user_api") == "blas"]
    return ", ".join(f"{b['internal_api']} {b.get('version')} {b.get('architecture')}" for b in found) or "none"


def time_work(work: Work, devices: Sequence[Device], rounds: int = 5) -> Row:
    """Time one work on NumPy, where it has it, and on the devices that can do it."""
    row = Row(work.name, work.title, work.nbytes, work.flops, work.double)
    operands = work.inputs(np.random.default_rng(7))
    contestants: dict[str, Callable[[], Any]] = {}
    if work.has_numpy:
        contestants[NUMPY] = work.numpy(operands) if work.numpy else lambda: work.call(np, *operands)
    for device in devices:
        if device.info.fp64 or not work.double:
            contestants[str(device)] = device_call(work, device, operands)
    row.wrong = disagreeing(contestants)
    row.seconds = race(contestants, rounds=rounds)
    return row


def device_call(work: Work, device: Device, operands: tuple[Any, ...]) -> Callable[[], Any]:
    """Return the work on a device, its operands there already; each call returns when the result is computed."""
    there = tuple(xpu.asarray(x, device=device) for x in operands)

    def call() -> Any:
        result = work.call(xpu, *there)
        xpu.evaluate(*(result if isinstance(result, tuple) else (result,)))
        return result

    return call


def disagreeing(contestants: dict[str, Callable[[], Any]]) -> list[str]:
    """Return the contestants whose result differs from the first one's by more than rounding in float32 explains."""
    results = {name: np.asarray(_host(call())) for name, call in contestants.items()}
    (_, first), *others = results.items()
    return [
        name
        for name, result in others
        if not np.allclose(result, first, rtol=1e-3, atol=1e-3 * np.abs(first).max(initial=0))
    ]


def _host(result: Any) -> Any:
    return xpu.asnumpy(result) if isinstance(result, xpu.Array) else result
