from .brief import Brief as Brief, brief as brief, spelled_out as spelled_out
from .card import card as card, number as number, span as span
from .result import (
    Displayable as Displayable,
    Several as Several,
    data_of as data_of,
    plain_value as plain_value,
)
from .sketch import SketchLine as SketchLine, sketch as sketch, sketches as sketches
from .table import (
    Cell as Cell,
    Head as Head,
    TableRow as TableRow,
    Rows as Rows,
    Table as Table,
    shown_unit as shown_unit,
    vector as vector,
)
