"""Make the figures of frames, numbers, angles and friction: `python docs/make_figures.py`.

What they show of machines is computed from the machines: joint centres, lengths and angles.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Arc, FancyArrowPatch

import gough
from gough.kinematics import Model
from gough.plots import LEG_COLOURS, joint_centers
from gough.poses import displace, transform

FOLDER = Path(__file__).parent / "figures"
BASE, PLATFORM, INK, PALE = "#8a8f98", "#2f6fb3", "#333333", "#c9ced6"
AXES = {"x": "#c0392b", "y": "#27ae60", "z": "#2c5fd1"}
SETTINGS = {
    "svg.hashsalt": "gough",
    "svg.fonttype": "path",
    "font.size": 9,
    "font.family": "DejaVu Sans",
}


def arrow(axis: Any, start: Any, end: Any, colour: str = INK, **style: Any) -> None:
    """A straight or, with a connection style, a bent arrow between two points of the plane."""
    shape = {
        "arrowstyle": "-|>",
        "mutation_scale": 11,
        "lw": 1.3,
        "shrinkA": 0,
        "shrinkB": 0,
    } | style
    axis.add_patch(FancyArrowPatch(start, end, color=colour, zorder=4, **shape))


def measure(axis: Any, start: Any, end: Any, text: str, beside: Any, **words: Any) -> None:
    """A dimension line with its name beside its middle."""
    arrow(axis, start, end, arrowstyle="<|-|>", mutation_scale=7, lw=0.9)
    middle = (np.asarray(start) + end) / 2 + beside
    axis.text(*middle, text, **({"ha": "center", "va": "center"} | words))


def angle(axis: Any, centre: Any, radius: float, first: float, last: float, text: str = "") -> None:
    """An arc from one azimuth to another [deg], counter-clockwise, with an arrow and its name."""
    axis.add_patch(Arc(centre, 2 * radius, 2 * radius, theta1=first, theta2=last, color=INK, lw=1))
    at, before = (np.radians(a) for a in (last, last - 3))
    ends = [np.asarray(centre) + radius * np.array([np.cos(a), np.sin(a)]) for a in (before, at)]
    arrow(axis, *ends, mutation_scale=9)
    middle = np.radians((first + last) / 2)
    place = np.asarray(centre) + 1.16 * radius * np.array([np.cos(middle), np.sin(middle)])
    axis.text(*place, text, ha="left" if np.cos(middle) > 0 else "right", va="center")


def plain(axis: Any, title: str = "") -> None:
    """Axes true to scale without ticks and frame."""
    axis.set_aspect("equal")
    axis.set_axis_off()
    axis.set_title(title, fontsize=10)


def cross_of_axes(axis: Any, origin: Any, length: float, names: str, colours: str) -> None:
    """Two axes of a frame in the plane."""
    for name, letter, way in zip(names.split(), colours, ((1, 0), (0, 1)), strict=True):
        tip = np.asarray(origin) + length * np.array(way)
        arrow(axis, origin, tip, AXES[letter])
        axis.text(*(np.asarray(origin) + 1.18 * length * np.array(way)), name, color=AXES[letter],
                  ha="center", va="center")  # fmt: skip


def seen_from_above(axis: Any, robot: gough.Robot) -> None:
    """Base joints, platform joints and numbered legs, at home, projected along z."""
    base, platform = (joints[:, :2] for joints in joint_centers(robot))
    for k, (b, p) in enumerate(zip(base, platform, strict=True)):
        axis.plot(*np.stack([b, p], 1), color=LEG_COLOURS[k], lw=3, solid_capstyle="round")
        number = {"boxstyle": "circle,pad=0.2", "facecolor": "white", "edgecolor": LEG_COLOURS[k]}
        axis.text(*((b + p) / 2), str(k + 1), bbox=number, ha="center", va="center", fontsize=8)
    axis.scatter(*base.T, color=BASE, s=34, zorder=3)
    axis.scatter(*platform.T, color=PLATFORM, s=34, zorder=3)


def legs() -> Figure:
    """Numbers of the legs of the demo hexapod, from above."""
    figure = Figure(figsize=(4.8, 4.6), layout="constrained")
    axis = figure.add_subplot()
    robot = gough.load("demo-hexapod")
    for joints, colour in zip(joint_centers(robot), (BASE, PLATFORM), strict=True):
        turns = np.radians(np.arange(0, 361, 2))
        radius = np.hypot(*joints[0, :2])
        axis.plot(radius * np.cos(turns), radius * np.sin(turns), color=colour, lw=0.8, ls=":")
    seen_from_above(axis, robot)
    cross_of_axes(axis, (0, 0), 0.24, "x y", "xy")
    axis.text(0, -0.1, "z towards you", ha="center", color=AXES["z"])
    angle(axis, (0, 0), 0.93, 12, 50, "azimuth")
    axis.text(-0.93, -0.9, "● base joints", color=BASE)
    axis.text(-0.93, -0.98, "● platform joints", color=PLATFORM)
    axis.set(xlim=(-1, 1.2), ylim=(-1.02, 0.95))
    plain(axis)
    return figure


def described(**symmetric: Any) -> gough.Robot:
    """A small hexapod of a layout."""
    return gough.Robot.from_dict({
        "schema": "gough/1", "name": "figure", "symmetric": symmetric, "leg": {"kind": "UPS"},
        "platform": {"mass": 1, "inertia": [1, 1, 1], "home": {"position": [0, 0, 1]}},
    })  # fmt: skip


def layouts() -> Figure:
    """Draw the keys of [symmetric] in a top view."""
    figure = Figure(figsize=(8, 7.4), layout="constrained")
    circles = {"layout": "circles", "base_radius": 1, "base_angle": "40 deg",
               "platform_radius": 0.62, "platform_angle": "24 deg"}  # fmt: skip
    panels: list[tuple[str, dict[str, Any], Callable[[Any], None]]] = [
        ('layout = "circles"', circles, on_circles),
        ('the same with platform_turn = "20 deg"', circles | {"platform_turn": "20 deg"}, turned),
        ("both angles 0: an octahedron", circles | OCTAHEDRON, both_circles),
        ('layout = "triangles"', TRIANGLES, on_triangles),
    ]
    for k, (title, layout, explain) in enumerate(panels, 1):
        axis = figure.add_subplot(2, 2, k)
        seen_from_above(axis, described(**layout))
        explain(axis)
        axis.set(xlim=(-1.2, 1.5), ylim=(-1.2, 1.3))
        plain(axis, title)
    return figure


OCTAHEDRON = {"base_angle": "0 deg", "platform_angle": "0 deg"}
TRIANGLES = {"layout": "triangles", "base_side": 1.75, "base_side_point": 0.35,
             "platform_side": 1.1, "platform_side_point": 0.25}  # fmt: skip


def circle(axis: Any, radius: float, colour: str) -> None:
    """A thin dotted circle about the origin."""
    turns = np.linspace(0, 2 * np.pi, 180)
    axis.plot(radius * np.cos(turns), radius * np.sin(turns), color=colour, lw=0.8, ls=":")


def both_circles(axis: Any) -> None:
    """Those of base and platform."""
    for radius, colour in ((1, BASE), (0.62, PLATFORM)):
        circle(axis, radius, colour)


def ray(axis: Any, azimuth: float, length: float, colour: str = INK, style: str = "--") -> None:
    """A line from the origin at an azimuth [deg]."""
    way = length * np.array([np.cos(np.radians(azimuth)), np.sin(np.radians(azimuth))])
    axis.plot([0, way[0]], [0, way[1]], color=colour, lw=0.8, ls=style)


def on_circles(axis: Any) -> None:
    """Radii, angles between the joints of a pair, and the azimuth of the first pair."""
    both_circles(axis)
    for azimuth in (-20, 20):
        ray(axis, azimuth, 1, BASE)
    ray(axis, 0, 1.3)
    angle(axis, (0, 0), 1.17, -20, 20)
    axis.text(1.2, 0.13, "base_\nangle", va="center")
    axis.text(1.22, -0.14, "base_\nazimuth = 0", va="center", fontsize=8)
    for azimuth in (48, 72):
        ray(axis, azimuth, 0.62, PLATFORM)
    angle(axis, (0, 0), 0.42, 48, 72)
    axis.text(0.05, 0.5, "platform_\nangle", ha="right", va="center", fontsize=8)
    arrow(axis, (0, 0), (np.cos(np.radians(140)), np.sin(np.radians(140))), lw=0.9)
    axis.text(-0.32, 0.37, "base_radius", ha="center", va="center", rotation=-40, fontsize=8)
    way = 0.62 * np.array([np.cos(np.radians(192)), np.sin(np.radians(192))])
    arrow(axis, (0, 0), way, lw=0.9)
    axis.text(-0.22, -0.17, "platform_radius", ha="center", va="center", rotation=12, fontsize=8)


def turned(axis: Any) -> None:
    """Return the offset of the platform's pairs from midway between those of the base."""
    both_circles(axis)
    ray(axis, 0, 1.2)
    ray(axis, 60, 1.25)
    ray(axis, 80, 1.25, PLATFORM)
    angle(axis, (0, 0), 1.15, 60, 80)
    axis.text(0.48, 1.2, "platform_turn", ha="left", va="center")
    angle(axis, (0, 0), 0.3, 0, 60)
    axis.text(0.3, 0.14, "60°: midway", va="center", fontsize=8)


