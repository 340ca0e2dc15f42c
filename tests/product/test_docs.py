"""The code in the documentation runs, and the links lead somewhere."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
WITH_CODE = [page for page in PAGES if "```python" in page.read_text(encoding="utf-8") and page.name != "README.md"]

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"```.*?```|`[^`]*`", re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: page.name)
def test_the_python_of_a_page_runs(page: Path, tmp_path: Path) -> None:
    """All blocks of a page are one program; a comment at the end of a print line is what it prints."""
    run("\n\n".join(BLOCK.findall(page.read_text(encoding="utf-8"))), tmp_path)


def run(program: str, tmp_path: Path) -> None:
    script = tmp_path / "page.py"
    script.write_text(program, encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for expected in re.findall(r"^print\(.*\)\s+# (.*)$", program, re.MULTILINE):
        assert expected.strip() in [line.strip() for line in done.stdout.splitlines()]


def test_the_example_of_the_readme_runs(tmp_path: Path) -> None:
    (block,) = BLOCK.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    assert block.count('set_device("opencl")') == 1
    run(block.replace('set_device("opencl")', 'set_device("cpu")'), tmp_path)  # which is everywhere


@pytest.mark.parametrize(
    "page", [*PAGES, *sorted((ROOT / "docs" / "decisions").glob("*.md"))], ids=lambda page: page.name
)
def test_links_lead_somewhere(page: Path) -> None:
    links = LINK.findall(CODE.sub("", page.read_text(encoding="utf-8")))
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (page.parent / link).exists()] == []


def test_every_decision_is_in_the_table_of_contents() -> None:
    contents = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    missing = [page.name for page in (ROOT / "docs" / "decisions").glob("0*.md") if page.name not in contents]
    assert [name for name in missing if not name.startswith("0000")] == []
