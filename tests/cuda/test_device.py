"""The backend's own calls, part by part of the contract, on the stand-in for CuPy."""

from __future__ import annotations

import os

import fakecupy
import numpy as np
import pytest
from fakecupy.machine import CUDARuntimeError

from xpu.backend import CompileError, DeviceLostError, LaunchRefused, Parameter, Source
from xpu_cuda import CudaBackend, RocmBackend
from xpu_cuda.device import CUDA_OPTIONS, HIP_OPTIONS

I64, F32 = np.dtype(np.int64), np.dtype(np.float32)

SCALE = """
extern "C" __global__ void xpu_scale(long long gsize0, const float* x, long long x_offset, float* out, float factor) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < gsize0) out[i] = factor * x[i + x_offset];
}
"""
REVERSE = """
extern "C" __global__ void xpu_reverse(long long gsize0, float* x) {
    __shared__ float tile[256];
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x] = x[i];
    __syncthreads();
    x[i] = tile[blockDim.x - 1 - threadIdx.x];
}
"""
WHERE = """
extern "C" __global__ void xpu_where(long long gsize0, long long gsize1, int* out) {
    long long groups = (gsize1 + blockDim.x - 1) / blockDim.x;
    long long column = (blockIdx.x % groups) * blockDim.x + threadIdx.x;
    long long row = (blockIdx.x / groups) * blockDim.y + threadIdx.y;
    if (row < gsize0 && column < gsize1) out[row * gsize1 + column] += (int)(100 * row + column);
}
"""


def make_source(text, *parameters, barriers=False, rank=1):
    name = text.split("void ")[1].split("(")[0]
    sizes = [Parameter(f"gsize{axis}", "scalar", I64) for axis in range(rank)]
    return Source(name, text, "cuda", (*sizes, *parameters), rank, barriers=barriers)


@pytest.fixture
def device(machine):
    (found,) = CudaBackend().devices()
    found.open()
    return found


def to_device(device, array):
    block = device.allocate(max(array.nbytes, 1))
    device.copy_in(block, 0, array.reshape(-1).view(np.uint8))
    return block


def from_device(device, block, shape, dtype):
    out = np.empty(shape, dtype)
    device.copy_out(block, 0, out.reshape(-1).view(np.uint8))
    return out


# ------------------------------------------------------------------------------------------------- 1. what it is


def test_information(machine):
    machine.reset(devices=2, capability=(9, 0), memory=2**31)
    first, second = CudaBackend().devices()
    info = second.info
    assert (info.name, info.vendor, info.kind) == ("Stand-in 1", "NVIDIA", "gpu")
    assert info.driver == "CUDA 12.4, CuPy 14.0.0+standin"
    assert (info.memory, info.compute_units, info.fp64, info.fp16) == (2**31, 4, True, True)
    assert info.limits.max_work_items == (1024, 1024, 64)
    assert info.limits.local_memory == 49152
    assert second.aliases == ("sm_90",)
    assert first.printer == "cuda"


def test_half_precision_needs_compute_capability_5_3(machine):
    machine.reset(capability=(5, 2))
    assert not CudaBackend().devices()[0].info.fp16


def test_listing_touches_no_context(machine):
    CudaBackend().devices()
    assert {name for name, _ in machine.calls} == {"getDeviceCount"}


def test_cupy_for_rocm_is_listed_as_rocm_only():
    with fakecupy.installed(hip=True):
        assert CudaBackend().devices() == ()
        (device,) = RocmBackend().devices()
    assert device.printer == "hip"
    assert device.info.vendor == "AMD"
    assert device.aliases == ("gfx906:sramecc+:xnack-",)
    assert device.fingerprint() != ""


def test_no_card_is_no_error(machine):
    machine.reset(devices=0)
    assert CudaBackend().devices() == ()


def test_fingerprint_changes_with_driver_and_architecture(machine):
    texts = set()
    for settings in ({}, {"capability": (7, 5)}, {"driver_version": 13000}):
        machine.reset(**settings)
        texts.add(CudaBackend().devices()[0].fingerprint())
    assert len(texts) == 3


# ----------------------------------------------------------------------------------------------------- 2. memory


def test_copies(device):
    data = np.arange(100, dtype=np.float32)
    block = to_device(device, data)
    assert (from_device(device, block, 100, np.float32) == data).all()
    middle = np.empty(10, np.float32)
    device.copy_out(block, 40, middle.view(np.uint8))
    assert (middle == data[10:20]).all()
    device.copy_in(block, 8, np.float32([-1, -2]).view(np.uint8))
    other = to_device(device, np.zeros(100, np.float32))
    device.copy_within(other, 12, block, 4, 16)
    assert from_device(device, other, 7, np.float32).tolist() == [0, 0, 0, 1, -1, -2, 4]


