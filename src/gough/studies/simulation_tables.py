"""The tables of a simulation in a study file: controller, plant, simulation, cases."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, WithJsonSchema

from gough.equations.actuators.connector import Mode
from gough.errors import InputError
from gough.fields.quantities import (
    DecayRate,
    Direction,
    Duration,
    Frequency,
    NotNegative,
    NotNegativeLength,
    Point,
    PositiveNumber,
    Restitution,
    Stiffness,
    TimeConstant,
    Tolerance,
    YesOrNo,
)
from gough.fields.table import Table
from gough.fields.user_files import LARGEST_INTEGER
from gough.fields.values import Whole
from gough.simulation.controllers import CONTROLLERS
from gough.simulation.loop import LONGEST_DELAY, MOST_SUBSTEPS
from gough.studies.reading import MOST_SAMPLES

Substeps = Annotated[int, Whole(1, MOST_SUBSTEPS)]
Delay = Annotated[int, Whole(0, LONGEST_DELAY)]
Every = Annotated[int, Whole(1, MOST_SAMPLES)]
Seed = Annotated[int, Whole(0, LARGEST_INTEGER)]


class WrittenSimulation(Table):
    """The [simulation] table: when and how exactly the controller looks, and how to integrate."""

    period: Duration = Field(1e-3, description="Between samples [s]; the command is held.")
    substeps: Substeps = Field(1, description="Steps of RK4 in a period.")
    delay: Delay = Field(0, description="Samples until a command acts.")
    resolution: NotNegativeLength = Field(0.0, description="Of the encoders [m].")
    noise: NotNegativeLength = Field(0.0, description="Standard deviation of readings [m].")
    speed_filter: TimeConstant | None = Field(
        None, description="Time constant [s] of speeds from readings. Left out: exact speeds."
    )
    saturated: YesOrNo = Field(True, description="Whether commands are cut off at limits.")
    duration: Duration | None = Field(None, description="Of the run [s]. Left out: the motion's.")
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

    kind: Annotated[str, WithJsonSchema({"enum": list(CONTROLLERS)})] = Field(
        description="Which law."
    )
    gains: dict[str, Any] | None = Field(None, description="By name, in SI units.")
    space: Literal["joint", "task"] = Field(
        "joint", description="Of computed torque: errors of the legs, or of the platform."
    )
    command: Literal["force", "voltage"] = Field(
        "force", description="Of the open loop: what it gives."
    )
    frequency: Frequency | None = Field(None, description="Of the poles [Hz], instead of gains.")
    damping: PositiveNumber = Field(1.0, description="Of the poles.")
    integral_rate: DecayRate = Field(0.0, description="Pole of a PID's integral [1/s].")


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


def _cases(value: object) -> object:
    if not isinstance(value, list) or not value:
        raise InputError("not a list", expected="[[cases]] tables")
    return value


class SimulationTables(Table):
    """The tables that only simulations have."""

    simulation: WrittenSimulation = Field(
        default_factory=WrittenSimulation,
        description="For 'gough simulate': sampling, sensors and integrator.",
    )
    controller: WrittenController = Field(
        description="For 'gough simulate': what follows the motion."
    )
    plant: WrittenPlant = Field(
        default_factory=WrittenPlant,
        description="For 'gough simulate': what of the machine is simulated beside rigid bodies.",
    )
    cases: Annotated[list[WrittenCase], BeforeValidator(_cases)] = Field(
        default_factory=list,
        description="For 'gough simulate': the study with other values, to be compared.",
    )
