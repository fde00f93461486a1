"""Every room has a front door: names that are there, documented, and all that the pages use."""

import ast
import importlib
import re
from pathlib import Path

import pytest

import gough

SOURCE = Path(gough.__file__).parent
ROOT = SOURCE.parents[1]
ROOMS = sorted(p.name for p in SOURCE.iterdir() if (p / "__init__.py").is_file())
WITHOUT_A_DOOR = {"equations", "cli"}
"""Each derivation and law is a room of its own; nobody imports the commands."""
DOORS = sorted(SOURCE.rglob("__init__.pyi"))
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "docs").glob("*.py")),
    *sorted((ROOT / "examples").glob("*.py")),
]


def room_of(door):
    return ".".join(("gough", *door.parent.relative_to(SOURCE).parts))


def offered(door):
    imports = ast.parse(door.read_text("utf-8")).body
    return [name.asname for line in imports for name in line.names]


def test_every_room_has_a_front_door():
    assert {room for room in ROOMS if not (SOURCE / room / "__init__.pyi").exists()} == (
        WITHOUT_A_DOOR
    )


@pytest.mark.parametrize("door", DOORS, ids=room_of)
def test_what_a_door_offers_is_there_and_nothing_else(door):
    room = importlib.import_module(room_of(door))
    names = offered(door)
    assert sorted(room.__all__) == sorted(names)
    assert len(set(names)) == len(names)
    assert all(getattr(room, name) is not None for name in names)


@pytest.mark.parametrize("door", DOORS, ids=room_of)
def test_functions_and_classes_behind_a_door_are_described(door):
    room = importlib.import_module(room_of(door))
    values = [getattr(room, name) for name in offered(door)]
    assert all(value.__doc__ for value in values if callable(value))


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_pages_and_examples_go_through_front_doors(page):
    deep = re.findall(r"(?:from|import) (gough(?:\.\w+){2,})", page.read_text("utf-8"))
    assert deep == []


def test_a_function_is_found_whose_module_has_its_name():
    module = importlib.import_module("gough.simulation.simulate")
    assert importlib.import_module("gough.simulation").simulate is module.simulate
