"""A USD file as a machine: rigid bodies and joints of UsdPhysics, friction of PhysX.

Imported only in the process that reads USD, as not everybody has its package.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import inf, isfinite, radians
from pathlib import Path
from typing import Any

import numpy as np
from pxr import Gf, Tf, Usd, UsdGeom, UsdPhysics

from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.distinct import distinct
from gough.errors import InputError, RobotError, about_file
from gough.exchange.importing.closing import redrawn
from gough.exchange.importing.elements import of_names
from gough.exchange.importing.file_machine import (
    MOST_LINKS,
    FileBody,
    FileCoupling,
    FileFreedom,
    FileJoint,
    FileMachine,
    Kind,
    in_axes,
    outward,
    placed,
)
from gough.exchange.tree.usd import SPRING
from gough.poses import pose, rotation
from gough.poses.quaternions import of_rotation_vector, rotation_matrix
from gough.robot import BASE, FREE_FALL

UsdObject = Any  # a stage, a part of one, or a value of these: pxr states no types
_AXIS = {"hinge": "angular", "slide": "linear"}  # instances of APIs of drives and axes
_SINGLE: dict[str, Kind] = {"PhysicsRevoluteJoint": "hinge", "PhysicsPrismaticJoint": "slide"}
_FREE = {"PhysicsSphericalJoint": ("rotZ", "rotY", "rotX"), "PhysicsFixedJoint": ()}
_COMPONENTS = ("transX", "transY", "transZ", "rotZ", "rotY", "rotX")
"""Components of a D6 joint from its first body: it swings about y or z, then turns about x."""
_AXES = (*_AXIS.values(), *_COMPONENTS)
_KINDS: dict[str, Kind] = {"t": "slide", "r": "hinge"}
_ENVELOPE = "maxActuatorVelocity", "speedEffortGradient", "velocityDependentResistance"
_MOST_PRIMS = 10 * MOST_LINKS
_UNLIMITED = 1e30


@dataclass(frozen=True, eq=False)
class PhysicsJoint:
    """A joint of the file between two bodies, by their names."""

    name: str
    between: tuple[str, str]
    prim: UsdObject
    frames: tuple[Array, Array]
    """Frames that meet in it, on either body."""
    metre: float
    kilogram: float

    def number(self, name: str, default: float = 0.0) -> float:
        """A number of the joint, or what it is where it is not given."""
        return _number(self.prim, name, default)

    @property
    def is_motor(self) -> bool:
        """Whether a drive moves it that is no spring."""
        strong = any(
            self.number(f"drive:{axis}:physics:maxForce", inf) > 0.0 for axis in self.driven
        )
        return len(self.steps) == 1 and strong and not self.number(SPRING)

    @property
    def driven(self) -> list[str]:
        """Axes of its drives."""
        return [axis for axis in _AXES if self.prim.HasAPI(UsdPhysics.DriveAPI, axis)]

    @cached_property
    def steps(self) -> list[tuple[Kind, int]]:
        """Kinds of its degrees of freedom from its first body, and their axes in its frames."""
        type_ = str(self.prim.GetTypeName())
        if type_ in _SINGLE:
            return [(_SINGLE[type_], "XYZ".index(self.prim.GetAttribute("physics:axis").Get()))]
        free = _FREE.get(type_)
        if type_ == "PhysicsJoint":
            limits = {c: f"limit:{c}:physics:" for c in _COMPONENTS}
            numbers = {
                c: [self.number(at + e) for e in ("low", "high")] for c, at in limits.items()
            }
            free = tuple(c for c, (low, high) in numbers.items() if low <= high)
        if free is None or free[-2:] == ("rotZ", "rotY"):
            expected = "hinges, slides, balls, fixed joints, and others that these make up"
            raise RobotError("another type", key=self.name, value=type_, expected=expected)
        steps = [(_KINDS[c[0]], "XYZ".index(c[-1])) for c in free]
        return [*steps[:-3], ("ball", 0)] if free[-3:] == _COMPONENTS[3:] else steps

    @cached_property
    def positions(self) -> list[float]:
        """Positions [rad, m] as it is drawn; zero of a ball."""
        R, turns = self._between[:3, :3], [i for kind, i in self.steps if kind == "hinge"]
        found: dict[Kind, Any] = {"slide": self._between[:3, 3], "ball": np.zeros(3), "hinge": {}}
        if turns:  # R turns about a, and if there is another hinge then about b
            a, b = (*turns, (turns[0] + 1) % 3)[:2]
            across = np.cross(np.eye(3)[a], np.eye(3)[b])
            found["hinge"] = {b: np.arctan2(across @ R[a], R[a, a])}
            found["hinge"][a] = np.arctan2(across @ R[:, b], R[b, b])
        return [float(found[kind][i]) for kind, i in self.steps]

    @property
    def _between(self) -> Array:
        """The second frame in the first, as the bodies are drawn."""
        return np.asarray(np.linalg.inv(self.frames[0]) @ self.frames[1])

    def joint(self, motor: int | None) -> FileJoint:
        """The joint at its positions, without what rounding adds to them."""
        at, freedoms, steps = self.frames[0], list[FileFreedom](), self.steps
        for k, ((kind, i), position) in enumerate(zip(steps, self.positions, strict=True)):
            along, R = position * np.eye(3)[i], self._between[:3, :3]
            if kind != "ball":
                R = np.eye(3) if kind == "slide" else rotation_matrix(of_rotation_vector(along))
            at = at @ placed(along * (kind == "slide"), R)
            name = self.name if len(steps) == 1 else f"{self.name}.{k + 1}"
            facts = {} if kind == "ball" else self._facts(kind, i, motor)
            axis = at[:3, :3] if kind == "ball" else at[:3, i]
            freedoms.append(FileFreedom(name, kind, at[:3, 3], axis, position, **facts))
        return FileJoint(self.name, self.between, tuple(freedoms), (at, self.frames[1]))

    def _facts(self, kind: Kind, i: int, motor: int | None) -> PlainData:
        """Range, friction, spring and motor of a hinge or a slide [SI units]."""
        turns = kind == "hinge"
        axis = f"{'rot' if turns else 'trans'}{'XYZ'[i]}"  # its name in attributes
        axis = _AXIS[kind] if str(self.prim.GetTypeName()) in _SINGLE else axis
        unit = radians(1.0) if turns else self.metre
        force = self.kilogram * self.metre * (self.metre if turns else 1.0)
        own, drive = f"physxJointAxis:{axis}:", f"drive:{axis}:physics:"
        ends = ["physics:lowerLimit", "physics:upperLimit"]
        if axis not in _AXIS.values():
            ends = [f"limit:{axis}:physics:{end}" for end in ("low", "high")]
        low, high = unit * self.number(ends[0], -inf), unit * self.number(ends[1], inf)
        facts: PlainData = {
            "travel": (low, high) if isfinite(low) or isfinite(high) else None,
            "damping": force / unit * self.number(f"{own}viscousFrictionCoefficient"),
            "friction": force * self.number(f"{own}dynamicFrictionEffort"),
            "stiffness": force / unit * self.number(f"{drive}stiffness") * self.number(SPRING),
            "relaxed": unit * self.number(f"{drive}targetPosition"),
            "armature": force / self.metre ** (not turns) * self._physx(own, "armature", 0.0),
        }
        if motor is not None:
            most = force * self.number(f"{drive}maxForce", inf)
            fastest = unit * self._physx(own, "maxJointVelocity", inf)
            limit = f"physxLimit:{axis}:"
            if stiff := force / unit * self.number(f"{limit}stiffness"):
                facts["stop"] = stiff, self.number(f"{limit}restitution")
            facts |= {"motor": motor, "max_effort": most if most < _UNLIMITED else None}
            facts["max_speed"] = fastest if fastest < _UNLIMITED else None
        return facts

    @property
    def unit(self) -> float:
        """Unit of its positions: a degree or the file's length [rad, m]."""
        return radians(1.0) if self.steps[0][0] == "hinge" else self.metre

    def mimics_of(self, key: str) -> list[str]:
        """Return the attributes of the axes along which it follows another joint."""
        applied = map(str, self.prim.GetPrimTypeInfo().GetAppliedAPISchemas())
        axes = (api.partition(":")[2] for api in applied if api.startswith("PhysxMimicJointAPI"))
        return [f"physxMimicJoint:{axis}:{key}" for axis in axes]

    def _physx(self, axis: str, key: str, default: float) -> float:
        """A number of an axis, or of the whole joint as older files have it."""
        return self.number(f"{axis}{key}", self.number(f"physxJoint:{key}", default))


