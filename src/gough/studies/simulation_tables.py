"""The tables of a simulation in a study file, and what they make: controller, plant, cases."""

from __future__ import annotations

from inspect import signature
from math import pi
from typing import Annotated, Any, Literal, Self

import casadi as ca
import numpy as np
from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from gough.analysis.storage import FORMATS
from gough.arrays import Array
from gough.equations.actuators.connector import Mode
from gough.equations.contact.surface import Surface
from gough.errors import GoughError, InputError
from gough.fields.quantities import (
    AngularVelocity,
    DecayRate,
    Direction,
    Duration,
    Frequency,
    NotNegative,
    NotNegativeAngle,
    NotNegativeLength,
    Point,
    PositiveNumber,
    Restitution,
    Stiffness,
    TimeConstant,
    Tolerance,
    Velocity,
    YesOrNo,
)
from gough.fields.table import Table
from gough.fields.user_files import LARGEST_INTEGER
from gough.fields.values import Whole
from gough.kinematics.model import Model
from gough.model.structure import structure_of
from gough.motion.tables import PoseTable
from gough.poses import Frames
from gough.robot import Robot
from gough.simulation.controllers import CONTROLLERS, Sensors
from gough.simulation.controllers.controller import Controller
from gough.simulation.integrators.adaptive import Adaptive
from gough.simulation.plants import Plant, real_plant, rigid_plant
from gough.simulation.plants.real import Links
from gough.simulation.sampling import LONGEST_DELAY, MOST_SUBSTEPS, Sampling
from gough.simulation.tuning.pole_placement import TUNABLE, place_poles
from gough.studies.comparison import names_of_files
from gough.studies.file_names import NAMES
from gough.studies.reading import MOST_SAMPLES

Substeps = Annotated[int, Whole(1, MOST_SUBSTEPS)]
Delay = Annotated[int, Whole(0, LONGEST_DELAY)]
Every = Annotated[int, Whole(1, MOST_SAMPLES)]
Seed = Annotated[int, Whole(0, LARGEST_INTEGER)]


_OF_ENCODERS = {False: ("resolution", "noise"), True: ("angle_resolution", "angle_noise")}
"""What is said of the encoders of slides, and of those of hinges."""


class WrittenSimulation(Table):
    """The [simulation] table: when and how exactly the controller looks, and how to integrate."""

    period: Duration = Field(
        1e-3,
        description="Time between samples of the controller [s]; the command is held meanwhile.",
    )
    substeps: Substeps = Field(1, description="Steps of the integrator RK4 in a period.")
    delay: Delay = Field(0, description="How many samples later a command acts.")
    resolution: NotNegativeLength = Field(
        0.0, description="Resolution of the encoders of actuators that slide [m]; 0: exact."
    )
    noise: NotNegativeLength = Field(
        0.0, description="Standard deviation of what these encoders read [m]."
    )
    angle_resolution: NotNegativeAngle = Field(
        0.0, description="Resolution of the encoders of actuators that turn [rad]; 0: exact."
    )
    angle_noise: NotNegativeAngle = Field(
        0.0, description="Standard deviation of what these encoders read [rad]."
    )
    speed_filter: TimeConstant | None = Field(
        None,
        description="Time constant of the filter by which speeds are taken from readings [s]. Left "
        "out: exact speeds.",
    )
    saturated: YesOrNo = Field(
        True, description="Whether commands are cut off at the actuators' limits."
    )
    duration: Duration | None = Field(
        None, description="How long the run is [s]. Left out: as long as the motion."
    )
    every: Every = Field(
        1, description="One of so many samples is kept; what happens between them is not seen."
    )
    seed: Seed = Field(0, description="Where the random numbers of the noise begin.")
    integrator: Literal["RK4", "DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA"] = Field(
        "RK4", description="RK4 is compiled into the loop; the others adapt their steps."
    )
    tolerance: Tolerance = Field(
        1e-9, description="Relative tolerance of integrators that adapt their steps."
    )

    @model_validator(mode="after")
    def _refuse_what_would_be_ignored(self) -> Self:
        given, adapts = self.model_fields_set, self.integrator != "RK4"
        if adapts and "substeps" in given:
            raise InputError(f"{self.integrator} chooses its own steps", key="substeps")
        if not adapts and "tolerance" in given:
            expected = "an integrator that adapts"
            raise InputError("RK4 has none", key="tolerance", expected=expected)
        return self

    @property
    def sampling(self) -> Sampling:
        """When the controller looks and acts."""
        return Sampling(self.period, self.substeps, self.delay)

    def sensors(self, robot: Robot) -> Sensors:
        """How exactly it looks at a robot's actuators, which are all slides or all hinges."""
        turning = {actuator.turns for actuator in robot.actuators}
        unused = [key for turns, keys in _OF_ENCODERS.items() if turning != {turns} for key in keys]
        for key in unused:
            if key in self.model_fields_set:
                own = [keys for turns, keys in _OF_ENCODERS.items() if turning == {turns}]
                expected = " and ".join(own[0]) if own else "exact encoders"
                kinds = " and ".join("turn" if turns else "slide" for turns in sorted(turning))
                problem = f"the actuators of {robot.name} {kinds}"
                raise InputError(problem, key=f"simulation.{key}", expected=expected)
        resolution, noise = (getattr(self, key) for key in _OF_ENCODERS[turning == {True}])
        return Sensors(resolution, noise, self.speed_filter)

    @property
    def adaptive(self) -> Adaptive | None:
        """The integrator, if it adapts its steps."""
        if self.integrator == "RK4":
            return None
        return Adaptive(self.integrator, self.tolerance, 1e-2 * self.tolerance)


