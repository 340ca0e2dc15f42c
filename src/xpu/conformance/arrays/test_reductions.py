"""Reductions: the rows of the operation table, over every choice of axes, for no elements, one, and many."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import xpu as xp

from ...dtypes import real_of
from ...errors import AxisError
from ..capabilities import Capabilities
from ..compare import check, host
from ..draw import Budget, shapes
from ..samples import one, plain
from ..table import REDUCTIONS, Reduction

ROWS = [
    pytest.param(row, dtype, id=f"{row.name}-{dtype.name}") for row in REDUCTIONS.values() for dtype in row.dtypes()
]


def expected_of(row: Reduction, x: np.ndarray, **arguments: Any) -> np.ndarray:
    """Return NumPy's result, computed in a wider type where the function is not exact."""
    own = np.asarray(row.reference(x, **arguments))
    if row.ulp == 0 or own.dtype.kind not in "fc":
        return own.astype(np.int64) if own.dtype.kind == "i" and row.name.startswith(("arg", "count")) else own
    wide = x.astype({"e": "d", "f": "d", "d": "g", "F": "D", "D": "G"}[x.dtype.char])
    return np.asarray(row.reference(wide, **arguments)).astype(own.dtype)


def agree(row: Reduction, x: np.ndarray, **arguments: Any) -> None:
    """Check a reduction; sums of floats may be off by their summands' rounding."""
    want = expected_of(row, x, **arguments)
    result = getattr(xp, row.name)(xp.asarray(x), **arguments)
    what = f"{row.name} of shape {x.shape}, {arguments}"
    if row.ulp == 0 or want.dtype.kind not in "fc":
        check(result, want, what=what, zero_signs=False)
        return
    assert (result.dtype, result.shape) == (want.dtype, want.shape), what
    scale = np.abs(x).max(initial=0) * (max(x.size, 1) if row.name == "sum" else 1)
    bound = row.ulp * np.finfo(real_of(want.dtype)).eps * (np.abs(want).astype(np.float64) + float(scale))
    got = host(result)
    with np.errstate(invalid="ignore"):
        right = (np.abs(got.astype(np.clongdouble) - want) <= bound) | (np.isnan(got) & np.isnan(want))
    assert right.all(), f"{what}: {got} instead of {want}"


def tame(dtype: np.dtype, shape: tuple[int, ...]) -> np.ndarray:
    """Return values whose products stay in range."""
    x = plain(dtype, int(np.prod(shape)), "tame")
    if dtype.kind in "fc":
        x = x / np.abs(x) * (1 + np.abs(x) / 16)
    return x.astype(dtype).reshape(shape)


AXES = [None, 0, 1, 2, -1, (0, 1), (0, 2), (1, 2), (-1, 0), (0, 1, 2), ()]


@pytest.mark.parametrize(("row", "dtype"), ROWS)
def test_axes(row: Reduction, dtype: np.dtype, can: Capabilities, budget: Budget) -> None:
    can.require_dtype(dtype)
    x = tame(dtype, (3, 4, 5))
    axes = AXES if row.tuples else [axis for axis in AXES if not isinstance(axis, tuple)]
    thorough = not budget.quick and dtype.name in ("float32", "int64")
    for axis in axes if thorough else axes[::3]:
        agree(row, x, axis=axis)
    agree(row, x, axis=1, keepdims=True)
    agree(row, x, axis=None, keepdims=True)


@pytest.mark.parametrize("name", REDUCTIONS)
def test_shapes_and_axes(name: str, budget: Budget) -> None:
    row = REDUCTIONS[name]
    dtype = np.dtype(np.float32 if name in ("mean", "var", "std") else np.int32)

    def same(shape: tuple[int, ...], pick: int, keepdims: bool) -> None:
        choices: list[Any] = [None, *range(-len(shape), len(shape))]
        if row.tuples:
            choices += [c for n in range(2, len(shape) + 1) for c in itertools.combinations(range(len(shape)), n)]
        axis = choices[pick % len(choices)]
        x = tame(dtype, shape)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            try:
                row.reference(x, axis=axis)
            except ValueError:
                with pytest.raises(ValueError, match=r"empty|zero-size|no elements|identity"):
                    getattr(xp, name)(xp.asarray(x), axis=axis)
                return
            agree(row, x, axis=axis, keepdims=keepdims)

    budget.for_all(30, same, shape=shapes(4, 5), pick=st.integers(0, 60), keepdims=st.booleans())


