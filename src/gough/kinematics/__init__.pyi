from .assembly.modes import AssemblyModes as AssemblyModes, assembly_modes as assembly_modes
from .assembly.self_motion import SelfMotion as SelfMotion
from .capacity import WrenchCapacity as WrenchCapacity, wrench_capacity as wrench_capacity
from .elastic.active import damped as damped, root_locus as root_locus
from .elastic.modes import frequencies as frequencies
from .elastic.modes import Modes as Modes, modes as modes
from .elastic.response import (
    FrequencyResponse as FrequencyResponse,
    frequency_response as frequency_response,
)
from .elastic.drawing import save_response as save_response
from .elastic.state_space import elastic_state_space as elastic_state_space
from .elastic.drawing import save_ellipsoids as save_ellipsoids
from .elastic.maps import frequency_map as frequency_map, stiffness_map as stiffness_map
from .elastic.stiffness import Stiffness as Stiffness
from .flexible.deflection import Deflected as Deflected
from .flexible.machine import FlexibleMachine as FlexibleMachine
from .forward.forward import (
    ForwardKinematics as ForwardKinematics,
    forward_kinematics as forward_kinematics,
)
from .forward.status import Status as Status
from .freedoms.off import (
    OffFreedoms as OffFreedoms,
    accelerations_off_freedoms as accelerations_off_freedoms,
    off_freedoms as off_freedoms,
    twists_off_freedoms as twists_off_freedoms,
)
from .freedoms.possible import PossiblePose as PossiblePose, possible_pose as possible_pose
from .maps import Map as Map, save_map as save_map
from .model import Model as Model
from .quantities import quantity as quantity
from .samples import random_poses as random_poses
from .singularity.crossings import Crossings as Crossings, crossings as crossings
from .singularity.singularity import (
    HexapodSingularity as HexapodSingularity,
    MechanismSingularity as MechanismSingularity,
    Singularity as Singularity,
)
from .state_space import state_space as state_space
from .tolerances.drawing import save_tolerances as save_tolerances
from .tolerances.maps import tolerance_map as tolerance_map
from .tolerances.spread import Spread as Spread
from .tolerances.tolerances import Tolerances as Tolerances
from .working_modes import WorkingModes as WorkingModes, working_modes as working_modes
from .workspace.plots import (
    save_slice as save_slice,
    save_slices as save_slices,
    save_workspace as save_workspace,
)
from .workspace.reach import (
    ALL_LIMITS as ALL_LIMITS,
    Limits as Limits,
    margins as margins,
    reachable as reachable,
)
from .workspace.slices import Slice as Slice, workspace_slice as workspace_slice
from .workspace.together import (
    LegRange as LegRange,
    Together as Together,
    WorstLimit as WorstLimit,
    reach_together as reach_together,
)
from .workspace.travels import Travel as Travel, travel as travel
from .workspace.workspace import (
    Workspace as Workspace,
    constant_orientation_workspace as constant_orientation_workspace,
    orientation_workspace as orientation_workspace,
)
