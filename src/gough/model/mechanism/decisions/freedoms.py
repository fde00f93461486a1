"""Degrees of freedom of a machine, on samples: mobility, twist basis T, and its natural axes."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gough.arrays import Array, across_axis, direction_of, length_of, product_of
from gough.equations.closure.assembled import twist_basis
from gough.equations.machine import Machine
from gough.errors import RobotError
from gough.model.mechanism.decisions.plans import first_of_best, independent_rows
from gough.model.mechanism.decisions.samples import (
    RANK,
    Sample,
    at_samples,
    jacobian_of,
    null_space,
)
from gough.model.mechanism.home.drawing import Drawing, DrawnJoint
from gough.model.mechanism.legs.trees import LegTree
from gough.model.mechanism.numbers.traced import snapped
from gough.robot import MOVES, PLATFORM, spanning_tree

SAME = 1e-9  # T is constant if its numbers differ by less on all samples
AGREED = 1e-6  # share of T by which the equations' may differ from that of all rows


@dataclass(frozen=True, eq=False)
class Freedoms:
    """Mobility and moves: T on the samples, and T itself where it is constant."""

    mobility: int
    idle: list[Array]  # motions with the platform at rest on the samples, columns over all joints
    overconstrained: int  # rows that say nothing new
    T: Array | None


def freedoms_of(home: Sample, samples: Sequence[Sample], S: Array) -> Freedoms:
    """Mobility, and T of V = T u for u = S V; refuses moves that are not those of the machine."""
    found = [_possible(sample) for sample in samples]
    mobility = min(twists.shape[1] for twists, _ in found)
    if not mobility:
        problem = "the platform cannot move: its joints hold it in this pose"
        expected = "joints that leave it the moves of platform.moves"
        raise RobotError(problem, key="joints", expected=expected)
    if mobility != len(S):
        problem = f"the platform has {mobility} degrees of freedom and {len(S)} moves"
        expected = f"{mobility} of them, such as {_listed([twists for twists, _ in found])}"
        raise RobotError(problem, key="platform.moves", expected=expected)
    usual = [(twists, idle) for twists, idle in found if twists.shape[1] == mobility]
    idle = [still for _, still in usual if still.shape[1] == usual[0][1].shape[1]]
    rows, columns = jacobian_of(samples[0]).shape
    over = rows - (columns - mobility - idle[0].shape[1])
    at_home, _ = _possible(home)
    if at_home.shape[1] < mobility:
        raise RobotError(
            f"a dead centre: the platform has {mobility} degrees of freedom, and there only "
            f"{at_home.shape[1]}, so that its joints can move on in two ways",
            key="platform.home",
            expected="a home away from that",
        )
    if at_home.shape[1] == mobility:
        _moves(_unit_rows(S * home.scales), at_home, " at home")
    T = _constant_moves(S, samples[0].scales, [twists for twists, _ in usual])
    return Freedoms(mobility, idle, over, T)


def _constant_moves(S: Array, scales: Array, twists: Sequence[Array]) -> Array | None:
    """T, if it is the same for all these possible twists, which are in machine sizes."""
    seen = S * scales
    lengths = np.linalg.norm(seen, axis=1)
    T = [_moves(_unit_rows(seen), these) for these in twists]
    if max(float(np.abs(t - T[0]).max()) for t in T) > SAME:
        return None
    return snapped(scales[:, None] * snapped(T[0]) / lengths)


def _possible(sample: Sample) -> tuple[Array, Array]:
    """The platform's possible twists, and the motions that leave it where it is, as columns."""
    N = null_space(jacobian_of(sample))
    U, sigma, Vt = np.linalg.svd(N[-6:])
    rank = int((sigma > RANK).sum())  # of columns of length one
    return U[:, :rank], N @ Vt[rank:].T


def possible_twists(sample: Sample) -> Array:
    """The platform's possible twists as columns, in machine sizes."""
    return _possible(sample)[0]


def _unit_rows(S: Array) -> Array:
    return np.asarray(S / np.linalg.norm(S, axis=1, keepdims=True))


def _moves(S: Array, twists: Array, where: str = "") -> Array:
    """T of V = T u for u = S V, where the platform can do these twists."""
    seen = S @ twists
    sigma = np.linalg.svd(seen, compute_uv=False)
    if sigma.min() < 1e-6:
        raise RobotError(
            f"these moves do not determine the platform's motion{where}: one degree of freedom "
            f"changes them by {sigma.min():.1g} of itself",
            key="platform.moves",
            expected=f"others, such as {_listed([twists])}",
        )
    return np.asarray(twists @ np.linalg.inv(seen))


def _listed(twists: Sequence[Array]) -> str:
    return ", ".join(such_as(twists)) or "none"


def such_as(twists: Sequence[Array]) -> tuple[str, ...]:
    """Moves that tell these possible twists apart: again and again what is most possible."""
    possible = np.asarray(sum(these @ these.T for these in twists), float)
    names = []
    for _ in range(min(these.shape[1] for these in twists)):
        k = first_of_best(np.diag(possible))
        names.append(MOVES[k])
        possible = possible - np.outer(possible[k], possible[k]) / possible[k, k]
    return tuple(sorted(names, key=MOVES.index))


