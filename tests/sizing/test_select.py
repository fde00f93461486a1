"""Choosing actuators: every margin found again by hand, in the machine with the actuator in it."""

from dataclasses import replace
from math import pi

import numpy as np
import pytest
from robot_samples import edited

import gough
from gough.report import report_page
from gough.sizing import CRITERIA, OperatingConditions
from gough.sizing.criteria import Case
from gough.sizing.mounting import (
    ActuatorLoad,
    mount,
    ranges,
    remarks_on,
    studied_with,
    with_actuator,
)
from gough.sizing.selection import checked as checked_in

SWING = {
    "schema": "gough-study/1",
    "name": "swing",
    "robot": "demo-hexapod",
    "samples": 401,
    "outputs": {"quantities": ["legs", "forces", "drives"]},
    "motion": {
        "kind": "expression",
        "duration": 2,
        "x": "80*mm*sin(pi*t)",
        "z": "0.99 + 40*mm*sin(2*pi*t)",
        "roll": "5*deg*sin(pi*t)",
    },
}
QUIET = SWING | {"name": "quiet", "motion": SWING["motion"] | {"x": "40*mm*sin(pi*t)"}}
HEAVY = [
    {"name": "load", "parameter": "robot.platform.mass", "values": ["150 kg", "600 kg"]},
]


@pytest.fixture(scope="module")
def selection():
    return gough.select("demo-hexapod", [QUIET, SWING], life=5000)


@pytest.fixture(scope="module", params=["3 kN, 0.3 m", "3 kN, 0.5 m", "6 kN, 0.4 m"])
def judged(request, selection):
    """A candidate with the study of its machine, run as anybody would."""
    candidate = selection[request.param]
    robot = selection.robot_with(request.param)
    return candidate, gough.run(SWING | {"robot": robot.to_dict()})


def margin(candidate, name):
    return candidate.requirement(name).margin


def rms(time, values):
    return np.sqrt(np.trapezoid(values**2, time, axis=0) / (time[-1] - time[0])).max()


def test_processes_select_the_same_actuators_to_the_last_bit(selection):
    found = gough.select("demo-hexapod", [QUIET, SWING], life=5000, executor=2)
    assert found.to_dict() == selection.to_dict()
    for here, there in zip(selection.candidates, found.candidates, strict=True):
        for ours, theirs in zip(here.loads, there.loads, strict=True):
            np.testing.assert_array_equal(ours.force, theirs.force)


def test_an_actuator_of_which_nothing_was_checked_has_no_margin(selection):
    unchecked = replace(selection.choice, requirements=())
    with pytest.raises(gough.GoughError, match=unchecked.name):
        _ = unchecked.margin


def test_those_that_suffice_come_first_each_by_its_margin(selection):
    order = [(c.suffices, c.margin) for c in selection.candidates]
    assert order == sorted(order, key=lambda pair: (not pair[0], -pair[1]))
    assert {c.name for c in selection.candidates} == {a.name for a in selection.catalogue.actuators}
    assert 0 < len(selection.sufficient) < len(selection.candidates)


def test_an_actuator_suffices_exactly_if_all_its_margins_are_positive(selection):
    for candidate in selection.candidates:
        assert candidate.suffices == all(r.needed <= r.available for r in candidate.requirements)
        assert bool(candidate.failing) != candidate.suffices


def test_forces_and_speeds_are_held_against_the_actuator(judged):
    candidate, results = judged
    actuator, force, speed = candidate.actuator, results["force"], results["leg_speed"]
    assert margin(candidate, "peak force") == pytest.approx(
        1 - np.abs(force).max() / actuator.peak_force
    )
    assert margin(candidate, "speed") == pytest.approx(1 - np.abs(speed).max() / actuator.max_speed)
    assert margin(candidate, "continuous force") == pytest.approx(
        1 - rms(results.time, force) / actuator.continuous_force
    )
    v, f = np.array(actuator.corners).T
    allowed = np.interp(np.abs(speed), v, f)
    assert margin(candidate, "force at speed") == pytest.approx(1 - (np.abs(force) / allowed).max())


def test_motors_are_held_against_their_ratings(judged):
    candidate, results = judged
    motor, current = candidate.actuator.motor, results["motor_current"]
    assert margin(candidate, "motor current") == pytest.approx(
        1 - np.abs(current).max() / motor.max_current
    )
    bearable = motor.continuous_torque / motor.torque_constant
    for name in ("continuous current", "continuous torque"):
        assert margin(candidate, name) == pytest.approx(1 - rms(results.time, current) / bearable)
    # over a motion that is short beside the time constant, the temperature rise is the mean square
    warm = candidate.requirement("motor thermal load").needed
    assert warm == pytest.approx((rms(results.time, current) / bearable) ** 2, rel=5e-3)


