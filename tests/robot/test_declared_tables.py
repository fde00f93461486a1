"""Tables declared once: unions by kind, tables in part, and what is kept as it is written."""

from typing import Annotated, Any, Literal

import jsonschema
import pytest
from make_schemas import schema_of

from gough.errors import InputError
from gough.fields.quantities import Length, Mass
from gough.fields.table import ByKind, FileTable, Meaning, in_part, read


class Ball(FileTable):
    """A round thing."""

    kind: Literal["ball"]
    radius: Length


class Box(FileTable):
    """A thing with edges, and perhaps a thing in it."""

    kind: Literal["box"]
    mass: Mass = 1.0
    inside: "Thing | None" = None


Thing = Annotated[Ball | Box, ByKind()]
Box.model_rebuild()


class Store(FileTable):
    """What is read now, and what is read later."""

    now: Thing
    later: Annotated[Any, Meaning(Thing)] = None


def complaint(kind: Any, data: object) -> InputError:
    with pytest.raises(InputError) as caught:
        read(kind, data)
    return caught.value


def test_a_table_says_which_of_a_union_it_is():
    assert read(Thing, {"kind": "ball", "radius": "5 cm"}) == Ball(kind="ball", radius=0.05)
    nested = read(Thing, {"kind": "box", "inside": {"kind": "ball", "radius": 1}})
    assert isinstance(nested, Box)
    assert nested.inside == Ball(kind="ball", radius=1.0)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (3, 'not a table, got 3; expected a table with a kind: "ball" or "box"'),
        ({}, 'kind: missing; expected "ball" or "box"'),
        (
            {"kind": "bal"},
            'kind: not known (did you mean "ball"?), got \'bal\'; expected "ball" or "box"',
        ),
        ({"kind": "ball"}, "radius: missing"),
        ({"kind": "box", "inside": {"kind": "ball"}}, "inside.radius: missing"),
    ],
)
def test_a_wrong_table_of_a_union_is_named_without_its_kind(data, message):
    assert str(complaint(Thing, data)) == message


def test_in_part_no_key_is_required_and_every_key_is_still_checked():
    part = in_part(Store)
    assert read(part, {}).model_dump(exclude_none=True) == {}
    part = in_part(Ball)
    assert read(part, {"radius": "1 ft"}).radius == pytest.approx(0.3048)
    assert complaint(part, {"radius": "1 kg"}).key == "radius"
    assert "did you mean" in complaint(part, {"radios": 1}).problem


def test_what_is_read_later_is_kept_as_written_but_described():
    ball, wrong = {"kind": "ball", "radius": "5 cm"}, {"kind": "ball"}
    assert read(Store, {"now": ball, "later": wrong}).later == wrong
    described = jsonschema.Draft202012Validator(schema_of(Store, "a store"))
    assert described.is_valid({"now": ball, "later": ball})
    assert not described.is_valid({"now": ball, "later": wrong})
