"""Operations run by NumPy, without a compiler, have the bits of the compiled kernels."""

from __future__ import annotations

import numpy as np
import pytest

import xpu as xp
from xpu.apply import apply
from xpu.lazy.blocks import array_function
from xpu.lazy.operations import TABLE

NAMES = [
    *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p"),
    *("sin", "cos", "tan", "tanh", "float_power", "logaddexp", "logaddexp2", "deg2rad", "rad2deg"),
]


def samples(dtype: np.dtype, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 1e30, 1e-30, np.finfo(dtype).max, np.finfo(dtype).tiny]
    spread = [rng.standard_normal(300) * scale for scale in (0.1, 1.0, 30.0, 1e3)]
    with np.errstate(all="ignore"):
        return np.concatenate([*spread, special]).astype(dtype)


@pytest.mark.parametrize("name", NAMES)
def test_same_bits(name):
    device = xp.devices("cpu")[0]
    op = TABLE[name]
    for dtype in (np.dtype(np.float32), np.dtype(np.float64)):
        ins, out = op.resolve((dtype,) * op.nin)
        function = array_function(op, ins, out, device.info)
        assert function is not None
        args = [samples(dtype, seed) for seed in range(op.nin)]
        with np.errstate(all="ignore"):
            quick = function(*[arg.astype(d) for arg, d in zip(args, ins, strict=True)])
        with xp.config.override(library=False):
            compiled = xp.asnumpy(apply(op, *[xp.asarray(arg, device="cpu") for arg in args]))
        assert quick.dtype == compiled.dtype
        np.testing.assert_array_equal(quick, compiled)


def test_large_arrays_in_pieces():
    host = np.random.default_rng(0).random(100_003).astype(np.float32)
    x = xp.asarray(host, device="cpu")
    quick = xp.asnumpy(xp.exp(x) * 2 + x)
    with xp.config.override(library=False):
        compiled = xp.asnumpy(xp.exp(x) * 2 + x)
    np.testing.assert_array_equal(quick, compiled)


def test_functions_that_branch_need_a_compiler():
    info = xp.devices("cpu")[0].info
    op = TABLE["atan2"]
    double = np.dtype(np.float64)
    assert array_function(op, (double, double), double, info) is None
