"""Every example of examples/kernels is right, on every kind of device, without a race."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from xpu.device import devices

FOLDER = Path(__file__).resolve().parents[2] / "examples" / "kernels"

SIZES = {  # a small one, with edges that no group size divides, and a tiny one for the interpreter
    "bitonic_sort": (4096, 512),
    "block_scan": (5000, 600),
    "conv2d_halo": (70, 18),
    "histogram": (5001, 400),
    "life": (40, 12),
    "mandelbrot": (60, 12),
    "matmul_tiled": (70, 18),
    "nbody": (300, 20),
    "transpose_tiled": (70, 36),
    "vector_add": (1001, 100),
    "work_items": (5001, 300),
}
DEVICES = ["interpreter", "cpu", *map(str, devices("opencl"))]


@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("name", sorted(SIZES))
def test_example(name: str, device: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    module = importlib.import_module(name)
    monkeypatch.setattr(module, "compare", lambda *versions: None)  # nothing is timed here
    module.main(device, SIZES[name][device == "interpreter"])
    assert "equals NumPy's result" in capsys.readouterr().out


def test_every_example_is_tried() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} - {"common"} == set(SIZES)


def test_a_wrong_result_ends_the_example(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    check = importlib.import_module("common").check
    with pytest.raises(AssertionError, match="doubling"):
        check("doubling", [1.0, 2.5], [1.0, 2.0])


@pytest.mark.parametrize("device", [name for name in DEVICES if name != "cpu"])
def test_the_guide_runs_on_every_device(device: str, tmp_path: Path) -> None:
    page = FOLDER.parents[1] / "docs" / "kernels.md"
    blocks = re.findall(r"^```python\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    script = tmp_path / "page.py"
    script.write_text("\n\n".join(blocks), encoding="utf-8")
    environment = os.environ | {"XPU_DEVICE": device}
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr
