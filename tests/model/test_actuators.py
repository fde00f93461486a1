"""From robot files to the equations of drives, connectors, friction and stops."""

from __future__ import annotations

from math import inf

import casadi as ca
import numpy as np
import pytest

import gough
from gough.equations.actuators import compliant, drive
from gough.equations.legs.extensible import MODES
from gough.errors import RobotError
from gough.model.actuators import (
    connectors_of,
    drives_of,
    joint_frictions_of,
    stops_of,
    voltage_limits,
)
from gough.model.parameters import machine_of


def demo(**changes):
    data = gough.load("demo-hexapod").to_dict()
    data["leg"] |= changes
    return gough.Robot.from_dict(data)


def without(key):
    data = gough.load("demo-hexapod").to_dict()
    del data["leg"][key]
    return gough.Robot.from_dict(data)


def test_drives_have_the_numbers_of_the_file():
    (d, *_) = drives_of(gough.load("demo-hexapod"))
    assert float(d.inductance) == 5e-3
    assert float(d.efficiency) == 0.9
    assert float(drive.reflected_mass(d)) == pytest.approx(6e-4 * (2 * np.pi / 0.01) ** 2)


def test_what_does_not_matter_is_left_out_of_the_equations():
    (d, *_) = drives_of(gough.load("bingul-2012"))
    assert d.efficiency is None
    assert d.max_voltage is None
    assert voltage_limits(gough.load("bingul-2012")) == (inf,) * 6
    assert voltage_limits(gough.load("demo-hexapod")) == (325.0,) * 6
    data = gough.load("bingul-2012").to_dict()
    data["leg"]["drive"]["inductance"] = 0
    assert drives_of(gough.Robot.from_dict(data))[3].inductance is None


def test_a_robot_without_drives_says_so():
    with pytest.raises(RobotError) as refused:
        drives_of(gough.load("kalani-2016"))
    assert (refused.value.key, refused.value.leg, refused.value.problem) == (
        "legs[0].drive",
        1,
        "missing",
    )


def test_every_mode_of_the_demo_holds_its_weight():
    """The forces on the platform are nearly those of rigid legs, whatever yields in the legs."""
    robot = gough.load("demo-hexapod")
    machine, home = machine_of(robot), ca.DM(robot.home)
    rigid = gough.Model(robot).inverse_dynamics(robot.home)
    for mode in MODES:
        connectors = connectors_of(robot, mode)
        at_rest = compliant.static_solution(machine.extensible, connectors, home, ca.DM.zeros(6))
        np.testing.assert_allclose(np.array(at_rest.force).ravel(), rigid, rtol=1e-3)


def test_baiges_is_rigid_as_printed():
    robot = gough.load("baiges-1996")
    assert all(c.is_rigid for c in connectors_of(robot, "rigid"))
    with pytest.raises(RobotError) as refused:
        connectors_of(robot, "simple")
    assert (refused.value.key, refused.value.leg) == ("legs[0].connector.stiffness", 1)
    assert refused.value.problem == "missing"
    assert refused.value.expected.startswith("K_L")


@pytest.mark.parametrize(
    ("mode", "connector", "key"),
    [
        ("simple", {"damping": 1}, "connector.stiffness"),
        ("low-frequency", {"stiffness": 1e6}, "connector.coupling"),
        ("complete", {"stiffness": 1e6, "coupling": {"stiffness": 1e5}}, "connector.decoupling"),
        (
            "high-frequency",
            {"stiffness": 1e6, "decoupling": {"mass": 1, "position": 0.3}},
            "connector.decoupling",
        ),
    ],
)
def test_a_mode_whose_parts_are_missing_says_which(mode, connector, key):
    with pytest.raises(RobotError) as caught:
        connectors_of(demo(connector=connector), mode)
    assert (caught.value.key, caught.value.leg) == (f"legs[0].{key}", 1)
    assert f'mode "{mode}"' in caught.value.expected


def test_a_robot_without_connectors_is_rigid_or_complains():
    robot = without("connector")
    assert all(c.is_rigid for c in connectors_of(robot, "rigid"))
    with pytest.raises(RobotError) as refused:
        connectors_of(robot)
    assert (refused.value.key, refused.value.problem) == ("legs[0].connector", "missing")


def test_an_unknown_mode_is_refused():
    with pytest.raises(RobotError) as refused:
        connectors_of(gough.load("demo-hexapod"), "soft")
    assert refused.value.value == "soft"
    assert refused.value.expected.split(", ")[:3] == ["rigid", "simple", "low-frequency"]


def test_a_compliant_leg_needs_a_piston_with_mass():
    with pytest.raises(RobotError) as refused:
        connectors_of(without("piston"), "simple")
    assert (refused.value.key, refused.value.leg, refused.value.value) == (
        "legs[0].piston.mass",
        1,
        0.0,
    )


def test_a_coupling_stage_without_damping_has_no_damper():
    robot = demo(connector={"stiffness": 1e6, "coupling": {"stiffness": 1e5}})
    assert connectors_of(robot, "low-frequency")[0].coupling.damping is None


def test_friction_is_that_of_joints_that_state_some():
    assert joint_frictions_of(gough.load("kalani-2016")) == ()
    hip, wrist, *_ = joint_frictions_of(gough.load("demo-hexapod"))
    assert (hip.joint, wrist.joint) == (0, 2)
    assert wrist.place == "legs[0].joint_friction.platform_"
    assert float(wrist.friction) == 0.3


def test_stops_are_at_the_ends_of_the_stroke():
    robot = gough.load("demo-hexapod")
    assert float(stops_of(robot)[2].longest) == robot.legs[2].stroke[1]
    assert stops_of(gough.load("bingul-2012")) == (None,) * 6
    assert stops_of(without("stroke")) == (None,) * 6
