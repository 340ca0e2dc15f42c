"""Conversions between all dtypes, and dtypes as such."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import xpu as xp

from ...dtypes import NAMES
from ..capabilities import Capabilities
from ..compare import check
from ..samples import one


def safe_values(source: np.dtype, target: np.dtype) -> np.ndarray:
    """Return sample values whose conversion is defined: C leaves floats that do not fit an integer open."""
    values = one(source)
    if source.kind in "fc" and target.kind in "iu":
        limits = np.iinfo(target)
        real = values.real
        with np.errstate(all="ignore"):
            fits = np.isfinite(real) & (real > float(limits.min) - 1) & (real < float(limits.max))
        values = values[fits]
    return values


@pytest.mark.parametrize("target", NAMES)
@pytest.mark.parametrize("source", NAMES)
def test_cast(source: str, target: str, can: Capabilities) -> None:
    can.require_dtype(source, target)
    x = safe_values(np.dtype(source), np.dtype(target))
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        expected = x.astype(target)
    check(xp.asarray(x).astype(target), expected, inputs=(x,), what=f"{source} to {target}")


def test_astype_copies_unless_told() -> None:
    x = xp.arange(4, dtype=xp.int32)
    assert x.astype(xp.int32, copy=False) is x
    y = x.astype(xp.int32)
    y[0] = 9
    assert x.tolist() == [0, 1, 2, 3]
    check(xp.astype(x, xp.int64), np.arange(4))


@pytest.mark.parametrize("name", NAMES)
def test_dtypes_are_numpys(name: str) -> None:
    assert np.dtype(getattr(xp, name)) == np.dtype(name)


def test_limits() -> None:
    assert xp.iinfo(xp.int16).max == 32767
    assert xp.finfo(xp.float32).eps == np.finfo(np.float32).eps
    assert xp.isdtype(xp.float32, "real floating")
    assert xp.isdtype(xp.uint8, ("unsigned integer", "bool"))
    assert not xp.isdtype(xp.int8, "complex floating")
    assert xp.can_cast(xp.int8, xp.int16)
    assert not xp.can_cast(xp.float64, xp.int32)


@pytest.mark.parametrize("second", NAMES)
@pytest.mark.parametrize("first", NAMES)
def test_result_type(first: str, second: str) -> None:
    try:
        expected = np.result_type(first, second)
    except TypeError:
        return
    assert xp.result_type(getattr(xp, first), getattr(xp, second)) == expected


def test_inspection(can: Capabilities) -> None:
    info = xp.__array_namespace_info__()
    assert set(info.capabilities()) >= {"boolean indexing", "data-dependent shapes", "max dimensions"}
    assert ("float64" in info.dtypes()) == can.fp64
    assert info.default_dtypes()["real floating"] == (np.float64 if can.fp64 else np.float32)
    assert info.default_dtypes()["integral"] == np.int64
    assert info.default_device() == xp.current_device()
