"""What xpu sets itself to reach: how many times faster than NumPy each work must be, by device.

    python benchmarks/marks.py benchmarks/latest.json

The figures are of `peers.py` (or `xpu bench --full --json`). A work that only moves memory also reaches its mark at
85 % of the bandwidth that the triad reached in the same run. Exits with 1 if a mark was missed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from rich.console import Console

from xpu.bench import report
from xpu.bench.run import Report, Row

MARKS: dict[str, tuple[float | None, float | None, float | None]] = {
    "chain 10^7": (12, 12, 10),
    "chain 10^6": (12, 8, 6),
    "chain 10^4": (0.8, None, None),
    "a+b 10^7": (0.95, 0.9, 0.6),
    "a+b 10^4": (0.8, None, None),
    "a+b 10": (0.5, None, None),
    "chain 10": (0.5, None, None),
    "sum": (1.7, 1.5, 1.2),
    "argmax": (1.7, 1.5, 1.2),
    "var": (5, 5, 4),
    "distance": (5, 5, 4),
    "transpose": (8, 8, 4),
    "mask": (2, 1, 0.5),
    "take": (1.5, 1, 0.5),
    "cumsum": (1, 0.8, 0.3),
    "sort": (1, 0.5, 0.3),
    "unique": (1, 0.5, 0.3),
    "matmul": (0.97, 0.65, 0.5),
    "Life": (4, None, None),
    "heat": (4, None, None),
}
"""By the beginning of a work's name, the longest that fits: times NumPy on cpu, Intel's OpenCL, another OpenCL."""
AGAINST_TORCH = {"conv2d": (0.6, 0.5, 0.3)}
BANDWIDTH = 0.85

Verdict = tuple[str, str, float, float, str]
"""Work, device, mark, reached, verdict."""


def column(found: Report, device: str) -> int:
    """Return which of the marks is a device's."""
    if device == "cpu":
        return 0
    return 1 if "intel" in found.devices[device].lower() else 2


def mark_of(name: str, table: dict[str, tuple[float | None, ...]]) -> tuple[float | None, ...] | None:
    """Return the marks of a work: those of the longest beginning of its name, at the end of a word."""
    fitting = [key for key in table if name == key or name.startswith(f"{key} ")]
    return table[max(fitting, key=len)] if fitting else None


def verdicts(found: Report) -> list[Verdict]:
    """Compare a report with the marks."""
    made = []
    for row in found.rows:
        for table, rival in ((MARKS, "numpy"), (AGAINST_TORCH, "torch")):
            marks = mark_of(row.name, table)  # type: ignore[arg-type]
            for device in found.devices if marks else ():
                mark = marks[column(found, device)] if marks else None
                seconds, other = row.seconds.get(device), row.seconds.get(rival)
                if mark is not None and seconds and other:
                    made.append((row.name, device, mark, other / seconds, _verdict(found, row, device, other, mark)))
    return made


def _verdict(found: Report, row: Row, device: str, other: float, mark: float) -> str:
    if device in row.wrong:
        return "WRONG"
    if other / row.seconds[device] >= mark:
        return "reached"
    share = row.share(device, found.limits[device]) if not row.flops else None
    return f"reached: {100 * share:.0f} % of the bandwidth" if share and share >= BANDWIDTH else "MISSED"


def cells(found: Report) -> report.Cells:
    """Return the verdicts as a table."""
    lines = [
        [name, device, f"{mark:g}x", report.factor(reached), word]
        for name, device, mark, reached, word in verdicts(found)
    ]
    return [["work", "device", "mark", "reached", "verdict"], *lines]


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    found = Report.from_dict(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    Console(width=100).print(report.table(cells(found)))
    missed = [verdict for verdict in verdicts(found) if not verdict[4].startswith("reached")]
    print(f"{len(verdicts(found)) - len(missed)} of {len(verdicts(found))} marks reached")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
