from .base import BaseParameters as BaseParameters, base_parameters as base_parameters
from .excitation import (
    Excitation as Excitation,
    excitation as excitation,
    excitations as excitations,
    random_excitation as random_excitation,
)
from .identified import (
    Identified as Identified,
    Parameter as Parameter,
    Validation as Validation,
)
from .identify import identify as identify
from .payload import (
    IdentifiedPayload as IdentifiedPayload,
    identify_payload as identify_payload,
)
from .recording import Recording as Recording
