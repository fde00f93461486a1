"""Connectors designed from a task: bandwidth, disturbance rejection, contact force."""

import tomllib
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from yielding import yielding

import gough
from gough.design import Design, Requirement, Variable, demand_of_study, demands
from gough.elastic import elastic_state_space
from gough.errors import InputError
from gough.robot.mechanism import MOVES

ROOT = Path(gough.__file__).parents[2]
STAGE = "leg.connector.coupling"
MEASURES = ("deflection", "rotary_deflection", "natural_frequency")
CONTACT = ("contact_force", "steady_contact_force")
WRENCH = np.array([30.0, -50.0, 80.0, 4.0, 3.0, -2.0])


@pytest.fixture(scope="module")
def robot():
    return gough.load("demo-hexapod")


def problem(robot, names, *asked, variables=None):
    some = variables or [Variable(f"{STAGE}.stiffness", 5e4, 2e7)]
    some += [] if variables else [Variable(f"{STAGE}.damping", 500.0, 5e4)]
    return Design(robot, some, asked, [Requirement(name, 1.0) for name in names]).problem


def own(robot):
    stage = robot.legs[0].connector.coupling
    return np.array([stage.stiffness, stage.damping])


def largest(amplitude):
    """The maximum length of a complex vector over a period, by looking."""
    angle = np.linspace(0.0, np.pi, 20001)
    turned = np.multiply.outer(np.cos(angle), amplitude.real)
    return np.linalg.norm(turned - np.multiply.outer(np.sin(angle), amplitude.imag), axis=1).max()


def response(robot, pose, frequency, wrench):
    system = elastic_state_space(robot, pose)
    rows = [system.output_labels.index(move) for move in MOVES]
    columns = [system.input_labels.index(f"{move}_wrench") for move in MOVES]
    return system(2j * np.pi * frequency)[np.ix_(rows, columns)] @ wrench


@pytest.mark.parametrize("frequency", [0.0, 5.0, 40.0, 300.0])
def test_deflections_are_those_of_the_frequency_response(robot, frequency):
    pose = gough.pose([0.03, -0.02, 1.0], rpy=[0.05, 0.02, -0.04])
    load = demands.loaded(demands.of_poses([pose]), WRENCH, frequency=frequency)
    values = problem(robot, MEASURES, load).at(own(robot))[1]
    found = response(robot, pose, frequency, WRENCH)
    assert values[0] == pytest.approx(largest(found[:3]), rel=1e-7)
    assert values[1] == pytest.approx(largest(found[3:]), rel=1e-7)
    modes = gough.natural_modes(robot, pose, wrench=WRENCH)
    assert values[2] == pytest.approx(modes.frequencies[0], rel=1e-9)


def test_other_machines_have_them_as_well():
    delta = yielding(gough.load("delta"))
    load = demands.loaded(demands.of_poses([delta.home]), WRENCH, frequency=20.0)
    mass = Variable("platform.mass", 0.1, 9.0)
    values = problem(delta, MEASURES, load, variables=[mass]).at(np.array([delta.platform.mass]))
    found = response(delta, delta.home, 20.0, WRENCH)
    assert values[-1, 0] == pytest.approx(largest(found[:3]), rel=1e-7)
    modes = gough.natural_modes(delta, wrench=WRENCH)
    assert values[-2, 2] == pytest.approx(modes.frequencies[0], rel=1e-9)
    np.testing.assert_array_equal(load.wrench, [WRENCH, -WRENCH])  # it pushes and pulls


def test_slopes_are_those_of_differences(robot):
    load = demands.loaded(demands.of_poses([robot.home]), WRENCH, frequency=5.0)
    some, x = problem(robot, MEASURES, load), own(robot)
    weights = np.eye(len(MEASURES))
    states = tuple(np.repeat(part[-1:], len(MEASURES), axis=0) for part in some.states)
    slopes = some.pulled(x, states, weights)
    for k, step in enumerate(np.diag(1e-4 * x)):
        change = some.at(x + step)[-1] - some.at(x - step)[-1]
        np.testing.assert_allclose(slopes[:, k], change / (2e-4 * x[k]), rtol=1e-5, atol=1e-14)


def struck(robot, wanted, surface, error, speed):
    """Steady and peak force of the surface, of the platform on massless legs, by SciPy."""
    model, n = gough.Model(robot), np.array([0, 0, -1.0, 0, 0, 0])  # into the surface below
    held = model.actuator_force(robot.home)
    M, K = model.vibration(robot.home, held, np.zeros(6))
    M, K = M[:6, :6], K[:6, :6] - K[:6, 6:] @ np.linalg.solve(K[6:, 6:], K[6:, :6])
    k = 1 / np.linalg.inv(K)[2, 2]
    steady = wanted + error * k * surface / (k + surface)
    pull = steady * (1 + k / surface) * n  # of legs whose actuators hold the platform deeper

    def rates(t, y):
        push = -surface * max(float(n @ y[:6]), 0.0) * n
        return np.concatenate([y[6:], np.linalg.solve(M, push + pull - K @ y[:6])])

    start = np.concatenate([np.zeros(6), speed * n])
    run = solve_ivp(
        rates, (0.0, 0.06), start, rtol=1e-8, atol=1e-12, max_step=1e-3, dense_output=True
    )
    return steady, surface * (n @ run.sol(np.linspace(0, 0.06, 6001))[:6]).max()


