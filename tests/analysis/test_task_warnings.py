"""What a study says of motions and tasks that its samples do not show as they are."""

import re
from dataclasses import dataclass

import numpy as np
import pytest

from gough import load, run
from gough.analysis import warnings
from gough.analysis.warnings import motion_warnings
from gough.motion import (
    Constant,
    During,
    Machining,
    Motion,
    MotionSamples,
    MotionWarning,
    Payload,
    Sequence,
    Sinusoidal,
    Stretched,
    Tabulated,
    expression,
    hold,
    recorded,
)
from gough.simulation import computed_torque
from gough.simulation.controllers.sensors import Sampling
from gough.simulation.scenario import Scenario
from gough.simulation.simulate import simulate

TIME = np.linspace(0, 4, 401)
PUSH = Constant((1.0, 0.0, 0.0))
SWING = Sinusoidal(30.0, force=(1.0, 0.0, 0.0))
TABLE = Tabulated((10.0, 11.0), ((1.0, 0.0, 0.0),) * 2, ((0.0, 0.0, 0.0),) * 2)
RESTING = hold([0, 0, 1, 1, 0, 0, 0], 4.0)
MILL = Machining(force=1.0, form="teeth", teeth=3, spindle_speed=100 * np.pi)


def task_warnings(tasks, time):
    return warnings.task_warnings(tasks, RESTING, RESTING(time), time)


@pytest.mark.parametrize(
    "task",
    [
        PUSH,
        Payload(2.0),
        Sinusoidal(10.0, force=(1.0, 0.0, 0.0)),  # ten samples a period
        During(PUSH, 3.0, 12.0),
        During(PUSH, 4.0, 12.0),
        Machining(force=1.0, form="mean", teeth=3, spindle_speed=100 * np.pi),
    ],
)
def test_what_the_samples_show_is_not_warned_of(task):
    assert task_warnings([task], TIME) == []


@pytest.mark.parametrize(
    ("task", "period", "rate"),
    [(SWING, "0.0333", 300), (MILL, "0.00667", 1500), (During(SWING, 1.0, 2.0), "0.0333", 300)],
)
def test_a_load_that_repeats_faster_than_samples_show_is_warned_of(task, period, rate):
    (words,) = task_warnings([task], TIME)
    assert words.startswith(f"tasks[0] repeats every {period} s, and the samples are 0.01 s apart")
    assert words.endswith(f"at least {rate} Hz")
    assert task_warnings([task], np.linspace(0, 4, 4 * rate + 1)) == []


def test_the_rate_that_is_named_shows_the_peak_to_five_percent():
    rate = float(re.search(r"at least (\S+) Hz", task_warnings([SWING], TIME)[0])[1])
    for phase in np.linspace(0, np.pi, 50):
        shifted = Sinusoidal(30.0, force=(1.0, 0.0, 0.0), phase=phase)
        assert np.abs(shifted.load(np.arange(0, 1, 1 / rate))).max() > 0.95


@pytest.mark.parametrize(
    "task",
    [
        During(PUSH, 10.0, 12.0),
        During(PUSH, -2.0, -1.0),
        During(PUSH, 1.001, 1.009),  # between two samples
        During(Payload(2.0), 10.0, 12.0),
        During(SWING, 10.0, 12.0),
        TABLE,
    ],
)
def test_a_task_that_never_acts_is_warned_of(task):
    (words,) = task_warnings([task], TIME)
    start, end = task.active
    assert words == (
        f"tasks[0] never acts: it is active from {start:g} s to {end:g} s, and the samples are "
        "from 0 s to 4 s, 0.01 s apart"
    )


def test_a_table_outside_the_time_of_its_task_never_acts():
    assert task_warnings([PUSH, During(TABLE, 1.0, 2.0)], TIME) == [
        "tasks[1] never acts: its table has no times while it is active"
    ]


def test_a_motion_that_its_samples_show_is_not_warned_of():
    motion = expression(4, x="0.1*sin(2*pi*t)", rpy=[0, 0, "tanh(3*(t - 2))"])
    time = np.linspace(0, 4, 41)
    assert motion_warnings(motion, motion(time), time) == []


