"""Machines of any kind: what their forces tell, counted by hand and by Pinocchio, and found."""

import numpy as np
import pinocchio as pin
import pytest
from drawn_machines import MACHINES
from oracles.pinocchio_mechanism import PinocchioMechanism
from recordings import recorded_delta

import gough
from gough.errors import GoughError
from gough.identification.base import grouped
from gough.identification.friction import terms_of
from gough.identification.legs import images_of, tied
from gough.identification.measured import MeasuredMotion
from gough.identification.task import rebuilt
from gough.model.standard import standard_names
from gough.model.structure import structure_of
from gough.motion import Payload


def count(robot, legs="independent"):
    return len(gough.base_parameters(robot, legs=legs).names)


def rms(values):
    return float(np.sqrt(np.mean(np.square(values))))


def test_counts_of_planar_machines_are_those_by_hand():
    """A link in a plane, by the speeds v, w of its ends, has the energy a v² + 2 b·(v w) + c w².

    The products have a real and an imaginary part, so b is two numbers. Of 3-RRR, a goes with the
    crank's inertia and c with the platform's m, h (2) and J: 3 (1 + 2) + 4. Of a five-bar, whose
    platform is a link, a and c of the one and a of the other go with cranks and tip: 2 + 2 + 3; in
    a vertical plane cranks have a first moment (2) each besides.
    """
    plane = gough.load("planar-3rrr")
    assert (count(plane), count(plane, "identical")) == (13, 7)
    upright = gough.load("five-bar")
    assert (count(upright), count(upright.replace(gravity=[0, 0, -9.81]))) == (11, 7)


def test_counts_of_a_delta_are_those_by_hand():
    """Arms have inertia and two first moments, rods the product of their ends' speeds; and m."""
    robot = gough.load("delta")
    assert (count(robot), count(robot, "identical")) == (3 * 4 + 1, 4 + 1)


@pytest.mark.parametrize("name", ["five-bar", "agile eye"])
def test_counts_are_those_of_pinocchios_regressor_brought_to_the_motors(name):
    mechanism, rng, rows = MACHINES[name](3), np.random.default_rng(2), []
    oracle = PinocchioMechanism(mechanism)
    joints = [joint for body, joint in oracle.joint_of.items() if body != "base"]
    own = np.concatenate([10 * (joint - 1) + np.arange(10) for joint in joints])
    for _ in range(40):
        state = oracle.random_state(rng, speed=3.0)
        N = oracle.moves(state.q)
        Y = pin.computeJointTorqueRegressor(oracle.model, oracle.data, *state[:3])
        rows.append(np.linalg.solve(N[oracle.motors].T, N.T @ Y[:, own]))
    Y = np.concatenate(rows)
    lengths = np.linalg.norm(Y, axis=0)
    felt = lengths > 1e-9 * lengths.max()
    assert count(mechanism) == np.linalg.matrix_rank(Y[:, felt] / lengths[felt], tol=1e-7)


def test_legs_are_turned_and_mirrored_images_of_each_other():
    """Of a servo hexapod every other leg is mirrored; what legs weigh is then that of the first."""
    robot = gough.load("servo-hexapod-6rss")
    signs = [round(float(np.linalg.det(image.turn))) for image in images_of(robot)]
    assert signs == [1, -1, 1, -1, 1, -1]
    base = gough.base_parameters(robot, legs="identical")
    every = gough.standard_parameters(robot)
    np.testing.assert_allclose(base.ties @ base.described, every, atol=1e-12 * every.max())


@pytest.mark.parametrize("name", ["delta, ball-ended rods", "cranked delta", "orthoglide"])
def test_a_robot_of_other_numbers_weighs_so_much_and_can_exist(name):
    """All free numbers a tenth larger: rods stay symmetric, or the machine would be refused."""
    robot = MACHINES[name](2)
    names, own = standard_names(structure_of(robot)), gough.standard_parameters(robot)
    _, E = tied(robot, names, frozenset())
    larger = E @ (1.1 * np.linalg.pinv(E) @ own)
    np.testing.assert_allclose(larger, 1.1 * own, atol=1e-12)
    made = rebuilt(robot, dict(zip(names, larger, strict=True)))
    np.testing.assert_allclose(gough.standard_parameters(made), larger, atol=1e-12)
    assert structure_of(made).bodies == structure_of(robot).bodies