def usd_machine(path: Path) -> FileMachine:
    """Return the machine of a USD file."""
    try:
        stage = Usd.Stage.Open(str(path))
    except Tf.ErrorException as error:
        words = str(error).partition(f"{path.name}:")[2] or "USD cannot parse it"
        what = words.splitlines()[0]  # line, column, expectation
        raise InputError(f"not valid USD: {what}", file=path) from None
    with about_file(path):
        for layer in filter(None, (layer.realPath for layer in stage.GetUsedLayers())):
            if not Path(layer).resolve().is_relative_to(path.parent.resolve()):
                expected = "one in its own folder, or in those there"
                raise InputError("it names a file elsewhere", value=layer, expected=expected)
        prims = list(stage.Traverse(Usd.TraverseInstanceProxies()))
        if len(prims) > _MOST_PRIMS:
            raise InputError(f"{len(prims):,} prims", expected=f"at most {_MOST_PRIMS:,}")
        return _machine(stage, prims, path.stem)


def _machine(stage: UsdObject, prims: list[UsdObject], stem: str) -> FileMachine:
    metre = UsdGeom.GetStageMetersPerUnit(stage)
    kilogram = UsdPhysics.GetStageKilogramsPerUnit(stage)
    rigid = [prim for prim in prims if prim.HasAPI(UsdPhysics.RigidBodyAPI) and _moves(prim)]
    prims_of = dict(zip(distinct(map(_name, rigid), [BASE]), rigid, strict=True))
    names = {prim.GetPath(): name for name, prim in prims_of.items()}
    found = [prim for prim in prims if prim.IsA(UsdPhysics.Joint)]
    given = [_joint(p, names, metre, kilogram) for p in found if _is_on(p)]
    motors = {joint: k for k, joint in enumerate(j for j in given if j.is_motor)}
    in_order = sorted(given, key=lambda j: j.number("physics:excludeFromArticulation"))
    joints = outward((joint.joint(motors.get(joint)) for joint in in_order), BASE)
    tied = [joint.second for joint in joints]
    if loose := prims_of.keys() - {*tied}:
        problem = "floats: no joints tie it to the base"
        raise RobotError(problem, key=min(loose), expected="a machine that stands on its base")
    bodies = {BASE: FileBody()}
    bodies |= {name: _body(prims_of[name], metre, kilogram) for name in tied if name != BASE}
    frames = {name: (name, body.place) for name, body in bodies.items()}
    root, gravity = stage.GetDefaultPrim(), _gravity(stage, prims, metre)
    name, left_out = _name(root) if root else stem, tuple(_left_out(prims, prims_of, given))
    couplings = tuple(_couplings(given).values())
    machine = FileMachine(name, gravity, bodies, joints, frames, left_out, couplings=couplings)
    return redrawn(machine, np.zeros(len(machine.columns)))  # as joints place bodies


