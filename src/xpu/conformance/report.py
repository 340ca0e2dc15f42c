"""The published report of a run: the same facts as Markdown, for people, and as JSON."""

from __future__ import annotations

import datetime
import json
import platform
import re
from importlib import metadata
from pathlib import Path
from typing import Any

from ..device import Device, get_device
from . import capabilities
from .levels import LEVELS
from .names import STANDARD_VERSION
from .record import Record

OUTCOMES = ("passed", "failed", "skipped", "xfailed")


def as_dict(record: Record) -> dict[str, Any]:
    """Return a report as plain data."""
    device = get_device(None if record.device == "the current device" else record.device)
    return {
        "device": _device(device, record.device),
        "versions": _versions(),
        "capabilities": capabilities.of(device).as_dict(),
        "standard": STANDARD_VERSION,
        "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "seconds": round(record.seconds, 1),
        "passed": not record.of("failed"),
        "levels": {
            level: {outcome: len(record.of(outcome, level)) for outcome in OUTCOMES}
            for level in LEVELS
            if any(record.of(outcome, level) for outcome in OUTCOMES)
        },
        "left out": record.left_out,
        "failures": [
            {"test": r.test, "level": r.level, "message": r.reason, "again": record.reproduce(r), "details": r.details}
            for r in record.of("failed")
        ],
        "skipped": [{"test": r.test, "reason": r.reason} for r in record.of("skipped")],
        "known failures": [{"test": r.test, "reason": r.reason} for r in record.of("xfailed")],
    }


def _device(device: Device, asked: str) -> dict[str, Any]:
    info = device.info
    return {
        "asked for": asked,
        "device": str(device),
        "name": info.name,
        "vendor": info.vendor,
        "kind": info.kind,
        "driver": info.driver,
        "memory": info.memory,
        "compute units": info.compute_units,
    }


def _versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "system": f"{platform.system()} {platform.machine()}"}
    for package in ("xpu-array", "numpy", "numba", "pyopencl", "hypothesis", "pytest"):
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def as_markdown(data: dict[str, Any]) -> str:
    """Return a report as Markdown."""
    device = data["device"]
    verdict = "passes" if data["passed"] else f"FAILS ({len(data['failures'])} tests)"
    lines = [f"# xpu conformance: {device['name']}", "", f"**{device['device']} {verdict}**", ""]
    lines += _table(("", ""), [(key, _text(value)) for key, value in device.items()])
    lines += [
        "",
        f"Tested on {data['date']} in {data['seconds']:.0f} s, against NumPy, SciPy and OpenCV's results and the ",
    ]
    lines[-1] += f"Python array API {data['standard']}. Versions: " + ", ".join(
        f"{name} {version}" for name, version in data["versions"].items()
    )
    lines += ["", "## Levels", ""]
    lines += _table(
        ("level", *OUTCOMES, "what it asks"),
        [(level, *[counts[o] or "" for o in OUTCOMES], LEVELS[level]) for level, counts in data["levels"].items()],
    )
    if data["left out"]:
        lines += ["", f"{data['left out']} tests were left out by the command line."]
    lines += ["", "## What the device declares", ""]
    lines += _table(("capability", "value"), [(key, _text(value)) for key, value in data["capabilities"].items()])
    lines += ["", "## Skipped", ""]
    reasons: dict[str, int] = {}
    for item in data["skipped"]:
        reasons[item["reason"]] = reasons.get(item["reason"], 0) + 1
    lines += _table(("reason", "tests"), sorted(reasons.items())) if reasons else ["Nothing."]
    if data["known failures"]:
        lines += ["", "## Known failures", ""]
        lines += _table(("test", "reason"), [(item["test"], item["reason"]) for item in data["known failures"]])
    lines += ["", "## Failures", ""]
    for item in data["failures"]:
        lines += [f"- `{item['test']}`: {item['message']}", "", f"      {item['again']}", ""]
    if not data["failures"]:
        lines += ["None."]
    return "\n".join(lines).rstrip() + "\n"


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return (", ".join(value) or "none") if isinstance(value, (tuple, list)) else str(value)


def _table(head: tuple[str, ...], rows: list[Any]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(str(cell).replace("|", "\\|") for cell in row) + " |" for row in rows]


def write(record: Record, folder: Path) -> tuple[Path, Path]:
    """Write ``conformance-<device>.md`` and ``.json`` into a folder; return their paths."""
    data = as_dict(record)
    name = re.sub(r"[^\w.]+", "-", record.device if record.device != "the current device" else data["device"]["device"])
    folder = folder.expanduser()
    folder.mkdir(parents=True, exist_ok=True)
    markdown, plain = folder / f"conformance-{name}.md", folder / f"conformance-{name}.json"
    markdown.write_text(as_markdown(data), encoding="utf-8")
    plain.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    return markdown, plain
