"""Make the plots and the numbers of reproductions.md: `python docs/make_reproductions.py`.

Every figure of reproductions.md comes from here, and the numbers in its tables are printed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gough.analysis import Results
from gough.kinematics import Model
from gough.plots import LEG_COLOURS
from gough.studies import GridResults, Outputs, Study, run, run_one

STUDIES = Path(__file__).parents[1] / "studies"
PICTURES = Path(__file__).parent / "background" / "reproductions"
LBF = 4.4482216152605
F_MAX = 500.0
"""Assumed maximum force of Baiges' actuators [lbf]; the thesis prints none."""
STRAIGHT = {
    "7.12b": "baiges-height",
    "7.19b": "baiges-two-planes",
    "7.21b, 7.22b": "baiges-direction",
    "7.24b": "baiges-period",
    "7.28b": "baiges-inertia",
}
CURVED = {
    "7.17b": "baiges-height-curvilinear",
    "7.20b": "baiges-two-planes-curvilinear",
    "7.25b": "baiges-period-curvilinear",
    "7.29b": "baiges-inertia-curvilinear",
}
"""Studies of the figures of the force index."""


def study(name: str) -> Study:
    """A study of the repository."""
    return Study.load(STUDIES / f"{name}.toml")


def single(name: str) -> Results:
    """The results of a study without variations."""
    found = run(study(name))
    assert isinstance(found, Results)
    return found


def grid(name: str) -> GridResults:
    """The results of a study with variations."""
    found = run(study(name))
    assert isinstance(found, GridResults)
    return found


def save(figure: Figure, name: str) -> None:
    """Keep a picture."""
    PICTURES.mkdir(exist_ok=True)
    figure.savefig(PICTURES / f"{name}.png", dpi=110)


def tidy(axis: Axes, x: str, y: str) -> None:
    """Labels, a grid, no margins."""
    axis.set_xlabel(x)
    axis.set_ylabel(y)
    axis.grid(visible=True, linewidth=0.4, alpha=0.5)
    axis.margins(x=0)


def forces_over_time(axis: Axes, results: Results, unit: float = 1.0) -> None:
    """A line for each leg, dotted lines at singular times."""
    for k in range(6):
        force = results["force"][:, k] / unit
        axis.plot(results.time, force, color=LEG_COLOURS[k], label=f"leg {k + 1}", linewidth=1.2)
    for point in results.singularities:
        axis.axvline(point.time, color="grey", linestyle=":")


def side_by_side(names: list[str], titles: list[str], picture: str) -> None:
    """Forces of several single studies, next to each other."""
    figure = Figure(figsize=(4.2 * len(names), 3.4), layout="constrained")
    axes = figure.subplots(1, len(names), squeeze=False)[0]
    for axis, name, title in zip(axes, names, titles, strict=True):
        forces_over_time(axis, single(name))
        tidy(axis, "time [s]", "force [N]")
        axis.set_title(title, fontsize=10)
    axes[-1].legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    save(figure, picture)


def labels(whole: Study) -> list[str]:
    """The values of a study's variation, as a legend has them."""
    unit = whole.variations[0].unit
    values = whole.variations[0].numbers
    return [f"{x:g} {unit}".strip() if isinstance(x, float) else x for x in values]


def legs_over_variation(name: str, picture: str) -> None:
    """Forces over time: a panel for each leg, a line for each value, as the thesis shows them."""
    whole = study(name)
    variation = whole.variations[0]
    figure = Figure(figsize=(10.5, 5.2), layout="constrained")
    axes = figure.subplots(2, 3, sharex=True).ravel()
    shades = [f"C{k}" for k in range(len(variation.values))]
    for index, (text, colour) in enumerate(zip(labels(whole), shades, strict=True)):
        results = run_one(whole.variant(index))
        way = results.time / results.time[-1]
        for k, axis in enumerate(axes):
            axis.plot(way, results["force"][:, k] / LBF, color=colour, label=text, linewidth=1.2)
            axis.set_title(f"actuator {k + 1}", fontsize=10)
            for point in results.singularities:
                at = point.time / results.time[-1]
                axis.axvline(at, color=colour, linestyle=":", linewidth=0.9)
    for k, axis in enumerate(axes):
        tidy(axis, "time / period" if k > 2 else "", "force [lbf]" if k % 3 == 0 else "")
        if name == "baiges-half-turn":
            axis.set_ylim(-1000, 1000)
    axes[2].legend(
        title=variation.name,
        fontsize=8,
        frameon=False,
        loc="center left",
        bbox_to_anchor=(1.0, 0.5),
    )
    save(figure, picture)


