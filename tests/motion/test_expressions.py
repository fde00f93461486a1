"""Motions as expressions of time: what they mean, and what is never let through."""

import contextlib
import gc
import time
import weakref
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import gough
from gough.compiler.memo import KEPT, forget
from gough.motion import MotionError, MotionWarning, expression
from gough.motion.motions import expressions


def test_the_derivatives_are_those_of_complex_steps():
    motion = expression(4, z="1 + 0.15*sin(0.5*t)", x="exp(-t)*tanh(t)/(2 + cos(3*t))")

    def x(t):
        return np.exp(-t) * np.tanh(t) / (2 + np.cos(3 * t))

    t = np.linspace(0, 4, 23)
    h = 1e-20
    assert motion(t).twist[:, 0] == pytest.approx(x(t + 1j * h).imag / h, rel=1e-12, abs=1e-15)
    assert motion(t).pose[:, 2] == pytest.approx(1 + 0.15 * np.sin(0.5 * t), abs=1e-15)
    assert motion(t).twist[:, 2] == pytest.approx(0.075 * np.cos(0.5 * t), abs=1e-15)
    assert motion(t).acceleration[:, 2] == pytest.approx(-0.0375 * np.sin(0.5 * t), abs=1e-15)


@pytest.mark.parametrize("sequence", ["XYZ", "xyz", "ZXZ", "YXZ"])
def test_euler_angles_are_those_of_scipy(sequence):
    motion = expression(2, euler=(sequence, ["0.1 + t", "0.5*cos(t)", "-0.3*t**2"]))
    t = np.linspace(0, 2, 9)
    angles = np.stack([0.1 + t, 0.5 * np.cos(t), -0.3 * t**2], -1)
    wanted = gough.rotation(gough.pose([0, 0, 0], euler=(sequence, angles)))
    assert (gough.rotation(motion(t).pose).inv() * wanted).magnitude().max() < 1e-12


def test_roll_pitch_and_yaw_are_about_the_fixed_axes():
    motion = expression(1, rpy=[0.1, "0.2*t", 0.3])
    expected = gough.rotation(gough.pose([0, 0, 0], rpy=[0.1, 0.1, 0.3]))
    assert (gough.rotation(motion(0.5).pose).inv() * expected).magnitude() < 1e-14


def test_a_turn_about_one_axis_has_its_rate_as_angular_velocity():
    motion = expression(3, euler=("XYZ", [0, "0.4*sin(2*t)", 0]))
    t = np.linspace(0, 3, 11)
    assert motion(t).twist[:, 4] == pytest.approx(0.8 * np.cos(2 * t))
    assert motion(t).acceleration[:, 4] == pytest.approx(-1.6 * np.sin(2 * t), abs=1e-13)


def test_constants_and_the_duration_are_known_by_name():
    motion = expression(5, x="A*sin(tau*t/T) + 10*mm", rpy=[0, "80*deg", 0], constants={"A": 0.2})
    assert motion(1.25).pose[0] == pytest.approx(0.21)
    assert gough.euler(motion(0).pose, "XYZ")[1] == pytest.approx(np.radians(80))


def test_other_constants_use_the_same_machine_code():
    one = expression(5, x="A*t", constants={"A": 0.2})
    other = expression(4, x="A*t", constants={"A": 0.3})
    assert one._kernels[0] is other._kernels[0]
    assert other(1.0).twist[0] == 0.3


def test_conditions_make_pieces():
    motion = expression(4, x="t**3 if t < 1 else 3*t**2 - 3*t + 1")
    assert motion([0.5, 2.0]).pose[:, 0] == pytest.approx([0.125, 7.0])
    assert motion.breaks == ()  # 6 t = 6 on both sides


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("t**2 if t < 1 else 2*t - 1", (1.0,)),
        ("abs(t - 2)**2 * 0.5 * (1 if t < 2 else 3)", (2.0,)),
        ("max(t - 1.5, 0)**2", (1.5,)),
        ("(t - 1)**2 if 1 < t and t <= 3 else (0 if t <= 1 else 4*t - 8)", (1.0, 3.0)),
    ],
)
def test_an_acceleration_that_jumps_warns_with_its_time(text, times):
    with pytest.warns(MotionWarning, match="jumps"):
        motion = expression(4, x=text)
    assert motion.breaks == pytest.approx(times, abs=1e-6)


def test_a_smooth_use_of_abs_does_not_warn():
    assert expression(4, x="abs(t - 2)**3").breaks == ()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("0 if t < 1 else 1", "the place jumps at t = 1 s"),
        ("abs(t - 2)", "the speed jumps at t = 2 s"),
        ("sqrt(1 - t)", "not finite at t ="),
        ("1/(t - 2)", "not finite at t = 2 s"),
        ("t**1.5", "acceleration is not finite at t = 0 s"),
    ],
)
def test_values_that_jump_or_are_not_finite_are_refused(text, words):
    with pytest.raises(MotionError) as refused:
        expression(4, x=text)
    assert words in refused.value.problem


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("sine(t)", 'unknown function "sine" (did you mean "sin"?)'),
        ("1 + amplitude*t", 'unknown name "amplitude"'),
        ("piu", 'unknown name "piu" (did you mean "pi"?)'),
        ("t^2", '"^" is not a power'),
        ("sin", '"sin" is a function'),
        ("sin(t, t)", '"sin" takes 1 values'),
        ("atan2(t)", '"atan2" takes 2 values'),
        ("min()", '"min" takes some values'),
        ("sin(x=t)", "not allowed"),
        ("t.real", "not allowed"),
        ("[t][0]", "not allowed"),
        ("__import__('os').system('true')", "not allowed"),
        ("__import__('os')", "unknown function"),
        ("(lambda: t)()", "not allowed"),
        ("'text'", "not a real number"),
        ("1j", "not a real number"),
        ("True", "not a real number"),
        ("1e999", "too large"),
        ("9" * 400, "too large"),
        ("t if t else 1", "not a condition"),
        ("t if t == 1 else 1", "not a condition"),
        ("t +", "not an expression"),
        ("", "not an expression"),
        ("t\0", "not an expression"),
        ("(" * 500 + "t" + ")" * 500, "not an expression"),
        ("t + " * 600 + "t", "2401 characters"),
        (None, "not numeric"),
        (True, "not numeric"),
        (float("nan"), "not finite"),
    ],
)
def test_a_text_that_is_not_a_formula_is_refused(text, words):
    with pytest.raises(MotionError) as caught:
        expression(1, y=text)
    assert words in caught.value.problem
    assert caught.value.expected
    assert caught.value.key == "y"


