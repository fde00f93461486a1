"""What derivatives of whole runs are for: gains, payloads and designs."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from gpu_stand_in import stand_in

import gough
from gough.design.simulated import SimulatedObjective
from gough.design.variables import DesignSpace, Variable
from gough.errors import GoughError
from gough.report.report import report_page
from gough.simulation import Adaptive, identify_by_shooting, optimise_gains, rigid_plant
from gough.simulation.rollout import TrackingCost, run_with_derivatives
from gough.studies.run import scenario_of

STUDIES = Path(__file__).parents[2] / "studies"
SMOOTHNESS = 5e-4


@pytest.fixture(scope="module")
def scenario():
    return scenario_of(gough.Study.load(STUDIES / "delta-tuned.toml"), tuned=False)


@pytest.fixture(scope="module")
def tuned(scenario):
    return optimise_gains(scenario, smoothness=SMOOTHNESS)


def test_no_gain_beside_the_optimum_is_better(scenario, tuned):
    """By runs alone: the optimum is a stationary point, and a minimum."""
    run, loop = run_with_derivatives(replace(scenario, controller=tuned.controller))
    cost, own = TrackingCost.of(run, None, SMOOTHNESS), loop.gain_values
    start, n = loop.start(*run.initial), len(own) // 2

    def at(kp, kd):
        gains = own * np.repeat([kp, kd], n)
        return cost.values(loop.run(start, run.reference, gains=gains))[0]

    best, step = at(1, 1), 2e-3
    assert np.sqrt(best) == pytest.approx(tuned.cost, rel=1e-9)
    assert tuned.cost < 0.1 * tuned.first_cost
    assert not tuned.warnings
    for up, down in ((at(1 + step, 1), at(1 - step, 1)), (at(1, 1 + step), at(1, 1 - step))):
        assert min(up, down) > best
        assert abs(up - down) / (2 * step * best) < 2e-4


def test_tables_of_gains_show_what_couples_actuators(tuned):
    kp, *others = tuned.controller.gains
    coupled = replace(kp, values=np.diag([5.0, 6.0, 7.0]) - 1.0)
    changed = replace(tuned, controller=replace(tuned.controller, gains=(coupled, *others)))
    row = next(line for line in changed.report().splitlines() if "N m/rad" in line)
    assert row.split()[-3:] == ["4", "6", "1"]


def test_studies_run_with_their_optimised_gains(tuned):
    results = gough.run(STUDIES / "delta-tuned.toml")
    assert "factor of kp: 91.1" in report_page(results)
    gains = results.study["run"]["controller"]["gains"]
    np.testing.assert_allclose(np.diag(gains["kp"]), 200 * tuned.factors["kp"], rtol=1e-9)


def test_warnings_of_optimised_gains_are_those_of_the_run(tmp_path):
    text = (STUDIES / "delta-tuned.toml").read_text()
    path = tmp_path / "stiff.toml"
    path.write_text(text.replace("smoothness = 5e-4", 'gains = "kp"\nsmoothness = 100.0'))
    assert "optimised gains: kp is at the end of its range" in " ".join(gough.run(path).warnings)


def test_axes_of_optimised_gains_are_refused(tmp_path):
    """They would have no effect; and a single run is asked for where one is optimised."""
    text = (STUDIES / "delta-tuned.toml").read_text()
    path = tmp_path / "axes.toml"
    axis = '\n[[variations]]\nparameter = "{}"\nvalues = [3, 4]\n'
    path.write_text(text + axis.format("controller.gains.kd"))
    with pytest.raises(GoughError, match=r"variations\[0\].parameter.*optimised in each run"):
        gough.Study.load(path)
    text = text.replace("[simulation.tuning]", '[simulation.tuning]\ngains = "kp"')
    path.write_text(text + axis.format("controller.gains.kd"))
    study = gough.Study.load(path)
    assert scenario_of(study.variant(0), tuned=False)
    with pytest.raises(GoughError, match="expected a single run"):
        scenario_of(study)


def test_payloads_are_found_by_shooting(scenario, tuned):
    controlled = replace(scenario, controller=tuned.controller)
    loaded = replace(controlled, tasks=[gough.motion.Payload(0.3)])
    found = identify_by_shooting(controlled, gough.simulate(loaded), ["platform.mass"])
    assert found.robot.platform.mass == pytest.approx(1.2, rel=1e-6)
    assert found.parameters[0].sigma < 1e-6
    assert found.residuals["position"] < 1e-9


def test_bodies_found_by_shooting_are_those_of_the_parameters(scenario, tuned):
    """A Delta's file has links of a leg, and no bodies of its own."""
    controlled, name = replace(scenario, controller=tuned.controller), "bodies[1].mass"
    robot = scenario.own_robot
    named = np.array(robot.parameter_names) == name
    heavy = robot.with_parameters(np.where(named, 0.9, robot.parameters))
    recorded = gough.simulate(replace(controlled, plant=rigid_plant(heavy)))
    found = identify_by_shooting(controlled, recorded, [name])
    assert found.robot.bodies[1].mass == pytest.approx(0.9, rel=1e-6)