def _parameters(kind: str) -> list[str]:
    """The names of what a law takes: its gains, and options that are keys of their own."""
    return list(signature(CONTROLLERS[kind]).parameters)


_OPTIONS = ("space", "command", "drives")  # keys of their own, or of [plant]
_USED_BY = {key: [kind for kind in CONTROLLERS if key in _parameters(kind)] for key in _OPTIONS}
_USED_BY["integral_rate"] = ["joint-pid"]


class WrittenController(Table):
    """The [controller] table: gains by name, or poles from which they follow, frequency in Hz."""

    kind: Annotated[str, WithJsonSchema({"enum": list(CONTROLLERS)})] = Field(
        description="Which control law follows the motion."
    )
    gains: dict[str, Any] | None = Field(
        None, description="The law's gains by name, in SI units: one number each, or lists."
    )
    space: Literal["joint", "task"] = Field(
        "joint", description="Of computed torque: whether it corrects actuators or the platform."
    )
    command: Literal["force", "voltage"] = Field(
        "force", description="Of the open loop: whether it gives forces or voltages."
    )
    frequency: Frequency | None = Field(
        None, description="Instead of gains: frequency of the closed loop's poles [Hz]."
    )
    damping: PositiveNumber = Field(1.0, description="Damping ratio of these poles.")
    integral_rate: DecayRate = Field(
        0.0, description="With a frequency: pole of a PID's integral [1/s]; 0: no integral."
    )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.kind not in CONTROLLERS:
            expected = ", ".join(CONTROLLERS)
            raise InputError("unknown", key="kind", value=self.kind, expected=expected)
        for key, users in _USED_BY.items():
            if key in self.model_fields_set and self.kind not in users:
                problem = f"not used by {self.kind}; only by {', '.join(users)}"
                raise InputError(problem, key=key)
        for key in ("damping", "integral_rate"):
            if key in self.model_fields_set and self.frequency is None:
                raise InputError("not used", key=key, expected="a frequency of the poles")
        return self

    def controller(self, robot: Robot, *, drives: bool) -> Controller:
        """The law with its gains, or with those that give a robot the poles."""
        gains = {} if self.kind == "open-loop" and self.gains is None else self.gains
        if gains is not None and self.frequency is None:
            return self._with_gains(gains, robot, drives)
        if gains is None and self.frequency is not None:
            return self._with_poles(self.frequency, robot, drives)
        raise InputError("expected either gains or a frequency of the poles")

    def _with_poles(self, frequency: float, robot: Robot, drives: bool) -> Controller:
        of_task = self.kind == "computed-torque" and self.space == "task"
        kind = f"{self.kind}-task" if of_task else self.kind
        if kind not in TUNABLE:
            raise InputError(f"{self.kind} needs gains instead", key="frequency")
        return place_poles(
            Model(robot),
            kind,
            2 * pi * frequency,
            damping=self.damping,
            integral_rate=self.integral_rate,
            drives=drives,
        )

    def _with_gains(self, gains: dict[str, Any], robot: Robot, drives: bool) -> Controller:
        taken = _parameters(self.kind)
        known = [name for name in taken if name not in _OPTIONS]
        for name in gains:
            if name not in known:
                expected = f"one of {', '.join(known)}" if known else "no gains"
                raise InputError("unknown", key=f"gains.{name}", expected=expected)
        options = {"space": self.space, "command": self.command, "drives": drives}
        used = {key: value for key, value in options.items() if key in taken}
        try:
            made = CONTROLLERS[self.kind](**gains, **used)
            structure = structure_of(robot)  # gains of another size are refused
            made.gain_arrays(structure.actuators, len(structure.freedoms))
        except TypeError as error:
            raise InputError(str(error).partition("() ")[2], key="gains") from None
        except GoughError as error:
            raise InputError(str(error), key="gains") from None
        return made


