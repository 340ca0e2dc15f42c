"""The parts of the suite: comparisons, samples, levels, coverage, reports, and the ways to start it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from xpu import conformance
from xpu.conformance import capabilities, compare, levels, names, table
from xpu.conformance.known import Known
from xpu.device import get_device
from xpu.errors import DeviceNotFoundError

from .backends import Poor, registered


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_distances_count_representable_numbers(dtype):
    x = dtype(1.5)
    for steps in (0, 1, 2, 7):
        y = x
        for _ in range(steps):
            y = np.nextafter(y, dtype(2))
        assert compare.ulp_distance(np.array([y]), np.array([x]))[0] == steps
    tiny = np.finfo(dtype).smallest_subnormal
    across = compare.ulp_distance(
        np.array([tiny, 0.0, np.nan, np.nan], dtype), np.array([-tiny, -0.0, np.nan, 1], dtype)
    )
    assert across.tolist() == [2, 0, 0, np.inf]
    far = compare.ulp_distance(np.array([np.finfo(dtype).max, np.inf], dtype), np.array([-np.inf, 1], dtype))
    assert (far > 1000).all()


def test_exact_comparison_sees_signs_of_zero_and_nan():
    a, b = np.array([0.0, 1, np.nan, np.inf]), np.array([-0.0, 1, np.nan, -np.inf])
    assert compare.errors(a, b).tolist() == [True, False, False, True]
    assert compare.errors(a, b, zero_signs=False).tolist() == [False, False, False, True]
    assert compare.errors(np.array([np.nan]), np.array([1.0]), 4).tolist() == [True]


def test_complex_numbers_are_compared_in_the_plane():
    z = np.array([1 + 1e-20j, complex(np.inf, np.nan), complex(np.nan, 0), 1 + 0j])
    w = np.array([1 + 0j, complex(-np.inf, 3), complex(0, np.nan), 1.001 + 0j])
    assert compare.errors(z, w, 4).tolist() == [False, False, False, True]


def test_a_wrong_result_is_described():
    with pytest.raises(AssertionError, match=r"1 of 3 elements are wrong; at \(1,\): .*5.* instead of .*2.* for .*7"):
        compare.check_values(np.array([1, 5, 3]), np.array([1, 2, 3]), inputs=(np.array([6, 7, 8]),))


def test_every_elementwise_function_of_the_standard_is_in_the_table():
    missing = set(names.STANDARD["elementwise"]) - set(table.TABLE) - {"clip"}
    assert missing == set()


@pytest.mark.parametrize("row", table.TABLE.values(), ids=lambda row: row.name)
def test_rows_are_sound(row):
    for dtype in row.dtypes():
        inputs = row.inputs(dtype)
        assert len(inputs) == row.nin
        assert len({x.shape for x in inputs}) == 1
        assert all(x.dtype == dtype for x in inputs)
        expected = row.expected(inputs)
        assert expected.shape == inputs[0].shape
        with np.errstate(all="ignore"):
            own = np.asarray(row.reference(*inputs))
        assert own.dtype == expected.dtype


def test_levels():
    assert levels.parse(None) == tuple(levels.LEVELS)
    assert levels.parse("kernels, contract") == ("kernels", "contract")
    with pytest.raises(ValueError, match="no level 'nonsense'"):
        conformance.run("cpu", level="nonsense")
    with pytest.raises(DeviceNotFoundError):
        conformance.run("nonsense")


def test_capabilities_come_from_the_device():
    with registered(Poor) as device:
        can = capabilities.of(device)
    assert (can.fp64, can.fp16, can.atomics64, can.max_work_group) == (False, False, False, 8)
    assert np.dtype(np.float64) not in can.dtypes()
    with pytest.raises(pytest.skip.Exception, match="declared unsupported: fp64"):
        can.require_dtype("complex128")
    can.require_dtype("complex64", "int64")


def test_coverage_is_computed():
    text = conformance.coverage()
    assert "| `sqrt` | yes | real, complex | exact, complex 8 ulp |" in text
    assert "| `sum` | yes |" in text
    assert "Python array API 2025.12" in text
    for chapter in (*names.STANDARD.values(), *names.EVERYDAY.values()):
        assert all(f"| `{name}` |" in text for name in chapter)


def test_reports(tmp_path):
    with registered(Poor):
        code = conformance.run(
            "guest", tmp_path / "new folder", ["-q", "contract/test_identity.py", "kernels/test_kernels.py::test_three_axes",
            "arrays/test_casts.py::test_cast[float32-float64]"],
        )  # fmt: skip
    assert code == 0
    data = json.loads((tmp_path / "new folder" / "conformance-guest.json").read_text())
    assert data["device"]["name"] == "Poor"
    assert data["passed"] is True
    assert data["levels"]["contract"]["failed"] == 0
    assert data["levels"]["arrays"]["skipped"] == 1
    assert data["capabilities"]["fp64"] is False
    assert data["skipped"] == [
        {"test": "arrays/test_casts.py::test_cast[float32-float64]", "reason": "declared unsupported: fp64"}
    ]
    assert {"numpy", "python", "xpu-array"} <= set(data["versions"])
    text = (tmp_path / "new folder" / "conformance-guest.md").read_text()
    assert "**guest passes**" in text
    assert "| declared unsupported: fp64 | 1 |" in text


def test_failures_are_reported_with_a_command(tmp_path):
    class Wrong(Poor):
        def fill(self, block, offset, nbytes, pattern):
            pass

    test = "contract/test_memory.py::test_fill_repeats_a_pattern[5-4]"
    with registered(Wrong):
        assert conformance.run("guest", tmp_path, ["-q", "--tb=no", test]) == 1
    data = json.loads((tmp_path / "conformance-guest.json").read_text())
    (failure,) = data["failures"]
    assert failure["test"] == test
    assert failure["again"] == f"xpu conformance --device guest -- '{test}'"
    assert "FAILS (1 tests)" in (tmp_path / "conformance-guest.md").read_text()


def test_known_failures_are_strict(monkeypatch, tmp_path):
    # Monkeypatching the list of the module that conftest has imported.
    known = Known("contract/test_identity.py::test_the_device_has_a_name", "a reason")
    conftest = conformance.__name__ + ".conftest"
    with registered(Poor):
        conformance.run("guest", None, ["-q", "contract/test_identity.py"])  # imports conftest
        module = sys.modules.get(conftest)
        if module is None:
            pytest.fail(f"{conftest} is not imported under its own name")
        monkeypatch.setattr(module, "KNOWN", (known,))
        assert conformance.run("guest", None, ["-q", "--tb=no", "contract/test_identity.py"]) == 1


def pytest_run(*arguments, **environment):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, **environment},
        cwd=Path(__file__).parent,
    )


def test_pytest_finds_the_suite_by_its_package():
    done = pytest_run("--pyargs", "xpu.conformance", "--xpu-device", "interpreter", "-k", "test_the_device_has_a_name")
    assert "1 passed" in done.stdout, done.stdout + done.stderr
    assert "xpu conformance of interpreter" in done.stdout


def test_the_device_comes_from_the_environment():
    done = pytest_run("--pyargs", "xpu.conformance.contract", "-k", "test_the_probe_passed", XPU_DEVICE="interpreter")
    assert "1 passed" in done.stdout, done.stdout + done.stderr


def test_the_plugin_imports_nothing():
    code = "import sys, xpu_pytest; print([m for m in sys.modules if m.split('.')[0] in ('xpu', 'numpy')])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_device_under_test_is_not_left_behind():
    before = get_device(None)
    with registered(Poor):
        conformance.run("guest", None, ["-q", "contract/test_identity.py"])
    assert get_device(None) is before
