"""Wrong input: the class and the message of the design, arrays as they were, and a device that goes on working."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import xpu as xp

from ...device import get_device
from ..capabilities import Capabilities
from ..compare import check


@pytest.fixture
def x() -> Any:
    return xp.asarray(np.arange(12, dtype=np.int32).reshape(3, 4))


@pytest.fixture(autouse=True)
def still_works() -> Any:
    yield
    assert (xp.arange(4, dtype=xp.int32) + 1).tolist() == [1, 2, 3, 4]


# ------------------------------------------------------------------------------------------------------- devices


@pytest.mark.parametrize("name", ["nonsense", "", "cpu:99", "nonsense:0", "auto:3", "opencl:no such vendor", ":"])
def test_wrong_device_names(name: str) -> None:
    before = xp.current_device()
    with pytest.raises(xp.DeviceNotFoundError) as caught:
        xp.set_device(name)
    assert repr(name) in str(caught.value)
    assert "xpu info" in str(caught.value)
    assert xp.current_device() is before
    with pytest.raises((LookupError, ValueError)):
        xp.zeros(3, device=name)


def test_a_device_is_a_string() -> None:
    with pytest.raises(TypeError, match="string"):
        xp.zeros(3, device=3)


def another_device() -> Any:
    """Return a device other than the one under test."""
    for name in ("cpu", "interpreter"):
        try:
            other = get_device(name)
        except xp.DeviceNotFoundError:
            continue
        if other is not xp.current_device():
            return other
    pytest.fail("no second device to mix with")


def test_devices_do_not_mix(x: Any) -> None:
    other = another_device()
    y = xp.ones((3, 4), dtype=xp.int32, device=other)
    for call in (
        lambda: x + y,
        lambda: xp.add(y, x),
        lambda: x @ y.T,
        lambda: xp.concat([x, y]),
        lambda: xp.where(x > 1, x, y),
        lambda: x.__setitem__(0, y[0]),
        lambda: x[0].__iadd__(y[0]),
    ):
        with pytest.raises(xp.DeviceMismatchError) as caught:
            call()
        assert str(other) in str(caught.value)
        assert str(xp.current_device()) in str(caught.value)
    check(x, np.arange(12, dtype=np.int32).reshape(3, 4))


def test_moving_is_explicit(x: Any) -> None:
    other = another_device()
    moved = x.to_device(other)
    assert moved.device is other
    assert moved.tolist() == x.tolist()
    back = xp.asarray(moved, device=xp.current_device())
    assert (back + x).tolist() == (2 * np.arange(12).reshape(3, 4)).tolist()
    assert x.to_device(xp.current_device()) is x


@pytest.mark.parametrize(
    "call",
    [
        lambda x, a: x + a,
        lambda x, a: a + x,
        xp.multiply,
        np.add,
        lambda x, a: x @ a.T,
        lambda x, a: x < a,
        lambda x, a: x.__iadd__(a),
    ],
)
def test_numpy_arrays_are_not_taken_silently(x: Any, call: Callable[..., Any]) -> None:
    a = np.ones((3, 4), np.int32)
    with pytest.raises(xp.DeviceMismatchError, match="asarray"):
        call(x, a)
    check(x, np.arange(12, dtype=np.int32).reshape(3, 4))


@pytest.mark.parametrize("value", [None, "text", object(), ["text"], {1: 2}])
def test_other_things_are_no_operands(x: Any, value: Any) -> None:
    with pytest.raises(TypeError):
        xp.add(x, value)


# -------------------------------------------------------------------------------------------------------- dtypes


@pytest.mark.parametrize(
    "dtype", ["O", "U3", "S3", "M8[s]", "m8[s]", "V8", "i4,f4", "g", ">i4", ">f8", "no such dtype", 3.5]
)
def test_dtypes_that_are_none_of_xpus(dtype: Any) -> None:
    with pytest.raises(xp.UnsupportedDTypeError):
        xp.zeros(3, dtype=dtype)


@pytest.mark.parametrize(
    "value",
    [
        np.array([1, None], object), np.array(["a"]), np.array([b"a"]), np.zeros(2, "i4,f4"), np.zeros(2, ">f4"),
        np.zeros(2, np.longdouble), np.array(["2020-01-01"], "M8[D]"), ["a", "b"], [None, 1], object(),
    ],
    ids=str,
)  # fmt: skip
def test_values_that_are_no_numbers(value: Any) -> None:
    with pytest.raises((xp.UnsupportedDTypeError, TypeError)):
        xp.asarray(value)


def test_float64_without_fp64_is_refused(can: Capabilities) -> None:
    if can.fp64:
        assert xp.zeros(2, dtype=xp.float64).dtype == np.float64
        return
    for call in (
        lambda: xp.zeros(2, dtype=xp.float64),
        lambda: xp.asarray(np.zeros(2)),
        lambda: xp.asarray([1j], dtype=xp.complex128),
        lambda: xp.ones(2, dtype=xp.float32).astype(xp.float64),
        lambda: xp.arange(3, dtype=xp.float64),
    ):
        with pytest.raises(xp.UnsupportedDTypeError, match="float64"):
            call()
    assert xp.zeros(2).dtype == np.float32
    assert (xp.arange(3) / 2).dtype == np.float32


@pytest.mark.parametrize(
    "call",
    [
        lambda x: x.astype(xp.float32) & 1,
        lambda x: ~x.astype(xp.float32),
        lambda x: x << 1.5,
        lambda x: -(x > 3),
        lambda x: (x > 3) - (x > 4),
        lambda x: xp.floor(x.astype(xp.complex64)),
        lambda x: x.__iadd__(1.5),
        lambda x: x.__itruediv__(2),
        lambda x: x.__setitem__(0, 1j),
    ],
)
def test_operations_that_are_not_defined(x: Any, call: Callable[..., Any]) -> None:
    with pytest.raises((xp.UnsupportedDTypeError, TypeError)):
        call(x)
    check(x, np.arange(12, dtype=np.int32).reshape(3, 4))


def test_integers_that_do_not_fit(x: Any) -> None:
    for call in (
        lambda: x + 2**40,
        lambda: x.__setitem__(0, 2**40),
        lambda: xp.asarray([300], dtype=xp.uint8),
        lambda: xp.full(3, -1, dtype=xp.uint8),
    ):
        with pytest.raises(OverflowError):
            call()
    with pytest.raises(ValueError, match="negative"):
        x**-1
    check(x, np.arange(12, dtype=np.int32).reshape(3, 4))


# ----------------------------------------------------------------------------------------------- shapes and axes


@pytest.mark.parametrize("shape", [(1 << 40, 1 << 40), (1 << 62, 4), (2**31, 2**31, 2**31), 1 << 70])
def test_shapes_that_overflow(shape: Any) -> None:
    with pytest.raises((ValueError, MemoryError)):
        xp.zeros(shape, dtype=xp.uint8)


@pytest.mark.parametrize(
    ("shape", "error"),
    [((-1,), ValueError), ((2, -3), ValueError), ("ab", TypeError), ((1.5,), TypeError), (None, TypeError)],
)
def test_shapes_that_are_none(shape: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        xp.zeros(shape)


def test_broadcast_views_cannot_be_made_whole() -> None:
    x = xp.broadcast_to(xp.asarray(np.array([1], np.uint8)), (1 << 50,))
    with pytest.raises(MemoryError):
        x + 1
        (x + 1).get()
    with pytest.raises(MemoryError):
        x.copy()


@pytest.mark.parametrize("key", [3, -4, (0, 4), (0, -5), (0, 0, 0), (slice(None), 9), (Ellipsis, Ellipsis), (None, 7)])
def test_indices_out_of_range(x: Any, key: Any) -> None:
    with pytest.raises(IndexError):
        x[key]
    with pytest.raises(IndexError):
        x[key] = 5
    check(x, np.arange(12, dtype=np.int32).reshape(3, 4))


@pytest.mark.parametrize("key", ["a", 1.5, slice(0.5, 2), slice("a", None)])
def test_indices_that_are_none(x: Any, key: Any) -> None:
    with pytest.raises((IndexError, TypeError)):
        x[key]


def test_slices_beyond_the_ends_are_fine(x: Any) -> None:
    check(x[:99, -99:], np.arange(12, dtype=np.int32).reshape(3, 4))
    check(x[5:], np.zeros((0, 4), np.int32))


def test_shapes_that_do_not_broadcast(x: Any) -> None:
    for call in (
        lambda: x + xp.zeros(3, dtype=xp.int32),
        lambda: x.__iadd__(xp.zeros((2, 3, 4), dtype=xp.int32)),
        lambda: x.__setitem__(slice(None), xp.zeros(3, dtype=xp.int32)),
        lambda: xp.broadcast_to(x, (4, 3)),
    ):
        with pytest.raises(ValueError, match="shape"):
            call()
    check(x, np.arange(12, dtype=np.int32).reshape(3, 4))


def test_a_failed_write_leaves_the_array(x: Any) -> None:
    doubled = x * 2
    for value in (xp.zeros((5, 5), dtype=xp.int32), np.zeros(7), "text", [[1, 2], [3]], 1j, float("nan")):
        with pytest.raises((ValueError, TypeError)):
            x[1:] = value
    check(x, np.arange(12, dtype=np.int32).reshape(3, 4))
    check(doubled, np.arange(0, 24, 2, dtype=np.int32).reshape(3, 4))


def test_the_truth_of_many_is_ambiguous(x: Any) -> None:
    for call in (lambda: bool(x), lambda: bool(x[:0]), lambda: x and 1):
        with pytest.raises(ValueError, match="ambiguous"):
            call()
    for convert in (int, float):
        with pytest.raises(TypeError):
            convert(x)
    with pytest.raises(TypeError):
        hash(x)
    with pytest.raises(TypeError):
        len(xp.asarray(3))
    with pytest.raises(TypeError, match="asarray"):
        xp.Array()


# -------------------------------------------------------------------------------------------------------- memory


def test_out_of_memory_is_an_error_one_recovers_from(can: Capabilities, x: Any) -> None:
    for factor in (64, 1 << 12):
        with pytest.raises(xp.OutOfMemoryError) as caught:
            xp.empty(can.memory * factor, dtype=xp.uint8)
        assert "no room" in str(caught.value)
    check(x + 1, np.arange(1, 13, dtype=np.int32).reshape(3, 4))


def test_memory_is_given_back() -> None:
    pool = xp.current_device().pool
    used = pool.used
    y = xp.zeros(100_000, dtype=xp.float32)
    assert pool.used >= used + 400_000
    del y
    assert pool.used == used


# ------------------------------------------------------------------------------------------------------- kernels


@xp.kernel
def copy_first(x: Any, out: Any) -> None:
    i = xp.global_id(0)
    out[i] = x[i]


def test_wrong_launches() -> None:
    x = xp.zeros(8, dtype=xp.float32)
    with pytest.raises((TypeError, ValueError)):
        copy_first[8](x)
    with pytest.raises((TypeError, ValueError)):
        copy_first[8](x, x, x)
    with pytest.raises(xp.KernelLaunchError):
        copy_first[-1](x, x)
    with pytest.raises(xp.KernelLaunchError):
        copy_first[2.5](x, x)
    with pytest.raises(xp.KernelLaunchError):
        copy_first[(2, 4, 1)](x, x)
    with pytest.raises(xp.DeviceMismatchError, match="'x'"):
        copy_first[8](np.zeros(8, np.float32), x)
    with pytest.raises(xp.DeviceMismatchError):
        copy_first[8](xp.zeros(8, dtype=xp.float32, device=another_device()), x)
    with pytest.raises(TypeError):
        copy_first(x, x)


def test_kernels_that_are_refused_say_where() -> None:
    with pytest.raises(xp.KernelCompileError) as caught:

        @xp.kernel
        def sorts_lists(x: Any) -> None:
            x[0] = len(sorted([x[0], x[1]]))

        sorts_lists[1](xp.zeros(1, dtype=xp.int32))
    assert "test_faults.py" in str(caught.value)
    assert "^" in str(caught.value)


def test_type_conflicts_are_refused() -> None:
    @xp.kernel
    def two_types(x: Any, out: Any) -> None:
        i = xp.global_id(0)
        value = x[i]
        if i > 1:
            value = out[i]
        out[i] = value

    with pytest.raises(xp.KernelTypeError):
        two_types[4](xp.zeros(4, dtype=xp.int32), xp.zeros(4, dtype=xp.float32))


def test_kernels_do_not_write_to_read_only_views() -> None:
    x = xp.broadcast_to(xp.zeros(1, dtype=xp.float32), (8,))
    with pytest.raises(ValueError, match="read-only"):
        copy_first[8](xp.ones(8, dtype=xp.float32), x)
