"""Structure of a machine: its legs, their joints, the driven ones, its degrees of freedom.

Every shape follows from it: as many positions q and forces as there are driven joints, as many
rows of legs as there are legs. A twist has six components and a pose seven numbers for all
machines.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from gough.fields.inertia import Triple
from gough.robot import MOVES, PLATFORM, BetweenBodies, Hexapod, Mechanism, Robot, numbers_of
from gough.robot.elastic import Beam


@dataclass(frozen=True)
class Center:
    """Which point a row of joint centres is: of which joint, and of which bodies."""

    joint: str
    bodies: tuple[str, ...]


def bodies_of_centers(joint: BetweenBodies, bodies: tuple[str, str]) -> list[tuple[str, ...]]:
    """Return the bodies that have a centre of a joint: of a slide or screw each its own."""
    return [(body,) for body in bodies] if joint.kind.slides else [bodies]


def centers_of(joints: Iterable[BetweenBodies]) -> tuple[Center, ...]:
    """Return the rows of joint centres."""
    rows = ((joint, bodies_of_centers(joint, joint.between)) for joint in joints)
    return tuple(Center(joint.name, bodies) for joint, several in rows for bodies in several)


def tilts_of(joints: Iterable[BetweenBodies]) -> tuple[str, ...]:
    """Return the names of the joints that have tilts."""
    return tuple(joint.name for joint in joints if joint.kind.tilts)


@dataclass(frozen=True)
class Reaction:
    """Which joint a row of reactions is, in whose axes, and what of it is known."""

    joint: str
    body: str  # with which its axes turn: the joint's first, or the second where the first is a rod
    axes: tuple[Triple, Triple, Triple] | None = None
    """x, y and z at home, as rows in base axes: x along its axis, of a U y along its second.

    None where the geometry is none of the structure's, but parameters: see `reaction_axes`."""
    known: tuple[bool, ...] = (True,) * 6  # components that are determined at nearly all poses


@dataclass(frozen=True)
class LegStructure:
    """The joints of one leg, from the base to the platform: R, P, U, S, C as in robot files."""

    joints: tuple[str, ...]
    driven: tuple[int, ...]
    """The places of the driven ones among the joints."""
    springs: tuple[str, ...] = ()
    """Keys of the leg's springs, where all legs of a machine are elastic."""

    def __str__(self) -> str:
        """Return text such as UP*S, with a star behind each joint that is driven."""
        return "".join(j + "*" * (k in self.driven) for k, j in enumerate(self.joints))


@dataclass(frozen=True)
class DrivenJoint:
    """A joint that is driven: its name, and whether it turns or slides."""

    name: str
    turns: bool

    @property
    def unit(self) -> str:
        """Unit of its position."""
        return "rad" if self.turns else "m"

    @property
    def force_unit(self) -> str:
        """Unit of its torque or force."""
        return "N m" if self.turns else "N"

    @property
    def travel(self) -> str:
        """Name of the range of its position."""
        return "range" if self.turns else "stroke"


