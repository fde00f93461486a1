"""An MJCF file as a machine, as MuJoCo understands it.

MuJoCo itself compiles the file: defaults, includes, units and orders of angles, `fromto`, inertias
of geoms and meshes are what they are there. Its compiled model is then read. Imported only in the
process that does so, as not everybody has MuJoCo.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from mujoco import MjData, MjModel

from gough.arrays import Array
from gough.errors import InputError, RobotError, about_file
from gough.exchange.importing.elements import of_names, place_of
from gough.exchange.importing.file_machine import (
    MOST_LINKS,
    FileBody,
    FileCoupling,
    FileFreedom,
    FileJoint,
    FileMachine,
    Holds,
    Kind,
    in_axes,
    placed,
)

_NO_PLACE = {  # elements that a model counts and Gough has no place for
    "ngeom": "geometry of {} geoms, and contacts between them",
    "nsensor": "{} sensors",
    "nskin": "{} skins",
    "ntext": "{} custom texts",
    "nnumeric": "{} custom numbers",
    "nplugin": "{} plugins",
}
_LOADS = ("stiffness", "damping", "frictionloss", "limited", "armature", "actfrclimited")
"""Loads of a tendon beside a coupling or an actuator."""
_STEADY = [mujoco.mjtDyn.mjDYN_NONE, mujoco.mjtDyn.mjDYN_FILTER, mujoco.mjtDyn.mjDYN_FILTEREXACT]
"""Dynamics of actuators whose force is in the end that of their control."""
_KINDS: tuple[Kind, ...] = ("free", "ball", "slide", "hinge")
_TURN_FREELY = (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL)
_SWITCHED_OFF = {  # arrays that a <flag> disables; older MuJoCos call it PASSIVE, newer ones SPRING
    "GRAVITY": ("opt.gravity",),
    "CONSTRAINT": ("eq_active0", "dof_frictionloss", "jnt_limited"),
    "EQUALITY": ("eq_active0",),
    "FRICTIONLOSS": ("dof_frictionloss",),
    "LIMIT": ("jnt_limited",),
    "SPRING": ("jnt_stiffness", "jnt_stiffnesspoly"),
    "DAMPER": ("dof_damping", "dof_dampingpoly", "actuator_damping", "actuator_dampingpoly"),
    "PASSIVE": ("jnt_stiffness", "dof_damping"),
    "CLAMPCTRL": ("actuator_ctrllimited",),
}


def mjcf_machine(path: Path) -> FileMachine:
    """Return the machine of an MJCF file; it has the name of the file."""
    model, warnings = _compiled(path)
    for count, words in (("nbody", "bodies"), ("njnt", "joints"), ("nsite", "sites")):
        if getattr(model, count) > MOST_LINKS:  # a line of a file can ask for a million
            problem = f"{getattr(model, count):,} {words}"
            raise InputError(problem, file=path, expected=f"at most {MOST_LINKS:,}")
    for flag, parts in _SWITCHED_OFF.items():  # disabled by the file, as in simulations
        bit = getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}", 0)
        if model.opt.disableflags & int(bit):
            for part in parts:
                with suppress(AttributeError):  # terms of higher order, since version 4
                    attrgetter(part)(model)[:] = 0
    with about_file(path):
        if model.nflex:
            raise RobotError("flexible", key=str(model.flex(0).name), expected="rigid bodies")
        couplings = tuple(_couplings(model))
        motors, unused = _motors(model, couplings)
        drawn = mujoco.MjData(model)
        mujoco.mj_kinematics(model, drawn)
        joints = [_joint(model, drawn, k, motors) for k in range(1, model.nbody)]
        joints += _closures(model, drawn)
        left_out = (*unused, *_left_out(model, motors))
    bodies = {_name(model, "body", k): _body(model, drawn, k) for k in range(model.nbody)}
    frames = {_name(model, "site", k): _site(model, drawn, k) for k in range(model.nsite)}
    frames |= {name: (name, body.place) for name, body in bodies.items()}
    warned = tuple(f"MuJoCo warns: {warning}" for warning in warnings)
    gravity = tuple(map(float, model.opt.gravity))
    keyframes = {
        _name(model, "key", k): _steps(model, drawn, model.key_qpos[k]) for k in range(model.nkey)
    }
    machine = FileMachine(path.stem, gravity, bodies, tuple(joints), frames, left_out, warned)
    return replace(machine, configurations=keyframes, couplings=couplings)


def _steps(model: MjModel, drawn: MjData, qpos: Array) -> Array:
    """Steps of all joints [rad, m] from the drawn configuration, as `motions` of them count."""
    steps = np.zeros(model.nv)
    mujoco.mj_differentiatePos(model, steps, 1.0, model.qpos0, qpos)
    for j in np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_FREE):
        own = slice(model.jnt_dofadr[j], model.jnt_dofadr[j] + 6)
        moving, turning = np.split(steps[own], 2)  # the former in the axes of the world
        R = drawn.xmat[model.jnt_bodyid[j]].reshape(3, 3)
        steps[own] = np.concatenate([turning, R.T @ moving])
    return steps


def _compiled(path: Path) -> tuple[MjModel, list[str]]:
    """MuJoCo's model of a file, and what MuJoCo warns of."""
    warnings: list[str] = []
    mujoco.set_mju_user_warning(warnings.append)  # or it writes a file of them here
    try:
        try:
            return mujoco.MjModel.from_xml_path(str(path)), warnings
        except ValueError as error:
            if "Error opening file" not in str(error):
                raise
            return _without_meshes(path), [*warnings, "meshes or textures are not there"]
    except RobotError as error:
        raise RobotError.of(error, file=path) from None
    except (ValueError, mujoco.FatalError) as error:
        raise InputError(f"MuJoCo refuses it: {error}", file=path) from None
    finally:
        mujoco.set_mju_user_warning(None)


