"""Launching: sizes, arguments, streams, refused work-groups; on an interpreter that records what it is asked."""

import numpy as np
import pytest

import xpu as xp
from xpu.backend import Backend, DeviceInfo, LaunchRefused, Layer, Limits
from xpu.device import get_device, registry
from xpu.kernel import sizes
from xpu_cpu.interpreter import InterpreterDevice


class Recorder(InterpreterDevice):
    """Interprets, and notes every launch; refuses groups larger than ``accepts``."""

    def __init__(self):
        super().__init__()
        self.info = DeviceInfo("recorder", "test", "cpu", limits=Limits(max_work_group=64, local_memory=1024))
        self.launches = []
        self.compiled = 0
        self.accepts = 64
        self.waited = []

    def compile(self, source):
        self.compiled += 1
        return super().compile(source)

    def launch(self, compiled, global_size, local_size, arguments, stream=None):
        self.launches.append((global_size, local_size, stream))
        wanted = 64 if local_size is None else np.prod(local_size)
        if wanted > self.accepts:
            raise LaunchRefused("too many")
        super().launch(compiled, global_size, local_size, arguments, stream)


class RecorderBackend(Backend):
    name = "recorder"

    def __init__(self):
        self.made = [Recorder(), Recorder()]

    def devices(self):
        return self.made

    def diagnose(self):
        return Layer("recorder", True)


@pytest.fixture
def recorder():
    backend = RecorderBackend()
    registry.register(backend)
    with xp.device("recorder:0"):
        yield backend.made[0]
    registry.unregister("recorder")


@xp.kernel
def count(x, out):
    i = xp.global_id(0)
    xp.atomic_add(out, 0, 1)
    xp.atomic_max(out, 1, i)


@xp.kernel
def plane(out):
    i, j = xp.global_id(0), xp.global_id(1)
    out[i, j] = i * 10 + j


@xp.kernel
def grouped(x, out):
    t = xp.local_array(64, xp.int32)
    t[xp.local_id(0)] = x[xp.global_id(0)]
    xp.barrier()
    if xp.local_id(0) == 0:
        s = 0
        for k in range(xp.local_size(0)):
            s += t[k]
        out[xp.group_id(0)] = s


def zeros(*shape, dtype="i4"):
    return xp.zeros(shape, dtype=dtype)


def sizes_of(recorder):
    return recorder.launches[-1][:2]


def launched(recorder):
    """Forget what the probe and the arrays launched."""
    recorder.launches.clear()


def test_exactly_that_many_work_items(recorder):
    out = zeros(2)
    count[10](zeros(3), out)
    assert xp.asnumpy(out).tolist() == [10, 9]
    assert sizes_of(recorder) == ((10,), None)


def test_a_local_size_that_does_not_divide(recorder):
    out = zeros(2)
    count[10, 4](zeros(3), out)
    assert xp.asnumpy(out).tolist() == [10, 9]
    assert sizes_of(recorder) == ((12,), (4,))


@pytest.mark.parametrize("size", [(2, 3), ((2, 3),), ((2, 3), (1, 3)), ((2, 3), None)])
def test_two_axes(recorder, size):
    out = zeros(2, 3)
    if size == ((2, 3),):
        plane[size[0]](out)
    else:
        plane[size](out)
    assert xp.asnumpy(out).tolist() == [[0, 1, 2], [10, 11, 12]]


@pytest.mark.parametrize(
    ("kernel", "size"),
    [
        (count, (1, 2, 3)),
        (count, ((1, 2),)),
        (count, 2.5),
        (count, True),
        (count, "8"),
        (count, [8]),
        (count, (8, "x")),
        (plane, 6),
        (plane, (2, 3, 4)),
        (plane, ((2, 3), 4)),
        (plane, ((2, 3), (4,))),
        (plane, ((2, 3), (4, 1, 1))),
        (plane, (2, (3, 4))),
    ],
)
def test_malformed_sizes(recorder, kernel, size):
    out = zeros(2, 3) if kernel is plane else zeros(2)
    args = (out,) if kernel is plane else (out, out)
    before = xp.asnumpy(out)
    launched(recorder)
    with pytest.raises(xp.KernelLaunchError, match="is no size for that; write"):
        kernel[size](*args)
    assert recorder.launches == []
    assert (xp.asnumpy(out) == before).all()


