"""The record of a run: what each test did, gathered from pytest and written as Markdown and JSON."""

from __future__ import annotations

import shlex
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from .levels import LEVELS

PACKAGE = Path(__file__).parent


def level_of(path: Path | str) -> str:
    """Return the level that a test file of the suite belongs to."""
    name = Path(path).resolve().relative_to(PACKAGE.resolve()).parts[0]
    return name if name in LEVELS else "contract"


def test_id(path: Path | str, nodeid: str) -> str:
    """Return a test's id with its file named from the suite's folder."""
    inside = Path(path).resolve().relative_to(PACKAGE.resolve()).as_posix()
    return "::".join([inside, *nodeid.split("::")[1:]])


@dataclass
class Result:
    """What one test did."""

    test: str
    level: str
    outcome: str
    """passed, failed, skipped or xfailed."""
    seconds: float = 0.0
    reason: str = ""
    """Of a skip or a known failure; the last line of a failure's message."""
    details: str = ""
    """A failure in full."""


@dataclass
class Record:
    """Everything a report says."""

    device: str
    results: dict[str, Result] = field(default_factory=dict)
    left_out: int = 0
    seconds: float = 0.0

    def of(self, outcome: str, level: str | None = None) -> list[Result]:
        """Return the results with an outcome."""
        return [r for r in self.results.values() if r.outcome == outcome and level in (None, r.level)]

    def reproduce(self, result: Result) -> str:
        """Return the command that runs one test again."""
        return f"xpu conformance --device {self.device} -- {shlex.quote(result.test)}"


class Recorder:
    """The pytest plugin that fills a :class:`Record`, and reports it."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.record = Record(str(config.getoption("--xpu-device", None) or "the current device"))
        self._started = time.perf_counter()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Note on each test of the suite which it is."""
        if PACKAGE in Path(item.path).parents:
            item.user_properties.append(("xpu_test", test_id(item.path, item.nodeid)))
            item.user_properties.append(("xpu_level", level_of(item.path)))

    def pytest_deselected(self, items: list[pytest.Item]) -> None:
        """Count what was left out."""
        self.record.left_out += sum(PACKAGE in Path(item.path).parents for item in items)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take one phase of a test into its result."""
        properties = dict(report.user_properties)
        if "xpu_test" not in properties:
            return
        name = str(properties["xpu_test"])
        result = self.record.results.get(name)
        if result is None:
            result = self.record.results[name] = Result(name, str(properties["xpu_level"]), "passed")
        result.seconds += report.duration
        if report.skipped and hasattr(report, "wasxfail"):
            result.outcome, result.reason = "xfailed", str(report.wasxfail)
        elif report.skipped:
            text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
            result.outcome, result.reason = "skipped", text.removeprefix("Skipped: ")
        elif report.failed:
            result.outcome = "failed"
            result.details = report.longreprtext
            result.reason = _message(report)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Write the report where one was asked for."""
        self.record.seconds = time.perf_counter() - self._started
        folder = self.config.getoption("--xpu-report", None)
        if folder and self.record.results:
            from .report import write

            self.written = write(self.record, Path(folder))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Print one line a level, and the commands that repeat the failures."""
        if not self.record.results:
            return
        terminalreporter.section(f"xpu conformance of {self.record.device}")
        for level in LEVELS:
            counts = {
                outcome: len(self.record.of(outcome, level)) for outcome in ("passed", "failed", "skipped", "xfailed")
            }
            if any(counts.values()):
                text = ", ".join(f"{count} {outcome}" for outcome, count in counts.items() if count)
                terminalreporter.line(f"{level:10} {text}")
        for result in self.record.of("failed"):
            terminalreporter.line(f"again: {self.record.reproduce(result)}")
        for path in getattr(self, "written", ()):
            terminalreporter.line(f"report: {path}")


def _message(report: pytest.TestReport) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    text = crash.message if crash is not None else report.longreprtext
    return next((line for line in text.splitlines() if line.strip()), "")[:500]
