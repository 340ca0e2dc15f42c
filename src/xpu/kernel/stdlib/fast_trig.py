"""sin, cos and tan without branches, right for every argument.

The argument is brought into a quarter turn twice, and the better one is chosen: by subtracting multiples of pi/2 in
three pieces where it is moderate (Cody and Waite), and by integer arithmetic with the bits of 2/pi that matter where
it is large (Payne and Hanek). The bits are chosen by a tree of selections, since a table would have to be gathered.
"""

from __future__ import annotations

from typing import Any

from . import words as xp
from .fast_format import make_polynomial

TWO_OVER_PI = 0.6366197723675814
BITS = (
    0x0000000000000000, 0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041, 0xFE5163ABDEBBC561,
    0xB7246E3A424DD2E0, 0x06492EEA09D1921C, 0xFE1DEB1CB129A73E, 0xE88235F52EBB4484, 0xE99C7026B45F7E41,
    0x3991D639835339F4, 0x9C845F8BBDF9283B, 0x1FF897FFDE05980F, 0xEF2F118B5A0A6D1F, 0x6D367ECF27CB09B7,
    0x4F463F669E5FEA2D, 0x7527BAC7EBE5F17B, 0x3D0739F78A5292EA, 0x6BFB5FB11F8D5D08, 0x56033046FC7B6BAB,
)  # fmt: skip
"""A word of zeros, and 1216 bits of 2/pi."""
WORDS = tuple(part for word in BITS[1:5] for part in (word >> 32, word & 0xFFFFFFFF))

SINGLE_SIN = make_polynomial((-0.16666653752326965, 0.00833211001008749, -0.00019508562400005758))
SINGLE_COS = make_polynomial((0.04166664555668831, -0.0013887302484363317, 2.4430881239823066e-05))
DOUBLE_SIN = make_polynomial(
    (
        -0.16666666666666627, 0.008333333333321136, -0.0001984126982877408, 2.755731332799228e-06,
        -2.5050700243724358e-08, 1.5893389759682302e-10,
    )
)  # fmt: skip
DOUBLE_COS = make_polynomial(
    (
        0.04166666666666659, -0.0013888888888872158, 2.4801587288254125e-05, -2.7557313995896176e-07,
        2.087567448842649e-09, -1.1357101814847948e-11,
    )
)  # fmt: skip

SINGLE_MODERATE = 512.0
DOUBLE_MODERATE = 65536.0
QUARTER = 0x2000000000000000


@xp.func
def turns_single(a: Any) -> Any:
    """Return ``a * 2/pi / 4`` of a float32 of at least 512, as a 64-bit fraction of a full turn."""
    bits = xp.math.reinterpret(a, xp.int32)
    significand = xp.uint64((bits & 0x7FFFFF) | 0x800000)
    position = (bits >> 23) - 120  # in WORDS, which begin with a word of zeros
    j = position >> 5
    shift = xp.uint64(position & 31)
    bit4 = (j & 4) != 0
    bit2 = (j & 2) != 0
    bit1 = (j & 1) != 0
    a0 = xp.where(bit4, xp.uint64(WORDS[3]), xp.uint64(0))
    a1 = xp.where(bit4, xp.uint64(WORDS[4]), xp.uint64(WORDS[0]))
    a2 = xp.where(bit4, xp.uint64(WORDS[5]), xp.uint64(WORDS[1]))
    a3 = xp.where(bit4, xp.uint64(WORDS[6]), xp.uint64(WORDS[2]))
    b0 = xp.where(bit2, a2, a0)
    b1 = xp.where(bit2, a3, a1)
    b2 = xp.where(bit2, xp.uint64(WORDS[3]), a2)
    b3 = xp.where(bit2, xp.uint64(WORDS[4]), a3)
    b4 = xp.where(bit2, xp.uint64(WORDS[5]), xp.uint64(WORDS[3]))
    c0 = xp.where(bit1, b1, b0)
    c1 = xp.where(bit1, b2, b1)
    c2 = xp.where(bit1, b3, b2)
    c3 = xp.where(bit1, b4, b3)
    w0 = (((c0 << 32) | c1) << shift) >> 32
    w1 = (((c1 << 32) | c2) << shift) >> 32
    w2 = (((c2 << 32) | c3) << shift) >> 32
    return ((significand * w0) << 32) + significand * w1 + ((significand * w2) >> 32)


