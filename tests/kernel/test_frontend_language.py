"""Kernels that use each part of the language, run on the devices that there are and compared with plain Python."""

import math
from enum import Enum, IntEnum

import numpy as np
import pytest

import xpu as xp
from xpu.device import get_device

DEVICES = ("interpreter", "cpu", "opencl")


@pytest.fixture(params=DEVICES)
def run(request):
    """Return a function that launches a kernel with NumPy arrays and returns the last argument."""
    try:
        device = get_device(request.param)
    except xp.DeviceNotFoundError as error:
        pytest.skip(f"no such device here: {str(error).splitlines()[0]}")

    def launch(kernel, size, *args):
        with xp.device(device):
            moved = [xp.asarray(a) if isinstance(a, np.ndarray) else a for a in args]
            moved = [tuple(map(xp.asarray, a)) if isinstance(a, tuple) else a for a in moved]
            kernel[size](*moved)
            return np.array(xp.asnumpy(moved[-1]))

    return launch


f4 = np.float32


@xp.kernel
def collatz(x, out):
    i = xp.global_id(0)
    n = x[i]
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n //= 2
        else:
            n = 3 * n + 1
        steps += 1
        if steps >= 1000:
            break
    out[i] = steps


def test_while_break_and_branches(run):
    def reference(n):
        steps = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    x = np.arange(1, 30, dtype=np.int64)
    assert run(collatz, 29, x, np.zeros(29, np.int32)).tolist() == [reference(int(n)) for n in x]


@xp.kernel
def fibonacci(n, out):
    i = xp.global_id(0)
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    out[i] = a


def test_tuple_swap(run):
    assert run(fibonacci, 2, 8, np.zeros(2, np.int64)).tolist() == [21, 21]


@xp.kernel
def swap_elements(a):
    i = xp.global_id(0)
    j = a.shape[0] - 1 - i
    if i < j:
        a[i], a[j] = a[j], a[i]


def test_elements_are_swapped_at_the_same_time(run):
    assert run(swap_elements, 7, np.arange(7.0)).tolist() == [6, 5, 4, 3, 2, 1, 0]


@xp.kernel
def python_integers(a, b, out):
    i = xp.global_id(0)
    out[i, 0] = a[i] // b[i]
    out[i, 1] = a[i] % b[i]
    q, r = divmod(a[i], b[i])
    out[i, 2] = q * 100 + r
    out[i, 3] = -a[i]
    out[i, 4] = a[i] << 2
    out[i, 5] = a[i] >> 1
    out[i, 6] = ~a[i] & 7 | 8 ^ b[i]
    out[i, 7] = abs(a[i]) + min(a[i], b[i], 3) + max(a[i], b[i])