@xp.kernel
def rows(a, out):
    i = xp.global_id(0)
    for j in range(a.shape[1]):
        out[i] += a[i, j]


def test_the_shape_of_a_matrix_is_no_size_for_one_axis(recorder):
    a, out = xp.asarray(np.ones((4, 6), np.int32)), zeros(4)
    launched(recorder)
    says = r"'rows' names 1 axis .* 4 work-items in groups of 6; .* rows\[24\].* rows\[4\].* rows\[\(4,\), \(6,\)\]"
    with pytest.raises(xp.KernelLaunchError, match=says):
        rows[a.shape](a, out)
    with pytest.raises(xp.KernelLaunchError, match="looks like the shape"):
        count[4, 6](xp.reshape(a, (-1,)), zeros(2))
    assert recorder.launches == []
    for size in (4, (4, 2), (4, 8), ((4,), (6,))):
        out = zeros(4)
        rows[size](a, out)
        assert xp.asnumpy(out).tolist() == [6] * 4


def test_negative_sizes(recorder):
    with pytest.raises(xp.KernelLaunchError, match="negative"):
        count[-1](zeros(1), zeros(2))
    with pytest.raises(xp.KernelLaunchError, match="below 1"):
        count[4, 0](zeros(1), zeros(2))


def test_nothing_to_do(recorder):
    out = zeros(2, 3)
    launched(recorder)
    plane[0, 3](out)
    plane[(2, 0), (1, 1)](out)
    assert recorder.launches == []
    assert not xp.asnumpy(out).any()


def test_groups_of_kernels_with_barriers(recorder):
    x = xp.asarray(np.arange(48, dtype=np.int32))
    out = zeros(48)
    grouped[48](x, out)
    assert sizes_of(recorder) == ((48,), (48,))
    grouped[48, 16](x, out)
    assert xp.asnumpy(out)[:3].tolist() == [120, 376, 632]
    with pytest.raises(xp.KernelLaunchError, match=r"does not divide the global size 48\. Launch 50 work-items"):
        grouped[48, 10](x, out)


def test_refused_groups_are_tried_smaller(recorder):
    x = xp.asarray(np.ones(48, dtype=np.int32))
    out = zeros(48)
    recorder.accepts = 16
    launched(recorder)
    grouped[48](x, out)
    assert [local for _, local, _ in recorder.launches] == [(48,), (24,), (12,)]
    assert xp.asnumpy(out)[:4].tolist() == [12] * 4
    launched(recorder)
    grouped[48](x, out)
    assert [local for _, local, _ in recorder.launches] == [(12,)]


def test_refused_groups_of_the_devices_own_choice(recorder):
    out = zeros(2)
    recorder.accepts = 8
    launched(recorder)
    count[10](zeros(3), out)
    assert sizes_of(recorder)[1] == (5,)
    assert xp.asnumpy(out).tolist() == [10, 9]


def test_groups_too_large(recorder):
    with pytest.raises(xp.KernelLaunchError, match="at most 64 work-items in a group"):
        count[128, 128](zeros(1), zeros(2))
    recorder.accepts = 8
    with pytest.raises(xp.KernelLaunchError, match="refuses work-groups"):
        count[32, 16](zeros(1), zeros(2))


def test_local_memory_that_does_not_fit(recorder):
    @xp.kernel
    def large(out):
        t = xp.local_array(1000, xp.float64)
        t[0] = 1
        out[0] = t[0]

    with pytest.raises(xp.KernelCompileError, match="needs 8,000 bytes of local memory, and a group has 1,024"):
        large[1](zeros(1))


def test_the_chosen_group():
    limits = Limits(max_work_group=1024, max_work_items=(512, 4, 64))
    assert sizes.choose_local((1000,), limits, 1024) == (250,)
    assert sizes.choose_local((1000,), limits, 100) == (100,)
    assert sizes.choose_local((1009,), limits, 1024) == (1,)
    assert sizes.choose_local((64, 64), limits, 1024) == (4, 64)
    assert sizes.choose_local((7, 512), limits, 1024) == (1, 256)
    assert sizes.choose_local((6, 6, 6), limits, 1024) == (6, 3, 6)


