"""Calibration against machines whose errors are known."""

from dataclasses import replace

import numpy as np
import pytest

import gough
from gough.identification import (
    MeasuredDistances,
    MeasuredOrientations,
    MeasuredPoints,
    MeasuredPoses,
    MeasuredPositions,
)
from gough.identification.calibration.found import workspace_poses
from gough.identification.calibration.unknowns import Guess, unknowns_of
from gough.model.machines import machines_with
from gough.poses import Frames, difference, displace, transform

GEOMETRY = ["legs[*].base", "legs[*].platform", "legs[*].length_offset"]
SIGMA, ANGLE_SIGMA = 15e-6, 20e-6
MARKERS = np.array([[0.3, 0, 0.1], [-0.2, 0.3, 0], [0, -0.3, 0.2]])


@pytest.fixture(scope="module")
def robot():
    return gough.load("demo-hexapod")


@pytest.fixture(scope="module")
def family(robot):
    return gough.Model(robot, parametric=True)


@pytest.fixture(scope="module")
def commanded(robot):
    return workspace_poses(robot, 40, rng=1)


def built(family, generator, patterns=GEOMETRY, size=1e-4):
    """The numbers of a machine that is not quite as drawn."""
    numbers = family.parameters.copy()
    places = [family.parameter_names.index(n) for n in family.matching_parameters(patterns)]
    numbers[places] += size * generator.standard_normal(len(places))
    return numbers


def readings_of(family, poses):
    return family.readings(family.parameters, poses)


def taken(family, numbers, readings, near):
    """Where a machine really is at the readings."""
    q = family.positions(numbers, readings)
    return family.forward_kinematics(q, near, parameters=numbers).pose


def noisy(poses, generator):
    noise = generator.standard_normal((len(poses), 6)) * np.repeat([SIGMA, ANGLE_SIGMA], 3)
    return displace(poses, noise)


def way_and_turn(steps):
    return [np.sqrt(np.square(part).sum(-1).mean()) for part in np.split(steps, 2, axis=-1)]


def test_exact_measurements_tell_the_machine_exactly(robot, family, commanded):
    patterns = [*GEOMETRY, "legs[*].gain"]
    numbers = built(family, np.random.default_rng(0), patterns)
    readings = readings_of(family, commanded)
    poses = taken(family, numbers, readings, commanded)
    measured = MeasuredPoses(readings, poses, SIGMA, ANGLE_SIGMA)
    found = gough.calibrate(robot, measured, parameters=patterns)
    assert found.rank == len(found.parameters) == 48
    np.testing.assert_allclose(found.robot.parameters, numbers, atol=1e-9)
    assert max(found.residuals.position_error[1], found.residuals.orientation_error[1]) < 1e-11


@pytest.mark.parametrize(
    ("kind", "patterns", "frames", "rank", "count"),
    [
        ("poses", GEOMETRY, (), 42, 42),
        ("poses", [*GEOMETRY, "legs[*].gain"], (), 48, 48),
        ("positions", GEOMETRY, (), 39, 42),
        ("orientations", GEOMETRY, (), 36, 42),
        ("poses", GEOMETRY, ("work", "tool"), 42, 54),
        ("points", GEOMETRY, ("work",), 42, 48),
    ],
)
def test_measurements_tell_as_many_combinations_as_theory_has(
    robot, family, commanded, kind, patterns, frames, rank, count
):
    numbers = built(family, np.random.default_rng(1), patterns)
    readings = readings_of(family, commanded)
    poses = taken(family, numbers, readings, commanded)
    measured = {
        "poses": lambda: MeasuredPoses(readings, poses, SIGMA, ANGLE_SIGMA),
        "positions": lambda: MeasuredPositions(readings, poses[:, :3], SIGMA),
        "orientations": lambda: MeasuredOrientations(readings, poses[:, 3:], ANGLE_SIGMA),
        "points": lambda: MeasuredPoints(
            readings, transform(poses[:, None], MARKERS), MARKERS, SIGMA
        ),
    }[kind]()
    found = gough.calibrate(robot, measured, parameters=patterns, unknown_frames=frames)
    assert (found.rank, len(found.parameters)) == (rank, count)
    assert any("change no measurement" in words for words in found.warnings) == (rank < count)
    assert found.observability.open.shape == (count, count - rank)
    assert np.abs(found.residuals.after / found.residuals.measured.sigmas).max() < 1e-5


