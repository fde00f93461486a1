"""Springs, dampers and armatures of mechanisms against Pinocchio and the balance of every body."""

from functools import partial
from types import SimpleNamespace

import casadi as ca
import numpy as np
import pinocchio as pin
import pytest
from drawings import changed
from drawn_machines import MACHINES
from mechanism_kernels import Interpreted, kernels
from oracles.pinocchio_mechanism import PinocchioMechanism
from scipy.integrate import solve_ivp
from test_resisting_reactions import Balanced

import gough
from gough.analysis.quantities import table_of
from gough.compiler.front.function import Function
from gough.elastic.flexible.machine import FlexibleMachine
from gough.equations.control.laws import crossing_torque
from gough.equations.control.signals import Measurement, Reference, Sample
from gough.equations.spatial.pose import nudge
from gough.errors import RobotError
from gough.identification.friction import terms_of
from gough.identification.measured import MeasuredMotion
from gough.model.catalogue import chosen_formulation
from gough.model.kernel_table import kernel_table
from gough.model.parameters import machine_of
from gough.model.standard import standard_parameters
from gough.model.structure import structure_of
from gough.motion import MotionSamples, motion_from_dict
from gough.robot.as_mechanism import as_mechanism
from gough.robot.springs import Spring
from gough.simulation import real_plant
from gough.simulation.tuning.tune import place_poles

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
    Pulled(machine, kernels(machine), laws=case.laws).check()


class Pulled(Balanced):
    """Reactions beside springs between bodies."""

    def __init__(self, *given, laws):
        super().__init__(*given)
        self.laws = laws

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


def arm(**more):
    """A heavy arm on a driven hinge, with a spring from above, whose angle counts upwards."""
    hip = {"name": "hip", "type": "R", "between": ["base", "platform"], "at": [0, 0, 0]}
    spring = {"name": "balance", "between": ["base", "platform"], "start": [0, 0, 0.2]}
    data = {
        "schema": "gough/2",
        "name": "arm",
        "platform": {
            "mass": 4,
            "center_of_mass": [0.1, 0, 0],
            "inertia": [0.01, 0.08, 0.08],
            "home": {"position": [0.3, 0, 0]},
            "moves": [[0, 0, 0, 0, -1, 0]],
        },
        "joints": [hip | {"axis": [0, -1, 0], "driven": True, "armature": 0.3}],
        "springs": [spring | {"end": [0.2, 0, 0], "stiffness": 250, "length": 0.05}],
    }
    data["springs"][0]["damping"] = 15
    return data | more


def swung(state, robot):
    """The arm's equation of motion, by hand."""
    angle, rate = state
    h = a = 0.2
    l = np.sqrt(h**2 + a**2 - 2 * h * a * np.sin(angle))
    by_angle = -h * a * np.cos(angle) / l
    pull = 250 * (l - 0.05) + 15 * by_angle * rate
    torque = -4 * 9.81 * 0.4 * np.cos(angle) - pull * by_angle
    return [rate, torque / (0.08 + 4 * 0.4**2 + 0.3)]


@pytest.mark.parametrize("coordinates", ["pose", "joints"])
def test_an_arm_swings_as_its_equation_of_motion_says(coordinates):
    robot = gough.Robot.from_dict(arm())
    ideal = {"drives": False, "stops": False, "joint_friction": False}
    plant = real_plant(robot, coordinates=coordinates, **ideal)
    motion = motion_from_dict({"kind": "hold", "duration": 0.3}, robot)
    run = gough.simulate(gough.Scenario(robot, lambda *_: np.zeros(1), motion, plant=plant))
    found = solve_ivp(
        lambda _, x: swung(x, robot), (0, 0.3), [0, 0], "DOP853", rtol=1e-12, atol=1e-12,
        t_eval=run.time,
    )  # fmt: skip
    x, z = run["pose"][:, 0], run["pose"][:, 2]
    assert np.abs(np.arctan2(z, x) - found.y[0]).max() < 1e-9
    assert np.abs(found.y[0]).max() > 0.1
    assert "energy" not in " ".join(run.warnings)


