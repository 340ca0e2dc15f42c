"""The compiler's wrapper, and the plugin that sends every kernel of a test run through it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import nvrtc
import pytest

GOOD = """
struct pair {{ float x, y; }};
static __device__ inline float helper(float a) {{ return a + {number}.0f; }}
extern "C" __global__ void xpu_good(float *out) {{ out[threadIdx.x] = helper(out[0]); }}
"""
BAD = 'extern "C" __global__ void xpu_bad(float *out) { out[0] = not_declared; }\n'

compiler = nvrtc.load()
needs_nvrtc = pytest.mark.skipif(compiler is None, reason="the wheel nvidia-cuda-nvrtc-cu12 is not installed")


@needs_nvrtc
def test_images_and_log():
    ptx, _ = compiler.compile(GOOD.format(number=1), "compute_75")
    assert b".target sm_75" in ptx
    cubin, _ = compiler.compile(GOOD.format(number=1), "sm_90")
    assert cubin.startswith(b"\x7fELF")
    with pytest.raises(nvrtc.NvrtcError, match="not_declared"):
        compiler.compile(BAD, "compute_75")


@needs_nvrtc
def test_multiply_add_is_not_fused():
    ptx, _ = compiler.compile('extern "C" __global__ void f(float *x) { x[0] = x[1] * x[2] + x[3]; }', "compute_75")
    assert b"fma" not in ptx
    assert b"ftz" not in ptx


@needs_nvrtc
def test_many_kernels_share_a_translation_unit():
    sources = [("xpu_good", GOOD.format(number=number)) for number in range(2 * nvrtc.BATCH + 5)]
    assert nvrtc.check_all(sources) == []


@needs_nvrtc
def test_the_guilty_kernel_is_named():
    sources = [("xpu_good", GOOD.format(number=number)) for number in range(nvrtc.BATCH + 5)]
    sources[nvrtc.BATCH + 2] = ("xpu_bad", BAD)
    refused = nvrtc.check_all(sources)
    assert [(number, architecture) for number, architecture, _ in refused] == [
        (nvrtc.BATCH + 2, architecture) for architecture in sorted(nvrtc.ARCHITECTURES)
    ]
    assert all("not_declared" in log for _, _, log in refused)


@needs_nvrtc
def test_a_kernel_that_spoils_its_neighbours_is_no_success():
    sources = [("xpu_good", "#define float int3\n" + GOOD.format(number=1)), ("xpu_good", GOOD.format(number=2))]
    refused = nvrtc.check_all(sources, ["compute_75"])
    assert refused


# -------------------------------------------------------------------------------------------------------- plugin

TESTS = """
from xpu.kernel import build
from xpu.kernel.probe import probe_kernel
from every_kernel_as_cuda import card

def test_first():
    build.print_kernel(probe_kernel(), "opencl", card())

def test_second():
    build.print_kernel(probe_kernel(), "opencl", card())
    build.print_kernel(probe_kernel(), "hip", card())
"""
ON_CUDA = """
def test_third():
    build.print_kernel(probe_kernel(), "cuda", card())
"""
SPOILT = """
import dataclasses
from xpu.kernel.printers import c, dialects
types = {**dialects.CUDA.types, "float32": "no_such_type"}
dialects.DIALECTS["cuda"] = dataclasses.replace(dialects.CUDA, types=types)
"""
UNPRINTABLE = """
from xpu.kernel.printers import c
def render_cuda(kernel, info, debug):
    raise KeyError("no spelling")
c.render_cuda = render_cuda
"""


def run_pytest(folder: Path, text: str, *options: str) -> tuple[int, str]:
    (folder / "test_it.py").write_text(text, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    command = [sys.executable, "-m", "pytest", "-p", "every_kernel_as_cuda", *options, str(folder)]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": path}, cwd=folder, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


@needs_nvrtc
def test_plugin_compiles_each_kernel_once(tmp_path):
    code, output = run_pytest(tmp_path, TESTS + ON_CUDA)
    assert code == 0, output
    assert "1 kernels printed as CUDA C, 1 of them new" in output
    code, output = run_pytest(tmp_path, TESTS + ON_CUDA)
    assert code == 0, output
    assert "1 kernels printed as CUDA C, 0 of them new" in output
    code, output = run_pytest(tmp_path, TESTS, "--no-nvrtc")
    assert code == 0, output
    assert "CUDA C" not in output


@needs_nvrtc
@pytest.mark.parametrize(
    ("spoil", "words"),
    [(SPOILT, "NVRTC refuses kernel xpu_probe for compute_75"), (UNPRINTABLE, "cannot be printed as CUDA C")],
)
def test_plugin_fails_the_run(tmp_path, spoil, words):
    for _ in range(2):  # what was refused is not remembered as good
        code, output = run_pytest(tmp_path, spoil + TESTS)
        assert code == 1, output
        assert "2 passed" in output
        assert words in output
        assert "test_it.py::test_first" in output
