"""The tour: any photograph, and a wrong result that is not overlooked."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.fixture
def examples(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLES))


def pictures() -> dict[str, np.ndarray]:
    random = np.random.default_rng(5)
    return {
        "gray": random.integers(0, 256, (31, 47), dtype=np.uint8),
        "colour": random.integers(0, 256, (33, 20, 3), dtype=np.uint8),
        "alpha": random.integers(0, 256, (17, 19, 4), dtype=np.uint8),
        "deep": random.integers(0, 65536, (21, 23, 3), dtype=np.uint16),
        "deep gray": random.integers(0, 65536, (5, 1), dtype=np.uint16),
        "pixel": np.full((1, 1, 3), 200, np.uint8),
    }


@pytest.mark.usefixtures("examples")
@pytest.mark.parametrize("kind", pictures())
def test_photographs_of_every_kind_become_8_bit_colour(kind: str, tmp_path: Path) -> None:
    from photograph import load

    raw = pictures()[kind]
    path = tmp_path / f"bild ö {kind}.png"
    path.write_bytes(cv2.imencode(".png", raw)[1].tobytes())
    photo, origin = load(path)
    assert photo.dtype == np.uint8
    assert photo.shape == (*raw.shape[:2], 3)
    assert photo.flags.c_contiguous
    assert f"{raw.shape[1]} x {raw.shape[0]}" in origin
    if kind == "colour":
        np.testing.assert_array_equal(photo, raw)
    if kind == "deep":
        np.testing.assert_allclose(photo, raw / 257.0, atol=0.5001)


@pytest.mark.usefixtures("examples")
def test_alpha_is_laid_over_white() -> None:
    from photograph import as_colour

    clear = np.zeros((2, 2, 4), np.uint8)
    assert as_colour(clear)[0].tolist() == np.full((2, 2, 3), 255).tolist()


@pytest.mark.usefixtures("examples")
def test_what_is_not_a_picture_is_refused(tmp_path: Path) -> None:
    from photograph import PhotographError, load

    text = tmp_path / "notes.txt"
    text.write_text("no picture")
    empty = tmp_path / "empty.png"
    empty.write_bytes(b"")
    for path in (text, empty, tmp_path / "missing.png", tmp_path):
        with pytest.raises(PhotographError, match=path.name):
            load(path)


@pytest.mark.usefixtures("examples")
@pytest.mark.parametrize("shape", [(2, 5000, 3), (5000, 2, 3), (1, 1, 3), (40, 60, 3)])
def test_pictures_side_by_side_have_a_size_for_a_screen(shape: tuple[int, ...]) -> None:
    from photograph import side_by_side

    height, width, _ = side_by_side({"one": np.zeros(shape, np.uint8), "two": np.zeros(shape, np.uint8)}).shape
    assert height <= 400
    assert width <= 2500


def take(
    folder: Path, *arguments: str, script: str = "tour.py", **environment: str
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(EXAMPLES / script), *arguments]
    surroundings = os.environ | environment
    return subprocess.run(command, env=surroundings, capture_output=True, text=True, timeout=300, cwd=folder)


@pytest.mark.parametrize("kind", ["deep gray", "alpha"])
def test_tour_with_odd_photographs(kind: str, tmp_path: Path) -> None:
    image = tmp_path / "photo.png"
    image.write_bytes(cv2.imencode(".png", pictures()[kind])[1].tobytes())
    done = take(tmp_path, "--device", "cpu", "--image", "photo.png", "--json", "figures.json")
    assert done.returncode == 0, done.stdout + done.stderr
    figures: dict[str, Any] = json.loads((tmp_path / "figures.json").read_text())
    assert figures["device"] == "cpu"
    assert all(step["equal"] for step in figures["steps"])
    assert cv2.imread(str(tmp_path / "tour-cpu.png")) is not None


def test_tour_refuses_wrong_devices_and_files(tmp_path: Path) -> None:
    done = take(tmp_path, "--device", "opencl:no-such-vendor")
    assert done.returncode == 2
    assert "no-such-vendor" in done.stderr
    done = take(tmp_path, "--image", "missing.png")
    assert done.returncode == 2
    assert "missing.png" in done.stderr
    done = take(tmp_path, XPU_DEVICE="no-such-device")
    assert done.returncode == 2
    assert "error: device 'no-such-device'" in done.stderr
    done = take(tmp_path, "--device", "interpreter")
    assert done.returncode == 2
    assert "examples/kernels/" in done.stderr


def test_demo_says_once_that_the_photograph_is_missing(tmp_path: Path) -> None:
    done = take(tmp_path, "--image", "missing.png", script="demo.py")
    assert done.returncode == 2
    assert done.stderr.count("missing.png") == 1


@pytest.mark.usefixtures("examples")
def test_a_wrong_result_is_not_overlooked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Any) -> None:
    import tour
    import xpu as xp

    right = xp.cv.GaussianBlur
    monkeypatch.setattr(xp.cv, "GaussianBlur", lambda *args: right(*args) ^ xp.asarray(1, dtype=xp.uint8))
    monkeypatch.setattr(sys, "argv", ["tour.py"])
    monkeypatch.chdir(tmp_path)
    assert tour.main() == 1
    shown = capsys.readouterr().out
    assert "WRONG" in shown
    assert "differs from the reference: GaussianBlur" in shown


@pytest.mark.usefixtures("examples")
def test_nothing_is_equal_to_nan() -> None:
    from tour import Result

    assert not Result("", "", 0, 0, 0, float("nan"), 1.0).equal
    assert not Result("", "", 0, 0, 0, float("inf"), 1.0).equal
