"""Bearings and flexures in motion: modes of another derivation, energy, large angles."""

import numpy as np
import pytest
from bending_arms import arm
from drawings import Body, Joint, Mechanism, Platform, changed
from drawn_machines import MACHINES
from test_swinging_bodies import of_bars, on_bearings

import gough
from gough.robot import elastic

ALL_OF_IT = elastic.HingeBearing(axial=4e4, radial=3e4, tilting=2e3)


def on_a_bearing(bearing=ALL_OF_IT, **options):
    """A rigid link on a motor."""
    drawn = arm((0.8,), (1.3,), radius=0.05, tip=2.0, moves=("y",), **options)
    hip, hand = drawn.joints
    return changed(drawn, joints=(changed(hip, bearing=bearing, stiffness=1e3), hand))


def with_an_arm_that_bends():
    machine = of_bars(on_bearings(MACHINES["five-bar"](0), flexures=True), "left", modes=0)
    return changed(machine, gravity=(0.0, 0.0, 0.0))


def on_slides(seed):
    """Bearings that tilt alone, in part as rows of cut joints."""
    tilting = {
        "R": elastic.HingeBearing(tilting=3e4, radial=1e7),
        "P": elastic.SlideBearing(tilting=2e4),
    }
    return on_bearings(MACHINES["3-RPR"](seed), tilting)


CASES = {
    "a link on a motor": on_a_bearing,
    "a five-bar with beams, bearings and flexures": with_an_arm_that_bends,
    "slides that tilt": lambda: on_slides(0),
}


@pytest.mark.parametrize("case", CASES)
def test_weightless_machines_vibrate_as_another_derivation_says(case):
    """Away from home too, where flexures are strained: those are left out there."""
    machine = CASES[case]()
    pose = np.array(machine.home)
    if case == "slides that tilt":
        pose[:2] += (0.03, 0.02)
    expected = gough.natural_modes(machine, pose)
    found = gough.natural_modes(gough.FlexibleMachine(machine), pose)
    np.testing.assert_allclose(found.frequencies, expected.frequencies, rtol=1e-9)
    np.testing.assert_allclose(found.effective_masses, expected.effective_masses, atol=1e-6)
    np.testing.assert_allclose(found.platform, expected.platform, atol=1e-7)
    np.testing.assert_allclose(found.bending, expected.bending, atol=1e-7)


def test_a_machine_away_from_home_stands_on_bearings_without_strain():
    machine = gough.FlexibleMachine(on_slides(0))
    pose = np.array(machine.robot.home) + 0.02 * np.eye(7)[0]
    z = machine.at(pose)
    strains = [k for k, name in enumerate(machine.coordinates) if "bearing" in name]
    assert strains
    assert not z[strains].any()
    np.testing.assert_allclose(machine.pose(z), pose, atol=1e-9)


def test_a_bearing_that_closes_a_loop_bears_weight_and_wrench():
    """It adds no coordinate; its compliance is that of the stiffness with its loads."""
    data = gough.load("five-bar").to_dict() | {"gravity": [0, -9.81, 0]}
    for joint in data["joints"]:
        if joint["driven"]:
            joint["stiffness"] = 1e12
        if joint["name"] == "tip-right":
            joint["bearing"] = {"radial": 1e6, "axial": 1e6}
    robot, w = gough.Robot.from_dict(data), np.array([5.0, 3, 0, 0, 0, 0])
    machine, model = gough.FlexibleMachine(robot), gough.Model(robot)
    force = model.actuator_force(robot.home)
    np.testing.assert_allclose(machine.deflected().force, force, rtol=1e-4)
    moved = (machine.deflected(wrench=w).pose - machine.deflected(wrench=-w).pose) / 2
    expected = model.compliance(robot.home, force) @ w
    np.testing.assert_allclose(moved[:2], expected[:2], rtol=1e-3)
    assert np.abs(expected).max() > 1e-7


def test_forces_are_those_of_the_energy():
    """Free of motors, energies keep their sum: at any state, by any coordinate."""
    machine = gough.FlexibleMachine(on_a_bearing(gravity=(1.0, -2.0, 3.0)))
    rng = np.random.default_rng(1)
    z, rate = rng.normal(0, 0.3, (2, len(machine.coordinates)))
    second = machine.forward_dynamics(z, rate, [0.0])
    h = 1e-6
    ends = [machine.energy(z + s * rate, rate + s * second).sum() for s in (h, -h)]
    assert machine.energy(z, rate)[2] > 100  # [J] strained
    assert (ends[0] - ends[1]) / (2 * h) == pytest.approx(0, abs=1e-4)


@pytest.mark.parametrize("type_of_joint", ["R", "P", "U", "S"])
@pytest.mark.parametrize("angle", [0.0, 0.004, 0.9])
def test_a_flexure_has_the_energy_of_its_way_from_home(type_of_joint, angle):
    """A pendulum on a flexure: k q² / 2, of turns by any angle about any axis of a ball joint."""
    k, axes = 30.0, {"U": ((1, 0, 0), (0, 1, 0)), "S": ()}.get(type_of_joint, ((0, 0, 1),))
    inertia = tuple(map(tuple, np.eye(3).tolist()))
    joints = (
        Joint("motor", "R", ("base", "arm"), (0, 0, 0), ((0, 0, 1),), True),
        changed(Joint("neck", type_of_joint, ("arm", "platform"), (1, 0, 0), axes), stiffness=k),
    )
    platform = Platform(1.0, inertia, position=(1.0, 0.0, 0.0), moves=("rz",))
    machine = gough.FlexibleMachine(
        Mechanism(
            "pendulum", platform, (Body("arm", 1.0, (0.5, 0, 0), inertia),), joints, (0, 0, 0)
        )
    )
    z = np.zeros(len(machine.coordinates))
    z[1:] = angle * np.array([1.0, -0.5, 0.3])[: len(z) - 1]
    expected = np.sum(z[1:] ** 2)
    if type_of_joint == "S":
        w, *v = machine.pose(z)[3:]
        expected = (2 * np.arctan2(np.linalg.norm(v), abs(w))) ** 2
    assert machine.energy(z, 0 * z)[2] == pytest.approx(k * expected / 2, rel=1e-9, abs=1e-12)


def test_beams_that_slide_along_their_line_are_refused():
    drawn = gough.load("tripod-3rps")
    beam = elastic.Beam(diameter=0.02)
    pistons = (b.model_copy(update={"beam": beam}) for b in drawn.bodies if "piston" in b.name)
    others = (b for b in drawn.bodies if "piston" not in b.name)
    robot = drawn.model_copy(update={"bodies": (*others, *pistons)})
    with pytest.raises(gough.GoughError, match="piston-1: a beam that slides along its own line"):
        gough.FlexibleMachine(robot)
