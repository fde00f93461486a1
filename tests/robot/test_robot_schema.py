"""The JSON Schema of robot files: current, and in agreement with the loader."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import jsonschema
import pytest
from robot_samples import REMOVED, edited, good_data

import gough.robot.files
from gough.robot import Robot, library_names, load
from gough.robot.schema import SCHEMA_FILE, schema, schema_text

LIBRARY = Path(gough.robot.files.__file__).parent / "library"


@pytest.fixture(scope="module")
def validator():
    described = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(described)
    return jsonschema.Draft202012Validator(described)


def test_the_schema_file_is_current():
    assert SCHEMA_FILE.read_text(encoding="utf-8") == schema_text()


@pytest.mark.parametrize("name", library_names())
def test_library_files_fit_the_schema(validator, name):
    text = (LIBRARY / f"{name}.toml").read_text(encoding="utf-8")
    assert text.startswith("#:schema ../gough-1.schema.json\n")
    validator.validate(tomllib.loads(text))


@pytest.mark.parametrize("name", library_names())
def test_saved_robots_fit_the_schema(validator, name):
    validator.validate(load(name).to_dict())


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


def test_every_key_is_described():
    described = schema()
    tables = [described, *described["$defs"].values()]
    for table in tables:
        for key, value in table["properties"].items():
            assert "description" in value or "$ref" in value or key == "layout", key


def test_the_sample_fits(validator):
    validator.validate(good_data())