def kalani() -> None:
    """Kalani 2016: Figs. 9 to 11."""
    side_by_side(
        ["kalani-case-1", "kalani-case-2"], ["case 1 (Fig. 9)", "case 2 (Fig. 10)"], "kalani-cases"
    )
    side_by_side(
        ["kalani-4s-hanging", "kalani-4s"],
        ["gravity along +z, as Eq. 56 (Fig. 11)", "gravity along -z"],
        "kalani-4s",
    )
    for name in ("kalani-case-1", "kalani-case-2", "kalani-4s-hanging", "kalani-4s"):
        force = single(name)["force"]
        print(f"{name}: forces {force.min():.2f} to {force.max():.2f} N; legs 1, 2", end=" ")
        print(f"{force[:, :2].min():.2f} to {force[:, :2].max():.2f} N")


def bingul() -> None:
    """Bingul 2012: the motions of Figs. 11 to 13."""
    figure = Figure(figsize=(12.6, 5.6), layout="constrained")
    axes = figure.subplots(2, 3, sharex=True)
    for column, number in enumerate((1, 2, 3)):
        results = single(f"bingul-{number}")
        home = Model(results.robot).inverse_kinematics(results.robot.home)
        away = 1e3 * (results["leg_length"] - home)
        for k in range(6):
            line = {"color": LEG_COLOURS[k], "label": f"leg {k + 1}", "linewidth": 1.2}
            axes[0, column].plot(results.time, away[:, k], **line)
            axes[1, column].plot(results.time, results["force"][:, k], **line)
        axes[0, column].set_title(f"motion {number}, Eq. ({66 + number})", fontsize=10)
        tidy(axes[0, column], "", "length - home length [mm]" if column == 0 else "")
        tidy(axes[1, column], "time [s]", "force [N]" if column == 0 else "")
        peak = results.summary["peak_force"].value
        print(f"bingul-{number}: excursions {away.min():.2f} to {away.max():.2f} mm", end=", ")
        print(f"peak force {peak:.2f} N")
    axes[0, 2].legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    save(figure, "bingul")


def baiges() -> None:
    """Baiges 1996: chapter 7 and section 8.3."""
    for name in (
        "baiges-height",
        "baiges-height-curvilinear",
        "baiges-half-turn",
        "baiges-direction",
        "baiges-period",
        "baiges-period-curvilinear",
        "baiges-inertia",
        "baiges-inertia-curvilinear",
        "baiges-two-planes",
        "baiges-two-planes-curvilinear",
    ):
        legs_over_variation(name, name)
        results = grid(name)
        print(f"{name}: peak forces [lbf] of actuators 1 to 6")
        forces = results.per_leg("peak_force") / LBF
        for value, row in zip(results.variations[0].values, forces, strict=True):
            print(f"  {value!s:>40}: ", "  ".join(f"{x:6.1f}" for x in row))
    _further_heights()
    _determinants()
    _indices(STRAIGHT, "baiges-index-straight")
    _indices(CURVED, "baiges-index-curved")
    for name in ("baiges-period", "baiges-period-curvilinear"):
        whole = grid(name)["peak_gravity_only_error"] / LBF
        print(f"{name}: tangential + Coriolis + centrifugal [lbf]:", whole.round(4).tolist())
        connectors = [_coupling(study(name).variant(k)) / LBF for k in range(len(whole))]
        print("  without what pistons take along their legs:", np.round(connectors, 4).tolist())
    whole = study("baiges-half-turn")
    for k, height in enumerate(whole.variations[0].values):
        results = run_one(whole.variant(k))
        angles = [math.degrees(2 * math.atan2(p.pose[4], p.pose[3])) for p in results.singularities]
        print(f"half turn at {height}: singular at", ", ".join(f"{a:.1f} deg" for a in angles))
        for place, angle in ((0, -90), (-1, 90)):
            print(
                f"  forces at {angle} deg [lbf]:", (results["force"][place] / LBF).round(1).tolist()
            )
        for duration in (15, 5, 1):
            peaks = leg_rates(whole.variant(k), duration).summary
            rates = (peaks[f"peak_{name}"].value for name in RATES)
            print("  legs in {} s: at most {:.3f} rad/s, {:.3f} rad/s^2".format(duration, *rates))
    _rates(whole.variant(0))
    _balance()


RATES = {"leg_angular_velocity": "rad/s", "leg_angular_acceleration": "rad/s²"}


def leg_rates(whole: Study, duration: float) -> Results:
    """Return a study's results for another duration, with the angular rates of its legs."""
    changed = {"motion": whole.written["motion"] | {"duration": duration}, "samples": 601}
    return run_one(Study.from_dict(whole.written | changed | {"outputs": {"quantities": [*RATES]}}))


def _rates(whole: Study) -> None:
    """Figs. 7.26 and 7.27: how fast the connectors turn."""
    figure = Figure(figsize=(10.5, 4.8), layout="constrained")
    axes = figure.subplots(2, 3, sharex=True)
    for column, duration in zip(axes.T, (15, 5, 1), strict=True):
        results = leg_rates(whole, duration)
        for axis, (name, unit) in zip(column, RATES.items(), strict=True):
            for k, size in enumerate(np.linalg.norm(results[name], axis=-1).T):
                way = results.time / duration
                axis.plot(way, size, color=LEG_COLOURS[k], label=f"leg {k + 1}", linewidth=1.2)
            tidy(axis, "", f"{name.split('_')[-1]} [{unit}]" if duration == 15 else "")
        column[0].set_title(f"period {duration} s", fontsize=10)
        column[1].set_xlabel("time / period")
    axes[0, 2].legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    save(figure, "baiges-leg-rates")


