"""Certificates: the error bounds hold, and nothing is proved where there is nothing to prove."""

import numpy as np
import pytest
from assembly_machines import distance, published, random_case

from gough.kinematics import assembly_modes
from gough.kinematics.assembly.geometry import generic_section
from gough.kinematics.assembly.solutions import refine
from gough.kinematics.forward.forward import forward_kinematics
from gough.kinematics.model import Model


def exact_pose(robot, q, pose):
    """The solution near a pose by Newton's method with residuals in extended precision."""
    base = np.array([leg.base for leg in robot.legs], np.longdouble)
    platform = np.array([leg.platform for leg in robot.legs], np.longdouble)
    t, e = pose[:3].astype(np.longdouble), pose[3:].astype(np.longdouble)
    for _ in range(6):
        e = e / np.sqrt(e @ e)
        arms = platform @ matrix(e).T
        legs = t + arms - base
        values = (legs**2).sum(1) - np.asarray(q, np.longdouble) ** 2
        J = 2 * np.hstack([legs, np.cross(arms, legs)]).astype(float)
        step = np.linalg.solve(J, -values.astype(float)).astype(np.longdouble)
        t = t + step[:3]
        w, v, turn = e[0], e[1:], step[3:] / 2
        e = e + np.concatenate([[-turn @ v], w * turn + np.cross(turn, v)])
    return np.concatenate([t, e / np.sqrt(e @ e)])


def matrix(e):
    w, x, y, z = e
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def turn_between(e, f):
    """The angle of rotation between two unit quaternions; accurate for small ones."""
    along = e * np.sign(e @ f)
    return 4 * np.arcsin(np.sqrt(((along - f) ** 2).sum()) / 2)


def cases():
    robot, q, _ = published("dietmaier1998")
    yield robot, q
    robot, q, _ = published("rusin1999_octahedral")
    yield robot, q
    for seed in range(10):
        robot, _, q = random_case(np.random.default_rng(seed))
        yield robot, q


def test_exact_poses_are_within_the_certified_errors():
    worst = 0.0
    for robot, q in cases():
        found = assembly_modes(Model(robot), q)
        for k in np.flatnonzero(found.certified):
            exact = exact_pose(robot, q, found.poses[k])
            away = np.sqrt(((exact[:3] - found.poses[k, :3]) ** 2).sum())
            turn = turn_between(exact[3:], found.poses[k, 3:].astype(np.longdouble))
            assert away <= found.position_error[k]
            assert turn <= found.angle_error[k]
            worst = max(worst, float(away / found.position_error[k]))
    assert worst > 1e-4  # a bound that is never approached would say nothing


def test_no_search_finds_a_pose_that_a_complete_list_has_not():
    """Newton's method from anywhere ends in the list, and finds most of it."""
    rng = np.random.default_rng(4)
    for _ in range(3):
        robot, _, q = random_case(rng)
        model = Model(robot)
        found = assembly_modes(model, q)
        assert found.complete
        guesses = rng.normal(size=(3000, 7))
        searched = forward_kinematics(model, q, guesses)
        poses = searched.pose[~np.isnan(searched.pose).any(1)]
        assert len(poses) > 300
        nearest = np.array([distance(found.poses, pose) for pose in poses])
        assert nearest.min(1).max() < 1e-6
        assert len(np.unique(nearest.argmin(1))) >= len(found) / 2


@pytest.mark.parametrize("size", [1e-3, 1e-2, 0.1])
def test_points_beside_solutions_are_not_proved_where_they_stand(size):
    """With coefficients known to so few digits only, no ball is small enough."""
    section = generic_section()
    sure = refine(section.points, section.coefficients, np.abs(section.coefficients))
    assert sure.proved.all()
    vague = refine(section.points, section.coefficients, size * 2.0**46 * np.ones((6, 17)))
    assert not vague.proved.any()


def test_what_is_not_a_number_is_not_proved():
    section = generic_section()
    points = section.points.copy()
    points[::2] = np.nan
    found = refine(points, section.coefficients, np.abs(section.coefficients))
    np.testing.assert_array_equal(found.proved, np.arange(40) % 2 == 1)


def test_a_proof_holds_from_every_point_near_a_solution_and_finds_the_same_one():
    section = generic_section()
    rng = np.random.default_rng(0)
    noise = 1e-7 * rng.normal(size=(40, 8, 2)) @ [1, 1j]
    moved = section.points + noise
    moved /= np.linalg.norm(moved, axis=1, keepdims=True)
    bounds = np.abs(section.coefficients)
    first = refine(section.points, section.coefficients, bounds)
    second = refine(moved, section.coefficients, bounds)
    assert second.proved.all()
    gap = np.abs(first.points - second.points).max(1)
    assert (gap <= first.radius + second.radius).all()
    assert (first.radius < first.isolation).all()
    np.testing.assert_array_equal(first.twins, np.eye(40, dtype=bool))
