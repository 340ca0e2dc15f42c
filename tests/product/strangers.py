"""Backends of third parties for the tests of the doctor: installed for a child process by an entry point."""

from __future__ import annotations

import os
from pathlib import Path

COMMON = """
import os
import numpy as np
from xpu.backend import Backend, BackendDevice, Compiled, CompileError, DeviceInfo, Layer


class Broken(BackendDevice):
    info = DeviceInfo("Board 9", "Strangers", "gpu", driver="stranger 1.0", memory=2**30, compute_units=4)
    printer = "opencl"

    def explain(self, error):
        return "update the stranger's driver"

    def allocate(self, nbytes):
        return np.zeros(nbytes, np.uint8)

    def free(self, block):
        pass

    def copy_in(self, block, offset, host):
        block[offset : offset + host.size] = host

    def copy_out(self, block, offset, host):
        host[:] = block[offset : offset + host.size]

    def copy_within(self, target, target_offset, source, source_offset, nbytes):
        target[target_offset : target_offset + nbytes] = source[source_offset : source_offset + nbytes]

    def fill(self, block, offset, nbytes, pattern):
        block[offset : offset + nbytes] = np.resize(np.frombuffer(pattern, np.uint8), nbytes)

    def compile(self, source):
        raise CompileError("unknown target CPU 'generic'")

    def launch(self, compiled, global_size, local_size, arguments, stream=None):
        raise AssertionError("nothing was compiled")

    def synchronize(self, stream=None):
        pass
"""

DEVICE_THAT_CANNOT_BUILD = """
class Stranger(Backend):
    name = "stranger"

    def devices(self):
        return [Broken()]

    def diagnose(self):
        return Layer("stranger", None, children=[Layer("driver", True, "stranger 1.0")])
"""

MISSING_DRIVER = """
class Stranger(Backend):
    name = "stranger"

    def devices(self):
        return []

    def diagnose(self):
        driver = Layer("driver", False, "libstranger.so.1 is not there", "apt-get install stranger-driver")
        return Layer("stranger", False, "no device", children=[Layer("hardware", True, "Board 9"), driver])
"""

CRASH = """
class Stranger(Backend):
    name = "stranger"

    def devices(self):
        os.abort()

    def diagnose(self):
        return Layer("stranger", True)
"""

RAISES = """
class Stranger(Backend):
    name = "stranger"

    def devices(self):
        raise OSError("the bus is on fire")

    def diagnose(self):
        raise RuntimeError("no idea")
"""

CANNOT_BE_IMPORTED = "raise ImportError('libstranger.so.1: cannot open shared object file')"


def install(folder: Path, body: str) -> dict[str, str]:
    """Write a distribution with one backend; return the environment in which a process finds it."""
    info = folder / "stranger-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stranger\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[xpu.backends]\nstranger = stranger_backend:Stranger\n")
    (folder / "stranger_backend.py").write_text(COMMON + body)
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, "PYTHONPATH": path}