def test_what_positions_leave_open_has_no_sigma(robot, family, commanded):
    readings = readings_of(family, commanded)
    found = gough.calibrate(robot, MeasuredPositions(readings, commanded[:, :3], SIGMA))
    sigma = found.pose_sigma(commanded)
    assert np.isfinite(sigma[:, :3]).all()
    assert np.isnan(sigma[:, 3:]).all()
    assert np.isfinite(found["legs[0].base.x"].sigma)
    assert np.isnan(found["legs[0].platform.x"].sigma)
    assert np.isfinite(found.clearest[0].sigma)
    assert np.isnan(found.clearest[-1].sigma)


def test_of_machines_that_fit_alike_the_one_with_the_least_change_is_found(
    robot, family, commanded
):
    """Turning the whole platform about the point that is measured changes no measurement."""
    turn = gough.pose([0, 0, 0], rpy=[1e-3, -2e-3, 1e-3])
    turned = family.parameters.copy()
    for k, leg in enumerate(robot.legs):
        first = family.parameter_names.index(f"legs[{k}].platform.x")
        turned[first : first + 3] = transform(turn, leg.platform)
    readings = readings_of(family, commanded)
    real = taken(family, turned, readings, commanded)
    np.testing.assert_allclose(real[:, :3], commanded[:, :3], atol=1e-12)
    found = gough.calibrate(robot, MeasuredPositions(readings, real[:, :3], SIGMA))
    np.testing.assert_allclose(found.robot.parameters, robot.parameters, atol=1e-10)


def test_unknown_frames_are_found_and_the_tool_is_where_it_was_measured(robot, family, commanded):
    generator = np.random.default_rng(2)
    numbers = built(family, generator)
    readings = readings_of(family, commanded)
    frames = Frames(
        gough.pose([1.0, -2.0, 0.3], rpy=[10, -20, 130], degrees=True),
        gough.pose([0.1, 0.05, 0.2], rpy=[5, 90, 0], degrees=True),
    )
    seen = frames.tool_pose(taken(family, numbers, readings, commanded))
    measured = MeasuredPoses(readings, noisy(seen, generator), SIGMA, ANGLE_SIGMA)
    found = gough.calibrate(robot, measured, unknown_frames=("work", "tool"))
    assert found.rank == 42
    others = workspace_poses(robot, 100, rng=3)
    fresh = readings_of(family, others)
    real = frames.tool_pose(taken(family, numbers, fresh, others))
    known = found.frames.tool_pose(taken(family, found.robot.parameters, fresh, others))
    way, turn = way_and_turn(difference(real, known))
    assert way < 4 * SIGMA
    assert turn < 4 * ANGLE_SIGMA
    with pytest.raises(gough.GoughError, match="expected some of work, tool"):
        gough.calibrate(robot, measured, unknown_frames=["base"])


def test_errors_are_as_large_as_their_sigmas_say(robot, family, commanded):
    """Of parameters, and of poses that were not measured; and those become 15 times better."""
    generator = np.random.default_rng(3)
    readings = readings_of(family, commanded)
    others = workspace_poses(robot, 50, rng=4)
    fresh = readings_of(family, others)
    inside, scores, gains = [], [], []
    for _ in range(6):
        numbers = built(family, generator)
        poses = noisy(taken(family, numbers, readings, commanded), generator)
        found = gough.calibrate(robot, MeasuredPoses(readings, poses, SIGMA, ANGLE_SIGMA))
        places = list(found.unknowns.places)
        errors = found.robot.parameters[places] - numbers[places]
        sigmas = np.array([number.sigma for number in found.parameters])
        inside.append(np.abs(errors) < 1.96 * sigmas)
        real = taken(family, numbers, fresh, others)
        off = difference(taken(family, found.robot.parameters, fresh, others), real)
        scores.append(off / found.pose_sigma(others))
        gains.append(way_and_turn(difference(others, real))[0] / way_and_turn(off)[0])
        assert 0.8 < found.scatter < 1.2
    assert 0.90 < np.mean(inside) < 0.99
    assert 0.8 < np.sqrt(np.mean(np.square(scores))) < 1.2
    assert np.median(gains) > 15


