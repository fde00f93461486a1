"""The tables of a simulation in a study file, and what they make: controller, plant, start."""

from __future__ import annotations

from functools import cached_property
from inspect import signature
from typing import Annotated, Literal

import numpy as np
from pydantic import WithJsonSchema

from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.equations.forces.contact import ContactSurface
from gough.equations.legs.extensible import Mode
from gough.errors import GoughError, InputError, inside
from gough.fields import quantities as q
from gough.fields.table import FileTable, entry, optional
from gough.fields.user_files import LARGEST_INTEGER
from gough.fields.values import Integer
from gough.model.actuators import stops_of
from gough.model.structure import structure_of
from gough.motion.table_parts import PoseTable
from gough.poses import Frames
from gough.robot import Robot
from gough.simulation.controllers.controller import FORCES, Controller
from gough.simulation.controllers.imu import Imu
from gough.simulation.controllers.kinds import CONTROLLERS
from gough.simulation.controllers.sensors import LONGEST_DELAY, MOST_SUBSTEPS, Sampling, Sensors
from gough.simulation.integrators import METHODS, Adaptive
from gough.simulation.plants import real
from gough.simulation.plants.beside import BallOnPlate, BaseBody
from gough.simulation.plants.connectors import ValveSetting
from gough.simulation.plants.plant import Plant
from gough.simulation.plants.surfaces import WorkSurface
from gough.simulation.scenario import Scenario
from gough.simulation.tuning.tune import TUNABLE, OptimisedGains, optimise_gains, place_poles
from gough.studies.learning_tables import WrittenLearning
from gough.studies.reading import MOST_SAMPLES, Texts, WrittenStudy

Substeps = Annotated[int, Integer(1, MOST_SUBSTEPS)]
Delay = Annotated[int, Integer(0, LONGEST_DELAY)]
Every = Annotated[int, Integer(1, MOST_SAMPLES)]
Seed = Annotated[int, Integer(0, LARGEST_INTEGER)]
Integrator = Literal[
    "RK4", "RK4-joint-space", "RK6", "DOP853", "RK45", "RK23", "Radau", "BDF", "LSODA"
]
_OF_ENCODERS = {False: ("resolution", "noise"), True: ("angle_resolution", "angle_noise")}
"""Keys of the encoders of slides, and of those of hinges."""


class WrittenTuning(FileTable):
    """The [simulation.tuning] table: gains optimised along the motion, from those given.

    The cost is the mean square of position errors, of rotation errors times the arm, and of changes
    of the command from sample to sample times the smoothness.
    """

    gains: Texts = entry("Names of the gains that change. Left out: all that are not 0.", ())
    arm: q.NotNegativeLength | None = optional(
        "Distance at which rotation errors count [m]. Left out: half the machine's size."
    )
    smoothness: q.PositiveNumber | None = optional(
        "Weight of changes of the command from sample to sample, in m/N, m/(N m) or m/V. Left out: "
        "they do not count."
    )

    def optimised(self, scenario: Scenario) -> OptimisedGains:
        """The gains for a scenario."""
        with inside("simulation.tuning"):
            return optimise_gains(
                scenario, gains=self.gains or None, arm=self.arm, smoothness=self.smoothness or 0.0
            )


