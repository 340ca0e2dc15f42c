"""Runs the suite on one of the test devices in this process: ``python apart.py Sound REPORT_FOLDER [arguments for pytest]``."""

from __future__ import annotations

import sys

import backends
from backends import registered

from xpu import conformance

if __name__ == "__main__":
    name, folder, *arguments = sys.argv[1:]
    with registered(getattr(backends, name)):
        code = conformance.run("guest", folder, ["-q", "--tb=short", *arguments], quick=True)
    sys.exit(code)
