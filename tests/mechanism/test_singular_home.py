"""Machines that are singular at home: refused where they cannot be read there, else they work."""

import numpy as np
import pytest

import gough
from gough.errors import GoughError, RobotError

Z = [0, 0, 1]


def five_bar(left, tip, right):
    """A five-bar in the plane x, y, with its elbows and its tip at these places at home."""
    places = {"hip-left": [-0.4, 0, 0], "left": left, "tip": tip, "right": right}
    places["hip-right"] = [0.4, 0, 0]
    pairs = [("base", "crank"), ("crank", "platform"), ("platform", "link"), ("link", "rocker"),
             ("rocker", "base")]  # fmt: skip
    joints = [
        {"name": name, "type": "R", "between": pair, "at": at, "axis": Z, "driven": "hip" in name}
        for (name, at), pair in zip(places.items(), pairs, strict=True)
    ]
    inertia = [1e-3, 1e-3, 1e-3]
    bodies = [{"name": n, "mass": 0.1, "inertia": inertia} for n in ("crank", "link", "rocker")]
    platform = {"mass": 1.0, "inertia": inertia, "home": {"position": tip}, "moves": ["x", "y"]}
    parts = {"platform": platform, "bodies": bodies, "joints": joints, "gravity": [0, -9.81, 0]}
    return gough.Robot.from_dict({"schema": "gough/2", "name": "five-bar", **parts})


def test_a_leg_that_is_stretched_out_at_home_is_refused_with_the_moves_that_it_has():
    """The tip of a leg that is straight along x cannot move along x."""
    robot = five_bar([-0.2, 0, 0], [0, 0, 0], [0.2, 0.3, 0])
    with pytest.raises(RobotError, match=r"moves do not determine.*at home.*such as y, rz"):
        gough.Model(robot).inverse_kinematics(robot.home)


def test_links_in_line_at_home_are_read_and_carry_no_load_across():
    """Both links along x: no torques hold the tip's weight along y, and the motion is unknown."""
    robot = five_bar([-0.3, 0.1, 0], [0, 0.1, 0], [0.3, 0.1, 0])
    model = gough.Model(robot)
    np.testing.assert_allclose(model.inverse_kinematics(robot.home), [0, 0], atol=1e-12)
    force = model.inverse_dynamics(robot.home, np.zeros(6), np.zeros(6))
    assert not (np.abs(force) < 1e9).all()
    with pytest.raises(GoughError, match="singular"):
        model.checked_inverse_dynamics(robot.home)
    motion = gough.motion.hold(robot.home, 0.1)
    law = gough.simulation.computed_torque(900, 60)
    with pytest.raises(GoughError, match="singular"):
        gough.simulate(gough.Scenario(robot, law, motion))
    below = gough.Model(robot).forward_kinematics([-0.1, 0.1], robot.home)
    assert below.pose[1] != pytest.approx(0.1, abs=1e-3)
