"""Every public maker of motions, profiles and tasks, called with what it does not expect."""

import warnings

import numpy as np
import pytest

import gough
from gough import motion as gm
from gough.motion import Quintic

HOME = np.array([0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0])
LINE = gm.line(HOME, [0.1, 0, 0], Quintic(1.0))
REST = (0.0, 0.0, 0.0)
MODEL_FREE = {
    gm.Cosine: {"duration": 1.0},
    gm.Cycloidal: {"duration": 1.0},
    gm.Quintic: {"duration": 1.0},
    gm.Sine: {"duration": 1.0, "cycles": 2.0, "phase": 0.1},
    gm.Ramped: {"duration": 1.0, "ramp": 0.3, "rounding": 0.2},
    gm.trapezoidal: {"duration": 1.0, "ramp": 0.3},
    gm.s_curve: {"duration": 1.0, "ramp": 0.3, "rounding": 0.2},
    gm.trapezoidal_within: {"distance": 1.0, "speed": 1.0, "acceleration": 1.0},
    gm.s_curve_within: {"distance": 1.0, "speed": 1.0, "acceleration": 1.0, "jerk": 1.0},
    gm.line: {"start": HOME, "displacement": [1, 0, 0], "profile": Quintic(1.0)},
    gm.travelling: {
        "start": HOME, "direction": [1, 0, 0], "travel": [0, 1], "profile": Quintic(1.0)
    },
    gm.rotation: {
        "start": HOME, "axis": [1, 0, 0], "point": REST, "angle": 0.1, "profile": Quintic(1.0),
        "frame": "base",
    },
    gm.screw: {
        "start": HOME, "axis": [1, 0, 0], "point": REST, "angle": 0.1, "pitch": 0.1,
        "profile": Quintic(1.0), "frame": "base",
    },
    gm.hold: {"pose": HOME, "duration": 1.0},
    gm.waypoints: {"times": [0, 1], "poses": [HOME, HOME], "stops": False},
    gm.recorded: {
        "times": np.arange(8.0), "poses": np.tile(HOME, (8, 1)), "position_noise": 0.0,
        "angle_noise": 0.0,
    },
    gm.expression: {
        "duration": 1.0, "x": "t", "y": 0.0, "z": "1", "euler": ("XYZ", [0, 0, "t"]),
        "constants": {"A": 1.0},
    },
    gm.stretched: {"motion": LINE, "duration": 2.0},
    gm.Place: {"frame": "base", "point": REST, "point_frame": "base"},
    gm.Constant: {"force": REST, "moment": REST, "place": gm.Place()},
    gm.Sinusoidal: {
        "frequency": 1.0, "force": REST, "moment": REST, "phase": 0.0, "place": gm.Place()
    },
    gm.Tabulated: {
        "times": (0.0, 1.0), "forces": (REST, REST), "moments": (REST, REST), "place": gm.Place()
    },
    gm.Payload: {"mass": 1.0, "center_of_mass": REST, "inertia": (1.0, 1.0, 1.0)},
    gm.Contact: {
        "point": REST, "point_frame": "base", "normal": (0, 0, 1), "direction": (1, 0, 0),
        "direction_frame": "base", "fade_speed": 1e-6,
    },
    gm.Polishing: {"normal_force": 1.0, "friction": 0.1, "contact": gm.Contact()},
    gm.Machining: {
        "force": 1.0, "form": "mean", "teeth": 4, "spindle_speed": 100.0, "radial_ratio": 0.3,
        "cutter_radius": 0.0, "contact": gm.Contact(),
    },
    gm.During: {"task": gm.Constant(), "start": 0.0, "end": 1.0},
}  # fmt: skip
ODD = [
    None, "text", "1 m", b"1", True, 1j, np.nan, np.inf, -np.inf, -1.0, 0, 1e308, 1e-320, [], {},
    [[]], [1, 2], [np.nan] * 3, [1, [2, 3], 4], ["a", "b", "c"], [None] * 3, [1j, 0, 0],
    np.zeros(7), np.zeros((2, 2, 2)), np.array("2020-01-01", dtype="datetime64"), 10**400, object(),
    lambda t: t, set(), range(3), "ｔ", "\0", ("XYZ", None), ("XYZ", 1.0), (None, [0, 0, 0]),
    {"a": None}, {1: 2}, [LINE], Quintic(1.0), LINE, gm.Constant(),
]  # fmt: skip
ATTITUDES = {
    "rpy": REST, "euler": ("XYZ", REST), "quaternion": [1, 0, 0, 0], "matrix": np.eye(3),
    "rotation_vector": REST, "rotation": None,
}  # fmt: skip
CASES = [(make, key) for make, arguments in MODEL_FREE.items() for key in arguments]


