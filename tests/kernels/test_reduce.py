"""Reductions against NumPy: every operation, few and many results, with and without vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from xpu.kernels.producer import from_view
from xpu.kernels.reduce import plan, run

from .devices import download, empty, upload

OPERATIONS = ("sum", "prod", "min", "max", "any", "all", "count_nonzero", "argmin", "argmax")
BOXES = [(1, 1, 1), (3, 37, 1), (1, 3, 70)]


def example(dtype: str, shape: tuple[int, ...], op: str) -> np.ndarray:
    rng = np.random.default_rng(len(op) + sum(shape))
    kind = np.dtype(dtype).kind
    if op == "prod":
        return np.where(rng.random(shape) < 0.1, 2, 1).astype(dtype)
    if kind in "biu":
        return rng.integers(0, 3, shape).astype(dtype)
    x = rng.integers(-8, 9, shape) / 4  # sums are exact
    if kind == "c":
        x = x + 1j * rng.integers(-8, 9, shape)
    x = x.astype(dtype)
    if op in ("min", "max", "argmin", "argmax") and x.size > 30:
        x[0, shape[1] // 2, 0] = np.nan
    return x


def reference(op: str, x: np.ndarray) -> np.ndarray:
    if op == "count_nonzero":
        return np.count_nonzero(x, axis=1)
    with np.errstate(all="ignore"):
        return getattr(np, op)(x, axis=1)


def reduced(op: str, x: np.ndarray, device: Any) -> tuple[np.ndarray, np.ndarray]:
    outer, length, inner = x.shape
    expected = reference(op, x)
    out = empty(device, (outer, inner), expected.dtype)
    run(op, from_view(upload(x, device), (length * inner, inner, 1)), outer, length, inner, out)
    return download(out), expected


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float32", "complex64"])
@pytest.mark.parametrize("op", OPERATIONS)
def test_against_numpy(op: str, dtype: str, device: Any) -> None:
    for shape in BOXES:
        got, expected = reduced(op, example(dtype, shape, op), device)
        np.testing.assert_array_equal(got, expected, err_msg=f"{op} {dtype} {shape}")


@pytest.mark.parametrize("op", ["sum", "max", "argmin"])
def test_kernels_for_gpus(op: str, gpu: Any) -> None:
    for shape in [(2, 300, 1), (1, 40, 6)]:
        got, expected = reduced(op, example("float32", shape, op), gpu)
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("op", ["sum", "argmax", "any", "count_nonzero"])
@pytest.mark.parametrize("shape", [(1, 100_003, 1), (1, 30_000, 20)])
def test_pieces_of_a_long_axis(op: str, shape: tuple[int, ...]) -> None:
    from .devices import compiled_device

    device = compiled_device()
    x = np.zeros(shape, np.float32)
    x[0, shape[1] - 5, -1] = 3.0
    x[0, 17, 0] = 2.0
    got, expected = reduced(op, x, device)
    np.testing.assert_array_equal(got, expected)


def test_strides_may_be_negative_or_zero(device: Any) -> None:
    x = np.arange(60, dtype=np.float32).reshape(3, 20)
    view = upload(x, device)
    view.offset += 59
    out = empty(device, (3, 1), "float32")
    run("sum", from_view(view, (-20, -1, 1)), 3, 20, 1, out)
    np.testing.assert_array_equal(download(out)[:, 0], x.sum(axis=1)[::-1])
    run("sum", from_view(upload(x, device), (20, 0, 1)), 3, 20, 1, out)
    np.testing.assert_array_equal(download(out)[:, 0], x[:, 0] * 20)


def test_sums_are_pairwise() -> None:
    from .devices import compiled_device

    x = np.full((1, 1 << 20, 1), 0.1, np.float32)
    got, _ = reduced("sum", x, compiled_device())
    assert abs(got[0, 0] / (np.float64(np.float32(0.1)) * (1 << 20)) - 1) < 1e-6


def test_a_plan_covers_its_axis() -> None:
    from xpu.backend import DeviceInfo, Limits

    for kind in ("cpu", "gpu"):
        info = DeviceInfo("test", "test", kind, compute_units=7, limits=Limits(vector_bytes=64 if kind == "cpu" else 0))
        for box in [(1, 1, 1), (1, 10**7, 1), (5, 12345, 3), (4096, 4096, 1), (1, 4096, 4096), (10**6, 2, 1)]:
            stages = plan(True, np.dtype(np.float32), *box, info)
            length = box[1]
            for stage in stages:
                assert stage.length == length
                assert (stage.parts - 1) * stage.chunk < length <= stage.parts * stage.chunk
                length = stage.parts
            assert length == 1
