"""Every kind of motion: derivatives that belong together, ends at rest, and what is refused."""

import pickle
import re
import warnings

import numpy as np
import pytest
from motion_checks import HOME, TILTED, largest_inconsistency
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

import gough
from gough.motion import (
    Cosine,
    Cycloidal,
    MotionError,
    MotionWarning,
    Quintic,
    Screw,
    Sine,
    expression,
    hold,
    line,
    recorded,
    rotation,
    s_curve,
    screw,
    sequence,
    stretched,
    trapezoidal,
    travelling,
    waypoints,
)

POSES = [
    HOME,
    gough.pose([0.1, 0.05, 1.1], rpy=[0.2, -0.1, 0.3]),
    gough.pose([-0.05, 0.1, 0.95], rpy=[-0.3, 0.4, 0.1]),
    gough.pose([0.0, -0.1, 1.05], rpy=[0.1, 0.2, -0.5]),
]
TIMES = [0.0, 0.8, 2.0, 3.1]


def record(n=80, duration=3.0, noise=0.0):
    t = np.linspace(0, duration, n)
    rng = np.random.default_rng(3)
    place = np.stack([0.1 * np.sin(t), 0.1 * np.cos(t), 1 + 0.05 * np.sin(2 * t)], -1)
    turn = np.stack([0.2 * np.sin(t), 0.3 * np.cos(2 * t), 0.1 * t], -1)
    place, turn = place + noise * rng.normal(size=(n, 3)), turn + noise * rng.normal(size=(n, 3))
    return t, gough.pose(place, rotation_vector=turn)


