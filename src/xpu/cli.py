"""The command ``xpu``: look at the devices, certify one, time it, tend the kernel cache.

Each subcommand is a function ``_name(arguments) -> exit code`` and a row in ``main``; what it needs it imports itself.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console

DESCRIPTION = """\
xpu: write NumPy once; run it on the CPU, on CUDA, on ROCm, on any OpenCL device."""

EPILOG = """\
start here:
  xpu info                          what can I use on this machine, and why not the rest?
  XPU_DEVICE=opencl python run.py   run a script on another device, without editing it

exit codes: 0 all is well, 1 something failed (a device does not work, a test failed), 2 the command was misspelt"""

INFO = """\
For each backend, print its layers from the hardware up to the Python package. Where something is
broken, the first broken layer is the one to mend, and the line below it says how. Every device is
tried with a tiny kernel: a device that is listed but cannot compute is shown with the reason.
The looking is done in a process of its own, so a driver that crashes is reported too."""

CONFORMANCE = """\
Run the conformance suite on one device: does it compute what NumPy computes? With --report, write
conformance-<device>.md and .json into a folder, for others to read. `--device all` takes every device
that works, one after the other, each in a process of its own.

  xpu conformance --device opencl
  xpu conformance --device opencl:pocl --report reports/
  xpu conformance --device cpu -- -k kernels -x      (what follows -- goes to pytest)"""

BENCH = """\
Time plain array code on NumPy and on devices, in turns, each warmed up and waited for; check that the
results agree; measure what each device can do at most, and say how near to that it came.

  xpu bench                                    the current device, the quick works, about a minute
  xpu bench --device all --full --picture bench.png
  xpu bench chain matmul --device opencl       the works whose names begin so
  xpu bench list                               all works, and what they compute"""

CACHE = """\
Compiled kernels are kept on disk, so that the next process need not compile them. Show where they
are and how much room they take; --clear deletes them. Deleting is always safe: it costs time only.
Another place: XPU_CACHE_DIR=/some/folder"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit code."""
    parser = _parser()
    own, rest = _split(list(sys.argv[1:] if arguments is None else arguments))
    options = parser.parse_args(own)
    if rest and options.run is not _conformance:
        parser.error("only `xpu conformance` takes further arguments after --")
    options.rest = rest
    if options.run is None:
        parser.print_help()
        return 2
    try:
        code: int = options.run(options)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # `xpu info | head`
        sys.stderr.close()
        return 0
    return code


def _split(arguments: list[str]) -> tuple[list[str], list[str]]:
    if "--" not in arguments:
        return arguments, []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1 :]


def _parser() -> argparse.ArgumentParser:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("xpu", description=DESCRIPTION, epilog=EPILOG, formatter_class=raw)
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and exit")
    parser.set_defaults(run=None)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")

    info = commands.add_parser(
        "info", help="show every backend, layer and device", description=INFO, formatter_class=raw
    )
    info.add_argument("--json", action="store_true", help="print the same as JSON")
    info.set_defaults(run=_info)

    conformance = commands.add_parser(
        "conformance",
        usage="xpu conformance [options] --device DEVICE [-- PYTEST_OPTION ...]",
        help="test a device against NumPy",
        description=CONFORMANCE,
        formatter_class=raw,
    )
    conformance.add_argument("--device", required=True, metavar="DEVICE", help="a device string, or `all`")
    conformance.add_argument("--report", metavar="DIR", type=Path, help="write a Markdown and a JSON report there")
    conformance.add_argument("--level", metavar="LEVELS", help="only some levels, separated by commas")
    conformance.add_argument("--quick", action="store_true", help="a reduced set, for slow devices")
    conformance.add_argument(
        "--full", action="store_true", help="with `all`: the whole suite also on a backend's slower devices"
    )
    conformance.add_argument("--jobs", type=int, default=1, metavar="N", help="with `all`: devices tested at a time")
    conformance.set_defaults(run=_conformance)

    bench = commands.add_parser("bench", help="time devices against NumPy", description=BENCH, formatter_class=raw)
    bench.add_argument("work", nargs="*", metavar="WORK", help="only works whose names begin like this")
    bench.add_argument("--device", action="append", metavar="DEVICE", help="a device string, or `all`; may be repeated")
    bench.add_argument("--full", action="store_true", help="all works, not only the quick ones")
    bench.add_argument("--json", metavar="FILE", type=Path, help="write the figures there")
    bench.add_argument("--markdown", metavar="FILE", type=Path, help="write the tables there")
    bench.add_argument("--picture", metavar="FILE", type=Path, help="draw the bars there (.png, .svg, .pdf)")
    bench.set_defaults(run=_bench)

    cache = commands.add_parser(
        "cache", help="show or clear the compiled kernels on disk", description=CACHE, formatter_class=raw
    )
    cache.add_argument("--clear", action="store_true", help="delete them")
    cache.set_defaults(run=_cache)
    return parser


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version

        print(f"xpu {version('xpu-array')}")
        parser.exit()


def _console() -> Console:
    from rich.console import Console

    console = Console()
    if not console.is_terminal:  # a pipe or a file has no width: do not break lines
        console = Console(width=1000, soft_wrap=True)
    return console


# ------------------------------------------------------------------------------------------------------- info