@pytest.mark.parametrize(("offset", "within"), [(0.0, 1e-5), (0.02, 0.03)])
def test_contact_forces_are_those_of_the_integrated_machine(robot, offset, within):
    """With a mass centre on the axis there is one mass on one spring along z, else almost."""
    data = robot.to_dict()
    data["platform"] |= {"center_of_mass": [offset, 0, 0.18], "inertia": [12.0, 12.0, 17.5]}
    alone = gough.Robot.from_dict(data)
    steady, peak = struck(alone, 200.0, 1e6, 2e-4, 0.05)
    moving = demands.moving(demands.of_poses([alone.home]), twist=[[0, 0, -0.05, 0, 0, 0]])
    load = demands.loaded(moving, [0, 0, 200.0, 0, 0, 0], surface=(1e6, 2e-4))
    values = problem(alone, CONTACT, load).at(own(alone))
    np.testing.assert_allclose(values[-1], [peak, steady], rtol=within)
    np.testing.assert_allclose(values[-2], [2 * steady, steady], rtol=within)  # without speed
    assert not values[0].any()  # home, at rest, touches nothing


def test_a_design_meets_bandwidth_deflection_and_contact_force(robot):
    """The example with few states: the bandwidth limits how soft the connectors may be."""
    data = tomllib.loads((ROOT / "designs" / "connectors.toml").read_text("utf-8"))
    data["robot"], data["requirements"]["limits"] = robot.to_dict(), False
    del data["robot"]["leg"]["connector"]["decoupling"]
    for demand in data["demands"]:
        demand |= {"box": {"points": 2}}
        demand.pop("speed", None)
    found = Design.from_dict(data).optimise(starts=1)
    slack = {held.name: held.slack for held in found.requirements}
    assert all(value > -1e-6 for value in slack.values())
    assert [one.name for one in found.active_constraints] == ["natural frequency"]
    loads = ([0] * 6, [0, 0, 200.0, 0, 0, 0], [60.0, 0, 0, 0, 0, 0], [-60.0, 0, 0, 0, 0, 0])
    lowest = min(gough.natural_modes(found.robot, wrench=w).frequencies[0] for w in loads)
    assert lowest == pytest.approx(5.0, rel=1e-5)
    assert found.objectives["steady_contact_force"] > 200.0


@pytest.mark.parametrize(
    ("name", "load", "words"),
    [
        (
            "contact_force",
            {"force": [0, 0, 9]},
            "no demand for contact_force; expected a force and",
        ),
        ("deflection", {}, "no demand for deflection; expected a force or a moment in one"),
        ("force", {"force": [0, 0, 9], "surface": 1e6}, "surface is not used; expected contact"),
    ],
)
def test_measures_of_loads_need_some(name, load, words):
    demand = {"name": "one", "box": {"points": 2}, **load}
    with pytest.raises(gough.GoughError, match=words):
        Design.from_dict(design_data(demand, {name: 1.0}))


@pytest.mark.parametrize(
    ("load", "words"),
    [
        ({"frequency": 5}, r"frequency: not used; expected a force or moment with it"),
        ({"frequency": 5, "force": [0, 0, 0]}, r"frequency: not used; expected a force or moment"),
        ({"frequency": 5, "force": [0, 0, 1], "surface": 1e6}, r"frequency: given with surface"),
        (
            {"frequency": 5, "force": [0, 0, 1], "box": None, "study": "x.toml"},
            r"frequency: given with study; expected a demand of its own",
        ),
        ({"surface": 1e6, "moment": [1, 0, 0]}, r"surface: not used; expected a force with it"),
        ({"force": [0, 0, 1], "surface_error": 1e-4}, r"surface_error: not used; .* a surface"),
        ({"force": [0, 0, 1], "surface": -1}, r"surface: .*expected"),
        ({"force": [0, 0, 1], "frequency": float("nan")}, r"frequency: .*expected"),
    ],
)
def test_keys_of_loads_that_mean_nothing_are_refused(load, words):
    with pytest.raises(InputError, match=words):
        Design.from_dict(design_data({"name": "one", "box": {"points": 2}, **load}, {}))


def test_rigid_and_bending_machines_are_refused(robot):
    load = demands.loaded(demands.of_poses([robot.home]), WRENCH, frequency=5.0)
    rigid = gough.load("kalani-2016")
    mass = [Variable("platform.mass", 0.1, 900.0)]
    with pytest.raises(gough.GoughError, match=r"natural_frequency of .*not all of its legs are"):
        problem(rigid, MEASURES[2:], load, variables=mass)
    data = robot.to_dict()
    data["flexibility"] = {"base": np.diag([1e-9] * 6).tolist()}
    flexible = gough.Robot.from_dict(data)
    with pytest.raises(gough.GoughError, match="expected demands without a frequency"):
        problem(flexible, MEASURES[:1], load)
    constant = demands.loaded(demands.of_poses([robot.home]), WRENCH)
    model = gough.Model(flexible)
    C = model.compliance(flexible.home, model.actuator_force(flexible.home), np.zeros(6))
    found = problem(flexible, MEASURES[:1], constant).at(own(robot))[-1, 0]
    assert found == pytest.approx(np.linalg.norm((C @ WRENCH)[:3]), rel=1e-6)
    with pytest.raises(gough.GoughError, match=r"frequency is .*; expected at least 0"):
        demands.loaded(load, WRENCH, frequency=-1.0)


def test_a_study_on_compliant_legs_is_no_demand(robot):
    motion = gough.motion.line(robot.home, [0, 0, 0.01], gough.motion.Quintic(0.5))
    with pytest.raises(gough.GoughError, match=r"compliant legs.* is no demand"):
        demand_of_study(gough.Study(robot, motion, legs="simple"), "lift")


def design_data(demand, requirements):
    return {
        "schema": "gough-design/1",
        "name": "connectors",
        "robot": "demo-hexapod",
        "variables": [{"number": f"{STAGE}.stiffness", "range": [1e5, 1e7]}],
        "demands": [demand],
        "requirements": requirements,
    }
