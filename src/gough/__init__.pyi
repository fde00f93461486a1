from . import (
    elastic as elastic,
    exchange as exchange,
    kinematics as kinematics,
    learning as learning,
    motion as motion,
    plots as plots,
    poses as poses,
    simulation as simulation,
)
from ._version import __version__ as __version__
from .analysis.crossing_motion import (
    CrossingMotion as CrossingMotion,
    crossing_motion as crossing_motion,
)
from .analysis.planned_motion import PlannedMotion as PlannedMotion, plan_motion as plan_motion
from .analysis.proved_motion import MotionProof as MotionProof, prove_motion as prove_motion
from .analysis.results import Results as Results
from .compiler.native.kernel import Kernel as Kernel
from .design.design import Design as Design, NoDesignError as NoDesignError
from .design.design_result import DesignResult as DesignResult
from .design.search import Front as Front
from .errors import (
    CompilerError as CompilerError,
    GoughError as GoughError,
    InputError as InputError,
    KernelArgumentError as KernelArgumentError,
    RobotError as RobotError,
    SingularConfiguration as SingularConfiguration,
)
from .fields.display_units import DisplayUnits as DisplayUnits
from .exchange.importing.imported import import_robot as import_robot
from .identification.base import (
    BaseParameters as BaseParameters,
    base_parameters as base_parameters,
)
from .identification.excitation import Excitation as Excitation, excitation as excitation
from .identification.identified import (
    Identified as Identified,
    IdentifiedPayload as IdentifiedPayload,
)
from .identification.identify import identify as identify, identify_payload as identify_payload
from .identification.recording import Recording as Recording
from .identification.calibration.calibrate import calibrate as calibrate
from .identification.calibration.found import Calibration as Calibration
from .identification.calibration.calibrate import calibration_poses as calibration_poses
from .kinematics.assembly.modes import AssemblyModes as AssemblyModes
from .kinematics.assembly.real_solutions import SelfMotion as SelfMotion
from .elastic.natural_modes import (
    NaturalModes as NaturalModes,
    natural_modes as natural_modes,
)
from .elastic.state_space import elastic_state_space as elastic_state_space
from .elastic.stiffness import Stiffness as Stiffness, stiffness as stiffness
from .elastic.flexible.machine import FlexibleMachine as FlexibleMachine
from .kinematics.forward.forward import ForwardKinematics as ForwardKinematics
from .kinematics.forward.status import Status as Status
from .kinematics.model import Model as Model
from .kinematics.proof.prove import Proof as Proof, prove as prove
from .tolerance.tolerances import (
    Tolerances as Tolerances,
    tolerances as tolerances,
)
from .elastic.flexible.beam import BeamStiffness as BeamStiffness
from .model.explicit_form import ExplicitForm as ExplicitForm, explicit_form as explicit_form
from .model.standard import standard_parameters as standard_parameters
from .poses import Frames as Frames, euler as euler, pose as pose, rotation as rotation
from .robot import (
    Body as Body,
    Drive as Drive,
    Hexapod as Hexapod,
    Home as Home,
    Leg as Leg,
    Mechanism as Mechanism,
    Platform as Platform,
    Robot as Robot,
    library_names as library_names,
    load as load,
    save as save,
)
from .simulation.scenario import Scenario as Scenario
from .simulation.simulate import simulate as simulate
from .sizing.records import load_catalogue as load_catalogue
from .sizing.envelope import Envelope as Envelope, envelope as envelope
from .sizing.select import select as select
from .sizing.selection import Selection as Selection
from .studies.grid import Comparison as Comparison
from .studies.grid_results import GridResults as GridResults
from .studies.recorded import with_recording as with_recording
from .studies.run import run as run
from .studies.study import Study as Study
from .workbench.notebook import view as view