def on_triangles(axis: Any) -> None:
    """Sides, and the distances of the points on them from the sides' ends."""
    for side, azimuth, colour in ((1.75, 0, BASE), (1.1, -60, PLATFORM)):
        turns = np.radians(azimuth + 120 * np.arange(4))
        axis.plot(side / 3**0.5 * np.cos(turns), side / 3**0.5 * np.sin(turns), color=colour, lw=1)
    b, c = (1.75 / 3**0.5 * np.array([np.cos(a), np.sin(a)]) for a in np.radians([120, 240]))
    out = np.array([-0.32, 0])
    measure(axis, b + out, c + out, "base_side", (-0.09, 0), rotation=90)
    inside, back = np.array([0.07, 0]), c + 0.35 * (b - c) / 1.75
    measure(axis, c + inside, back + inside, "", (0, 0))
    pointed_out(axis, "base_side_point", (c + back) / 2 + inside, (-0.3, -1.08))
    d, e = (1.1 / 3**0.5 * np.array([np.cos(a), np.sin(a)]) for a in np.radians([-60, 60]))
    measure(
        axis, d - 2 * inside, e - 2 * inside, "platform_side", (-0.09, 0), rotation=90, fontsize=8
    )
    point = e + 0.25 * (d - e) / 1.1
    measure(axis, e + inside, point + inside, "", (0, 0))
    pointed_out(axis, "platform_side_point", (e + point) / 2 + inside, (0.42, 1.02))


