"""Part 3: code. Kernels compile, run exactly as many work-items as asked, and see the arguments they were given."""

from __future__ import annotations

import dataclasses
import threading
from typing import Any

import numpy as np
import pytest

from ...backend import CompileError, LaunchRefused
from ...device import Device
from ...errors import KernelLaunchError
from ...kernel import ir
from ...kernel.printers import print_kernel
from ...memory import View
from ..capabilities import Capabilities
from ..compare import check_values
from ..samples import one
from .by_hand import (
    Bench,
    array as array_param,
    binary,
    copy_kernel,
    ids_kernel,
    item,
    kernel,
    number,
    reverse_kernel,
    scale_kernel,
)

DTYPES = (
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
)


@pytest.fixture
def bench(device: Device) -> Bench:
    return Bench(device)


@pytest.mark.parametrize("dtype", [*DTYPES, "complex64", "complex128"])
def test_a_kernel_copies_every_dtype(bench: Bench, can: Capabilities, dtype: str) -> None:
    can.require_dtype(dtype)
    values = one(np.dtype(dtype))
    out = bench.room(values.shape, values.dtype)
    bench.run(copy_kernel(dtype), values.shape, bench.put(values), out)
    check_values(bench.get(out), values)  # a NaN may change its payload where 16 bits are widened on the way


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d != "bool"])
def test_scalars_of_every_dtype_arrive(bench: Bench, can: Capabilities, dtype: str) -> None:
    can.require_dtype(dtype)
    chosen = np.dtype(dtype)
    k = np.iinfo(chosen).max - 5 if chosen.kind in "iu" else 1.0009765625
    scalar = chosen.type(k)
    values = np.arange(5, dtype=chosen)
    out = bench.room(values.shape, chosen)
    bench.run(scale_kernel(dtype), values.shape, bench.put(values), scalar, out)
    assert np.array_equal(bench.get(out), values + scalar)


@pytest.mark.parametrize("count", [1, 2, 3, 7, 31, 64, 65, 255, 1000, 1021])
def test_exactly_as_many_work_items_run_as_asked(bench: Bench, count: int) -> None:
    values = np.arange(count + 64, dtype=np.float32)
    out = bench.put(np.full(count + 64, -1, np.float32))
    bench.run(copy_kernel(np.float32), (count,), bench.put(values), out)
    expected = np.where(np.arange(count + 64) < count, values, np.float32(-1))
    assert np.array_equal(bench.get(out), expected)


def test_a_launch_of_nothing_does_nothing(bench: Bench) -> None:
    out = bench.put(np.full(8, -1, np.float32))
    bench.run(copy_kernel(np.float32), (0,), bench.put(np.zeros(8, np.float32)), out)
    bench.run(copy_kernel(np.float32, 2), (3, 0), *[bench.room((3, 0), np.float32)] * 2)
    assert (bench.get(out) == -1).all()


@pytest.mark.parametrize("shape", [(5,), (3, 7), (1, 9), (9, 1), (2, 3, 5), (1, 1, 4)])
def test_work_items_know_where_they_are(bench: Bench, shape: tuple[int, ...]) -> None:
    out = bench.room((*shape, len(shape)), np.int64)
    bench.run(ids_kernel("global_id", len(shape)), shape, out)
    assert np.array_equal(bench.get(out), np.stack(np.indices(shape), axis=-1))


@pytest.mark.parametrize("shape", [(5,), (3, 7), (2, 3, 5)])
def test_work_items_know_the_global_size(bench: Bench, shape: tuple[int, ...]) -> None:
    out = bench.room((*shape, len(shape)), np.int64)
    bench.run(ids_kernel("global_size", len(shape)), shape, out)
    assert np.array_equal(bench.get(out), np.broadcast_to(shape, (*shape, len(shape))))


