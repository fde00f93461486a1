from .base import BaseParameters as BaseParameters, base_parameters as base_parameters
from .identified import (
    Identified as Identified,
    Parameter as Parameter,
    Validation as Validation,
)
from .identify import identify as identify
from .recording import Recording as Recording
