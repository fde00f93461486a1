"""From a machine's description to the records that the equations want, decided once and for all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import product

import casadi as ca
import numpy as np

from gough.arrays import Array, product_of
from gough.equations.closure.constraint_rows import PlatformPlacement
from gough.equations.forces.passive_joints import FrictionLaw
from gough.equations.legs.extensible import Encoders
from gough.equations.machine import FrameConvention, Leg, Machine, PlatformFreedom
from gough.equations.spatial.algebra import Value
from gough.equations.tree.bodies import NO_MASS
from gough.equations.tree.description import Loads, Springs
from gough.equations.tree.joints import Prismatic
from gough.errors import RobotError
from gough.model import structure as structures
from gough.model.mechanism.decisions import freedoms
from gough.model.mechanism.decisions.branches import joints_at_home, with_change_points
from gough.model.mechanism.decisions.freedoms import HeldJoints
from gough.model.mechanism.decisions.plans import RANK, complement, plan_of, with_constraints
from gough.model.mechanism.decisions.positions import Trial, with_positions
from gough.model.mechanism.decisions.samples import Assembler, Sample, Start
from gough.model.mechanism.decisions.statics import with_known
from gough.model.mechanism.home.drawing import Drawing, drawn
from gough.model.mechanism.home.rods import with_rods_apart
from gough.model.mechanism.kept import Turning
from gough.model.mechanism.legs.bearings import loads_of, reactions_of
from gough.model.mechanism.legs.carriers import Carriers, description_of, with_spins_stopped
from gough.model.mechanism.legs.frames import HomeFrame, Parts, parts_of
from gough.model.mechanism.legs.trees import LegTree, legs_of
from gough.model.mechanism.numbers import weights
from gough.model.mechanism.numbers.elastic import sprung
from gough.model.mechanism.numbers.mass import Mass
from gough.model.mechanism.numbers.traced import as_value, snapped
from gough.model.named_numbers import Numbers, constants
from gough.model.standard import standard_points
from gough.robot import BASE, FREE_FALL, PLATFORM, Joint, Mechanism, connected
from gough.robot.mechanism import GEOMETRY, Body
from gough.robot.records import ZERO_INERTIA

_BARE = {"mass": 0.0, "center_of_mass": (0.0, 0.0, 0.0), "inertia": ZERO_INERTIA, "mesh": None}
Motors = tuple[tuple[int, int], ...]


@dataclass(frozen=True, eq=False)
class Analysis:
    """Results of the analysis of a machine."""

    machine: Machine
    masses: weights.Masses
    structure: structures.Structure
    """Without what depends on other numbers than those of the geometry."""
    decided: Decided
    """By what it was decided."""
    left_out: tuple[str, ...] = ()
    """Notes on inertia that moves without the platform, which the equations leave out."""


@dataclass(frozen=True, eq=False)
class Draft:
    """A machine in some axes: its legs without plans."""

    drawing: Drawing
    trees: list[LegTree]
    held: HomeFrame
    parts: list[Parts]
    carriers: Carriers
    start: Start = None

    @property
    def at_home(self) -> PlatformPlacement:
        """Where the platform is at home."""
        return PlatformPlacement(as_value(self.held.origin), as_value(self.held.axes))

    @property
    def masses(self) -> dict[str, Mass]:
        """Masses of all bodies but rods, whose are at their ends."""
        bodies = self.drawing.bodies.items()
        return {body: mass for body, mass in bodies if not self.carriers.is_line(body)}

    @cached_property
    def assembler(self) -> Assembler:
        """Closes its loops."""
        legs = [part.leg for part in self.parts]
        return Assembler(legs, self.held, self.drawing.size, self.start)


@dataclass(frozen=True, eq=False)
class Decided:
    """In which axes a machine is drawn and how it moves, and the states that tell."""

    draft: Draft
    home: Sample
    samples: list[Sample]
    axes: Array  # rotation from base axes to the home configuration's
    turning: Turning
    T: Array | None  # V = T u, where it is constant
    held: HeldJoints  # joints that are held as at home


@lru_cache(maxsize=64)
def analysed(mechanism: Mechanism) -> Analysis:
    """Find legs, moves and plans of a machine; refuses, with the reason, what cannot be one."""
    found, numbers = analysed_geometry(geometry_of(mechanism)), constants(mechanism)
    spinning = weights.asymmetries(found.masses, weights.rigid_bodies(mechanism, numbers))
    _refuse_springs_aside(mechanism, found)
    taken = ': taken as symmetric; simulations with coordinates = "joints" carry it'
    left_out = *_held_inertia(mechanism, found), *(note + taken for note in spinning.values())
    return replace(found, machine=completed(mechanism, found, numbers), left_out=left_out)


def _held_inertia(mechanism: Mechanism, found: Analysis) -> Iterator[str]:
    """Yield notes of joints that are held, except those of a body without loads at the end."""
    weightless = {b.name for b in mechanism.bodies if not b.mass and not np.any(b.inertia)}
    weightless -= {body for spring in mechanism.springs for body in spring.between}
    ends = Counter(body for joint in mechanism.joints for body in joint.between)
    for joint in mechanism.joints:
        own = [key for key in ("spring", "armature") if getattr(joint, key, None) is not None]
        is_end = any(body in weightless and ends[body] == 1 for body in joint.between)
        if joint.name in found.structure.held and (own or not is_end):
            yield (
                f"{joint.name} has a passive degree of freedom that the pose does not determine: "
                f"held as at home{'' if not own else ', without ' + ' and '.join(own)}; "
                'simulations with coordinates = "joints" carry it'
            )


def _refuse_springs_aside(mechanism: Mechanism, found: Analysis) -> None:
    """Refuse springs that hold a body beside the line about which it spins freely."""
    places, axes = found.masses.places, found.decided.axes
    for k, spring in enumerate(mechanism.springs):
        for body, key in zip(spring.between, ("start", "end"), strict=True):
            unit, at = places.drawing.described.unit[body], product_of(axes, getattr(spring, key))
            if unit in places.spinning and not places.is_on_line(unit, at):
                raise RobotError(
                    f"{body} spins freely between ball joints, and the spring holds it beside them",
                    key=f"springs[{k}].{key}",
                    value=getattr(spring, key),
                    expected="a point on the line between its ball joints",
                )


def possible_moves(mechanism: Mechanism) -> tuple[str, ...]:
    """Moves that tell apart what the platform can do, whatever the machine says of them."""
    drawing = drawn(mechanism)
    drawing = drawing.with_joints(freedoms.hanging(drawing))
    draft = draft_of(drawing, HomeFrame(drawing.rotation, drawing.position))
    return freedoms.such_as([*map(freedoms.possible_twists, draft.assembler.samples())])


def completed(mechanism: Mechanism, found: Analysis, numbers: Numbers) -> Machine:
    """The machine of a geometry with masses, springs, encoders and all other numbers."""
    bodies = weights.rigid_bodies(mechanism, numbers)
    machine = weights.weighed(found.machine, found.masses, numbers("gravity"), bodies)
    return with_other_numbers(machine, found.masses, mechanism, numbers)


def with_other_numbers(
    machine: Machine,
    masses: weights.Masses,
    mechanism: Mechanism,
    numbers: Numbers,
    template: Springs | None = None,
) -> Machine:
    """A machine with masses, and now with springs (see `sprung`), encoders and limits."""
    places = [actuator.key for actuator in mechanism.actuators]
    encoders = (ca.vertcat(*(numbers(f"{x}.{key}") for x in places)) for key in ("offset", "gain"))
    machine = replace(
        machine,
        legs=_with_armatures(machine, masses.places, mechanism, numbers),
        encoders=Encoders(*encoders),
        limit=numbers,
        frictions=_frictions(mechanism, numbers),
    )
    return sprung(machine, masses.places, mechanism, numbers, template)


def _with_armatures(
    machine: Machine, places: Carriers, mechanism: Mechanism, numbers: Numbers
) -> tuple[Leg, ...]:
    """Return the legs with the inertias that move with positions of joints."""
    legs = [list(leg.joints) for leg in machine.legs]
    for k, joint in enumerate(mechanism.joints):
        if getattr(joint, "armature", None) is not None and joint.name in places.steps:  # not held
            leg, link = places.steps[joint.name]
            legs[leg][link] = replace(legs[leg][link], armature=numbers(f"joints[{k}].armature"))
    pairs = zip(machine.legs, legs, strict=True)
    return tuple(replace(leg, joints=tuple(joints)) for leg, joints in pairs)


def _frictions(mechanism: Mechanism, numbers: Numbers) -> tuple[FrictionLaw, ...]:
    """Friction of the joints that state some."""
    keys, found = ("damping", "friction"), []
    for k, joint in enumerate(mechanism.joints):
        stated = [key for key in keys if getattr(joint, key, None) is not None]
        given = [numbers(f"joints[{k}].{key}") if key in stated else ca.DM(0) for key in keys]
        if stated:
            found.append(FrictionLaw(k, given[0], given[1], place=f"joints[{k}]."))
    return tuple(found)


def geometry_of(mechanism: Mechanism) -> Mechanism:
    """The machine without its name, masses, limits and meshes: of one geometry all are equal."""
    facts = {
        **dict.fromkeys(("name", "reference", "notes"), ""),
        "gravity": FREE_FALL,
        "base_mesh": None,
        "platform": mechanism.platform.model_copy(update=_BARE),
        "bodies": tuple(Body(name=body.name) for body in mechanism.bodies),
        "joints": tuple(map(_without_limits, mechanism.joints)),
        "springs": (),
    }
    return mechanism.model_copy(update=facts)


def _without_limits(joint: Joint) -> Joint:
    copied = ("name", "type", "between", "driven", *GEOMETRY)
    bare = {key: x.default for key, x in type(joint).model_fields.items() if key not in copied}
    if getattr(joint, "armature", None) is not None:  # such a joint is kept in its leg's tree
        bare["armature"] = 0.0
    return joint.model_copy(update=bare)


@lru_cache(maxsize=64)
def analysed_geometry(mechanism: Mechanism) -> Analysis:
    """Analyse a geometry; the machine has no masses yet."""
    return analysed_drawing(mechanism, drawn(mechanism))


def analysed_drawing(mechanism: Mechanism, drawing: Drawing) -> Analysis:
    """Analyse a home configuration of the machine, perhaps with other numbers, on its branch."""
    found = _analysed(mechanism, drawing)
    if mechanism.branch is None:
        return found
    start = joints_at_home(found.machine, mechanism.branch)
    other = _analysed(mechanism, drawing, start, found.decided.held)
    if [leg.iterated for leg in other.machine.legs] != [leg.iterated for leg in found.machine.legs]:
        problem = "a leg has a closed form on this branch or as drawn, not on both"
        expected = "a home configuration that is drawn on this branch"
        raise RobotError(problem, key="branch", value=list(mechanism.branch), expected=expected)
    legs = counted_as_drawn(mechanism, other.machine.legs, other.machine.own_numbers)
    return replace(other, machine=replace(other.machine, legs=legs))


def counted_as_drawn(
    mechanism: Mechanism, legs: Sequence[Leg], numbers: Sequence[slice]
) -> tuple[Leg, ...]:
    """Return legs on a branch whose numbers are 1 for the configuration that is drawn."""
    return tuple(
        replace(leg, branches=leg.branches.counted_from(mechanism.branch[own]))
        if mechanism.branch and leg.branches and not leg.iterated
        else leg
        for leg, own in zip(legs, numbers, strict=True)
    )


def _analysed(
    mechanism: Mechanism, drawing: Drawing, start: Start = None, held: HeldJoints | None = None
) -> Analysis:
    """Analyse a home configuration on the branch of these positions of the joints at home."""
    S, held = mechanism.freedom_rows, freedoms.hanging(drawing) if held is None else held
    while True:
        drawing = drawing.with_joints(held)
        draft = draft_of(drawing, HomeFrame(drawing.rotation, drawing.position), start)
        home, samples = draft.assembler.home(), draft.assembler.samples()
        free = freedoms.freedoms_of(home, samples, S)
        if not free.idle[0].size:
            break
        held |= freedoms.held_joints(draft.drawing, draft.trees, free.idle)
    axes = freedoms.machine_axes(free.T, S, drawing.joints)
    turning = _turning(free.T)
    if turning != "any" or not np.array_equal(axes, np.eye(3)):
        draft = turned_draft(drawing, axes, turning, start)
        home, samples = draft.assembler.home(), draft.assembler.samples()
    S = snapped(product_of(S, np.kron(np.eye(2), axes).T))  # of u = S V for V in these axes
    free = freedoms.freedoms_of(home, samples, S)
    decided = Decided(draft, home, samples, axes, turning, free.T, held)
    loads, members = loads_of(draft.carriers, draft.masses, axes)
    if free.overconstrained or any(bearing.passed is None for bearing in loads.bearings):
        legs = [part.leg for part in draft.parts]
        loads = replace(loads, bearings=with_known(loads.bearings, legs, samples, drawing.size))
    machine = _machine(mechanism, decided, S, loads)
    masses = weights.masses_of(draft, turning, members, standard_points(mechanism))
    reactions = reactions_of(draft.carriers, loads.bearings, axes)
    structure = replace(_structure(mechanism, draft, machine, free, reactions), held=tuple(held))
    return Analysis(machine, masses, structure, decided)


def change_points(mechanism: Mechanism, branch: Value) -> tuple[Value, Value] | None:
    """Change points on a branch that is an input, of a machine with one degree of freedom."""
    if not (known := branch_ends(mechanism)):
        return None
    low, high = ca.SX.nan(1), ca.SX.nan(1)
    for numbers, ends in known.items():
        here = ca.sum1(ca.fabs(branch - ca.DM(numbers))) == 0
        low, high = (ca.if_else(here, *pair) for pair in zip(ends, (low, high), strict=True))
    return low, high


def branch_ends(mechanism: Mechanism) -> dict[tuple[int, ...], tuple[float, float]]:
    """Change points of a machine with one degree of freedom by branch; none of other machines.

    A branch with a dead centre at home has none.
    """
    machine = analysed_geometry(geometry_of(mechanism)).machine
    by_leg = [leg.branches.at_home() for leg in machine.legs if leg.branches is not None]
    found = dict[tuple[int, ...], tuple[float, float]]()
    for own in product(*by_leg) if machine.dof == 1 and by_leg else ():
        numbers = tuple(number for leg in own for number in leg)
        other = mechanism.model_copy(update={"branch": numbers})
        with suppress(RobotError):
            on_branch = analysed_geometry(geometry_of(other)).machine.freedom.on_branch
            low, high = on_branch or (-np.inf, np.inf)
            found[numbers] = float(low), float(high)
    return found


def _structure(
    mechanism: Mechanism,
    draft: Draft,
    machine: Machine,
    free: freedoms.Freedoms,
    reactions: tuple[structures.Reaction, ...],
) -> structures.Structure:
    described = draft.drawing.described
    turns = {joint.name: joint.kind.rotations > 0 for joint in described.joints}
    names_of = ([joint.name for joint in tree.joints] for tree in draft.trees)
    legs = list(zip(names_of, machine.legs, strict=True))
    motors = ([names[j] for j in leg.plan.driven] for names, leg in legs)
    groups = ((names, joints) for names, leg in legs for _, joints in leg.plan.stages)
    pairs = (pair for names, leg in legs for pair in zip(names, leg.joints, strict=True))
    return structures.Structure(
        _described_legs(mechanism),
        structures.driven_joints(mechanism),
        mechanism.platform.move_names,
        joints=tuple(name for names, _ in legs for name in names),
        motor_legs=tuple(" and ".join(own) for own in motors if own),
        passive_groups=tuple(", ".join(names[j] for j in joints) for names, joints in groups),
        sliding=frozenset(name for name, joint in pairs if isinstance(joint, Prismatic)),
        mobility=free.mobility,
        overconstrained=free.overconstrained,
        centers=structures.centers_of(described.joints),
        tilts=structures.tilts_of(described.joints),
        passive_rotations=tuple(body.name for body in draft.drawing.spinning),
        bodies=tuple(described.bodies),
        reactions=reactions,
        couplings=tuple(
            structures.DrivenJoint(c.name, turns[c.joints[0]]) for c in mechanism.couplings
        ),
        loop_joints=tuple(tuple(cut.name for cut in tree.cuts) for tree in draft.trees),
        roots=tuple(names[j] for names, leg in legs if leg.branches for j in leg.branches.joints),
    )


def draft_of(drawing: Drawing, held: HomeFrame, start: Start = None) -> Draft:
    """Return the legs of a home configuration; `held` is the frame of the platform's points."""
    apart, rods = with_rods_apart(with_spins_stopped(drawing))
    trees = legs_of(apart, rods)
    parts = [parts_of(apart, tree, held) for tree in trees]
    return Draft(apart, trees, held, parts, Carriers(drawing, trees, parts, rods, held), start)


