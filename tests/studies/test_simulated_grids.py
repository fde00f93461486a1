"""Grids of simulations: points computed together, on processors or a GPU, as each by itself."""

import sys
from dataclasses import replace
from importlib import import_module

import numpy as np
import pytest
from gpu_stand_in import stand_in

import gough
from gough.compiler.identity import fingerprint
from gough.errors import GoughError, InputError
from gough.motion import Quintic, line
from gough.runs.folder import identity_of
from gough.simulation import Scenario, closed_loop, computed_torque, rigid_plant
from gough.studies.grid import GridRows
from gough.studies.run import run_together

simulate = import_module("gough.simulation.simulate")

MASSES = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6]
MOTION = {"kind": "line", "displacement": [0.01, 0, 0.02], "profile": "quintic", "duration": 0.04}
STUDY = {
    "schema": "gough-study/1",
    "name": "grid",
    "robot": "kalani-2016",
    "motion": MOTION,
    "controller": {"kind": "computed-torque", "gains": {"kp": 900, "kd": 60}},
    "simulation": {"noise": 1e-6, "seed": 3},
}
PAYLOAD = [{"kind": "payload", "mass": 0.5, "inertia": [0.01, 0.01, 0.01]}]
SPRING = {"name": "balance", "between": ["base", "platform"], "stiffness": 800, "length": 0.1}
SPRING |= {"start": [0, 0, 0.2], "end": [0.1, 0, 1.0]}
GRIDS = {
    "masses and gains": {
        "variations": [
            {"parameter": "robot.platform.mass", "values": [1.2, 1.6]},
            {"parameter": "controller.gains.kp", "values": [400, 900, 1e7]},
        ]
    },
    "payloads and motions": {
        "tasks": PAYLOAD,
        "variations": [
            {"parameter": "tasks[0].mass", "values": [0.5, 1.0]},
            {"parameter": "motion.displacement[0]", "values": [0.01, 0.03]},
        ],
    },
    "joints and limits": {
        "variations": [
            {"parameter": "robot.legs[0].base[0]", "values": [0.7071, 0.72]},
            {"parameter": "robot.leg.max_force", "values": [100, 6]},
        ]
    },
    "a payload that is picked up, unknown to the controller": {
        "tasks": [PAYLOAD[0] | {"active": [0.01, 0.02]}],
        "variations": [
            {"parameter": "robot.platform.mass", "values": [1.2, 1.6]},
            {"parameter": "controller.gains.kp", "values": [400, 900]},
        ],
    },
    "homes, at which springs are placed": {
        "robot": gough.load("kalani-2016").to_dict() | {"springs": [SPRING]},
        "variations": [{"parameter": "robot.platform.home.position[2]", "values": [1.0, 1.05]}],
    },
    "a delay that an open loop does not have": {
        "controller": {"kind": "open-loop"},
        "simulation": {"integrator": "LSODA"},
        "variations": [{"parameter": "simulation.delay", "values": [0, 1]}],
    },
}


def compared(grid, study):
    """Check figures, warnings and errors of a grid with those of its points one by one."""
    for index in range(int(np.prod(study.shape))):
        at = np.unravel_index(index, study.shape)
        ((_, alone),) = run_together([study.variant(index)])
        if isinstance(alone, GoughError):
            assert grid.errors[index] == str(alone)
            continue
        for name, figure in alone.results.summary.items():
            found = grid[name][at]
            np.testing.assert_allclose(found, figure.value, rtol=1e-6, atol=1e-12, err_msg=name)
        assert [w.split(" at t =")[0] for w in grid.warnings[index]] == [
            w.split(" at t =")[0] for w in alone.warnings
        ]


@pytest.mark.parametrize("name", GRIDS)
def test_points_together_are_points_one_by_one(name):
    study = gough.Study.from_dict(STUDY | GRIDS[name])
    compared(gough.run(study), study)


