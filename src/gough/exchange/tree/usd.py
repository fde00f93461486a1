"""A machine as USD: rigid bodies and joints of UsdPhysics, for Isaac Sim, Omniverse and others.

USD joins any two bodies: joints that close loops are as others are, but for
`excludeFromArticulation`. Positions count as the robot's maker does. What UsdPhysics lacks is
stated as `PhysxJointAxisAPI` and `PhysxLimitAPI` have it: rotors, friction, maximum speeds, end
stops. Angles are in degrees there.
Imported only where somebody asks for USD, as not everybody has its package.
"""

from dataclasses import replace
from math import degrees, inf
from typing import Any

import numpy as np
from pxr import Gf, Sdf, Tf, Usd, UsdGeom, UsdPhysics

from gough._version import __version__
from gough.arrays import Array
from gough.disk.sources import MARK
from gough.distinct import distinct
from gough.errors import GoughError
from gough.exchange.tree.document import ELECTRIC, Export, not_simulated, robot_comment
from gough.exchange.tree.machine_tree import NO_ROTOR, Freedom, MachineTree, freedoms, tree_of
from gough.exchange.tree.visuals import Visuals, as_file_name, rgba, visuals_of
from gough.poses.quaternions import of_matrix, of_rotation_vector, product
from gough.robot import BASE, PLATFORM, HomeJoint, Robot
from gough.robot.home import configuration

UsdObject = Any
"""A stage, a part of one, or a value of these: pxr states no types."""
AXIS = {"hinge": "angular", "slide": "linear"}
"""Instances of APIs of drives and axes."""
SPRING = "gough:spring"
"""Attribute of joints whose drive is a spring, and no motor."""
_TYPES = {"R": "RevoluteJoint", "P": "PrismaticJoint", "S": "SphericalJoint", "fixed": "FixedJoint"}
_FREE = {"U": ("rotY", "rotX"), "C": ("rotX", "transX")}
"""Free components of joints that UsdPhysics has no type for, in the order of their steps."""
_LOCKED = (1.0, -1.0)
_STOPS = "stiffness and restitution of end stops, in articulations"
"""PhysX reads these of other joints alone, and restitution of hard limits alone."""
_LEAST = 1e-9
"""Mass [kg] and inertia [kg m^2] of what has none: zero means that shapes have mass."""
_SQUARE = 1e-6
"""Cosine of the angle between axes of a universal joint that counts as zero."""


def usd(robot: Robot) -> Export:
    """The machine as a USD file, in text (.usda)."""
    tree = _with_exact_rods(tree_of(robot))
    visuals = visuals_of(tree.home)
    remarks = [
        "numbers of UsdPhysics have 32 bits, about 7 digits",
        *not_simulated(tree, spring="", armature="", stop=_STOPS, drive=ELECTRIC),
    ]
    if thin := [body.name for body in tree.home.bodies.values() if _is_thin(body)]:
        remarks.append(f"made heavier by {_LEAST} kg and kg m^2: {', '.join(thin)}")
    loaded = [j for j in tree.home.joints if j.stiffness or j.preload]
    if beside := [j.name for j in loaded if j.driven or not j.stiffness]:
        remarks.append(
            f"not simulated: springs beside motors or without stiffness, {', '.join(beside)}"
        )
    if several := [j.name for j in tree.home.joints if j.kind.tilts and not j.is_bare]:
        remarks.append(f"not simulated: friction and springs of {', '.join(several)}")
    stage = _stage(tree, visuals)  # whose layer lives as long as it does
    text = stage.GetRootLayer().ExportToString()
    first, _, rest = text.partition("\n")  # says that it is USD
    says = [f"{MARK} {__version__}; {robot.name}", *remarks]
    lines = [first, *(f"# {' '.join(line.split())}" for line in says), rest]
    whole = "\n".join(lines) + "# " + robot_comment(robot)
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
            turn = configuration.cleaned(product(np.array(body.frame.quaternion), of_matrix(axes)))
            place = np.array(body.frame.position) + body.frame.rotation @ body.center_of_mass
            xx, yy, zz = map(configuration.point, np.diag(moments))
            frame = configuration.Frame(configuration.point(place), _quaternion(turn))
            bodies[name] = configuration.HomeBody(
                name, frame, body.mass, configuration.ORIGIN, (xx, yy, zz)
            )
    return replace(tree, home=replace(tree.home, bodies=bodies))


