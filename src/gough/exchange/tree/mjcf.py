"""A machine as MJCF, for MuJoCo and for whatever else reads it, such as Pinocchio.

The base is a body that stands still, as Pinocchio reads one body of the world only; the others hang
on it as a tree, whose loops `connect`s close. Joints count as the robot's maker does (`ref`).
"""

from collections.abc import Iterator

import numpy as np

from gough.exchange.tree.document import ELECTRIC, Export, exported, not_simulated
from gough.exchange.tree.machine_tree import NO_ROTOR, MachineTree, closed, freedoms, tree_of
from gough.exchange.tree.visuals import visuals_of
from gough.kinematics.model import Model
from gough.robot import Robot
from gough.robot.home.configuration import UPRIGHT, Frame, point
from gough.robot.springs import Spring

_TRIFLE = 1e-12
"""Minimum mass [kg] and moment of inertia [kg m^2]: every moving body must have some."""
_SAID = {  # keys of robots that MJCF has a place for, and what it leaves out of them
    **dict.fromkeys(("spring", "springs", "couplings", "armature"), ""),
    "drive": ELECTRIC,
    "max_speed": "maximum speeds",
}
_SHARE, _LEVER = 1e-5, 0.1
"""Share of the machine's mass for a body without mass, and its lever as a part of the size."""


def mjcf(robot: Robot) -> Export:
    """The machine as an MJCF file."""
    tree = closed(tree_of(robot), sharing_mass=True)
    visuals = visuals_of(tree.home)
    least, thin = _least(tree, visuals.reach)
    remarks = [*not_simulated(tree, **_SAID), *_shares(tree), *thin]
    lines = [spring for spring in robot.springs if _free_length(spring) >= 0.0]
    lost = [spring.name for spring in robot.springs if spring not in lines]
    lost += [joint.name for joint in tree.home.joints if joint.preload and not joint.stiffness]
    if lost:
        remarks.append(f"not simulated: forces of {', '.join(lost)}, not those of linear springs")
    facts = {
        "robot": robot,
        "least": least,
        "springs": [(spring, _free_length(spring)) for spring in lines],
        "sites": lambda body: list(_sites(tree, body)),
        "no_rotor": NO_ROTOR,
    }
    return exported(tree, visuals, "mjcf", remarks, facts | _home(tree, lost))


def _shares(tree: MachineTree) -> list[str]:
    """Remarks on bodies whose mass is that of several, welded together."""
    shares: dict[str, list[str]] = {}
    for half, body in (c.bodies for c in tree.closures if c.bodies[0].endswith(".half")):
        shares.setdefault(body, []).append(half)
    return [
        f"{body} shares its mass with {', '.join(h)}, welded to it" for body, h in shares.items()
    ]


def _least(tree: MachineTree, reach: float) -> tuple[tuple[float, ...], list[str]]:
    """Return minimum mass [kg] and inertia [kg m^2] for the compiler, and remarks on who has less.

    They are small for thin bodies, and larger if there are some without mass: the error of MuJoCo's
    closures is proportional to the inverse mass of their bodies.
    """
    bodies = tree.home.bodies.values()
    total = sum(body.mass for body in bodies)
    mass = inertia = _TRIFLE
    if total and not all(body.mass for body in bodies):
        mass, inertia = _SHARE * total, _SHARE * total * (_LEVER * reach) ** 2
    thin = [body.name for body in bodies if body.mass < mass or body.least_moment < inertia]
    if not thin:
        return (), []
    least = f"at least {mass:.3g} kg and {inertia:.3g} kg m^2"
    remark = f"of too little mass or inertia; MuJoCo takes {least}: {', '.join(thin)}"
    return (mass, inertia), [remark]


def _sites(tree: MachineTree, body: str) -> Iterator[tuple[str, Frame]]:
    """Yield ends of springs and places where loops close, by name, in a body's frame.

    These are on base axes at home, unless only points meet.
    """
    frame = tree.home.frame(body)
    for spring in tree.robot.springs:
        for end, at, own in zip(
            ("start", "end"), (spring.start, spring.end), spring.between, strict=True
        ):
            if own == body:
                yield f"{spring.name}.{end}", Frame(frame.seen(point(at)))
    for closure in tree.closures:
        for own, place in zip(closure.bodies, closure.places, strict=True):
            if own == body:
                axes = UPRIGHT if closure.kind == "point" else frame.base_axes
                yield f"{closure.name}.{body}", Frame(place, axes)


def _free_length(spring: Spring) -> float:
    """Free length [m] of a spring; negative if it has a characteristic that MuJoCo's have not."""
    if spring.length is not None:
        return spring.length
    if spring.stiffness:
        return spring.length_at_home - (spring.force or 0.0) / spring.stiffness
    linear = spring.table is None and not spring.force
    return spring.length_at_home if linear else -1.0


def _home(tree: MachineTree, lost: list[str]) -> dict[str, object]:
    """Positions and motors' efforts at home, and whether these hold it, without springs `lost`."""
    positions: list[float] = []
    for freedom in (freedom for joint in tree.joints for freedom in freedoms(joint)):
        positions += UPRIGHT if freedom.kind == "ball" else [freedom.travel.home]
    robot, data, still = tree.robot, tree.robot.to_dict(), np.zeros(6)
    if lost:
        data["springs"] = [x for x in data.get("springs", ()) if x["name"] not in lost]
        for joint in data.get("joints", ()):
            joint.pop("spring" if joint["name"] in lost else "", None)
        robot = Robot.from_dict(data)
    loaded = robot.springs or any(joint.preload for joint in tree.home.joints)
    kernel = Model(robot).actuator_force if loaded else Model(robot).inverse_dynamics
    efforts = kernel(np.array(robot.home), still, still, still)
    holding = bool(np.isfinite(efforts).all())
    return {"positions": positions, "efforts": efforts, "holding": holding}
