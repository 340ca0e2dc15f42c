"""Random programs: deferring, fusing and the library change nothing that can be seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import xpu as xp

from ...config import config
from ..capabilities import Capabilities
from ..compare import check_values, host
from ..draw import Budget
from .generate import Generator, Program, execute

COUNT, QUICK, BLOCK = 12, 6, 6
DTYPES = ("float32", "int32", "uint8", "float64")


def modes() -> dict[str, dict[str, bool]]:
    """Return the ways to run a program."""
    return {
        "as it is": {},
        "unfused": {"fuse": False},
        "without the library": {"library": False},
        "unfused, without the library": {"fuse": False, "library": False},
    }


def results(program: Program, **switches: bool) -> list[np.ndarray]:
    """Run a program on the device; return all of its arrays, and what it read in between."""
    with config.override(**switches):
        arrays, seen = execute(program, xp, xp.asarray)
        return [host(x) for x in arrays] + [np.asarray(values) for values in seen]


def numpys(program: Program) -> list[np.ndarray]:
    """Run a program with NumPy."""
    arrays, seen = execute(program, np, np.asarray)
    return [np.asarray(x) for x in arrays] + [np.asarray(values) for values in seen]


def same(program: Program, got: list[np.ndarray], want: list[np.ndarray], what: str, tolerance: float = 0) -> None:
    """Assert that two runs agree, bit for bit unless there is a tolerance."""
    assert len(got) == len(want)
    for number, (a, b) in enumerate(zip(got, want, strict=True)):
        place = f"{what}: array {number} of the program\n{program}\n"
        assert (a.dtype, a.shape) == (b.dtype, b.shape), place
        if tolerance:
            assert np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True), f"{place}{a}\ninstead of\n{b}"
        else:
            check_values(a, b, what=place)


def pytest_generate_tests(metafunc: Any) -> None:
    """One test for a block of programs: their number comes from the command line."""
    if "block" in metafunc.fixturenames:
        quick = metafunc.config.getoption("--xpu-quick", False)
        count = metafunc.config.getoption("--xpu-programs", None) or (QUICK if quick else COUNT)
        blocks = [range(start, min(start + BLOCK, count)) for start in range(0, count, BLOCK)]
        metafunc.parametrize("block", blocks, ids=[f"{b.start}..{b.stop - 1}" for b in blocks])


@pytest.mark.parametrize("dtype", DTYPES)
def test_exact_operations(dtype: str, block: range, can: Capabilities) -> None:
    """All operations are exact: every way to run agrees with NumPy bit for bit."""
    can.require_dtype(dtype)
    for seed in block:
        program = Generator(np.dtype(dtype), seed).program(14)
        want = numpys(program)
        for name, switches in modes().items():
            same(program, results(program, **switches), want, name)


def test_functions_that_are_not_exact(block: range) -> None:
    """With sin and tanh among them: all ways agree bit for bit with each other, and with NumPy within a tolerance."""
    for seed in block:
        program = Generator(np.dtype(np.float32), seed + 500, smooth=True).program(10)
        base = results(program)
        same(program, results(program, fuse=False), base, "unfused")
        same(program, results(program, library=False), base, "without the library")
        same(program, base, numpys(program), "against NumPy", 1e-4)


def test_a_long_loop(budget: Budget) -> None:
    """A time loop on slices, as in a heat equation, with a number that changes every step."""

    def run(namespace: Any, u: Any, steps: int) -> Any:
        for step in range(steps):
            k = 0.125 + step / 1024
            u[1:-1, 1:-1] += k * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1])
        return u

    size, steps = budget.choose((40, 50), (9, 5))
    start = np.random.Generator(np.random.Philox(7)).random((size, size), np.float32)
    want = run(np, start.copy(), steps)
    for switches in modes().values():
        with config.override(**switches):
            check_values(host(run(xp, xp.asarray(start), steps)), want)


def test_life(budget: Budget) -> None:
    """Conway's Game of Life on a torus, on small integers."""

    def run(namespace: Any, u: Any, steps: int) -> Any:
        for _ in range(steps):
            neighbours = sum(namespace.roll(u, (i, j), axis=(0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if i or j)
            u = ((neighbours == 3) | ((u == 1) & (neighbours == 2))).astype(np.uint8)
        return u

    size, steps = budget.choose((24, 10), (8, 2))
    start = np.random.Generator(np.random.Philox(8)).integers(0, 2, (size, size), np.uint8)
    check_values(host(run(xp, xp.asarray(start), steps)), run(np, start, steps))
