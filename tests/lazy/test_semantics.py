"""Deferred execution keeps NumPy's meaning: reads before writes, views, aliasing, limits."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import xpu as xp
from xpu.lazy import node as node_module
from xpu.lazy.node import Node


@pytest.fixture
def pair():
    host = np.arange(12.0).reshape(3, 4)
    return host.copy(), xp.asarray(host, device=DEVICE)


DEVICE = "interpreter"


def pending(x) -> bool:
    return x._view is None and isinstance(x._operand(), Node)


def test_operations_are_deferred(pair):
    host, x = pair
    y = x * 2 + 1
    assert pending(y)
    np.testing.assert_array_equal(xp.asnumpy(y), host * 2 + 1)
    assert not pending(y)


def test_fusion_off_computes_at_once(pair):
    host, x = pair
    with xp.config.override(fuse=False):
        y = x * 2 + 1
        assert not pending(y)
    np.testing.assert_array_equal(xp.asnumpy(y), host * 2 + 1)


def test_an_expression_reads_values_from_before_a_write(pair):
    host, x = pair
    y = x + 1
    x[...] = 0
    np.testing.assert_array_equal(xp.asnumpy(y), host + 1)
    np.testing.assert_array_equal(xp.asnumpy(x), 0)


def test_an_intermediate_that_died_still_counts(pair):
    host, x = pair
    y = (x + 1) * 3
    x += 100
    np.testing.assert_array_equal(xp.asnumpy(y), (host + 1) * 3)
    np.testing.assert_array_equal(xp.asnumpy(x), host + 100)


def test_an_intermediate_shared_with_another_expression_survives_the_write(pair):
    host, x = pair
    shared = x * 2
    other = shared + 1
    x[...] = shared - x
    np.testing.assert_array_equal(xp.asnumpy(other), host * 2 + 1)
    np.testing.assert_array_equal(xp.asnumpy(x), host)
    np.testing.assert_array_equal(xp.asnumpy(shared), host * 2)


def test_a_dropped_intermediate_used_twice_survives_the_write(pair):
    host, x = pair
    shared = x * 2
    other = shared + 1
    written = shared - x
    del shared
    x[...] = written
    np.testing.assert_array_equal(xp.asnumpy(other), host * 2 + 1)
    np.testing.assert_array_equal(xp.asnumpy(x), host)


def test_writes_through_views_are_seen_by_all(pair):
    host, x = pair
    row, column = x[1], x[:, 2]
    row += 10
    column *= 2
    host[1] += 10
    host[:, 2] *= 2
    np.testing.assert_array_equal(xp.asnumpy(x), host)
    np.testing.assert_array_equal(xp.asnumpy(row), host[1])


@pytest.mark.parametrize("step", [1, -1])
def test_overlapping_windows(pair, step):
    host = np.arange(20.0)
    x = xp.asarray(host, device=DEVICE)
    x[1:][::step] = x[:-1]
    expected = host.copy()
    expected[1:][::step] = host[:-1]
    np.testing.assert_array_equal(xp.asnumpy(x), expected)


def test_heat_equation_in_place():
    host = np.random.default_rng(0).random((17, 13))
    x = xp.asarray(host, device=DEVICE)
    for _ in range(5):
        for u in (host, x):
            u[1:-1, 1:-1] += 0.1 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
    np.testing.assert_array_equal(xp.asnumpy(x), host)


def test_in_place_on_a_pending_array_goes_on_with_it(pair):
    host, x = pair
    y = x + 1
    z = y * 2
    y += 5
    assert pending(y)
    np.testing.assert_array_equal(xp.asnumpy(y), host + 6)
    np.testing.assert_array_equal(xp.asnumpy(z), (host + 1) * 2)


def test_in_place_keeps_the_dtype():
    x = xp.asarray(np.arange(4, dtype=np.float32), device=DEVICE)
    y = x + 1
    y += xp.asarray(np.ones(4), device=DEVICE)
    assert y.dtype == np.float32
    with pytest.raises(TypeError, match="same_kind"):
        i = xp.asarray(np.arange(4), device=DEVICE)
        i += 0.5


def test_self_assignment(pair):
    host, x = pair
    x[...] = x
    x[:] = x[:, ::1]
    np.testing.assert_array_equal(xp.asnumpy(x), host)
    x[...] = x.T.reshape(3, 4)
    np.testing.assert_array_equal(xp.asnumpy(x), host.T.reshape(3, 4))


def test_long_chains_are_cut_into_kernels(pair):
    host, x = pair
    y = x
    for _ in range(3 * node_module.MAX_OPERATIONS):
        y = y + 1
    np.testing.assert_array_equal(xp.asnumpy(y), host + 3 * node_module.MAX_OPERATIONS)


def test_doubling_expressions_do_not_explode(pair):
    _, x = pair
    y = x
    for _ in range(40):
        y = y + y
    np.testing.assert_array_equal(xp.asnumpy(y), xp.asnumpy(x) * 2.0**40)


def test_evaluated_expressions_release_their_inputs(pair):
    _, x = pair
    y = x + 1
    storage = x._view.storage
    xp.asnumpy(y)
    del x
    gc.collect()
    assert [ref() for ref in storage.readers if ref() is not None and ref().value is None] == []
    assert gc.get_referrers(storage) is not None
    assert y._node is None


def test_errors_leave_arrays_as_they_were(pair):
    host, x = pair
    with pytest.raises(ValueError):
        x[...] = xp.zeros((5, 5), device=DEVICE)
    with pytest.raises(ValueError):
        x += xp.zeros((2, 3, 4), device=DEVICE)
    with pytest.raises(IndexError):
        x[7] = 1
    np.testing.assert_array_equal(xp.asnumpy(x), host)


def test_readers_do_not_accumulate(pair):
    _, x = pair
    for _ in range(1000):
        x + 1
    assert len(x._concrete().storage.readers) < 200


def test_a_reader_of_a_pending_array_reads_it_before_a_write(pair):
    host, x = pair
    a = x + 1
    b = a * 2
    a[0] = 100
    np.testing.assert_array_equal(xp.asnumpy(b), (host + 1) * 2)
    c = a * 3
    a += 1
    np.testing.assert_array_equal(xp.asnumpy(c)[1:], (host[1:] + 1) * 3)


def test_evaluate_computes_now(pair):
    _, x = pair
    y, z = x + 1, x * 2
    xp.evaluate(y, z)
    assert not pending(y)
    assert not pending(z)
