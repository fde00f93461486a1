"""From a machine's description to the records that the equations want, decided once and for all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.equations.mechanism.bodies import Body
from gough.equations.mechanism.description import Description
from gough.equations.mechanism.machine import Freedom, Leg, Machine, Stance
from gough.errors import RobotError
from gough.model.mechanism.bearings import Reaction, loads_of, reactions_of
from gough.model.mechanism.carriers import Carriers
from gough.model.mechanism.description import (
    Center,
    described_centers,
    described_tilts,
    description_of,
)
from gough.model.mechanism.drawing import NOTHING, Drawing, drawn
from gough.model.mechanism.frames import Frame, snapped
from gough.model.mechanism.freedoms import (
    Freedoms,
    freedoms_of,
    machine_axes,
    refuse_undriven,
    turned_moves,
)
from gough.model.mechanism.parallelograms import with_shared_masses_together
from gough.model.mechanism.parts import Parts, body_of, parts_of
from gough.model.mechanism.plans import complement, plan_of, with_constraints
from gough.model.mechanism.positions import with_positions
from gough.model.mechanism.rods import with_rods_apart
from gough.model.mechanism.samples import Assembler, Sample
from gough.model.mechanism.spinning import with_spins_stopped
from gough.model.mechanism.statics import with_known
from gough.model.mechanism.trees import Tree, legs_of
from gough.robot.mechanism import PLATFORM, Mechanism

Turning = Literal["any", "z", "none"]
Motors = tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Analysis:
    """What was found out about a machine."""

    machine: Machine
    joints: tuple[str, ...]
    """Names of all joints of all legs, leg by leg; a universal joint's two end in .1 and .2."""
    mobility: int
    overconstrained: int
    constant_moves: bool
    size: float
    """A length that is typical of the machine [m]."""
    centers: tuple[Center, ...]
    """Which joint and whose point each row of the joint centres is."""
    tilts: tuple[str, ...]
    """Names of the ball and universal joints, which have tilts."""
    bodies: tuple[str, ...]
    """Names of all moving bodies, the platform first: rows of the mass centres."""
    reactions: tuple[Reaction, ...]
    """Which joint and whose axes each row of the reactions is, and which components are known."""


@dataclass(frozen=True, eq=False)
class _Draft:
    """A machine in some axes: its legs without plans, and the states on which they are decided."""

    drawing: Drawing
    trees: list[Tree]
    held: Frame
    parts: list[Parts]
    carriers: Carriers
    home: Sample
    samples: list[Sample]


def analysed(mechanism: Mechanism) -> Analysis:
    """Find legs, moves and plans of a machine; refuses, with the reason, what cannot be one."""
    S = np.array(mechanism.platform.rows, dtype=float)
    drawing = drawn(mechanism)
    draft = _draft(drawing, Frame(drawing.rotation, drawing.position))
    free = freedoms_of(draft.samples, S)
    _refuse_idle(_joint_names(draft), free)
    axes = machine_axes(free.T, S)
    turning = _turning(free.T)
    if turning != "any" or not np.array_equal(axes, np.eye(3)):
        turned = drawing.turned(axes)
        attitude = turned.rotation if turning == "any" else np.eye(3)
        draft = _draft(turned, Frame(attitude, turned.position))
    S = turned_moves(S, axes)
    free = freedoms_of(draft.samples, S)
    machine = _machine(mechanism, draft, S, free, axes, turning)
    return Analysis(
        machine,
        _joint_names(draft),
        free.mobility,
        free.overconstrained,
        free.T is not None,
        drawing.size,
        described_centers(drawing),
        described_tilts(drawing),
        tuple(drawing.described.bodies),
        reactions_of(draft.carriers, machine.description.loads.bearings, axes),
    )


def _draft(drawing: Drawing, held: Frame) -> _Draft:
    apart, rods = with_rods_apart(with_spins_stopped(drawing))
    trees = legs_of(apart, rods)
    parts = [parts_of(apart, tree, held) for tree in trees]
    assembler = Assembler([part.leg for part in parts], held, drawing.size)
    carriers = Carriers(drawing, trees, parts, rods, held)
    return _Draft(apart, trees, held, parts, carriers, assembler.home(), assembler.samples())