def pointed_out(axis: Any, text: str, place: Any, beside: Any) -> None:
    """A name with a thin line to what it names."""
    line = {"arrowstyle": "-", "lw": 0.6}
    axis.annotate(text, place, beside, ha="left", va="center", arrowprops=line, fontsize=8)


def frames() -> Figure:
    """Both frames at home from the side, and one leg with its parts."""
    figure = Figure(figsize=(8.6, 4.1), layout="constrained")
    side, leg = figure.subplots(1, 2, width_ratios=(1.15, 1))
    robot = gough.load("demo-hexapod")
    base, platform = (joints[:, [0, 2]] for joints in joint_centers(robot))
    for k, (b, p) in enumerate(zip(base, platform, strict=True)):
        side.plot(*np.stack([b, p], 1), color=LEG_COLOURS[k], lw=2.5, solid_capstyle="round")
    for joints, colour in ((base, BASE), (platform, PLATFORM)):
        ends = joints[[joints[:, 0].argmin(), joints[:, 0].argmax()]]
        side.plot(*ends.T, color=colour, lw=5, solid_capstyle="round")
        side.scatter(*joints.T, color=colour, s=26, zorder=3)
    home = np.array(robot.home)[[0, 2]]
    cross_of_axes(side, (0, 0), 0.3, "x y", "xz")
    side.texts[-1].set_text("z")
    cross_of_axes(side, home, 0.26, "x′ z′", "xz")
    side.text(0, -0.09, "base frame; y away from you", ha="center", va="center", fontsize=8)
    side.text(
        -0.06, home[1] + 0.14, "platform frame", ha="right", va="center", fontsize=8, color=PLATFORM
    )
    measure(side, (-0.76, 0), (-0.76, home[1]), "home.position", (-0.05, 0), rotation=90)
    measure(side, (0.9, 0), (0.9, 0.08), "base_height", (0.05, 0), ha="left")
    measure(
        side,
        (0.62, home[1] - 0.06),
        (0.62, home[1]),
        "platform_height\n(below zero here)",
        (0.05, 0),
        ha="left",
    )
    for height, reach in ((0, 0.95), (home[1], 0.66)):
        side.plot([-0.8, reach], [height] * 2, color=PALE, lw=0.8, ls="--", zorder=0)
    side.set(xlim=(-0.95, 1.25), ylim=(-0.16, 1.38))
    plain(side, "demo-hexapod at home, from the side")
    one_leg(leg, robot)
    return figure