def test_a_gpu_simulates_a_grid(monkeypatch):
    """The same figures, warnings and errors: of runs that end early, too."""
    monkeypatch.setitem(sys.modules, "cupy", stand_in())
    data = STUDY | GRIDS["masses and gains"]
    study = gough.Study.from_dict(data)
    there = gough.Study.from_dict(data | {"executor": {"device": "gpu"}})
    compared(gough.run(there), study)
    with pytest.raises(InputError, match=r"executor\.device: not with workers"):
        gough.run(there, executor=2)


def test_robots_that_differ_in_numbers_have_one_function(monkeypatch):
    """Seven masses are one batch of one compiled loop, whose results are made at once."""
    study = gough.Study.from_dict(
        STUDY | {"variations": [{"parameter": "robot.platform.mass", "values": MASSES}]}
    )
    rows = GridRows(study.points, study.variations, study.robot, simulated=True)
    made, original = [], closed_loop._recurrence
    counted = lambda *given: made.append(given) or original(*given)  # noqa: E731
    monkeypatch.setattr(closed_loop, "_recurrence", counted)
    sizes, results_of = [], simulate.results_of
    monkeypatch.setattr(
        simulate,
        "results_of",
        lambda batch, *given: sizes.append(len(batch.runs)) or results_of(batch, *given),
    )
    found = dict(run_together((study.variant(k) for k in range(len(MASSES))), rows._kind))
    assert not any(isinstance(one, GoughError) for one in found.values())
    assert sizes == [len(MASSES)]
    assert rows._kind[1] == ("platform.mass",)
    assert len({fingerprint(loop) for loop, _ in made}) == 1
    assert sum(lanes is None for _, lanes in made) == 1


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"executor": {"device": "tpu"}}, r"executor\.device"),
        ({"executor": {"device": "gpu", "workers": 2}}, r"executor\.workers: not with a GPU"),
        ({"executor": {"cluster": "tcp://a:1"}}, r"executor\.cluster"),
        (
            {"executor": {"device": "gpu"}, "simulation": {"integrator": "LSODA"}},
            r"executor\.device: not with an adaptive integrator",
        ),
        (
            {"executor": {"device": "gpu"}, "controller": None, "simulation": None},
            r"executor\.device: of simulations alone",
        ),
    ],
)
def test_what_no_gpu_computes_is_refused(changes, words):
    data = {k: v for k, v in (STUDY | changes).items() if v is not None}
    with pytest.raises(GoughError, match=words):
        gough.Study.from_dict(data)


def test_without_a_gpu_the_error_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(GoughError, match="CuPy is not installed; expected"):
        gough.run(gough.Study.from_dict(STUDY | {"executor": {"device": "gpu"}}))


def test_a_law_that_is_anybodys_function_is_simulated():
    study = gough.Study.from_dict(STUDY)
    law = study.controller.law
    own = replace(study, controller=replace(study.controller, law=lambda *given: law(*given)))
    found = gough.run(own)
    np.testing.assert_array_equal(found["force"], gough.run(study)["force"])


def test_values_of_a_plant_count_in_one_run():
    robot = gough.load("kalani-2016")
    motion = line(robot.home, [0.01, 0, 0.02], Quintic(0.04))
    heavy = rigid_plant(robot, ("platform.mass",), values=np.array([3.0]))
    forces = [
        gough.simulate(Scenario(robot, computed_torque(900, 60), motion, plant=plant))["force"]
        for plant in (None, heavy)
    ]
    assert np.abs(forces[0] - forces[1]).max() > 1
    several = replace(heavy, values=np.array([[3.0], [4.0]]))
    with pytest.raises(InputError, match=r"plant\.values"):
        gough.simulate(Scenario(robot, computed_torque(900, 60), motion, plant=several))


def test_who_computes_is_no_part_of_what_a_run_is_known_by():
    studies = [STUDY | more for more in ({}, {"executor": {"workers": 2}})]
    first, second = (identity_of(gough.Study.from_dict(one)) for one in studies)
    assert first == second
