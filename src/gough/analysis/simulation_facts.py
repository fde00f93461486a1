"""Settings and ending of a simulation, as stored in results."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from math import inf
from typing import Self

from gough.disk.plain_data import PlainMapping


@dataclass(frozen=True)
class ControllerFacts:
    """The law that was followed, with its gains and their units by name."""

    kind: str = ""
    description: str = ""
    gains: PlainMapping = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    clips: bool = False
    """Whether the reference was clipped at the travel of the actuators."""


@dataclass(frozen=True)
class SamplingFacts:
    """Sampling of the controller: its period [s], and its delay [samples]."""

    period: float | None = None
    substeps: int = 1
    delay: int = 0
    joint_space: bool = False
    order: int = 4
    """Order of the Runge-Kutta method of fixed steps."""


@dataclass(frozen=True)
class SensorFacts:
    """Errors of the encoders, and how speeds follow from their readings."""

    resolution: float = 0.0
    """Step of the encoders [m, rad]; zero for none."""
    noise: float = 0.0
    """Standard deviation of the noise of each reading [m, rad]."""
    speed_filter: float | None = None
    """Speeds are differences of readings through a low-pass of this time constant [s]; zero for no
    filter. None: speeds are known exactly."""


@dataclass(frozen=True)
class Ended:
    """Why a run ended, and when [s]."""

    kind: str = "completed"
    time: float | None = None
    samples: int | None = None
    text: str = ""


RUN = "run"
"""The key of a study's data that says how a simulation was run and how it ended."""


@dataclass(frozen=True)
class Simulation:
    """Settings and ending of a run. Unknown entries have their defaults."""

    controller: ControllerFacts = ControllerFacts()
    sampling: SamplingFacts = SamplingFacts()
    integrator: PlainMapping = field(default_factory=dict)
    sensors: SensorFacts | None = None
    saturated: bool | None = None
    limits: tuple[float, ...] = ()
    """Maximum command of each leg, in the command's unit; infinite where there is none."""
    seed: int | None = None
    ended: Ended = Ended()
    others: PlainMapping = field(default_factory=dict)
    """Whatever else was written down."""

    @classmethod
    def from_dict(cls, data: PlainMapping) -> Self:
        """The record of what a study's file has under "simulation"."""
        known = {f.name for f in fields(cls)} - {"others"}
        facts = {name: value for name, value in data.items() if name in known}
        facts |= {name: kind(**facts[name]) for name, kind in _KINDS.items() if name in facts}
        facts["limits"] = tuple(inf if x is None else float(x) for x in facts.get("limits", ()))
        return cls(**facts, others={k: v for k, v in data.items() if k not in known})

    @property
    def ended_early(self) -> bool:
        """Whether it stopped before its time."""
        return self.ended.kind != "completed"


_KINDS = {
    "controller": ControllerFacts,
    "sampling": SamplingFacts,
    "sensors": SensorFacts,
    "ended": Ended,
}
