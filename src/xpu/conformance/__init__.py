"""The conformance suite: certifies that a device computes what NumPy computes.

From a shell: ``xpu conformance --device opencl --report reports/``, or ``pytest --pyargs xpu.conformance --xpu-device opencl``.
Tests ask for what a device declares (fp64, atomics ...), never for its backend's name; a skipped test means "declared
unsupported" and nothing else.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from .levels import LEVELS

__all__ = ["LEVELS", "coverage", "run"]

_PACKAGE = Path(__file__).parent


def run(
    device: str,
    report: Path | str | None = None,
    arguments: Sequence[str] = (),
    *,
    level: str | None = None,
    quick: bool = False,
    programs: int | None = None,
    plugins: Sequence[Any] = (),
) -> int:
    """Run the suite on a device.

    Parameters
    ----------
    device : str
        A device string, as for :func:`xpu.set_device`.
    report : path, optional
        A folder that receives ``conformance-<device>.md`` and ``conformance-<device>.json``.
    arguments : sequence of str
        Further arguments for pytest. Ids of tests, such as ``arrays/test_views.py::test_aliasing``, run only these.
    level : str, optional
        Only some levels, separated by commas: see :data:`LEVELS`.
    quick : bool
        A reduced set, for slow devices.
    programs : int, optional
        How many random programs to run of each kind.
    plugins : sequence
        Objects with further hooks for pytest.

    Returns
    -------
    int
        pytest's exit code: 0 if nothing failed.

    Raises
    ------
    DeviceNotFoundError
        If there is no such device, or it does not work.
    ModuleNotFoundError
        If pytest or hypothesis is not installed.
    """
    from ..device import get_device
    from . import levels

    get_device(device)
    levels.parse(level)
    for needed in ("pytest", "hypothesis"):
        if find_spec(needed) is None:
            raise ModuleNotFoundError(f'the conformance suite needs {needed}: pip install "xpu-array[test]"')
    import pytest

    own = ["-p", "xpu_pytest", "-p", "no:cacheprovider", "-c", str(_PACKAGE / "pytest.ini"), "--rootdir", str(_PACKAGE)]
    own += ["--xpu-device", device]
    if report is not None:
        own += ["--xpu-report", str(Path(report).expanduser().absolute())]
    if level is not None:
        own += ["--xpu-level", level]
    if quick:
        own += ["--xpu-quick"]
    if programs is not None:
        own += ["--xpu-programs", str(programs)]
    rest = [str(_PACKAGE / text) if _names_a_test(text) else text for text in arguments]
    places = [] if any(_names_a_test(text) for text in arguments) else [str(_PACKAGE)]
    sys.stdout.flush()
    return int(pytest.main([*own, *rest, *places], plugins=list(plugins)))


def coverage() -> str:
    """Return the coverage page, ``docs/coverage.md``, as Markdown: which functions there are, on which dtypes, how exact."""
    from .coverage_page import coverage_page

    return coverage_page()


def _names_a_test(text: str) -> bool:
    return not text.startswith("-") and (_PACKAGE / text.split("::")[0]).exists()