def test_what_is_not_told_apart_is_refused(scenario):
    recorded = gough.simulate(scenario)
    for numbers, words in (
        ((), "no numbers to find"),
        (("platform.mas",), "no such parameter"),
    ):
        with pytest.raises(GoughError, match=words):
            identify_by_shooting(scenario, recorded, numbers)
    late = {**recorded.columns(), "time [s]": recorded.time + 9.0}
    with pytest.raises(GoughError, match="times from 9 to"):
        identify_by_shooting(scenario, late, ["platform.mass"])


def test_gains_without_derivatives_are_refused(scenario):
    for changed, words in (
        ({"integrator": Adaptive("RK45")}, "RK45 adapts its steps"),
        ({"controller": lambda t, measured, wanted: np.zeros(3)}, "controller in Python"),
    ):
        with pytest.raises(GoughError, match=words):
            optimise_gains(replace(scenario, **changed))
    with pytest.raises(GoughError, match=r"no gain 'ki'"):
        optimise_gains(scenario, gains="ki")
    with pytest.raises(GoughError, match="smoothness"):
        optimise_gains(scenario, smoothness=np.nan)


def design_of(*quantities, number="platform.mass", study="delta-tuned.toml", best="minimise"):
    return gough.Design.from_dict(
        {
            "schema": "gough-design/1",
            "name": "light",
            "robot": "delta",
            "variables": [{"number": number, "range": [0.8, 2.0]}],
            "demands": [{"name": "home", "poses": [{}]}],
            "requirements": {"limits": False, "force": 100},
            "objectives": {best: list(quantities), "simulate": study},
        },
        folder=STUDIES,
    )


def test_designs_have_simulated_objectives():
    """The derivative by a mass is that of runs beside it, and the lightest machine the best."""
    design = design_of("simulated_force")
    objective = design.problem.simulations["simulated_force"]
    value, slope = objective.with_slopes(np.array([1.3]))
    more, less = objective.values(np.array([[1.301], [1.299]]))
    assert less < value < more
    assert slope[0] == pytest.approx((more - less) / 2e-3, rel=1e-5)
    found = design.optimise(starts=1)
    assert found.variables["platform.mass"] == pytest.approx(0.8)
    assert found.units["simulated_force"] == "N m"


def test_runs_of_designs_on_a_gpu_are_those_of_processors(monkeypatch):
    """Errors and forces in the runs of several designs."""
    design = design_of("simulated_force", "simulated_error")
    monkeypatch.setitem(sys.modules, "cupy", stand_in())
    designs, there = np.array([[0.8], [1.3], [2.0]]), replace(design, device="gpu")
    for name, objective in design.problem.simulations.items():
        found = there.problem.simulations[name].values(designs)
        assert type(found) is np.ndarray
        np.testing.assert_allclose(found, objective.values(designs), rtol=1e-9)


def simulated(**how):
    return design_of("simulated_force", **how).problem.simulations["simulated_force"]