def _couplings(joints: list[PhysicsJoint]) -> dict[str, FileCoupling]:
    """Return the couplings of PhysxMimicJointAPI: position + gearing · the other's + offset = 0."""
    single, found = {j.prim.GetPath(): j for j in joints if len(j.steps) == 1}, {}
    for joint in single.values():
        for key in joint.mimics_of(""):
            targets = joint.prim.GetRelationship(f"{key}referenceJoint").GetTargets()
            other = next((single[path] for path in targets if path in single), None)
            ratio = joint.number(f"{key}gearing")
            if other is not None and other is not joint and ratio:
                at = -joint.unit * joint.number(f"{key}offset")
                pair, geared = (joint.name, other.name), ratio * joint.unit / other.unit
                found[joint.name] = FileCoupling(f"{joint.name}.mimic", pair, (1.0, geared), at)
    return found


def _is_on(prim: UsdObject) -> bool:
    return bool(UsdPhysics.Joint(prim).GetJointEnabledAttr().Get())


def _moves(prim: UsdObject) -> bool:
    """Whether forces move a rigid body."""
    body = UsdPhysics.RigidBodyAPI(prim)
    return bool(body.GetRigidBodyEnabledAttr().Get() and not body.GetKinematicEnabledAttr().Get())


def _name(prim: UsdObject) -> str:
    return str(prim.GetDisplayName() or prim.GetName())


def _decimal(value: float) -> float:
    """A number of 32 bits as it is written in decimals: 0.1, and not 0.100000001."""
    return float(str(np.float32(value)))


