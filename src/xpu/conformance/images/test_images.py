"""Image filters against OpenCV's pixels, which are stored beside this file."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

import numpy as np
import pytest

import xpu as xp

from ..compare import check, host
from .make_reference import GAUSSIAN, REFERENCE, SIZES, SOBEL, image, references


@cache
def stored() -> dict[str, np.ndarray]:
    with np.load(REFERENCE) as file:
        return {name: file[name] for name in file.files}


def compare(result: xp.Array, name: str, size: tuple[int, int]) -> None:
    """Whole numbers are equal; single precision may be rounded in another order."""
    want = stored()[f"{name}@{size[0]}x{size[1]}"]
    if want.dtype.kind != "f":
        check(result, want, what=name)
        return
    assert (result.dtype, result.shape) == (want.dtype, want.shape)
    scale = float(np.abs(want).max(initial=1))
    assert np.abs(host(result) - want).max(initial=0) <= 4e-6 * scale


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", GAUSSIAN)
def test_gaussian_blur(name: str, size: tuple[int, int]) -> None:
    dtype, channels, kernel, sigma, border = GAUSSIAN[name]
    x = xp.asarray(image(dtype, channels, size))
    compare(xp.cv.GaussianBlur(x, kernel, sigma, borderType=border), name, size)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", SOBEL)
def test_sobel(name: str, size: tuple[int, int]) -> None:
    dtype, channels, depth, dx, dy, kernel_size, border = SOBEL[name]
    x = xp.asarray(image(dtype, channels, size))
    compare(xp.cv.Sobel(x, depth, dx, dy, ksize=kernel_size, borderType=border), name, size)


def test_a_view_of_an_image() -> None:
    whole = image("uint8", 1, (37, 29))
    part = xp.asarray(whole)[3:30:2, ::-1]
    packed = xp.asarray(np.ascontiguousarray(whole[3:30:2, ::-1]))
    check(xp.cv.GaussianBlur(part, (5, 5), 0), host(xp.cv.GaussianBlur(packed, (5, 5), 0)))


def test_the_source_is_not_changed() -> None:
    values = image("uint8", 3, (16, 64))
    x = xp.asarray(values)
    xp.cv.GaussianBlur(x, (5, 5), 0)
    xp.cv.Sobel(x, 3, 1, 0)
    check(x, values)


def test_stored_pixels_are_opencvs() -> None:
    """Where OpenCV is installed in the version that the pixels come from, it still computes them."""
    if find_spec("cv2") is None:
        return
    import cv2

    if cv2.__version__.split(".")[:2] != str(stored()["version"]).split(".")[:2]:
        return
    for name, want in references(cv2).items():
        got = stored()[name]
        assert np.allclose(got, want, rtol=0, atol=0 if want.dtype.kind != "f" else 1e-4), name
