"""Expressions that jump are refused wherever the jump hides; what is only steep is not."""

import re
import time
import warnings
from threading import Event, Thread

import numpy as np
import pytest

from gough.motion import MotionError, MotionWarning, expression, line, quiet, trapezoidal

DURATION = 4.0


@pytest.mark.parametrize(
    ("text", "at", "size"),
    [
        ("0.02*atan2(t - 0.37, 0)", 0.37, "place jumps .* by 0.0628 m"),
        ("erf((t - 0.37)*1e12)", 0.37, "place jumps .* by 2 m"),
        ("tanh((t - 1)*1e12)", 1.0, "place jumps .* by 2 m"),
        ("t if t < 1.2345 else t + 1e-6", 1.2345, "place jumps .* by 1e-06 m"),
        ("atan(tan(t))", np.pi / 2, "place jumps .* by 3.14 m"),
        ("0.5 if t >= T else 0", 4.0, "place jumps .* by 0.5 m"),
        ("sqrt((t - 1.1)**2)", 1.1, "speed jumps .* by 2 m/s"),
        ("sqrt(1e-22 + (t - 1.01)**2)", 1.01, "speed jumps .* by 2 m/s"),
        ("min(sin(t), cos(t))", np.pi / 4, "speed jumps .* by 1.41 m/s"),
    ],
)
def test_a_jump_is_refused_with_its_time_and_size(text, at, size):
    with pytest.raises(MotionError) as caught:
        expression(DURATION, x=text)
    assert re.search(size, caught.value.problem)
    assert time_in(caught.value) == pytest.approx(at, abs=1e-5)


@pytest.mark.parametrize(
    "text",
    [
        "1 if (t - 0.37)**2 < 1e-12 else 0",
        "1 if abs(t - 0.37) < 1e-7 else 0",
        "atan2((t - 0.37)*(t - 0.3700001), -1)",
        "1 if 0.37 <= t and t <= 0.37 else 0",
        "1e-30/(t - 0.37)**2",
    ],
)
def test_a_pulse_between_two_samples_is_found(text):
    with pytest.raises(MotionError) as caught:
        expression(DURATION, x=text)
    assert time_in(caught.value) == pytest.approx(0.37, abs=2e-6)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("1/(t - 0.5)", 0.5),
        ("1/(t - 0.37123)", 0.37123),
        ("tan(t)", np.pi / 2),
        ("log(t)", 0.0),
        ("sqrt(t)", 0.0),
        ("t**1.5", 0.0),
        ("abs(t - 1.3)**1.5", 1.3),
        ("sin(t)/t", 0.0),
        ("sin(t - 1.23)/(t - 1.23)", 1.23),
        ("atanh(t/2)", 2.0),
        ("asin(sin(7*t))", np.pi / 14),
        ("exp(1000*t)", 0.71),
        ("9**9**9", 0.0),
        ("1e300*1e300*t", 0.0),
    ],
)
def test_a_value_that_is_not_finite_is_refused_with_its_time(text, at):
    with pytest.raises(MotionError) as caught:
        expression(DURATION, x=text)
    assert re.search("is not finite|jumps", caught.value.problem)
    assert time_in(caught.value) == pytest.approx(at, abs=3e-3)


@pytest.mark.parametrize(
    ("angles", "what"),
    [
        (["0", "0", "t if t < 3 else t - 0.1"], "attitude jumps at t = 3 s by 0.1 rad"),
        (["0", "0.02*atan2(t - 0.37, 0)", "0"], "attitude jumps at t = 0.37 s by 0.0628 rad"),
        (["abs(t - 1)", "0", "0"], "angular velocity jumps at t = 1 s by 2 rad/s"),
    ],
)
def test_attitudes_that_jump_are_refused_too(angles, what):
    with pytest.raises(MotionError) as refused:
        expression(DURATION, rpy=angles)
    assert what in refused.value.problem


@pytest.mark.parametrize("yaw", ["atan2(sin(3*t), cos(3*t))", "t if t < 3 else t - tau"])
def test_an_angle_may_begin_again_after_a_full_turn(yaw):
    rate = 3.0 if "atan2" in yaw else 1.0
    twist = expression(DURATION, rpy=[0, 0, yaw])(np.linspace(0, DURATION, 7)).twist
    assert twist[:, 5] == pytest.approx(rate)