@xp.kernel
def argued(a, x, pair, n, out):
    i = xp.global_id(0)
    first, second = pair
    out[i] = a * x[i] + first[i] + second + n


def test_arguments_by_name_and_tuples(recorder):
    x = xp.asarray(np.arange(3.0, dtype=np.float32))
    out = zeros(3, dtype="f4")
    argued[3](2.0, x, n=1, out=out, pair=(x, 10))
    assert xp.asnumpy(out).tolist() == [11, 14, 17]


def test_default_arguments(recorder):
    @xp.kernel
    def defaulted(x, factor=3, shift=0.5):
        x[xp.global_id(0)] = factor + shift

    x = zeros(2, dtype="f4")
    defaulted[2](x)
    assert xp.asnumpy(x).tolist() == [3.5, 3.5]
    defaulted[2](x, shift=1)
    assert xp.asnumpy(x).tolist() == [4, 4]


def test_numbers_travel_in_their_own_type(recorder):
    @xp.kernel
    def numbers(a, b, c, d, out):
        out[0] = a
        out[1] = b
        out[2] = c
        out[3] = d

    out = zeros(4, dtype="f8")
    numbers[1](True, np.int8(-3), np.float32(0.1), 0.1, out)
    assert xp.asnumpy(out).tolist() == [1, -3, float(np.float32(0.1)), 0.1]
    typed = next(iter(numbers._specialised.values()))
    assert [p.type.dtype.name for p in typed.params[:4]] == ["bool", "int8", "float32", "float64"]


def test_compiled_once_for_a_type(recorder):
    @xp.kernel
    def fill(x, value):
        x[xp.global_id(0)] = value

    x, y, wide = zeros(4, dtype="f4"), zeros(8, dtype="f4"), zeros(4, dtype="f8")
    before = recorder.compiled
    for value in (1.0, 2.0):
        fill[4](x, value)
    fill[8](y, 3.0)
    assert recorder.compiled == before + 1
    fill[4](wide, 1.0)
    fill[2](x[::2], 1.0)
    assert recorder.compiled == before + 3


def test_streams_are_passed_on(recorder):
    count[1](zeros(1), zeros(2), stream="a stream")
    assert recorder.launches[-1][2] == "a stream"


def test_two_devices(recorder):
    here, there = zeros(3), xp.zeros(3, dtype="i4", device="recorder:1")
    launched(recorder)
    with pytest.raises(
        xp.DeviceMismatchError,
        match=r"argument 'out' of kernel 'count' lives on recorder:1.*out.to_device\('recorder:0'\)",
    ):
        count[3](here, there)
    assert recorder.launches == []


def test_the_arrays_decide_the_device(recorder):
    there = xp.zeros(2, dtype="i4", device="recorder:1")
    other = get_device("recorder:1").backend_device
    before = len(other.launches)
    count[3](there, there)
    assert len(other.launches) == before + 1


class Foreign:
    __array_interface__ = {}


@pytest.mark.parametrize(
    ("value", "error", "says"),
    [
        (
            np.zeros(3),
            xp.DeviceMismatchError,
            r"argument 'x' of kernel 'argued' is a NumPy array; .* pass xp.asarray\(x\)",
        ),
        (Foreign(), xp.DeviceMismatchError, r"argument 'x' of kernel 'argued' is a \w+\.Foreign; .*xp.asarray\(x\)"),
        ([1, 2], xp.KernelTypeError, r"argument 'x' of kernel 'argued' is a list; pass an array, xp.asarray\(x\)"),
        ("text", xp.KernelTypeError, "argument 'x' of kernel 'argued' is a str; kernels take arrays, numbers"),
        (None, xp.KernelTypeError, "argument 'x' of kernel 'argued' is None"),
        (
            xp.float32,
            xp.KernelTypeError,
            "argument 'x' of kernel 'argued' is float32, which is no value; .* constants from outside",
        ),
        (count, xp.KernelTypeError, "argument 'x' of kernel 'argued' is count, which is no value"),
        ({}, xp.KernelTypeError, "argument 'x' of kernel 'argued' is a dict"),
        (np.str_("a"), xp.KernelTypeError, "argument 'x' of kernel 'argued': dtype '<U1' is not one of xpu's"),
    ],
)
def test_arguments_that_kernels_do_not_take(recorder, value, error, says):
    out = zeros(3, dtype="f4")
    launched(recorder)
    with pytest.raises(error, match=says):
        argued[3](1.0, value, (out, 1), 1, out)
    assert recorder.launches == []