def test_empty_copies_do_nothing(device):
    block = device.allocate(1)
    nothing = np.empty(0, np.uint8)
    device.copy_in(block, 0, nothing)
    device.copy_out(block, 0, nothing)
    device.copy_within(block, 0, block, 0, 0)
    device.fill(block, 0, 0, b"\0")


@pytest.mark.parametrize("pattern", [b"\0", b"\x7f", b"\1\2", b"\0\0\x80\x3f", b"12345678", b"0123456789abcdef"])
@pytest.mark.parametrize("count", [1, 7, 300, 5000])
def test_fill(device, pattern, count):
    block = device.allocate(16 * 5000 + 64)
    device.fill(block, 0, 16 * 5000 + 64, b"\xcc")
    device.fill(block, 32, count * len(pattern), pattern)
    out = from_device(device, block, 16 * 5000 + 64, np.uint8).tobytes()
    end = 32 + count * len(pattern)
    assert out[32:end] == pattern * count
    assert set(out[:32] + out[end:]) == {0xCC}


def test_no_room_is_a_memory_error(device, machine):
    with pytest.raises(MemoryError, match="MemoryAllocation"):
        device.allocate(machine.memory + 1)


def test_memory_comes_back(device, machine):
    block = device.allocate(2**20)
    assert device.memory_stats() == {"free": machine.memory - 2**20, "total": machine.memory}
    device.free(block)
    del block
    assert device.memory_stats()["free"] == machine.memory
    device.release()
    assert machine.count("free_all_blocks") == 2


def test_block_rescued_from_the_cycle_collector_stays_alive(device):
    import gc

    class Holder:
        def __init__(self, block):
            self.block = block
            self.cycle = self

        def __del__(self):
            rescued.append(self.block)

    rescued = []
    Holder(device.allocate(64))
    gc.collect()
    device.fill(rescued[0], 0, 64, b"\1")
    assert from_device(device, rescued[0], 64, np.uint8).tolist() == [1] * 64


# ------------------------------------------------------------------------------------------------------- 3. code


def scale(device):
    return device.compile(
        make_source(
            SCALE,
            Parameter("x", "buffer", F32),
            Parameter("x_offset", "scalar", I64),
            Parameter("out", "buffer", F32),
            Parameter("factor", "scalar", F32),
        )
    )


def run_scale(device, kernel, data, local=None, stream=None):
    x, out = to_device(device, data), to_device(device, np.zeros_like(data))
    n = data.size - 2
    device.launch(kernel, (n,), local, [np.int64(n), x, np.int64(2), out, np.float32(3)], stream)
    return from_device(device, out, data.size, np.float32)


@pytest.mark.parametrize("local", [None, (1,), (16,), (498,)])
def test_compile_and_launch(device, host_compiler, local):
    data = np.arange(500, dtype=np.float32)
    out = run_scale(device, scale(device), data, local)
    assert (out[:498] == 3 * data[2:]).all()
    assert (out[498:] == 0).all()


def test_contraction_is_off_and_subnormals_are_kept(device, machine, host_compiler):
    scale(device)
    ((_, options),) = [call for call in machine.calls if call[0] == "compile"]
    assert options == CUDA_OPTIONS
    assert "--fmad=false" in options
    assert not any("ftz" in option for option in options)
    assert "-ffp-contract=off" in HIP_OPTIONS


def test_compiler_log_is_the_error(device, host_compiler):
    with pytest.raises(CompileError, match="not_declared"):
        device.compile(make_source('extern "C" __global__ void xpu_bad(long long gsize0) { not_declared(); }'))


def test_binary_loads_without_compiling(device, machine, host_compiler):
    first = scale(device)
    image = first.binary()
    assert isinstance(image, bytes)
    assert image
    machine.calls.clear()
    again = device.load(first.source, image)
    assert machine.count("compile") == 0
    data = np.ones(10, np.float32)
    assert run_scale(device, again, data).tolist() == [3] * 8 + [0] * 2


def test_foreign_binary_is_refused(device, host_compiler):
    source = scale(device).source
    with pytest.raises(RuntimeError):
        device.load(source, b"no image at all")


def test_limits_of_a_kernel(device, machine, host_compiler):
    machine.max_threads = 384
    kernel = scale(device)
    assert kernel.max_work_group == 384
    assert kernel.private_bytes == 4 * 24 + 16


def test_chosen_size_obeys_the_kernels_limit(device, machine, host_compiler):
    machine.max_threads = 48
    kernel = scale(device)
    run_scale(device, kernel, np.ones(1000, np.float32))
    ((_, (_, grid, block, _)),) = [call for call in machine.calls if call[0] == "launch"]
    assert block == (32, 1, 1)
    assert grid == (32, 1, 1)


