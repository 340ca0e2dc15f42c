"""The words of the kernel language under one name, for kernels that live inside of xpu.

They write ``from ..kernel.stdlib import words as xp``. User code says ``import xpu as xp``; the floors below the array
cannot.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ... import dtypes
from .. import hostmath, language
from ..hostmath import where
from ..language import *  # noqa: F403
from ..launch import func, kernel

math: Any = SimpleNamespace(**hostmath.FUNCTIONS, reinterpret=language.reinterpret)
"""The functions of ``intrinsics.TABLE``."""

for _name in dtypes.NAMES:
    globals()[_name] = getattr(dtypes, _name)


def __getattr__(name: str) -> Any:
    raise AttributeError(f"the kernel language has no word {name!r}")


__all__ = [*language.__all__, "func", "kernel", "math", "where"]  # noqa: PLE0604
