"""Load any photograph as 8-bit colour, and put pictures side by side."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

import cv2
import numpy as np

SHIPPED = "coffee.png"
"""A photograph in scikit-image's wheel: a cup of coffee by Rachel Michetti, in the public domain (CC0)."""


class PhotographError(Exception):
    """The file cannot be read as a picture."""


def load(path: Path | None = None) -> tuple[np.ndarray, str]:
    """Return a photograph and a line that says where it comes from.

    Parameters
    ----------
    path : Path, optional
        Any file that OpenCV reads: colour, grayscale or with alpha, of 8, 16 or 32 bits. Default: the photograph that
        scikit-image ships.

    Returns
    -------
    photo : ndarray
        uint8, shape (height, width, 3), blue first as in OpenCV.
    origin : str
    """
    if path is None:
        data = (files("skimage") / "data" / SHIPPED).read_bytes()
        name = f"{SHIPPED} of scikit-image"
    else:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise PhotographError(f"cannot read {path}: {error.strerror or error}") from None
        name = str(path)
    raw = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_UNCHANGED) if data else None
    if raw is None:
        raise PhotographError(f"{name} is not a picture that OpenCV can read")
    photo, changes = as_colour(raw)
    height, width, _ = photo.shape
    return photo, f"{name}, {width} x {height}{''.join(f', {change}' for change in changes)}"


def as_colour(raw: np.ndarray) -> tuple[np.ndarray, list[str]]:
    """Return a picture as 8-bit BGR, and what had to be changed for that."""
    changes = []
    picture = raw if raw.ndim == 3 else raw[..., None]
    if picture.dtype != np.uint8:
        changes.append(f"{picture.dtype.name} scaled to 8 bits")
        picture = to_bytes(picture)
    if picture.shape[2] in (2, 4):
        changes.append("alpha laid over white")
        alpha = picture[..., -1:].astype(np.float32) / 255
        picture = np.rint(picture[..., :-1] * alpha + 255 * (1 - alpha)).astype(np.uint8)
    if picture.shape[2] == 1:
        changes.append("gray")
        picture = np.repeat(picture, 3, axis=2)
    return np.ascontiguousarray(picture[..., :3]), changes


def to_bytes(picture: np.ndarray) -> np.ndarray:
    """Scale 16-bit integers by their range, and floats from 0 to 1, to 8 bits."""
    if np.issubdtype(picture.dtype, np.integer):
        return np.rint(np.clip(picture, 0, None) * (255 / np.iinfo(picture.dtype).max)).astype(np.uint8)
    return np.rint(np.clip(np.nan_to_num(picture), 0, 1) * 255).astype(np.uint8)


def side_by_side(pictures: dict[str, np.ndarray], height: int = 300, gap: int = 8) -> np.ndarray:
    """Return the pictures in a row, each under its name; very wide ones are less high, or nobody could look at them."""
    panels = []
    for name, picture in pictures.items():
        scale = min(height / picture.shape[0], 4 * height / picture.shape[1])
        width, rows = (max(1, round(extent * scale)) for extent in picture.shape[1::-1])
        panel = np.full((height + 28, max(width, 220), 3), 255, np.uint8)
        panel[28 : 28 + rows, :width] = cv2.resize(picture, (width, rows), interpolation=cv2.INTER_AREA)
        cv2.putText(panel, name, (2, 19), cv2.FONT_HERSHEY_SIMPLEX, 0.55, (40, 40, 40), 1, cv2.LINE_AA)
        panels += [panel, np.full((height + 28, gap, 3), 255, np.uint8)]
    return np.concatenate(panels[:-1], axis=1)
