from .pictures import tolerance_map as tolerance_map
from .stated import StatedTolerances as StatedTolerances
from .tolerances import Tolerances as Tolerances, tolerances as tolerances
