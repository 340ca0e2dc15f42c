"""The coverage page: which functions of the standard and of NumPy's everyday ones there are, on which dtypes, how exact.

The page is computed from the operation table and the namespace itself: ``python -m xpu.conformance.coverage_page`` prints it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

import numpy as np

from .names import EVERYDAY, STANDARD, STANDARD_VERSION
from .table import BOOL, COMPLEX, INTEGERS, REAL, REDUCTIONS, SIGNED, TABLE, UNSIGNED

_GROUPS = (
    ("bool", BOOL),
    ("integers", INTEGERS),
    ("signed", SIGNED),
    ("unsigned", UNSIGNED),
    ("real", REAL),
    ("complex", COMPLEX),
)


def lookup(name: str) -> Any:
    """Return what ``xp.<name>`` is, or None; names may lead through a subpackage: ``linalg.svd``."""
    import xpu

    found: Any = xpu
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except (AttributeError, ImportError):
            return None
    return found


def has(name: str) -> bool:
    """Whether the namespace has a name; ``newaxis`` is there although it is None."""
    import xpu

    return lookup(name) is not None or (name in xpu.__all__)


def _dtypes(chars: str) -> str:
    left, names = set(chars), []
    for name, group in _GROUPS:
        if group and set(group) <= left:
            names.append(name)
            left -= set(group)
    names += [np.dtype(char).name for char in chars if char in left]
    return ", ".join(names)


def _exactness(name: str) -> tuple[str, str]:
    if name in TABLE:
        row = TABLE[name]
        parts = []
        if set(row.chars) & set(REAL + INTEGERS + BOOL):
            parts.append("exact" if row.ulp == 0 else f"{row.ulp:g} ulp")
        if set(row.chars) & set(COMPLEX):
            parts.append("complex exact" if row.complex_ulp == 0 else f"complex {row.complex_ulp:g} ulp")
        return _dtypes(row.chars), ", ".join(parts)
    if name in REDUCTIONS:
        reduction = REDUCTIONS[name]
        return _dtypes(reduction.chars), "exact" if reduction.ulp == 0 else "rounding of the sum"
    return "", ""


def _lines(names: Iterable[str]) -> list[str]:
    lines = ["| function | in xpu | dtypes tested | tolerance |", "|---|---|---|---|"]
    for name in names:
        dtypes, exact = _exactness(name)
        lines.append(f"| `{name}` | {'yes' if has(name) else '-'} | {dtypes} | {exact} |")
    return lines


def _share(names: Iterable[str]) -> str:
    listed = list(names)
    return f"{sum(map(has, listed))} of {len(listed)}"


def coverage_page() -> str:
    """Return the coverage page as Markdown."""
    import xpu

    standard = [name for chapter in STANDARD.values() for name in chapter]
    everyday = [name for chapter in EVERYDAY.values() for name in chapter]
    lines = [
        "# Coverage",
        "",
        "This page is computed: `python -m xpu.conformance.coverage_page`. The tolerances are those that the conformance suite",
        "allows a device, in units in the last place of real results; complex results are measured relative to their magnitude.",
        "An empty tolerance means that the function only moves values, or is tested by properties.",
        "",
        f"- Python array API {STANDARD_VERSION}: {_share(standard)} functions and constants",
        f"- NumPy's everyday functions beyond the standard: {_share(everyday)}",
        "",
        f"## The Python array API {STANDARD_VERSION}",
    ]
    for chapter, names in STANDARD.items():
        lines += ["", f"### {chapter.capitalize()} ({_share(names)})", "", *_lines(names)]
    lines += ["", "## NumPy's everyday functions"]
    for chapter, names in EVERYDAY.items():
        lines += ["", f"### {chapter.capitalize()} ({_share(names)})", "", *_lines(names)]
    known = {*standard, *everyday}
    own = sorted(name for name in xpu.__all__ if name not in known and callable(getattr(xpu, name, None)))
    own = [name for name in own if not isinstance(getattr(xpu, name), type)]
    lines += ["", "## Beyond both", "", ", ".join(f"`{name}`" for name in own) + "."]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(coverage_page())
