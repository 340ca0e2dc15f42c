"""Every kernel that the tests build, on whatever device, is also printed as CUDA C and compiled by NVRTC."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "cuda"))
pytest_plugins = ["every_kernel_as_cuda"]
