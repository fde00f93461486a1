"""Machines near a state as systems of python-control."""

import numpy as np
import pytest

import gough
from gough.errors import GoughError, SingularConfiguration
from gough.kinematics.state_space import holding_force
from gough.simulation import Stepper, real_plant

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


def springy():
    """The planar machine with damping and springs in its joints, which hold it away from home."""
    data = gough.load("planar-3rrr").to_dict()
    for joint in data["joints"]:
        joint.pop("friction", None)
        joint["damping"] = 0.4
        if not joint.get("driven"):
            joint["stiffness"] = 3.0
    return gough.Robot.from_dict(data)


@pytest.mark.parametrize("robot", [gough.load("kalani-2016"), springy()], ids=lambda r: r.name)
def test_a_small_push_moves_the_platform_as_the_system_says(robot):
    """The nonlinear machine, a short while after one actuator pushes a little more."""
    import control

    model = gough.Model(robot)
    pose = np.array(model.possible_pose(np.array(robot.home) + 0.01).pose)
    system = model.state_space(pose)
    held = model.actuator_force(pose)
    push = np.zeros(len(held))
    push[0] = 1e-3
    stepper = Stepper(real_plant(robot, drives=False, stops=False), STEP)
    stepper.reset(pose)
    for _ in range(100):
        stepper.step(held + push)
    time = np.linspace(0, 100 * STEP, 11)
    answer = control.forced_response(system, time, np.tile(push[:, None], 11)).outputs[:, -1]
    moved = model.inverse_kinematics(stepper.state[:7]) - model.inverse_kinematics(pose)
    of_actuators = [system.output_labels.index(name) for name in system.input_labels]
    assert answer[of_actuators] == pytest.approx(moved, rel=1e-4, abs=1e-13)
    assert answer[0] == pytest.approx(stepper.state[0] - pose[0], rel=1e-4, abs=1e-13)


def test_a_machine_is_held_by_its_springs_and_moves_against_its_damping():
    """Under the forces left out, in motion too, the machine keeps its speed."""
    model = gough.Model(springy())
    pose = np.array(model.possible_pose(np.array(model.robot.home) + 0.01).pose)
    for twist in (np.zeros(6), model.admissible(pose, [0.2, -0.1, 0, 0, 0, 0.3])):
        force = holding_force(model, pose, twist, np.zeros(6))
        assert np.abs(force - model.inverse_dynamics(pose, twist)).max() > 0.01
        plant = real_plant(model.robot, drives=False, stops=False)
        rates = plant.rate_kernel(np.concatenate([pose, twist]), force, np.zeros(6))
        np.testing.assert_allclose(rates[7:13], 0.0, atol=1e-9)


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
