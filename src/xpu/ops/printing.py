"""What arrays look like: NumPy's notation, with the device where it is not the CPU."""

from __future__ import annotations

import numpy as np

from ..array import Array
from .creation import asnumpy


def _sample(x: Array) -> np.ndarray:
    """Return the elements; of a large array only the corners that NumPy will print travel to the host."""
    options = np.get_printoptions()
    edge, threshold = options["edgeitems"], options["threshold"]
    if x.size <= threshold or x.device.info.unified_memory:
        return asnumpy(x)
    out = np.zeros(tuple(min(n, 2 * edge + 1) for n in x.shape), x.dtype)
    for corner in np.ndindex(*[2 if n > 2 * edge + 1 else 1 for n in x.shape]):
        chosen = tuple(
            (slice(-edge, None) if side else slice(None, edge)) if n > 2 * edge + 1 else slice(None)
            for side, n in zip(corner, x.shape, strict=True)
        )
        out[chosen] = asnumpy(x[chosen])
    return out


def _format(x: Array, prefix: str = "", suffix: str = "") -> str:
    sample = _sample(x)
    threshold = 0 if sample.shape != x.shape else np.get_printoptions()["threshold"]
    return np.array2string(sample, separator=", " if prefix else " ", prefix=prefix, suffix=suffix, threshold=threshold)


def array_str(x: Array) -> str:
    """Return what ``print(x)`` shows."""
    return _format(x) if x.ndim else str(asnumpy(x)[()])


def array_repr(x: Array) -> str:
    """Return ``Array([...], dtype=..., device=...)``; NumPy's usual dtypes and the CPU are left out."""
    parts = []
    if x.size == 0:
        body = f"[], shape={x.shape}" if x.shape != (0,) else "[]"
        parts.append(f"dtype={x.dtype.name}")
    else:
        body = _format(x, prefix="Array(", suffix=",")
        if x.dtype not in (np.dtype(np.int64), np.dtype(np.float64), np.dtype(np.complex128), np.dtype(np.bool_)):
            parts.append(f"dtype={x.dtype.name}")
    if str(x.device) != "cpu":
        parts.append(f"device='{x.device}'")
    return f"Array({', '.join([body, *parts])})"