@pytest.mark.parametrize(
    ("given", "after"),
    [
        ({"x": "0.1*tanh(1e4*(t - 2.003))"}, "2 s"),
        ({"x": "0.1*sin(2*pi*90*t)"}, "0 s"),
        ({"rpy": [0, 0, "erf(1e4*(t - 1.003))"]}, "1 s"),
    ],
)
def test_a_motion_that_changes_between_samples_is_warned_of(given, after):
    motion = expression(4, **given)
    (words,) = motion_warnings(motion, motion(TIME), TIME)
    assert words.startswith("the motion changes between samples that are 0.01 s apart")
    assert f"first after {after}" in words


@dataclass
class Shaken(Motion):
    """A motion of a user: it can be changed, and so has no hash."""

    frequency: float
    duration = 4.0

    __repr__ = object.__repr__

    def _at(self, t):
        zero, turn = 0.0 * t[..., None], 2 * np.pi * self.frequency
        along = np.concatenate([zero] * 5, axis=-1)
        x, v, a = (f(turn * t)[..., None] for f in (np.sin, np.cos, np.sin))
        pose = np.concatenate([0.1 * x, zero, zero, zero + 1, zero, zero, zero], axis=-1)
        twist, second = 0.1 * turn * v, -0.1 * turn**2 * a
        parts = (np.concatenate([rate, along], axis=-1) for rate in (twist, second))
        return MotionSamples(pose, *parts)


def test_a_motion_that_was_changed_is_warned_of_as_it_is():
    motion = Shaken(1.0)
    assert motion_warnings(motion, motion(TIME), TIME) == []
    motion.frequency = 90.0
    (words,) = motion_warnings(motion, motion(TIME), TIME)
    assert "changes between samples" in words
    Shaken.__hash__ = object.__hash__
    motion.frequency = 1.0
    assert motion_warnings(motion, motion(TIME), TIME) == []
    motion.frequency = 90.0
    assert motion_warnings(motion, motion(TIME), TIME) == [words]


def test_a_study_says_where_a_record_is_a_guess():
    t = np.concatenate([np.arange(0, 1, 0.01), np.arange(3, 4, 0.01)])
    with pytest.warns(MotionWarning, match="no samples from 0.99 s to 3 s, otherwise every 0.01 s"):
        motion = recorded(t, np.tile([0, 0, 1.0, 1, 0, 0, 0], (len(t), 1)))
    time = np.linspace(0, motion.duration, 101)
    for whole in (motion, Sequence((motion,)), Stretched(motion, 2.0)):
        (words,) = motion_warnings(whole, whole(time), time)
        assert "no samples from 0.99 s to 3 s" in words


def test_a_study_warns_of_turns_and_spikes_between_its_samples():
    study = {
        "schema": "gough-study/1",
        "name": "between samples",
        "robot": "kalani-2016",
        "motion": {
            "kind": "rotation", "axis": [1, 0, 0], "angle": "91 deg", "duration": "1 s",
            "profile": {"kind": "sine", "cycles": 50},
        },
        "tasks": [
            {
                "kind": "table", "times": [0, 0.501, 0.505, 0.509, 1],
                "forces": [[0, 0, 0], [0, 0, 0], [0, 0, -9e5], [0, 0, 0], [0, 0, 0]],
            }
        ],
        "samples": 101,
    }  # fmt: skip
    words = "\n".join(run(study).warnings)
    assert "the motion changes between samples that are 0.01 s apart, first after 0 s" in words
    assert (
        "tasks[0] changes between samples that are 0.01 s apart, first after 0.5 s, where its "
        "force is 9e+05 N from what they show: peaks are missed; expected a rate of 1250 Hz"
    ) in words


def test_a_simulation_tells_the_same_of_its_motion_as_a_study():
    robot = load("demo-hexapod")
    swing = expression(1, z=f"{robot.home[2]} + 1e-4*sin(2*pi*250*t)**2")
    results = simulate(Scenario(robot, computed_torque(3600, 120), swing, sampling=Sampling(0.004)))
    told = motion_warnings(swing, swing(results.time), results.time)
    assert len(told) == 1
    assert told[0] in results.warnings
