from .controller import Controller as Controller
from .kinds import (
    CONTROLLERS as CONTROLLERS,
    active_damping as active_damping,
    admittance as admittance,
    computed_torque as computed_torque,
    crossing_torque as crossing_torque,
    feed_forward as feed_forward,
    implicit_force as implicit_force,
    joint_pid as joint_pid,
    open_loop as open_loop,
    pd_gravity as pd_gravity,
)
from .sensors import Sensors as Sensors
