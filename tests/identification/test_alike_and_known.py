"""Legs with identical bodies and drives of their own; numbers that are known; what is a warning."""

import numpy as np
import pytest
from recordings import recorded, recorded_delta

import gough
from gough.errors import GoughError


@pytest.fixture(scope="module")
def robot():
    return gough.load("demo-hexapod")


@pytest.fixture(scope="module")
def worn(robot):
    """The same bodies; each drive rubs in its own way."""
    data = robot.to_dict()
    shared = data.pop("leg")
    rng = np.random.default_rng(5)
    legs = []
    for leg in data["legs"]:
        rubs = {
            key: float(shared["drive"][key] * rng.uniform(0.5, 1.5))
            for key in ("screw_friction", "screw_damping")
        }
        legs.append(shared | leg | {"drive": shared["drive"] | rubs})
    return gough.Robot.from_dict(data | {"legs": legs})


@pytest.fixture(scope="module")
def columns(worn):
    return recorded(worn, 1, duration=8.0)


def test_identical_bodies_may_have_drives_of_their_own(robot, worn, columns):
    found = gough.identify(robot, columns, legs="identical")
    base = gough.base_parameters(robot, legs="identical")
    z = [
        (found[name].value - value) / found[name].sigma
        for name, value in zip(base.names, base.values, strict=True)
    ]
    assert 0.6 < np.sqrt(np.mean(np.square(z))) < 1.5
    assert not any("far above the noise" in warning for warning in found.warnings)
    for k, leg in enumerate(worn.legs):
        turns = 2 * np.pi / leg.drive.screw_lead
        dry = turns * (leg.drive.rotor_friction + leg.drive.screw_friction)
        number = found[f"legs[{k}].drive.friction"]
        assert abs(number.value - dry) < 4 * number.sigma


def test_residuals_far_above_the_noise_of_neighbours_are_a_warning(robot, columns):
    """Seven and a half newtons of noise, of which the filter leaves one, and drives that differ."""
    found = gough.identify(robot, columns, legs="identical", drives="identical")
    warning = next(warning for warning in found.warnings if "far above the noise" in warning)
    assert warning in found.report()
    assert found.noise.max() > 5.0


def test_the_noise_of_neighbouring_samples_is_that_of_the_efforts(robot, columns):
    noise = gough.Recording.of(columns, robot).neighbour_noise()
    turns = 2 * np.pi / robot.legs[0].drive.screw_lead
    np.testing.assert_allclose(noise * turns, 7.5, rtol=0.05)


def test_known_legs_make_the_platform_known_for_itself(robot):
    """The sum platform + pistons is the platform alone, and the robot has what was found."""
    wrong = robot.replace({"platform.mass": 180.0, "platform.center_of_mass": [0.03, -0.01, 0.2]})
    columns = recorded(robot, 2, duration=6.0, measured="force")
    found = gough.identify(wrong, columns, known=["legs[*]"])
    mass = found["platform.mass"]
    assert mass.formula == "platform.mass"
    assert abs(mass.value - robot.platform.mass) < 4 * mass.sigma < 0.5
    assert found.robot.platform.mass == pytest.approx(mass.value, abs=mass.sigma)
    assert found.not_separable == ()
    assert [leg.piston.mass for leg in found.robot.legs] == pytest.approx([3.2] * 6, rel=1e-9)
    together = gough.identify(wrong, columns)
    assert {"platform.mass", "legs[0].piston.mass"} <= {*together.not_separable}
    assert "is a convention" in together.report()


def test_what_is_known_of_drives_stays(robot):
    """Numbers that friction names, and of which some are known."""
    columns = recorded(robot, 3, duration=6.0)
    heavy = robot.replace({"platform.mass": 170.0})
    known = ["legs[*].drive.load_friction", "legs[*].drive.reflected_mass", "legs[2].drive"]
    found = gough.identify(heavy, columns, legs="identical", known=known)
    names = [parameter.name for parameter in found.parameters]
    assert "legs[1].drive.damping" in names
    assert not {"legs[2].drive.damping", "legs[1].drive.load_friction"} & {*names}
    assert [leg.drive.efficiency for leg in found.robot.legs] == pytest.approx([0.9] * 6)
    mass = found["platform.mass"]
    assert abs(mass.value - 169.2) < 4 * mass.sigma


def test_a_known_body_of_a_delta_stays():
    robot = gough.load("delta")
    columns, _ = recorded_delta(robot, 1)
    heavy = robot.replace({"platform.mass": robot.platform.mass * 1.2})
    found = gough.identify(heavy, columns, legs="identical", known=["bodies[*]"])
    assert found.robot.platform.mass == pytest.approx(robot.platform.mass, rel=0.01)
    assert found.robot.bodies[0].mass == pytest.approx(robot.bodies[0].mass)


def test_base_parameters_beside_known_ones(robot):
    base = gough.base_parameters(robot, known=["legs[*]"])
    assert len(base.names) == 10
    assert base.formulas[0] == "platform.mass"


def test_what_nobody_can_know_is_refused(robot, columns):
    with pytest.raises(GoughError, match=r"no parameter is called .platform\.weight."):
        gough.identify(robot, columns, known=["platform.weight"])
    with pytest.raises(GoughError, match=r"patterns are 'platform'; expected a list"):
        gough.identify(robot, columns, known="platform")
    with pytest.raises(GoughError, match="all that forces tell is known"):
        gough.identify(robot, columns, known=["platform", "legs[*]"])
    with pytest.raises(GoughError, match="drives='same'; expected 'independent' or 'identical'"):
        gough.identify(robot, columns, drives="same")
    with pytest.raises(GoughError, match=r"did you mean platform\.mass"):
        gough.identify(robot, columns)["platform.maas"]