def one_leg(axis: Any, robot: gough.Robot) -> None:
    """A leg as if it lay level: length, stroke, mass centres and axes of inertia."""
    first = robot.legs[0]
    length = float(Model(robot).inverse_kinematics(robot.home)[0])
    axis.plot([0, 0.68], [0, 0], color="#4a5058", lw=15, solid_capstyle="butt")
    axis.plot([0.68, length], [0, 0], color="#c98a3b", lw=7, solid_capstyle="butt")
    axis.scatter([0, length], [0, 0], color=[BASE, PLATFORM], s=130, zorder=5)
    axis.text(0, 0.11, "base joint", ha="center")
    axis.text(length, 0.11, "platform joint", ha="center", color=PLATFORM)
    low, high = first.stroke
    axis.plot([low, high], [-0.42, -0.42], color=PALE, lw=7, solid_capstyle="butt")
    axis.text((low + high) / 2, -0.48, "stroke: shortest … longest", ha="center", va="center")
    measure(axis, (0, -0.3), (length, -0.3), "length", (0, 0.035))
    centre, back = first.cylinder.center_of_mass, length - first.piston.center_of_mass
    for place, paint in ((centre, "white"), (back, INK)):
        axis.scatter([place], [0], marker="o", s=45, color=paint, edgecolor=INK, zorder=6)
    measure(axis, (0, -0.14), (centre, -0.14), "cylinder.\ncenter_of_mass", (0, -0.07), fontsize=8)
    measure(axis, (back, -0.14), (length, -0.14), "piston.\ncenter_of_mass", (0, -0.07), fontsize=8)
    for x in (0, length):
        axis.plot([x, x], [-0.45, 0], color=PALE, lw=0.8, ls="--", zorder=0)
    arrow(axis, (0.28, 0.3), (0.52, 0.3), AXES["z"])
    axis.text(
        0.54, 0.3, "z: from base joint to platform joint", color=AXES["z"], va="center", fontsize=8
    )
    arrow(axis, (0.28, 0.3), (0.28, 0.5), AXES["x"])
    words = "x: second axis of the universal joint, first_axis × z"
    axis.text(0.3, 0.5, words, color=AXES["x"], va="center", fontsize=8)
    axis.text(
        0.28,
        0.22,
        "leg frame (of inertias); positive force and speed: longer",
        va="center",
        fontsize=8,
    )
    axis.set(xlim=(-0.12, 1.3), ylim=(-0.58, 0.62))
    plain(axis, "one leg")


