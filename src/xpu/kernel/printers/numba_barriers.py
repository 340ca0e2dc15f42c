"""Kernels with barriers: the loop over the items of a group, split at each barrier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import KernelCompileError
from .. import ir


@dataclass(frozen=True)
class ItemArray:
    """Memory that keeps a value for each item of a group."""

    name: str
    dtype: np.dtype[Any]
    size: int


class Splitter:
    """Writes a kernel as regions between barriers."""

    def __init__(self, kernel: ir.Kernel, statements: Any, loops: Any) -> None:
        self.kernel = kernel
        self.items: list[ItemArray] = []

    def run(self) -> None:
        raise KernelCompileError(f"kernel {self.kernel.name!r} has barriers, which the CPU cannot run yet")
