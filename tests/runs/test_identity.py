"""Identity of runs: another file, plant, start or study is never taken for the one before."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from study_samples import data

import gough
from gough.design import Design
from gough.motion import Payload, line
from gough.motion.profiles import Quintic
from gough.runs import to_folder
from gough.runs.folder import facts_of, identity, identity_of
from gough.simulation import computed_torque, rigid_plant
from gough.sizing.records import load_catalogue
from gough.studies import Study
from gough.studies.simulation_tables import WrittenStart
from tests.samples.cubic import cubic

VIBRATION = {"motion": {"kind": "line", "displacement": [0, 0, 0.01], "duration": 1}, "tasks": []}


def with_matrix(folder, compliance, **more):
    """A study of a robot whose platform is a file of finite elements."""
    np.save(folder / "platform.npy", compliance * np.eye(6))
    table = {"file": "platform.npy", "quantity": "compliance", "unit": "m"}
    robot = cubic().to_dict() | {"flexibility": {"platform": table}}
    asked = {"samples": 3, "outputs": {"quantities": ["stiffness"]}, **VIBRATION, **more}
    return Study.from_dict(data(robot=robot, **asked), folder=folder)


@pytest.mark.parametrize("grid", [False, True])
def test_a_changed_matrix_is_another_study(tmp_path, grid):
    places = {"parameter": "robot.platform.mass", "values": [1, 2]}
    more = {"variations": [places]} if grid else {}
    to_folder(with_matrix(tmp_path, 1e-6, **more), tmp_path / "out", report=False)
    again = with_matrix(tmp_path, 1e-6, **more)
    to_folder(again, tmp_path / "out", report=False)
    other = with_matrix(tmp_path, 1e-4, **more)
    assert other.robot.flexibility != again.robot.flexibility
    with pytest.raises(gough.GoughError, match="of other inputs"):
        to_folder(other, tmp_path / "out", report=False)


def test_a_changed_mesh_is_another_study(tmp_path):
    robot = gough.load("demo-hexapod").to_dict()
    robot["platform"]["mesh"] = {"file": "top.stl", "unit": "mm"}

    def known(content):
        (tmp_path / "top.stl").write_text(content)
        study = Study.from_dict(data(robot=robot, samples=3), folder=tmp_path)
        return identity("test", facts_of(study))

    assert known("solid a") == known("solid a") != known("solid b")


def test_files_that_a_variation_names_count_from_its_study_and_are_part_of_it(
    tmp_path, monkeypatch
):
    for name in ("a.csv", "b.csv"):
        rows = "".join(f"{k / 10},{1 + k * 1e-3}\n" for k in range(11))
        (tmp_path / name).write_text(f"t [s],z [m]\n{rows}")
    motion = {"kind": "recorded", "file": "a.csv", "position_noise": 0, "angle_noise": 0}
    axis = {"parameter": "motion.file", "values": ["a.csv", "b.csv"]}
    asked = data(motion=motion, tasks=[], samples=3, variations=[axis])

    def known():
        return identity("", facts_of(Study.from_dict(asked, folder=tmp_path)))

    first = known()
    monkeypatch.chdir("/")
    assert known() == first
    assert Study.from_dict(asked, folder=tmp_path).variations[0].numbers == ("a.csv", "b.csv")
    changes = {"motion.file": "b.csv"}
    cases = {**asked, "variations": [], "cases": [{"name": "b", "changes": changes}]}
    controller = {"kind": "joint-pid", "frequency": 10}
    Study.from_dict({**cases, "controller": controller}, folder=tmp_path)
    with (tmp_path / "b.csv").open("a") as file:
        file.write("1.1,1.012\n")
    assert known() != first


@pytest.mark.parametrize(
    "change",
    [
        {"robot": gough.load("demo-hexapod").replace(name="other")},
        {"motion": line(gough.load("demo-hexapod").home, [0, 0, 0.02], Quintic(2.0))},
        {"tasks": (Payload(1.0),)},
        {"static": True},
        {"samples": 12},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_study_from_a_file_that_was_changed_in_python_is_another(change):
    study = Study.from_dict(data(samples=11))
    changed = replace(study, **change)
    assert identity("", facts_of(changed)) != identity("", facts_of(study))


def simulation(**changes):
    file = Path(__file__).parents[2] / "studies" / "simulation" / "demo-pid.toml"
    return replace(Study.load(file), **changes)


def of_others():
    """Simulations that differ in what was made in Python alone."""
    robot, heavy = (gough.load("demo-hexapod").replace({"platform.mass": m}) for m in (100, 101))
    yield simulation(plant=rigid_plant(robot))
    yield simulation(plant=rigid_plant(heavy))
    yield simulation(controller=computed_torque(901, 60))
    yield simulation(start=WrittenStart.model_validate({"z": 0.991}))


def test_simulations_made_in_python_are_told_apart_by_plant_controller_and_start():
    known = [identity_of(one)["inputs"] for one in (simulation(), *of_others())]
    assert len({*known}) == len(known)
    assert identity_of(simulation())["inputs"] == known[0]


def test_a_law_that_is_not_of_gough_is_never_taken_for_another():
    usual = simulation()
    law = usual.controller.law
    own = simulation(controller=replace(usual.controller, law=lambda *inputs: law(*inputs)))
    assert identity_of(own) != identity_of(own)


def test_a_design_is_known_by_the_actuators_of_its_catalogue(tmp_path):
    root = Path(__file__).parents[2]
    asked = Design.load(root / "designs" / "mover.toml")
    text = (root / "src/gough/sizing/library/electric-cylinders.toml").read_text()

    def known(content):
        (tmp_path / "own.toml").write_text(content)
        return identity("", asked, {"catalogue": load_catalogue(tmp_path / "own.toml")})

    changed = re.sub(r"(?m)^stroke = 0.3$", "stroke = 0.31", text, count=1)
    assert known(text) == known(text) != known(changed)
