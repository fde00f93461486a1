"""Records of motions in study files: columns, units, angles left out, places in a sequence."""

import re
import tomllib

import numpy as np
import pytest

import gough
from gough.motion import (
    MotionError,
    motion_from_dict,
)

ROBOT = gough.load("kalani-2016")


def motion(text, **more):
    return motion_from_dict(tomllib.loads(text), ROBOT, **more)


def test_a_record_is_read_with_the_units_of_its_header(tmp_path):
    t = np.linspace(10, 12, 50)
    lines = [f"{a},{100 * np.sin(a)},{2 * a}" for a in t]
    text = "# measured\nt [s],x [mm],yaw [deg]\n" + "\n".join(lines)
    (tmp_path / "run.csv").write_text(text)
    found = motion(
        'kind = "recorded"\nfile = "run.csv"\nposition_noise = "0 mm"\nangle_noise = 0',
        folder=tmp_path,
    )
    assert found.duration == pytest.approx(2)
    assert found(1).pose[0] == pytest.approx(0.1 * np.sin(11), abs=1e-8)
    assert found(1).twist[5] == pytest.approx(np.radians(2), abs=1e-8)
    assert found(1).pose[2] == pytest.approx(1, abs=1e-14)


def test_a_record_of_quaternions(tmp_path):
    poses = gough.pose(np.zeros((9, 3)), rpy=np.outer(np.linspace(0, 1, 9), [0.1, 0.2, 0.3]))
    rows = [",".join(map(repr, [float(k), *map(float, p[3:])])) for k, p in enumerate(poses)]
    (tmp_path / "q.csv").write_text("t,qw,qx,qy,qz\n" + "\n".join(rows))
    text = 'kind = "recorded"\nfile = "q.csv"\nposition_noise = 0\nangle_noise = 0'
    found = motion(text, folder=tmp_path)
    assert np.abs(found(8).pose[3:]) == pytest.approx(np.abs(poses[-1, 3:]))


def test_cells_of_a_record_may_be_in_quotes(tmp_path):
    rows = [f'"{k}", "{k * k}"' for k in range(7)]
    (tmp_path / "run.csv").write_text("\n".join(['"t [s]", "x [mm]"', *rows]))
    found = motion(RECORD, folder=tmp_path)
    assert found(3).pose[0] == pytest.approx(9e-3)


# Angles that are left out

PLATFORM = ROBOT.to_dict()["platform"]
HOME_TURNED = {"position": [0, 0, 1], "rpy": [0.1, 0.2, 0.35]}
TURNED = gough.Robot.from_dict(ROBOT.to_dict() | {"platform": PLATFORM | {"home": HOME_TURNED}})
RECORD = 'kind = "recorded"\nfile = "run.csv"\nposition_noise = 0\nangle_noise = 0'


@pytest.mark.parametrize("given", ["roll", "pitch", "yaw"])
def test_angles_that_an_expression_leaves_out_stay_as_at_the_start(given):
    data = {"kind": "expression", "duration": 1, given: "0.5*t"}
    found = motion_from_dict(data, TURNED)
    expected = {"roll": 0.1, "pitch": 0.2, "yaw": 0.35} | {given: 0.5}
    assert gough.euler(found(1).pose, "xyz") == pytest.approx(list(expected.values()))


@pytest.mark.parametrize("given", ["roll", "pitch", "yaw"])
def test_angles_that_a_record_leaves_out_stay_as_at_the_start(tmp_path, given):
    rows = [f"{k / 10},{5 * k}" for k in range(11)]
    (tmp_path / "run.csv").write_text("\n".join([f"t,{given} [deg]", *rows]))
    found = motion_from_dict(tomllib.loads(RECORD), TURNED, folder=tmp_path)
    expected = {"roll": 0.1, "pitch": 0.2, "yaw": 0.35} | {given: np.radians(50)}
    assert gough.euler(found(1).pose, "xyz") == pytest.approx(list(expected.values()))


def test_an_expression_in_a_sequence_keeps_the_angles_of_the_part_before_it():
    found = motion("""
        kind = "sequence"
        parts = [
          { kind = "rotation", axis = [0, 0, 1], angle = "20 deg", duration = 1 },
          { kind = "expression", pitch = "5*deg*t**3", duration = 1 },
        ]
    """)
    assert gough.euler(found(2).pose, "xyz", degrees=True) == pytest.approx([0, 5, 20])


