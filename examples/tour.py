"""A tour of xpu on one device: a real photograph is filtered, numbers are crunched, every result is checked.

    python examples/tour.py                                  # the current device (cpu, or XPU_DEVICE)
    python examples/tour.py --device opencl                  # the same script, another device
    python examples/tour.py --device cuda --image me.jpg     # your own photograph

Each step is compared with what NumPy, OpenCV or SciPy compute on the host. A result that differs by more than rounding
allows makes the exit code 1. `make demo` runs the tour on every device of the machine.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np

import xpu as xp
from photograph import PhotographError, load, side_by_side

EPS = float(np.finfo(np.float32).eps) / 2  # the relative error of one float32 rounding


# ------------------------------------------------------------------------------------- a kernel of our own


@xp.kernel
def pen_drawing(photo, dx, dy, strength, out):
    """Darken every pixel by the edge that runs through it. One work-item a pixel; runs on every device."""
    y = xp.global_id(0)
    x = xp.global_id(1)
    if y < out.shape[0] and x < out.shape[1]:
        edge = xp.math.sqrt(dx[y, x] * dx[y, x] + dy[y, x] * dy[y, x])
        light = xp.math.exp(-strength * edge)
        for channel in range(3):
            out[y, x, channel] = photo[y, x, channel] * light


# ----------------------------------------------------------------------------------------------- the steps


@dataclass
class Step:
    """One computation on the device, the same one on the host, and how far apart they may be."""

    name: str
    on_device: Callable[[], Any]
    on_host: Callable[[], np.ndarray]
    allowed: Callable[[np.ndarray], float]


def steps(photo: np.ndarray) -> list[Step]:
    """Return the tour for one photograph: its inputs are on the device when the clock starts."""
    height, width, _ = photo.shape
    gray = cv2.cvtColor(photo, cv2.COLOR_BGR2GRAY)
    random = np.random.default_rng(2026)

    x, g = xp.asarray(photo), xp.asarray(gray)
    dx_host, dy_host = cv2.Sobel(gray, cv2.CV_32F, 1, 0), cv2.Sobel(gray, cv2.CV_32F, 0, 1)
    dx, dy = xp.asarray(dx_host), xp.asarray(dy_host)
    out = xp.empty(photo.shape, dtype=xp.float32)

    n = 4_000_000
    a, b, c = random.standard_normal((3, n), dtype=np.float32)
    xa, xb, xc = xp.asarray(a), xp.asarray(b), xp.asarray(c)

    k = 1024
    p, q = random.uniform(-1, 1, (2, k, k)).astype(np.float32)
    xp_, xq = xp.asarray(p), xp.asarray(q)

    crop = photo[:512, :512].transpose(2, 0, 1).astype(np.float32)[None] / np.float32(255)
    filters = random.uniform(-1, 1, (8, 3, 7, 7)).astype(np.float32)
    xcrop, xfilters = xp.asarray(crop), xp.asarray(filters)

    def draw() -> Any:
        pen_drawing[(height, width)](x, dx, dy, 0.01, out)
        return out

    def draw_on_host() -> np.ndarray:
        edge = np.sqrt(dx_host.astype(np.float64) ** 2 + dy_host.astype(np.float64) ** 2)
        return photo * np.exp(-0.01 * edge)[..., None]

    return [
        Step("copy in and out", lambda: xp.asnumpy(xp.asarray(photo)), photo.copy, exactly),
        Step(
            "GaussianBlur 5x5",
            lambda: xp.cv.GaussianBlur(x, (5, 5), 0),
            lambda: cv2.GaussianBlur(photo, (5, 5), 0),
            exactly,
        ),
        Step("Sobel", lambda: xp.cv.Sobel(g, cv2.CV_16S, 1, 0), lambda: cv2.Sobel(gray, cv2.CV_16S, 1, 0), exactly),
        Step(
            f"fused: {n // 10**6} M elements",
            lambda: xp.sqrt(xa * xa + xb * xb) * xp.exp(-xc) + xp.where(xa > 0, xb, xc),
            lambda: np.sqrt(a * a + b * b) * np.exp(-c) + np.where(a > 0, b, c),
            rounded(16),
        ),
        Step(f"matmul {k}x{k}", lambda: xp_ @ xq, lambda: p @ q, summed(k, np.abs(p) @ np.abs(q))),
        Step(
            "conv2d 8 of 7x7",
            lambda: xp.nn.conv2d(xcrop, xfilters, padding=3),
            lambda: convolution(crop, filters),
            summed(3 * 7 * 7, convolution(crop, np.abs(filters))),
        ),
        Step("your own kernel", draw, draw_on_host, rounded(16)),
    ]


def convolution(images: np.ndarray, filters: np.ndarray) -> np.ndarray:
    """Return what nn.conv2d computes, by OpenCV: for each filter the sum over the channels, zeros around the image."""
    out = np.zeros((len(images), len(filters), *images.shape[2:]), np.float32)
    for i, image in enumerate(images):
        for f, one in enumerate(filters):
            for channel, weights in zip(image, one, strict=True):
                out[i, f] += cv2.filter2D(channel, cv2.CV_32F, weights, borderType=cv2.BORDER_CONSTANT)
    return out


# --------------------------------------------------------------------------- how far apart results may be


def exactly(reference: np.ndarray) -> float:
    """Integers are equal or wrong."""
    return 0.0


def rounded(operations: int) -> Callable[[np.ndarray], float]:
    """Allow a chain of operations one rounding of the largest result each."""
    return lambda reference: operations * EPS * float(np.abs(reference).max(initial=0))


def summed(terms: int, magnitudes: np.ndarray) -> Callable[[np.ndarray], float]:
    """Allow for sums of products taken in another order, on the device and on the host.

    ``magnitudes`` are the same sums without signs. Roundings add up like a random walk, so the error of one such sum is
    below ``sqrt(terms)`` roundings of that size.
    """
    return lambda reference: 2 * math.sqrt(terms) * EPS * float(magnitudes.max())


# ------------------------------------------------------------------------------------------------ measuring


@dataclass
class Result:
    """A line of the table."""

    step: str
    device: str
    first: float
    seconds: float
    host_seconds: float
    difference: float
    allowed: float

    @property
    def equal(self) -> bool:
        """Whether the difference is within what rounding allows (and a number at all)."""
        return self.difference <= self.allowed


def finish(value: Any) -> Any:
    """Wait until a result is really there: element-wise work is deferred until somebody looks at a value."""
    value[(0,) * value.ndim].item()
    xp.synchronize()
    return value


def run(step: Step, device: xp.Device) -> Result:
    """Time one step and compare its result with the host's."""
    start = time.perf_counter()
    value = finish(step.on_device())
    first = time.perf_counter() - start  # compiling included
    seconds = timed(lambda: finish(step.on_device()))
    reference = step.on_host()
    host_seconds = timed(step.on_host)
    got = xp.asnumpy(value)
    if got.shape != reference.shape:
        difference = math.inf
    else:
        difference = float(np.abs(got.astype(np.float64) - reference).max(initial=0))
    return Result(step.name, str(device), first, seconds, host_seconds, difference, step.allowed(reference))


