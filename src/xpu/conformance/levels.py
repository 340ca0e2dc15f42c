"""The levels of the suite, from the driver up: a folder each."""

from __future__ import annotations

LEVELS: dict[str, str] = {
    "contract": "the parts of backend.py on the device itself: memory, code, order, limits",
    "arrays": "creation, dtypes, views, broadcasting, promotion, elementwise functions, reductions, products, shapes",
    "programs": "random programs of views and in-place writes: fused, unfused, without the library, against NumPy",
    "kernels": "kernels written by users: work-items, local memory, barriers, atomics, helpers, debug mode",
    "images": "image filters against reference pixels",
    "faults": "wrong input is refused by the right error, and changes nothing",
}


def parse(text: str | None) -> tuple[str, ...]:
    """Return the levels named by a comma-separated text; all of them for None."""
    if not text:
        return tuple(LEVELS)
    names = tuple(name.strip() for name in text.split(",") if name.strip())
    unknown = [name for name in names if name not in LEVELS]
    if unknown:
        raise ValueError(f"there is no level {unknown[0]!r}; the levels are {', '.join(LEVELS)}")
    return names
