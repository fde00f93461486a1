"""Motions are proved or refuted at every time: no sample contradicts, peaks decide to 1e-6."""

from __future__ import annotations

import json

import casadi as ca
import numpy as np
import pytest

import gough
from gough.analysis import check_motion_proof
from gough.analysis.proved_motion import MotionSearch, searched_motion
from gough.errors import GoughError
from gough.kinematics import Limits
from gough.kinematics.proof.bounding import Bounding
from gough.kinematics.proof.certificate import digest
from gough.kinematics.proof.requirements import Required
from gough.model.machines import Machines
from gough.motion import (
    Constant,
    Cosine,
    Cycloidal,
    During,
    Machining,
    Paced,
    Payload,
    Quintic,
    Sine,
    Sinusoidal,
    Tabulated,
    adept_cycle,
    expression,
    fourier,
    hold,
    in_frames,
    line,
    quiet,
    rotation,
    s_curve,
    sequence,
    sinusoid,
    stretched,
    trapezoidal,
    travelling,
    waypoints,
    with_profile,
)
from gough.motion.motions.over_time import OverTime
from gough.motion.tasks.task import total_wrench
from gough.studies.reading import ExecutorTable

STROKES = Limits(families=("stroke",))
HOME = np.array([0.0, 0, 0.99, 1, 0, 0, 0])


def poses(seed=0):
    rng = np.random.default_rng(seed)
    return [gough.pose(HOME[:3] + rng.uniform(-0.05, 0.05, 3), rpy=list(rng.uniform(-0.2, 0.2, 3)))
            for _ in range(4)]  # fmt: skip


def motions():
    frames = gough.Frames(work=[0, 0, 0.9, 0.9, 0.1, 0.2, 0], tool=[0, 0.1, 0.05, 1, 0.1, 0, 0])
    wave = fourier(HOME, 2.0, x=[[0.01, 0.02], [0.01, 0.0]], about_z=[[0.1, 0.05]])
    steps = waypoints([0, 0.5, 1.1, 2.0], poses(), stops=True)
    return {
        "line": line(HOME, [0.1, 0, 0], Quintic(1.0)),
        "turn": rotation(HOME, [0, 0, 1], [0.1, 0, 0], 0.3, Cycloidal(2.0)),
        "cosine": line(HOME, [0.1, 0, 0], Cosine(1.0)),
        "sine": travelling(HOME, [1, 0, 0], 0.05, Sine(2.0, 2.0, 0.3)),
        "trapezoid": line(HOME, [0.1, 0, 0], trapezoidal(1.0)),
        "s-curve": line(HOME, [0.1, 0, 0], s_curve(1.0)),
        "paced": line(HOME, [0.1, 0, 0], Paced(1.0, (1.0, 2.0, 1.5, 1.0, 1.0))),
        "spline": waypoints([0, 0.5, 1.1, 2.0], poses()),
        "straight": stretched(steps, 3.0),
        "fourier": wave,
        "retimed": with_profile(wave, Cycloidal(3.0)),
        "sinusoid": sinusoid(HOME, 4.0, z=(0.05, 1.0), about_x=(0.1, 0.7)),
        "cycle": adept_cycle(HOME, 0.5),
        "rest": sequence(hold(HOME, 0.5), line(HOME, [0.1, 0, 0], Quintic(1.0))),
        "expression": expression(
            3.0, x="0.1*sin(t)", z="1+0.05*abs(t-2)**3+(0 if t<1 else (t-1)**4)",
            rpy=["0.1*sin(t)", "0", "0.2*t"],
        ),
        "frames": in_frames(line([0, 0, 0.1, 1, 0, 0, 0], [0.1, 0, 0], Quintic(1.0)), frames),
    }  # fmt: skip


with quiet():
    MOTIONS = motions()


