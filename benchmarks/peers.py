"""xpu beside the libraries that a user would pick instead, in one process, in turns.

    python benchmarks/peers.py [WORK ...] [--device D] [--json FILE]

The works are those of `xpu bench`, written in each library's best way: numexpr's strings, Numba's parallel loops,
`jax.jit`, `torch.compile` for the chain and plain PyTorch for the rest. A library that lacks a work has no figure.
Needs the extra `bench`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress

import xpu
from xpu.bench import WORKS, report
from xpu.bench.environment import machine, start_again_without
from xpu.bench.limits import measure
from xpu.bench.run import Report, Row, described, device_call, time_contestants
from xpu.bench.timing import Call
from xpu.bench.works import Arrays, Work
from xpu.device import Device

THREADS = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def kind(work: Work) -> str:
    """Return the word by which the tables below know a work: its name without the size."""
    name, _, rest = work.name.partition(" ")
    return f"{name} {rest[-6:]}" if rest.endswith(("axis 0", "axis 1")) else name


# ---------------------------------------------------------------------------------------------------- numexpr

_NUMEXPR = {
    "chain": "sqrt(a*a+b*b)*exp(-c)+where(a>0,b,c)",
    "a+b": "a+b",
    "sum": "sum(a)",
    "sum axis 0": "sum(a, axis=0)",
    "sum axis 1": "sum(a, axis=1)",
    "distance": "sum((a-b)**2)",
}


def numexpr_call(work: Work, operands: Arrays) -> Call | None:
    """Return numexpr's way, which knows expressions alone."""
    import numexpr

    text = _NUMEXPR.get(kind(work))
    if text is None:
        return None
    numexpr.set_num_threads(THREADS)
    names = dict(zip("abc", operands, strict=False))
    return lambda: numexpr.evaluate(text, local_dict=names, global_dict={})


# ------------------------------------------------------------------------------------------------------ Numba


def _numba_table() -> dict[str, Callable[..., Any]]:
    import numba

    jit = numba.njit(parallel=True)

    @jit
    def chain(a: Any, b: Any, c: Any) -> Any:
        out = np.empty_like(a)
        for i in numba.prange(a.size):
            out[i] = np.sqrt(a[i] * a[i] + b[i] * b[i]) * np.exp(-c[i]) + (b[i] if a[i] > 0 else c[i])
        return out

    @jit
    def add(a: Any, b: Any) -> Any:
        out = np.empty_like(a)
        for i in numba.prange(a.size):
            out[i] = a[i] + b[i]
        return out

    @jit
    def total(x: Any) -> Any:
        rows = np.zeros(x.shape[0])
        for i in numba.prange(x.shape[0]):
            for j in range(x.shape[1]):
                rows[i] += x[i, j]
        return np.float32(rows.sum())

    @jit
    def along_rows(x: Any) -> Any:
        out = np.empty(x.shape[0], x.dtype)
        for i in numba.prange(x.shape[0]):
            row = 0.0
            for j in range(x.shape[1]):
                row += x[i, j]
            out[i] = row
        return out

    @jit
    def distance(a: Any, b: Any) -> Any:
        rows = np.zeros(a.shape[0])
        for i in numba.prange(a.shape[0]):
            for j in range(a.shape[1]):
                rows[i] += (a[i, j] - b[i, j]) ** 2
        return np.float32(rows.sum())

    @jit
    def heat(u: Any) -> Any:
        old, new = u.copy(), u.copy()
        for _ in range(200):
            for i in numba.prange(1, u.shape[0] - 1):
                for j in range(1, u.shape[1] - 1):
                    around = old[i - 1, j] + old[i + 1, j] + old[i, j - 1] + old[i, j + 1]
                    new[i, j] = old[i, j] + np.float32(0.1) * (around - np.float32(4) * old[i, j])
            old, new = new, old
        return old

    @jit
    def life(cells: Any) -> Any:
        old, new = cells.copy(), np.zeros_like(cells)
        for _ in range(200):
            for i in numba.prange(1, cells.shape[0] - 1):
                for j in range(1, cells.shape[1] - 1):
                    around = old[i - 1, j - 1] + old[i - 1, j] + old[i - 1, j + 1] + old[i, j - 1]
                    around += old[i, j + 1] + old[i + 1, j - 1] + old[i + 1, j] + old[i + 1, j + 1]
                    new[i, j] = around == 3 or (old[i, j] == 1 and around == 2)
            old, new = new, old
            new[:, 0] = new[:, -1] = 0
            new[0] = new[-1] = 0
        old[0] = old[-1] = 0
        old[:, 0] = old[:, -1] = 0
        return old

    return {
        "chain": chain,
        "a+b": add,
        "sum": total,
        "sum axis 1": along_rows,
        "distance": distance,
        "heat": heat,
        "Life": life,
    }


_numba: dict[str, Callable[..., Any]] = {}


def numba_call(work: Work, operands: Arrays) -> Call | None:
    """Return the loop that a user would write for Numba."""
    if not _numba:
        _numba.update(_numba_table())
    function = _numba.get(kind(work))
    return None if function is None else lambda: function(*operands)


# -------------------------------------------------------------------------------------------------------- JAX


def _jax_heat(u: Any) -> Any:
    import jax

    def step(_: int, u: Any) -> Any:
        around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1]
        return u.at[1:-1, 1:-1].add(0.1 * around)

    return jax.lax.fori_loop(0, 200, step, u)