def test_a_tree_of_all_joints_needs_the_same_forces():
    case = Sprung("five-bar")
    closed = PinocchioMechanism(case.machine).rest
    tree = FlexibleMachine(case.machine, {})
    assert {joint.name for joint in closed}.isdisjoint(tree.coordinates)
    motors = case.kernels.joint_acceleration(*motion(case))
    z, rate = tree.at(case.state.pose), None
    C = tree.closing(z)[1]
    rates = np.vstack([C, np.eye(len(z))[tree.motors]])
    wanted = np.r_[np.zeros(len(C)), case.kernels.joint_velocity(*motion(case)[:2])]
    rate = np.linalg.lstsq(rates, wanted, rcond=1e-9)[0]
    force, _ = tree.inverse_dynamics(z, rate, motors)
    wanted = case.kernels.actuator_force(*motion(case))
    assert np.abs(force - wanted).max() < 1e-8 * np.abs(wanted).max()
    kinetic, _, elastic = tree.energy(z, rate)
    assert kinetic == pytest.approx(case.kernels.energy(*motion(case)[:2])[0], rel=1e-9)
    assert elastic == pytest.approx(case.kernels.spring_energy(case.state.pose), rel=1e-9)


def test_stiffness_is_the_derivative_of_all_forces_under_preload():
    drawn = MACHINES["3-RPR"](1)
    case = Sprung("3-RPR")
    stiff = {joint.name: 4000.0 for joint in drawn.driven}
    joints = tuple(
        changed(j, stiffness=stiff[j.name]) if j.name in stiff else j for j in case.machine.joints
    )
    k = kernels(changed(case.machine, joints=joints))
    pose = case.state.pose
    force, q = k.actuator_force(pose), k.inverse_kinematics(pose)

    def resultant(at):
        efforts = force - 4000.0 * (k.inverse_kinematics(at) - q)
        T = k.twist_basis(at)
        return k.actuation_matrix(at).T @ efforts + T.T @ k.joint_wrench(at) - k.gravity(at)

    h, K = 1e-5, k.stiffness(pose, force)
    for column, move in zip(K.T, k.twist_basis(pose).T, strict=True):
        ends = (resultant(gough.poses.displace(pose, sign * h * move)) for sign in (-1, 1))
        low, high = ends
        assert np.abs((low - high) / (2 * h) - column).max() < 1e-6 * np.abs(K).max()


def test_identification_has_springs_dampers_and_armatures_as_stated():
    data = arm()
    data["joints"][0]["spring"] = {"stiffness": 3.0, "position": 0.2}
    model, angle = gough.Model(gough.Robot.from_dict(data)), np.linspace(-0.5, 0.5, 5)
    place = np.stack([0.3 * np.cos(angle), 0 * angle, 0.3 * np.sin(angle)], -1)
    pose = gough.pose(place, rpy=np.stack([0 * angle, -angle, 0 * angle], -1))
    unit = np.stack([-place[:, 2], 0 * angle, place[:, 0], 0 * angle, 0 * angle - 1, 0 * angle], -1)
    states = MotionSamples(pose, 0.7 * unit, 1.3 * unit)
    terms = terms_of(model, MeasuredMotion.of(model, states), (), "force")
    assert set(terms.stated) == {"joints.springs", "joints.armatures"}
    bodies = model.regressor(*states) @ standard_parameters(model.robot)
    ours = bodies + terms.columns @ terms.priors
    assert np.abs(ours - model.actuator_force(*states)).max() < 1e-10


REFUSED = {
    "no such body": {"between": ["base", "crank"]},
    "the same body twice": {"between": ["base", "base"]},
    "a spring without force": {"stiffness": None, "length": None, "damping": None},
    "missing": {"stiffness": None},
    "a length too": {"force": 3.0},
    "beside a table": {"table": [{"length": 0, "force": 1}, {"length": 1, "force": 2}]},
    "not the key of a gas spring alone": {"gas": {"column": 1}},
    "the same point as start": {"end": [0, 0, 0.2]},
    "a name given twice": {"name": "other"},
    "not finite|finite": {"stiffness": float("nan")},
}


@pytest.mark.parametrize("problem", REFUSED)
def test_springs_that_cannot_be_are_refused_by_their_keys(problem):
    data = arm()
    other = {"name": "other", "between": ["base", "platform"], "start": [0, 0, 1], "end": [1, 0, 0]}
    spring = data["springs"][0] | REFUSED[problem]
    spring = {key: value for key, value in spring.items() if value is not None}
    data["springs"] = [other | {"force": 2.0}, spring]
    with pytest.raises(RobotError, match=problem) as refused:
        gough.Robot.from_dict(data)
    assert "springs[1]" in str(refused.value)


