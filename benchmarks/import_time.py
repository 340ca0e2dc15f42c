"""What ``import xpu`` costs, as a multiple of ``import numpy``: medians over fresh processes, taken in turns.

    python benchmarks/import_time.py [--rounds 21]

The mark is 1.5. Each figure is the time that the statement itself takes, without the interpreter's own start.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys

MARK = 1.5
CODE = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"


def once(module: str) -> float:
    """Return the seconds that one import takes in a new process."""
    done = subprocess.run([sys.executable, "-c", CODE.format(module)], capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=21)
    rounds = parser.parse_args().rounds
    once("xpu"), once("numpy")  # fill the file cache, write bytecode
    pairs = [(once("numpy"), once("xpu")) for _ in range(rounds)]
    numpy, xpu = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = xpu / numpy
    verdict = "within" if ratio <= MARK else "ABOVE"
    print(f"import numpy {numpy * 1e3:6.1f} ms")
    print(f"import xpu   {xpu * 1e3:6.1f} ms   {ratio:.2f} times numpy ({verdict} the mark, {MARK})")
    return 0 if ratio <= MARK else 1


if __name__ == "__main__":
    sys.exit(main())
