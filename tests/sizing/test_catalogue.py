"""Catalogues: the one that comes with Gough, the schema, and every refusal."""

import copy
import json
import tomllib

import jsonschema
import pytest
from make_schemas import schema_file, schema_text

import gough
from gough.sizing import Catalogue
from gough.sizing.records import GENERIC

SMALL = {
    "schema": "gough-catalogue/1",
    "name": "small",
    "actuators": [
        {
            "name": "one",
            "stroke": "300 mm",
            "retracted_length": 0.6,
            "peak_force": "3 kN",
            "max_speed": 0.5,
        }
    ],
}
MOTOR = {"resistance": 1, "torque_constant": 0.5, "back_emf": 0.5}
BODY = {"mass": 8, "center_of_mass": 0.2, "inertia": [0.3, 0.3, 0.01]}


def with_keys(**keys):
    data = copy.deepcopy(SMALL)
    data["actuators"][0] |= keys
    return data


def test_goughs_own_catalogue_has_cylinders_of_several_sizes_that_say_all():
    catalogue = gough.load_catalogue()
    assert len({actuator.peak_force for actuator in catalogue.actuators}) >= 4
    for actuator in catalogue.actuators:
        assert actuator.drive is not None
        assert actuator.housing is not None
        assert actuator.screw.dynamic_load_rating is not None
        assert actuator.motor.bearable_current is not None


def test_the_schema_file_is_current_and_the_library_fits_it():
    assert schema_file("catalogue").read_text("utf-8") == schema_text("catalogue")
    described = json.loads(schema_text("catalogue"))
    jsonschema.Draft202012Validator.check_schema(described)
    validator = jsonschema.Draft202012Validator(described)
    validator.validate(tomllib.loads(GENERIC.read_text("utf-8")))
    validator.validate(SMALL)
    assert not validator.is_valid(with_keys(stroke=-1))


def test_units_are_read_and_what_is_left_out_is_none():
    (actuator,) = gough.load_catalogue(SMALL).actuators
    assert (actuator.stroke, actuator.peak_force) == (0.3, 3000.0)
    assert actuator.drive is None
    assert actuator.corners == ((0.0, 3000.0), (0.5, 3000.0))


def test_the_envelope_bends_where_it_says():
    points = [{"speed": 0.2, "force": "3 kN"}, {"speed": 0.4, "force": "1 kN"}]
    (actuator,) = gough.load_catalogue(with_keys(envelope=points)).actuators
    assert actuator.corners == ((0.0, 3000.0), (0.2, 3000.0), (0.4, 1000.0), (0.5, 1000.0))


def test_motor_and_screw_are_a_drive_of_a_leg():
    screw = {"lead": "10 mm", "diameter": "16 mm", "friction": 0.1}
    motor = {**MOTOR, "gear_ratio": 2, "continuous_torque": 1.5}
    (actuator,) = gough.load_catalogue(with_keys(screw=screw, motor=motor)).actuators
    assert (actuator.drive.screw_lead, actuator.drive.gear_ratio) == (0.01, 2)
    assert actuator.drive.screw_friction == 0.1
    assert actuator.motor.bearable_current == 3.0


@pytest.mark.parametrize(
    ("data", "key", "value"),
    [
        (with_keys(peak_force="3 m"), "actuators[0].peak_force", "3 m"),
        (with_keys(strok=1), "actuators[0].strok", None),
        (with_keys(mass=12, housing=BODY, rod=BODY), "actuators[0].mass", 12.0),
        (with_keys(rod=BODY), "actuators[0].housing", None),
        (
            with_keys(motor={**MOTOR, "continuous_torque": 1, "continuous_current": 2}),
            "actuators[0].motor.continuous_torque",
            1.0,
        ),
        (
            with_keys(envelope=[{"speed": 0.9, "force": 100}]),
            "actuators[0].envelope[0].speed",
            0.9,
        ),
        (
            with_keys(envelope=[{"speed": 0.2, "force": "9 kN"}]),
            "actuators[0].envelope[0].force",
            9000.0,
        ),
        (
            with_keys(envelope=[{"speed": 0.2, "force": 90}, {"speed": 0.1, "force": 80}]),
            "actuators[0].envelope[1].speed",
            0.1,
        ),
        ({**SMALL, "actuators": SMALL["actuators"] * 2}, "actuators[1].name", "one"),
        ({**SMALL, "schema": "gough-catalogue/2"}, "schema", "gough-catalogue/2"),
        ({**SMALL, "actuators": []}, "actuators", []),
    ],
)
def test_what_is_wrong_is_named(data, key, value):
    with pytest.raises(gough.InputError) as wrong:
        gough.load_catalogue(data)
    assert (wrong.value.key, wrong.value.value) == (key, value)


def test_a_file_that_is_none_is_refused_by_name(tmp_path):
    with pytest.raises(gough.GoughError, match=r"none.toml: no such file; expected a catalogue"):
        gough.load_catalogue(tmp_path / "none.toml")
    with pytest.raises(gough.GoughError, match="not a catalogue, got 7; expected the path"):
        gough.load_catalogue(7)


def test_a_catalogue_stays_itself():
    catalogue = gough.load_catalogue(SMALL)
    assert isinstance(catalogue, Catalogue)
    assert gough.load_catalogue(catalogue) is catalogue
