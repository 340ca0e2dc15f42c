"""One clock for all: contestants take turns, each warmed up and synchronised; medians of several rounds."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

Call = Callable[[], Any]

PAUSE = 0.06
"""Seconds between contestants: threads of the last one (OpenBLAS's, TBB's) spin that long after their work, and would
take a processor from the next."""
LEAST = 0.02
"""Seconds that one measurement lasts at least: short calls are repeated."""
MOST_REPEATS = 10_000


def once(call: Call, repeats: int = 1) -> float:
    """Return the seconds of one call, the mean of ``repeats`` calls in a row."""
    start = time.perf_counter()
    for _ in range(repeats):
        call()
    return (time.perf_counter() - start) / repeats


def repeats_for(call: Call, least: float = LEAST) -> int:
    """Return how often to repeat a call so that a measurement lasts long enough; warms it up too."""
    once(call)
    seconds = once(call)
    if seconds < least:
        seconds = min(seconds, once(call))
    return max(1, min(MOST_REPEATS, int(least / max(seconds, 1e-9))))


def race(contestants: Mapping[str, Call], *, rounds: int = 7, budget: float = 2.0) -> dict[str, float]:
    """Return the median seconds of each contestant, measured in turns.

    Parameters
    ----------
    contestants : mapping of str to callable
        Each returns when its work is done.
    rounds : int
        Measurements of each.
    budget : float
        Seconds for each contestant; slow ones get fewer rounds, but at least three.
    """
    repeats = {name: repeats_for(call) for name, call in contestants.items()}
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    spent = dict.fromkeys(contestants, 0.0)
    for number in range(max(rounds, 3)):
        for name, call in contestants.items():
            if number >= 3 and spent[name] > budget:
                continue
            if len(contestants) > 1:
                time.sleep(PAUSE)
                if spent[name] < budget / 4:  # a long call needs no warming: what it lost by the pause is nothing
                    call()
            taken = once(call, repeats[name])
            seconds[name].append(taken)
            spent[name] += taken * repeats[name]
    return {name: statistics.median(values) for name, values in seconds.items()}
