"""A report for people: tables on the console and in Markdown, from the same cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .limits import Limits
from .run import NUMPY, Report, Row

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

Cells = list[list[str]]
"""A table: the first row is the heading, the first column names the rows."""

WRONG = "WRONG"
LEGEND = (
    "For each device: its time, how many times faster than NumPy it is, and its share of the device's limit (memory "
    "bandwidth or arithmetic, whichever is nearer; it may exceed 100 % where operands stay in the caches)."
)


def duration(seconds: float | None) -> str:
    """Return a time with three digits and a unit."""
    if seconds is None:
        return "-"
    for factor, unit in ((1.0, "s"), (1e3, "ms"), (1e6, "us")):
        if seconds * factor >= 0.9995:
            return f"{_three(seconds * factor)} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def factor(times: float | None) -> str:
    """Return a factor with as many digits as it deserves."""
    return (
        "-" if times is None else f"{times:.3f}x" if times < 0.1 else f"{times:.2f}x" if times < 10 else f"{times:.1f}x"
    )


def _three(value: float) -> str:
    return f"{value:.2f}" if value < 9.995 else f"{value:.1f}" if value < 99.95 else f"{value:.0f}"


def work_cells(report: Report) -> Cells:
    """Return a row for each work: NumPy's time; for each device its time, times NumPy, share of its limit."""
    cells = [["work", "NumPy"]]
    for device in report.devices:
        cells[0] += [device, "x NumPy", "limit"]
    for row in report.rows:
        line = [row.name, duration(row.seconds.get(NUMPY))]
        for device in report.devices:
            line += _device_cells(row, device, report.limits.get(device))
        cells.append(line)
    return cells


def _device_cells(row: Row, device: str, limits: Limits | None) -> list[str]:
    if device in row.wrong:
        return [duration(row.seconds.get(device)), WRONG, ""]
    share = row.share(device, limits) if limits else None
    percent = "-" if share is None else f"{100 * share:.0f} %"
    return [duration(row.seconds.get(device)), factor(row.times_numpy(device)), percent]


def limit_cells(report: Report) -> Cells:
    """Return a row for each device: what it can do at most."""
    cells = [["device", "memory GB/s", "GFLOP/s single", "double", "launch", "upload GB/s", "download GB/s"]]
    for device, one in report.limits.items():
        cells.append(
            [
                device,
                _three(one.bandwidth / 1e9),
                _three(one.single / 1e9),
                _three(one.double / 1e9) if one.double else "none",
                duration(one.launch),
                _three(one.upload / 1e9),
                _three(one.download / 1e9),
            ]
        )
    return cells


def facts(report: Report) -> list[str]:
    """Return the machine, the devices and the day, a line each."""
    lines = [f"{word}: {text}" for word, text in report.machine.items()]
    lines += [f"{device}: {name}" for device, name in report.devices.items()]
    return [*lines, f"date: {report.date}"]


def show(report: Report, console: Console) -> None:
    """Print a report on a console."""
    from rich.markup import escape

    for line in facts(report):
        word, _, text = line.partition(": ")
        console.print(f"[dim]{word:9}[/] {escape(text)}", highlight=False)
    console.print()
    console.print(table(limit_cells(report)))
    console.print(table(work_cells(report)))
    console.print(f"[dim]{LEGEND}[/]", highlight=False)
    for wrong in report.wrong:
        console.print(f"[bold red]{escape(wrong)} is not what NumPy computes[/]", highlight=False)


def table(cells: Cells) -> Table:
    """Return a table for the console; factors above 1 are green, wrong results red."""
    from rich.box import SIMPLE
    from rich.markup import escape
    from rich.table import Table

    made = Table(box=SIMPLE, pad_edge=False)
    for number, heading in enumerate(cells[0]):
        made.add_column(escape(heading), justify="right" if number else "left", no_wrap=True)
    for line in cells[1:]:
        made.add_row(*(f"[{_style(cell)}]{escape(cell)}[/]" if _style(cell) else escape(cell) for cell in line))
    return made


def _style(cell: str) -> str:
    if cell == WRONG:
        return "bold red"
    if cell.endswith("x") and cell[0].isdigit():
        return "green" if float(cell[:-1]) >= 1 else "yellow"
    return ""


def markdown(report: Report) -> str:
    """Return the report as Markdown."""
    parts = ["\n".join(f"- {line}" for line in facts(report))]
    parts += [markdown_table(limit_cells(report)), markdown_table(work_cells(report)), LEGEND]
    parts += [f"**{wrong} is not what NumPy computes.**" for wrong in report.wrong]
    return "\n\n".join(parts) + "\n"


def markdown_table(cells: Sequence[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [" | ".join(line) for line in cells]
    lines.insert(1, "|".join(["---", *["---:"] * (len(cells[0]) - 1)]))
    return "\n".join(f"| {line} |" if number != 1 else f"|{line}|" for number, line in enumerate(lines))