def test_tables_joint_springs_and_armatures_that_cannot_be_are_refused():
    data = arm()
    points = [{"length": 1, "force": 0}, {"length": 0.5, "force": 3}]
    data["springs"] = [
        {"name": "a", "between": ["base", "platform"], "start": [0, 0, 1], "end": [1, 0, 0]}
        | {"table": points}
    ]
    with pytest.raises(RobotError, match=r"springs\[0\].table: no characteristic"):
        gough.Robot.from_dict(data)
    motor = {"resistance": 1, "torque_constant": 1, "back_emf": 1, "rotor_inertia": 1e-4}
    for facts, words in (
        ({"drive": motor}, "armature: the inertia of the drive, too"),
        ({"spring": {"position": 1.0}}, "spring.stiffness: missing"),
        ({"spring": {"stiffness": 2, "position": 1, "torque": 1}}, "spring.torque: a position too"),
    ):
        data = arm()
        data["joints"][0] |= facts
        with pytest.raises(RobotError, match=words):
            gough.Robot.from_dict(data)


def test_numbers_of_springs_are_parameters_and_come_back_from_files(tmp_path):
    robot = gough.Robot.from_dict(arm())
    names = robot.parameter_names
    values = robot.parameters
    values[names.index("springs[0].stiffness")] = 300.0
    values[names.index("joints[0].armature")] = 0.4
    other = robot.with_parameters(values)
    assert (other.springs[0].stiffness, other.joints[0].armature) == (300.0, 0.4)
    assert (
        gough.load(gough.save(other, tmp_path / "other.toml") or tmp_path / "other.toml") == other
    )


def test_variables_of_a_design_may_be_numbers_of_springs():
    robot = gough.Robot.from_dict(arm())
    names = ["springs[0].stiffness", "springs[0].end", "joints[0].armature"]
    family = gough.Model(robot, parametric=names)
    values = np.array([300.0, 0.25, 0.02, 0.01, 0.5])
    assert family.machines.names == [names[0], *(f"{names[1]}.{x}" for x in "xyz"), names[2]]
    changes = {names[0]: 300.0, names[1]: [0.25, 0.02, 0.01], names[2]: 0.5}
    other = gough.Model(robot.replace(changes))
    unit = np.array([0, 0, 0.3, 0, -1, 0])
    state = robot.home, 0.7 * unit, 1.3 * unit + [-(0.7**2) * 0.3, 0, 0, 0, 0, 0]
    assert family.actuator_force(values, *state) == pytest.approx(other.actuator_force(*state))


def test_armatures_count_in_vibration_of_machines_with_compliant_links():
    data = gough.load("five-bar").to_dict() | {"gravity": [0, 0, 0]}
    data["bodies"][0]["beam"] = {"diameter": 0.01, "modes": 0}
    for joint, armature in zip(data["joints"], (0.02, 0.01, 0.0, 0.03, 0.0), strict=True):
        joint.pop("drive", None)
        joint |= {"armature": armature, **({"stiffness": 500.0} if joint["driven"] else {})}
    robot = gough.Robot.from_dict(data)
    found = gough.natural_modes(robot).frequencies
    bare = robot.replace({f"joints[{k}].armature": 0.0 for k in range(5)})
    assert gough.natural_modes(bare).frequencies[0] > 1.1 * found[0]
    data["springs"] = [
        {"name": "a", "between": ["base", "platform"], "start": [0, 0, 0], "end": [0, 0.1, 0]}
        | {"force": 2.0}
    ]
    with pytest.raises(gough.GoughError, match="springs between bodies or beside joints deform"):
        gough.natural_modes(gough.Robot.from_dict(data))
    known = [table_of(r).keys() for r in (robot, gough.Robot.from_dict(data))]
    assert {*known[0]} - {*known[1]} >= {"minimum_stiffness", "task_deflection"}


def test_dampers_count_in_poles_without_friction_of_joints():
    robot = gough.Robot.from_dict(arm())
    model, home = gough.Model(robot), np.array(robot.home)
    controller = place_poles(model, "joint-pid", 2.0, joint_friction=False)
    gains = {gain.name: gain.array(1, 1) for gain in controller.gains}
    still = np.zeros(6)
    A, B = model.linearize(home, still, model.actuator_force(home), still)
    J = model.actuation_matrix(home)
    poles = np.linalg.eigvals(A - B @ np.hstack([gains["kp"] @ J, gains["kd"] @ J]))
    np.testing.assert_allclose(poles, [-4 * np.pi] * 2, rtol=1e-6)


