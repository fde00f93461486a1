"""Workspaces: closed forms, two methods that agree, boundaries that are boundaries."""

import math

import numpy as np
import pytest
from oracles.sampled_volume import sampled_volume
from workspace_machines import TINY, bare, lens, ring, shell

import gough
from gough.errors import GoughError
from gough.kinematics.workspace import rays
from gough.kinematics.workspace.reach import FAMILIES, Limits, margins, reachable
from gough.kinematics.workspace.slices import workspace_slice
from gough.kinematics.workspace.workspace import (
    constant_orientation_workspace,
    orientation_workspace,
)

STROKE = Limits(families=("stroke",))
PLATFORM = Limits(families=("platform joint",))


@pytest.fixture(scope="module")
def hexapod():
    return gough.Model(gough.load("demo-hexapod"))


@pytest.fixture(scope="module")
def stiff_hexapod():
    """The same with narrow joints, so that several limits end its workspaces."""
    data = gough.load("demo-hexapod").to_dict()
    data["leg"] |= {"base_joint_limit": 0.3, "platform_joint_limit": 0.35, "radius": 0.07}
    return gough.Model(gough.Robot.from_dict(data))


@pytest.fixture(scope="module")
def places(stiff_hexapod):
    return constant_orientation_workspace(stiff_hexapod)


@pytest.fixture(scope="module")
def turns(stiff_hexapod):
    return orientation_workspace(stiff_hexapod)


def test_a_ball_with_a_hole_has_its_volume_although_rays_pass_the_hole():
    m = shell(shortest=1.0, longest=2.0, height=1.4)
    found = constant_orientation_workspace(m, limits=STROKE)
    exact = 4 / 3 * np.pi * (2**3 - 1**3)
    assert found.volume == pytest.approx(exact, rel=1e-3)
    assert abs(found.volume - exact) <= found.volume_error + 1e-6
    assert not found.star_shaped
    assert found.inscribed == pytest.approx(0.4, abs=1e-6)
    np.testing.assert_allclose(found.extent, [[-2, 2]] * 3, atol=1e-4)
    ways = m.travel(limits=STROKE).parts[0].distances
    np.testing.assert_allclose(ways[2], [0.4, 0.6], atol=1e-6)
    side = math.sqrt(2**2 - 1.4**2)
    np.testing.assert_allclose(ways[:2], side, atol=1e-6)


def test_where_two_balls_meet_there_is_a_lens():
    d, r = 1.0, 1.0
    m = lens(apart=d, longest=r)
    exact = np.pi * (4 * r + d) * (2 * r - d) ** 2 / 12
    found = constant_orientation_workspace(m, limits=STROKE, tolerance=1e-4)
    assert found.volume == pytest.approx(exact, rel=2e-4)
    assert abs(found.volume - exact) <= found.volume_error + 1e-6
    assert found.star_shaped
    np.testing.assert_allclose(found.extent[0], [-0.5, 0.5], atol=1e-5)
    np.testing.assert_allclose(found.extent[1], [-math.sqrt(0.75), math.sqrt(0.75)], atol=1e-4)
    sampled = sampled_volume(m, limits=STROKE)
    assert abs(sampled.volume - exact) < 4 * sampled.standard_error + 1e-6


def test_a_machine_without_bounds_to_its_rotation_has_all_rotations():
    m = bare(ring(1.0), ring(0.5, start=0.4), (0, 0, 1), stroke=[1e-3, 10])
    found = orientation_workspace(m, limits=STROKE)
    assert found.volume == pytest.approx(8 * np.pi**2, rel=1e-12)
    np.testing.assert_array_equal(found.active, -1)
    np.testing.assert_allclose(found.distances, np.pi, rtol=1e-12)
    sampled = sampled_volume(m, limits=STROKE, kind="orientation", samples=2**12)
    assert sampled.volume == pytest.approx(8 * np.pi**2, rel=1e-12)


def test_a_cone_of_tilts_has_the_share_of_its_cap():
    """One leg's direction stays fixed; the platform may tilt it by the limit and turn freely."""
    limit = 1.2
    m = bare(ring(TINY), ring(TINY, start=0.3), (0, 0, 1), platform_joint_limit=limit)
    exact = 8 * np.pi**2 * (1 - math.cos(limit)) / 2
    found = orientation_workspace(m, limits=PLATFORM)
    assert found.volume == pytest.approx(exact, rel=2e-3)
    assert abs(found.volume - exact) <= 1.5 * found.volume_error
    turns = m.travel(limits=PLATFORM).parts[-1].distances
    np.testing.assert_allclose(turns[:2], limit, rtol=1e-5)
    np.testing.assert_allclose(turns[2], np.pi, rtol=1e-12)
    assert found.inscribed == pytest.approx(limit, rel=1e-5)
    sampled = sampled_volume(m, limits=PLATFORM, kind="orientation")
    assert abs(sampled.volume - exact) < 4 * sampled.standard_error


