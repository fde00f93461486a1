"""URDF files with loops in Gepetto's form: the imported robot against Pinocchio on the file."""

from pathlib import Path

import numpy as np
from oracles.pinocchio_urdf import PinocchioUrdf

import gough

FILES = Path(__file__).parents[2] / "data" / "imports"


def linkage():
    loops = FILES / "linkage.yaml"
    return gough.from_urdf(FILES / "linkage.urdf", loops=loops, platform="effector")


def test_efforts_are_those_of_pinocchio_on_the_file():
    robot = linkage()
    pairs = [("closedloop3D_1B", "closedloop3D_1A", 3)]
    oracle = PinocchioUrdf(
        FILES / "linkage.urdf", pairs, ["mot2", "mot1"], "effector", robot.gravity
    )
    model, rng = gough.Model(robot), np.random.default_rng(2)
    q, v, a = oracle.random_state(rng)
    wrench = rng.standard_normal(6)
    ours = model.inverse_dynamics(*oracle.platform_motion(q, v, a), wrench)
    theirs = oracle.efforts(q, v, a, wrench)
    assert np.abs(ours - theirs).max() < 1e-9 * np.abs(theirs).max()


def test_loops_that_are_drawn_open_are_closed_near_by():
    robot = linkage()
    assert "0.0106 m or rad open" in robot.notes
    tip = next(joint for joint in robot.joints if joint.type == "S").at
    lengths = {"free1": 0.25, "free2": 0.25}
    for joint in robot.joints:
        if joint.name in lengths:
            assert abs(np.linalg.norm(np.subtract(joint.at, tip)) - 0.25) < 1e-13
    assert max(abs(joint.home) for joint in robot.joints if joint.type == "R") < 0.1


def test_one_delta_in_both_languages_is_one_machine():
    written = gough.from_urdf(FILES / "picker.urdf", loops=FILES / "picker.yaml")
    other = gough.from_mjcf(FILES / "delta.xml")
    rng, twist = np.random.default_rng(3), np.zeros(6)
    twist[:3], acceleration = rng.standard_normal(3), rng.standard_normal(6)
    acceleration[3:] = 0.0
    pose = np.array(other.home) + [0.03, -0.05, 0.04, 0, 0, 0, 0]
    ours, theirs = (
        gough.Model(robot).inverse_dynamics(pose, twist, acceleration, np.zeros(6))
        for robot in (written, other)
    )
    assert np.abs(ours - theirs).max() < 1e-12
    assert [a.name for a in written.actuators] == [a.name for a in other.actuators]
