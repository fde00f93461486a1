from .checked import MotionError as MotionError
from .motions.cycles import PickAndPlace as PickAndPlace, adept_cycle as adept_cycle
from .motions.expressions import ExpressionMotion as ExpressionMotion, expression as expression
from .motions.continuity import (
    Missed as Missed,
    missed_between as missed_between,
    missed_load as missed_load,
)
from .motions.screws import (
    Screw as Screw,
    hold as hold,
    line as line,
    rotation as rotation,
    screw as screw,
    travelling as travelling,
)
from .motions.sequences import (
    InFrames as InFrames,
    Retimed as Retimed,
    Sequence as Sequence,
    Stretched as Stretched,
    in_frames as in_frames,
    sequence as sequence,
    stretched as stretched,
    with_profile as with_profile,
)
from .motions.shortest import Fastest as Fastest, fastest as fastest
from .motions.splines import (
    SplineMotion as SplineMotion,
    recorded as recorded,
    waypoints as waypoints,
)
from .motions.washout import (
    GRAVITY as GRAVITY,
    WashedOut as WashedOut,
    Washout as Washout,
    washed_out as washed_out,
)
from .motions.waves import (
    FourierMotion as FourierMotion,
    SinusoidMotion as SinusoidMotion,
    Wave as Wave,
    fourier as fourier,
    sinusoid as sinusoid,
)
from .profiles import (
    Cosine as Cosine,
    Cycloidal as Cycloidal,
    Paced as Paced,
    Profile as Profile,
    ProfileSamples as ProfileSamples,
    Quintic as Quintic,
    Ramped as Ramped,
    Sine as Sine,
    s_curve as s_curve,
    s_curve_within as s_curve_within,
    trapezoidal as trapezoidal,
    trapezoidal_within as trapezoidal_within,
)
from .samples import (
    Motion as Motion,
    MotionSamples as MotionSamples,
    MotionWarning as MotionWarning,
    carried_motion as carried_motion,
    check_base_duration as check_base_duration,
    quiet as quiet,
)
from .tables import motion_from_dict as motion_from_dict
from .tasks.tables import tasks_from_list as tasks_from_list
from .tasks.loads import (
    Constant as Constant,
    Contact as Contact,
    Machining as Machining,
    Place as Place,
    Polishing as Polishing,
    Sinusoidal as Sinusoidal,
    Tabulated as Tabulated,
)
from .tasks.task import Payload as Payload
from .tasks.task import (
    During as During,
    Task as Task,
    carried_over as carried_over,
    carrying as carrying,
    total_wrench as total_wrench,
)
