"""Parts of a mechanism: bodies and the joints between them, in the home configuration.

Every joint is given once, in base coordinates, with the platform at home: a loop cannot be open,
and the home configuration determines the working and the assembly mode. Each record is declared
once, here: its keys, their kinds of quantity in SI units, defaults and meanings.
"""

import math
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import BeforeValidator

from gough.errors import InputError
from gough.fields import quantities as q
from gough.fields import units
from gough.fields.inertia import Triple
from gough.fields.table import ByKind, entry, optional
from gough.fields.values import Integer, OneOf, QuantityWithUnit, Vector, not_empty, read_items
from gough.robot import records
from gough.robot.elastic import Beam, HingeBearing, PointBearing, SleeveBearing, SlideBearing
from gough.robot.joint_kinds import BetweenBodies
from gough.robot.mesh import Mesh
from gough.robot.record import Record
from gough.robot.springs import HingeSpring, JointSpring, SlideSpring

BASE = "base"
PLATFORM = "platform"
MOVES = ("x", "y", "z", "rx", "ry", "rz")
SPRINGS = ("stiffness", "bearing", "beam")  # keys of compliant parts and of springs
GEOMETRY = ("at", "axis", "axes", "position_at_home", "pitch")  # keys of the geometry of joints
OF_MOTORS = (
    *("max_torque", "max_force", "max_speed", "max_power", "max_bandwidth"),
    *("drive", "stop", "offset", "gain"),
)
"""Keys that only a driven joint has."""
IN_MOTION = ("beam.modes", "beam.elements", "beam.segments", "beam.damping")
"""Keys of a beam's dynamics, which do not affect its stiffness."""
PARALLEL = 1e-6  # sine of the angle below which the axes of a universal joint count as parallel
_GAIN = "Change of its position per change of its reading. Left out, it is 1."
_ROW = Vector(len(MOVES), QuantityWithUnit(units.NUMBER))


class Part(Record):
    """A body or a joint."""

    @property
    def springs(self) -> dict[str, float]:
        """Values of its compliant parts and springs, by their keys."""
        given = records.numbers_within(self.model_dump(include={*SPRINGS}, exclude_none=True))
        return {key: number for key, number in given.items() if key not in IN_MOTION}


class Body(Part):
    """A moving body: mass, mass centre and inertia in base axes, with the machine at home.

    This is how CAD programs print the mass properties of the bodies of an assembly.
    """

    name: q.Name = entry("A name of its own.", min_length=1)
    mass: q.Mass = entry("Mass [kg].", 0.0)
    center_of_mass: q.Point = entry(
        "Mass centre [m], base frame, with the machine at home.", (0.0, 0.0, 0.0)
    )
    inertia: q.Inertia = entry(
        "Inertia about the mass centre [kg m^2], base axes, with the machine at home: three "
        "principal moments or a 3x3.",
        records.ZERO_INERTIA,
    )
    radius: q.PositiveLength | None = optional(
        "Outer radius of the body [m] along its joints, for clearances."
    )
    beam: Beam | None = optional(
        "Cross-section and material as a flexible beam; left out, it is rigid."
    )
    mesh: Mesh | None = optional("Its mesh, in the base frame with the machine at home.")


class Joint(BetweenBodies, Part):
    """A joint between two bodies, in base coordinates at home."""

    name: q.Name = entry("A name of its own.", min_length=1)
    between: tuple[str, str] = entry(
        'Two bodies, or "base", or "platform": positions and efforts count positive '
        "from the first to the second."
    )
    at: q.Point = entry("Centre of the joint [m], base frame, with the machine at home.")

    type: str

    # What only some kinds have is none, false or zero of the others.

    @property
    def lines(self) -> tuple[Triple, ...]:
        """Directions of its axes, base frame, at home: of a U one fixed in each body."""
        one = getattr(self, "axis", None)
        return tuple(getattr(self, "axes", () if one is None else (one,)))

    @property
    def is_driven(self) -> bool:
        """Whether a motor moves it."""
        return bool(getattr(self, "driven", False))

    @property
    def home(self) -> float:
        """Value of its position when the machine is at home [rad, m]."""
        return float(getattr(self, "position_at_home", 0.0))

    @property
    def lead(self) -> float:
        """Travel along the axis per radian [m/rad]; zero unless it is a screw."""
        return float(getattr(self, "pitch", 0.0)) / math.tau

    @property
    def range_of_travel(self) -> tuple[float, float] | None:
        """Minimum and maximum position [rad, m]."""
        return None

    @property
    def travel_key(self) -> str:
        """Key of these limits, if it has one degree of freedom."""
        return ""


