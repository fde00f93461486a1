"""All poses of a platform at given leg lengths, by following paths of complex solutions."""

from gough.kinematics.assembly.modes import AssemblyModes, assembly_modes
from gough.kinematics.assembly.self_motion import SelfMotion

__all__ = ["AssemblyModes", "SelfMotion", "assembly_modes"]
