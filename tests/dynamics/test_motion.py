"""Dynamics over time and near special poses: energy, singular poses, derivatives, linear models."""

import numpy as np
import pytest
from interpreted import interpreted
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import gough
from gough.equations.spatial.attitude import EULER_SEQUENCES


@pytest.fixture(scope="module")
def hexapod():
    return gough.Model(gough.load("demo-hexapod"))


@pytest.fixture(scope="module")
def state():
    rng = np.random.default_rng(0)
    pose = gough.pose([0.05, -0.03, 1.0], rpy=[0.1, -0.15, 0.2])
    twist, acceleration = rng.normal(size=(2, 6))
    return pose, twist, acceleration, 100 * rng.normal(size=6)


def pose_rate(pose, twist):
    w, v, omega = pose[3], pose[4:], twist[3:]
    return np.concatenate([twist[:3], [-omega @ v / 2], (w * omega + np.cross(omega, v)) / 2])


def test_energy_is_conserved_over_a_long_free_motion(hexapod):
    """Springs for actuators: the platform bounces and turns for 20 s, some 60 periods."""
    home = np.array(hexapod.robot.home)
    rest, stiffness = hexapod.inverse_kinematics(home), 2e4

    def force(pose):
        return stiffness * (rest - hexapod.inverse_kinematics(pose))

    def rate(_, y):
        pose, twist = y[:7], y[7:]
        return np.concatenate(
            [pose_rate(pose, twist), hexapod.forward_dynamics(pose, twist, force(pose))]
        )

    def total(y):
        pose, twist = y[:7], y[7:]
        stretch = hexapod.inverse_kinematics(pose) - rest
        return hexapod.energy(pose, twist).sum() + stiffness * (stretch @ stretch) / 2

    start = np.concatenate([home, [0.2, -0.1, 0.3, 0.5, 0.4, -0.6]])
    run = solve_ivp(rate, (0, 20), start, method="DOP853", rtol=1e-12, atol=1e-13)
    energies = np.array([total(y) for y in run.y.T])
    kinetic = np.array([hexapod.energy(y[:7], y[7:])[0] for y in run.y.T])
    assert kinetic.max() > 20  # it does move
    assert np.abs(energies - energies[0]).max() < 1e-9 * kinetic.max()


def test_the_mass_matrix_is_positive_definite_over_the_workspace(hexapod):
    rng = np.random.default_rng(1)
    n = 20_000
    position = np.array([0, 0, 0.99]) + rng.uniform(-0.3, 0.3, (n, 3))
    poses = gough.pose(position, rotation_vector=rng.uniform(-0.8, 0.8, (n, 3)))
    assert (np.linalg.eigvalsh(hexapod.mass_matrix(poses)) > 1).all()


def similar_hexagons():
    """Platform and base are similar hexagons: singular when turned by a right angle."""
    angles = np.radians([10, 110, 130, 230, 250, 350])
    ring = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=-1)
    data = gough.load("kalani-2016").to_dict()
    data["leg"] = {**data["leg"], "kind": "SPS"}
    data["legs"] = [{"base": (1.0 * a).tolist(), "platform": (0.5 * a).tolist()} for a in ring]
    return gough.Model(gough.Robot.from_dict(data))


def test_at_a_singular_pose_inverse_dynamics_is_nan_and_forward_dynamics_finite():
    model = similar_hexagons()
    turns = np.array([[0, 0, 0], [0, 0, np.pi / 2], [0, 0, 0.3]])
    poses = gough.pose([0, 0, 1], rpy=turns)
    np.testing.assert_array_equal(model.is_singular(poses), [1, 1, 1])  # similar: singular always
    assert np.isnan(model.inverse_dynamics(poses)).all()
    assert np.isfinite(model.forward_dynamics(poses)).all()


