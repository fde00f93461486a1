"""`gough plot`: a picture of a quantity, from a folder of results."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from gough.cli.options import picture_option
from gough.cli.output import JsonOption, ResultArgument, print_json, say, wrong_usage
from gough.disk.files import atomic_write
from gough.plots.style import root_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot(
    folder: ResultArgument,
    quantity: Annotated[
        str | None,
        typer.Argument(metavar="[QUANTITY]", help="Quantity to plot. Default: list all."),
    ] = None,
    output: Annotated[
        Path | None,
        picture_option(
            "Figure (.png, .svg, .pdf). Default: QUANTITY.png, in the folder.",
            "--output",
            "-o",
        ),
    ] = None,
    at: Annotated[
        list[str] | None,
        typer.Option(
            "--at",
            metavar="NAME=VALUE",
            help="Value of a further variation. Default: its first.",
        ),
    ] = None,
    heatmap: Annotated[
        bool,
        typer.Option(
            "--heatmap", help="Colours over two variations, with the best feasible point."
        ),
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Plot a quantity of a study over time, or a figure over its variations.

    Example:  gough plot machining force --output force.svg
    """
    from gough.analysis.results import Results
    from gough.runs.study import added, load_folder

    results = load_folder(folder)
    found = results.quantities if isinstance(results, Results) else results.figures
    if quantity is None:
        if as_json:
            print_json({n: {"unit": q.unit, "meaning": q.meaning} for n, q in found.items()})
            return
        for name, q in found.items():
            say(f"{name} [{q.unit}] {q.meaning}")
        return
    if isinstance(results, Results):
        for option, given in (("--at", at), ("--heatmap", heatmap)):
            if given:
                raise wrong_usage(option, "these results have no variations")
        axes: Axes | list[Axes] = results.plot(quantity)
        held = ""
    else:
        from gough.studies.grid_plot import cut_of

        chosen = _chosen(at or [])
        axes = (results.map if heatmap else results.plot)(quantity, chosen)
        held = cut_of(results.variations, chosen).words(results.variations)
    path = output or folder / f"{quantity}.png"
    with atomic_write(output) if output else added(folder, path.name) as part:
        root_figure(axes).savefig(part, dpi=150)
    if as_json:
        print_json({"file": str(path), **({"at": held} if held else {})})
        return
    say(f"plot saved in {path}")
    if held:
        say(f"it is at {held}; --at NAME=VALUE takes another", "note")


def _chosen(texts: list[str]) -> dict[str, str]:
    """Values of variations by name, from texts such as "mass=40 kg"."""
    pairs = [text.partition("=") for text in texts]
    wrong = [text for text, (_, equals, _) in zip(texts, pairs, strict=True) if not equals]
    if wrong:
        raise wrong_usage("--at", f"got {wrong[0]!r}; expected a name and a value, as in mass=40")
    return {name.strip(): value.strip() for name, _, value in pairs}
