"""The [motion] and [[tasks]] tables of a study file."""

import tomllib

import numpy as np
import pytest
from motion_checks import HOME

import gough
from gough.motion import (
    Machining,
    MotionError,
    MotionWarning,
    Payload,
    motion_from_dict,
    tasks_from_list,
)

ROBOT = gough.load("kalani-2016")


def motion(text, **more):
    return motion_from_dict(tomllib.loads(text), ROBOT, **more)


def tasks(text, **more):
    return tasks_from_list(tomllib.loads(text)["tasks"], ROBOT, **more)


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
    words = "parts\\[1\\]: roll and pitch left out, and the start is pitched by 90 deg"
    with pytest.raises(MotionError, match=words):
        motion(f'kind = "sequence"\nparts = [{first}, {second}]')
    (tmp_path / "run.csv").write_text("t,yaw\n" + "\n".join(f"{k},0" for k in range(8)))
    record = "{ " + RECORD.replace("\n", ", ") + " }"
    with pytest.raises(MotionError, match=r"run\.csv: roll and pitch left out"):
        motion(f'kind = "sequence"\nparts = [{first}, {record}]', folder=tmp_path)


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
    with pytest.raises(MotionError, match=r"begins 0\.02 m and 0 rad from") as caught:
        sequence_with_a_record(tmp_path, from_rest, [hold])
    words = str(caught.value)
    assert caught.value.key == "motion.parts[1]"
    pose = tomllib.loads(words.split("can lead to it: ")[1].replace(", quat", "\nquat"))
    lead = {"kind": "waypoints", "waypoints": [{"time": 0}, {"time": 1} | pose]}
    found = sequence_with_a_record(tmp_path, from_rest, [hold, lead])
    assert found(2.5).pose[0] == pytest.approx(0.07)


def test_a_record_that_does_not_begin_at_rest_is_better_given_as_waypoints(tmp_path):
    hint = "; a record seldom begins and ends at rest: waypoints through its poses do"
    line = {"kind": "line", "displacement": [0.02, 0, 0], "duration": 1}
    with pytest.raises(MotionError, match=f"the speed jumps by 0.1 .*{hint}"):
        sequence_with_a_record(tmp_path, lambda t: 0.02 + 0.1 * np.sin(t), [line])
    with pytest.raises(MotionError, match=f"begins .* m and 0 rad from .*{hint}"):
        sequence_with_a_record(tmp_path, lambda t: 0.02 + 0.1 * np.sin(9 * t), [line], noise=1e-3)
    with pytest.raises(MotionError, match=f"the speed jumps.*{hint}"):  # after it, too
        sequence_with_a_record(tmp_path, np.sin, after=[{"kind": "hold", "duration": 1}])


def test_a_part_that_does_not_follow_its_repetition_is_named():
    line = '{ kind = "line", displacement = [0.1, 0, 0], duration = 1 }'
    with pytest.raises(MotionError, match=r"at its repetition 2, begins 0\.1 m") as caught:
        motion(f'kind = "sequence"\nrepeat = 3\nparts = [{line}]')
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
            "motion.file: none.csv: cannot be read: No such file",
        ),
        ('kind = "recorded"\nfile = "none.csv"', "motion.position_noise: missing"),
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
    assert "\n" not in str(caught.value)


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
    with pytest.raises(MotionError, match=words) as caught:
        motion(RECORD, folder=tmp_path)
    assert caught.value.key == "motion.file"
    assert "run.csv" in str(caught.value)


# Tasks


def test_tasks_are_read_with_units():
    mill, load = tasks("""
        [[tasks]]
        kind = "machining"
        force = "200 lbf"
        lever = "6 in"
        teeth = 4

        [[tasks]]
        kind = "payload"
        mass = "150 lb"
        center_of_mass = [0, 0, "3 in"]
        inertia = ["10 lb ft^2", "10 lb ft^2", "15 lb ft^2"]
    """)
    assert isinstance(mill, Machining)
    assert mill.force == pytest.approx(889.644, abs=1e-3)
    assert mill.contact.point == pytest.approx((0, 0, 0.1524))
    assert isinstance(load, Payload)
    assert load.mass == pytest.approx(68.0389, abs=1e-4)


def test_machining_from_its_factors():
    (mill,) = tasks("""
        [[tasks]]
        kind = "machining"
        specific_force = "1500 N/mm^2"
        depth = "2 mm"
        feed_per_tooth = "0.1 mm"
        form = "teeth"
        spindle_speed = "3000 rpm"
        point = [0, 0, 1.2]
        point_frame = "base"
    """)
    assert mill.tooth_force(np.array(0.0)) == pytest.approx(300)
    assert mill.spindle_speed == pytest.approx(100 * np.pi)


