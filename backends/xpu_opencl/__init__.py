"""xpu on OpenCL: pyopencl's memory, queues and compiler, on every implementation that the machine has.

Files: ``icd`` finds implementations, Intel's from PyPI among them; ``backend`` lists devices; ``device`` is one device
in the contract's order, with ``memory``, ``program`` (compiles, launches), ``shape`` (of launches) and ``serial`` (for
implementations that bear one thread only); ``diagnose``, ``hardware`` and ``explain`` say what is missing and how to mend it.
"""

from .backend import OpenCLBackend

__all__ = ["OpenCLBackend"]
