"""Launch sizes: from the language's axes to CUDA's grid and blocks.

Printed kernels have blocks of one to three dimensions, x being the language's last axis, and a grid of one dimension,
x, from which they compute the group ids themselves: CUDA's grids end at 65,535 blocks in y and z.
"""

from __future__ import annotations

from collections.abc import Sequence

MAX_BLOCKS = 2**31 - 1
COMFORTABLE_BLOCK = 256
"""Threads in a block where the choice is ours: several warps to hide latency, several blocks on a processor."""
COMFORTABLE_ROW = 32
"""Threads along the last axis in blocks of two and three dimensions: one warp, one coalesced access."""


def block_dimensions(local_size: Sequence[int]) -> tuple[int, int, int]:
    """Return CUDA's block for a local size in the language's order."""
    x, y, z = (*reversed(local_size), 1, 1)[:3]
    return x, y, z


def block_count(global_size: Sequence[int], local_size: Sequence[int]) -> int:
    """Return the blocks that cover the index space."""
    count = 1
    for extent, width in zip(global_size, local_size, strict=True):
        count *= -(-extent // width)
    return count


def choose_local(
    global_size: Sequence[int], limit: int, max_items: Sequence[int], dividing: bool = False
) -> tuple[int, ...]:
    """Return a local size for a kernel that leaves the choice to the device.

    Parameters
    ----------
    global_size : sequence of int
        In the language's order.
    limit : int
        The most work-items in a group.
    max_items : sequence of int
        The most along x, y and z.
    dividing : bool
        Whether each extent must be a multiple of the choice: kernels with barriers.
    """
    budget = max(min(COMFORTABLE_BLOCK, limit), 1)
    rank = len(global_size)
    chosen = [1] * rank
    for axis in reversed(range(rank)):
        # All but the last turn leave something for the axes that follow, unless their extents need less.
        others = 1
        for other in range(axis):
            others = min(others * global_size[other], budget)
        share = budget if axis == 0 else max(budget // others, min(COMFORTABLE_ROW, budget))
        widest = min(share, max_items[rank - 1 - axis], budget)
        chosen[axis] = _divisor(global_size[axis], widest) if dividing else _power(global_size[axis], widest)
        budget //= chosen[axis]
    return tuple(chosen)


def _power(extent: int, widest: int) -> int:
    """Return the power of two that covers the extent, or the largest allowed."""
    covering = 1 << max(extent - 1, 0).bit_length()
    return min(covering, 1 << (widest.bit_length() - 1))


def _divisor(extent: int, widest: int) -> int:
    """Return the largest divisor of the extent that is allowed."""
    return next(width for width in range(min(extent, widest), 0, -1) if extent % width == 0)
