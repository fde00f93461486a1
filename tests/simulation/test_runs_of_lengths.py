"""Runs of mechanisms whose lengths and places differ: those of robots made one by one."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from gpu_stand_in import stand_in

import gough
from gough.design.simulated import SimulatedObjective
from gough.design.variables import DesignSpace, Variable
from gough.errors import GoughError, RobotError
from gough.kinematics.size import machine_size
from gough.model import Machines
from gough.motion import Quintic, line
from gough.robot.legs.listed import with_listed_legs
from gough.simulation import Scenario, computed_torque, pd_gravity, rigid_plant, simulate_batch
from gough.simulation.rollout import EffortCost, TrackingCost, rollout, run_with_derivatives
from gough.studies.run import scenario_of

STUDIES = Path(__file__).parents[2] / "studies"
STEP = 2e-5
"""Share of a variable by which robots beside one are made, for differences."""
OF_MACHINES = {
    "delta": (
        {
            "leg.links[0].length": (0.45, 0.6),
            "leg.links[1].length": (1.2, 1.3),
            "leg.base.x": (0.14, 0.18),
            "platform.mass": (0.8, 1.1),
        },
        [0.02, 0, 0.02],
    ),
    "planar-3rrr": (
        {"leg.links[0].length": (0.19, 0.21), "leg.links[1].length": (0.25, 0.27)},
        [0.02, 0.01, 0],
    ),
}


def study_of(name, displacement, duration="0.1 s"):
    """A PD of the motors with delay, which starts with commands that hold the machine."""
    return gough.Study.from_dict(
        {
            "schema": "gough-study/1",
            "name": "line",
            "robot": name,
            "motion": {
                "kind": "line",
                "displacement": displacement,
                "profile": "quintic",
                "duration": duration,
            },
            "controller": {"kind": "pd-gravity", "gains": {"kp": 200, "kd": 3}},
            "simulation": {"delay": 2},
        }
    )


def space_of(robot, ranges):
    return DesignSpace.of(robot, [Variable(name, *ends) for name, ends in ranges.items()])


def value_of_made(study, robot, quantity):
    """The objective of one robot, in a run of its own."""
    scenario = replace(scenario_of(study), robot=robot, plant=rigid_plant(robot))
    run, loop = run_with_derivatives(scenario)
    runs = loop.run(loop.start(*run.initial), run.reference, **run.signals)
    arm = machine_size(study.robot) / 2
    cost = TrackingCost.of(run, arm, 0.0) if quantity == "simulated_error" else EffortCost()
    return np.sqrt(cost.values(runs))[0]


@pytest.mark.parametrize("name", OF_MACHINES)
@pytest.mark.parametrize("quantity", ["simulated_error", "simulated_force"])
def test_designs_of_lengths_are_runs_of_robots_with_these(name, quantity):
    """Values, and derivatives by central differences of robots: start and controller follow."""
    ranges, displacement = OF_MACHINES[name]
    study = study_of(name, displacement)
    space = space_of(study.robot, ranges)
    objective = SimulatedObjective(space, study, quantity)
    designs = space.unscaled(np.random.default_rng(1).uniform(size=(3, len(space))))
    found = objective.values(designs)
    for x, value in zip(designs, found, strict=True):
        assert value == pytest.approx(value_of_made(study, space.made(x), quantity), rel=1e-9)
    assert np.ptp(found) > 1e-3 * found.max()
    x = designs[0]
    value, slopes = objective.with_slopes(x)
    assert value == pytest.approx(found[0], rel=1e-12)
    for k, step in enumerate(np.diag(STEP * x)):
        more, less = (value_of_made(study, space.made(x + s * step), quantity) for s in (1, -1))
        difference = (more - less) / (2 * step[k])
        assert slopes[k] == pytest.approx(difference, rel=1e-6), space.names[k]


def test_designs_whose_legs_do_not_meet_are_infinite():
    """At home, or where the motion goes: not a number, and not an error."""
    study = study_of("delta", [0.02, 0, 0.02])
    space = space_of(
        study.robot, {"leg.links[0].length": (0.05, 0.6), "leg.links[1].length": (0.5, 1.3)}
    )
    objective = SimulatedObjective(space, study, "simulated_error")
    designs = np.array([[0.52, 1.24], [0.05, 0.9], [0.3, 0.6], [0.55, 1.2]])
    found = objective.values(designs)
    assert np.isfinite(found).tolist() == [True, False, False, True]
    for x in designs[1:3]:
        with pytest.raises(RobotError):
            space.made(x)
    assert objective.with_slopes(designs[1])[0] == np.inf
    far = study_of("delta", [0.0, 0, -0.55], "0.8 s")
    designs = np.array([[0.45, 1.15], [0.6, 1.3]])
    found = SimulatedObjective(space, far, "simulated_error").values(designs)
    assert np.isfinite(found).tolist() == [False, True]
    assert space.made(designs[0])


def test_designs_are_optimised_by_lengths():
    """A longer arm moves its motor less: the least force is within the range, or at its end."""
    design = gough.Design.from_dict(
        {
            "schema": "gough-design/1",
            "name": "short",
            "robot": "delta",
            "variables": [{"number": "leg.links[0].length", "range": [0.45, 0.6]}],
            "demands": [{"name": "home", "poses": [{}]}],
            "requirements": {"limits": False, "force": 100},
            "objectives": {"minimise": ["simulated_force"], "simulate": "delta-tuned.toml"},
        },
        folder=STUDIES,
    )
    objective = design.problem.simulations["simulated_force"]
    lengths = np.linspace(0.45, 0.6, 31)[:, None]
    best = design.optimise(starts=1).variables["leg.links[0].length"]
    assert objective.values(np.array([[best]]))[0] <= objective.values(lengths).min()


@pytest.mark.parametrize("name", OF_MACHINES)
def test_batches_vary_lengths(name):
    """Of machines that the controller does not know: poses, forces and endings."""
    ranges, displacement = OF_MACHINES[name]
    robot = gough.load(name)
    motion = line(robot.home, displacement, Quintic(0.1))
    scenario = Scenario(robot, computed_torque(900, 60), motion)
    space = space_of(robot, ranges)
    designs = space.unscaled(np.random.default_rng(2).uniform(size=(3, len(space))))
    found = simulate_batch(scenario, dict(zip(space.names, designs.T, strict=True)))
    for k, x in enumerate(designs):
        for plant in (rigid_plant(space.made(x)), rigid_plant(robot, space.names, x)):
            single = gough.simulate(replace(scenario, plant=plant))
            np.testing.assert_allclose(found.pose[:, k], single["pose"], atol=1e-12)
            np.testing.assert_allclose(found.force[:, k], single["force"], rtol=1e-9, atol=1e-9)
        assert found.endings[k] is None


def test_equal_robots_run_as_their_files_say():
    """One number for a leg and its mirror image, or for the leg alone: not one compiled loop."""
    data = gough.load("hexaglide").written.in_full
    data["leg"]["motor"] |= {"offset": 0.0, "gain": 1.0}
    data["leg"]["links"][1] = {"name": "rod", "length": 0.8}  # without mass: equal to the last bit
    mirrored = gough.Robot.from_dict(data)
    listed = with_listed_legs(mirrored)
    assert listed == mirrored
    for robot in (mirrored, listed):
        motion = line(robot.home, [0.02, 0, 0.02], Quintic(0.02))
        scenario = Scenario(robot, computed_torque(900, 60), motion)
        found = simulate_batch(scenario, {"legs[0].base.y": [-0.43]})
        moved = rigid_plant(robot.replace({"legs[0].base": [0, -0.43, 0]}))
        own = gough.simulate(replace(scenario, plant=moved))
        np.testing.assert_allclose(found.pose[:, 0], own["pose"], atol=1e-12)


def test_designs_mean_the_bodies_of_the_file():
    """The robot's first body is a crank; the first in the file is a pulley."""
    study = study_of("belt-scara", [0.02, 0.01, 0])
    assert study.robot.bodies[0].name == "crank-left"
    space = space_of(study.robot, {"bodies[0].center_of_mass.x": (-0.09, 0.01)})
    objective = SimulatedObjective(space, study, "simulated_force")
    designs = np.array([[-0.04], [-0.08]])
    found = objective.values(designs)
    for x, force in zip(designs, found, strict=True):
        value = value_of_made(study, space.made(x), "simulated_force")
        assert force == pytest.approx(value, rel=1e-9)
    assert np.ptp(found) > 1e-3 * found.max()
    robot, lengths = study.robot, {"legs[0].links[0].length": [0.26]}
    scenario = Scenario(robot, computed_torque(900, 60), scenario_of(study).motion)
    with pytest.raises(GoughError, match=r"'bodies\[0\].mass' beside numbers of legs"):
        simulate_batch(scenario, {"bodies[0].mass": [0.5]} | lengths)


