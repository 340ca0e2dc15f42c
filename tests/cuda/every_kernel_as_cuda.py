"""A pytest plugin: every kernel that a test builds, on any device, is also printed as CUDA C and compiled by NVRTC.

``tests/conftest.py`` switches it on::

    sys.path.insert(0, str(Path(__file__).parent / "cuda"))
    pytest_plugins = ["every_kernel_as_cuda"]

Kernels are collected while the tests run, told apart by their CUDA text, and compiled at the end, for two
architectures (see :mod:`nvrtc`). A kernel that cannot be printed, or that the compiler refuses, makes the run fail;
it is shown with the test that built it first. What was accepted is remembered in pytest's cache by a digest of text,
compiler and options, so a second run compiles only what is new. ``--no-nvrtc`` switches all of it off.
"""

from __future__ import annotations

import hashlib
import os
import threading
import time
import traceback
from dataclasses import dataclass, field
from typing import Any

import nvrtc
import pytest

_CACHE_KEY = "xpu/nvrtc-accepted"
_SHOWN_LINES = 60


@dataclass
class Found:
    """A distinct kernel, and the test that built it first."""

    name: str
    text: str
    test: str


@dataclass
class Collector:
    """Kernels seen in this process."""

    kernels: dict[str, Found] = field(default_factory=dict)
    failures: list[tuple[str, str]] = field(default_factory=list)
    """Test, and what to show."""
    seen: set[tuple[str, bool, int]] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)
    summary: str = ""

    def see(self, source: Any, kernel: Any, debug: bool, print_kernel: Any) -> None:
        """Print a kernel as CUDA C unless its text on its own device was met before."""
        key = (source.language, debug, hash((source.name, source.text)))
        with self.lock:
            if key in self.seen:
                return
            self.seen.add(key)
        test = os.environ.get("PYTEST_CURRENT_TEST", "collection").rsplit(" ", 1)[0]
        try:
            if source.language == "cuda":
                printed = source
            else:
                printed = print_kernel(kernel, "cuda", card(), debug)
        except Exception:
            self.failures.append((test, f"kernel {source.name} cannot be printed as CUDA C:\n{traceback.format_exc()}"))
            return
        with self.lock:
            self.kernels.setdefault(printed.text, Found(printed.name, printed.text, test))


def card() -> Any:
    """Return what a CUDA device would say of itself: all that kernels can ask for."""
    from xpu.backend import DeviceInfo, Limits

    limits = Limits(max_work_items=(1024, 1024, 64), local_memory=49152)
    return DeviceInfo("card", "NVIDIA", "gpu", memory=2**33, compute_units=80, fp64=True, fp16=True, limits=limits)


collector = Collector()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--no-nvrtc", action="store_true", help="do not compile the tests' kernels as CUDA C")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--no-nvrtc"):
        return
    from xpu.kernel import build

    original = build.print_kernel

    def print_and_collect(kernel: Any, language: str, info: Any, debug: bool = False) -> Any:
        source = original(kernel, language, info, debug)
        collector.see(source, kernel, debug, original)
        return source

    build.print_kernel = print_and_collect

    def restore() -> None:
        build.print_kernel = original

    config.add_cleanup(restore)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    config = session.config
    if collector.kernels:
        collector.failures += _compile_all(config, list(collector.kernels.values()))
    if hasattr(config, "workeroutput"):  # a process of pytest-xdist reports to the first one
        config.workeroutput["nvrtc"] = (collector.failures, collector.summary)
    elif collector.failures and session.exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    failures, summary = getattr(node, "workeroutput", {}).get("nvrtc", ([], ""))
    collector.failures += [tuple(failure) for failure in failures]
    collector.summary = collector.summary or summary


def _compile_all(config: pytest.Config, kernels: list[Found]) -> list[tuple[str, str]]:
    compiler = nvrtc.load()
    if compiler is None:
        collector.summary = f"{len(kernels)} kernels printed as CUDA C; not compiled: install nvidia-cuda-nvrtc-cu12"
        return []
    start = time.perf_counter()
    options = f"{compiler.version()} {nvrtc.OPTIONS} {nvrtc.ARCHITECTURES}"
    digests = [hashlib.sha256(f"{options}\0{kernel.text}".encode()).hexdigest()[:24] for kernel in kernels]
    cache = getattr(config, "cache", None)  # None: `-p no:cacheprovider`
    accepted = set(cache.get(_CACHE_KEY, [])) if cache else set()
    new = [number for number, digest in enumerate(digests) if digest not in accepted]
    refused = nvrtc.check_all([(kernels[number].name, kernels[number].text) for number in new])
    bad = {new[position] for position, _, _ in refused}
    if cache:
        accepted.update(digest for number, digest in enumerate(digests) if number not in bad)
        cache.set(_CACHE_KEY, sorted(accepted)[-50_000:])
    seconds = time.perf_counter() - start
    collector.summary = (
        f"{len(kernels)} kernels printed as CUDA C, {len(new)} of them new: compiled by NVRTC "
        f"{'.'.join(map(str, compiler.version()))} for {' and '.join(nvrtc.ARCHITECTURES)} in {seconds:.1f} s"
    )
    return [(kernels[new[k]].test, _describe(kernels[new[k]], architecture, log)) for k, architecture, log in refused]


def _describe(kernel: Found, architecture: str, log: str) -> str:
    lines = [f"{number:4d}  {line}" for number, line in enumerate(kernel.text.splitlines(), 1)]
    return "\n".join([f"NVRTC refuses kernel {kernel.name} for {architecture}:", log, *lines[:_SHOWN_LINES]])


def pytest_terminal_summary(terminalreporter: Any) -> None:
    if collector.summary or collector.failures:
        terminalreporter.section("CUDA C of all kernels")
    if collector.summary:
        terminalreporter.line(collector.summary)
    for test, text in collector.failures:
        terminalreporter.line(f"\nFAILED {test}", red=True)
        terminalreporter.line(text)
    if collector.failures:
        terminalreporter.line(f"{len(collector.failures)} failures in CUDA C", red=True)
