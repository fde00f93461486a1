"""At a parallel singularity: what no actuator can give, and the forces of a motion that passes."""

import numpy as np
import pytest

import gough

YAW = np.pi / 2


@pytest.fixture(scope="module")
def hexapod():
    return gough.Model(gough.load("demo-hexapod"))


@pytest.fixture(scope="module")
def rigid():
    """The same with joints that do not resist."""
    data = gough.load("demo-hexapod").to_dict()
    for key in ("joint_friction", "connector"):
        data["leg"].pop(key, None)
    return gough.Model(gough.Robot.from_dict(data))


@pytest.fixture(scope="module")
def five_bar():
    return gough.Model(gough.load("five-bar"))


def flat_links(model):
    """The five-bar with both links in one line: y escapes."""
    return model.possible_pose(gough.pose([0, np.sqrt(0.009375), 0], rpy=[0, 0, -0.7])).pose


def singular_pose(model):
    turned = gough.pose(model.robot.home[:3], rpy=[0, 0, YAW])
    return turned if model.robot.name == "demo-hexapod" else flat_links(model)


@pytest.mark.parametrize("name", ["rigid", "five_bar"])
def test_no_forces_change_what_is_lacking_at_a_singular_pose(name, request):
    """Under any forces the platform's acceleration along the escaping motion is the same."""
    model, rng = request.getfixturevalue(name), np.random.default_rng(3)
    pose = singular_pose(model)
    assert model.singularity(pose).parallel < 1e-14
    twist = model.admissible(pose, rng.normal(size=6)) if name == "five_bar" else rng.normal(size=6)
    wrench = 100 * rng.normal(size=6)
    force = 100 * rng.normal(size=(20, len(model.robot.actuators)))
    accelerations = model.forward_dynamics(pose, twist, force, wrench)
    residual = model.crossing_residual(pose, twist, accelerations, wrench)
    np.testing.assert_allclose(residual, 0, atol=1e-9)
    away = model.crossing_residual(pose, twist, accelerations, wrench + 1)
    assert np.ptp(away) < 1e-9
    assert abs(away[0]) > 0.1


def test_the_residual_is_the_work_of_the_needed_wrench_on_the_weakest_twist(rigid):
    hexapod = rigid
    rng = np.random.default_rng(4)
    pose = gough.pose([0.02, -0.03, 0.9], rpy=[0.1, 0.2, 1.4])
    twist, acceleration, wrench = rng.normal(size=(3, 6))
    length = max(np.linalg.norm(leg.platform) for leg in hexapod.robot.legs)
    _, _, right = np.linalg.svd(hexapod.jacobian(pose) / np.repeat([1, length], 3))
    weakest = right[-1] * np.sign(right[-1][np.abs(right[-1]).argmax()])
    needed = hexapod.mass_matrix(pose) @ acceleration - wrench + hexapod.gravity(pose)
    needed += hexapod.coriolis_matrix(pose, twist) @ twist
    scaled = needed / np.repeat([1, length], 3)
    found = hexapod.crossing_residual(pose, twist, acceleration, wrench)
    assert found == pytest.approx(weakest @ scaled, rel=1e-10)
    share = hexapod.crossing_share(pose, twist, acceleration, wrench)
    parts = (
        hexapod.gravity(pose),
        hexapod.coriolis_matrix(pose, twist) @ twist,
        hexapod.mass_matrix(pose) @ acceleration,
        wrench,
    )
    sizes = [np.linalg.norm(part / np.repeat([1, length], 3)) for part in parts]
    assert share == pytest.approx(abs(found) / sum(sizes), rel=1e-10)


def test_all_formulations_find_the_same_residual(hexapod):
    rng = np.random.default_rng(5)
    state = (singular_pose(hexapod), *rng.normal(size=(3, 6)))
    expected = hexapod.crossing_residual(*state)
    for formulation in ("lagrange", "kane"):
        model = gough.Model(hexapod.robot, formulation=formulation)
        assert model.crossing_residual(*state) == pytest.approx(expected, rel=1e-9)


