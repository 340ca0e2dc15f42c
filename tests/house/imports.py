"""Read the imports of a source tree without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
BACKENDS = ROOT / "backends"


@dataclass(frozen=True)
class Import:
    """One imported module, and where it is imported."""

    importer: str
    imported: str
    path: Path
    line: int

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.importer} imports {self.imported}"


def modules(folder: Path) -> dict[str, Path]:
    """Return the modules below a folder of import packages, by dotted name."""
    found = {}
    for path in sorted(folder.rglob("*.py")):
        parts = list(path.relative_to(folder).with_suffix("").parts)
        if parts[-1] == "__init__":
            parts.pop()
        found[".".join(parts)] = path
    return found


def imports(name: str, path: Path, known: set[str], text: str | None = None) -> Iterator[Import]:
    """Yield what a module imports, also inside functions; imports for type checkers only are left out.

    ``known`` are all modules of the tree: ``from xpu import device`` means the module ``xpu.device`` if there is one.
    """
    tree = ast.parse(path.read_text(encoding="utf-8") if text is None else text)
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in _running_nodes(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield Import(name, alias.name, path, node.lineno)
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, package)
            for alias in node.names:
                full = f"{base}.{alias.name}"
                yield Import(name, full if full in known else base, path, node.lineno)
        elif isinstance(node, ast.Call) and _is_import_call(node):
            target = node.args[0]
            if isinstance(target, ast.Constant) and isinstance(target.value, str):
                base = package if target.value.startswith(".") else ""
                yield Import(name, base + target.value, path, node.lineno)


def _running_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Walk a tree without the bodies of ``if TYPE_CHECKING``."""
    pending: list[ast.AST] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            pending.extend(node.orelse)
            continue
        yield node
        pending.extend(ast.iter_child_nodes(node))


def _absolute(node: ast.ImportFrom, package: str) -> str:
    if node.level == 0:
        return node.module or ""
    parts = package.split(".")
    base = parts[: len(parts) - (node.level - 1)]
    return ".".join([*base, node.module] if node.module else base)


def _is_import_call(node: ast.Call) -> bool:
    called = ast.unparse(node.func)
    return called.split(".")[-1] in {"import_module", "__import__"} and bool(node.args)
