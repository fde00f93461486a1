"""Design files: what they say, and what is wrong in them."""

import json
from pathlib import Path

import jsonschema
import numpy as np
import pytest
from make_schemas import schema_file, schema_text

import gough
from gough.design import Objective, Requirement, Variable

FILE = Path(__file__).parents[2] / "designs" / "simulator.toml"
PLAIN = {
    "schema": "gough-design/1",
    "name": "small",
    "robot": "demo-hexapod",
    "variables": [{"number": "symmetric.base_radius", "range": ["400 mm", 0.9]}],
    "demands": [{"name": "here", "poses": [{"z": "1.0 m"}]}],
}
MASS = [{"number": "platform.mass", "range": [1, 2]}]
BOX = {"name": "box", "box": {"x": "0.1 m", "roll": ["-5 deg", "10 deg"], "points": 2}}


def read(**changes):
    return gough.Design.from_dict({**PLAIN, **changes}, folder=FILE.parent)


def test_the_schema_file_is_current_and_takes_the_example():
    assert schema_file("design").read_text("utf-8") == schema_text("design")
    jsonschema.validate(PLAIN, json.loads(schema_text("design")))


def test_numbers_have_units_and_limits_are_kept_to():
    design = read(requirements={"force": "0.5 kN", "limits": 0.05})
    assert design.variables == (Variable("symmetric.base_radius", 0.4, 0.9),)
    assert design.requirements == (Requirement("limits", 0.05), Requirement("force", 500.0))
    assert read().requirements == (Requirement("limits", 0.0),)
    light = {"minimise": "force"}
    assert read(requirements={"limits": False}, objectives=light).requirements == ()


def test_limits_of_one_kind_count_more_than_those_of_all():
    asked = {"limits": 0.05, "limits.stroke": 0.1, "limits.clearance": False}
    held = {one.measure: one.bound for one in read(requirements=asked).problem.requirements}
    assert held == {
        "limits.stroke": 0.1,
        "limits.base joint": 0.05,
        "limits.platform joint": 0.05,
        "limits.singularity": 0.05,
    }


def test_within_counts_from_the_file_and_patterns_are_many_or_one():
    joints = [{"number": "legs[*].base", "within": "10 mm"}]
    spread = read(robot="kalani-2016", variables=joints, demands=[BOX]).problem.space
    assert len(spread) == 18
    assert spread.high - spread.low == pytest.approx(np.full(18, 0.02))
    heights = [{"number": "legs[*].base.z", "range": [-0.1, 0.1], "together": True}]
    shared = read(robot="kalani-2016", variables=heights, demands=[BOX]).problem.space
    assert len(shared) == 1
    assert {leg.base[2] for leg in shared.made([0.07]).legs} == {0.07}


def test_a_box_has_all_its_corners_and_what_it_does_there():
    faster = {**BOX, "acceleration": "2 m/s^2", "angular_speed": "1 rad/s", "force": [0, 0, -500]}
    (demand,) = read(demands=[faster]).demands
    assert len(demand) == 4 * (1 + 6 + 6)
    corners = {(round(x, 3), round(roll, 3)) for x, roll in demand.offset[:, [0, 3]].tolist()}
    assert corners == {(x, roll) for x in (-0.1, 0.1) for roll in (-0.087, 0.175)}
    assert (demand.wrench == [0, 0, -500, 0, 0, 0]).all()
    assert np.abs(demand.acceleration).max() == 2.0
    assert np.abs(demand.twist).max() == 1.0


def test_objectives_and_studies_are_read():
    aims = {"minimise": ["force", "travel"], "maximise": "symmetric.base_radius"}
    way = {"name": "way", "study": "../studies/demo-machining.toml", "samples": 11}
    with pytest.raises(gough.GoughError, match="balancing masses"):
        read(demands=[{"name": "way", "study": "../studies/baiges-balance.toml"}])
    design = read(objectives=aims, demands=[way])
    assert design.objectives[0] == Objective("force")
    assert design.objectives[2] == Objective("symmetric.base_radius", maximise=True)
    assert len(design.demands[0]) == 11
    assert design.demands[0].wrench.any()


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"schema": "gough-design/2"}, "schema: not known"),
        ({"variables": []}, "variables"),
        ({"variables": [{"number": "symmetric.base_radius"}]}, "either range or within"),
        ({"variables": [{"number": "symmetric.base_radius", "range": [1]}]}, "not two numbers"),
        ({"variables": [{"number": "symmetric.base_radius", "range": ["1 kg", 2]}]}, "a length"),
        ({"variables": [{"number": "nothing", "range": [0, 1]}]}, "no parameter is called"),
        ({"demands": [{"name": "none"}]}, "one of box, poses and study"),
        ({"demands": [{**BOX, "poses": []}]}, "box and poses given"),
        ({"demands": [{"name": "box", "box": {"x": "10 deg"}}]}, "x: "),
        ({"requirements": {"forse": 3}}, "no requirement is called"),
        ({"requirements": {"force": "3 kg"}}, "a force"),
        ({"objectives": {"minimise": "forse"}}, "did you mean force"),
        ({"requirements": {"force": True}}, "not a number"),
        ({"requirements": {"limits": {"stroke": 0.1}}}, 'in quotes, as "limits.stroke"'),
        ({"requirements": {"force": -3}}, "at least 0"),
        ({"requirements": {"limits": False}}, "without requirements"),
        ({"robot": "kalani-2016", "variables": MASS, "requirements": {"stiffness": 1}}, "elastic"),
        ({"objectives": {"minimise": "energy"}}, "takes time for energy"),
        ({"objectives": {"minimise": ["force", "force"]}}, "an objective twice"),
        ({"variables": [{"number": "reach", "range": [1, 2]}]}, "makes no demand larger"),
        ({"variables": [{"number": "leg.*", "range": [0, 1]}]}, "a pattern of one kind"),
        ({"name": "../escape"}, "without slashes"),
        ({"robot": "no-such-robot"}, "no-such-robot"),
        ({"demand": []}, "did you mean"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(changes, words):
    with pytest.raises(gough.GoughError, match=words):
        read(**changes)