@pytest.mark.parametrize("name", ["sum", "min", "max", "any", "argmax", "mean"])
@pytest.mark.parametrize("view", range(6))
def test_views(name: str, view: int) -> None:
    row = REDUCTIONS[name]
    base = tame(np.dtype(np.float32), (6, 8, 5))
    key = [np.s_[::2], np.s_[:, ::-1], np.s_[..., 1:-1], np.s_[3], np.s_[::-1, 2:5, ::2], np.s_[:, None, 1]][view]
    x, y = base[key], xp.asarray(base)[key]
    for axis in (None, 0, -1):
        want = row.reference(x, axis=axis)
        got = getattr(xp, name)(y, axis=axis)
        assert np.allclose(host(got), want, rtol=1e-5, atol=1e-5)
        got = getattr(xp, name)(y.T, axis=axis)
        assert np.allclose(host(got), row.reference(x.T, axis=axis), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax"])
def test_nan_wins(name: str, dtype: str, can: Capabilities) -> None:
    can.require_dtype(dtype)
    for place in (0, 3, 6):
        x = np.array([3, -1, 2, np.inf, -np.inf, 0, 7], dtype)
        x[place] = np.nan
        agree(REDUCTIONS[name], x)
        agree(REDUCTIONS[name], np.stack([x, x[::-1], np.ones(7, dtype)]), axis=1)
    agree(REDUCTIONS[name], np.array([1, np.nan, np.nan, 2], dtype))


@pytest.mark.parametrize("name", ["min", "max"])
def test_extrema_of_infinities(name: str) -> None:
    for values in ([np.inf, np.inf], [-np.inf, -np.inf], [np.inf, -np.inf], [-np.inf]):
        agree(REDUCTIONS[name], np.array(values, np.float32))


@pytest.mark.parametrize("name", ["argmin", "argmax"])
def test_the_first_of_equals_is_found(name: str) -> None:
    x = np.array([[1, 5, 5, 1], [5, 1, 1, 5], [2, 2, 2, 2]], np.int32)
    for axis in (None, 0, 1):
        agree(REDUCTIONS[name], x, axis=axis)
    many = np.zeros(5000, np.int8)
    many[[1234, 4000]] = 1 if name == "argmax" else -1
    agree(REDUCTIONS[name], many)


@pytest.mark.parametrize("size", [1, 2, 7, 63, 64, 65, 255, 256, 257, 1000, 4096, 5001])
def test_sums_of_many_sizes(size: int) -> None:
    x = np.arange(size, dtype=np.int32) - size // 3
    check(xp.sum(xp.asarray(x)), np.sum(x))
    check(xp.max(xp.asarray(x[::-1].copy())), np.max(x))


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(1, 100_000), (100_000, 1), (300, 400), (3, 50_000), (50_000, 3)])
def test_large_shapes(shape: tuple[int, int]) -> None:
    x = (np.arange(shape[0] * shape[1], dtype=np.int64) % 1000 - 300).astype(np.int32).reshape(shape)
    y = xp.asarray(x)
    for axis in (None, 0, 1):
        check(xp.sum(y, axis=axis), np.sum(x, axis=axis))
        check(xp.min(y, axis=axis), np.min(x, axis=axis))
        check(xp.argmax(y, axis=axis), np.argmax(x, axis=axis))


@pytest.mark.slow
def test_sums_of_floats_are_added_pairwise() -> None:
    x = np.full(1 << 20, 0.1, np.float32)
    exact = float(np.float32(0.1)) * x.size
    assert abs(float(xp.sum(xp.asarray(x))) - exact) <= 1e-5 * exact


def test_small_integers_are_summed_wide() -> None:
    x = np.full(1000, 127, np.int8)
    check(xp.sum(xp.asarray(x)), np.sum(x))
    check(xp.sum(xp.asarray(x.view(np.uint8))), np.sum(x.view(np.uint8)))
    check(xp.sum(xp.asarray(x), dtype=xp.int8), np.sum(x, dtype=np.int8))
    check(xp.sum(xp.asarray(x > 5)), np.sum(x > 5))