def test_screws_are_held_against_buckling_and_whirling(judged):
    candidate, results = judged
    screw, start = candidate.actuator.screw, candidate.mount.start
    free = screw.dead_length + results["leg_length"] - start
    inertia, area = pi * screw.diameter**4 / 64, pi * screw.diameter**2 / 4
    slenderness = 0.699156 * free / np.sqrt(inertia / area)
    euler = pi**2 * screw.modulus * area / slenderness**2
    assert (slenderness < np.sqrt(2 * pi**2 * screw.modulus / 5e8)).all()  # all are stocky here
    bears = area * 5e8 * (1 - 5e8 * slenderness**2 / (4 * pi**2 * screw.modulus))
    assert (bears < euler).all()
    share = (2 * results["force"].clip(0) / bears).max()
    assert margin(candidate, "buckling") == pytest.approx(1 - share)
    whirls = (3.926602 / free) ** 2 * np.sqrt(screw.modulus * inertia / (screw.density * area))
    turning = 2 * pi * np.abs(results["leg_speed"]) / screw.lead
    assert margin(candidate, "critical speed") == pytest.approx(
        1 - (turning / (0.8 * whirls)).max()
    )


def test_life_is_that_of_the_cubic_mean_load(judged, selection):
    candidate, results = judged
    speed, force = np.abs(results["leg_speed"]), np.abs(results["force"])
    way = np.trapezoid(speed, results.time, axis=0)
    mean = (np.trapezoid(force**3 * speed, results.time, axis=0) / way) ** (1 / 3)
    turns = 1e6 * (candidate.actuator.screw.dynamic_load_rating / mean) ** 3
    hours = turns * candidate.actuator.screw.lead / way * 2 / 3600
    (life,) = [one for one in candidate.lives if one.part == "screw life"]
    assert life.hours == pytest.approx(hours.min())
    assert life.kilometres == pytest.approx(
        turns[hours.argmin()] * candidate.actuator.screw.lead / 1e3
    )
    assert margin(candidate, "screw life") == pytest.approx(1 - 5000 / hours.min())
    assert (candidate.requirement("screw life").motion == "swing") == (life.motion == "swing")


def test_the_stroke_is_that_of_all_motions_and_lies_in_the_middle(selection):
    lengths = np.concatenate([gough.run(SWING)["leg_length"], gough.run(QUIET)["leg_length"]])
    assert selection.stroke == pytest.approx(np.ptp(lengths))
    for candidate in selection.candidates:
        needed = candidate.requirement("stroke")
        assert needed.needed == pytest.approx(np.ptp(lengths))
        assert needed.motion == ""
        middle = candidate.mount.start + candidate.actuator.stroke / 2
        if candidate.mount.piece:
            assert middle == pytest.approx((lengths.min() + lengths.max()) / 2)
        fits = candidate.actuator.retracted_length <= lengths.min()
        assert candidate.requirement("retracted length").holds == fits


def test_at_the_mid_stroke_home_all_legs_are_in_the_middle(selection):
    lengths = gough.Model(selection.robot).inverse_kinematics(selection.home)
    np.testing.assert_allclose(lengths, selection.middle, rtol=1e-9)


def test_the_robot_with_an_actuator_has_its_masses_stroke_and_limits(selection):
    candidate, robot = selection["6 kN, 0.4 m"], selection.robot_with("6 kN, 0.4 m")
    leg = robot.legs[2]
    assert leg.stroke == (candidate.mount.start, candidate.mount.start + 0.4)
    assert (leg.max_force, leg.max_speed) == (6000.0, 0.8)
    assert leg.cylinder.mass == candidate.actuator.housing.mass
    assert leg.piston.mass == candidate.actuator.rod.mass
    assert leg.piston.center_of_mass == pytest.approx(
        candidate.actuator.rod.center_of_mass + candidate.mount.piece
    )
    assert leg.drive.screw_lead == candidate.actuator.screw.lead


def test_the_robot_with_an_actuator_keeps_what_the_catalogue_does_not_give(selection):
    """Connectors, stops and, where a catalogue gives none, the stiffness of the legs."""
    own = selection.robot.legs[2]
    leg = selection.robot_with("6 kN, 0.4 m").legs[2]
    assert (leg.connector, leg.stop, leg.joint_friction) == (
        own.connector, own.stop, own.joint_friction
    )  # fmt: skip
    stiff = gough.Robot.from_dict(
        edited("leg.stiffness", 4e7, gough.load("demo-hexapod").to_dict())
    )
    found = gough.select(stiff, QUIET, bare())
    assert found.robot_with("bare").legs[0].stiffness == 4e7
    assert any("connector, stop of the legs: those of" in words for words in found.choice.remarks)
    given = gough.select(stiff, QUIET, bare(stiffness=9e6))
    assert given.robot_with("bare").legs[0].stiffness == 9e6


