"""Elementwise application: checks operands, resolves types and shapes, defers the operation.

The way from ``a + b`` to a node is kept short: for two arrays of known dtypes and equal shapes it is one dictionary look-up.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import small
from .array import Array
from .config import config
from .device import Device
from .dtypes import canonical, needs_fp64
from .errors import BroadcastError, DeviceMismatchError, UnsupportedDTypeError
from .lazy.evaluate import write
from .lazy.node import defer
from .lazy.operations import CAST, TABLE, WHERE, Operation
from .memory import View, new_view
from .shapes import broadcast_shapes

DType = np.dtype[Any]
_WEAK = (bool, int, float, complex)
_COMPARISONS = frozenset(["less", "less_equal", "greater", "greater_equal", "equal", "not_equal"])
_F4, _F8, _C8, _C16 = (np.dtype(c) for c in "fdFD")
_NARROWED = {_F8: _F4, _C16: _C8}


# ------------------------------------------------------------------------------------------------------ operands


def is_scalar(value: Any) -> bool:
    """Whether a value is a Python or NumPy number."""
    return isinstance(value, (bool, int, float, complex, np.generic))


def usable(value: Any) -> bool:
    """Whether an operator can take this as its other side."""
    return isinstance(value, (Array, bool, int, float, complex, np.generic, np.ndarray, list, tuple))


def mismatch(name: str, first: Device, second: Device) -> DeviceMismatchError:
    """Return the error for operands on two devices."""
    return DeviceMismatchError(
        f"{name}: operands live on two devices, {first} and {second}; move one of them, "
        f"for example with x.to_device({str(first)!r})"
    )


def host_array_refused(name: str, value: np.ndarray, device: Device) -> DeviceMismatchError:
    """Return the error for a NumPy array among xpu's."""
    return DeviceMismatchError(
        f"{name}: a NumPy array of shape {value.shape} (host memory) met an xpu array on {device}; "
        f"convert it first: xp.asarray(a, device={str(device)!r})"
    )


def check_arrays(name: str, *values: Any) -> None:
    """Refuse what is no xpu array, in the name of the function that was called with it."""
    for value in values:
        if not isinstance(value, Array):
            others = [other for other in values if isinstance(other, Array)]
            if others and isinstance(value, np.ndarray):
                raise host_array_refused(name, value, others[0].device)
            raise TypeError(f"xp.{name} takes an xpu array, got {type(value).__name__}; see xp.asarray")


def common_device(name: str, args: tuple[Any, ...]) -> Device:
    """Return the one device of the arrays among the arguments."""
    found: Device | None = None
    for arg in args:
        if isinstance(arg, Array):
            if found is None:
                found = arg._device
            elif arg._device is not found:
                raise mismatch(name, found, arg._device)
    if found is None:
        raise TypeError(f"xp.{name} takes xpu arrays, got {', '.join(type(a).__name__ for a in args)}; see xp.asarray")
    return found


def _kinds(name: str, args: tuple[Any, ...], device: Device) -> tuple[list[Any], list[Any]]:
    """Return, for every operand, its dtype or weak type, and the operand with NumPy's 0-d arrays unpacked."""
    kinds: list[Any] = []
    values: list[Any] = []
    for arg in args:
        kind = type(arg)
        if kind is Array:
            kinds.append(arg._dtype)
        elif kind in _WEAK:
            kinds.append(kind)
        elif isinstance(arg, np.generic):
            kinds.append(canonical(arg.dtype))
        elif isinstance(arg, np.ndarray):
            if arg.size != 1:
                raise host_array_refused(name, arg, device)
            kinds.append(canonical(arg.dtype))
            arg = arg if arg.ndim == 0 else _upload(arg, device)
            arg = arg[()] if isinstance(arg, np.ndarray) else arg
        elif isinstance(arg, _WEAK):  # enums and other subclasses
            plain = next(t for t in _WEAK if isinstance(arg, t))
            kinds.append(plain)
            arg = plain(arg)  # type: ignore[arg-type]
        elif isinstance(arg, (list, tuple)):
            arg = _from_sequence(name, arg, device)
            kinds.append(arg._dtype)
        else:
            raise TypeError(
                f"xp.{name} takes xpu arrays and numbers, got {kind.__name__}; convert it first with xp.asarray"
            )
        values.append(arg)
    return kinds, values


def _upload(value: np.ndarray, device: Device) -> Array:
    from .ops.creation import from_numpy

    return from_numpy(value, device)


def _from_sequence(name: str, value: Any, device: Device) -> Array:
    from .ops.creation import asarray, device_of

    result = asarray(value, device=device if device_of(value) is None else None)
    if result._device is not device:
        raise mismatch(name, device, result._device)
    return result


def resolve(op: Operation, kinds: tuple[Any, ...], device: Device) -> tuple[tuple[DType, ...], DType]:
    """Return the dtypes of inputs and result; float64 that only promotion brings in becomes float32 where there is none."""
    if device.info.fp64:
        return op.resolve(kinds)
    key = (kinds, "fp32")
    known = op.cache.get(key)
    if known is None:
        ins, out = op.resolve(kinds)
        for kind in kinds:
            if isinstance(kind, np.dtype) and needs_fp64(kind):
                device.check_dtype(kind)
        known = op.cache[key] = (tuple(_NARROWED.get(d, d) for d in ins), _NARROWED.get(out, out))
    return known


