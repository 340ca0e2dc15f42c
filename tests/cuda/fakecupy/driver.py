"""The driver API: modules, functions, launches."""

from __future__ import annotations

import ctypes
import tempfile
import types
from typing import Any

import numpy as np

from .machine import CUDADriverError, machine
from .memory import Memory, MemoryPointer
from .streams import Stream

_MAX_ARGUMENTS = 512
_functions: dict[int, Function] = {}


class Module:
    """A loaded image."""

    def __init__(self) -> None:
        self._library: Any = None

    def load(self, image: bytes) -> None:
        machine.enter("moduleLoadData", len(image), CUDADriverError)
        if not isinstance(image, bytes) or not image.startswith(b"\x7fELF"):
            raise CUDADriverError(200, "this is no image")
        with tempfile.NamedTemporaryFile(suffix=".so") as file:
            file.write(image)
            file.flush()
            try:
                self._library = ctypes.CDLL(file.name)
            except OSError:
                raise CUDADriverError(200, "the image does not load") from None

    def get_function(self, name: str) -> Function:
        return Function(self, name)


class Function:
    """A kernel, ready to be launched."""

    def __init__(self, module: Module, name: str) -> None:
        try:
            self._launch = getattr(module._library, f"{name}_launch")
            sizes_of = getattr(module._library, f"{name}_sizes")
        except AttributeError:
            raise CUDADriverError(500, f"the image has no kernel {name!r}") from None
        self.module = module
        self.name = name
        self.ptr = id(self)
        _functions[self.ptr] = self
        sizes = (ctypes.c_int * _MAX_ARGUMENTS)()
        self._sizes = list(sizes[: sizes_of(sizes)])

    def __call__(
        self, grid: tuple[int, ...], block: tuple[int, ...], args: Any, shared_mem: int = 0, stream: Any = None
    ) -> None:
        assert isinstance(stream, Stream)
        grid, block = (*grid, 1, 1)[:3], (*block, 1, 1)[:3]
        machine.enter("launch", (self.name, grid, block, stream.ptr), CUDADriverError)
        self._check_sizes(grid, block)
        values = [self._argument(value, size) for value, size in zip(args, self._sizes, strict=True)]
        pointers = (ctypes.c_void_p * max(len(values), 1))(*(ctypes.addressof(value) for value in values))
        numbers = ctypes.c_uint * 3
        with machine.lock:
            divergent = self._launch(pointers, numbers(*grid), numbers(*block))
        if divergent:
            raise CUDADriverError(719, "a barrier that only some threads of a block reached")
        for value in args:
            if isinstance(value, MemoryPointer) and isinstance(value.mem, Memory):
                value.mem.check_fences()

    def _check_sizes(self, grid: tuple[int, ...], block: tuple[int, ...]) -> None:
        threads = block[0] * block[1] * block[2]
        if threads > 1024 or any(n > most for n, most in zip(block, machine.max_threads_dim, strict=True)):
            raise CUDADriverError(1, f"a block of {block}")
        if threads > machine.max_threads:
            raise CUDADriverError(701, f"a block of {block} with at most {machine.max_threads} threads")
        if not (0 < grid[0] < 2**31 and 0 < grid[1] < 65536 and 0 < grid[2] < 65536):
            raise CUDADriverError(1, f"a grid of {grid}")

    def _argument(self, value: Any, size: int) -> Any:
        """Return an argument's bytes; a real driver would copy whatever lies there, so the width is checked here."""
        if isinstance(value, MemoryPointer):
            assert value.device_id == machine.current, "a buffer of another device"
            content = np.uint64(value.ptr).tobytes()
        else:
            assert isinstance(value, np.generic), f"a NumPy scalar is expected, got {type(value)}"
            content = value.tobytes()
        assert len(content) == size, f"kernel {self.name}: an argument has {len(content)} bytes, the parameter {size}"
        return (ctypes.c_char * size).from_buffer_copy(content)


def _func_get_attribute(attribute: int, function: int) -> int:
    assert function in _functions
    return {0: machine.max_threads, 3: 16, 4: 24}[attribute]


def make_module() -> types.ModuleType:
    """Return the module ``cupy.cuda.driver``."""
    module = types.ModuleType("cupy.cuda.driver")
    module.CUDADriverError = CUDADriverError
    module.funcGetAttribute = _func_get_attribute
    module.CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0
    module.CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3
    module.CU_FUNC_ATTRIBUTE_NUM_REGS = 4
    return module
