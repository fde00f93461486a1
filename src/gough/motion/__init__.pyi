from .announced import (
    adept_cycle as adept_cycle,
    expression as expression,
    fourier as fourier,
    hold as hold,
    in_frames as in_frames,
    line as line,
    recorded as recorded,
    rotation as rotation,
    screw as screw,
    sequence as sequence,
    stretched as stretched,
    travelling as travelling,
    waypoints as waypoints,
)
from .motions.cycles import PickAndPlace as PickAndPlace
from .motions.expressions import ExpressionMotion as ExpressionMotion
from .motions.fourier import FourierMotion as FourierMotion
from .motions.framed import InFrames as InFrames
from .motions.sampling import (
    Missed as Missed,
    missed_between as missed_between,
    missed_load as missed_load,
)
from .motions.retimed import Retimed as Retimed, with_profile as with_profile
from .motions.screws import Screw as Screw
from .motions.sequences import Sequence as Sequence, Stretched as Stretched
from .motions.shortest import Fastest as Fastest, fastest as fastest
from .motions.splines import SplineMotion as SplineMotion
from .problems import MotionError as MotionError, MotionWarning as MotionWarning
from .profiles.profiles import (
    Cosine as Cosine,
    Cycloidal as Cycloidal,
    Polynomial as Polynomial,
    Profile as Profile,
    ProfileSamples as ProfileSamples,
    Quintic as Quintic,
    Sine as Sine,
)
from .profiles.ramps import (
    Ramped as Ramped,
    s_curve as s_curve,
    s_curve_within as s_curve_within,
    trapezoidal as trapezoidal,
    trapezoidal_within as trapezoidal_within,
)
from .reading import motion_from_dict as motion_from_dict, tasks_from_list as tasks_from_list
from .samples import Motion as Motion, MotionSamples as MotionSamples, quiet as quiet
from .tasks.task import carried_over as carried_over, carrying as carrying
from .tasks.loads import (
    Constant as Constant,
    Place as Place,
    Sinusoidal as Sinusoidal,
    Tabulated as Tabulated,
    point_force as point_force,
)
from .tasks.payload import Payload as Payload
from .tasks.task import During as During, Task as Task, total_wrench as total_wrench
from .tasks.tools import Contact as Contact, Machining as Machining, Polishing as Polishing
