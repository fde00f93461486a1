"""The task of an identification: which numbers of a machine are estimated, and what they explain.

Effort = F + friction + μ s F: of the force F at the leg, which bodies and joints take, and the
load's friction μ, where s is the sign of F times that of the speed. Numbers that are known are as
the robot file states them. Of a sum of numbers of which some go through the drive and
others not, such as that of an arm and its rotor, F has the part that it has by the robot file.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from scipy.linalg import block_diag

from gough.arrays import AnyArray, Array
from gough.disk.plain_data import PlainData
from gough.fields.inertia import Triple
from gough.identification import friction as frictions
from gough.identification.base import Terms, grouped
from gough.identification.consistent import consistent
from gough.identification.estimation import EffortEstimate, impossible, unexplained
from gough.identification.filtering import Lowpass
from gough.identification.identified import force_rows
from gough.identification.legs import Sharing, body_of, checked_sharing, is_offset, tied
from gough.identification.measured import (
    Efforts,
    Explained,
    MeasuredMotion,
    gain_names,
    measured_motion,
    working_basis,
    working_part,
)
from gough.identification.recording import Measured, Recording
from gough.model.kernels import Kernels
from gough.model.standard import OF_A_BODY, ORIGIN, standard_parameters, standard_points
from gough.motion.tasks.task import Payload
from gough.robot import UPPER, Drive, GearDrive, Leg, Robot, matching

_ACROSS = np.diag([1.0, 1.0, 0.0])


class EstimationTask:
    """Settings of an estimation: a machine, its friction model and known numbers.

    `legs` and `drives` may share their numbers, `friction` says which acts. `known` are patterns of
    names whose numbers are as the robot file states them; of a machine that is `identified` all
    are, but offsets among the parts of friction.
    """

    def __init__(
        self,
        model: Kernels,
        measured: Measured,
        *,
        legs: Sharing,
        drives: Sharing,
        friction: Iterable[frictions.Part] | None,
        known: Sequence[str],
        identified: bool = False,
    ) -> None:
        self.model, self.measured = model, measured
        redundant = not model.structure.determined
        self.parts = frictions.checked_parts(friction, measured, redundant=redundant)
        sharing = checked_sharing(model.robot, legs=legs, drives=drives)
        load, stated = frictions.load_priors(model.robot, self.parts, measured), set[str]()

        def known_of(names: list[str]) -> set[str]:
            every = [*names, *load.names]
            stated.update(matching(every, known))
            if identified:
                stated.update(name for name in every if not is_offset(name))
            return stated

        self.base = grouped(
            model, sharing, lambda states: self.beside(MeasuredMotion.of(model, states)), known_of
        )
        self.load_names = load.names
        self.load_free, self.load_ties = tied(model.robot, load.names, sharing)
        self.load = np.linalg.pinv(self.load_ties) @ load.priors
        rows = [name in stated for name in load.names]
        self.load_known = (self.load_ties[rows] != 0.0).any(axis=0)

    def beside(self, motion: MeasuredMotion) -> Terms:
        """Return the terms of drives and joints in a motion's forces."""
        return frictions.terms_of(self.model, motion, self.parts, self.measured)

    @property
    def loads(self) -> list[str]:
        """Names of the numbers of the load's friction that are estimated."""
        pairs = zip(self.load_free, self.load_known, strict=True)
        return [name for name, known in pairs if not known]

    def robot(self, found: EffortEstimate, names: list[str], priors: Array) -> tuple[Robot, Array]:
        """The robot whose bodies can exist, nearest to an estimate of numbers by these names.

        Beside it the estimate with its own numbers in their place.
        """
        robot, base = self.model.robot, self.base
        gains = [name for name in gain_names(robot) if name in names]
        estimated = [*base.names, *self.loads, *gains]
        if not estimated:
            return robot, found.values
        rows, one = [names.index(name) for name in estimated], np.eye(len(gains))
        constants = priors[[names.index(name) for name in gains]]
        sums = block_diag(base.matrix, np.eye(len(self.load))[~self.load_known], one)
        free = (*base.free, *self.load_free, *gains)
        described = np.concatenate([base.described, self.load, constants])
        own = dict(zip(estimated, found.values[rows], strict=True))
        known = np.concatenate([base.known, self.load_known, np.zeros(len(gains), bool)])
        spread = np.where(known, 0.0, _spread(free, described, own))
        E = block_diag(base.ties, self.load_ties, one)
        within = contained_parameters(robot)
        contained = np.linalg.pinv(E) @ np.pad(within, (0, len(E) - len(within)))
        estimate = found.values[rows], found.root[rows]
        best = consistent(free, described, sums, *estimate, spread, contained)
        values = found.values.copy()
        values[rows] = sums @ best
        every = (*base.every, *self.load_names, *gains)
        return rebuilt(robot, dict(zip(every, E @ best, strict=True))), values

    def warnings(
        self, found: EffortEstimate, numbers: Array, explained: Explained
    ) -> tuple[str, ...]:
        """Why an estimate, and the numbers of the robot that is nearest to it, may be wrong."""
        structure = self.model.structure
        redundant, rows = not structure.determined, force_rows(structure)
        return (
            *frictions.left_out(self.model.robot, self.parts, self.measured, redundant=redundant),
            *unexplained(found, explained.efforts, rows),
            *impossible(found, numbers, explained, rows),
        )