def test_runs_of_lengths_on_a_gpu_are_those_of_processors(monkeypatch):
    """Of designs, and of batches."""
    ranges, displacement = OF_MACHINES["delta"]
    study = study_of("delta", displacement)
    space = space_of(study.robot, ranges)
    scenario = replace(scenario_of(study), plant=None, duration=None)
    designs = space.unscaled(np.random.default_rng(3).uniform(size=(3, len(space))))
    varied = dict(zip(space.names, designs.T, strict=True))
    objective = SimulatedObjective(space, study, "simulated_error")
    value, batch = objective.values(designs), simulate_batch(scenario, varied)
    monkeypatch.setitem(sys.modules, "cupy", stand_in())
    there = replace(objective, device="gpu").values(designs)
    np.testing.assert_allclose(there, value, rtol=1e-9)
    found = simulate_batch(scenario, varied, device="gpu")
    np.testing.assert_allclose(found.pose, batch.pose, atol=1e-12)
    assert found.endings == batch.endings


def test_rollouts_have_derivatives_by_lengths():
    robot = gough.load("delta")
    names = ["leg.links[0].length", "leg.base.x"]
    up = line(robot.home, [0.02, -0.01, 0.03], Quintic(0.05))
    run = rollout(Scenario(robot, pd_gravity(200, 3), up), names)
    own = Machines(robot, parametric=names).values
    np.testing.assert_array_equal(run.defaults["parameters"], own)
    memory, command = run()
    d_command = np.ones_like(command)
    given = [run.defaults[a.name] for a in run.inputs]
    *_, slopes = run.adjoint(*given, np.zeros_like(memory), d_command)
    for k, step in enumerate(np.eye(2) * 1e-5):
        more, less = (run(parameters=own + s * step)[1].sum() for s in (1, -1))
        assert slopes[k] == pytest.approx((more - less) / 2e-5, rel=1e-6)


