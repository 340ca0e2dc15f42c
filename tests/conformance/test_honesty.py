"""The suite passes sound devices and fails broken ones, by the test that is meant to find each."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from xpu import conformance

from . import backends
from .backends import registered


class Outcomes:
    """A plugin for the inner run: notes which tests passed, failed and were skipped."""

    def __init__(self) -> None:
        self.by_outcome = {"passed": set(), "failed": set(), "skipped": set()}
        self.reasons = set()

    def pytest_runtest_logreport(self, report):
        name = report.nodeid.split("conformance/")[-1]
        if report.when == "call" or report.outcome != "passed":
            self.by_outcome[report.outcome].add(name)
        if report.skipped:
            self.reasons.add(report.longrepr[2])


def run(name, *arguments, **options):
    outcomes = Outcomes()
    code = conformance.run(name, arguments=["-q", "--tb=no", "-rN", *arguments], plugins=[outcomes], **options)
    return code, outcomes.by_outcome, outcomes.reasons


def run_apart(cls, folder, *arguments):
    """Run the suite in a process of its own; return its report."""
    command = [sys.executable, str(Path(__file__).parent / "apart.py"), cls.__name__, str(folder), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200)
    report = Path(folder) / "conformance-guest.json"
    assert report.exists(), done.stdout + done.stderr
    return json.loads(report.read_text())


@pytest.mark.timeout(1200)
@pytest.mark.parametrize("cls", [backends.Sound, backends.Poor], ids=lambda cls: cls.__name__)
def test_sound_devices_pass(cls, tmp_path):
    report = run_apart(cls, tmp_path)
    assert [(failure["test"], failure["message"]) for failure in report["failures"]] == []
    assert set(report["levels"]) == set(conformance.LEVELS)
    assert sum(counts["passed"] for counts in report["levels"].values()) > 1500
    reasons = {item["reason"] for item in report["skipped"]}
    assert all(reason.startswith("declared unsupported: ") for reason in reasons)
    if cls is backends.Poor:
        assert reasons >= {"declared unsupported: fp64", "declared unsupported: atomics64"}


@pytest.mark.timeout(1200)
def test_short_vectors_pass(tmp_path):
    tests = ("arrays/test_elementwise.py", "arrays/test_broadcasting.py", "arrays/test_casts.py", "programs")
    report = run_apart(backends.Vectors, tmp_path, *tests)
    assert [(failure["test"], failure["message"]) for failure in report["failures"]] == []


BROKEN = {
    backends.DropsTheLast: [
        "contract/test_code.py::test_exactly_as_many_work_items_run_as_asked[7]",
        "arrays/test_broadcasting.py::test_sizes_around_the_width_of_vectors[17]",
        "kernels/test_kernels.py::test_exactly_the_global_size_runs[65]",
    ],
    backends.IgnoresStrides: [
        "contract/test_code.py::test_a_kernel_follows_strides[strides2-24]",
        "arrays/test_views.py::test_overlapping_writes_in_two_dimensions",
        "kernels/test_kernels.py::test_views_as_arguments",
    ],
    backends.IgnoresOffsets: [
        "contract/test_code.py::test_a_kernel_starts_at_its_arrays_offset[3]",
        "arrays/test_views.py::test_all_views_see_a_write",
        "kernels/test_kernels.py::test_views_as_arguments",
    ],
    backends.CountsIn32Bits: ["arrays/test_large.py::test_elements_more_than_2_gib_apart"],
    backends.LosesInPlaceWrites: [
        "contract/test_order.py::test_launches_follow_each_other",
        "arrays/test_views.py::test_a_transposed_view_can_be_written",
        "programs/test_programs.py::test_exact_operations[0..5-int32]",
    ],
    backends.NaNLoses: [
        "arrays/test_elementwise.py::test_function[maximum-float32]",
        "arrays/test_elementwise.py::test_function[minimum-float64]",
    ],
    backends.CopiesFromTheStart: ["contract/test_memory.py::test_copy_within_two_blocks[0-4]"],
    backends.FillsWithOneByte: [
        "contract/test_memory.py::test_fill_repeats_a_pattern[5-4]",
        "arrays/test_creation.py::test_full[float32]",
    ],
    backends.ReadsTooEarly: [
        "contract/test_order.py::test_a_read_sees_the_launch_before_it",
        "arrays/test_elementwise.py::test_function[add-float32]",
    ],
    backends.RoundsTheIndexSpaceUp: ["contract/test_code.py::test_exactly_as_many_work_items_run_as_asked[31]"],
    backends.SwapsAxes: ["contract/test_code.py::test_work_items_know_their_group[group_id-shape1-local1]"],
}  # fmt: skip
"""Each broken device, and tests that must fail on it."""


@pytest.mark.parametrize("cls", BROKEN, ids=lambda cls: cls.__name__)
def test_broken_devices_fail(cls):
    large = cls is backends.CountsIn32Bits
    with registered(backends.Roomy if large else backends.Sound):
        code, outcomes, _ = run("guest", *BROKEN[cls], quick=not large)
        assert outcomes["failed"] == set(), "a sound device has to pass these tests"
        assert outcomes["passed"] == set(BROKEN[cls])
    with registered(cls):
        code, outcomes, _ = run("guest", *BROKEN[cls], quick=not large)
    assert outcomes["failed"] == set(BROKEN[cls])
    assert code == 1


def test_a_device_that_fails_the_probe_is_not_tested():
    class Wrong(backends.Sound):
        def execute(self, compiled, global_size, local_size, arguments):
            pass

    with pytest.raises(Exception, match="probe kernel"), registered(Wrong):
        run("guest")
