"""The tables of a simulation in a study file: controller, plant, simulation, cases."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from gough.equations.actuators.connector import Mode
from gough.fields.quantities import (
    Direction,
    Point,
    Quantity,
    Restitution,
    Stiffness,
    Whole,
    YesOrNo,
)
from gough.fields.table import Table
from gough.fields.units import LENGTH, NUMBER, Dimension
from gough.fields.user_files import LARGEST_INTEGER
from gough.simulation.sampling import LONGEST_DELAY, MOST_SUBSTEPS
from gough.studies.reading import MOST_SAMPLES

_TIME = Dimension("a time", "s", '0.001 or "1 ms"')
_FREQUENCY = Dimension("a frequency", "1/s", '5 or "5 Hz"')
Period = Annotated[float, Quantity(_TIME, above=0.0)]
Time = Annotated[float, Quantity(_TIME, at_least=0.0)]
Frequency = Annotated[float, Quantity(_FREQUENCY, above=0.0)]
Rate = Annotated[float, Quantity(_FREQUENCY, at_least=0.0)]
NotNegativeLength = Annotated[float, Quantity(LENGTH, at_least=0.0)]
Positive = Annotated[float, Quantity(NUMBER, above=0.0)]
NotNegative = Annotated[float, Quantity(NUMBER, at_least=0.0)]
Tolerance = Annotated[float, Quantity(NUMBER, above=0.0, at_most=1e-3)]
Substeps = Annotated[int, Whole(1, MOST_SUBSTEPS)]
Delay = Annotated[int, Whole(0, LONGEST_DELAY)]
Every = Annotated[int, Whole(1, MOST_SAMPLES)]
Seed = Annotated[int, Whole(0, LARGEST_INTEGER)]


class WrittenSimulation(Table):
    """The [simulation] table: when and how exactly the controller looks, and how to integrate."""

    period: Period = Field(1e-3, description="Between samples [s]; the command is held.")
    substeps: Substeps = Field(1, description="Steps of RK4 in a period.")
    delay: Delay = Field(0, description="Samples until a command acts.")
    resolution: NotNegativeLength = Field(0.0, description="Of the encoders [m].")
    noise: NotNegativeLength = Field(0.0, description="Standard deviation of readings [m].")
    speed_filter: Time | None = Field(
        None, description="Time constant [s] of speeds from readings. Left out: exact speeds."
    )
    saturated: YesOrNo = Field(True, description="Whether commands are cut off at limits.")
    duration: Period | None = Field(None, description="Of the run [s]. Left out: the motion's.")
    every: Every = Field(
        1, description="Of so many samples one is kept; peaks between are not seen."
    )
    seed: Seed = Field(0, description="Of the noise.")
    integrator: Literal["RK4", "DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA"] = Field(
        "RK4", description="RK4 is compiled into the loop; the others adapt their steps."
    )
    tolerance: Tolerance = Field(1e-9, description="Relative, of integrators that adapt.")


class WrittenController(Table):
    """The [controller] table: gains by name, or poles from which they follow, frequency in Hz."""

    kind: str = Field(description="Which law.")
    gains: dict[str, Any] | None = Field(None, description="By name, in SI units.")
    space: Literal["joint", "task"] = Field(
        "joint", description="Of computed torque: errors of the legs, or of the platform."
    )
    command: Literal["force", "voltage"] = Field(
        "force", description="Of the open loop: what it gives."
    )
    frequency: Frequency | None = Field(None, description="Of the poles [Hz], instead of gains.")
    damping: Positive = Field(1.0, description="Of the poles.")
    integral_rate: Rate = Field(0.0, description="Pole of a PID's integral [1/s].")


class WrittenSurface(Table):
    """The [plant.surface] table: something flat that a point of the platform may lean on."""

    tool: Point = Field((0.0, 0.0, 0.0), description="The platform's point [m], platform axes.")
    point: Point = Field(description="A point of the surface [m], base axes.")
    normal: Direction = Field((0.0, 0.0, 1.0), description="Out of the material, base axes.")
    stiffness: Stiffness = Field(description="[N/m]")
    restitution: Restitution = Field(0.5, description="Share of its speed that a body keeps.")
    friction: NotNegative = Field(0.0, description="Coefficient of dry friction.")


class WrittenPlant(Table):
    """The [plant] table: what of the robot's file is simulated beside rigid bodies."""

    legs: Mode = Field("rigid", description="Operating mode of yielding legs.")
    drives: YesOrNo = Field(False, description="Motors and screws instead of ideal actuators.")
    joint_friction: YesOrNo = Field(False, description="In the passive joints.")
    stops: YesOrNo = Field(False, description="End stops to bounce off.")
    surface: WrittenSurface | None = None


class WrittenCase(Table):
    """One of the [[cases]]: the study with other values, to be compared with the others."""

    name: str = Field(pattern=r"^\w[\w ,.+()-]*$", description="Also the name of its folder.")
    changes: dict[str, Any] = Field(
        description='Other values at some paths: "plant.legs" = "simple".'
    )