def test_lengths_on_which_motions_depend_are_refused():
    """A five-bar's platform turns as its lengths want it; masses of its links turn nothing."""
    robot, link = gough.load("five-bar"), "legs[1].links[0]"
    with pytest.raises(GoughError, match=r"cannot vary .*motion, depend on it"):
        rigid_plant(robot, (f"{link}.length",))
    assert rigid_plant(robot, (f"{link}.mass",)).machines.names == [f"{link}.mass"]
    with pytest.raises(GoughError, match=r"cannot vary .*motion, depend on it"):
        rigid_plant(gough.load("planar-3rrr"), ("platform.home.position.z",))
    turned = ("leg.piston.mass", "platform.home.quaternion.qw")  # a hexapod can take all poses
    assert rigid_plant(gough.load("demo-hexapod"), turned).machines.names == [*turned]
    for name in ("leg.motor.range.largest", "leg.links[0].radius"):
        with pytest.raises(GoughError, match="cannot vary"):
            rigid_plant(gough.load("delta"), (name,))


def test_runs_of_a_batch_that_cannot_start_are_refused():
    robot = gough.load("delta")
    motion = line(robot.home, [0.02, 0, 0.02], Quintic(0.1))
    scenario = Scenario(robot, computed_torque(900, 60), motion)
    with pytest.raises(GoughError, match="start of run 1: no forces hold the machine"):
        simulate_batch(scenario, {"leg.links[0].length": [0.52, 0.05]})
