"""Designs against brute force, differences, and the machine that they come to."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from gpu_stand_in import stand_in
from scipy import optimize

import gough
from designs import BOX, KEPT, RADII, SHAKEN, two_aims
from gough.design import (
    Design,
    NoDesignError,
    Objective,
    Requirement,
    Variable,
    demand_of_study,
    demands,
)
from gough.design.design_result import ACTIVE
from gough.design.program import DesignProgram, Goal
from gough.design.search import DesignSearch
from gough.executors import Processes
from gough.kinematics import margins
from gough.model.variables import variables

HEIGHT = Variable("platform.home.position.z", 0.7, 1.2)


@pytest.fixture(scope="module")
def robot():
    return gough.load("demo-hexapod")


@pytest.fixture(scope="module")
def planar():
    return gough.load("planar-3rrr")


@pytest.fixture(scope="module")
def light(robot):
    """The radii whose actuators push least, and all designs of a fine lattice."""
    design = Design(robot, RADII, [SHAKEN], KEPT, [Objective("force")])
    return design, design.optimise(starts=4), lattice(design, 60)


def lattice(design, count):
    space = design.problem.space
    lines = [np.linspace(a, b, count) for a, b in zip(space.low, space.high, strict=True)]
    return np.stack(np.meshgrid(*lines, indexing="ij"), axis=-1).reshape(-1, len(space))


def test_no_design_of_a_lattice_is_better_and_the_best_ones_are_near(light):
    design, best, points = light
    judged = design.evaluate(points)
    holds = (judged.slack >= 0).all(axis=1)
    least = judged.objectives[holds, 0].min()
    assert best.possible
    assert best.objectives["force"] <= least
    assert best.objectives["force"] > 0.98 * least
    assert best.alike == (4, 4)


def test_the_machine_that_is_found_has_the_forces_and_margins_that_are_told(light):
    _, best, _ = light
    model = gough.Model(best.robot)
    home = np.array(best.robot.home)
    poses = np.array([gough.poses.pose(home[:3] + o[:3], rpy=o[3:]) for o in SHAKEN.offset])
    force = model.actuator_force(poses, SHAKEN.twist, SHAKEN.acceleration)
    assert np.abs(force).max() == pytest.approx(best.objectives["force"], rel=1e-12)
    least = margins(model, poses).min(axis=0)
    told = {held.name: held.value for held in best.requirements}
    families = ("stroke", "base joint", "platform joint", "clearance", "singularity")
    assert [told[name] for name in families] == pytest.approx(least, abs=1e-12)
    nearest = next(held for held in best.requirements if held.name == "stroke")
    assert nearest.holds
    assert margins(model, nearest.pose)[0] == pytest.approx(nearest.value, abs=1e-12)


def test_friction_of_the_joints_moves_the_best_design(robot, light):
    """A hundred times as much of it: other radii push least, and they push more."""
    _, best, _ = light
    friction = robot.legs[0].joint_friction.model_dump()
    more = {f"leg.joint_friction.{key}": 100 * value for key, value in friction.items()}
    rubbing = Design(robot.replace(more), RADII, [SHAKEN], KEPT, [Objective("force")])
    found = rubbing.optimise(starts=1)
    assert found.objectives["force"] > 1.02 * best.objectives["force"]
    assert found.variables != pytest.approx(best.variables, rel=1e-3)


def test_processes_find_the_same_machines_to_the_last_bit(light):
    design, best, points = light
    several = replace(design, objectives=[*design.objectives, Objective("radius")])
    with Processes(2) as workers:
        there = design.evaluate(points, executor=workers)
        found = design.optimise(starts=4, executor=workers)
        front = several.front(3, starts=2, executor=workers)
    here = design.evaluate(points)
    assert all(np.array_equal(a, b) for a, b in zip(here, there, strict=True))
    assert [part.shape for part in design.evaluate(points[:0])] == [(0, 6), (0, 1)]
    assert np.array_equal(found.solved.x, best.solved.x)
    assert found.alike == best.alike
    here = several.front(3, starts=2)
    assert [one.solved.x.tolist() for one in front] == [one.solved.x.tolist() for one in here]


def test_slopes_are_those_of_differences(robot):
    """Of every measure of a rigid machine."""
    variables = (*RADII, HEIGHT, Variable("leg.piston.mass", 0.1, 3.0))
    names = ("power", "position", "condition", "radius", "height")
    asked = [Requirement("limits"), *(Requirement(name, 1.0) for name in names)]
    problem = Design(robot, variables, [SHAKEN], asked).problem
    x = np.array([0.61, 0.37, 0.93, 1.4])
    weights = np.random.default_rng(1).standard_normal(len(problem.labels))
    pull = np.asarray(problem.pull(x, *problem.states, weights))
    for k, width in enumerate(problem.space.high - problem.space.low):
        step = np.eye(len(x))[k] * width * 1e-5
        slope = (problem.at(x + step) - problem.at(x - step)) @ weights / (2e-5 * width)
        assert pull[:, k] == pytest.approx(slope, rel=1e-6, abs=1e-6 * np.abs(slope).max())


def test_designs_that_evolved_are_as_good_from_a_single_start(light):
    design, best, _ = light
    evolved = design.optimise(starts=1, generations=10, rng=3)
    assert evolved.objectives["force"] == pytest.approx(best.objectives["force"], rel=1e-6)
    cost = DesignSearch.drawn(design.problem, 1, 3)
    later = DesignSearch.drawn(design.problem, 1, 3, generations=10)
    before, after = (design.evaluate(one.starts).objectives[0, 0] for one in (cost, later))
    assert after <= before


def test_what_holds_a_design_back_is_worth_what_a_looser_bound_gives(light):
    design, best, _ = light
    ((name, gain),) = [
        (one.name, one.gain) for one in best.active_constraints if one.name == "stroke"
    ]
    looser = [
        replace(one, bound=-0.001) if one.measure == "limits.stroke" else one
        for one in design.problem.requirements
    ]
    again = Design(design.robot, RADII, [SHAKEN], looser, [Objective("force")]).optimise(starts=2)
    assert name == "stroke"
    won = best.objectives["force"] - again.objectives["force"]
    assert won == pytest.approx(0.1 * gain, rel=0.02)


@pytest.mark.parametrize(
    ("ranges", "ahead"),
    [
        ({"x": 0.14, "z": 0.086, "pitch": 0.089}, 13.0),
        ({"z": 0.059, "roll": 0.13, "pitch": 0.07}, 0),
    ],
)
def test_slopes_of_what_is_active_make_up_that_of_the_objective(robot, ranges, ahead):
    """A leg pushes as much in two states at the best design: both of them count."""
    box = demands.moving(demands.box(ranges, points=2), acceleration=demands.each_way(ahead, 0.0))
    best = Design(robot, RADII, [box], KEPT, [Objective("force")]).optimise(starts=2)
    program = DesignProgram(best.problem, Goal(np.ones(1)), best.scale)
    _, rows, slope = program.active(best.solved, ACTIVE)
    _, left = optimize.nnls(rows.T, slope)
    assert left < 1e-6


def test_what_cannot_hold_yields_as_little_as_any_design_of_a_lattice_lets_it(robot):
    design = Design(robot, RADII, [SHAKEN], [*KEPT, Requirement("force", 500.0)])
    with pytest.raises(NoDesignError, match=r"force .* N instead of 500") as told:
        design.optimise(starts=3)
    points = lattice(design, 60)
    needed = np.maximum(-design.evaluate(points).slack, 0.0).sum(axis=1)
    relaxations = {one.name: one for one in told.value.relaxations}
    units = {held.name: max(abs(held.bound), 1.0) for held in told.value.nearest.requirements}
    total = sum(abs(one.bound - one.asked) / units[name] for name, one in relaxations.items())
    assert total <= needed.min() * (1 + 1e-6)
    assert total > 0.9 * needed.min()


def test_nothing_of_a_lattice_is_better_than_the_front_in_all():
    design = two_aims()
    front = design.front(7, starts=3)
    points = lattice(design, 60)
    judged = design.evaluate(points)
    brute = judged.objectives[(judged.slack >= 0).all(axis=1)]
    assert len(front) >= 6
    assert (np.diff(front.objectives[:, 0]) > 0).all()
    assert (np.diff(front.objectives[:, 1]) < 0).all()
    for worth in front.objectives:
        assert not (brute < worth * (1 - 1e-9)).all(axis=1).any()
    best = np.array([front.objectives[0, 0], front.objectives[-1, 1]])
    assert (best <= brute.min(axis=0) * (1 + 1e-12)).all()  # but for rounding


def test_the_largest_box_ends_where_a_limit_does(robot):
    up = demands.box({"z": [0.0, 0.1]}, points=2)
    asked = [Requirement("limits.stroke")]
    reach = Variable("reach", 0.1, 20.0)
    best = Design(robot, [reach], [up], asked, [Objective("reach", maximise=True)]).optimise(
        starts=1
    )
    model, home = gough.Model(robot), np.array(robot.home)
    end = home + np.array([0, 0, 0.1 * best.objectives["reach"], 0, 0, 0, 0])
    longest = [leg.stroke[1] for leg in robot.legs]
    assert (model.inverse_kinematics(end) - longest).max() == pytest.approx(0.0, abs=1e-8)


def test_sums_over_states_are_those_of_the_machine(robot):
    """Travel, energy and dexterity as NumPy has them."""
    study = gough.Study.from_dict(
        {
            "schema": "gough-study/1",
            "name": "up",
            "robot": "demo-hexapod",
            "motion": {"kind": "line", "displacement": [0.05, 0, 0.08], "duration": 0.8},
        }
    )
    demand = demand_of_study(study, "up", 50)
    aims = [Objective("travel"), Objective("energy"), Objective("dexterity", maximise=True)]
    design = Design(robot, RADII, [demand], [], aims)
    start = design.problem.space.start
    (found,) = design.evaluate(start[None]).objectives
    model, motion = gough.Model(robot), study.motion(np.linspace(0, 0.8, 50))
    lengths = model.inverse_kinematics(motion.pose)
    assert found[0] == pytest.approx(lengths.max() - lengths.min(), rel=1e-12)
    power = np.abs(model.actuator_power(*motion)).sum(axis=1)
    assert found[1] == pytest.approx(np.trapezoid(power, dx=0.8 / 49), rel=1e-9)
    condition = model.singularity(motion.pose).condition
    assert -found[2] == pytest.approx(np.mean(1 / condition), rel=1e-9)


def test_the_time_of_a_motion_is_shared_out_once():
    """Whatever its samples, and however else it is asked to move."""
    time = np.array([0.0, 0.1, 0.4, 1.0])
    still = np.zeros((4, 6))
    way = demands.along("way", np.tile([0, 0, 1, 1, 0, 0, 0], (4, 1)), still, still, still, time)
    power = np.array([3.0, 5.0, -1.0, 7.0])
    assert way.seconds @ power == pytest.approx(np.trapezoid(power, time))
    faster = demands.moving(way, twist=demands.each_way(1.0, 0.0))
    assert faster.seconds.sum() == pytest.approx(1.0)


def test_a_mean_to_be_large_is_of_machines_that_take_all_poses(planar):
    """Where links are too short there is no machine, which is not the best one."""
    links = [Variable("leg.links[0].length", 0.02, 0.6), Variable("leg.links[1].length", 0.02, 0.6)]
    aim = Objective("dexterity", maximise=True)
    box = demands.box({"x": 0.05, "y": 0.05, "yaw": 0.1}, points=2)
    design = Design(planar, links, [box], [], [aim])
    judged = design.evaluate(lattice(design, 30)).objectives
    assert np.isinf(judged).any()
    assert np.isfinite(judged.min())
    best = design.optimise(starts=2)
    assert best.objectives["dexterity"] >= -judged.min()


@pytest.mark.parametrize(
    ("demand", "words"),
    [
        (demands.box({"z": 0.1}), "z = .* cannot do"),
        (demands.box({"pitch": 0.1}), "ry = .* cannot do"),
        (demands.moving(demands.at_home(), twist=[[0, 0, 1, 0, 0, 0]]), "m/s, which"),
        (demands.moving(demands.at_home(), acceleration=[[0, 0, 0, 1, 0, 0]]), r"rad/s\^2, which"),
    ],
)
def test_what_a_machine_has_no_freedom_for_is_refused(planar, demand, words):
    design = Design(planar, [Variable("platform.mass", 0.1, 1.0)], [demand])
    with pytest.raises(gough.GoughError, match=words):
        design.optimise(starts=1)


def test_links_of_a_planar_machine_are_as_good_as_any_of_a_lattice(planar):
    """Links that are too short for a pose make no machine: the search comes back from there."""
    links = [Variable("leg.links[0].length", 0.1, 0.6), Variable("leg.links[1].length", 0.1, 0.6)]
    box = demands.box({"x": 0.05, "y": 0.05, "yaw": 0.1}, points=2)
    corners = replace(box, middle=None, half=None)
    shaken = demands.moving(corners, acceleration=[[5, 0, 0, 0, 0, 0], [0, 5, 0, 0, 0, 0]])
    asked = [Requirement("condition", 6.0)]
    design = Design(planar, links, [shaken], asked, [Objective("force")])
    best = design.optimise(starts=6)
    judged = design.evaluate(lattice(design, 80))
    holds = (judged.slack >= 0).all(axis=1)
    assert 0 < holds.sum() < len(holds)
    assert best.objectives["force"] <= judged.objectives[holds, 0].min()
    home = np.array(best.robot.home)
    poses = np.array([gough.poses.pose(home[:3] + o[:3], rpy=o[3:]) for o in shaken.offset])
    force = gough.Model(best.robot).inverse_dynamics(poses, shaken.twist, shaken.acceleration)
    assert np.abs(force).max() == pytest.approx(best.objectives["force"], rel=1e-10)


def test_a_uniform_link_is_as_heavy_as_it_is_long(planar):
    """Its inertia about an end is m l^2 / 3, and the forces of the design are the machine's."""
    rod, density, length = "leg.links[1]", 0.8, 0.35
    shaken = demands.moving(demands.at_home(), acceleration=[[5, 0, 0, 0, 0, 0]])
    varied = [Variable(f"{rod}.length", 0.25, 0.4, density=density)]
    design = Design(planar, varied, [shaken], [], [Objective("force")])
    made = design.problem.space.made([length])
    named = variables(made)
    own = dict(zip(named.names, named.values.tolist(), strict=True))
    mass, centre = own[f"{rod}.mass"], own[f"{rod}.center_of_mass"]
    about_end = own[f"{rod}.inertia.yy"] + mass * centre**2
    assert about_end == pytest.approx(mass * length**2 / 3)
    numbers = {"length": length, "mass": density * length, "center_of_mass": length / 2}
    numbers |= dict.fromkeys(("inertia.xx", "inertia.yy"), density * length**3 / 12)
    start = variables(planar)
    values = dict(zip(start.names, start.values.tolist(), strict=True))
    by_hand = start.made([*(values | {f"{rod}.{k}": x for k, x in numbers.items()}).values()])
    home = np.tile(made.home, (2, 1))
    force = gough.Model(by_hand).inverse_dynamics(home, shaken.twist, shaken.acceleration)
    (found,) = design.evaluate([[length]]).objectives
    assert np.abs(force).max() == pytest.approx(found[0], rel=1e-10)
    (light,) = (
        replace(design, variables=[Variable(f"{rod}.length", 0.25, 0.4)])
        .evaluate([[length]])
        .objectives
    )
    assert found[0] != pytest.approx(light[0], rel=1e-3)


