"""Functions of the kernel language that have a version for each kind of number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import UnsupportedDTypeError
from ..kernel.stdlib import words as xp

Version = Any
"""What ``@xp.func`` returns."""

FLOAT16 = np.dtype(np.float16)


class Overloads:
    """A function and its versions.

    Parameters
    ----------
    name : str
        The function's name.
    arity : int
        How many operands it takes; all have one dtype, unless the version says otherwise.
    versions : dict of str to function or maker
        By NumPy's kind letters (``"f"``, ``"iu"`` for several; ``"e"`` for float16 alone).
        A maker (see ``made``) is a Python function that takes the
        dtype and returns the version for it.
    made : str
        The kinds whose entry is a maker.
    lanes : str
        The kinds whose versions also work on short vectors.
    same : bool
        Whether the result has the operands' dtype; float16 operands are then computed in float32 and rounded once, as
        NumPy does. Otherwise only the operands are widened.
    """

    __slots__ = ("_cache", "_versions", "arity", "lanes", "made", "name", "same")

    def __init__(
        self,
        name: str,
        arity: int,
        versions: dict[str, Version],
        made: str = "",
        lanes: str = "biuf",
        same: bool = True,
    ) -> None:
        self.name = name
        self.arity = arity
        self._versions = {kind: version for kinds, version in versions.items() for kind in kinds}
        self.made = made
        self.lanes = lanes
        self.same = same
        self._cache: dict[np.dtype[Any], Version] = {}

    def pick(self, dtype: Any) -> Version:
        """Return the version for operands of a dtype.

        Raises
        ------
        UnsupportedDTypeError
            If there is none.
        """
        dtype = np.dtype(dtype)
        known = self._cache.get(dtype)
        if known is None:
            known = self._cache[dtype] = self._pick(dtype)
        return known

    def _pick(self, dtype: np.dtype[Any]) -> Version:
        kind = "e" if dtype == FLOAT16 else dtype.kind
        version = self._versions.get(kind)
        if version is None and kind == "e":
            return _WIDENED[self.arity](self.pick(np.float32), self.same)
        if version is None:
            raise UnsupportedDTypeError(f"{self.name} is not defined for {dtype.name}")
        return version(dtype) if kind in self.made else version

    def kinds(self) -> str:
        """Return the letters of the kinds that have a version."""
        return "".join(self._versions)

    def __repr__(self) -> str:
        return f"<kernel function {self.name} for {self.kinds()}>"


def _widened1(version: Version, same: bool) -> Version:
    @xp.func
    def narrow(a: Any) -> Any:
        return xp.float16(version(xp.float32(a)))

    @xp.func
    def other(a: Any) -> Any:
        return version(xp.float32(a))

    return narrow if same else other


def _widened2(version: Version, same: bool) -> Version:
    @xp.func
    def narrow(a: Any, b: Any) -> Any:
        return xp.float16(version(xp.float32(a), xp.float32(b)))

    @xp.func
    def other(a: Any, b: Any) -> Any:
        return version(xp.float32(a), xp.float32(b))

    return narrow if same else other


def _widened3(version: Version, same: bool) -> Version:
    @xp.func
    def narrow(a: Any, b: Any, c: Any) -> Any:
        return xp.float16(version(xp.float32(a), xp.float32(b), xp.float32(c)))

    @xp.func
    def other(a: Any, b: Any, c: Any) -> Any:
        return version(xp.float32(a), xp.float32(b), xp.float32(c))

    return narrow if same else other


def _widened4(version: Version, same: bool) -> Version:
    @xp.func
    def narrow(a: Any, b: Any, c: Any, d: Any) -> Any:
        return xp.float16(version(xp.float32(a), xp.float32(b), xp.float32(c), xp.float32(d)))

    @xp.func
    def other(a: Any, b: Any, c: Any, d: Any) -> Any:
        return version(xp.float32(a), xp.float32(b), xp.float32(c), xp.float32(d))

    return narrow if same else other


_WIDENED: dict[int, Callable[[Version, bool], Version]] = {1: _widened1, 2: _widened2, 3: _widened3, 4: _widened4}