def _machine(
    mechanism: Mechanism, draft: _Draft, S: Array, free: Freedoms, axes: Array, turning: Turning
) -> Machine:
    motors = _motors(mechanism, draft.trees)
    refuse_undriven(draft.samples, motors)
    legs = _planned(draft, motors, S)
    ground = sum((part.ground for part in draft.parts), draft.drawing.ground).ms
    if turning == "none":
        pairs = [with_shared_masses_together(*pair) for pair in zip(legs, draft.trees, strict=True)]
        legs, ground = [leg for leg, _ in pairs], sum((shift for _, shift in pairs), ground)
    return Machine(
        ca.DM(snapped(draft.drawing.gravity)),
        _platform(draft),
        tuple(with_positions(leg, k, draft.home, draft.samples) for k, leg in enumerate(legs)),
        _freedom(S, free.T),
        _stance(mechanism, draft, axes, free.T, turning),
        motors,
        ca.DM(ground),
        _description(draft, axes, bool(free.overconstrained)),
    )


def _planned(draft: _Draft, motors: Motors, S: Array) -> list[Leg]:
    """The legs with their plans."""
    plans = []
    for number, tree in enumerate(draft.trees):
        mine = tuple(joint for leg, joint in motors if leg == number)
        rows = [sample.A[number] for sample in draft.samples]
        plans.append(plan_of(rows, mine, _name(tree)))
    plans = with_constraints(plans, draft.samples, S)
    return [replace(part.leg, plan=plan) for part, plan in zip(draft.parts, plans, strict=True)]


def _platform(draft: _Draft) -> Body:
    """The platform with what the legs lent it, in the frame in which it is held."""
    lent = sum((part.platform for part in draft.parts), NOTHING)
    mass = draft.drawing.bodies[PLATFORM] + lent
    return body_of(mass.seen_in(draft.held.axes, draft.held.origin))


def _description(draft: _Draft, axes: Array, overconstrained: bool) -> Description:
    """What is described; masses of rods, which are no bodies of the drawing, are at their ends."""
    carriers, legs = draft.carriers, [part.leg for part in draft.parts]
    masses = {b: m for b, m in draft.drawing.bodies.items() if not carriers.is_line(b)}
    loads = loads_of(carriers, masses, axes)
    if overconstrained or any(bearing.passed is None for bearing in loads.bearings):
        bearings = with_known(loads.bearings, legs, draft.samples, draft.drawing.size)
        loads = replace(loads, bearings=bearings)
    return description_of(carriers, masses, loads)


def _freedom(S: Array, T: Array | None) -> Freedom:
    numbers = [S, snapped(np.array(np.linalg.pinv(S), float)), complement(S)]
    constant = [] if T is None else [T, snapped(T @ S)]
    return Freedom(*map(ca.DM, numbers + constant))


def _stance(
    mechanism: Mechanism, draft: _Draft, axes: Array, T: Array | None, turning: Turning
) -> Stance:
    still = () if T is None else tuple(k for k in range(3) if not T[k].any())
    position, quaternion = draft.held.origin, mechanism.platform.quaternion
    return Stance(ca.DM(axes), ca.DM(position), ca.DM(quaternion), still, turning)


def _turning(T: Array | None) -> Turning:
    if T is None or np.linalg.matrix_rank(T[3:], tol=1e-9) > 1:
        return "any"
    return "z" if T[3:].any() else "none"


def _motors(mechanism: Mechanism, trees: Sequence[Tree]) -> Motors:
    places = {
        joint.name: (leg, k)
        for leg, tree in enumerate(trees)
        for k, joint in enumerate(tree.joints)
    }
    count = len(mechanism.platform.moves)
    if len(mechanism.driven) < count:
        raise RobotError(
            f"{len(mechanism.driven)} driven joints for {count} freedoms", key="joints",
            expected=f"at least {count}",
        )  # fmt: skip
    return tuple(places[joint.name] for joint in mechanism.driven)


def _refuse_idle(names: Sequence[str], free: Freedoms) -> None:
    if free.idle:
        moving = [names[k] for k in free.idle_joints]
        raise RobotError(
            f"{free.idle} freedoms do not move the platform, but {', '.join(moving[:4])}"
            f"{' and others' if len(moving) > 4 else ''}",
            key="joints",
            expected="joints that stand still when the platform does",
        )


def _joint_names(draft: _Draft) -> tuple[str, ...]:
    return tuple(joint.name for tree in draft.trees for joint in tree.joints)


def _name(tree: Tree) -> str:
    return tree.joints[0].name if tree.joints else "joints"
