from .brief import brief as brief, spelled_out as spelled_out
from .card import (
    Fact as Fact,
    card as card,
    facts as facts,
    folded as folded,
    grid as grid,
    number as number,
    shown_unit as shown_unit,
    span as span,
)
from .sketch import Line as Line, sketch as sketch, sketches as sketches