def _without_meshes(path: Path) -> MjModel:
    """MuJoCo's model of a file whose meshes are missing: of bodies that state their inertia."""
    spec = mujoco.MjSpec.from_file(str(path))
    missing: dict[str, str] = {}
    for mesh in spec.meshes:
        if mesh.file and not _is_there(path, spec.meshdir, mesh.file):
            mesh.name = mesh.name or Path(mesh.file).stem
            missing[mesh.name] = mesh.file
            mesh.file, mesh.uservert = "", [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]
    for texture in spec.textures:
        if texture.file and not _is_there(path, spec.texturedir, texture.file):
            texture.file, texture.width, texture.height = "", 1, 1
            texture.builtin = mujoco.mjtBuiltin.mjBUILTIN_FLAT
    model = spec.compile()
    always = spec.compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    for geom in spec.geoms:
        body, weighs = geom.parent, not geom.mass <= 0.0 and (geom.mass > 0.0 or geom.density > 0.0)
        moving = model.body_weldid[model.body(body.name).id if body.name else body.id] > 0
        if geom.meshname in missing and moving and weighs and (always or not body.explicitinertial):
            problem = f"its mass is that of {missing[geom.meshname]}, which is not there"
            expected = "the model's meshes beside it, or <inertial>"
            raise RobotError(problem, key=body.name or f"body-{body.id}", expected=expected)
    return model


def _is_there(path: Path, folder: str, name: str) -> bool:
    return any((path.parent / part / name).is_file() for part in (folder, ""))


def _name(model: MjModel, kind: str, k: int) -> str:
    """The name of a part of the model, or one that says which it is and that no other has."""
    parts = getattr(model, kind)
    name = str(parts(k).name)
    if not name:
        name = _unnamed(model, kind, k)
        with suppress(KeyError):
            while parts(name):  # another has this name
                name += "'"
        same = [j for j in range(k) if not parts(j).name and _unnamed(model, kind, j) == name]
        name += f"-{len(same) + 1}" if same else ""
    return name