def test_slopes_are_those_of_differences(robot, family, commanded):
    frames = Frames(
        gough.pose([0.2, -0.1, 0.3], rpy=[0.3, -0.2, 1.0]), gough.pose([0, 0.1, 0.2], rpy=[1, 0, 2])
    )
    unknowns = unknowns_of(
        gough.Model(robot), [*GEOMETRY, "legs[*].gain"], frames, ("work", "tool")
    )
    poses, h = commanded[:3], 1e-5
    readings = readings_of(family, poses)
    slopes = unknowns.slopes(unknowns.prior, poses)

    def tool(guess: Guess):
        return guess.frames.tool_pose(taken(family, guess.numbers, readings, poses))

    for k in range(len(unknowns.names)):
        step = h * np.eye(len(unknowns.names))[k]
        ahead, behind = (tool(unknowns.moved(unknowns.prior, s * step)) for s in (1, -1))
        np.testing.assert_allclose(slopes[..., k], difference(ahead, behind) / (2 * h), atol=1e-8)


def test_a_ball_bar_tells_distances(robot, family, commanded):
    """From three points of the base to three of the platform."""
    numbers = built(family, np.random.default_rng(5))
    poses = np.tile(commanded, (3, 1))
    readings = readings_of(family, poses)
    feet = np.repeat([[0.5, 0, 0], [-0.3, 0.4, 0], [-0.3, -0.4, 0.1]], 40, axis=0)
    heads = np.repeat(MARKERS, 40, axis=0)
    ends = transform(taken(family, numbers, readings, poses), heads)
    distances = np.linalg.norm(ends - feet, axis=-1)
    measured = MeasuredDistances(readings, distances, feet, heads, SIGMA)
    found = gough.calibrate(robot, measured)
    before, after = found.residuals.position_error
    assert before > 2 * SIGMA
    assert after < 1e-10
    known = taken(family, found.robot.parameters, readings, poses)
    np.testing.assert_allclose(
        np.linalg.norm(transform(known, heads) - feet, axis=-1), distances, atol=1e-10
    )


def test_markers_that_were_not_seen_count_for_nothing(robot, family, commanded):
    numbers = built(family, np.random.default_rng(6))
    readings = readings_of(family, commanded)
    points = transform(taken(family, numbers, readings, commanded)[:, None], MARKERS)
    points[::3, 1] = np.nan
    found = gough.calibrate(robot, MeasuredPoints(readings, points, MARKERS, SIGMA))
    assert found.rank == 42
    np.testing.assert_allclose(found.robot.parameters, numbers, atol=1e-9)


def test_a_robust_fit_is_not_drawn_away_by_outliers(robot, family, commanded):
    generator = np.random.default_rng(7)
    numbers = built(family, generator)
    readings = readings_of(family, commanded)
    poses = noisy(taken(family, numbers, readings, commanded), generator)
    poses[[4, 17], :3] += 1e-3
    measured = MeasuredPoses(readings, poses, SIGMA, ANGLE_SIGMA)
    plain, robust = (gough.calibrate(robot, measured, robust=r) for r in (False, True))
    assert {4, 17} <= set(plain.outliers)
    assert robust.outliers == (4, 17)
    assert "5, 18; they count less" in robust.warnings[0]
    stated = np.isfinite(numbers)
    gaps = ((f.robot.parameters[stated] - numbers[stated]) for f in (plain, robust))
    errors = [np.linalg.norm(gap) for gap in gaps]
    assert errors[1] < errors[0] / 4


def test_measurements_that_are_held_out_say_how_well_it_fits(robot, family, commanded, tmp_path):
    generator = np.random.default_rng(8)
    numbers = built(family, generator)
    readings = readings_of(family, commanded)
    poses = noisy(taken(family, numbers, readings, commanded), generator)
    measured = MeasuredPoses(readings, poses, SIGMA, ANGLE_SIGMA)
    found = gough.calibrate(robot, measured, validation=0.25)
    assert len(found.validation.after) == 10
    assert len(found.weights) == 30
    assert found.validation.position_error[0] > 1e-4
    assert found.validation.position_error[1] < 3 * SIGMA
    other = gough.calibrate(robot, measured, validation=measured.at([0, 1]))
    assert other.validation.after.shape == (2, 6)
    found.save(tmp_path / "calibrated.toml")
    again = gough.load(tmp_path / "calibrated.toml")
    np.testing.assert_array_equal(again.parameters, found.robot.parameters)
    assert "rank 42 of 42" in repr(found)
    assert "held out" in found._repr_html_()


def test_too_few_measurements_are_told(robot, family, commanded):
    readings = readings_of(family, commanded[:5])
    found = gough.calibrate(robot, MeasuredPoses(readings, commanded[:5], SIGMA, ANGLE_SIGMA))
    assert found.rank == 30
    assert np.isnan(found.scatter)
    assert any("nothing says how well" in warning for warning in found.warnings)


