"""Natural frequencies of hexapods on yielding legs, many poses at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from gough.arrays import Array
from gough.compiler.front.argument import Argument
from gough.compiler.native.kept import compiled
from gough.compiler.native.kernel import Kernel
from gough.equations.any_machine import AnyMachine
from gough.equations.elastic.holding import holding_force
from gough.equations.elastic.normal_form import shifted
from gough.equations.elastic.vibration import vibration
from gough.equations.machine import Machine
from gough.kinematics.elastic.given import Actuators, actuator_compliance, elastic_model
from gough.kinematics.singularity.singularity import singular_values
from gough.model.definition import POSE, WRENCH
from gough.model.hexapod_catalogue import of_elastic_hexapods
from gough.model.kernels import Kernels
from gough.model.machines import Machines


def frequencies(
    model: Kernels, pose: Any, *, actuators: Actuators = "locked", wrench: Any = None
) -> Array:
    """Natural frequencies (..., n) [Hz] at poses (..., 7), lowest first, without dampers.

    A negative one is no vibration: the machine gives way, as e^(2π |f| t). Infinite are those of
    pistons that are held. NaN where the pose is singular. Actuators, wrench: see `gough.modes`.
    """
    own = elastic_model(model.own_robot("frequencies"), None)
    pushed = np.zeros(WRENCH.size) if wrench is None else wrench
    yielding = actuator_compliance(actuators, own.structure.actuators)
    return np.asarray(frequency_kernel(own.machines)(pose, pushed, yielding))


@compiled
def frequency_kernel(machines: Machines) -> Kernel:
    """The kernel (pose, wrench, actuator_compliance) -> frequencies."""

    def equation(machine: AnyMachine, pose: Any, wrench: Any, yielding: Any) -> Any:
        """Natural frequencies of a machine that its actuators hold."""
        assert isinstance(machine, Machine)
        M, K = vibration(machine, pose, holding_force(machine, pose, wrench), yielding)
        form = shifted(M, K)
        return form.frequencies(singular_values(form.matrix)[0])

    known = of_elastic_hexapods(machines.structure)["vibration"]
    output = Argument("frequencies", known.outputs[0].shape[:1], "Hz", "lowest first")
    inputs = [POSE, WRENCH, known.inputs[-1]]
    return machines.kernel("frequencies", equation, inputs, [output])


@compiled
def holding_kernel(machines: Machines) -> Kernel:
    """The kernel (pose, wrench) -> forces of the actuators that hold a machine which yields."""
    n = machines.structure.actuators
    force = Argument("force", (n,), "N", "of the actuators")
    return machines.kernel("holding_force", holding_force, [POSE, WRENCH], [force])
