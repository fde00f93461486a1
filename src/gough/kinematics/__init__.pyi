from .actuator_positions import (
    ActuatorPositions as ActuatorPositions,
    actuator_positions as actuator_positions,
)
from .assembly.modes import AssemblyModes as AssemblyModes, assembly_modes as assembly_modes
from .assembly.real_solutions import SelfMotion as SelfMotion
from .branches import Branches as Branches, branches as branches
from .capacity import WrenchCapacity as WrenchCapacity, wrench_capacity as wrench_capacity
from .description import (
    RobotDescription as RobotDescription,
    home_facts as home_facts,
    structure_rows as structure_rows,
)
from .forward.forward import (
    ForwardKinematics as ForwardKinematics,
    forward_kinematics as forward_kinematics,
)
from .forward.status import Status as Status
from .freedoms.nearest_pose import (
    ConstraintViolation as ConstraintViolation,
    acceleration_violation as acceleration_violation,
    pose_violation as pose_violation,
    twist_violation as twist_violation,
)
from .freedoms.nearest_pose import PossiblePose as PossiblePose, possible_pose as possible_pose
from .khalil_kleinfinger import LegParameters as LegParameters, leg_parameters as leg_parameters
from .model import Model as Model
from .proof.certificate import (
    CheckedProof as CheckedProof,
    check_proof as check_proof,
    read_proof as read_proof,
)
from .proof.enclosures import over as over
from .proof.answer import CounterExample as CounterExample
from .proof.prove import (
    MaximumBox as MaximumBox,
    Proof as Proof,
    carried_on as carried_on,
    maximum_box as maximum_box,
    prove as prove,
)
from .quantities import quantity as quantity
from .samples import random_poses as random_poses
from .singularity.crossings import Crossings as Crossings, crossings as crossings
from .singularity.singularity import Singularity as Singularity
from .state_space import state_space as state_space
from .workspace.workspace import (
    WorkspaceOverview as WorkspaceOverview,
    workspace_overview as workspace_overview,
)
from .workspace.plots import plot_slices as plot_slices, plot_workspace as plot_workspace
from .workspace.reach import (
    ALL_LIMITS as ALL_LIMITS,
    Limits as Limits,
    margins as margins,
    reachable as reachable,
)
from .workspace.slices import (
    Map as Map,
    Slice as Slice,
    slice_at as slice_at,
    workspace_slice as workspace_slice,
)
from .workspace.box import (
    LegRange as LegRange,
    WorkspaceBox as WorkspaceBox,
    WorstLimit as WorstLimit,
    workspace_box as workspace_box,
)
from .workspace.travels import Travel as Travel, Travels as Travels, travel as travel
from .workspace.workspace import (
    Workspace as Workspace,
    constant_orientation_workspace as constant_orientation_workspace,
    orientation_workspace as orientation_workspace,
)