class Driven(Joint):
    """A joint with one degree of freedom, which a motor may drive."""

    axis: q.Direction = entry("Direction of the axis, base frame, at home.")
    driven: q.YesOrNo = entry("Whether a motor moves it.", False)
    max_power: q.Power | None = optional(records.MAX_POWER)
    max_bandwidth: q.Frequency | None = optional(records.MAX_BANDWIDTH)
    if TYPE_CHECKING:  # each kind declares them in its own units
        max_speed: float | None
        drive: records.Drive | records.GearDrive | None
        stop: records.Stop | records.RotaryStop | None
        offset: float | None
        gain: float | None
        armature: float | None
        spring: JointSpring | None

    @property
    def step(self) -> str:
        """Whether its position is that of a hinge [rad] or of a slide [m]."""
        return "hinge" if self.kind.rotations else "slide"

    @property
    def travel_key(self) -> str:
        """Key of its limits."""
        return records.TRAVEL_KEYS[self.step]

    @property
    def range_of_travel(self) -> tuple[float, float] | None:
        """Minimum and maximum position [rad, m]."""
        found: tuple[float, float] | None = getattr(self, self.travel_key)
        return found

    def actuator(self, key: str) -> records.Actuator:
        """Return its actuator, if it is driven; `key` is its place in the robot file."""
        force = getattr(self, records.FORCE_KEYS[self.step])
        limits = (self.range_of_travel, force, self.max_speed, self.max_power, self.max_bandwidth)
        encoder = records.encoder_of(self.offset, self.gain)
        turns = self.step == "hinge"
        return records.Actuator(self.name, key, turns, *limits, self.drive, self.stop, *encoder)

    def _check(self) -> None:
        for key in OF_MOTORS:
            if not self.driven and (value := getattr(self, key, None)) is not None:
                problem, expected = "a joint that no motor moves", "driven = true, or no such key"
                raise InputError(problem, key=key, value=value, expected=expected)
        if self.armature and self.drive is not None and self.drive.own_inertia:
            problem, expected = "the inertia of the drive, too", "either armature or a drive's own"
            raise InputError(problem, key="armature", value=self.armature, expected=expected)
        _refuse_home_outside(self.travel_key, self.range_of_travel, self.home)


class Turning(Driven):
    """A joint whose position is an angle."""

    position_at_home: q.Angle = entry("Value of its angle at home [rad].", 0.0)
    range: q.AngleRange | None = optional("Minimum and maximum angle [rad].")
    max_torque: q.Torque | None = optional("Maximum torque [N m], in both directions.")
    max_speed: q.AngularSpeed | None = optional("Maximum speed [rad/s], in both directions.")
    drive: records.GearDrive | None = optional("The motor and its gear.")
    damping: q.RotaryDamping | None = optional("Viscous friction [N m s/rad].")
    friction: q.DryFriction | None = optional("Dry friction [N m].")
    stiffness: q.RotaryStiffness | None = optional(
        "Stiffness [N m/rad]: of a driven joint that of drive and gear with the motor locked, of "
        "another that of a spring or flexure, without torque at home."
    )
    spring: HingeSpring | None = optional("Spring beside its motor or bearing.")
    armature: q.RotaryInertia | None = optional(
        "Inertia that turns with its angle [kg m^2]: of a rotor times its gear ratio squared."
    )
    stop: records.RotaryStop | None = optional("End stops of the range.")
    offset: q.Angle | None = optional(
        "Its angle [rad] at which its encoder reads zero: angle = gain · reading + offset. Left "
        "out, it is 0."
    )
    gain: q.Gain | None = optional(_GAIN)