def explained_efforts(
    task: EstimationTask,
    recording: Recording,
    smooth: Lowpass,
    *,
    payload: Payload | None = None,
    unknown: AnyArray | None = None,
    carried: bool = True,
) -> Explained:
    """Efforts of a recording (T, n), kept and filtered, and their model.

    A known `payload` is carried; of one that is not, `unknown` has the indices of its
    numbers among the standard parameters, which are estimated besides. A recording without it
    identifies the other numbers: it is not `carried`.
    """
    robot, base = task.model.robot, task.base
    motion = measured_motion(task.model, recording, smooth)
    Q = working_basis(task.model, motion.states.pose)
    efforts = Efforts.of(recording, smooth, frictions.force_factor(robot, recording.measured), Q)
    Y = working_part(Q, np.asarray(task.model.regressor(*motion.states)))
    every = np.concatenate([Y, working_part(Q, task.beside(motion).columns)], -1)
    known, through = base.described * base.known, _through_drives(base.free)
    of_sums = _through_drives(base.names)
    shares = base.matrix @ (base.described * through) - base.values * of_sums
    columns, added = every @ base.ties[:, base.pivots], np.zeros(Y.shape[:-1])
    if payload is not None:
        added = Y @ (standard_parameters(payload.carried_by(robot)) - standard_parameters(robot))
    given = smooth.decimated(added + every @ (base.ties @ known))
    given_load = added + every @ (base.ties @ (known * through)) + columns @ shares
    places = np.empty(0, int) if unknown is None else unknown
    columns = np.concatenate([columns, Y[..., places] * carried], -1)
    names = [*base.names, *(f"payload[{k}]" for k in places), *task.loads]
    priors = np.concatenate([base.values, np.zeros(len(places)), task.load[~task.load_known]])
    regressor = smooth.decimated(columns)
    if not task.load_names:
        linear = lambda x, lag: (regressor, regressor @ x + given)  # noqa: E731
        return Explained(names, priors, True, efforts, linear)
    of_load = np.flatnonzero(np.append(of_sums, np.ones(len(places))))
    through_drives, moved = columns[..., of_load], frictions.direction(robot, motion.speed)
    by_mu = task.load_ties[:, ~task.load_known]
    mu_known = task.load_ties @ (task.load * task.load_known)

    def linearised(values: Array, lag: float) -> tuple[Array, Array]:
        count = regressor.shape[-1]
        force = through_drives @ values[of_load] + given_load
        sign = np.sign(force) * moved
        loads = smooth.decimated(sign[..., None] * through_drives)
        load = loads @ values[of_load] + smooth.decimated(sign * given_load)
        mu = mu_known + by_mu @ values[count:]
        slopes = regressor.copy()
        slopes[..., of_load] += mu[:, None] * loads
        predicted = regressor @ values[:count] + given + mu * load
        return np.concatenate([slopes, load[..., None] * by_mu], -1), predicted

    return Explained(names, priors, False, efforts, linearised)


def _through_drives(names: Sequence[str]) -> Array:
    """One for each number whose forces go through drives, else zero."""
    return np.array([*map(frictions.loads_drive, names)], dtype=float)


