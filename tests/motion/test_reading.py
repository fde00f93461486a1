"""The [motion] table of a study file."""

import tomllib

import numpy as np
import pytest
from motion_checks import HOME

import gough
from gough.motion import (
    MotionError,
    MotionWarning,
    motion_from_dict,
)

ROBOT = gough.load("kalani-2016")


def motion(text, **more):
    return motion_from_dict(tomllib.loads(text), ROBOT, **more)


def test_a_line_starts_at_home_and_has_units():
    found = motion('kind = "line"\ndisplacement = ["10 cm", 0, "5 mm"]\nduration = "500 ms"')
    assert found.duration == 0.5
    assert found([0, 0.5]).pose[:, :3] == pytest.approx(np.array([[0, 0, 1], [0.1, 0, 1.005]]))


def test_a_line_along_a_direction_from_a_start():
    found = motion("""
        kind = "line"
        direction = [0, 1, 0]
        travel = ["-10 in", "10 in"]
        start = { position = [0, 0, "4 ft"], rpy = [0, 0, "90 deg"] }
        duration = 30
        profile = "quintic"
    """)
    assert found(0).pose == pytest.approx([0, -0.254, 1.2192, 0.5**0.5, 0, 0, 0.5**0.5])


def test_baiges_arc():
    with pytest.warns(MotionWarning, match="t = 0 s, 30 s"):
        found = motion("""
            kind = "rotation"
            axis = [1, 0, 0]
            point = [0, 0, 1.5]
            angle = ["-45 deg", "45 deg"]
            profile = "cosine"
            duration = 30
        """)
    assert gough.euler(found(30).pose, "xyz", degrees=True)[0] == pytest.approx(45)
    assert found(15).pose == pytest.approx(HOME)


def test_a_rotation_without_a_point_is_about_the_platform():
    found = motion('kind = "rotation"\naxis = [0, 0, 1]\nangle = "30 deg"\nduration = 1')
    assert found(1).pose[:3] == pytest.approx([0, 0, 1])


def test_a_screw_has_a_pitch_per_radian_or_per_turn():
    found = motion("""
        kind = "screw"
        axis = [0, 0, 1]
        angle = "90 deg"
        pitch = "40 mm/turn"
        duration = 1
    """)
    assert found(1).pose[2] == pytest.approx(1.01)


def test_limits_of_a_profile_have_the_units_of_the_way():
    found = motion(
        """
        kind = "rotation"
        axis = [0, 0, 1]
        angle = "60 deg"
        profile = { kind = "s-curve", max_speed = "30 deg/s", max_acceleration = "60 deg/s^2",
                    max_jerk = "240 deg/s^3" }
    """.replace("\n                    ", " ")
    )
    assert found.duration == pytest.approx(60 / 30 + 30 / 60 + 60 / 240)
    t = np.linspace(0, found.duration, 2001)
    assert np.degrees(found(t).twist[:, 5].max()) == pytest.approx(30)


def test_an_oscillation_with_cycles_and_phase():
    found = motion("""
        kind = "line"
        direction = [0, 0, 1]
        travel = "10 mm"
        profile = { kind = "sine", cycles = 4, phase = "90 deg" }
        duration = 2
    """)
    assert found(0).pose[2] == pytest.approx(1.01)
    assert found(0.25).pose[2] == pytest.approx(0.99)


def test_waypoints_keep_what_is_not_said():
    found = motion("""
        kind = "waypoints"
        [[waypoints]]
        time = 0
        [[waypoints]]
        time = "1 s"
        position = [0.1, 0, 1]
        stop = true
        [[waypoints]]
        time = 3
        rpy = [0, 0, "20 deg"]
    """)
    assert found(0).pose == pytest.approx(HOME)
    assert not found(1).twist.any()
    assert found(3).pose[:3] == pytest.approx([0.1, 0, 1])
    assert gough.euler(found(3).pose, "xyz", degrees=True)[2] == pytest.approx(20)


