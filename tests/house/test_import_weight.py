"""``import xpu`` stays close to ``import numpy``: heavy packages are loaded when they are used."""

from __future__ import annotations

import subprocess
import sys

HEAVY = (
    "asyncio", "cupy", "cupyx", "cv2", "llvmlite", "matplotlib", "numba", "PIL", "platformdirs", "pyopencl", "pytest",
    "rich", "scipy", "skimage",
)  # fmt: skip
BACKENDS = ("xpu_cpu", "xpu_opencl", "xpu_cuda")


def loaded_after(statements: str) -> set[str]:
    code = f"import sys\n{statements}\nprint(' '.join({{name.split('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    return set(done.stdout.split())


def test_import_loads_nothing_heavy() -> None:
    before = loaded_after("import numpy")
    loaded = loaded_after("import xpu") - before
    assert sorted(loaded & {*HEAVY, *BACKENDS}) == []


def test_help_of_the_command_loads_nothing_heavy() -> None:
    before = loaded_after("import numpy")
    loaded = loaded_after(
        "import contextlib, io, xpu.cli\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        "    xpu.cli.main(['--help'])"
    )
    assert sorted((loaded - before) & {*HEAVY, *BACKENDS}) == []


def test_import_loads_neither_the_front_end_nor_kernels() -> None:
    """They are many small classes and functions, and nobody needs them before the first kernel."""
    code = "import sys, xpu; print(*sorted(name for name in sys.modules if name.startswith('xpu.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
    early = ("xpu.kernel.ir", "xpu.kernel.frontend", "xpu.kernel.printers", "xpu.kernels.")
    assert [name for name in done.stdout.split() if name.startswith(early)] == []
