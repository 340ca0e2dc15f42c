"""The places of elements that are true, in order."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernel.stdlib import words as xp
from ..memory import View
from .gather import INT64, read
from .scan import scan
from .views import flat, launch, temporary


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


@xp.kernel
def write_places(flags: Any, chunk: Any, counts: Any, out: Any) -> None:
    """Write the places of each piece behind those of the pieces before it. Index space: (parts,)."""
    p = xp.global_id(0)
    begin = p * chunk
    end = xp.math.min(begin + chunk, flags.shape[0])
    at = xp.int64(0)
    if p > 0:
        at = counts[p - 1]
    for k in range(begin, end):
        if flags[k] != 0:
            out[at] = k
            at += 1


def true_places(flags: View) -> View:
    """Return the positions, in C order, of the true elements of a contiguous bool view, as int64."""
    device = flags.storage.device
    size = flags.size
    if size == 0:
        return temporary(device, (0,), INT64)
    info = device.info
    wanted = 4 * info.compute_units * (1 if info.kind == "cpu" else 256)
    chunk = max(-(-size // wanted), 1024 if info.kind == "cpu" else 32)
    parts = -(-size // chunk)
    raw = View(flags.storage, np.dtype(np.uint8), (size,), (1,), flags.offset)
    counts = temporary(device, (parts,), INT64)
    launch(count_true, device, (parts,), None, [raw, chunk, counts])
    if parts > 1:
        rows = View(counts.storage, INT64, (1, parts, 1), (parts, 1, 1), 0)
        scan("sum", rows, rows)
    total = int(read(View(counts.storage, INT64, (1,), (1,), parts - 1))[0])
    out = temporary(device, (total,), INT64)
    if total:
        launch(write_places, device, (parts,), None, [raw, chunk, flat(counts), out])
    return out