def test_expressions_with_constants_that_have_units():
    found = motion("""
        kind = "expression"
        duration = 4
        x = "A*cos(2*t)"
        z = "1 + 0.15*sin(w*t)"
        euler = "YXZ"
        angles = ["5*deg*sin(t)", 0, "0"]
        [constants]
        A = "100 mm"
        w = "0.5 rad/s"
    """)
    assert found(1).pose[0] == pytest.approx(0.1 * np.cos(2))
    assert found(1).pose[2] == pytest.approx(1 + 0.15 * np.sin(0.5))
    assert gough.euler(found(1).pose, "YXZ", degrees=True)[0] == pytest.approx(5 * np.sin(1))


def test_an_expression_keeps_the_start_where_it_says_nothing():
    found = motion('kind = "expression"\nduration = 1\nroll = "0.1*t"')
    assert found(1).pose[:3] == pytest.approx(HOME[:3])
    assert motion('kind = "expression"\nduration = 1\nx = "t"')(1).pose[3:] == pytest.approx(
        HOME[3:]
    )


def test_a_sequence_goes_on_where_the_last_part_ended():
    found = motion("""
        kind = "sequence"
        repeat = 2
        parts = [
          { kind = "line", displacement = [0.1, 0, 0], duration = 1 },
          { kind = "hold", duration = 0.5 },
          { kind = "line", displacement = [-0.1, 0, 0], duration = 1 },
        ]
    """)
    assert found.duration == 5
    assert found([1.2, 3.7]).pose[:, 0] == pytest.approx([0.1, 0.1])


