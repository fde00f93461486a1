from .modes import AssemblyModes as AssemblyModes, assembly_modes as assembly_modes
from .real_solutions import SelfMotion as SelfMotion
