"""What actuators can still carry: against linear programs, convex hulls and inverse dynamics."""

import numpy as np
import pytest
from drawn_machines import MACHINES
from scipy.optimize import linprog
from scipy.spatial import ConvexHull
from study_samples import data

import gough
from gough.errors import GoughError


@pytest.fixture(scope="module")
def hexapod():
    return gough.Model(gough.load("demo-hexapod"))


@pytest.fixture(scope="module")
def redundant():
    """Four cranks for three freedoms."""
    return gough.Model(MACHINES["4-RRR, redundant"](0))


def largest_multiple(J, needed, wrench, max_force):
    """Of a wrench on the moves, by a linear program over all forces."""
    n = len(max_force)
    found = linprog(
        np.append(np.zeros(n), -1.0),
        A_eq=np.column_stack([J.T, wrench]),
        b_eq=needed,
        bounds=[*((-f, f) for f in max_force), (None, None)],
    )
    return found.x[-1] if found.success else np.nan


def test_a_hexapod_carries_what_a_linear_program_finds(hexapod):
    rng = np.random.default_rng(1)
    pose = gough.pose([0.03, -0.02, 1.0], rpy=[0.05, -0.1, 0.2])
    state = 0.5 * rng.normal(size=(3, 6)) * np.array([[1.0], [1.0], [200.0]])
    capacity = hexapod.wrench_capacity(pose, *state)
    needed = hexapod.mass_matrix(pose) @ state[1] + hexapod.bias(pose, state[0]) - state[2]
    J = hexapod.jacobian(pose)
    needed += J.T @ (hexapod.actuator_force(pose, *state) - hexapod.inverse_dynamics(pose, *state))
    for wrench in rng.normal(size=(10, 6)):
        least, most = capacity.along(wrench)
        for side, limit in ((1, most), (-1, -least)):
            by_program = largest_multiple(J, needed, side * wrench, capacity.max_force)
            assert limit == pytest.approx(by_program, rel=1e-9)


def test_a_machine_with_more_motors_than_freedoms_shares_its_load_best(redundant):
    pose, limits = np.array(redundant.robot.home), np.array([3.0, 2.0, 4.0, 1.0])
    capacity = redundant.wrench_capacity(pose, max_force=limits)
    J, T = redundant.actuation_matrix(pose), redundant.twist_basis(pose)
    corners = np.stack(np.meshgrid(*([-1, 1],) * 4, indexing="ij"), -1).reshape(-1, 4) * limits
    scale = np.array([1, 1, capacity.characteristic_length])
    hull = ConvexHull((corners @ J - redundant.gravity(pose)) / scale)
    assert capacity.sphere == pytest.approx(-hull.equations[:, -1].max(), rel=1e-10)
    for wrench in np.random.default_rng(2).normal(size=(8, 6)):
        by_program = largest_multiple(J, redundant.gravity(pose), T.T @ wrench, limits)
        assert capacity.along(wrench)[1] == pytest.approx(by_program, rel=1e-9)


def test_every_wrench_in_the_sphere_can_be_carried_and_one_on_it_just_so(hexapod):
    pose = gough.pose([0.05, 0.0, 0.95], rpy=[0.1, 0.0, 0.1])
    capacity = hexapod.wrench_capacity(pose)
    units = np.random.default_rng(3).normal(size=(2000, 6))
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    length = np.repeat([1.0, capacity.characteristic_length], 3)
    force = hexapod.inverse_dynamics(
        pose, np.zeros(6), np.zeros(6), capacity.sphere * units * length
    )
    assert np.abs(force).max() <= 2500
    per_wrench = np.linalg.inv(hexapod.jacobian(pose).T) * length
    alone = hexapod.inverse_dynamics(pose)
    worst = np.argmin((2500 - np.abs(alone)) / np.linalg.norm(per_wrench, axis=1))
    push = per_wrench[worst] / np.linalg.norm(per_wrench[worst]) * -np.sign(alone[worst])
    force = hexapod.inverse_dynamics(
        pose, np.zeros(6), np.zeros(6), capacity.sphere * push * length
    )
    assert np.abs(force).max() == pytest.approx(2500, rel=1e-10)


def test_nothing_can_be_carried_where_the_machine_is_singular(hexapod):
    pose = gough.pose(hexapod.robot.home[:3], rpy=[0, 0, np.pi / 2])
    capacity = hexapod.wrench_capacity(pose)
    lacking = abs(float(hexapod.crossing_residual(pose)))
    assert capacity.sphere == pytest.approx(-lacking, rel=1e-9)
    assert np.isnan(capacity.force([1, 0, 0]))
    escaping = hexapod.singularity(pose).twist
    helping = escaping @ hexapod.gravity(pose) / escaping[2]
    np.testing.assert_allclose(capacity.along([0, 0, 1, 0, 0, 0]), helping, rtol=1e-9)


def test_a_batch_is_as_its_poses_are(hexapod):
    poses = gough.pose([0, 0, 1], rpy=np.array([[0.0, 0, 0], [0.1, 0, 0], [0, 0.2, 0.3]]))
    capacity = hexapod.wrench_capacity(poses)
    one_by_one = [hexapod.wrench_capacity(pose) for pose in poses]
    np.testing.assert_allclose(capacity.sphere, [c.sphere for c in one_by_one], rtol=1e-14)
    upwards = [c.force([0, 0, 2]) for c in one_by_one]
    np.testing.assert_allclose(capacity.force([0, 0, 2]), upwards, rtol=1e-14)


def test_a_push_that_no_actuator_feels_has_no_end():
    model = gough.Model(gough.load("planar-3rrr"))
    np.testing.assert_array_equal(
        model.wrench_capacity(model.robot.home).along([0, 0, 1, 0, 0, 0]), [-np.inf, np.inf]
    )


def test_a_study_has_the_least_wrench_that_can_act_besides(hexapod):
    results = gough.run(data(tasks=[], samples=51))
    margin = results["wrench_margin"]
    k = int(margin.argmin())
    at = [results[name][k] for name in ("pose", "twist", "acceleration", "wrench")]
    least = results.summary["minimum_wrench_margin"]
    assert least.value == pytest.approx(float(hexapod.wrench_capacity(*at).sphere), rel=1e-10)
    assert least.time == results.time[k]


def test_what_has_no_largest_force_is_refused(redundant, hexapod):
    with pytest.raises(GoughError, match=r"no maximum force of .* is stated; expected max_force"):
        redundant.wrench_capacity(redundant.robot.home)
    with pytest.raises(GoughError, match=r"max_force is \[1, 2\]; expected one number or 6"):
        hexapod.wrench_capacity(hexapod.robot.home, max_force=[1, 2])
    with pytest.raises(GoughError, match=r"direction is \[0, 0, 0\]; expected three numbers"):
        hexapod.wrench_capacity(hexapod.robot.home).force([0, 0, 0])