def turned_draft(drawing: Drawing, axes: Array, turning: Turning, start: Start = None) -> Draft:
    """Return the legs of a home configuration in other axes, for this rotation of the platform."""
    turned = drawing.turned(axes)
    attitude = turned.rotation if turning == "any" else np.eye(3)
    return draft_of(turned, HomeFrame(attitude, turned.position), start)


def _machine(mechanism: Mechanism, decided: Decided, S: Array, loads: Loads) -> Machine:
    draft, samples = decided.draft, decided.samples
    count = len(mechanism.platform.moves)
    if len(mechanism.driven) < count:
        problem = f"{len(mechanism.driven)} driven joints for {count} degrees of freedom"
        raise RobotError(problem, key="joints", expected=f"at least {count}")
    motors = tuple(draft.carriers.steps[joint.name] for joint in mechanism.driven)
    freedoms.refuse_undriven(samples, motors)
    regular = all(np.linalg.matrix_rank(A, tol=RANK) == A.shape[1] for A in decided.home.A)
    states = [*samples, decided.home] if regular else samples
    legs, start = _planned(decided, motors, S, states), draft.start or [None] * len(draft.parts)
    known = draft.at_home, [Trial(samples)], decided.T is not None
    machine = Machine(
        ca.DM.zeros(3),
        NO_MASS,
        tuple(with_positions(leg, k, *known, start[k]) for k, leg in enumerate(legs)),
        _freedom(S, decided.T),
        frame_convention_of(mechanism, decided, draft),
        motors,
        ca.DM.zeros(3),
        description_of(draft.carriers, loads),
    )
    freedoms.refuse_other_motions(machine, states)
    return with_change_points(machine, draft.assembler)


