"""A surface that the platform leans on, and implicit force control against it."""

from pathlib import Path

import casadi as ca
import numpy as np
import pytest

import gough
from gough import poses
from gough.compiler.front.argument import Argument
from gough.compiler.front.function import Function
from gough.compiler.native.kernel import Kernel
from gough.equations.forces.contact import ContactSurface, contact_of, contact_wrench
from gough.equations.forces.surfaces import Plane
from gough.motion import Quintic, hold, line
from gough.simulation import computed_torque, implicit_force, real_plant
from gough.simulation.integrators import StepTooLarge
from gough.simulation.paths import Stepper
from gough.simulation.scenario import Scenario
from gough.simulation.simulate import simulate

STUDIES = Path(__file__).parents[2] / "studies" / "simulation"


@pytest.fixture(scope="module")
def robot():
    return gough.load("demo-hexapod")


TOOL = (0.1, -0.05, 0.3)


def surface(point, normal=(0, 0, 1), tool=TOOL, friction=0.0, restitution=0.5, stiffness=1e5):
    numbers = (ca.DM(x) for x in (stiffness, restitution, friction))
    return ContactSurface(ca.DM(tool), Plane(ca.DM(point), ca.DM(normal)), *numbers)


def wrench_and_force(of_surface, pose, twist):
    kernel = Kernel(
        Function.from_equation(
            "contact",
            lambda x, v: (contact_wrench(of_surface, x, v), contact_of(of_surface, x, v).force),
            [Argument("pose", (7,)), Argument("twist", (6,))],
            [Argument("wrench", (6,)), Argument("force")],
        )
    )
    return kernel(np.asarray(pose, dtype=float), np.asarray(twist, dtype=float))


def test_out_of_contact_nothing_pushes():
    wrench, force = wrench_and_force(surface([0, 0, 0]), gough.pose([0, 0, -0.29]), np.ones(6))
    assert force == 0
    np.testing.assert_array_equal(wrench, 0)


def test_the_force_at_rest_is_that_of_the_mean_stiffness_at_the_tool():
    pose = gough.pose([0.2, 0.1, -0.302], rpy=[0, 0, np.pi / 2])
    wrench, force = wrench_and_force(surface([5, 5, 0]), pose, np.zeros(6))
    assert force == pytest.approx(1e5 * (1 + 0.5**2) / 2 * 0.002)
    arm = [0.05, 0.1, 0.3]  # the tool turned by a right angle
    np.testing.assert_allclose(wrench, [0, 0, force, *np.cross(arm, [0, 0, force])], atol=1e-9)


def test_friction_is_against_the_travel_of_the_tool_and_never_gives_power():
    rough = surface([0, 0, 0], friction=0.4)
    rng = np.random.default_rng(1)
    for twist in rng.normal(size=(20, 6)):
        pose = gough.pose([0, 0, -0.301])
        wrench, force = wrench_and_force(rough, pose, twist)
        arm = np.array(TOOL)
        velocity = twist[:3] + np.cross(twist[3:], arm)
        along = velocity - velocity[2] * np.array([0, 0, 1.0])
        expected = -0.4 * force * along / np.linalg.norm(along)
        np.testing.assert_allclose(wrench[:2], expected[:2], rtol=1e-5)
        rubbing = wrench @ twist - force * velocity[2]
        assert rubbing < 0


def test_a_tool_leaves_the_surface_with_its_share_of_the_speed(robot):
    """Weights are held; the platform floats up and strikes a ceiling."""
    z, e = robot.home[2], 0.6
    ceiling = surface([0, 0, z + 0.305], (0, 0, -1), restitution=e, stiffness=2e8)
    kind = {"drives": False, "joint_friction": False, "stops": False}
    plant = real_plant(robot, surface=ceiling, **kind)
    stepper = Stepper(plant, 2e-5)
    stepper.reset(robot.home, [0, 0, 0.1, 0, 0, 0])
    held = real_plant(robot, **kind).holding(np.array(robot.home))
    states = np.array([stepper.step(held) for _ in range(4000)])
    arms = poses.rotation(states[:, :7]).apply(TOOL)
    speed = (states[:, 7:10] + np.cross(states[:, 10:13], arms))[:, 2]  # of the tool
    *_, force, _ = plant.output_kernel(states, held, np.zeros(6))
    touching = np.flatnonzero(force > 0)
    before, after = speed[touching[0] - 1], -speed[touching[-1] + 1]
    assert after / before == pytest.approx(e, rel=0.01)


