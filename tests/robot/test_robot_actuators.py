"""Drives, connectors, joint friction and stops in robot files: read, written, refused."""

from __future__ import annotations

import pytest
from robot_samples import edited, good_data

from gough.errors import RobotError
from gough.robot import Connector, Decoupling, Drive, Robot, load

DRIVE = {"resistance": 1.0, "torque_constant": 0.1, "back_emf": 0.1, "screw_lead": 0.01}
STAGE = {"mass": 0.01, "position": 0.5, "stiffness": 1e4}


def complaint(data: object) -> RobotError:
    with pytest.raises(RobotError) as caught:
        Robot.from_dict(data)
    assert "\n" not in str(caught.value)
    return caught.value


def test_units_of_drives_and_connectors():
    drive = DRIVE | {"max_current": "500 mA", "max_voltage": "0.3 kV", "rotor_friction": "7 mN m"}
    connector = {"stiffness": "20 N/um", "damping": "1 lbf s/ft"}
    leg = Robot.from_dict(edited("leg.connector", connector, edited("leg.drive", drive))).legs[4]
    assert (leg.drive.max_current, leg.drive.max_voltage) == (0.5, 300.0)
    assert leg.drive.rotor_friction == pytest.approx(7e-3)
    assert leg.connector.stiffness == pytest.approx(2e7)
    assert leg.connector.damping == pytest.approx(4.4482216152605 / 0.3048)


def test_a_leg_may_override_a_part_of_the_shared_connector():
    data = edited("leg.connector", {"stiffness": 1e6, "coupling": {"stiffness": 1e5}})
    data["legs"][2]["connector"] = {"coupling": {"damping": 40}}
    legs = Robot.from_dict(data).legs
    assert (legs[2].connector.coupling.stiffness, legs[2].connector.coupling.damping) == (1e5, 40)
    assert legs[1].connector.coupling.damping == 0.0
    assert Robot.from_dict(Robot.from_dict(data).to_dict()).legs == legs


def test_what_is_not_given_is_rigid_or_zero():
    connector = Connector()
    assert connector.stiffness is connector.coupling is connector.decoupling is None
    assert connector.damping == 0.0
    assert Decoupling(mass=1, position=0.3).stiffness is None
    drive = Drive(**DRIVE)
    assert (drive.efficiency, drive.rotor_friction, drive.max_current) == (1.0, 0.0, None)


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("leg.drive", DRIVE | {"efficiency": 1.2}, "above 0 and at most 1"),
        ("leg.drive", DRIVE | {"efficiency": 0}, "above 0 and at most 1"),
        ("leg.drive", DRIVE | {"back_efficiency": 1.1}, "at most 1"),
        ("leg.drive", DRIVE | {"max_current": 0}, "a current, above 0 A"),
        ("leg.drive", DRIVE | {"max_voltage": "5 A"}, "expected a voltage"),
        ("leg.drive", DRIVE | {"rotor_friction": -1}, "a torque, at least 0 N m"),
        ("leg.drive", DRIVE | {"max_curent": 1}, 'did you mean "max_current"?'),
        ("leg.drive", DRIVE | {"resistance": 0}, "no resistance, so that"),
        ("leg.connector", {"stiffness": 0}, "a stiffness, above 0 N/m"),
        ("leg.connector", {"stiffness": "3 N"}, '"3 N" is a force; expected a stiffness'),
        ("leg.connector", {"stifness": 1}, 'did you mean "stiffness"?'),
        ("leg.connector", {"damping": -1}, "a damping, at least 0 N s/m"),
        ("leg.connector", {"coupling": {"damping": 1}}, "stiffness (leg 1): missing"),
        ("leg.connector", {"decoupling": {"mass": 0, "position": 1}}, "a mass, above 0 kg"),
        ("leg.connector", {"decoupling": STAGE | {"mass": 5}}, "more than the cylinder has"),
        ("leg.connector", {"decoupling": STAGE | {"position": 9}}, "more than the cylinder has"),
        ("leg.joint_friction", {"base_friction": -1}, "a torque, at least 0 N m"),
        ("leg.stop", {"stiffness": 1e6, "restitution": 1.5}, "at least 0 and at most 1"),
        ("leg.stop", {"stiffness": 1e6}, "restitution (leg 1): missing"),
    ],
)
def test_bad_values_are_refused(path, value, problem):
    error = complaint(edited(path, value))
    assert problem in str(error)
    assert path.split(".")[1] in error.key


def test_a_stage_that_is_the_whole_cylinder_fits():
    data = good_data()
    cylinder = data["leg"]["cylinder"]
    stage = {"mass": cylinder["mass"], "position": cylinder["center_of_mass"]}
    Robot.from_dict(edited("leg.connector", {"decoupling": stage}))


def test_every_number_of_a_connector_changes_the_fingerprint():
    one = edited("leg.connector", {"stiffness": 1e6})
    other = edited("leg.connector", {"stiffness": 2e6})
    assert Robot.from_dict(one).fingerprint != Robot.from_dict(other).fingerprint


@pytest.mark.parametrize("name", ["baiges-1996", "baiges-1996-two-planes"])
def test_baiges_has_rigid_connectors_as_printed(name):
    """Section 7.2.2; M_d of 15 lb stays 1.25 ft from the base joint."""
    for leg in load(name).legs:
        assert leg.connector.stiffness is None
        assert leg.connector.coupling is None
        stage = leg.connector.decoupling
        assert stage.stiffness is None
        assert stage.damping == leg.connector.damping == 0.0
        assert stage.mass == pytest.approx(15 * 0.45359237)
        assert stage.position == pytest.approx(leg.piston.center_of_mass)
