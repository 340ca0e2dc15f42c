"""Large index arithmetic, mostly without large memory.

Most tests need a few bytes: broadcast views have extents beyond 2**31 over one element. Those that need real distance
take one allocation above 2 GiB and touch a few pages of it: systems that commit memory when it is touched spend nothing.
"""

from __future__ import annotations

import numpy as np
import pytest

import xpu as xp

from ..capabilities import Capabilities
from ..compare import check

HUGE = 3_000_000_000


def test_a_broadcast_view_beyond_32_bits() -> None:
    x = xp.broadcast_to(xp.asarray(np.array([7], np.uint8)), (HUGE,))
    assert x.shape == (HUGE,)
    assert x.size == HUGE
    assert int(x[HUGE - 1]) == 7
    assert int(x[-HUGE]) == 7
    with pytest.raises(IndexError):
        x[HUGE]
    assert x[:: 1 << 29].tolist() == [7] * 6
    assert (x[2**31 : 2**31 + 10] + 1).tolist() == [8] * 10


def test_a_broadcast_matrix_beyond_32_bits() -> None:
    row = np.arange(5, dtype=np.int16)
    x = xp.broadcast_to(xp.asarray(row), (1 << 31, 5))
    check(x[(1 << 31) - 3 :], np.broadcast_to(row, (3, 5)))
    check(x[:: 1 << 30, ::-1] * 2, np.broadcast_to(row[::-1] * 2, (2, 5)))
    assert x.size == 5 << 31
    assert x.T[3, 1 << 30 :: 1 << 29].tolist() == [3, 3]


def test_sizes_are_counted_beyond_64_bits() -> None:
    x = xp.broadcast_to(xp.asarray(1), (1 << 20, 1 << 20, 1 << 15))
    assert x.size == 1 << 55
    assert x.nbytes == 1 << 58


def test_ranges_beyond_32_bits() -> None:
    start = 5_000_000_000
    check(xp.arange(start, start + 5), np.arange(start, start + 5))
    check(xp.arange(0, 5 * HUGE, HUGE), np.arange(0, 5 * HUGE, HUGE))
    x = xp.arange(start, start + 100)
    assert int(x.sum()) == sum(range(start, start + 100))


@pytest.mark.slow
def test_elements_more_than_2_gib_apart(can: Capabilities) -> None:
    count = (1 << 31) + 4096
    can.require_bytes(count)
    x = xp.empty(count, dtype=xp.uint8)
    x[:8] = 1
    x[-8:] = 2
    x[1 << 31] = 3
    assert x[:8].tolist() == [1] * 8
    assert x[-8:].tolist() == [2] * 8
    far = x[:: 1 << 30]
    far += 10
    assert far.tolist()[::2] == [11, 13]
    far[1] = 40
    assert (far + xp.asarray([0, 1, 2], dtype=xp.uint8)).tolist() == [11, 41, 15]
    backwards = x[(1 << 31) + 3 :: -(1 << 30)]
    backwards[...] = xp.asarray([5, 6, 7], dtype=xp.uint8)
    assert [int(x[(2 - k) * (1 << 30) + 3]) for k in range(3)] == [5, 6, 7]
    assert int(x[0]) == 11
    both = x[: 1 << 31].reshape(2, 1 << 30)[:, :4]
    both[...] = xp.asarray([[1, 2, 3, 4], [5, 6, 7, 8]], dtype=xp.uint8)
    assert x[1 << 30 : (1 << 30) + 4].tolist() == [5, 6, 7, 8]
    assert both.sum(axis=0).tolist() == [6, 8, 10, 12]


@pytest.mark.slow
def test_bytes_more_than_2_gib_apart(can: Capabilities) -> None:
    count = (1 << 29) + 1024
    can.require_bytes(4 * count)
    x = xp.empty(count, dtype=xp.int32)
    ends = x[:: 1 << 29]
    ends[...] = xp.asarray([123, -456], dtype=xp.int32)
    assert ends.tolist() == [123, -456]
    assert int(x[1 << 29]) == -456
    tail = x[(1 << 29) - 2 : (1 << 29) + 3]
    tail[...] = xp.arange(5, dtype=xp.int32)
    assert (tail * tail).tolist() == [0, 1, 4, 9, 16]
    assert int(x[0]) == 123
