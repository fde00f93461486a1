"""Compliance and accuracy: stiffness, vibration, and the effects of manufacturing tolerances."""

from pathlib import Path
from typing import Any, Literal

import gough
from gough import elastic, plots
from gough.cli import options
from gough.cli.output import show, wrong_usage
from gough.errors import InputError
from gough.fields import read_table, units

MAP = options.figure("Save a map over the workspace.", "--map")
PLANE = options.with_default(options.AXES, ("x", "y"))
ROTATIONAL = options.flag("Map of rotations instead of translations.", "--rotational")
ACTUATORS = options.opt(
    "Actuators: locked, free, or controlled with a stiffness, in N/m or with a unit (20N/um).",
    metavar="STATE",
    default="locked",
)


def _actuators(text: str) -> Any:
    """Return the value of --actuators: a word, or a stiffness [N/m]."""
    if text in ("locked", "free"):
        return text
    try:
        return units.to_si(options.number_or_text(text), units.STIFFNESS)
    except InputError as error:
        raise wrong_usage("--actuators", f"{error}; or locked, or free") from None


def stiffness(
    robot: str = options.ROBOT,
    *,
    at: options.PoseOptions,
    actuators: str = ACTUATORS,
    plot: Path | None = options.figure("Save a figure of the machine with its ellipsoids."),
    map_file: Path | None = MAP,
    axes: tuple[str, str] = PLANE,
    rotational: bool = ROTATIONAL,
    as_json: bool = options.JSON,
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
    show(
        found,
        as_json,
        notes=[f"actuators: {actuators}"],
        files={"ellipsoids": plot, "map": map_file},
        facts={"actuators": actuators},
    )


def vibration(
    robot: str = options.ROBOT,
    *,
    at: options.PoseOptions,
    actuators: str = ACTUATORS,
    connectors: str | None = options.opt(
        "Compliant stages of the legs: rigid, simple, low-frequency, high-frequency or "
        "complete. Default: all that the robot has.",
        metavar="MODE",
    ),
    plot: Path | None = options.figure("Save a figure of the lowest six natural modes."),
    map_file: Path | None = options.figure("Save a map of the first frequency.", "--map"),
    axes: tuple[str, str] = PLANE,
    base_excitation: float | None = options.quantity_option(
        "Frequency of a base excitation", units.FREQUENCY, 1e-6, 1e6
    ),
    response: Path | None = options.figure(
        "Save the frequency response to base excitation.", "--response"
    ),
    modal_damping: float = options.opt(
        "Damping ratio of all natural modes in that response.",
        show_default=False,
        callback=options.within(0, 0.99),
        default=0.0,
    ),
    response_point: options.Three | None = options.opt(
        "Point of the platform in that response.", metavar="X Y Z"
    ),
    pivot: options.Three | None = options.opt(
        "Point about which the base rotates.", metavar="X Y Z"
    ),
    as_json: bool = options.JSON,
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
                raise wrong_usage(
                    option, "not used; expected --base-excitation or --response beside it"
                )
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
    show(
        found,
        as_json,
        tables=[*found.tables(), *(excited.tables() if excited else ())],
        files={"shapes": plot, "map": map_file, "responses": response},
        facts={"actuators": actuators}
        | ({"base_excitation": excited.to_dict()} if excited else {}),
    )


def tolerances(
    robot: str = options.ROBOT,
    *,
    tolerance: list[str] = options.opt(
        'Standard deviation, "legs[*].base=50 um" or "mass=1 %"; "=±50 um": uniform. Or a '
        "file. Again for more.",
        metavar="NAME=SIZE|FILE",
        default=...,
    ),
    at: options.PoseOptions,
    by: Literal["number", "joint", "pattern"] = options.opt(
        "Shares by number, joint or pattern.", metavar="GROUP", default="joint"
    ),
    monte_carlo: int = options.opt("Number of Monte Carlo samples.", metavar="N", default=0),
    seed: int = options.SEED,
    plot: Path | None = options.figure(
        "Save a figure of the machine with its error ellipsoid, and shares."
    ),
    map_file: Path | None = MAP,
    axes: tuple[str, str] = PLANE,
    rotational: bool = ROTATIONAL,
    computed_by: options.ExecutorOptions,
    as_json: bool = options.JSON,
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
    how: Any = {"samples": monte_carlo, "rng": seed, "executor": executor, "progress": True}
    found = gough.tolerances(model, pose, _tolerances(tolerance), **how)
    if plot is not None:
        plots.save_plot(found.plot(by), plot)
    if map_file is not None:
        drawn = tolerance_map(model, axes, found.stated, found.pose, rotational=rotational)
        plots.save_plot(drawn.plot(title=model.robot.name), map_file)
    show(
        found,
        as_json,
        tables=found.tables(by),
        notes=remarks,
        files={"figure": plot, "map": map_file},
        facts={"shares": {of: found.shares(of, by) for of in EFFECTS}},
    )


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