def refuse_undriven(samples: Sequence[Sample], motors: Sequence[tuple[int, int]]) -> None:
    """Refuse motors, by leg and joint, that leave a freedom without any at all samples."""
    starts = np.cumsum([0, *(len(q) for q in samples[0].q)])
    driven = [starts[leg] + joint for leg, joint in motors]
    free = [null_space(jacobian_of(sample)) for sample in samples]
    undriven = min(N.shape[1] - int(np.linalg.matrix_rank(N[driven], tol=RANK)) for N in free)
    if undriven:
        raise RobotError(
            f"{undriven} of the platform's degrees of freedom remain free when all driven joints "
            "are locked",
            key="joints",
            expected="driven joints that hold the platform",
        )


def refuse_other_motions(machine: Machine, samples: Sequence[Sample]) -> None:
    """Refuse a machine whose chosen rows leave the platform other twists than all rows do."""
    if machine.freedom.T is not None:
        return
    found = at_samples(machine.legs, lambda legs, _: [twist_basis(machine, legs)], samples)
    for sample, (basis,) in zip(samples, found, strict=True):
        T, possible = basis / sample.scales[:, None], possible_twists(sample)
        deviation = np.abs(T - possible @ (possible.T @ T)).max() / np.abs(T).max()
        if possible.shape[1] == T.shape[1] and not deviation < AGREED:
            raise RobotError(
                "the constraint rows chosen leave the platform other motions than all rows do: "
                f"they differ by {deviation:.1g} of themselves",
                key="platform.home",
                expected="a home farther from singular configurations",
            )


def machine_axes(T: Array | None, S: Array, joints: Sequence[DrawnJoint]) -> Array:
    """Axes in which the moves are simple: rows x, y, z; z across a plane, or about the one turn."""
    found = None if T is None else _normal(T)
    if found is None:
        return np.eye(3)
    drawn = (axis for joint in joints for axis in joint.axes)  # exact, as T from samples is not
    normal = next((axis for axis in drawn if length_of(np.cross(axis, found)) < SAME), found)
    turn = next((row[3:] for row in S if row[3:].any()), found)
    normal = normal if product_of(turn, normal) > 0 else -normal
    ways = (row[:3] for row in S if length_of(np.cross(normal, row[:3])) > SAME)
    first = next(ways, np.eye(3)[np.argmin(np.abs(normal))])
    x = direction_of(across_axis(first, normal))
    return snapped(np.array([x, np.cross(normal, x), normal]))


def _normal(T: Array) -> Array | None:
    """The axis of the platform's one turn, or the normal of the plane in which it slides."""
    for half, rank in ((T[3:], 1), (T[:3], 2)):
        U, sigma, _ = np.linalg.svd(half)
        if int((sigma > SAME).sum()) == rank:
            normal = U[:, 0] if rank == 1 else U[:, 2]
            return np.asarray(normal * np.sign(normal[np.argmax(np.abs(normal))]))
    return None


# Passive degrees of freedom that leave the platform where it is. A pose does not determine them, so
# kernels of the pose hold their joints as they are at home: a pen on a pin is welded to its
# platform, a wheel to its axle. Where they have inertia, their motion is left out.

LETTERS = {(): "fixed", ("hinge",): "R", ("slide",): "P", ("hinge", "hinge"): "U"}
"""Kinds of joints by the steps that remain."""

HeldJoints = dict[str, tuple[str, tuple[Array, ...]]]  # by joint, the type and the axes that remain


def hanging(drawing: Drawing) -> HeldJoints:
    """Return the joints of bodies that only the platform holds, all of which are held."""
    others = drawing.bodies.keys() - {PLATFORM}
    lost = others - {branch.body for branch in spanning_tree(drawing.joints, within=others)}
    joints = [joint for joint in drawing.joints if lost.intersection(joint.between)]
    for joint in joints:
        if joint.driven or joint.coupled:
            problem = "a motor or coupling moves a body that only the platform holds"
            raise RobotError(problem, key=joint.name, expected="motors that move the platform")
    return {joint.name: ("fixed", ()) for joint in joints}


def held_joints(drawing: Drawing, trees: Sequence[LegTree], idle: Sequence[Array]) -> HeldJoints:
    """Return joints that hold all motions with the platform at rest, given by their columns."""
    steps = [step for tree in trees for step in tree.joints]
    passive = np.array([[not (step.driven or step.coupled)] for step in steps], dtype=float)
    chosen = {steps[k].name for k in independent_rows([x[: len(steps)] * passive for x in idle])}
    if len(chosen) < idle[0].shape[1]:
        problem = "motors or couplings move joints while the platform stands still"
        raise RobotError(problem, key="joints", expected="motors that move the platform")
    held: HeldJoints = {}
    for tree in trees:
        for joint in drawing.joints:
            names = joint.kind.step_names(joint.name)
            own = [step for step in tree.joints if step.name in names]
            if chosen.intersection(names) and own:
                free = [step for step in own if step.name not in chosen]
                sign = 1 if tree.links.get(joint.first) == own[0].before else -1
                axes = [sign * step.axis for step in free][::sign]
                held[joint.name] = LETTERS[tuple(step.kind for step in free)], tuple(axes)
    return held
