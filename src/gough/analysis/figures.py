"""All figures that sum up a study or a simulation, from the tables of quantities and limits."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import replace

import numpy as np

from gough.analysis.axes import SUFFIXES
from gough.analysis.definition import Figure, QuantityDefinition
from gough.analysis.limits import limits_on
from gough.analysis.quantities import DEFINITIONS, RECORDED
from gough.analysis.reductions import OF_LEGS, OF_MACHINE, Reduction
from gough.arrays import Array

# fmt: off
SATURATED_TIME = Figure(None, "Force above its limit", "Force above its limit",
    alarming="above zero", name="saturated_time", unit="s",
    meaning="how long the force of a leg is above its limit, whatever was commanded")
COMMAND_AT_LIMIT = Figure(None, "Command at its limit", "Commands at their limit",
    alarming="above zero", only_shown=True, name="command_at_limit", unit="%",
    meaning="fraction of the run with a command, not the force, at its limit, and when first")
TRACKING_BANDWIDTH = Figure(None, "Tracking bandwidth", name="tracking_bandwidth", unit="Hz",
    meaning="minimum bandwidth of first-order loops with position errors within tracking_error")
SAMPLES_WITHOUT_FORCES = Figure(is_count=True, name="samples_without_forces", unit="1",
    meaning="number of samples without forces, because these are not finite there")
# fmt: on
_TIMES_AT_LIMITS = {"force": SATURATED_TIME, "command": COMMAND_AT_LIMIT}


def _of(quantity: QuantityDefinition) -> list[Figure]:
    """Return the figures of a quantity, of its margin to the limit, and of the time beyond it."""
    figures = list(quantity.figures)
    for limit in limits_on(quantity.name):
        margin = Figure(None, limit.heading, worst="min", alarming="below zero")
        unit = limit.reduction.unit if limit.reduction else "1" if limit.as_share else ""
        figures.append(replace(margin, name=limit.figure, unit=unit, meaning=limit.meaning))
    if quantity.name in _TIMES_AT_LIMITS:
        figures.append(_TIMES_AT_LIMITS[quantity.name])
    return [figure.of(quantity) for figure in figures]


_OF_QUANTITIES = {name: _of(quantity) for name, quantity in DEFINITIONS.items()}

RECORDING_ERROR = "recording_error_"
"""Beginning of the names of figures that compare results with a recording."""
FIGURES = dict[str, Figure]()
"""All figures by name, in the order of the quantities."""
for _figures in _OF_QUANTITIES.values():
    for _figure in _figures:
        FIGURES.setdefault(_figure.name, _figure)
for _name, _quantity in RECORDED.items():
    for _suffix in ("", "_angular"):
        _own = RECORDING_ERROR + _name.removeprefix("recorded_")
        FIGURES[_own + _suffix] = Figure(
            heading=f"Mean error of {_own.removeprefix(RECORDING_ERROR).replace('_', ' ')}",
            name=_own + _suffix,
            meaning="E of Bingul 2012 (70): mean of the sum of |recorded - computed|",
            quantity=replace(_quantity, small=True),
        )
for _figure in (SAMPLES_WITHOUT_FORCES, TRACKING_BANDWIDTH):
    FIGURES[_figure.name] = _figure
MADE_BY: dict[Reduction, dict[str, Figure]] = {made: {} for made in (*OF_LEGS, *OF_MACHINE)}
"""The figures that each reduction makes, by quantity."""
for _name, _figures in _OF_QUANTITIES.items():
    for _figure in _figures:
        if _figure.reduction is not None:
            MADE_BY[_figure.reduction][_name] = _figure
_STROKE_AND_SPEED = ("stroke_used", "travel_used", "peak_leg_speed", "peak_actuator_speed")
MAIN_OF_STUDIES = (*_STROKE_AND_SPEED, "peak_force", "rms_force", "peak_power")
MAIN_OF_RUNS = ("peak_position_error", *_STROKE_AND_SPEED, "peak_force", "peak_power")
"""Figures by which actuators are chosen, first in every summary: of a machine five lines."""
_KEY_OF_BOTH = (
    *("minimum_contact_force_margin", "minimum_force_margin", "saturated_time"),
    "minimum_stroke_margin",
    *("minimum_travel_margin", "minimum_speed_margin", "maximum_condition"),
)
KEY_OF_STUDIES = (*MAIN_OF_STUDIES, "energy_spent", *_KEY_OF_BOTH)
KEY_OF_RUNS = (
    *MAIN_OF_RUNS,
    *("rms_position_error", "peak_orientation_error", "rms_orientation_error"),
    *("peak_leg_length_error", "peak_actuator_position_error"),
    *("peak_command", "command_at_limit", *_KEY_OF_BOTH),
)
"""Figures on the cards of a report, of studies and of simulations."""
MINOR_GROUPS = ("coupling", "shares", "singularity")
"""Groups of quantities whose figures stand below the fold of a report."""
NOISE = 1e-10
"""Rounding noise relative to the maximum: far above rounding of sums over long studies."""
SHOWN = """peak_position_error rms_position_error peak_orientation_error rms_orientation_error
    mean_leg_error mean_actuator_error stroke_used travel_used peak_leg_speed peak_actuator_speed
    peak_force rms_force peak_power minimum_force_margin saturated_time peak_total_power
    energy_spent energy_net shortest_leg_length longest_leg_length lowest_actuator_position
    highest_actuator_position minimum_travel_margin minimum_stroke_margin minimum_speed_margin
    minimum_power_margin minimum_force_bandwidth_margin minimum_speed_bandwidth_margin
    force_bandwidth leg_speed_bandwidth actuator_speed_bandwidth tracking_bandwidth
    minimum_current_margin minimum_voltage_margin minimum_joint_margin minimum_tilt_margin
    peak_motor_current peak_motor_voltage peak_motor_power peak_task_deflection
    peak_task_deflection_angle minimum_stiffness minimum_rotational_stiffness
    first_natural_frequency maximum_pose_deviation maximum_pose_deviation_angle
    maximum_force_deviation peak_coupling_deflection peak_link_deflection peak_contact_force
    final_contact_force minimum_contact_force_margin samples_without_forces maximum_condition
    minimum_determinant minimum_universal_joint_sine peak_gravity_only_error""".split()
"""The figures of a table of results, in their order."""


def figure_of(name: str) -> Figure:
    """A figure by its name, of all joints alike; of an unknown one nothing else is known."""
    of_one_kind = (FIGURES.get(name.removesuffix(suffix)) for suffix in SUFFIXES)
    return next(filter(None, of_one_kind), None) or Figure(name=name, worst="")


def known_of(names: Iterable[str], known: Container[str]) -> list[str]:
    """Those of the figures that are known, each as it is, or of joints that turn and that slide."""
    both = (name + suffix for name in names for suffix in SUFFIXES)
    return [name for name in both if name in known]


def actuator_words(words: str, name: str, units: Mapping[str, str]) -> str:
    """Return words of a figure with torque, range or stroke; `units` are of all figures by name."""
    travel = {"rad": "range", "m": "stroke"}.get(units.get(name, ""), "travel")
    words = words.replace("travel", travel).replace("Travel", travel.capitalize())
    quantity = figure_of(name).quantity
    if quantity is None or quantity.turning != "N m":
        return words
    efforts = {units[other] for other in known_of(["peak_force"], units)}
    return with_torque(words) if units.get(name) == "N m" or efforts == {"N m"} else words


def with_torque(words: str) -> str:
    """Return words on actuators with torque for force."""
    return words.replace("force", "torque").replace("Force", "Torque")


def without_noise(name: str, numbers: Mapping[str, Array], values: Array) -> Array:
    """Return values of a figure, zeros where tiny beside the maximum in all `numbers` by name."""
    beside = numbers.get(figure_of(name).beside or name, values)
    both = (np.abs(some[np.isfinite(some)]).max(initial=0.0) for some in (values, beside))
    return np.where(np.abs(values) < NOISE * max(both), 0.0, values)
