"""The report as data: made by ``collect``, printed by ``show``, written by ``xpu info --json``."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from ..backend import Layer


@dataclass(slots=True)
class DeviceReport:
    """One device that a backend lists, working or not."""

    device: str
    """Its device string: what ``xp.set_device`` takes."""
    name: str
    vendor: str
    kind: str
    driver: str
    memory: int
    compute_units: int
    fp64: bool
    fp16: bool
    unified_memory: bool
    aliases: list[str]
    failure: str | None
    """Why the device cannot be used, with the remedy where one is known; None if the probe kernel ran."""
    speed: float
    """Elements a second in the probe kernel; it decides among devices of the same kind."""
    limits: dict[str, Any] = field(default_factory=dict)
    listed: bool = True
    """Whether ``xp.devices()`` names it: the interpreter, a tool for kernel authors, is found only by its name."""

    @property
    def works(self) -> bool:
        """Whether the probe kernel ran."""
        return self.failure is None


@dataclass(slots=True)
class BackendReport:
    """One backend: its layers and its devices."""

    name: str
    layers: Layer
    devices: list[DeviceReport] = field(default_factory=list)

    @property
    def works(self) -> bool:
        """Whether at least one device works."""
        return any(device.works for device in self.devices)

    def broken(self) -> Layer | None:
        """Return the layer to mend first, or None if all is well."""
        return self.layers.first_broken()


@dataclass(slots=True)
class Choice:
    """What a device string leads to."""

    asked: str
    device: str | None
    failure: str | None = None


@dataclass(slots=True)
class Report:
    """All that ``xpu info`` knows."""

    versions: dict[str, str]
    environment: dict[str, str]
    """The variables that change what xpu finds, where they are set."""
    backends: list[BackendReport]
    current: Choice
    auto: Choice

    def devices(self) -> list[DeviceReport]:
        """Return the devices of all backends."""
        return [device for backend in self.backends for device in backend.devices]

    def to_dict(self) -> dict[str, Any]:
        """Return the report as what ``json.dumps`` takes."""
        data = asdict(self)
        for backend, plain in zip(self.backends, data["backends"], strict=True):
            broken = backend.broken()
            plain["works"] = backend.works
            plain["first_broken"] = None if broken is None else asdict(broken) | {"children": []}
            for device, plain_device in zip(backend.devices, plain["devices"], strict=True):
                plain_device["works"] = device.works
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Report:
        """Return the report that :meth:`to_dict` gave."""
        return cls(
            versions=data["versions"],
            environment=data["environment"],
            backends=[_backend(item) for item in data["backends"]],
            current=Choice(**data["current"]),
            auto=Choice(**data["auto"]),
        )


def _backend(data: dict[str, Any]) -> BackendReport:
    devices = [DeviceReport(**_without(item, "works")) for item in data["devices"]]
    return BackendReport(data["name"], _layer(data["layers"]), devices)


def _without(data: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key != name}


def _layer(data: dict[str, Any]) -> Layer:
    children = [_layer(child) for child in data["children"]]
    return Layer(data["name"], data["ok"], data["detail"], data["remedy"], children)