def test_angles_are_not_left_out_where_the_start_is_pitched_by_90_degrees(tmp_path):
    first = '{ kind = "rotation", axis = [0, 1, 0], angle = "90 deg", duration = 1 }'
    second = '{ kind = "expression", yaw = "0.1*t", duration = 1 }'
    words = "roll and pitch left out, and the start is pitched by 90 deg"
    with pytest.raises(MotionError) as refused:
        motion(f'kind = "sequence"\nparts = [{first}, {second}]')
    assert refused.value.key == "motion.parts[1]"
    assert words in refused.value.problem
    (tmp_path / "run.csv").write_text("t,yaw\n" + "\n".join(f"{k},0" for k in range(8)))
    record = "{ " + RECORD.replace("\n", ", ") + " }"
    with pytest.raises(MotionError) as refused:
        motion(f'kind = "sequence"\nparts = [{first}, {record}]', folder=tmp_path)
    assert refused.value.key == "motion.parts[1].file"
    assert "run.csv: roll and pitch left out" in refused.value.problem


# Records in a sequence


def sequence_with_a_record(folder, record, before=(), after=(), noise=0.0):
    """Parts around the record of a way along x [m] over a second."""
    t = np.linspace(0, 1, 41)
    rows = [f"{a!r},{x!r}" for a, x in np.stack([t, record(t)], axis=-1).tolist()]
    (folder / "run.csv").write_text("\n".join(["t,x", *rows]))
    part = tomllib.loads(RECORD) | {"position_noise": noise}
    parts = [*before, part, *after]
    return motion_from_dict({"kind": "sequence", "parts": parts}, ROBOT, folder=folder)


def from_rest(t):
    return 0.02 + 0.1 * (10 * t**3 - 15 * t**4 + 6 * t**5)


def test_a_record_that_begins_at_rest_says_where_a_part_can_lead_to_it(tmp_path):
    hold = {"kind": "hold", "duration": 1}
    with pytest.raises(MotionError) as caught:
        sequence_with_a_record(tmp_path, from_rest, [hold])
    assert caught.value.problem.startswith("begins 0.02 m and 0 rad from")
    words = str(caught.value)
    assert caught.value.key == "motion.parts[1]"
    pose = tomllib.loads(words.split("can lead to it: ")[1].replace(", quat", "\nquat"))
    lead = {"kind": "waypoints", "waypoints": [{"time": 0}, {"time": 1} | pose]}
    found = sequence_with_a_record(tmp_path, from_rest, [hold, lead])
    assert found(2.5).pose[0] == pytest.approx(0.07)


def test_a_record_that_does_not_begin_at_rest_is_better_given_as_waypoints(tmp_path):
    hint = "; a record seldom begins and ends at rest: waypoints through its poses do"
    line = {"kind": "line", "displacement": [0.02, 0, 0], "duration": 1}
    with pytest.raises(MotionError) as refused:
        sequence_with_a_record(tmp_path, lambda t: 0.02 + 0.1 * np.sin(t), [line])
    assert refused.value.problem.startswith("the speed jumps by 0.1 ")
    assert hint in refused.value.expected
    with pytest.raises(MotionError) as refused:
        sequence_with_a_record(tmp_path, lambda t: 0.02 + 0.1 * np.sin(9 * t), [line], noise=1e-3)
    assert re.match("begins .* m and 0 rad from", refused.value.problem)
    assert hint in refused.value.expected
    with pytest.raises(MotionError) as refused:  # after it, too
        sequence_with_a_record(tmp_path, np.sin, after=[{"kind": "hold", "duration": 1}])
    assert refused.value.problem.startswith("the speed jumps")
    assert hint in refused.value.expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "no data"),
        ("t [s],x [mm]", "no data"),
        ("t [s],u [mm]\n0,1", r'unknown column "u"'),
        ("t [s],x [kg]\n0,1", r'column "x": .* expected a length'),
        ("t,t\n0,1", r'column "t" appears twice'),
        ("t,x\n0,1,2", r'line 2: "0,1,2"; expected 2 numbers'),
        ("t,x\n0,nan", "line 2"),
        ("x,y\n0,1", r'no column "t"'),
        ("t,qw\n0,1", "attitude is not clear"),
        (
            "t,x\n0,0\n1,0\n\n2,0\n# again\n2,0\n3,0\n4,0\n5,0",
            "line 7: the time is not after the one before it, got 2.0; expected more than 2 s",
        ),
        (
            "t,qw,qx,qy,qz\n" + "\n".join(f"{k},{k != 3:d},0,0,0" for k in range(8)),
            "line 5: the quaternion is zero",
        ),
        ("t;x\n0;1", "semicolons separate its columns; expected commas between columns"),
        ("t\tx\n0\t1", "tabs separate its columns; expected commas between columns"),
        ('t,x\n0,"1,2', r'line 2: "0,"1,2"; expected 2 numbers'),
    ],
)
def test_a_wrong_record_is_refused(tmp_path, text, words):
    (tmp_path / "run.csv").write_text(text)
    with pytest.raises(MotionError) as caught:
        motion(RECORD, folder=tmp_path)
    assert caught.value.key == "motion.file"
    assert re.search(rf"run\.csv: .*{words}", caught.value.problem)
