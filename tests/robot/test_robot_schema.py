"""The JSON Schema of robot files: current, and in agreement with the loader."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import jsonschema
import pytest
from leg_files import a_delta
from make_schemas import schema, schema_file, schema_text
from robot_samples import REMOVED, edited, good_data

import gough.robot.files
from gough.robot import Robot, library_names, load

KINDS = {"gough/1": "robot", "gough/2": "robot-2"}
LIBRARY = Path(gough.robot.files.__file__).parent / "library"


def validator_of(kind):
    described = json.loads(schema_file(kind).read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(described)
    return jsonschema.Draft202012Validator(described)


@pytest.fixture(scope="module")
def validators():
    return {name: validator_of(kind) for name, kind in KINDS.items()}


@pytest.fixture(scope="module")
def validator(validators):
    return validators["gough/1"]


@pytest.mark.parametrize("kind", KINDS.values())
def test_the_schema_file_is_current(kind):
    assert schema_file(kind).read_text(encoding="utf-8") == schema_text(kind)


@pytest.mark.parametrize("name", library_names())
def test_library_files_fit_the_schema(validators, name):
    text = (LIBRARY / f"{name}.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    assert text.startswith(f"#:schema ../{data['schema'].replace('/', '-')}.schema.json\n")
    validators[data["schema"]].validate(data)


@pytest.mark.parametrize("name", library_names())
def test_saved_robots_fit_the_schema(validators, name):
    data = load(name).to_dict()
    validators[data["schema"]].validate(data)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("platform.mass", "3 lb"),
        ("platform.inertia", [["1 kg m^2", 0, 0], [0, 1, 0], [0, 0, 1]]),
        ("platform.home", {"position": [0, 0, "1 m"], "rpy": ["1 deg", 0, 0]}),
        ("legs.2.cylinder", {"mass": 2}),
        ("leg.base_joint_limit", "40°"),
    ],
)
def test_what_loads_fits_the_schema(validator, path, value):
    data = edited(path, value)
    Robot.from_dict(data)
    validator.validate(data)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("schema", "gough/2"),
        ("name", REMOVED),
        ("platform.mas", 1),
        ("platform.mass", -1),
        ("platform.mass", "heavy"),
        ("platform.mass", True),
        ("platform.home", [0, 0, 1]),
        ("legs.5", REMOVED),
        ("legs.0.base", [0, 0]),
        ("legs.0.first_axis", ["1 m", 0, 0]),
        ("leg.kind", "RUS"),
        ("symmetric", {"layout": "squares"}),
    ],
)
def test_what_does_not_fit_the_schema_does_not_load(validator, path, value):
    data = edited(path, value)
    assert not validator.is_valid(data)
    with pytest.raises(ValueError, match=r"."):
        Robot.from_dict(data)


@pytest.mark.parametrize("kind", KINDS.values())
def test_every_key_is_described(kind):
    described = schema(kind)
    tables = [described, *described["$defs"].values()]
    for table in tables:
        for key, value in table["properties"].items():
            assert "description" in value or "$ref" in value or key in ("layout", "type"), key


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("leg.joints", ["R*", {"type": "S", "limit": "40 deg"}, "S"]),
        ("leg.links.0.center_of_mass", ["1 mm", 0, "20 cm"]),
        ("leg.motor", {"zero": [1, 0, 0], "range": ["-60 deg", "60 deg"], "max_torque": "5 N m"}),
        ("platform.home", {"position": [0, 0, "-620 mm"], "rpy": [0, 0, "120 deg"]}),
        ("platform.moves", [[1, 0, 0, 0, 0, 0], "y", "z"]),
    ],
)
def test_machines_that_load_fit_the_schema(validators, path, value):
    data = edited(path, value, a_delta())
    Robot.from_dict(data)
    validators["gough/2"].validate(data)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("schema", "gough/1"),
        ("platform.moves", ["x", "yaw"]),
        ("leg.joints", ["R*", "Q", "S"]),
        ("leg.joints", "RSS"),
        ("leg.joints.1", {"type": "S", "axis": [0, 0, 1]}),
        ("leg.links.1.length", 0),
        ("leg.links.1.lenght", 0.7),
        ("leg.motor", {"max_torque": -1}),
        ("leg.base", [0, 0]),
        ("pattern.copies", 2.5),
        ("bodies", [{"mass": 1}]),
        ("joints", [{"name": "hip", "type": "R", "between": ["base", "platform"]}]),
    ],
)
def test_machines_that_do_not_fit_the_schema_do_not_load(validators, path, value):
    data = edited(path, value, a_delta())
    assert not validators["gough/2"].is_valid(data)
    with pytest.raises(ValueError, match=r"."):
        Robot.from_dict(data)


def test_the_sample_fits(validator):
    validator.validate(good_data())
