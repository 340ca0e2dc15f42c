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

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from photograph import PhotographError, load
from xpu import doctor

TOUR = Path(__file__).with_name("tour.py")


def main() -> int:
    """Tour every device; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--image", type=Path, metavar="FILE", help="your own photograph")
    options = parser.parse_args()
    try:
        load(options.image)  # said once, not once for each device
    except PhotographError as error:
        parser.error(str(error))
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
        console.print(line, highlight=False, soft_wrap=True)
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
    out = Table(
        title="all devices, milliseconds a step", title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0)
    )
    out.add_column("step", no_wrap=True)
    out.add_column("host\n[dim]NumPy, cv2[/]", justify="right")
    for one in tours:
        out.add_column(f"{one['device']}\n[dim]{escape(' '.join(one['driver'].split()[:2])[:14])}[/]", justify="right")
    for number, step in enumerate(tours[0]["steps"]):
        lines = [one["steps"][number] for one in tours]
        cells = [f"{1e3 * min(line['host_seconds'] for line in lines):.3g}"]
        for line in lines:
            text = f"{1e3 * line['seconds']:.3g}"
            cells.append(text if line["equal"] else f"[bold red]{text} WRONG[/]")
        out.add_row(step["step"], *cells)
    out.add_section()
    verdicts = ["[green]equal[/]" if all(s["equal"] for s in one["steps"]) else "[bold red]WRONG[/]" for one in tours]
    out.add_row("results", "", *verdicts)
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
