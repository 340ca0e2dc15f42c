"""Complex numbers: parts, conjugates, angles."""

from __future__ import annotations

from ..apply import apply
from ..array import Array
from ..dtypes import real_of
from ..lazy.operations import TABLE
from ..memory import View
from .trigonometric import atan2

__all__ = ["angle", "conj", "conjugate", "imag", "iscomplexobj", "isrealobj", "real"]


def real(x: Array, /) -> Array:
    """Return the real parts, as a new array."""
    return apply(TABLE["real"], x)


def imag(x: Array, /) -> Array:
    """Return the imaginary parts, as a new array; zeros for real numbers."""
    return apply(TABLE["imag"], x)


def conj(x: Array, /) -> Array:
    """Return the complex conjugates; real numbers as they are."""
    return apply(TABLE["conj"], x)


conjugate = conj


def angle(x: Array, /, deg: bool = False) -> Array:
    """Return the angle of complex numbers, in [-pi, pi] (or degrees)."""
    result = atan2(imag(x), real(x))
    return apply(TABLE["rad2deg"], result) if deg else result


def iscomplexobj(x: Array, /) -> bool:
    """Whether the dtype is complex."""
    return bool(x.dtype.kind == "c")


def isrealobj(x: Array, /) -> bool:
    """Whether the dtype is not complex."""
    return not iscomplexobj(x)


def real_view(x: Array) -> Array:
    """Return the real parts as a view (NumPy's ``x.real``)."""
    return _part_view(x, 0) if x.dtype.kind == "c" else x


def imag_view(x: Array) -> Array:
    """Return the imaginary parts as a view (NumPy's ``x.imag``); read-only zeros for a real array."""
    if x.dtype.kind == "c":
        return _part_view(x, 1)
    zeros = imag(x)
    zeros._concrete()
    zeros._writeable = False
    return zeros


def _part_view(x: Array, part: int) -> Array:
    own = x._concrete()
    strides = tuple(2 * stride for stride in own.strides)
    return Array._of_view(
        View(own.storage, real_of(own.dtype), own.shape, strides, 2 * own.offset + part), x._writeable
    )
