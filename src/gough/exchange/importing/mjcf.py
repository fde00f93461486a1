"""An MJCF file as a tree, as MuJoCo understands it.

MuJoCo itself compiles the file: defaults, includes, units and orders of angles, `fromto`, inertias
of geoms and meshes are what they are there. Its compiled model is then read. Imported only in the
process that does so, as not everybody has MuJoCo.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from operator import attrgetter
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from mujoco import MjModel

from gough.arrays import Array
from gough.errors import InputError, RobotError, about_file
from gough.exchange.importing.tree import (
    MOST_LINKS,
    FileClosure,
    FileFreedom,
    FileLink,
    FileTree,
    Holds,
    Kind,
    placed,
)
from gough.poses import pose, rotation

_NO_PLACE = {
    "ngeom": "geometry of {} geoms, and contacts between them",
    "ntendon": "{} tendons",
    "nsensor": "{} sensors",
    "nskin": "{} skins",
    "ntext": "{} custom texts",
}
"""Elements that a model counts and Gough has no place for."""
_KINDS: tuple[Kind, ...] = ("free", "ball", "slide", "hinge")
_TURN_FREELY = (mujoco.mjtJoint.mjJNT_FREE, mujoco.mjtJoint.mjJNT_BALL)
_SWITCHED_OFF = {
    "GRAVITY": ("opt.gravity",),
    "CONSTRAINT": ("eq_active0", "dof_frictionloss", "jnt_limited"),
    "EQUALITY": ("eq_active0",),
    "FRICTIONLOSS": ("dof_frictionloss",),
    "LIMIT": ("jnt_limited",),
    "SPRING": ("jnt_stiffness", "jnt_stiffnesspoly"),
    "DAMPER": ("dof_damping", "dof_dampingpoly"),
    "PASSIVE": ("jnt_stiffness", "dof_damping"),
    "CLAMPCTRL": ("actuator_ctrllimited",),
}
"""Arrays that a <flag> disables; older MuJoCos call it PASSIVE, newer ones SPRING."""


def mjcf_tree(path: Path) -> FileTree:
    """Return the machine of an MJCF file; it has the name of the file."""
    model, warnings = _compiled(path)
    for count, words in (("nbody", "bodies"), ("njnt", "joints"), ("nsite", "sites")):
        if getattr(model, count) > MOST_LINKS:  # a line of a file can ask for a million
            problem = f"{getattr(model, count):,} {words}"
            raise InputError(problem, file=path, expected=f"at most {MOST_LINKS:,}")
    _switch_off(model)
    with about_file(path):
        if model.nflex:
            raise RobotError("flexible", key=str(model.flex(0).name), expected="rigid bodies")
        motors = _motors(model)
        links = tuple(_link(model, k, motors) for k in range(model.nbody))
        closures, left_out = tuple(_closures(model)), tuple(_left_out(model, motors))
    frames = {_name(model, "site", k): _site(model, k) for k in range(model.nsite)}
    frames |= {_name(model, "body", k): (k, np.eye(4)) for k in range(model.nbody)}
    warned = tuple(f"MuJoCo warns: {warning}" for warning in warnings)
    gravity = tuple(map(float, model.opt.gravity))
    keyframes = {
        _name(model, "key", k): _steps(model, model.key_qpos[k]) for k in range(model.nkey)
    }
    return FileTree(path.stem, gravity, links, closures, frames, left_out, warned, keyframes)


def _steps(model: MjModel, qpos: Array) -> Array:
    """Steps of all joints [rad, m] from the drawn configuration, as `motions` of them count."""
    steps = np.zeros(model.nv)
    mujoco.mj_differentiatePos(model, steps, 1.0, model.qpos0, qpos)
    for j in np.flatnonzero(model.jnt_type == mujoco.mjtJoint.mjJNT_FREE):
        dof, at = model.jnt_dofadr[j], model.jnt_qposadr[j]
        moving, turning = np.split(steps[dof : dof + 6], 2)  # moving in the axes of the world
        moving = _matrix(model.qpos0[at + 3 : at + 7]).T @ moving
        steps[dof : dof + 6] = np.concatenate([turning, moving])
    return steps


def _compiled(path: Path) -> tuple[MjModel, list[str]]:
    """MuJoCo's model of a file, and what MuJoCo warns of."""
    warnings: list[str] = []
    mujoco.set_mju_user_warning(warnings.append)  # or it writes a file of them here
    try:
        return mujoco.MjModel.from_xml_path(str(path)), warnings
    except (ValueError, mujoco.FatalError) as error:
        raise InputError(f"MuJoCo refuses it: {error}", file=path) from None
    finally:
        mujoco.set_mju_user_warning(None)


