"""Every elementwise function, on every dtype it is defined for, with special values: the rows of the operation table."""

from __future__ import annotations

import numpy as np
import pytest

import xpu as xp

from ..capabilities import Capabilities
from ..compare import check
from ..draw import Budget
from ..samples import one, plain
from ..table import TABLE, Operation

ROWS = [pytest.param(row, dtype, id=f"{row.name}-{dtype.name}") for row in TABLE.values() for dtype in row.dtypes()]


def thinned(inputs: tuple[np.ndarray, ...], budget: Budget) -> tuple[np.ndarray, ...]:
    """Return fewer samples in a quick run, spread over all of them."""
    step = budget.choose(1, max(inputs[0].size // 60, 1))
    return tuple(x[::step] for x in inputs)


@pytest.mark.parametrize(("row", "dtype"), ROWS)
def test_function(row: Operation, dtype: np.dtype, can: Capabilities, budget: Budget) -> None:
    can.require_dtype(dtype)
    inputs = thinned(row.inputs(dtype), budget)
    expected = row.expected(inputs)
    can.require_dtype(expected.dtype)
    result = getattr(xp, row.name)(*[xp.asarray(x) for x in inputs])
    scale = row.scale(inputs, expected)
    check(result, expected, row.tolerance(dtype), inputs, row.name, scale=scale, zero_signs=row.zero_signs)


OPERATORS = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "floor_divide": "//", "remainder": "%", "less": "<",
    "less_equal": "<=", "greater": ">", "greater_equal": ">=", "equal": "==", "not_equal": "!=", "bitwise_and": "&",
    "bitwise_or": "|", "bitwise_xor": "^",
}  # fmt: skip


@pytest.mark.parametrize("name", OPERATORS)
def test_operators_are_the_functions(name: str) -> None:
    dtype = np.float32 if name == "divide" else np.int32
    a, b = (xp.asarray(v) for v in (np.arange(1, 9, dtype=dtype), np.arange(8, 0, -1, dtype=dtype)))
    scope = {"a": a, "b": b}
    result = eval(f"a {OPERATORS[name]} b", scope)
    check(result, getattr(np, name)(xp.asnumpy(a), xp.asnumpy(b)))
    reflected = eval(f"3 {OPERATORS[name]} b", scope)
    check(reflected, getattr(np, name)(3, xp.asnumpy(b)))


def test_unary_operators() -> None:
    x = np.arange(-4, 5, dtype=np.int32)
    y = xp.asarray(x)
    check(-y, -x)
    check(+y, x)
    check(abs(y), abs(x))
    check(~y, ~x)


def test_shift_and_power_operators() -> None:
    x = np.arange(1, 7, dtype=np.int64)
    y = xp.asarray(x)
    check(y << 2, x << 2)
    check(y >> 1, x >> 1)
    check(y**3, x**3)
    check(2**y, 2**x)
    check(2 << y, 2 << x)


def test_divmod_gives_quotient_and_remainder() -> None:
    x = np.arange(-7, 8, dtype=np.int32)
    quotient, rest = divmod(xp.asarray(x), 3)
    check(quotient, x // 3)
    check(rest, x % 3)


def test_integers_divided_by_zero_give_zero() -> None:
    for dtype in (np.int8, np.int32, np.int64, np.uint8, np.uint64):
        x = xp.asarray(np.array([0, 1, 5, np.iinfo(dtype).max], dtype))
        zero = xp.zeros(4, dtype=dtype)
        assert xp.asnumpy(x // zero).tolist() == [0, 0, 0, 0]
        assert xp.asnumpy(x % zero).tolist() == [0, 0, 0, 0]


def test_true_division_of_integers_gives_floats(can: Capabilities) -> None:
    x = np.arange(1, 9, dtype=np.int32)
    result = xp.asarray(x) / xp.asarray(x[::-1].copy())
    if can.fp64:
        check(result, x / x[::-1])
    else:
        check(result, (x.astype(np.float32) / x[::-1].astype(np.float32)))


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "uint8"])
def test_functions_of_integers_give_floats(dtype: str, can: Capabilities) -> None:
    x = np.arange(0, 20, dtype=dtype)
    expected = np.sqrt(x)
    if not can.fp64 and expected.dtype == np.float64:
        expected = np.sqrt(x.astype(np.float32))
    check(xp.sqrt(xp.asarray(x)), expected)


@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8", "float16"])
@pytest.mark.parametrize(("low", "high"), [(-1, 3), (None, 2), (0, None), (3, 1)])
def test_clip(dtype: str, low: int | None, high: int | None) -> None:
    x = one(np.dtype(dtype))
    if x.dtype.kind == "u" and low is not None:
        low = max(low, 0)
    with np.errstate(invalid="ignore"):
        expected = np.clip(x, low, high)
    check(xp.clip(xp.asarray(x), low, high), expected, inputs=(x,), zero_signs=False)


def test_clip_with_arrays() -> None:
    x, low, high = plain(np.dtype(np.float32), 24), np.float32(-0.5), plain(np.dtype(np.float32), 24, "high") + 1
    check(xp.clip(xp.asarray(x), xp.asarray(low), xp.asarray(high)), np.clip(x, low, high))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64"])
def test_where_chooses(dtype: str, can: Capabilities) -> None:
    can.require_dtype(dtype)
    x, y = one(np.dtype(dtype)), one(np.dtype(dtype))[::-1].copy()
    choice = np.arange(x.size) % 3 == 0
    check(xp.where(xp.asarray(choice), xp.asarray(x), xp.asarray(y)), np.where(choice, x, y))


def test_where_broadcasts_and_takes_scalars() -> None:
    x = np.arange(12, dtype=np.float32).reshape(3, 4)
    y = xp.asarray(x)
    check(xp.where(y > 5, y, 0), np.where(x > 5, x, np.float32(0)))
    check(xp.where(y[:, :1] > 3, 1, y), np.where(x[:, :1] > 3, np.float32(1), x))


@pytest.mark.parametrize("decimals", [1, 2, -1])
def test_round_to_decimals(decimals: int) -> None:
    x = np.array([0.25, 1.35, -2.555, 15.5, 25.0, 1234.5678], np.float32)
    check(xp.round(xp.asarray(x), decimals), np.round(x, decimals), ulp=1)


def test_a_long_chain_is_one_value() -> None:
    x = np.linspace(-2, 2, 101, dtype=np.float32)
    y, expected = xp.asarray(x), x
    for turn in range(1, 90):
        y = y * y - turn / 64 if turn % 3 else abs(y) + 1
        expected = expected * expected - np.float32(turn / 64) if turn % 3 else abs(expected) + np.float32(1)
        y, expected = xp.minimum(y, 4), np.minimum(expected, np.float32(4))
    check(y, expected)


def test_a_node_with_many_inputs() -> None:
    parts = [plain(np.dtype(np.float32), 50, str(k)) for k in range(40)]
    total, expected = xp.asarray(parts[0]), parts[0]
    for part in parts[1:]:
        total, expected = total + xp.asarray(part), expected + part
    check(total, expected)
