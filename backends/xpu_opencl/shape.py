"""Launch shapes: the work-group size where the caller leaves it open.

CPU implementations run one group as one task, GPUs want many small groups. Global sizes are rounded up, and printed
kernels return at once in work-items beyond the end. Kernels with barriers get sizes that divide.
"""

from __future__ import annotations

from xpu.backend import DeviceInfo

_CPU_STEPS = (8, 64, 512)
"""Work-items in a group on CPUs, smallest launches first."""
_GPU_GROUP = 256
_GROUPS_A_UNIT = 8
"""Groups for each compute unit below which smaller ones are taken."""
_CACHE = 4096


class Shapes:
    """Chooses the work-group size for one kernel, and remembers its choices."""

    def __init__(self, info: DeviceInfo, limit: int, barriers: bool) -> None:
        self._info = info
        self._limit = max(limit, 1)
        self._barriers = barriers
        self._known: dict[tuple[int, ...], tuple[tuple[int, ...], tuple[int, ...]]] = {}

    def choose(self, global_size: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return the rounded global size and the local size, both in OpenCL's order (fastest axis first)."""
        found = self._known.get(global_size)
        if found is None:
            found = self._choose(global_size[::-1])
            if len(self._known) > _CACHE:
                self._known.clear()
            self._known[global_size] = found
        return found

    def shrink(self) -> bool:
        """Halve the largest group from now on; False when it cannot get smaller."""
        if self._limit == 1:
            return False
        self._limit = max(self._limit // 2, 1)
        self._known.clear()
        return True

    def _choose(self, sizes: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        items = 1
        for extent in sizes:
            items *= extent
        local = self._spread(sizes, self._group(items))
        if self._barriers:
            return sizes, local
        return tuple(-(-extent // part) * part for extent, part in zip(sizes, local, strict=True)), local

    def _group(self, items: int) -> int:
        """Return how many work-items a group should have."""
        if self._info.kind != "cpu":
            return min(_GPU_GROUP, self._limit)
        group = _CPU_STEPS[0]
        for step in _CPU_STEPS:
            if items >= step * _GROUPS_A_UNIT * self._info.compute_units:
                group = step
        return min(group, self._limit)

    def _spread(self, sizes: tuple[int, ...], group: int) -> tuple[int, ...]:
        """Distribute a group over the axes, as much as possible along the fastest."""
        local = []
        for axis, extent in enumerate(sizes):
            allowed = min(group, self._info.limits.max_work_items[axis])
            if self._barriers:
                part = next(d for d in range(min(allowed, extent), 0, -1) if extent % d == 0)
            else:
                part = min(_power_below(allowed), _power_above(extent))
            local.append(part)
            group //= part
        return tuple(local)


def _power_below(number: int) -> int:
    return 1 << (max(number, 1).bit_length() - 1)


def _power_above(number: int) -> int:
    return 1 << max(number - 1, 0).bit_length()