def test_only_the_singular_samples_of_a_batch_are_nan(hexapod):
    """A platform folded into the plane of the base has all its legs in one plane."""
    robot = gough.load("kalani-2016")
    model = gough.Model(robot)
    poses = gough.pose([[0, 0, 1.0], [0.05, 0.1, 0.0], [0, 0, 1.1]])
    np.testing.assert_array_equal(model.is_singular(poses), [0, 1, 0])
    force = model.inverse_dynamics(poses)
    np.testing.assert_array_equal(np.isnan(force).all(axis=1), [False, True, False])
    with pytest.raises(gough.SingularConfiguration) as caught:
        model.checked_inverse_dynamics(poses)
    assert caught.value.index == (1,)
    assert caught.value.condition > 1e12
    assert "at index [1]: pose [0.05, 0.1, 0, 1, 0, 0, 0]" in str(caught.value)


@pytest.mark.parametrize(
    "pose",
    [[np.nan, 0, 1, 1, 0, 0, 0], [0, 0, np.inf, 1, 0, 0, 0], [0, 0, 1, 1, 0, 0, np.nan],
     [0, 0, 1, 0, 0, 0, 0]],
)  # fmt: skip
def test_what_is_no_pose_is_named(pose):
    model = gough.Model(gough.load("kalani-2016"))
    poses = np.array([[0, 0, 1.0, 1, 0, 0, 0], pose])
    with pytest.raises(gough.GoughError, match=r"pose\[1\] is \[.*\]; expected finite numbers"):
        model.checked_inverse_dynamics(poses)
    with pytest.raises(gough.GoughError, match=r"pose is \[.*\]; expected finite numbers"):
        model.checked_inverse_dynamics(pose)


def test_near_a_singular_pose_forces_are_bounded_or_not_given(hexapod):
    """The platform turned towards 90 degrees about z, where J is singular, under a moment."""
    away = np.radians(10.0 ** np.arange(-12.0, 1.0))
    poses = gough.pose([0, 0, 0.99], rpy=np.stack([0 * away, 0 * away, np.pi / 2 - away], -1))
    force = hexapod.inverse_dynamics(poses, np.zeros(6), np.zeros(6), [0, 0, 0, 0, 0, 10.0])
    singular = hexapod.is_singular(poses) == 1
    np.testing.assert_array_equal(np.isnan(force).all(-1), singular)
    assert singular[:5].all()
    assert not singular[-3:].any()
    assert np.nanmax(np.abs(force)) < 1e10


def test_a_checked_call_gives_the_kernels_forces(hexapod, state):
    np.testing.assert_array_equal(
        hexapod.checked_inverse_dynamics(*state), hexapod.inverse_dynamics(*state)
    )


def difference(f, x, step=1e-3):
    """Derivatives by central differences, with the error's second and fourth order removed."""
    step = step * max(1.0, np.abs(x).max())
    columns = []
    for d in np.eye(len(x)):
        coarse, middle, fine = (
            (f(x + s * d) - f(x - s * d)) / (2 * s) for s in (step, step / 2, step / 4)
        )
        better, best = (4 * middle - coarse) / 3, (4 * fine - middle) / 3
        columns.append((16 * best - better) / 15)
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize("k", range(4), ids=["pose", "twist", "third", "wrench"])
@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics"])
def test_derivatives_are_exact(hexapod, state, name, k):
    kernel = getattr(hexapod, name)
    derivative = hexapod.derivative(name, wrt=kernel.function.inputs[k].name)

    def moved(x):
        return kernel(*state[:k], x, *state[k + 1 :])

    exact = derivative(*state)
    assert exact.shape == (6, len(state[k]))
    assert np.abs(exact - difference(moved, state[k])).max() < 1e-9 * np.abs(exact).max()


OF_NO_FORCE = (
    "stiffness",
    "screw",
    "joint_stiffness",
    "connector",
    "drive",
    "joint_friction",
    "stop",
)
"""What the forces of a rigid machine do not know."""


def bare_family():
    data = gough.load("demo-hexapod").to_dict()
    kept = {key: value for key, value in data["leg"].items() if key not in OF_NO_FORCE}
    return gough.Model(gough.Robot.from_dict(data | {"leg": kept}), parametric=True)