class WrittenSurface(Table):
    """The [plant.surface] table: something flat that a point of the platform may lean on."""

    tool: Point = Field((0.0, 0.0, 0.0), description="The platform's point [m], platform frame.")
    point: Point = Field(description="A point of the surface [m], base frame.")
    normal: Direction = Field((0.0, 0.0, 1.0), description="Out of the material, base axes.")
    stiffness: Stiffness = Field(description="Stiffness of the surface [N/m].")
    restitution: Restitution = Field(
        0.5, description="Speed after an impact over speed before it, from 0 to 1."
    )
    friction: NotNegative = Field(0.0, description="Coefficient of dry friction.")

    def surface(self) -> Surface:
        """The surface as the equations take it."""
        return Surface(
            *(ca.DM(x) for x in (self.tool, self.point, self.normal)),
            *(ca.DM(x) for x in (self.stiffness, self.restitution, self.friction)),
        )


class WrittenPlant(Table):
    """The [plant] table: what of the robot's file is simulated beside rigid bodies."""

    legs: Mode = Field(
        "rigid",
        description="Of hexapods: whether legs are rigid, or how they yield, by the springs of "
        "their connector [Baiges 1996].",
    )
    links: Links = Field(
        "rigid",
        description="Of machines of any kind: whether links are rigid, or bend in motion as the "
        "beam of each says, on bearings and flexures that yield.",
    )
    drives: YesOrNo = Field(
        False,
        description="Whether motors with their gears or screws move the machine, instead of ideal "
        "actuators.",
    )
    joint_friction: YesOrNo = Field(
        False,
        description="Whether joints have their friction; of hexapods those at the legs' ends.",
    )
    stops: YesOrNo = Field(
        False, description="Whether actuators bounce off the end stops of their travel."
    )
    surface: WrittenSurface | None = Field(
        None, description="Something flat that a point of the platform may lean on."
    )

    def plant(self, robot: Robot) -> Plant:
        """The machine with what is simulated of it."""
        if self == WrittenPlant():
            return rigid_plant(robot)
        return real_plant(
            robot,
            legs=self.legs,
            links=self.links,
            drives=self.drives,
            joint_friction=self.joint_friction,
            stops=self.stops,
            surface=self.surface.surface() if self.surface else None,
        )


class WrittenStart(PoseTable):
    """The [start] table: pose and speeds with which a run begins, if not as the motion does.

    What it does not say of the pose is as the motion begins; speeds that it does not say are zero.
    With [frames] all of it is of the tool in the work frame.
    """

    velocity: Velocity = Field((0.0, 0.0, 0.0), description="Of the platform [m/s], base axes.")
    angular_velocity: AngularVelocity = Field(
        (0.0, 0.0, 0.0), description="Of the platform [rad/s], base axes."
    )

    def pose_and_twist(self, first: Array, frames: Frames | None) -> tuple[Array, Array] | None:
        """Both, for a motion that begins at a pose of the platform; None without any key."""
        if not self.model_fields_set:
            return None
        twist = np.array(self.velocity + self.angular_velocity)
        if frames is None:
            return self.pose(first), twist
        pose = self.pose(frames.tool_pose(first))
        return frames.platform_pose(pose), frames.platform_twist(pose, twist)


class WrittenCase(Table):
    """One of the [[cases]]: the study with other values, to be compared with the others."""

    name: str = Field(pattern=r"^\w[\w ,.+()-]*$", description="What it is called, and its folder.")
    changes: dict[str, Any] = Field(
        description='Other values at some paths: "plant.legs" = "simple".'
    )


def _cases(value: object) -> object:
    if not isinstance(value, list) or not value:
        raise InputError("not a list", expected="[[cases]] tables")
    return value


class SimulationTables(Table):
    """The tables that only simulations have."""

    controller: WrittenController = Field(
        description="For 'gough simulate': what follows the motion."
    )
    plant: WrittenPlant = Field(
        default_factory=WrittenPlant,
        description="For 'gough simulate': what of the machine is simulated beside rigid bodies.",
    )
    simulation: WrittenSimulation = Field(
        default_factory=WrittenSimulation,
        description="For 'gough simulate': sampling, sensors and integrator.",
    )
    start: WrittenStart = Field(
        default_factory=WrittenStart,
        description="For 'gough simulate': where the run begins. Left out: as the motion does.",
    )
    cases: Annotated[list[WrittenCase], BeforeValidator(_cases)] = Field(
        default_factory=list,
        description="For 'gough simulate': the study with other values, to be compared.",
    )

    @model_validator(mode="after")
    def _check_names(self) -> Self:
        """Refuse a name that another folder or file of the results has."""
        taken = {*names_of_files(FORMATS), *NAMES}
        for k, case in enumerate(self.cases):
            folder = case.name.strip().casefold()
            if folder in taken:
                problem = f'"{case.name}" is taken'
                raise InputError(problem, key=f"cases[{k}].name", expected="another name")
            taken.add(folder)
        return self
