"""A ROS 2 package with a node that computes: commands of the motors, and where the platform is.

The equations are the exported C; `machine.hpp` calls them, without ROS, and the node only passes
messages on. Joints are named and counted as in the description package: zero at home.
"""

import json
from dataclasses import replace
from functools import partial

from gough.compiler import Function, Program
from gough.compiler.source.language import c_identifier, in_comment, provenance
from gough.disk.sources import rendered
from gough.equations.dynamics.formulation import NO_WRENCH
from gough.equations.machine import Machine
from gough.equations.motion import kinematics
from gough.equations.spatial.algebra import Value
from gough.exchange.joint_states import motors_at_home
from gough.exchange.source import FORWARD, c_texts, exported_program
from gough.exchange.tree.document import Export
from gough.kinematics import Model, Status
from gough.kinematics.forward.kernel import first_state, lengths_of
from gough.kinematics.freedoms.nearest_pose import loop_closing
from gough.model.definition import MOTION, forces
from gough.robot import Robot

_FILES = {  # files, and the templates that they are made of
    **{name: name for name in ("package.xml", "CMakeLists.txt", "README.md")},
    "launch/kinematics.launch.py": "kinematics.launch.py.jinja",
    "src/kinematics_node.cpp": "kinematics_node.cpp",
    "src/machine.hpp": "machine.hpp",
}


def ros2_node(robot: Robot) -> Export:
    """`NAME_kinematics`, a package of ROS 2 for `colcon build`.

    Its node computes commands of the motors (positions, and forces with all friction, damping and
    springs) from motions of the platform, and the platform's pose (forward kinematics) from joint
    states.
    """
    model, name = Model(robot), c_identifier(robot.name.lower())
    programs = [Program.of(_command(model), robot.identity), exported_program(model, FORWARD)]
    package, named = f"{name}_kinematics", [replace(p, name=f"{name}_{p.name}") for p in programs]
    library = c_texts(named, model, "float64", f"{name}_", name)
    facts = {
        "mark": provenance(package, robot.identity),
        "package": package,
        "name": name,
        "robot": in_comment(" ".join(robot.name.split())),
        "joints": [joint.name for joint in robot.bodies_and_joints.joints if joint.driven],
        "quoted": partial(json.dumps, ensure_ascii=False),
        "motors": robot.actuators,
        "home": motors_at_home(robot).tolist(),
        "state": first_state(robot).tolist(),
        "redundant": model.structure.actuators > model.structure.dof,
        "Status": Status,
    }
    made = {file: rendered(__name__, f"node/{of}", facts) for file, of in _FILES.items()}
    made |= {f"src/{f}": text for f, text in library.items() if not f.endswith("_example.c")}
    return Export({f"{package}/{file}": text for file, text in made.items()}, [])


def _command(model: Model) -> Function:
    machines, possible = model.machines, loop_closing(model.robot)

    def equation(
        machine: Machine, pose: Value, twist: Value, acceleration: Value
    ) -> tuple[Value, ...]:
        """Actuators in the motion that the machine can do, near the given one."""
        found, _ = possible(pose)
        rate, change = (kinematics.admissible(machine, found, x) for x in (twist, acceleration))
        change += kinematics.bias_acceleration(machine, found, rate)
        force = model.function("actuator_force")(found, rate, change, NO_WRENCH)
        return kinematics.inverse_kinematics(machine, found), force

    outputs = [lengths_of(machines), forces(machines.structure)]
    return machines.function("command", equation, MOTION, outputs)
