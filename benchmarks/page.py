"""Write docs/benchmarks.md and its picture from the figures of peers.py.

python benchmarks/peers.py --json benchmarks/latest.json && python benchmarks/page.py benchmarks/latest.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from marks import cells as mark_cells, verdicts
from peers import cells as peer_cells

from xpu.bench import picture, report
from xpu.bench.run import Report

DOCS = Path(__file__).resolve().parent.parent / "docs"

HEAD = """# Benchmarks

Written by `benchmarks/page.py`; `make bench` makes it anew on your machine.

Everything here was measured in one process, the contestants taking turns, each warmed up and waited for; the figures are
medians. Operands lie on the device. Every result was compared with NumPy's."""
LIMITS = """## What the devices can do at most"""
NUMPY = """## Against NumPy"""
PEERS = """## Beside what you would pick instead

The same work in each library's best way: numexpr's strings, Numba's parallel loops written by hand, `jax.jit`,
`torch.compile` for the chain and plain PyTorch for the rest; xpu runs NumPy's lines unchanged. A dash: the library does
not have it."""
MARKS = """## What xpu set itself to reach

Times as fast as NumPy (the convolution: as PyTorch). What only moves memory has also reached its mark at 85 % of the
bandwidth of a triad."""


def page(found: Report) -> str:
    """Return the page's Markdown."""
    judged = verdicts(found)
    reached = sum(verdict[4].startswith("reached") for verdict in judged)
    parts = [
        HEAD,
        "\n".join(f"- {line}" for line in report.facts(found)),
        LIMITS,
        report.markdown_table(report.limit_cells(found)),
        NUMPY,
        "![Times NumPy, by work and device](images/benchmarks.png)",
        report.markdown_table(report.work_cells(found)),
        report.LEGEND,
        *(f"**{wrong} is not what NumPy computes.**" for wrong in found.wrong),
        PEERS,
        report.markdown_table(peer_cells(found)),
        MARKS,
        f"{reached} of {len(judged)} reached.",
        report.markdown_table(mark_cells(found)),
    ]
    return "\n\n".join(parts) + "\n"


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    found = Report.from_dict(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    (DOCS / "benchmarks.md").write_text(page(found), encoding="utf-8")
    picture.draw(found, DOCS / "images" / "benchmarks.png")
    print("written: docs/benchmarks.md, docs/images/benchmarks.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
