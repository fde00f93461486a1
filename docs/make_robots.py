"""Make the pages of docs/reference/robots: `python docs/make_robots.py [NAME …]`.

There is one for each robot of the library. Text, tables and pictures of these pages come from
here, from the library's files, and from the studies in studies/robots; machine_pages.toml has the
machines' history.
"""

from __future__ import annotations

import re
import sys
import tomllib
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
from make_reproductions import tidy
from matplotlib.figure import Figure
from PIL import Image

import gough
from gough.analysis import Results, actuator_words
from gough.kinematics import Model, home_facts, structure_rows, travel, workspace_slice
from gough.plots import LEG_COLOURS, plot_machine, save_plot
from gough.poses import displace
from gough.robot import Robot
from gough.studies import Study, run

ROOT = Path(__file__).parents[1]
FOLDER = Path(__file__).parent / "reference" / "robots"
LIBRARY = ROOT / "src" / "gough" / "robot" / "library"
FIGURES = (
    "peak_force", "rms_force", "minimum_force_margin",
    "peak_actuator_speed", "peak_leg_speed", "minimum_speed_margin",
    "minimum_travel_margin", "minimum_stroke_margin",
    "peak_power", "energy_spent",
    "peak_motor_current", "minimum_current_margin", "minimum_voltage_margin",
    "minimum_tilt_margin", "minimum_joint_margin",
    "minimum_joint_margin_rotary", "minimum_joint_margin_linear", "maximum_condition",
)  # fmt: skip
"""Figures of a study that a page shows."""
SLICE = (
    " The black line encloses the workspace; colours outside show which limit is exceeded there "
    "(assembly: the loops cannot be closed), and thin lines inside are contours of the remaining "
    "margin."
)
COLOURS = 128
"""Number of colours of a picture: enough for line art, and small files."""


@dataclass(frozen=True)
class MachinePage:
    """Text and view of a page that no file of the machine has."""

    title: str
    history: str
    """Type of the machine, and who built the first one."""
    slice_words: str
    study: str
    """The study's file, seen from the folder of studies."""
    study_words: str
    plane: tuple[str, str] | None = None
    """The two coordinates of the slice through its workspace; none of a machine with one."""
    view: tuple[float, float] = (22, -55)
    """Elevation and azimuth of the view [deg]."""
    turned: tuple[float, float, float] = (0, 0, 0)
    """Roll, pitch and yaw of the platform in the picture [deg]."""


def pages() -> dict[str, MachinePage]:
    """Return the pages by the machine's name, in the order of the index."""
    tables = tomllib.loads((Path(__file__).parent / "machine_pages.toml").read_text("utf-8"))
    return {name: MachinePage(**table) for name, table in tables.items()}


def essential(file: str) -> str:
    """Return a robot file without reference, notes and tables of drives."""
    file = re.sub(r"^(#:schema|reference = ).*\n", "", file, flags=re.M)
    file = re.sub(r'^notes = """.*?"""\n', "", file, flags=re.M | re.S)
    extra = r"\[legs?\.(motor\.drive|drive|connector|screw|joint_friction|joint_stiffness|stop)\]"
    return "\n\n".join(part for part in file.split("\n\n") if not re.match(extra, part)).strip()


def three_digits(value: float) -> str:
    """Return a number with three digits."""
    return f"{float(f'{value:.3g}'):g}"


