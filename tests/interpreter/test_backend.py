"""The interpreter as a device, and a third party's backend on the same engine."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import pytest

from xpu.backend import Backend, BackendDevice, Compiled, DeviceInfo, LaunchRefused, Layer
from xpu.device import devices, get_device, registry
from xpu.errors import KernelLaunchError, KernelRaceError
from xpu.kernel import ir
from xpu.kernel.build import build
from xpu.kernel.interpreter import Block, Program
from xpu.memory import Storage, View

from .hand import F32, array, binary, const, gid, kernel, lid, load, local, store


class GuestCompiled(Compiled):
    def __init__(self, source: Any) -> None:
        self.program = Program(source.ir)


class GuestDevice(BackendDevice):
    """A whole backend: memory, code and order in a few lines, the rest is xpu's."""

    printer = "interpreter"
    listed = False

    def __init__(self) -> None:
        self.info = DeviceInfo("guest", "somebody", "accelerator", memory=1 << 30)
        self.launches = 0

    def allocate(self, nbytes):
        return Block(nbytes)

    def free(self, block):
        pass

    def copy_in(self, block, offset, host):
        block.write(offset, host)

    def copy_out(self, block, offset, host):
        block.read(offset, host)

    def copy_within(self, target, target_offset, source, source_offset, nbytes):
        target.copy(target_offset, source, source_offset, nbytes)

    def fill(self, block, offset, nbytes, pattern):
        block.fill(offset, nbytes, pattern)

    def compile(self, source):
        return GuestCompiled(source)

    def launch(self, compiled, global_size, local_size, arguments, stream=None):
        if local_size is not None and np.prod(local_size) > 16:
            raise LaunchRefused("at most 16")
        self.launches += 1
        compiled.program.run(global_size, local_size, arguments)

    def synchronize(self, stream=None):
        pass


class GuestBackend(Backend):
    name: ClassVar[str] = "guest"

    def __init__(self) -> None:
        self.device = GuestDevice()

    def devices(self):
        return [self.device]

    def diagnose(self):
        return Layer("guest", True)


@pytest.fixture
def guest():
    backend = GuestBackend()
    registry.register(backend)
    yield get_device("guest")
    registry.unregister("guest")


def reverse_in_groups():
    mirrored = load("tile", binary("sub", const(3), lid()))
    body = [store("tile", load("a", gid()), lid()), ir.Barrier(), store("a", mirrored, gid())]
    return kernel([array("a", written=True)], body, arrays=[local("tile", 4)])


def launch_on(device, node, values, size, local_size=None):
    storage = Storage(device, values.nbytes)
    device.backend_device.copy_in(storage.block, 0, values.view(np.uint8))
    view = View(storage, values.dtype, values.shape, (1,))
    build(node, device).run(size, local_size, [view])
    device.synchronize()
    out = np.empty_like(values)
    device.backend_device.copy_out(storage.block, 0, out.view(np.uint8))
    return out


@pytest.mark.parametrize("name", ["interpreter", "guest"])
def test_both_run_kernels(name, guest):
    device = get_device(name)
    assert device.probe() is None
    out = launch_on(device, reverse_in_groups(), np.arange(8, dtype=np.float32), (8,), (4,))
    assert out.tolist() == [3, 2, 1, 0, 7, 6, 5, 4]


def test_the_interpreter_is_not_listed():
    assert all(d.backend_name != "interpreter" for d in devices())
    assert get_device("interpreter").probe() is None


@pytest.mark.parametrize("name", ["interpreter", "guest"])
def test_groups_that_are_too_large(name, guest):
    with pytest.raises(KernelLaunchError, match="refuses work-groups"):
        launch_on(get_device(name), reverse_in_groups(), np.zeros(4096, np.float32), (4096,), (4096,))


def test_every_block_is_fresh():
    device = get_device("interpreter")
    node = kernel([array("a", written=True)], [store("a", load("a", gid()), gid())])
    launch_on(device, node, np.zeros(64, np.float32), (64,))
    storage = Storage(device, 256)
    with pytest.raises(KernelRaceError, match="nothing has been written"):
        build(node, device).run((64,), None, [View(storage, np.dtype(np.float32), (64,), (1,))])


def test_strided_views():
    device = get_device("interpreter")
    node = kernel(
        [array("a", ndim=2, written=True, contiguous=False)], [store("a", const(1.0, F32), gid(0), gid(1))], rank=2
    )
    storage = Storage(device, 4 * 20)
    device.backend_device.fill(storage.block, 0, 80, b"\0")
    build(node, device).run((2, 3), None, [View(storage, np.dtype(np.float32), (2, 3), (8, -2), 6)])
    out = np.empty(20, np.float32)
    device.backend_device.copy_out(storage.block, 0, out.view(np.uint8))
    assert np.flatnonzero(out).tolist() == [2, 4, 6, 10, 12, 14]
