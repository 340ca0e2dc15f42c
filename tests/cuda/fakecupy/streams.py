"""Streams and events. Everything is done at once, so there is nothing to wait for."""

from __future__ import annotations

import time
from typing import Any

from .machine import machine


class Stream:
    """A stream; ``Stream.null`` is the default one."""

    null: Stream
    _next = 1

    def __init__(self, null: bool = False, non_blocking: bool = False) -> None:
        if null:
            self.ptr = 0
        else:
            self.ptr = Stream._next
            Stream._next += 1
        self.non_blocking = non_blocking
        self.device_id = machine.current

    def __enter__(self) -> Stream:
        machine.enter("stream_enter", self.ptr)
        return self

    def __exit__(self, *exc: Any) -> None:
        pass

    def synchronize(self) -> None:
        machine.enter("streamSynchronize", self.ptr)


Stream.null = Stream(null=True)


class Event:
    """A point of a stream, in time."""

    def __init__(self) -> None:
        self.time: float | None = None

    def record(self, stream: Stream) -> None:
        machine.enter("eventRecord", stream.ptr)
        self.time = time.perf_counter()

    def synchronize(self) -> None:
        machine.enter("eventSynchronize")


def get_elapsed_time(start: Event, stop: Event) -> float:
    """Return milliseconds."""
    assert start.time is not None and stop.time is not None
    return (stop.time - start.time) * 1000
