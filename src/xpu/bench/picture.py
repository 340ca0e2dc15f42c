"""A report as a picture: for each work and device, how many times faster than NumPy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .run import Report

COLOURS = ("#4063d8", "#389826", "#cb3c33", "#9558b2", "#7f7f7f", "#d8a840")
BAR = 0.19
"""Inches of a bar's height."""


class CannotDraw(RuntimeError):
    """There is no matplotlib, or it does not know the format."""


def check(path: str | Path) -> None:
    """Raise if the picture could not be drawn: better now than after minutes of measuring."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
    except ModuleNotFoundError as error:
        raise CannotDraw(f"a picture needs matplotlib ({error}): pip install matplotlib") from error
    suffix = Path(path).suffix.lower()
    if suffix.removeprefix(".") not in FigureCanvasAgg.get_supported_filetypes():
        raise CannotDraw(f"{path}: there is no picture format {suffix!r}; take .png, .svg or .pdf")


def draw(report: Report, path: str | Path) -> None:
    """Draw horizontal bars on a logarithmic scale, with a line at 1, which is NumPy; the suffix chooses the format."""
    check(path)
    from matplotlib import rc_context
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    devices = list(report.devices)
    rows = [row for row in report.rows if any(row.times_numpy(device) for device in devices)]
    groups = len(rows) * (len(devices) + 1)
    with rc_context({"svg.hashsalt": "xpu", "font.size": 8}):
        figure = Figure(figsize=(7.2, 1.1 + BAR * groups), layout="constrained")
        FigureCanvasAgg(figure)
        axes = figure.subplots()
        for number, device in enumerate(devices):
            _bars(axes, report, rows, number, device)
        axes.axvline(1, color="black", linewidth=1)
        axes.set_xscale("log")
        axes.margins(x=0.12)
        axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
        axes.grid(axis="x", color="#dddddd", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_yticks(range(len(rows)), [row.name for row in rows])
        axes.tick_params(axis="y", length=0)
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlabel("times as fast as NumPy on the same machine")
        for side in ("top", "right", "left"):
            axes.spines[side].set_visible(False)
        axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=min(3, len(devices)), frameon=False)
        undated = {"Date": None} if str(path).endswith((".svg", ".pdf")) else None
        figure.savefig(path, dpi=150, metadata=undated)


def _bars(axes: Any, report: Report, rows: list[Any], number: int, device: str) -> None:
    height = 1 / (len(report.devices) + 1)
    offset = (number - (len(report.devices) - 1) / 2) * height
    times = {at + offset: row.times_numpy(device) for at, row in enumerate(rows)}
    there = {at: value for at, value in times.items() if value}
    # bars start at 1, so that slower is to the left of the line
    bars = axes.barh(
        list(there),
        [value - 1 for value in there.values()],
        height=height * 0.92,
        left=1,
        color=COLOURS[number % len(COLOURS)],
        label=f"{device}: {report.devices[device]}",
    )
    for bar, value in zip(bars, there.values(), strict=True):
        axes.annotate(
            f"{value:.2g}" if value < 10 else f"{value:.0f}",
            (value, bar.get_y() + bar.get_height() / 2),
            xytext=(2 if value >= 1 else -2, 0),
            textcoords="offset points",
            va="center",
            ha="left" if value >= 1 else "right",
            fontsize=6,
        )
