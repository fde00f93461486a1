"""Writing the workbench: one HTML file with the machine, its equations and all scripts in it.

What the page computes by itself: equations of the machine, as WebAssembly.

They take the machine's numbers as an argument, so that what a person changes in the page counts at
once. How a machine takes a pose that is not quite possible, and where its joints are, depend on its
geometry, which only hexapods have among these numbers: their joints follow without an equation.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import casadi as ca
import numpy as np

from gough._version import __version__
from gough.analysis.evaluation import demands_function
from gough.analysis.quantities import table_of
from gough.arrays import Array
from gough.compiler import Argument, Function, Program
from gough.compiler.native.disk_kernels import kept_data
from gough.compiler.native.webassembly import webassembly
from gough.compiler.source.language import signature
from gough.disk.files import write_text
from gough.disk.plain_data import PlainData, PlainMapping
from gough.disk.sources import refuse_others
from gough.display import data_of
from gough.elastic.kernels import coordinates_of, described, vibrating_function
from gough.equations.elastic import stiffness
from gough.equations.elastic.stiffness import minimum_stiffness
from gough.equations.machine import Machine
from gough.equations.spatial.algebra import Value
from gough.errors import GoughError, clipped
from gough.kinematics.forward.kernel import forward_function
from gough.kinematics.freedoms.nearest_pose import has_constant_basis, loop_closing, pose_projection
from gough.kinematics.freedoms.path_following import (
    completed_motion_function,
    path_following_function,
)
from gough.kinematics.samples import offset_box
from gough.kinematics.singularity.singularity import measure_function
from gough.kinematics.workspace.charts import (
    charts,
    farthest_foot,
    impossible_part,
    is_bounded,
    own_axes,
)
from gough.kinematics.workspace.reach import ALL_LIMITS, single_margins
from gough.kinematics.workspace.stated_limits import FAMILIES, SingleLimit, single_limits
from gough.model import Kernels, Machines, definitions, structure_of
from gough.model.definition import POSE, WRENCH
from gough.motion.motions.screws import turned_by_function
from gough.plots.shapes import Shape, shape_of
from gough.plots.shapes.mechanism import chains
from gough.report.assembly import assembled, script
from gough.report.scene import drawing, frame_rows, others
from gough.report.text import unit_text
from gough.robot import Robot, actuator_names, library_names, load, parameters_of
from gough.robot.appearance import without_meshes
from gough.robot.numbers import layout
from gough.studies.run import as_study
from gough.studies.study import Study
from gough.workbench.studied import MOST_POINTS, SECONDS_BETWEEN, PageContent, studied

if TYPE_CHECKING:
    from gough.workbench.policies import LinearPolicy

STEPS = 30  # at most so many of Newton's method for forward kinematics
_KERNELS = (
    "inverse_kinematics", "joint_velocity", "joint_acceleration", "actuator_force", "reactions",
    "load_range"
)  # fmt: skip

AnyStudy = Study | PlainMapping | str | Path  # a study, its data, or the file that it is in
_GENERATOR = b'name="generator" content="Gough workbench'
_HEAD = 4096  # number of bytes at the beginning of a page within which its generator is named


def write_workbench(
    robot: Robot,
    path: str | Path,
    *,
    study: AnyStudy | None = None,
    point: int | None = None,
    policy: LinearPolicy | None = None,
    overwrite: bool = False,
) -> None:
    """Write the page of a robot; a file that is no such page is refused, unless `overwrite`."""
    if not overwrite:
        refuse_others(Path(path), lambda content: _GENERATOR in content, _HEAD)
    write_text(path, workbench_page(robot, study=study, point=point, policy=policy))


def workbench_page(
    robot: Robot,
    *,
    study: AnyStudy | None = None,
    point: int | None = None,
    policy: LinearPolicy | None = None,
) -> str:
    """The workbench as one HTML text: of a robot, or with a study of it, or a point of its grid.

    A `policy` that was learned for the robot is played there, step by step.
    """
    if not isinstance(robot, Robot):
        problem = f"a workbench needs a Robot, such as gough.load(...); got {robot!r}"
        raise GoughError(clipped(problem, 120))
    if study is None and point is not None:
        raise GoughError("point: only studies have points; expected a study, too")
    shown = PageContent(robot) if study is None else studied(robot, as_study(study), point)
    if policy is not None and policy.task.study.robot != robot:
        own = policy.task.study.robot.name
        raise GoughError(f"a policy for {own}, not for {robot.name}; expected one for this robot")
    return assembled(
        "workbench",
        data=_data(shown) | {"policy": policy.page_data(_packed) if policy else None},
        worker=script("worker"),
        title=robot.name,
        version=__version__,
    )


def _data(shown: PageContent) -> PlainData:
    """Everything that the page knows of the machine, and of a study of it [SI]."""
    robot = shown.robot
    home = np.array(robot.home)
    shape = shape_of(robot, home[None])
    points = shape.points(home[None])
    in_library = robot.name in library_names() and load(robot.name).to_dict() == robot.to_dict()
    return {
        "name": robot.name,
        "home": home.tolist(),
        "degrees_of_freedom": _freedoms(robot),
        "impossible": impossible_part(robot).tolist(),
        "search": None if is_bounded(robot, ALL_LIMITS) else 2 * farthest_foot(robot),
        "actuators": _actuators(robot),
        "limits": [_limit(robot, limit) for limit in single_limits(robot, FAMILIES)],
        "spaces": [
            data_of(space, "kind degrees_of_freedom") | {"basis": space.basis.tolist()}
            for space in charts(robot, ALL_LIMITS, home)
            if len(space.degrees_of_freedom) > 1
        ],
        "robot": without_meshes(robot.to_dict()),
        "library_name": robot.name if in_library else None,
        "parameters": [_known(x) for x in parameters_of(robot)],
        "reactions": _reactions(robot),
        "vibrating": _vibrating(robot),
        "parameter_names": layout(robot),
        "drawing": drawing(robot, shape, points, home) | _means(shape, points),
        "kernels": packed_functions(robot) | (packed_frames(robot) if frame_rows(robot) else {}),
        "samples": shown.samples,
        "ways": {"points": MOST_POINTS, "seconds": SECONDS_BETWEEN},
        "study": shown.study,
    }


def _known(number: float) -> float | str:
    """A number as JSON has it, and JavaScript reads it: others than finite ones as texts."""
    if np.isnan(number):
        return "NaN"
    return float(number) if np.isfinite(number) else "Infinity" if number > 0 else "-Infinity"


def _freedoms(robot: Robot) -> list[PlainData]:
    """Return the machine's degrees of freedom, with ranges about home worth trying."""
    spans = np.ptp(offset_box(Kernels(robot)), axis=0)
    names, steps = own_axes(robot)
    found = list[PlainData]()
    for name, span, step in zip(names, spans, steps, strict=True):
        turns = not step[:3].any()
        size = float(2 * np.arctan(span) if turns else span)
        found.append({"name": name, "turns": turns, "span": size, "step": step.tolist()})
    return found