@pytest.mark.parametrize("name", MOTIONS)
def test_bounds_over_time_hold_samples_of_every_motion(name):
    motion, rng = MOTIONS[name], np.random.default_rng(1)
    tasks = [Sinusoidal(2.0, (1.0, 2.0, 3.0)), During(Constant((5.0, 0, 0)), 0.2, 0.4)]
    over = OverTime(motion, tasks)
    pieces = np.repeat(np.arange(len(over.pieces)), 6)
    ends = over.pieces[pieces]
    length = np.diff(ends)[:, 0]
    for share in (0.1, 1e-3, 0.0):
        middle = ends[:, 0] + rng.uniform(0, 1, len(pieces)) * length
        half = (share * length)[:, None] * np.array([-1.0, 1.0])
        times = np.clip(middle[:, None] + half, ends[:, :1], ends[:, 1:])
        found = over(pieces, times)
        inside = times[:, :1] + np.diff(times) * rng.uniform(0.001, 0.999, (len(pieces), 20))
        samples = motion(inside)
        wrench = total_wrench(tasks, inside, samples)
        for true, bounds in zip((*samples, wrench), found, strict=False):
            assert np.isfinite(bounds).all()
            assert (bounds[:, None, :, 0] <= true).all()
            assert (true <= bounds[:, None, :, 1]).all()
        if not share:
            assert max(np.ptp(bounds, axis=-1).max() for bounds in found) < 1e-8
    step = 1e-5
    jerk = (motion(middle + step).acceleration - motion(middle - step).acceleration) / (2 * step)
    away = (middle - ends[:, 0] > step) & (ends[:, 1] - middle > step)
    assert np.allclose(
        found.jerk.mean(-1)[away], jerk[away], rtol=1e-3, atol=1e-3 * abs(jerk).max()
    )


def test_turns_beyond_8_rad_have_no_bounds():
    with quiet():
        motion = sinusoid(HOME, 4.0, about_z=(40.0, 0.5))
    t = np.linspace(0.01, 1.99, 50)
    low, high = np.moveaxis(OverTime(motion)(np.zeros(50, int), np.stack([t, t], -1)).pose, -1, 0)
    unknown = ~np.isfinite(low + high).all(-1)
    assert 10 < unknown.sum() < 40
    true = motion(t).pose
    assert (unknown | ((low <= true) & (true <= high)).all(-1)).all()


@pytest.fixture(scope="module")
def delta():
    return gough.load("delta")


def sizes(robot, motion, tasks, t):
    """Strokes, speeds and torques of all motors at times, (3, T, n)."""
    model, samples = gough.Model(gough.motion.carrying(robot, tasks)), motion(t)
    wrench = total_wrench(tasks, t, samples)
    return np.abs([
        model.inverse_kinematics(samples.pose),
        model.joint_velocity(samples.pose, samples.twist),
        model.actuator_force(*samples, wrench),
    ])  # fmt: skip


def peaks(robot, motion, tasks):
    """The maxima, by dense samples and finer ones around the worst."""
    t = np.linspace(0, motion.duration, 4001)
    found = []
    for k, coarse in enumerate(sizes(robot, motion, tasks, t).max(-1)):
        at = t[coarse.argmax()]
        near = np.clip(at + np.linspace(-1, 1, 8001) * t[1], 0, motion.duration)
        found.append(float(sizes(robot, motion, tasks, near)[k].max()))
    return found


def limited(robot, stroke, speed, torque):
    """The robot with other limits of all motors."""
    new = {"range": (-stroke, stroke), "max_speed": speed, "max_torque": torque}
    joints = [j.model_copy(update=new) if j.is_driven else j for j in robot.joints]
    return robot.model_copy(update={"joints": tuple(joints)})


def test_a_limit_just_above_the_peak_is_proved_and_one_just_below_is_refuted(delta):
    motion = fourier(delta.home, 2.0, x=[[0.03, 0.02]], y=[[0, 0.02]], z=[[0.0, 0.05]])
    tasks = [Payload(0.5, (0, 0, 0.02)), Sinusoidal(1.0, (0, 5.0, 0))]
    true = peaks(delta, motion, tasks)
    above = [x * (1 + 1e-6) for x in true]
    proof = gough.prove_motion(limited(delta, *above), motion, tasks, limits=STROKES)
    assert proof.verdict == "proved"
    assert proof.low.min() >= 0
    assert len(proof.proved) < 2000
    for k, family in enumerate(("range", "speed", "force")):
        below = [x * (1 - 1e-6) if j == k else above[j] for j, x in enumerate(true)]
        found = gough.prove_motion(limited(delta, *below), motion, tasks, limits=STROKES)
        assert found.verdict == "refuted"
        assert found.counter_example.limit.family == family
        assert -3e-6 < found.counter_example.margin < 0
        there = sizes(delta, motion, tasks, np.array([found.counter_example.coordinates[0]]))[k]
        assert there.max() > below[k]  # at the time that is stated


