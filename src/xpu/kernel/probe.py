"""The tiny kernel that every device must build and run before it is used, and that ranks them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from ..memory import Storage, View
from . import ir
from .build import build

if TYPE_CHECKING:
    from ..device import Device

_ELEMENTS = 1 << 16
_ROUNDS = 8
_SMALL = 64


def probe_kernel() -> ir.Kernel:
    """Return ``out[i] = sqrt(x[i] * x[i] + 1)`` repeated a few times: sound arithmetic, some work."""
    f32, i64 = ir.FLOAT32, ir.INT64
    array = ir.ArrayType(np.dtype(np.float32), 1)
    i = ir.Var(i64, "i")
    value = ir.Var(f32, "value")
    one = ir.Const(f32, 1.0)
    step = ir.Call(f32, "sqrt", [ir.Binary(f32, "add", ir.Binary(f32, "mul", value, value), one)])
    return ir.Kernel(
        name="probe",
        params=[ir.Param("x", array), ir.Param("out", array, read=False, written=True)],
        variables={"i": i64, "value": f32, "k": i64},
        arrays=[],
        body=[
            ir.Assign("i", ir.WorkItem(i64, "global_id", 0)),
            ir.Assign("value", ir.Load(f32, "x", [i])),
            ir.For("k", ir.Const(i64, 0), ir.Const(i64, _ROUNDS), ir.Const(i64, 1), [ir.Assign("value", step)]),
            ir.Store("out", [i], value),
        ],
    )


def run_probe(device: Device) -> float:
    """Run the probe kernel; return elements a second, or raise with what went wrong."""
    count = _ELEMENTS if device.backend_device.listed else _SMALL
    executable = build(probe_kernel(), device, debug=False)
    backend = device.backend_device
    storages = [Storage(device, 4 * count) for _ in range(2)]
    views = [View(storage, np.dtype(np.float32), (count,), (1,)) for storage in storages]
    host = np.linspace(-2, 2, count, dtype=np.float32)
    backend.copy_in(storages[0].block, 0, host.view(np.uint8))
    times = []
    for _ in range(3 if device.backend_device.listed else 1):
        start = time.perf_counter()
        executable.run((count,), None, views)
        backend.synchronize()
        times.append(time.perf_counter() - start)
    result = np.empty_like(host)
    backend.copy_out(storages[1].block, 0, result.view(np.uint8))
    expected = host
    for _ in range(_ROUNDS):
        expected = np.sqrt(expected * expected + np.float32(1))
    if not np.allclose(result, expected, rtol=1e-5):
        wrong = int(np.argmax(~np.isclose(result, expected, rtol=1e-5)))
        raise RuntimeError(
            f"the probe kernel ran but gave {result[wrong]!r} instead of {expected[wrong]!r} at element {wrong}"
        )
    return count / min(times)