@pytest.mark.parametrize(("make", "key"), CASES, ids=lambda x: getattr(x, "__name__", x))
def test_an_odd_argument_is_refused_in_a_few_words_or_understood(make, key):
    for odd in ODD:
        made, complaint = outcome(lambda odd=odd: make(**{**MODEL_FREE[make], key: odd}))
        assert len(complaint) < 500, odd
        assert complaint.count("\n") < 4, odd
        assert_sound(made, odd)


def outcome(make):
    """What is made, or None and the words with which it is refused."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", gm.MotionWarning)
        try:
            return make(), ""
        except gough.GoughError as error:
            return None, str(error)


def assert_sound(made, odd):
    """What was made from an odd argument gives finite numbers of the right shape."""
    if isinstance(made, gm.Motion):
        samples = made(np.linspace(0, made.duration, 5))
        assert all(np.isfinite(values).all() for values in samples), odd
    elif isinstance(made, gm.Profile):
        way = made(np.linspace(0, made.duration, 5))
        assert all(np.isfinite(values).all() for values in way), odd
    elif isinstance(made, gm.Task):
        wrench = made.wrench(np.linspace(0, 1, 5), LINE(np.linspace(0, 1, 5)))
        assert np.isfinite(wrench).all(), odd
        assert wrench.shape == (5, 6), odd


@pytest.mark.parametrize("key", ["position", *ATTITUDES])
def test_an_odd_pose_is_refused_in_a_few_words_or_understood(key):
    lists = [[1e308] * 3, [1e308] * 4, [1e-320] * 4, [0] * 4, np.full((3, 3), 1e308), -np.eye(3)]
    for odd in [*ODD, *lists, np.ones((3, 3)), np.array([1j, 0, 0]), ["1", "2", "3"]]:
        made, complaint = outcome(lambda odd=odd: gough.pose(**{"position": REST, key: odd}))
        assert len(complaint) < 300, odd
        assert made is None or made.shape[-1] == 7, odd
        if made is not None:
            assert np.linalg.norm(made[..., 3:], axis=-1) == pytest.approx(1), odd


def test_a_list_of_parts_is_told_how_to_be_a_sequence():
    with pytest.raises(gm.MotionError, match=r"parts\[0\]: a list; .* sequence\(first, second\)"):
        gm.sequence([LINE, LINE])


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: f"{odd!r:.20}")
def test_odd_times_tasks_and_robots_are_refused_in_a_few_words(odd):
    robot = gough.load("demo-hexapod")
    held = [gm.During(gm.Payload(1.0), 0.2, 0.5)]
    calls = [
        lambda: LINE(odd),
        lambda: gm.sequence(odd),
        lambda: gm.Sequence(odd),
        lambda: gm.motion_from_dict(odd, robot),
        lambda: gm.tasks_from_list(odd, robot),
        lambda: gm.tasks_from_list([odd], robot),
        lambda: gm.carrying(robot, odd),
        lambda: gm.carrying(odd, held),
        lambda: gm.carrying(robot, held, odd),
        lambda: gm.carried_over(robot, held, odd),
        lambda: gm.carried_over(robot, odd, [0.0, 1.0]),
        lambda: gm.total_wrench(odd, 0.0, LINE(0.0)),
        lambda: gm.total_wrench(held, odd, LINE(0.0)),
        lambda: gm.total_wrench(held, 0.0, odd),
        lambda: gough.euler(HOME, odd),
        lambda: gough.rotation(odd),
    ]
    for call in calls:
        _, complaint = outcome(call)
        assert len(complaint) < 500


@pytest.mark.parametrize(
    "key", ["robot", "motion", "speed", "force", "acceleration", "samples", "tolerance", "tasks"]
)
def test_an_odd_question_for_the_shortest_time_is_refused_in_a_few_words(key):
    model = gough.Model(gough.load("demo-hexapod"))
    good = {"robot": model, "motion": LINE, "speed": 0.5, "samples": 11, "tolerance": 0.01}
    for odd in [*ODD, 10**12, 1e-30]:
        _, complaint = outcome(lambda odd=odd: gm.fastest(**{**good, key: odd}))
        assert len(complaint) < 500, odd


def test_more_samples_than_there_is_memory_for_are_refused_with_the_size():
    times = np.broadcast_to(0.5, (10**13,))
    with pytest.raises(
        gough.GoughError, match=r"10,000,000,000,000 samples .* 3e\+06 GB of memory"
    ):
        LINE(times)
