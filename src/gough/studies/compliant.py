"""Studies of hexapods on compliant legs [Baiges 1996, 6.4.3]: the actuators move on their own."""

import numpy as np

from gough.analysis import Scalar, SingularPoint, limits, quantities, reductions, summary
from gough.analysis.evaluation import OF_MOTORS, Arrays, demands_function
from gough.arrays import Array
from gough.compiler import kernel_of
from gough.errors import GoughError
from gough.model.machines import Machines
from gough.motion import Motion
from gough.robot import Robot
from gough.simulation.compliant_inverse import compliant_inverse
from gough.studies.study import Study

_AS_FOUND = (  # quantities of connectors that have the same name in a `CompliantDemand`
    *("actuator_length", "leg_force", "connector_deflection", "coupling_deflection"),
    *("coupling_deflection_rate", "decoupling_position", "decoupling_speed"),
)


def on_springs(
    study: Study, robot: Robot, motion: Motion, met: tuple[SingularPoint, ...]
) -> tuple[Arrays, Arrays]:
    """Return quantities (T, ...) of a study whose robot has its balancing masses, not its loads.

    First those in place of those of rigid legs, then those that rigid legs do not have.
    """
    if met:
        raise GoughError(
            f"{study.name}: the motion meets a singular configuration at {met[0].time:.6g} s, "
            "where compliant legs have no forces; expected a motion without any, or rigid legs"
        )
    found = compliant_inverse(
        robot, motion, legs=study.legs, tasks=study.tasks, samples=study.count
    )
    length, speed, force = found.actuator_length, found.actuator_speed, found.force
    acceleration = found.actuator_acceleration
    in_place = {
        "force": force,
        "power": force * speed,
        "energy": found.energy[:, :2],
        "force_margin": 1 - np.abs(force) / limits.of_actuators(robot, "max_force"),
        **limits.own_margins(robot, length, speed),
    }
    if all(actuator.drive for actuator in robot.actuators):
        motors = kernel_of(demands_function, Machines(robot))(speed, acceleration, force)
        in_place |= zip(OF_MOTORS, motors, strict=True)
    own = {name: getattr(found, name) for name in _AS_FOUND}
    own |= {"actuator_length_rate": speed, "actuator_length_acceleration": acceleration}
    own["connector_energy"] = found.energy[:, 2]
    return in_place, {name: x for name, x in own.items() if not np.isnan(x).all()}


def figures_on_springs(
    robot: Robot, time: Array, found: Arrays, own: Arrays, bounds: Array | None
) -> dict[str, Scalar]:
    """Return figures of the connectors, and of limits: those of what the actuators do."""
    driven = {"leg_length": own["actuator_length"], "leg_speed": own["actuator_length_rate"]}
    checked = summary.summarize(robot, time, found | driven, (), tracking_error=bounds)
    figures = summary.of_quantities(quantities.table_of(robot), time, own, (reductions.PEAK,))
    return checked | {figure.named.name: figure.scalar() for figure in figures}
