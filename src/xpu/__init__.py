"""xpu: write NumPy once; run it on the CPU, on CUDA, on any OpenCL device.

>>> import xpu as xp
>>> xp.set_device("auto")
>>> x = xp.arange(10.0)
>>> xp.sqrt(x * x + 1).sum()
"""

from __future__ import annotations

from math import e, inf, nan, pi
from typing import TYPE_CHECKING, Any

from . import device as _device
from . import dtypes as _dtypes
from . import math
from .apply import power  # defines the operators of Array too
from .array import Array
from .config import config
from .device import Device, add_device_option, current_device, devices, set_device, synchronize
from .dtypes import (
    bool,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from .errors import *  # noqa: F403
from .errors import __all__ as _errors
from .info import __array_namespace_info__
from .kernel.language import *  # noqa: F403
from .kernel.language import __all__ as _language
from .kernel.launch import func, kernel
from .ops.arithmetic import *  # noqa: F403
from .ops.arithmetic import __all__ as _arithmetic
from .ops.bitwise import *  # noqa: F403
from .ops.bitwise import __all__ as _bitwise
from .ops.complex import *  # noqa: F403
from .ops.complex import __all__ as _complex
from .ops.creation import *  # noqa: F403
from .ops.creation import __all__ as _creation
from .ops.datatypes import *  # noqa: F403
from .ops.datatypes import __all__ as _datatypes
from .ops.exponential import *  # noqa: F403
from .ops.exponential import __all__ as _exponential
from .ops.inspection import *  # noqa: F403
from .ops.inspection import __all__ as _inspection
from .ops.linear import *  # noqa: F403
from .ops.linear import __all__ as _linear
from .ops.logic import *  # noqa: F403
from .ops.logic import __all__ as _logic
from .ops.manipulation import *  # noqa: F403
from .ops.manipulation import __all__ as _manipulation
from .ops.rounding import *  # noqa: F403
from .ops.rounding import __all__ as _rounding
from .ops.searching import *  # noqa: F403
from .ops.searching import __all__ as _searching
from .ops.statistics import *  # noqa: F403
from .ops.statistics import __all__ as _statistics
from .ops.trigonometric import *  # noqa: F403
from .ops.trigonometric import __all__ as _trigonometric

if TYPE_CHECKING:
    from . import conformance, cv, nn

__version__ = "0.1.0"
__array_api_version__ = "2025.12"

newaxis = None
device = _device.device
"""``with xp.device("opencl"): ...``: use a device in this thread or task only."""

_LAZY = ("bench", "conformance", "cv", "nn")
"""Subpackages that are imported at their first use."""

__all__ = [
    "Array",
    "Device",
    "__array_api_version__",
    "__array_namespace_info__",
    "__version__",
    "add_device_option",
    "config",
    "current_device",
    "cv",
    "device",
    "devices",
    "e",
    "func",
    "inf",
    "kernel",
    "math",
    "nan",
    "newaxis",
    "nn",
    "pi",
    "power",
    "set_device",
    "synchronize",
    *_dtypes.NAMES,
]
for _chapter in (
    _errors,
    _language,
    _arithmetic,
    _bitwise,
    _complex,
    _creation,
    _datatypes,
    _exponential,
    _inspection,
    _linear,
    _logic,
    _manipulation,
    _rounding,
    _searching,
    _statistics,
    _trigonometric,
):
    __all__ += _chapter


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from importlib import import_module

        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'xpu' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_LAZY})