def _principal(body: configuration.HomeBody) -> tuple[Array, Array]:
    """Principal moments of inertia, and their axes as columns."""
    inertia = np.array(body.inertia)
    if not np.any(inertia - np.diag(np.diag(inertia))):
        return np.diag(inertia), np.eye(3)
    moments, axes = np.linalg.eigh(inertia)
    axes[:, 2] *= np.linalg.det(axes)
    return moments, axes


def _stage(tree: MachineTree, visuals: Visuals) -> UsdObject:
    stage, home = Usd.Stage.CreateInMemory(), tree.home
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.z)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    UsdPhysics.SetStageKilogramsPerUnit(stage, 1.0)
    root = UsdGeom.Xform.Define(stage, f"/{Tf.MakeValidIdentifier(tree.robot.name)}").GetPrim()
    root.SetDisplayName(tree.robot.name)
    stage.SetDefaultPrim(root)
    UsdPhysics.ArticulationRootAPI.Apply(root)
    scene = UsdPhysics.Scene.Define(stage, root.GetPath().AppendChild("scene"))
    g = float(np.linalg.norm(tree.robot.gravity))
    scene.CreateGravityMagnitudeAttr(g)
    scene.CreateGravityDirectionAttr(Gf.Vec3f(*(x / (g or 1.0) for x in tree.robot.gravity)))
    names = [BASE, *home.bodies, *(joint.name for joint in home.joints)]
    valid = distinct(map(Tf.MakeValidIdentifier, names), ("scene",))
    paths = {n: root.GetPath().AppendChild(v) for n, v in zip(names, valid, strict=True)}
    for name in (BASE, *home.bodies):
        prim = _placed(stage, paths[name], home.frame(name))
        _show(stage, visuals, name, prim.GetPath())
        if name != BASE:
            _weigh(prim, home.bodies[name])
    outward = {joint.name: joint for joint in (*tree.joints, *tree.cut)}
    for joint in home.joints:  # motors are in this order
        made = _joint(stage, paths, tree, outward[joint.name])
        made.CreateExcludeFromArticulationAttr(outward[joint.name] in tree.cut)
    for name, path in paths.items():
        stage.GetPrimAtPath(path).SetDisplayName(name)
    return stage


def _placed(stage: UsdObject, path: UsdObject, frame: configuration.Frame) -> UsdObject:
    xform = UsdGeom.Xform.Define(stage, path)
    xform.AddTranslateOp().Set(Gf.Vec3d(*frame.position))
    xform.AddOrientOp(UsdGeom.XformOp.PrecisionDouble).Set(Gf.Quatd(*frame.quaternion))
    return xform.GetPrim()


