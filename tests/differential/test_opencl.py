"""Random kernels on every OpenCL device that works here, against the interpreter.

``python -m tests.differential`` runs as many as one likes.
"""

from __future__ import annotations

import pytest

from .devices import candidates
from .suite import agree

DEVICES = [name for name in candidates() if name.startswith("opencl")]
COUNT, CHUNK = 60, 15


@pytest.mark.skipif(not DEVICES, reason="no OpenCL device works here")
@pytest.mark.parametrize("first", range(0, COUNT, CHUNK))
@pytest.mark.parametrize("device", DEVICES)
def test_random_kernels(device, first):
    agree(device, range(first, first + CHUNK))
