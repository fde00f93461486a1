"""The JSON Schema of study files, for editors. `python -m gough.studies.schema` writes it anew.

It is made from the tables that read the files, those of simulations included. Where a table leaves
a key to code that knows more (the parts of a sequence, the profile of a line), it says here what
may stand there.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema, create_model

from gough.fields.quantities import Quantity, Vector
from gough.fields.units import ANGLE, LENGTH, Dimension
from gough.motion import written
from gough.robot.schema import as_text, schema_of
from gough.robot.written import WrittenRobot
from gough.simulation.controllers import CONTROLLERS
from gough.studies.reading import WrittenStudy
from gough.studies.simulation_tables import (
    WrittenCase,
    WrittenController,
    WrittenPlant,
    WrittenSimulation,
)
from gough.studies.variations import WrittenVariation

SCHEMA_FILE = Path(str(files("gough.studies"))) / "gough-study-1.schema.json"

ProfileName = Literal["cosine", "cycloidal", "quintic", "sine", "trapezoidal", "s-curve"]


def _way(dimension: Dimension) -> WithJsonSchema:
    """How far, or from where to where."""
    one = Quantity(dimension)
    return WithJsonSchema({"anyOf": [one.json_schema(), Vector(2, one).json_schema()]})


LengthWay = Annotated[Any, _way(LENGTH)]
AngleWay = Annotated[Any, _way(ANGLE)]
Text = Annotated[Any, WithJsonSchema({"type": ["string", "number"]})]
Paths = Annotated[
    Any,
    WithJsonSchema(
        {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
    ),
]


class Profile(written.WrittenProfile):
    """How a way is gone in time: a shape, or limits of its speed, acceleration and jerk."""

    kind: ProfileName


class Line(written.LineTable):
    """A straight line: a displacement, or a direction and how far."""

    travel: LengthWay = None
    profile: ProfileName | Profile = "quintic"


class Rotation(written.RotationTable):
    """A turn about an axis through a point."""

    angle: AngleWay
    profile: ProfileName | Profile = "quintic"


class Screw(written.ScrewTable):
    """A turn about an axis with a travel along it."""

    angle: AngleWay
    profile: ProfileName | Profile = "quintic"


class Waypoints(written.WaypointsTable):
    """A way through poses."""

    waypoints: list[written.WaypointTable] = Field(min_length=1)


class Expression(written.ExpressionTable):
    """Coordinates as expressions of time t [s]: m and rad, or texts such as "0.1*sin(2*t)"."""

    x: Text = None
    y: Text = None
    z: Text = None
    roll: Text = None
    pitch: Text = None
    yaw: Text = None
    angles: list[Text] | None = None
    constants: dict[str, Text] | None = None


class Sequence(written.SequenceTable):
    """Motions one after the other."""

    parts: list[Motion] = Field(min_length=1)


Motion = Annotated[
    written.HoldTable
    | Line
    | Rotation
    | Screw
    | Waypoints
    | Expression
    | written.RecordedTable
    | Sequence,
    Field(discriminator="kind"),
]
Task = Annotated[
    written.ConstantTable
    | written.PointForceTable
    | written.SinusoidalTable
    | written.TabulatedTable
    | written.PayloadTable
    | written.PolishingTable
    | written.MachiningTable,
    Field(discriminator="kind"),
]
Sequence.model_rebuild()


class Variation(WrittenVariation):
    """An axis of the grid: values, factors or a range, for a path or several paths."""

    parameter: Paths


class Controller(WrittenController):
    """What follows the motion: gains by name, or poles from which they follow."""

    kind: Annotated[str, WithJsonSchema({"enum": list(CONTROLLERS)})]


def _field(name: str, kind: Any, **more: Any) -> Any:
    """A key of a study file whose table is known here, with the words that it has there."""
    return kind, Field(description=WrittenStudy.model_fields[name].description, **more)


def _simulated(kind: Any, words: str) -> Any:
    """A key that only simulations have."""
    return kind | None, Field(None, description=f"For 'gough simulate': {words}.")


StudyFile = create_model(
    "StudyFile",
    __base__=WrittenStudy,
    __doc__="A robot, its motion and its tasks. A bare number is in SI units (radians for angles); "
    'text may carry a unit, such as "80 mm", "7.5 lb" or "30 deg".',
    robot=_field("robot", str | WrittenRobot),
    motion=_field("motion", Motion),
    tasks=_field("tasks", list[Task], default_factory=list),
    variations=_field("variations", list[Variation], default_factory=list),
    controller=_simulated(Controller, "what follows the motion"),
    plant=_simulated(WrittenPlant, "what of the machine is simulated beside rigid bodies"),
    simulation=_simulated(WrittenSimulation, "sampling, sensors and integrator"),
    cases=_simulated(list[WrittenCase], "the study with other values, to be compared"),
)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of what a user may write in a study file."""
    return schema_of(StudyFile, "Gough study file, version 1")


def schema_text() -> str:
    """Return the JSON Schema as it stands in the file."""
    return as_text(schema())


if __name__ == "__main__":
    SCHEMA_FILE.write_text(schema_text(), encoding="utf-8")