def to_dtype(value: Any, dtype: DType) -> Any:
    """Return a scalar as a NumPy scalar of a dtype; Python integers that do not fit raise OverflowError."""
    if type(value) is int and dtype.kind in "iu":
        return dtype.type(value)
    with np.errstate(all="ignore"):
        if isinstance(value, np.generic):
            return value if value.dtype == dtype else value.astype(dtype)
        return dtype.type(value)


# ---------------------------------------------------------------------------------------------------- application


def apply(op: Operation, *args: Any) -> Array:
    """Apply an operation to arrays and scalars, at least one of them an array."""
    quick = small.attempt(op, args)
    return _deferred(op, args) if quick is None else quick


def _deferred(op: Operation, args: tuple[Any, ...]) -> Array:
    device = common_device(op.name, args)
    kinds, values = _kinds(op.name, args, device)
    ins, dtype = resolve(op, tuple(kinds), device)
    operands = []
    shapes = []
    for value, wanted in zip(values, ins, strict=True):
        if type(value) is Array:
            operands.append(value._operand())
            shapes.append(value._shape)
        else:
            try:
                operands.append(to_dtype(value, wanted))
            except OverflowError:
                if op.name in _COMPARISONS:
                    return _compare_beyond(op, values, device)
                raise
    shape = shapes[0] if len(shapes) == 1 else broadcast_shapes(*shapes)
    return Array._of_node(defer(op, ins, dtype, tuple(operands), shape, device))


def binary(op: Operation, x: Array, y: Any) -> Array:
    """Apply a binary operation to an array and something; the short way for arrays of one shape and for numbers."""
    quick = small.attempt(op, (x, y))
    if quick is not None:
        return quick
    if type(y) is Array and y._device is x._device and x._shape == y._shape and x._device.info.fp64:
        known = op.cache.get((x._dtype, y._dtype))
        if known is not None:
            return Array._of_node(defer(op, known[0], known[1], (x._operand(), y._operand()), x._shape, x._device))
    elif (type(y) is int or type(y) is float) and x._device.info.fp64:
        known = op.cache.get((x._dtype, type(y)))
        number = _plain_number(y, known[0][1]) if known is not None else None
        if known is not None and number is not None:
            return Array._of_node(defer(op, known[0], known[1], (x._operand(), number), x._shape, x._device))
    return _deferred(op, (x, y))


def _plain_number(value: Any, dtype: DType) -> Any:
    """Return a number as a scalar of a dtype that surely holds it, or None."""
    size = abs(value)
    if dtype.kind == "f":
        return dtype.type(value) if 1e-4 < size < 6e4 or size == 0 else None
    return dtype.type(value) if dtype.kind in "iu" and type(value) is int and 0 <= value < 128 else None


def _compare_beyond(op: Operation, values: list[Any], device: Device) -> Array:
    """Compare with a Python integer that the array's dtype cannot hold: the answer is the same everywhere."""
    swapped = type(values[0]) is not Array
    array, number = (values[1], values[0]) if swapped else (values[0], values[1])
    above = number > 0
    answers = {"equal": False, "not_equal": True}
    answer = answers.get(op.name, (op.name in ("less", "less_equal")) == (above != swapped))
    view = new_view(device, array._shape, np.dtype(np.bool_))
    write(view, np.bool_(answer), device)
    return Array._of_view(view)


def astype(x: Array, dtype: DType) -> Array:
    """Return the elements converted to another dtype, deferred."""
    x._device.check_dtype(dtype)
    return Array._of_node(defer(CAST, (x._dtype,), dtype, (x._operand(),), x._shape, x._device))


def where(condition: Any, x: Any, y: Any) -> Array:
    """Choose between two operands; see :func:`xpu.where`."""
    return apply(WHERE, condition, x, y)


def in_place(op: Operation, x: Array, y: Any) -> Array:
    """Apply a binary operation and store the result in its first operand.

    Raises
    ------
    UnsupportedDTypeError
        If the result's dtype cannot be cast to the array's under NumPy's rule "same_kind".
    BroadcastError
        If the result is larger than the array.
    """
    x._check_writeable()
    if small.in_place(op, x, y):
        return x
    device = common_device(op.name, (x, y))
    (first, second), (_, value) = _kinds(op.name, (x, y), device)
    ins, dtype = resolve(op, (first, second), device)
    if not np.can_cast(dtype, x._dtype, "same_kind"):
        raise UnsupportedDTypeError(
            f"{op.name} in place: the result has dtype {dtype.name}, which cannot be stored in {x._dtype.name} under the "
            f"rule 'same_kind'; use x = x.astype(...), or cast the operand"
        )
    other: Any
    if type(value) is Array:
        if value._shape != x._shape and broadcast_shapes(x._shape, value._shape) != x._shape:
            raise BroadcastError(f"{op.name} in place: shape {value._shape} does not broadcast to {x._shape}")
        other = value._operand()
    else:
        other = to_dtype(value, ins[1])
    own = x._operand()
    node = defer(op, ins, dtype, (own, other), x._shape, device)
    if isinstance(own, View):
        write(own, node, device)
        return x
    # Pending: nothing but this array shows the expression, so it simply goes on.
    if dtype != x._dtype:
        node = defer(CAST, (dtype,), x._dtype, (node,), x._shape, device)
    fresh = Array._of_node(node)
    own.owner = None
    x._node, x._view, x._small = fresh._node, None, None
    node.owner = _owner_of(x)
    return x


