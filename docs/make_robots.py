"""Make the pages of docs/robots: `python docs/make_robots.py [NAME …]`.

There is one for each machine of machine_pages.toml.

Text, tables and pictures of these pages all come from here, from the library's files, and from
the studies in studies/robots. What a page says of the machine's history is in machine_pages.toml.
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
from gough.analysis import Results
from gough.cli import home_facts, structure_rows
from gough.kinematics import Model, save_slice, travel, workspace_slice
from gough.plots import LEG_COLOURS, save_drawing
from gough.poses import displace
from gough.robot import Robot, library_names
from gough.studies import Study, run

ROOT = Path(__file__).parents[1]
FOLDER = Path(__file__).parent / "robots"
LIBRARY = ROOT / "src" / "gough" / "robot" / "library"
FIGURES = (
    "peak_force", "rms_force", "least_force_index",
    "peak_actuator_speed", "peak_leg_speed", "least_speed_margin",
    "least_travel_margin", "least_stroke_margin",
    "peak_power", "energy_spent",
    "peak_motor_current", "least_current_margin", "least_voltage_margin",
    "least_tilt_margin", "least_joint_margin",
    "least_joint_margin_turning", "least_joint_margin_sliding", "largest_condition",
)  # fmt: skip
"""Those of a study's figures that a page shows."""
COLOURS = 128
"""Of a picture: enough for drawings, and small files."""


@dataclass(frozen=True)
class MachinePage:
    """What a page says that no file of the machine says."""

    title: str
    history: str
    """What kind of machine it is, and who built the first one."""
    plane: tuple[str, str]
    """The two coordinates of the slice through its workspace."""
    slice_words: str
    study: str
    """The study's file, seen from the folder of studies."""
    study_words: str
    view: tuple[float, float] = (22, -55)
    """From where it is drawn: elevation and azimuth [deg]."""
    turned: tuple[float, float, float] = (0, 0, 0)
    """Roll, pitch and yaw of the drawing [deg]."""


def pages() -> dict[str, MachinePage]:
    """By the machine's name, in the order of the index."""
    tables = tomllib.loads((Path(__file__).parent / "machine_pages.toml").read_text("utf-8"))
    return {name: MachinePage(**table) for name, table in tables.items()}


def essential(file: str) -> str:
    """A robot file without reference and notes, which are text, and without tables of drives."""
    file = re.sub(r"^(#:schema|reference = ).*\n", "", file, flags=re.M)
    file = re.sub(r'^notes = """.*?"""\n', "", file, flags=re.M | re.S)
    extra = r"\[legs?\.(motor\.drive|drive|connector|screw|joint_friction|joint_stiffness|stop)\]"
    return "\n\n".join(part for part in file.split("\n\n") if not re.match(extra, part)).strip()


def three_digits(value: float) -> str:
    """A number as pages show it."""
    return f"{float(f'{value:.3g}'):g}"


