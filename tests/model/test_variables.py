"""The numbers of a robot file as variables of its parameters."""

import numpy as np
import pytest

import gough
from gough.model import variables

DATA = {
    "schema": "gough/1",
    "name": "symmetric",
    "platform": {
        "mass": "3 lb",
        "inertia": [0.1, 0.1, 0.2],
        "home": {"position": [0.01, 0, 1], "rpy": ["5 deg", "-3 deg", "10 deg"]},
    },
    "leg": {"kind": "UPS", "stroke": [0.8, 1.4], "piston": {
        "mass": 1.0, "center_of_mass": 0.2, "inertia": [0.1, 0.1, 0.01]}},
    "legs": [{}, {}, {"stroke": [0.7, 1.5]}, {}, {}, {}],
}  # fmt: skip
CIRCLES = {
    "layout": "circles", "base_radius": "600 mm", "base_angle": "20 deg", "platform_radius": 0.4,
    "platform_angle": "30 deg", "base_step": 0.01,
}  # fmt: skip
TRIANGLES = {
    "layout": "triangles", "base_side": 1.1, "base_side_point": 0.1, "platform_side": 0.7,
    "platform_side_point": 0.15, "base_azimuth": "5 deg",
}  # fmt: skip
LAYOUTS = {"circles": CIRCLES, "triangles": TRIANGLES}


@pytest.fixture(params=LAYOUTS)
def data(request):
    return DATA | {"symmetric": LAYOUTS[request.param]}


def test_variables_of_a_file_make_its_parameters(data):
    robot = gough.Robot.from_dict(data)
    found = variables(robot)
    np.testing.assert_allclose(found.parameters(found.values), robot.parameters, atol=1e-15)
    known = dict(zip(found.names, found.values, strict=True))
    assert known["leg.stroke.shortest"] == 0.8
    assert known["legs[2].stroke.shortest"] == 0.7
    assert known["platform.home.rpy.yaw"] == pytest.approx(np.radians(10))


def test_other_values_make_the_robot_of_a_file_that_says_them(data):
    robot = gough.Robot.from_dict(data)
    key = "base_radius" if "base_radius" in data["symmetric"] else "base_side"
    found = variables(robot)
    values = found.values.copy()
    values[found.names.index(f"symmetric.{key}")] *= 1.1
    values[found.names.index("leg.piston.mass")] = 1.7
    size = found.values[found.names.index(f"symmetric.{key}")] * 1.1
    expected = robot.replace({f"symmetric.{key}": size, "leg.piston.mass": 1.7})
    np.testing.assert_allclose(found.made(values).parameters, expected.parameters, atol=1e-15)


def test_derivatives_by_variables_are_those_of_differences(data):
    found = variables(gough.Robot.from_dict(data))
    wrt = ["symmetric", "platform.home.rpy", "leg.piston.mass"]
    exact = found.jacobian(wrt)
    names = found.matching(wrt)
    steps = 1e-6 * np.eye(len(found.names))[[found.names.index(name) for name in names]]
    ahead, back = (found.parameters(found.values + s * steps) for s in (1, -1))
    finite = np.isfinite(ahead[0])  # others are limits that are not stated
    expected = (ahead[:, finite] - back[:, finite]) / 2e-6
    np.testing.assert_allclose(exact[finite], expected.T, atol=1e-9)
    assert not exact[~finite].any()


def test_a_design_by_two_lengths_has_the_gradient_of_its_legs():
    """The chain from two numbers of a file to leg lengths, by exact derivatives of both."""
    robot = gough.Robot.from_dict(DATA | {"symmetric": CIRCLES})
    found, family = variables(robot), gough.Model(robot, parametric=True)
    wrt = ["symmetric.base_radius", "symmetric.platform_radius"]
    through = ["legs[*].base", "legs[*].platform"]
    columns = [robot.parameter_names.index(name) for name in family.matching_parameters(through)]
    pose = gough.pose([0.05, 0.02, 1.0])
    outer = family.derivative("inverse_kinematics", through)(robot.parameters, pose)
    gradient = outer @ found.jacobian(wrt)[columns]
    for k, name in enumerate(wrt):
        step = 1e-6 * (np.array(found.names) == name)
        ahead, back = (
            family.inverse_kinematics(found.parameters(found.values + s * step), pose)
            for s in (1, -1)
        )
        np.testing.assert_allclose(gradient[:, k], (ahead - back) / 2e-6, atol=1e-9)


def test_derivatives_are_taken_for_many_robots_at_once(data):
    found = variables(gough.Robot.from_dict(data))
    many = found.values * np.random.default_rng(0).uniform(0.9, 1.1, (3, 1))
    wrt = ["symmetric", "platform.home"]
    every = found.jacobian(wrt, many)
    for values, one in zip(many, every, strict=True):
        np.testing.assert_allclose(one, found.jacobian(wrt, values), atol=1e-15)