def _info(options: argparse.Namespace) -> int:
    from .doctor import collect_safely, show

    report = collect_safely()
    if options.json:
        import json

        print(json.dumps(report.to_dict(), indent=2))
    else:
        show(report, _console())
    return 0 if report.current.device is not None else 1


# ------------------------------------------------------------------------------------------------ conformance


def _conformance(options: argparse.Namespace) -> int:
    if options.device == "all":
        return _conformance_of_all(options)
    from .conformance import run

    try:
        return int(run(options.device, options.report, options.rest, level=options.level, quick=options.quick))
    except (ValueError, ModuleNotFoundError) as error:  # no such device, no such level, no pytest
        print(error, file=sys.stderr)
        return 1


def _conformance_of_all(options: argparse.Namespace) -> int:
    from concurrent.futures import ThreadPoolExecutor, as_completed

    from .doctor import collect_safely

    devices = [device for device in collect_safely().devices() if device.listed]
    results = {one.device: f"not tested: {one.failure}" for one in devices if not one.works}
    working = sorted((device for device in devices if device.works), key=lambda device: device.speed)  # slow ones first
    best = {_backend(device): device for device in working}  # the fastest of a backend comes last
    quick = {d.device for d in working if options.quick or not (options.full or best[_backend(d)] is d)}
    names = [f"{device.device}{' (quick)' if device.device in quick else ''}" for device in working]
    print(f"conformance of {', '.join(names)}", flush=True)
    with ThreadPoolExecutor(options.jobs) as pool:
        running = {
            pool.submit(_conformance_apart, device.device, options, device.device in quick): device
            for device in working
        }
        for done in as_completed(running):
            device = running[done]
            code, output = done.result()
            print(f"\n=== {device.device}: {device.name} {device.driver}".rstrip())
            print(output, flush=True)
            results[device.device] = "passed" if code == 0 else f"FAILED (exit code {code})"
    for device in devices:
        print(f"{device.device:14} {results[device.device]:10} {device.name}")
    return int(any(result.startswith("FAILED") for result in results.values()))


def _backend(device: Any) -> str:
    return str(device.device).partition(":")[0]


def _conformance_apart(device: str, options: argparse.Namespace, quick: bool) -> tuple[int, str]:
    """Run the suite on one device in a process of its own; return its exit code and output."""
    command = [sys.executable, "-m", "xpu", "conformance", "--device", device]
    if options.report is not None:
        command += ["--report", str(options.report)]
    if options.level is not None:
        command += ["--level", options.level]
    if quick:
        command += ["--quick"]
    command += ["--", *options.rest]
    done = subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


# ------------------------------------------------------------------------------------------------------ bench


def _bench(options: argparse.Namespace) -> int:
    import os

    from .bench.environment import start_again_without
    from .device import devices, get_device
    from .errors import DeviceNotFoundError

    start_again_without(os.environ)
    try:
        named = options.device or []
        chosen = devices() if "all" in named else [get_device(name) for name in named] or [get_device()]
    except DeviceNotFoundError as error:
        print(error, file=sys.stderr)
        return 1
    from .bench import WORKS

    every = "\n".join(f"  {work.name:18} {work.title}" for work in WORKS)
    if options.work == ["list"]:
        print(every)
        return 0
    works = [work for work in WORKS if work.name.startswith(tuple(options.work))] if options.work else None
    if works == []:
        print(f"no work begins like {' or '.join(options.work)}; there are:", file=sys.stderr)
        print(every, file=sys.stderr)
        return 2
    problem = _cannot_write(options)
    if problem:
        print(problem, file=sys.stderr)
        return 1
    return _bench_report(chosen, works, options)


def _cannot_write(options: argparse.Namespace) -> str | None:
    """Return why a file that is asked for could not be written, before anything is measured."""
    for path in (options.json, options.markdown, options.picture):
        if path is not None and not path.parent.is_dir():
            return f"cannot write {path}: there is no folder {path.parent}"
    if options.picture is not None:
        from .bench import picture

        try:
            picture.check(options.picture)
        except picture.CannotDraw as error:
            return str(error)
    return None


def _bench_report(chosen: list[Any], works: Any, options: argparse.Namespace) -> int:
    import json

    from rich.progress import Progress

    from .bench import picture, report, run

    console = _console()
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("xpu bench", total=None)
        found = run(
            chosen,
            works=works,
            full=options.full,
            progress=lambda text, done, total: bar.update(task, description=text, completed=done, total=total),
        )
    report.show(found, console)
    if options.json:
        options.json.write_text(json.dumps(found.to_dict(), indent=2) + "\n", encoding="utf-8")
    if options.markdown:
        options.markdown.write_text(report.markdown(found), encoding="utf-8")
    if options.picture:
        picture.draw(found, options.picture)
    return int(bool(found.wrong))


# ------------------------------------------------------------------------------------------------------ cache


def _cache(options: argparse.Namespace) -> int:
    from .kernel import cache

    place, kernels, size = cache.location(), cache.entries(), cache.size()
    print(f"place    {place}")
    print(f"content  {kernels} kernel{'' if kernels == 1 else 's'}, {size / 2**20:.1f} MiB")
    problem = cache.problem()
    if problem:
        print(f"nothing is kept: {problem}")
    if options.clear:
        removed = cache.clear()
        print(f"deleted  {removed} kernel{'' if removed == 1 else 's'}")
    return 1 if problem else 0
