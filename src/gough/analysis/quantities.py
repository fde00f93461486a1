"""The table of quantities: unit, meaning and axes of each, its kernel, its figures, its chart.

A new quantity is one entry here. One that is neither a kernel's result nor a state needs its
equation as well: in `evaluation` for a study, in the plant for a simulation. Which of them a
machine has, with the names and units of its joints, `table_of` says.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from types import MappingProxyType

from gough.analysis import axes, traits
from gough.analysis import reductions as by
from gough.analysis.definition import Figure, QuantityDefinition
from gough.analysis.traits import ANY_MACHINE, Trait
from gough.checks import unknown
from gough.equations.usual_formulations import DEFAULT_FORMULATION
from gough.kinematics.singularity.singularity import determinant_unit_name
from gough.model import Definition as KernelDefinition
from gough.model import Structure, structure_of
from gough.model.catalogue import definitions, why_absent
from gough.robot import Robot

Table = Mapping[str, QuantityDefinition]

VIBRATION, BANDWIDTH, ROTATION = "vibration", "bandwidth", "rotation"
"""The groups that "all" leaves out: two take long, of which that of bandwidths has figures only,
and angular rates of legs are seldom wanted."""


def _table(*definitions: QuantityDefinition) -> dict[str, QuantityDefinition]:
    return {definition.name: definition for definition in definitions}


_force = partial(QuantityDefinition, turning="N m", of_forces=True)
_of_leg = partial(QuantityDefinition, of=traits.EXTENSIBLE_LEGS)
_of_joint = partial(QuantityDefinition, of=traits.DRIVEN_JOINTS)
_of_link = partial(QuantityDefinition, of=traits.FLEXIBLE_LINKS, small=True)
_PEAK = (Figure(by.PEAK),)


def _share(
    name: str, group: str, meaning: str, part: str, kernel: str = "", of: Trait = ANY_MACHINE
) -> QuantityDefinition:
    """A part of the actuator force."""
    figures = (Figure(by.PEAK, part),)
    return _force(name, group, "N", meaning, of=of, figures=figures, kernel=kernel, part=part)


def _coupling(name: str, meaning: str, part: str) -> QuantityDefinition:
    """A part of the actuator force, sorted as Baiges sorts the wrenches of his 6.(24)."""
    kernel = f"force_decomposition.{name.removesuffix('_share')}"
    return _share(name, "coupling", meaning, part, kernel, traits.EXTENSIBLE_LEGS)


def _measured(name: str, unit: str, turning: str, of: Trait) -> QuantityDefinition:
    """Return the definition of an encoder reading of the driven joints in a run."""
    what = "speed taken from readings" if name.endswith("speed") else "reading"
    meaning = f"{what} of the encoder, with its resolution and noise; {name} is the true one"
    title = f"{name.replace('_', ' ').capitalize()} as measured"
    return QuantityDefinition(
        f"measured_{name}", "following", unit, meaning, turning=turning, of=of, titles=(title,)
    )


_OF_SPEEDS = (
    Figure(by.PEAK, "Peak speed"),
    Figure(by.BANDWIDTH, "Bandwidth of the speed", group=BANDWIDTH),
)

# fmt: off
QUANTITIES = _table(
    QuantityDefinition("pose", "motion", "m, 1", "platform position and quaternion", (axes.POSE,),
        titles=("Position of the platform", "Orientation of the platform")),
    QuantityDefinition("twist", "motion", "m/s, rad/s",
        "velocity and angular velocity of the platform", (axes.MOTION,),
        titles=("Velocity", "Angular velocity")),
    QuantityDefinition("acceleration", "motion", "m/s^2, rad/s^2", "time derivative of the twist",
        (axes.MOTION,), titles=("Acceleration", "Angular acceleration")),
    QuantityDefinition("wrench", "motion", "N, N m",
        "what the tasks do to the platform, about its origin", (axes.WRENCH,),
        titles=("Force of the tasks", "Moment of the tasks")),
    _of_leg("leg_length", "legs", "m", "distance between a leg's two joints",
        figures=(Figure(by.SHORTEST, "Shortest length"), Figure(by.LONGEST, "Longest length"),
        Figure(by.STROKE_USED)), kernel="inverse_kinematics"),
    _of_leg("leg_speed", "legs", "m/s", "rate of the leg length", figures=_OF_SPEEDS,
        kernel="joint_velocity"),
    _of_leg("leg_acceleration", "legs", "m/s^2", "second rate of the leg length",
        figures=(Figure(by.PEAK, "Peak acceleration"),), kernel="joint_acceleration"),
    _of_joint("actuator_position", "legs", "m", "position of a driven joint", turning="rad",
        figures=(Figure(by.LOWEST, "Lowest position"), Figure(by.HIGHEST, "Highest position"),
        Figure(by.TRAVEL_USED)), kernel="inverse_kinematics"),
    _of_joint("actuator_speed", "legs", "m/s", "rate of a driven joint", turning="rad/s",
        figures=_OF_SPEEDS, kernel="joint_velocity"),
    _of_joint("actuator_acceleration", "legs", "m/s^2", "second rate of a driven joint",
        turning="rad/s^2", figures=(Figure(by.PEAK, "Peak acceleration"),),
        kernel="joint_acceleration"),
    _force("force", "forces", "N", "actuator force, positive when it extends the leg",
        elsewhere="torque or force of an actuator", titles=("Actuator force",),
        figures=(*_PEAK, Figure(by.RMS, title="Maximum RMS force"),
        Figure(by.BANDWIDTH, "Bandwidth", group=BANDWIDTH)),
        kernel="actuator_force", part="whole force"),
    QuantityDefinition("power", "forces", "W", "actuator force times leg speed",
        elsewhere="torque or force of an actuator times its speed", titles=("Actuator power",),
        figures=(*_PEAK, Figure(by.SPENT), Figure(by.RETURNED, beside="energy_spent"),
        Figure(by.NET, "Net energy", beside="energy_spent"), Figure(by.PEAK_TOTAL)),
        in_a_run="actuator force times actuator speed", of_forces=True),
    QuantityDefinition("energy", "forces", "J", "kinetic and potential energy of the machine",
        (axes.ENERGY,), titles=("Energy of the machine",), figures=(Figure(by.PEAK_KINETIC),),
        kernel="energy",
        in_a_run="kinetic and potential energy of platform and legs, a part of stored_energy"),
    QuantityDefinition("spring_energy", "forces", "J",
        "energy of the springs of joints and between bodies, counted from home", (), figures=_PEAK,
        of=traits.SPRUNG_JOINTS, titles=("Energy of springs",), kernel="spring_energy",
        in_a_run="energy of the springs of joints and between bodies, a part of stored_energy"),
    QuantityDefinition("force_margin", "margins", "1", "(max force - |force|) / max force",
        titles=("Force margin as a share of the maximum force",), of_forces=True),
    _of_leg("stroke_margin", "margins", "m", "how far a leg is from the nearer end of its stroke"),
    _of_joint("travel_margin", "margins", "m",
        "how far an actuator is from the nearer end of its travel", turning="rad"),
    QuantityDefinition("wrench_margin", "margins", "N",
        "maximum additional wrench in any direction; moments over the maximum "
        "distance of a platform joint from the origin", (),
        titles=("Wrench that can act besides",),
        figures=(Figure(by.MINIMUM, "Minimum additional wrench"),)),
    QuantityDefinition("speed_margin", "margins", "m/s", "max speed - |speed|", turning="rad/s"),
    QuantityDefinition("condition", "singularity", "1", "condition number of J, rotations scaled",
        (), elsewhere="condition number of J over the degrees of freedom, rotations scaled",
        titles=("Condition number of J",), logarithmic=True,
        figures=(Figure(by.WORST, "Worst condition", "Worst condition"),)),
    QuantityDefinition("determinant", "singularity", "m^3",
        "det J; zero where the actuators lose control", (),
        elsewhere="det J over the degrees of freedom; zero where the actuators lose control",
        titles=("Determinant of J",), figures=(Figure(by.MINIMUM_SIZE),)),
    _of_joint("serial_pivot", "singularity", "1",
        "what the actuators of a leg see of the platform; zero where they cannot move it",
        (axes.LEG_WITH_MOTORS,), kernel="serial_pivots"),
    QuantityDefinition("passive_pivot", "singularity", "1",
        "of passive joints that are solved together; zero where they cannot follow",
        (axes.PASSIVE_GROUP,), of=traits.PASSIVE_JOINTS, kernel="passive_pivots"),
    QuantityDefinition("constraint_pivot", "singularity", "1",
        "of what the legs forbid; zero where the platform gains a motion beside its moves", (),
        of=traits.FEWER_FREEDOMS, titles=("Constraint pivot",),
        figures=(Figure(by.MINIMUM_SIZE),), kernel="constraint_pivot"),
    QuantityDefinition("universal_joint_sine", "singularity", "1",
        "sine of the angle between a leg and its base joint's first axis; "
        "zero where the joint cannot follow", of=traits.UNIVERSAL_LEGS,
        titles=("Sine between a leg and its base joint's first axis",),
        figures=(Figure(by.MINIMUM, "Sine to first axis"),)),
    QuantityDefinition("joint_position", "joints", "m",
        "position of every joint with one degree of freedom", (axes.JOINT,), turning="rad",
        figures=(Figure(by.LOWEST, "Lowest joint position"),
        Figure(by.HIGHEST, "Highest joint position")), kernel="all_joints.position"),
    QuantityDefinition("joint_speed", "joints", "m/s",
        "rate of every joint with one degree of freedom", (axes.JOINT,), turning="rad/s",
        figures=(Figure(by.PEAK, "Peak joint speed"),), kernel="all_joints.velocity"),
    QuantityDefinition("joint_acceleration", "joints", "m/s^2",
        "second rate of every joint with one degree of freedom", (axes.JOINT,), turning="rad/s^2",
        kernel="all_joints.acceleration"),
    QuantityDefinition("joint_tilt", "joints", "rad",
        "angle of a ball or universal joint's link to that at home", (axes.TILT,),
        of=traits.TILTED_JOINTS, figures=(Figure(by.MAXIMUM, "Joint tilt"),), kernel="joint_tilts"),
    *(_of_leg(f"leg_angular_{name}", ROTATION, unit, meaning, (axes.LEG, axes.DIRECTION),
        titles=(f"Angular {name} of each leg",), kernel=f"leg_angular_{name}",
        figures=(Figure(by.PEAK_LENGTH, f"Peak angular {name}"),)) for name, unit, meaning in (
        ("velocity", "rad/s", "of each leg with its spin, base axes"),
        ("acceleration", "rad/s^2", "of each leg with its spin, base axes"))),
    _share("gravity_share", "shares", "share of the force that all weights need", "weights",
        "force_parts.gravity"),
    _share("inertia_share", "shares", "share that the platform's acceleration needs",
        "acceleration", "force_parts.acceleration"),
    _share("velocity_share", "shares", "share that the platform's velocity needs", "velocity",
        "force_parts.velocity"),
    _share("external_share", "shares", "share that the tasks need", "tasks",
        "force_parts.external"),
    _share("joint_share", "shares", "share that friction, damping and springs need",
        "joints", of=traits.RESISTING_JOINTS),
    _coupling("platform_share", "for the platform's own weight and inertia", "platform"),
    _coupling("leg_gravity_share", "for the weight of the legs across them", "legs' weight"),
    _coupling("tangential_share", "for second rates of the legs' angles", "tangential"),
    _coupling("coriolis_share", "for products of a length's rate and an angular rate of a leg",
        "Coriolis"),
    _coupling("centrifugal_share", "for products of two angular rates of a leg", "centrifugal"),
    _coupling("piston_gravity_share", "for the pistons' weight along the legs", "pistons' weight"),
    _coupling("piston_inertia_share", "for the pistons' acceleration along the legs",
        "pistons' inertia"),
    _of_leg("gravity_only_error", "coupling", "N",
        "what a model leaves out that knows only the weight of the legs", of_forces=True,
        titles=("Left out by a model that knows only the legs' weight",),
        figures=(Figure(by.PEAK, "Left out by the weight-only model"),)),
    QuantityDefinition("motor_speed", "drives", "rad/s", "how fast a motor turns",
        figures=(Figure(by.PEAK, "Peak speed"),)),
    QuantityDefinition("motor_torque", "drives", "N m", "torque of a motor's field",
        figures=(Figure(by.PEAK, "Peak torque"),), of_forces=True),
    QuantityDefinition("motor_current", "drives", "A", "current that a motor needs",
        figures=(Figure(by.PEAK, "Peak current"), Figure(by.RMS, "RMS current")),
        in_a_run="current of each motor", of_forces=True),
    QuantityDefinition("motor_voltage", "drives", "V", "voltage that a motor needs",
        figures=(Figure(by.PEAK, "Peak voltage"),),
        in_a_run="voltage that each amplifier gives its motor", of_forces=True),
    QuantityDefinition("motor_power", "drives", "W", "electrical power of a motor",
        titles=("Electrical power",), figures=(Figure(by.PEAK, "Peak electrical power"),),
        in_a_run="electrical power of each motor", of_forces=True),
    QuantityDefinition("task_deflection", "stiffness", "m, rad",
        "displacement of the compliant platform under the tasks' wrench, actuators held: "
        "translation and rotation vector, base axes", (axes.POSE_ERROR,), of=traits.ELASTIC,
        titles=("Deflection due to the tasks", "Rotation due to the tasks"), small=True,
        figures=(Figure(by.PEAK_TRANSLATION), Figure(by.PEAK_ROTATION)), of_forces=True),
    QuantityDefinition("minimum_stiffness", "stiffness", "N/m",
        "force per translation of the platform in the most compliant direction, actuators held",
        (), of=traits.COMPLIANT_TRANSLATION, titles=("Stiffness in the most compliant direction",),
        figures=(Figure(by.ITS_MINIMUM),), of_forces=True),
    QuantityDefinition("minimum_rotational_stiffness", "stiffness", "N m/rad",
        "moment per rotation of the platform about the most compliant axis, actuators held", (),
        of=traits.COMPLIANT_ROTATION, titles=("Stiffness about the most compliant axis",),
        figures=(Figure(by.ITS_MINIMUM),), of_forces=True),
    QuantityDefinition("natural_frequency", VIBRATION, "Hz",
        "lowest natural frequencies, as many as the platform has degrees of freedom, actuators "
        "held under the tasks' wrench; negative where the equilibrium is unstable", (axes.MODE,),
        of=traits.VIBRATING, titles=("Natural frequencies",),
        figures=(Figure(by.FIRST, title="First natural frequency"),), of_forces=True),
    QuantityDefinition("pose_deviation", "tolerances", "m, rad",
        "standard deviation of the pose that the machine takes, for errors of the study's "
        "[tolerances]: way and rotation vector, base axes", (axes.POSE_ERROR,),
        titles=("Position error, standard deviation", "Orientation error, standard deviation"),
        figures=(Figure(by.DEVIATION_TRANSLATION), Figure(by.DEVIATION_ROTATION)), small=True),
    QuantityDefinition("force_deviation", "tolerances", "N",
        "standard deviation of the actuator force at the pose that the machine takes, for these "
        "errors", turning="N m", titles=("Actuator force, standard deviation",),
        figures=(Figure(by.MAXIMUM),)),
    *(QuantityDefinition(f"joint_{name}", "reactions", unit,
        "first body on second in each joint, in its own axes, its motor's effort included",
        (axes.BEARING, axes.DIRECTION), titles=(f"{name.capitalize()} in each joint",),
        figures=(Figure(by.PEAK_LENGTH, f"Joint {name}"),), kernel=f"reactions.{name}",
        of_forces=True) for name, unit in (("force", "N"), ("moment", "N m"))),
    QuantityDefinition("coupling_effort", "reactions", "N",
        "force or torque of each coupling on its first joint", (axes.COUPLING,), turning="N m",
        titles=("Effort of each coupling",), figures=(Figure(by.PEAK, "Coupling effort"),),
        kernel="coupling_efforts", of_forces=True),
    QuantityDefinition("base_wrench", "reactions", "N, N m",
        "wrench of the machine on its base, weights included, about the base's origin",
        (axes.WRENCH,), titles=("Force on the base", "Moment on the base"), kernel="base_wrench"),
)
"""Quantities of studies."""

OF_RUNS = _table(
    QuantityDefinition("stored_energy", "forces", "J",
        "energy of all that stores some: platform and legs as they move (kinetic) and are lifted "
        "(potential), rotors with screws, windings, springs (of joints, between bodies, of the "
        "legs) or links that bend, end stops, surface",
        (axes.STORED_ENERGY,), titles=("Stored energy by where it is",),
        figures=(Figure(by.PEAK_KINETIC_WITH_DRIVES),)),
    _of_leg("leg_length_error", "following", "m", "wanted leg length less that of the run",
        titles=("Leg length error: wanted less reached",), small=True,
        figures=(Figure(by.PEAK, "Peak length error", only_shown=True),
        Figure(by.RMS, "RMS length error", only_shown=True),
        Figure(by.MEAN_ERROR, "Mean length error"))),
    _of_joint("actuator_position_error", "following", "m",
        "wanted position of an actuator less that of the run", turning="rad", small=True,
        titles=("Actuator error: wanted less reached",),
        figures=(Figure(by.PEAK, "Peak position error", only_shown=True),
        Figure(by.RMS, "RMS position error", only_shown=True),
        Figure(by.MEAN_ACTUATOR_ERROR, "Mean actuator error"))),
    QuantityDefinition("pose_error", "following", "m, rad",
        "wanted position and attitude (rotation vector) less those of the run, base axes",
        (axes.POSE_ERROR,),
        titles=("Position error: wanted less reached", "Attitude error: rotation vector"),
        figures=(Figure(by.PEAK_POSITION), Figure(by.RMS_POSITION), Figure(by.PEAK_ORIENTATION),
        Figure(by.RMS_ORIENTATION)), small=True),
    _measured("leg_length", "m", "", traits.EXTENSIBLE_LEGS),
    _measured("leg_speed", "m/s", "", traits.EXTENSIBLE_LEGS),
    _measured("actuator_position", "m", "rad", traits.DRIVEN_JOINTS),
    _measured("actuator_speed", "m/s", "rad/s", traits.DRIVEN_JOINTS),
    QuantityDefinition("measured_acceleration", "following", "m/s^2",
        "reading of the platform's accelerometer: specific force in its axes, with bias and noise",
        (axes.DIRECTION,), titles=("Accelerometer",)),
    QuantityDefinition("measured_angular_velocity", "following", "rad/s",
        "reading of the platform's gyroscope, in its axes, with bias and noise",
        (axes.DIRECTION,), titles=("Gyroscope",)),
    QuantityDefinition("command", "following", "N",
        "what the controller sets, held from sample to sample", turning="N m",
        figures=(Figure(by.PEAK, only_shown=True),)),
    QuantityDefinition("voltage_cut_off", "plant", "V",
        "voltage command of each amplifier beyond its output", figures=_PEAK),
    *(_of_leg(name, "connectors", unit, meaning, figures=_PEAK) for name, unit, meaning in (
        ("actuator_length", "m", "length that a leg would have if it were rigid"),
        ("actuator_length_rate", "m/s", "rate of that length"),
        ("actuator_length_acceleration", "m/s^2", "second rate of that length"),
        ("connector_deflection", "m", "compression of the connector's own spring"),
        ("coupling_deflection", "m", "compression of the coupling stage"),
        ("coupling_deflection_rate", "m/s", "rate of the coupling stage's compression"),
        ("leg_force", "N", "force of a compliant leg on the platform, along the leg"),
        ("decoupling_position", "m", "distance of the decoupling mass from the base joint"),
        ("decoupling_speed", "m/s", "how fast the decoupling mass moves along its leg"),
    )),
    _of_leg("connector_energy", "connectors", "J", "energy of all springs of the connectors", (),
        figures=_PEAK),
    _of_link("link_deflection", "links", "m",
        "displacement of the last end of a link that bends, in its own axes: x along the link",
        (axes.BEAM, axes.DIRECTION), titles=("Deflection of links",),
        figures=(Figure(by.PEAK_LENGTH, "Deflection"),)),
    _of_link("link_turn", "links", "rad",
        "turn of the last end of a link that bends, in its own axes: x along the link",
        (axes.BEAM, axes.DIRECTION), titles=("Turn of links' ends",),
        figures=(Figure(by.PEAK_LENGTH, "Turn of the end"),)),
    QuantityDefinition("link_mode", "links", "kg^(1/2) m",
        "amplitude of a natural mode of a link with both ends clamped", (axes.BEAM_MODE,),
        of=traits.FLEXIBLE_MODES, titles=("Modes of links",), figures=_PEAK),
    QuantityDefinition("operating_mode", "plant", "1",
        "mode of the connectors: 1 simple, 2 low-frequency, 3 high-frequency, 4 complete", ()),
    QuantityDefinition("base_pose", "plant", "m, 1", "pose of the base in the world",
        (axes.POSE,), titles=("Position of the base", "Orientation of the base")),
    QuantityDefinition("base_twist", "plant", "m/s, rad/s",
        "velocity and angular velocity of the base, world axes", (axes.MOTION,),
        titles=("Velocity of the base", "Angular velocity of the base")),
    QuantityDefinition("contact_force", "plant", "N",
        "of the surface on the tool, along the normal", (), figures=(*_PEAK, Figure(by.FINAL))),
    QuantityDefinition("contact_distance", "plant", "m",
        "distance of the tool from the surface; below zero it is inside", (), small=True),
    QuantityDefinition("ball_position", "plant", "m", "place of the ball on the plate",
        (axes.PLANE,), titles=("Ball",)),
    QuantityDefinition("ball_velocity", "plant", "m/s",
        "velocity of the ball relative to the plate", (axes.PLANE,),
        titles=("Velocity of the ball",)),
    QuantityDefinition("ball_wrench", "plant", "N, N m",
        "wrench of the ball on the platform, about its origin", (axes.WRENCH,),
        titles=("Force of the ball", "Moment of the ball")),
    QuantityDefinition("ball_force", "plant", "N",
        "of the plate on the ball, along the normal; below zero it would fly off", ()),
)
"""Further quantities of simulations: tracking of the motion, and outputs of the plant."""
RECORDED = {
    f"recorded_{name}": QuantityDefinition(f"recorded_{name}", "recording", known.unit,
        f"{name} as recorded on the machine", known.axes, known.turning, known.of)
    for name, known in (QUANTITIES | OF_RUNS).items()
    if name in (
        "pose twist leg_length leg_speed actuator_position actuator_speed force motor_torque "
        "motor_current motor_voltage measured_acceleration measured_angular_velocity"
    ).split()
}
"""Quantities of which a recording can be laid over results."""
# fmt: on

DEFINITIONS = QUANTITIES | OF_RUNS | RECORDED
GROUPS = (*dict.fromkeys(definition.group for definition in QUANTITIES.values()), BANDWIDTH)
ALWAYS = (
    *("pose", "leg_length", "leg_speed", "actuator_position", "actuator_speed"),
    *("force", "power", "determinant"),
)
"""Quantities of every study, where the machine has them: summary and warnings need them."""
ELECTRICAL = ("motor_current", "motor_voltage", "motor_power")
"""Quantities that are computed together: with inductances, none is known without the others."""


def in_groups(*groups: str) -> tuple[str, ...]:
    """The quantities of some groups, in the order of the table."""
    return tuple(name for name, quantity in DEFINITIONS.items() if quantity.group in groups)


OF_RIGID_LEGS = frozenset((*in_groups("shares", "coupling", "reactions"), "wrench_margin"))
"""Quantities that would be wrong for compliant legs."""
OF_RESTING_BASE = frozenset(in_groups("coupling", "stiffness", VIBRATION, "tolerances"))
"""Quantities that are known on a base at rest alone."""
SHARES = frozenset(in_groups("shares", "coupling"))
"""Parts of forces: at a crossing they have no bound by themselves, even where their sum has."""


def wanted(names: Iterable[str]) -> frozenset[str]:
    """The quantities behind names of quantities and groups; "all" leaves some groups out."""
    found = set(ALWAYS)
    for name in names:
        if name == "all":
            found |= set(QUANTITIES).difference(in_groups(VIBRATION, ROTATION))
        elif name == BANDWIDTH:
            found.add(name)
        elif name in GROUPS:
            found |= set(QUANTITIES).intersection(in_groups(name))
        elif name in QUANTITIES:
            found.add(name)
        else:
            known = dict.fromkeys(("all", *GROUPS, *QUANTITIES))
            raise unknown(f"no quantity or group {name!r}", name, known)
    if not found.isdisjoint(ELECTRICAL):
        found |= set(ELECTRICAL)
    if not found.isdisjoint(in_groups(VIBRATION)):
        found.add("wrench")  # under which it vibrates so
    return frozenset(found)


def table_of(robot: Robot, *, moving_base: bool = False) -> Table:
    """The quantities of a robot by name, in the order of the table of all.

    With `moving_base` they say which are those of a base that moves.
    """
    table = _table_of(structure_of(robot), determinant_unit_name(robot))
    return {name: _carried(x) for name, x in table.items()} if moving_base else table


_NOT_OF_THE_BASE = (
    *("base_pose", "base_twist", "measured_acceleration", "measured_angular_velocity"),
    *("command", "voltage_cut_off", "operating_mode"),
)
"""Quantities with the same meaning on a base that moves, beside what was recorded."""
_CARRIED = ("energy", "stored_energy", "base_wrench", "wrench_margin")
"""Quantities, beside those of forces, in which the motion of the base counts."""


def _carried(known: QuantityDefinition) -> QuantityDefinition:
    """A quantity with its meaning on a base that moves."""
    if known.name in _NOT_OF_THE_BASE or known.name.startswith("recorded_"):
        return known
    carried = known.of_forces or known.name in _CARRIED
    where = "on the moving base" if carried else "relative to the base"
    in_a_run = known.in_a_run and f"{known.in_a_run}; {where}"
    return replace(known, meaning=f"{known.meaning}; {where}", in_a_run=in_a_run)


def positions_of(table: Table) -> str:
    """Return the name of the positions of a machine's actuators in its table."""
    return next(n for n, quantity in table.items() if quantity.kernel == "inverse_kinematics")


