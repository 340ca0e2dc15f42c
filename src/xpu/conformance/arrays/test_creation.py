"""Arrays from nothing, from numbers and from NumPy; and back."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import xpu as xp

from ...dtypes import NAMES
from ..capabilities import Capabilities
from ..compare import check, host
from ..draw import Budget, shapes
from ..samples import one


@pytest.mark.parametrize("name", NAMES)
def test_numpy_arrays_come_back(name: str, can: Capabilities) -> None:
    can.require_dtype(name)
    x = one(np.dtype(name))
    y = xp.asarray(x)
    assert y.device == xp.current_device()
    assert host(y).tobytes() == x.tobytes()
    assert y.get().tobytes() == x.tobytes()


def test_shapes_come_back(budget: Budget) -> None:
    def comes_back(shape: tuple[int, ...]) -> None:
        x = np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape)
        y = xp.asarray(x)
        check(y, x)
        assert (y.ndim, y.size, y.nbytes, y.itemsize) == (x.ndim, x.size, x.nbytes, x.itemsize)

    budget.for_all(40, comes_back, shape=shapes(5))


def test_numpy_views_come_back() -> None:
    base = np.arange(60, dtype=np.int16).reshape(3, 4, 5)
    for x in (
        base[::-1],
        base.T,
        base[:, ::2, ::-1],
        base[1:2],
        base[..., 0],
        base[:, :0],
        np.broadcast_to(base[0], (2, 4, 5)),
    ):
        check(xp.asarray(x), x)


def test_a_copy_of_the_host_array_is_taken() -> None:
    x = np.arange(5)
    y = xp.array(x)
    x[0] = 99
    assert y.tolist() == [0, 1, 2, 3, 4]


def test_python_numbers_and_lists(can: Capabilities) -> None:
    real = np.float64 if can.fp64 else np.float32
    check(xp.asarray(True), np.asarray(True))
    check(xp.asarray(3), np.asarray(3))
    check(xp.asarray(2.5), np.asarray(2.5, real))
    check(xp.asarray(1j), np.asarray(1j, np.complex128 if can.fp64 else np.complex64))
    check(xp.asarray([[1, 2], [3, 4]]), np.array([[1, 2], [3, 4]]))
    check(xp.asarray([1, 2.5]), np.array([1, 2.5], real))
    check(xp.asarray([]), np.array([], real))
    check(xp.asarray([[True], [False]]), np.array([[True], [False]]))
    check(xp.asarray([1, 2], dtype=xp.uint8), np.array([1, 2], np.uint8))


def test_lists_of_arrays() -> None:
    x = xp.arange(3, dtype=xp.int32)
    check(xp.asarray([x, x + 1]), np.array([[0, 1, 2], [1, 2, 3]], np.int32))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("function", ["zeros", "ones"])
def test_zeros_and_ones(function: str, name: str, can: Capabilities) -> None:
    can.require_dtype(name)
    for shape in ((), (3,), (2, 0), (2, 3, 4)):
        check(getattr(xp, function)(shape, dtype=name), getattr(np, function)(shape, name))


@pytest.mark.parametrize("name", NAMES)
def test_full(name: str, can: Capabilities) -> None:
    can.require_dtype(name)
    check(xp.full((3, 5), 1, dtype=name), np.full((3, 5), 1, name))
    check(xp.full_like(xp.zeros(3, dtype=name), 1), np.full(3, 1, name))


def test_full_takes_the_numbers_dtype(can: Capabilities) -> None:
    check(xp.full(3, 7), np.full(3, 7))
    check(xp.full(3, True), np.full(3, True))
    check(xp.full(3, 1.5), np.full(3, 1.5, np.float64 if can.fp64 else np.float32))
    check(xp.full(2, np.float16(1.5)), np.full(2, 1.5, np.float16))


def test_empty_has_a_shape() -> None:
    assert xp.empty((3, 4), dtype=xp.float32).shape == (3, 4)
    x = xp.zeros((2, 3), dtype=xp.int8)
    for like in (xp.empty_like(x), xp.zeros_like(x), xp.ones_like(x)):
        assert (like.shape, like.dtype, like.device) == (x.shape, x.dtype, x.device)


@pytest.mark.parametrize("arguments", [(5,), (0,), (2, 9), (9, 2), (0, 10, 3), (10, 0, -3), (-5, 5, 2), (3, 3)])
@pytest.mark.parametrize("dtype", [None, "int16", "uint8", "float32", "float16"])
def test_arange(arguments: tuple[int, ...], dtype: str | None) -> None:
    if dtype == "uint8" and min(arguments) < 0:
        arguments = tuple(abs(a) for a in arguments)
    check(xp.arange(*arguments, dtype=dtype), np.arange(*arguments, dtype=dtype))


def test_arange_of_floats() -> None:
    check(xp.arange(0.0, 1.0, 0.125, dtype=xp.float32), np.arange(0.0, 1.0, 0.125, dtype=np.float32))
    assert xp.arange(0, 1, 0.1, dtype=xp.float32).shape == (10,)


@pytest.mark.parametrize("endpoint", [True, False])
@pytest.mark.parametrize("number", [0, 1, 2, 7, 50])
def test_linspace(number: int, endpoint: bool) -> None:
    x = np.linspace(-1, 3, number, endpoint=endpoint, dtype=np.float32)
    result = xp.linspace(-1, 3, number, endpoint=endpoint, dtype=xp.float32)
    assert result.shape == x.shape
    assert np.allclose(host(result), x, rtol=1e-6, atol=1e-6)
    if number > 1 and endpoint:
        assert float(result[-1]) == 3
    if number:
        assert float(result[0]) == -1


@pytest.mark.parametrize(("rows", "columns", "k"), [(3, None, 0), (3, 5, 1), (5, 3, -2), (4, 4, 9), (0, 3, 0)])
def test_eye(rows: int, columns: int | None, k: int) -> None:
    check(xp.eye(rows, columns, k=k, dtype=xp.float32), np.eye(rows, columns, k, np.float32))


@pytest.mark.parametrize("k", [-1, 0, 2])
def test_triangles(k: int) -> None:
    x = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    check(xp.tril(xp.asarray(x), k=k), np.tril(x, k))
    check(xp.triu(xp.asarray(x), k=k), np.triu(x, k))


@pytest.mark.parametrize("indexing", ["xy", "ij"])
def test_meshgrid(indexing: str) -> None:
    parts = [np.arange(n, dtype=np.int32) for n in (2, 3, 4)]
    for got, want in zip(
        xp.meshgrid(*[xp.asarray(p) for p in parts], indexing=indexing),
        np.meshgrid(*parts, indexing=indexing),
        strict=True,
    ):
        check(got, want)


def test_scalars_come_back() -> None:
    assert int(xp.asarray(7)) == 7
    assert float(xp.asarray(2.5)) == 2.5
    assert bool(xp.asarray(0)) is False
    assert complex(xp.asarray(1 + 2j)) == 1 + 2j
    assert xp.asarray([5]).item() == 5
    assert [1, 2, 3][xp.asarray(1)] == 2
    assert xp.arange(6).reshape(2, 3).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert len(xp.zeros((4, 2))) == 4
    assert [int(v) for v in xp.arange(3)] == [0, 1, 2]


def test_numpy_shares_memory_or_says_why(can: Capabilities) -> None:
    x = xp.arange(5)
    if x._concrete().host() is None:
        with pytest.raises(xp.DeviceMismatchError, match="asnumpy"):
            np.asarray(x)
    else:
        shown = np.asarray(x)
        assert shown.tolist() == [0, 1, 2, 3, 4]
        assert not shown.flags.writeable


def test_dlpack_from_numpy() -> None:
    x = np.arange(6, dtype=np.float32)
    check(xp.from_dlpack(x), x)


def test_copies_are_separate() -> None:
    x = xp.arange(4)
    for y in (x.copy(), copy.copy(x), copy.deepcopy(x), xp.asarray(x, copy=True), x.flatten()):
        y[0] = 50
    assert x.tolist() == [0, 1, 2, 3]


def test_pickling_brings_values_back() -> None:
    x = xp.arange(6, dtype=xp.int16).reshape(2, 3)[:, ::-1]
    check(pickle.loads(pickle.dumps(x)), host(x))


def test_repr_and_str() -> None:
    x = xp.arange(4, dtype=xp.int32).reshape(2, 2)
    assert repr(x).startswith("Array([[0, 1],\n       [2, 3]], dtype=int32")
    assert str(x) == str(host(x))
    assert str(xp.asarray(5)) == "5"
    assert "shape=(0, 3)" in repr(xp.zeros((0, 3)))
    assert "..." in repr(xp.arange(5000))
    assert f"{xp.asarray(2.5, dtype=xp.float32):.2f}" == "2.50"


def test_array_namespace() -> None:
    x = xp.arange(3)
    assert x.__array_namespace__() is xp
    assert x.__array_namespace__(api_version="2023.12") is xp
    with pytest.raises(ValueError, match="1999"):
        x.__array_namespace__(api_version="1999.12")
