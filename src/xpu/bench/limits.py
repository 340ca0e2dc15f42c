"""What a device can do at most, measured by small probes: the yardstick for everything else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..backend import DeviceInfo
from ..device import Device
from ..ops.creation import asarray, asnumpy, empty, zeros
from .probes import CHAINS, STEPS, bench_nothing, make_arithmetic, make_triad
from .timing import Call, once, repeats_for

TRIES = 7
ELEMENTS = 1 << 24
"""Of the triad: 64 MiB an array, beyond every cache."""


@dataclass(frozen=True)
class Limits:
    """The limits of a device, as its probes reached them: the best of several tries."""

    bandwidth: float
    """Bytes a second, reading two arrays and writing a third (a triad), beyond the caches."""
    single: float
    """Floating-point operations a second in float32, multiplying and adding in registers."""
    double: float
    """The same in float64; 0 where the device has none."""
    launch: float
    """Seconds of a launch that does nothing, until its end is known."""
    upload: float
    """Bytes a second from the host's memory to the device's."""
    download: float
    """Bytes a second from the device's memory to the host's."""


def measure(device: Device) -> Limits:
    """Probe a device; takes a few seconds."""
    host = np.zeros(1 << 24, np.uint8)
    there = asarray(host, device=device, copy=True)
    upload = _best_on(device, asarray, host, device=device, copy=True)
    download = _best(lambda: np.copyto(host, asnumpy(there)))
    one = zeros(1, dtype=np.float32, device=device)
    launch = _best_on(device, bench_nothing[1], one)
    double = _arithmetic(device, np.dtype(np.float64)) if device.info.fp64 else 0.0
    return Limits(
        bandwidth=_bandwidth(device),
        single=_arithmetic(device, np.dtype(np.float32)),
        double=double,
        launch=launch,
        upload=host.nbytes / upload,
        download=host.nbytes / download,
    )


def _best(call: Call) -> float:
    repeats = repeats_for(call)
    return min(once(call, repeats) for _ in range(TRIES))


def _best_on(where: Device, function: Any, *args: Any, **named: Any) -> float:
    """Time a function until the device has done what it asked for."""

    def call() -> None:
        function(*args, **named)
        where.synchronize()

    return _best(call)


def _lanes(info: DeviceInfo, itemsize: int) -> int:
    """Return the width of vectors that fill a CPU's registers; GPUs compute with scalars."""
    return min(16, 64 // itemsize) if info.kind == "cpu" else 1


def _bandwidth(device: Device) -> float:
    elements = ELEMENTS
    while elements > 1 << 16 and 16 * elements > device.info.memory:
        elements //= 2
    a, b = (zeros(elements, dtype=np.float32, device=device) for _ in range(2))
    c = empty(elements, dtype=np.float32, device=device)
    seconds = []
    for lanes in {1, _lanes(device.info, 4)}:
        triad: Any = make_triad(lanes)[elements // lanes]
        seconds.append(_best_on(device, triad, a, b, c))
    return 12 * elements / min(seconds)


def _arithmetic(device: Device, dtype: np.dtype[Any]) -> float:
    """Return operations a second; registers are 32 or 64 bytes wide, and only one of them is this device's."""
    rates = []
    items = 64 * device.info.compute_units * (1 if device.info.kind == "cpu" else 256)
    for lanes in {_lanes(device.info, dtype.itemsize), max(1, _lanes(device.info, dtype.itemsize) // 2)}:
        out = empty(items * lanes, dtype=dtype, device=device)
        kernel: Any = make_arithmetic(dtype, lanes)[items]
        factor, term = dtype.type(0.999), dtype.type(0.001)
        seconds = _best_on(device, kernel, factor, term, out)
        rates.append(2 * STEPS * CHAINS * lanes * items / seconds)
    return max(rates)