def test_rays_and_samples_agree(stiff_hexapod, places, turns):
    for found in (places, turns):
        sampled = sampled_volume(stiff_hexapod, kind=found.kind, samples=2**20)
        error = math.hypot(found.volume_error, sampled.standard_error)
        assert abs(found.volume - sampled.volume) < 4 * error
        assert found.volume_error < 2e-3 * found.volume
        assert sampled.standard_error < 0.02 * sampled.volume


def test_the_error_of_the_volume_is_not_less_than_it_is(stiff_hexapod):
    pose = gough.pose([0.02, 0.01, 0.97], rpy=[5, -3, 8], degrees=True)
    fine = constant_orientation_workspace(stiff_hexapod, pose, tolerance=1e-4)
    for tolerance in (0.1, 0.01, 1e-3):
        rough = constant_orientation_workspace(stiff_hexapod, pose, tolerance=tolerance)
        assert abs(rough.volume - fine.volume) <= rough.volume_error + fine.volume_error
        assert rough.volume_error <= tolerance * rough.volume


def test_boundaries_separate_what_is_reachable(stiff_hexapod, places, turns):
    for found in (places, turns):
        for share, inside in ((1 - 1e-9, True), (1 + 1e-9, False)):
            steps = found.directions * (share * found.distances)[..., None]
            flat = steps.reshape(-1, 3)
            if found.kind == "position":
                poses = np.concatenate(
                    [found.centre[:3] + flat, np.tile(found.centre[3:], (len(flat), 1))], 1
                )
            else:
                turn = gough.pose([0, 0, 0], rotation_vector=flat)
                total = gough.rotation(turn) * gough.rotation(found.centre)
                poses = gough.pose(found.centre[:3], rotation=total)
            assert (reachable(stiff_hexapod, poses) == inside).all()
        assert (found.inscribed <= found.distances.min()) & (found.inscribed > 0)
        violated = margins(stiff_hexapod, poses)
        np.testing.assert_array_equal(violated.argmin(1), found.active.ravel())


def test_several_limits_end_the_workspaces(places, turns):
    seen = {FAMILIES[k] for k in {*places.active.ravel(), *turns.active.ravel()}}
    assert {"stroke", "base joint", "platform joint"} <= seen


