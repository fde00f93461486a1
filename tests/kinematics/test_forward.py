"""Forward kinematics: the pose that made the lengths, or a status that says why not."""

import numpy as np
import pytest
from forward_samples import around_home, leg_lengths, moved, published
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from robot_samples import robots
from scipy.optimize import brentq

from gough.kinematics.forward.forward import forward_kinematics
from gough.kinematics.forward.kernel import Status
from gough.kinematics.model import Model
from gough.kinematics.size import machine_size
from gough.poses import distance, pose
from gough.robot import Robot, load

LIBRARY = ["kalani-2016", "demo-hexapod", "bingul-2012", "baiges-1996", "dietmaier-1998"]
METHODS = ["newton", "third-order"]


@pytest.fixture(scope="module")
def kalani():
    return Model(load("kalani-2016"))


@pytest.fixture(scope="module")
def dietmaier():
    case, robot = published("dietmaier1998.json")
    return case, Model(robot)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", LIBRARY)
def test_a_warm_start_finds_every_pose(name, method):
    """From 1e-2 of the machine's size and one degree away: all of them, to the last digits."""
    model, rng = Model(load(name)), np.random.default_rng(0)
    true = around_home(model.robot, 5000, 0.2, 0.2, rng)
    guess = moved(model.robot, true, 1e-2, np.radians(1), rng)
    found = forward_kinematics(model, leg_lengths(model.robot, true), guess, method=method)
    assert np.isin(found.status, [Status.CONVERGED, Status.OUTSIDE_STROKE]).all()
    assert distance(found.pose, true, machine_size(model.robot)).max() < 1e-12
    assert found.residual.max() < 1e-14 * (1 + machine_size(model.robot))
    assert found.iterations.max() <= 5


@settings(max_examples=4, deadline=None)
@given(robot=robots(), seed=st.integers(0, 2**32 - 1))
def test_forward_kinematics_inverts_inverse_kinematics_on_random_robots(robot, seed):
    model, rng = Model(robot), np.random.default_rng(seed)
    size = machine_size(robot)
    scaled = model.jacobian(np.array(robot.home)) / ([1.0] * 3 + [size] * 3)
    regular = np.linalg.svd(scaled)[1][-1]  # the nearer a singularity, the nearer must a guess be
    assume(regular > 1e-4)
    near = min(1e-2, 0.02 * regular)
    true = around_home(robot, 50, near, near, rng)
    guess = moved(robot, true, near, near, rng)
    found = forward_kinematics(model, leg_lengths(robot, true), guess)
    assert np.isin(found.status, [Status.CONVERGED, Status.OUTSIDE_STROKE]).all()
    assert distance(found.pose, true, machine_size(robot)).max() < 1e-13 / regular


@pytest.mark.parametrize("method", METHODS)
def test_all_forty_poses_of_dietmaiers_machine_are_found_from_nearby(dietmaier, method):
    case, model = dietmaier
    published_poses = [pose(p["t"], matrix=p["R"]) for p in case["poses"]]
    guess = moved(model.robot, published_poses, 1e-5, 1e-5, np.random.default_rng(0))
    found = forward_kinematics(model, case["legs"], guess, method=method)
    assert found.pose.shape == (40, 7)
    assert found.converged.all()
    assert distance(found.pose, published_poses, machine_size(model.robot)).max() < 1e-9


@pytest.mark.parametrize("name", LIBRARY)
def test_what_is_found_from_afar_is_a_solution_and_its_side_is_told(name):
    """Whatever the guess: the legs fit, and OTHER_ASPECT is the change of sign of det J."""
    model, rng = Model(load(name)), np.random.default_rng(1)
    q = leg_lengths(model.robot, around_home(model.robot, 2000, 1.0, 2.0, rng))
    found = forward_kinematics(model, q)
    given = ~np.isnan(found.pose).any(-1)
    kept = [Status.CONVERGED, Status.OUTSIDE_STROKE, Status.OTHER_ASPECT]
    np.testing.assert_array_equal(given, np.isin(found.status, kept))
    residual = np.abs(leg_lengths(model.robot, found.pose[given]) - q[given]).max(-1)
    assert residual.max() < 1e-13
    np.testing.assert_allclose(found.residual[given], residual, atol=1e-14)
    sides = np.linalg.det(model.jacobian(found.pose[given]))
    home_side = np.linalg.det(model.jacobian(np.array(model.robot.home)))
    other = found.status[given] == Status.OTHER_ASPECT
    np.testing.assert_array_equal(sides * home_side < 0, other)
    assert given.mean() > 0.5


