"""A machine as USD: rigid bodies and joints of UsdPhysics, for Isaac Sim, Omniverse and others.

USD joins any two bodies: joints that close loops are as others are, but for
`excludeFromArticulation`. Positions count as the robot's maker does. What UsdPhysics lacks is
stated as `PhysxJointAxisAPI` and `PhysxLimitAPI` have it: rotors, friction, maximum speeds, end
stops. Angles are in degrees there.
"""

import json
from dataclasses import replace
from functools import partial
from math import degrees
from typing import NamedTuple

import numpy as np

from gough._version import __version__
from gough.arrays import Array
from gough.compiler.source.language import c_identifier
from gough.disk.sources import MARK
from gough.distinct import distinct
from gough.errors import GoughError
from gough.exchange.tree.document import (
    ELECTRIC,
    Export,
    filled,
    not_simulated,
    robot_comment,
    text,
)
from gough.exchange.tree.machine_tree import NO_ROTOR, MachineTree, freedoms, tree_of
from gough.exchange.tree.visuals import BodySurface, as_file_name, visuals_of
from gough.poses.quaternions import of_matrix, of_rotation_vector, product
from gough.robot import BASE, PLATFORM, HomeJoint, Robot
from gough.robot.home import configuration

SPRING = "gough:spring"  # attribute of joints whose drive is a spring, and no motor
_TYPES = {"R": "RevoluteJoint", "P": "PrismaticJoint", "S": "SphericalJoint", "fixed": "FixedJoint"}
_FREE = {"U": ("rotY", "rotX"), "C": ("rotX", "transX")}
"""Free components of joints that UsdPhysics has no type for, in the order of their steps."""
_LOCKED = (1.0, -1.0)
_STOPS = "stiffness and restitution of end stops, in articulations"
"""PhysX reads these of other joints alone, and restitution of hard limits alone."""
_LEAST = 1e-9  # mass [kg] and inertia [kg m^2] of what has none: zero means that shapes have mass
_SQUARE = 1e-6  # cosine of the angle between axes of a universal joint that counts as zero


def usd(robot: Robot) -> Export:
    """The machine as a USD file, in text (.usda)."""
    tree = _with_exact_rods(tree_of(robot))
    visuals = visuals_of(tree.home)
    remarks = [
        "numbers of UsdPhysics have 32 bits, about 7 digits",
        *not_simulated(tree, spring="", armature="", stop=_STOPS, drive=ELECTRIC),
    ]
    if thin := [body.name for body in tree.home.bodies.values() if body.is_thin(_LEAST)]:
        remarks.append(f"made heavier by {_LEAST} kg and kg m^2: {', '.join(thin)}")
    loaded = [j for j in tree.home.joints if j.stiffness or j.preload]
    if beside := [j.name for j in loaded if j.driven or not j.stiffness]:
        remarks.append(
            f"not simulated: springs beside motors or without stiffness, {', '.join(beside)}"
        )
    if several := [j.name for j in tree.home.joints if j.kind.tilts and not j.is_bare]:
        remarks.append(f"not simulated: friction and springs of {', '.join(several)}")
    names = [BASE, *tree.home.bodies, *(joint.name for joint in tree.home.joints)]
    g = float(np.linalg.norm(robot.gravity))
    outward = {joint.name: joint for joint in (*tree.joints, *tree.cut)}
    facts = {
        "says": [" ".join(f"{MARK} {__version__}; {robot.name}".split()), *remarks],
        "root": c_identifier(robot.name),
        "valid": dict(zip(names, distinct(map(c_identifier, names), ("scene",)), strict=True)),
        "gravity": ([x / (g or 1.0) for x in robot.gravity], g),
        "joints": [_joint(tree, outward[joint.name]) for joint in tree.home.joints],
        "no_rotor": NO_ROTOR,
        "spring": SPRING,
        "least": _LEAST,
        "principal": _principal,
        "corners_of": _corners,
        "double": lambda values: ", ".join(map(text, values)),
        "single": lambda values: ", ".join(text(float(str(np.float32(x)))) for x in values),
        "degree": degrees(1.0),
        "degrees": np.degrees,
        "quoted": partial(json.dumps, ensure_ascii=False),
    }
    whole = filled(tree, visuals, "usd.usda", facts) + "\n# " + robot_comment(robot)
    return Export({f"{as_file_name(robot.name)}.usda": whole}, remarks)


