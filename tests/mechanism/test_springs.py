"""Springs, dampers and armatures of mechanisms against Pinocchio and the balance of every body."""

import numpy as np
import pinocchio as pin
import pytest
from drawings import changed
from drawn_machines import MACHINES
from mechanism_kernels import kernels
from oracles.pinocchio_mechanism import PinocchioMechanism
from test_resisting_reactions import Balanced

NAMES = ("delta, ball-ended rods", "five-bar", "3-RPR", "orthoglide")
POINTS = ((0.0, -30.0), (0.3, -5.0), (0.7, 20.0), (1.1, 25.0), (9.0, 300.0))
LAWS = (
    {"stiffness": 300.0, "length": 0.1, "damping": 12.0},
    {"stiffness": 200.0, "force": 25.0},
    {"force": -40.0, "gas": {"column": 0.6, "exponent": 1.3}},
    {"force": -30.0, "gas": {"column": 0.4}, "damping": 5.0},
    {"force": 15.0},
    {"damping": 20.0},
    {"table": [{"length": x, "force": f} for x, f in POINTS]},
)


def tension(law, length, home):
    """Force of a spring [N], and its energy from home [J], by hand."""
    if "table" in law:
        ends = sorted((home, length))
        inner = [x for x, _ in POINTS if ends[0] < x < ends[1]]
        grid = np.array([ends[0], *inner, ends[1]])
        forces = np.interp([*grid, length], *zip(*POINTS, strict=True))
        return forces[-1], np.sign(length - home) * np.trapezoid(forces[:-1], grid)
    x, F, k = length - home, law.get("force", 0.0), law.get("stiffness", 0.0)
    if "gas" in law:
        c, n = law["gas"]["column"], law["gas"].get("exponent", 1.0)
        r = (c + x) / c
        return F * r**-n, F * c * (np.log(r) if n == 1 else (r ** (1 - n) - 1) / (1 - n))
    F = k * (home - law["length"]) if "length" in law else F
    return F + k * x, F * x + k * x**2 / 2


class Sprung:
    """A machine with springs between its bodies, beside its joints, and armatures."""

    def __init__(self, name, seed=3):
        drawn, rng = MACHINES[name](1), np.random.default_rng(seed)
        tree = {joint.name for joint in drawn.joints}
        tree -= {joint.name for joint in PinocchioMechanism(drawn).rest}
        joints, self.beside = [], {}
        for joint in drawn.joints:
            if joint.type in "RPH" and joint.name in tree:
                scale = 100.0 if joint.type == "P" else 1.0
                k, load, inertia = scale * rng.uniform(0.5, 2.0, 3)
                key = "force" if joint.type == "P" else "torque"
                self.beside[joint.name] = k, load, inertia
                spring = {"stiffness": k, key: load}
                joints.append(changed(joint, spring=spring, armature=inertia))
            else:
                joints.append(joint)
        bodies = ["base", "platform", *(body.name for body in drawn.bodies)]
        springs = []
        for k, law in enumerate(LAWS):
            pair = rng.choice(len(bodies), 2, replace=False)
            ends = [bodies[i] for i in pair]
            start, end = (self.point(drawn, body, rng) for body in ends)
            spring = {"name": f"spring {k}", "between": ends, "start": start, "end": end}
            springs.append(spring | law)
        self.machine = changed(drawn, joints=tuple(joints), springs=tuple(springs))
        self.laws = LAWS
        self.oracle, self.kernels = PinocchioMechanism(self.machine), kernels(self.machine)
        self.state = self.oracle.random_state(rng)
        self.wrench = rng.standard_normal(6)

    @staticmethod
    def point(machine, body, rng):
        at = [np.array(joint.at) for joint in machine.joints if body in joint.between]
        types = [joint.type for joint in machine.joints if body in joint.between]
        if types == ["S", "S"]:
            return at[0] + rng.uniform(0.2, 0.8) * (at[1] - at[0])
        return at[0] + rng.uniform(-0.2, 0.2, 3)

    def joint_place(self, name):
        return self.oracle.model.joints[self.oracle.model.getJointId(f"{name}.0")]

    def armatures(self):
        found = np.zeros(self.oracle.model.nv)
        for name, (_, _, inertia) in self.beside.items():
            found[self.joint_place(name).idx_v] = inertia
        return found

    def passive_efforts(self):
        """Generalised forces of all springs and dampers on Pinocchio's joints, and the energy."""
        model, data, (q, v, *_) = self.oracle.model, self.oracle.data, self.state
        found, energy = np.zeros(model.nv), 0.0
        for name, (k, load, _) in self.beside.items():
            place = self.joint_place(name)
            x = q[place.idx_q]
            found[place.idx_v] += load - k * x
            energy += -load * x + k * x**2 / 2
        pin.computeJointJacobians(model, data, q)
        for spring, law in zip(self.machine.springs, self.laws, strict=True):
            ends, J = [], []
            for body, point in zip(spring.between, (spring.start, spring.end), strict=True):
                at = self.oracle.carried(self.state, body, point)
                joint = self.oracle.joint_of[body]
                frame = pin.Frame("end", joint, 0, pin.SE3.Identity(), pin.FrameType.OP_FRAME)
                of_joint = pin.getFrameJacobian(
                    model, data, joint, frame.placement, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
                )
                lever = at - data.oMi[joint].translation
                J.append(of_joint[:3] - pin.skew(lever) @ of_joint[3:])
                ends.append(at)
            way, apart = ends[1] - ends[0], J[1] - J[0]
            length = np.linalg.norm(way)
            along = way @ apart / length
            force, own = tension(law, length, spring.length_at_home)
            found -= along * (force + law.get("damping", 0.0) * (along @ v))
            energy += own
        return found, energy


