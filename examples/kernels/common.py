"""What the examples share: the ``--device`` flag, the check against NumPy, the stop-watch.

Each example has ``main(device, size)``; ``--size`` chooses another size. The interpreter runs one work-item after the
other in Python, so it gets a small size unless told otherwise.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import xpu as xp


def run(main: Callable[[Any, int], None], size: int, small: int) -> None:
    """Read the command line and run an example on the device that it names."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    xp.add_device_option(parser)
    parser.add_argument("--size", type=int, help=f"default {size}; on the interpreter {small}")
    options = parser.parse_args()
    device = options.device or xp.current_device()
    default = small if str(device) == "interpreter" else size
    main(device, options.size or default)


def check(what: str, result: Any, expected: Any, tolerance: float = 0.0) -> None:
    """Compare a result with NumPy's; an example that is wrong ends here, with exit code 1."""
    np.testing.assert_allclose(xp.asnumpy(result), expected, rtol=tolerance, atol=tolerance, err_msg=what)
    print(f"{what}: equals NumPy's result")


def round_up(n: int, step: int) -> int:
    """Return the smallest multiple of ``step`` that is at least ``n``."""
    return -(-n // step) * step


def seconds(work: Callable[[], Any], repeats: int = 7) -> float:
    """Return the median time of some launches.

    Three things make a measurement true: the first run is left out, since it compiles; the device is waited for, since
    a launch returns before the work is done; and of several runs the median counts.
    """
    work()
    xp.synchronize()
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        xp.synchronize()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def compare(naive: tuple[str, Callable[[], Any]], *others: tuple[str, Callable[[], Any]]) -> None:
    """Print the time of each version, and how many times faster than the first one it is."""
    if str(xp.current_device()) == "interpreter":
        return  # it is there to be right, not to be fast
    name, work = naive
    slow = seconds(work)
    print(f"  {name:<34} {1e3 * slow:9.3f} ms")
    for name, work in others:
        fast = seconds(work)
        print(f"  {name:<34} {1e3 * fast:9.3f} ms   {slow / fast:6.2f} times as fast")