def test_every_kind_of_load_is_read(tmp_path):
    (tmp_path / "wind.csv").write_text("t [ms],fx [kN],mz [N m]\n0,0,0\n1000,1,2")
    found = tasks(
        """
        [[tasks]]
        kind = "constant"
        force = [1, 0, 0]
        moment = [0, 0, "2 N m"]
        [[tasks]]
        kind = "point-force"
        force = ["1 kN", 0, 0]
        point = [0, 0, "10 cm"]
        frame = "platform"
        active = [0, "1 s"]
        [[tasks]]
        kind = "sinusoidal"
        frequency = "2 Hz"
        force = [0, 0, 10]
        [[tasks]]
        kind = "table"
        times = [0, 1, "2 s"]
        forces = [[0, 0, 0], [0, 0, "5 N"], [0, 0, 0]]
        [[tasks]]
        kind = "table"
        file = "wind.csv"
        [[tasks]]
        kind = "polishing"
        normal_force = 20
        friction = 0.3
        lever = 0.1
        """,
        folder=tmp_path,
    )
    samples = gough.motion.MotionSamples(HOME, np.zeros(6), np.zeros(6))
    wrenches = np.array([task.wrench(0.5, samples) for task in found])
    assert wrenches[0] == pytest.approx([1, 0, 0, 0, 0, 2])
    assert wrenches[1] == pytest.approx([1000, 0, 0, 0, 100, 0])
    assert wrenches[2] == pytest.approx(np.zeros(6), abs=1e-13)
    assert wrenches[3] == pytest.approx([0, 0, 2.5, 0, 0, 0])
    assert wrenches[4] == pytest.approx([500, 0, 0, 0, 0, 1])
    assert wrenches[5] == pytest.approx([0, 0, -20, 0, 0, 0])


def test_a_wrong_table_of_loads_names_the_line_of_its_file(tmp_path):
    (tmp_path / "wind.csv").write_text("# wind\nt,fx\n0,0\n1,0\n1,3")
    with pytest.raises(MotionError, match=r"wind\.csv: line 5: the time is not after") as caught:
        tasks('[[tasks]]\nkind = "table"\nfile = "wind.csv"', folder=tmp_path)
    assert caught.value.key == "tasks[0].file"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([{"kind": "milling"}], "tasks[0].kind: not known"),
        ([{}], "tasks[0].kind: missing"),
        ([3], "tasks[0]: not a table"),
        ({"kind": "constant"}, "tasks: not a list"),
        ([{"kind": "constant", "force": ["1 m", 0, 0]}], "tasks[0].force[0]: "),
        ([{"kind": "constant", "frame": "tool"}], "tasks[0].frame: not known"),
        ([{"kind": "point-force", "force": [1, 0, 0]}], "tasks[0].point: missing"),
        ([{"kind": "sinusoidal", "frequency": 0}], "tasks[0].frequency: out of range"),
        ([{"kind": "table"}], "tasks[0].times: not a list"),
        ([{"kind": "table", "times": [1, 0]}], "tasks[0].times[1]: the time is not after"),
        (
            [{"kind": "table", "times": [0, 1], "forces": [[0, 0, 0]]}],
            "tasks[0].forces: has shape (1, 3); expected an array of shape (2, 3)",
        ),
        ([{"kind": "payload", "mass": -1}], "tasks[0].mass: out of range"),
        ([{"kind": "polishing", "normal_force": 1}], "tasks[0].friction: missing"),
        (
            [{"kind": "polishing", "normal_force": 1, "friction": 0, "lever": 1,
              "point": [0, 0, 1]}],
            "tasks[0].lever: given twice",
        ),
        (
            [{"kind": "polishing", "normal_force": 1, "friction": 0, "lever": 1,
              "point_frame": "base"}],
            "tasks[0].lever: a lever is fixed in the platform",
        ),
        ([{"kind": "machining"}], "tasks[0].specific_force: missing"),
        ([{"kind": "constant", "active": [2, 1]}], "tasks[0].active: ends before"),
    ],
)  # fmt: skip
def test_a_wrong_task_is_refused_in_one_line(data, message):
    with pytest.raises(MotionError) as caught:
        tasks_from_list(data, ROBOT)
    assert str(caught.value).startswith(message)