def _with_exact_rods(tree: MachineTree) -> MachineTree:
    """Rods between balls in principal axes at their mass centres, which are of 64 bits in USD.

    The mass centre of a rod must be on its line, and 32 bits of a place beside it would not do.
    """
    kept = {PLATFORM, *(found.body for found in tree.robot.meshes)}
    bodies = dict(tree.home.bodies)
    for name, body in bodies.items():
        balls = all(joint.kind.is_ball for joint in tree.home.joints if joint.joins(name))
        if balls and body.mass and name not in kept:
            moments, axes = _principal(body)
            turn = configuration.cleaned(product(np.array(body.frame.quaternion), axes))
            place = np.array(body.frame.position) + body.frame.rotation @ body.center_of_mass
            xx, yy, zz = map(configuration.point, np.diag(moments))
            frame = configuration.Frame(configuration.point(place), _quaternion(turn))
            bodies[name] = configuration.HomeBody(
                name, frame, body.mass, configuration.ORIGIN, (xx, yy, zz)
            )
    return replace(tree, home=replace(tree.home, bodies=bodies))


def _principal(body: configuration.HomeBody) -> tuple[Array, Array]:
    """Principal moments of inertia, and the rotation to their axes as a quaternion."""
    inertia = np.array(body.inertia)
    if not np.any(inertia - np.diag(np.diag(inertia))):
        return np.diag(inertia), np.array(configuration.UPRIGHT)
    moments, axes = np.linalg.eigh(inertia)
    axes[:, 2] *= np.linalg.det(axes)
    return moments, of_matrix(axes)


def _corners(surface: BodySurface) -> tuple[list[list[float]], list[int]]:
    """Vertices of a mesh, and the three of each triangle."""
    lines = [line.split() for line in surface.text.splitlines()]
    corners = [int(corner) - 1 for line in lines if line[0] == "f" for corner in line[1:]]
    return [[*map(float, line[1:])] for line in lines if line[0] == "v"], corners


class _UsdJoint(NamedTuple):
    """A joint, and where it is on both of its bodies."""

    joint: HomeJoint
    type: str
    letter: str  # letter of its axis in its frame
    frames: list[configuration.Frame]
    limits: dict[str, tuple[float, float]]
    """Limits of its components, if UsdPhysics has no type for it."""


def _joint(tree: MachineTree, joint: HomeJoint) -> _UsdJoint:
    letter, turn = _joint_frame(joint)
    at, turns = joint.at, (turn, turn)
    if joint.type == "R":  # so that positions count as the maker does
        unit = np.eye(3)["XYZ".index(letter)]
        turns = (_quaternion(product(np.array(turn), of_rotation_vector(-joint.home * unit))), turn)
    elif joint.type == "P":
        x, y, z = np.array(joint.at) - joint.home * np.array(joint.axes[0])
        at = (float(x), float(y), float(z))
    places = zip((at, joint.at), turns, map(tree.home.frame, joint.between), strict=True)
    frames = [configuration.Frame(x, q).within(frame) for x, q, frame in places]
    return _UsdJoint(joint, _TYPES.get(joint.type, "Joint"), letter, frames, _components(joint))


def _components(joint: HomeJoint) -> dict[str, tuple[float, float]]:
    """Limits of the components of a joint that UsdPhysics has no type for."""
    if joint.type not in _FREE:
        return {}
    ranges = [step.travel.range for step in freedoms(joint)]
    free = dict(zip(_FREE[joint.type], ranges, strict=True))
    limits = {f"{kind}{axis}": _LOCKED for kind in ("trans", "rot") for axis in "XYZ"} | free
    return {component: travel for component, travel in limits.items() if travel is not None}


def _joint_frame(joint: HomeJoint) -> tuple[str, configuration.Quaternion]:
    """The letter of a joint's axis in its frame, and that frame at home, in base axes."""
    if not joint.axes:
        return "X", configuration.UPRIGHT
    x = np.array(joint.axes[-1]) / np.linalg.norm(joint.axes[-1])
    if len(joint.axes) == 1:
        letter = np.argmax(np.abs(x))
        if x[letter] == 1.0 and joint.type in ("R", "P"):
            return "XYZ"[letter], configuration.UPRIGHT
        y = np.cross(x, np.eye(3)[np.argmin(np.abs(x))])
    else:  # the first body turns about y, the second about x
        y = np.array(joint.axes[0]) / np.linalg.norm(joint.axes[0])
        if abs(x @ y) > _SQUARE:
            problem = "a universal joint whose axes are not at right angles"
            raise GoughError(f"{joint.name}: {problem}, which USD has none of")
    y = y / np.linalg.norm(y)
    return "X", _quaternion(configuration.cleaned(of_matrix(np.array([x, y, np.cross(x, y)]).T)))


def _quaternion(values: Array) -> configuration.Quaternion:
    w, x, y, z = map(float, values)
    return w, x, y, z
