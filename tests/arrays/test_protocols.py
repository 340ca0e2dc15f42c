"""NumPy's functions on xpu arrays, DLPack, and memory shared with NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import xpu as xp
from xpu.device import get_device


@pytest.fixture(autouse=True)
def on_cpu():
    with xp.device("cpu"):
        yield


def test_ufuncs_stay_on_the_device():
    with xp.device("interpreter"):
        x = xp.arange(4, dtype=xp.float32)
        for result, want in (
            (np.sqrt(x), np.sqrt),
            (np.add(x, 1), lambda v: v + 1),
            (np.multiply(2, x), lambda v: 2 * v),
        ):
            assert isinstance(result, xp.Array)
            assert result.device == get_device("interpreter")
            assert np.array_equal(xp.asnumpy(result), want(np.arange(4, dtype=np.float32)))


def test_ufuncs_take_out():
    x, out = xp.arange(4, dtype=xp.float32), xp.zeros(4, dtype=xp.float32)
    assert np.negative(x, out=out) is out
    assert out.tolist() == [0, -1, -2, -3]
    with pytest.raises(xp.DeviceMismatchError):
        np.negative(x, out=np.zeros(4, np.float32))


def test_numpy_scalars_on_the_left():
    x = xp.arange(3, dtype=xp.float32)
    for result in (np.float32(2) * x, np.float32(2) + x, np.float32(2) > x, np.int64(2) - x):
        assert isinstance(result, xp.Array)


def test_shared_memory_is_the_arrays_own():
    x = xp.zeros(5, dtype=xp.int32)
    shown = np.asarray(x)
    x[2] = 7
    assert shown.tolist() == [0, 0, 7, 0, 0]
    with pytest.raises(ValueError, match="read-only"):
        shown[0] = 1


def test_adopted_memory():
    host = np.zeros(4096, np.float32)
    try:
        x = xp.asarray(host, copy=False)
    except ValueError as error:
        assert "copy=False" in str(error)
        return
    x += 1
    assert (host == xp.asnumpy(x)).all()
    assert host[0] == 1


@pytest.mark.parametrize("value", [[1, 2], 3.5, np.arange(6)[::2], np.arange(3, dtype=np.int32)])
def test_what_cannot_be_adopted(value):
    with pytest.raises(ValueError, match="copy"):
        xp.asarray(value, copy=False, dtype=xp.float32)


def test_dlpack_round_trip():
    x = xp.arange(6, dtype=xp.float32).reshape(2, 3)
    back = np.from_dlpack(x)
    assert back.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert xp.from_dlpack(back).tolist() == back.tolist()


def test_objects_with_an_array_protocol():
    class Holder:
        def __array__(self, dtype=None, copy=None):
            return np.arange(3)

    assert xp.asarray(Holder()).tolist() == [0, 1, 2]
    assert xp.asarray(memoryview(b"abc")).tolist() == [97, 98, 99]
    assert xp.asarray(range(4)).tolist() == [0, 1, 2, 3]


def test_out_is_cast_as_numpy_casts():
    x, out = xp.asarray([0.5, 1.5]), xp.zeros(2, dtype=xp.int32)
    with pytest.raises(TypeError, match="int32"):
        np.add(x, x, out=out)
    assert out.tolist() == [0, 0]
    narrow = xp.zeros(2, dtype=xp.float32)
    assert np.add(x, x, out=narrow).tolist() == [1, 3]


def test_broadcast_views_are_exported_read_only():
    x = xp.broadcast_to(xp.arange(3), (2, 3))
    assert not np.from_dlpack(x).flags.writeable
    with pytest.raises(BufferError):
        x.__dlpack__()
    assert np.from_dlpack(x, copy=True).flags.writeable


def test_what_is_no_number_is_not_contained():
    x = xp.arange(3)
    assert 2 in x
    assert 5 not in x
    assert None not in x
    assert "a" not in x
