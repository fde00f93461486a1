"""What the documentation says of friction is what the equations do."""

import re
from pathlib import Path

import casadi as ca
import pytest

from gough.equations.actuators import drive
from gough.equations.forces import contact
from gough.equations.forces import passive_joints as of_machines
from gough.motion.tasks import loads

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "simulation.md").read_text("utf-8")
FADES = {
    "motors, screws and gears of drives": drive.FADE_SPEED,
    "hinges, universal and ball joints": of_machines.TURNING_FADE,
    "slides": of_machines.SLIDING_FADE,
    "a surface": contact.FADE_SPEED,
    "tools (`polishing`, `machining`)": loads.FADE_SPEED,
}


@pytest.mark.parametrize("name", FADES)
def test_the_page_says_below_which_speed_friction_fades(name):
    row = re.search(rf"^\| {re.escape(name)} \| (.*) \| (\S+) (rad|m)/s", PAGE, re.M)
    assert float(row[2]) == FADES[name]


def test_a_drive_creeps_under_half_of_its_dry_friction_as_the_page_says():
    screw = drive.DriveLaw(
        resistance=1, inductance=None, torque_constant=1, back_emf=1, rotor_inertia=0,
        rotor_damping=0, gear_ratio=1, screw_lead=0.01, screw_inertia=0, screw_damping=0,
        rotor_friction=0.2, screw_friction=0,
    )  # fmt: skip
    speed = ca.SX.sym("speed")
    lost = ca.Function("friction", [speed], [drive.friction(screw, speed)])
    whole, half = (float(lost(v)) for v in (1.0, 0.87e-3))
    assert half == pytest.approx(0.5 * whole, rel=0.01)
