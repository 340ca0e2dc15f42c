"""Small arrays on the CPU: immediate, with the meaning of deferred ones."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import xpu as xp
from xpu import small


@pytest.fixture(autouse=True)
def on_cpu():
    with xp.device("cpu"):
        yield


def test_operations_are_immediate_and_do_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = xp.asarray([1.0, 0.0, -1.0])
        y = x / 0
        assert y._small is not None
    np.testing.assert_array_equal(xp.asnumpy(y), [np.inf, np.nan, -np.inf])


def test_views_of_small_results_share_their_memory():
    x = xp.asarray(np.arange(6.0)) + 1
    part = x[2:4]
    part *= 10
    np.testing.assert_array_equal(xp.asnumpy(x), [1, 2, 30, 40, 5, 6])
    x += 1
    np.testing.assert_array_equal(xp.asnumpy(part), [31, 41])


def test_a_pending_reader_reads_before_an_immediate_write():
    x = xp.asarray(np.arange(4.0)) + 0
    y = xp.exp(x)  # not exact: deferred
    x += 1
    np.testing.assert_allclose(xp.asnumpy(y), np.exp(np.arange(4.0)))
    np.testing.assert_array_equal(xp.asnumpy(x), np.arange(4.0) + 1)


def test_transposed_operands():
    host = np.arange(6.0).reshape(2, 3)
    x = xp.asarray(host).T
    y = x + x
    np.testing.assert_array_equal(xp.asnumpy(y), (host + host).T)
    np.testing.assert_array_equal(xp.asnumpy(y[1:]), (host + host).T[1:])


def test_zero_dimensional_results_stay_arrays():
    x = xp.asarray(2.0)
    y = x * 3
    assert isinstance(y, xp.Array)
    assert y.shape == ()
    assert float(y) == 6.0


@pytest.mark.parametrize("number", [300, -1])
def test_integers_beyond_the_dtype(number):
    x = xp.asarray(np.arange(3, dtype=np.uint8))
    with pytest.raises(OverflowError):
        x + number
    assert xp.asnumpy(x < number).tolist() == [number == 300] * 3


def test_library_off_means_kernels():
    with xp.config.override(library=False):
        y = xp.asarray([1.0, 2.0]) + 1
        assert y._small is None
    assert xp.asnumpy(y).tolist() == [2.0, 3.0]


def test_in_place_keeps_dtype_and_shape():
    x = xp.asarray(np.arange(3, dtype=np.int32)) + np.int32(0)
    with pytest.raises(TypeError):
        x += 0.5
    with pytest.raises(ValueError):
        x += xp.zeros((2, 3), dtype=np.int32)
    assert xp.asnumpy(x).tolist() == [0, 1, 2]


def test_complex_becomes_real_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        x = xp.asarray([1 + 2j, 3j])
        assert xp.asnumpy(x.astype(xp.float64)).tolist() == [1.0, 0.0]
        assert xp.asnumpy(x.astype(xp.int32)).tolist() == [1, 0]
        assert xp.asnumpy(x.astype(xp.bool)).tolist() == [True, True]


def test_small_arrays_of_different_shapes_broadcast_at_once():
    column = xp.asarray(np.arange(3.0)).reshape(3, 1) + 0
    row = xp.asarray(np.arange(4.0)) + 0
    total = column + row
    assert total._small is not None
    np.testing.assert_array_equal(xp.asnumpy(total), np.arange(3.0)[:, None] + np.arange(4.0))
    with pytest.raises(xp.BroadcastError):
        column.reshape(3) + row


def test_small_operands_with_a_large_result_are_deferred():
    side = 1 << 9
    x = xp.ones((side, 1), dtype=xp.float32) + xp.ones((1, side), dtype=xp.float32)
    assert x._small is None
    assert xp.asnumpy(x).sum() == 2 * side * side


def test_numbers_on_the_left_and_choices_are_immediate():
    x = xp.asarray(np.array([-1.0, 2.0], np.float32)) + np.float32(0)
    y = 1 - x
    z = xp.where(x > 0, x, 5)
    assert y._small is not None
    assert z._small is not None
    assert (y.dtype, z.dtype) == (xp.float32, xp.float32)
    assert xp.asnumpy(y).tolist() == [2.0, -1.0]
    assert xp.asnumpy(z).tolist() == [5.0, 2.0]


@pytest.mark.parametrize("op", [xp.exp, xp.tanh, lambda x: xp.pow(x, 1.5), lambda x: xp.atan2(x, x * x), xp.log1p])
def test_operations_that_become_kernels_of_their_own_keep_their_bits(op, monkeypatch):
    monkeypatch.setattr(small, "HOST_KERNEL_CALLS", 2)
    monkeypatch.setattr(small, "compiling_is_affordable", lambda: True)
    x = xp.asarray(np.linspace(0.01, 3, 301, dtype=np.float32)) * 1
    results = [xp.asnumpy(op(x)) for _ in range(5)]
    assert op(x)._small is not None
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])
    odd = xp.asarray(np.linspace(0.01, 3, 602, dtype=np.float32))[::2] * 1
    whole = xp.asnumpy(op(odd))
    np.testing.assert_array_equal(whole, [xp.asnumpy(op(odd[k : k + 1]))[0] for k in range(301)])
