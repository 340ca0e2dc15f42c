"""Kernels of short vectors: more elements than the widest has lanes, whatever the width on this machine."""

from __future__ import annotations

import numpy as np
import pytest

import xpu as xp


@pytest.mark.parametrize(
    "name",
    [
        "less",
        "less_equal",
        "greater",
        "greater_equal",
        "equal",
        "not_equal",
        "logical_and",
        "logical_or",
        "logical_xor",
        "maximum",
        "minimum",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "add",
        "multiply",
    ],
)
def test_booleans(device, name):
    a, b = np.resize([False, True, True], 67), np.resize([True, False], 67)
    got = xp.asnumpy(getattr(xp, name)(xp.asarray(a), xp.asarray(b)))
    np.testing.assert_array_equal(got, getattr(np, name)(a, b))


def test_choices_by_compared_booleans(device):
    a, b = np.resize([False, True, True], 67), np.resize([True, False], 67)
    x, y = np.arange(67, dtype=np.float32), -np.arange(67, dtype=np.float32)
    p, q, u, v = (xp.asarray(one) for one in (a, b, x, y))
    np.testing.assert_array_equal(xp.asnumpy(xp.where(p < q, u, v)), np.where(a < b, x, y))
    np.testing.assert_array_equal(xp.asnumpy(xp.where(p < q, p, p >= q)), np.where(a < b, a, a >= b))


@pytest.mark.parametrize("order", [(16, 8, 4, 2, 24, 6, 5), (5, 6, 24, 2, 4, 8, 16)])
@pytest.mark.parametrize("name", ["sum", "max", "argmin"])
def test_rows_of_any_length_follow_each_other(device, order, name):
    for columns in order:
        host = np.random.default_rng(columns).integers(-99, 99, (7, 9, columns)).astype(np.float32)
        x = xp.asarray(np.concatenate([host, host], axis=2))[:, ::2, :columns] + 1
        expected = getattr(np, name)(host[:, ::2] + 1)
        assert float(getattr(xp, name)(x)) == expected, columns
