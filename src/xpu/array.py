"""``xp.Array``: the one array class.

An array is concrete (a :class:`~xpu.memory.View` of device memory) or pending (a :class:`~xpu.lazy.node.Node`, an expression
that has not been computed); nothing but time tells them apart. Methods delegate to the chapters in ``xpu.ops``.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Iterator
from types import EllipsisType, ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from .device import Device
from .errors import DeviceMismatchError
from .lazy.node import Node, force
from .memory import Storage, View, contiguous_strides

if TYPE_CHECKING:
    from collections.abc import Sequence

DType = np.dtype[Any]
Index = int | slice | EllipsisType | None | tuple[Any, ...] | Any


class Array:
    """An n-dimensional array of one dtype on one device.

    Arrays are made by functions such as :func:`xpu.asarray`, :func:`xpu.zeros` and :func:`xpu.arange`, not by calling the
    class. Basic indexing gives views that share memory, as in NumPy; arithmetic is deferred and fused, and computed when
    a value is needed.
    """

    __slots__ = ("__weakref__", "_device", "_dtype", "_node", "_shape", "_small", "_view", "_writeable")
    __array_priority__ = 1000

    _device: Device
    _dtype: DType
    _shape: tuple[int, ...]
    _node: Node | None
    _view: View | None
    _small: np.ndarray | None
    """The elements of a small array as NumPy sees them, where the device shares the host's memory (see ``small``)."""
    _writeable: bool

    def __init__(self) -> None:
        raise TypeError("arrays are made by xp.asarray, xp.zeros, xp.arange and their like")

    # ------------------------------------------------------------------------------------------- making (private)

    @classmethod
    def _of_view(cls, view: View, writeable: bool = True) -> Array:
        self = cls.__new__(cls)
        self._device = view.storage.device
        self._dtype = view.dtype
        self._shape = view.shape
        self._node = None
        self._view = view
        self._small = None
        self._writeable = writeable
        return self

    @classmethod
    def _of_node(cls, node: Node) -> Array:
        self = cls.__new__(cls)
        self._device = node.device
        self._dtype = node.dtype
        self._shape = node.shape
        self._node = node
        self._view = None
        self._small = None
        self._writeable = True
        node.owner = weakref.ref(self)
        return self

    def _operand(self) -> Node | View:
        """Return what an expression refers to: the pending node, or the view."""
        view = self._view
        if view is not None:
            return view
        node = self._node
        if node is None:
            return self._concrete()
        if node.value is not None:
            self._view = node.value
            self._node = None
            return node.value
        return node

    def _concrete(self) -> View:
        """Return the view, computing the array if it is pending."""
        view = self._view
        if view is None:
            if self._node is not None:
                view = self._view = force(self._node)
                self._node = None
            else:
                view = self._view = self._view_of_small()
        return view

    def _view_of_small(self) -> View:
        host = self._small
        assert host is not None
        if not host.flags.c_contiguous:
            host = self._small = np.ascontiguousarray(host)
        block = self._device.backend_device.adopt(host)
        view = View(
            Storage.adopt(self._device, block, host.nbytes, host),
            self._dtype,
            self._shape,
            contiguous_strides(self._shape),
        )
        view._native = view._host = host
        return view

    def __xpu_view__(self) -> View:
        """Return the view for a kernel that reads this array."""
        return self._concrete()

    def __xpu_write__(self) -> View:
        """Return the view for a kernel that writes this array: deferred readers have been computed."""
        from .lazy.evaluate import force_readers

        self._check_writeable()
        view = self._concrete()
        force_readers(view.storage)
        return view

    def _check_writeable(self) -> None:
        if not self._writeable:
            raise ValueError("assignment destination is read-only (a broadcast view shows elements more than once)")

    # ------------------------------------------------------------------------------------------------ attributes

    @property
    def dtype(self) -> DType:
        """The data type of the elements, a ``numpy.dtype``."""
        return self._dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return self._shape

    @shape.setter
    def shape(self, shape: int | tuple[int, ...]) -> None:
        from .ops.manipulation import reshape

        self._view = reshape(self, shape, copy=False)._concrete()
        self._node = self._small = None
        self._shape = self._view.shape

    @property
    def device(self) -> Device:
        """The device whose memory holds the array."""
        return self._device

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return math.prod(self._shape)

    @property
    def itemsize(self) -> int:
        """Bytes of one element."""
        return self._dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self._dtype.itemsize

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next along each axis; a pending array will be C-contiguous."""
        strides = self._view.strides if self._view is not None else contiguous_strides(self._shape)
        return tuple(stride * self._dtype.itemsize for stride in strides)

    @property
    def T(self) -> Array:
        """The array with its axes reversed; for two axes, the transposed matrix."""
        from .ops.manipulation import permute_dims

        return permute_dims(self, tuple(range(self.ndim))[::-1])

    @property
    def mT(self) -> Array:
        """The array with its last two axes exchanged."""
        from .ops.manipulation import matrix_transpose

        return matrix_transpose(self)

    @property
    def real(self) -> Array:
        """The real parts: a view of a complex array; a real array itself."""
        from .ops.complex import real_view

        return real_view(self)

    @real.setter
    def real(self, value: Any) -> None:
        self.real[...] = value

    @property
    def imag(self) -> Array:
        """The imaginary parts: a view of a complex array; zeros for a real one."""
        from .ops.complex import imag_view

        return imag_view(self)

    @imag.setter
    def imag(self, value: Any) -> None:
        if self._dtype.kind != "c":
            raise TypeError("array does not have imaginary part to set")
        self.imag[...] = value

    @property
    def flat(self) -> Iterator[Array]:
        """An iterator over the elements in C order, as 0-d arrays."""
        return iter(self.ravel())

    # ------------------------------------------------------------------------------------------------ conversion

    def __array_namespace__(self, /, *, api_version: str | None = None) -> ModuleType:
        """Return ``xpu``: the namespace of the Python array API standard."""
        import sys

        from .errors import XpuError

        known = ("2021.12", "2022.12", "2023.12", "2024.12", "2025.12")
        if api_version is not None and api_version not in known:
            raise type("ArrayAPIVersionError", (XpuError, ValueError), {})(
                f"array API version {api_version!r} is not known; xpu knows {', '.join(known)}"
            )
        return sys.modules["xpu"]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        """Give NumPy the memory itself, read-only, on devices that share it (CPU); others refuse."""
        host = self._concrete().exported()
        if host is None:
            raise DeviceMismatchError(
                f"the array lives on {self._device}, and NumPy needs host memory: use xp.asnumpy(x) to copy it there"
            )
        self._device.backend_device.synchronize()
        if copy or (dtype is not None and np.dtype(dtype) != self._dtype):
            if copy is False:
                raise ValueError("a dtype conversion needs a copy")
            return np.array(host, dtype=dtype)
        host.flags.writeable = False
        return host

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        from .ops.protocols import array_ufunc

        return array_ufunc(ufunc, method, inputs, kwargs)

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """Export through DLPack, zero-copy, where device and host share memory."""
        from .ops.protocols import to_dlpack

        return to_dlpack(self, max_version=max_version, dl_device=dl_device, copy=copy)

    def __dlpack_device__(self) -> tuple[int, int]:
        from .ops.protocols import dlpack_device

        return dlpack_device(self)

    def get(self) -> np.ndarray:
        """Return a NumPy copy; the same as ``xp.asnumpy(x)``."""
        from .ops.creation import asnumpy

        return asnumpy(self)

    def item(self, *args: Any) -> Any:
        """Return one element as a Python scalar: of a one-element array, or at an index."""
        chosen = self
        if args:
            position = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args
            chosen = self[position] if len(position) == self.ndim else self.reshape(-1)[position]
        if chosen.size != 1:
            raise ValueError("can only convert an array of size 1 to a Python scalar")
        return chosen.get().item()

    def tolist(self) -> Any:
        """Return nested lists of Python scalars."""
        return self.get().tolist()

    def to_device(self, device: Device | str, /, *, stream: Any = None) -> Array:
        """Return the array on another device; itself where it is there already."""
        from .ops.creation import to_device

        return to_device(self, device)

    def __bool__(self) -> bool:
        return bool(self._scalar("truth value"))

    def __int__(self) -> int:
        return int(self._scalar("int"))

    def __float__(self) -> float:
        return float(self._scalar("float"))

    def __complex__(self) -> complex:
        return complex(self._scalar("complex"))

    def __index__(self) -> int:
        if self._dtype.kind not in "iu" or self.ndim != 0:
            raise TypeError("only 0-d integer arrays can be an index")
        return int(self._scalar("index"))

    def _scalar(self, what: str) -> Any:
        if self.size != 1:
            if what == "truth value":
                raise ValueError(
                    "the truth value of an array with more than one element is ambiguous; use xp.any(x) or xp.all(x)"
                    if self.size
                    else "the truth value of an empty array is ambiguous; use x.size > 0"
                )
            raise TypeError(
                f"only arrays with one element can be converted to {what}, this one has shape {self._shape}"
            )
        if self._dtype.kind == "c" and what in ("int", "float"):
            raise TypeError(f"a complex array cannot be converted to {what}; take x.real first")
        return self.get().reshape(()).item()

    def __len__(self) -> int:
        if not self._shape:
            raise TypeError("len() of a 0-d array")
        return self._shape[0]

    def __iter__(self) -> Iterator[Array]:
        if not self._shape:
            raise TypeError("iteration over a 0-d array")
        return (self[i] for i in range(self._shape[0]))

    def __contains__(self, value: Any) -> bool:
        equal = self == value
        return bool(equal.any()) if isinstance(equal, Array) else equal

    def __repr__(self) -> str:
        from .ops.printing import array_repr

        return array_repr(self)

    def __str__(self) -> str:
        from .ops.printing import array_str

        return array_str(self)

    def __format__(self, spec: str) -> str:
        if not spec:
            return str(self)
        if self.ndim:
            raise TypeError(f"a format ({spec!r}) is for 0-d arrays, this one has shape {self._shape}")
        return format(self.item(), spec)

    def __reduce__(self) -> Any:
        from .ops.creation import asarray

        return asarray, (self.get(),)

    def __copy__(self) -> Array:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Array:
        return self.copy()

    __hash__ = None  # type: ignore[assignment]

    # -------------------------------------------------------------------------------------------------- indexing

    def __getitem__(self, key: Index) -> Array:
        from .ops.indexing import getitem

        return getitem(self, key)

    def __setitem__(self, key: Index, value: Any) -> None:
        from .ops.indexing import setitem

        setitem(self, key, value)

    # ---------------------------------------------------------------------------------------------------- methods

    def astype(self, dtype: Any, /, *, copy: bool = True, device: Any = None) -> Array:
        """Return the array converted to another dtype."""
        from .ops.creation import astype

        return astype(self, dtype, copy=copy, device=device)

    def copy(self) -> Array:
        """Return a C-contiguous copy."""
        from .ops.creation import copy

        return copy(self)

    def fill(self, value: Any) -> None:
        """Set every element."""
        self[...] = value

    def view(self) -> Array:
        """Return a new array over the same memory."""
        return Array._of_view(self._concrete(), self._writeable)

    def reshape(self, *shape: Any, order: str = "C", copy: bool | None = None) -> Array:
        """Return the elements in another shape: a view where strides allow, else a copy."""
        from .ops.manipulation import reshape

        if order != "C":
            raise ValueError("xpu is row-major everywhere: only order='C'")
        return reshape(self, shape[0] if len(shape) == 1 else shape, copy=copy)

    def ravel(self) -> Array:
        """Return the elements along one axis: a view where strides allow, else a copy."""
        return self.reshape(-1)

    def flatten(self) -> Array:
        """Return a one-dimensional copy."""
        return self.copy().reshape(-1)

    def transpose(self, *axes: Any) -> Array:
        """Return a view with its axes permuted; reversed when none are given."""
        from .ops.manipulation import permute_dims

        if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))):
            axes = () if axes[0] is None else tuple(axes[0])
        return permute_dims(self, axes or tuple(range(self.ndim))[::-1])

    def squeeze(self, axis: int | tuple[int, ...] | None = None) -> Array:
        """Return a view without axes of length one."""
        from .ops.manipulation import squeeze

        return squeeze(self, axis)

    def swapaxes(self, axis1: int, axis2: int) -> Array:
        """Return a view with two axes exchanged."""
        from .ops.manipulation import swapaxes

        return swapaxes(self, axis1, axis2)

    def conj(self) -> Array:
        """Return the complex conjugates; a real array itself."""
        from .ops.complex import conj

        return conj(self) if self._dtype.kind == "c" else self

    conjugate = conj

    def clip(self, min: Any = None, max: Any = None) -> Array:
        """Return the elements limited to an interval."""
        from .ops.arithmetic import clip

        return clip(self, min, max)

    def round(self, decimals: int = 0) -> Array:
        """Return the elements rounded, ties to even."""
        from .ops.rounding import round as round_

        return round_(self, decimals)

    def sum(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Array:
        """Return the sum over axes; see :func:`xpu.sum`."""
        from .ops.statistics import sum as sum_

        return sum_(self, axis=axis, dtype=dtype, keepdims=keepdims)

    def prod(self, axis: Any = None, dtype: Any = None, keepdims: bool = False) -> Array:
        """Return the product over axes; see :func:`xpu.prod`."""
        from .ops.statistics import prod

        return prod(self, axis=axis, dtype=dtype, keepdims=keepdims)

    def min(self, axis: Any = None, keepdims: bool = False) -> Array:
        """Return the minimum over axes; NaN wins."""
        from .ops.statistics import min as min_

        return min_(self, axis=axis, keepdims=keepdims)

    def max(self, axis: Any = None, keepdims: bool = False) -> Array:
        """Return the maximum over axes; NaN wins."""
        from .ops.statistics import max as max_

        return max_(self, axis=axis, keepdims=keepdims)

    def mean(self, axis: Any = None, keepdims: bool = False) -> Array:
        """Return the arithmetic mean over axes."""
        from .ops.statistics import mean

        return mean(self, axis=axis, keepdims=keepdims)

    def var(self, axis: Any = None, correction: float = 0, keepdims: bool = False) -> Array:
        """Return the variance over axes."""
        from .ops.statistics import var

        return var(self, axis=axis, correction=correction, keepdims=keepdims)

    def std(self, axis: Any = None, correction: float = 0, keepdims: bool = False) -> Array:
        """Return the standard deviation over axes."""
        from .ops.statistics import std

        return std(self, axis=axis, correction=correction, keepdims=keepdims)

    def any(self, axis: Any = None, keepdims: bool = False) -> Array:
        """Return whether any element is true."""
        from .ops.logic import any as any_

        return any_(self, axis=axis, keepdims=keepdims)

    def all(self, axis: Any = None, keepdims: bool = False) -> Array:
        """Return whether all elements are true."""
        from .ops.logic import all as all_

        return all_(self, axis=axis, keepdims=keepdims)

    def argmin(self, axis: int | None = None, keepdims: bool = False) -> Array:
        """Return the index of the first minimum; NaN wins."""
        from .ops.searching import argmin

        return argmin(self, axis=axis, keepdims=keepdims)

    def argmax(self, axis: int | None = None, keepdims: bool = False) -> Array:
        """Return the index of the first maximum; NaN wins."""
        from .ops.searching import argmax

        return argmax(self, axis=axis, keepdims=keepdims)

    def nonzero(self) -> tuple[Array, ...]:
        """Return, for each axis, the indices of the elements that are not zero."""
        from .ops.searching import nonzero

        return nonzero(self)

    def take(self, indices: Any, axis: int | None = None) -> Array:
        """Return the elements at indices along an axis."""
        from .ops.searching import take

        return take(self, indices, axis=axis)

    def repeat(self, repeats: Any, axis: int | None = None) -> Array:
        """Return each element repeated."""
        from .ops.manipulation import repeat

        return repeat(self, repeats, axis=axis)

    def searchsorted(self, values: Any, side: str = "left", sorter: Array | None = None) -> Array:
        """Return where values belong in this sorted array."""
        from .ops.searching import searchsorted

        return searchsorted(self, values, side=side, sorter=sorter)

    def sort(self, axis: int = -1) -> None:
        """Sort in place along an axis, stably; NaN comes last."""
        from .ops.sorting import sort

        self[...] = sort(self, axis=axis.__index__())

    def argsort(self, axis: int | None = -1) -> Array:
        """Return the indices that sort along an axis, stably; NaN comes last."""
        from .ops.sorting import argsort

        return argsort(self, axis=axis)

    def cumsum(self, axis: int | None = None, dtype: Any = None) -> Array:
        """Return running sums along an axis, or over all elements."""
        from .ops.cumulative import cumsum

        return cumsum(self, axis, dtype)

    def cumprod(self, axis: int | None = None, dtype: Any = None) -> Array:
        """Return running products along an axis, or over all elements."""
        from .ops.cumulative import cumprod

        return cumprod(self, axis, dtype)

    def dot(self, other: Array) -> Array:
        """Return NumPy's dot product; see :func:`xpu.dot`."""
        from .ops.linear import dot

        return dot(self, other)

    def __matmul__(self, other: Any) -> Array:
        from .ops.linear import matmul, unusable

        return NotImplemented if unusable(other) else matmul(self, other)

    def __rmatmul__(self, other: Any) -> Array:
        from .ops.linear import matmul, unusable

        return NotImplemented if unusable(other) else matmul(other, self)

    def __imatmul__(self, other: Any) -> Array:
        from .ops.linear import matmul_in_place, unusable

        return NotImplemented if unusable(other) else matmul_in_place(self, other)

    def __divmod__(self, other: Any) -> tuple[Array, Array]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Array, Array]:
        return other // self, other % self

    # The operators are attached by ``apply``, from the table of operations.
    if TYPE_CHECKING:

        def __add__(self, other: Any) -> Array: ...
        def __radd__(self, other: Any) -> Array: ...
        def __iadd__(self, other: Any) -> Array: ...
        def __sub__(self, other: Any) -> Array: ...
        def __rsub__(self, other: Any) -> Array: ...
        def __isub__(self, other: Any) -> Array: ...
        def __mul__(self, other: Any) -> Array: ...
        def __rmul__(self, other: Any) -> Array: ...
        def __imul__(self, other: Any) -> Array: ...
        def __truediv__(self, other: Any) -> Array: ...
        def __rtruediv__(self, other: Any) -> Array: ...
        def __itruediv__(self, other: Any) -> Array: ...
        def __floordiv__(self, other: Any) -> Array: ...
        def __rfloordiv__(self, other: Any) -> Array: ...
        def __ifloordiv__(self, other: Any) -> Array: ...
        def __mod__(self, other: Any) -> Array: ...
        def __rmod__(self, other: Any) -> Array: ...
        def __imod__(self, other: Any) -> Array: ...
        def __and__(self, other: Any) -> Array: ...
        def __rand__(self, other: Any) -> Array: ...
        def __iand__(self, other: Any) -> Array: ...
        def __or__(self, other: Any) -> Array: ...
        def __ror__(self, other: Any) -> Array: ...
        def __ior__(self, other: Any) -> Array: ...
        def __xor__(self, other: Any) -> Array: ...
        def __rxor__(self, other: Any) -> Array: ...
        def __ixor__(self, other: Any) -> Array: ...
        def __lshift__(self, other: Any) -> Array: ...
        def __rlshift__(self, other: Any) -> Array: ...
        def __ilshift__(self, other: Any) -> Array: ...
        def __rshift__(self, other: Any) -> Array: ...
        def __rrshift__(self, other: Any) -> Array: ...
        def __irshift__(self, other: Any) -> Array: ...
        def __pow__(self, other: Any) -> Array: ...
        def __rpow__(self, other: Any) -> Array: ...
        def __ipow__(self, other: Any) -> Array: ...
        def __lt__(self, other: Any) -> Array: ...
        def __le__(self, other: Any) -> Array: ...
        def __gt__(self, other: Any) -> Array: ...
        def __ge__(self, other: Any) -> Array: ...
        def __eq__(self, other: Any) -> Array: ...  # type: ignore[override]
        def __ne__(self, other: Any) -> Array: ...  # type: ignore[override]
        def __neg__(self) -> Array: ...
        def __pos__(self) -> Array: ...
        def __abs__(self) -> Array: ...
        def __invert__(self) -> Array: ...


def sequence_of(arrays: Sequence[Any]) -> list[Array]:
    """Return the arrays of a sequence as a list; anything else in it is refused by name."""
    out = list(arrays)
    for item in out:
        if not isinstance(item, Array):
            raise TypeError(f"expected xpu arrays, found {type(item).__name__}; see xp.asarray")
    return out