def test_cards_and_notes_are_about_the_chosen_actuator(selection):
    other = selection.candidates[-1]
    page = report_page(selection.choosing(other.name))
    cards = (
        page.split('class="cards"')[1].split("</section>")[0] if 'class="cards"' in page else page
    )
    assert f"{other.name}: leg" in cards
    assert not any(f"{c.name}: leg" in cards for c in selection.candidates[:-1])
    assert selection.choosing(other.name).to_dict()["chosen"] == other.name


def test_friction_of_the_joints_decides_which_actuator_is_chosen():
    (weak,) = bare(name="weak", peak_force=900.0)["actuators"]
    catalogue = bare(name="strong", max_speed=0.55)
    catalogue["actuators"].append(weak)
    data = gough.load("demo-hexapod").to_dict()
    data["leg"]["joint_friction"] = {
        key: 100 * value for key, value in data["leg"]["joint_friction"].items()
    }
    usual, rubbing = (
        gough.select(robot, SWING, catalogue)
        for robot in (gough.load("demo-hexapod"), gough.Robot.from_dict(data))
    )
    assert usual.choice.name == "weak"
    assert rubbing.choice.name == "strong"
    needed = [found["strong"].requirement("peak force").needed for found in (usual, rubbing)]
    assert needed[1] > 1.2 * needed[0]


def bare(**keys):
    """An actuator of which little is known."""
    known = {"name": "bare", "stroke": 0.5, "retracted_length": 0.6, "peak_force": 4e3}
    return {
        "schema": "gough-catalogue/1",
        "name": "mine",
        "actuators": [{**known, "max_speed": 1.0, **keys}],
    }


def test_what_a_catalogue_does_not_give_is_not_checked_and_listed():
    found = gough.select("demo-hexapod", SWING, bare())
    (candidate,) = found.candidates
    assert [r.name for r in candidate.requirements] == [
        "stroke",
        "retracted length",
        "peak force",
        "speed",
    ]
    assert "screw life: without screw.dynamic_load_rating" in candidate.not_checked
    assert "motor thermal load: without screw" in candidate.not_checked
    assert candidate.remarks[0] == (
        "masses of the legs are those of the robot's file: the catalogue has no mass"
    )
    own = gough.run(SWING)
    assert candidate.requirement("peak force").needed == pytest.approx(np.abs(own["force"]).max())


def test_of_a_whole_mass_alone_it_is_said_that_it_is_left_out():
    found = gough.select("demo-hexapod", SWING, bare(mass="20 kg"))
    assert "the catalogue has only the mass of the whole" in found.choice.remarks[0]


def test_every_point_of_a_grid_is_a_motion():
    found = gough.select(None, SWING | {"variations": HEAVY}, bare())
    assert found.envelope.motions == ("swing, load 150 kg", "swing, load 600 kg")
    assert found.candidates[0].requirement("peak force").motion == "swing, load 600 kg"


def test_a_motion_from_cold_warms_less_than_one_repeated():
    warm, cold = (
        gough.select("demo-hexapod", SWING, repeated=again)["3 kN, 0.5 m"]
        for again in (True, False)
    )
    needed = [c.requirement("motor thermal load").needed for c in (warm, cold)]
    assert 0 < needed[1] < 0.01 * needed[0]


def test_sliding_drives_of_other_machines_are_judged_without_masses_and_lengths():
    robot, (actuator,) = gough.load("orthoglide"), gough.load_catalogue(bare()).actuators
    time, part = np.linspace(0, 1, 21), np.linspace(0, 0.2, 21)[:, None]
    load = ActuatorLoad("across", time, part * [1, 2, -1], part**0 * 0.2, part * 1e4)
    used = ranges([load])
    place = mount(robot, used, actuator.stroke, actuator.retracted_length)
    assert place.piece is None
    assert place.start + actuator.stroke / 2 == pytest.approx((used.min() + used.max()) / 2)
    candidate = checked_in([Case(actuator, place, load, used, OperatingConditions())], "")
    assert any(n.startswith("retracted length: without lengths") for n in candidate.not_checked)
    assert candidate.requirement("stroke").needed == pytest.approx(0.4)
    assert "masses are those of the robot's file" in remarks_on(robot, actuator, place)[0]
    heavy = robot.model_copy(
        update={"joints": tuple(j.model_copy(update={"armature": 3.0}) for j in robot.joints)}
    )
    driving = gough.load_catalogue().actuators[0]
    assert all(joint.armature is None for joint in studied_with(heavy, driving, place).driven)
    assert remarks_on(heavy, driving, place)[1].startswith("armatures of driven joints are left")
    bare_drive = studied_with(heavy, actuator, place).driven
    assert [joint.armature for joint in bare_drive] == [3.0] * 3
    with pytest.raises(gough.GoughError, match="orthoglide: no hexapod; expected one, whose legs"):
        with_actuator(robot, actuator, place)


