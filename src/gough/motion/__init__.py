"""Motions, and tasks along them: what a platform does, and what the world does to it."""

from gough.motion.motions import expressions, screws, sequences, splines
from gough.motion.motions.expressions import ExpressionMotion
from gough.motion.motions.sampling import Missed, missed_between, missed_load
from gough.motion.motions.screws import Screw
from gough.motion.motions.sequences import Sequence, Stretched
from gough.motion.motions.shortest import Fastest, fastest
from gough.motion.motions.splines import SplineMotion
from gough.motion.problems import MotionError, MotionWarning
from gough.motion.profiles.profiles import Cosine, Cycloidal, Profile, ProfileSamples, Quintic, Sine
from gough.motion.profiles.ramps import (
    Ramped,
    s_curve,
    s_curve_within,
    trapezoidal,
    trapezoidal_within,
)
from gough.motion.reading import motion_from_dict, tasks_from_list
from gough.motion.samples import Motion, MotionSamples, announced
from gough.motion.tasks.carrying import carried_over, carrying
from gough.motion.tasks.loads import Constant, Place, Sinusoidal, Tabulated, point_force
from gough.motion.tasks.payload import Payload
from gough.motion.tasks.task import During, Task, total_wrench
from gough.motion.tasks.tools import Contact, Machining, Polishing

expression = announced(expressions.expression)
hold = announced(screws.hold)
line = announced(screws.line)
recorded = announced(splines.recorded)
rotation = announced(screws.rotation)
screw = announced(screws.screw)
sequence = announced(sequences.sequence)
stretched = announced(sequences.stretched)
travelling = announced(screws.travelling)
waypoints = announced(splines.waypoints)

__all__ = [
    "Constant",
    "Contact",
    "Cosine",
    "Cycloidal",
    "During",
    "ExpressionMotion",
    "Fastest",
    "Machining",
    "Missed",
    "Motion",
    "MotionError",
    "MotionSamples",
    "MotionWarning",
    "Payload",
    "Place",
    "Polishing",
    "Profile",
    "ProfileSamples",
    "Quintic",
    "Ramped",
    "Screw",
    "Sequence",
    "Sine",
    "Sinusoidal",
    "SplineMotion",
    "Stretched",
    "Tabulated",
    "Task",
    "carried_over",
    "carrying",
    "expression",
    "fastest",
    "hold",
    "line",
    "missed_between",
    "missed_load",
    "motion_from_dict",
    "point_force",
    "recorded",
    "rotation",
    "s_curve",
    "s_curve_within",
    "screw",
    "sequence",
    "stretched",
    "tasks_from_list",
    "total_wrench",
    "trapezoidal",
    "trapezoidal_within",
    "travelling",
    "waypoints",
]
