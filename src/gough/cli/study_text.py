"""What the study commands print: tables of figures, and the same as plain data."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from gough.cli.output import console, say, table
from gough.cli.robot_facts import part_mass
from gough.digits import short_decimal

if TYPE_CHECKING:
    from gough.analysis.limits import Judged
    from gough.analysis.results import Results
    from gough.studies.grid_results import GridResults

_SHOWN = (
    "peak_position_error rms_position_error peak_attitude_error rms_attitude_error mean_leg_error "
    "mean_actuator_error "
    "peak_force rms_force least_force_index saturated_time peak_power peak_total_power "
    "energy_spent energy_net peak_leg_speed shortest_leg_length longest_leg_length "
    "peak_actuator_speed lowest_actuator_position highest_actuator_position least_travel_margin "
    "least_stroke_margin least_speed_margin least_current_margin least_voltage_margin "
    "least_base_joint_margin least_platform_joint_margin least_joint_margin least_tilt_margin "
    "samples_without_forces "
    "largest_condition least_determinant least_universal_joint_sine "
    "peak_gravity_only_error peak_motor_current peak_motor_voltage peak_motor_power "
    "peak_task_deflection peak_task_deflection_angle least_stiffness least_turning_stiffness "
    "first_natural_frequency largest_pose_spread largest_pose_spread_angle largest_force_spread "
    "peak_coupling_deflection peak_link_deflection peak_contact_force final_contact_force"
).split()

_IN_A_ROW = (
    "peak_force",
    "rms_force",
    "least_force_index",
    "least_stroke_margin",
    "least_travel_margin",
    "energy_spent",
)
_NAMED = {"saturated_time": "time with force above limit"}
"""Figures whose names alone do not tell what they are."""


def print_results(results: Results) -> None:
    """Warnings first, then the figures that matter most."""
    from gough.analysis.figures import known_of
    from gough.analysis.included import forces_include
    from gough.analysis.simulation_facts import RUN

    _print_warnings(results.warnings)
    if RUN not in results.study:
        for heading, line in forces_include(results.robot).texts(results.quantities).items():
            say(f"{heading.lower()}: {line}", "note")
    if results.robot.platform.mass + part_mass(results.robot) == 0.0:
        say("the robot and its payload have no mass: forces come from other tasks alone", "note")
    rows = [
        (
            _NAMED.get(scalar.name, scalar.name.replace("_", " ")),
            _number(scalar.value),
            scalar.unit,
            "" if scalar.leg is None else scalar.place.removeprefix("leg "),
            "" if scalar.time is None else short_decimal(scalar.time),
        )
        for scalar in (results.summary[name] for name in known_of(_SHOWN, results.summary))
    ]
    named = any(scalar.labels for scalar in results.summary.values())
    columns = ("figure", "value", "unit", "joint" if named else "leg", "at [s]")
    console.print(table(f"{results.name}: {results.robot.name}", columns, rows))
    _print_limits(results.limits)


def print_grid(results: GridResults, most: int = 20) -> None:
    """A row for each point of the grid, as many as a screen holds."""
    from gough.analysis.figures import figure_of, known_of
    from gough.report.grid_page import grid_warnings

    _print_warnings(tuple(grid_warnings(results)))
    names = known_of(_IN_A_ROW, results)
    names += [name for name in results if figure_of(name).is_count and results[name].any()]
    chosen = [v.heading for v in results.variations]
    chosen += [f"{name} [{results.figure(name).unit}]" for name in names]
    if results.singularities.any():
        chosen.append("singularities")
    columns, count = results.columns(), len(results.errors)
    rows = [[_cell(columns[name][k]) for name in chosen] for k in range(min(count, most))]
    heads = [name.replace("_", " ") for name in chosen]
    console.print(table(f"{results.name}: {count} variations", heads, rows))
    if count > most:
        console.print(f"and {count - most} more rows in the results", style="dim")
    say(_best_words(results))
    _print_limits(results.limits)


def plain(results: Results) -> dict[str, Any]:
    """The figures, warnings and singular times as plain data."""
    from gough.analysis.included import forces_include
    from gough.analysis.simulation_facts import RUN

    return {
        "name": results.name,
        "robot": results.robot.name,
        "warnings": list(results.warnings),
        "limits": results.limits._asdict(),
        **({} if RUN in results.study else {"forces": asdict(forces_include(results.robot))}),
        "singularities": [asdict(point) for point in results.singularities],
        "summary": {
            name: {
                "value": scalar.value,
                "unit": scalar.unit,
                "leg": scalar.leg,
                "time": scalar.time,
                "per_leg": scalar.per_leg,
                "meaning": scalar.meaning,
                **({"labels": scalar.labels} if scalar.labels else {}),
            }
            for name, scalar in results.summary.items()
        },
    }


def plain_grid(results: GridResults) -> dict[str, Any]:
    """All columns of the table of variations as plain data, and the worst of all points."""
    from gough.sizing.envelope import envelope

    return {
        "name": results.name,
        "robot": results.robot.name,
        "limits": results.limits._asdict(),
        "columns": results.columns(),
        "feasible": results.feasible.reshape(-1).tolist(),
        "envelope": envelope(results).to_dict()["figures"],
    }


def _best_words(results: GridResults) -> str:
    """How many points are feasible, and where the best of them is."""
    words = f"{int(results.feasible.sum())} of {len(results.errors)} points are feasible"
    best = results.best("peak_force") if "peak_force" in results else None
    if best is None:
        return words
    pairs = zip(results.variations, best, strict=True)
    return f"{words}; least peak force of them: {', '.join(v.words(k) for v, k in pairs)}"


def _print_warnings(warnings: tuple[str, ...]) -> None:
    for words in warnings:
        say(words, "warning")


def _print_limits(limits: Judged) -> None:
    console.print(str(limits), style="dim", soft_wrap=True)


def _number(value: float) -> str:
    return short_decimal(value, 5) if math.isfinite(value) else "–"


def _cell(value: Any) -> str:
    return str(value) if isinstance(value, str) else _number(float(value))
