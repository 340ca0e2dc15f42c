"""The standard library of the kernel language, written in the language.

``COMPLEX``: the functions of ``xp.math`` over complex numbers, ``truediv``, and ``mul``; no printer spells them.
``REAL``: functions over real numbers, for languages that lack them.
``FAST``: float functions without branches, for devices whose own are slow scalar calls.

Each maps a name of ``intrinsics.TABLE`` to an ``@xp.func``.
"""

from __future__ import annotations

from typing import Any

__all__ = ["COMPLEX", "FAST", "REAL"]


def __getattr__(name: str) -> Any:
    """Import a table when it is first asked for: the language's front end needs none of them to start."""
    if name == "COMPLEX":
        from . import complex_basic, complex_trig

        table = complex_basic.FUNCTIONS | complex_trig.FUNCTIONS
    elif name == "REAL":
        from . import real

        table = real.FUNCTIONS
    elif name == "FAST":
        from . import fast

        table = fast.FAST
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = table
    return table
