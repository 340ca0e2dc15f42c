"""The elements where flags are true, or their places, in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernel.stdlib import words as xp
from ..memory import View
from .gather import INT64, read
from .scan import scan
from .views import alone, flat, launch, temporary


@xp.kernel
def count_true(flags: Any, chunk: Any, counts: Any) -> None:
    """Count each piece. Index space: (parts,)."""
    p = xp.global_id(0)
    begin = p * chunk
    end = xp.math.min(begin + chunk, flags.shape[0])
    total = xp.int64(0)
    for k in range(begin, end):
        total += xp.int64(flags[k] != 0)
    counts[p] = total


# Both kernels store at every step, at a place that only moves on after a true flag: whether an element is wanted is as good
# as random, and a processor that guesses wrong at every fourth loses more time than it takes to store. What follows the last
# true one is not stored: that place is the next piece's.


@xp.kernel
def write_places(flags: Any, chunk: Any, counts: Any, out: Any) -> None:
    """Write the places of each piece behind those of the pieces before it. Index space: (parts,)."""
    p = xp.global_id(0)
    begin = p * chunk
    end = xp.math.min(begin + chunk, flags.shape[0])
    at = xp.int64(0)
    if p > 0:
        at = counts[p - 1]
    stop = counts[p]
    for k in range(begin, end):
        if at < stop:
            out[at] = k
        at += xp.int64(flags[k] != 0)


@xp.kernel
def write_values(flags: Any, values: Any, chunk: Any, counts: Any, out: Any) -> None:
    """Write the values of each piece behind those of the pieces before it. Index space: (parts,)."""
    p = xp.global_id(0)
    begin = p * chunk
    end = xp.math.min(begin + chunk, flags.shape[0])
    at = xp.int64(0)
    if p > 0:
        at = counts[p - 1]
    stop = counts[p]
    for k in range(begin, end):
        if at < stop:
            out[at] = values[k]
        at += xp.int64(flags[k] != 0)


def true_places(flags: View) -> View:
    """Return the positions, in C order, of the true elements of a contiguous bool view, as int64."""
    found = _Counted(flags)
    out = temporary(flags.storage.device, (found.total,), INT64)
    found.write(write_places, [], out)
    return out


def true_values(flags: View, values: View) -> View:
    """Return those elements of a contiguous view, in C order, where a contiguous bool view of its shape is true."""
    found = _Counted(flags)
    out = temporary(flags.storage.device, (found.total,), values.dtype)
    found.write(write_values, [flat(values)], out)
    return out


class _Counted:
    """Flags in pieces, with the number of true ones up to the end of each."""

    def __init__(self, flags: View) -> None:
        self.device = flags.storage.device
        self.total = 0
        size = flags.size
        if size == 0:
            return
        info = self.device.info
        wanted = 16 * info.compute_units * (1 if info.kind == "cpu" else 256)
        self.chunk = max(-(-size // wanted), 1024 if info.kind == "cpu" else 32)
        self.parts = -(-size // self.chunk)
        self.raw = View(flags.storage, np.dtype(np.uint8), (size,), (1,), flags.offset)
        self.counts = temporary(self.device, (self.parts,), INT64)
        launch(count_true, self.device, (self.parts,), alone(self.device, 1), [self.raw, self.chunk, self.counts])
        if self.parts > 1:
            rows = View(self.counts.storage, INT64, (1, self.parts, 1), (self.parts, 1, 1), 0)
            scan("sum", rows, rows)
        self.total = int(read(View(self.counts.storage, INT64, (1,), (1,), self.parts - 1))[0])

    def write(self, kernel: Any, operands: list[View], out: View) -> None:
        """Run a kernel that writes what belongs to the true flags."""
        if self.total:
            arguments = [self.raw, *operands, self.chunk, flat(self.counts), out]
            launch(kernel, self.device, (self.parts,), alone(self.device, 1), arguments)