class Hinge(Turning):
    """R: a hinge."""

    type: Literal["R"]
    bearing: HingeBearing | None = optional("Stiffness of its bearings.")


class Screw(Turning):
    """H: a screw, which moves along its axis as it rotates."""

    type: Literal["H"]
    pitch: q.Length = entry(
        "Travel along the axis for one turn [m]; positive for a right-handed thread."
    )


class Slide(Driven):
    """P: a slide."""

    type: Literal["P"]
    position_at_home: q.Length = entry("Value of its position at home [m].", 0.0)
    stroke: q.PositionRange | None = optional("Minimum and maximum position [m].")
    max_force: q.Force | None = optional("Maximum force [N], in both directions.")
    max_speed: q.Speed | None = optional("Maximum speed [m/s], in both directions.")
    drive: records.Drive | None = optional("The motor, its gear and its screw.")
    damping: q.Damping | None = optional("Viscous friction [N s/m].")
    friction: q.NotNegativeForce | None = optional("Dry friction [N].")
    stiffness: q.Stiffness | None = optional(
        "Stiffness [N/m]: of a driven joint that of drive and screw with the motor locked, of "
        "another that of a spring or flexure, without force at home."
    )
    spring: SlideSpring | None = optional("Spring beside its motor or bearing.")
    armature: q.Mass | None = optional(
        "Mass that moves with its position [kg], such as a rotor reflected by its screw."
    )
    bearing: SlideBearing | None = optional("Stiffness of its bearings.")
    stop: records.Stop | None = optional("End stops of the stroke.")
    offset: q.Length | None = optional(
        "Its position [m] at which its encoder reads zero: position = gain · reading + offset. "
        "Left out, it is 0."
    )
    gain: q.Gain | None = optional(_GAIN)


class Cylindrical(Joint):
    """C: a cylindrical joint, which slides along its axis and rotates about it."""

    type: Literal["C"]
    axis: q.Direction = entry("Direction of the axis, base frame, at home.")
    stroke: q.PositionRange | None = optional(
        "Minimum and maximum position along the axis [m], from home."
    )
    range: q.AngleRange | None = optional(
        "Minimum and maximum angle about the axis [rad], from home."
    )
    bearing: SleeveBearing | None = optional("Stiffness of its bearings.")

    def _check(self) -> None:
        for key in ("stroke", "range"):
            _refuse_home_outside(key, getattr(self, key), 0.0)


class Tilting(Joint):
    """A joint that rotates about several axes through its centre."""

    limit: q.JointLimit | None = optional(
        "Maximum angle [rad] between the link and its direction at home."
    )
    damping: q.RotaryDamping | None = optional("Viscous friction about each axis [N m s/rad].")
    friction: q.DryFriction | None = optional(
        "Dry friction [N m]: about each axis of a U joint, of an S joint against its rotation."
    )
    stiffness: q.RotaryStiffness | None = optional(
        "Stiffness of a flexure about each axis [N m/rad], without moment at home."
    )
    bearing: PointBearing | None = optional("Stiffness of its bearings.")


class Universal(Tilting):
    """U: a universal joint, which rotates about two axes."""

    type: Literal["U"]
    axes: tuple[q.Direction, q.Direction] = entry(
        "Directions of the axes, base frame, at home: the first is fixed in the first body, the "
        "second in the second."
    )

    def _check(self) -> None:
        if np.linalg.norm(np.cross(*self.axes)) < PARALLEL:
            expected = "two axes across each other"
            raise InputError("parallel", key="axes", value=self.axes, expected=expected)


class Ball(Tilting):
    """S: a ball joint, which rotates about every axis."""

    type: Literal["S"]


