"""Proofs of workspaces whose size has a closed form, or was printed by others."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from benchmarks.published import workspaces
from gough import kinematics
from gough.kinematics import Limits, check_proof
from gough.kinematics.proof import prove as prove_module


def test_areas_of_annuli_are_those_of_simple_cases():
    ring = workspaces.area_of_annuli(np.zeros((1, 2)), 1.0, 2.0)
    assert ring == pytest.approx(3 * np.pi)
    lens = workspaces.area_of_annuli(np.array([[0.0, 0.0], [1.0, 0.0]]), 0.0, 1.0)
    assert lens == pytest.approx(2 * np.pi / 3 - np.sqrt(3) / 2)


def test_the_workspace_of_a_planar_3rrr_is_bounded_from_both_sides(tmp_path):
    """Without limits the origin is in three annuli, of the sum and difference of two links."""
    robot = gough.load("planar-3rrr")
    found = gough.prove(robot, [0.3, 0.3, 0.0], limits=Limits(families=()), volume=True,
                        at_most=1500)  # fmt: skip
    low, high = found.measure
    centres = (0.35 - 0.09) * workspaces.CENTRES  # base less platform
    area = workspaces.area_of_annuli(centres, 0.26 - 0.2, 0.26 + 0.2)
    assert low < area < high
    assert high - low < 0.1 * area
    assert found.counter_example.limit.family == "assembly"
    assert np.isnan(kinematics.margins(robot, found.counter_example.pose)).all()
    found.save(tmp_path / "c.json")
    assert check_proof(tmp_path / "c.json", robot, at_most=6).evaluated == 6


def test_the_workspace_of_a_published_3rpr_is_bounded_from_both_sides():
    """Lengths of legs from 12 to 27 [Gosselin and Jean 1996], at 50°: three annuli again."""
    low, high = workspaces.gosselin_proved(4000).measure
    area = workspaces.planar.UNIT**2 * workspaces.gosselin_area()
    assert low < area < high
    assert high - low < 0.2 * area


def test_the_printed_areas_of_a_3rrr_are_within_their_grid(tmp_path):
    """RoboCraft: counted on a grid of 4 mm, so that errors are below a percent."""
    robot, exact = workspaces.robocraft(), workspaces.area_at_one_angle()
    found = workspaces.area_proved(robot, 30_000)
    low, high = np.array(found.measure) / workspaces.MM**2
    assert low < exact < high
    assert low < workspaces.PRINTED_AREA < high
    assert high - low < 0.02 * exact  # a leg may be out of range where another cannot reach
    assert exact == pytest.approx(workspaces.PRINTED_AREA, rel=1e-3)
    assert workspaces.dexterous_area() == pytest.approx(workspaces.PRINTED_DEXTEROUS, rel=5e-3)
    found.save(tmp_path / "c.json")
    assert check_proof(tmp_path / "c.json", robot, at_most=6).evaluated == 6


def test_bounds_of_an_area_hardly_depend_on_how_many_boxes_are_evaluated_together(monkeypatch):
    """The widest come first: with the deepest first, few in a batch would bound nothing."""
    robot = workspaces.robocraft()
    together = np.diff(workspaces.area_proved(robot, 5000).measure)
    monkeypatch.setattr(prove_module, "_BATCH", 1)
    few = np.diff(workspaces.area_proved(robot, 5000).measure)
    np.testing.assert_allclose(few, together, rtol=0.05)


def test_the_printed_circle_of_a_five_bar_has_no_singularity_inside_and_one_at_its_edge():
    """The digits of SCARA.v1 are those of cranks of 132 mm, not of the 133 mm of its file."""
    circle = workspaces.inscribed_circle(workspaces.CRANK)
    printed = workspaces.PRINTED_HEIGHT, workspaces.PRINTED_RADIUS
    np.testing.assert_allclose(circle, printed, atol=5e-5)
    robot = workspaces.five_bar(workspaces.CRANK)
    found = workspaces.square_proved(robot, 8000)
    assert 0.94 * circle[1] < workspaces.proved_radius(found) < circle[1]
    assert workspaces.lowest_point(robot, 88.7556).verdict == "proved"
    for own, radius in ((robot, 88.7557), (robot, 1.001 * circle[1]),
                        (workspaces.five_bar(workspaces.STATED_CRANK), 88.7556)):  # fmt: skip
        beyond = workspaces.lowest_point(own, radius)
        assert beyond.verdict == "refuted"
        assert beyond.counter_example.limit.family == "singularity"


def test_the_printed_volume_of_a_delta_is_that_of_rays_and_between_proved_bounds():
    """Lengths of SurgiScope, and its volume, rounded to 0.01 m³."""
    robot = workspaces.surgiscope()
    low, high = workspaces.volume_proved(robot, 200_000).measure
    counted = workspaces.counted_volume(0.02)
    assert low < workspaces.PRINTED_VOLUME < high
    assert low < counted < high
    assert high - low < 0.5 * counted
    rays = kinematics.constant_orientation_workspace(robot, limits=workspaces.ARMS)
    assert rays.volume == pytest.approx(counted, abs=3 * rays.volume_error)
    assert rays.volume == pytest.approx(workspaces.PRINTED_VOLUME, abs=5e-3)
