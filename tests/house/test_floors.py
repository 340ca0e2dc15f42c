"""The house stands on floors: a lower one never imports a higher one, and backends know only the contract."""

from __future__ import annotations

import ast
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from .imports import BACKENDS, SOURCE, imports, modules

FLOORS = (
    {"errors", "dtypes", "config", "shapes"},
    {"backend"},
    {"memory", "device"},
    {"kernel", "math"},
    {"kernels", "lazy"},
    {"array", "apply", "reduce", "small", "ops"},
    {"linalg", "fft", "random", "nn", "cv"},
    {"", "info", "profile", "doctor", "bench", "cli", "conformance", "__main__"},
)
"""Names of modules below ``xpu``, the lowest floor first; the empty name is ``xpu`` itself."""

THIRD_PARTY = {
    "xpu_cpu": {"numpy", "numba", "llvmlite", "scipy"},
    "xpu_opencl": {"numpy", "pyopencl"},
    "xpu_cuda": {"numpy", "cupy", "cupyx", "cupy_backends", "numba"},
}
"""What each backend may import besides the standard library and the contract."""

THE_CONTRACT = {"xpu.backend"}
ALSO = {"xpu_cpu.interpreter": {"xpu.kernel.interpreter"}}
"""A backend without a compiler of its own runs kernels by the interpreter of the kernel language (docs/backends.md)."""

XPU = {name: path for name, path in modules(SOURCE).items() if name.split(".")[0] == "xpu"}
BACKEND_MODULES = modules(BACKENDS)


def floor_of(module: str) -> int:
    name = module.split(".")[1] if "." in module else ""
    for number, names in enumerate(FLOORS):
        if name in names:
            return number
    raise AssertionError(f"{module} stands on no floor: add {name!r} to FLOORS, and to docs/index.md")


def climbing(name: str, path: Path, text: str | None = None) -> list[str]:
    here = floor_of(name)
    own = (item for item in imports(name, path, set(XPU), text) if item.imported.split(".")[0] == "xpu")
    return [str(item) for item in own if floor_of(item.imported) > here]


@pytest.mark.parametrize("name", XPU)
def test_no_module_imports_a_higher_floor(name: str) -> None:
    assert climbing(name, XPU[name]) == []


def test_a_climbing_import_is_seen_also_inside_a_function() -> None:
    path = XPU["xpu.config"]
    assert climbing("xpu.config", path, "from .backend import Backend")
    assert climbing("xpu.config", path, "def f():\n    from xpu import device")
    assert climbing("xpu.config", path, "import importlib\nimportlib.import_module('xpu.kernel')")
    assert climbing("xpu.config", path, "import xpu")
    for_checkers = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .device import Device"
    assert not climbing("xpu.config", path, for_checkers)


@pytest.mark.parametrize("name", BACKEND_MODULES)
def test_a_backend_imports_only_the_contract(name: str) -> None:
    package = name.split(".")[0]
    wrong = []
    for item in imports(name, BACKEND_MODULES[name], set(BACKEND_MODULES) | set(XPU)):
        top = item.imported.split(".")[0]
        if top == "xpu":
            allowed = item.imported in THE_CONTRACT | ALSO.get(name, set())
        else:
            allowed = top == package or top in THIRD_PARTY[package] or top in sys.stdlib_module_names
        if not allowed:
            wrong.append(str(item))
    assert wrong == []


def test_every_backend_folder_is_listed_here() -> None:
    assert {name.split(".")[0] for name in BACKEND_MODULES} == set(THIRD_PARTY)


@pytest.mark.parametrize("name", XPU)
def test_nothing_in_xpu_names_a_backend_package(name: str) -> None:
    tree = ast.parse(XPU[name].read_text(encoding="utf-8"))
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # these may point readers there
    texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docs]
    words = [node.value for node in texts if isinstance(node.value, str)]
    words += [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    words += [item.imported for item in imports(name, XPU[name], set(XPU))]
    assert [word for word in words if any(package in word for package in THIRD_PARTY)] == []


def test_backends_are_found_through_entry_points() -> None:
    found = {point.name: point.value.split(":")[0].split(".")[0] for point in entry_points(group="xpu.backends")}
    assert {"cpu", "interpreter", "opencl", "cuda"} <= set(found)
    assert set(THIRD_PARTY) <= set(found.values())