def test_refusal_by_the_driver_is_retried_smaller(device, machine, host_compiler):
    kernel = scale(device)
    machine.fail_next("launch", 701, 701)
    out = run_scale(device, kernel, np.ones(2000, np.float32))
    assert (out[:1998] == 3).all()
    blocks = [detail[2] for name, detail in machine.calls if name == "launch"]
    assert len(blocks) == 3
    assert blocks[0] > blocks[2]


@pytest.mark.parametrize("local", [(2048,), (1, 1, 128), (64, 64)])
def test_too_large_groups_are_refused(device, machine, host_compiler, local):
    kernel = scale(device)
    local = tuple(local)
    size = tuple(2 * n for n in local)
    if local == (1, 1, 128):
        local, size = (128, 1, 1), (256, 1, 1)  # 128 along z
    with pytest.raises(LaunchRefused):
        device.launch(kernel, size, local, [])
    assert machine.count("launch") == 0


def test_refusal_of_a_given_size_is_not_retried(device, machine, host_compiler):
    kernel = scale(device)
    machine.fail_next("launch", 701)
    with pytest.raises(LaunchRefused):
        run_scale(device, kernel, np.ones(100, np.float32), (49,))
    assert machine.count("launch") == 1


def test_barriers(device, host_compiler):
    kernel = device.compile(make_source(REVERSE, Parameter("x", "buffer", F32), barriers=True))
    data = np.arange(512, dtype=np.float32)
    block = to_device(device, data)
    device.launch(kernel, (512,), (128,), [np.int64(512), block])
    expected = data.reshape(4, 128)[:, ::-1].ravel()
    assert (from_device(device, block, 512, np.float32) == expected).all()


def test_chosen_size_of_kernels_with_barriers_divides(device, machine, host_compiler):
    kernel = device.compile(make_source(REVERSE, Parameter("x", "buffer", F32), barriers=True))
    block = to_device(device, np.zeros(300, np.float32))
    device.launch(kernel, (300,), None, [np.int64(300), block])
    ((_, (_, grid, chosen, _)),) = [call for call in machine.calls if call[0] == "launch"]
    assert (grid[0], chosen[0]) == (2, 150)


@pytest.mark.parametrize("local", [None, (1, 1), (5, 7), (35, 1)])
def test_two_dimensions_run_each_item_once(device, host_compiler, local):
    kernel = device.compile(make_source(WHERE, Parameter("out", "buffer", np.dtype(np.int32)), rank=2))
    block = to_device(device, np.zeros((35, 49), np.int32))
    device.launch(kernel, (35, 49), local, [np.int64(35), np.int64(49), block])
    expected = 100 * np.arange(35)[:, None] + np.arange(49)
    assert (from_device(device, block, (35, 49), np.int32) == expected).all()


def test_too_many_groups_for_one_launch(device, host_compiler):
    with pytest.raises(ValueError, match="more than one launch can have"):
        device.launch(scale(device), (2**40,), (1,), [])


# ------------------------------------------------------------------------------------------------------ 4. order


def test_work_goes_to_the_stream_that_was_given(device, machine, host_compiler):
    kernel = scale(device)
    stream = device.new_stream()
    assert stream.non_blocking
    run_scale(device, kernel, np.ones(4, np.float32))
    run_scale(device, kernel, np.ones(4, np.float32), None, stream)
    assert [detail[3] for name, detail in machine.calls if name == "launch"] == [0, stream.ptr]


def test_synchronize(device, machine):
    device.synchronize()
    stream = device.new_stream()
    device.synchronize(stream)
    assert machine.count("deviceSynchronize") == 1
    assert [detail for name, detail in machine.calls if name == "streamSynchronize"] == [stream.ptr]


def test_events_give_seconds(device):
    start = device.record()
    stop = device.record(device.new_stream())
    assert 0 <= device.elapsed(start, stop) < 1


def test_every_device_gets_its_own_calls(machine, host_compiler):
    machine.reset(devices=2)
    devices = CudaBackend().devices()
    for device in devices:
        device.open()
    blocks = [to_device(device, np.full(8, 10 + k, np.float32)) for k, device in enumerate(devices)]
    for k, device in enumerate(devices):
        assert (from_device(device, blocks[k], 8, np.float32) == 10 + k).all()
        assert machine.current == 0  # the caller's device is as it was
    with pytest.raises(RuntimeError):
        from_device(devices[0], blocks[1], 8, np.float32)


