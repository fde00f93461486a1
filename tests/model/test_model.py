"""Models: kernels by name, parametric ones, derivatives, and the published case."""

import pickle
from pathlib import Path

import numpy as np
import pytest

import gough

FORMULATIONS = ("newton-euler", "lagrange", "virtual-work", "kane", "recursive")
DATA = Path(__file__).parents[1] / "data"


@pytest.fixture(scope="module")
def kalani():
    return gough.Model(gough.load("kalani-2016"))


@pytest.fixture(scope="module")
def case_1():
    """Kalani 2016, case 1, by two independent rigid-body models; see data/README.md."""
    return np.genfromtxt(DATA / "kalani_case1.csv", delimiter=",", names=True)


@pytest.fixture(scope="module")
def helix(case_1):
    t, zero = case_1["t"], np.zeros(len(case_1))
    position = np.stack([0.1 * np.cos(2 * t), 0.1 * np.sin(2 * t), 1 + 0.01 * t], axis=-1)
    velocity = np.stack([-0.2 * np.sin(2 * t), 0.2 * np.cos(2 * t), zero + 0.01], axis=-1)
    return gough.pose(position), np.concatenate([velocity, np.zeros_like(velocity)], axis=-1)


def columns(case, name):
    return np.stack([case[f"{name}{k}"] for k in range(1, 7)], axis=-1)


def test_leg_lengths_of_the_published_case(kalani, helix, case_1):
    np.testing.assert_allclose(
        kalani.inverse_kinematics(helix[0]), columns(case_1, "L"), atol=1e-11
    )


def test_determinants_of_the_published_case(kalani, helix, case_1):
    np.testing.assert_allclose(np.linalg.det(kalani.jacobian(helix[0])), case_1["detJ"], atol=1e-11)


def test_spin_rates_of_the_published_case(kalani, helix, case_1):
    omega = kalani.leg_angular_velocity(*helix)
    along = kalani.jacobian(helix[0])[..., :3]
    np.testing.assert_allclose((omega * along).sum(-1), columns(case_1, "spin"), atol=1e-9)


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_forces_of_the_published_case(formulation, helix, case_1):
    model = gough.Model(gough.load("kalani-2016"), formulation=formulation)
    position = helix[0][:, :3]
    acceleration = np.zeros((len(position), 6))
    acceleration[:, :2] = -4 * position[:, :2]
    force = model.inverse_dynamics(*helix, acceleration)
    np.testing.assert_allclose(force, columns(case_1, "f"), atol=1e-8)


def test_the_spin_kernel_is_that_of_the_angular_velocity(kalani, helix, case_1):
    np.testing.assert_allclose(kalani.leg_spin(*helix), columns(case_1, "spin"), atol=1e-9)


@pytest.mark.parametrize("given", ["demo-hexapod", None, 3])
def test_a_model_needs_a_robot(given):
    with pytest.raises(gough.GoughError, match="a model needs a Robot"):
        gough.Model(given)


@pytest.mark.parametrize("given", [None, 3, [], {}])
def test_what_cannot_be_loaded_or_saved_is_said(given, tmp_path):
    with pytest.raises(gough.GoughError, match="expected a library name or a file"):
        gough.load(given)
    with pytest.raises(gough.GoughError, match="expected a Robot and the path of a file"):
        gough.save(given, tmp_path / "x.toml")


def test_an_unknown_formulation_lists_the_known_ones():
    with pytest.raises(gough.GoughError, match="expected one of newton-euler, lagrange"):
        gough.Model(gough.load("kalani-2016"), formulation="euler-lagrange")


def test_kernels_are_compiled_once_and_listed(kalani):
    assert kalani.jacobian is kalani.jacobian
    assert "jacobian" in dir(kalani)
    assert repr(kalani) == "<gough model of kalani-2016>"


def test_an_unknown_kernel_suggests_the_nearest(kalani):
    with pytest.raises(AttributeError, match="did you mean jacobian"):
        kalani.jacobain  # noqa: B018
    with pytest.raises(gough.GoughError, match="a model has no kernel 'nonsense'"):
        kalani.function("nonsense")


def test_a_parametric_kernel_gives_what_the_fixed_one_gives(kalani):
    model = gough.Model(kalani.robot, parametric=True)
    pose = gough.pose([0.1, -0.1, 1.1], rpy=[0.1, 0.2, 0.3])
    twist = np.arange(6.0)
    for name in ("inverse_kinematics", "jacobian"):
        np.testing.assert_allclose(
            getattr(model, name)(model.parameters, pose), getattr(kalani, name)(pose), rtol=1e-14
        )
    np.testing.assert_allclose(
        model.leg_angular_velocity(model.parameters, pose, twist),
        kalani.leg_angular_velocity(pose, twist),
        rtol=1e-13,
    )


def test_parameters_have_one_name_each():
    model = gough.Model(gough.load("demo-hexapod"), parametric=True)
    assert len(model.parameter_names) == len(set(model.parameter_names)) == len(model.parameters)
    values = dict(zip(model.parameter_names, model.parameters, strict=True))
    assert values["platform.inertia.xz"] == -0.4
    assert values["legs[5].piston.mass"] == 3.2
    assert values["gravity.z"] == -9.81


def test_every_sample_may_be_another_robot():
    model = gough.Model(gough.load("kalani-2016"), parametric=True)
    robots = np.tile(model.parameters, (5, 1))
    column = model.parameter_names.index("legs[0].base.x")
    robots[:, column] += np.linspace(0, 0.4, 5)
    lengths = model.inverse_kinematics(robots, np.array(model.robot.home))
    assert (np.diff(lengths[:, 0]) > 0).all()
    np.testing.assert_array_equal(lengths[:, 1:], np.broadcast_to(lengths[0, 1:], (5, 5)))


def test_a_derivative_of_a_model_is_a_kernel(kalani):
    derivative = kalani.derivative("inverse_kinematics", wrt="pose")
    pose = gough.pose([0.1, -0.1, 1.1], rpy=[0.1, 0.2, 0.3])
    assert derivative.signature == "(7)->(6,7)"
    np.testing.assert_allclose(derivative(pose)[:, :3], kalani.jacobian(pose)[:, :3], rtol=1e-13)


def test_models_travel_between_processes(kalani):
    copy = pickle.loads(pickle.dumps(kalani))
    pose = np.array(kalani.robot.home)
    np.testing.assert_array_equal(copy.jacobian(pose), kalani.jacobian(pose))


@pytest.mark.parametrize("name", ["machines", "parameters", "structure", "_definitions"])
def test_an_attribute_error_inside_a_model_is_told_as_it_is(monkeypatch, name):
    def broken(self):
        raise AttributeError("inner")

    class Broken(gough.Model):
        pass

    monkeypatch.setattr(Broken, name, property(broken), raising=False)
    model = Broken(gough.load("demo-hexapod"))
    with pytest.raises(AttributeError, match="inner"):
        getattr(model, name)


def test_a_model_that_was_never_made_has_no_kernels():
    with pytest.raises(AttributeError, match="robot"):
        _ = gough.Model.__new__(gough.Model).jacobian
