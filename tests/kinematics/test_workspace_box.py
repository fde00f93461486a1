"""Boxes of positions and turns together: random poses, exact extremes, and every refusal."""

import numpy as np
import pytest

import gough
from gough.kinematics import margins
from gough.kinematics.workspace.box import _greatest, leg_ranges

MOVE, TURN = (0.04, 0.05, 0.03), tuple(np.radians([8, 6, 10]))


@pytest.fixture(scope="module")
def model():
    return gough.Model(gough.load("demo-hexapod"))


@pytest.fixture(scope="module")
def found(model):
    return model.workspace_box(MOVE, TURN)


def drawn(model, count, seed=5):
    shares = np.random.default_rng(seed).uniform(-1, 1, (count, 6))
    position = np.add(model.robot.home[:3], shares[:, :3] * MOVE)
    return gough.pose(position, rpy=shares[:, 3:] * TURN)


def test_no_random_pose_of_the_box_is_worse_than_the_worst_found(model, found):
    poses = drawn(model, 20_000)
    lengths = model.inverse_kinematics(poses)
    strokes = [(w.limit.of[0], w.inside) for w in found.worst if w.limit.family == "stroke"]
    for k, leg in enumerate(model.robot.legs):
        least, most = leg.stroke
        inside = np.minimum(lengths[:, k] - least, most - lengths[:, k]).min()
        assert dict(strokes)[f"leg {k + 1}"] <= inside + 1e-12
    worst = min(w.inside / w.limit.size for w in found.worst if w.limit.kind == "range")
    assert worst <= margins(model, poses).min() + 1e-12


def test_the_worst_poses_are_in_the_box_and_have_the_margins_told(model, found):
    for worst in found.worst:
        step = np.abs(worst.pose[:3] - np.array(model.robot.home[:3]))
        assert (step <= np.add(MOVE, 1e-12)).all()
        assert (np.abs(gough.euler(worst.pose, "xyz")) <= np.add(TURN, 1e-9)).all()
        if worst.limit.family == "stroke":
            k = int(worst.limit.of[0][-1]) - 1
            length, (least, most) = (
                model.inverse_kinematics(worst.pose)[k],
                model.robot.legs[k].stroke,
            )
            assert worst.inside == pytest.approx(min(length - least, most - length), abs=1e-12)


def test_leg_lengths_are_proved_for_the_whole_box(model, found):
    lengths = model.inverse_kinematics(drawn(model, 20_000, seed=6))
    for k, leg in enumerate(found.legs):
        least, most = leg.proved
        assert least <= leg.shortest <= lengths[:, k].min()
        assert lengths[:, k].max() <= leg.longest <= most
        assert most - leg.longest <= 6e-4
        assert leg.shortest - least <= 6e-4
    moved = np.array([*MOVE, 0.0, 0.0, 0.0])  # known in closed form, but for rounding
    for leg in leg_ranges(model.robot, np.array(model.robot.home), moved):
        assert 0 < leg.shortest - leg.proved[0] < 1e-11
        assert 0 < leg.proved[1] - leg.longest < 1e-11


def test_strokes_that_hold_are_proved_and_others_are_not(model, found):
    assert found.reached
    assert found.proved == ("stroke",)
    far = model.workspace_box((0.1, 0.1, 0.1), TURN)
    assert not far.reached
    assert far.proved == ()
    assert far.worst[0].limit.family == "stroke"
    assert far.worst[0].inside < 0


def test_alone_the_ends_of_the_box_are_those_of_the_travel(model):
    (along, *_) = model.travel()
    for distance, reached in ((0.999, True), (1.001, False)):
        z = distance * along.distances[2].min()
        assert model.workspace_box((0, 0, z)).reached is reached


def test_the_bound_holds_a_maximum_inside_the_box():
    peak = np.array([0.1, -0.05, 0.2])
    best, bound = _greatest(
        lambda angles: -np.linalg.norm(angles - peak, axis=-1), np.array([0.3, 0.3, 0.3]), 1.0
    )
    assert best <= 0 <= bound
    assert bound - best <= 5e-2


def test_it_is_plain_data_too(found):
    data = found.to_dict()
    assert data["reached"] is True
    assert data["proved"] == ["stroke"]
    assert len(data["legs"]) == 6


@pytest.mark.parametrize(
    ("position", "rotation", "words"),
    [
        ((0.1, 0.1), (0, 0, 0), r"position is \(0.1, 0.1\); expected three numbers from 0"),
        ((-1, 0, 0), (0, 0, 0), "expected three numbers from 0 to"),
        ((0, 0, 0), (4, 0, 0), "expected three numbers from 0 to 3.14.* rad"),
        ((0, 0, 0), (0, 0, 0), "a box without sides; expected a position or a rotation above 0"),
    ],
)
def test_what_is_no_box_is_refused(model, position, rotation, words):
    with pytest.raises(gough.GoughError, match=words):
        model.workspace_box(position, rotation)


def test_a_freedom_that_a_machine_has_not_is_refused():
    delta = gough.Model(gough.load("delta"))
    with pytest.raises(gough.GoughError, match="delta moves in x y z, not in rx; expected a box"):
        delta.workspace_box((0.1, 0, 0), (0.1, 0, 0))