class WrittenSimulation(FileTable):
    """The [simulation] table: when and how exactly the controller looks, and how to integrate."""

    period: q.Duration = entry(
        "Time between samples of the controller [s]; the command is held meanwhile.", 1e-3
    )
    substeps: Substeps = entry("Steps of the integrator RK4 or RK6 in a period.", 1)
    delay: Delay = entry("How many samples later a command acts.", 0)
    resolution: q.NotNegativeLength = entry(
        "Resolution of the encoders of actuators that slide [m]; 0: exact.", 0.0
    )
    noise: q.NotNegativeLength = entry("Standard deviation of what these encoders read [m].", 0.0)
    angle_resolution: q.NotNegativeAngle = entry(
        "Resolution of the encoders of actuators that turn [rad]; 0: exact.", 0.0
    )
    angle_noise: q.NotNegativeAngle = entry(
        "Standard deviation of what these encoders read [rad].", 0.0
    )
    speed_filter: q.TimeConstant | None = optional(
        "Time constant of the filter by which speeds are taken from readings [s]. Left "
        "out: exact speeds."
    )
    saturated: q.YesOrNo = entry("Whether commands are cut off at the actuators' limits.", True)
    duration: q.Duration | None = optional(
        "How long the run is [s]. Left out: as long as the motion."
    )
    every: Every = entry(
        "One of so many samples is kept; what happens between them is not seen.", 1
    )
    imu: Imu | None = optional("Accelerometer and gyroscope on the platform.")
    tuning: WrittenTuning | None = optional(
        "Gains are optimised along the motion before the run, by derivatives of the whole run."
    )
    seed: Seed = entry("Where the random numbers of the noise begin.", 0)
    integrator: Integrator = entry(
        "RK4 is compiled into the loop, in the pose or in the driven joints with forward "
        "kinematics at each evaluation, and so is RK6, of higher order; the others adapt their "
        "steps.",
        "RK4",
    )
    tolerance: q.Tolerance = entry(
        "Relative tolerance of integrators that adapt their steps.", 1e-9
    )

    def _check(self) -> None:
        """Refuse what would be ignored, and inertial sensors that read between samples."""
        if self.imu is not None:
            self.imu.held_samples(self.period)
        given, adapts = self.model_fields_set, self.adaptive is not None
        if adapts and "substeps" in given:
            raise InputError(f"{self.integrator} chooses its own steps", key="substeps")
        if not adapts and "tolerance" in given:
            expected = "an integrator that adapts"
            raise InputError(f"{self.integrator} has none", key="tolerance", expected=expected)

    @property
    def sampling(self) -> Sampling:
        """Times at which the controller reads and acts."""
        joint_space = self.integrator == "RK4-joint-space"
        order = 6 if self.integrator == "RK6" else 4
        return Sampling(self.period, self.substeps, self.delay, joint_space, order)

    def sensors(self, robot: Robot) -> Sensors:
        """Sensors of a robot's actuators, which are all slides or all hinges."""
        turning = {actuator.turns for actuator in robot.actuators}
        own = next((keys for turns, keys in _OF_ENCODERS.items() if turning == {turns}), ())
        for key in (key for keys in _OF_ENCODERS.values() for key in keys if key not in own):
            if key in self.model_fields_set:
                expected = " and ".join(own) or "exact encoders"
                kinds = " and ".join("turn" if turns else "slide" for turns in sorted(turning))
                problem = f"the actuators of {robot.name} {kinds}"
                raise InputError(problem, key=f"simulation.{key}", expected=expected)
        resolution, noise = (getattr(self, key) for key in own or _OF_ENCODERS[False])
        return Sensors(resolution, noise, self.speed_filter)

    @property
    def adaptive(self) -> Adaptive | None:
        """The integrator, if it adapts its steps."""
        if self.integrator not in METHODS:
            return None
        return Adaptive(self.integrator, self.tolerance, 1e-2 * self.tolerance)


def _parameters(kind: str) -> list[str]:
    """The names of what a law takes: its gains, and options that are keys of their own."""
    return list(signature(CONTROLLERS[kind]).parameters)


_OPTIONS = ("space", "command", "drives", "surface")  # keys of their own, or of [plant]
_USED_BY = {key: [kind for kind in CONTROLLERS if key in _parameters(kind)] for key in _OPTIONS}
_USED_BY["integral_rate"] = ["joint-pid"]
_USED_BY["task_frame"] = _USED_BY.pop("surface")