def _show(stage: UsdObject, visuals: Visuals, body: str, path: UsdObject) -> None:
    """Bars and meshes of a body, which touch nothing and weigh nothing."""
    for k, bar in enumerate(visuals.parts_of(body), 1):
        middle, angles, length = bar.as_cylinder
        kind = UsdGeom.Cylinder if bar.flat else UsdGeom.Capsule
        shape = kind.Define(stage, path.AppendChild(f"shape_{k}"))
        shape.CreateRadiusAttr(bar.radius)
        shape.CreateHeightAttr(length)
        shape.AddTranslateOp().Set(Gf.Vec3d(*map(float, middle)))
        shape.AddRotateXYZOp().Set(Gf.Vec3f(*map(float, np.degrees(angles))))
        shape.CreateDisplayColorAttr([_colour(bar.colour)])
    for k, surface in enumerate(visuals.surfaces_of(body), 1):
        lines = [line.split() for line in surface.text.splitlines()]
        corners = [int(corner) - 1 for line in lines if line[0] == "f" for corner in line[1:]]
        mesh = UsdGeom.Mesh.Define(stage, path.AppendChild(f"mesh_{k}"))
        mesh.CreatePointsAttr([tuple(map(float, line[1:])) for line in lines if line[0] == "v"])
        mesh.CreateFaceVertexIndicesAttr(corners)
        mesh.CreateFaceVertexCountsAttr([3] * (len(corners) // 3))
        mesh.CreateDisplayColorAttr([_colour(surface.colour)])


def _colour(colour: str) -> UsdObject:
    return Gf.Vec3f(*map(float, rgba(colour).split()[:3]))


def _is_thin(body: configuration.HomeBody) -> bool:
    return body.mass <= 0.0 or body.least_moment <= _LEAST


def _weigh(prim: UsdObject, body: configuration.HomeBody) -> None:
    """Make a rigid body with principal moments of inertia."""
    more, (moments, axes) = _LEAST if _is_thin(body) else 0.0, _principal(body)
    UsdPhysics.RigidBodyAPI.Apply(prim)
    mass = UsdPhysics.MassAPI.Apply(prim)
    mass.CreateMassAttr(body.mass + more)
    mass.CreateCenterOfMassAttr(Gf.Vec3f(*body.center_of_mass))
    mass.CreateDiagonalInertiaAttr(Gf.Vec3f(*(float(moment) + more for moment in moments)))
    mass.CreatePrincipalAxesAttr(Gf.Quatf(*map(float, of_matrix(axes))))


def _joint(
    stage: UsdObject, paths: dict[str, UsdObject], tree: MachineTree, joint: HomeJoint
) -> UsdObject:
    made = getattr(UsdPhysics, _TYPES.get(joint.type, "Joint")).Define(stage, paths[joint.name])
    letter, turn = _joint_frame(joint)
    at, turns = joint.at, (turn, turn)
    if joint.type == "R":  # so that positions count as the maker does
        unit = np.eye(3)["XYZ".index(letter)]
        turns = (_quaternion(product(np.array(turn), of_rotation_vector(-joint.home * unit))), turn)
    elif joint.type == "P":
        x, y, z = np.array(joint.at) - joint.home * np.array(joint.axes[0])
        at = (float(x), float(y), float(z))
    for k, (body, place) in enumerate(zip(joint.between, (at, joint.at), strict=True)):
        seen = configuration.Frame(place, turns[k]).within(tree.home.frame(body))
        getattr(made, f"CreateBody{k}Rel")().SetTargets([paths[body]])
        getattr(made, f"CreateLocalPos{k}Attr")(Gf.Vec3f(*seen.position))
        getattr(made, f"CreateLocalRot{k}Attr")(Gf.Quatf(*map(float, seen.quaternion)))
    if joint.type in ("R", "P"):
        made.CreateAxisAttr(letter)
        _single(made, tree, joint, freedoms(joint)[0])
    for component, travel in _components(joint).items():
        scale = degrees(1.0) if component.startswith("rot") else 1.0
        limit = UsdPhysics.LimitAPI.Apply(made.GetPrim(), component)
        limit.CreateLowAttr(scale * travel[0])
        limit.CreateHighAttr(scale * travel[1])
    return made


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


def _single(made: UsdObject, tree: MachineTree, joint: HomeJoint, step: Freedom) -> None:
    """Range, motor or spring, rotor and friction of a hinge or a slide."""
    prim, axis, rotor = made.GetPrim(), AXIS[step.kind], tree.rotors.get(joint.name, NO_ROTOR)
    scale = degrees(1.0) if step.kind == "hinge" else 1.0
    if step.travel.range is not None:
        made.CreateLowerLimitAttr(scale * step.travel.range[0])
        made.CreateUpperLimitAttr(scale * step.travel.range[1])
    if joint.driven or joint.stiffness:
        drive = UsdPhysics.DriveAPI.Apply(prim, axis)
        drive.CreateTypeAttr("force")
        drive.CreateMaxForceAttr(inf if joint.max_effort is None else joint.max_effort)
        drive.CreateStiffnessAttr(0.0 if joint.driven else joint.stiffness / scale)
        if not joint.driven:
            relaxed = joint.home + joint.preload / joint.stiffness
            drive.CreateTargetPositionAttr(scale * relaxed)
            prim.CreateAttribute(SPRING, Sdf.ValueTypeNames.Bool).Set(True)
    friction = joint.friction + rotor.friction
    numbers = {
        "armature": rotor.inertia + (joint.armature or 0.0),
        "viscousFrictionCoefficient": (joint.damping + rotor.damping) / scale,
        "staticFrictionEffort": friction,
        "dynamicFrictionEffort": friction,
        "maxJointVelocity": (joint.max_speed or 0.0) * scale,
    }
    groups = {"JointAxis": numbers}
    if stop := tree.stops.get(joint.name):
        groups["Limit"] = {"stiffness": stop.stiffness / scale, "restitution": stop.restitution}
    for group, stated in groups.items():
        prim.AddAppliedSchema(f"Physx{group}API:{axis}")
        for key, number in stated.items():
            if number:
                name = f"physx{group}:{axis}:{key}"
                prim.CreateAttribute(name, Sdf.ValueTypeNames.Float, False).Set(number)
