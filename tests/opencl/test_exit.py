"""A process may end while kernels run: it ends well, with its own status."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import xpu as xp

PROGRAM = """
import sys
import xpu as xp
xp.set_device({device!r})
x = xp.arange(100_000, dtype=xp.float32)
(x / 2)._concrete()
xp.arange(7)
sys.exit(3)
"""


def run(device: str, **environment: str) -> int:
    command = [sys.executable, "-c", PROGRAM.format(device=device)]
    return subprocess.run(command, env=os.environ | environment, timeout=120, check=False).returncode


@pytest.mark.parametrize("name", sorted(str(device) for device in xp.devices("opencl")))
def test_ends_with_work_pending(name):
    assert run(name) == 3


def test_rusticl_ends_with_work_pending():
    probe = "import xpu as xp; xp.set_device('opencl:rusticl')"
    command = [sys.executable, "-c", probe]
    environment = os.environ | {"RUSTICL_ENABLE": "llvmpipe"}
    if subprocess.run(command, env=environment, timeout=120, check=False, capture_output=True).returncode:
        pytest.skip("Mesa's Rusticl is not installed here, or does not work")
    assert run("opencl:rusticl", RUSTICL_ENABLE="llvmpipe") == 3