@given(st.text(max_size=30))
def test_no_text_does_anything_but_make_a_motion_or_an_error(text):
    from gough.motion.motions.formula import parse

    with contextlib.suppress(MotionError):
        parse(text, {"t": 0.5, "T": 1.0}, "x")


@pytest.mark.parametrize(
    ("arguments", "key"),
    [
        ({"duration": -1}, "duration"),
        ({"duration": 1, "euler": ("XXZ", [0, 0, 0])}, "euler"),
        ({"duration": 1, "euler": ("XYZ", [0, 0])}, "angles"),
        ({"duration": 1, "euler": ("XYZ", "0")}, "angles"),
        ({"duration": 1, "euler": ("XYZ", [0, 0, "u"])}, "angles[2]"),
        ({"duration": 1, "rpy": [0, "v", 0]}, "angles[1]"),
        ({"duration": 1, "rpy": [0, 0, 0], "euler": ("XYZ", [0, 0, 0])}, "euler"),
        ({"duration": 1, "constants": {"t": 1}}, "constants.t"),
        ({"duration": 1, "constants": {"sin": 1}}, "constants.sin"),
        ({"duration": 1, "constants": {"a b": 1}}, "constants.a b"),
        ({"duration": 1, "constants": {"a": "x"}}, "constants.a"),
    ],
)
def test_a_wrong_expression_is_refused_with_its_key(arguments, key):
    with pytest.raises(MotionError) as caught:
        expression(**arguments)
    assert caught.value.key == key


def test_the_helix_of_kalani_needs_the_forces_of_two_independent_models():
    table = np.genfromtxt(
        Path(__file__).parents[1] / "data" / "kalani_case1.csv", delimiter=",", names=True
    )
    motion = expression(float(table["t"].max()), x="0.1*cos(2*t)", y="0.1*sin(2*t)", z="1 + 0.01*t")
    model = gough.Model(gough.load("kalani-2016"))
    force = model.inverse_dynamics(*motion(table["t"]), np.zeros(6))
    columns = [name for name in table.dtype.names if name.startswith(("f", "F"))][:6]
    assert force == pytest.approx(np.stack([table[c] for c in columns], -1), abs=1e-8)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("t" + ".a" * 900, "is not allowed here"),
        ("-" * 900 + "t", "too deep"),
        ("sin(" * 150 + "t" + ")" * 150, "too deep"),
        ("1 if t < 1 else " * 120 + "2", "too deep"),
        ("**".join(["2"] * 600), "too deep"),
        ("+".join(f"1/(t+{k})" for k in range(1, 210)), "209 conditions, roots, quotients"),
        ("max(" + ",".join(f"t-{k}" for k in range(300)) + ")", "299 conditions, roots"),
        ("t+" * 10_000 + "t", "20001 characters"),
        ("'" + "x" * 1500 + "'", "is not a real number"),
        ("9**9**9", "not finite"),
        ("10**400", "not finite"),
        ("ｓｉｎ(t)", "has the character 'ｓ' (U+FF53)"),
        ("sіn(t)", "has the character 'і' (U+0456)"),
        ("0.1·t", "has the character '·'"),
    ],
)
def test_a_text_that_is_too_much_is_refused_soon_in_a_few_words(text, words):
    began = time.process_time()
    with pytest.raises(MotionError) as caught:
        expression(1, x=text)
    assert words in caught.value.problem
    assert caught.value.expected
    assert time.process_time() - began < 0.5
    assert len(str(caught.value)) < 300


def test_a_sum_of_a_thousand_terms_is_a_sum():
    assert expression(1, x="+".join(["t"] * 1000))(0.5).pose[0] == pytest.approx(500)


def test_more_constants_than_anyone_needs_are_refused():
    names = {f"a{k}": 1.0 for k in range(3000)}
    with pytest.raises(MotionError) as caught:
        expression(1, x="a1*t", constants=names)
    assert caught.value.key == "constants"
    assert caught.value.expected == "at most 100"


def test_a_quaternion_of_any_length_is_an_attitude():
    assert expression(1, quaternion=[2, 0, 0, 2])(0.5).pose[3:] == pytest.approx(
        [np.sqrt(0.5), 0, 0, np.sqrt(0.5)]
    )
    with pytest.raises(MotionError) as caught:
        expression(1, quaternion=[0, 0, 0, 0])
    assert caught.value.key == "quaternion"


def test_compiled_expressions_are_not_kept_without_bound(monkeypatch):
    made = weakref.WeakSet()

    class Light:
        def __init__(self, function):
            made.add(self)

    monkeypatch.setattr(expressions, "Kernel", Light)
    forget()
    for k in range(KEPT + 20):
        expressions._kernels((f"{k}*t", 0.0, 0.0), None, "xyz", (1.0, 0.0, 0.0, 0.0), ())
    gc.collect()
    assert len(made) <= KEPT
    forget()