def table(start, end, force):
    return Tabulated((start, end), (force,) * 2, ((0.0, 0.0, 0.0),) * 2)


@pytest.mark.parametrize(
    ("at", "loads"),
    [
        (1.0, [During(Constant((0, 0, -1000.0)), 1.0, 2.0)]),
        (0.0, [During(Constant((0, 0, -1000.0)), -1.0, 0.0)]),
        (0.5, [During(Constant((0, 0, -500.0)), *ends) for ends in ((0.0, 0.5), (0.5, 1.0))]),
        (0.5, [table(0.0, 0.5, (0, 0, -500.0)), table(0.5, 1.0, (0, 0, -500.0))]),
        (0.5, [During(Constant((0, 0, -1000.0)), 0.5, 0.5 + 1e-15)]),
        (1.0, [During(Payload(100.0), 1.0, 2.0)]),
    ],
)
def test_loads_that_act_for_an_instant_count_as_in_samples(delta, at, loads, tmp_path):
    motion, t = hold(delta.home, 1.0), np.linspace(0.0, 1.0, 101)
    robots = [gough.motion.carrying(delta, loads, float(x)) for x in t]
    wrench = total_wrench(loads, t, motion(t))
    forces = [gough.Model(one).actuator_force(*(x[k] for x in motion(t)), wrench[k])
              for k, one in enumerate(robots)]  # fmt: skip
    exceeded = (np.abs(forces) > 130.0).any(-1)
    assert t[exceeded].tolist() == [at]
    found = gough.prove_motion(delta, motion, loads, limits=STROKES)
    assert found.verdict == "refuted"
    assert found.counter_example.coordinates == pytest.approx([at])
    found.save(tmp_path / "c.json")
    checked = check_motion_proof(tmp_path / "c.json", delta, motion, loads, at_most=1)
    assert checked.verdict == "refuted"
    assert gough.prove_motion(delta, motion, loads[1:], limits=STROKES).verdict == "proved"


def test_a_load_that_ends_a_rounding_before_the_motion_is_missed_at_its_end(delta):
    end = 0.1 + 0.2
    loads = [Constant((0, 0, -1000.0)), During(Constant((0, 0, 1000.0)), -1.0, 0.3)]
    motion = hold(delta.home, end)
    assert 0.3 < end == motion.duration
    assert not total_wrench(loads, np.array(0.3), motion(0.3)).any()
    assert total_wrench(loads, np.array(end), motion(end))[2] == -1000.0
    found = gough.prove_motion(delta, motion, loads, limits=STROKES)
    assert found.verdict == "refuted"
    assert found.counter_example.coordinates > 0.3


def test_random_motions_are_decided_as_dense_samples_say(delta):
    verdicts = []
    for case in range(20):
        rng = np.random.default_rng(case)
        size = 10 ** rng.uniform(-1.6, -0.5)
        waves = {axis: rng.uniform(-size, size, (2, 2)) for axis in "xyz"}
        motion = fourier(delta.home, 1.5, **waves)
        found = gough.prove_motion(delta, motion, limits=STROKES)
        t = np.linspace(0, motion.duration, 2001)
        margin = gough.kinematics.margins(delta, motion(t).pose, STROKES).min(initial=np.inf)
        _, speed, torque = sizes(delta, motion, (), t)
        holds = margin >= 0 and speed.max() <= 10.4719 and torque.max() <= 130.0
        verdicts.append(found.verdict)
        if not holds:
            assert found.verdict != "proved"
        if found.verdict == "refuted":
            assert found.counter_example.margin < 0
    assert min(verdicts.count("proved"), verdicts.count("refuted")) >= 5
    assert verdicts.count("undecided") <= 1


def turning(robot, angle):
    return rotation(robot.home, [0, 0, 1], [0, 0, 0], angle, Quintic(1.0))