class Fixed(Joint):
    """Two bodies that move as one."""

    type: Literal["fixed"]
    at: q.Point = entry("Any point [m].", (0.0, 0.0, 0.0))


AnyJoint = Annotated[Hinge | Slide | Screw | Universal | Ball | Cylindrical | Fixed, ByKind("type")]


class Coupling(Record):
    """A linear relation of joint positions: gears, belts, differentials, rack and pinion.

    Σ coefficient · (position - position at home) = 0, positions in rad or m. `ratio` is short for
    two joints, with coefficients 1 and -ratio: the first joint moves ratio times as far as the
    second.
    """

    name: q.Name = entry("A name of its own.", min_length=1)
    joints: tuple[str, ...] = entry(
        "Names of the joints: hinges R, slides P or screws H, which positions count in rad, m, rad."
    )
    ratio: q.Gain | None = optional(
        "Displacement of the first of two joints per displacement of the second, with its sign: –, "
        "m/rad of a rack (first) and its pinion, or rad/m."
    )
    coefficients: tuple[q.Gain, ...] | None = optional(
        "Coefficients of the joints' displacements from home, whose weighted sum is zero: such as "
        "[1, -0.5, -0.5] of a differential's carrier and its two side gears."
    )

    @property
    def weights(self) -> tuple[float, ...]:
        """Coefficients, the first of which is 1."""
        if self.coefficients is None:
            return 1.0, -(self.ratio or 0.0)
        return tuple(c / self.coefficients[0] for c in self.coefficients)

    def _check(self) -> None:
        names, given = self.joints, (self.ratio, self.coefficients)
        if len(names) < 2 or len({*names}) < len(names):
            expected = "two or more different joints"
            raise InputError("not a coupling", key="joints", value=names, expected=expected)
        if given.count(None) != 1:
            raise InputError("ratio or coefficients are needed", expected="one of these keys")
        if len(self.weights) != len(names):
            key, value = ("joints", names) if given[1] is None else ("coefficients", given[1])
            expected = "two joints" if given[1] is None else f"{len(names)}, one for each joint"
            raise InputError("not one for each joint", key=key, value=value, expected=expected)


def _move(value: object) -> str | tuple[float, ...]:
    if isinstance(value, str):
        return OneOf(MOVES).read(value)
    row = _ROW.read(value)
    if not any(row):
        raise InputError("a row of zeros", value=value, expected="a row that is not zero")
    return row


Moves = Annotated[
    tuple[str | tuple[float, ...], ...],
    BeforeValidator(
        lambda value: tuple(read_items(_move, not_empty(value))),
        json_schema_input_type=list[Annotated[str, OneOf(MOVES)] | Annotated[list[float], _ROW]],
    ),
]

Branch = tuple[Annotated[int, Integer(-1, 1000)], ...]
BRANCH: Branch | None = optional(
    "Branch (working mode), if it is another than that of the home configuration: for each root of "
    "the legs' closed forms 1 for the solution at home, -1 for the other; for each leg without a "
    "closed form the number of a configuration, 1 for that at home. `gough pose branches` has them."
)


class MovingPlatform(records.Platform):
    """The body whose frame is the pose, with its motion type; mass properties in its own frame."""

    moves: Moves = entry(
        "Degrees of freedom of the platform: names such as x or rz, or rows of six numbers s with "
        "u = s · [velocity, angular velocity], for motion in a skew plane.",
        MOVES,
    )

    @property
    def move_names(self) -> tuple[str, ...]:
        """Names of the degrees of freedom: u1, u2, ... of those that are rows."""
        return tuple(m if isinstance(m, str) else f"u{k}" for k, m in enumerate(self.moves, 1))


def _refuse_home_outside(key: str, travel: tuple[float, float] | None, home: float) -> None:
    if travel is not None and not travel[0] <= home <= travel[1]:
        problem = f"its position at home, {home:.6g}, is outside"
        expected = "limits with the position at home between them"
        raise InputError(problem, key=key, value=travel, expected=expected)