def table(headings: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    """A table of a page; a star is one, and no emphasis."""
    lines = [headings, ("---",) * len(headings), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines).replace("*", r"\*")


def structure_table(robot: Robot) -> str:
    """How the machine is built and how it can move, as `gough show` says it."""
    facts = home_facts(robot)
    rows = [(str(name), str(value)) for name, value, _ in structure_rows(facts["structure"])]
    rows.append(("condition of J at home", three_digits(facts["jacobian_condition"])))
    return table(("structure", ""), rows)


def motor_table(robot: Robot) -> str:
    """What each motor can; those that are alike share a row."""
    at_home = Model(robot).inverse_kinematics(robot.home)
    rows = []
    for motor, position in zip(robot.actuators, at_home, strict=True):
        scale, unit, force = (np.degrees(1), "deg", "N m") if motor.turns else (1e3, "mm", "N")
        low, high = (three_digits(scale * end) for end in motor.travel)
        speed = three_digits(scale * motor.max_speed if motor.turns else motor.max_speed)
        cells = (
            f"{three_digits(scale * position)} {unit}", f"{low} to {high} {unit}",
            f"{three_digits(motor.max_force)} {force}", f"{speed} {unit if motor.turns else 'm'}/s",
        )  # fmt: skip
        rows.append((motor.name, cells))
    alike = groupby(rows, key=lambda row: row[1])
    shown = [(", ".join(name for name, _ in group), *cells) for cells, group in alike]
    return table(("motor", "at home", "travel", "greatest effort", "greatest speed"), shown)


def travel_table(model: Model) -> str:
    """How far the platform can go from home along each of its freedoms, and what ends it."""
    rows = []
    for part in travel(model):
        scale, unit = (np.degrees(1), "deg") if part.unit == "rad" else (1e3, "mm")
        for freedom, ways, ends in zip(part.freedoms, part.distances, part.ended_by, strict=True):
            there = (
                f"{sign}{three_digits(scale * way)} {unit} ({end or 'no limit'})"
                for sign, way, end in zip("-+", ways, ends, strict=True)
            )
            rows.append((freedom, *there))
    return table(("freedom", "one way", "the other way"), rows)


def study_table(results: Results) -> str:
    """The figures of a study, with the actuator or joint and the time."""
    rows = []
    for figure in (results.summary[name] for name in FIGURES if name in results.summary):
        time = "" if figure.time is None else f"{figure.time:.3f} s"
        value = f"{three_digits(figure.value)} {figure.unit}".removesuffix(" 1")
        rows.append((figure.name.replace("_", " "), value, figure.place, time))
    return table(("figure", "value", "of", "at"), rows)


def compact(path: Path) -> None:
    """Keep a picture in few colours."""
    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    small.save(path, optimize=True)


def draw_efforts(results: Results, path: Path) -> None:
    """The torque or force of each actuator over time."""
    figure = Figure(figsize=(7.2, 2.8), dpi=110, layout="constrained")
    axis = figure.subplots()
    motors = results.robot.actuators
    for motor, effort, colour in zip(motors, results["force"].T, LEG_COLOURS, strict=False):
        axis.plot(results.time, effort, color=colour, label=motor.name, linewidth=1.3)
    tidy(axis, "time [s]", "torque [N m]" if motors[0].turns else "force [N]")
    axis.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    figure.savefig(path)


def make(name: str, page: MachinePage) -> None:
    """One page with its three pictures."""
    robot = gough.load(name)
    model = Model(robot)
    shown = displace(robot.home, [0, 0, 0, *np.radians(page.turned)])
    pictures = {part: FOLDER / f"{name}{part}.png" for part in ("", "-workspace", "-efforts")}
    save_drawing(robot, pictures[""], shown, page.view)
    save_slice(workspace_slice(model, page.plane, resolution=300), pictures["-workspace"])
    results = run(Study.load(ROOT / "studies" / page.study))
    assert isinstance(results, Results)
    draw_efforts(results, pictures["-efforts"])
    for path in pictures.values():
        compact(path)
    (FOLDER / f"{name}.md").write_text(text_of(name, page, model, results), "utf-8")
    print(f"{name}: {len(results.warnings)} warnings")


def text_of(name: str, page: MachinePage, model: Model, results: Results) -> str:
    """What stands on a machine's page."""
    robot = model.robot
    study = (ROOT / "studies" / page.study).read_text("utf-8")
    study = re.sub(r"^#:schema .*\n", "", study).strip()
    return f"""# {page.title}

![{name}]({name}.png)

{page.history}

`{name}`: {robot.reference.rstrip(".")}. {robot.notes.strip()}

## Its file

Without notes and the motors' electrical data, which `src/gough/robot/library/{name}.toml` has \
as well.

```toml
{essential((LIBRARY / f"{name}.toml").read_text("utf-8"))}
```

## Structure and motors

{structure_table(robot)}

{motor_table(robot)}

## Workspace

![workspace of {name}]({name}-workspace.png)

{page.slice_words} The black line encloses what is within all limits; colours outside say \
which limit is passed there (assembly: the legs do not meet), and thin lines inside how much of \
the margin is left. From home, along one freedom at a time:

{travel_table(model)}

## A study

{page.study_words} `gough run studies/{page.study} --output {name}` makes the report.

```toml
{study}
```

![efforts of {name}]({name}-efforts.png)

{study_table(results)}
"""


def index(machines: dict[str, MachinePage]) -> str:
    """What stands on the page that leads to the others."""
    rows = []
    for name, page in machines.items():
        structure = Model(gough.load(name)).structure
        legs = ", ".join(f"{len(list(g))} {leg}" for leg, g in groupby(map(str, structure.legs)))
        picture = f'<img src="{name}.png" alt="{name}" width="200">'
        moves = " ".join(structure.freedoms)
        rows.append((picture, f"[{page.title}]({name}.md)<br>`{name}`", legs, moves))
    library = library_names()
    others = ", ".join(f"`{name}`" for name in library if name not in machines)
    return f"""# The machines of the library

{len(machines)} of the library's {len(library)} robots have a page; the others are hexapods out
of papers: {others}
([Reproductions](../reproductions.md), [Kinematics](../kinematics.md)).

Each page shows a machine with its file, its structure and motors, its workspace, and a study of a
motion that suits it. `python docs/make_robots.py` makes these pages, with all their numbers and
pictures, from the library's files, the studies in `studies/robots` and the words in
`docs/machine_pages.toml`.

```sh
gough show five-bar                                         # the same facts on the command line
gough run studies/robots/five-bar.toml --output five-bar    # one of the studies, with its report
```

{table(("", "machine", "legs, driven joints with *", "moves"), rows)}
"""


def main(names: list[str]) -> None:
    """The pages of these machines, or of all, and the index."""
    FOLDER.mkdir(exist_ok=True)
    machines = pages()
    for name in names or machines:
        make(name, machines[name])
    (FOLDER / "index.md").write_text(index(machines), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
