"""xpu on OpenCL: pyopencl's memory, queues and compiler, on every implementation that the machine has.

Files: ``icd`` finds implementations, Intel's from PyPI among them; ``backend`` lists devices; ``device`` is one device in
the contract's order; ``program`` compiles and launches; ``diagnose`` explains what is missing.
"""

from .backend import OpenCLBackend

__all__ = ["OpenCLBackend"]
