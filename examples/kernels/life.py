"""The Game of Life: a stencil. Each launch is one generation; the two boards take turns.

Within a launch, groups cannot wait for each other. The end of a launch is the one point where all have finished.

python examples/kernels/life.py --device opencl
"""

from __future__ import annotations

from typing import Any

import numpy as np
from common import check, compare, run

import xpu as xp


@xp.func
def lives(cell, neighbours):
    """Return whether a cell is alive in the next generation."""
    return neighbours == 3 or (neighbours == 2 and cell == 1)


@xp.kernel
def generation_naive(board, after):
    row = xp.global_id(0)
    column = xp.global_id(1)
    neighbours = 0
    for i in xp.static_range(-1, 2):
        for j in xp.static_range(-1, 2):
            if i != 0 or j != 0:  # constants: decided when the loop is written out
                # the edges meet; % is Python's: -1 % 8 is 7. It is a division, and there are 16 of them
                neighbours += board[(row + i) % board.shape[0], (column + j) % board.shape[1]]
    after[row, column] = lives(board[row, column], neighbours)


@xp.kernel
def generation(board, after):
    row = xp.global_id(0)
    column = xp.global_id(1)
    above = row - 1 if row > 0 else board.shape[0] - 1  # comparing costs a fraction of dividing
    below = row + 1 if row < board.shape[0] - 1 else 0
    left = column - 1 if column > 0 else board.shape[1] - 1
    right = column + 1 if column < board.shape[1] - 1 else 0
    neighbours = board[row, left] + board[row, right]
    for j in (left, column, right):
        neighbours += board[above, j] + board[below, j]
    after[row, column] = lives(board[row, column], neighbours)


def numpy_generation(board: np.ndarray) -> np.ndarray:
    neighbours = sum(
        np.roll(board, (i, j), (0, 1)).astype(np.int64) for i in (-1, 0, 1) for j in (-1, 0, 1) if i != 0 or j != 0
    )
    return ((neighbours == 3) | ((neighbours == 2) & (board == 1))).astype(np.uint8)


def main(device: Any, size: int) -> None:
    """Run a random board for four generations."""
    host = (np.random.default_rng(6).random((size, size + 2)) < 0.3).astype(np.uint8)
    expected = host
    with xp.device(device):
        board = xp.asarray(host, copy=True)
        after = xp.empty_like(board)
        for kernel in (generation_naive, generation):
            for _ in range(2):
                kernel[board.shape](board, after)
                board, after = after, board
                expected = numpy_generation(expected)
            check(f"life, {kernel.__name__}", board, expected)
        compare(
            ("NumPy", lambda: numpy_generation(expected)),
            ("kernel, with %", lambda: generation_naive[board.shape](board, after)),
            ("kernel, with comparisons", lambda: generation[board.shape](board, after)),
        )


if __name__ == "__main__":
    run(main, size=1500, small=12)