class WrittenController(FileTable):
    """The [controller] table: gains by name, or poles from which they follow, frequency in Hz."""

    kind: Annotated[str, WithJsonSchema({"enum": list(CONTROLLERS)})] = entry(
        "Which control law follows the motion."
    )
    gains: PlainData | None = optional(
        "The law's gains by name, in SI units: one number each, or lists."
    )
    space: Literal["joint", "task"] = entry(
        "Of computed torque: whether it corrects actuators or the platform.", "joint"
    )
    task_frame: Literal["base", "surface"] = entry(
        "Of force control: whether its axes are those of the base at the platform's origin, or "
        "turn with the surface at the tool, z along the normal into it.",
        "base",
    )
    command: Literal["force", "voltage"] = entry(
        "Of the open loop: whether it gives forces or voltages.", "force"
    )
    frequency: q.Frequency | None = optional(
        "Instead of gains: frequency of the closed loop's poles [Hz]."
    )
    damping: q.PositiveNumber = entry("Damping ratio of these poles.", 1.0)
    integral_rate: q.DecayRate = entry(
        "With a frequency: pole of a PID's integral [1/s]; 0: no integral.", 0.0
    )

    clip_reference: q.YesOrNo = entry(
        "Whether positions of actuators that it follows are clipped at their stroke or range.",
        False,
    )

    def _check(self) -> None:
        if self.kind not in CONTROLLERS:
            expected = ", ".join(CONTROLLERS)
            raise InputError("unknown", key="kind", value=self.kind, expected=expected)
        for key, users in _USED_BY.items():
            if key in self.model_fields_set and self.kind not in users:
                raise InputError(f"not used by {self.kind}; only by {', '.join(users)}", key=key)
        for key in ("damping", "integral_rate"):
            if key in self.model_fields_set and self.frequency is None:
                raise InputError("not used", key=key, expected="a frequency of the poles")

    def controller(self, robot: Robot, plant: WrittenPlant) -> Controller:
        """The law with its gains, or with those that give a robot the poles."""
        if self.task_frame == "surface" and plant.surface is None:
            problem, expected = "the plant has no surface", '"base", or a table [plant.surface]'
            raise InputError(problem, key="task_frame", value="surface", expected=expected)
        gains = {} if self.kind == "open-loop" and self.gains is None else self.gains
        if gains is not None and self.frequency is None:
            return self._with_gains(gains, robot, plant)
        if gains is None and self.frequency is not None:
            return self._with_poles(self.frequency, robot, plant)
        raise InputError("expected either gains or a frequency of the poles")

    def _with_poles(self, frequency: float, robot: Robot, plant: WrittenPlant) -> Controller:
        of_task = self.kind == "computed-torque" and self.space == "task"
        kind = f"{self.kind}-task" if of_task else self.kind
        if kind not in TUNABLE:
            raise InputError(f"{self.kind} needs gains instead", key="frequency")
        own = {key: getattr(self, key) for key in ("damping", "integral_rate")}
        own |= {key: getattr(plant, key) for key in ("drives", "joint_friction")}
        return place_poles(robot, kind, frequency, **own)

    def _with_gains(self, gains: PlainData, robot: Robot, plant: WrittenPlant) -> Controller:
        taken = _parameters(self.kind)
        known = [name for name in taken if name not in _OPTIONS]
        for name in gains:
            if name not in known:
                expected = f"one of {', '.join(known)}" if known else "no gains"
                raise InputError("unknown", key=f"gains.{name}", expected=expected)
        options: PlainData = {"space": self.space, "command": self.command}
        known_surface = plant.contact if self.task_frame == "surface" else None
        options |= {"drives": plant.drives, "surface": known_surface}
        used = {key: value for key, value in options.items() if key in taken}
        try:
            made = CONTROLLERS[self.kind](**gains, **used)
            structure = structure_of(robot)  # gains of another size are refused
            made.gain_arrays(structure.actuators, structure.dof)
        except TypeError as error:
            raise InputError(str(error).partition("() ")[2], key="gains") from None
        except GoughError as error:
            raise InputError(str(error), key="gains") from None
        return made