# ---------------------------------------------------------------------------------------------------- 5. library


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.complex64, np.complex128])
def test_matmul_of_views(device, machine, dtype):
    rng = np.random.default_rng(4)
    a, b = (rng.integers(-5, 5, (6, 6)).astype(dtype) for _ in range(2))
    blocks = [to_device(device, a), to_device(device, b), to_device(device, np.zeros((3, 6), dtype))]
    size = np.dtype(dtype).itemsize
    first = device.native_array(blocks[0], np.dtype(dtype), (3, 6), (-12 * size, size), 30 * size)
    second = device.native_array(blocks[1], np.dtype(dtype), (6, 6), (size, 6 * size), 0)
    out = device.native_array(blocks[2], np.dtype(dtype), (3, 6), (6 * size, size), 0)
    assert device.library["matmul"](first, second, out) is not NotImplemented
    assert (from_device(device, blocks[2], (3, 6), dtype) == a[::-2] @ b.T).all()
    assert ("stream_enter", 0) in machine.calls


def test_matmul_of_integers_is_declined(device):
    block = to_device(device, np.zeros(4, np.int64))
    window = device.native_array(block, I64, (2, 2), (16, 8), 0)
    assert device.library["matmul"](window, window, window) is NotImplemented


def test_errors_in_the_library_are_translated(device, machine, monkeypatch):
    def fail(a, b, out):
        raise CUDARuntimeError(700)

    block = to_device(device, np.zeros(4, np.float32))
    window = device.native_array(block, F32, (2, 2), (8, 4), 0)
    monkeypatch.setattr(device._cupy, "matmul", fail)
    with pytest.raises(DeviceLostError):
        device.library["matmul"](window, window, window)


# ------------------------------------------------------------------------------------------- what can go wrong


@pytest.mark.parametrize("status", [700, 719, 46])
def test_lost_context(device, machine, status):
    machine.fail_next("deviceSynchronize", status)
    with pytest.raises(DeviceLostError, match=r"its context is lost.*XPU_DEBUG=1"):
        device.synchronize()


def test_other_errors_keep_their_class(device, machine):
    machine.fail_next("deviceSynchronize", 1)
    with pytest.raises(RuntimeError, match="InvalidValue") as caught:
        device.synchronize()
    assert not isinstance(caught.value, DeviceLostError)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_forked_process_is_told_to_spawn(device):
    block = device.allocate(16)
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            device.free(block)
            device.synchronize()
            answer = "nothing was raised"
        except DeviceLostError as error:
            answer = str(error)
        os.write(write_end, answer.encode())
        os._exit(0)
    os.close(write_end)
    os.waitpid(child, 0)
    with os.fdopen(read_end) as pipe:
        assert '"spawn"' in pipe.read()
    device.synchronize()


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (RuntimeError('Failure finding "libnvrtc.so.12"'), "cupy-cuda12x[ctk]"),
        (RuntimeError("cudaErrorInsufficientDriver: ..."), "update NVIDIA's driver"),
        (RuntimeError("CUDA_ERROR_NO_BINARY_FOR_GPU: no kernel image is available"), "newer or older"),
        (MemoryError("cudaErrorMemoryAllocation: out of memory"), "nvidia-smi"),
        (RuntimeError("something else"), ""),
    ],
)
def test_remedies(device, error, words):
    remedy = device.explain(error)
    assert words in remedy
    assert bool(words) == bool(remedy)


def test_writing_beside_a_buffer_is_seen_by_the_stand_in(device, host_compiler):
    """The stand-in must be able to fail: this is what makes the passing tests mean something."""
    kernel = scale(device)
    small = to_device(device, np.zeros(4, np.float32))
    x = to_device(device, np.zeros(12, np.float32))
    with pytest.raises(DeviceLostError):
        device.launch(kernel, (6,), None, [np.int64(6), x, np.int64(0), small, np.float32(1)])


def test_argument_of_the_wrong_width_is_seen_by_the_stand_in(device, host_compiler):
    x = to_device(device, np.zeros(4, np.float32))
    with pytest.raises(AssertionError, match="8 bytes, the parameter 4"):
        device.launch(scale(device), (1,), None, [np.int64(1), x, np.int64(0), x, np.float64(1)])


def test_divergent_barrier_is_seen_by_the_stand_in(device, host_compiler):
    text = """
extern "C" __global__ void xpu_torn(long long gsize0) {
    if (threadIdx.x < 3) __syncthreads();
}
"""
    kernel = device.compile(make_source(text, barriers=True))
    with pytest.raises(DeviceLostError):
        device.launch(kernel, (8,), (8,), [np.int64(8)])


def test_the_stand_in_invents_no_names():
    """What the backend calls on the stand-in exists in CuPy, where a real one is installed."""
    cupy = pytest.importorskip("cupy", reason="CuPy is not installed, so the stand-in cannot be compared with it")
    pairs = [(fakecupy.make_cupy(), cupy)]
    missing = []
    while pairs:
        pretended, real = pairs.pop()
        for name in vars(pretended):
            if not name.startswith("_"):
                if not hasattr(real, name):
                    missing.append(name)
                elif type(vars(pretended)[name]) is type(os):
                    pairs.append((vars(pretended)[name], getattr(real, name)))
    assert missing == []