def _spread(names: Sequence[str], values: Array, found: Mapping[str, float]) -> Array:
    """Return prior standard deviations of numbers: the size of their body, or their own."""
    own = dict(zip(names, values, strict=True))
    spread = []
    for name in names:
        if not (body := body_of(name)):
            spread.append(max(abs(own[name]), abs(found.get(name, 0.0))))
            continue
        m = own[f"{body}.mass"]
        J = max(v for key, v in own.items() if body_of(key) == body and "inertia" in key)
        size = (m, np.sqrt(m * J), J)
        spread.append(size[0 if name.endswith(".mass") else 1 if "first_moment" in name else 2])
    return np.asarray(np.maximum(spread, 1e-3 * np.max(spread)))


def rebuilt(robot: Robot, numbers: Mapping[str, float]) -> Robot:
    """The robot with these standard parameters, reflected masses, friction, springs, by names."""
    changes = _free_body("platform", "origin_inertia", numbers)
    for k, actuator in enumerate(robot.actuators):
        if actuator.drive is not None:
            changes |= _drive(f"{actuator.key}.drive", numbers, actuator.drive)
            if (constant := numbers.get(f"actuators[{k}].torque_constant")) is not None:
                changes[f"{actuator.key}.drive.torque_constant"] = constant
    return _with_legs_apart(robot).replace(
        changes | _legs(robot, numbers) | _bodies(robot, numbers) | _springs(robot, numbers)
    )


def contained_parameters(robot: Robot) -> Array:
    """The standard parameters of what bodies contain: decoupling stages, in their cylinders."""
    if not robot.has_extensible_legs:
        return np.zeros_like(standard_parameters(robot))
    changes: PlainData = {"platform.mass": 0.0, "platform.inertia": [0.0, 0.0, 0.0]}
    for k, leg in enumerate(robot.extensible_legs):
        stage = leg.connector.decoupling if leg.connector else None
        mass, at = (stage.mass, stage.position) if stage else (0.0, 0.0)
        point = {"mass": mass, "center_of_mass": at, "inertia": [0.0, 0.0, 0.0]}
        changes |= {f"legs[{k}].cylinder": point, f"legs[{k}].piston": point | {"mass": 0.0}}
    return standard_parameters(_with_legs_apart(robot).replace(changes))


def _with_legs_apart(robot: Robot) -> Robot:
    """Return the robot written with all keys of each leg: they may differ from now on."""
    data = robot.to_dict()
    if robot.has_extensible_legs:
        shared = data.pop("leg", {})
        data["legs"] = [shared | leg for leg in data["legs"]]
    return Robot.from_dict(data)


def _legs(robot: Robot, numbers: Mapping[str, float]) -> PlainData:
    """Return the new data of a hexapod's legs: parts, and friction of the passive joints."""
    changes = dict[str, Any]()
    for k, leg in enumerate(robot.extensible_legs):
        changes |= _leg_part(f"legs[{k}].cylinder", numbers, leg)
        changes |= _leg_part(f"legs[{k}].piston", numbers, leg)
        at = f"legs[{k}].joint_friction."
        if found := {n.removeprefix(at): v for n, v in numbers.items() if n.startswith(at)}:
            changes[f"legs[{k}].joint_friction"] = found
    return changes


def _bodies(robot: Robot, numbers: Mapping[str, float]) -> PlainData:
    """Return the new data of a mechanism: bodies, and friction in joints."""
    changes = dict[str, Any]()
    for k, point in enumerate(standard_points(robot)[1:]):
        changes |= _free_body(f"bodies[{k}]", "joint_inertia", numbers, point)
    for k in range(len(robot.listed_joints)):
        places = (f"joints[{k}].{key}" for key in frictions.OF_A_JOINT)
        changes |= {place: max(numbers[place], 0.0) for place in places if place in numbers}
    return changes