def _switch_off(model: MjModel) -> None:
    """Take away what flags of the file disable, as MuJoCo does when it simulates."""
    for flag, parts in _SWITCHED_OFF.items():
        bit = getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}", 0)
        if model.opt.disableflags & int(bit):
            for part in parts:
                with suppress(AttributeError):  # terms of higher order, since version 4
                    attrgetter(part)(model)[:] = 0


def _name(model: MjModel, kind: str, k: int) -> str:
    """The name of a part of the model, or one that says which it is and that no other has."""
    parts = getattr(model, kind)
    name = str(parts(k).name)
    if not name:
        name = f"{kind}-{k}"
        with suppress(KeyError):
            while parts(name):  # another has this name
                name += "'"
    return name


def _link(model: MjModel, k: int, motors: dict[int, dict[str, Any]]) -> FileLink:
    joints = range(model.body_jntadr[k], model.body_jntadr[k] + model.body_jntnum[k])
    R = _matrix(model.body_iquat[k])
    return FileLink(
        _name(model, "body", k),
        int(model.body_parentid[k]),
        placed(model.body_pos[k], _matrix(model.body_quat[k])),
        tuple(_freedom(model, j, motors.get(j, {})) for j in joints),
        float(model.body_mass[k]),
        np.array(model.body_ipos[k]),
        R @ np.diag(model.body_inertia[k]) @ R.T,
    )


def _matrix(quaternion: Array) -> Array:
    return np.asarray(rotation(pose([0, 0, 0], quaternion=quaternion)).as_matrix())


def _kind(model: MjModel, j: int) -> Kind:
    return _KINDS[int(model.jnt_type[j])]


def _freedom(model: MjModel, j: int, motor: dict[str, Any]) -> FileFreedom:
    kind, dof, limits = _kind(model, j), model.jnt_dofadr[j], model.jnt_range[j].tolist()
    single = kind in ("slide", "hinge")
    sprung = single and model.jnt_stiffness[j] > 0.0 and not _bent(model, "jnt_stiffness")[j]
    return FileFreedom(
        _name(model, "joint", j),
        kind,
        np.array(model.jnt_pos[j]) * (kind != "free"),
        np.array(model.jnt_axis[j]),
        zero=float(model.qpos0[model.jnt_qposadr[j]]) if single else 0.0,
        travel=(limits[0], limits[1]) if model.jnt_limited[j] else None,
        damping=float(np.ravel(model.dof_damping[dof])[0]),
        friction=float(model.dof_frictionloss[dof]),
        stiffness=float(model.jnt_stiffness[j]) if sprung else 0.0,
        relaxed=float(model.qpos_spring[model.jnt_qposadr[j]]) if single else 0.0,
        **motor,
    )


def _bent(model: MjModel, key: str) -> Array:
    """Which of a model's numbers have terms of higher order, as MuJoCo has since version 4."""
    linear = np.zeros((len(getattr(model, key)), 1))
    return np.asarray(np.any(getattr(model, f"{key}poly", linear), axis=1))


def _motors(model: MjModel) -> dict[int, dict[str, Any]]:
    """Return the properties of motors, by the joint that they drive."""
    of_joints = (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT)
    found: dict[int, dict[str, Any]] = {}
    for k in range(model.nu):
        name, joint = _name(model, "actuator", k), int(model.actuator_trnid[k, 0])
        expected, transmission = (
            "motors of hinges and slides",
            mujoco.mjtTrn(model.actuator_trntype[k]),
        )
        if transmission not in of_joints:
            kind = transmission.name.removeprefix("mjTRN_").lower()
            raise RobotError(f"an actuator of a {kind}", key=name, expected=expected)
        if not model.actuator_gear[k, 0]:
            raise RobotError("a gear of 0, so that it moves nothing", key=name, expected="another")
        place = _name(model, "joint", joint)
        if _kind(model, joint) in ("ball", "free"):
            raise RobotError(f"drives {place}, a ball or a free joint", key=name, expected=expected)
        if joint in found:
            raise RobotError(f"a second actuator of {place}", key=name, expected="one a joint")
        ranges = _effort_ranges(model, k, joint)  # one that is equal in both directions counts
        limits = [high for low, high in ranges if low == -high and high > 0.0]
        found[joint] = {"motor": k, "max_effort": min(limits, default=None)}
    return found


