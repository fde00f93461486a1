"""The machine as pages draw it: its springs, and a base that moves."""

import numpy as np
from drawings import changed
from drawn_machines import MACHINES
from oracles.pinocchio_mechanism import PinocchioMechanism

import gough
from gough.model.kernels import Kernels
from gough.plots.machine import plot_machine
from gough.plots.shapes import shape_of, with_springs
from gough.plots.shapes.shape import TURNS
from gough.report.scene import scene

LAWS = ({"stiffness": 100.0}, {"force": 5.0}, {"damping": 2.0})


def test_springs_end_at_their_points_wherever_their_bodies_are():
    drawn, rng = MACHINES["five-bar"](1), np.random.default_rng(3)
    pairs = (("base", "platform"), ("left", "base"), ("platform", "link"))
    springs = [
        {"name": f"s{k}", "between": pair, "start": [0, 0.4, 0], "end": [0.1, 0.3, 0], **law}
        for k, (pair, law) in enumerate(zip(pairs, LAWS, strict=True))
    ]
    robot = changed(drawn, springs=tuple(springs))
    oracle = PinocchioMechanism(robot)
    state = oracle.random_state(rng)
    shape = shape_of(robot, [robot.home])
    sprung, count = with_springs(robot, shape), len(shape.points(np.array(robot.home)))
    bars = sprung.bars[len(shape.bars) :]
    assert [sum(bar.body == f"s{k}" for bar in bars) for k in range(3)] == [TURNS + 1, TURNS + 1, 1]
    points = sprung.points(state.pose)[count:].reshape(3, TURNS + 2, 3)
    for spring, corners in zip(robot.springs, points, strict=True):
        for body, point, found in zip(
            spring.between, (spring.start, spring.end), corners[[0, -1]], strict=True
        ):
            np.testing.assert_allclose(found, oracle.carried(state, body, point), atol=1e-11)


def test_springs_are_drawn_on_the_branch_of_the_robot():
    drawn = MACHINES["five-bar"](1)
    (elbow,) = (joint.at for joint in drawn.joints if joint.name == "elbow-right")
    spring = {"name": "s", "between": ("right", "base"), "start": elbow, "end": [0.1, 0.3, 0]}
    robot = changed(drawn, springs=(spring | LAWS[0],), branch=(-1,))
    home = np.array(robot.home)
    shape = shape_of(robot, home)
    start = with_springs(robot, shape).points(home)[len(shape.points(home))]
    assert np.linalg.norm(start - elbow) > 0.3
    np.testing.assert_allclose(start, Kernels(robot).joint_centers(home)[3], atol=1e-12)
    axes, plain = plot_machine(robot), plot_machine(drawn)
    assert len(axes.lines) == len(plain.lines) + TURNS + 1


def test_a_moving_base_carries_the_machine():
    robot = gough.load("five-bar")
    deck = gough.motion.expression(1, x="2*t", rpy=["0.2*sin(t)", 0, 0])
    hold = gough.motion.hold(robot.home, 1)
    resting, moving = (
        scene(gough.run(gough.Study(robot, hold, samples=3, base=base))) for base in (None, deck)
    )
    assert "carrier" not in resting
    assert "carrier" in moving
    assert moving["bounds"]["reach"] > resting["bounds"]["reach"] + 0.9
