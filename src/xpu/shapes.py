"""Shapes of results."""

from __future__ import annotations

from functools import lru_cache

from .errors import BroadcastError


@lru_cache(maxsize=1024)
def broadcast_shapes(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """Return the shape that arrays of these shapes have together.

    Raises
    ------
    BroadcastError
        If an axis has two different lengths, none of them 1.
    """
    ndim = max(map(len, shapes), default=0)
    out = [1] * ndim
    for shape in shapes:
        lead = ndim - len(shape)
        for axis, extent in enumerate(shape):
            if extent != 1 and out[lead + axis] != extent:
                if out[lead + axis] != 1:
                    raise BroadcastError(
                        f"shapes {' and '.join(map(str, shapes))} do not broadcast: axis {axis - len(shape)} "
                        f"is {out[lead + axis]} in one and {extent} in another"
                    )
                out[lead + axis] = extent
    return tuple(out)
