from .announced import (
    expression as expression,
    hold as hold,
    line as line,
    recorded as recorded,
    rotation as rotation,
    screw as screw,
    sequence as sequence,
    stretched as stretched,
    travelling as travelling,
    waypoints as waypoints,
)
from .motions.expressions import ExpressionMotion as ExpressionMotion
from .motions.sampling import (
    Missed as Missed,
    missed_between as missed_between,
    missed_load as missed_load,
)
from .motions.screws import Screw as Screw
from .motions.sequences import Sequence as Sequence, Stretched as Stretched
from .motions.shortest import Fastest as Fastest, fastest as fastest
from .motions.splines import SplineMotion as SplineMotion
from .problems import MotionError as MotionError, MotionWarning as MotionWarning
from .profiles.profiles import (
    Cosine as Cosine,
    Cycloidal as Cycloidal,
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
from .reading import motion_from_dict as motion_from_dict
from .samples import Motion as Motion, MotionSamples as MotionSamples
from .tasks.tasks import (
    Constant as Constant,
    Contact as Contact,
    During as During,
    Machining as Machining,
    Payload as Payload,
    Place as Place,
    Polishing as Polishing,
    Sinusoidal as Sinusoidal,
    Tabulated as Tabulated,
    Task as Task,
    carried_over as carried_over,
    carrying as carrying,
    point_force as point_force,
    tasks_from_list as tasks_from_list,
    total_wrench as total_wrench,
)