def _jax_life(cells: Any) -> Any:
    import jax

    def step(_: int, c: Any) -> Any:
        around = c[:-2, :-2] + c[:-2, 1:-1] + c[:-2, 2:] + c[1:-1, :-2]
        around = around + c[1:-1, 2:] + c[2:, :-2] + c[2:, 1:-1] + c[2:, 2:]
        alive = (around == 3) | ((c[1:-1, 1:-1] == 1) & (around == 2))
        return (c * 0).at[1:-1, 1:-1].set(alive.astype(c.dtype))

    return jax.lax.fori_loop(0, 200, step, cells)


def _jax_conv(x: Any, w: Any) -> Any:
    import jax

    return jax.lax.conv_general_dilated(x, w, (1, 1), "SAME")


_JAX: dict[str, Callable[..., Any]] = {
    "heat": _jax_heat,
    "Life": _jax_life,
    "conv2d": _jax_conv,
    "transpose": lambda x: x.T,  # jit returns rows: a copy
}
_JAX_EAGER = ("mask", "unique")
"""Their results' sizes depend on values, which jit cannot have."""


def jax_call(work: Work, operands: Arrays) -> Call | None:
    """Return a call of the jitted work that waits for its result."""
    import jax

    jax.config.update("jax_enable_x64", True)
    import jax.numpy as jnp

    there = [jax.device_put(x) for x in operands]
    function = _JAX.get(kind(work)) or (lambda *args: work.call(jnp, *args))
    if kind(work) not in _JAX_EAGER:
        function = jax.jit(function)
    return lambda: jax.block_until_ready(function(*there))


# ------------------------------------------------------------------------------------------------------ torch


def torch_call(work: Work, operands: Arrays) -> Call | None:
    """Return PyTorch's way: compiled for the chain, plain for the rest."""
    import torch
    from array_api_compat import torch as names

    torch.set_num_threads(THREADS)
    there = [torch.from_numpy(x.copy()) for x in operands]
    table: dict[str, Callable[..., Any]] = {
        "transpose": lambda x: x.T.contiguous(),
        "conv2d": lambda x, w: torch.nn.functional.conv2d(x, w, padding=1),
        "cumsum": lambda x: torch.cumsum(x, 0),
        "unique": torch.unique,
        "softmax": lambda x: torch.softmax(x, 1),
        "chain": torch.compile(
            lambda a, b, c: torch.sqrt(a * a + b * b) * torch.exp(-c) + torch.where(a > 0, b, c), dynamic=False
        ),
    }
    function = table.get(kind(work)) or (lambda *args: work.call(names, *args))

    def call() -> Any:
        with torch.no_grad():
            return function(*there)

    return call


PEERS: dict[str, Callable[[Work, Arrays], Call | None]] = {
    "numexpr": numexpr_call,
    "numba": numba_call,
    "jax": jax_call,
    "torch": torch_call,
}


# -------------------------------------------------------------------------------------------------------- all


def contestants(work: Work, operands: Arrays, complain: Callable[[str], None]) -> dict[str, Call]:
    """Return the calls of all peers that can do a work; each was called once."""
    found = {}
    for name, make in PEERS.items():
        try:
            call = make(work, operands)
            if call is not None:
                call()
                found[name] = call
        except Exception as error:  # a peer without a function, or without a compiler, has no figure
            complain(f"{name} cannot do {work.name}: {type(error).__name__}: {str(error).splitlines()[:1]}")
    return found


def time_all(works: list[Work], devices: list[Device], console: Console) -> Report:
    """Time the works on NumPy, on the devices and with all peers."""
    about = machine() | {name: version(name) for name in PEERS}
    rows: list[Row] = []
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("limits", total=len(works))
        limits = {str(device): measure(device) for device in devices}
        for work in works:
            bar.update(task, description=work.name)
            operands = work.inputs(np.random.default_rng(7))
            calls = {str(d): device_call(work, d, operands) for d in devices if d.info.fp64 or not work.double}
            calls |= contestants(work, operands, lambda text: console.print(text, highlight=False, markup=False))
            rows.append(time_contestants(work, operands, calls))
            bar.advance(task)
    return Report(about, described(devices), limits, rows, time.strftime("%Y-%m-%d"))


def cells(found: Report) -> report.Cells:
    """Return a row for each work, and a column for NumPy, each device and each peer."""
    columns = ["numpy", *found.devices, *PEERS]
    rows = [
        [row.name, *("WRONG" if name in row.wrong else report.duration(row.seconds.get(name)) for name in columns)]
        for row in found.rows
    ]
    return [["work", *columns], *rows]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("work", nargs="*", help="works whose names begin so; all of them if none is given")
    parser.add_argument("--device", action="append", help="a device of xpu's; all that work if left out")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures there, for page.py")
    options = parser.parse_args()
    start_again_without(os.environ)
    devices = [xpu.get_device(name) for name in options.device] if options.device else list(xpu.devices())
    works = [work for work in WORKS if not options.work or work.name.startswith(tuple(options.work))]
    if not works:
        print("no such work; `xpu bench list` names them", file=sys.stderr)
        return 2
    console = Console()
    if not console.is_terminal:
        console = Console(width=1000, soft_wrap=True)  # a pipe or a file has no width: do not break lines
    found = time_all(works, devices, console)
    console.print(report.table(cells(found)))
    for wrong in found.wrong:
        console.print(f"[bold red]{wrong} is not what NumPy computes[/]", highlight=False)
    if options.json:
        options.json.write_text(json.dumps(found.to_dict(), indent=2) + "\n", encoding="utf-8")
    return int(bool(found.wrong))


if __name__ == "__main__":
    sys.exit(main())
