"""Sources written by hand, in the form that the printer gives."""

from __future__ import annotations

import numpy as np

from xpu.backend import Parameter, Source

I64, F32 = np.dtype(np.int64), np.dtype(np.float32)

SAXPY = """
__kernel void xpu_saxpy(long gsize0, float a, __global const float *x, __global float *y) {
    if ((long)get_global_id(0) >= gsize0) {
        return;
    }
    y[get_global_id(0)] = a * x[get_global_id(0)] + y[get_global_id(0)];
}
"""
WHERE = """
__kernel void xpu_where(long gsize0, long gsize1, __global long *y) {
    if ((long)get_global_id(1) >= gsize0 || (long)get_global_id(0) >= gsize1) {
        return;
    }
    y[get_global_id(1) * gsize1 + get_global_id(0)] = get_local_size(1) * 10000 + get_local_size(0);
}
"""


def saxpy(text: str = SAXPY) -> Source:
    parameters = (
        Parameter("gsize0", "scalar", I64),
        Parameter("a", "scalar", F32),
        Parameter("x", "buffer", F32),
        Parameter("y", "buffer", F32),
    )
    return Source("xpu_saxpy", text, "opencl", parameters, 1)


def where() -> Source:
    parameters = (Parameter("gsize0", "scalar", I64), Parameter("gsize1", "scalar", I64), Parameter("y", "buffer", I64))
    return Source("xpu_where", WHERE, "opencl", parameters, 2)
