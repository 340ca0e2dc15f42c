"""The simplest kernel: one work-item adds one pair of numbers."""

from __future__ import annotations

from typing import Any

from ..kernel.stdlib import words as xp
from ..memory import View
from .views import launch


@xp.kernel
def vector_add(a: Any, b: Any, out: Any) -> None:
    """Compute ``out[i] = a[i] + b[i]``."""
    i = xp.global_id(0)
    if i < out.shape[0]:
        out[i] = a[i] + b[i]


def add_views(a: View, b: View, out: View) -> None:
    """Add two one-dimensional views of one length; any strides."""
    launch(vector_add, out.storage.device, out.shape, None, [a, b, out])