@dataclass(frozen=True)
class Structure:
    """A machine without its numbers. Hashable: equations and shapes are chosen by it."""

    legs: tuple[LegStructure, ...]
    driven: tuple[DrivenJoint, ...]
    """In the order of positions q and forces."""
    degrees_of_freedom: tuple[str, ...] = MOVES
    """Names of the degrees of freedom of the platform."""
    joints: tuple[str, ...] = ()
    """Names of all joints of one freedom, leg by leg."""
    motor_legs: tuple[str, ...] = ()
    """Names of the motors of each leg that has some."""
    passive_groups: tuple[str, ...] = ()
    """Names of each group of passive joints that are solved together, leg by leg."""
    sliding: frozenset[str] = frozenset()
    """Those of them that slide; the others turn."""
    mobility: int = 6
    overconstrained: int = 0
    """Number of redundant constraints of its closed loops."""
    centers: tuple[Center, ...] = ()
    """Which joint and whose point each row of the joint centres is."""
    tilts: tuple[str, ...] = ()
    """Names of the ball and universal joints, in the order of their tilts."""
    passive_rotations: tuple[str, ...] = ()
    """Names of the bodies that are free to spin between two ball joints."""
    held: tuple[str, ...] = field(default=(), kw_only=True)
    """Names of joints with passive degrees of freedom that the pose does not determine: kernels
    hold these as at home."""
    bodies: tuple[str, ...] = ()
    """Names of all moving bodies, the platform first, in the order of their mass centres."""
    springs: tuple[str, ...] = ()
    """Places of the numbers of all springs, where all driven joints are elastic."""
    reactions: tuple[Reaction, ...] = ()
    """Which joint and whose axes each row of the reactions is, and which components are known."""
    fingerprint: str = ""
    """Fingerprint of the geometry of the equations, if it is none of the parameters."""
    beams: tuple[str, ...] = ()
    """Names of the bodies that bend."""
    beam_modes: tuple[str, ...] = ()
    """Names of the modes by which they do, beside displacements and turns of their ends."""
    couplings: tuple[DrivenJoint, ...] = field(default=(), kw_only=True)
    """Couplings of joints by their names, and whether their first joint turns."""
    heavy_frame: bool = field(default=False, kw_only=True)
    """Whether its platform is flexible and has a mass matrix."""
    flexible: tuple[tuple[str, int], ...] = field(default=(), kw_only=True)
    """Elastic ones of base and platform, where the legs are, and the size of their matrices."""
    loop_joints: tuple[tuple[str, ...], ...] = field(default=(), kw_only=True)
    """By leg, names of the joints and rods that close its loops."""
    sprung_bodies: tuple[tuple[str, str], ...] = field(default=(), kw_only=True)
    """Bodies of each spring between two."""
    roots: tuple[str, ...] = field(default=(), kw_only=True)
    """Names of the joints whose positions have several solutions, in the order of a branch."""
    numbers: tuple[str, ...] = field(default=(), kw_only=True)
    """Names of what the parameters hold, in their order."""
    extensible: bool = field(default=False, kw_only=True)
    """Whether its legs extend, as those of hexapods: the short equations are for these."""

    @property
    def dof(self) -> int:
        """Number of degrees of freedom of the platform."""
        return len(self.degrees_of_freedom)

    def __repr__(self) -> str:
        return f"<gough structure: {self}>"

    def __str__(self) -> str:
        legs = ", ".join(f"{count} {leg}" for leg, count in Counter(map(str, self.legs)).items())
        return (
            f"legs {legs}; {self.actuators} actuators; "
            f"degrees of freedom {' '.join(self.degrees_of_freedom)}"
        )

    @property
    def actuators(self) -> int:
        """Number of driven joints: the length of q and of force."""
        return len(self.driven)

    @property
    def determined(self) -> bool:
        """Whether a motion determines the forces: as many actuators as degrees of freedom."""
        return self.actuators == self.dof

    @property
    def elastic(self) -> bool:
        """Whether it is elastic under load."""
        return bool(self.springs) or any(leg.springs for leg in self.legs)

    @property
    def has_compliant_links(self) -> bool:
        """Whether links or bearings are compliant, or a frame that has mass of its own.

        Then the platform leaves its motion type, or its mass matrix is not all that moves.
        """
        bearings = any(".bearing." in place for place in self.springs)
        return bearings or bool(self.beams) or self.heavy_frame

    @property
    def has_loaded_springs(self) -> bool:
        """Whether springs act between bodies, or beside motors and bearings of joints."""
        return bool(self.sprung_bodies) or any(".spring." in name for name in self.numbers)

    @property
    def has_stiffness(self) -> bool:
        """Whether its stiffness is known: elastic, and no spring deforms links or bearings."""
        return self.elastic and not (self.has_compliant_links and self.has_loaded_springs)

    @property
    def unit(self) -> str:
        """Unit of positions q: "m", "rad", or both."""
        return _units(joint.unit for joint in self.driven)

    @property
    def force_unit(self) -> str:
        """Unit of the actuators' forces and torques."""
        return _units(joint.force_unit for joint in self.driven)