def _owner_of(x: Array) -> Any:
    import weakref

    return weakref.ref(x)


# ------------------------------------------------------------------------------------------------------ operators

_BINARY = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "divide",
    "floordiv": "floor_divide",
    "mod": "remainder",
    "and": "bitwise_and",
    "or": "bitwise_or",
    "xor": "bitwise_xor",
    "lshift": "bitwise_left_shift",
    "rshift": "bitwise_right_shift",
}
_COMPARE = {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal", "ne": "not_equal"}
_UNARY = {"neg": "negative", "pos": "positive", "abs": "abs", "invert": "bitwise_invert"}


_SHORT_POWERS = {2: "square", 0.5: "sqrt", -1: "reciprocal"}
"""Exponents of floating-point numbers that NumPy gives to functions of their own."""


def power(x: Any, y: Any) -> Array:
    """Raise to a power; see :func:`xpu.pow`."""
    if isinstance(y, (list, tuple)) and type(x) is Array:
        y = _from_sequence("power", y, x._device)
    kind = x._dtype.kind if type(x) is Array else ""
    if type(y) in (int, float):
        if kind in ("f", "c") and y in _SHORT_POWERS:
            return apply(TABLE[_SHORT_POWERS[y]], x)
        if kind in ("i", "u") and type(y) is int and y == 2:
            return apply(TABLE["square"], x)
    if kind in ("b", "i") and isinstance(y, (int, np.signedinteger)) and y < 0:
        raise _negative_power()
    result = apply(TABLE["power"], x, y)
    if result._dtype.kind == "i" and type(y) is Array and y._dtype.kind == "i" and bool((y < 0).any()):
        raise _negative_power()
    return result


def _negative_power() -> ValueError:
    return ValueError("integers to negative integer powers are not allowed; convert the base to float first")


def _define() -> None:
    def forward(op: Operation) -> Any:
        def operator(self: Array, other: Any) -> Any:
            # Two small arrays of one shape on the CPU, seen before: the shortest way (see ``small``).
            if type(other) is Array and self._small is not None and other._small is not None:
                device = self._device
                if self._shape == other._shape and other._device is device and config.library:
                    function = device.small.get((op, self._dtype, other._dtype))  # type: ignore[union-attr]
                    if type(function) is np.ufunc:
                        return small.array_of(small.quiet(function, self._small, other._small), device)
            return binary(op, self, other) if usable(other) else NotImplemented

        return operator

    def backward(op: Operation) -> Any:
        return lambda self, other: apply(op, other, self) if usable(other) else NotImplemented

    def inplace(op: Operation) -> Any:
        return lambda self, other: in_place(op, self, other) if usable(other) else NotImplemented

    def one(op: Operation) -> Any:
        return lambda self: apply(op, self)

    def attach(name: str, method: Any, doc: str) -> None:
        method.__name__ = f"__{name}__"
        method.__qualname__ = f"Array.__{name}__"
        method.__doc__ = doc
        setattr(Array, f"__{name}__", method)

    for name, operation in _BINARY.items():
        op = TABLE[operation]
        attach(name, forward(op), f"Return xp.{operation}(self, other).")
        attach(f"r{name}", backward(op), f"Return xp.{operation}(other, self).")
        attach(f"i{name}", inplace(op), f"Store xp.{operation}(self, other) in self.")
    for name, operation in _COMPARE.items():
        attach(name, forward(TABLE[operation]), f"Return xp.{operation}(self, other).")
    for name, operation in _UNARY.items():
        attach(name, one(TABLE[operation]), f"Return xp.{operation}(self).")
    attach(
        "pow",
        lambda self, other: power(self, other) if usable(other) else NotImplemented,
        "Return xp.pow(self, other).",
    )
    attach(
        "rpow",
        lambda self, other: power(other, self) if usable(other) else NotImplemented,
        "Return xp.pow(other, self).",
    )
    attach("ipow", _ipow, "Store xp.pow(self, other) in self.")


def _ipow(self: Array, other: Any) -> Any:
    if not usable(other):
        return NotImplemented
    result = power(self, other)
    if not np.can_cast(result._dtype, self._dtype, "same_kind"):
        raise UnsupportedDTypeError(
            f"power in place: the result has dtype {result._dtype.name}, which cannot be stored in {self._dtype.name}"
        )
    self[...] = result
    return self


_define()
