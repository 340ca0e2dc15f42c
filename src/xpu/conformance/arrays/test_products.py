"""Products of vectors, matrices and stacks of matrices."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import strategies as st

import xpu as xp

from ...errors import BroadcastError
from ..capabilities import Capabilities
from ..compare import check, host
from ..draw import Budget
from ..samples import plain

DTYPES = (
    "int8", "int16", "int32", "int64", "uint8", "uint32", "uint64", "float16", "float32", "float64", "complex64", "complex128",
)  # fmt: skip


def drawn(shape: tuple[int, ...], dtype: str = "float32", key: str = "") -> np.ndarray:
    return plain(np.dtype(dtype), int(np.prod(shape)), key).reshape(shape)


def close(result: xp.Array, x: np.ndarray, y: np.ndarray) -> None:
    """Compare a product with one computed in a wider type, relative to the product of magnitudes."""
    want = np.asarray(np.matmul(x, y))
    if want.dtype.kind not in "fc":
        check(result, want)
        return
    wide = {"e": np.float64, "f": np.float64, "d": np.longdouble, "F": np.complex128, "D": np.clongdouble}[
        want.dtype.char
    ]
    exact = np.matmul(x.astype(wide), y.astype(wide))
    size = np.matmul(np.abs(x).astype(np.float64), np.abs(y).astype(np.float64))
    assert result.dtype == want.dtype
    assert result.shape == want.shape
    inner = max(x.shape[-1], 1)
    eps = np.finfo(want.dtype).eps * (1 if want.dtype.itemsize == 2 else 4 + inner / 8)
    error = np.abs(host(result).astype(wide) - exact)
    bound = eps * size + (np.abs(exact) * np.finfo(want.dtype).eps)
    assert (error <= bound).all(), f"off by up to {float((error / np.maximum(size, 1e-30)).max()):g} of the magnitudes"


@pytest.mark.parametrize("dtype", DTYPES)
def test_matrices_of_every_dtype(dtype: str, can: Capabilities) -> None:
    can.require_dtype(dtype)
    x, y = drawn((5, 7), dtype), drawn((7, 6), dtype, "y")
    close(xp.asarray(x) @ xp.asarray(y), x, y)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((3,), (3,)), ((3,), (3, 4)), ((2, 3), (3,)), ((1, 1), (1, 1)), ((1, 9), (9, 1)), ((9, 1), (1, 9)),
        ((2, 3, 4), (4, 5)), ((3, 4), (2, 4, 5)), ((2, 3, 4), (2, 4, 5)), ((2, 1, 3, 4), (5, 4, 2)), ((4,), (2, 4, 3)),
        ((2, 3, 4), (4,)), ((0, 3), (3, 2)), ((2, 0), (0, 3)), ((2, 3), (3, 0)), ((0, 2, 3), (3, 4)), ((17, 33), (33, 18)),
    ],
)  # fmt: skip
def test_shapes(first: tuple[int, ...], second: tuple[int, ...]) -> None:
    x, y = drawn(first), drawn(second, key="y")
    close(xp.matmul(xp.asarray(x), xp.asarray(y)), x, y)


def test_sizes_around_tiles(budget: Budget) -> None:
    def same(rows: int, inner: int, columns: int) -> None:
        x, y = drawn((rows, inner), "int32"), drawn((inner, columns), "int32", "y")
        check(xp.asarray(x) @ xp.asarray(y), x @ y)

    extents = st.sampled_from((1, 2, 7, 15, 16, 17, 31, 33, 40))
    budget.for_all(20, same, rows=extents, inner=extents, columns=extents)


@pytest.mark.slow
@pytest.mark.parametrize(
    "shape", [(64, 64, 64), (130, 70, 200), (257, 255, 129), (1, 500, 300), (300, 500, 1), (512, 8, 512)]
)
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_larger_sizes(shape: tuple[int, int, int], dtype: str) -> None:
    x, y = drawn(shape[:2], dtype), drawn(shape[1:], dtype, "y")
    close(xp.asarray(x) @ xp.asarray(y), x, y)


@pytest.mark.parametrize("second", range(5))
@pytest.mark.parametrize("first", range(5))
def test_layouts(first: int, second: int) -> None:
    x = drawn((8, 8))

    def layouts(a):  # type: ignore[no-untyped-def]
        return [a[:6, :6], a[:6, :6].T, a[::-1, ::-1][:6, :6], a[1:7, 2:8], a[1:7, :6]]

    y = xp.asarray(x)
    close(layouts(y)[first] @ layouts(y)[second], layouts(x)[first].copy(), layouts(x)[second].copy())


def test_mixed_dtypes() -> None:
    x, y = drawn((3, 4), "int16"), drawn((4, 2), "float32", "y")
    close(xp.asarray(x) @ xp.asarray(y), x.astype(np.float32), y)


def test_a_nan_reaches_only_its_row() -> None:
    x, y = drawn((4, 4)), drawn((4, 4), key="y")
    x[1, 2] = np.nan
    assert np.array_equal(np.isnan(host(xp.asarray(x) @ xp.asarray(y))), np.isnan(x @ y))


def test_inner_lengths_must_agree() -> None:
    for first, second in (((2, 3), (4, 2)), ((3,), (4,)), ((2, 3, 4), (3, 4, 5))):
        with pytest.raises(BroadcastError):
            xp.zeros(first, dtype=xp.float32) @ xp.zeros(second, dtype=xp.float32)
    with pytest.raises(ValueError, match="axis"):
        xp.matmul(xp.asarray(1), xp.ones(3))


@pytest.mark.parametrize("axes", [0, 1, 2, ((0,), (1,)), ((1, 0), (0, 1)), ((-1,), (0,))])
def test_tensordot(axes: object) -> None:
    x, y = drawn((4, 4, 3), "int32"), drawn((4, 4, 2), "int32", "y")
    if axes == 1 or axes == ((-1,), (0,)):
        y = drawn((3, 4, 2), "int32", "y")
    if axes == 2:
        x = drawn((3, 4, 4), "int32")
    check(xp.tensordot(xp.asarray(x), xp.asarray(y), axes=axes), np.tensordot(x, y, axes=axes))


@pytest.mark.parametrize("dtype", ["int32", "float32", "complex64"])
def test_vecdot(dtype: str) -> None:
    x, y = drawn((3, 4), dtype), drawn((3, 4), dtype, "y")
    assert np.allclose(host(xp.vecdot(xp.asarray(x), xp.asarray(y))), np.vecdot(x, y), rtol=1e-5)
    assert np.allclose(host(xp.vecdot(xp.asarray(x), xp.asarray(y), axis=0)), np.vecdot(x, y, axis=0), rtol=1e-5)


def test_matrix_transpose() -> None:
    x = drawn((2, 3, 4), "int32")
    check(xp.matrix_transpose(xp.asarray(x)), np.matrix_transpose(x))
    check(xp.asarray(x).mT, x.mT)


def test_outer_and_dot() -> None:
    x, y = drawn((3,), "int32"), drawn((4,), "int32", "y")
    check(xp.outer(xp.asarray(x), xp.asarray(y)), np.outer(x, y))
    a, b = drawn((2, 3, 4), "int32"), drawn((4, 5), "int32", "y")
    check(xp.dot(xp.asarray(a), xp.asarray(b)), np.dot(a, b))
    check(xp.dot(xp.asarray(x), xp.asarray(x)), np.dot(x, x))