@pytest.mark.parametrize("part", ["position", "speed", "force", "current", "torque", "voltage"])
@pytest.mark.parametrize("leg", [0, 5])
def test_an_actuator_of_which_a_need_is_not_known_does_not_suffice(selection, part, leg):
    best = selection.sufficient[0]
    loads = [replace(load, **{part: getattr(load, part).copy()}) for load in best.loads]
    getattr(loads[0], part)[7, leg] = np.nan
    used = ranges(loads) if part == "position" else selection.used
    of = [Case(best.actuator, best.mount, load, used, OperatingConditions()) for load in loads]
    candidate = checked_in(of, ())
    assert not candidate.suffices
    assert candidate.margin == -np.inf
    assert candidate.failing[0] == candidate.tightest
    assert np.isnan(candidate.tightest.needed) or np.isnan(candidate.tightest.available)
    assert all(np.isfinite(r.margin) or r in candidate.failing for r in candidate.requirements)


@pytest.mark.parametrize("name", ["leg_length", "leg_speed", "force"])
def test_a_motion_without_a_number_at_some_time_is_refused(name):
    results = gough.run(SWING)
    results[name][7, 2] = np.nan
    with pytest.raises(gough.GoughError, match="swing: 1 of 401 samples have no"):
        ActuatorLoad.of(results)


@pytest.mark.parametrize(
    ("robot", "studies", "options", "words"),
    [
        ("demo-hexapod", [], {}, "no studies; expected at least one"),
        (
            None,
            [SWING, SWING | {"robot": "bingul-2012"}],
            {},
            "several robots: bingul-2012, demo-h",
        ),
        ("demo-hexapod", SWING, {"life": -1}, "life is -1; expected a number of at least 0"),
        ("demo-hexapod", SWING, {"buckling_safety": 0.5}, "buckling_safety is 0.5; expected"),
        ("demo-hexapod", SWING, {"critical_share": 2}, "critical_share is 2; expected above 0"),
        (
            None,
            {
                "schema": "gough-study/1",
                "name": "across",
                "robot": "delta",
                "motion": {"kind": "line", "displacement": [0.05, 0, 0], "duration": 0.5},
            },
            {},
            "delta: .*turn; expected linear actuators alone",
        ),
    ],
)
def test_what_cannot_be_asked_is_refused(robot, studies, options, words):
    with pytest.raises(gough.GoughError, match=words):
        gough.select(robot, studies, **options)


def test_a_motion_without_forces_is_refused():
    turned = SWING | {
        "motion": {"kind": "rotation", "axis": [0, 0, 1], "angle": "200 deg", "duration": 2}
    }
    with pytest.raises(gough.GoughError, match=r"swing: .* samples have no forces"):
        gough.select("demo-hexapod", turned)


def test_names_that_are_not_there_are_refused(selection):
    with pytest.raises(gough.GoughError, match="no actuator 'x' in electric-cylinders; expected"):
        selection["x"]
    with pytest.raises(gough.GoughError, match="no requirement 'x'; expected one of stroke"):
        selection.candidates[0].requirement("x")


def test_the_page_has_every_actuator_with_every_margin(selection):
    text = report_page(selection)
    for candidate in selection.candidates:
        assert text.count(candidate.name) >= 3
    assert all(criterion.name.capitalize() in text for criterion in CRITERIA)
    stated, _, left = text.partition("Not stated")  # drives are those of the actuators
    assert "efficiency of drives" in stated
    assert "efficiency of drives" not in left
    assert text.count('class="samples"') == 6 * len(selection.candidates)


def test_the_picture_has_every_sample_inside_the_envelope_or_not(selection):
    axis = selection.plot("3 kN, 0.5 m")
    legs = [line for line in axis.lines if line.get_label().startswith("Leg")]
    assert [len(line.get_xdata()) for line in legs] == [802] * 6
    assert {"envelope", "continuous force"} <= {line.get_label() for line in axis.lines}
