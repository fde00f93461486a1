"""What a motion takes on yielding legs: the forces found, fed to the forward model, must do it."""

import numpy as np
import pytest
from scipy.interpolate import make_interp_spline
from simulated_motions import screw_motion

import gough
from gough.equations.legs.extensible import MODES
from gough.motion import Constant, Cosine, During, Payload, Sequence, quiet
from gough.motion.motions import screws
from gough.simulation import real_plant
from gough.simulation.compliant_inverse import compliant_inverse
from gough.simulation.integrators import Adaptive, integrate

PUSH = (60.0, -40.0, 90.0)


@pytest.fixture(scope="module")
def robot():
    return gough.load("demo-hexapod")


@pytest.mark.parametrize("legs", MODES)
def test_the_forward_model_follows_the_motion_under_the_forces_found(robot, legs):
    motion, push = screw_motion(robot, duration=0.1, travel=0.01), Constant(PUSH)
    demand = compliant_inverse(robot, motion, legs=legs, tasks=[push], samples=401)
    plant = real_plant(robot, legs=legs, drives=False, stops=False)
    start = plant.start(motion(0.0).pose)
    if legs != "rigid":
        # the plant's own start knows no push; these states do
        free = [leg.piston.center_of_mass for leg in robot.legs]
        start[13:19] = demand.actuator_length[0] - free
        start[19:25] = demand.coupling_deflection[0]
        start[31:37] = demand.actuator_speed[0]
    times = np.linspace(0.0, 0.1, 51)
    found = integrate(
        plant,
        start,
        times,
        make_interp_spline(demand.time, demand.force, k=5),
        wrench=lambda t: push.wrench(t, motion(t)),
        integrator=Adaptive("LSODA", 1e-9, 1e-12),
    )
    wanted = motion(times)
    assert np.abs(gough.poses.difference(wanted.pose, found.pose)).max() < 2e-7
    assert np.abs(wanted.twist - found.twist).max() < 1e-5


def test_rigid_legs_need_what_the_rigid_model_says_with_friction(robot):
    motion = screw_motion(robot, duration=0.4)
    demand = compliant_inverse(robot, motion, legs="rigid", samples=101)
    samples = motion(demand.time)
    model = gough.Model(robot)
    np.testing.assert_allclose(demand.force, model.actuator_force(*samples), rtol=1e-9)


def test_springs_that_are_too_soft_for_the_motion_are_refused(robot):
    data = robot.to_dict()
    data["leg"]["connector"]["stiffness"] = 500.0
    soft = gough.Robot.from_dict(data)
    with pytest.raises(gough.GoughError, match="the actuators' motion is not found"):
        compliant_inverse(soft, screw_motion(robot, duration=0.05), legs="simple", samples=101)


def test_a_coupling_stage_without_damper_follows_the_spring_force(robot):
    """Both springs bear the same force, and together they make up what the leg lacks."""
    data = robot.to_dict()
    data["leg"]["connector"]["coupling"]["damping"] = 0.0
    undamped = gough.Robot.from_dict(data)
    motion = screw_motion(robot, duration=0.1, travel=0.003)
    demand = compliant_inverse(undamped, motion, legs="low-frequency", samples=51)
    connector = undamped.legs[0].connector
    K_L, K_c = connector.stiffness, connector.coupling.stiffness
    force, delta_c = demand.leg_force, demand.coupling_deflection
    length = gough.Model(robot).inverse_kinematics(motion(demand.time).pose)
    assert np.ptp(force, axis=0).max() > 10.0
    np.testing.assert_allclose(K_c * delta_c, force, rtol=1e-9)
    np.testing.assert_allclose(demand.actuator_length - length, delta_c + force / K_L, atol=1e-12)


def test_a_damped_coupling_stage_balances_the_leg(robot):
    motion = screw_motion(robot, duration=0.1, travel=0.003, angle=0.012)
    demand = compliant_inverse(robot, motion, legs="low-frequency", samples=201)
    stage, delta_c = robot.legs[0].connector.coupling, demand.coupling_deflection
    rate = make_interp_spline(demand.time, delta_c, k=5)(demand.time, 1)
    balance = stage.stiffness * delta_c + stage.damping * rate
    np.testing.assert_allclose(balance, demand.leg_force, atol=1e-2)


@pytest.mark.parametrize(
    ("load", "active"), [(Constant(PUSH), (0.1, 9.0)), (Payload(20.0), (-1.0, 0.1))]
)
def test_loads_that_set_in_or_end_on_the_way_are_refused(robot, load, active):
    motion = screw_motion(robot, duration=0.4)
    with pytest.raises(
        gough.GoughError, match=r"load jumps at 0\.1 s, .*; expected loads that act all"
    ):
        compliant_inverse(robot, motion, tasks=[During(load, *active)])


@pytest.mark.parametrize("load", [Payload(20.0)])
def test_loads_that_are_there_all_the_time_or_never_are_not_refused(robot, load):
    motion = screw_motion(robot, duration=0.02, travel=1e-3)

    def forces(*tasks):
        return compliant_inverse(robot, motion, legs="simple", tasks=tasks, samples=21).force

    always, never = forces(load), forces()
    assert np.abs(always - never).max() > 10.0
    np.testing.assert_array_equal(forces(During(load, 0.0, 0.02)), always)
    np.testing.assert_array_equal(forces(During(load, 0.02, 1.0)), never)
    np.testing.assert_array_equal(forces(During(load, -1.0, 0.0)), never)


def test_accelerations_may_jump_only_at_the_ends(robot):
    up = [0.0, 0.0, 0.01]
    with quiet():  # the jumps are meant
        first = screws.line(robot.home, up, Cosine(0.1))
        second = screws.line(first(0.1).pose, up, Cosine(0.1))
    compliant_inverse(robot, first, legs="simple", samples=101)
    twice = Sequence((first, second))
    with pytest.raises(gough.GoughError, match=r"acceleration of the motion jumps at 0\.1 s"):
        compliant_inverse(robot, twice, legs="simple", samples=101)


@pytest.mark.parametrize("samples", [5, 0, -3, 100.5, 101.0, np.nan, np.inf, "101", None, True])
def test_samples_are_a_whole_number_that_a_spline_can_take(robot, samples):
    with pytest.raises(gough.GoughError, match="expected a whole number, 6 or more"):
        compliant_inverse(robot, screw_motion(robot), legs="rigid", samples=samples)


def test_as_few_samples_as_a_spline_can_take_are_enough(robot):
    demand = compliant_inverse(robot, screw_motion(robot), legs="rigid", samples=np.int64(6))
    assert demand.force.shape == (6, 6)
