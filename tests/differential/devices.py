"""Which devices are compared, and what their programs may use."""

from __future__ import annotations

from .expressions import Config


def candidates() -> list[str]:
    """Return every device that works here, without the interpreter."""
    import xpu as xp

    return sorted(str(device) for device in xp.devices())


def config_for(devices: list[str]) -> Config:
    """Return what all of some devices can do; float16 is everywhere, in hardware or not."""
    from xpu.device import get_device

    return Config(fp64=all(get_device(name).info.fp64 for name in devices))
