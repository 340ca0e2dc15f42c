from __future__ import annotations

from typing import Any

import numpy as np

from xpu.kernels.vector_add import add_views

from .devices import download, empty, upload


def test_vector_add(device: Any) -> None:
    a, b = np.arange(37, dtype=np.float32), np.arange(37, dtype=np.float32)[::-1] * 2
    out = empty(device, (37,), "float32")
    add_views(upload(a, device), upload(b, device), out)
    np.testing.assert_array_equal(download(out), a + b)
