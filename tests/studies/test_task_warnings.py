"""What a study says of tasks that its samples do not show as they are."""

import re

import numpy as np
import pytest

from gough.motion import Constant, During, Machining, Payload, Sinusoidal, Tabulated
from gough.studies.warnings import task_warnings

TIME = np.linspace(0, 4, 401)
PUSH = Constant((1.0, 0.0, 0.0))
SWING = Sinusoidal(30.0, force=(1.0, 0.0, 0.0))
TABLE = Tabulated((10.0, 11.0), ((1.0, 0.0, 0.0),) * 2, ((0.0, 0.0, 0.0),) * 2)
MILL = Machining(force=1.0, form="teeth", teeth=3, spindle_speed=100 * np.pi)


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