def with_task(folder, **task):
    """The study without tuning, and with a task."""
    text = (STUDIES / "delta-tuned.toml").read_text().split("[simulation.tuning]")[0]
    keys = "\n".join(f"{key} = {value!r}" for key, value in task.items())
    path = folder / f"{task['kind']}.toml"
    path.write_text(f"{text}\n[[tasks]]\n{keys}\n")
    return path


def test_designs_refuse_runs_that_they_cannot_have(tmp_path):
    with pytest.raises(GoughError, match=r"objectives.simulate.*not used"):
        design_of("force")
    with pytest.raises(GoughError, match="cannot be maximised"):
        _ = design_of("simulated_force", best="maximise").problem.parts
    loaded = with_task(tmp_path, kind="payload", mass=3.0)
    plain = str(with_task(tmp_path, kind="constant", force=[0, 0, 0]))
    for words, how in (
        ("demo-hexapod", {"study": "simulation/demo-pid.toml"}),
        ("has a payload", {"study": str(loaded)}),
        ("leg.links.0..radius", {"number": "leg.links[0].radius", "study": plain}),
        ("leg.motor.friction", {"number": "leg.motor.friction", "study": plain}),
    ):
        with pytest.raises(GoughError, match=words):
            simulated(**how).values(np.ones((1, 1)))


def test_designs_of_which_no_run_is_completed_are_refused(tmp_path):
    pushed = with_task(tmp_path, kind="constant", force=[0, 0, 3000])
    with pytest.raises(GoughError, match=r"simulated runs of all .* end early"):
        design_of("simulated_error", study=str(pushed)).optimise(starts=1)


def test_runs_of_designs_that_end_early_are_infinite(tmp_path):
    """A force pushes a hip to its end of range: there are numbers until then, and beyond."""
    pushed = with_task(tmp_path, kind="constant", force=[0, 0, 1000])
    assert "end of its range" in gough.run(pushed).warnings[0]
    objective = simulated(study=str(pushed))
    assert objective.values(np.array([[1.0]])) == np.inf
    assert objective.with_slopes(np.array([1.0]))[0] == np.inf


def test_designs_that_are_no_machines_are_infinite(tmp_path):
    """Of inertias that violate the triangle inequality."""
    study = with_task(tmp_path, kind="constant", force=[0, 0, 0])
    objective = simulated(number="platform.inertia.xx", study=str(study))
    assert objective.values(np.array([[1.0]])) == np.inf
    assert objective.with_slopes(np.array([1.0]))[0] == np.inf


def test_few_designs_that_are_no_machines_are_infinite(tmp_path):
    """The last hundredth of a range, where samples of the others are linear."""
    study = gough.Study.load(with_task(tmp_path, kind="constant", force=[0, 0, 0]))
    inertia = np.array(study.robot.platform.inertia)
    most = inertia[1, 1] + inertia[2, 2]
    space = DesignSpace.of(study.robot, [Variable("platform.inertia.xx", most / 2, 1.001 * most)])
    found = SimulatedObjective(space, study, "simulated_force").values(
        most * np.array([[0.999], [1.0005]])
    )
    assert found[0] < found[1] == np.inf


def test_numbers_of_chosen_actuators_count_in_runs(tmp_path):
    """Of arms that weigh more than in the file: as of those that are a variable."""
    study = gough.Study.load(with_task(tmp_path, kind="constant", force=[0, 0, 0]))
    arm, mass = "leg.links[0].mass", Variable("platform.mass", 0.8, 2.0)
    fixed = DesignSpace.of(study.robot, [mass], {arm: 1.5})
    free = DesignSpace.of(study.robot, [mass, Variable(arm, 0.1, 2.0)])
    one, other = (SimulatedObjective(space, study, "simulated_force") for space in (fixed, free))
    assert one.values(np.array([[1.3]])) == pytest.approx(other.values(np.array([[1.3, 1.5]])))
    assert one.values(np.array([[1.3]])) > 1.01 * other.values(np.array([[1.3, 0.5]]))
