"""Launch shapes."""

from __future__ import annotations

import pytest

from xpu.backend import DeviceInfo, Limits
from xpu_opencl.shape import Shapes

CPU = DeviceInfo("cpu", "x", "cpu", compute_units=4, limits=Limits(8192, (8192, 8192, 8192)))
GPU = DeviceInfo("gpu", "x", "gpu", compute_units=32, limits=Limits(1024, (1024, 1024, 64)))
SIZES = [(1,), (7,), (10**7,), (3, 5), (1, 4096), (4096, 1), (1000, 1000), (2, 3, 5), (300, 2, 90), (1, 1, 1)]


@pytest.mark.parametrize("info", [CPU, GPU], ids=["cpu", "gpu"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("barriers", [False, True])
def test_shapes_are_valid(info, size, barriers):
    limit = 300
    rounded, local = Shapes(info, limit, barriers).choose(size)
    items = 1
    for extent, part, wanted, most in zip(rounded, local, size[::-1], info.limits.max_work_items, strict=False):
        assert extent % part == 0 and wanted <= extent < wanted + part and 1 <= part <= most
        assert extent == wanted or not barriers
        items *= part
    assert items <= limit


def test_small_launches_are_spread_over_the_cores():
    for n in (16, 100, 1000, 10_000):
        rounded, local = Shapes(CPU, 8192, False).choose((n,))
        assert rounded[0] // local[0] >= min(n // 8, CPU.compute_units)


def test_the_fastest_axis_is_filled_first():
    rounded, local = Shapes(GPU, 1024, False).choose((1000, 1000))
    assert local == (256, 1) and rounded == (1024, 1000)


def test_shrinking_ends():
    shapes = Shapes(GPU, 256, False)
    seen = [shapes.choose((10_000,))[1][0]]
    while shapes.shrink():
        seen.append(shapes.choose((10_000,))[1][0])
    assert seen == [256, 128, 64, 32, 16, 8, 4, 2, 1]