def test_both_methods_agree_and_third_order_takes_fewer_steps(kalani):
    true = around_home(kalani.robot, 1000, 0.4, 0.4, np.random.default_rng(2))
    q = leg_lengths(kalani.robot, true)
    newton, third = (forward_kinematics(kalani, q, method=m) for m in METHODS)
    assert distance(newton.pose, third.pose, machine_size(kalani.robot)).max() < 1e-13
    assert third.iterations.mean() < newton.iterations.mean() - 0.8


def test_batches_broadcast(kalani):
    true = around_home(kalani.robot, 6, 0.1, 0.1, np.random.default_rng(3)).reshape(2, 3, 7)
    q = leg_lengths(kalani.robot, true)
    for guess in (None, "home", true[0, 0], true[:, :1], true[0]):
        found = forward_kinematics(kalani, q, guess)
        assert found.pose.shape == (2, 3, 7)
        shapes = {found.residual.shape, found.iterations.shape, found.status.shape}
        assert shapes == {(2, 3)}
        assert distance(found.pose, true, machine_size(kalani.robot)).max() < 1e-13
    one = forward_kinematics(kalani, q[1, 2])
    np.testing.assert_array_equal(one.pose, forward_kinematics(kalani, q).pose[1, 2])
    assert one.status.shape == ()
    many = forward_kinematics(kalani, q[0, 0], true)
    assert many.pose.shape == (2, 3, 7)
    assert forward_kinematics(kalani, np.empty((0, 6))).pose.shape == (0, 7)


def test_the_start_may_have_a_quaternion_of_any_length(kalani):
    q = leg_lengths(kalani.robot, kalani.robot.home)
    found = forward_kinematics(kalani, q, [0.05, 0, 1.1, -7.0, 0.2, 0, 0])
    assert found.converged
    assert np.linalg.norm(found.pose[3:]) == pytest.approx(1, abs=1e-15)


def test_the_unit_of_length_does_not_matter():
    """A machine a thousand times as large takes the same steps to the same tolerance."""
    data = load("kalani-2016").to_dict()
    large = load("kalani-2016").to_dict()
    large["platform"]["home"]["position"] = [1000 * x for x in data["platform"]["home"]["position"]]
    for leg in large["legs"]:
        leg["base"], leg["platform"] = ([1000 * x for x in leg[k]] for k in ("base", "platform"))
    small, large = Model(load("kalani-2016")), Model(Robot.from_dict(large))
    q = leg_lengths(small.robot, around_home(small.robot, 300, 0.6, 0.6, np.random.default_rng(4)))
    one, other = forward_kinematics(small, q), forward_kinematics(large, 1000 * q)
    np.testing.assert_array_equal(one.iterations, other.iterations)
    np.testing.assert_array_equal(one.status, other.status)
    np.testing.assert_allclose(other.pose[:, :3], 1000 * one.pose[:, :3], atol=1e-8)


def test_a_looser_tolerance_takes_fewer_steps_and_keeps_its_promise(kalani):
    true = around_home(kalani.robot, 500, 0.3, 0.3, np.random.default_rng(5))
    q = leg_lengths(kalani.robot, true)
    steps = []
    for tolerance in (1e-2, 1e-4, 1e-8):
        found = forward_kinematics(kalani, q, tolerance=tolerance)
        assert found.converged.all()
        assert distance(found.pose, true, machine_size(kalani.robot)).max() < tolerance
        steps.append(found.iterations.mean())
    assert steps == sorted(steps)
    assert steps[0] < steps[-1]


def test_a_limited_stride_finds_more_than_the_plain_method(dietmaier):
    _, model = dietmaier
    true = around_home(model.robot, 2000, 1.0, 1.0, np.random.default_rng(6))
    q = leg_lengths(model.robot, true)
    right = {}
    for stride in (0.3, np.inf):
        found = forward_kinematics(model, q, stride=stride)
        right[stride] = (distance(found.pose, true, machine_size(model.robot)) < 1e-6).mean()
    assert right[0.3] > right[np.inf] + 0.1


