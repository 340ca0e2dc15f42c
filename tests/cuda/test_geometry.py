"""Launch sizes: the language's axes on CUDA's grid and blocks."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings, strategies as st

from xpu_cuda.geometry import block_count, block_dimensions, choose_local

MAX_ITEMS = (1024, 1024, 64)
extents = st.lists(st.integers(1, 5000), min_size=1, max_size=3).map(tuple)


def test_the_last_axis_is_x():
    assert block_dimensions((7,)) == (7, 1, 1)
    assert block_dimensions((2, 7)) == (7, 2, 1)
    assert block_dimensions((3, 2, 7)) == (7, 2, 3)


def test_blocks_cover_the_index_space():
    assert block_count((1000,), (256,)) == 4
    assert block_count((9, 33), (8, 32)) == 4
    assert block_count((2**40,), (256,)) == 2**32


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((1_000_000,), (256,)),
        ((1,), (1,)),
        ((100,), (128,)),
        ((1080, 1920), (8, 32)),
        ((1, 5000), (1, 256)),
        ((2, 5000), (2, 128)),
        ((5000, 1), (256, 1)),
        ((5000, 3), (64, 4)),
        ((64, 64, 64), (1, 8, 32)),
        ((5000, 1, 1), (64, 1, 1)),
    ],
)
def test_chosen_sizes(size, expected):
    assert choose_local(size, 1024, MAX_ITEMS) == expected


@settings(deadline=None, derandomize=True)
@given(size=extents, limit=st.integers(1, 1024), dividing=st.booleans())
def test_choice_is_always_allowed(size, limit, dividing):
    chosen = choose_local(size, limit, MAX_ITEMS, dividing)
    assert len(chosen) == len(size)
    assert 1 <= math.prod(chosen) <= min(limit, 256)
    assert all(width <= most for width, most in zip(reversed(chosen), MAX_ITEMS, strict=False))
    if dividing:
        assert all(extent % width == 0 for extent, width in zip(size, chosen, strict=True))
