"""What ``import xpu`` costs, as a multiple of ``import numpy``: medians over fresh processes, taken in turns.

    python benchmarks/import_time.py [--rounds 21]

The mark is 1.5. Each figure is the time of the statement itself, without the interpreter's own start, with bytecode
that was written before, as pip does when it installs.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile

MARK = 1.5
CODE = "import time; start = time.perf_counter(); import {}; print(time.perf_counter() - start)"


def once(module: str, bytecode: str) -> float:
    """Return the seconds that one import takes in a new process that finds bytecode in a folder."""
    command = [sys.executable, "-X", f"pycache_prefix={bytecode}", "-c", CODE.format(module)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return float(subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=21)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as bytecode:
        once("xpu", bytecode), once("numpy", bytecode)  # write the bytecode, fill the file cache
        pairs = [(once("numpy", bytecode), once("xpu", bytecode)) for _ in range(rounds)]
    numpy, xpu = (statistics.median(column) for column in zip(*pairs, strict=True))
    ratio = xpu / numpy
    verdict = "within" if ratio <= MARK else "ABOVE"
    print(f"import numpy {numpy * 1e3:6.1f} ms")
    print(f"import xpu   {xpu * 1e3:6.1f} ms   {ratio:.2f} times numpy ({verdict} the mark, {MARK})")
    return 0 if ratio <= MARK else 1


if __name__ == "__main__":
    sys.exit(main())