@xp.func
def high_product(a: Any, b: Any) -> Any:
    """Return the upper 64 bits of the product of two uint64."""
    a_low = a & 0xFFFFFFFF
    a_high = a >> 32
    b_low = b & 0xFFFFFFFF
    b_high = b >> 32
    middle = a_high * b_low + ((a_low * b_low) >> 32)
    other = a_low * b_high + (middle & 0xFFFFFFFF)
    return a_high * b_high + (middle >> 32) + (other >> 32)


@xp.func
def turns_double(a: Any) -> Any:
    """Return ``a * 2/pi / 4`` of a float64 of at least 65536, as a 128-bit fraction of a full turn: its two words."""
    bits = xp.math.reinterpret(a, xp.int64)
    significand = xp.uint64((bits & 0xFFFFFFFFFFFFF) | 0x10000000000000)
    position = (bits >> 52) - 1013  # in BITS
    j = position >> 6
    shift = xp.uint64(position & 63)
    bit16 = (j & 16) != 0
    bit8 = (j & 8) != 0
    bit4 = (j & 4) != 0
    bit2 = (j & 2) != 0
    bit1 = (j & 1) != 0
    a0 = xp.where(bit16, xp.uint64(BITS[16]), xp.uint64(BITS[0]))
    a1 = xp.where(bit16, xp.uint64(BITS[17]), xp.uint64(BITS[1]))
    a2 = xp.where(bit16, xp.uint64(BITS[18]), xp.uint64(BITS[2]))
    a3 = xp.where(bit16, xp.uint64(BITS[19]), xp.uint64(BITS[3]))
    b0 = xp.where(bit8, xp.uint64(BITS[8]), a0)
    b1 = xp.where(bit8, xp.uint64(BITS[9]), a1)
    b2 = xp.where(bit8, xp.uint64(BITS[10]), a2)
    b3 = xp.where(bit8, xp.uint64(BITS[11]), a3)
    b4 = xp.where(bit8, xp.uint64(BITS[12]), xp.uint64(BITS[4]))
    b5 = xp.where(bit8, xp.uint64(BITS[13]), xp.uint64(BITS[5]))
    b6 = xp.where(bit8, xp.uint64(BITS[14]), xp.uint64(BITS[6]))
    b7 = xp.where(bit8, xp.uint64(BITS[15]), xp.uint64(BITS[7]))
    b8 = xp.where(bit8, xp.uint64(BITS[16]), xp.uint64(BITS[8]))
    b9 = xp.where(bit8, xp.uint64(BITS[17]), xp.uint64(BITS[9]))
    b10 = xp.where(bit8, xp.uint64(BITS[18]), xp.uint64(BITS[10]))
    c0 = xp.where(bit4, b4, b0)
    c1 = xp.where(bit4, b5, b1)
    c2 = xp.where(bit4, b6, b2)
    c3 = xp.where(bit4, b7, b3)
    c4 = xp.where(bit4, b8, b4)
    c5 = xp.where(bit4, b9, b5)
    c6 = xp.where(bit4, b10, b6)
    d0 = xp.where(bit2, c2, c0)
    d1 = xp.where(bit2, c3, c1)
    d2 = xp.where(bit2, c4, c2)
    d3 = xp.where(bit2, c5, c3)
    d4 = xp.where(bit2, c6, c4)
    e0 = xp.where(bit1, d1, d0)
    e1 = xp.where(bit1, d2, d1)
    e2 = xp.where(bit1, d3, d2)
    e3 = xp.where(bit1, d4, d3)
    back = 63 - shift
    w0 = (e0 << shift) | ((e1 >> 1) >> back)
    w1 = (e1 << shift) | ((e2 >> 1) >> back)
    w2 = (e2 << shift) | ((e3 >> 1) >> back)
    middle = significand * w1
    low = middle + high_product(significand, w2)
    carry = xp.where(low < middle, xp.uint64(1), xp.uint64(0))
    high = significand * w0 + high_product(significand, w1) + carry
    return high, low


