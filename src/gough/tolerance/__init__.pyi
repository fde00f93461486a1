from .stated import StatedTolerances as StatedTolerances
from .tolerances import (
    Tolerances as Tolerances,
    tolerance_map as tolerance_map,
    tolerances as tolerances,
)