def test_a_condition_number_that_is_exceeded_is_found_with_its_time():
    robot = gough.load("planar-3rrr")
    limits = Limits(families=("singularity",), max_condition=5.0)
    motion = turning(robot, 1.5)
    found = gough.prove_motion(robot, motion, limits=limits)
    assert gough.Model(robot).singularity(motion(np.linspace(0, 1, 2001)).pose).condition.max() > 5
    assert found.verdict == "refuted"
    assert found.counter_example.limit.family in ("condition number", "singularity", "force")
    assert gough.prove_motion(robot, turning(robot, 0.05), limits=limits).verdict == "proved"


def test_a_motion_through_a_singularity_is_never_proved():
    robot, limits = gough.load("planar-3rrr"), Limits(families=("singularity",))
    for angle in (0.6, 1.0):  # the determinant changes its sign near 0.58 rad
        motion = turning(robot, angle)
        sides = gough.kinematics.margins(robot, motion(np.linspace(0, 1, 201)).pose, limits)
        assert sides.max() > 0 > sides.min()
        found = gough.prove_motion(robot, motion, limits=limits)
        assert found.verdict == "refuted"
    assert found.counter_example.limit.family == "singularity"
    assert gough.kinematics.margins(robot, found.counter_example.pose, limits).min() < 0
    assert gough.prove_motion(robot, turning(robot, -0.6), limits=limits).verdict == "proved"


def test_forces_of_legs_with_eleven_joints_are_bounded():
    robot = gough.load("quattro")
    motion = line(robot.home, [2e-3, 0, 0], Quintic(1.0))
    found = gough.prove_motion(robot, motion, limits=Limits(families=("stroke",)), at_most=200)
    assert found.verdict == "proved"
    state = motion(np.linspace(0, 1, 201))
    forces = gough.Model(robot).actuator_force(state.pose, state.twist, state.acceleration)
    margins = (1 - np.abs(forces) / [a.max_force for a in robot.actuators]).min(0)
    assert (found.low[-4:] <= margins).all()
    assert (found.low[-4:] > margins - 0.05).all()


def test_a_study_is_proved_and_what_it_cannot_have_is_refused(delta):
    motion = line(delta.home, [0.05, 0, 0], Quintic(1.0))
    found = gough.Study(delta, motion).prove(limits=STROKES)
    assert found.verdict == "proved"
    assert "proved for all times" in found.heading[1]
    more = {"base": hold(delta.home, 1.0), "tolerances": {"*": 1e-5}}
    more["executor"] = ExecutorTable(workers=2)
    for key, value in more.items():
        with pytest.raises(GoughError, match=rf"expected a study without \[{key}\]"):
            gough.Study(delta, motion, **{key: value}).prove()


def test_forces_of_approximate_legs_are_not_proved():
    robot, name = gough.load("demo-hexapod"), "gravity-only-legs"
    model, motion = gough.Model(robot, formulation=name), line(robot.home, [0.01, 0, 0], Quintic(1))
    for prove in (
        lambda: gough.prove_motion(model, motion),
        lambda: model.prove([0.01] * 3, wrench=1),
    ):
        with pytest.raises(
            GoughError, match=r"gravity-only-legs approximates: .*; a proof is of exact"
        ):
            prove()
    assert model.prove([0.01] * 3, limits=STROKES).verdict == "proved"
    with pytest.raises(GoughError, match="expected a study without formulation = "):
        gough.Study(robot, motion, formulation=name).prove()
    assert gough.Study(robot, motion, formulation="kane").prove(limits=STROKES).verdict == "proved"


def test_what_has_no_bounds_is_refused(delta):
    motion = line(delta.home, [0.05, 0, 0], Quintic(1.0))
    with pytest.raises(GoughError, match="no expression of time and pose"):
        gough.prove_motion(delta, motion, [Machining(force=10.0)], limits=STROKES)
    inner = sequence(motion, hold(motion(1.0).pose, 1.0))
    with pytest.raises(GoughError, match="no expression of time"):
        gough.prove_motion(delta, with_profile(inner, Quintic(2.0)), limits=STROKES)
    robot = gough.load("kalani-2016")
    up = line(robot.home, [0, 0, 0.05], Quintic(1.0))
    with pytest.raises(GoughError, match="no limit is stated that could be proved"):
        gough.prove_motion(robot, up, limits=STROKES)
    with pytest.raises(GoughError, match="tasks: a Payload; expected a list of tasks"):
        gough.prove_motion(delta, motion, Payload(5.0), limits=STROKES)
    with pytest.raises(GoughError, match="the motion asks for"):
        gough.prove_motion(delta, rotation(delta.home, [1, 0, 0], [0, 0, 0], 0.1, Quintic(1.0)))


