"""Random kernels are many: only some of them are also compiled as CUDA C (see ``tests/cuda/every_kernel_as_cuda.py``)."""

from __future__ import annotations

import pytest

from xpu.kernel import build, printers

SHOWN_TO_CUDA = (0, 1000)
"""First seeds of the test cases whose programs are."""


@pytest.fixture(autouse=True)
def few_programs_as_cuda(request, monkeypatch):
    parameters = getattr(getattr(request.node, "callspec", None), "params", {})
    if parameters.get("first") not in SHOWN_TO_CUDA:
        monkeypatch.setattr(build, "print_kernel", printers.print_kernel)