def table(headings: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """Return a table of a page; stars are escaped."""
    lines = [headings, ("---",) * len(headings), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines).replace("*", r"\*")


def structure_table(robot: Robot) -> str:
    """Return the structure of the machine and its mobility, as `gough show` prints them."""
    facts = home_facts(robot)
    rows = [(str(name), str(value)) for name, value, _ in structure_rows(facts["structure"])]
    rows.append(("condition of J at home", three_digits(facts["jacobian_condition"])))
    return table(("structure", ""), rows)


def motor_table(robot: Robot) -> str:
    """Return the limits of each motor; equal motors share a row."""
    at_home = Model(robot).inverse_kinematics(robot.home).round(12) + 0.0  # no -0
    rows = []
    for motor, position in zip(robot.actuators, at_home, strict=True):
        scale, unit, force = (np.degrees(1), "deg", "N m") if motor.turns else (1e3, "mm", "N")
        ends = [three_digits(scale * end) for end in motor.travel or ()]
        cells = (
            f"{three_digits(scale * position)} {unit}",
            f"{' to '.join(ends)} {unit}" if ends else "–",
            _limit(motor.max_force, 1, force),
            _limit(motor.max_speed, scale if motor.turns else 1, "deg/s" if motor.turns else "m/s"),
        )
        rows.append((motor.name, cells))
    alike = groupby(rows, key=lambda row: row[1])
    shown = [(", ".join(name for name, _ in group), *cells) for cells, group in alike]
    rotary = robot.actuators[0].turns
    limits = ("range", "maximum torque") if rotary else ("stroke", "maximum force")
    return table(("actuator", "at home", *limits, "maximum speed"), shown)


def _limit(value: float | None, scale: float, unit: str) -> str:
    return "–" if value is None else f"{three_digits(scale * value)} {unit}"


def travel_table(model: Model) -> str:
    """Return the travel from home along each axis of the platform, and its limit."""
    rows = []
    for part in travel(model):
        scale, unit = (np.degrees(1), "deg") if part.unit == "rad" else (1e3, "mm")
        for freedom, ways, ends in zip(
            part.degrees_of_freedom, part.distances, part.limited_by, strict=True
        ):
            there = (
                f"{sign}{three_digits(scale * way)} {unit} ({end})" if end else "no limit"
                for sign, way, end in zip("-+", ways, ends, strict=True)
            )
            rows.append((freedom, *there))
    return table(("axis", "negative", "positive"), rows)


def study_table(results: Results) -> str:
    """Return the figures of a study, with the actuator or joint and the time."""
    rows = []
    units = {name: figure.unit for name, figure in results.summary.items()}
    for figure in (results.summary[name] for name in FIGURES if name in results.summary):
        time = "" if figure.time is None else f"{figure.time:.3f} s"
        value = f"{three_digits(figure.value)} {figure.unit}".removesuffix(" 1")
        words = actuator_words(figure.name.replace("_", " "), figure.name, units)
        rows.append((words, value, figure.place, time))
    return table(("figure", "value", "of", "at"), rows)


def compact(path: Path) -> None:
    """Reduce a picture to few colours."""
    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    small.save(path, optimize=True)


def draw_efforts(results: Results, path: Path) -> None:
    """Draw the torque or force of each actuator over time."""
    figure = Figure(figsize=(7.2, 2.8), dpi=110, layout="constrained")
    axis = figure.subplots()
    motors = results.robot.actuators
    for motor, effort, colour in zip(motors, results["force"].T, LEG_COLOURS, strict=False):
        axis.plot(results.time, effort, color=colour, label=motor.name, linewidth=1.3)
    tidy(axis, "time [s]", "torque [N m]" if motors[0].turns else "force [N]")
    axis.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.savefig(path)


def draw_range(model: Model, path: Path) -> None:
    """Draw the actuator's position and its rate over the range of the only coordinate."""
    (part,), robot = travel(model), model.robot
    (low, high), (row,) = part.distances[0], robot.freedom_rows
    steps = np.linspace(-low, high, 201)
    poses = displace(robot.home, steps[:, None] * row)
    figure = Figure(figsize=(7.2, 2.8), dpi=110, layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(np.degrees(steps), 1e3 * model.inverse_kinematics(poses)[:, 0])
    tidy(left, "angle from home [deg]", "actuator position [mm]")
    right.plot(np.degrees(steps), 1e3 * model.jacobian(poses)[:, 0] @ row)
    tidy(right, "angle from home [deg]", "lever arm [mm]")
    figure.savefig(path)


def make(name: str, page: MachinePage) -> None:
    """Write one page with its three pictures."""
    robot = gough.load(name)
    model = Model(robot)
    shown = displace(robot.home, [0, 0, 0, *np.radians(page.turned)])
    pictures = {part: FOLDER / f"{name}{part}.png" for part in ("", "-workspace", "-efforts")}
    save_plot(plot_machine(robot, shown, page.view), pictures[""])
    if page.plane is None:
        draw_range(model, pictures["-workspace"])
    else:
        shown = workspace_slice(model, page.plane, resolution=300)
        save_plot(shown.plot(), pictures["-workspace"])
    results = run(Study.load(ROOT / "studies" / page.study))
    assert isinstance(results, Results)
    draw_efforts(results, pictures["-efforts"])
    for path in pictures.values():
        compact(path)
    (FOLDER / f"{name}.md").write_text(text_of(name, page, model, results), "utf-8")
    print(f"{name}: {len(results.warnings)} warnings")


def text_of(name: str, page: MachinePage, model: Model, results: Results) -> str:
    """Return the text of a machine's page."""
    robot = model.robot
    study = (ROOT / "studies" / page.study).read_text("utf-8")
    study = re.sub(r"^#:schema .*\n", "", study).strip()
    return f"""# {page.title}

![{name}]({name}.png)

{page.history}

`{name}`: {robot.reference.rstrip(".")}. {robot.notes.strip()}

## Robot file

Without notes and electrical data of the motors, which are in `src/gough/robot/library/{name}.toml`.

```toml
{essential((LIBRARY / f"{name}.toml").read_text("utf-8"))}
```

## Structure and actuators

{structure_table(robot)}

{motor_table(robot)}

## Workspace

![workspace of {name}]({name}-workspace.png)

{page.slice_words}{SLICE if page.plane else ""} Travel from home along one axis at a time:

{travel_table(model)}

## A study

{page.study_words} `gough run studies/{page.study} --output {name}` writes the report.

```toml
{study}
```

![actuator forces of {name}]({name}-efforts.png)

{study_table(results)}
"""


def index(machines: dict[str, MachinePage]) -> str:
    """Return the text of the index page."""
    rows = []
    for name, page in machines.items():
        structure = Model(gough.load(name)).structure
        legs = ", ".join(f"{len(list(g))} {leg}" for leg, g in groupby(map(str, structure.legs)))
        picture = f'<img src="{name}.png" alt="{name}" width="200">'
        moves = " ".join(structure.degrees_of_freedom)
        rows.append((picture, f"[{page.title}]({name}.md)<br>`{name}`", legs, moves))
    return f"""# The machines of the library

Each of the {len(machines)} robots of the library has a page with its file, its structure and
actuators, its workspace, and a study of a typical motion; those of published papers come first.
`python docs/make_robots.py` makes these pages, with all their numbers and pictures, from the
library's files, the studies in `studies/robots` and the texts in `docs/machine_pages.toml`.

```sh
gough show five-bar                                         # the structure on the command line
gough run studies/robots/five-bar.toml --output five-bar    # one of the studies, with its report
```

{table(("", "machine", "legs, driven joints with *", "degrees of freedom"), rows)}
"""


def main(names: list[str]) -> None:
    """Write the pages of these machines, or of all, and the index."""
    FOLDER.mkdir(exist_ok=True)
    machines = pages()
    for name in names or machines:
        make(name, machines[name])
    (FOLDER / "index.md").write_text(index(machines), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
