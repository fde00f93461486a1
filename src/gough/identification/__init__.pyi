from .base import BaseParameters as BaseParameters, base_parameters as base_parameters
from .excitation import Excitation as Excitation, excitation as excitation
from .identified import (
    Identified as Identified,
    IdentifiedPayload as IdentifiedPayload,
    Parameter as Parameter,
    Validation as Validation,
)
from .identify import identify as identify, identify_payload as identify_payload
from .recording import Recording as Recording
from .calibration.calibrate import calibrate as calibrate
from .calibration.found import Calibration as Calibration, Misfit as Misfit
from .calibration.measurements import (
    MeasuredDistances as MeasuredDistances,
    MeasuredOrientations as MeasuredOrientations,
    MeasuredPoints as MeasuredPoints,
    MeasuredPoses as MeasuredPoses,
    MeasuredPositions as MeasuredPositions,
    Measurements as Measurements,
    load_measurements as load_measurements,
    save_pose_table as save_pose_table,
)
from .calibration.unknowns import Observability as Observability
from .calibration.calibrate import calibration_poses as calibration_poses