def test_offsets_of_a_delta_are_found_from_positions():
    robot = gough.load("delta")
    family, offsets = gough.Model(robot, parametric=True), [1e-3, -2e-3, 0.5e-3]
    numbers, home = family.parameters.copy(), np.array(robot.home)
    numbers[[family.parameter_names.index(f"{a.key}.offset") for a in robot.actuators]] = offsets
    poses = home + np.array([[0, 0, 0], [0.05, 0, 0], [0, 0.05, 0.02], [-0.04, -0.03, -0.02]]) @ (
        np.eye(3, 7)
    )
    readings = readings_of(family, poses)
    seen = taken(family, numbers, readings, poses)
    assert np.abs(seen - poses).max() > 1e-5
    found = gough.calibrate(robot, MeasuredPositions(readings, seen[:, :3], SIGMA))
    np.testing.assert_allclose([p.value for p in found.parameters], offsets, atol=1e-9)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"sigma": 0.0}, "sigma is"),
        ({"poses": np.zeros((40, 6))}, "expected \\(..., 7\\)"),
        ({"poses": np.ones((39, 7))}, "expected \\(40, 7\\)"),
        ({"readings": np.full((40, 6), np.nan)}, "not finite"),
    ],
)
def test_measurements_that_cannot_be_are_refused(family, commanded, change, words):
    good = MeasuredPoses(readings_of(family, commanded), commanded, SIGMA, ANGLE_SIGMA)
    with pytest.raises(gough.GoughError, match=words):
        replace(good, **change)


def test_calibrations_that_cannot_be_are_refused(robot, family, commanded):
    readings = readings_of(family, commanded)
    good = MeasuredPoses(readings, commanded, SIGMA, ANGLE_SIGMA)
    with pytest.raises(gough.GoughError, match="expected such as"):
        gough.calibrate(robot, commanded)
    with pytest.raises(gough.GoughError, match="did you mean legs"):
        gough.calibrate(robot, good, parameters=["legs[*].bas"])
    with pytest.raises(gough.GoughError, match="no parameter and no frame is unknown"):
        gough.calibrate(robot, good, parameters=[])
    with pytest.raises(gough.GoughError, match="expected measurements, or a share"):
        gough.calibrate(robot, good, validation=2.0)
    with pytest.raises(gough.GoughError, match="those of all actuators"):
        gough.calibrate(robot, replace(good, readings=readings[:, :5]))
    with pytest.raises(gough.GoughError, match="readings of measurement 1,"):
        gough.calibrate(robot, MeasuredPositions(readings + 50.0, commanded[:, :3], SIGMA))
    with pytest.raises(gough.GoughError, match="depends on"):
        gough.calibrate(robot, good, parameters=["platform.mass"])


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("delta", ["legs[*].base", "legs[*].links[*].length", "legs[*].motor.offset"]),
        ("kossel", ["legs[*].base", "legs[*].links[1].length", "legs[*].motor.offset"]),
    ],
)
def test_lengths_and_places_of_a_mechanism_are_calibrated(name, parameters, tmp_path):
    """A Delta that was built with errors of 0.2 mm, whose positions are measured to 10 µm."""
    robot, rng = gough.load(name), np.random.default_rng(0)
    machines = machines_with(robot, parameters)
    built = machines.made(machines.values + rng.normal(0, 2e-4, len(machines.values)))
    poses = gough.calibration_poses(
        robot, 30, measured="position", parameters=parameters, candidates=300
    )
    readings, real = gough.Model(robot).readings(poses), gough.Model(built)
    taken = real.forward_kinematics(real.positions(readings), poses).pose
    taken[:, :3] += rng.normal(0, 1e-5, (30, 3))
    found = gough.calibrate(
        robot, MeasuredPositions(readings, taken[:, :3], 1e-5), parameters=parameters
    )
    found.save(tmp_path / "found.toml")
    calibrated = gough.Model(gough.load(tmp_path / "found.toml"))
    test = workspace_poses(robot, 100, 5)
    readings = gough.Model(robot).readings(test)
    before, after = (
        np.linalg.norm(
            (real.forward_kinematics(real.positions(readings), test).pose - p)[:, :3], axis=1
        )
        for p in (test, calibrated.forward_kinematics(calibrated.positions(readings), test).pose)
    )
    assert before.max() > 2e-4
    assert after.max() < 2e-5
    assert np.abs(found.pose_sigma(test)[:, :3]).max() < 2e-5
