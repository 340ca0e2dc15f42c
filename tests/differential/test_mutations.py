"""The comparison can fail: a printer with a planted mistake is caught, and the report is a small program."""

from __future__ import annotations

import dataclasses

import pytest

from xpu.kernel import build
from xpu.kernel.printers import dialects, print_kernel

from .devices import candidates, config_for
from .execute import check, compile_source, report, shrink
from .generate import generate
from .mutations import MUTATIONS, rewrite

ENOUGH = 150
"""Programs in which a mistake must show."""


@pytest.fixture
def device():
    """The device whose compiler answers fastest: an OpenCL one if there is one."""
    found = candidates()
    return next((name for name in found if name.startswith("opencl")), found[0])


def first_failure(device, uses=None):
    config = config_for([device])
    for seed in range(ENOUGH):
        program = generate(seed, config)
        if uses is not None and not uses(program):
            continue
        failure = check(program, [device])
        if failure is not None:
            return failure
    return None


def plant(monkeypatch, change):
    """Have every kernel changed before it is printed, on all devices but the interpreter."""

    def printer(kernel, language, info, debug=False):
        return print_kernel(kernel if language == "interpreter" else rewrite(kernel, change), language, info, debug)

    monkeypatch.setattr(build, "print_kernel", printer)


def touched(change):
    """Return whether a mistake changes anything in a program's kernel: others need not be run."""
    return lambda program: change is not None and _differs(program, change)


def _differs(program, change):
    seen = []

    def watch(node):
        other = change(node)
        if other is not node:
            seen.append(node)
        return other

    rewrite(typed(program), watch)
    return bool(seen)


def typed(program):
    import numpy as np

    from xpu.device import get_device
    from xpu.kernel import ir

    types = []
    for argument in program.arguments:
        if argument.shape is None:
            types.append(int if argument.dtype == "int64" else float)
        else:
            contiguous = argument.layout == "C"
            types.append(ir.ArrayType(np.dtype(argument.dtype), len(argument.shape), contiguous))
    return compile_source(program).specialize(types, get_device("interpreter").info)


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_wrong_printer_is_caught(name, device, monkeypatch):
    change = MUTATIONS[name]
    plant(monkeypatch, change)
    failure = first_failure(device, touched(change))
    assert failure is not None, f"{ENOUGH} programs did not notice that {name}"
    assert failure.kind == "values" or "barrier" in name, failure.text


def test_a_wrong_dialect_is_caught(device, monkeypatch):
    """The same with a mistake in the printer's own table, where the device reads C."""
    if not device.startswith("opencl"):
        pytest.skip("no OpenCL device works here")
    wrong = dataclasses.replace(dialects.OPENCL, barrier="")
    monkeypatch.setattr(dialects, "OPENCL", wrong)
    monkeypatch.setattr("xpu.kernel.printers.c.OPENCL", wrong)
    assert first_failure(device, lambda program: "xp.barrier()" in program.source()) is not None


def test_the_report_is_a_small_program(device, monkeypatch):
    plant(monkeypatch, MUTATIONS["mod has the dividend's sign"])
    failure = shrink(first_failure(device, touched(MUTATIONS["mod has the dividend's sign"])), budget=60)
    text = report(failure)
    assert "%" in failure.program.source()
    assert len(failure.program.source().splitlines()) < 25, text
    assert f"device {device}: values" in text
    assert "# a_" in text
