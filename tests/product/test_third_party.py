"""The backend of docs/backends.md, a few dozen lines without a library, gets all of xpu."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

import xpu as xp
from xpu.device import registry

PAGE = Path(__file__).resolve().parents[2] / "docs" / "backends.md"

A = np.linspace(-3, 3, 30, dtype=np.float32).reshape(5, 6)
B = np.arange(30, dtype=np.float32).reshape(6, 5) % 7
N = np.arange(-12, 12, dtype=np.int32).reshape(4, 6)
PHOTO = (np.arange(7 * 9 * 3) * 37 % 256).astype(np.uint8).reshape(7, 9, 3)

CASES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    # name: the same for xpu and for NumPy; each gets a function that makes arrays
    "elementwise": (lambda f: xp.exp(f(A)) + xp.where(f(A) > 0, f(A), 1), lambda f: np.exp(A) + np.where(A > 0, A, 1)),
    "integers": (lambda f: f(N) // 5 + f(N) % 5, lambda f: N // 5 + N % 5),
    "complex": (lambda f: xp.abs(f(A) + 1j * f(A)), lambda f: np.abs(A + 1j * A)),
    "sum": (lambda f: f(A).sum(axis=0), lambda f: A.sum(axis=0)),
    "mean": (lambda f: f(A).mean(), lambda f: A.mean()),
    "var": (lambda f: f(A).var(axis=(0, 1), keepdims=True), lambda f: A.var(axis=(0, 1), keepdims=True)),
    "argmax": (lambda f: f(B).argmax(axis=1), lambda f: B.argmax(axis=1)),
    "any": (lambda f: (f(N) > 10).any(axis=1), lambda f: (N > 10).any(axis=1)),
    "matmul": (lambda f: f(A) @ f(B), lambda f: A @ B),
    "matmul of views": (lambda f: f(A)[::2, ::-1] @ f(B)[:, 1:], lambda f: A[::2, ::-1] @ B[:, 1:]),
    "concat": (lambda f: xp.concat([f(A), f(B).T]), lambda f: np.concat([A, B.T])),
    "stack": (lambda f: xp.stack([f(A), f(A)], axis=1), lambda f: np.stack([A, A], axis=1)),
    "reshape": (lambda f: f(A).T.reshape(-1), lambda f: A.T.reshape(-1)),
    "cast": (lambda f: f(A).astype(xp.int16), lambda f: A.astype(np.int16)),
    "linspace": (lambda f: xp.linspace(0, 1, 7), lambda f: np.linspace(0, 1, 7)),
    "GaussianBlur": (lambda f: xp.cv.GaussianBlur(f(PHOTO), (5, 5), 0), lambda f: cv2.GaussianBlur(PHOTO, (5, 5), 0)),
    "Sobel": (
        lambda f: xp.cv.Sobel(f(PHOTO[..., 0].copy()), cv2.CV_16S, 1, 0),
        lambda f: cv2.Sobel(PHOTO[..., 0].copy(), cv2.CV_16S, 1, 0),
    ),
}


@pytest.fixture(scope="module")
def toy() -> Iterator[xp.Device]:
    """Return the page's device, registered."""
    program = re.search(r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert program is not None
    names: dict[str, Any] = {}
    exec(compile(program[1], "toy_backend.py", "exec"), names)
    backend = names["ToyBackend"]()
    registry.register(backend)
    with xp.device("toy:playground") as device:
        yield device
    registry.unregister("toy")


@pytest.mark.parametrize("name", CASES)
def test_functions(toy: xp.Device, name: str) -> None:
    ours, numpys = CASES[name]
    with xp.device(toy):
        got = ours(xp.asarray)
        expected = numpys(np.asarray)
        assert got.device == toy
        assert got.dtype == expected.dtype
        np.testing.assert_allclose(xp.asnumpy(got), expected, rtol=2e-6, atol=1e-5 if got.dtype.kind in "fc" else 0)


def test_convolution(toy: xp.Device) -> None:
    with xp.device(toy):
        image, weights = A[None, None], B[None, None, :3, :3]
        got = xp.nn.conv2d(xp.asarray(image), xp.asarray(weights))
        windows = np.lib.stride_tricks.sliding_window_view(A, (3, 3))
        np.testing.assert_allclose(xp.asnumpy(got)[0, 0], (windows * B[:3, :3]).sum(axis=(2, 3)), rtol=1e-5, atol=1e-4)


def test_views_and_writes(toy: xp.Device) -> None:
    with xp.device(toy):
        x, reference = xp.asarray(A.copy()), A.copy()
        x[1:-1, ::2] += x[:-2, 1::2]
        reference[1:-1, ::2] += reference[:-2, 1::2]
        x[::-1][0] = 5
        reference[::-1][0] = 5
        np.testing.assert_array_equal(xp.asnumpy(x), reference)


@xp.kernel
def reverse_in_groups(x: Any, out: Any) -> None:
    tile = xp.local_array(8, xp.float32)
    i, me = xp.global_id(0), xp.local_id(0)
    tile[me] = x[i]
    xp.barrier()
    out[i] = tile[7 - me]


def test_a_kernel_with_local_memory(toy: xp.Device) -> None:
    with xp.device(toy):
        x = xp.arange(16, dtype=xp.float32)
        out = xp.empty_like(x)
        reverse_in_groups[16, 8](x, out)
        expected = np.arange(16, dtype=np.float32).reshape(2, 8)[:, ::-1].reshape(-1)
        np.testing.assert_array_equal(xp.asnumpy(out), expected)