def _actuators(robot: Robot) -> list[PlainData]:
    names, driven = actuator_names(robot), structure_of(robot).driven
    return [
        {
            "name": actuator.name,
            "title": title,
            "short": short,
            "unit": joint.unit,
            "force_unit": unit_text(joint.force_unit),
            "travel": actuator.travel,
            "max_force": actuator.max_force,
            "max_speed": actuator.max_speed,
            "max_current": getattr(actuator.drive, "max_current", None),
        }
        for title, short, joint, actuator in zip(
            names.titles, names.short, driven, robot.actuators, strict=True
        )
    ]


def _reactions(robot: Robot) -> PlainData:
    """Return the subjects of the results of the kernel `reactions`, for each leg or joint."""
    known = [q for q in table_of(robot).values() if q.kernel.startswith("reactions.")]
    return {
        "of": list(known[0].axes[0].titles(len(robot.actuators))) if known else [],
        "quantities": [
            {
                "output": quantity.kernel.partition(".")[2],
                "title": quantity.titles[0],
                "heading": quantity.figures[0].heading,
                "unit": unit_text(quantity.unit),
            }
            for quantity in known
        ],
    }


def _vibrating(robot: Robot) -> list[PlainData] | None:
    """The coordinates in which the machine vibrates; None if it does not."""
    model = Kernels(robot)
    if "vibration" not in definitions(model.structure, model.formulation):
        return None
    return described(coordinates_of(robot, rotors=False))


