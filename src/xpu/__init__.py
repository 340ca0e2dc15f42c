"""xpu: write NumPy once; run it on the CPU, on CUDA, on ROCm, on any OpenCL device.

>>> import xpu as xp
>>> xp.set_device("auto")
>>> x = xp.arange(10.0)
>>> xp.sqrt(x * x + 1).sum()
"""

from __future__ import annotations

import sys as _sys
from math import e, inf, nan, pi
from typing import TYPE_CHECKING, Any

from . import device as _device, errors as _errors, math
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
from .info import __array_namespace_info__
from .kernel import language as _language
from .kernel.language import *  # noqa: F403
from .kernel.launch import func, kernel
from .ops import (
    arithmetic as _arithmetic,
    bitwise as _bitwise,
    complex as _complex,
    creation as _creation,
    cumulative as _cumulative,
    datatypes as _datatypes,
    exponential as _exponential,
    functional as _functional,
    histograms as _histograms,
    inspection as _inspection,
    linear as _linear,
    logic as _logic,
    manipulation as _manipulation,
    quantiles as _quantiles,
    rounding as _rounding,
    searching as _searching,
    sets as _sets,
    sorting as _sorting,
    statistics as _statistics,
    trigonometric as _trigonometric,
)
from .ops.arithmetic import *  # noqa: F403
from .ops.bitwise import *  # noqa: F403
from .ops.complex import *  # noqa: F403
from .ops.creation import *  # noqa: F403
from .ops.cumulative import *  # noqa: F403
from .ops.datatypes import *  # noqa: F403
from .ops.exponential import *  # noqa: F403
from .ops.functional import *  # noqa: F403
from .ops.histograms import *  # noqa: F403
from .ops.inspection import *  # noqa: F403
from .ops.linear import *  # noqa: F403
from .ops.logic import *  # noqa: F403
from .ops.manipulation import *  # noqa: F403
from .ops.quantiles import *  # noqa: F403
from .ops.rounding import *  # noqa: F403
from .ops.searching import *  # noqa: F403
from .ops.sets import *  # noqa: F403
from .ops.sorting import *  # noqa: F403
from .ops.statistics import *  # noqa: F403
from .ops.trigonometric import *  # noqa: F403

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
    "bool",
    "complex64",
    "complex128",
    "config",
    "conformance",
    "current_device",
    "cv",
    "device",
    "devices",
    "e",
    "float16",
    "float32",
    "float64",
    "func",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "kernel",
    "math",
    "nan",
    "newaxis",
    "nn",
    "pi",
    "power",
    "set_device",
    "synchronize",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
]
__all__ += _errors.__all__
__all__ += _language.__all__
__all__ += _arithmetic.__all__
__all__ += _bitwise.__all__
__all__ += _complex.__all__
__all__ += _creation.__all__
__all__ += _cumulative.__all__
__all__ += _datatypes.__all__
__all__ += _exponential.__all__
__all__ += _functional.__all__
__all__ += _histograms.__all__
__all__ += _inspection.__all__
__all__ += _linear.__all__
__all__ += _logic.__all__
__all__ += _manipulation.__all__
__all__ += _quantiles.__all__
__all__ += _rounding.__all__
__all__ += _searching.__all__
__all__ += _sets.__all__
__all__ += _sorting.__all__
__all__ += _statistics.__all__
__all__ += _trigonometric.__all__


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        from importlib import import_module

        return import_module(f"{__name__}.{name}")
    import numpy as np

    message = f"module 'xpu' has no attribute {name!r}"
    if not name.startswith("_") and hasattr(np, name):
        message += "; NumPy has it, and works on the host: xp.asnumpy(x) before it, xp.asarray(result) after it"
    raise AttributeError(message, name=name, obj=_sys.modules[__name__])  # with these, Python finds misspelt names


def __dir__() -> list[str]:
    return sorted({*__all__, *_LAZY})
