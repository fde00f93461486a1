"""Proofs for all mechanisms whose lengths and places are within tolerances.

The oracle is robots that were made one by one: each is read, analysed and evaluated as any other.
"""

import json

import numpy as np
import pytest

import gough
from gough import kinematics
from gough.errors import GoughError
from gough.kinematics import check_proof
from gough.kinematics.proof.prove import pose_at
from gough.model.machines import machines_with
from tests.kinematics.test_checker import changes_are_refused_or_true

ALL = {"legs[*].base": "50 um", "legs[*].links[*].length": "50 um"}
CASES = {
    "delta": ([0.05, 0.05, 0.05], ALL | {"legs[*].motor.offset": "0.01 deg"}),
    "planar-3rrr": ([0.02, 0.02, 0.0], ALL | {"legs[*].platform": 5e-5}),
    "orthoglide": ([0.01, 0.01, 0.01], {"legs[*].links[2].length": "50 um"}),
    "kossel": ([0.05, 0.05, 0.05], {"legs[*].base": "50 um", "legs[*].links[1].length": "0.1 mm"}),
    "tripod-3prs": ([0.0, 0.0, 0.005], {"legs[*].links[1].length": "50 um"}),
    "servo-hexapod-6rss": ([0.002, 0.002, 0.002], {"legs[*].links[*].length": "20 um"}),
}


def made_within(proof, rng, corner):
    """A robot within the tolerances of a proof, at a corner of them or anywhere."""
    values, names = proof.machines.values, proof.machines.names
    half = np.array([proof.tolerances[name] for name in names])
    shares = rng.uniform(-1, 1, len(half))
    return proof.machines.made(values + half * (np.sign(shares) if corner else shares))


@pytest.mark.parametrize("name", CASES)
def test_no_robot_within_the_tolerances_has_smaller_margins_than_were_proved(name, tmp_path):
    robot, (position, tolerances) = gough.load(name), CASES[name]
    found = gough.prove(robot, position, tolerances=tolerances)
    assert found.verdict == "proved"
    assert len(found.tolerances) == len(found.machines.names)
    exact = gough.prove(robot, position)
    assert found.low.min() < exact.low.min()
    rng = np.random.default_rng(1)
    steps = np.zeros((40, 6))
    steps[:, :3] = rng.uniform(-1, 1, (40, 3)) * position
    poses = pose_at(found.centre, steps)
    nearest = np.inf
    for k in range(4):
        model = gough.Model(made_within(found, rng, k % 2))
        at = model.possible_pose(poses).pose
        nearest = min(nearest, kinematics.margins(model, at).min())
    assert found.low.min() <= nearest
    found.save(tmp_path / "c.json")
    assert check_proof(tmp_path / "c.json", robot, at_most=2).verdict == "proved"
    again = kinematics.read_proof(tmp_path / "c.json", robot)
    assert again.tolerances == dict(found.tolerances)
    assert again.machines.names == found.machines.names


def test_torques_of_a_delta_are_bounded_for_all_its_lengths_and_masses():
    robot = gough.load("delta")
    tolerances = {"legs[*].base": "0.1 mm", "legs[*].links[*].length": "50 um",
                  "legs[*].links[*].mass": "1 g"}  # fmt: skip
    box = {"position": [0.05, 0.05, 0.03], "twist": 1.0, "acceleration": 98.1, "wrench": 10.0}
    found = gough.prove(robot, **box, tolerances=tolerances)
    assert found.verdict == "proved"
    torque = np.array([row.family == "force" for row in found.required.rows(robot)])
    proved, rng = 130 * (1 - found.low[torque].max()), np.random.default_rng(2)
    largest = 0.0
    for k in range(4):
        model = gough.Model(made_within(found, rng, k % 2))
        steps = np.zeros((300, 6))
        steps[:, :3] = rng.uniform(-1, 1, (300, 3)) * box["position"]
        poses = pose_at(found.centre, steps)
        states = np.zeros((3, 300, 6))
        for state, size in zip(states, (1.0, 98.1, 10.0), strict=True):
            ways = rng.standard_normal((300, 3))
            state[:, :3] = size * ways / np.linalg.norm(ways, axis=1, keepdims=True)
        largest = max(largest, np.abs(model.actuator_force(poses, *states)).max())
    assert 0.7 * proved < largest < 130 * (1 - found.low[torque].min())


def test_rods_that_vary_too_much_are_refuted_by_a_robot_that_can_be_made(tmp_path):
    robot, box = gough.load("kossel"), [0.02, 0.02, 0.15]
    assert gough.prove(robot, box).verdict == "proved"
    found = gough.prove(robot, box, tolerances={"legs[*].links[1].length": "1 cm"})
    assert found.verdict == "refuted"
    point = found.counter_example.coordinates
    made = found.machines.made(point[: len(found.machines.names)])
    pose = pose_at(found.centre, point[len(found.machines.names) :][:6])
    assert not kinematics.margins(gough.Model(made), pose).min() >= 0
    found.save(tmp_path / "c.json")
    assert check_proof(tmp_path / "c.json", robot).verdict == "refuted"
    changes_are_refused_or_true(tmp_path / "c.json", robot, 8)


def test_a_proof_of_one_geometry_does_not_hold_for_another_tolerance(tmp_path):
    robot = gough.load("planar-3rrr")
    found = gough.prove(robot, [0.002, 0.002, 0.0], tolerances={"legs[*].links[*].length": "20 um"})
    found.save(tmp_path / "c.json")
    changes_are_refused_or_true(tmp_path / "c.json", robot, 8)
    content = json.loads((tmp_path / "c.json").read_text())
    assert content["tolerances"]["legs[2].links[1].length"] == pytest.approx(2e-5)


def test_tolerances_of_other_names_kinds_and_units_are_refused():
    delta = gough.load("delta")
    with pytest.raises(GoughError, match=r"did you mean legs\[0\]\.links\[0\]\.length"):
        gough.prove(delta, [0.01] * 3, tolerances={"legs[0].links[0].lenght": 1e-5})
    with pytest.raises(GoughError, match=r"numbers of bodies or joints, .* expected all of one"):
        gough.prove(delta, [0.01] * 3, tolerances={"joints[0].offset": 1e-5, "legs[*].base": 1e-5})
    with pytest.raises(GoughError, match=r"^tolerance of legs\[0\]\.base\.x: .* expected a length"):
        gough.prove(delta, [0.01] * 3, tolerances={"legs[*].base": "1 deg"})
    with pytest.raises(GoughError, match="no machine of the same kind"):
        gough.prove(gough.load("agile-eye"), [0] * 3, [0.01] * 3,
                    tolerances={"legs[*].base": "10 um"})  # fmt: skip
    with pytest.raises(GoughError, match="joint positions have no closed form"):
        gough.prove(gough.load("h4"), [1e-3] * 3, tolerances={"legs[*].links[0].length": "10 um"})


def test_numbers_of_joints_are_those_of_parameters():
    machines = machines_with(gough.load("delta"), ["joints[*].range", "bodies[*].mass"])
    assert not machines.family
    assert machines.robot == gough.load("delta")
