"""What is said of a run before it begins, and why a run that loses its numbers was lost."""

import casadi as ca
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from gough.equations.forces.contact import ContactSurface
from gough.equations.forces.surfaces import Plane
from gough.motion import Quintic
from gough.motion.motions import screws
from gough.simulation import computed_torque, force_commanded, joint_pid, real_plant, rigid_plant
from gough.simulation.controllers.sensors import Sampling
from gough.simulation.events import first_ending
from gough.simulation.integrators import Adaptive
from gough.simulation.results import without_number
from gough.simulation.scenario import Scenario
from gough.simulation.simulate import simulate

ROBOT, KALANI = gough.load("demo-hexapod"), gough.load("kalani-2016")


@pytest.mark.parametrize("integrator", [None, Adaptive("RK45", 1e-6, 1e-8)])
def test_gains_that_are_not_stable_are_told_whatever_the_integrator(integrator):
    rest = screws.hold(KALANI.home, 0.01)
    wild, calm = (
        simulate(Scenario(KALANI, gains, rest, integrator=integrator)).warnings
        for gains in (joint_pid(1e6, 1e4), computed_torque(400, 40))
    )
    assert any("gains are not stable at this sampling" in words for words in wild)
    assert not any("not stable" in words for words in calm)


def test_an_adaptive_run_of_a_stiff_plant_is_not_called_unstable():
    """Amplifiers of 2000 rad/s: RK4 in steps of a whole period would be, and none are made."""
    plant = force_commanded(real_plant(ROBOT, joint_friction=False, stops=False))
    rest, gentle = screws.hold(ROBOT.home, 0.01), computed_torque(100, 20)
    how = {"plant": plant, "sampling": Sampling(2e-3), "integrator": Adaptive("RK45", 1e-6, 1e-8)}
    assert not any(
        "not stable" in w for w in simulate(Scenario(ROBOT, gentle, rest, **how)).warnings
    )


@pytest.mark.parametrize(("above", "inside"), [(0.3 + 1e-3, False), (0.3 - 2e-3, True)])
def test_a_tool_that_starts_inside_a_surface_is_told(above, inside):
    """2 mm in 1e5 N/m, of which it has (1 + 0.3²) / 2 at rest: 109 N."""
    at = np.array(ROBOT.home[:3]) + [0, 0, above]
    ceiling = ContactSurface(
        ca.DM([0, 0, 0.3]), Plane(ca.DM(at), ca.DM([0, 0, -1])), *map(ca.DM, (1e5, 0.3, 0.0))
    )
    plant = real_plant(ROBOT, drives=False, surface=ceiling)
    results = simulate(
        Scenario(ROBOT, computed_torque(400, 40), screws.hold(ROBOT.home, 0.02), plant=plant)
    )
    words = [w for w in results.warnings if "inside the surface at the beginning" in w]
    assert bool(words) == inside
    assert not inside or "pushes it out with 109 N" in words[0]


def lost_after(robot, poses):
    """How a run through poses ends whose numbers are lost behind them."""
    states = np.concatenate([poses, np.zeros((len(poses), 6))], axis=1)
    states = np.concatenate([states, np.full((3, 13), np.nan)])
    time, commands = 0.1 * np.arange(len(states)), np.zeros((len(states), 6))
    return first_ending(rigid_plant(robot), time, states, commands)


def test_a_run_lost_next_to_a_singular_pose_says_so():
    """All legs in the plane of the base, but for a hair."""
    ending = lost_after(KALANI, gough.pose([[0.05, 0.1, z] for z in (0.3, 0.1, 1e-4)]))
    assert (ending.kind, ending.samples) == ("singular", 3)
    assert "lost at t = 0.3 s: next to a singular configuration" in ending.text


def test_a_run_lost_with_a_leg_along_its_first_axis_says_so():
    leg = KALANI.legs[2]
    span = np.array(leg.first_axis) + [0, 0, 1e-2]
    tilt = Rotation.from_rotvec([0.3, -0.4, 0.2])
    at = np.array(leg.base) + 1.1 * span - tilt.apply(leg.platform)
    ending = lost_after(KALANI, gough.pose([at, at], rotation=tilt))
    assert ending.kind == "singular"
    assert "leg 3 lies along the first axis of its universal joint" in ending.text


def test_a_run_lost_for_no_such_reason_diverged():
    ending = lost_after(KALANI, gough.pose([KALANI.home[:3]] * 2))
    assert ending.kind == "diverged"
    assert "its numbers grew beyond all bounds" in ending.text


def test_falling_through_a_singular_pose_ends_with_a_reason_and_without_nan():
    down = screws.line(KALANI.home, [0, 0, -1.4], Quintic(4.0))
    results = simulate(Scenario(KALANI, lambda t, m, r: np.zeros(6), down))
    assert results.study["run"]["ended"]["kind"] == "singular"
    assert all(np.isfinite(results[name]).all() for name in ("pose", "twist", "force", "energy"))


def test_samples_without_a_number_are_counted():
    values = np.zeros((5, 6))
    values[2:4, 1] = np.nan
    values[:, 5] = np.nan  # of a leg that has no limit
    words = without_number(0.1 * np.arange(5), {"margin": np.stack([np.zeros((5, 6)), values])})
    assert words == [[], ["margin has no number at 2 of 5 samples, first at t = 0.2 s"]]
