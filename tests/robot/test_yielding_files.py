"""What yields in robot files of machines of any kind: read, repeated, written, refused."""

import numpy as np
import pytest
from drawn_machines import MACHINES
from leg_files import a_delta, orthoglide
from robot_samples import edited
from yielding import yielding

import gough
from gough.errors import RobotError
from gough.robot import Robot


def a_yielding_delta():
    data = edited(
        "leg.motor", {"stiffness": "12 kN m/rad", "bearing": {"radial": "80 N/um"}}, a_delta()
    )
    ball = {"type": "S", "bearing": {"radial": 4e7}}
    data = edited("leg.joints", ["R*", ball, ball], data)
    arm, rod = data["leg"]["links"]
    arm["beam"] = {"diameter": "40 mm", "bore": "34 mm", "modulus": "70 GPa"}
    rod["beam"] = {"diameter": "12 mm", "modulus": 1.2e11, "shear_modulus": 5e9}
    return data


def test_a_leg_in_short_repeats_what_yields_in_it():
    robot = Robot.from_dict(a_yielding_delta())
    assert robot.elastic
    assert [joint.stiffness for joint in robot.driven] == [12e3] * 3
    assert {joint.bearing.radial for joint in robot.joints if joint.type == "S"} == {4e7}
    assert [b.beam.diameter for b in robot.bodies[:4]] == [0.04, 0.012, 0.012, 0.04]
    assert robot.bodies[1].beam.shear_modulus == 5e9
    assert robot.bodies[0].beam.shear_modulus is None


def test_a_delta_is_softest_where_its_arms_bend():
    """It sinks the same at home whichever leg comes first, and stiffer arms make it stiffer."""
    robot = Robot.from_dict(a_yielding_delta())
    model, pose = gough.Model(robot), np.array(robot.home)
    C = model.compliance(pose, np.zeros(3))
    assert C[0, 0] == pytest.approx(C[1, 1], rel=1e-9)
    np.testing.assert_allclose(C[2, [0, 1, 3, 4]], 0, atol=1e-12 * C[2, 2])
    assert (np.linalg.eigvalsh(C) > 0).all()
    stiffer = robot.replace({"leg.links[0].beam.diameter": "80 mm"})
    assert (
        np.linalg.eigvalsh(C - gough.Model(stiffer).compliance(pose, np.zeros(3))) > -1e-15
    ).all()


def test_hinges_of_a_parallelogram_may_be_flexures():
    data = orthoglide()
    joints = [{"type": "Pa", "stiffness": 20} if j == "Pa" else j for j in data["leg"]["joints"]]
    robot = Robot.from_dict(edited("leg.joints", joints, data))
    assert sum(getattr(joint, "stiffness", None) == 20.0 for joint in robot.joints) == 12


@pytest.mark.parametrize("name", ["3-RRR", "tricept", "6-RUS", "with cylindrical joints"])
def test_what_is_written_is_read_again(name):
    if name == "with cylindrical joints":
        name = next(n for n in MACHINES if "C" in {j.type for j in MACHINES[n](0).joints})
    data = yielding(MACHINES[name](0), flexures=True).to_dict()
    for body in data["bodies"]:
        body["beam"] = {"diameter": 0.03, "bore": 0.01, "modes": 3, "damping": 0.01}
    for joint in data["joints"]:
        if joint["type"] != "fixed":
            joint["bearing"] = {"radial": 1e7}
    robot = Robot.from_dict(data)
    assert Robot.from_dict(robot.to_dict()) == robot
    assert robot.stiffness_values["joints[0].bearing.radial"] == 1e7
    assert robot.stiffness_values["bodies[0].beam.bore"] == 0.01
    assert robot.bodies[0].beam.damping == 0.01
    assert "bodies[0].beam.damping" not in robot.stiffness_values  # a stiffness has none


@pytest.mark.parametrize(
    ("place", "value", "problem"),
    [
        ("leg.motor.stiffness", "5 N/m", '"5 N/m" is in kg/s²'),
        ("leg.motor.stiffness", 0, "out of range"),
        ("leg.links[0].beam.bore", 0.05, "no wall thickness"),
        ("leg.links[0].beam.diameter", -1, "out of range"),
        ("leg.links[0].beam.modes", 1.5, "not a whole number"),
        ("leg.links[0].beam.elements", 0, "out of range"),
        ("leg.links[0].beam.damping", 2, "out of range"),
        ("leg.joints[1].bearing.axial", 1e7, "unknown key"),
    ],
)
def test_what_is_wrong_is_named(place, value, problem):
    with pytest.raises(RobotError) as refused:
        Robot.from_dict(a_yielding_delta()).replace({place: value})
    assert refused.value.key == place
    assert problem in refused.value.problem