def angles() -> Figure:
    """Roll, pitch and yaw: one turn each, and all three in their order."""
    figure = Figure(figsize=(8.8, 2.4))
    figure.subplots_adjust(0, 0, 1, 1, wspace=0)
    turns = {"roll = 30°": (30, 0, 0), "pitch = 30°": (0, 30, 0), "yaw = 30°": (0, 0, 30),
             "roll, then pitch, then yaw": (30, 30, 30)}  # fmt: skip
    for k, (title, rpy) in enumerate(turns.items(), 1):
        axis: Any = figure.add_subplot(1, 4, k, projection="3d")
        R = gough.pose([0, 0, 0], rpy=np.radians(rpy))
        plate = np.array([[1, 0.6, 0], [-1, 0.6, 0], [-1, -0.6, 0], [1, -0.6, 0], [1, 0.6, 0]])
        nose = np.array([[1, 0.6, 0], [1.5, 0, 0], [1, -0.6, 0]])
        for outline in (plate, nose):
            axis.plot(*outline.T, color=PALE, lw=1)
            axis.plot(*transform(R, outline).T, color=PLATFORM, lw=2)
        for letter, way in zip("xyz", np.eye(3), strict=True):
            reach = (1.75, 1.9, 1.3)["xyz".index(letter)] * way
            axis.quiver(0, 0, 0, *reach, color=AXES[letter], lw=1.1, arrow_length_ratio=0.1)
            axis.text(*(1.16 * reach), letter, color=AXES[letter], ha="center", va="center")
        if k < 4:
            turning_arrow(axis, k - 1)
        axis.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), zlim=(-1.2, 1.2))
        axis.set_box_aspect((1, 1, 1), zoom=1.3)
        axis.set_axis_off()
        axis.view_init(24, -52)
        axis.patch.set_alpha(0)
        axis.text2D(0.5, 0.02, title, transform=axis.transAxes, ha="center", fontsize=10)
        for part in axis.get_children():
            part.set_clip_on(False)
    return figure


def turning_arrow(axis: Any, about: int) -> None:
    """A bent arrow the right-handed way round an axis."""
    t = np.linspace(-0.3, 1.35 * np.pi, 60)
    first, second = np.roll(np.eye(3), about, axis=1)[1:]
    way = (1.6, 1.6, 1.05)[about] * np.eye(3)[about] + 0.28 * (
        np.outer(np.cos(t), first) + np.outer(np.sin(t), second)
    )
    axis.plot(*way.T, color=INK, lw=1.2)
    axis.quiver(*way[-2], *(way[-1] - way[-4]), color=INK, lw=1.2, arrow_length_ratio=3.0)


