from .catalogue import definitions as definitions
from .definition import Definition as Definition
from .explicit_form import ExplicitForm as ExplicitForm, explicit_form as explicit_form
from .kernels import Kernels as Kernels
from .machines import Machines as Machines
from .parameters import machine_of as machine_of
from .standard import standard_parameters as standard_parameters
from .structure import (
    LegStructure as LegStructure,
    Structure as Structure,
    structure_of as structure_of,
)
from .variables import Variables as Variables, variables as variables
