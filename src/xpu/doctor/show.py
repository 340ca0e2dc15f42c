"""The report as a tree for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..backend import Layer
from .report import BackendReport, DeviceReport, Report

if TYPE_CHECKING:
    from rich.console import Console
    from rich.tree import Tree


def show(report: Report, console: Console) -> None:
    """Print the report: layers and devices of every backend, what to mend, and what is chosen."""
    from rich.markup import escape

    unicode = (console.encoding or "").lower().startswith("utf")
    marks = _Marks(unicode)
    v = report.versions
    console.print(
        f"[bold]xpu {v.get('xpu-array', '?')}[/]  Python {v['python']}, NumPy {v.get('numpy', '?')}, {v['system']}",
        highlight=False,
    )
    for backend in report.backends:
        console.print(_tree(backend, marks), highlight=False)
    if report.environment:
        settings = "  ".join(f"{name}={value}" for name, value in report.environment.items())
        console.print(f"\n[dim]set here:[/] {escape(settings)}", highlight=False)
    _show_choice(report, console)


class _Marks:
    """Signs for working, broken and unknown; plain letters where the terminal has no others."""

    def __init__(self, unicode: bool) -> None:
        self.arrow = "→" if unicode else "->"
        self._signs = ("✔", "✘", "·") if unicode else ("ok", "X", "-")

    def of(self, ok: bool | None) -> str:
        """Return the coloured sign."""
        if ok is None:
            return f"[dim]{self._signs[2]}[/]"
        return f"[green]{self._signs[0]}[/]" if ok else f"[red]{self._signs[1]}[/]"


def _tree(backend: BackendReport, marks: _Marks) -> Tree:
    from rich.markup import escape
    from rich.tree import Tree

    working = sum(device.works for device in backend.devices)
    state = f"{working} device{'' if working == 1 else 's'}" if working else "no device"
    colour = "green" if working else "red"
    root = Tree(f"{marks.of(backend.works)} [bold]{escape(backend.name)}[/]  [{colour}]{state}[/]", guide_style="dim")
    broken = backend.broken()
    for layer in backend.layers.children or [backend.layers]:
        _add_layer(root, layer, broken, marks)
    for device in backend.devices:
        _add_device(root, device, marks)
    return root


def _add_layer(parent: Tree, layer: Layer, broken: Layer | None, marks: _Marks) -> None:
    from rich.markup import escape

    text = f"{marks.of(layer.ok)} {escape(layer.name)}"
    if layer.detail:
        text += f": [{'red' if layer is broken else 'default'}]{escape(layer.detail)}[/]"
    if layer.remedy and layer.ok is not True:
        style = "bold yellow" if layer is broken else "yellow"
        text += f"\n  [{style}]{marks.arrow} {escape(layer.remedy)}[/]"
    node = parent.add(text)
    for child in layer.children:
        _add_layer(node, child, broken, marks)


def _add_device(parent: Tree, device: DeviceReport, marks: _Marks) -> None:
    from rich.markup import escape

    head = f"{marks.of(device.works)} [bold cyan]{escape(device.device)}[/]  {escape(device.name)}"
    if device.driver:
        head += f"  [dim]{escape(device.driver)}[/]"
    if device.failure is not None:
        reason, _, remedy = device.failure.partition(" -> ")
        head += f"\n  [red]{escape(reason)}[/]"
        if remedy:
            head += f"\n  [bold yellow]{marks.arrow} {escape(remedy)}[/]"
    else:
        head += f"\n  {escape(facts(device))}"
    parent.add(head)


def facts(device: DeviceReport) -> str:
    """Return vendor, kind, memory, compute units and number formats of a device in one line."""
    units = f"{device.compute_units} compute unit{'' if device.compute_units == 1 else 's'}"
    parts = [device.vendor, device.kind, _bytes(device.memory), units]
    parts += [f"fp64 {'yes' if device.fp64 else 'no'}", f"fp16 {'yes' if device.fp16 else 'no'}"]
    return ", ".join(part for part in parts if part)


def _bytes(count: int) -> str:
    size = float(count)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.1f} {unit}" if count > 0 else ""
        size /= 1024
    return f"{size:.1f} TiB"


def _show_choice(report: Report, console: Console) -> None:
    from rich.markup import escape

    console.print()
    current, auto = report.current, report.auto
    if current.device is None:
        console.print(f"[red]{escape(current.asked)!s} is asked for and does not work:[/]", highlight=False)
        console.print(f"  {escape(current.failure or '')}", highlight=False)
    else:
        origin = "from XPU_DEVICE" if report.environment.get("XPU_DEVICE") else "the default"
        console.print(f"current device: [bold cyan]{escape(current.device)}[/] ({origin})", highlight=False)
    if auto.device is not None:
        console.print(f"[dim]`auto` would choose[/] [cyan]{escape(auto.device)}[/]", highlight=False)
    ways = "[dim]choose with[/] XPU_DEVICE=opencl[dim], [/]xp.set_device('opencl')[dim] or [/]--device opencl"
    console.print(ways, highlight=False)