def _unnamed(model: MjModel, kind: str, k: int) -> str:
    """Call a joint by its body, and what closes a loop by the two things that it joins."""
    if kind == "joint":
        return f"{_name(model, 'body', int(model.jnt_bodyid[k]))}-{_kind(model, k)}"
    if kind == "equality":
        pairs = {mujoco.mjtObj.mjOBJ_SITE: "site", mujoco.mjtObj.mjOBJ_BODY: "body"}
        of = pairs.get(mujoco.mjtObj(model.eq_objtype[k]), "")
        others = {mujoco.mjtEq.mjEQ_JOINT: "joint", mujoco.mjtEq.mjEQ_TENDON: "tendon"}
        of = others.get(mujoco.mjtEq(model.eq_type[k]), of)
        ends = [int(end) for end in (model.eq_obj1id[k], model.eq_obj2id[k]) if end >= 0]
        if of:
            return "-".join(_name(model, of, end) for end in ends)
    return f"{kind}-{k}"


def _place(drawn: MjData, of: str, k: int) -> Array:
    """The place of a body ("x") or site ("site_x") as the file draws it."""
    return placed(getattr(drawn, f"{of}pos")[k], getattr(drawn, f"{of}mat")[k].reshape(3, 3))


def _body(model: MjModel, drawn: MjData, k: int) -> FileBody:
    inertia = in_axes(drawn.ximat[k].reshape(3, 3), np.diag(model.body_inertia[k]))
    center, mass = np.array(drawn.xipos[k]), float(model.body_mass[k])
    return FileBody(_place(drawn, "x", k), mass, center, inertia)


def _joint(
    model: MjModel, drawn: MjData, k: int, motors: dict[int, dict[str, object]]
) -> FileJoint:
    """All joints of a body as one."""
    joints = range(model.body_jntadr[k], model.body_jntadr[k] + model.body_jntnum[k])
    freedoms = tuple(_freedom(model, drawn, j, motors.get(j, {})) for j in joints)
    parent, name = (_name(model, "body", int(body)) for body in (model.body_parentid[k], k))
    return FileJoint(name, (parent, name), freedoms)


def _kind(model: MjModel, j: int) -> Kind:
    return _KINDS[int(model.jnt_type[j])]


def _freedom(model: MjModel, drawn: MjData, j: int, motor: dict[str, Any]) -> FileFreedom:
    kind, dof, limits = _kind(model, j), model.jnt_dofadr[j], model.jnt_range[j].tolist()
    single = kind in ("slide", "hinge")
    sprung = single and model.jnt_stiffness[j] > 0.0 and not _bent(model, "jnt_stiffness")[j]
    return FileFreedom(
        _name(model, "joint", j),
        kind,
        np.array(drawn.xanchor[j]),
        np.array(drawn.xaxis[j]) if single else drawn.xmat[model.jnt_bodyid[j]].reshape(3, 3),
        zero=float(model.qpos0[model.jnt_qposadr[j]]) if single else 0.0,
        travel=(limits[0], limits[1]) if model.jnt_limited[j] else None,
        damping=float(np.ravel(model.dof_damping[dof])[0]) + motor.get("damping", 0.0),
        friction=float(model.dof_frictionloss[dof]),
        stiffness=float(model.jnt_stiffness[j]) if sprung else 0.0,
        relaxed=float(model.qpos_spring[model.jnt_qposadr[j]]) if single else 0.0,
        armature=float(model.dof_armature[dof]) + motor.get("armature", 0.0) if single else 0.0,
        motor=motor.get("motor"),
        max_effort=motor.get("max_effort"),
    )


def _bent(model: MjModel, key: str) -> Array:
    """Which of a model's numbers have terms of higher order, as MuJoCo has since version 4."""
    linear = np.zeros((len(getattr(model, key)), 1))
    return np.asarray(np.any(getattr(model, f"{key}poly", linear), axis=1))


