"""Screw joints: one against its formulas, over many turns; what machines with them do not have."""

import math

import numpy as np
import pytest
from drawings import Body, Joint, Mechanism, Platform, changed
from drawn_machines import MACHINES

import gough
from gough.errors import GoughError, InputError
from gough.exchange import export_machine

MASS, MOMENT, PITCH = 3.0, 0.02, 0.04
LEAD = PITCH / math.tau
STILL = np.zeros(6)


@pytest.fixture(scope="module")
def press():
    """A platform on a screw, guided by a slide: it goes up and down without turning."""
    joints = (
        Joint("screw", "H", ("base", "nut"), (0, 0, 0), [(0, 0, 1)], True, 0.3, PITCH),
        Joint("swivel", "R", ("nut", "platform"), (0, 0, 0.2), [(0, 0, 1)]),
        Joint("guide", "P", ("base", "platform"), (0.2, 0, 0), [(0, 0, 1)]),
    )
    nut = Body("nut", 1.0, (0, 0, 0.1), np.diag([0.01, 0.01, MOMENT]).tolist())
    platform = Platform(MASS, np.eye(3).tolist(), position=(0, 0, 0.2), moves=("z",))
    return gough.Model(Mechanism("press", platform, (nut,), joints))


def raised(height):
    return np.array([0, 0, 0.2 + height, 1, 0, 0, 0])


@pytest.mark.parametrize("height", [0.0, 0.003, -0.5, 0.7, 8.0])
def test_angles_count_whole_turns(press, height):
    (angle,) = press.inverse_kinematics(raised(height))
    assert angle == pytest.approx(0.3 + height / LEAD, rel=1e-12)


def test_a_screw_feels_weight_and_inertia_by_its_lead(press):
    twist, acceleration, wrench = STILL.copy(), STILL.copy(), STILL.copy()
    twist[2], acceleration[2], wrench[2] = 0.1, 0.7, -5.0
    (torque,) = press.inverse_dynamics(raised(0.1), twist, acceleration, wrench)
    total = MASS + 1.0
    expected = LEAD * (total * (0.7 + 9.81) + 5.0) + MOMENT * 0.7 / LEAD
    assert torque == pytest.approx(expected, rel=1e-12)


def test_beams_and_bearings_beside_screws_are_refused():
    robot = MACHINES["6-UHS"](1)
    bodies = (changed(robot.bodies[0], beam={"diameter": 0.02, "modulus": 2e11}),)
    with pytest.raises(InputError) as error:
        changed(robot, bodies=bodies + robot.bodies[1:])
    assert error.value.key == "joints[1]"


@pytest.mark.parametrize("language", ["mjcf", "urdf", "sdf"])
def test_other_tools_have_no_screw(language, tmp_path):
    with pytest.raises(GoughError, match="screw0: a screw joint"):
        export_machine(MACHINES["6-UHS"](1), tmp_path, language)
    assert not [*tmp_path.iterdir()]


def test_flexible_machines_have_no_screw():
    with pytest.raises(GoughError) as error:
        gough.natural_modes(gough.FlexibleMachine(MACHINES["6-UHS"](1)))
    assert error.value.key == "screw0"


def test_a_screw_is_written_and_read(tmp_path, press):
    gough.save(press.robot, tmp_path / "press.toml")
    assert gough.load(tmp_path / "press.toml") == press.robot
