"""Legs along the first axis of their universal joint, and legs without length, on a motion."""

import json

import numpy as np
import pytest
from study_samples import data

import gough
from gough.report.study_page import grid_page, study_page
from gough.studies.run import run

LEG, WAY, SPEED = 2, np.array([0.08, 0.0, 0.0]), 0.08
WHEN = 0.437
"""When leg 3 stands along its first axis; between samples, unless these are 1001."""


def robot_with_axis(along):
    """The demo hexapod, with the first axis of leg 3 along a direction."""
    robot = gough.load("demo-hexapod")
    legs = list(robot.legs)
    axis = tuple((along / np.linalg.norm(along)).tolist())
    legs[LEG] = legs[LEG].model_copy(update={"first_axis": axis})
    return robot.model_copy(update={"legs": tuple(legs)})


def through_the_axis(samples, aside=(0.0, 0.0, 0.0), when=WHEN, **changes):
    """A straight way at constant speed through, or past, the direction of the first axis."""
    home = gough.load("demo-hexapod")
    leg, start = home.legs[LEG], np.array(home.home[:3]) - WAY / 2
    meets = start + when * WAY + np.array(leg.platform) - np.array(leg.base)
    robot = robot_with_axis(meets).to_dict()
    x, y, z = (start + np.array(aside)).tolist()
    motion = {"kind": "expression", "duration": 1, "x": f"{x!r} + {SPEED}*t", "y": y, "z": z}
    given = {"robot": robot, "motion": motion, "tasks": [], "samples": samples, **changes}
    return run(data(**given))


@pytest.mark.parametrize("samples", [31, 400, 1001, 2002])
def test_a_leg_along_its_first_axis_is_found_at_and_between_samples(samples):
    found = through_the_axis(samples)
    (point,) = found.singularities
    assert (point.kind, point.leg) == ("first axis", LEG + 1)
    assert point.time == pytest.approx(WHEN, abs=1e-6)
    leg = found.robot.legs[LEG]
    along = np.array(point.pose[:3]) + np.array(leg.platform) - np.array(leg.base)
    sine = np.linalg.norm(np.cross(leg.first_axis, along / np.linalg.norm(along)))
    assert sine < 1e-6


def test_it_is_warned_of_and_no_figure_is_made_of_its_forces():
    found = through_the_axis(1001)
    assert "at 0.437 s (leg 3: first axis): forces have no bound" in found.warnings[0]
    lost = ~np.isfinite(found["force"]).all(axis=1)
    assert lost[437]
    assert f"{lost.sum()} of 1001 samples have no forces" in found.warnings[1]
    assert found.summary["samples_without_forces"].value == lost.sum()
    assert found.summary["samples_without_forces"].time == found.time[lost][0]
    for name in ("peak_force", "rms_force", "energy_spent", "minimum_force_margin"):
        assert np.isnan(found.summary[name].value)
    assert "force" in found.limits.not_checked


def test_forces_are_lost_where_they_have_no_bound_and_nowhere_else():
    found = through_the_axis(20_001)
    sine = found["universal_joint_sine"][:, LEG]
    lost = ~np.isfinite(found["force"]).all(axis=1)
    assert lost[sine < 1e-3].all()
    assert not lost[sine > 2e-3].any()
    by_hand = SPEED * np.abs(found.time - WHEN) / found["leg_length"][:, LEG]
    np.testing.assert_allclose(sine[lost], by_hand[lost], atol=1e-3)


@pytest.mark.parametrize("samples", [50, 1001])
def test_passing_by_is_warned_of_with_leg_time_and_how_near(samples):
    aside = 1e-3
    found = through_the_axis(samples, (0.0, aside, 0.0))
    assert not found.singularities
    (words,) = [words for words in found.warnings if "first axis" in words]
    assert words.startswith("leg 3 comes near the first axis of its universal joint")
    when = float(words.split(" at ")[1].split(" s;")[0])
    assert when == pytest.approx(WHEN, abs=aside / SPEED)
    near = float(words.split("joint: ")[1].split(" deg")[0])
    leg = found.robot.legs[LEG]
    length = found["leg_length"][:, LEG].min()
    across = np.linalg.norm(np.cross([0.0, aside, 0.0], leg.first_axis))
    way = np.linalg.norm(np.cross(WAY / np.linalg.norm(WAY), leg.first_axis))
    assert np.degrees(0.5 * across * way / length) < near < np.degrees(across / length)
    assert np.isfinite(found["force"]).all()