def _motors(
    model: MjModel, couplings: tuple[FileCoupling, ...]
) -> tuple[dict[int, dict[str, Any]], list[str]]:
    """Return the properties of motors, by the joint that they drive, and actuators without one."""
    found, unused = dict[int, dict[str, Any]](), list[str]()
    for k in range(len(model.actuator_trntype)):
        name, (joint, share) = _name(model, "actuator", k), _driven(model, k, couplings)
        kind = mujoco.mjtTrn(model.actuator_trntype[k]).name.removeprefix("mjTRN_").lower()
        if _is_off(model, k):
            unused.append(f"actuator {name}, which is disabled")
        elif joint < 0:
            unused.append(f"actuator {name} of a {kind}, which moves no one hinge or slide")
        elif joint in found:
            unused.append(f"actuator {name}, the second one of {_name(model, 'joint', joint)}")
        else:
            ranges = _effort_ranges(model, k, joint, share)  # one equal in both directions counts
            limits = [high for low, high in ranges if low == -high and high > 0.0]
            found[joint] = {"motor": k, "max_effort": min(limits, default=None), "share": share}
            for key in ("armature", "damping"):  # of motors, since version 4
                own = getattr(model, f"actuator_{key}", np.zeros(k + 1))[k]
                found[joint][key] = share**2 * float(np.ravel(own)[0])
    return found, unused


def _is_off(model: MjModel, k: int) -> bool:
    """Whether the file disables an actuator, by a flag for all or by its group, one of 31."""
    group, off = int(model.actuator_group[k]), model.opt.disableactuator
    every = model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    return bool(every or (0 <= group < 31 and off >> group & 1))


def _driven(model: MjModel, k: int, couplings: tuple[FileCoupling, ...]) -> tuple[int, float]:
    """The joint that an actuator drives, -1 if none, and the effort there by its force."""
    of_joints = (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT)
    target = int(model.actuator_trnid[k, 0])
    gear = float(model.actuator_gear[_first(model, "out", k), 0])
    transmission = mujoco.mjtTrn(model.actuator_trntype[k])
    terms = {target: 1.0} if transmission in of_joints else dict[int, float]()
    if transmission == mujoco.mjtTrn.mjTRN_TENDON:
        with suppress(RobotError):
            terms = _tendon_terms(model, target, "")[0]
    if not gear or not terms or any(_kind(model, j) in ("ball", "free") for j in terms):
        return -1, 0.0
    first, share = next(iter(terms)), 0.0
    one = _name(model, "joint", first)
    for j, c in terms.items():  # of a tendon, all joints must be coupled to the first
        pair = {one, other := _name(model, "joint", j)}
        linked = next((q for q in couplings if {*q.joints} == pair), None)
        if j == first:
            share += c
        elif linked is None:
            return -1, 0.0
        else:
            weights = dict(zip(linked.joints, linked.coefficients, strict=True))
            share -= c * weights[one] / weights[other]
    return first, gear * share


def _effort_ranges(model: MjModel, k: int, joint: int, share: float) -> list[tuple[float, float]]:
    gear = abs(share)
    found = []
    if model.jnt_actfrclimited[joint]:
        found.append(model.jnt_actfrcrange[joint])
    if model.actuator_forcelimited[k]:
        found.append(gear * model.actuator_forcerange[k])
    control = _first(model, "ctrl", k)
    steady = mujoco.mjtDyn(model.actuator_dyntype[k]) in _STEADY
    if steady and _is_plain(model, k) and model.actuator_ctrllimited[control]:
        gain = abs(float(model.actuator_gainprm[k, 0]))
        found.append(gear * gain * model.actuator_ctrlrange[control])
    return [(float(low), float(high)) for low, high in found]