def test_a_jump_is_found_wherever_it_lies():
    rng = np.random.default_rng(11)
    for _ in range(40):
        at = rng.uniform(0.0, DURATION)
        size = 10 ** rng.uniform(-6, 0)
        form = rng.choice(["{h}*erf((t - {c})*1e13)", "{h}*atan2(t - {c}, 0)/pi + sin(t)"])
        with pytest.raises(MotionError) as caught:
            expression(DURATION, z=form.format(h=f"{size:.17g}", c=f"{at:.17g}"))
        assert caught.value.problem.startswith("the place jumps")
        assert time_in(caught.value) == pytest.approx(at, abs=1e-5)


@pytest.mark.parametrize(
    ("duration", "text", "at"),
    [
        (100, "0.02 if sin(2*pi*40*t) > 0.2 else 0", np.arcsin(0.2) / (80 * np.pi)),
        (40, "0.001 if sin(2*pi*t*100 + 0.1) > 0 else 0", (np.pi - 0.1) / (200 * np.pi)),
        (1, "0.01 if exp(-((t - 0.40033)/1e-7)**2) > 0.5 else 0", 0.40033),
        (4, "0.01 if 1e-3*sin(2*pi*1000*t) + 1 > 1.0005 else 0", 1 / 12000),
        (4, "0.01 if atan2(sin(2*pi*1000*t), cos(2*pi*1000*t)) > 1 else 0", 1 / (2000 * np.pi)),
        (4, "0.01 if (1 if t < 1 else -1)*(t - 3) > 0 else 0", 1.0),
    ],
)
@pytest.mark.parametrize("axis", ["x", "yaw"])
def test_jumps_in_step_with_any_grid_are_refused(duration, text, at, axis):
    given = {"x": text, "z": 0.99} if axis == "x" else {"rpy": [0, 0, text]}
    with pytest.raises(MotionError) as caught:
        expression(duration, **given)
    assert re.match(r"the (place|attitude) jumps", caught.value.problem)
    assert time_in(caught.value) == pytest.approx(at, abs=1e-6)


@pytest.mark.parametrize("form", ["erf", "tanh"])
def test_waves_that_are_square_without_a_condition_are_refused(form):
    with pytest.raises(MotionError) as refused:
        expression(100, x=f"0.02*{form}(1e12*(sin(2*pi*40*t) - 0.5))")
    assert re.match(r"the place jumps .* by 0\.04 m", refused.value.problem)


def test_square_waves_of_any_frequency_are_refused_at_their_first_edge():
    rng = np.random.default_rng(5)
    pairs = [(4, 1000), (8, 500), (10, 400), (16, 250), (20, 200), (100, 40), (400, 10), (1000, 4)]
    periods = 1000 * rng.integers(1, 9, 16)
    durations = rng.choice([0.5, 1, 3, 10, 60, 100, 1000], 16)
    pairs += zip(durations, periods / durations, strict=True)
    for duration, f in pairs:
        level = rng.uniform(-0.95, 0.95)
        text = f"0.001 if sin(2*pi*{float(f)!r}*t) > {level!r} else 0"
        with pytest.raises(MotionError) as caught:
            expression(duration, x=text)
        assert re.match(r"the place jumps .* by 0\.001 m", caught.value.problem)
        turn = np.arcsin(level) if level > 0 else np.pi - np.arcsin(level)
        edge = turn / (2 * np.pi * f)
        assert time_in(caught.value) == pytest.approx(edge, rel=1e-4, abs=1e-9 * duration)


def crossings(f, periods):
    """When a sine of f [Hz] is 1/2: after 1/12 and 5/12 of each period."""
    return ((np.arange(periods)[:, None] + [1 / 12, 5 / 12]) / f).ravel()


@pytest.mark.parametrize(
    ("duration", "text", "times"),
    [
        (60, "0.001*max(0, sin(2*pi*50*t) - 0.5)**2", crossings(50, 3000)),
        (1000, "0.001*max(0, sin(2*pi*3.7*t) - 0.5)**2", crossings(3.7, 3700)),
        (10, "0.01*max(0, 1 - ((t - 4.0013)*1e3)**2)**2", [4.0003, 4.0023]),
        (1, "0.1*max(0, 1 - ((t - 0.40013)*1e4)**2)**2", [0.40003, 0.40023]),
        (4, "0.001*max(0, max(0, sin(2*pi*50*t)) - 0.5)**2", crossings(50, 200)),
    ],
)
def test_a_speed_that_bends_often_or_soon_again_does_not_jump(duration, text, times):
    with pytest.warns(MotionWarning, match="the acceleration jumps"):
        motion = expression(duration, x=text)
    assert motion.breaks == pytest.approx(times, abs=1e-9 * duration)