def test_where_a_leg_all_but_stands_along_its_axis_there_are_no_forces_and_that_is_said():
    found = through_the_axis(1001, (0.0, 1e-4, 0.0))
    lost = ~np.isfinite(found["force"]).all(axis=1)
    assert lost[437]
    np.testing.assert_array_equal(lost, found["universal_joint_sine"][:, LEG] ** 2 <= 1e-7)
    assert any(f"{lost.sum()} of 1001 samples have no forces" in words for words in found.warnings)
    assert any("leg 3 comes near the first axis" in words for words in found.warnings)


def test_a_motion_away_from_all_axes_is_not_warned_of():
    found = run(data())
    assert not found.singularities
    assert found.summary["samples_without_forces"].value == 0
    assert found.summary["minimum_universal_joint_sine"].value > 0.9
    assert not any("first axis" in words for words in found.warnings)


@pytest.mark.parametrize("when", [0.0, 0.0004, 0.9996, 1.0])
def test_the_first_and_the_last_samples_are_looked_at_too(when):
    (point,) = through_the_axis(301, when=when).singularities
    assert point.time == pytest.approx(when, abs=1e-6)


def test_sines_are_those_of_the_angles_to_the_first_axes():
    found = run(data(outputs={"quantities": ["universal_joint_sine", "joints"]}))
    second = found["joint_position"][:, 1::3]  # from square to the first axis
    np.testing.assert_allclose(found["universal_joint_sine"], np.cos(second), atol=1e-12)


def without_length(samples):
    """The platform, tilted, moves one of its joints through the base joint of the same leg."""
    leg = gough.load("demo-hexapod").legs[0]
    tilted = gough.rotation(gough.pose([0, 0, 0], rpy=[0.4, 0.3, 0.0])).as_matrix()
    x, y, z = (np.array(leg.base) - tilted @ leg.platform).tolist()
    way = {"x": f"{x!r} + 0.5*(t - {WHEN})", "y": y, "z": f"{z!r} + {WHEN} - t"}
    motion = {"kind": "expression", "duration": 1, "roll": 0.4, "pitch": 0.3, **way}
    return run(data(motion=motion, tasks=[], samples=samples))


@pytest.mark.parametrize("samples", [50, 1001])
def test_a_leg_without_length_is_found_and_is_no_crossing(samples):
    found = without_length(samples)
    points = [point for point in found.singularities if point.kind == "no length"]
    assert [(point.leg, point.kind) for point in points] == [(1, "no length")]
    assert points[0].time == pytest.approx(WHEN, abs=1e-5)
    at_once = [p for p in found.singularities if abs(p.time - WHEN) < 1e-3 and p.leg is None]
    assert not at_once
    assert np.isnan(found["force"][np.abs(found.time - WHEN) < found.time[1]]).all()


def test_kind_and_leg_are_in_reports_and_files(tmp_path):
    found = through_the_axis(401)
    text = study_page(found)
    assert "leg 3: first axis" in text
    assert "Samples without forces" in text
    found.save(tmp_path / "saved")
    facts = json.loads((tmp_path / "saved" / "summary.json").read_text())
    assert [(p["kind"], p["leg"]) for p in facts["singularities"]] == [("first axis", 3)]
    assert gough.Results.load(tmp_path / "saved").singularities == found.singularities


def test_a_grid_counts_the_points_and_the_samples():
    turns = {"name": "samples", "parameter": "samples", "values": [301, 401]}
    grid = through_the_axis(301, variations=[turns])
    assert grid.singularities.tolist() == [1, 1]
    assert (grid["samples_without_forces"] > 0).all()
    text = grid_page(grid)
    assert "2 of 2 points have samples without forces" in text
    assert "Samples without forces" in text
