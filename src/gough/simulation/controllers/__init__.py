"""Controllers, what they see of the machine, and their C99."""

from gough.simulation.controllers.controller import Controller
from gough.simulation.controllers.export import export_controller
from gough.simulation.controllers.kinds import (
    CONTROLLERS,
    admittance,
    computed_torque,
    feed_forward,
    implicit_force,
    joint_pid,
    open_loop,
    pd_gravity,
)
from gough.simulation.controllers.sensors import Sensors

__all__ = [
    "CONTROLLERS",
    "Controller",
    "Sensors",
    "admittance",
    "computed_torque",
    "export_controller",
    "feed_forward",
    "implicit_force",
    "joint_pid",
    "open_loop",
    "pd_gravity",
]
