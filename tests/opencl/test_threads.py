"""Launches from many threads under Oclgrind, in a process of its own: it takes one thread at a time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

LIBRARY = Path("/usr/lib/oclgrind/liboclgrind-rt-icd.so")
PROGRAM = """
import threading
import numpy as np
import xpu as xp

@xp.kernel
def scaled(x, out, factor):
    i = xp.global_id(0)
    out[i] = x[i] * factor

def work(k):
    with xp.device("opencl:oclgrind"):
        x, out = xp.asarray(np.arange(50, dtype=np.float32)), xp.zeros(50, dtype=xp.float32)
        for _ in range(5):
            scaled[50](x, out, float(k))
            wrong.extend(np.flatnonzero(xp.asnumpy(out) != np.arange(50) * k))

wrong = []
threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert not wrong
print("done")
"""


@pytest.mark.skipif(not LIBRARY.is_file(), reason="declared unsupported: Oclgrind")
def test_launches_from_threads(tmp_path):
    program = tmp_path / "threads.py"
    program.write_text(PROGRAM)
    environment = os.environ | {"OCL_ICD_VENDORS": str(LIBRARY)}
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0 and "done" in done.stdout, done.stderr[-2000:]