def test_the_wanted_force_is_reached_wherever_the_surface_is(robot):
    found = gough.run(STUDIES / "demo-implicit-force.toml")
    near, far, pid_near, pid_far = (run["contact_force"][-1] for run in found.runs.values())
    assert near == pytest.approx(200, rel=0.01)
    assert far == pytest.approx(200, rel=0.01)
    assert abs(pid_near - pid_far) > 100
    deflection = found.run("implicit force, 2 mm away")["coupling_deflection"][-1]
    model = gough.Model(robot)
    pose = found.run("implicit force, 2 mm away")["pose"][-1]
    push = np.zeros(6)
    push[2] = -near  # what the surface does to the platform, 0.3 m above its middle
    at_tool = np.concatenate([push[:3], np.cross([0, 0, 0.3], push[:3])])
    force = model.inverse_dynamics(pose, np.zeros(6), np.zeros(6), at_tool)
    s = [
        (pose[:3] + np.array(leg.platform) - leg.base) / length
        for leg, length in zip(robot.legs, model.inverse_kinematics(pose), strict=True)
    ]
    weights = [leg.piston.mass * -9.81 * d[2] for leg, d in zip(robot.legs, s, strict=True)]
    np.testing.assert_allclose(5e5 * deflection, force + weights, rtol=2e-2)


def test_a_force_sensor_feels_the_surface(robot):
    """An admittance or a Python controller sees what the surface does to the platform."""
    floor = surface([0, 0, robot.home[2] + 0.301], (0, 0, 1))
    plant = real_plant(robot, drives=False, joint_friction=False, stops=False, surface=floor)
    seen = []

    def law(t, measurement, reference):
        seen.append(measurement[12:18])
        return plant.holding(np.array(robot.home))

    simulate(Scenario(robot, law, hold(robot.home, 0.002), plant=plant))
    wrench, _ = wrench_and_force(floor, robot.home, np.zeros(6))
    assert wrench[2] > 50
    np.testing.assert_allclose(seen[0], wrench)


def test_bad_selections_and_stiffnesses_are_refused():
    with pytest.raises(gough.GoughError, match=r"selection is .*; expected 0 or 1"):
        implicit_force([0] * 6, [0.5] * 6, 1e5, 1, 1)
    with pytest.raises(gough.GoughError, match="coupling is 0; expected a stiffness above 0 N/m"):
        implicit_force([0] * 6, [0] * 6, 0, 1, 1)


def test_a_step_too_large_for_the_contact_is_refused_with_the_largest_that_is_not(robot):
    hard = surface([0, 0, robot.home[2] + 0.301], (0, 0, -1), stiffness=1e11)
    plant = real_plant(robot, drives=False, joint_friction=False, stops=False, surface=hard)
    up = line(robot.home, [0, 0, 0.01], Quintic(0.2))
    with pytest.raises(StepTooLarge) as refused:
        simulate(Scenario(robot, computed_torque(900, 60), up, plant=plant))
    assert 1e-7 < refused.value.largest < 2e-4


def test_forces_in_the_joints_include_what_the_surface_does(robot):
    """The legs push the platform with its weight and what the surface pushes down with."""
    soft = surface([0, 0, robot.home[2] + 0.3005], (0, 0, -1), stiffness=2e5)
    plant = real_plant(robot, drives=False, joint_friction=False, stops=False, surface=soft)
    up = line(robot.home, [0, 0, 0.003], Quintic(0.5))
    run = simulate(
        Scenario(
            robot, computed_torque(900, 60), up, plant=plant, duration=1.5, quantities=("all",)
        )
    )
    assert run["contact_force"][-1] > 50
    axes = gough.Model(robot).reaction_axes(run["pose"][-1]).axes[2::3]
    carried = np.einsum("kij,ki->kj", axes, run["joint_force"][-1, 2::3])[:, 2].sum()
    weight = robot.platform.mass * 9.81
    assert carried == pytest.approx(weight + run["contact_force"][-1], rel=1e-3)
    assert run["wrench"][-1, 2] == pytest.approx(-run["contact_force"][-1])
    names = ("gravity_share", "inertia_share", "velocity_share", "external_share")
    rubbing = 150 * run["leg_speed"][-1]  # C_t of the actuators
    shares = sum(run[n] for n in names)[-1]
    np.testing.assert_allclose(shares + rubbing, run["force"][-1], rtol=1e-9)


def test_force_control_needs_legs_with_coupling_stages(robot):
    plant = real_plant(robot, legs="simple", drives=False)
    controller = implicit_force([0] * 6, [1] * 6, 5e5, 1e5, 1e3)
    with pytest.raises(gough.GoughError, match="expected a plant that has them"):
        simulate(Scenario(robot, controller, hold(robot.home, 0.1), plant=plant))