def _first(model: MjModel, of: str, k: int) -> int:
    """Number of an actuator's first control or output: since version 4 it may have several."""
    return int(getattr(model, f"actuator_{of}adr", range(k + 1))[k])


def _is_plain(model: MjModel, k: int) -> bool:
    """Whether the force of an actuator is its control times a factor."""
    fixed = model.actuator_gaintype[k] == mujoco.mjtGain.mjGAIN_FIXED
    unbiased = model.actuator_biastype[k] == mujoco.mjtBias.mjBIAS_NONE
    return bool(fixed and unbiased and model.actuator_plugin[k] < 0)


def _closures(model: MjModel, drawn: MjData) -> Iterator[FileJoint]:
    """Yield the loop closures; only those of a point or of a whole body are allowed."""
    for k in map(int, np.flatnonzero(model.eq_active0)):
        name, kind = _name(model, "equality", k), mujoco.mjtEq(model.eq_type[k])
        welds = kind == mujoco.mjtEq.mjEQ_WELD
        if kind in (mujoco.mjtEq.mjEQ_JOINT, mujoco.mjtEq.mjEQ_TENDON):
            continue  # a coupling
        if not welds and kind != mujoco.mjtEq.mjEQ_CONNECT:
            word = kind.name.removeprefix("mjEQ_").lower()
            expected = "<connect>, <weld>, <joint> or <tendon>"
            raise RobotError(f"an equality of kind <{word}>", key=name, expected=expected)
        ends = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
        # a weld without a share of torque turns freely
        holds: Holds = "all" if welds and model.eq_data[k, 10] else "point"
        if model.eq_objtype[k] == mujoco.mjtObj.mjOBJ_SITE:
            numbers = [int(model.site_bodyid[site]) for site in ends]
            one, other = (_place(drawn, "site_x", site) for site in ends)
        else:
            numbers, data = [*ends], np.array(model.eq_data[k])
            meeting = placed(data[:3]), placed(data[3:6])  # in the bodies' frames
            if welds:
                meeting = place_of(data[3:6], quaternion=data[6:10]), placed(data[:3])
            one, other = (
                _place(drawn, "x", n) @ place for n, place in zip(ends, meeting, strict=True)
            )
        bodies = [_name(model, "body", number) for number in numbers]
        for number, body in zip(numbers, bodies, strict=True):
            if model.body_mocapid[number] >= 0:
                expected = "loops of the machine itself"
                raise RobotError(f"holds {body}, a mocap body", key=name, expected=expected)
        yield FileJoint(name, (bodies[0], bodies[1]), (), (one, other), holds)


def _couplings(model: MjModel) -> Iterator[FileCoupling]:
    """Yield the linear relations of joints; refuse others."""
    of = {mujoco.mjtEq.mjEQ_JOINT: _joint_terms, mujoco.mjtEq.mjEQ_TENDON: _tendon_terms}
    for k in map(int, np.flatnonzero(model.eq_active0)):
        if (kind := mujoco.mjtEq(model.eq_type[k])) not in of:
            continue
        name, (offset, ratio, *bent) = _name(model, "equality", k), map(float, model.eq_data[k, :5])
        if any(bent) and model.eq_obj2id[k] >= 0:
            expected = "polycoef of which the first two are not zero"
            raise RobotError("a coupling that is not linear", key=name, expected=expected)
        terms, at = dict[int, float](), offset
        ends = (int(model.eq_obj1id[k]), 1.0), (int(model.eq_obj2id[k]), -ratio)
        for end, factor in (pair for pair in ends if pair[0] >= 0):
            own, zero = of[kind](model, end, name)
            at += factor * zero
            for joint, c in own.items():
                terms[joint] = terms.get(joint, 0.0) + factor * c
        kept = {joint: c for joint, c in terms.items() if c}
        joints = tuple(_name(model, "joint", joint) for joint in kept)
        yield FileCoupling(name, joints, tuple(kept.values()), at)