def why_lacking(robot: Robot, name: str) -> str:
    """Return the reason why a robot lacks a quantity of the table; empty if it has it."""
    structure = structure_of(robot)
    if name in table_of(robot):
        return ""
    quantity = DEFINITIONS[name]
    if not quantity.of.found_in(structure):
        return f"there is no {name}: {robot.name} has no {quantity.of.words}"
    kernel = quantity.kernel.partition(".")[0]
    reason = why_absent(structure, DEFAULT_FORMULATION, kernel)
    return f"there is no {name}: {reason or f'{robot.name} has no kernel {kernel}'}"


@lru_cache(maxsize=64)
def _table_of(structure: Structure, determinant_unit: str) -> Table:
    own, kernels = _axes(structure), definitions(structure, DEFAULT_FORMULATION)
    found = {name: x for name, x in DEFINITIONS.items() if x.of.found_in(structure)}
    given = {name: x for name, x in found.items() if _is_given(x.kernel, kernels)}
    table = {name: quantity.on(own) for name, quantity in given.items()}
    table["determinant"] = replace(table["determinant"], unit=determinant_unit)
    return MappingProxyType(table)


def _is_given(kernel: str, kernels: Mapping[str, KernelDefinition]) -> bool:
    """Whether a machine has what gives a quantity: nothing, a kernel, or a result of one."""
    name, _, result = kernel.partition(".")
    if name not in kernels:
        return not name
    return not result or result in [argument.name for argument in kernels[name].outputs]


def _axes(structure: Structure) -> dict[axes.Axis, axes.Axis]:
    """Return the axes of the table for a machine; the legs of a hexapod are counted."""
    named = {
        axes.BEARING: tuple(reaction.joint for reaction in structure.reactions),
        axes.BEAM: structure.beams,
        axes.BEAM_MODE: structure.beam_modes,
        axes.TILT: structure.tilts,
        axes.LEG_WITH_MOTORS: structure.motor_legs,
        axes.PASSIVE_GROUP: structure.passive_groups,
        axes.MODE: axes.MODE.labels[: structure.dof],
    }
    found = {a: replace(a, parts=(axes.AxisPart(a.name, names),)) for a, names in named.items()}
    joints = [(name, name not in structure.sliding) for name in structure.joints]
    found[axes.JOINT] = axes.joints_axis("joint", joints)
    couplings = [(coupling.name, coupling.turns) for coupling in structure.couplings]
    found[axes.COUPLING] = axes.joints_axis("coupling", couplings)
    if not structure.extensible:
        driven = [(joint.name, joint.turns) for joint in structure.driven]
        found[axes.LEG] = axes.joints_axis("actuator", driven)
    return found