def test_poses_outside_the_stroke_are_given_and_flagged():
    model = Model(load("bingul-2012"))
    low, high = model.robot.legs[0].stroke
    inside = pose([0, 0, 0.25])
    outside = pose([0, 0, 0.25 + 1.2 * (high - low)])
    found = forward_kinematics(model, leg_lengths(model.robot, np.stack([inside, outside])))
    assert found.status.tolist() == [Status.CONVERGED, Status.OUTSIDE_STROKE]
    np.testing.assert_array_equal(found.converged, [True, False])
    np.testing.assert_allclose(found.pose[1], outside, atol=1e-14)


def test_lengths_at_the_very_end_of_the_stroke_are_inside():
    model = Model(load("bingul-2012"))
    _, high = model.robot.legs[0].stroke
    z = brentq(lambda z: leg_lengths(model.robot, pose([0, 0, z])).max() - high, 0.25, 0.35)
    assert forward_kinematics(model, leg_lengths(model.robot, pose([0, 0, z]))).converged


def singular_pose(model):
    """A pose between two yaw angles where det J changes its sign."""

    def at(yaw):
        return pose([0.05, 0.02, 1], rpy=[3, 5, yaw], degrees=True)

    def det(yaw):
        return np.linalg.det(model.jacobian(at(yaw)))

    return at(brentq(det, 60, 120, xtol=1e-14)), at


@pytest.mark.parametrize("method", METHODS)
def test_singular_poses_are_reported_as_such(kalani, method):
    """Two solutions meet there: their pose is not determined to more than half of the digits."""
    singular, at = singular_pose(kalani)
    q = leg_lengths(kalani.robot, singular)
    guesses = np.stack([at(60), at(85), at(90), at(95), singular])
    found = forward_kinematics(kalani, q, guesses, method=method, at_most=60)
    assert (found.status == Status.SINGULAR).all()
    assert np.isnan(found.pose).all()


def test_a_singular_start_leads_nowhere(kalani):
    singular, _ = singular_pose(kalani)
    q = leg_lengths(kalani.robot, kalani.robot.home)
    found = forward_kinematics(kalani, q, singular)
    assert found.status == Status.SINGULAR
    assert found.iterations == 1


def test_an_architecturally_singular_machine_is_singular_everywhere():
    case, robot = published("griffis_duffy_selfmotion.json")
    model, rng = Model(robot), np.random.default_rng(7)
    true = around_home(robot, 100, 0.5, 0.5, rng)
    guess = moved(robot, true, 1e-2, 1e-2, rng)
    found = forward_kinematics(model, leg_lengths(robot, true), guess)
    assert (found.status == Status.SINGULAR).all()
    assert forward_kinematics(model, case["legs"]).status == Status.SINGULAR


def test_lengths_that_pass_the_cheap_tests_but_fit_no_pose_do_not_converge(kalani):
    found = forward_kinematics(kalani, [1e5] * 3 + [1e5 + 1] * 3, at_most=40)
    assert found.status in (Status.NO_CONVERGENCE, Status.SINGULAR)
    assert np.isnan(found.pose).all()
    too_short = forward_kinematics(kalani, [0.45] * 6)
    assert too_short.status in (Status.NO_CONVERGENCE, Status.SINGULAR, Status.IMPOSSIBLE_LENGTHS)


def test_too_few_steps_are_no_convergence(kalani):
    q = leg_lengths(kalani.robot, pose([0.2, 0.1, 1.2], rpy=[0.2, 0.1, 0.3]))
    found = forward_kinematics(kalani, q, at_most=2)
    assert (found.status, found.iterations) == (Status.NO_CONVERGENCE, 2)
    assert np.isnan(found.pose).all()
    assert found.residual > 1e-10


def test_a_parametric_model_takes_other_geometry(kalani):
    robot = kalani.robot
    model = Model(robot, parametric=True)
    true = around_home(robot, 20, 0.1, 0.1, np.random.default_rng(8))
    q = leg_lengths(robot, true)
    own = forward_kinematics(model, q)
    assert distance(own.pose, true, machine_size(robot)).max() < 1e-13
    shift = [name.endswith("base.z") for name in model.parameter_names] * np.full(1, 0.05)
    moved_base = forward_kinematics(model, q, parameters=model.parameters + shift)
    np.testing.assert_allclose(moved_base.pose[:, :3], true[:, :3] + [0, 0, 0.05], atol=1e-13)
    each = forward_kinematics(model, q, parameters=model.parameters + np.zeros((20, 1)))
    np.testing.assert_array_equal(each.pose, own.pose)


def test_every_status_has_words():
    assert all(status.meaning for status in Status)
