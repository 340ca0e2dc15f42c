"""Sizes of index spaces and work-groups: how a launch spells them, and how a group size is chosen."""

from __future__ import annotations

import math
import operator
from typing import Any

from ..backend import Limits
from ..errors import KernelLaunchError

PREFERRED_GROUP = 256
"""Work-items in a group chosen for kernels with barriers, at most."""

Size = tuple[int, ...]


def _forms(name: str, rank: int) -> str:
    if rank == 1:
        return f"{name}[n](...) or {name}[n, local](...)"
    axes = ("h, w", "d, h, w")[rank - 2]
    local = ("8, 8", "4, 8, 8")[rank - 2]
    return f"{name}[({axes})](...) or {name}[({axes}), ({local})](...)"


def _malformed(name: str, rank: int, sizes: Any) -> KernelLaunchError:
    axes = "1 axis" if rank == 1 else f"{rank} axes"
    return KernelLaunchError(
        f"kernel {name!r} names {axes} of the index space, and [{_shown(sizes)}] is no size for that; "
        f"write {_forms(name, rank)}"
    )


def _shown(sizes: Any) -> str:
    return ", ".join(map(repr, sizes)) if isinstance(sizes, tuple) else repr(sizes)


def _integer(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    try:
        return operator.index(value)
    except TypeError:
        return None


def _size(value: Any, rank: int) -> Size | None:
    """Return a size of that rank, or None if it is none."""
    items = value if isinstance(value, tuple) else (value,)
    if len(items) != rank:
        return None
    found = [_integer(item) for item in items]
    return None if any(item is None for item in found) else tuple(found)  # type: ignore[arg-type]


def parse(sizes: Any, rank: int, name: str) -> tuple[Size, Size | None]:
    """Return the global and the local size meant by ``kernel[sizes]``.

    For kernels of one axis two integers are global and local size; for more axes a flat tuple of integers is the global
    size, and a local size needs tuples: ``k[(h, w), (8, 8)]``.
    """
    local: Size | None = None
    whole: Size | None
    if isinstance(sizes, tuple) and len(sizes) == 2 and (rank == 1 or not all(_integer(s) is not None for s in sizes)):
        whole = _size(sizes[0], rank) if rank == 1 or isinstance(sizes[0], tuple) else None
        if sizes[1] is not None:
            local = _size(sizes[1], rank)
            if local is None:
                raise _malformed(name, rank, sizes)
    else:
        whole = _size(sizes, rank)
    if whole is None:
        raise _malformed(name, rank, sizes)
    if any(extent < 0 for extent in whole):
        raise KernelLaunchError(f"kernel {name!r}: a global size of {whole} has negative extents")
    if local is not None and any(extent < 1 for extent in local):
        raise KernelLaunchError(f"kernel {name!r}: a local size of {local} has extents below 1")
    return whole, local


def _divisor(n: int, limit: int) -> int:
    """Return the largest divisor of ``n`` that is at most ``limit``."""
    best = 1
    for candidate in range(1, math.isqrt(n) + 1):
        if n % candidate == 0:
            for divisor in (candidate, n // candidate):
                if best < divisor <= limit:
                    best = divisor
    return best


def choose_local(global_size: Size, limits: Limits, allowed: int) -> Size:
    """Return the group size of a kernel with barriers that was launched without one.

    From the last axis to the first, each axis takes the largest divisor of its global size that the device and the
    kernel still allow, up to 256 work-items in all. The same sizes give the same groups every time.
    """
    room = max(1, min(allowed, limits.max_work_group, PREFERRED_GROUP))
    chosen: list[int] = []
    for position, extent in enumerate(reversed(global_size)):
        axis_limit = limits.max_work_items[min(position, len(limits.max_work_items) - 1)]
        part = _divisor(extent, min(room, axis_limit))
        chosen.append(part)
        room //= part
    return tuple(reversed(chosen))


def round_up(global_size: Size, local_size: Size) -> Size:
    """Return the smallest size that the local size divides."""
    return tuple(-(-extent // part) * part for extent, part in zip(global_size, local_size, strict=True))


def check_division(name: str, global_size: Size, local_size: Size) -> None:
    """Raise where a kernel with barriers is launched with groups that do not divide the global size."""
    for axis, (extent, part) in enumerate(zip(global_size, local_size, strict=True)):
        if extent % part:
            rounded = round_up(global_size, local_size)
            advice = str(rounded[0]) if len(rounded) == 1 else str(rounded)
            raise KernelLaunchError(
                f"kernel {name!r} has barriers, so its groups must be full: on axis {axis} the local size {part} does "
                f"not divide the global size {extent}. Launch {advice} work-items, and let those beyond the data do "
                f"nothing but reach the barriers; or choose another local size"
            )