def _number(prim: UsdObject, name: str, default: float = 0.0) -> float:
    """A number of a prim, or what it is where it is not given."""
    value = prim.GetAttribute(name).Get() if prim.HasAttribute(name) else None
    return default if value is None else _decimal(value)


def _turn(quaternion: UsdObject) -> Array:
    """The matrix of a quaternion; of one that is not given, and so zero, no rotation."""
    values = [quaternion.GetReal(), *quaternion.GetImaginary()]
    given = values if any(values) else [1.0, 0.0, 0.0, 0.0]
    return np.asarray(rotation(pose([0, 0, 0], quaternion=given)).as_matrix())


def _place(prim: UsdObject, metre: float) -> Array:
    matrix = UsdGeom.XformCache().GetLocalToWorldTransform(prim)
    turn = matrix.RemoveScaleShear().ExtractRotationQuat()
    return placed(metre * np.array(matrix.ExtractTranslation()), _turn(turn))


def _joint(
    prim: UsdObject, bodies: dict[UsdObject, str], metre: float, kilogram: float
) -> PhysicsJoint:
    joint, stage = UsdPhysics.Joint(prim), prim.GetStage()
    names, frames = list[str](), list[Array]()
    for k in (0, 1):
        path = next(iter(getattr(joint, f"GetBody{k}Rel")().GetTargets()), "/")
        target = stage.GetPrimAtPath(path)
        if not target:
            problem, expected = "no such prim", "the path of a prim"
            raise RobotError(problem, key=_name(prim), value=str(path), expected=expected)
        local = Gf.Vec3d(*map(_decimal, getattr(joint, f"GetLocalPos{k}Attr")().Get()))
        at = UsdGeom.XformCache().GetLocalToWorldTransform(target).Transform(local)
        turn = _place(target, metre)[:3, :3] @ _turn(getattr(joint, f"GetLocalRot{k}Attr")().Get())
        frames.append(placed(metre * np.array(at), turn))
        body = next((p for p in target.GetPath().GetAncestorsRange() if p in bodies), None)
        names.append(BASE if body is None else bodies[body])
    between, two = (names[0], names[1]), (frames[0], frames[1])
    return PhysicsJoint(_name(prim), between, prim, two, metre, kilogram)


def _body(prim: UsdObject, metre: float, kilogram: float) -> FileBody:
    api, place = UsdPhysics.MassAPI(prim), _place(prim, metre)
    if not (mass := api.GetMassAttr().Get()):
        return FileBody(place)
    axes = _turn(api.GetPrincipalAxesAttr().Get())
    local = Gf.Vec3d(*(x if isfinite(x) else 0.0 for x in _center(api)))  # scaled as its prim is
    center = UsdGeom.XformCache().GetLocalToWorldTransform(prim).Transform(local)
    inertia = kilogram * metre**2 * axes @ np.diag(_moments(api)) @ axes.T
    about = in_axes(place[:3, :3], inertia)
    return FileBody(place, kilogram * _decimal(mass), metre * np.array(center), about)


def _moments(api: UsdObject) -> list[float]:
    """Principal moments of a body; zeros if they are those of its shapes."""
    return [_decimal(moment) for moment in api.GetDiagonalInertiaAttr().Get() or (0, 0, 0)]


def _center(api: UsdObject) -> list[float]:
    """Mass centre of a body; not finite if it is that of its shapes."""
    return [_decimal(x) for x in api.GetCenterOfMassAttr().Get() or (inf, inf, inf)]


def _gravity(stage: UsdObject, prims: list[UsdObject], metre: float) -> tuple[float, ...]:
    """That of the first scene; where it is not given, 9.81 m/s^2 against the axis that is up."""
    scenes = [UsdPhysics.Scene(prim) for prim in prims if prim.IsA(UsdPhysics.Scene)]
    size = scenes[0].GetGravityMagnitudeAttr().Get() if scenes else -inf
    given = [_decimal(x) for x in scenes[0].GetGravityDirectionAttr().Get()] if scenes else []
    along = given if any(given) else -np.eye(3)["XYZ".index(str(UsdGeom.GetStageUpAxis(stage)))]
    g = np.linalg.norm(FREE_FALL) if size < 0.0 else metre * _decimal(size)
    return tuple((g * np.array(along) / np.linalg.norm(along)).tolist())