def test_half_precision_is_summed_in_single(can: Capabilities) -> None:
    x = np.full(4096, 0.1, np.float16)
    assert abs(float(xp.sum(xp.asarray(x))) - 409.5) < 1
    assert xp.sum(xp.asarray(x)).dtype == np.float16
    assert abs(float(xp.mean(xp.asarray(x))) - 0.09998) < 1e-3


def test_sums_of_special_values() -> None:
    for values in ([np.inf, 1], [np.inf, -np.inf], [np.nan, 1], [-0.0, -0.0], [1e30, 1e30]):
        x = np.array(values, np.float32)
        with np.errstate(all="ignore"):
            check(xp.sum(xp.asarray(x)), np.sum(x), zero_signs=False)
            check(xp.prod(xp.asarray(x)), np.prod(x), zero_signs=False)


@pytest.mark.parametrize("dtype", ["float32", "complex64", "int32", "uint8"])
def test_any_and_all_of_special_values(dtype: str) -> None:
    x = one(np.dtype(dtype))
    agree(REDUCTIONS["any"], x)
    agree(REDUCTIONS["all"], x)
    agree(REDUCTIONS["count_nonzero"], x)
    zeros = np.zeros((3, 4), dtype)
    for axis in (None, 0, 1):
        agree(REDUCTIONS["any"], zeros, axis=axis)
        agree(REDUCTIONS["all"], zeros + np.ones((), dtype), axis=axis)


@pytest.mark.parametrize("correction", [0, 1, 1.5])
def test_variance_with_correction(correction: float) -> None:
    x = tame(np.dtype(np.float32), (6, 5))
    want = x.astype(np.float64).var(axis=0, ddof=correction)
    assert np.allclose(host(xp.var(xp.asarray(x), axis=0, correction=correction)), want, rtol=1e-5)
    assert np.allclose(host(xp.std(xp.asarray(x), axis=0, correction=correction)), np.sqrt(want), rtol=1e-5)


def test_variance_of_a_large_mean_does_not_cancel() -> None:
    x = np.array([1e4, 1e4 + 1, 1e4 + 2, 1e4 + 3], np.float32)
    assert abs(float(xp.var(xp.asarray(x))) - 1.25) < 1e-4


def test_a_pending_expression_is_reduced() -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    y = xp.asarray(x)
    check(xp.sum(y * 2 + 1, axis=1), np.sum(x * 2 + 1, axis=1))
    check((y - y.max(axis=1, keepdims=True)).sum(), (x - x.max(axis=1, keepdims=True)).sum())
    check(xp.max(xp.where(y > 5, y, -y)), np.max(np.where(x > 5, x, -x)))


def test_methods_are_the_functions() -> None:
    x = np.arange(12, dtype=np.int32).reshape(3, 4)
    y = xp.asarray(x)
    for name in ("sum", "prod", "min", "max", "any", "all", "argmin", "argmax"):
        check(getattr(y, name)(axis=0), getattr(x, name)(axis=0))
    for name in ("mean", "var", "std"):
        z = y.astype(xp.float32)
        assert np.allclose(host(getattr(z, name)(axis=0)), getattr(x.astype(np.float32), name)(axis=0), rtol=1e-6)


def test_wrong_axes_are_refused() -> None:
    x = xp.zeros((2, 3), dtype=xp.int32)
    for axis in (2, -3, (0, 5)):
        with pytest.raises(AxisError):
            xp.sum(x, axis=axis)
    with pytest.raises(ValueError, match=r"twice|duplicate"):
        xp.sum(x, axis=(0, 0))


@pytest.mark.parametrize("name", ["sum", "prod", "max", "any", "argmin", "mean"])
def test_axes_of_length_one(name: str) -> None:
    """Among kept axes that are no single walk through memory."""
    x = (np.arange(4 * 3 * 5).reshape(4, 1, 3, 1, 5) % 7).astype(np.float32)
    for windows in (lambda v: v[::-1, :, ::2], lambda v: v.transpose(4, 1, 0, 3, 2), lambda v: v[:3, :, :, :, ::3]):
        y, z = windows(xp.asarray(x)), windows(x)
        for axis in (1, -2):
            check(getattr(xp, name)(y, axis=axis), getattr(np, name)(z, axis=axis))
        check(getattr(xp, name)(y * y - 1, axis=3), getattr(np, name)(z * z - 1, axis=3))
        if name != "argmin":
            for axes in ((1, 3), ()):
                check(getattr(xp, name)(y, axis=axes), getattr(np, name)(z, axis=axes))