@lru_cache(maxsize=64)  # it is asked for many times over
def structure_of(robot: Robot) -> Structure:
    """The structure of a robot."""
    if isinstance(robot, Hexapod):
        parts = (part.beam for leg in robot.legs for part in (leg.cylinder, leg.piston))
        heavy = robot.flexibility is not None and robot.flexibility.platform_modes is not None
        found = _of_hexapod(robot)
        beams = zip(found.bodies[1:], parts, strict=True)
        sprung = tuple(spring.between for spring in robot.springs)
        return replace(_with_beams(found, beams), heavy_frame=heavy, sprung_bodies=sprung)
    assert isinstance(robot, Mechanism)
    return _of_mechanism(robot)


def driven_joints(robot: Robot) -> tuple[DrivenJoint, ...]:
    """Return the driven joints of a robot."""
    return tuple(DrivenJoint(actuator.name, actuator.turns) for actuator in robot.actuators)


def _of_hexapod(robot: Hexapod) -> Structure:
    """Legs of a universal or ball joint, a slide and a ball each; nothing has to be found out."""
    home, driven = robot.bodies_and_joints, driven_joints(robot)
    legs = list(zip(home.joints[::3], home.joints[1::3], home.joints[2::3], strict=True))
    return Structure(
        tuple(
            LegStructure((leg.kind[0], "P", "S"), (1,), leg.springs if robot.elastic else ())
            for leg in robot.legs
        ),
        driven,
        joints=tuple(
            x for hip, slide, _ in legs for x in (f"{hip.name}.1", f"{hip.name}.2", slide.name)
        ),
        motor_legs=tuple(joint.name for joint in driven),
        passive_groups=tuple(hip.name for hip, *_ in legs if not hip.kind.is_ball),
        sliding=frozenset(slide.name for _, slide, _ in legs),
        centers=centers_of(home.joints),
        tilts=tilts_of(home.joints),
        passive_rotations=tuple(
            body for hip, slide, _ in legs if hip.kind.is_ball for body in slide.between
        ),
        bodies=tuple(home.bodies),
        reactions=tuple(
            Reaction(joint.name, PLATFORM if joint.joins(PLATFORM) else joint.first)
            for joint in home.joints
        ),
        flexible=tuple((end, len(x)) for end, x in flexible_frames(robot).items()),
        loop_joints=tuple((wrist.name,) for *_, wrist in legs),
        numbers=tuple(numbers_of(robot)),
        extensible=True,
    )


def left_out(robot: Robot) -> tuple[str, ...]:
    """Return notes on inertia that kernels leave out: of motions that no pose determines."""
    if not isinstance(robot, Mechanism):
        return ()
    from gough.model.mechanism.kept import findings  # noqa: PLC0415  (slow)

    return findings(robot).left_out


def _of_mechanism(robot: Mechanism) -> Structure:
    from gough.model.mechanism.kept import findings  # noqa: PLC0415  (slow)

    found = replace(
        findings(robot).structure,
        springs=tuple(robot.stiffness_values),
        sprung_bodies=tuple(spring.between for spring in robot.springs),
        numbers=tuple(numbers_of(robot)),
    )
    return _with_beams(found, ((body.name, body.beam) for body in robot.bodies))


def _with_beams(structure: Structure, given: Iterable[tuple[str, Beam | None]]) -> Structure:
    bent = [(name, beam.mode_count) for name, beam in given if beam is not None]
    modes = tuple(f"{name}_{k + 1}" for name, count in bent for k in range(count))
    return replace(structure, beams=tuple(name for name, _ in bent), beam_modes=modes)


def flexible_frames(robot: Hexapod) -> dict[str, tuple[tuple[float, ...], ...]]:
    """Return the compliance of base and platform, where these are elastic."""
    if not robot.elastic or robot.flexibility is None:
        return {}
    return robot.flexibility.model_dump(include={"base", "platform"}, exclude_none=True)


def _units(units: Iterable[str]) -> str:
    return ", ".join(dict.fromkeys(units))
