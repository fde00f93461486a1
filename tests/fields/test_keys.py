"""The keys of files: each has a meaning, and says its unit as it is read."""

import re
from functools import cache

import pytest
from file_keys import key_tables
from make_schemas import schema

SCHEMAS = {
    "gough/1": "robot",
    "gough/2": "robot-2",
    "gough-study/1": "study",
}


@cache
def tables_of(version):
    return key_tables(schema(SCHEMAS[version]))


@pytest.fixture(params=SCHEMAS)
def found(request):
    return tables_of(request.param)


def test_every_key_and_table_has_a_meaning_in_a_sentence(found):
    for table in found:
        for text in (table.meaning, *(key.meaning for key in table.keys)):
            assert re.match(r"[A-Zxyz]", text), (table.places, text)
            assert text.rstrip()[-1] in ".", (table.places, text)


def test_every_meaning_says_the_unit_of_its_key(found):
    for table in found:
        for key in table.keys:
            if key.unit:
                assert f"[{key.unit}]" in key.meaning, (table.places, key)


def test_tables_are_named_where_they_may_stand():
    found = tables_of("gough/1")
    places = {(table.places, table.chosen_by) for table in found}
    assert (("[leg]", "[[legs]]"), "") in places
    assert (("[leg.cylinder]", "[leg.piston]"), "") in places
    assert (("[symmetric]",), 'layout = "triangles"') in places


def test_a_key_says_what_it_takes():
    (circles,) = (t for t in tables_of("gough/1") if t.chosen_by == 'layout = "circles"')
    keys = {key.name: key for key in circles.keys}
    turn, angle = keys["platform_turn"], keys["base_angle"]
    assert (turn.type, turn.unit, turn.needed, turn.default) == ("number", "rad", False, "0")
    assert (angle.type, angle.needed, angle.default) == ("number, 0 to 2.0944", True, "")


def test_what_one_of_two_tables_must_say_is_needed():
    leg = next(t for t in tables_of("gough/1") if t.places[:1] == ("[leg.drive]",))
    needed = {key.name for key in leg.keys if key.needed}
    assert needed == {"resistance", "torque_constant", "back_emf", "screw_lead"}
    assert {key.name: key.default for key in leg.keys}["gear_ratio"] == "1"