def joint_angles() -> Figure:
    """The sign of a hinge's angle and of a slide's position."""
    figure = Figure(figsize=(8.2, 3.4), layout="constrained")
    hinge, slide = figure.subplots(1, 2)
    robot = gough.load("delta")
    lower = displace(robot.home, [0, 0, -0.3, 0, 0, 0])
    q = float(Model(robot).inverse_kinematics(lower)[0])
    hip, arm = np.array([0.164, 0]), 0.524
    elbow = hip + arm * np.array([np.cos(q), -np.sin(q)])
    hinge.plot([-0.02, 0.2], [0, 0], color=BASE, lw=7, solid_capstyle="round")
    hinge.plot(*np.stack([hip, elbow], 1), color="#4a5058", lw=7, solid_capstyle="round")
    wrist = np.array([0.044, lower[2]])
    hinge.plot(*np.stack([elbow, wrist], 1), color="#c98a3b", lw=3)
    hinge.plot([-0.05, 0.07], [wrist[1]] * 2, color=PLATFORM, lw=6, solid_capstyle="round")
    hinge.scatter(*hip, s=90, facecolor="white", edgecolor=INK, zorder=6)
    hinge.plot(*hip, marker="x", color=AXES["y"], ms=5, zorder=7)
    hinge.text(0.1, 0.09, "axis = [0, 1, 0], away from you", color=AXES["y"])
    arrow(hinge, hip, hip + (0.72, 0))
    hinge.text(0.9, 0, "zero = [1, 0, 0]", va="center")
    arrow(hinge, hip + (0.36, 0), hip + 0.36 * np.array([np.cos(q), -np.sin(q)]), mutation_scale=10,
          connectionstyle="arc3,rad=-0.25")  # fmt: skip
    hinge.text(0.57, -0.12, "angle > 0", va="center")
    cross_of_axes(hinge, (-0.42, -1.1), 0.16, "x z", "xz")
    hinge.set(xlim=(-0.75, 1.6), ylim=(-1.48, 0.2))
    plain(hinge, "a hinge (hip of the library's delta)")
    slide.plot([0.15, 1.3], [0, 0], color=PALE, lw=9, solid_capstyle="butt")
    slide.plot([0, 0.12], [0, 0], color=BASE, lw=16, solid_capstyle="butt")
    slide.plot([0.68, 0.86], [0, 0], color="#4a5058", lw=20, solid_capstyle="butt")
    slide.text(0.06, 0.16, 'first body\nof "between"', ha="center", fontsize=8)
    slide.text(0.77, 0.16, "second body", ha="center", fontsize=8)
    arrow(slide, (0.15, -0.16), (0.77, -0.16))
    slide.text(
        0.46,
        -0.22,
        "position > 0: along the axis,\nfrom the first to the second body",
        ha="center",
        va="top",
    )
    arrow(slide, (1.0, 0.12), (1.25, 0.12), AXES["x"])
    slide.text(1.12, 0.17, "axis", ha="center", color=AXES["x"])
    slide.set(xlim=(-0.15, 1.4), ylim=(-0.65, 0.55))
    plain(slide, "a slide")
    return figure


def friction() -> Figure:
    """Dry friction over speed, near rest and at work."""
    figure = Figure(figsize=(8, 3.1), layout="constrained")
    near, work = figure.subplots(1, 2)
    for axis, reach in ((near, 4.0), (work, 40.0)):
        x = np.linspace(-reach, reach, 801)
        axis.plot(x, np.sign(x), color=PALE, lw=4, label="Coulomb's law")
        axis.plot(x, np.tanh(x), color=LEG_COLOURS[0], label="motors, screws, gears: tanh(v/v₀)")
        axis.plot(
            x,
            x / np.sqrt(x * x + 1),
            color=LEG_COLOURS[1],
            label="joints, surfaces, tools: v/√(v² + v₀²)",
        )
        axis.set(xlabel="speed / fade speed  v/v₀", ylim=(-1.2, 1.2))
        axis.grid(lw=0.4, alpha=0.5)
    near.set_ylabel("friction / dry friction")
    near.set_title("near rest", fontsize=10)
    work.set_title("at working speeds", fontsize=10)
    figure.legend(
        *near.get_legend_handles_labels(), loc="outside lower center", ncols=3, frameon=False
    )
    return figure


FIGURES = {"frames": frames, "legs": legs, "layouts": layouts, "angles": angles,
           "joint-angles": joint_angles, "friction": friction}  # fmt: skip


def save(name: str, figure: Figure) -> None:
    """Write a figure as SVG that is the same each time."""
    with mpl.rc_context(SETTINGS):
        figure.savefig(FOLDER / f"{name}.svg", metadata={"Date": None})


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name, make in FIGURES.items():
        with mpl.rc_context(SETTINGS):
            save(name, make())