def _limit(robot: Robot, limit: SingleLimit) -> PlainData:
    """A limit with its names: of its family, and of what is passed beyond it."""
    travel = "its stroke" if robot.has_extensible_legs else "its travel"
    names = {actuator.name: k for k, actuator in enumerate(robot.actuators)}
    carrying = chains(robot)
    names |= carrying
    for joint in robot.bodies_and_joints.joints:
        mine = {carrying[body] for body in joint.between if body in carrying}
        names |= {joint.name: min(mine)} if len(mine) == 1 else {}
    return vars(limit) | {
        "passed": "its maximum tilt" if limit.kind == "angle" else travel,
        "actuators": sorted({names[name] for name in limit.of if name in names}),
    }


def _means(shape: Shape, points: Array) -> PlainData:
    """Return the points that neither base nor platform carries, as functions of joint centres."""
    if shape.means is None:
        return {"weights": [], "offsets": []}
    rows = others(shape, points)
    return {
        "weights": shape.means.weights[rows].tolist(),
        "offsets": shape.means.offsets[rows].tolist(),
    }


def functions(robot: Robot, shape: Shape) -> Iterator[Function]:
    """All that the page needs."""
    model = Kernels(robot, parametric=True)
    for name in _KERNELS:
        yield model.function(name)
    yield turned_by_function()
    yield single_margins(robot, ALL_LIMITS, parametric=True)
    yield forward_function(model.machines, "newton", STEPS)
    yield measure_function(model.machines)
    if model.structure.has_stiffness:
        yield deflection_function(model.machines)
    if "vibration" in definitions(model.structure, model.formulation):
        yield vibrating_function(model.machines)
    if not robot.has_extensible_legs:
        close = loop_closing(robot)
        near = pose_projection(robot) if has_constant_basis(robot) else lambda pose: close(pose)[0]
        words = "The pose that the machine can take, with the same coordinates in its moves."
        yield Function.from_equation("possible_pose", near, [POSE], [POSE], words)
    if not has_constant_basis(robot):
        yield path_following_function(robot)
        yield completed_motion_function(robot)
    if any(actuator.drive for actuator in robot.actuators):
        yield demands_function(model.machines)
    if shape.means is not None:
        yield shape.means.kernels.function("joint_centers")


@kept_data
def packed_frames(robot: Robot) -> PlainData:
    """Return the packed function of the frames of bodies, which only pages with meshes need."""
    return {"body_frames": _packed(Kernels(robot, parametric=True).function("body_frames"))}


@kept_data
def packed_functions(robot: Robot) -> PlainData:
    """By name, all functions of a machine as the page takes them."""
    shape = shape_of(robot, np.array([robot.home]))
    return {function.name: _packed(function) for function in functions(robot, shape)}


def _packed(function: Function) -> PlainData:
    """A function's code, what it calls, and its signature."""
    program = Program.of(function)
    made = webassembly(program)
    return {
        "code": b64encode(made.content).decode(),
        "calls": list(made.calls),
        "signature": signature(program),
    }


def deflection_function(machines: Machines) -> Function:
    """Return the function (pose, wrench) -> displacement, minimum stiffness in both motions."""
    locked = ca.DM.zeros(machines.structure.actuators)

    def equation(machine: Machine, pose: Value, wrench: Value) -> tuple[Value, ...]:
        """Return the displacement of the platform, with its actuators locked."""
        shift = stiffness.deflection(machine, pose, wrench, locked)
        return shift, *minimum_stiffness(machine, pose)

    outputs = [
        Argument("displacement", (6,), "m, rad", "translation and rotation vector, base axes"),
        Argument("minimum_stiffness", (), "N/m", "in the most compliant direction"),
        Argument("minimum_rotational_stiffness", (), "N m/rad", "about the most compliant axis"),
    ]
    return machines.function("deflection", equation, [POSE, WRENCH], outputs)
