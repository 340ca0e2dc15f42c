"""Memory that knows what has been written to it, and arrays that check every access."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from .functions import wrap
from .races import UNWRITTEN, Conflict, Shadow, WideShadow

if TYPE_CHECKING:
    from .groups import Item
    from .report import Reporter

POISON = 0xCB
"""What fresh memory holds, so that a read that goes unnoticed does not look like a zero."""

_index = operator.index


class Block:
    """A block of global memory: its bytes, and which of them have ever been written."""

    __slots__ = ("data", "written")

    def __init__(self, nbytes: int) -> None:
        self.data = np.full(nbytes, POISON, np.uint8)
        self.written = np.zeros(nbytes, np.bool_)

    def write(self, offset: int, host: np.ndarray) -> None:
        """Copy bytes in."""
        self.data[offset : offset + host.size] = host
        self.written[offset : offset + host.size] = True

    def read(self, offset: int, host: np.ndarray) -> None:
        """Copy bytes out."""
        host[...] = self.data[offset : offset + host.size]

    def copy(self, offset: int, source: Block, source_offset: int, nbytes: int) -> None:
        """Copy from another block; elements never written stay so."""
        there = slice(source_offset, source_offset + nbytes)
        self.data[offset : offset + nbytes] = source.data[there].copy()
        self.written[offset : offset + nbytes] = source.written[there].copy()

    def fill(self, offset: int, nbytes: int, pattern: bytes) -> None:
        """Repeat a pattern."""
        repeated = np.frombuffer(pattern * (nbytes // len(pattern) + 1), np.uint8)[:nbytes]
        self.write(offset, repeated)


class Array:
    """An array as kernels see it: ``load``, ``store`` and ``atomic`` check and note each access.

    ``values`` is a list (local and private memory: None where nothing was written) or a flat NumPy array; an element
    lies at ``offset`` plus the sum of indices times strides. In a debugger it shows like the array it is.
    """

    __slots__ = (
        "atomic",
        "dtype",
        "load",
        "load_lanes",
        "name",
        "offset",
        "shape",
        "space",
        "store",
        "store_lanes",
        "strides",
        "values",
    )

    def __init__(
        self,
        name: str,
        space: str,
        dtype: np.dtype[Any],
        shape: tuple[int, ...],
        strides: tuple[int, ...],
        offset: int,
        values: Any,
        shadow: Shadow | WideShadow | None,
        report: Reporter,
        writable: bool = True,
    ) -> None:
        self.name = name
        self.space = space
        self.dtype = dtype
        self.shape = tuple(np.int64(n) for n in shape)
        self.strides = strides
        self.offset = offset
        self.values = values
        self._bind(shape, shadow, report, writable)

    # ------------------------------------------------------------------------------------------- in a debugger

    def __getitem__(self, key: Any) -> Any:
        return self._host()[key]

    def __repr__(self) -> str:
        return f"{self.space} array {self.name!r}:\n{self._host()!r}"

    def _host(self) -> Any:
        if isinstance(self.values, list):
            return np.array(self.values, object).reshape(tuple(map(int, self.shape)))
        step = self.dtype.itemsize
        view = self.values[self.offset :]
        return np.lib.stride_tricks.as_strided(
            view, tuple(map(int, self.shape)), tuple(s * step for s in self.strides), writeable=False
        )

    # --------------------------------------------------------------------------------------------- the accesses

    def _bind(self, shape: tuple[int, ...], shadow: Any, report: Reporter, writable: bool) -> None:
        """Make the functions that kernels call, each closed over what it needs."""
        name, space, values, made = self.name, self.space, self.values, self.dtype.type
        address = self._addressing(shape, report)
        note_read = shadow.read if shadow is not None else None
        note_write = shadow.write if shadow is not None else None

        def refuse(item: Item, site: int, how: str, indices: Any, conflict: Conflict) -> Exception:
            if conflict is UNWRITTEN or conflict.other is None:
                return report.unwritten(item, site, name, space, indices)
            return report.race(item, site, how, name, space, indices, conflict.other, conflict.how)

        def load(item: Item, site: int, *indices: Any) -> Any:
            at = address(item, site, *indices)
            if note_read is not None:
                conflict = note_read(at, item, site)
                if conflict is not None:
                    raise refuse(item, site, "reads", indices, conflict)
            value = values[at]
            if value is None:
                raise report.unwritten(item, site, name, space, indices)
            return value

        def store(item: Item, site: int, value: Any, *indices: Any) -> None:
            at = address(item, site, *indices)
            if type(value) is not made or not writable:
                raise report.wrong_type(item, site, name, space, self.dtype.name if writable else "read-only", value)
            if note_write is not None:
                conflict = note_write(at, item, site)
                if conflict is not None:
                    raise refuse(item, site, "writes", indices, conflict)
            values[at] = value

        def lanes_of(item: Item, site: int, lanes: int, indices: Any) -> list[tuple[Any, ...]]:
            first, last = indices[:-1], _index(indices[-1])
            if shape[-1] < lanes or last > shape[-1] - lanes:
                address(item, site, *indices)
                raise report.index(item, site, name, space, shape, len(shape) - 1, last, lanes)
            return [(*first, last + lane) for lane in range(lanes)]

        def load_lanes(item: Item, site: int, lanes: int, *indices: Any) -> Any:
            return np.array([load(item, site, *at) for at in lanes_of(item, site, lanes, indices)], self.dtype)

        def store_lanes(item: Item, site: int, value: Any, *indices: Any) -> None:
            for at, lane in zip(lanes_of(item, site, len(value), indices), value, strict=True):
                store(item, site, lane, *at)

        def atomic(item: Item, site: int, op: str, indices: tuple[Any, ...], *operands: Any) -> Any:
            at = address(item, site, *indices)
            if shadow is not None:
                conflict = shadow.atomic(at, item, site)
                if conflict is not None:
                    raise refuse(item, site, "atomically updates", indices, conflict)
            old = values[at]
            if old is None:
                raise report.unwritten(item, site, name, space, indices)
            if type(operands[-1]) is not made or not writable:
                raise report.wrong_type(item, site, name, space, self.dtype.name, operands[-1])
            values[at] = ATOMICS[op](old, *operands)
            return old

        self.load, self.store, self.atomic = load, store, atomic
        self.load_lanes, self.store_lanes = load_lanes, store_lanes

    def _addressing(self, shape: tuple[int, ...], report: Reporter) -> Callable[..., int]:
        """Return the function from indices to an address, which checks them."""
        name, space, strides, offset = self.name, self.space, self.strides, self.offset

        def general(item: Item, site: int, *indices: Any) -> int:
            at = offset
            for axis, (i, extent, stride) in enumerate(zip(indices, shape, strides, strict=True)):
                i = _index(i)
                if not 0 <= i < extent:
                    raise report.index(item, site, name, space, shape, axis, i)
                at += i * stride
            return at

        if len(shape) != 1:
            return general
        (extent,), (stride,) = shape, strides

        def one(item: Item, site: int, i: Any) -> int:
            i = _index(i)
            if 0 <= i < extent:
                return offset + i * stride  # type: ignore[no-any-return]
            return general(item, site, i)

        return one


def _same_bits(a: Any, b: Any) -> bool:
    return bool(a.tobytes() == b.tobytes())


def _wrapped(function: Callable[[int, int], int]) -> Callable[[Any, Any], Any]:
    def apply(old: Any, operand: Any) -> Any:
        dtype = old.dtype
        return wrap(dtype, function(int(old), int(operand)), 8 * dtype.itemsize, dtype.kind == "i")

    return apply


ATOMICS: dict[str, Callable[..., Any]] = {
    "add": lambda old, x: old + x,
    "sub": lambda old, x: old - x,
    "min": lambda old, x: x if x < old else old,
    "max": lambda old, x: x if x > old else old,
    "and": _wrapped(operator.and_),
    "or": _wrapped(operator.or_),
    "xor": _wrapped(operator.xor),
    "xchg": lambda old, x: x,
    "cas": lambda old, expected, new: new if _same_bits(old, expected) else old,
}
"""New value from the old one and the operands. ``cas`` compares bits, as hardware does."""
