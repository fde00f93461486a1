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
    np.testing.assert_allclose(found.made(found.values).parameters, robot.parameters, atol=1e-15)
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
    robot = gough.Robot.from_dict(data)
    found, names = variables(robot), ["symmetric", "platform.home.rpy", "leg.piston.mass"]
    family = gough.Model(robot, parametric=names)
    assert found.matching(names) == family.parameter_names
    pose = gough.pose([0.05, 0.02, 1.0])
    exact = family.derivative("inverse_dynamics", wrt="parameters")(family.parameters, pose)
    steps = 1e-6 * np.eye(len(family.parameters))
    ahead, back = (family.inverse_dynamics(family.parameters + s * steps, pose) for s in (1, -1))
    np.testing.assert_allclose(exact, (ahead - back).T / 2e-6, rtol=1e-6, atol=1e-7)


def test_a_design_by_two_lengths_has_the_gradient_of_its_legs():
    """Of leg lengths by two numbers of a file: the robots of other values have other legs."""
    robot = gough.Robot.from_dict(DATA | {"symmetric": CIRCLES})
    found, wrt = variables(robot), ["symmetric.base_radius", "symmetric.platform_radius"]
    family, pose = gough.Model(robot, parametric=wrt), gough.pose([0.05, 0.02, 1.0])
    gradient = family.derivative("inverse_kinematics", wrt)(family.parameters, pose)
    for k, name in enumerate(wrt):
        step = 1e-6 * (np.array(found.names) == name)
        ahead, back = (
            gough.Model(found.made(found.values + s * step)).inverse_kinematics(pose)
            for s in (1, -1)
        )
        np.testing.assert_allclose(gradient[:, k], (ahead - back) / 2e-6, atol=1e-9)
