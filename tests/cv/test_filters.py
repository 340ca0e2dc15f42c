"""Image filters against cv2's pixels."""

from __future__ import annotations

from typing import Any

import cv2
import numpy as np
import pytest

import xpu as xp
from xpu.device import devices

SHAPES = [(1, 1), (1, 20), (6, 1), (9, 21), (5, 18, 3)]
BORDERS = [cv2.BORDER_DEFAULT, cv2.BORDER_REPLICATE, cv2.BORDER_CONSTANT, cv2.BORDER_REFLECT]


@pytest.fixture(params=["interpreter", "compiled"])
def device(request: pytest.FixtureRequest) -> Any:
    found = devices("opencl") or devices("cpu")
    with xp.device("interpreter" if request.param == "interpreter" else found[0]):
        yield request.param


def image(dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    rng = np.random.default_rng(sum(shape))
    if np.dtype(dtype).kind == "f":
        return (rng.random(shape) * 255).astype(dtype)
    limits = np.iinfo(dtype)
    return rng.integers(limits.min, limits.max, shape, endpoint=True).astype(dtype)


def check(got: Any, expected: np.ndarray, tolerance: float = 0) -> None:
    host = xp.asnumpy(got)
    assert host.shape == expected.shape
    assert host.dtype == expected.dtype
    worst = np.abs(host.astype(float) - expected.astype(float)).max()
    assert worst <= tolerance


@pytest.mark.parametrize("dtype", ["uint8", "uint16", "int16", "float32"])
def test_gaussian_blur(dtype: str, device: Any) -> None:
    tolerance = {"int16": 1, "float32": 1e-3}.get(dtype, 0)
    for shape in SHAPES:
        host = image(dtype, shape)
        x = xp.asarray(host)
        for border in BORDERS:
            for size, sigma in [((3, 5), 0), ((9, 3), 1.3), ((0, 0), 0.8)]:
                expected = cv2.GaussianBlur(host, size, sigma, borderType=border)
                check(xp.cv.GaussianBlur(x, size, sigma, borderType=border), expected, tolerance)


def test_gaussian_weights_of_many_sizes() -> None:
    found = devices("opencl") or devices("cpu")
    host = image("uint8", (40, 53))
    x = xp.asarray(host, device=found[0])
    for size in (1, 3, 5, 7, 9, 11, 21, 31):
        for sigma in (0, 0.3, 1, 2.7, 9):
            check(xp.cv.GaussianBlur(x, (size, 5), sigma, sigmaY=2), cv2.GaussianBlur(host, (size, 5), sigma, sigmaY=2))


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32"])
def test_sobel(dtype: str, device: Any) -> None:
    for shape in SHAPES:
        host = image(dtype, shape)
        x = xp.asarray(host)
        for size in (1, 3, 5, 7, -1):
            for dx, dy in [(1, 0), (0, 1), (1, 1), (2, 0)]:
                if size == -1 and dx + dy != 1:
                    continue
                for depth in {"uint8": [-1, cv2.CV_16S, cv2.CV_32F], "int16": [-1], "float32": [cv2.CV_32F]}[dtype]:
                    expected = cv2.Sobel(host, depth, dx, dy, ksize=size)
                    tolerance = 0 if dtype == "uint8" else 1e-4 * max(1.0, float(np.abs(host).max())) * 10
                    check(xp.cv.Sobel(x, depth, dx, dy, ksize=size), expected, tolerance if dtype == "float32" else 0)


def test_sobel_with_scale_and_delta(device: Any) -> None:
    host = image("uint8", (9, 21))
    expected = cv2.Sobel(host, cv2.CV_32F, 1, 0, ksize=3, scale=0.3, delta=7.5, borderType=cv2.BORDER_REPLICATE)
    got = xp.cv.Sobel(
        xp.asarray(host), cv2.CV_32F, 1, 0, ksize=3, scale=0.3, delta=7.5, borderType=cv2.BORDER_REPLICATE
    )
    check(got, expected, 1e-3)
    check(xp.cv.Scharr(xp.asarray(host), cv2.CV_16S, 0, 1), cv2.Scharr(host, cv2.CV_16S, 0, 1))


@pytest.mark.parametrize("dtype", ["uint8", "float32"])
def test_windows(dtype: str, device: Any) -> None:
    weights = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
    for shape in [(1, 1), (9, 21), (5, 18, 3)]:
        host = image(dtype, shape)
        x = xp.asarray(host)
        tolerance = 1 if dtype == "uint8" else 1e-3
        expected = cv2.filter2D(host, -1, weights, anchor=(1, 2), delta=3)
        check(xp.cv.filter2D(x, -1, weights, anchor=(1, 2), delta=3), expected, tolerance)
        kx, ky = np.array([0.25, 0.5, 0.125]), np.array([[1.0], [-2.0], [1.5], [0.5], [0.25]])
        expected = cv2.sepFilter2D(host, cv2.CV_32F, kx, ky)
        check(xp.cv.sepFilter2D(x, cv2.CV_32F, kx, ky), expected, 1e-3)


def test_blur(device: Any) -> None:
    for shape in SHAPES:
        host = image("uint8", shape)
        for size in [(3, 3), (2, 2), (5, 1), (4, 3)]:
            for border in BORDERS[:3]:
                check(xp.cv.blur(xp.asarray(host), size, borderType=border), cv2.blur(host, size, borderType=border))
    host = image("float32", (9, 21))
    check(xp.cv.blur(xp.asarray(host), (3, 3)), cv2.blur(host, (3, 3)), 1e-3)
    expected = cv2.boxFilter(host, -1, (3, 2), normalize=False)
    check(xp.cv.boxFilter(xp.asarray(host), -1, (3, 2), normalize=False), expected, 1e-3)


def test_views_and_dst(device: Any) -> None:
    host = image("uint8", (20, 30, 3))
    x = xp.asarray(host)
    part, flipped = host[3:12, 5:25], np.ascontiguousarray(host[::-1, ::2, :2])
    # a part is an image of its own; cv2 would look at the pixels around it
    expected = cv2.GaussianBlur(part.copy(), (5, 5), 0)
    check(xp.cv.GaussianBlur(x[3:12, 5:25], (5, 5), 0), expected)
    check(xp.cv.GaussianBlur(x[::-1, ::2, :2], (5, 5), 0), cv2.GaussianBlur(flipped, (5, 5), 0))
    out = xp.zeros((20, 30, 3), dtype=xp.uint8)
    assert xp.cv.GaussianBlur(x, (3, 3), 0, out) is out
    check(out, cv2.GaussianBlur(host, (3, 3), 0))
    xp.cv.GaussianBlur(x, (3, 3), 0, x)
    check(x, cv2.GaussianBlur(host, (3, 3), 0))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda x: xp.cv.GaussianBlur(x, (4, 4), 0), "odd and positive"),
        (lambda x: xp.cv.GaussianBlur(x, (0, 0), 0), "odd and positive"),
        (lambda x: xp.cv.GaussianBlur(x, 5, 0), "two whole numbers"),
        (lambda x: xp.cv.GaussianBlur(x[:0], (3, 3), 0), "empty"),
        (lambda x: xp.cv.GaussianBlur(x[0], (3, 3), 0), "2 or 3 axes"),
        (lambda x: xp.cv.GaussianBlur(x, (3, 3), 0, borderType=3), "BORDER_WRAP"),
        (lambda x: xp.cv.GaussianBlur(xp.astype(x, xp.int64), (3, 3), 0), "int64"),
        (lambda x: xp.cv.GaussianBlur(x, (3, 3), 0, x[:4]), "dst has shape"),
        (lambda x: xp.cv.Sobel(x, -1, 0, 0), "one is positive"),
        (lambda x: xp.cv.Sobel(x, -1, 1, 0, ksize=4), "ksize is 4"),
        (lambda x: xp.cv.Sobel(x, 77, 1, 0), "ddepth 77"),
        (lambda x: xp.cv.filter2D(x, -1, [[1.0, 2.0]], anchor=(2, 0)), "outside of a window"),
    ],
)
def test_what_is_refused(call: Any, message: str) -> None:
    x = xp.zeros((5, 6), dtype=xp.uint8, device="interpreter")
    with pytest.raises(xp.cv.error, match=message):
        call(x)


def test_numpy_images_are_refused_with_advice() -> None:
    with pytest.raises(TypeError, match=r"xp\.asarray"):
        xp.cv.GaussianBlur(np.zeros((5, 5), np.uint8), (3, 3), 0)  # type: ignore[arg-type]