def test_a_rotor_on_the_base_is_felt_only_with_its_arm():
    robot = gough.load("delta")
    model = gough.Model(robot)

    def beside(states):
        return terms_of(model, MeasuredMotion.of(model, states), (), "motor_torque")

    base = grouped(model, frozenset(), beside)
    assert len(base.names) == count(robot)
    together = next(text for text in base.formulas if "joints[0].drive.reflected_mass" in text)
    assert together.startswith("bodies[0].joint_inertia.yy")


@pytest.fixture(scope="module")
def delta():
    return gough.load("delta")


@pytest.fixture(scope="module")
def found(delta):
    """What a recording shows of a Delta whose file is a fifth off in masses and inertias."""
    data = delta.to_dict()
    data["platform"]["mass"] *= 1.2
    for body in data["bodies"]:
        body["mass"] *= 0.8
        body["inertia"] = (0.8 * np.array(body["inertia"])).tolist()
    columns, _ = recorded_delta(delta, 1)
    return gough.identify(gough.Robot.from_dict(data), columns, legs="identical")


def test_forces_of_an_unseen_motion_are_found(delta, found):
    _, motion = recorded_delta(delta, 2)
    force = gough.Model(delta).inverse_dynamics(*motion)
    assert rms(gough.Model(found.robot).inverse_dynamics(*motion) - force) < 0.01 * rms(force)


def test_the_uncertainty_of_a_delta_is_honest(delta, found):
    hip = delta.driven[0]
    rotor = hip.drive.rotor_inertia * hip.drive.gear_ratio**2 + hip.drive.gear_inertia
    base = gough.base_parameters(delta, legs="identical")
    truth = base.values + [rotor * ("joint_inertia.yy" in name) for name in base.names]
    z = [
        (found[name].value - value) / found[name].sigma
        for name, value in zip(base.names, truth, strict=True)
    ]
    assert 0.5 < rms(z) < 1.6


def test_friction_of_driven_joints_is_found_by_their_torques(delta):
    columns, _ = recorded_delta(delta, 4, measured="force")
    other = delta.replace({"leg.motor.damping": 0.2, "leg.motor.friction": 0.1})
    found = gough.identify(other, columns, drives="identical", friction=("joints",))
    for key in ("damping", "friction"):
        number, truth = found[f"legs.joints[0].{key}"], getattr(delta.driven[0], key)
        assert abs(number.value - truth) < 3 * number.sigma < 0.15 * truth
    assert not found.lag.certain


def test_rods_stay_symmetric_about_their_lines(delta, found):
    arm, rod = found.robot.bodies[:2]
    ends = [np.array(joint.at) for joint in delta.joints if rod.name in joint.between]
    line = (ends[1] - ends[0]) / np.linalg.norm(ends[1] - ends[0])
    assert np.linalg.norm(np.cross(np.array(rod.center_of_mass) - ends[0], line)) < 1e-9
    assert arm.mass > 0


def test_a_delta_tells_the_mass_of_its_payload_alone(delta):
    carried = Payload(0.5, (0.01, 0.02, -0.05), (2e-4, 2e-4, 2e-4))
    columns, _ = recorded_delta(carried.carried_by(delta), 3)
    found = gough.identify_payload(delta, columns)
    assert found.mass == pytest.approx(0.5, abs=max(0.005, 3 * found.mass_sigma))
    assert np.isnan(found.center_of_mass).all()
    assert "not identifiable: centre x" in found.report()
    with pytest.raises(GoughError, match="does not only turn"):
        gough.identify_payload(gough.load("agile-eye"), {})
