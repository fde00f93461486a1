"""Reactions of all joints against the balance of all bodies, overconstrained machines too."""

import numpy as np
import pytest
from drawings import Body, Joint, Mechanism, changed
from drawn_machines import MACHINES, Drawer, exechon, four_puu, sarrus, turned
from mechanism_kernels import kernels
from oracles.dense_balance import dense_balance
from oracles.pinocchio_mechanism import PinocchioMechanism

from gough.model.mechanism.decisions.statics import minimum_norm_reactions

TOLERANCE = 1e-9

OTHERS = [name for name in MACHINES if name not in ("delta, ball-ended rods", "tricept")]
"""These two are in balance with friction and springs (tests of resisting joints)."""
OVERCONSTRAINED = ("3-RRR", "4-RRR, redundant", "five-bar", "orthoglide", "agile eye")


class Case:
    """A machine in motion, with its reactions by our equations and by the balance of all bodies."""

    def __init__(self, mechanism, stray=0.15):
        self.mechanism = mechanism
        self.k, self.oracle = kernels(self.mechanism), PinocchioMechanism(self.mechanism)
        rng = np.random.default_rng(7)
        self.state, self.wrench = self.oracle.random_state(rng, stray), rng.standard_normal(6)
        self.effort = self.oracle.efforts(self.state, self.wrench)
        self.force, self.moment = self.k.reactions(*self.motion)
        self.balance = dense_balance(self.oracle, self.state, self.wrench, self.effort)

    @classmethod
    def of(cls, name):
        mechanism = MACHINES[name](0)
        return cls(turned(mechanism, 4) if name in ("3-RRR", "agile eye") else mechanism)

    @property
    def motion(self):
        return self.state.pose, self.state.twist, self.state.acceleration, self.wrench

    @property
    def is_determined(self):
        """Which components of force and moment no other solution changes."""
        halves = (self.balance.unfelt[:, :3], self.balance.unfelt[:, 3:])
        changed = np.hstack([self.in_joint_axes(half) for half in halves])
        return np.abs(changed).max(axis=2, initial=0.0) < 1e-8

    def in_joint_axes(self, vectors):
        """Vectors (joints, 3, ...) of base axes in the axes of their joints."""
        rows = []
        for row, vector in zip(self.k.analysis.structure.reactions, vectors, strict=True):
            rows.append(np.array(row.axes) @ self.oracle.turn(self.state, row.body).T @ vector)
        return np.array(rows)


@pytest.fixture(scope="module", params=OTHERS)
def case(request):
    return Case.of(request.param)


def test_all_bodies_are_in_balance(case):
    assert case.balance.residual < 1e-10


def test_known_reactions_are_those_of_the_balance_and_others_are_nan(case):
    check_against_balance(case)
    known = np.array([row.known for row in case.k.analysis.structure.reactions])
    np.testing.assert_array_equal(case.is_determined, known)


@pytest.mark.parametrize("stray", [0.0, 0.15])
@pytest.mark.parametrize("machine", [sarrus, four_puu, exechon])
def test_all_that_is_determined_at_a_pose_is_given_there(machine, stray):
    """At home more is: what no body feels is along some axes of the joints there."""
    case = Case(machine(0), stray)
    check_against_balance(case)
    known = np.array([row.known for row in case.k.analysis.structure.reactions])
    assert case.is_determined[known].all()
    assert (case.is_determined.sum() > known.sum()) == (stray == 0.0)


def check_against_balance(case):
    """What no other solution changes is that of the balance, and all else NaN."""
    ours = np.hstack([case.force, case.moment])
    halves = (case.in_joint_axes(half) for half in (case.balance.force, case.balance.moment))
    theirs = np.hstack(list(halves))
    np.testing.assert_array_equal(np.isfinite(ours), case.is_determined)
    scale = max(1.0, np.abs(theirs).max())
    assert np.abs(ours - theirs)[case.is_determined].max() <= TOLERANCE * scale


def test_the_axis_carries_the_motors_effort_and_nothing_else(case):
    efforts = dict(zip((j.name for j in case.mechanism.driven), case.effort, strict=True))
    for k, joint in enumerate(case.mechanism.joints):
        backwards = case.moment + joint.lead * case.force
        along = {"R": case.moment, "P": case.force, "H": backwards}.get(joint.type)
        if along is not None:
            np.testing.assert_allclose(along[k, 0], efforts.get(joint.name, 0.0), atol=1e-9)


def test_power_through_all_joints_is_that_of_the_motors(case):
    if np.isnan(case.force).any() or np.isnan(case.moment).any():
        assert case.k.analysis.structure.overconstrained
        return
    centers, axes, _ = case.k.reaction_axes(case.state.pose)
    power = 0.0
    for k, joint in enumerate(case.mechanism.joints):
        v, omega = case.oracle.relative_velocity(case.state, joint.between, centers[k])
        power += axes[k] @ v @ case.force[k] + axes[k] @ omega @ case.moment[k]
    theirs = case.effort @ case.k.joint_velocity(case.state.pose, case.state.twist)
    np.testing.assert_allclose(power, theirs, atol=1e-9)