@pytest.mark.parametrize(
    ("shape", "local"), [((12,), (4,)), ((6, 8), (2, 4)), ((6, 8), (1, 8)), ((2, 4, 4), (2, 2, 2))]
)
@pytest.mark.parametrize("function", ["local_id", "group_id", "local_size", "num_groups"])
def test_work_items_know_their_group(
    bench: Bench, function: str, shape: tuple[int, ...], local: tuple[int, ...]
) -> None:
    rank = len(shape)
    out = bench.room((*shape, rank), np.int64)
    bench.run(ids_kernel(function, rank), shape, out, local=local)
    where = np.stack(np.indices(shape), axis=-1)
    size = np.array(local)
    expected = {
        "local_id": where % size,
        "group_id": where // size,
        "local_size": np.broadcast_to(size, where.shape),
        "num_groups": np.broadcast_to(np.array(shape) // size, where.shape),
    }
    assert np.array_equal(bench.get(out), expected[function])


@pytest.mark.parametrize("group", [1, 2, 8])
def test_a_group_shares_local_memory_across_a_barrier(bench: Bench, can: Capabilities, group: int) -> None:
    if group > can.max_work_group:
        group = can.max_work_group
    values = np.arange(6 * group, dtype=np.float32)
    out = bench.room(values.shape, np.float32)
    bench.run(reverse_kernel(group), values.shape, bench.put(values), out, local=(group,))
    assert np.array_equal(bench.get(out), values.reshape(6, group)[:, ::-1].reshape(-1))


def test_the_largest_group_of_a_kernel_runs(bench: Bench, can: Capabilities) -> None:
    wanted = min(can.max_work_group, can.local_memory // 4, 256)
    executable = bench.build(reverse_kernel(wanted))
    group = min(wanted, executable.compiled.max_work_group)
    assert group >= 1
    if group != wanted:
        executable = bench.build(reverse_kernel(group))
    values = np.arange(2 * group, dtype=np.float32)
    out = bench.room(values.shape, np.float32)
    executable.run(values.shape, (group,), [bench.put(values), out])
    assert np.array_equal(bench.get(out), values.reshape(2, group)[:, ::-1].reshape(-1))


def test_a_group_that_is_too_large_is_refused(bench: Bench, backend: Any, can: Capabilities) -> None:
    group = 2 * can.max_work_group
    executable = bench.build(reverse_kernel(2))
    x = bench.put(np.zeros(group, np.float32))
    arguments = [np.int64(group), x.storage.block, np.int64(0), np.int64(group)]
    arguments += [bench.room((group,), np.float32).storage.block, np.int64(0), np.int64(group)]
    with pytest.raises(LaunchRefused):
        backend.launch(executable.compiled, (group,), (group,), arguments)
    with pytest.raises(KernelLaunchError, match="refuses"):
        executable.run((group,), (group,), [x, bench.room((group,), np.float32)])


@pytest.mark.parametrize("offset", [1, 3, 16])
def test_a_kernel_starts_at_its_arrays_offset(bench: Bench, offset: int) -> None:
    values = np.arange(32, dtype=np.int16)
    x = bench.put(values)
    out = bench.put(np.full(32, -1, np.int16))
    windows = [View(v.storage, v.dtype, (8,), (1,), start) for v, start in ((x, offset), (out, offset + 2))]
    bench.run(copy_kernel(np.int16), (8,), *windows)
    expected = np.full(32, -1, np.int16)
    expected[offset + 2 : offset + 10] = values[offset : offset + 8]
    assert np.array_equal(bench.get(out), expected)


@pytest.mark.parametrize(
    ("strides", "offset"),
    [((8, 1), 0), ((1, 8), 0), ((-8, 1), 24), ((8, -1), 5), ((-8, -2), 31), ((0, 1), 3), ((0, 0), 9)],
)
def test_a_kernel_follows_strides(bench: Bench, strides: tuple[int, int], offset: int) -> None:
    values = np.arange(40, dtype=np.int32)
    x = bench.put(values)
    out = bench.room((3, 3), np.int32)
    source = View(x.storage, x.dtype, (3, 3), strides, offset)
    bench.run(copy_kernel(np.int32, 2, contiguous=False), (3, 3), source, out)
    rows, columns = np.indices((3, 3))
    assert np.array_equal(bench.get(out), values[offset + rows * strides[0] + columns * strides[1]])


def test_indices_are_computed_in_64_bits(bench: Bench) -> None:
    i = item("global_id")
    far = binary("mul", binary("add", i, number(3)), number(3_000_000_000))
    near = binary("floordiv", far, number(1_000_000_000))
    node = kernel(
        "conformance_wide",
        [array_param("out", np.int64, 2, written=True)],
        [ir.Store("out", [i, number(0)], far), ir.Store("out", [i, number(1)], near)],
    )
    out = bench.room((5, 2), np.int64)
    bench.run(node, (5,), out)
    expected = (np.arange(5) + 3) * 3_000_000_000
    assert np.array_equal(bench.get(out), np.stack([expected, expected // 1_000_000_000], axis=-1))


def test_shapes_are_passed_in_64_bits(bench: Bench) -> None:
    i = item("global_id")
    values = bench.put(np.arange(4, dtype=np.uint8))
    wide = View(values.storage, values.dtype, (5_000_000_000,), (0,), 2)
    out = bench.room((3,), np.int64)
    element = ir.Load(ir.Scalar(np.dtype(np.uint8)), "x", [binary("sub", ir.Dim(INT64, "x", 0), number(1))])
    value = binary("add", ir.Cast(INT64, element), ir.Dim(INT64, "x", 0))
    params = [array_param("x", np.uint8, contiguous=False), array_param("out", np.int64, written=True)]
    bench.run(kernel("conformance_extent", params, [ir.Store("out", [i], value)]), (3,), wide, out)
    assert bench.get(out).tolist() == [5_000_000_002] * 3


INT64 = ir.INT64


def test_a_kernel_is_compiled_once(bench: Bench) -> None:
    assert bench.build(copy_kernel(np.float32)) is bench.build(copy_kernel(np.float32))


def test_a_binary_loads_again(device: Device, backend: Any, bench: Bench) -> None:
    source = print_kernel(copy_kernel(np.float32), backend.printer, device.info)
    binary = backend.compile(source).binary()
    if binary is None:
        return
    assert isinstance(binary, bytes)
    again = backend.load(source, binary)
    assert again is not None, "a binary just made must load"
    values = np.arange(10, dtype=np.float32)
    x, out = bench.put(values), bench.room((10,), np.float32)
    arguments = [np.int64(10), x.storage.block, np.int64(0), np.int64(10), out.storage.block, np.int64(0), np.int64(10)]
    backend.launch(again, (10,), None, arguments)
    assert np.array_equal(bench.get(out), values)


def test_a_binary_of_another_day_is_harmless(device: Device, backend: Any) -> None:
    source = print_kernel(copy_kernel(np.float32), backend.printer, device.info)
    if backend.compile(source).binary() is None:
        return
    try:
        assert backend.load(source, b"not a kernel") is None
    except Exception as error:
        assert not isinstance(error, (SystemExit, MemoryError))


def test_a_broken_source_gives_the_compilers_log(device: Device, backend: Any, can: Capabilities) -> None:
    can.require("compiler")
    source = print_kernel(copy_kernel(np.float32), backend.printer, device.info)
    broken = dataclasses.replace(source, text="this is (no program", name="xpu_conformance_broken")
    with pytest.raises(CompileError) as caught:
        backend.compile(broken)
    assert str(caught.value).strip()


def test_many_threads_launch_at_once(bench: Bench, device: Device) -> None:
    executable = bench.build(scale_kernel(np.int32))
    failures: list[str] = []

    def work(number: int) -> None:
        own = Bench(device)
        values = np.arange(100, dtype=np.int32)
        for turn in range(5):
            out = own.room((100,), np.int32)
            executable.run((100,), None, [own.put(values), np.int32(number + turn), out])
            if not np.array_equal(own.get(out), values + number + turn):
                failures.append(f"thread {number}, turn {turn}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
