"""How tests draw their cases: hypothesis for shapes, strides and values, which cost nothing; never for what needs a new kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings, strategies as st


@dataclass(frozen=True)
class Budget:
    """How much a run may cost."""

    quick: bool = False
    programs: int | None = None

    def choose(self, full: Any, quick: Any) -> Any:
        """Return one of two amounts."""
        return quick if self.quick else full

    def for_all(self, count: int, check: Callable[..., None], **strategies: st.SearchStrategy[Any]) -> None:
        """Call ``check`` with ``count`` drawn cases (fewer in a quick run), the same on every run.

        A failing case is shrunk to a small one; the report shows it.
        """
        phases = (Phase.explicit, Phase.generate) if self.quick else (Phase.explicit, Phase.generate, Phase.shrink)

        @settings(
            max_examples=self.choose(count, max(count // 5, 3)),
            deadline=None,
            derandomize=True,
            database=None,
            phases=phases,
            suppress_health_check=list(HealthCheck),
        )
        @given(**strategies)
        def run(**drawn: Any) -> None:
            check(**drawn)

        run()


def shapes(max_axes: int = 4, max_extent: int = 6, min_axes: int = 0) -> st.SearchStrategy[tuple[int, ...]]:
    """Shapes, empty ones and 0-d ones among them."""
    return st.lists(st.integers(0, max_extent), min_size=min_axes, max_size=max_axes).map(tuple)


@st.composite
def broadcastable(draw: Any, count: int = 2, max_axes: int = 3) -> list[tuple[int, ...]]:
    """Several shapes that broadcast together."""
    full = draw(shapes(max_axes))
    out = []
    for _ in range(count):
        lead = draw(st.integers(0, len(full)))
        out.append(tuple(1 if draw(st.booleans()) else extent for extent in full[lead:]))
    return out


@st.composite
def slices(draw: Any, extent: int) -> slice:
    """Slices of an axis, with bounds beyond its ends and steps of both signs."""
    bound = st.none() | st.integers(-extent - 2, extent + 2)
    step = draw(st.sampled_from((None, 1, 2, 3, -1, -2, -3)))
    return slice(draw(bound), draw(bound), step)


@st.composite
def basic_keys(draw: Any, shape: tuple[int, ...]) -> Any:
    """Basic indices of a shape: integers, slices, new axes, an ellipsis; one item or a tuple, complete or not."""
    items: list[Any] = []
    for extent in shape[: draw(st.integers(0, len(shape)))]:
        if extent and draw(st.integers(0, 3)) == 0:
            items.append(draw(st.integers(-extent, extent - 1)))
        else:
            items.append(draw(slices(extent)))
    if draw(st.booleans()):
        items.insert(draw(st.integers(0, len(items))), None)
    if draw(st.integers(0, 2)) == 0:
        items.append(Ellipsis)
    if len(items) == 1 and draw(st.booleans()):
        return items[0]
    return tuple(items)
