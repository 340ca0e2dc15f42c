"""Kernels in which random programs found a mistake once, on every device against the interpreter."""

from __future__ import annotations

import numpy as np
import pytest

import xpu as xp

from .devices import candidates

ITEMS, GROUP = 16, 8


@xp.func
def turned(v):
    return -v


@xp.kernel
def negations_outlive_barriers(a, n, out):
    i = xp.global_id(0)
    scalar = -a[i]
    helped = turned(a[i])
    product = a[i] * -1.0
    narrow = xp.float32(-a[i])
    half = -xp.float16(a[i])
    pair = -xp.vload(a, i & 7, 2)
    number = -xp.complex128(a[i], 2.0)
    mirrored = xp.math.conj(xp.complex64(1.0, a[i]))
    difference = -0.0 - a[i]
    n[i] = xp.int32(-(a[i] + 1.0))
    xp.barrier()
    out[0, i] = scalar
    out[1, i] = helped
    out[2, i] = product
    out[3, i] = narrow
    out[4, i] = half
    xp.vstore(out, (5, i * 2), pair)
    out[6, i] = number.real
    out[7, i] = mirrored.imag
    out[8, i] = difference
    out[9, i] = -(a[i] + 1.0)


@xp.kernel
def bits_of_small_integers(a, n, out):
    i = xp.global_id(0)
    v = xp.int8(n[i])
    out[0, i] = xp.math.clz(v | v if a[i] > 0 else v % 3)
    out[1, i] = xp.math.popcount(v | v if a[i] > 0 else v % 3)


@xp.kernel
def atomics_at_computed_places(a, n, out):
    i = xp.global_id(0)
    tile = xp.local_array(2, xp.int32)
    if xp.local_id(0) < 2:
        tile[xp.local_id(0)] = 0
    xp.barrier()
    xp.atomic_add(tile, xp.local_id(0) & 1, n[i])
    xp.barrier()
    out[0, i] = tile[i & 1]


@xp.func
def mirror(tile, k, value):
    tile[k] = value
    xp.barrier()
    return tile[7 - k]


@xp.kernel
def helpers_with_barriers(a, n, out):
    tile = xp.local_array(8, xp.float64)
    i = xp.global_id(0)
    out[0, i] = mirror(tile, xp.local_id(0), a[i])


@xp.kernel
def constants_that_do_not_fit(a, n, out):
    i = xp.global_id(0)
    out[0, i] = 1.0 if xp.int8(10) != 70000 else 2.0
    out[1, i] = 1.0 if xp.uint8(n[i]) >= -200 else 2.0


def run(kernel, device):
    a = xp.asarray(np.linspace(-7.3, 8.9, ITEMS), device=device)
    n = xp.asarray(np.arange(-4, ITEMS - 4, dtype=np.int32), device=device)
    out = xp.asarray(np.zeros((10, 2 * ITEMS)), device=device)
    kernel[ITEMS, GROUP](a, n, out)
    return xp.asnumpy(out), xp.asnumpy(n)


KERNELS = [
    negations_outlive_barriers,
    bits_of_small_integers,
    atomics_at_computed_places,
    helpers_with_barriers,
    constants_that_do_not_fit,
]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
@pytest.mark.parametrize("device", candidates())
def test_once_found(kernel, device):
    from xpu.device import get_device

    if not get_device(device).info.fp64:
        pytest.skip("these kernels compute in float64")
    for got, expected in zip(run(kernel, device), run(kernel, "interpreter"), strict=True):
        np.testing.assert_array_equal(got, expected)
        np.testing.assert_array_equal(np.signbit(got), np.signbit(expected))


def test_negations_are_written_plainly_elsewhere():
    from xpu.backend import DeviceInfo
    from xpu.kernel import ir
    from xpu.kernel.printers import print_kernel

    arrays = [ir.ArrayType(np.dtype(np.float64), 1), ir.ArrayType(np.dtype(np.int32), 1)]
    types = [*arrays, ir.ArrayType(np.dtype(np.float64), 2)]
    cpu, gpu = DeviceInfo("some", "one", "cpu"), DeviceInfo("some", "one", "gpu")
    typed = negations_outlive_barriers.specialize(types, cpu)
    assert "-v_a[v_i]" not in print_kernel(typed, "opencl", cpu).text
    assert "-v_a[v_i]" in print_kernel(typed, "opencl", gpu).text
    assert "-v_a[v_i]" in print_kernel(typed, "cuda", gpu).text
