"""A ROS 2 package with a node that computes: commands of the motors, and where the platform is.

The equations are the exported C; `machine.hpp` calls them, without ROS, and the node only passes
messages on. Joints are named and counted as in the description package: zero at home.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from gough.checks import require_instance
from gough.compiler.front.program import Program
from gough.compiler.source.language import c_identifier, in_comment, provenance
from gough.disk.sources import rendered, write_sources
from gough.exchange.linuxcnc.component import possible_inverse_kinematics
from gough.exchange.source import FORWARD, c_texts, exported_program
from gough.kinematics.forward.kernel import first_state
from gough.kinematics.forward.status import Status
from gough.kinematics.model import Model
from gough.robot import Robot

_FILES = {
    **{name: name for name in ("package.xml", "CMakeLists.txt", "README.md")},
    "launch/kinematics.launch.py": "kinematics.launch.py.jinja",
    "src/kinematics_node.cpp": "kinematics_node.cpp",
    "src/machine.hpp": "machine.hpp",
}
"""Files, and the templates that they are made of."""


def export_ros2_node(robot: Robot, directory: str | Path, *, overwrite: bool = False) -> list[Path]:
    """Write `NAME_kinematics`, a package of ROS 2 for `colcon build`; the paths of its files.

    Its node computes commands of the motors (inverse kinematics and dynamics) from poses of the
    platform, and the platform's pose (forward kinematics) from joint states.
    """
    require_instance("robot", robot, Robot)
    model, name = Model(robot), c_identifier(robot.name.lower())
    inverse = Program.of(possible_inverse_kinematics(model.machines), robot.identity)
    programs = [inverse, exported_program(model, FORWARD)]
    has_dynamics = "inverse_dynamics" in model.kernel_names
    programs += [exported_program(model, "inverse_dynamics")] if has_dynamics else []
    package, named = f"{name}_kinematics", [replace(p, name=f"{name}_{p.name}") for p in programs]
    library = c_texts(named, model, "float64", f"{name}_")
    facts = {
        "mark": provenance(package, robot.identity),
        "package": package,
        "name": name,
        "robot": in_comment(" ".join(robot.name.split())),
        "joints": [joint.name for joint in robot.bodies_and_joints.joints if joint.driven],
        "quoted": partial(json.dumps, ensure_ascii=False),
        "motors": robot.actuators,
        "home": model.inverse_kinematics(np.array(robot.home)).tolist(),
        "state": first_state(robot).tolist(),
        "dynamics": has_dynamics,
        "Status": Status,
    }
    made = {file: rendered(__name__, f"node/{of}", facts) for file, of in _FILES.items()}
    made |= {f"src/{f}": text for f, text in library.items() if not f.endswith("_example.c")}
    texts = {f"{package}/{file}": text for file, text in made.items()}
    return write_sources(Path(directory), texts, overwrite=overwrite)