class WrittenPlant(FileTable):
    """The [plant] table: what of the robot's file is simulated beside rigid bodies."""

    legs: Mode = entry(
        "Legs of hexapods: rigid, or compliant with the springs of their connector [Baiges 1996].",
        "rigid",
    )
    valves: tuple[ValveSetting, ...] = entry(
        "Modes of compliant legs that are set during the run, which begins in that of legs.", ()
    )
    links: real.Links = entry(
        "Links of mechanisms, and legs and platforms of hexapods: rigid, or as elastic as their "
        "beams, compliant bearings and flexures, and mass matrices.",
        "rigid",
    )
    coordinates: real.PlantCoordinates = entry(
        "States of a rigid mechanism: pose, or the positions of all joints, with which a run goes "
        "on through change points, and passive degrees of freedom move.",
        "pose",
    )
    drives: q.YesOrNo = entry(
        "Whether motors with their gears or screws move the machine, instead of ideal actuators.",
        False,
    )
    joint_friction: q.YesOrNo = entry(
        "Whether joints have their friction; of hexapods those at the legs' ends.", False
    )
    stops: q.YesOrNo = entry("Whether actuators bounce off the end stops of their travel.", False)
    floating_base: BaseBody | None = optional(
        "The base as a body that nothing holds, such as that of a satellite. Left out: it rests."
    )
    ball: BallOnPlate | None = optional("A ball that rolls on the platform.")
    surface: WorkSurface | None = optional(
        "Something that a point of the platform may lean on: flat, round, or of any heights."
    )

    def plant(self, robot: Robot) -> Plant:
        """The machine with what is simulated of it."""
        if self == WrittenPlant():
            return real.rigid_plant(robot)
        if self.stops and not any(stops_of(robot)):
            problem, expected = f"{robot.name} has none", "no such key, or a stop and a travel"
            raise InputError(problem, key="plant.stops", expected=expected)
        keys = {key: getattr(self, key) for key in self.keys()}
        return real.real_plant(robot, **keys | {"surface": self.contact})

    @cached_property
    def contact(self) -> ContactSurface | None:
        """The surface as the equations take it; None without one."""
        with inside("plant.surface"):
            return self.surface.contact if self.surface else None


class WrittenStart(PoseTable):
    """The [start] table: pose and speeds with which a run begins, if not as the motion does.

    What it does not say of the pose is as the motion begins; speeds that it does not say are zero.
    With [frames] all of it is of the tool in the work frame.
    """

    velocity: q.Velocity = entry("Of the platform [m/s], base axes.", (0.0, 0.0, 0.0))
    angular_velocity: q.AngularVelocity = entry(
        "Of the platform [rad/s], base axes.", (0.0, 0.0, 0.0)
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


class WrittenSimulatedStudy(WrittenStudy):
    """A robot, its motion and its tasks; with a controller that follows the motion, a simulation.

    A bare number is in SI units (radians for angles); text may carry a unit, such as "80 mm",
    "7.5 lb" or "30 deg".
    """

    controller: WrittenController = entry("What follows the motion, in a simulation.")
    plant: WrittenPlant = entry(
        "What of the machine is simulated beside rigid bodies.", default_factory=WrittenPlant
    )
    simulation: WrittenSimulation = entry(
        "Sampling, sensors and integrator of a simulation.", default_factory=WrittenSimulation
    )
    start: WrittenStart = entry(
        "Where a simulation begins. Left out: as the motion does.", default_factory=WrittenStart
    )
    learning: WrittenLearning | None = optional(
        "Actions and rewards of the simulation as an environment of reinforcement learning."
    )

    def _check(self) -> None:
        super()._check()
        if "legs" in self.model_fields_set:
            problem = "a simulation has those of its plant"
            raise InputError(problem, key="legs", expected="no such key, but [plant] legs")
        if self.formulation is not None:
            problem, expected = "a simulation has none", "no such key: plants have their own"
            raise InputError(problem, key="formulation", expected=expected)
        if key := {"tracking_error", "tracking_error_angle"} & self.outputs.model_fields_set:
            problem, expected = "a simulation has its own errors", "a study without a controller"
            raise InputError(problem, key=f"outputs.{min(key)}", expected=expected)

    def controller_and_plant(self, robot: Robot) -> tuple[Controller, Plant]:
        """The law with its gains, and the machine that it drives; amplifiers give it forces."""
        self.simulation.sensors(robot)  # refused, if it is of other actuators
        _ = self.plant.contact  # refused, if its files are
        with inside("controller"):
            controller = self.controller.controller(robot, self.plant)
        if self.controller.clip_reference:
            with inside("controller.clip_reference"):
                controller = controller.with_clipped_reference(robot)
        plant = self.plant.plant(robot)
        if plant.command.name == "voltage" and controller.command == FORCES:
            plant = real.force_commanded(plant)
        return controller, plant
