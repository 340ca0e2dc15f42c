"""Run a program on devices and compare what it gives."""

from __future__ import annotations

import linecache
import traceback
from dataclasses import dataclass
from typing import Any

import numpy as np

from .program import Argument, Program

REFERENCE = "interpreter"


def value_of(argument: Argument, seed: int) -> Any:
    """Return an argument's value on the host, the same for the same seed and name."""
    rng = np.random.default_rng([seed, *argument.name.encode()])
    dtype = np.dtype(argument.dtype)
    if argument.role == "firm":
        return random_values(rng, (1,), dtype)[0]
    if argument.shape is None:
        return int(rng.integers(0, 6)) if dtype.kind == "i" else float(rng.choice([0.0, 0.5, 1.25, 3.0]))
    if argument.role == "out":
        return np.zeros(argument.shape, dtype)
    if argument.role == "atomic":
        return rng.integers(0, 9, argument.shape).astype(dtype)
    return random_values(rng, argument.shape, dtype)


def random_values(rng: np.random.Generator, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray:
    """Return numbers among which the awkward ones are frequent."""
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        corners = np.array([0, 1, 2, 3, int(info.max), int(info.min), int(info.max) - 1, int(info.max) // 2 + 1], dtype)
        small = rng.integers(max(-20, int(info.min)), 21, shape).astype(dtype)
        full = rng.integers(info.min, info.max, shape, dtype, endpoint=True)
        pick = rng.random(shape)
        return np.where(pick < 0.3, rng.choice(corners, shape), np.where(pick < 0.8, small, full))
    if dtype.kind == "c":
        return (rng.integers(-20, 21, shape) / 4 + 1j * rng.integers(-4, 5, shape)).astype(dtype)
    corners = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 0.5, 1e4])
    plain = np.where(rng.random(shape) < 0.3, rng.integers(-20, 21, shape) / 4, rng.normal(0, 8, shape))
    return np.where(rng.random(shape) < 0.15, rng.choice(corners, shape), plain).astype(dtype)


def compile_source(program: Program) -> Any:
    """Return the kernel object of a program's source."""
    source = program.source()
    name = f"<program {program.seed}-{abs(hash(source)):x}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    namespace: dict[str, Any] = {"__name__": "program"}
    exec(compile(source, name, "exec"), namespace)
    return namespace["k"]


def on_device(host: np.ndarray, layout: str, device: str) -> Any:
    """Return a device array with a host array's values, laid out as wanted."""
    import xpu as xp

    if layout == "strided":
        wide = np.zeros((*host.shape[:-1], 2 * host.shape[-1]), host.dtype)
        wide[..., ::2] = host
        return xp.asarray(wide, device=device)[..., ::2]
    if layout == "reversed":
        return xp.asarray(np.ascontiguousarray(host[..., ::-1]), device=device)[..., ::-1]
    return xp.asarray(host, device=device)


def run(program: Program, device: str, kernel: Any = None) -> dict[str, np.ndarray]:
    """Run a program on a device; return its outputs by name."""
    import xpu as xp

    kernel = kernel or compile_source(program)
    arguments: list[Any] = []
    outputs: dict[str, Any] = {}
    for argument in program.arguments:
        value = value_of(argument, program.seed)
        if argument.shape is not None:
            value = on_device(value, argument.layout, device)
            if argument.role != "in":
                outputs[argument.name] = value
        arguments.append(value)
    with xp.device(device):
        if program.local_size is None:
            size = program.global_size
            kernel[size[0] if len(size) == 1 else size](*arguments)
        elif len(program.global_size) == 1:
            kernel[program.global_size[0], program.local_size[0]](*arguments)
        else:
            kernel[program.global_size, program.local_size](*arguments)
        return {name: xp.asnumpy(array) for name, array in outputs.items()}


@dataclass
class Failure:
    """A device that disagrees with the reference, or raises."""

    program: Program
    device: str
    kind: str
    text: str


def differences(expected: dict[str, np.ndarray], got: dict[str, np.ndarray]) -> str:
    """Return where two results differ in their bits (all NaNs are alike); empty where they do not."""
    for name, right in expected.items():
        left = got[name]
        unequal = bits(left) != bits(right)
        if right.dtype.kind == "c":  # some compilers take a factor r + 0i for r: other signs of zero, fewer NaNs
            unequal &= (left != right) & (np.isfinite(right) | np.isfinite(left))
        if unequal.any():
            where = tuple(int(k) for k in np.argwhere(unequal)[0])
            return f"{name}[{', '.join(map(str, where))}]: {left[where]!r} instead of {right[where]!r}"
    return ""


def bits(array: np.ndarray) -> np.ndarray:
    """Return numbers as integers of their bits, with one NaN."""
    if array.dtype.kind == "c":
        part = np.float32 if array.dtype.itemsize == 8 else np.float64
        both = bits(np.ascontiguousarray(array).view(part).reshape(*array.shape, 2))
        return both[..., 0] ^ (both[..., 1] * np.array(31, both.dtype))
    if array.dtype.kind != "f":
        return array
    clean = np.where(np.isnan(array), np.array(np.nan, array.dtype), array)
    return clean.view(f"u{array.dtype.itemsize}")


def check(program: Program, devices: list[str]) -> Failure | None:
    """Run a program on the reference and on devices; return the first disagreement."""
    try:
        kernel = compile_source(program)
        expected = run(program, REFERENCE, kernel)
    except Exception as error:
        return Failure(program, REFERENCE, type(error).__name__, _text(error))
    for device in devices:
        try:
            difference = differences(expected, run(program, device, kernel))
        except Exception as error:
            return Failure(program, device, type(error).__name__, _text(error))
        if difference:
            return Failure(program, device, "values", difference)
    return None


def _text(error: Exception) -> str:
    return "".join(traceback.format_exception(error, limit=-4))


def shrink(failure: Failure, budget: int = 400) -> Failure:
    """Return a smaller program that fails on the same device in the same way."""
    best = failure
    progress = True
    while progress and budget > 0:
        progress = False
        for candidate in best.program.smaller():
            budget -= 1
            if budget <= 0:
                break
            found = check(candidate, [best.device] if best.device != REFERENCE else [])
            if found is not None and (found.device, found.kind) == (best.device, best.kind):
                best, progress = found, True
                break
    return best


def report(failure: Failure) -> str:
    """Return a failure as a text to paste: the source, the launch, the inputs, what was seen."""
    program = failure.program
    lines = [f"seed {program.seed}, device {failure.device}: {failure.kind}", failure.text, "", program.source()]
    lines.append(f"# launch: global {program.global_size}, local {program.local_size}")
    for argument in program.arguments:
        if argument.role != "out":
            value = value_of(argument, program.seed)
            shown = np.array2string(value, threshold=50, max_line_width=110) if argument.shape else repr(value)
            lines.append(f"# {argument.name} ({argument.dtype}, {argument.layout}) = {shown}".replace("\n", "\n#   "))
    return "\n".join(lines)
