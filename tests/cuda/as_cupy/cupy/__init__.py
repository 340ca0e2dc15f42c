"""Makes ``import cupy`` give the stand-in, in every process that has this folder's parent in PYTHONPATH.

    PYTHONPATH=tests/cuda/as_cupy xpu info
    PYTHONPATH=tests/cuda/as_cupy xpu conformance --device cuda
    PYTHONPATH=tests/cuda/as_cupy python examples/tour.py --device cuda

``XPU_STAND_IN=hip`` makes it a CuPy for ROCm, and its device ``rocm``.
"""

import os
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))

import fakecupy

fakecupy.machine.reset(hip=os.environ.get("XPU_STAND_IN") == "hip")
fakecupy.register(fakecupy.make_cupy())