def test_forces_have_derivatives_by_every_parameter_of_the_robot(state):
    model = bare_family()
    slope = interpreted(model.function("inverse_dynamics").jacobian("force", "parameters"))
    derivative = slope(model.parameters, *state)
    assert derivative.shape == (6, len(model.parameters))
    chosen = [
        "platform.mass",
        "legs[2].base.y",
        "legs[4].piston.inertia.xz",
        "legs[0].first_axis.z",
    ]
    for name in chosen:
        k = model.parameter_names.index(name)

        def moved(x, k=k):
            parameters = model.parameters.copy()
            parameters[k] += x[0]
            return model.inverse_dynamics(parameters, *state)

        by_difference = difference(moved, np.zeros(1))[:, 0]
        assert np.abs(derivative[:, k] - by_difference).max() < 1e-8 * np.abs(derivative).max()


def test_a_hundred_thousand_robots_in_one_call(state):
    model = bare_family()
    n = 100_000
    robots = np.tile(model.parameters, (n, 1))
    mass = model.parameter_names.index("platform.mass")
    robots[:, mass] = np.linspace(100, 200, n)
    forces = model.inverse_dynamics(robots, *state)
    one = gough.Model(model.robot).inverse_dynamics(*state)
    np.testing.assert_allclose(forces.mean(axis=0), one, rtol=1e-10)  # forces are linear in mass
    np.testing.assert_allclose(forces[[0, -1]].mean(axis=0), one, rtol=1e-12)


def test_the_linear_model_predicts_small_deviations(hexapod, state):
    """Without joint friction, which the rigid-body forward dynamics leaves out."""
    data = hexapod.robot.to_dict()
    for leg in (*data["legs"], data.get("leg", {})):
        for key in ("joint_friction", "connector"):
            leg.pop(key, None)
    hexapod = gough.Model(gough.Robot.from_dict(data))
    pose, twist, force = state[0], 0.3 * state[1], 10 * state[3]
    A, B = hexapod.linearize(pose, twist, force)
    rng = np.random.default_rng(3)
    x, u = 1e-5 * rng.normal(size=12), 1e-2 * rng.normal(size=6)

    def rates(pose, twist, force):
        return np.concatenate([twist, hexapod.forward_dynamics(pose, twist, force)])

    moved = gough.pose(
        pose[:3] + x[:3], rotation=Rotation.from_rotvec(x[3:6]) * gough.rotation(pose)
    )
    predicted = A @ x + B @ u
    actual = rates(moved, twist + x[6:], force + u) - rates(pose, twist, force)
    np.testing.assert_allclose(predicted[6:], actual[6:], atol=3e-5 * np.abs(predicted[6:]).max())
    np.testing.assert_allclose(predicted[:3], x[6:9], rtol=1e-12)


def test_python_control_takes_the_linear_model(hexapod):
    import control  # slow to import

    A, B = hexapod.linearize(np.array(hexapod.robot.home))
    system = control.ss(A, B, np.eye(12), np.zeros((12, 6)))
    assert np.linalg.matrix_rank(control.ctrb(A, B)[:, :18]) == 12
    assert system.poles().shape == (12,)


def test_the_linear_model_turns_deviations_with_the_platform(hexapod):
    """Two attitudes that turn alike keep their difference in the platform, not in the base."""
    pose, twist = np.array(hexapod.robot.home), np.array([0, 0, 0, 0.0, 0, 0.7])
    A, _ = hexapod.linearize(pose, twist)
    deviation, dt = np.array([0.02, 0.0, 0.0]), 1e-4
    turned = Rotation.from_rotvec(dt * twist[3:])
    later = turned * Rotation.from_rotvec(deviation) * turned.inv()
    rate = (later.as_rotvec() - deviation) / dt
    np.testing.assert_allclose(A[3:6, 3:6] @ deviation, rate, atol=1e-5)


