"""The kind of quantity of each of a robot's numbers, by the name it has among the parameters."""

from __future__ import annotations

from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from gough.fields import units
from gough.fields.paths import parts
from gough.fields.units import Dimension


def dimension_of(robot: BaseModel, name: str) -> Dimension:
    """That of a number, such as `legs[2].base.x`: a length. Of a robot, or a table of its file."""
    if name.startswith("home."):
        return units.NUMBER if name.rpartition(".")[2].startswith("q") else units.LENGTH
    record: Any = robot
    for part in parts(name):
        if isinstance(part, int):
            record = record[part]
            continue
        if (found := _stated(type(record).model_fields[part])) is not None:
            return found
        record = getattr(record, part)
    raise AssertionError(name)  # what leads to no quantity is not among the parameters


def _stated(field: FieldInfo) -> Dimension | None:
    """What a field's type says; None of a table, or a list of them."""
    options = (option for option in get_args(field.annotation) if hasattr(option, "__metadata__"))
    types = [*field.metadata, *(kind for option in options for kind in option.__metadata__)]
    return next((kind.dimension for kind in types if hasattr(kind, "dimension")), None)