def test_floor_division_and_remainder_are_pythons(run):
    a = np.array([7, -7, 7, -7, 5, 0], np.int64)
    b = np.array([2, 2, -2, -2, 3, 4], np.int64)
    expected = [
        [x // y, x % y, x // y * 100 + x % y, -x, x << 2, x >> 1, ~x & 7 | 8 ^ y, abs(x) + min(x, y, 3) + max(x, y)]
        for x, y in zip(a.tolist(), b.tolist(), strict=True)
    ]
    assert run(python_integers, 6, a, b, np.zeros((6, 8), np.int64)).tolist() == expected


@xp.kernel
def chains(x, out):
    i = xp.global_id(0)
    v = x[i]
    out[i, 0] = 1 < v <= 3
    out[i, 1] = v == 2 or not (v > 1 and v < 5)
    out[i, 2] = v in (1, 4)
    out[i, 3] = 10 if v > 2 else 20 if v == 2 else 30
    out[i, 4] = all((v > 0, v < 5)) and any((v == 1, v == 2))


def test_comparisons_and_conditions(run):
    x = np.arange(7, dtype=np.int32)
    expected = [
        [
            1 < v <= 3,
            v == 2 or not (1 < v < 5),
            v in (1, 4),
            10 if v > 2 else 20 if v == 2 else 30,
            0 < v < 5 and v in (1, 2),
        ]
        for v in x.tolist()
    ]
    assert run(chains, 7, x, np.zeros((7, 5), np.int64)).tolist() == expected


@xp.kernel
def short_circuits(x, out):
    i = xp.global_id(0)
    if i < x.shape[0] and x[i] > 0:
        out[i] = 1
    elif i >= x.shape[0] or x[i] == 0:
        out[i] = 2
    else:
        out[i] = 3


def test_short_circuit_guards_an_access(run):
    x = np.array([1, 0, -1], np.int32)
    assert run(short_circuits, 5, x, np.zeros(5, np.int32)).tolist() == [1, 2, 3, 2, 2]


@xp.kernel
def conditional_atomics(x, counts, out):
    i = xp.global_id(0)
    taken = x[i] > 0 and xp.atomic_add(counts, 0, 1) >= 0
    out[i] = xp.atomic_add(counts, 1, 1) * 0 + 5 if x[i] < 0 else 7
    if taken or xp.atomic_add(counts, 2, 1) < 0:
        out[i] += 10


def test_atomics_under_short_circuits_run_only_where_they_decide(run):
    x = np.array([1, -1, 0, 2], np.int32)
    counts = np.zeros(3, np.int32)
    out = run(conditional_atomics, 4, x, counts, np.zeros(4, np.int32))
    assert out.tolist() == [17, 5, 7, 17]


@xp.kernel
def count_atomics(x, counts):
    i = xp.global_id(0)
    _ = x[i] > 0 and xp.atomic_add(counts, 0, 1) >= 0
    _ = xp.atomic_add(counts, 1, 1) if x[i] < 0 else 7
    while xp.atomic_add(counts, 2, 1) < 0:
        pass


def test_atomics_are_counted_as_python_would(run):
    x = np.array([1, -1, 0, 2], np.int32)
    assert run(count_atomics, 4, x, np.zeros(3, np.int32)).tolist() == [2, 1, 4]


@xp.kernel
def order(a, out):
    out[0] = a[0] + xp.atomic_add(a, 0, 10) + a[0]


def test_evaluation_is_from_left_to_right(run):
    assert run(order, 1, np.array([1], np.int32), np.zeros(1, np.int32)).tolist() == [1 + 1 + 11]


@xp.kernel
def rows(a, out):
    i = xp.global_id(0)
    row = a[i]
    out[i, 0] = row[-1]
    out[i, 1] = a[-1][i]
    out[i, 2] = len(row) * 100 + row.shape[0] * 10 + a.ndim + row.ndim
    i = 0
    if xp.global_id(0) == 1:
        out[-1, 3] = row[i] + 5
    pair = (1, 3)
    if xp.global_id(0) == 0:
        out[pair] = a.size
    total = xp.float32(0)
    for part in (row, a[0]):
        total += part[1]
    if xp.global_id(0) == 2:
        out[0, 3] = total


def test_rows_and_negative_constants(run):
    a = np.arange(9, dtype=f4).reshape(3, 3)
    out = run(rows, 3, a, np.zeros((3, 4), f4))
    assert out[:, 0].tolist() == [2, 5, 8]
    assert out[:, 1].tolist() == [6, 7, 8]
    assert out[0, 2] == 333
    assert out[1, 3] == 9
    assert out[0, 3] == 7 + 1
    assert out[2, 3] == 3 + 5


@xp.kernel
def chosen_row(a, flag, out):
    i = xp.global_id(0)
    if flag[0] > 0:
        row = a[i]
    else:
        row = a[a.shape[0] - 1 - i]
    out[i] = row[0]


def test_a_row_chosen_by_a_branch(run):
    a = np.arange(6, dtype=f4).reshape(3, 2)
    assert run(chosen_row, 3, a, np.array([0]), np.zeros(3, f4)).tolist() == [4, 2, 0]


@xp.kernel
def unrolled(x, out):
    i = xp.global_id(0)
    acc = x[i] * 0
    weights = (1, 2, 4)
    for k in xp.static_range(3):
        w = weights[k]
        if k == 1:
            acc += w * 10
        else:
            acc += w
    for k, w in enumerate(weights):
        acc += k * w
    for w, v in zip(weights, (3, 2, 1), strict=True):
        acc += w * v
    for k in xp.static_range(4, 0, -2):
        acc += k
    out[i] = acc


def test_static_loops(run):
    expected = 1 + 20 + 4 + (2 + 8) + (3 + 4 + 4) + 6
    assert run(unrolled, 2, np.zeros(2, np.int32), np.zeros(2, np.int32)).tolist() == [expected] * 2


@xp.kernel
def last_of_unrolled(x, out):
    i = xp.global_id(0)
    best = x[i, 0]
    arg = 0
    for k in xp.static_range(4):
        if x[i, k] > best:
            best = x[i, k]
            arg = k
    out[i] = arg


def test_a_counter_kept_under_a_condition_is_no_constant(run):
    x = np.array([[1, 5, 2, 3], [9, 1, 1, 1], [0, 0, 0, 1]], np.int32)
    assert run(last_of_unrolled, 3, x, np.zeros(3, np.int32)).tolist() == [1, 0, 3]


@xp.kernel
def loops(out):
    i = xp.global_id(0)
    s = 0
    for k in range(10, 0, -3):
        if k == 4:
            continue
        s += k
    out[i, 0] = s
    for k in range(5):
        if k * k > 5:
            break
    out[i, 1] = k
    for a in range(3):
        for b in range(a, 3):
            if b == 2:
                break
            s += 100
    out[i, 2] = s
    step = -i - 1
    t = 0
    for k in range(5, -1, step):
        t = t * 10 + k
    out[i, 3] = t


def test_ranges(run):
    out = run(loops, 2, np.zeros((2, 4), np.int64))
    assert out[0].tolist() == [10 + 7 + 1, 3, 18 + 300, 543210]
    assert out[1].tolist() == [18, 3, 318, 531]


@xp.kernel
def early(x, out):
    i = xp.global_id(0)
    if x[i] < 0:
        return
    out[i] = 1
    for k in range(10):
        if k > x[i]:
            return
        out[i] = k


def test_early_return(run):
    assert run(early, 3, np.array([-1, 0, 3], np.int32), np.zeros(3, np.int32)).tolist() == [0, 0, 3]


@xp.func
def smooth(t, low=0.0, high=1.0):
    """Rise from 0 to 1."""
    t = (t - low) / (high - low)
    if t < 0:
        return 0.0
    if t > 1:
        return 1.0
    return t * t * (3 - 2 * t)


@xp.func
def twice(x):
    return smooth(x) + smooth(x, high=2.0)


@xp.func
def store_at(a, i, value):
    a[i] = value


@xp.func
def extremes(row):
    low = row[0]
    high = row[0]
    for k in range(1, row.shape[0]):
        low = min(low, row[k])
        high = max(high, row[k])
    return low, high


@xp.kernel
def helped(x, rows, out):
    i = xp.global_id(0)
    low, high = extremes(rows[i])
    store_at(out, i, twice(x[i]) + (high - low))


def test_helpers(run):
    x = np.array([-1, 0.25, 0.5, 3], f4)
    rows_ = np.array([[1, 2, 3], [5, 1, 1], [0, 0, 0], [-1, 1, 7]], f4)
    smooth_ = smooth.__wrapped__
    expected = [
        smooth_(float(v)) + smooth_(float(v), high=2.0) + float(r.max() - r.min())
        for v, r in zip(x, rows_, strict=True)
    ]
    np.testing.assert_allclose(run(helped, 4, x, rows_, np.zeros(4, f4)), expected, rtol=1e-6)


def test_helpers_run_in_python():
    assert smooth(0.5) == 0.5
    assert twice(0.5) == pytest.approx(0.5 + 0.15625)


@xp.func
def group_sum(tile, value):
    lid = xp.local_id(0)
    tile[lid] = value
    xp.barrier()
    step = xp.local_size(0) // 2
    while step > 0:
        if lid < step:
            tile[lid] += tile[lid + step]
        xp.barrier()
        step //= 2
    return tile[0]


@xp.func
def own_tile_sum(value):
    tile = xp.local_array(8, xp.float32)
    total = group_sum(tile, value)
    xp.barrier()
    return total


@xp.kernel
def group_sums(x, out):
    i = xp.global_id(0)
    first = own_tile_sum(x[i])
    second = own_tile_sum(x[i] * 2)
    if xp.local_id(0) == 0:
        out[xp.group_id(0)] = first + second


def test_helpers_with_barriers_are_inlined(run):
    x = np.arange(16, dtype=f4)
    assert run(group_sums, (16, 8), x, np.zeros(2, f4)).tolist() == [3 * 28, 3 * 92]


class Mode(Enum):
    ADD = "add"
    MUL = "mul"


class Level(IntEnum):
    LOW = 1
    HIGH = 8


SCALE = 2.5
TABLE = (1, 10, 100)
DTYPE = xp.float32
MODE = Mode.MUL
NP_SCALE = np.float32(0.5)


def make(mode, n):
    @xp.kernel
    def generated(x, out):
        i = xp.global_id(0)
        scratch = xp.private_array((n,), DTYPE)
        for k in range(n):
            scratch[k] = x[i] + k if mode is Mode.ADD else x[i] * k
        s = DTYPE(0)
        for k in range(len(scratch)):
            s += scratch[k]
        out[i] = s * SCALE + TABLE[1] + Level.HIGH + NP_SCALE

    return generated


def test_constants_from_outside(run):
    x = np.array([1, 2], f4)
    added = run(make(Mode.ADD, 3), 2, x, np.zeros(2, f4))
    multiplied = run(make(Mode.MUL, 4), 2, x, np.zeros(2, f4))
    assert added.tolist() == [(3 * v + 3) * 2.5 + 18.5 for v in (1, 2)]
    assert multiplied.tolist() == [6 * v * 2.5 + 18.5 for v in (1, 2)]


@xp.kernel
def by_dtype_and_rank(a, out):
    i = xp.global_id(0)
    if a.ndim == 2:
        v = a[i, 0]
    else:
        v = a[i]
    if a.dtype == xp.float32:
        out[i] = v * 2
    else:
        out[i] = v + 1


def test_branches_on_types_are_decided_while_compiling(run):
    assert run(by_dtype_and_rank, 2, np.ones((2, 1), f4), np.zeros(2, f4)).tolist() == [2, 2]
    assert run(by_dtype_and_rank, 2, np.full(2, 5, np.int32), np.zeros(2, f4)).tolist() == [6, 6]


@xp.kernel
def tuples(arrays, out):
    i = xp.global_id(0)
    s = 0.0
    for a in arrays:
        s += a[i]
    first, second = arrays
    point = (first[i], second[i] * 2)
    if first[i] > 1:
        point = (point[1], point[0])
    x, y = point
    out[i] = s * 1000 + x * 10 + y


def test_tuples_of_arrays(run):
    a, b = np.array([1, 2], f4), np.array([3, 4], f4)
    assert run(tuples, 2, (a, b), np.zeros(2, f4)).tolist() == [4000 + 10 + 6, 6000 + 80 + 2]


@xp.kernel
def complexes(z, x, out):
    i = xp.global_id(0)
    w = z[i] * (1 + 2j) + complex(x[i], 1) - z[i].conjugate()
    if w.real > 0 and w != 0:
        w += 1j * w.imag
    out[i] = w / z[i] + abs(w)


def test_complex_numbers(run):
    z = np.array([1 + 1j, -2 + 0.5j, 3j], np.complex64)
    x = np.array([1, 2, -3], f4)
    expected = []
    for v, s in zip(z.astype(complex), x.astype(float), strict=True):
        w = v * (1 + 2j) + complex(s, 1) - v.conjugate()
        if w.real > 0:
            w += 1j * w.imag
        expected.append(w / v + abs(w))
    np.testing.assert_allclose(run(complexes, 3, z, x, np.zeros(3, np.complex64)), expected, rtol=1e-5)


@xp.kernel
def mathematics(x, out):
    i = xp.global_id(0)
    v = x[i]
    out[i, 0] = xp.math.sqrt(v) + math.exp(-v) + np.log1p(v)
    out[i, 1] = math.floor(v) + math.ceil(v) + round(v) + int(v)
    out[i, 2] = xp.math.floor(v) * 0.5 + math.pi * np.float32(2)
    out[i, 3] = v**2 + v**3 + v**4 + v**0.5 + v**-1 + v**1.5 + 2**v
    out[i, 4] = math.hypot(v, 3.0, 4.0) + math.log(v, 2) + xp.math.atan2(v, 2)
    out[i, 5] = xp.math.clamp(v, 0.5, 1.5) + xp.math.fma(v, v, 1.0) + pow(v, 2)
    out[i, 6] = math.inf if v > 2 else -np.inf
    out[i, 7] = np.where(v > 1, v, -v) + np.sign(-v) + np.square(v) + np.minimum(v, 1)


def test_functions(run):
    x = np.array([0.5, 1.25, 2.75], f4)
    expected = []
    for v in x.tolist():
        expected.append(  # noqa: PERF401
            [
                math.sqrt(v) + math.exp(-v) + math.log1p(v),
                math.floor(v) + math.ceil(v) + round(v) + int(v),
                math.floor(v) * 0.5 + 2 * math.pi,
                v**2 + v**3 + v**4 + v**0.5 + 1 / v + v**1.5 + 2**v,
                math.hypot(v, 3, 4) + math.log2(v) + math.atan2(v, 2),
                min(max(v, 0.5), 1.5) + v * v + 1 + v * v,
                math.inf if v > 2 else -math.inf,
                (v if v > 1 else -v) - 1 + v * v + min(v, 1),
            ]
        )
    np.testing.assert_allclose(run(mathematics, 3, x, np.zeros((3, 8), f4)), expected, rtol=1e-6)


@xp.kernel
def bits(x, out):
    i = xp.global_id(0)
    word = xp.math.reinterpret(x[i], xp.uint32)
    out[i, 0] = word >> 23 & 0xFF
    out[i, 1] = xp.math.popcount(word)
    out[i, 2] = xp.math.clz(word | 1)


def test_bits(run):
    x = np.array([1.0, 3.5, 0.15625], f4)
    words = x.view(np.uint32).tolist()
    expected = [[w >> 23 & 0xFF, w.bit_count(), 32 - (w | 1).bit_length()] for w in words]
    assert run(bits, 3, x, np.zeros((3, 3), np.uint32)).tolist() == expected


@xp.kernel
def vectors(x, out):
    i = xp.global_id(0) * 4
    v = xp.vload(x, i, 4)
    w = xp.vector(2.0, 4) * v + 1
    w = xp.where(w > 5, w - v, xp.math.sqrt(w))
    w = xp.math.mad(w, v, 0.5) + xp.vector((1, 2, 3, 4))
    xp.vstore(out, i, w)
    out[i] = w[0] + w[-1]


def test_short_vectors(run):
    x = np.arange(8, dtype=f4)
    w = 2 * x + 1
    w = np.where(w > 5, w - x, np.sqrt(w))
    w = w * x + f4(0.5) + np.tile(np.arange(1, 5, dtype=f4), 2)
    expected = w.copy()
    expected[::4] = w[::4] + w[3::4]
    np.testing.assert_allclose(run(vectors, 2, x, np.zeros(8, f4)), expected, rtol=1e-6)


@xp.kernel
def vector_sums(x, out):
    i = xp.global_id(0)
    total = 0
    product = xp.vector(1, 4)
    for k in range(2):
        v = xp.vload(x, (i, k * 4), 4)
        total += v
        product = product * v
    total = total + product / 2
    s = 0
    for k in xp.static_range(4):
        s += total[k]
    out[i] = s


def test_vectors_that_begin_as_plain_numbers(run):
    x = np.arange(1, 17, dtype=f4).reshape(2, 8)
    expected = x.sum(1) + (x[:, :4] * x[:, 4:]).sum(1) / 2
    assert run(vector_sums, 2, x, np.zeros(2, f4)).tolist() == expected.tolist()


@xp.kernel
def strided_vectors(x, out):
    i = xp.global_id(0)
    xp.vstore(out, (i, 0), xp.vload(x, (i, 0), 2) * 3)


def test_vectors_of_strided_arrays(run):
    x = np.arange(12, dtype=f4).reshape(2, 6)[:, ::3]
    assert run(strided_vectors, 2, x, np.zeros((2, 2), f4)).tolist() == (x * 3).tolist()


@xp.kernel
def work_items(out):
    i, j = xp.global_id(0), xp.global_id(1)
    out[i, j, 0] = xp.local_id(0) * 10 + xp.local_id(1)
    out[i, j, 1] = xp.group_id(0) * 10 + xp.group_id(1)
    out[i, j, 2] = xp.local_size(0) * 10 + xp.local_size(1)
    out[i, j, 3] = xp.num_groups(0) * 10 + xp.num_groups(1)
    out[i, j, 4] = xp.global_size(0) * 10 + xp.global_size(1)


def test_work_item_functions_and_rounding(run):
    out = run(work_items, ((3, 5), (2, 4)), np.zeros((3, 5, 5), np.int64))
    i, j = np.mgrid[:3, :5]
    assert (out[..., 0] == i % 2 * 10 + j % 4).all()
    assert (out[..., 1] == i // 2 * 10 + j // 4).all()
    assert (out[..., 3] == 22).all()
    assert (out[..., 4] == 35).all()


@xp.kernel
def zero_d(scale, total, x):
    x[xp.global_id(0)] *= scale[()]
    if xp.global_id(0) == 0:
        total[()] = x.size


def test_arrays_without_dimensions(run):
    assert run(zero_d, 3, np.array(2.0, f4), np.array(0.0, f4), np.ones(3, f4)).tolist() == [2, 2, 2]


@xp.kernel
def float_semantics(x, out):
    i = xp.global_id(0)
    out[i, 0] = x[i] // 1.5
    out[i, 1] = x[i] % 1.5
    out[i, 2] = -x[i] % 1.5
    out[i, 3] = float("inf") if math.isnan(x[i]) else x[i]


def test_floats_divide_as_in_numpy(run):
    x = np.array([0.5, -0.5, 4.0, -4.0, np.nan], f4)
    out = run(float_semantics, 5, x, np.zeros((5, 4), f4))
    expected = np.stack([x // f4(1.5), x % f4(1.5), -x % f4(1.5), np.where(np.isnan(x), np.inf, x)], 1)
    np.testing.assert_allclose(out, expected, rtol=1e-6)


@xp.kernel
def carried(x, out):
    i = xp.global_id(0)
    for k in range(3):
        if k > 0:
            out[i] += previous  # noqa: F821
        previous = x[i] * k  # noqa: F841


def test_a_name_read_before_the_line_that_assigns_it(run):
    assert run(carried, 1, np.array([2.0], f4), np.zeros(1, f4)).tolist() == [2]


@xp.kernel
def shadowed(x, out):
    i = xp.global_id(0)
    for k in xp.static_range(2):
        out[i] += k
    for k in range(3):
        out[i] += k * 10
    n = 1
    if x[i] > 0:
        n = 2
    out[i] += n * 100


def test_one_name_for_a_static_and_a_plain_counter(run):
    assert run(shadowed, 2, np.array([0, 1], np.int32), np.zeros(2, np.int64)).tolist() == [131, 231]
