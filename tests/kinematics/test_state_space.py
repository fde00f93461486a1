"""Machines near a state as systems of python-control."""

import numpy as np
import pytest

import gough
from gough.errors import GoughError, SingularConfiguration
from gough.simulation import Stepper, rigid_plant

STEP = 1e-5


@pytest.fixture(scope="module")
def hexapod():
    return gough.Model(gough.load("kalani-2016"))


def test_a_hexapod_has_its_own_names(hexapod):
    system = hexapod.state_space(hexapod.robot.home)
    freedoms = ["x", "y", "z", "rx", "ry", "rz"]
    legs = [f"leg {k}" for k in range(1, 7)]
    assert system.state_labels == [*freedoms, *(f"{name}_rate" for name in freedoms)]
    assert system.input_labels == legs
    assert system.output_labels == [*freedoms, *legs]
    assert system.name == "kalani-2016"


@pytest.mark.parametrize("name", ["kalani-2016", "planar-3rrr"])
def test_a_small_push_moves_the_platform_as_the_system_says(name):
    """The nonlinear machine, a short while after one actuator pushes a little more."""
    import control

    model = gough.Model(gough.load(name))
    home = np.array(model.robot.home)
    system = model.state_space(home)
    held = model.checked_inverse_dynamics(home)
    push = np.zeros(len(held))
    push[0] = 1e-3
    stepper = Stepper(rigid_plant(model.robot), STEP)
    stepper.reset(home)
    for _ in range(100):
        stepper.step(held + push)
    time = np.linspace(0, 100 * STEP, 11)
    answer = control.forced_response(system, time, np.tile(push[:, None], 11)).outputs[:, -1]
    moved = model.inverse_kinematics(stepper.state[:7]) - model.inverse_kinematics(home)
    of_actuators = [system.output_labels.index(name) for name in system.input_labels]
    assert answer[of_actuators] == pytest.approx(moved, rel=1e-4, abs=1e-13)
    assert answer[0] == pytest.approx(stepper.state[0] - home[0], rel=1e-4, abs=1e-13)


def test_a_planar_machine_has_three_freedoms():
    model = gough.Model(gough.load("planar-3rrr"))
    system = model.state_space(model.robot.home)
    assert system.state_labels == ["x", "y", "rz", "x_rate", "y_rate", "rz_rate"]
    assert system.ninputs == 3


def test_dots_in_names_are_no_matter():
    """As python-control takes none."""
    dotted = gough.load("planar-3rrr").to_dict()
    for joint in dotted["joints"]:
        joint["name"] = joint["name"].replace(" ", ".").replace("-", ".") + ".a"
    model = gough.Model(gough.Robot.from_dict(dotted))
    system = model.state_space(model.robot.home)
    assert all(name.endswith("_a") for name in system.input_labels)


def test_names_that_are_alike_are_told_apart():
    """A Cartesian machine may call its slides x, y and z, as its platform's freedoms are called."""
    named = gough.load("orthoglide").to_dict()
    for joint in named["joints"]:
        joint["name"] = {"slide-1": "x", "slide-2": "a.b", "slide-3": "a_b"}.get(
            joint["name"], joint["name"]
        )
    model = gough.Model(gough.Robot.from_dict(named))
    system = model.state_space(model.robot.home)
    assert system.input_labels == ["x_2", "a_b", "a_b_2"]
    assert system.output_labels == ["x", "y", "z", "x_2", "a_b", "a_b_2"]


def test_a_state_that_is_none_is_refused(hexapod):
    home = np.array(hexapod.robot.home)
    with pytest.raises(GoughError, match=r"pose has shape \(2, 7\); expected \(7,\), one state"):
        hexapod.state_space([home, home])
    with pytest.raises(GoughError, match=r"force has shape \(3,\)"):
        hexapod.state_space(home, force=[1, 2, 3])
    with pytest.raises(GoughError, match=r"takes parameters; expected"):
        gough.Model(hexapod.robot, parametric=True).state_space(home)


def test_a_singular_pose_is_refused(hexapod):
    turned = gough.pose(hexapod.robot.home[:3], rpy=[0, 0, np.pi / 2])
    with pytest.raises(SingularConfiguration):
        hexapod.state_space(turned)


def test_a_pose_that_a_machine_cannot_take_is_refused():
    model = gough.Model(gough.load("planar-3rrr"))
    with pytest.raises(GoughError, match=r"planar-3rrr: the platform cannot be at"):
        model.state_space(np.array(model.robot.home) + [0, 0, 0.1, 0, 0, 0, 0])
