"""Margins: every limit against a slow second opinion, and what is not reachable at all."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from robot_samples import robots
from workspace_machines import bare, distance_by_cases, margins_by_hand, ring

import gough
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.kernel import Kernel
from gough.equations.motion.reach import segment_distance
from gough.errors import GoughError
from gough.kinematics.singularity.singularity import singularity
from gough.kinematics.workspace.reach import FAMILIES, Limits, margins, reachable

VECTOR = st.lists(st.floats(-2, 2), min_size=3, max_size=3).map(np.array)


@pytest.fixture(scope="module")
def hexapod():
    return gough.Model(gough.load("demo-hexapod"))


@pytest.fixture(scope="module")
def segments():
    names = [Argument(name, (3,)) for name in "puqv"]
    return Kernel(
        Function.from_equation("segments", segment_distance, names, [Argument("distance")])
    )


def poses_around(robot, count, spread=0.15, seed=0):
    offset = spread * np.random.default_rng(seed).normal(size=(count, 7))
    return np.array(robot.home) + offset


def test_margins_have_the_signs_that_each_limit_asks_for(hexapod):
    poses = poses_around(hexapod.robot, 400, spread=0.25)
    found = margins(hexapod, poses)
    by_hand = np.array([margins_by_hand(hexapod.robot, pose) for pose in poses])
    np.testing.assert_array_equal(found[:, :4] > 0, by_hand > 0)
    assert ((found[:, :4] > 0).any(0) & (found[:, :4] < 0).any(0)).all()


def test_margins_are_scaled_by_the_range_of_each_limit(hexapod):
    robot = hexapod.robot
    for pose in poses_around(robot, 50):
        stroke, base, platform, gap = margins_by_hand(robot, pose)
        leg = robot.legs[0]
        expected = [
            2 * stroke / (leg.stroke[1] - leg.stroke[0]),
            *(
                1 - (np.sin((limit - slack) / 2) / np.sin(limit / 2)) ** 2
                for limit, slack in (
                    (leg.base_joint_limit, base),
                    (leg.platform_joint_limit, platform),
                )
            ),
            gap / (2 * leg.radius),
        ]
        np.testing.assert_allclose(margins(hexapod, pose)[:4], expected, rtol=1e-9, atol=1e-12)


def test_joint_margins_vanish_where_the_passive_joints_reach_their_limits(hexapod):
    poses = poses_around(hexapod.robot, 2000)
    tilt = hexapod.joint_tilts(poses)[:, 1::2].max(-1)
    limit = hexapod.robot.legs[0].platform_joint_limit
    np.testing.assert_array_equal(margins(hexapod, poses)[:, 2] >= 0, tilt <= limit)


def test_the_singularity_margin_is_the_determinant_over_that_at_home(hexapod):
    poses = poses_around(hexapod.robot, 500, spread=0.5)
    det, det_home = (np.linalg.det(hexapod.jacobian(p)) for p in (poses, hexapod.robot.home))
    found = margins(hexapod, poses)[:, 4]
    np.testing.assert_allclose(found, det / det_home, rtol=1e-9, atol=1e-13)
    assert (found < 0).any()


def test_a_bound_on_the_condition_number_holds_for_reachable_poses(hexapod):
    poses = poses_around(hexapod.robot, 2000)
    limits = Limits(max_condition=4.0)
    condition = singularity(hexapod, poses).condition
    same_side = np.sign(np.linalg.det(hexapod.jacobian(poses))) == -1
    allowed = margins(hexapod, poses, limits)[:, 4] >= 0
    np.testing.assert_array_equal(allowed, (condition <= 4.0) & same_side)
    assert 0 < allowed.sum() < len(poses)
    alone = margins(hexapod, poses, Limits(families=(), max_condition=4.0))
    np.testing.assert_array_equal(alone[:, 4] >= 0, condition <= 4.0)


def test_home_is_in_the_middle_of_the_joints(hexapod):
    found = margins(hexapod, hexapod.robot.home)
    np.testing.assert_allclose(found[[1, 2, 4]], 1, rtol=1e-14)
    assert reachable(hexapod, hexapod.robot.home)


def test_limits_that_are_not_there_or_do_not_count_leave_infinite_margins(hexapod):
    kalani = gough.Model(gough.load("kalani-2016"))
    np.testing.assert_array_equal(np.isinf(margins(kalani, kalani.robot.home)), [1, 1, 1, 1, 0])
    only = margins(hexapod, hexapod.robot.home, Limits(families=("base joint",)))
    np.testing.assert_array_equal(np.isinf(only), [f != "base joint" for f in FAMILIES])


def test_legs_that_share_a_joint_are_not_in_each_others_way():
    corners = np.repeat(ring(0.5, 3), 2, axis=0)
    base = ring(1.0, start=0.4)
    shared = bare(base, corners, (0, 0, 1), radius=0.05)
    apart = bare(base, corners + [[0, 0, 0], [0, 0, 0.01]] * 3, (0, 0, 1), radius=0.05)
    assert margins(shared, shared.robot.home)[3] > 1
    assert margins(apart, apart.robot.home)[3] < -0.8


@given(VECTOR, VECTOR, VECTOR, VECTOR)
@settings(max_examples=300, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_distance_of_segments_is_the_least_of_all_their_points(segments, p, u, q, v):
    expected = distance_by_cases(p, u, q, v)
    assert segments(p, u, q, v) == pytest.approx(expected, abs=1e-7)
    assert segments(q, v, p, u) == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize(
    ("p", "u", "q", "v", "distance"),
    [
        ((0, 0, 0), (1, 0, 0), (0, 2, 0), (1, 0, 0), 2),  # parallel, side by side
        ((0, 0, 0), (1, 0, 0), (4, 4, 0), (1, 0, 0), 5),  # parallel, one behind the other
        ((0, 0, 0), (1, 0, 0), (3, 0, 0), (-1, 0, 0), 1),  # on one line
        ((0, 0, 0), (1, 0, 0), (0.5, -1, 0.7), (0, 2, 0), 0.7),  # crossing
        ((0, 0, 0), (1, 1, 0), (0, 1, 0), (1, -1, 0), 0),  # meeting
        ((0, 0, 0), (1, 0, 0), (2, 1, 0), (0, 3, 0), np.sqrt(2)),  # end to end
        ((0, 0, 0), (1, 0, 0), (0.4, 1, 0), (0, 2, 0), 1),  # end to inside
        ((0, 0, 0), (0, 0, 0), (0, 1, 0), (1, 0, 0), 1),  # a point
    ],
)
def test_distances_of_segments_in_every_position(segments, p, u, q, v, distance):
    assert segments(p, u, q, v) == pytest.approx(distance, abs=1e-15)


@pytest.mark.parametrize("pose", [np.full(7, np.nan), [0, 0, 1, 0, 0, 0, 0], [np.inf] + [1] * 6])
def test_what_is_no_pose_is_not_reachable(hexapod, pose):
    assert np.isnan(margins(hexapod, pose)).all()
    assert not reachable(hexapod, pose)


def test_a_leg_without_length_is_not_reachable_whatever_counts():
    m = bare(ring(1.0), ring(0.5), (0, 0, 1), base_joint_limit=3.0)
    limits = Limits(families=("base joint",))
    place = np.array([0.5, 0, 0])  # the first two joint centres coincide
    assert not reachable(m, [*place, 1, 0, 0, 0], limits)
    assert np.isnan(margins(m, [*place, 1, 0, 0, 0], limits)).all()


@given(robots())
@settings(max_examples=4, deadline=None, suppress_health_check=list(HealthCheck))
def test_families_of_random_machines_are_those_that_they_state(robot):
    limits = Limits(families=FAMILIES[:4])
    found = margins(gough.Model(robot), np.array([robot.home] * 3), limits)
    stated = [
        any(getattr(leg, key) is not None for leg in robot.legs)
        for key in ("stroke", "base_joint_limit", "platform_joint_limit")
    ]
    assert found.shape == (3, 5)
    np.testing.assert_array_equal(np.isfinite(found[0, :3]), stated)
    assert (found[0, :3] >= 0).all()


def test_a_machine_that_is_singular_at_home_has_no_side_of_its_own():
    m = bare(ring(1.0), ring(0.5), (0, 0, 1), stroke=[0.5, 2])  # similar, parallel: a self-motion
    with pytest.raises(GoughError, match="singular at home"):
        margins(m, m.robot.home)
    assert reachable(m, m.robot.home, Limits(families=("stroke",)))


def test_unknown_families_and_senseless_bounds_are_refused():
    with pytest.raises(GoughError, match="unknown limit 'strokes'"):
        Limits(families=("strokes",))
    with pytest.raises(GoughError, match=r"families is 'stroke'; expected several: \('stroke',\)"):
        Limits(families="stroke")
    with pytest.raises(GoughError, match="max_condition"):
        Limits(max_condition=0.5)