def _further_heights() -> None:
    """Fig. 7.15: heights beyond those of 7.12, which are not printed."""
    data = study("baiges-height").written
    heights = {"values": [f"{height} ft" for height in range(6, 11)]}
    more = run(Study.from_dict(data | {"variations": [data["variations"][0] | heights]}))
    assert isinstance(more, GridResults)
    print("further heights: maximum force of all actuators [lbf]")
    print("  6 to 10 ft:", (more["peak_force"] / LBF).round(1).tolist())


def _determinants() -> None:
    """Fig. 7.23: the determinant over its maximum, along the straight cut."""
    whole, figure = study("baiges-direction"), Figure(figsize=(7, 3.4), layout="constrained")
    axis = figure.subplots()
    found = [run_one(whole.variant(k)) for k in range(len(labels(whole)))]
    greatest = max(np.abs(results["determinant"]).max() for results in found)
    for results, label in zip(found, labels(whole), strict=True):
        ratio = np.abs(results["determinant"]) / greatest
        axis.plot(results.time / results.time[-1], ratio, label=label, linewidth=1.2)
        print(f"|det J| over its maximum, {label}: {ratio.min():.5f} to {ratio.max():.5f}")
    tidy(axis, "time / period", "|det J| / maximum")
    axis.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    save(figure, "baiges-determinant")


def _indices(figures: dict[str, str], picture: str) -> None:
    """The force index of an assumed F_max: a row for each figure, a column for each actuator."""
    drawn = Figure(figsize=(13, 2.2 * len(figures)), layout="constrained")
    axes = drawn.subplots(len(figures), 6, sharex=True, sharey=True)
    for row, (number, name) in zip(axes, figures.items(), strict=True):
        whole = study(name)
        print(f"Fig. {number}, F_max {F_MAX:g} lbf: lowest index [%] of actuators 1 to 6")
        for index, text in enumerate(labels(whole)):
            results = run_one(_limited(whole.variant(index)))
            for axis, values in zip(row, 100 * results["force_margin"].T, strict=True):
                axis.plot(results.time / results.time[-1], values, label=text, linewidth=1.1)
            lowest = 100 * results["force_margin"].min(axis=0)
            order = " ".join(str(k + 1) for k in np.argsort(lowest))
            print(f"  {text:>8}: {_listed(lowest)}; lowest first: {order}")
        for k, axis in enumerate(row):
            tidy(axis, "", "")
            axis.set_title(f"{number if k == 0 else ''} actuator {k + 1}", fontsize=9)
        row[0].set_ylabel("force index [%]")
        row[-1].legend(fontsize=7, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    for axis in axes[-1]:
        axis.set_xlabel("time / period")
    save(drawn, picture)


def _limited(whole: Study) -> Study:
    """A study of actuators with the assumed maximum force."""
    robot = whole.robot.replace({"leg.max_force": F_MAX * LBF})
    return replace(whole, robot=robot, outputs=Outputs(quantities=("force_margin",)))


def _listed(values: Sequence[float]) -> str:
    return " ".join(f"{value:6.1f}" for value in values)


def _coupling(whole: Study) -> float:
    """W_tan + W_cor + W_cent of 6.(24) in the connector forces F_L [N], at most."""
    at, model = whole.motion(whole.times()), Model(whole.robot)
    parts = model.force_decomposition(at.pose, at.twist, at.acceleration)
    return float(np.abs(parts.tangential + parts.coriolis + parts.centrifugal).max())


def _balance() -> None:
    results = grid("baiges-balance")
    figure = Figure(figsize=(9.5, 3.4), layout="constrained")
    masses = list(results.variations[0].numbers)
    shown = ("peak_force", "peak_leg_gravity_share", "peak_tangential_share")
    for axis, k, period in zip(figure.subplots(1, 2), (0, 1), ("30 s", "1 s"), strict=True):
        for name in shown:
            axis.plot(masses, results[name][:, k] / LBF, "o-", label=name.replace("_", " "))
        tidy(axis, "balancing mass of each leg [lb]", "force [lbf]")
        axis.set_title(f"period {period}", fontsize=10)
        axis.set_ylim(bottom=0)
    axis.legend(fontsize=8, frameon=False, loc="center left", bbox_to_anchor=(1.0, 0.5))
    save(figure, "baiges-balance")
    for name in shown:
        print(f"balance, {name} [lbf]:", (results[name] / LBF).round(2).tolist())


if __name__ == "__main__":
    kalani()
    bingul()
    baiges()
