"""Debug mode's error buffer: what a checked kernel writes when an index is wrong or an assertion fails.

One int64 array of ``WORDS`` elements a device, zero when all is well. The first work-item that finds an error claims the
buffer by an atomic compare-and-swap of word 0 from 0 to the error's code, then fills in the rest; the faulty access is
left out (a load gives 0). Nobody else writes until the host has read and cleared it, at the next synchronisation.
"""

from __future__ import annotations

WORDS = 16

CODE = 0
"""0: none, 1: index out of range, 2: assertion failed."""
SITE = 1
"""Number of the access (or assertion) in the kernel: ``ir.Load``, ``ir.Store``, ``ir.Atomic`` and ``ir.Assert`` nodes counted
from 0 in the order of ``ir.all_bodies``."""
AXIS = 2
INDEX = 3
EXTENT = 4
GLOBAL_ID = 5
"""Words 5 to 7: the work-item, axes 0 to 2."""

INDEX_ERROR = 1
ASSERT_ERROR = 2
