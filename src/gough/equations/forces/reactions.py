"""Reactions of all joints of a machine, with the true masses of all bodies.

The legs' rows determine the reactions of the loop-closure joints; those of the others follow body
by body. Friction, damping and springs of the joints are part of the forces between their bodies.
Rods and legs that are free to spin about themselves do not spin: moments about their own axes are
not transmitted.

Overconstrained machines have many solutions for the same efforts: they differ by self-stresses, one
for each redundant row. This solution leaves those rows out; components in which some self-stress
has a share are NaN.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import casadi as ca
from casadi import cross

from gough.equations.closure.assembled import Assembled, assembled
from gough.equations.closure.constraint_rows import wrench_of
from gough.equations.forces import dynamics
from gough.equations.forces.joint_loads import JointLoads, Pull, is_of_motor, joint_loads
from gough.equations.forces.moving_base import with_true_masses
from gough.equations.machine import Machine
from gough.equations.motion.motions import Accelerations, LinkFrames, accelerations_of, frames_at
from gough.equations.solvers.linear import solve
from gough.equations.spatial.algebra import Value
from gough.equations.tree import description as tree
from gough.equations.tree.bodies import NO_MASS, ZERO, Force, Twist, turned_inertial_force

Passed = dict[tree.Passage, Force]
SHARE = 1e-7  # a component with a smaller share of each self-stress is the same in all solutions


def reactions(
    machine: Machine, pose: Value, twist: Value, acceleration: Value, wrench: Value
) -> tuple[Value, Value]:
    """Force (k, 3) [N] and moment (k, 3) [N m] that each joint's first body exerts on its second.

    In the order of the description, at the joint's centre (of a slide where its first body has it),
    in the joint's own axes, which turn with its first body, or its second where the first is a rod.
    Efforts of motors, and friction, damping and springs of the joint are included, as far as the
    robot file states them. NaN where the motion does not determine a component.
    """
    at, moving, applied = _loaded(machine, pose, twist, acceleration, wrench)
    values = _carried(at, moving, applied)
    bearings = machine.description.loads.bearings
    if not all(all(bearing.known) for bearing in bearings):
        values = _masked(values, bearings, _stressed(at, moving))
    return values[:, :3], values[:, 3:]


def all_reactions(
    machine: Machine, pose: Value, twist: Value, acceleration: Value, wrench: Value
) -> tuple[Value, Value]:
    """Return all reactions, with one solution of many where they are not determined."""
    values = _carried(*_loaded(machine, pose, twist, acceleration, wrench))
    return values[:, :3], values[:, 3:]


def coupling_efforts(
    machine: Machine, pose: Value, twist: Value, acceleration: Value, wrench: Value
) -> Value:
    """Effort (k) [N m, N] that each coupling exerts on its first joint, in their order.

    On another joint it is that, times the joint's coefficient over the first one's. NaN where
    an overconstrained machine leaves it undetermined.
    """
    at, _, applied = _loaded(machine, pose, twist, acceleration, wrench)
    efforts = _coupled(at, applied.cut_forces)
    for stress in _self_stresses(at):
        squares = (ca.sumsqr(force.f) + ca.sumsqr(force.n) for force in stress.values())
        share = _coupled(at, stress) ** 2 / sum(squares, ca.DM(0))
        efforts = ca.if_else(share < SHARE**2, efforts, ca.DM.nan(*efforts.shape))
    return efforts


def _coupled(at: Assembled, forces: Mapping[tree.Closure, Force]) -> Value:
    """Efforts of couplings: of their row's force or couple one number is not zero."""
    own = (forces[place] for place in at.machine.description.loads.couplings)
    return ca.vertcat(*(-force.f[0] - force.n[0] for force in own))


def reaction_axes(machine: Machine, pose: Value) -> tuple[Value, Value, Value]:
    """Where the reactions are: centres (k, 3) [m], and axes x, y, z (k, 3, 3) as rows, base axes.

    Also the second axes (k, 3) of universal joints, which carry a moment across x and that one;
    of others zero.
    """
    places = bearing_places(frames_at(machine, pose), machine.description.loads.bearings)
    centers, axes, second_axes = (place @ machine.frame_convention.axes for place in places)
    return centers, axes, second_axes


def bearing_places(
    frames: LinkFrames, bearings: Sequence[tree.Bearing]
) -> tuple[Value, Value, Value]:
    """Return centres, axes and second axes of bearings in the machine's axes."""
    second = [bearing.second_axis for bearing in bearings]
    return (
        ca.horzcat(*(tree.at_point(frames.point, bearing.center) for bearing in bearings)).T,
        ca.horzcat(*(frames.axes(bearing.carrier) @ bearing.axes for bearing in bearings)).T,
        ca.horzcat(*(ZERO if a is None else frames.axes(a.carrier) @ a.at for a in second)).T,
    )


