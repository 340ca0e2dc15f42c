"""The comparison can fail: a printer with a planted mistake is caught, and the report is a small program."""

from __future__ import annotations

import dataclasses
from functools import lru_cache

import numpy as np
import pytest

from xpu.device import get_device
from xpu.kernel import build, ir
from xpu.kernel.printers import dialects, print_kernel

from .devices import candidates, config_for
from .execute import REFERENCE, check, compile_source, report, shrink
from .generate import generate
from .mutations import MUTATIONS, rewrite

ENOUGH = 150
"""Programs in which a mistake must show."""


@pytest.fixture(scope="module")
def device():
    """The device whose compiler answers fastest: an OpenCL one if there is one."""
    found = candidates()
    return next((name for name in found if name.startswith("opencl")), found[0])


@lru_cache(maxsize=ENOUGH)
def prepared(seed, device):
    """Return a program and its typed kernel."""
    program = generate(seed, config_for([device]))
    types = []
    for argument in program.arguments:
        if argument.role == "firm":
            types.append(ir.Scalar(np.dtype(argument.dtype)))
        elif argument.shape is None:
            types.append(int if argument.dtype == "int64" else float)
        else:
            types.append(ir.ArrayType(np.dtype(argument.dtype), len(argument.shape), argument.layout == "C"))
    return program, compile_source(program).specialize(types, get_device(REFERENCE).info)


def first_failure(device, uses):
    """Return the first failure among the programs whose kernel has what ``uses`` looks for."""
    for seed in range(ENOUGH):
        program, kernel = prepared(seed, device)
        if uses(kernel):
            failure = check(program, [device])
            if failure is not None:
                return failure
    return None


def plant(monkeypatch, change):
    """Have every kernel changed before it is printed, on all devices but the interpreter."""

    def printer(kernel, language, info, debug=False):
        return print_kernel(kernel if language == "interpreter" else rewrite(kernel, change), language, info, debug)

    monkeypatch.setattr(build, "print_kernel", printer)


def touched_by(change):
    """Return the question whether a mistake changes anything in a kernel."""

    def touched(kernel):
        seen = []

        def watch(node):
            other = change(node)
            if other is not node:
                seen.append(node)
            return other

        rewrite(kernel, watch)
        return bool(seen)

    return touched


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_wrong_printer_is_caught(name, device, monkeypatch):
    change = MUTATIONS[name]
    plant(monkeypatch, change)
    failure = first_failure(device, touched_by(change))
    assert failure is not None, f"{ENOUGH} programs did not notice that {name}"
    assert failure.kind == "values", failure.text


def test_a_wrong_dialect_is_caught(device, monkeypatch):
    """The same with a mistake in the printer's own table, where the device reads C."""
    if not device.startswith("opencl"):
        pytest.skip("no OpenCL device works here")
    wrong = dataclasses.replace(dialects.OPENCL, barrier="")
    monkeypatch.setitem(dialects.DIALECTS, "opencl", wrong)
    failure = first_failure(device, lambda kernel: kernel.uses_barrier)
    assert failure is not None
    assert "xp.barrier()" in failure.program.source()


def test_the_report_is_a_small_program(device, monkeypatch):
    change = MUTATIONS["mod has the dividend's sign"]
    plant(monkeypatch, change)
    failure = shrink(first_failure(device, touched_by(change)), budget=40)
    text = report(failure)
    assert "%" in failure.program.source()
    assert len(failure.program.source().splitlines()) < 30, text
    assert f"device {device}: values" in text
    assert "# a_" in text
