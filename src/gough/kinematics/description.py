"""Description of a robot: structure, geometry, masses, limits, home configuration."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from gough.digits import short_decimal
from gough.disk.plain_data import PlainData
from gough.display import Displayable, Rows, Table, vector
from gough.kinematics.actuator_positions import are_lengths, as_read, position_facts, unit_read
from gough.kinematics.branches import branches_at_home
from gough.kinematics.model import Model
from gough.kinematics.singularity.singularity import condition_number
from gough.kinematics.size import default_length
from gough.model.structure import structure_of
from gough.robot import MOVES, Joint, Leg, Robot
from gough.robot.mechanism import Body, Coupling, Driven


@dataclass(frozen=True, repr=False)
class RobotDescription(Displayable):
    """All data of a robot, as tables."""

    robot: Robot

    @cached_property
    def at_home(self) -> PlainData:
        """Structure, positions and the condition number of J at home."""
        return home_facts(self.robot)

    @property
    def heading(self) -> tuple[str, str]:
        """The robot, and its source."""
        return self.robot.name, self.robot.reference

    def tables(self) -> list[Table]:
        """Structure and platform, actuators, bodies and joints."""
        robot, at_home = self.robot, self.at_home
        platform, home = robot.platform, robot.platform.home
        joints = ", ".join(at_home["roots"])  # whose solutions tell branches apart
        branches = f"{at_home['branches']}, by solutions for {joints}" if joints else "1"
        rows = [
            *structure_rows(at_home["structure"]),
            ("branches at home", branches, ""),
            ("platform mass", platform.mass, "kg"),
            ("platform mass centre", vector(platform.center_of_mass), "m"),
            ("platform inertia xx yy zz", vector(np.diag(platform.inertia)), "kg m²"),
            ("gravity", vector(robot.gravity), "m/s²"),
            ("home position", vector(home.position), "m"),
            ("home quaternion", vector(home.quaternion), "w x y z"),
            ("condition of J at home", at_home["jacobian_condition"], ""),
            ("  with rotations scaled by", at_home["characteristic_length"], "m"),
        ]
        if legs := robot.extensible_legs:
            parts = _leg_tables(legs, at_home["leg_lengths"])
        else:
            actuators = _actuators(robot, at_home["positions"])
            parts = [actuators, _bodies(robot.listed_bodies), _joints(robot.listed_joints)]
        parts += _springs(robot)
        if coupled := robot.listed_couplings:
            lines = [(c.name, _relation(c)) for c in coupled]
            parts.append(Table.of("Couplings, from home", ("coupling", "relation [rad, m]"), lines))
        if meshes := [(m.body, Path(m.mesh.file).name, m.mesh.unit or "m") for m in robot.meshes]:
            parts.append(Table.of("Meshes, shown in pages", ("body", "file", "unit"), meshes))
        return [Table.properties("Machine", rows), *parts]

    def to_dict(self) -> PlainData:
        """The robot as plain data, and its home configuration."""
        return {**self.robot.to_dict(), "at_home": self.at_home}


def library_table(robots: Sequence[Robot]) -> Table:
    """A row for each of some robots: name, legs, degrees of freedom, reference."""
    free = [structure_of(robot).degrees_of_freedom for robot in robots]
    words = ("all six" if names == MOVES else " ".join(names) for names in free)
    rows = [(r.name, legs_text(r), w, r.reference) for r, w in zip(robots, words, strict=True)]
    heads = ("name", "legs", "DoF", "reference")
    return Table.of("Robots; driven joints of a leg have a *", heads, rows)


def library_facts(robot: Robot) -> PlainData:
    """Return the data of a row of that table, as plain data."""
    structure = structure_of(robot)
    return {
        "name": robot.name,
        "legs": legs_text(robot),
        "degrees_of_freedom": list(structure.degrees_of_freedom),
        "actuators": [actuator.name for actuator in robot.actuators],
        "units": [joint.unit for joint in structure.driven],
        "platform_mass": robot.platform.mass,
        "reference": robot.reference,
        "notes": robot.notes,
    }


def legs_text(robot: Robot) -> str:
    """Return the number and kinds of legs: "6 UPS"."""
    return f"{len(structure_of(robot).legs)} {leg_kinds(robot)}"


def leg_kinds(robot: Robot) -> str:
    """Return the kinds of the legs: "UPS", or "R*SSSS" with a star behind driven joints."""
    extensible: Iterable[str] = (leg.kind for leg in robot.extensible_legs)
    return "/".join(sorted({*extensible} or set(map(str, structure_of(robot).legs))))


def structure_facts(robot: Robot) -> PlainData:
    """Return structure and mobility of a machine, as plain data."""
    structure = structure_of(robot)
    legs = enumerate(robot.extensible_legs, 1)
    spinning = [f"leg {k}" for k, leg in legs if leg.kind == "SPS"]  # between two ball joints
    return {
        "legs": [str(leg) for leg in structure.legs],
        "actuators": structure.actuators,
        "degrees_of_freedom": list(structure.degrees_of_freedom),
        "mobility": structure.mobility,
        "overconstrained": structure.overconstrained,
        "passive_rotations": spinning or [*structure.passive_rotations, *structure.held],
    }


def home_facts(robot: Robot) -> PlainData:
    """Return structure, positions at home [m, rad], and the condition number of J there.

    Rotations are scaled by the platform's size.
    """
    model, home, length = Model(robot), np.array(robot.home), default_length(robot)
    positions = model.inverse_kinematics(home)
    return {
        **({"leg_lengths": positions.tolist()} if are_lengths(robot) else {}),
        **position_facts(robot, positions),
        "characteristic_length": length,
        "jacobian_condition": float(condition_number(model.machines)(home, length)),
        "structure": structure_facts(robot),
        "branches": branches_at_home(robot),
        "roots": list(model.structure.roots),
    }


def structure_rows(facts: PlainData) -> Rows:
    """Return structure and mobility of a machine as rows of name, value, unit."""
    legs = ", ".join(f"{number} {leg}" for leg, number in Counter[str](facts["legs"]).items())
    count = facts["overconstrained"]
    loops = f"condition{'s' * (count > 1)} of its closed loops"
    return [
        ("legs, driven joints with *", legs, ""),
        ("actuators", str(facts["actuators"]), ""),
        ("mobility", f"{facts['mobility']}: {' '.join(facts['degrees_of_freedom'])}", ""),
        ("overconstrained", f"by {count} {loops}" if count else "no", ""),
        ("passive degrees of freedom", ", ".join(facts["passive_rotations"]) or "none", ""),
    ]


def _actuators(robot: Robot, positions: list[float]) -> Table:
    names = {True: "max torque", False: "max force"}
    most = " or ".join(names[turns] for turns in sorted({a.turns for a in robot.actuators}))
    columns = ("joint", "unit", "at home", "minimum", "maximum", most, "unit ", "max speed")
    rows = []
    for actuator, position in zip(robot.actuators, positions, strict=True):
        unit, effort = unit_read(actuator), "N m" if actuator.turns else "N"
        numbers = (as_read(actuator, x) for x in (position, *(actuator.travel or (None, None))))
        speed = as_read(actuator, actuator.max_speed)
        words = None if speed is None else f"{short_decimal(speed)} {unit}/s"
        rows.append((actuator.name, unit, *numbers, actuator.max_force, effort, words))
    return Table.of("Actuators", columns, rows)


def _bodies(bodies: Sequence[Body]) -> Table:
    columns = ("body", "mass [kg]", "mass centre [m]", "inertia xx yy zz [kg m²]", "radius [m]")
    rows = [
        (b.name, b.mass, vector(b.center_of_mass), vector(np.diag(b.inertia), 3), b.radius)
        for b in bodies
    ]
    return Table.of("Bodies, base frame with the machine at home", columns, rows)


def _joints(joints: Sequence[Joint]) -> Table:
    columns = ("joint", "type", "between", "centre [m]", "axes", "limits")
    rows = [
        (
            joint.name,
            joint.type + "*" * joint.is_driven,
            " – ".join(joint.between),
            vector(joint.at),
            ", ".join(vector(line, 3) for line in joint.lines) or None,
            _limits(joint),
        )
        for joint in joints
    ]
    return Table.of("Joints, base frame with the machine at home; * is driven", columns, rows)


def _relation(coupling: Coupling) -> str:
    """Return text such as "motor = 5 shoulder + 5 elbow"."""
    first, *others = coupling.joints
    terms = zip(coupling.weights[1:], others, strict=True)
    return f"{first} = " + " + ".join(f"{short_decimal(-w)} {name}" for w, name in terms)


def _springs(robot: Robot) -> list[Table]:
    """Springs between bodies, and springs and armatures of joints; none if there are none."""
    lines = [
        (s.name, " – ".join(s.between), s.length_at_home, *s.at_home, s.damping)
        for s in robot.springs
    ]
    beside = []
    for joint in (joint for joint in robot.listed_joints if isinstance(joint, Driven)):
        spring, units = joint.spring, "N m, rad, kg m²" if joint.step == "hinge" else "N, m, kg"
        load = (spring.stiffness, spring.load_at(joint.home)) if spring else (None, None)
        if spring is not None or joint.armature is not None:
            beside.append((joint.name, *load, joint.armature, units))
    columns = ("spring", "between", "length [m]", "force [N]", "stiffness [N/m]", "damping [N s/m]")
    of_joints = ("joint", "stiffness", "load towards positive", "armature", "units")
    found = (
        Table.of("Springs and dampers, at home; tension is positive", columns, lines),
        Table.of("Springs and armatures of joints, at home", of_joints, beside),
    )
    return [table for table in found if table.rows]


def _limits(joint: Joint) -> str | None:
    """The travel of a hinge or slide, or the maximum tilt of a ball or universal joint."""
    tilt = getattr(joint, "limit", None)
    if tilt is not None:
        return f"{short_decimal(math.degrees(tilt))} deg"
    if joint.range_of_travel is None:
        return None
    turns = joint.type == "R"
    low, high = (short_decimal(math.degrees(x) if turns else x) for x in joint.range_of_travel)
    return f"{low} to {high} {'deg' if turns else 'm'}"


def _leg_tables(legs: Sequence[Leg], lengths: list[float]) -> list[Table]:
    """Joint centres, lengths, and parts: one column per leg, or one if all legs are the same."""
    centres = ("leg", "kind", *(f"{body} {k}" for body in ("base", "platform") for k in "xyz"))
    parts = [_part_cells(leg) for leg in legs]
    heads = [f"leg {k}" for k, _ in enumerate(legs, 1)]
    if all(cells == parts[0] for cells in parts):
        parts, heads = parts[:1], ["each leg"]
    places = [(str(k), g.kind, *g.base, *g.platform) for k, g in enumerate(legs, 1)]
    pairs = enumerate(zip(legs, lengths, strict=True), 1)
    ends = [(str(k), length, *(leg.stroke or (None, None))) for k, (leg, length) in pairs]
    cells = [(*name, *(own[name] for own in parts)) for name in parts[0]]
    return [
        Table.of("Joint centres [m]", centres, places),
        Table.of("Leg lengths [m]", ("leg", "at home", "minimum", "maximum"), ends),
        Table.of("Parts and limits", ("", "unit", *heads), cells),
    ]


def _part_cells(leg: Leg) -> dict[tuple[str, str], object]:
    """Numbers of a leg by name and unit."""
    cells: dict[tuple[str, str], object] = {}
    for name, part in (("cylinder", leg.cylinder), ("piston", leg.piston)):
        cells[f"{name} mass", "kg"] = part.mass
        cells[f"{name} mass centre", "m"] = part.center_of_mass
        cells[f"{name} inertia xx yy zz", "kg m²"] = vector(np.diag(part.inertia), 3)
    cells |= {("max force", "N"): leg.max_force, ("max speed", "m/s"): leg.max_speed}
    for name, angle in (("base", leg.base_joint_limit), ("platform", leg.platform_joint_limit)):
        cells[f"{name} joint limit", "deg"] = None if angle is None else math.degrees(angle)
    return cells | {("radius", "m"): leg.radius}