def base_wrench(
    machine: Machine, pose: Value, twist: Value, acceleration: Value, wrench: Value
) -> Value:
    """Return the wrench (6) [N, N m] of the machine on its base, about the base's origin.

    Inertial forces, weights and the external wrench, in base axes. It is the same for all
    forces of the joints and actuators that go with the motion.
    """
    at, loads = assembled(machine, pose), machine.description.loads
    moving = accelerations_of(at, machine.twist(twist), machine.acceleration(acceleration))
    external = machine.in_own_axes(wrench)
    total = -Force(external[0:3], external[3:6]).about(at.platform.position)
    for member in loads.members:
        R, p = moving.frames.by_link[member.carrier]
        total += turned_inertial_force(member.body, moving.by_link[member.carrier], R).about(p)
    for rod in loads.rods:
        near, far = _rod_ends(rod, moving, ZERO, ())
        total += near + -far
    return -machine.in_base_axes(ca.vertcat(total.f, total.n))


@dataclass(frozen=True)
class _AppliedLoads:
    """Inputs of the balance of all bodies, in the machine's axes."""

    cut_forces: dict[tree.Closure, Force]  # of each leg at its cuts, about the held point
    external: Value  # on the platform (6), about its origin
    resisting: JointLoads


def _loaded(
    machine: Machine, pose: Value, twist: Value, acceleration: Value, wrench: Value
) -> tuple[Assembled, Accelerations, _AppliedLoads]:
    """The machine with its true masses, how all of it is accelerated, and what goes through it."""
    loaded = with_true_masses(machine)
    if len(machine.motors) == machine.dof:  # a motor overcomes the friction of its own joint
        own = (law for law in loaded.frictions if not is_of_motor(loaded, law))
        loaded = replace(loaded, frictions=tuple(own))
    effort = dynamics.actuator_force(loaded, pose, twist, acceleration, wrench)
    at = assembled(loaded, pose)
    V, V_dot = machine.twist(twist), machine.acceleration(acceleration)
    external = machine.in_own_axes(wrench)
    resisting = joint_loads(at, V)
    cut_forces = _cut_forces(at, V, V_dot, effort, external, resisting)
    return at, accelerations_of(at, V, V_dot), _AppliedLoads(cut_forces, external, resisting)


def _carried(at: Assembled, moving: Accelerations, applied: _AppliedLoads) -> Value:
    passed, bearings = _passed(at, moving, applied), at.machine.description.loads.bearings
    reactions = (_joint_reaction(moving.frames, bearing, passed) for bearing in bearings)
    return ca.horzcat(*(ca.vertcat(f.f, f.n) for f in reactions)).T


def _stressed(at: Assembled, moving: Accelerations) -> Value:
    """Squares (k, 6) of all components' shares in self-stresses, moments over the size."""
    description = at.machine.description
    loads = description.loads
    if any(bearing.passed is None for bearing in loads.bearings):  # fixed joints in a loop
        return ca.DM.ones(len(loads.bearings), 6)
    members = tuple(replace(member, body=NO_MASS) for member in loads.members)
    rods = tuple(replace(rod, near=0.0, far=0.0, shared=0.0) for rod in loads.rods)
    massless = replace(loads, members=members, rods=rods)
    machine = replace(at.machine, description=replace(description, loads=massless))
    none = JointLoads(machine, moving.frames)
    units = ca.repmat(ca.DM([[1, 1, 1, *[1 / loads.size] * 3]]), len(loads.bearings), 1)
    shares = ca.DM.zeros(len(loads.bearings), 6)
    for cut_forces in _self_stresses(at):
        applied = _AppliedLoads(cut_forces, ca.DM.zeros(6), none)
        stress = _carried(replace(at, machine=machine), moving, applied)
        squares = (stress * units) ** 2
        shares += squares / ca.sum1(ca.sum2(squares))
    return shares


def _self_stresses(at: Assembled) -> Iterator[dict[tree.Closure, Force]]:
    """Forces at the cuts that nothing feels: by row that says nothing new, and those it repeats."""
    for number, leg in enumerate(at.legs):
        plan = leg.leg.plan
        used = {*plan.driven_rows, *plan.left, *plan.passive_rows}
        for row in sorted(set(range(len(leg.rows.A))) - used):
            weights = leg.rows.left_over(row)
            multipliers = [[ca.DM.zeros(1)] * len(other.rows.A) for other in at.legs]
            multipliers[number] = weights
            yield _at_cuts(at, multipliers, -wrench_of(leg.cuts, weights))


def _cut_forces(
    at: Assembled,
    twist: Twist,
    acceleration: Twist,
    effort: Value,
    external: Value,
    resisting: JointLoads,
) -> dict[tree.Closure, Force]:
    """Return the force of each leg at its cuts, about the held point, in the machine's axes.

    Without friction and springs of the joints there; of a rod its multiplier without its inertia.
    """
    required = dynamics.platform_wrench(at, twist, acceleration) + resisting.of_platform
    multipliers, missing = [], required - external
    for number, leg in enumerate(at.legs):
        need = dynamics.leg_need(at, leg, twist, acceleration, resisting.of_leg(number))
        own = dynamics.driving_multipliers(leg, need, effort[at.machine.own_motors(number), :])
        missing -= wrench_of(leg.cuts, own, [-f for f in need.at_cuts])
        multipliers.append(own)
    return _at_cuts(at, multipliers, missing)