def test_a_part_that_does_not_follow_its_repetition_is_named():
    line = '{ kind = "line", displacement = [0.1, 0, 0], duration = 1 }'
    with pytest.raises(MotionError) as caught:
        motion(f'kind = "sequence"\nrepeat = 3\nparts = [{line}]')
    assert caught.value.problem.startswith("at its repetition 2, begins 0.1 m")
    assert caught.value.key == "motion.parts[0]"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "motion.kind: missing"),
        ('kind = "lin"', 'motion.kind: not known (did you mean "line"?)'),
        ('kind = "line"\nduration = 1', "motion.displacement: missing"),
        ('kind = "line"\ndisplacement = [0, 0, 0]\nduration = 1', "motion.displacement: zero"),
        (
            'kind = "line"\ndisplacement = [1, 0, 0]\ndirection = [1, 0, 0]\nduration = 1',
            "motion.displacement: given twice",
        ),
        ('kind = "line"\ndirection = [1, 0, 0]\nduration = 1', "motion.travel: missing"),
        ('kind = "line"\ndisplacement = [1, 0, 0]', "motion.duration: missing"),
        (
            'kind = "line"\ndisplacement = [1, 0, 0]\nduration = -1',
            "motion.duration: out of range, got -1; expected a time, above 0 s",
        ),
        (
            'kind = "line"\ndisplacement = [1, 0, "3 deg"]\nduration = 1',
            'motion.displacement[2]: "3 deg" is an angle; expected a length',
        ),
        (
            'kind = "line"\ndisplacement = [1, 0, 0]\nduraton = 1',
            'motion.duraton: unknown key (did you mean "duration"?)',
        ),
        (
            'kind = "line"\ndisplacement = [1, 0, 0]\nduration = 1\nprofile = "cosin"',
            'motion.profile.kind: not known (did you mean "cosine"?)',
        ),
        (
            'kind = "line"\ndisplacement = [1, 0, 0]\nduration = 1\n'
            'profile = {kind = "cosine", max_speed = 1}',
            'motion.profile.max_speed: not a key of "cosine"',
        ),
        (
            'kind = "line"\ndisplacement = [1, 0, 0]\n'
            'profile = {kind = "trapezoidal", max_speed = 1}',
            "motion.profile.max_acceleration: missing",
        ),
        (
            'kind = "line"\ndisplacement = [1, 0, 0]\nduration = 1\n'
            'profile = {kind = "trapezoidal", max_speed = 1, max_acceleration = 1}',
            "motion.profile: the duration is given as well",
        ),
        (
            'kind = "line"\ndisplacement = [1, 0, 0]\nduration = 1\n'
            'profile = {kind = "trapezoidal", ramp = 0.7}',
            "motion.profile.ramp: out of range",
        ),
        (
            'kind = "rotation"\naxis = [0, 0, 0]\nangle = 1\nduration = 1',
            "motion.axis: the zero vector has no direction",
        ),
        ('kind = "rotation"\naxis = [0, 0, 1]\nangle = 0\nduration = 1', "motion.angle: zero"),
        ('kind = "waypoints"\nwaypoints = []', "motion.waypoints: not a list"),
        (
            'kind = "waypoints"\nwaypoints = [{time = 0}, {time = 2}, {time = 1}]',
            "motion.waypoints[2]: the time is not after the one before it, got 1.0; expected more",
        ),
        (
            'kind = "waypoints"\nwaypoints = [{time = 0}, {time = 1, rpy = [0, 0, "1 m"]}]',
            "motion.waypoints[1].rpy[2]",
        ),
        (
            'kind = "waypoints"\n'
            "waypoints = [{time = 0}, {time = 1, rpy = [0, 0, 1], quaternion = [1, 0, 0, 0]}]",
            "motion.waypoints[1].rpy: rotation given twice",
        ),
        (
            'kind = "expression"\nduration = 1\nz = "1 + sinn(t)"',
            'motion.z: "1 + sinn(t)": unknown function "sinn" (did you mean "sin"?)',
        ),
        (
            'kind = "expression"\nduration = 1\npitch = "2*u"',
            'motion.pitch: "2*u": unknown name "u"',
        ),
        ('kind = "expression"\nduration = 1\nangles = [0, 0, 0]', "motion.euler: missing"),
        ('kind = "expression"\nduration = 1\neuler = "XYZ"', "motion.angles: missing"),
        ('kind = "expression"\nduration = 1\nconstants = 3', "motion.constants: not a table"),
        (
            'kind = "expression"\nduration = 1\nconstants = { A = "3 kg" }',
            "motion.constants.A: not a number with a known unit",
        ),
        (
            'kind = "recorded"\nfile = "none.csv"\nposition_noise = 0\nangle_noise = 0',
            "motion.file: none.csv: no such file",
        ),
        ('kind = "recorded"\nfile = "none.csv"', "motion.position_noise: missing"),
        (
            'kind = "hold"\nduration = 1\nstart = {rpy = [0, 0, 1], quaternion = [1, 0, 0, 0]}',
            "motion.start.rpy: rotation given twice",
        ),
        ('kind = "sequence"\nparts = 1', "motion.parts: not a list"),
        ('kind = "sequence"\nparts = [1]', "motion.parts[0]: not a table"),
        (
            'kind = "sequence"\nrepeat = 0\nparts = [{kind = "hold", duration = 1}]',
            "motion.repeat: out of range",
        ),
        (
            'kind = "sequence"\nparts = [{kind = "hold", duration = 1}, {kind = "hold"}]',
            "motion.parts[1].duration: missing",
        ),
    ],
)
def test_a_wrong_motion_is_refused_in_one_line(text, message):
    with pytest.raises(MotionError) as caught:
        motion(text)
    assert str(caught.value).startswith(message)
    assert len(str(caught.value).splitlines()) == 1 + len(caught.value.others)


def test_all_that_is_wrong_with_a_motion_is_said_at_once():
    text = 'kind = "sequence"\nparts = [{kind = "hold"}, {kind = "line", profile = "cosin"}]'
    with pytest.raises(MotionError) as caught:
        motion(text)
    keys = [problem.key for problem in caught.value.problems]
    assert keys == ["motion.parts[0].duration", "motion.parts[1].profile.kind"]