@xp.func
def reduce_single(a: Any) -> Any:
    """Return the quadrant of a float32 ``a >= 0``, and the rest in [-pi/4, pi/4], as a number and its error."""
    shifted = a * TWO_OVER_PI + 12582912.0
    n = shifted - 12582912.0
    first = a - n * 1.57073974609375
    second = n * 5.657970905303955e-05
    high = first - second
    low = ((first - high) - second) - n * 9.92093629470503e-10
    turns = turns_single(a)
    whole = (turns + QUARTER) >> 62
    left = xp.int64(turns - (whole << 62))
    short = xp.math.reinterpret(xp.math.reinterpret(xp.float32(left), xp.int32) & -4096, xp.float32)
    rest = xp.float32(left - xp.int64(short))
    moderate = a < SINGLE_MODERATE
    high = xp.where(moderate, high, short * 3.4050724479622874e-19)
    low = xp.where(moderate, low, short * 1.0491321187088597e-22 + rest * 3.4061216748705226e-19)
    quadrant = xp.where(moderate, xp.math.reinterpret(shifted, xp.int32), xp.int32(whole))
    r = high + low
    return quadrant, r, (high - r) + low


@xp.func
def reduce_double(a: Any) -> Any:
    """Return the quadrant of a float64 ``a >= 0``, and the rest in [-pi/4, pi/4], as a number and its error."""
    shifted = a * TWO_OVER_PI + 6755399441055744.0
    n = shifted - 6755399441055744.0
    first = a - n * 1.57079632673412561417e00
    second = n * 6.07710050630396597660e-11
    high = first - second
    low = ((first - high) - second) - n * 2.02226624879595063154e-21
    turns, below = turns_double(a)
    whole = (turns + QUARTER) >> 62
    left = xp.int64(turns - (whole << 62))
    short = xp.math.reinterpret(xp.math.reinterpret(xp.float64(left), xp.int64) & -0x8000000, xp.float64)
    rest = xp.float64(left - xp.int64(short)) + xp.float64(below) * 5.421010862427522e-20
    moderate = a < DOUBLE_MODERATE
    high = xp.where(moderate, high, short * 3.406121545623552e-19)
    low = xp.where(moderate, low, short * 3.446300270664977e-27 + rest * 3.4061215800865545e-19)
    quadrant = xp.where(moderate, xp.math.reinterpret(shifted, xp.int64), xp.int64(whole))
    r = high + low
    return quadrant, r, (high - r) + low


def make_trigonometry(reduce: Any, sin_tail: Any, cos_tail: Any) -> tuple[Any, Any, Any]:
    """Return sin, cos and tan."""

    @xp.func
    def both(a: Any) -> Any:
        quadrant, r, low = reduce(a)
        z = r * r
        more = r * z * sin_tail(z) + low
        less = 0.5 * z - (z * z * cos_tail(z) - r * low)
        return quadrant, r, more, less

    @xp.func
    def sin(x: Any) -> Any:
        quadrant, r, more, less = both(xp.math.abs(x))
        y = xp.where((quadrant & 1) != 0, 1.0 - less, r + more)
        negative = ((quadrant & 2) != 0) != xp.math.signbit(x)
        return xp.where(xp.math.isfinite(x), xp.where(negative, -y, y), x - x)

    @xp.func
    def cos(x: Any) -> Any:
        quadrant, r, more, less = both(xp.math.abs(x))
        y = xp.where((quadrant & 1) != 0, r + more, 1.0 - less)
        return xp.where(xp.math.isfinite(x), xp.where(((quadrant + 1) & 2) != 0, -y, y), x - x)

    @xp.func
    def tan(x: Any) -> Any:
        quadrant, r, more, less = both(xp.math.abs(x))
        sine = r + more
        sine_low = (r - sine) + more
        cosine = 1.0 - less
        cosine_low = (1.0 - cosine) - less
        odd = (quadrant & 1) != 0
        above = xp.where(odd, cosine, sine)
        below = xp.where(odd, sine, cosine)
        y = above / below
        rest = xp.where(odd, cosine_low - y * sine_low, sine_low - y * cosine_low)
        y = xp.where(above == 0.0, above, y + rest / below)
        return xp.where(xp.math.isfinite(x), xp.where(odd != xp.math.signbit(x), -y, y), x - x)

    return sin, cos, tan


sin_single, cos_single, tan_single = make_trigonometry(reduce_single, SINGLE_SIN, SINGLE_COS)
sin_double, cos_double, tan_double = make_trigonometry(reduce_double, DOUBLE_SIN, DOUBLE_COS)
