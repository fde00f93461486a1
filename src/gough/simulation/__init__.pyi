from .batch import BatchResults as BatchResults, simulate_batch as simulate_batch
from .closed_loop import ClosedLoop as ClosedLoop
from .compliant_inverse import (
    CompliantDemand as CompliantDemand,
    compliant_inverse as compliant_inverse,
)
from .controllers.controller import Controller as Controller
from .controllers.imu import Imu as Imu
from .controllers.kinds import (
    CONTROLLERS as CONTROLLERS,
    active_damping as active_damping,
    admittance as admittance,
    computed_torque as computed_torque,
    crossing_torque as crossing_torque,
    feed_forward as feed_forward,
    gravity_feed_forward as gravity_feed_forward,
    hybrid_force as hybrid_force,
    implicit_force as implicit_force,
    joint_pid as joint_pid,
    open_loop as open_loop,
    pd_gravity as pd_gravity,
)
from .controllers.sensors import Sensors as Sensors
from .events import (
    Event as Event,
    command_limit as command_limit,
    end_stop as end_stop,
    singularity as singularity,
)
from .gradient import Gradient as Gradient, gradient as gradient, sensitivity as sensitivity
from .integrators import Adaptive as Adaptive, Trajectory as Trajectory, integrate as integrate
from .plants.beside import BallOnPlate as BallOnPlate, BaseBody as BaseBody
from .plants.plant import Plant as Plant
from .plants.real import (
    force_commanded as force_commanded,
    real_plant as real_plant,
    rigid_plant as rigid_plant,
)
from .plants.surfaces import WorkSurface as WorkSurface
from .plants.connectors import ValveSetting as ValveSetting
from .controllers.sensors import Sampling as Sampling
from .rollout import Rollout as Rollout, rollout as rollout
from .scenario import Scenario as Scenario
from .shooting import Shooting as Shooting, identify_by_shooting as identify_by_shooting
from .simulate import simulate as simulate
from .paths import Stepper as Stepper
from .tuning.margins import quality as quality, step_response as step_response
from .tuning.tune import (
    TUNABLE as TUNABLE,
    OptimisedGains as OptimisedGains,
    Tuned as Tuned,
    optimise_gains as optimise_gains,
    place_poles as place_poles,
    tune as tune,
)