@pytest.fixture(scope="module", params=NAMES)
def case(request):
    return Sprung(request.param)


def motion(case):
    return case.state.pose, case.state.twist, case.state.acceleration


def test_forces_are_those_of_pinocchio_with_springs_dampers_and_armatures(case):
    oracle, state = case.oracle, case.state
    N = oracle.moves(state.q)
    passive, energy = case.passive_efforts()
    tau = pin.rnea(oracle.model, oracle.data, state.q, state.v, state.a) - passive
    tau += case.armatures() * state.a - oracle._platform_jacobian(state.q).T @ case.wrench
    theirs = np.linalg.lstsq(N[oracle.motors].T, N.T @ tau, rcond=1e-12)[0]
    ours = case.kernels.actuator_force(*motion(case), case.wrench)
    scale = np.abs(theirs).max()
    assert np.abs(ours - theirs).max() < 1e-9 * scale
    assert case.kernels.spring_energy(state.pose) == pytest.approx(energy, rel=1e-9)


def test_the_mass_matrix_has_the_armatures_and_the_kinetic_energy_too(case):
    S, state = np.array(case.machine.freedom_rows), case.state
    moves = case.oracle.joint_moves(state, S)
    wanted = case.oracle.mass_matrix(state, S) + moves.T @ np.diag(case.armatures()) @ moves
    assert np.abs(case.kernels.mass_matrix(state.pose) - wanted).max() < 1e-9 * np.abs(wanted).max()
    u = S @ state.twist
    kinetic, _ = case.kernels.energy(state.pose, state.twist)
    assert kinetic == pytest.approx(u @ wanted @ u / 2, rel=1e-9)


def test_forward_dynamics_is_the_inverse_of_all_forces(case):
    pose, twist, acceleration = motion(case)
    force = case.kernels.actuator_force(pose, twist, acceleration, case.wrench)
    loaded = case.wrench + case.kernels.joint_wrench(pose, twist)
    found = case.kernels.forward_dynamics(pose, twist, force, loaded)
    assert np.abs(found - acceleration).max() < 1e-8 * np.abs(acceleration).max()


@pytest.mark.parametrize("name", NAMES[:2])
def test_every_body_is_in_balance_with_springs(name):
    case = Sprung(name)
    joints = tuple(changed(j, armature=None) if j.type in "RPH" else j for j in case.machine.joints)
    machine = changed(case.machine, joints=joints)
    balanced = Pulled(machine, kernels(machine))
    balanced.laws = case.laws
    balanced.check()


class Pulled(Balanced):
    """Reactions beside springs between bodies."""

    def on_body(self, name):
        left = super().on_body(name)
        for spring, law in zip(self.mechanism.springs, self.laws, strict=True):
            points = (spring.start, spring.end)
            pairs = list(zip(spring.between, points, strict=True))
            ends = [self.oracle.carried(self.state, *pair) for pair in pairs]
            way = ends[1] - ends[0]
            length = np.linalg.norm(way)
            v, _ = zip(
                *(self.speed(body, at) for body, at in zip(spring.between, ends, strict=True)),
                strict=True,
            )
            rate = way @ (v[1] - v[0]) / length
            force = tension(law, length, spring.length_at_home)[0] + law.get("damping", 0.0) * rate
            for body, at, sign in zip(spring.between, ends, (1, -1), strict=True):
                f = sign * force * way / length
                left += (body == name) * np.concatenate([f, np.cross(at, f)])
        return left

    def speed(self, body, at):
        return self.oracle.relative_velocity(self.state, ("base", body), at)
