from .modes import AssemblyModes as AssemblyModes, assembly_modes as assembly_modes
from .self_motion import SelfMotion as SelfMotion