def _joint_terms(model: MjModel, j: int, _: str) -> tuple[dict[int, float], float]:
    return {j: 1.0}, float(model.qpos0[model.jnt_qposadr[j]])


def _tendon_terms(model: MjModel, k: int, name: str) -> tuple[dict[int, float], float]:
    """Coefficients of a fixed tendon, by joint, and its length in the file's configuration."""
    parts = slice(int(model.tendon_adr[k]), int(model.tendon_adr[k] + model.tendon_num[k]))
    if any(model.wrap_type[parts] != mujoco.mjtWrap.mjWRAP_JOINT):
        expected = "a tendon of joints, <fixed>"
        raise RobotError("a tendon in space, which is not linear", key=name, expected=expected)
    terms = zip(map(int, model.wrap_objid[parts]), map(float, model.wrap_prm[parts]), strict=True)
    return dict(terms), float(model.tendon_length0[k])


def _site(model: MjModel, drawn: MjData, k: int) -> tuple[str, Array]:
    return _name(model, "body", int(model.site_bodyid[k])), _place(drawn, "site_x", k)


def _left_out(model: MjModel, motors: dict[int, dict[str, Any]]) -> Iterator[str]:
    for count, words in _NO_PLACE.items():
        if getattr(model, count):
            yield words.format(getattr(model, count))
    couple = (model.eq_type == mujoco.mjtEq.mjEQ_TENDON) & (model.eq_active0 == 1)
    used = {*model.eq_obj1id[couple], *model.eq_obj2id[couple]}
    used |= {*model.actuator_trnid[model.actuator_trntype == mujoco.mjtTrn.mjTRN_TENDON, 0]}
    zero = np.zeros(model.ntendon)  # of what older MuJoCos do not have
    loads = [getattr(model, f"tendon_{key}", zero) for key in _LOADS]
    idle = [k for k in range(model.ntendon) if k not in used or any(np.any(x[k]) for x in loads)]
    if idle:
        yield f"tendons {', '.join(_name(model, 'tendon', k) for k in idle)}"
    for k, facts in motors.items():
        name = _name(model, "actuator", facts["motor"])
        ranges = _effort_ranges(model, facts["motor"], k, facts["share"])
        if any(low != -high for low, high in ranges):
            yield f"limits of actuator {name}, which are not the same both ways"
    curved = getattr(model, "actuator_dampingpoly", np.zeros((model.nu, 1)))
    for words, values in (
        ("gains", [not _is_plain(model, k) for k in range(len(model.actuator_trntype))]),
        ("dynamics", model.actuator_dyntype),
        ("damping that is not linear", np.any(curved, axis=1)),
    ):
        own = (facts["motor"] for facts in motors.values() if values[facts["motor"]])
        if names := ", ".join(_name(model, "actuator", k) for k in own):
            yield f"{words} of actuators {names}"
    turning = np.isin(model.jnt_type, _TURN_FREELY)
    yielding = getattr(model, "jnt_springyield", 0.0 * model.jnt_stiffness)
    for words, values in (
        ("armature", model.dof_armature[model.jnt_dofadr] * turning),
        ("springs", model.jnt_stiffness * turning),
        ("springs that are not linear", _bent(model, "jnt_stiffness")),
        ("springs with a maximum force", yielding),
        ("springs of negative stiffness", model.jnt_stiffness < 0.0),
        ("damping that is not linear", _bent(model, "dof_damping")[model.jnt_dofadr]),
    ):
        yield from of_names(words, (_name(model, "joint", int(j)) for j in np.flatnonzero(values)))
    if np.any(model.body_gravcomp):
        yield "compensation of gravity"
    if model.opt.density or model.opt.viscosity or np.any(model.opt.wind):
        yield "drag of air or water"
    for k in map(int, np.flatnonzero(model.eq_active0 == 0)):
        yield f"equality {_name(model, 'equality', k)}, which is not active"
