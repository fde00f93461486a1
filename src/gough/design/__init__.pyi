from . import demands as demands
from .aims import Objective as Objective, Requirement as Requirement
from .choices import Choice as Choice, choices as choices, each_choice as each_choice
from .demands import Demand as Demand
from .design import Design as Design, NoDesignError as NoDesignError
from .designed import (
    Designed as Designed,
    Held as Held,
    Holding as Holding,
    Yielding as Yielding,
)
from .front import Front as Front
from .problem import Judged as Judged
from .reading import demand_of_study as demand_of_study
from .variables import Variable as Variable