def test_the_largest_ball_holds_nothing_unreachable(stiff_hexapod, places):
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(200_000, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    inside = places.centre[:3] + places.inscribed * (1 - 1e-6) * directions
    poses = np.concatenate([inside, np.tile(places.centre[3:], (len(inside), 1))], 1)
    assert reachable(stiff_hexapod, poses).all()
    beyond = places.centre[:3] + places.inscribed * 1.001 * directions
    poses[:, :3] = beyond
    assert not reachable(stiff_hexapod, poses).all()


def test_every_reachable_place_is_within_the_extent(stiff_hexapod, places):
    low, high = places.extent.T
    rng = np.random.default_rng(0)
    size = high - low
    drawn = rng.uniform(low - 0.2 * size, high + 0.2 * size, (200_000, 3))
    poses = np.concatenate([drawn, np.tile(places.centre[3:], (len(drawn), 1))], 1)
    hit = drawn[reachable(stiff_hexapod, poses)]
    assert (hit >= low - 1e-6).all()
    assert (hit <= high + 1e-6).all()
    assert ((hit.max(0) - hit.min(0)) > 0.9 * size).all()


def test_a_bound_on_the_condition_number_shrinks_the_workspace(hexapod):
    limits = Limits(max_condition=3.0)
    free = constant_orientation_workspace(hexapod, tolerance=0.3)
    bound = constant_orientation_workspace(hexapod, limits=limits, tolerance=0.3)
    assert bound.volume < 0.9 * free.volume
    assert FAMILIES.index("singularity") in bound.active


def test_a_singularity_ends_rotations_where_nothing_else_does(hexapod):
    limits = Limits(families=("base joint", "singularity"))
    data = gough.load("demo-hexapod").to_dict()
    data["leg"] |= {"base_joint_limit": math.pi}
    free = gough.Model(gough.Robot.from_dict(data))
    turns = free.travel(limits=limits).parts[-1]
    np.testing.assert_allclose(turns.distances[2], np.pi / 2, rtol=1e-9)  # see Fichter 1986
    assert FAMILIES[turns.active[2, 0]] == "singularity"


def test_a_start_that_is_not_reachable_is_replaced(hexapod):
    far = np.array([0.0, 0, 3, 1, 0, 0, 0])
    found = constant_orientation_workspace(hexapod, far, tolerance=0.05)
    assert reachable(hexapod, found.centre)
    home = constant_orientation_workspace(hexapod, tolerance=0.05)
    assert found.volume == pytest.approx(home.volume, rel=0.03)
    tilted = gough.pose(hexapod.robot.home[:3], rpy=[60, 0, 0], degrees=True)
    assert reachable(hexapod, orientation_workspace(hexapod, tilted, tolerance=0.1).centre)


def test_slices_are_cuts_of_the_workspace():
    m = shell()
    plane = workspace_slice(m, ("x", "y"), [0, 0, 0.5, 1, 0, 0, 0], limits=STROKE)
    assert plane.area == pytest.approx(np.pi * 3, rel=5e-3)  # radii² 4 - 1/4 and 1 - 1/4
    assert plane.fixed["z"] == 0.5
    np.testing.assert_allclose(
        plane.margins[3, 5],
        margins(m, [plane.first[3], plane.second[5], 0.5, 1, 0, 0, 0], STROKE),
        rtol=1e-12,
    )


def test_slices_of_angles_hold_the_largest_pure_rotations(stiff_hexapod):
    part = workspace_slice(stiff_hexapod, ("roll", "pitch"))
    middle = np.abs(part.second).argmin()
    rolls = part.first[part.inside[:, middle]]
    step = part.first[1] - part.first[0]
    pure = stiff_hexapod.travel().parts[-1].distances[0]
    np.testing.assert_allclose([-rolls.min(), rolls.max()], pure, atol=2 * step)


def test_nothing_reachable_is_said(hexapod):
    turned = gough.pose([hexapod.robot.home[:3]] * 2, rpy=[[90, 0, 0], [180, 0, 0]], degrees=True)
    for pose in turned:  # out of the joints' limits; too far for the legs
        with pytest.raises(GoughError, match=r"reachable with th(e|is) orientation"):
            constant_orientation_workspace(hexapod, pose)
    with pytest.raises(GoughError, match="no pose is reachable with this position"):
        orientation_workspace(hexapod, [5, 0, 0, 1, 0, 0, 0])
    assert sampled_volume(hexapod, turned[0], samples=2**12).volume == 0
    assert not workspace_slice(hexapod, ("x", "y"), [0, 0, 9, 1, 0, 0, 0]).inside.any()


def test_robots_without_limits_are_told_which_are_missing():
    m = gough.Model(gough.load("kalani-2016"))
    with pytest.raises(GoughError, match=r"kalani-2016.*stroke"):
        constant_orientation_workspace(m)
    with pytest.raises(GoughError, match=r"stroke, base_joint_limit, platform_joint_limit, radius"):
        orientation_workspace(m)
    with pytest.raises(GoughError, match="stroke"):
        sampled_volume(m)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: constant_orientation_workspace(m, [0, 0, 1]), r"expected \(\.\.\., 7\)"),
        (lambda m: orientation_workspace(m, [np.nan] * 7), r"not finite numbers"),
        (lambda m: constant_orientation_workspace(m, tolerance=0), "tolerance"),
        (lambda m: workspace_slice(m, ("yaw", "rz")), "two of x, y, z, roll, pitch, yaw"),
        (lambda m: workspace_slice(m, ("x", "x")), "two of x, y, z, roll, pitch, yaw"),
        (lambda m: workspace_slice(m, ("x", "w")), "unknown coordinate 'w'"),
        (lambda m: workspace_slice(m, ("x", "y"), [1, 2]), "pose"),
    ],
)
def test_senseless_requests_are_refused(hexapod, call, message):
    with pytest.raises(GoughError, match=message):
        call(hexapod)


def test_an_interruption_ends_the_work_at_once(hexapod, monkeypatch):
    walked = []

    def interrupted(*_):
        walked.append(1)
        raise KeyboardInterrupt

    monkeypatch.setattr(rays, "_walk", interrupted)
    with pytest.raises(KeyboardInterrupt):
        constant_orientation_workspace(hexapod, progress=True)
    assert len(walked) == 1
    monkeypatch.undo()
    assert constant_orientation_workspace(hexapod, tolerance=0.1).volume > 0