def timed(action: Callable[[], Any], budget: float = 0.3) -> float:
    """Return the median of as many runs as fit into the budget, three at least."""
    times: list[float] = []
    while len(times) < 3 or (sum(times) < budget and len(times) < 50):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


# ------------------------------------------------------------------------------------------------- the output


def table(results: list[Result], device: xp.Device) -> Any:
    """Return the results as a table for people."""
    from rich import box
    from rich.table import Table

    title = f"{device}: {device.info.name}, {device.info.driver or device.info.vendor}"
    out = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), min_width=72)
    out.add_column("step")
    out.add_column("device")
    for heading in ("first ms", "ms", "host ms", "difference"):
        out.add_column(heading, justify="right", style="dim" if heading == "first ms" else "")
    out.add_column("")
    for r in results:
        verdict = "[green]equal[/]" if r.equal else "[bold red]WRONG[/]"
        times = [f"{1e3 * seconds:.3g}" for seconds in (r.first, r.seconds, r.host_seconds)]
        out.add_row(r.step, r.device, *times, f"{r.difference:.2g}", verdict)
    return out


def picture(photo: np.ndarray) -> np.ndarray:
    """Return the photograph before and after, everything in between computed on the device."""
    x = xp.asarray(photo)
    blurred = xp.cv.GaussianBlur(x, (5, 5), 0)
    gray = xp.asarray(cv2.cvtColor(xp.asnumpy(blurred), cv2.COLOR_BGR2GRAY))
    dx, dy = xp.cv.Sobel(gray, cv2.CV_32F, 1, 0), xp.cv.Sobel(gray, cv2.CV_32F, 0, 1)
    out = xp.empty(photo.shape, dtype=xp.float32)
    pen_drawing[photo.shape[:2]](x, dx, dy, 0.01, out)
    edges = xp.asnumpy(xp.sqrt(dx * dx + dy * dy))
    edges = np.repeat(np.clip(edges, 0, 255).astype(np.uint8)[..., None], 3, axis=2)
    drawn = np.clip(np.rint(xp.asnumpy(out)), 0, 255).astype(np.uint8)
    return side_by_side({"before": photo, "edges (Sobel)": edges, "after (pen_drawing)": drawn})


def main() -> int:
    """Take the tour; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    xp.add_device_option(parser)
    parser.add_argument("--image", type=Path, metavar="FILE", help="your own photograph; any format that OpenCV reads")
    parser.add_argument("--output", type=Path, metavar="PNG", help="the before/after picture (tour-<device>.png)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the table's figures there")
    options = parser.parse_args()

    from rich.console import Console

    console = Console()
    try:
        device = xp.current_device()
        photo, origin = load(options.image)
    except (PhotographError, xp.DeviceNotFoundError) as error:
        parser.error(str(error))
    if str(device) == "interpreter":
        parser.error("the interpreter would need hours for this; examples/kernels/ has work of its size")
    console.print(f"photograph: {origin}", highlight=False, markup=False, soft_wrap=True)

    results = [run(step, device) for step in steps(photo)]
    console.print(table(results, device))
    output = options.output or Path(f"tour-{str(device).replace(':', '-')}.png")
    try:
        cv2.imencode(".png", picture(photo))[1].tofile(output)
    except OSError as error:
        parser.error(f"cannot write {output}: {error.strerror or error}")
    console.print(f"picture: {output}", highlight=False, markup=False, soft_wrap=True)

    wrong = [r.step for r in results if not r.equal]
    if options.json:
        figures = {
            "device": str(device),
            "name": device.info.name,
            "driver": device.info.driver,
            "steps": [asdict(r) | {"equal": r.equal} for r in results],
        }
        options.json.write_text(json.dumps(figures, indent=2), encoding="utf-8")
    if wrong:
        console.print(f"[bold red]differs from the reference: {', '.join(wrong)}[/]", highlight=False)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
