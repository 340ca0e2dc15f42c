"""``math.gcd`` and ``math.lcm`` in kernels: Python's numbers, on every device."""

from __future__ import annotations

import math

import numpy as np
import pytest

import xpu as xp

from .devices import candidates


@xp.kernel
def divisors(a, b, out):
    i = xp.global_id(0)
    out[0, i] = math.gcd(a[i], b[i])
    out[1, i] = math.lcm(a[i], b[i])
    out[2, i] = math.gcd(a[i], b[i], 12)
    out[3, i] = math.gcd(a[i])
    out[4, i] = math.gcd(a[i] + 1, i) if a[i] > 0 and math.gcd(a[i], 4) == 2 else math.gcd(18, 12)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8", "int16"])
@pytest.mark.parametrize("device", ["interpreter", *candidates()])
def test_divisors(device, dtype):
    signs = (1, 1) if dtype == "uint8" else (1, -1)
    pairs = [(s * a, t * b) for a in (0, 1, 6, 10, 15) for b in (0, 1, 4, 12) for s in signs for t in signs]
    a, b = (np.array(column, dtype) for column in zip(*pairs, strict=True))
    out = xp.zeros((5, a.size), dtype=xp.int64, device=device)
    divisors[a.size](xp.asarray(a, device=device), xp.asarray(b, device=device), out)
    got = xp.asnumpy(out).tolist()
    assert got[0] == [math.gcd(*pair) for pair in pairs]
    assert got[1] == [math.lcm(*pair) for pair in pairs]
    assert got[2] == [math.gcd(*pair, 12) for pair in pairs]
    assert got[3] == [abs(first) for first, _ in pairs]
    tests = [x > 0 and math.gcd(x, 4) == 2 for x, _ in pairs]
    assert got[4] == [
        math.gcd(x + 1, i) if test else 6 for i, ((x, _), test) in enumerate(zip(pairs, tests, strict=True))
    ]
