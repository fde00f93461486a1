"""The JSON Schema of study files: current, complete, and in agreement with the readers."""

import json
import re
import tomllib
from pathlib import Path

import jsonschema
import pytest
from make_schemas import schema, schema_file, schema_text
from study_samples import LINE, LOAD, SWING, data

import gough
from gough.studies.study import Study

ROOT = Path(__file__).parents[2]
STUDIES = sorted((ROOT / "studies").rglob("*.toml"))
FOLLOWED = {"controller": {"kind": "computed-torque", "frequency": "5 Hz"}}
VARIED = {"parameter": "motion.duration", "values": [1, 2]}


@pytest.fixture(scope="module")
def validator():
    described = json.loads(schema_file("study").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(described)
    return jsonschema.Draft202012Validator(described)


def test_the_schema_file_is_current():
    assert schema_file("study").read_text(encoding="utf-8") == schema_text("study")


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_every_study_of_the_repository_fits(validator, path):
    validator.validate(tomllib.loads(path.read_text(encoding="utf-8")))


def test_the_study_in_the_documentation_fits(validator):
    text = (ROOT / "docs" / "how-to" / "studies.md").read_text(encoding="utf-8")
    validator.validate(tomllib.loads(text.split("```toml")[1].split("```")[0]))


@pytest.mark.parametrize(
    "change",
    [
        {"robot": gough.load("kalani-2016").to_dict()},
        {"rate": "100 Hz", "samples": None},
        {"outputs": {"quantities": "forces", "csv": False}},
        {"balance": {"mass": "5 kg", "distance": "20 cm"}},
        {"variations": [VARIED | {"parameter": ["motion.duration", "tasks[1].mass"]}]},
        {"motion": {"kind": "line", "direction": [0, 0, 1], "travel": ["-1 cm", 0.01],
                    "profile": {"kind": "s-curve", "ramp": 0.3}, "duration": "2 s"}},
        {"motion": {"kind": "rotation", "axis": [0, 0, 1], "angle": "5 deg", "duration": 1}},
        {"motion": {"kind": "sequence", "parts": [LINE, {"kind": "hold", "duration": 1}]}},
        {"motion": {"kind": "waypoints", "waypoints": [
            {"time": 0, "position": [0, 0, 1]}, {"time": "1 s", "position": [0, 0, "1.01 m"]}]}},
        FOLLOWED | {"simulation": {"period": "1 ms", "delay": 1}},
        FOLLOWED | {"cases": [{"name": "slow", "changes": {"controller.frequency": "2 Hz"}}]},
    ],
)  # fmt: skip
def test_what_can_be_read_fits(validator, change):
    written = {k: v for k, v in data(**change).items() if v is not None}
    Study.from_dict(written)
    validator.validate(written)


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "gough-study/2"},
        {"name": None},
        {"name": "a/b"},
        {"robots": "demo-hexapod"},
        {"robot": 3},
        {"robot": {"schema": "gough/1"}},
        {"motion": {}},
        {"motion": "line"},
        {"motion": LINE | {"kind": "lime"}},
        {"motion": LINE | {"duration": -1}},
        {"motion": LINE | {"durations": 1}},
        {"motion": LINE | {"displacement": [0, 0]}},
        {"motion": LINE | {"profile": "quick"}},
        {"motion": {"kind": "sequence", "parts": [LINE | {"duration": "long"}]}},
        {"motion": {"kind": "waypoints", "waypoints": [{"position": [0, 0, 1]}]}},
        {"motion": SWING | {"duration": None}},
        {"tasks": LOAD},
        {"tasks": [LOAD | {"mass": "heavy"}]},
        {"tasks": [LOAD | {"kind": "payloads"}]},
        {"samples": 1},
        {"samples": "many"},
        {"rate": 0, "samples": None},
        {"analysis": "quick"},
        {"balance": {"mass": -1}},
        {"outputs": {"quantities": ["forse"]}},
        {"outputs": {"csv": "yes"}},
        {"variations": [{"values": [1, 2]}]},
        {"variations": [VARIED | {"value": [1]}]},
        {"controller": {"kind": "fuzzy", "frequency": 5}},
        {"controller": {"frequency": 5}},
        FOLLOWED | {"simulation": {"period": 0}},
        FOLLOWED | {"simulation": {"periods": 0.001}},
        FOLLOWED | {"simulation": {"delay": -1}},
        FOLLOWED | {"plant": {"legs": "rubber"}},
        FOLLOWED | {"cases": [{"changes": {}}]},
    ],
)
def test_what_does_not_fit_cannot_be_read(validator, change):
    written = {k: v for k, v in data(**change).items() if v is not None}
    if isinstance(written.get("motion"), dict):
        written["motion"] = {k: v for k, v in written["motion"].items() if v is not None}
    assert not validator.is_valid(written)
    with pytest.raises(gough.GoughError):
        Study.from_dict(written)


def kinds(tables):
    return set(tables["discriminator"]["mapping"])


def known_to_the_reader(place, **change):
    """The names that a complaint about an unknown one lists."""
    with pytest.raises(gough.InputError) as caught:
        Study.from_dict(data(**change))
    assert caught.value.key == place
    return set(re.findall(r'"([\w-]+)"', caught.value.expected))


def test_every_kind_of_motion_task_and_profile_is_known():
    described, line = schema("study"), LINE | {"profile": "?"}
    motions = known_to_the_reader("motion.kind", motion={"kind": "?"})
    tasks = known_to_the_reader("tasks[0].kind", tasks=[{"kind": "?"}])
    profiles = known_to_the_reader("motion.profile.kind", motion=line)
    assert kinds(described["properties"]["motion"]) == motions
    assert kinds(described["properties"]["tasks"]["items"]) == tasks
    assert set(described["$defs"]["ProfileTable"]["properties"]["kind"]["enum"]) == profiles
    assert all(map(len, (motions, tasks, profiles)))


def test_every_table_of_a_simulation_is_known():
    tables = {"controller", "plant", "simulation", "start", "cases"}
    assert tables <= set(schema("study")["properties"])


def test_every_key_of_a_study_is_described():
    described = schema("study")
    tables = [described, *(described["$defs"][n] for n in ("Balance", "Outputs"))]
    for table in tables:
        assert all("description" in value for value in table["properties"].values())
