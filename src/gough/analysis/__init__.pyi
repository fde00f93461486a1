from .balance import balanced as balanced, balancing_distances as balancing_distances
from .crossing_motion import CrossingMotion as CrossingMotion, crossing_motion as crossing_motion
from .motion_certificate import check_motion_proof as check_motion_proof
from .planned_motion import PlannedMotion as PlannedMotion, plan_motion as plan_motion
from .proved_motion import MotionProof as MotionProof, prove_motion as prove_motion
from .figures import actuator_words as actuator_words
from .quantities import QUANTITIES as QUANTITIES
from .results import (
    Quantity as Quantity,
    Results as Results,
    Scalar as Scalar,
    SingularPoint as SingularPoint,
)
