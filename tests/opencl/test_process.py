"""Processes: forks, Rusticl in one of its own."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from xpu_opencl import icd

from .conftest import opened

FORK = """
import os, sys, time
import numpy as np
from xpu_opencl import OpenCLBackend
device = [d for d in OpenCLBackend().devices() if d.aliases[0] == sys.argv[1]][0]
device.open()
block = device.allocate(100)
device.fill(block, 0, 100, b"\\1")
child = os.fork()
if child == 0:
    try:
        device.allocate(100)
    except RuntimeError as error:
        device.free(block)
        sys.exit(7 if "spawn" in str(error) else 1)
    sys.exit(2)
end = time.monotonic() + 60
while time.monotonic() < end:
    done, status = os.waitpid(child, os.WNOHANG)
    if done:
        break
    time.sleep(0.05)
else:
    os.kill(child, 9)
    sys.exit("the child hangs")
assert os.WIFEXITED(status) and os.WEXITSTATUS(status) == 7, status
out = np.empty(100, np.uint8)
device.copy_out(block, 0, out)
assert (out == 1).all()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="declared unsupported: fork")
def test_after_a_fork_the_child_is_told_and_ends(device):
    done = subprocess.run([sys.executable, "-c", FORK, device.aliases[0]], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


HOMELESS = """
import sys
import xpu as xp
for name in sys.argv[1:]:
    with xp.device(f"opencl:{name}"):
        x = xp.arange(1000, dtype=xp.float32)
        assert float((x * 2).sum()) == 999000, name
"""


@pytest.mark.skipif(not icd.supported(), reason="declared unsupported: .icd files")
@pytest.mark.parametrize("place", ["XPU_CACHE_DIR", None])
def test_devices_work_where_the_home_cannot_be_written(place, tmp_path):
    names = [device.aliases[0] for device in opened()]
    home = tmp_path / "home"
    home.write_text("a file, where no folder can be made, not even by root")
    ours = ("XDG_CACHE_HOME", "XPU_CACHE_DIR", "POCL_CACHE_DIR", "PYOPENCL_NO_CACHE")
    environment = {name: value for name, value in os.environ.items() if name not in ours} | {"HOME": str(home)}
    if place:
        environment[place] = str(tmp_path / "cache")
    command = [sys.executable, "-c", HOMELESS, *names]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not icd.supported(), reason="declared unsupported: .icd files")
@pytest.mark.parametrize("folder", ["tests/opencl", "tests/printers"])
def test_rusticl(folder):
    """Mesa's driver on the processor: no float64. The same tests, in a process that enables it."""
    if os.environ.get("RUSTICL_ENABLE"):
        pytest.skip("this process has it enabled")
    if not any("Rusticl" in entry.library for entry in icd.registered()):
        pytest.skip("declared unsupported: Rusticl")
    environment = os.environ | {"RUSTICL_ENABLE": "llvmpipe", "XPU_TEST_OPENCL": "rusticl"}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-k", "rusticl", folder]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stdout[-4000:]
    assert " passed" in done.stdout
