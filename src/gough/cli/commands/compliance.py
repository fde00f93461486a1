"""Compliance and accuracy: stiffness, vibration, and the effects of manufacturing tolerances."""

from pathlib import Path
from typing import Any, Literal

import gough
from gough import elastic, plots
from gough.cli import options
from gough.cli.output import show, wrong_usage
from gough.errors import InputError
from gough.fields import read_table, units


def _actuators(text: str) -> Any:
    """Return the value of --actuators: a word, or a stiffness [N/m]."""
    if text in ("locked", "free"):
        return text
    try:
        return units.to_si(options.number_or_text(text), units.STIFFNESS)
    except InputError as error:
        raise wrong_usage("--actuators", f"{error}; or locked, or free") from None


def stiffness(
    robot: str,
    *,
    at: options.PoseOptions,
    actuators: str = "locked",
    plot: Path | None = None,
    map_file: Path | None = None,
    axes: tuple[str, str] = ("x", "y"),
    rotational: bool = False,
    as_json: bool = False,
) -> None:
    """Compute the stiffness at a pose, under the robot's own weight.

    Example:  gough elastic stiffness demo-hexapod --position 0.1 0 0.95 --map stiffness.png
    """
    model = gough.Model(gough.load(robot))
    held = _actuators(actuators)
    found = gough.stiffness(model, at.pose(model.robot), actuators=held)
    if plot is not None:
        plots.save_plot(found.plot(), plot)
    if map_file is not None:
        drawn = elastic.stiffness_map(
            model, axes, found.pose, actuators=held, rotational=rotational
        )
        plots.save_plot(drawn.plot(title=model.robot.name), map_file)
    files, notes = {"ellipsoids": plot, "map": map_file}, [f"actuators: {actuators}"]
    show(found, as_json, notes=notes, files=files, facts={"actuators": actuators})


def vibration(
    robot: str,
    *,
    at: options.PoseOptions,
    actuators: str = "locked",
    connectors: str | None = None,
    plot: Path | None = None,
    map_file: Path | None = None,
    axes: tuple[str, str] = ("x", "y"),
    base_excitation: float | None = None,
    response: Path | None = None,
    modal_damping: float = 0.0,
    response_point: options.Three | None = None,
    pivot: options.Three | None = None,
    as_json: bool = False,
) -> None:
    """Compute the natural frequencies of a compliant robot, and the motion at each of them.

    Example:  gough elastic vibration demo-hexapod --connectors rigid --base-excitation 60
    """
    machine = gough.load(robot)
    pose = at.pose(machine)
    held: dict[str, Any] = {"actuators": _actuators(actuators), "connectors": connectors}
    found, excited = gough.natural_modes(machine, pose, **held), None
    if plot is not None:
        plots.save_plot(found.plot(), plot)
    if map_file is not None:
        drawn = elastic.frequency_map(machine, axes, pose, **held)
        plots.save_plot(drawn.plot(title=machine.name), map_file)
    points = {"--response-point": response_point, "--pivot": pivot}
    if base_excitation is None and response is None:
        for option, given in {"--modal-damping": modal_damping, **points}.items():
            if given:
                why = "not used; expected --base-excitation or --response beside it"
                raise wrong_usage(option, why)
    else:
        from gough.elastic.response import BaseExcitation

        tool, about = (
            [options.length(option, x) for x in given or ("0", "0", "0")]
            for option, given in points.items()
        )
        damped = {"actuators": held["actuators"], "damping_ratio": modal_damping}
        system = elastic.elastic_state_space(
            found.robot, found.pose, tool=tool, pivot=about, **damped
        )
        if response is not None:
            over = BaseExcitation.of(system, found.surrounding_frequencies())
            both = (over.transmissibility, over.compliance)
            plots.save_plot(elastic.plot_response(*both, title=machine.name), response)
        if base_excitation is not None:
            excited = BaseExcitation.of(system, [base_excitation], machine.name)
    tables, facts = found.tables(), dict[str, Any](actuators=actuators)
    if excited:
        tables += excited.tables()
        facts["base_excitation"] = excited.to_dict()
    files = {"shapes": plot, "map": map_file, "responses": response}
    show(found, as_json, tables=tables, files=files, facts=facts)


def tolerances(
    robot: str,
    *,
    tolerance: list[str],
    at: options.PoseOptions,
    by: Literal["number", "joint", "pattern"] = "joint",
    monte_carlo: int = 0,
    seed: int = 0,
    plot: Path | None = None,
    map_file: Path | None = None,
    axes: tuple[str, str] = ("x", "y"),
    rotational: bool = False,
    computed_by: options.ExecutorOptions,
    as_json: bool = False,
) -> None:
    """Compute the pose error that tolerances cause, and the share of each.

    Example:  gough tolerances demo-hexapod --tolerance "legs[*].base=50 um"
    """
    from gough.tolerance import tolerance_map
    from gough.tolerance.tolerances import EFFECTS

    executor = computed_by.executor()
    if not monte_carlo:
        computed_by.refuse("without Monte Carlo samples all is computed here; add --monte-carlo")
    model = gough.Model(gough.load(robot))
    pose, remarks = at.possible_pose(model)
    half_widths = _tolerances(tolerance)
    found = gough.tolerances(
        model, pose, half_widths, samples=monte_carlo, rng=seed, executor=executor, progress=True
    )
    if plot is not None:
        plots.save_plot(found.plot(by), plot)
    if map_file is not None:
        drawn = tolerance_map(model, axes, found.stated, found.pose, rotational=rotational)
        plots.save_plot(drawn.plot(title=model.robot.name), map_file)
    files = {"figure": plot, "map": map_file}
    shares = {of: found.shares(of, by) for of in EFFECTS}
    tables, facts = found.tables(by), {"shares": shares}
    show(found, as_json, tables=tables, notes=remarks, files=files, facts=facts)


def _tolerances(given: list[str]) -> dict[str, Any]:
    """Return the tolerances of all options together; the last one of a name counts."""
    found: dict[str, Any] = {}
    for option in given:
        name, equals, size = option.partition("=")
        if equals:
            found[name.strip()] = options.number_or_text(size)
        else:
            found |= read_table(Path(option), "tolerances")
    return found