@pytest.mark.parametrize("law", LAWS, ids=lambda law: " ".join(law))
def test_a_robot_describes_its_springs_by_force_and_stiffness_at_home(law):
    spring = Spring(name="a", between=("base", "platform"), start=(0, 0, 0), end=(0.5, 0, 0), **law)
    above, below = (tension(law, 0.5 + x, 0.5)[0] for x in (1e-6, -1e-6))
    found = (above + below) / 2, (above - below) / 2e-6
    np.testing.assert_allclose(spring.at_home, found, rtol=1e-6, atol=1e-9)


def test_a_law_that_carries_its_estimate_knows_the_springs():
    """Where it is, its forces cause the acceleration that it wants."""
    robot, kp = gough.Robot.from_dict(arm()), 30.0
    machine, home = machine_of(robot), ca.DM(robot.home)
    error, none = 0.01 * ca.DM([0, 0, 0.3, 0, -1, 0]), ca.DM.zeros(6)
    state, seen = ca.vertcat(home, ca.DM.zeros(13)), Measurement.of(ca.DM.zeros(10))
    wanted, gains = Reference(nudge(home, error), none, none), {"kp": kp, "kd": 0.0, "near": 0.05}
    setting = machine, 1e-3, ca.DM.inf(1), None, None
    _, after = crossing_torque(Sample(*setting, state, seen, wanted, gains))
    made = np.array(ca.evalf(after)).ravel()[13:19]
    np.testing.assert_allclose(made, np.array(kp * error).ravel(), atol=1e-4)


@pytest.mark.parametrize("kind", ["UPS", "SPS"])
def test_springs_of_a_hexapod_are_those_of_its_bodies_and_joints(kind):
    data = gough.load("demo-hexapod").to_dict()
    base, top = (np.array(data["legs"][0]["base"]), gough.load("demo-hexapod").bodies_and_joints)
    top = np.array(top.joints[2].at)
    away = np.array([0.05, 0.02, 0.1]) * (kind == "UPS")
    part = {"mass": 3, "center_of_mass": 0.2, "inertia": [1, 1, 0]}
    leg = {"kind": kind, "cylinder": part, "piston": part}
    for key in ("connector", "joint_friction", "joint_stiffness"):
        data["leg"].pop(key, None)
    data["leg"] |= leg
    if kind == "SPS":
        for one in data["legs"]:
            one.pop("first_axis", None)
    ends = (
        (("base", "platform"), [0, 0, 0.1], [0.05, 0.02, 1.0]),
        (("base", "cylinder-1"), [0.3, 0.2, 0], base + 0.3 * (top - base) + away),
        (("piston-1", "platform"), base + 0.8 * (top - base) + away, [0.1, -0.1, 1.2]),
    )
    data["springs"] = [
        {"name": f"spring {k}", "between": between, "start": start, "end": end, **law}
        for k, ((between, start, end), law) in enumerate(zip(ends, LAWS, strict=False))
    ]
    robot = gough.Robot.from_dict(data)
    drawn = as_mechanism(robot)
    balanced = Pulled(drawn, of_hexapod(robot), kind == "SPS", laws=LAWS[:3])
    balanced.check()
    pose, twist = balanced.state.pose, balanced.state.twist
    wanted = kernels(drawn).joint_wrench(pose, twist)
    found = balanced.k.joint_wrench(pose, twist)
    assert np.abs(found - wanted).max() < 1e-10 * np.abs(wanted).max()
    if kind == "SPS":
        data["springs"][1]["end"] = [0.1, 0.1, 0.1]
        with pytest.raises(RobotError, match="beside the axis of an SPS leg"):
            gough.Robot.from_dict(data)


def of_hexapod(robot):
    """Kernels of a hexapod, evaluated without the compiler."""
    table = kernel_table(structure_of(robot), chosen_formulation(robot, None))
    machine = machine_of(robot)

    def interpreted(name):
        d = table[name]
        equation = partial(d.equation, machine)
        return Interpreted(Function.from_equation(name, equation, d.inputs, d.outputs))

    names = ("actuator_force", "all_reactions", "reaction_axes", "joint_wrench", "joint_velocity")
    return SimpleNamespace(**{name: interpreted(name) for name in names})


def test_a_spring_beside_the_line_of_a_rod_is_refused():
    drawn = MACHINES["delta, ball-ended rods"](1)
    rod = next(body.name for body in drawn.bodies if "rod" in body.name)
    spring = {"name": "a", "between": ["base", rod], "start": [0, 0, 1], "end": [9, 9, 9]}
    machine = changed(drawn, springs=[spring | {"stiffness": 2.0}])
    with pytest.raises(RobotError, match=r"springs\[0\].end: .* spins freely"):
        kernels(machine)
