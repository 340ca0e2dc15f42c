"""A pool of threads that run one native function over slices of its work.

The calling thread always takes part, so a launch never waits for a thread that is busy with another one. Threads draw
chunks from a counter that belongs to the launch.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from typing import Any

Work = Callable[[], None]


def limit() -> int:
    """Return how many threads to use: ``XPU_NUM_THREADS``, else the processors this process may run on."""
    text = os.environ.get("XPU_NUM_THREADS", "").strip()
    if text:
        try:
            count = int(text)
        except ValueError:
            count = 0
        if count < 1:
            raise ValueError(f"XPU_NUM_THREADS={text!r} is not a positive number")
        return count
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Launch:
    """One job offered to the pool: places that threads may take until the caller withdraws what is left."""

    __slots__ = ("done", "places", "work")

    def __init__(self, work: Work, places: int) -> None:
        self.work = work
        self.places = list(range(places))
        self.done: queue.SimpleQueue[None] = queue.SimpleQueue()

    def take(self) -> bool:
        try:
            self.places.pop()
        except IndexError:
            return False
        return True


class Pool:
    """Worker threads, started when first needed, and again after a fork."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._reset()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._queue: queue.SimpleQueue[Launch] = queue.SimpleQueue()
        self._workers = 0
        self._size = 0

    @property
    def size(self) -> int:
        """How many threads take part in a launch, the caller's included."""
        if not self._size:
            self._size = limit()
        return self._size

    @size.setter
    def size(self, count: int) -> None:
        self._size = count

    def _start(self) -> None:
        with self._lock:
            while self._workers < self.size - 1:
                name = f"xpu-cpu-{self._workers}"
                threading.Thread(target=_work, args=(self._queue,), name=name, daemon=True).start()
                self._workers += 1

    def run(self, work: Work, threads: int) -> None:
        """Run ``work`` in the calling thread and in up to ``threads - 1`` others; return when all have ended."""
        helpers = min(threads, self.size) - 1
        if helpers < 1:
            work()
            return
        if self._workers < self.size - 1:
            self._start()
        launch = Launch(work, helpers)
        for _ in range(helpers):
            self._queue.put(launch)
        try:
            work()
        finally:
            while launch.take():  # nobody came for these: not needed any more
                helpers -= 1
            for _ in range(helpers):
                launch.done.get()


def _work(offers: queue.SimpleQueue[Any]) -> None:
    while True:
        launch = offers.get()
        if launch.take():
            try:
                launch.work()
            finally:
                launch.done.put(None)
        launch = None


pool = Pool()
