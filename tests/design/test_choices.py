"""Designs with actuators of a catalogue: each in the machine, as large as it is."""

import numpy as np
import pytest

import gough
from designs import BOX, KEPT, RADII
from gough.design import Design, Objective, Variable, choices, demands

SMALL, LARGE, WEAK = (
    {
        "name": name,
        "stroke": stroke,
        "retracted_length": length,
        "peak_force": force,
        "max_speed": 0.5,
        "housing": {"mass": mass, "center_of_mass": 0.3, "inertia": [0.5, 0.5, 0.01]},
        "rod": {"mass": 2, "center_of_mass": 0.2, "inertia": [0.1, 0.1, 0.001]},
        "screw": {"lead": "10 mm", "diameter": "20 mm"},
    }
    for name, stroke, length, force, mass in (
        ("small", 0.4, 0.75, 2000.0, 8.0),
        ("large", 0.7, 1.0, 6000.0, 25.0),
        ("weak", 0.4, 0.75, 50.0, 8.0),
    )
)
CATALOGUE = {"schema": "gough-catalogue/1", "name": "some", "actuators": [LARGE, WEAK, SMALL]}
HEIGHT = Variable("platform.home.position.z", 0.6, 1.6)


@pytest.fixture(scope="module")
def tried():
    design = Design(gough.load("demo-hexapod"), [*RADII, HEIGHT], [BOX], KEPT, [Objective("force")])
    return choices(design, CATALOGUE, starts=2)


def test_the_machine_that_pushes_least_comes_first_and_what_cannot_be_last(tried):
    first, second, weak = tried
    assert {first.actuator.name, second.actuator.name} == {"small", "large"}
    assert first.designed.objectives["force"] < second.designed.objectives["force"]
    assert weak.designed is None
    assert "N instead of 50" in weak.problem


@pytest.mark.parametrize("k", [0, 1])
def test_machines_have_the_actuators_in_them(tried, k):
    found, actuator = tried[k].designed, tried[k].actuator
    for leg in found.robot.legs:
        ends = (actuator.retracted_length, actuator.retracted_length + actuator.stroke)
        assert leg.stroke == pytest.approx(ends)
        assert leg.max_force == actuator.peak_force
        assert leg.cylinder.mass == actuator.housing.mass
    model, home = gough.Model(found.robot), np.array(found.robot.home)
    poses = [gough.poses.pose(home[:3] + o[:3], rpy=o[3:]) for o in [*BOX.offset, np.zeros(6)]]
    force = np.abs(model.inverse_dynamics(np.array(poses))).max()
    assert force == pytest.approx(found.objectives["force"], rel=1e-10)
    lengths = model.inverse_kinematics(np.array(poses))
    assert lengths.min() >= ends[0] - 1e-9
    assert lengths.max() <= ends[1] + 1e-9


def test_what_no_actuator_is_made_for_is_refused():
    delta = gough.load("delta")
    links = [Variable("leg.links[0].length", 0.3, 0.6)]
    box = demands.box({"x": 0.1}, points=2)
    with pytest.raises(gough.GoughError, match="no hexapod"):
        choices(Design(delta, links, [box]), CATALOGUE)
    own = Design(gough.load("demo-hexapod"), RADII, [BOX])
    with pytest.raises(gough.GoughError, match="at least 0 m"):
        choices(own, CATALOGUE, piece=-1.0)