@pytest.mark.parametrize(
    "text",
    [
        "1 if sin(1e9*t) > 0.5 else 0",
        "+".join(f"1e-3*max(0, sin({k}00*t))**3" for k in range(1, 60)),
    ],
)
def test_what_switches_too_fast_to_be_checked_is_refused_soon(text):
    began = time.process_time()
    with pytest.raises(MotionError) as refused:
        expression(DURATION, x=text)
    assert "switches too fast to be checked" in refused.value.problem
    assert time.process_time() - began < 20.0


SMOOTH = [
    "{a:.6g}*sin({w:.6g}*t + {c:.6g})",
    "{a:.6g}*sin(tau*({f:.6g}*t + {f:.6g}*t**2))",
    "{a:.6g}*exp(-((t - {c:.6g})/{s:.6g})**2)",
    "{a:.6g}*tanh((t - {c:.6g})/{s:.6g})",
    "{a:.6g}*erf((t - {c:.6g})/{s:.6g})",
    "{a:.6g}*atan((t - {c:.6g})/{s:.6g})",
    "{a:.6g}*sqrt({s:.6g}**2 + (t - {c:.6g})**2)",
    "{a:.6g}*t**3*exp(-{c:.6g}*t)",
    "{a:.6g}*cos({w:.6g}*t)/(2 + sin({f:.6g}*t))",
    "{a:.6g}*max(t - {c:.6g}, 0)**3",
    "{a:.6g}*log(1 + t**2/{s:.6g})",
    "{a:.6g}",
]


@pytest.mark.parametrize("seed", range(8))
def test_smooth_motions_are_never_refused(seed):
    rng = np.random.default_rng(seed)

    def term():
        numbers = {
            "a": 10 ** rng.uniform(-6, 1),
            "w": 10 ** rng.uniform(-1, 3.1),  # up to 200 Hz
            "f": 10 ** rng.uniform(-1, 2),
            "c": rng.uniform(0, DURATION),
            "s": 10 ** rng.uniform(-6, 1),
        }
        return str(rng.choice(SMOOTH)).format(**numbers)

    for _ in range(12):
        text = " + ".join(f"{term()}*{term()}" if rng.random() < 0.4 else term() for _ in range(3))
        motion = expression(DURATION, x=text, rpy=[0, f"0.1*sin({term()})", term()])
        assert motion.breaks == ()


@pytest.mark.parametrize(
    "text",
    [
        "sin(2*pi*200*t)",
        "sin(1e5*t)",
        "exp(-((t - 1.37)/1e-3)**2)",
        "tanh((t - 1)*1e6)",
        "1e6 + sin(t)",
        "1e-9*sin(t)",
        "1000*(sin(t)**2 + cos(t)**2) - 1000",
        "0 if t <= 1 else (t - 1)**2.5",
        "1 - (t - 1)**2/6 if abs(t - 1) < 1e-3 else sin(t - 1)/(t - 1)",
    ],
)
def test_what_is_fast_steep_or_guarded_is_accepted(text):
    assert np.isfinite(expression(DURATION, x=text)(1.0).pose).all()


def test_a_fast_oscillation_does_not_look_like_jumps_of_the_acceleration():
    with pytest.warns(MotionWarning, match=r"jumps at t = 2 s:"):
        motion = expression(DURATION, x="0.01*sin(1e4*t)", y="abs(t - 2)*(t - 2)")
    assert motion.breaks == pytest.approx((2.0,), abs=1e-8)
    assert expression(DURATION, x="0.01*sin(1e4*t)", y="abs(t - 2)**3").breaks == ()


def test_what_changes_too_fast_to_be_followed_is_refused_soon():
    began = time.process_time()
    with pytest.raises(MotionError) as refused:
        expression(DURATION, x="sin(1e9*t)")
    assert "too fast to be followed" in refused.value.problem
    assert time.process_time() - began < 20.0


def time_in(error):
    return float(re.search(r"t = (\S+) s", str(error))[1])


def test_a_study_in_another_thread_takes_no_warning_from_this_one():
    begun, ended = Event(), Event()

    def study():
        with quiet():
            begun.set()
            ended.wait(10)

    thread = Thread(target=study)
    thread.start()
    begun.wait(10)
    filters = list(warnings.filters)
    with pytest.warns(MotionWarning, match="the acceleration jumps"):
        jumping()
    ended.set()
    thread.join()
    assert warnings.filters == filters
    with quiet(), warnings.catch_warnings():
        warnings.simplefilter("error")
        jumping()


def jumping():
    return line((0, 0, 1, 1, 0, 0, 0), [0, 0, 0.1], trapezoidal(1.0))
