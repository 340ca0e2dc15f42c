"""Running sums: scan each block in local memory, scan the sums of the blocks, add those.

python examples/kernels/block_scan.py --device opencl
"""

from __future__ import annotations

from typing import Any

import numpy as np
from common import check, compare, run

import xpu as xp

GROUP = 256


@xp.kernel
def scan_naive(x, out):
    """Let one work-item do it all."""
    total = 0  # int32 as x, by the sum below
    for i in range(x.shape[0]):
        total += x[i]
        out[i] = total


def make_scan(each: int) -> tuple[Any, Any]:
    """Return the kernels for blocks of ``GROUP * each`` elements; each work-item takes ``each`` neighbours."""
    block = GROUP * each

    @xp.kernel
    def scan_blocks(x, out, sums):
        mine = xp.private_array(each, x.dtype)
        row = xp.local_array((2, GROUP), x.dtype)  # two rows: one is read while the other is written
        me = xp.local_id(0)
        first = xp.global_id(0) * each
        total = 0
        for k in xp.static_range(each):
            if first + k < x.shape[0]:
                total += x[first + k]
            mine[k] = total
        row[0, me] = total
        xp.barrier()
        source = 0
        step = 1
        while step < GROUP:  # after each round, an element holds the sum of twice as many
            value = row[source, me]
            if me >= step:
                value += row[source, me - step]
            row[1 - source, me] = value
            xp.barrier()
            source = 1 - source
            step *= 2
        before = row[source, me] - total
        for k in xp.static_range(each):
            if first + k < out.shape[0]:
                out[first + k] = before + mine[k]
        if me == GROUP - 1:
            sums[xp.group_id(0)] = row[source, me]

    @xp.kernel
    def add_before(out, sums):
        i = xp.global_id(0)
        number = i // block
        if number > 0:
            out[i] += sums[number - 1]

    return scan_blocks, add_before


def scan(x: Any, out: Any, each: int = 8) -> None:
    """Write the running sums of ``x`` into ``out``."""
    scan_blocks, add_before = KERNELS[each]
    n = x.shape[0]
    blocks = -(-n // (GROUP * each))
    sums = xp.empty(blocks, dtype=x.dtype)
    scan_blocks[blocks * GROUP, GROUP](x, out, sums)
    if blocks > 1:
        scan(sums, sums, each)  # the sums of the blocks are scanned in the same way
        add_before[n](out, sums)


KERNELS = {each: make_scan(each) for each in (1, 8)}


def main(device: Any, size: int) -> None:
    """Compute running sums."""
    host = np.random.default_rng(5).integers(-9, 10, size).astype(np.int32)
    expected = np.cumsum(host, dtype=np.int32)
    with xp.device(device):
        x = xp.asarray(host)
        out = xp.empty_like(x)
        scan_naive[1](x, out)
        check("scan_naive", out, expected)
        for each in KERNELS:
            out[...] = 0
            scan(x, out, each)
            check(f"scan, {each} elements a work-item", out, expected)
        compare(
            ("one work-item", lambda: scan_naive[1](x, out)),
            ("blocks, 1 element a work-item", lambda: scan(x, out, 1)),
            ("blocks, 8 elements a work-item", lambda: scan(x, out, 8)),
        )


if __name__ == "__main__":
    run(main, size=4_000_000, small=600)