def motions():
    """One of each kind."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)
        lifted = line(TILTED, [0.1, 0.2, -0.3], Cosine(1.5))
        there = lifted(1.5).pose
        return {
            "line": lifted,
            "line with a trapezoid": line(TILTED, [0.1, 0.2, -0.3], trapezoidal(2.0)),
            "rotation": rotation(TILTED, [1, 0, 0], [0, 0, 2], np.pi / 2, Cycloidal(2.0)),
            "rotation from to": rotation(HOME, [1, 0, 0], [0, 0, 2], [-0.7, 0.8], Quintic(2.0)),
            "oscillation": rotation(TILTED, [1, 2, 0], [0, 0, 2], 0.3, Sine(4.0, 2)),
            "screw": screw(TILTED, [1, -2, 3], [0.3, 0.1, -0.4], 2.5, 0.08, s_curve(1.7)),
            "screw seen from the platform": screw(
                TILTED, [1, -2, 3], [0.3, 0.1, -0.4], 2.5, -0.08, Quintic(1.7), frame="platform"
            ),
            "hold": hold(TILTED, 1.0),
            "waypoints": waypoints(TIMES, POSES),
            "waypoints with stops": waypoints(TIMES, POSES, stops=True),
            "waypoints with a profile": waypoints(TIMES, POSES, stops=True, profile=s_curve),
            "waypoints with one stop": waypoints(TIMES, POSES, stops=[False, False, True, False]),
            "expression": expression(
                4,
                x="0.1*cos(2*t)",
                y="0.1*sin(2*t)**3/(1 + t**2)",
                z="1 + 0.01*t + exp(-t)*0.1",
                euler=("ZXZ", ["0.1*t", "20*deg + 5*deg*sin(t)", "-0.3*atan2(t, 2)"]),
            ),
            "recorded": recorded(*record()),
            "recorded with noise": recorded(
                *record(300, noise=1e-3), position_noise=1e-3, angle_noise=1e-3
            ),
            "sequence": sequence(lifted, hold(there, 0.5), rotation(there, [0, 0, 1], [0, 0, 0],
                                                                    0.4, Quintic(1.0))),
            "stretched": stretched(waypoints(TIMES, POSES), 1.3),
        }  # fmt: skip


MOTIONS = motions()
AT_REST = [k for k in MOTIONS if k not in ("oscillation", "expression") and "record" not in k]


def corners(name):
    """Times at which a derivative above the acceleration may jump."""
    if name == "waypoints with a profile":
        ramp = np.array([0, 1 / 6, 1 / 3, 2 / 3, 5 / 6])  # the corners of each S-curve
        return np.concatenate([t + ramp * d for t, d in zip(TIMES, np.diff(TIMES), strict=False)])
    if name.startswith("waypoints"):
        return TIMES
    if name == "stretched":
        return np.array(TIMES) * 1.3 / 3.1
    if name == "sequence":
        return [1.5, 2.0]
    if name == "screw":  # the corners of the S-curve
        return 1.7 * np.array([1 / 6, 1 / 3, 2 / 3, 5 / 6])
    return []


RECORDED = [name for name in MOTIONS if "recorded" in name]


@pytest.mark.parametrize("name", [name for name in MOTIONS if name not in RECORDED])
def test_twist_and_acceleration_are_the_derivatives_of_the_pose(name):
    assert largest_inconsistency(MOTIONS[name], also=corners(name)) < 1e-9


@pytest.mark.parametrize("name", RECORDED)
def test_a_record_has_derivatives_that_belong_together_between_its_knots(name):
    motion = MOTIONS[name]
    assert largest_inconsistency(motion, step=2e-3, also=motion.corners) < 1e-9


@pytest.mark.parametrize("name", AT_REST)
def test_it_begins_and_ends_at_rest(name):
    motion = MOTIONS[name]
    twist = motion(np.array([0.0, motion.duration])).twist
    assert np.abs(twist).max() < 1e-13


@pytest.mark.parametrize("name", MOTIONS)
def test_before_and_after_it_rests_at_its_ends(name):
    motion = MOTIONS[name]
    T = motion.duration
    outside, ends = motion([-1.0, T + 1.0]), motion([0.0, T])
    assert (outside.pose == ends.pose).all()
    assert not outside.twist.any()
    assert not outside.acceleration.any()


@pytest.mark.parametrize("name", MOTIONS)
def test_any_array_of_times_gives_the_same_as_single_times(name):
    motion = MOTIONS[name]
    t = np.linspace(-0.1, motion.duration + 0.1, 6).reshape(2, 3)
    batch = motion(t)
    assert [x.shape for x in batch] == [(2, 3, 7), (2, 3, 6), (2, 3, 6)]
    for index in np.ndindex(2, 3):
        for whole, one in zip(batch, motion(t[index]), strict=True):
            assert whole[index] == pytest.approx(one, abs=1e-15)


@pytest.mark.parametrize("name", MOTIONS)
def test_the_acceleration_jumps_at_the_breaks_and_nowhere_else(name):
    motion = MOTIONS[name]
    edge = 1e-7
    inner = np.linspace(1e-3, motion.duration - 1e-3, 5001)
    inner = np.concatenate([inner, [t for t in corners(name) if 0 < t < motion.duration]])
    gap = np.abs(motion(inner + edge).acceleration - motion(inner - edge).acceleration).max(-1)
    for t in inner[gap > 1e-3]:
        assert np.abs(t - np.array(motion.breaks)).min() < 1e-3
    for t in motion.breaks:
        jump = motion(t + edge).acceleration - motion(t - edge).acceleration
        assert np.abs(jump).max() > 1e-3


@pytest.mark.parametrize("name", MOTIONS)
def test_it_can_be_sent_to_another_process(name):
    motion = MOTIONS[name]
    copy = pickle.loads(pickle.dumps(motion))
    assert (copy(0.3).pose == motion(0.3).pose).all()


# Screws


def test_a_screw_motion_is_the_exponential_of_its_twist():
    axis, point = np.array([1, -2, 3]) / np.sqrt(14), np.array([0.3, 0.1, -0.4])
    angle, pitch = 2.0, 0.1
    motion = screw(TILTED, axis, point, angle, pitch, Quintic(1.0))
    W = np.cross(axis, np.eye(3)).T
    generator = np.zeros((4, 4))
    generator[:3, :3], generator[:3, 3] = W, -W @ point + pitch * axis
    start = np.eye(4)
    start[:3, :3], start[:3, 3] = gough.rotation(TILTED).as_matrix(), TILTED[:3]
    for t in (0.0, 0.3, 0.77, 1.0):
        pose = motion(t).pose
        theta = angle * Quintic(1.0)(np.array(t)).s
        expected = expm(generator * theta) @ start
        assert pose[:3] == pytest.approx(expected[:3, 3], abs=1e-14)
        assert gough.rotation(pose).as_matrix() == pytest.approx(expected[:3, :3], abs=1e-14)


def test_a_rotation_keeps_its_distance_from_the_axis():
    motion = rotation(HOME, [1, 0, 0], [0, 0, 1.5], [-np.pi / 4, np.pi / 4], Cycloidal(1.0))
    p = motion(np.linspace(0, 1, 50)).pose[:, :3]
    assert np.hypot(p[:, 1], p[:, 2] - 1.5) == pytest.approx(np.full(50, 0.5))
    assert p[0] == pytest.approx([0, -0.5 * np.sin(np.pi / 4), 1.5 - 0.5 * np.cos(np.pi / 4)])
    assert gough.euler(motion(0.0).pose, "xyz")[0] == pytest.approx(-np.pi / 4)


def test_a_motion_between_two_angles_passes_the_start_pose_at_zero():
    motion = rotation(TILTED, [0, 1, 0], [0, 0, 2], [-0.5, 0.5], Cycloidal(2.0))
    assert motion(1.0).pose == pytest.approx(TILTED, abs=1e-14)


def test_a_line_can_be_given_by_its_ends_along_a_direction():
    motion = travelling(HOME, [0, 3, 4], [-0.1, 0.2], Quintic(2.0))
    assert motion(0).pose[:3] == pytest.approx([0, -0.06, 0.92])
    assert motion(2).pose[:3] == pytest.approx([0, 0.12, 1.16])


# Waypoints


@pytest.mark.parametrize("stops", [False, True, [False, True, False, False]])
def test_it_passes_every_waypoint_at_its_time(stops):
    motion = waypoints(TIMES, POSES, stops=stops)
    for t, pose in zip(TIMES, POSES, strict=True):
        found = motion(t).pose
        assert found[:3] == pytest.approx(pose[:3], abs=1e-12)
        assert (gough.rotation(found).inv() * gough.rotation(pose)).magnitude() < 1e-12


def test_it_stops_where_it_is_told_and_only_there():
    motion = waypoints(TIMES, POSES, stops=[False, True, False, False])
    assert np.abs(motion(TIMES[1]).twist).max() < 1e-13
    assert np.abs(motion(TIMES[2]).twist).max() > 0.05


def test_a_way_between_two_stops_is_straight_and_of_least_jerk():
    motion = waypoints([0, 2], [HOME, gough.pose([0.3, 0, 1], rpy=[0, 1.5, 0])])
    t = np.linspace(0, 2, 30)
    way = Quintic(2.0)(t)
    assert motion(t).pose[:, 0] == pytest.approx(0.3 * way.s, abs=1e-14)
    assert motion(t).twist[:, 4] == pytest.approx(1.5 * way.speed, abs=1e-13)
    assert motion(t).acceleration[:, 4] == pytest.approx(1.5 * way.acceleration, abs=1e-12)


def test_a_way_between_two_stops_follows_a_profile():
    motion = waypoints([0, 2, 5], [HOME, POSES[1], POSES[2]], stops=True, profile=Cycloidal)
    t = np.linspace(0, 3, 30)
    way, there = Cycloidal(3.0)(t), POSES[2][:3] - POSES[1][:3]
    np.testing.assert_allclose(
        motion(2 + t).pose[:, :3] - POSES[1][:3], way.s[:, None] * there, atol=1e-14
    )
    np.testing.assert_allclose(motion(2 + t).twist[:, :3], way.speed[:, None] * there, atol=1e-14)


def test_a_turn_beyond_half_a_revolution_goes_on():
    poses = [gough.pose([0, 0, 1], rpy=[0, 0, a]) for a in np.radians([0, 80, 160, 240, 300])]
    motion = waypoints([0, 1, 2, 3, 4], poses)
    assert motion(np.linspace(0.5, 3.5, 40)).twist[:, 5].min() > 0


def test_the_choice_of_frames_does_not_change_the_way():
    turn = Rotation.from_rotvec([0.4, 1.0, -0.3])
    seen = [gough.pose(turn.apply(p[:3]), rotation=turn * gough.rotation(p)) for p in POSES]
    t = np.linspace(0, 3.1, 17)
    one, other = waypoints(TIMES, POSES)(t), waypoints(TIMES, seen)(t)
    assert turn.apply(one.twist[:, 3:]) == pytest.approx(other.twist[:, 3:], abs=1e-12)


# Records


def test_a_record_without_noise_is_passed_exactly():
    t, poses = record()
    motion = recorded(t + 5.0, poses)
    assert motion.duration == pytest.approx(3.0)
    assert motion(t).pose[:, :3] == pytest.approx(poses[:, :3], abs=1e-12)
    assert motion.deviation == pytest.approx((0, 0), abs=1e-12)


def test_smoothing_finds_the_accelerations_that_noise_hides():
    t, noisy = record(600, noise=1e-3)
    motion = recorded(t, noisy, position_noise=1e-3, angle_noise=1e-3)
    inner = np.linspace(0.5, 2.5, 50)
    assert motion(inner).acceleration[:, 0] == pytest.approx(-0.1 * np.sin(inner), abs=0.03)
    assert motion.deviation[0] == pytest.approx(np.sqrt(3) * 1e-3, rel=0.15)
    rough = recorded(t, noisy)
    assert np.abs(rough(inner).acceleration[:, 0]).max() > 5


def test_smoothing_that_does_not_settle_warns():
    t = np.linspace(0, 1, 8)
    rough = gough.pose(np.random.default_rng(0).normal(size=(8, 3)))
    with pytest.warns(MotionWarning, match="did not settle"):
        recorded(t, rough, position_noise=1e-7)


def test_a_record_that_turns_far_between_samples_warns_of_the_way_it_takes():
    yaw = np.radians([0, 100, 200, 250, 260, 270, 280, 290])
    with pytest.warns(MotionWarning, match=r"turns by 100 deg .* at 0 s: the shorter way round"):
        motion = recorded(
            np.arange(8.0), gough.pose(np.zeros((8, 3)), rpy=np.outer(yaw, [0, 0, 1]))
        )
    assert len(motion.cautions) == 1


@pytest.mark.parametrize("end", [3.99, 0.7, 1 / 3, 1e-3, 123.456])
@pytest.mark.parametrize("count", [6, 7, 100, 199])
def test_a_record_may_end_at_any_time(end, count):
    t = np.linspace(0, end, count)
    motion = recorded(t, gough.pose(np.outer(t, [1, 0, 0])))
    assert motion(t).pose[:, 0] == pytest.approx(t, abs=1e-9 * end)


@pytest.mark.parametrize("times", [np.arange(8) * 1e-300, 1 + np.arange(8) * 3e-16])
def test_a_record_of_no_duration_is_refused(times):
    with pytest.raises(MotionError) as caught:
        recorded(times, np.tile(HOME, (8, 1)))
    assert caught.value.key == "times"


# Sequences


def test_a_sequence_begins_each_part_where_the_last_one_ends():
    first = line(HOME, [0.1, 0, 0], Quintic(1.0))
    second = rotation(first(1.0).pose, [0, 0, 1], [0, 0, 0], 0.5, Quintic(2.0))
    motion = sequence(first, second)
    assert motion.duration == 3.0
    assert (motion(0.4).pose == first(0.4).pose).all()
    assert motion(2.5).pose == pytest.approx(second(1.5).pose)
    assert motion.breaks == ()


def test_a_part_that_begins_elsewhere_is_refused():
    with pytest.raises(MotionError) as refused:
        sequence(line(HOME, [0.1, 0, 0], Quintic(1.0)), hold(HOME, 1.0))
    assert refused.value.key == "parts[1]"
    assert refused.value.problem.startswith("begins 0.1 m and 0 rad from")


def test_a_speed_that_jumps_is_refused_with_the_time():
    swing = travelling(HOME, [0, 0, 1], 0.1, Sine(1.0))
    with pytest.raises(MotionError) as refused:
        sequence(hold(HOME, 2.0), swing)
    assert refused.value.key == "parts[1]"
    assert re.search(r"speed jumps by 0\.628 .* at t = 2 s", refused.value.problem)


def test_an_acceleration_that_jumps_warns_with_the_time():
    with pytest.warns(MotionWarning, match=r"jumps at t = 0 s, 30 s: no drive"):
        first = line(HOME, [0.1, 0, 0], Cosine(30.0))
    with pytest.warns(MotionWarning, match=r"t = 0 s, 30 s: no drive"):
        motion = sequence(first, hold(first(30.0).pose, 2.0))
    assert motion.breaks == (0.0, 30.0)


def test_a_motion_back_in_the_same_way_does_not_jump_in_between():
    there = Screw(tuple(HOME), (1.0, 0, 0), (0.0, 0, 0), (0.0, 0), (0, 0.1), Cosine(1.0))
    back = Screw(tuple(HOME), (1.0, 0, 0), (0.0, 0, 0), (0.0, 0), (0.1, 0), Cosine(1.0))
    with pytest.warns(MotionWarning, match="t = 0 s, 2 s:"):
        assert sequence(there, back).breaks == (0.0, 2.0)


def test_stretching_scales_speeds_and_accelerations():
    motion = MOTIONS["waypoints"]
    slow = stretched(motion, 2 * motion.duration)
    assert slow(2.0).pose == pytest.approx(motion(1.0).pose)
    assert slow(2.0).twist == pytest.approx(motion(1.0).twist / 2)
    assert slow(2.0).acceleration == pytest.approx(motion(1.0).acceleration / 4)


# What is refused


@pytest.mark.parametrize(
    ("make", "key", "words"),
    [
        (lambda: rotation(HOME, [0, 0, 0], [0, 0, 0], 1, Quintic(1)), "axis", "no direction"),
        (lambda: rotation(HOME, [0, 1], [0, 0, 0], 1, Quintic(1)), "axis", "shape"),
        (lambda: rotation(HOME, [0, 0, 1], [0, 0, 0], [0, 1, 2], Quintic(1)), "angle", "3 values"),
        (lambda: line(HOME, [0, 0, 0], Quintic(1)), "displacement", "no direction"),
        (lambda: line(HOME, [[1, 0], 0, 0], Quintic(1)), "displacement", "not numeric"),
        (lambda: line(HOME[:6], [0, 0, 1], Quintic(1)), "start", "shape"),
        (lambda: line([0] * 7, [0, 0, 1], Quintic(1)), "start", "quaternion is zero"),
        (lambda: line(HOME, [0, 0, float("nan")], Quintic(1)), "displacement", "not finite"),
        (lambda: screw(HOME, [1, 0, 0], HOME[:3], 1, 0, Quintic(1), frame="world"),
         "frame", "not known"),
        (lambda: hold(HOME, -1), "duration", "not a duration"),
        (lambda: stretched(MOTIONS["line"], 0), "duration", "not a duration"),
        (lambda: waypoints([0, 2, 1], POSES[:3]), "times[2]", "not after the one before"),
        (lambda: waypoints([0, 1e-320, 2], POSES[:3]), "times[1]", "only 1e-320 s after"),
        (lambda: waypoints([0, 1, 1 + 1e-12], POSES[:3], stops=True), "times[2]", "only 1e-12 s"),
        (lambda: waypoints([1, 2, 3], POSES[:3]), "times[0]", "does not begin at 0"),
        (lambda: waypoints([0], POSES[:1]), "times", "1 times"),
        (lambda: waypoints([0, 1], POSES[:3]), "poses", "shape"),
        (lambda: waypoints([0, 1], POSES[:2], stops=[True]), "stops", "not clear"),
        (lambda: waypoints([0, 1, 2], POSES[:3], profile=Cosine), "profile", "passed without"),
        (lambda: waypoints([0, 1], POSES[:2], stops=True, profile=Sine), "profile", "end at rest"),
        (lambda: recorded([0, 1, 1, 2, 3, 4, 5], [HOME] * 7), "times[2]", "not after"),
        (lambda: recorded([0, 1, 2], [HOME] * 3), "times", "3 times"),
        (lambda: recorded(np.arange(9), [HOME] * 9, position_noise=-1), "position_noise", "range"),
        (lambda: sequence(), "parts", "empty"),
    ],
)  # fmt: skip
def test_a_wrong_motion_is_refused_with_its_key(make, key, words):
    with pytest.raises(MotionError) as caught:
        make()
    assert words in caught.value.problem
    assert caught.value.key == key


def test_a_quaternion_of_zero_among_waypoints_is_refused():
    with pytest.raises(MotionError) as caught:
        waypoints([0, 1], [HOME, [0, 0, 1, 0, 0, 0, 0]])
    assert caught.value.key == "poses[1]"


def test_more_than_a_revolution_is_refused():
    poses = [gough.pose([0, 0, 1], rpy=[0, 0, a]) for a in np.radians([0, 120, 240, 355])]
    with pytest.raises(MotionError) as refused:
        waypoints([0, 1, 2, 3], poses)
    assert refused.value.key == "poses[3]"
    assert "turned by 355 deg" in refused.value.problem
