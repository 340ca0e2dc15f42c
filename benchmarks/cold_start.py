"""What the first run of a script costs: 200 different lines on arrays of 1,000 elements, in new processes.

    python benchmarks/cold_start.py [--device D ...]

Each device starts with an empty cache on disk, then runs again with what the first process left there. NumPy runs the
same lines. The marks: on `cpu` at most 3 times NumPy's time plus one second, on OpenCL 20 s with an empty cache and 2 s
with a full one. Builds are counted.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

LINES = 200
UNARY = ("sqrt", "exp", "log", "sin", "cos", "tanh", "abs", "square", "floor", "negative")
BINARY = ("+", "-", "*", "/")
REDUCTIONS = ("sum", "max", "mean", "min", "std")


def script() -> list[str]:
    """Return the lines: no two compute the same."""
    rng = random.Random(1)
    lines: dict[str, None] = {}
    while len(lines) < LINES:
        first, second = (f"xp.{rng.choice(UNARY)}({name})" for name in rng.sample("abc", 2))
        text = f"{first} {rng.choice(BINARY)} {second} {rng.choice(BINARY)} {rng.choice('abc')}"
        if rng.random() < 0.3:
            text = f"xp.{rng.choice(REDUCTIONS)}({text})"
        elif rng.random() < 0.3:
            text = f"xp.where({text} > {rng.choice('abc')}, {rng.choice('abc')}, {rng.randrange(9)})"
        lines[text] = None
    return list(lines)


def child(device: str) -> None:
    """Run the script once, and print the seconds and the builds."""
    import time

    import numpy as np

    operands = [np.random.default_rng(seed).random(1000, np.float32) + np.float32(0.5) for seed in range(3)]
    start = time.perf_counter()
    if device == "numpy":
        xp, count = np, lambda: 0
        a, b, c = operands
    else:
        import xpu as xp  # type: ignore[no-redef]
        from xpu.kernel.build import statistics

        xp.set_device(device)
        a, b, c = (xp.asarray(x) for x in operands)
        count = lambda: statistics.compiled  # noqa: E731
    for line in script():
        np.asarray(eval(line, {"xp": xp, "a": a, "b": b, "c": c}))
    print(json.dumps([time.perf_counter() - start, count()]))


def run(device: str, cache: str) -> tuple[float, int]:
    """Return seconds and builds of a new process."""
    environment = os.environ | {"XPU_CACHE_DIR": cache}
    command = [sys.executable, __file__, "--child", device]
    found = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    seconds, builds = json.loads(found.stdout.splitlines()[-1])
    return seconds, builds


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", action="append", help="a device of xpu's; all that work if left out")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        child(options.child)
        return 0
    import xpu

    devices = options.device or [str(device) for device in xpu.devices()]
    numpy = min(run("numpy", "")[0] for _ in range(3))
    print(f"{'numpy':12} {numpy:7.2f} s")
    missed = 0
    for device in devices:
        with tempfile.TemporaryDirectory() as cache:
            for state in ("empty", "full"):
                seconds, builds = run(device, cache)
                mark = 3 * numpy + 1 if device == "cpu" else 20 if state == "empty" else 2
                missed += seconds > mark
                word = "within" if seconds <= mark else "ABOVE"
                print(f"{device:12} {seconds:7.2f} s  cache {state}, {builds} builds  ({word} the mark, {mark:.1f} s)")
                assert Path(cache).is_dir()
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
