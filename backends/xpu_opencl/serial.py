"""Devices of implementations that only one thread may use.

Oclgrind runs queued work inside whichever call waits for it, and ends the process ("Assertion m_kernelInvocation ==
NULL failed") when a second thread comes in meanwhile, even with a queue of its own. Its check for uninitialised reads
keeps what it knows with the thread that made the context, and crashes in any other. So one thread of ours does it all.
"""

from __future__ import annotations

import functools
import os
import queue
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import numpy as np

from .device import OpenCLDevice, platform_word
from .memory import Block, Blocks

_SINGLE_THREADED = frozenset(["oclgrind"])
_CALLS = (
    "open allocate free copy_in copy_out copy_within fill adopt release compile load launch synchronize new_stream "
    "record elapsed finish"
)


def device_class(platform: Any) -> type[OpenCLDevice]:
    """Return the class for a platform's devices."""
    return SerialDevice if platform_word(platform.name) in _SINGLE_THREADED else OpenCLDevice


class WholeBlocks(Blocks):
    """Blocks that the host writes whole, and by copies alone.

    Oclgrind 21.10 takes memory for uninitialised that clEnqueueFillBuffer filled, and all but the last part of a buffer
    that was written in parts.
    """

    def touch(self, block: Block) -> None:
        pass

    def copy_in(self, block: Block, offset: int, host: np.ndarray) -> None:
        whole = host
        if host.nbytes < block.nbytes:
            whole = np.empty(block.nbytes, np.uint8)
            self.copy_out(block, 0, whole)
            whole[offset : offset + host.nbytes] = host
        super().copy_in(block, 0, whole)

    def copy_within(self, target: Block, target_offset: int, source: Block, source_offset: int, nbytes: int) -> None:
        between = np.empty(nbytes, np.uint8)
        self.copy_out(source, source_offset, between)
        self.copy_in(target, target_offset, between)

    def fill(self, block: Block, offset: int, nbytes: int, pattern: bytes) -> None:
        self.copy_in(block, offset, np.frombuffer(pattern * (nbytes // len(pattern)), np.uint8))


class SerialDevice(OpenCLDevice):
    """A device whose every call runs in one thread."""

    blocks_class = WholeBlocks


class _Worker:
    """The thread that works for all such devices: the implementation shares its state between them."""

    def __init__(self) -> None:
        self._work: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]]] = queue.SimpleQueue()
        self._pid = os.getpid()
        # A daemon: a pool's threads are gone before the objects that must still be freed.
        self._thread = threading.Thread(target=self._loop, name="xpu-opencl-serial", daemon=True)
        self._thread.start()

    def _loop(self) -> None:
        while True:
            future, call = self._work.get()
            try:
                future.set_result(call())
            except BaseException as error:
                future.set_exception(error)

    def __call__(self, call: Callable[[], Any]) -> Any:
        if threading.current_thread() is self._thread or os.getpid() != self._pid or sys.is_finalizing():
            return call()
        future: Future[Any] = Future()
        self._work.put((future, call))
        return future.result()


_worker = functools.cache(_Worker)


def _in_one_thread(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(*arguments: Any, **named: Any) -> Any:
        return _worker()(functools.partial(method, *arguments, **named))

    return call


for _name in _CALLS.split():
    setattr(SerialDevice, _name, _in_one_thread(getattr(SerialDevice, _name)))
