"""CuPy's own functions, where they are faster than the portable kernels and as right.

That is the matrix product, which NVIDIA and AMD tune for each card (cuBLAS, rocBLAS). CuPy's element-wise functions and
reductions are left out: it compiles them with -ftz=true, so that they take float32 subnormals for zero (``any`` of them
is False, ``min`` gives 0), and they move the same bytes as the portable kernels do.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

BLAS_TYPES = "efdFD"
"""Type codes that BLAS multiplies; float16 with sums in float32. Integers would go through a plain kernel of CuPy's."""


def make_library(cupy: Any) -> Mapping[str, Callable[..., Any]]:
    """Return the table ``operation -> native implementation``; it is called with the device and stream made current."""

    def matmul(a: Any, b: Any, out: Any) -> Any:
        return cupy.matmul(a, b, out=out) if a.dtype.char in BLAS_TYPES else NotImplemented

    return {"matmul": matmul}