def shifted(robot, x, roll="0"):
    start = dict(zip("xyz", map(str, robot.home[:3]), strict=True))
    return expression(1.0, **(start | {"x": f"{start['x']}+{x}"}), rpy=[roll, "0", "0"])


def test_a_turn_between_samples_that_the_robot_cannot_do_is_refused(delta):
    for size in (0.02, 0.3):  # zero, and at rest, at 101 samples
        motion = shifted(delta, "0.01*t", f"{size}*sin(100*pi*t)**2")
        with pytest.raises(GoughError, match=r"speed of rx = .* delta \(x y z\) cannot do"):
            gough.prove_motion(delta, motion, limits=STROKES)


def test_profiles_beyond_the_ends_of_a_motion_are_refused(delta):
    motion = shifted(delta, "0.1*t")
    for profile in (Sine(2.0), Sine(2.0, 0.5, -0.1)):
        with pytest.raises(GoughError, match="the profile goes from"):
            with_profile(motion, profile)
    with_profile(motion, Sine(2.0, 0.5)).law(ca.SX.sym("t"), 0.5)  # there and back


def test_every_stated_maximum_counts_and_limits_that_are_not_proved_are_listed(delta):
    motion = line(delta.home, [0.05, 0, 0], Quintic(0.12))
    first = next(k for k, joint in enumerate(delta.joints) if joint.is_driven)
    joints = list(delta.joints)
    joints[first] = joints[first].model_copy(update={"max_torque": None, "max_power": 1.0})
    robot = delta.model_copy(update={"joints": tuple(joints)})
    found = gough.prove_motion(robot, motion, [Payload(50.0)], limits=STROKES)
    assert (found.verdict, found.counter_example.limit.family) == ("refuted", "force")
    assert {"power", "passive joint"} <= set(found.left_out)
    assert "power" in found.to_dict()["left_out"]
    assert "stated, but left out" in str(found.tables()[0])
    with pytest.raises(GoughError, match="has no maximum force"):
        gough.prove(robot, [0.01, 0, 0], limits=STROKES, wrench=[1.0] * 6)


def assert_fills(found):
    """All times of the motion are proved or undecided."""
    times = np.concatenate([found.proved, found.undecided])
    times = times[np.argsort(times[:, 0])]
    assert (times[0, 0], times[-1, 1]) == (0.0, found.motion.duration)
    assert (times[1:, 0] <= np.maximum.accumulate(times[:, 1])[:-1]).all()


@pytest.mark.parametrize(
    ("x", "verdict"), [("0.001*(t-0.3)**103", "proved"), ("0.01*t**2.5", "undecided")]
)
def test_proved_and_undecided_intervals_fill_all_times(delta, x, verdict):
    found = gough.prove_motion(delta, shifted(delta, x), limits=STROKES, at_most=1000)
    assert found.verdict == verdict  # the jerk of a root has no bound at its beginning
    assert found.share_undecided < 1e-9
    assert_fills(found)


def rewritten(path, content, **new):
    """A certificate with other content, and its SHA-256."""
    content = {key: value for key, value in (content | new).items() if key != "sha256"}
    path.write_text(json.dumps(content | {"sha256": digest(content)}))
    return path


