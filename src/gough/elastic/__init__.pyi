from .chatter import (
    Cut as Cut,
    StabilityLobes as StabilityLobes,
    chatter_map as chatter_map,
    stability_lobes as stability_lobes,
)
from .flexible.beam import BeamStiffness as BeamStiffness
from .flexible.machine import Deflected as Deflected
from .flexible.machine import FlexibleMachine as FlexibleMachine
from .natural_modes import (
    NaturalModes as NaturalModes,
    frequency_map as frequency_map,
    natural_frequencies as natural_frequencies,
    natural_modes as natural_modes,
)
from .pictures import plot_response as plot_response
from .response import (
    FrequencyResponse as FrequencyResponse,
    frequency_response as frequency_response,
)
from .state_space import (
    damped as damped,
    elastic_state_space as elastic_state_space,
    root_locus as root_locus,
)
from .stiffness import (
    Stiffness as Stiffness,
    stiffness as stiffness,
    stiffness_map as stiffness_map,
)
