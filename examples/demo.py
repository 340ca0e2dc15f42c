"""Take the tour on every device of this machine, and compare them: what ``make demo`` runs.

    python examples/demo.py [--image FILE]

Each device is toured in a process of its own. The exit code is 1 if a result is wrong on any of them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from xpu import doctor

TOUR = Path(__file__).with_name("tour.py")


def main() -> int:
    """Tour every device; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--image", type=Path, metavar="FILE", help="your own photograph")
    options = parser.parse_args()
    console = Console()
    console.print("looking for devices ...", highlight=False)
    report = doctor.collect_safely()
    toured, failed = [], []
    for device in report.devices():
        if not (device.works and device.listed):
            continue
        console.print()
        result = tour(device.device, options.image)
        if result is None or not all(step["equal"] for step in result["steps"]):
            failed.append(device.device)
        if result is not None:
            toured.append(result)
    console.print()
    if toured:
        console.print(comparison(toured))
    for line in unavailable(report):
        console.print(line, highlight=False)
    if failed or not toured:
        console.print(f"[bold red]failed: {escape(', '.join(failed)) or 'there is no device'}[/]", highlight=False)
        return 1
    console.print("[green]Every result on every device equals the reference.[/]", highlight=False)
    return 0


def tour(device: str, image: Path | None) -> dict[str, Any] | None:
    """Run the tour on one device; return its figures, or None if it died."""
    with tempfile.TemporaryDirectory() as folder:
        figures = Path(folder) / "tour.json"
        command = [sys.executable, str(TOUR), "--device", device, "--json", str(figures)]
        if image is not None:
            command += ["--image", str(image)]
        done = subprocess.run(command, check=False)
        if not figures.exists():
            print(f"the tour of {device} ended with exit code {done.returncode}", file=sys.stderr)
            return None
        loaded: dict[str, Any] = json.loads(figures.read_text(encoding="utf-8"))
        return loaded


def comparison(tours: list[dict[str, Any]]) -> Table:
    """Return one table of all devices: a row a step, a column a device."""
    out = Table(title="all devices: milliseconds a step, after the first call", title_justify="left")
    out.add_column("step")
    out.add_column("NumPy, cv2, SciPy", justify="right", style="dim")
    for one in tours:
        out.add_column(f"{one['device']}\n[dim]{escape(one['name'])[:24]}[/]", justify="right")
    for number, step in enumerate(tours[0]["steps"]):
        cells = [f"{step['host_seconds'] * 1e3:.3g}"]
        for one in tours:
            mine = one["steps"][number]
            text = f"{mine['seconds'] * 1e3:.3g}"
            cells.append(text if mine["equal"] else f"[bold red]{text} WRONG[/]")
        out.add_row(step["step"], *cells)
    out.add_section()
    out.add_row("results", "", *["equal" if all(s["equal"] for s in one["steps"]) else "WRONG" for one in tours])
    return out


def unavailable(report: doctor.Report) -> list[str]:
    """Return a line for each backend or device that cannot be used, with the reason."""
    lines = []
    for backend in report.backends:
        if not backend.devices:
            broken = backend.broken()
            why = f"{broken.name}: {broken.detail}" if broken else "its runtime lists no device"
            remedy = f" -> {broken.remedy}" if broken and broken.remedy else ""
            lines.append(f"not here: [cyan]{escape(backend.name)}[/] ({escape(why + remedy)})")
        lines += [
            f"not usable: [cyan]{escape(d.device)}[/] {escape(d.name)} ({escape(d.failure or '')})"
            for d in backend.devices
            if not d.works
        ]
    return lines


if __name__ == "__main__":
    sys.exit(main())