def test_certificates_of_motions_hold_and_changed_ones_are_refused(delta, tmp_path):
    with quiet():
        motion = line(delta.home, [0.05, 0, 0], trapezoidal(0.4))
    tasks, path = [Payload(0.5), Sinusoidal(2.0, (0, 3.0, 0))], tmp_path / "motion.json"
    proof = gough.prove_motion(delta, motion, tasks, limits=STROKES)
    proof.save(path)
    checked = check_motion_proof(path, delta, motion, tasks, at_most=6)
    assert (checked.verdict, checked.boxes, checked.evaluated) == ("proved", len(proof.proved), 6)
    with pytest.raises(GoughError, match="about a motion; expected that of a box"):
        gough.kinematics.check_proof(path, delta)
    with quiet():
        longer = line(delta.home, [0.05000001, 0, 0], trapezoidal(0.4))
    for other in ((motion, [Payload(0.51), tasks[1]]), (motion, tasks[:1]), (longer, tasks)):
        with pytest.raises(GoughError, match="another motion"):
            check_motion_proof(path, delta, *other)
    content = json.loads(path.read_text())
    first, *rest = content["boxes"]
    for code in (first[:-1], first[1:], "+" + first, ""):
        with pytest.raises(GoughError, match="the certificate does not hold"):
            check_motion_proof(
                rewritten(path, content, boxes=[code, *rest]), delta, motion, tasks, at_most=1
            )


def test_speeds_and_forces_that_a_certificate_does_not_require_are_left_out(delta, tmp_path):
    motion, path = line(delta.home, [0.05, 0, 0], Quintic(1.0)), tmp_path / "motion.json"
    searched_motion(MotionSearch(delta, Required(STROKES), motion, ()), 1000).save(path)
    statement = check_motion_proof(path, delta, motion, at_most=2).statement
    assert {"speed", "force"} <= set(statement.partition("left out: ")[2].split(", "))


def test_a_false_certificate_of_a_motion_is_refused_and_a_true_refutation_holds(delta, tmp_path):
    motion, path = line(delta.home, [0.05, 0, 0], Quintic(0.08)), tmp_path / "motion.json"
    found = gough.prove_motion(delta, motion, [Payload(5.0)], limits=STROKES)
    assert found.verdict == "refuted"
    found.save(path)
    given = delta, motion, [Payload(5.0)]
    assert check_motion_proof(path, *given, at_most=1).verdict == "refuted"
    content = json.loads(path.read_text())
    codes = [code.replace("?", "+") for code in content["boxes"]]
    false = {"verdict": "proved", "counter_example": None, "boxes": codes}
    with pytest.raises(GoughError, match="is not proved"):
        check_motion_proof(rewritten(path, content, **false), *given)
    for t in (0.0, -0.01, content["duration"]):
        example = content["counter_example"] | {"coordinates": [t]}
        with pytest.raises(GoughError, match=r"is violated everywhere|is not in the box"):
            check_motion_proof(rewritten(path, content, counter_example=example), *given)


def test_an_interrupt_leaves_no_interval_out(delta):
    class Interrupted(list):
        def append(self, _):
            raise KeyboardInterrupt

    required = Required(STROKES, speed=True, force=True)
    search = MotionSearch(delta, required, shifted(delta, "0.01*t"), ())
    search.small = Interrupted()
    with pytest.raises(KeyboardInterrupt):
        search.decide(64)
    assert_fills(search.found())


def test_bounds_in_the_middle_of_time_are_those_of_all_coordinates(delta):
    required, half = Required(STROKES, speed=True, force=True), np.zeros(24)
    half[:3] = 1e-3
    bounding = Bounding(required, Machines(delta), np.array(delta.home))
    corners = half * np.random.default_rng(0).choice([-1.0, 1.0], (40, 24))
    low, high = bounding.at(corners)[..., 1].min(0), bounding.at(corners)[..., 0].max(0)
    box = np.stack([-half, half], -1)[None]
    found = bounding._natural(box, np.arange(3), np.zeros((1, 24)))[0, : len(low)]
    assert (found[:, 0] <= low).all()
    assert (high <= found[:, 1]).all()


def test_an_exhausted_search_is_undecided_and_says_where(delta):
    motion = sinusoid(delta.home, 4.0, z=(0.1, 1.0))
    found = gough.prove_motion(delta, motion, limits=STROKES, at_most=10)
    assert found.verdict == "undecided"
    assert 0.5 < found.share_undecided < 1
    assert np.isclose(np.diff(found.proved).sum() + np.diff(found.undecided).sum(), 4.0)
    assert found.to_dict()["margins"] is None
    assert found.heading[1] == "undecided for a motion of 4 s"
