"""Makes ``reference.npz``: what OpenCV computes for the cases of this level.

Run it when OpenCV's pixels change: ``python -m xpu.conformance.images.make_reference``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

REFERENCE = Path(__file__).parent / "reference.npz"

REFLECT_101, REPLICATE, CONSTANT, REFLECT = 4, 1, 0, 2
CV_8U, CV_16S, CV_32F = 0, 3, 5
"""OpenCV's numbers for borders and depths."""

GAUSSIAN: dict[str, tuple[str, int, tuple[int, int], float, int]] = {
    f"gaussian-{dtype}-{channels}-{kx}x{ky}-{sigma:g}-{border}": (dtype, channels, (kx, ky), sigma, border)
    for dtype, channels, (kx, ky), sigma, border in (
        ("uint8", 1, (3, 3), 0, REFLECT_101),
        ("uint8", 1, (5, 5), 0, REFLECT_101),
        ("uint8", 3, (5, 5), 0, REFLECT_101),
        ("uint8", 1, (7, 3), 1.5, REPLICATE),
        ("uint8", 1, (5, 5), 2.5, CONSTANT),
        ("uint8", 1, (9, 9), 0, REFLECT),
        ("float32", 1, (5, 5), 0, REFLECT_101),
        ("float32", 3, (3, 7), 1.25, REPLICATE),
    )
}
"""Name of a case: dtype, channels, kernel size, sigma, border."""

SOBEL: dict[str, tuple[str, int, int, int, int, int, int]] = {
    f"sobel-{dtype}-{channels}-{depth}-{dx}{dy}-{size}-{border}": (dtype, channels, depth, dx, dy, size, border)
    for dtype, channels, depth, dx, dy, size, border in (
        ("uint8", 1, CV_16S, 1, 0, 3, REFLECT_101),
        ("uint8", 1, CV_16S, 0, 1, 3, REFLECT_101),
        ("uint8", 3, CV_16S, 1, 0, 5, REFLECT_101),
        ("uint8", 1, CV_8U, 1, 1, 3, REPLICATE),
        ("uint8", 1, CV_32F, 2, 0, 3, REFLECT_101),
        ("uint8", 1, CV_16S, 0, 1, 1, REFLECT),
        ("float32", 1, CV_32F, 0, 1, 5, REFLECT_101),
        ("float32", 3, CV_32F, 1, 0, 3, CONSTANT),
    )
}
"""Name of a case: dtype, channels, depth of the result, orders, kernel size, border."""

SIZES = ((37, 29), (1, 9), (6, 1), (16, 64))


def image(dtype: str, channels: int, size: tuple[int, int]) -> np.ndarray:
    """Return an image with smooth parts, edges and noise, the same everywhere."""
    rows, columns = np.indices(size)
    shades = (rows * 7 + columns * 5) % 256
    shades = np.where((rows // 5 + columns // 4) % 2, shades, 255 - shades)
    noise = (rows * 7919 + columns * 104729 + rows * columns * 31) % 17
    planes = [(shades + noise * (c + 1)) % 256 for c in range(channels)]
    stacked = np.stack(planes, axis=-1) if channels > 1 else planes[0]
    return stacked.astype(np.uint8) if dtype == "uint8" else (stacked / 16 - 3).astype(np.float32)


def references(cv: Any) -> dict[str, np.ndarray]:
    """Return what a module with OpenCV's functions computes for every case and size."""
    out = {}
    for size in SIZES:
        for name, (dtype, channels, kernel, sigma, border) in GAUSSIAN.items():
            x = image(dtype, channels, size)
            out[f"{name}@{size[0]}x{size[1]}"] = cv.GaussianBlur(x, kernel, sigma, borderType=border)
        for name, (dtype, channels, depth, dx, dy, kernel_size, border) in SOBEL.items():
            x = image(dtype, channels, size)
            out[f"{name}@{size[0]}x{size[1]}"] = cv.Sobel(x, depth, dx, dy, ksize=kernel_size, borderType=border)
    return out


if __name__ == "__main__":
    import cv2

    np.savez_compressed(REFERENCE, version=np.array(cv2.__version__), **references(cv2))  # type: ignore[arg-type]
