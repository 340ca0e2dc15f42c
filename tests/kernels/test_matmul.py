"""Matrix products against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from xpu.kernels.matmul import matmul_views
from xpu.kernels.views import collapse_batch

from .devices import compiled_device, download, empty, upload


def example(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    rng = np.random.default_rng(sum(shape))
    if dtype == "bool":
        return rng.random(shape) < 0.3
    x = rng.integers(0 if dtype.startswith("u") else -4, 5, shape)
    return (x + 1j * rng.integers(-4, 5, shape)).astype(dtype) if dtype.startswith("c") else x.astype(dtype)


def product(a: np.ndarray, b: np.ndarray, device: Any, transposed: bool = False) -> np.ndarray:
    expected = np.matmul(a, b)
    batch = expected.shape[:-2]
    views = []
    for x in (a, b):
        host = np.ascontiguousarray(np.swapaxes(x, -1, -2)) if transposed else x
        view = upload(host, device)
        if transposed:
            view.shape = (*view.shape[:-2], view.shape[-1], view.shape[-2])
            view.strides = (*view.strides[:-2], view.strides[-1], view.strides[-2])
        missing = len(batch) - len(view.shape) + 2
        shape, strides = (1,) * missing + view.shape, (0,) * missing + view.strides
        view.strides = tuple(0 if n == 1 else s for n, s in zip(shape, strides, strict=True))
        view.shape = (*batch, *shape[-2:])
        views.append(view)
    out = empty(device, expected.shape, expected.dtype)
    matmul_views(*views, out)
    return download(out)


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float32", "complex64"])
def test_against_numpy(dtype: str, device: Any) -> None:
    for rows, depth, columns in [(3, 4, 5), (17, 33, 10), (1, 20, 7), (9, 20, 1), (1, 30, 1)]:
        a, b = example((rows, depth), dtype), example((depth, columns), dtype)
        for transposed in (False, True):
            np.testing.assert_array_equal(product(a, b, device, transposed), np.matmul(a, b))


def test_whole_and_broken_tiles() -> None:
    device = compiled_device()
    for rows, depth, columns in [(64, 64, 64), (65, 100, 97), (8, 300, 31), (600, 500, 64), (130, 40, 700)]:
        a, b = example((rows, depth), "float32"), example((depth, columns), "float32")
        np.testing.assert_array_equal(product(a, b, device), a @ b)


def test_stacks(device: Any) -> None:
    for first, second in [((2, 3, 9, 5), (2, 3, 5, 11)), ((4, 1, 9, 8), (3, 8, 7)), ((9, 20), (5, 20, 18))]:
        a, b = example(first, "float32"), example(second, "float32")
        np.testing.assert_array_equal(product(a, b, device), a @ b)


def test_tiles_in_local_memory(gpu: Any) -> None:
    a, b = example((20, 18), "float32"), example((18, 33), "float32")
    np.testing.assert_array_equal(product(a, b, gpu), a @ b)


def test_batches_collapse() -> None:
    shape, strides = collapse_batch((2, 3, 1, 4), [(120, 40, 7, 10), (0, 0, 0, 0)])
    assert (shape, strides) == ((24,), [(10,), (0,)])
    shape, strides = collapse_batch((2, 3), [(30, 10), (0, 10)])
    assert (shape, strides) == ((2, 3), [(30, 10), (0, 10)])