def _at_cuts(
    at: Assembled, multipliers: Sequence[Sequence[Value]], missing: Value
) -> dict[tree.Closure, Force]:
    """Forces of multipliers by leg, with rows that are left over for what the platform misses."""
    outside = at.machine.freedom.outside
    mu = ca.DM(0, 1)  # of the platform constraints, which carry what does no work along u
    if outside.shape[0]:
        mu = solve(at.constraint_matrix.T, outside @ missing)
    of_rows = iter(ca.vertsplit(mu))
    forces: dict[tree.Closure, Force] = {}
    for number, leg in enumerate(at.legs):
        rest = list(multipliers[number])
        for row in leg.leg.plan.left:
            l, weights = next(of_rows), leg.rows.left_over(row)
            rest = [old + l * weight for old, weight in zip(rest, weights, strict=True)]
        for cut, held in enumerate(leg.cuts):
            mine, rest = rest[: len(held.rows)], rest[len(held.rows) :]
            pairs = list(zip(held.rows, mine, strict=True))
            f = sum((l * row.force for row, l in pairs), ZERO)
            n = sum((l * row.couple for row, l in pairs), ZERO)
            forces[tree.Closure(number, cut)] = Force(f, n).turned(held.reach.axes)
    return forces


def _passed(at: Assembled, moving: Accelerations, applied: _AppliedLoads) -> Passed:
    """Return the reactions of all joints, about the origin, in the machine's axes."""
    loads, resisting = at.machine.description.loads, applied.resisting
    passed: Passed = {}
    needs: list[Force] = []
    for member in loads.members:  # inertial forces, about the origin
        R, p = moving.frames.by_link[member.carrier]
        force = turned_inertial_force(member.body, moving.by_link[member.carrier], R)
        needs.append(force.about(p))
        for pull in resisting.pulled(len(needs) - 1):
            place = tree.at_point(moving.frames.point, pull.spot)
            needs[-1] += -Force(pull.force, ZERO).about(place)
    for joint in loads.closed:
        held = at.legs[joint.closure.leg].cuts[joint.closure.cut]
        force = applied.cut_forces[joint.closure].about(held.position)
        force += Force(ZERO, resisting.through(joint.closure))
        passed[joint.closure] = force
        needs[joint.near] += force
        needs[joint.far] += -force
    for number, rod in enumerate(loads.rods):
        carried = applied.cut_forces[rod.closure].f + resisting.couples.get(number, ZERO)
        ends = tree.RodEnd(number, far=False), tree.RodEnd(number, far=True)
        pulled = resisting.pulled(number, rod=True)
        both = zip(_rod_ends(rod, moving, carried, pulled), ends, strict=True)
        near, far = (force + Force(ZERO, resisting.through(end)) for force, end in both)
        passed |= zip(ends, (near, far), strict=True)
        needs[rod.members[0]] += near
        needs[rod.members[1]] += -far
    platform = next(k for k, m in enumerate(loads.members) if m.carrier == tree.PLATFORM)
    world = Force(applied.external[0:3], applied.external[3:6])
    needs[platform] += -world.about(moving.frames.by_link[tree.PLATFORM][1])
    for spinning, moment in resisting.spinning:
        needs[spinning] += Force(ZERO, moment)
    for number in reversed(range(len(needs))):
        before = loads.members[number].before
        if before is not None:
            passed[tree.Branch(number)] = needs[number]
            needs[before] += needs[number]
    return passed


def _rod_ends(
    rod: tree.RodMass, moving: Accelerations, carried: Value, pulled: Sequence[Pull]
) -> tuple[Force, Force]:
    """Return the forces on a rod at its near end and by a rod at its far end."""
    ends = rod.line.near, rod.line.far
    (E, C), (a_E, a_C) = map(moving.frames.point, ends), map(moving.point, ends)
    given = carried + rod.near * a_E + rod.shared * a_C
    gives = carried - rod.far * a_C - rod.shared * a_E
    for pull in pulled:
        share = pull.spot.share if isinstance(pull.spot, tree.PointOnLine) else 0
        given, gives = given - (1 - share) * pull.force, gives + share * pull.force
    return Force(given, ZERO).about(E), Force(gives, ZERO).about(C)


def _joint_reaction(frames: LinkFrames, bearing: tree.Bearing, passed: Passed) -> Force:
    """A joint's reaction, at its centre and in its own axes."""
    if bearing.passed is None:
        return Force(ZERO, ZERO)
    force, E = passed[bearing.passed], frames.axes(bearing.carrier) @ bearing.axes
    n = force.n - cross(tree.at_point(frames.point, bearing.center), force.f)
    return Force(bearing.sign * (E.T @ force.f), bearing.sign * (E.T @ n))


def _masked(values: Value, bearings: Sequence[tree.Bearing], stressed: Value) -> Value:
    """Set the values to NaN where self-stresses have a share."""
    found = ca.SX(values)
    for i, bearing in enumerate(bearings):
        for j, known in enumerate(bearing.known):
            if not known:
                same = ca.sqrt(stressed[i, j]) < SHARE
                found[i, j] = ca.if_else(same, found[i, j], ca.DM.nan(1))
    return found
