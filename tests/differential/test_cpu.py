"""Random kernels on the CPU device, against the interpreter."""

from __future__ import annotations

import pytest

from .suite import agree

COUNT, CHUNK = 50, 10


@pytest.mark.parametrize("first", range(1000, 1000 + COUNT, CHUNK))
def test_random_kernels(first):
    agree("cpu", range(first, first + CHUNK))
