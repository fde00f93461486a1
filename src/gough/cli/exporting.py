"""Parts of the `gough export` commands: their options, and the controllers that they write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from gough.cli.output import print_json, say

if TYPE_CHECKING:
    from gough.robot import Robot
    from gough.simulation.controllers import Controller
    from gough.simulation.plants import Plant

DirectoryOption = Annotated[
    Path,
    typer.Option("--output", "-o", metavar="DIR", help="Folder that the files are written to."),
]
Float32Option = Annotated[bool, typer.Option("--float32", help="Single precision (c, cuda).")]
FmiOption = Annotated[int, typer.Option("--fmi", help="Version of FMI: 3, or 2.")]
PlatformsOption = Annotated[
    str | None,
    typer.Option("--platforms", help="Platforms of the FMU's binaries, by commas; or all."),
]


@dataclass(frozen=True)
class PlacedController:
    """A controller by pole placement, as `gough control tune` does it."""

    robot: Robot
    kind: str
    frequency: float
    damping: float
    integral_rate: float
    period: float
    drives: bool
    joint_friction: bool = True

    def made(self) -> tuple[Controller, list[str]]:
        """Return the controller, and a warning where its loop is not stable."""
        from gough.simulation.controllers.sensors import Sampling
        from gough.simulation.tuning.margins import at_rest
        from gough.simulation.tuning.tune import place_poles, smooth_loop

        controller = place_poles(
            self.robot,
            self.kind,
            self.frequency,
            damping=self.damping,
            integral_rate=self.integral_rate,
            drives=self.drives,
            joint_friction=self.joint_friction,
        )
        loop = smooth_loop(
            self.robot,
            controller,
            Sampling(self.period),
            drives=self.drives,
            joint_friction=self.joint_friction,
        )
        if (radius := at_rest(loop).spectral_radius) < 1:
            return controller, []
        return controller, [
            f"not stable: sampled every {self.period:g} s, the loop at home has a pole of "
            f"{radius:.4g}; expected a lower --frequency, or a shorter --period"
        ]


def plant_of(
    robot: Robot,
    *,
    drives: bool,
    controlled: bool,
    joint_friction: bool = False,
    stops: bool = False,
) -> Plant:
    """Return rigid bodies on ideal actuators, or with what the options include.

    Controllers command forces, also of drives, which take voltages otherwise.
    """
    from gough.simulation.plants import force_commanded, real_plant, rigid_plant

    if not (drives or joint_friction or stops):
        return rigid_plant(robot)
    plant = real_plant(robot, drives=drives, joint_friction=joint_friction, stops=stops)
    return force_commanded(plant) if drives and controlled else plant


def platforms_of(names: str | None) -> list[str] | None:
    """Return the platforms that --platforms lists."""
    from gough.exchange.fmu.binaries import PLATFORMS

    if names is None:
        return None
    return list(PLATFORMS) if names == "all" else [name.strip() for name in names.split(",")]


def show_files(
    paths: Sequence[Path],
    as_json: bool,
    remarks: Sequence[str] = (),
    facts: Mapping[str, Any] | None = None,
) -> None:
    """List the files that were written, with remarks about them."""
    if as_json:
        more = {"remarks": list(remarks)} if remarks else {}
        print_json({"files": list(map(str, paths)), **(facts or {}), **more})
        return
    for path in paths:
        say(f"wrote {path}")
    for remark in remarks:
        say(remark, "note")