def test_a_payload_of_a_study_asks_as_much_as_it_does_there(robot):
    """The force along the way, with a payload that is put down in the middle."""
    study = gough.Study.from_dict(
        {
            "schema": "gough-study/1",
            "name": "loaded",
            "robot": "demo-hexapod",
            "motion": {"kind": "line", "displacement": [0.1, 0, 0.05], "duration": 0.5},
            "tasks": [
                {"kind": "payload", "mass": 20, "center_of_mass": [0.02, 0.1, 0.2],
                 "inertia": [0.1, 0.2, 0.3], "active": [0, 0.25]}
            ],
            "samples": 41,
        }
    )  # fmt: skip
    demand = demand_of_study(study, "loaded", 41)
    start = Design(robot, RADII, [demand], KEPT, [Objective("force")])
    (found,) = start.evaluate(start.problem.space.start[None]).objectives
    assert found[0] == pytest.approx(np.abs(gough.run(study)["force"]).max(), rel=1e-10)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"variables": [Variable("symmetric.base_radios", 0.1, 1)]}, "did you mean symmetric.base"),
        ({"variables": [RADII[0], RADII[0]]}, "base_radius is a variable twice"),
        ({"variables": []}, "without variables"),
        ({"variables": [replace(RADII[0], density=3.0)]}, "expected one of the length of a link"),
        (
            {"variables": [RADII[0], Variable("leg.piston.mass", -1, 3)]},
            "leg.piston.mass: from -1 to 3 kg, but no machine has its minimum: .* at least 0 kg",
        ),
        (
            {"variables": [Variable("symmetric.base_angle", 0.1, 9), RADII[1]]},
            "symmetric.base_angle: from 0.1 to 9 rad, but no machine has its maximum: .* got 9.0",
        ),
        ({"demands": []}, "without demands"),
        ({"objectives": [Objective("forse")]}, "did you mean force?"),
        ({"objectives": [Objective("force", maximise=True)]}, "cannot be maximised"),
        ({"requirements": [Requirement("conditon", 3)]}, "did you mean condition?"),
        ({"requirements": [Requirement("force", np.nan)]}, "a bound of nan"),
    ],
)
def test_what_makes_no_sense_is_refused(robot, changes, words):
    given = {"variables": RADII, "demands": [BOX], **changes}
    with pytest.raises(gough.GoughError, match=words.replace("?", r"\?")):
        Design(robot, **given).optimise(starts=1)