def _left_out(
    prims: list[UsdObject], bodies: dict[str, UsdObject], joints: list[PhysicsJoint]
) -> Iterator[str]:
    rigid = [prim for prim in prims if prim.HasAPI(UsdPhysics.RigidBodyAPI)]
    if still := ", ".join(_name(prim) for prim in rigid if not _moves(prim)):
        yield f"that bodies move which are kinematic or disabled: {still}"
    found = [prim for prim in prims if prim.IsA(UsdPhysics.Joint)]
    if off := ", ".join(_name(prim) for prim in found if not _is_on(prim)):
        yield f"disabled joints {off}"
    light = [n for n, prim in bodies.items() if _number(prim, "physxRigidBody:disableGravity")]
    if light:
        yield f"that gravity does not act on {', '.join(light)}"
    if shapes := sum(1 for prim in prims if prim.IsA(UsdGeom.Gprim)):
        yield f"geometry of {shapes} shapes"
    apis = {name: UsdPhysics.MassAPI(prim) for name, prim in bodies.items()}
    masses = {name: api.GetMassAttr().Get() for name, api in apis.items()}
    heavy = {name: api for name, api in apis.items() if masses[name]}
    points = {name: api for name, api in heavy.items() if not any(_moments(api))}
    aside = [n for n, api in heavy.items() if not all(map(isfinite, _center(api)))]
    coupled = _couplings(joints)
    mimics = [j.name for j in joints if j.mimics_of("") and j.name not in coupled]
    soft = [j.name for j in joints if any(map(j.number, j.mimics_of("naturalFrequency")))]
    stops = [f"physxLimit:{axis}:stiffness" for axis in _AXES]
    keys = ("stiffness", "damping")
    damped = [f"physxRigidBody:{kind}Damping" for kind in ("linear", "angular")]
    drag = [name for name, prim in bodies.items() if any(_number(prim, key) for key in damped)]
    balls, turns = [j for j in joints if ("ball", 0) in j.steps], _COMPONENTS[3:]
    ends = [f"limit:{axis}:physics:{end}" for axis in turns for end in ("low", "high")]
    ranged = [j.name for j in balls if any(isfinite(j.number(end, inf)) for end in ends)]
    dry = ("dynamicFrictionEffort", "staticFrictionEffort")
    of_axes = ("viscousFrictionCoefficient", *dry, "armature")
    losses = [f"physxJointAxis:{axis}:{key}" for axis in turns for key in of_axes]
    efforts = [[f"physxJointAxis:{axis}:{key}" for key in dry] for axis in _AXES]
    sticking = [j for j in joints if any(np.ptp([*map(j.number, pair)]) for pair in efforts)]
    gains = [f"drive:{axis}:physics:{key}" for axis in _AXES for key in keys]
    dampers = [f"physxLimit:{axis}:damping" for axis in _AXES]
    speeds = [f"physxDrivePerformanceEnvelope:{a}:{key}" for a in _AXES for key in _ENVELOPE]
    slow = [j.name for j in joints if any(0.0 < j.number(key) < _UNLIMITED for key in speeds)]
    breaking = ("physics:breakForce", "physics:breakTorque")
    weak = [j.name for j in joints if any(j.number(end, inf) < _UNLIMITED for end in breaking)]
    for words, of in (
        ("masses that shapes have", [name for name, mass in masses.items() if not mass]),
        ("inertias that shapes have", points),
        ("mass centres that shapes have", aside),
        ("linear or angular damping", drag),
        ("ranges", ranged),
        ("friction or armature", [j.name for j in balls if any(map(j.number, losses))]),
        ("PhysxMimicJointAPI", mimics),
        ("compliance of mimics", soft),
        ("drives", [j.name for j in joints if j.driven and len(j.steps) != 1]),
        ("breaking forces", weak),
        ("friction", [j.name for j in joints if j.number("physxJoint:jointFriction")]),
        ("static friction", [j.name for j in sticking if j not in balls]),
        ("damping of end stops", [j.name for j in joints if any(map(j.number, dampers))]),
        ("performance envelopes", slow),
        ("end stops", [j.name for j in joints if not j.is_motor and any(map(j.number, stops))]),
        ("gains of drives", [j.name for j in joints if j.is_motor and any(map(j.number, gains))]),
        ("cones", [j.name for j in joints if j.number("physics:coneAngle0Limit", -1.0) >= 0.0]),
    ):
        yield from of_names(words, of)
