"""What the tests of each device share."""

from __future__ import annotations

from collections.abc import Iterable

from .devices import config_for
from .execute import check, report, shrink
from .generate import generate


def agree(device: str, seeds: Iterable[int]) -> None:
    """Run the programs of some seeds on a device and on the interpreter; show a small one that differs."""
    config = config_for([device])
    for seed in seeds:
        failure = check(generate(seed, config), [device])
        if failure is not None:
            raise AssertionError(report(shrink(failure, budget=150)))
