"""Whether samples show a motion: what they miss is found, and what they show is not."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gough import motion
from gough.motion import (
    Constant,
    Quintic,
    Sine,
    Stretched,
    Tabulated,
    missed_between,
    missed_load,
    quiet,
    s_curve,
    trapezoidal,
)


def silent(make):
    """A maker without its warnings about jumps."""

    def made(*given, **options):
        with quiet():
            return make(*given, **options)

    return made


expression, hold, line = map(silent, (motion.expression, motion.hold, motion.line))
rotation, sequence = map(silent, (motion.rotation, motion.sequence))
waypoints = silent(motion.waypoints)
LOW = np.array([0, 0, 0.99, 1, 0, 0, 0])
HIGH = LOW + [0, 0, 0.3, 0, 0, 0, 0]


def up(duration, profile=Quintic):
    return line(LOW, [0, 0, 0.3], profile(duration))


def down(duration, profile=Quintic):
    return line(HIGH, [0, 0, -0.3], profile(duration))


def missed(motion, count):
    t = np.linspace(0, motion.duration, count)
    return missed_between(motion, motion(t), t)


UNDERSAMPLED = {
    "each sample at a stop": (sequence(*[up(0.5), down(0.5)] * 100), 101),
    "up and down between two": (
        sequence(hold(LOW, 0.5), up(0.005), down(0.005), hold(LOW, 0.49)),
        101,
    ),
    "much shorter than a step": (
        sequence(hold(LOW, 0.5), up(1e-5), down(1e-5), hold(LOW, 0.5)),
        101,
    ),
    "with short ramps": (
        sequence(hold(LOW, 0.5), up(1e-4, s_curve), down(1e-4, s_curve), hold(LOW, 0.5)),
        101,
    ),
    "waypoints out and back": (waypoints([0, 1, 2], [LOW, HIGH, LOW], stops=True), 3),
    "waypoints on samples": (
        waypoints([0, 1, 2, 3, 4], [LOW, HIGH, LOW, HIGH, LOW], stops=True),
        3,
    ),
    "a power of a sine": (expression(1, z="0.99+0.3*sin(2*pi*50*t)**4"), 101),
    "turns to and fro": (rotation(LOW, [1, 0, 0], [0, 0, 0], 1.6, Sine(1.0, cycles=50)), 101),
    "a small swift swing on a slow one": (
        expression(2, z="1+0.1*sin(pi*t)+1e-6*sin(2*pi*1000*t)"),
        1001,
    ),
    "ramps within a step": (
        sequence(hold(LOW, 0.5005), up(1.0, lambda T: trapezoidal(T, 1e-5)), hold(HIGH, 0.5)),
        1001,
    ),
    "a hump without corners": (expression(1, z="1+0.1*exp(-((t-0.505)/0.001)**2)"), 101),
}


@pytest.mark.parametrize(("motion", "count"), UNDERSAMPLED.values(), ids=UNDERSAMPLED.keys())
def test_what_falls_between_samples_is_found(motion, count):
    found = missed(motion, count)
    step = motion.duration / (count - 1)
    t = np.linspace(found.after, found.after + step, 20_001)
    inside = np.abs(motion(t).acceleration).max()
    at_samples = np.abs(motion(np.linspace(0, motion.duration, count)).acceleration).max()
    assert inside > 1.2 * at_samples or np.ptp(motion(t).pose[:, 2]) > 0.05
    assert missed(Stretched(motion, 3 * motion.duration), count).after == pytest.approx(
        3 * found.after
    )


@pytest.mark.parametrize(
    "name", ["each sample at a stop", "up and down between two", "a power of a sine"]
)
def test_the_rate_that_is_named_shows_the_motion(name):
    motion, count = UNDERSAMPLED[name]
    enough = round(missed(motion, count).rate * motion.duration) + 1
    assert missed(motion, enough) is None
    coarse, dense = (
        np.abs(motion(np.linspace(0, motion.duration, n)).acceleration).max()
        for n in (enough, 100 * enough)
    )
    assert coarse > 0.75 * dense


@pytest.mark.parametrize("count", [101, 1001, 30_001])
@pytest.mark.parametrize(
    "motion",
    [
        hold(LOW, 2.0),
        up(1.0),
        up(1.0, trapezoidal),
        up(1.0, s_curve),
        sequence(up(0.37), hold(HIGH, 0.2), down(0.71)),
        rotation(LOW, [0, 1, 0], [0, 0, 0], 1.6, Sine(1.0, cycles=5)),
        expression(3, x="0.1*abs(t-1.234)*(t-1.234)", rpy=[0, 0, "0.2*t"]),
        waypoints([0, 0.4, 1.1, 2], [LOW, HIGH, LOW, HIGH]),
    ],
)
def test_nothing_is_missed_by_samples_that_are_near_enough(motion, count):
    assert missed(motion, count) is None


@settings(max_examples=15, deadline=None)
@given(
    parts=st.lists(st.floats(0.1, 1.0), min_size=1, max_size=4),
    profile=st.sampled_from([Quintic, trapezoidal, s_curve]),
    cycles=st.integers(1, 20),
    offset=st.integers(-1, 1),
)
def test_random_sequences_are_seen_when_sampled_densely_and_not_when_once_a_cycle(
    parts, profile, cycles, offset
):
    cycle = [motion for T in parts for motion in (up(T, profile), down(T, profile))]
    motion = sequence(*cycle * cycles)
    shortest = min(part.duration for part in cycle)
    assert missed(motion, int(40 * motion.duration / shortest) + offset) is None
    assert missed(motion, cycles + 1) is not None


@settings(max_examples=20, deadline=None)
@given(
    frequencies=st.lists(st.integers(1, 50), min_size=1, max_size=3),
    samples_a_period=st.sampled_from([0.5, 1, 12, 20, 50]),
    phase=st.floats(0, 6.28),
)
def test_random_sums_of_sines_are_seen_at_ten_times_their_bandwidth(
    frequencies, samples_a_period, phase
):
    terms = [f"{0.05 / f**2}*sin(2*pi*{f}*t+{phase * k})" for k, f in enumerate(frequencies, 1)]
    motion = expression(1, z="+".join(["1", *terms]))
    count = max(int(samples_a_period * max(frequencies)), 1) + 1
    found = missed(motion, count)
    assert (found is None) == (samples_a_period > 10)


SPIKE = Tabulated(
    (0.0, 0.501, 0.505, 0.509, 1.0),
    ((0, 0, 0), (0, 0, 0), (0, 0, -9e5), (0, 0, 0), (0, 0, 0)),
    ((0, 0, 0),) * 5,
)


def missed_of(task, count):
    motion, t = hold(LOW, 1.0), np.linspace(0, 1, count)
    return missed_load(task, motion, motion(t), t)


def test_a_spike_of_a_table_between_samples_is_found_and_the_rate_that_is_named_shows_it():
    found = missed_of(SPIKE, 101)
    assert found[:4] == (0.5, "force", pytest.approx(9e5), "N")
    enough = round(found.rate) + 1
    assert missed_of(SPIKE, enough) is None
    assert np.abs(SPIKE.load(np.linspace(0, 1, enough))).max() > 0.8 * 9e5


def test_a_table_that_samples_show_is_not_missed():
    t = np.linspace(0, 1, 301)
    smooth = Tabulated(
        tuple(t), tuple((x, 0, 0) for x in np.sin(9 * t)), tuple((0, 0, x) for x in np.cos(7 * t))
    )
    assert missed_of(smooth, 101) is None
    assert missed_of(Constant((1.0, 0.0, 0.0)), 101) is None