def test_a_wrong_kind_of_argument_is_told_in_the_kernels_words(recorder):
    with pytest.raises(xp.KernelTypeError, match=r"a number \(Python float\) cannot be indexed"):
        argued[3](1.0, 2.0, (zeros(3), 1), 1, zeros(3))
    with pytest.raises(xp.KernelTypeError, match="'a' is an array of int32 with 1 dimension, not a number"):
        argued[3](zeros(3), zeros(3), (zeros(3), 1), 1, zeros(3))


def test_missing_and_extra_arguments(recorder):
    x = zeros(3)
    form = r"its form is count\[size\]\(x, out\)"
    with pytest.raises(xp.KernelLaunchError, match=rf"misses the argument 'out'; {form}"):
        count[3](x)
    with pytest.raises(xp.KernelLaunchError, match=rf"takes 2 arguments, not 3; {form}"):
        count[3](x, x, x)
    with pytest.raises(xp.KernelLaunchError, match=rf"has no argument 'y'; {form}"):
        count[3](x, y=x)
    with pytest.raises(xp.KernelLaunchError, match=rf"got argument 'x' twice; {form}"):
        count[3](x, x=x)


def test_numbers_that_do_not_fit(recorder):
    with pytest.raises(
        xp.KernelTypeError, match=r"argument 'a' of kernel 'argued': .* does not fit into int64; pass xp.uint64"
    ):
        argued[1](2**63, zeros(3), (zeros(3), 1), 1, zeros(3))


def test_read_only_arrays(recorder):
    once = xp.broadcast_to(zeros(1), (3,))
    with pytest.raises(
        xp.KernelLaunchError, match=r"argument 'out' of kernel 'count' is written by the kernel.*pass a copy"
    ):
        count[3](zeros(3), once)
    count[3](once, zeros(2))


def test_pending_readers_see_the_old_values(recorder):
    x = xp.asarray(np.arange(3, dtype=np.int32))
    later = x + 1
    plane_ = zeros(1, 3)
    plane[1, 3](plane_)

    @xp.kernel
    def clear(a):
        a[xp.global_id(0)] = 0

    clear[3](x)
    assert xp.asnumpy(later).tolist() == [1, 2, 3]
    assert xp.asnumpy(x).tolist() == [0, 0, 0]


def test_forgotten_size():
    with pytest.raises(TypeError, match=r"a kernel is launched with its global size in brackets: count\[n\]"):
        count(1, 2)


def test_words_of_the_language_outside_of_kernels():
    with pytest.raises(RuntimeError, match=r"xp\.global_id works only inside of"):
        xp.global_id(0)
    with pytest.raises(RuntimeError, match=r"xp\.barrier works only inside of"):
        xp.barrier()


def test_source_and_description(recorder):
    x = np.zeros((4, 4), np.float32)
    text = plane.source("cuda", x)
    assert "__global__" in text
    assert "xpu_plane" in text
    assert "__kernel" in plane.source("opencl", x.T)
    told = grouped[48].describe("recorder:0", np.zeros(48, np.int32), np.zeros(48, np.int32))
    assert "x: int32[:] contiguous, read" in told
    assert "out: int32[:] contiguous, written" in told
    assert "t: local int32[64]" in told
    assert "local: 256 bytes a group of 1024" in told
    assert "s: int32" in told
    assert "work-group: at most 64 work-items" in told
    assert "sizes: global (48,), local (48,), chosen by xpu" in told
    with pytest.raises(xp.DeviceNotFoundError):
        plane.source("nowhere", x)
