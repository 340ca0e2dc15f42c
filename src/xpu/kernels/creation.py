"""Arrays made from nothing but numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernel import ir
from ..kernel.build import build
from ..memory import View


def _arange_kernel(dtype: np.dtype[Any], work: np.dtype[Any]) -> ir.Kernel:
    """Return ``out[i] = start + i * step``, computed in ``work``."""
    index, number = ir.INT64, ir.Scalar(work)
    i = ir.Var(index, "i")
    scaled = ir.Binary(number, "mul", ir.Cast(number, i), ir.Var(number, "step"))
    value: ir.Expr = ir.Binary(number, "add", ir.Var(number, "start"), scaled)
    if work != dtype:
        value = ir.Cast(ir.Scalar(dtype), value)
    return ir.Kernel(
        name="arange",
        params=[
            ir.Param("start", number),
            ir.Param("step", number),
            ir.Param("out", ir.ArrayType(dtype, 1, wide=True), read=False, written=True),
        ],
        variables={"i": index},
        arrays=[],
        body=[ir.Assign("i", ir.WorkItem(index, "global_id", 0)), ir.Store("out", [i], value)],
    )


def arange_into(out: View, start: Any, step: Any) -> None:
    """Fill a contiguous one-dimensional view with ``start + i * step``.

    As in NumPy, the step of floating-point numbers is the rounded difference of the first two elements.
    """
    device, dtype = out.storage.device, out.dtype
    others: dict[str, np.dtype[Any]] = {"e": np.dtype(np.float32), "?": np.dtype(np.int64)}
    work = others.get(dtype.char, dtype)
    with np.errstate(all="ignore"):
        # Of unsigned integers the difference wraps around, which adds up to what falls.
        first = work.type(start)
        delta = work.type(start + step) - first if out.size > 1 else first
    key = ("arange", dtype)
    executable = device.plans.get(key)
    if executable is None:
        executable = device.plans[key] = build(_arange_kernel(dtype, work), device)
    executable.run(out.shape, None, [first, delta, out])