def _springs(robot: Robot, numbers: Mapping[str, float]) -> PlainData:
    """Return the new data of springs, by their numbers: loads as the file has them, if it can be.

    A spring whose free length would be below zero, or free position more than 2π from home, has its
    load at home instead; one without stiffness is constant.
    """
    found = {n: x for n, x in numbers.items() if n in frictions.spring_numbers(robot)}
    stiff = {n: x for n, x in found.items() if n.endswith(".stiffness")}
    changes: PlainData = found | {n: None for n, x in stiff.items() if x <= 0}
    for k, spring in enumerate(robot.springs):
        at, stiffness = f"springs[{k}]", stiff.get(f"springs[{k}].stiffness")
        if spring.length is not None and stiffness is not None:
            free = spring.length_at_home - found[f"{at}.force"] / stiffness if stiffness > 0 else -1
            changes[f"{at}.length"] = free if free >= 0 else None
            changes |= {f"{at}.force": None} if free >= 0 else {}
    for k, joint in enumerate(robot.listed_joints):
        beside, at = getattr(joint, "spring", None), f"joints[{k}].spring"
        stiffness = stiff.get(f"{at}.stiffness")
        if beside is not None and beside.position is not None and stiffness is not None:
            load = f"{at}.{beside.load_key}"
            away = found[load] / stiffness if stiffness > 0 else np.inf
            changes[f"{at}.position"] = joint.home + away if abs(away) <= 2 * np.pi else None
            changes |= {load: None} if abs(away) <= 2 * np.pi else {}
    return changes


def _free_body(
    at: str, inertia: str, numbers: Mapping[str, float], point: Triple = ORIGIN
) -> PlainData:
    """A body's mass, mass centre and inertia about it, from its numbers about a point."""
    keys = [key.replace("joint_inertia", inertia) for key in OF_A_BODY]
    standard = np.array([numbers[f"{at}.{key}"] for key in keys])
    center, own = about_mass_centre(standard)
    return {
        f"{at}.mass": numbers[f"{at}.mass"],
        f"{at}.center_of_mass": (center + point).tolist(),
        f"{at}.inertia": own.tolist(),
    }


def about_mass_centre(standard: Array) -> tuple[Array, Array]:
    """Mass centre and inertia about it, of standard parameters: m, m c, J at the origin."""
    m, h, J = standard[0], standard[1:4], symmetric_matrix(standard[4:])
    return h / m, J - (h @ h * np.eye(3) - np.outer(h, h)) / m


def _leg_part(at: str, numbers: Mapping[str, float], leg: Leg) -> PlainData:
    m, h = numbers[f"{at}.mass"], numbers[f"{at}.first_moment"]
    c = h / m
    if leg.kind == "UPS":
        upper = np.array([numbers[f"{at}.{key}"] for key in OF_A_BODY[4:]])
        inertia = symmetric_matrix(upper) - m * c**2 * _ACROSS
    else:  # along the leg it is not identifiable
        across = numbers[f"{at}.joint_inertia.xx"] - m * c**2
        along = getattr(leg, at.rpartition(".")[2]).inertia[2][2]
        inertia = np.diag([across, across, min(along, 2 * across)])
    return {f"{at}.mass": m, f"{at}.center_of_mass": c, f"{at}.inertia": inertia.tolist()}


def _drive(at: str, numbers: Mapping[str, float], drive: Drive | GearDrive) -> PlainData:
    """Return a drive's data; rotor and screw, or gear, share their sum as they did before."""
    screw = "screw" if isinstance(drive, Drive) else "gear"
    n = drive.gear_ratio
    turns = 2 * np.pi * n / drive.screw_lead if isinstance(drive, Drive) else n
    changes = {}
    for name, number, power, factor in (
        ("reflected_mass", "inertia", 2, turns**2),
        ("damping", "damping", 2, turns**2),
        ("friction", "friction", 1, turns),
    ):
        of_rotor, of_screw = f"rotor_{number}", f"{screw}_{number}"
        if f"{at}.{name}" in numbers:
            rotor, other = getattr(drive, of_rotor), getattr(drive, of_screw)
            before = rotor + other / n**power
            share = rotor / before if before else 0.0
            at_motor = max(numbers[f"{at}.{name}"], 0.0) / factor
            changes[f"{at}.{of_rotor}"] = share * at_motor
            changes[f"{at}.{of_screw}"] = (1 - share) * at_motor * n**power
    if f"{at}.offset" in numbers:
        changes[f"{at}.torque_offset"] = numbers[f"{at}.offset"] / turns
    if f"{at}.load_friction" in numbers:
        changes[f"{at}.efficiency"] = 1.0 / (1.0 + max(numbers[f"{at}.load_friction"], 0.0))
    return changes


def symmetric_matrix(upper: Array) -> Array:
    """A matrix (3, 3) of xx, yy, zz, xy, xz, yz."""
    full = np.zeros((3, 3), dtype=upper.dtype)
    full[UPPER] = full.T[UPPER] = upper
    return full