def test_ranges_that_make_no_machine_only_together_are_searched(robot):
    """The shortest length may pass the longest in its range, and does not in what is found."""
    strokes = [Variable("leg.stroke.shortest", 0.5, 1.5), Variable("leg.stroke.longest", 1.2, 2.0)]
    aims = [Objective("leg.stroke.shortest", maximise=True)]
    best = Design(robot, strokes, [BOX], [Requirement("limits.stroke")], aims).optimise(starts=1)
    home = np.array(best.robot.home)
    poses = np.array([gough.poses.pose(home[:3] + o[:3], rpy=o[3:]) for o in BOX.offset])
    least = gough.Model(best.robot).inverse_kinematics(poses).min()
    assert best.robot.legs[0].stroke[0] == pytest.approx(least, abs=1e-8)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: Variable("x", 1.0, 0.5), "expected the minimum first"),
        (lambda: Variable("x", 1.0, np.inf), "both finite"),
        (lambda: demands.box({"X": 1.0}), "no axis 'X'"),
        (lambda: demands.box({"x": [0.2, 0.1]}), "minimum and maximum"),
        (lambda: demands.box({"x": 0.1}, points=1), "points is 1; expected a whole number, 2"),
        (lambda: demands.box(dict.fromkeys(demands.AXES, 0.1), points=9), "use fewer points"),
        (lambda: demands.of_poses([[1, 2, 3]]), r"expected numbers \(k, 7\)"),
        (lambda: two_aims().optimise(rng=-1), "rng is -1; expected a whole number"),
    ],
)
def test_wrong_parts_are_refused(wrong, words):
    with pytest.raises(gough.GoughError, match=words):
        wrong()


def test_designs_are_evaluated_on_a_gpu_as_by_processors(monkeypatch):
    """Extremes, means and slack; that there is none is said when the design is made."""
    design = two_aims()
    objectives = [*design.objectives, Objective("dexterity", maximise=True)]
    design = replace(design, demands=[SHAKEN], objectives=objectives)
    rows = np.array([[0.5, 0.3], [0.7, 0.5], [0.85, 0.25]])
    with pytest.raises(gough.GoughError, match=r"CuPy is not installed|no GPU can be used"):
        replace(design, device="gpu")
    monkeypatch.setitem(sys.modules, "cupy", stand_in())
    found, expected = replace(design, device="gpu").evaluate(rows), design.evaluate(rows)
    for ours, wanted in zip(found, expected, strict=True):
        assert type(ours) is np.ndarray
        np.testing.assert_allclose(ours, wanted, rtol=1e-11)
