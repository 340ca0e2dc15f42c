"""Devices to test the suite with: a sound one of a few dozen lines, poor ones, and broken ones derived from it."""

from __future__ import annotations

import copy
import dataclasses
import re
from contextlib import contextmanager
from typing import Any

import numpy as np

from xpu.backend import Backend, BackendDevice, Compiled, DeviceInfo, LaunchRefused, Layer, Limits
from xpu.device import get_device, registry
from xpu.kernel import ir
from xpu.kernel.interpreter import Program
from xpu.memory import contiguous_strides

POISON = 0xEF


class Everything:
    """Stands for a map of written bytes in which all are, of any size."""

    size = 0

    def all(self, axis=None):
        return True

    def reshape(self, *shape):
        return self

    def __getitem__(self, key):
        return self


class Memory:
    """A block: bytes of NumPy's. Fresh ones hold poison; very large ones are left untouched, so that they cost nothing."""

    written = Everything()

    def __init__(self, nbytes: int) -> None:
        self.data = np.full(nbytes, POISON, np.uint8) if nbytes < 1 << 24 else np.empty(nbytes, np.uint8)


class Kernel(Compiled):
    def __init__(self, source: Any, node: ir.Kernel) -> None:
        self.source = source
        self.program = Program(node)


class Sound(BackendDevice):
    """Fulfils the contract: memory in NumPy, code through the interpreter's engine, no library."""

    printer = "interpreter"
    listed = False
    pool_limit = 0
    info = DeviceInfo("Sound", "tests", "accelerator", driver="1", memory=1 << 30, limits=Limits(max_work_group=64))

    # -- memory

    def allocate(self, nbytes):
        if nbytes > self.info.memory:
            raise MemoryError(f"{nbytes} bytes")
        return Memory(nbytes)

    def free(self, block):
        pass

    def copy_in(self, block, offset, host):
        block.data[offset : offset + host.size] = host

    def copy_out(self, block, offset, host):
        host[...] = block.data[offset : offset + host.size]

    def copy_within(self, target, target_offset, source, source_offset, nbytes):
        target.data[target_offset : target_offset + nbytes] = source.data[source_offset : source_offset + nbytes].copy()

    def fill(self, block, offset, nbytes, pattern):
        block.data[offset : offset + nbytes] = np.frombuffer(pattern * (nbytes // len(pattern)), np.uint8)

    # -- code

    def compile(self, source):
        return Kernel(source, source.ir)

    def launch(self, compiled, global_size, local_size, arguments, stream=None):
        limit = self.info.limits.max_work_group
        if local_size is not None and np.prod(local_size) > limit:
            raise LaunchRefused(f"at most {limit}")
        self.execute(compiled, global_size, local_size, list(arguments))

    def execute(self, compiled, global_size, local_size, arguments):
        compiled.program.run(global_size, local_size, arguments, self.info.limits.max_work_group)

    # -- order

    def synchronize(self, stream=None):
        pass


class Poor(Sound):
    """Declares as little as a device may: no fp64, no 64-bit atomics, tiny groups, little local memory."""

    info = DeviceInfo(
        "Poor", "tests", "gpu", driver="1", memory=1 << 28, fp64=False, fp16=False, atomics64=False,
        limits=Limits(max_work_group=8, max_work_items=(8, 8, 8), local_memory=2048, max_allocation=1 << 26),
    )  # fmt: skip


class Vectors(Sound):
    """Likes short vectors."""

    info = dataclasses.replace(Sound.info, name="Vectors", limits=Limits(max_work_group=64, vector_bytes=16))


class Roomy(Sound):
    """Has memory for arrays of more than 2 GiB."""

    info = dataclasses.replace(Sound.info, name="Roomy", memory=1 << 36)


# ------------------------------------------------------------------------------------------------------- broken


class DropsTheLast(Sound):
    """A guard that is off by one: the last work-item does nothing where sizes are no multiple of four."""

    def execute(self, compiled, global_size, local_size, arguments):
        last = compiled.source.rank - 1
        arguments[last] = np.int64(int(arguments[last]) - (int(arguments[last]) % 4 != 0))
        super().execute(compiled, global_size, local_size, arguments)


class _Rewrites(Sound):
    """Changes some arguments by their names."""

    def execute(self, compiled, global_size, local_size, arguments):
        names = [parameter.name for parameter in compiled.source.parameters]
        self.rewrite(dict(zip(names, range(len(names)), strict=True)), arguments)
        super().execute(compiled, global_size, local_size, arguments)

    def rewrite(self, places, arguments):
        raise NotImplementedError


class IgnoresStrides(_Rewrites):
    """Walks every array as if it were contiguous."""

    def rewrite(self, places, arguments):
        for name, place in places.items():
            found = re.fullmatch(r"(\w+)_s0", name)
            if found is None:
                continue
            stem = found[1]
            rank = sum(f"{stem}_s{axis}" in places for axis in range(8))
            extents = [places.get(f"{stem}_n{axis}", places.get(f"n{axis}")) for axis in range(rank)]
            if f"{stem}_base" in places:  # a fused kernel: strides over the index space
                extents = [places.get(f"n{axis}") for axis in range(rank)]
            if None in extents:
                continue
            strides = contiguous_strides(tuple(int(arguments[k]) for k in extents))
            for axis, stride in enumerate(strides):
                arguments[place + axis] = np.int64(stride)


class IgnoresOffsets(_Rewrites):
    """Starts every array at the beginning of its block."""

    def rewrite(self, places, arguments):
        for name, place in places.items():
            if name.endswith("_offset"):
                arguments[place] = np.int64(0)


class CountsIn32Bits(_Rewrites):
    """Computes where an array begins in 32 bits."""

    info = Roomy.info

    def rewrite(self, places, arguments):
        for name, place in places.items():
            if name.endswith(("_offset", "_base")):
                arguments[place] = np.int64(np.array(arguments[place]).astype(np.int32))


class LosesInPlaceWrites(Sound):
    """Leaves out a kernel that writes to what it reads."""

    def execute(self, compiled, global_size, local_size, arguments):
        read, written = set(), set()
        at = compiled.source.rank
        for param in compiled.source.ir.params:
            if isinstance(param.type, ir.ArrayType):
                (written if param.written else read).add(id(arguments[at]))
                at += 2 + param.type.ndim * (1 if param.type.contiguous else 2)
            else:
                at += 1
        if not read & written:
            super().execute(compiled, global_size, local_size, arguments)


class NaNLoses(Sound):
    """Has C's minimum and maximum where NumPy's are meant."""

    def compile(self, source):
        node = copy.deepcopy(source.ir)
        for item in ir.all_bodies(node):
            if isinstance(item, ir.Call) and item.function in ("minimum", "maximum"):
                item.function = {"minimum": "fmin", "maximum": "fmax"}[item.function]
        return Kernel(source, node)


class CopiesFromTheStart(Sound):
    """Forgets the offset of the source when it copies within the device."""

    def copy_within(self, target, target_offset, source, source_offset, nbytes):
        super().copy_within(target, target_offset, source, 0, nbytes)


class FillsWithOneByte(Sound):
    """Repeats the first byte of a pattern only."""

    def fill(self, block, offset, nbytes, pattern):
        super().fill(block, offset, nbytes, pattern[:1])


class ReadsTooEarly(Sound):
    """Does not wait for the launches before a read."""

    def __init__(self):
        self.queue = []

    def execute(self, compiled, global_size, local_size, arguments):
        self.queue.append((compiled, global_size, local_size, arguments))

    def synchronize(self, stream=None):
        queue, self.queue = self.queue, []
        for item in queue:
            super().execute(*item)

    def copy_in(self, block, offset, host):
        self.synchronize()
        super().copy_in(block, offset, host)

    def copy_out(self, block, offset, host):
        super().copy_out(block, offset, host)
        self.synchronize()


class RoundsTheIndexSpaceUp(Sound):
    """Lets the work-items beyond the global size run, too."""

    def execute(self, compiled, global_size, local_size, arguments):
        last = compiled.source.rank - 1
        size = (*global_size[:-1], -(-global_size[-1] // 8) * 8)
        arguments[last] = np.int64(size[-1])
        super().execute(compiled, size if local_size is None else global_size, local_size, arguments)


class SwapsAxes(Sound):
    """Takes the first axis for the one whose neighbours run side by side."""

    def compile(self, source):
        node = copy.deepcopy(source.ir)
        for item in ir.all_bodies(node):
            if isinstance(item, ir.WorkItem) and item.function == "group_id" and node.rank > 1:
                item.axis = node.rank - 1 - item.axis
        return Kernel(source, node)


@contextmanager
def registered(cls, name="guest"):
    """Register a device for a while, under a name of its own."""

    class Guest(Backend):
        pass

    Guest.name = name

    class Found(Guest):
        def devices(self):
            return [cls()]

        def diagnose(self):
            return Layer(name, True)

    registry.register(Found())
    try:
        yield get_device(name)
    finally:
        registry.unregister(name)
