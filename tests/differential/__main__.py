# ruff: noqa: T201
"""``python -m tests.differential --count 20000 --seed 0 --devices cpu,opencl:intel``: many random programs.

Prints each failure as a minimal program, and ends with status 1 if there was one.
"""

from __future__ import annotations

import argparse
import linecache
import sys
import tempfile
import time

from xpu.config import config as xpu_config
from xpu.device import get_device

from .devices import candidates, config_for
from .execute import REFERENCE, check, report, shrink
from .expressions import Config
from .generate import generate


def main(argv: list[str] | None = None) -> int:
    """Run programs until the count is reached, or too many have failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential", description=__doc__.splitlines()[2])
    parser.add_argument("--count", type=int, default=1000, help="how many programs (1000)")
    parser.add_argument("--seed", type=int, default=0, help="the first program's seed (0)")
    parser.add_argument(
        "--devices", default="", help="comma-separated; default: cpu and every OpenCL device that works"
    )
    parser.add_argument("--max-failures", type=int, default=5, help="stop after so many (5)")
    parser.add_argument("--no-shrink", action="store_true", help="print programs as they were generated")
    options = parser.parse_args(argv)
    devices = options.devices.split(",") if options.devices else candidates()
    config = config_for(devices)
    print(f"interpreter against {', '.join(devices) or 'nothing'}", flush=True)
    with tempfile.TemporaryDirectory(prefix="xpu-differential-") as folder, xpu_config.override(cache_dir=folder):
        failures = campaign(options, devices, config)
    return 1 if failures else 0


def campaign(options: argparse.Namespace, devices: list[str], config: Config) -> int:
    """Run the programs; return how many failed."""
    failures, start = 0, time.perf_counter()
    for number in range(options.count):
        failure = check(generate(options.seed + number, config), devices)
        if failure is not None:
            failures += 1
            print("\r" + " " * 79 + "\r" + report(failure if options.no_shrink else shrink(failure)), flush=True)
            if failures >= options.max_failures:
                break
        progress(number + 1, options.count, failures, time.perf_counter() - start)
        if number % 100 == 99:  # none of them comes again
            linecache.clearcache()
            for name in (REFERENCE, *devices):
                get_device(name).kernels.clear()
    print()
    return failures


def progress(done: int, count: int, failures: int, seconds: float) -> None:
    """Draw the progress bar, in place on a terminal."""
    if not sys.stderr.isatty() and done % 100 and done != count:
        return
    filled = 30 * done // count
    rest = seconds / done * (count - done)
    text = f"[{'#' * filled}{'.' * (30 - filled)}] {done}/{count}, {failures} failed, {rest:.0f} s left"
    print(f"\r{text:<79}", end="" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