@pytest.mark.parametrize("sequence", ["XYZ", "ZYX", "YXZ", "ZXZ", "xyz", "zxz"])
def test_the_explicit_form_is_the_same_motion(hexapod, sequence):
    form = gough.explicit_form(hexapod.robot, euler=sequence)
    rng = np.random.default_rng(4)
    X = np.concatenate([[0.05, -0.03, 1.0], [0.3, 0.5, -0.2]])
    X_dot, X_ddot = rng.normal(size=(2, 6))
    pose = form.pose(X)
    np.testing.assert_allclose(gough.euler(pose, sequence), X[3:], atol=1e-14)
    twist = form.T(X) @ X_dot
    h = 1e-6
    T_dot = (form.T(X + h * X_dot) - form.T(X - h * X_dot)) / (2 * h)
    acceleration = form.T(X) @ X_ddot + T_dot @ X_dot
    force = hexapod.inverse_dynamics(pose, twist, acceleration)
    left = form.M(X) @ X_ddot + form.C(X, X_dot) @ X_dot + form.G(X)
    np.testing.assert_allclose(left, form.J(X).T @ force, rtol=1e-7, atol=1e-6)
    np.testing.assert_allclose(
        form.J(X), hexapod.jacobian(pose) @ form.T(X), rtol=1e-13, atol=1e-14
    )
    M_dot = (form.M(X + h * X_dot) - form.M(X - h * X_dot)) / (2 * h)
    N = M_dot - 2 * form.C(X, X_dot)
    assert np.abs(N + N.T).max() < 1e-6 * np.abs(N).max()
    places = [leg.platform for leg in hexapod.robot.legs]
    joints = [gough.poses.transform(form.pose(X + step * X_dot), places) for step in (h, -h)]
    np.testing.assert_allclose(form.J_i(X) @ X_dot, np.subtract(*joints) / (2 * h), atol=1e-8)
    J_i_rate = (form.J_i(X + h * X_dot) - form.J_i(X - h * X_dot)) / (2 * h)
    np.testing.assert_allclose(form.J_i_rate(X, X_dot), J_i_rate, atol=1e-8)


@pytest.mark.parametrize(
    ("name", "coordinates"),
    [
        ("delta", ("x", "y", "z")),
        ("orthoglide", ("x", "y", "z")),
        ("planar-3rrr", ("x", "y", "rz")),
        ("agile-eye", ("ZYX angle 1", "ZYX angle 2", "ZYX angle 3")),
        ("hexaglide", ("x", "y", "z", "ZYX angle 1", "ZYX angle 2", "ZYX angle 3")),
    ],
)
def test_every_machine_with_coordinates_has_an_explicit_form(name, coordinates):
    model = gough.Model(gough.load(name))
    form = gough.explicit_form(model.robot, "ZYX")
    assert form.coordinates == coordinates
    home, n = np.array(model.robot.home), len(coordinates)
    angles = gough.euler(home, "ZYX") if n in (3, 6) and "rz" not in coordinates else np.zeros(1)
    places = [home["xyz".index(c)] for c in coordinates if c in "xyz"]
    rng = np.random.default_rng(2)
    X = np.concatenate([places, angles])[:n] + 0.01 * rng.normal(size=n)
    X_dot, X_ddot = 0.3 * rng.normal(size=(2, n))
    h = 1e-6
    before, after = form.pose(X - h * X_dot), form.pose(X + h * X_dot)
    twist = form.T(X) @ X_dot
    np.testing.assert_allclose(gough.poses.difference(after, before) / (2 * h), twist, atol=1e-7)
    T_dot = (form.T(X + h * X_dot) - form.T(X - h * X_dot)) / (2 * h)
    acceleration = form.T(X) @ X_ddot + T_dot @ X_dot
    force = model.inverse_dynamics(form.pose(X), twist, acceleration)
    left = form.M(X) @ X_ddot + form.C(X, X_dot) @ X_dot + form.G(X)
    right = form.J(X).T @ force
    np.testing.assert_allclose(left, right, rtol=1e-6, atol=1e-6 * np.abs(right).max())
    np.testing.assert_allclose(
        form.J(X) @ X_dot, model.joint_velocity(form.pose(X), twist), rtol=1e-9, atol=1e-12
    )
    M_dot = (form.M(X + h * X_dot) - form.M(X - h * X_dot)) / (2 * h)
    N = M_dot - 2 * form.C(X, X_dot)
    assert np.abs(N + N.T).max() < 1e-5 * np.abs(M_dot).max() + 1e-8


