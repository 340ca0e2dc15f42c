"""The names that kernels are written with: work-items, memory, barriers, atomics, short vectors.

They mean something only inside of ``@xp.kernel`` and ``@xp.func`` functions; called from ordinary Python they say so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from .launch import func, kernel

__all__ = [
    "atomic_add",
    "atomic_and",
    "atomic_cas",
    "atomic_max",
    "atomic_min",
    "atomic_or",
    "atomic_sub",
    "atomic_xchg",
    "atomic_xor",
    "barrier",
    "func",
    "global_id",
    "global_size",
    "group_id",
    "kernel",
    "local_array",
    "local_id",
    "local_size",
    "num_groups",
    "private_array",
    "reinterpret",
    "static_range",
    "vector",
    "vload",
    "vstore",
]

F = TypeVar("F", bound=Callable[..., Any])


def _in_kernel(function: F) -> F:
    """Mark a function as a word of the kernel language; on the host it raises."""
    name = function.__name__

    def outside(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(f"xp.{name} works only inside of @xp.kernel and @xp.func functions")

    outside.__name__ = outside.__qualname__ = name
    outside.__doc__ = function.__doc__
    outside.__wrapped__ = function  # type: ignore[attr-defined]
    outside.__xpu_builtin__ = name  # type: ignore[attr-defined]
    return outside  # type: ignore[return-value]


@_in_kernel
def global_id(axis: int) -> Any:
    """Return this work-item's number along an axis of the whole index space."""


@_in_kernel
def local_id(axis: int) -> Any:
    """Return this work-item's number along an axis of its group."""


@_in_kernel
def group_id(axis: int) -> Any:
    """Return the number of this work-item's group along an axis."""


@_in_kernel
def global_size(axis: int) -> Any:
    """Return how many work-items there are along an axis."""


@_in_kernel
def local_size(axis: int) -> Any:
    """Return how many work-items a group has along an axis."""


@_in_kernel
def num_groups(axis: int) -> Any:
    """Return how many groups there are along an axis."""


@_in_kernel
def local_array(shape: Any, dtype: Any) -> Any:
    """Return an array in local memory, shared by the work-items of a group; the shape is constant."""


@_in_kernel
def private_array(shape: Any, dtype: Any) -> Any:
    """Return an array of this work-item alone; the shape is constant."""


@_in_kernel
def barrier() -> None:
    """Wait until all work-items of the group have come here; what they wrote before is visible after."""


@_in_kernel
def static_range(*bounds: int) -> Any:
    """Count as ``range`` does, with constant bounds; the loop is written out when the kernel is compiled."""


@_in_kernel
def atomic_add(array: Any, index: Any, value: Any) -> Any:
    """Add to an element as one step that no other work-item can interrupt; return the old value."""


@_in_kernel
def atomic_sub(array: Any, index: Any, value: Any) -> Any:
    """Subtract from an element in one step; return the old value."""


@_in_kernel
def atomic_min(array: Any, index: Any, value: Any) -> Any:
    """Replace an element by the smaller of itself and a value in one step; return the old value."""


@_in_kernel
def atomic_max(array: Any, index: Any, value: Any) -> Any:
    """Replace an element by the larger of itself and a value in one step; return the old value."""


@_in_kernel
def atomic_and(array: Any, index: Any, value: Any) -> Any:
    """Combine an integer element with a value by bitwise *and* in one step; return the old value."""


@_in_kernel
def atomic_or(array: Any, index: Any, value: Any) -> Any:
    """Combine an integer element with a value by bitwise *or* in one step; return the old value."""


@_in_kernel
def atomic_xor(array: Any, index: Any, value: Any) -> Any:
    """Combine an integer element with a value by bitwise *exclusive or* in one step; return the old value."""


@_in_kernel
def atomic_xchg(array: Any, index: Any, value: Any) -> Any:
    """Replace an element in one step; return the old value."""


@_in_kernel
def atomic_cas(array: Any, index: Any, expected: Any, new: Any) -> Any:
    """Replace an element by ``new`` if it equals ``expected``, in one step; return the old value."""


@_in_kernel
def vload(array: Any, index: Any, lanes: int) -> Any:
    """Return ``lanes`` (2, 4, 8 or 16) elements that follow each other on the last axis, as a short vector."""


@_in_kernel
def vstore(array: Any, index: Any, value: Any) -> None:
    """Store a short vector to elements that follow each other on the last axis."""


@_in_kernel
def vector(value: Any, lanes: int | None = None) -> Any:
    """Return a short vector: of one number in all ``lanes``, or of a tuple of 2, 4, 8 or 16 numbers."""


@_in_kernel
def reinterpret(value: Any, dtype: Any) -> Any:
    """Return the same bits as a number of another dtype of the same width."""
