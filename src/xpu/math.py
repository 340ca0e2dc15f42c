"""``xp.math``: functions of numbers, for kernels; on the host they compute with Python's and NumPy's numbers.

Functions of whole arrays are in ``xp`` itself: ``xp.exp(array)``, but ``xp.math.exp(array[i])`` in a kernel.
"""

from __future__ import annotations

from typing import Any

from .kernel.hostmath import CONSTANTS, FUNCTIONS, where
from .kernel.language import reinterpret

e, pi, tau, inf, nan = (CONSTANTS[name] for name in ("e", "pi", "tau", "inf", "nan"))
globals().update(FUNCTIONS)

__all__ = [*CONSTANTS, *FUNCTIONS, "reinterpret", "where"]  # noqa: PLE0604


def __getattr__(name: str) -> Any:  # also tells type checkers that there are more names than they see
    raise AttributeError(f"xp.math has no function {name!r}; it has {', '.join(sorted(FUNCTIONS))}")
