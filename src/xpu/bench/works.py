"""The works that are timed: plain array code, written once for every library that has NumPy's names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Arrays = tuple[Any, ...]


@dataclass(frozen=True)
class Work:
    """One row of the table."""

    name: str
    title: str
    inputs: Callable[[np.random.Generator], Arrays]
    """Makes the operands, NumPy arrays."""
    call: Callable[..., Any]
    """``call(xp, *operands)``: the work, in the words of a namespace."""
    nbytes: int = 0
    """Bytes that must be moved at least: operands read once, results written once."""
    flops: int = 0
    """Floating-point operations, where they decide."""
    double: bool = False
    """Needs float64."""
    quick: bool = True
    """Part of the quick table."""
    numpy: Callable[[Arrays], Callable[[], Any]] | None = None
    """NumPy's best way, where it is not ``call``: takes the operands, returns the call."""
    has_numpy: bool = True
    """Whether NumPy has it; if not, ``numpy`` only makes a result to check the others by."""


def _uniform(*shapes: tuple[int, ...], dtype: Any = np.float32) -> Callable[[np.random.Generator], Arrays]:
    def make(rng: np.random.Generator) -> Arrays:
        return tuple(rng.random(shape, np.float32).astype(dtype) - dtype(0.25) for shape in shapes)

    return make


def _add_out(operands: Arrays) -> Callable[[], Any]:
    a, b = operands
    out = np.empty_like(a)
    return lambda: np.add(a, b, out=out)


def _conv_by_windows(operands: Arrays) -> Callable[[], Any]:
    x, w = operands

    def call() -> Any:
        padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
        windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
        return np.tensordot(windows, w, axes=((1, 4, 5), (1, 2, 3))).transpose(0, 3, 1, 2)

    return call


def chain(xp: Any, a: Any, b: Any, c: Any) -> Any:
    """Square roots, exponentials and a choice: what numexpr and its like are for."""
    return xp.sqrt(a * a + b * b) * xp.exp(-c) + xp.where(a > 0, b, c)


def add(xp: Any, a: Any, b: Any) -> Any:
    """One addition: nothing but memory traffic."""
    return a + b


def softmax(xp: Any, x: Any) -> Any:
    """Normalise the rows of a matrix."""
    e = xp.exp(x - xp.max(x, axis=1, keepdims=True))
    return e / xp.sum(e, axis=1, keepdims=True)


def squared_distance(xp: Any, a: Any, b: Any) -> Any:
    """Return the square of the Euclidean distance."""
    return xp.sum((a - b) ** 2)


def life(xp: Any, cells: Any) -> Any:
    """200 generations of Conway's Game of Life, in slices."""
    for _ in range(200):
        inner = cells[1:-1, 1:-1]
        around = (
            cells[:-2, :-2] + cells[:-2, 1:-1] + cells[:-2, 2:] + cells[1:-1, :-2]
            + cells[1:-1, 2:] + cells[2:, :-2] + cells[2:, 1:-1] + cells[2:, 2:]
        )  # fmt: skip
        alive = (around == 3) | ((inner == 1) & (around == 2))
        following = xp.zeros_like(cells)
        following[1:-1, 1:-1] = alive
        cells = following
    return cells


def heat(xp: Any, u: Any) -> Any:
    """200 steps of the heat equation, in place, in slices."""
    u = xp.asarray(u, copy=True)
    for _ in range(200):
        u[1:-1, 1:-1] += 0.1 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4 * u[1:-1, 1:-1])
    return u


def _elementwise() -> list[Work]:
    works = []
    for power, quick in ((7, True), (6, False), (4, True), (1, True)):
        n = 10**power
        size = f"10^{power}" if power > 1 else "10"
        works.append(
            Work(
                f"chain {size}",
                "sqrt(a*a+b*b)*exp(-c)+where(a>0,b,c)",
                _uniform(*[(n,)] * 3),
                chain,
                16 * n,
                quick=quick,
            )
        )
        best = _add_out if power == 7 else None
        works.append(Work(f"a+b {size}", "a + b", _uniform((n,), (n,)), add, 12 * n, numpy=best, quick=quick))
    return works