@pytest.mark.parametrize("name", OVERCONSTRAINED)
def test_least_reactions_are_the_least_solution_of_the_balance(name):
    case = Case.of(name)
    bearings = case.k.machine.description.loads.bearings
    places = case.k.reaction_axes(case.state.pose)
    one, unit = case.k.all_reactions(*case.motion), 1.0
    stacked = [np.array([half, half]) for half in one], [np.array([p, p]) for p in places]
    force, moment = minimum_norm_reactions(bearings, unit, *stacked)
    for ours, theirs in ((force, case.balance.force), (moment, case.balance.moment)):
        expected = case.in_joint_axes(theirs)
        np.testing.assert_allclose(ours, [expected, expected], atol=1e-8)


def welded(*welds):
    """A Delta with a weight on an arm, a plinth on the floor, and a sleeve on a rod."""
    machine, d = MACHINES["delta, ball-ended rods"](0), Drawer(1)
    d.body("weight", [0.5, 0.1, 0.0], [0.6, 0.1, 0.0])
    d.body("plinth", [0.5, 0.1, -1.0], [0.6, 0.1, -1.0])
    d.rod("sleeve", machine.joints[1].at, machine.joints[2].at)
    welds += (
        Joint("clamp", "fixed", ("weight", "arm1"), (0.5, 0.1, 0.0)),
        Joint("floor", "fixed", ("base", "plinth"), (0.5, 0.1, -1.0)),
        Joint("glue", "fixed", ("sleeve", "rod1a"), machine.joints[1].at),
    )
    bodies = machine.bodies + tuple(d.bodies)
    return Mechanism("welded", machine.platform, bodies, machine.joints + welds)


def test_fixed_joints_carry_what_hangs_on_them():
    k, rng = kernels(welded()), np.random.default_rng(2)
    pose = np.array([0.03, -0.02, -0.6, 1, 0, 0, 0])
    motion = [np.array([*rng.standard_normal(3), 0, 0, 0]) for _ in range(2)]
    force, _ = k.reactions(pose, *motion, np.zeros(6))
    axes, rows = k.reaction_axes(pose)[1], [row.joint for row in k.analysis.structure.reactions]
    clamp, floor, glue = (rows.index(name) for name in ("clamp", "floor", "glue"))
    a = k.mass_center_acceleration(pose, *motion)[k.analysis.structure.bodies.index("weight")]
    np.testing.assert_allclose(axes[clamp].T @ force[clamp], -0.5 * (a + [0, 0, 9.81]), atol=1e-10)
    np.testing.assert_allclose(force[floor], [0, 0, 0.5 * 9.81], atol=1e-12)
    assert np.isnan(force[glue]).all()  # nobody knows how the rod is turned


def test_two_welds_between_the_same_bodies_share_nobody_knows_how():
    k = kernels(welded(Joint("second", "fixed", ("arm1", "weight"), (0.55, 0.1, 0.0))))
    known = {row.joint: row.known for row in k.analysis.structure.reactions}
    unsure = [name for name, components in known.items() if not all(components)]
    assert unsure == ["second", "clamp", "glue"]
    assert not any(known["second"] + known["clamp"])


def test_a_platform_on_a_plate_feels_what_moves_it_less_the_wrench():
    machine = MACHINES["delta, ball-ended rods"](0)
    bodies = (*machine.bodies, Body("plate", 0.4, (0.01, 0.0, -0.6)))
    joints = (
        changed(j, between=tuple("plate" if b == "platform" else b for b in j.between))
        for j in machine.joints
    )
    bolts = Joint("bolts", "fixed", ("plate", "platform"), machine.platform.home.position)
    k = kernels(Mechanism("bolted", machine.platform, bodies, (*joints, bolts)))
    rng, pose = np.random.default_rng(2), np.array([0.03, -0.02, -0.6, 1, 0, 0, 0])
    motion, wrench = ([*rng.standard_normal(3), 0, 0, 0] for _ in range(2)), np.arange(6.0)
    twist, acceleration = motion
    force, moment = k.reactions(pose, twist, acceleration, wrench)
    needed = machine.platform.mass * (np.array(acceleration[:3]) + [0, 0, 9.81])
    np.testing.assert_allclose(force[-1], needed - wrench[:3], atol=1e-10)
    about_center = np.cross(machine.platform.center_of_mass, needed) - wrench[3:]
    np.testing.assert_allclose(moment[-1], about_center, atol=1e-10)