def test_coordinates_keep_their_order_whatever_that_of_the_velocities_is():
    usual = gough.load("planar-3rrr")
    turned = usual.replace({"platform.moves": ["rz", "x", "y"]})
    one, other = gough.explicit_form(usual), gough.explicit_form(turned)
    assert one.coordinates == other.coordinates == ("x", "y", "rz")
    X, X_dot = np.array([0.02, -0.01, 0.1]), np.array([0.3, 0.2, -0.5])
    for kernel in ("M", "G", "J", "T", "pose"):
        expected = getattr(one, kernel)(X)
        np.testing.assert_allclose(getattr(other, kernel)(X), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(other.C(X, X_dot), one.C(X, X_dot), rtol=1e-9, atol=1e-12)


def test_a_platform_that_moves_along_several_axes_at_once_has_no_explicit_form():
    slope = {"name": "slope", "type": "P", "between": ["base", "platform"], "at": [0, 0, 0],
             "axis": [1, 1, 0], "driven": True}  # fmt: skip
    platform = {"mass": 1.0, "inertia": [1, 1, 1], "moves": ["x"], "home": {"position": [0, 0, 0]}}
    machine = {"schema": "gough/2", "name": "slope", "platform": platform, "joints": [slope]}
    with pytest.raises(gough.GoughError, match="velocities x of slope"):
        gough.explicit_form(gough.Robot.from_dict(machine))


def test_an_unknown_sequence_lists_the_known_ones(hexapod):
    with pytest.raises(gough.GoughError, match="unknown Euler sequence 'XXY'"):
        gough.explicit_form(hexapod.robot, euler="XXY")
    assert len(EULER_SEQUENCES) == 24


def test_joint_space_obeys_the_same_equation(hexapod, state):
    pose, twist, acceleration, wrench = state
    q_dot = hexapod.joint_velocity(pose, twist)
    q_ddot = hexapod.joint_acceleration(pose, twist, acceleration)
    left = (
        hexapod.joint_mass_matrix(pose) @ q_ddot
        + hexapod.joint_coriolis_matrix(pose, twist) @ q_dot
        + hexapod.joint_gravity(pose)
    )
    right = hexapod.inverse_dynamics(*state) + np.linalg.solve(hexapod.jacobian(pose).T, wrench)
    np.testing.assert_allclose(left, right, rtol=1e-11)


def test_power_is_force_times_rate_and_feeds_the_energy(hexapod, state):
    pose, twist, acceleration, wrench = state
    power = hexapod.actuator_power(*state)
    np.testing.assert_allclose(
        power, hexapod.actuator_force(*state) * hexapod.joint_velocity(pose, twist), rtol=1e-13
    )
    on_bodies = hexapod.inverse_dynamics(*state) @ hexapod.joint_velocity(pose, twist)
    h = 1e-5

    def later(t):
        turned = Rotation.from_rotvec(t * twist[3:] + t * t / 2 * acceleration[3:])
        moved = pose[:3] + t * twist[:3] + t * t / 2 * acceleration[:3]
        at = gough.pose(moved, rotation=turned * gough.rotation(pose))
        return hexapod.energy(at, twist + t * acceleration).sum()

    rate = (later(h) - later(-h)) / (2 * h)
    assert rate == pytest.approx(on_bodies + wrench @ twist, rel=1e-7)