def _reductions() -> list[Work]:
    square, n = (4096, 4096), 4096 * 4096
    one, two = _uniform(square), _uniform(square, square)
    return [
        Work("sum 4096^2", "sum(x)", one, lambda xp, x: xp.sum(x), 4 * n),
        Work("sum 4096^2 axis 0", "sum(x, axis=0)", one, lambda xp, x: xp.sum(x, axis=0), 4 * n),
        Work("sum 4096^2 axis 1", "sum(x, axis=1)", one, lambda xp, x: xp.sum(x, axis=1), 4 * n, quick=False),
        Work("argmax 4096^2", "argmax(x)", one, lambda xp, x: xp.argmax(x), 4 * n),
        Work("var 4096^2", "var(x)", one, lambda xp, x: xp.var(x), 4 * n),
        Work("distance 4096^2", "sum((a - b)**2)", two, squared_distance, 8 * n),
        Work("softmax 4096^2", "softmax along rows", one, softmax, 8 * n, quick=False),
    ]


def _movement() -> list[Work]:
    n = 10**7

    def places(rng: np.random.Generator) -> Arrays:
        return rng.random(n, np.float32), rng.integers(0, n, n // 10)

    return [
        Work(
            "transpose 4096^2",
            "ascontiguousarray(x.T)",
            _uniform((4096, 4096)),
            lambda xp, x: xp.ascontiguousarray(x.T),
            8 * 4096 * 4096,
        ),
        Work("mask 10^7", "x[x > 0.25]", _uniform((n,)), lambda xp, x: x[x > 0.25], 6 * n),
        Work("take 10^6 of 10^7", "take(x, places)", places, lambda xp, x, at: xp.take(x, at, axis=0), 16 * n // 10),
    ]


def _order() -> list[Work]:
    n = 10**7

    def numbers(rng: np.random.Generator) -> Arrays:
        return (rng.integers(0, 1000, n // 10),)

    doubles = _uniform((n,), dtype=np.float64)
    return [
        Work("cumsum 10^7 f8", "cumsum(x)", doubles, lambda xp, x: xp.cumsum(x, axis=0), 16 * n, double=True),
        Work("sort 10^7", "sort(x)", _uniform((n,)), lambda xp, x: xp.sort(x), 8 * n),
        Work(
            "unique 10^6", "unique(x) of 1000 integers", numbers, lambda xp, x: xp.unique(x), 8 * n // 10, quick=False
        ),
    ]


def _matmul(n: int, dtype: Any, quick: bool) -> Work:
    name = np.dtype(dtype).str[1:]
    return Work(
        f"matmul {n} {name}",
        "a @ b",
        _uniform((n, n), (n, n), dtype=dtype),
        lambda xp, a, b: a @ b,
        3 * n * n * np.dtype(dtype).itemsize,
        2 * n**3,
        double=dtype is np.float64,
        quick=quick,
    )


def _linear() -> list[Work]:
    works = [_matmul(n, dtype, n == 1024) for n in (256, 512, 1024, 2048) for dtype in (np.float32, np.float64)]

    def images(rng: np.random.Generator) -> Arrays:
        return rng.random((8, 32, 64, 64), np.float32), rng.random((64, 32, 3, 3), np.float32)

    works.append(
        Work(
            "conv2d 8x32x64x64",
            "64 filters of 3x3, padding 1",
            images,
            lambda xp, x, w: xp.nn.conv2d(x, w, padding=1),
            4 * 8 * (32 + 64) * 64 * 64,
            2 * 8 * 64 * 64 * 64 * 32 * 9,
            numpy=_conv_by_windows,
            has_numpy=False,
        )
    )
    return works


def _loops() -> list[Work]:
    def cells(rng: np.random.Generator) -> Arrays:
        return ((rng.random((1000, 1000)) < 0.3).astype(np.uint8),)

    steps = 200 * 10**6
    return [
        Work("Life 1000^2", "200 steps of uint8, in slices", cells, life, 2 * steps, quick=False),
        Work("heat 1000^2", "200 steps in place, in slices", _uniform((1000, 1000)), heat, 8 * steps, quick=False),
    ]


def classic(n: int) -> Work:
    """Return the matrix product of every introduction to GPU computing, n x n in float32."""
    return _matmul(n, np.float32, True)


WORKS: tuple[Work, ...] = (*_elementwise(), *_reductions(), *_movement(), *_order(), *_linear(), *_loops())