def _effort_ranges(model: MjModel, k: int, joint: int) -> list[tuple[float, float]]:
    gear = abs(float(model.actuator_gear[k, 0]))
    found = []
    if model.jnt_actfrclimited[joint]:
        found.append(model.jnt_actfrcrange[joint])
    if model.actuator_forcelimited[k]:
        found.append(gear * model.actuator_forcerange[k])
    bare = (
        model.actuator_gaintype[k] == mujoco.mjtGain.mjGAIN_FIXED
        and model.actuator_biastype[k] == mujoco.mjtBias.mjBIAS_NONE
    )
    if bare and model.actuator_ctrllimited[k]:
        gain = abs(float(model.actuator_gainprm[k, 0]))
        found.append(gear * gain * model.actuator_ctrlrange[k])
    return [(float(low), float(high)) for low, high in found]


def _closures(model: MjModel) -> Iterator[FileClosure]:
    """Yield the loop closures; only those of a point or of a whole body are allowed."""
    for k in map(int, np.flatnonzero(model.eq_active0)):
        name, kind = _name(model, "equality", k), mujoco.mjtEq(model.eq_type[k])
        welds = kind == mujoco.mjtEq.mjEQ_WELD
        if not welds and kind != mujoco.mjtEq.mjEQ_CONNECT:
            word = kind.name.removeprefix("mjEQ_").lower()
            expected = "<connect> or <weld>: Gough has no couplings of joints"
            raise RobotError(f"an equality of kind <{word}>", key=name, expected=expected)
        ends = int(model.eq_obj1id[k]), int(model.eq_obj2id[k])
        # a weld without a share of torque turns freely
        holds: Holds = "all" if welds and model.eq_data[k, 10] else "point"
        if model.eq_objtype[k] == mujoco.mjtObj.mjOBJ_SITE:
            links, places = zip(*(_site(model, site) for site in ends), strict=True)
        else:
            links, data = ends, np.array(model.eq_data[k])
            places = placed(data[:3]), placed(data[3:6])  # that meet, in the bodies' frames
            if welds:
                places = placed(data[3:6], _matrix(data[6:10])), placed(data[:3])
        for link in links:
            if model.body_mocapid[link] >= 0:
                body = _name(model, "body", link)
                expected = "loops of the machine itself"
                raise RobotError(f"holds {body}, a mocap body", key=name, expected=expected)
        yield FileClosure(name, holds, (links[0], links[1]), (places[0], places[1]))


def _site(model: MjModel, k: int) -> tuple[int, Array]:
    place = placed(model.site_pos[k], _matrix(model.site_quat[k]))
    return int(model.site_bodyid[k]), place


def _left_out(model: MjModel, motors: dict[int, dict[str, Any]]) -> Iterator[str]:
    for count, words in _NO_PLACE.items():
        if getattr(model, count):
            yield words.format(getattr(model, count))
    for k, facts in motors.items():
        name = _name(model, "actuator", facts["motor"])
        if any(low != -high for low, high in _effort_ranges(model, facts["motor"], k)):
            yield f"limits of actuator {name}, which are not the same both ways"
    armature = model.dof_armature[model.jnt_dofadr]
    for j in map(int, np.flatnonzero(armature)):
        unit = "kg" if _kind(model, j) == "slide" else "kg m^2"
        yield f"armature of {_name(model, 'joint', j)}, {armature[j]:.6g} {unit}"
    for words, values in (
        ("springs", model.jnt_stiffness * np.isin(model.jnt_type, _TURN_FREELY)),
        ("springs that are not linear", _bent(model, "jnt_stiffness")),
        ("springs of negative stiffness", model.jnt_stiffness < 0.0),
        ("damping that is not linear", _bent(model, "dof_damping")[model.jnt_dofadr]),
    ):
        if joints := [_name(model, "joint", int(j)) for j in np.flatnonzero(values)]:
            yield f"{words} of {', '.join(joints)}"
    if np.any(model.body_gravcomp):
        yield "compensation of gravity"
    if model.opt.density or model.opt.viscosity or np.any(model.opt.wind):
        yield "drag of air or water"
    for k in map(int, np.flatnonzero(model.eq_active0 == 0)):
        yield f"equality {_name(model, 'equality', k)}, which is not active"