def passing(model, acceleration, jerk):
    """A motion of the hexapod through the singular pose at t = 0, upwards and about z."""
    speed = np.array([0.05, -0.1, 0.2, 0, 0, 0.7])

    def at(t):
        t = np.asarray(t)[..., None]
        way = speed * t + acceleration * t**2 / 2 + jerk * t**3 / 6
        place = np.array(model.robot.home[:3]) + way[..., :3]
        turns = np.zeros_like(place)
        turns[..., 2] = YAW + way[..., 5]
        twist = speed + acceleration * t + jerk * t**2 / 2
        return gough.pose(place, rpy=turns), twist, acceleration + jerk * t

    return at


def crossable(model):
    """Such a motion that can pass, by its acceleration along z, and its jerk."""
    jerk = np.array([3.0, -2, 4, 0, 0, -5])
    acceleration = np.array([0.3, 0.4, 0.0, 0, 0, 1.0])
    pose, twist, _ = passing(model, acceleration, jerk)(0.0)
    upwards = np.array([0, 0, 1.0, 0, 0, 0])
    without, with_one = model.crossing_residual(
        pose, twist, acceleration + np.array([[0.0], [1.0]]) * upwards
    )
    return acceleration + without / (without - with_one) * upwards, jerk


@pytest.mark.parametrize(
    ("name", "near"), [("rigid", 1.0), ("hexapod", 0.1)], ids=["rigid", "dry friction"]
)
def test_forces_of_a_motion_that_can_pass_lead_to_the_limit(name, near, request):
    """To second order in the time beside it; dry friction that fades curves them more."""
    hexapod = request.getfixturevalue(name)
    acceleration, jerk = crossable(hexapod)
    at = passing(hexapod, acceleration, jerk)
    limit = hexapod.crossing_forces(*at(0.0), np.zeros(6), jerk)
    for time, tolerance in ((1e-3, 1e-3), (1e-4, 1e-5)):
        beside = near * time
        around = hexapod.actuator_force(*at(np.array([-beside, beside])))
        np.testing.assert_allclose(around.mean(axis=0), limit, rtol=tolerance)
    assert hexapod.crossing_share(*at(0.0)) < 1e-12


def test_forces_of_a_motion_that_cannot_pass_grow_without_bound(hexapod):
    acceleration, jerk = crossable(hexapod)
    at = passing(hexapod, acceleration + np.array([0, 0, 0.1, 0, 0, 0]), jerk)
    near, nearer = (np.abs(hexapod.inverse_dynamics(*at(t))).max() for t in (1e-4, 1e-5))
    assert nearer == pytest.approx(10 * near, rel=0.1)
    assert hexapod.crossing_share(*at(0.0)) > 1e-3


def test_a_motion_that_stays_in_the_singularity_has_no_limit(hexapod):
    pose = singular_pose(hexapod)
    assert np.isnan(hexapod.crossing_forces(pose)).all()


def test_the_residual_has_exact_derivatives(hexapod):
    pose = gough.pose([0.02, -0.03, 0.9], rpy=[0.1, 0.2, 1.4])
    state = np.random.default_rng(6).normal(size=(3, 6))
    slope = hexapod.derivative("crossing_residual", "pose")(pose, *state)
    step = 1e-6 * np.eye(7)
    around = [hexapod.crossing_residual(pose + s * step, *state) for s in (1, -1)]
    np.testing.assert_allclose(slope, (around[0] - around[1]) / 2e-6, rtol=1e-6, atol=1e-6)


def test_a_parametric_model_judges_as_one_with_constants(five_bar):
    pose = flat_links(five_bar)
    parametric = gough.Model(five_bar.robot, parametric=True)
    found = parametric.crossing_residual(parametric.parameters, pose)
    assert found == pytest.approx(float(five_bar.crossing_residual(pose)), rel=1e-12)