def _planned(decided: Decided, motors: Motors, S: Array, states: Sequence[Sample]) -> list[Leg]:
    """The legs with their plans."""
    plans = []
    for number, tree in enumerate(decided.draft.trees):
        mine = tuple(joint for leg, joint in motors if leg == number)
        rows = [state.A[number] for state in states]
        plans.append(plan_of(rows, mine, tree.joints[0].name if tree.joints else "joints"))
    plans = with_constraints(plans, states, S)
    parts = decided.draft.parts
    return [replace(part.leg, plan=plan) for part, plan in zip(parts, plans, strict=True)]


def _freedom(S: Array, T: Array | None) -> PlatformFreedom:
    inside = snapped(np.array(np.linalg.pinv(S), float))
    known = PlatformFreedom(ca.DM(S), ca.DM(inside), ca.DM(complement(S)))
    return known if T is None else replace(known, T=ca.DM(T), possible=ca.DM(snapped(T @ S)))


def frame_convention_of(mechanism: Mechanism, decided: Decided, draft: Draft) -> FrameConvention:
    """Return the frame convention of pose and twist in the equations of a draft."""
    T, position = decided.T, as_value(snapped(draft.held.origin, draft.drawing.size))
    still = () if T is None else tuple(k for k in range(3) if not T[k].any())
    quaternion = ca.DM(mechanism.platform.home.quaternion)
    return FrameConvention(ca.DM(decided.axes), position, quaternion, still, decided.turning)


def _turning(T: Array | None) -> Turning:
    if T is None or np.linalg.matrix_rank(T[3:], tol=1e-9) > 1:
        return "any"
    return "z" if T[3:].any() else "none"


def _described_legs(mechanism: Mechanism) -> tuple[structures.LegStructure, ...]:
    """Return the joints of bodies that hang together without base and platform."""
    inner = [{*joint.between} - {BASE, PLATFORM} for joint in mechanism.joints]
    numbers = [[k for k, own in enumerate(inner) if own & leg] for leg in connected(inner)]
    numbers += [[k] for k, own in enumerate(inner) if not own]
    legs = ([mechanism.joints[k] for k in leg] for leg in sorted(numbers))
    return tuple(
        structures.LegStructure(
            tuple(joint.type for joint in leg),
            tuple(k for k, joint in enumerate(leg) if joint.is_driven),
        )
        for leg in legs
    )
