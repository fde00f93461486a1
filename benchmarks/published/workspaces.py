"""Areas, a circle and a volume of workspaces that others printed with all lengths.

A 3-RRR: `RoboCraft` of Basheer Al-Tawil (github.com/basheeraltawil/
Bachelor_of_Mechatronics_Engineering_Project, cell.yaml and analysis/results.txt) prints areas that
it counts on a grid of 4 mm. They are intersections of annuli, whose area has a closed form.

A five-bar: `SCARA.v1` of San Lihour, 2024 (github.com/Lihour21/SCARA.v1, ScaraRobot.m) prints the
maximum circle without singularities after Liu, Wang and Pritschow 2006. Its cranks are of 133 mm in
the file; the printed digits are those of 132 mm.

A Delta with the lengths of SurgiScope: the volume is printed in a text on the Delta inverse robot,
very probably Briot, Arakelian and Glazunov 2008, counted on a grid of 20 mm. And a 3-RPR of
Gosselin and Jean 1996, of which no area is printed: its closed form stands beside ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import combinations, pairwise
from time import process_time

import numpy as np

import gough
from benchmarks.published import planar
from benchmarks.published.comparison import Comparison
from gough.arrays import AnyArray, Array
from gough.kinematics import Limits

MM = 1e-3
CENTRES = np.array([(np.cos(turn), np.sin(turn)) for turn in 2 * np.pi / 3 * np.arange(3)])

ROBOCRAFT = {"column": 320.0, "platform": 60.0, "link": 220.0}
"""Distances of joints from the middle, and the length of all links [mm]."""
ELBOW = 2.53
"""Maximum angle of its elbows, zero where an arm is stretched [rad]."""
PRINTED_AREA, PRINTED_DEXTEROUS = 86752.0, 16384.0
"""At one orientation, each platform joint next to its column, and in a full turn [mm²]."""

CRANK, STATED_CRANK, ROD, HALF_BASE = 132.0, 133.0, 122.0, 14.0
"""Lengths of the five-bar [mm]: what the printed circle belongs to, and what its file states."""
PRINTED_RADIUS, PRINTED_HEIGHT = 88.7556, 164.6503
"""Radius of the circle, and the height of its middle above the motors [mm]."""

PRINTED_VOLUME, ALTITUDE = 1.48, -0.3
"""Volume of the Delta's workspace [m³], and its top [m]."""
DELTA = {"hip": 0.25, "wrist": 0.2, "arm": 0.75, "rod": 0.95}
"""Lengths of SurgiScope [m]."""


def compared() -> Iterator[Comparison]:
    """Yield each printed size, its closed form or count without Gough, and what Gough proves."""
    yield from _areas()
    yield from _circle()
    yield from _volume()


def _areas() -> Iterator[Comparison]:
    case, what = "3-RRR", "area at 30° [mm²]"
    source = "RoboCraft, Al-Tawil: three arms, areas counted on a grid of 4 mm"
    row = partial(_row, case, source=source)
    robot = robocraft()
    yield row("dexterous area [mm²], closed form", PRINTED_DEXTEROUS, dexterous_area())
    yield row(f"{what}, closed form", PRINTED_AREA, area_at_one_angle())
    rays = gough.kinematics.constant_orientation_workspace(robot, limits=ELBOWS)
    yield row(f"{what}, by rays", PRINTED_AREA, rays.area / MM**2)
    yield from _bounds(row, what, PRINTED_AREA, lambda: area_proved(robot, 100_000), MM**2)
    source = "Gosselin and Jean 1996, their unit; reference: the closed form, no area is printed"
    row = partial(_row, "3-RPR at 50°", source=source)
    yield from _bounds(row, "area", gosselin_area(), lambda: gosselin_proved(4000), planar.UNIT**2)


def _circle() -> Iterator[Comparison]:
    source = "SCARA.v1, Lihour 2024; cranks of 132 mm, inferred from its digits"
    row = partial(_row, "five-bar", source=source)
    height, radius = inscribed_circle(CRANK)
    yield row("height of the circle [mm], closed form", PRINTED_HEIGHT, height)
    yield row("its radius [mm], closed form", PRINTED_RADIUS, radius)
    proof, spent = _timed(lambda: square_proved(five_bar(CRANK), 24_000))
    yield row("radius [mm], proved inside", PRINTED_RADIUS, proved_radius(proof), time=spent)
    for crank, own in ((CRANK, PRINTED_RADIUS), (CRANK, 88.7557), (STATED_CRANK, PRINTED_RADIUS)):
        verdict = lowest_point(five_bar(crank), own).verdict
        yield row(f"radius [mm], {crank:g} mm: lowest point {verdict}", PRINTED_RADIUS, own)


def _volume() -> Iterator[Comparison]:
    source = "SurgiScope's lengths; a text on the Delta inverse robot, on a grid of 20 mm"
    row, robot = partial(_row, "Delta", source=source), surgiscope()
    yield row("volume [m³], counted on 10 mm", PRINTED_VOLUME, counted_volume(0.01))
    rays = gough.kinematics.constant_orientation_workspace(robot, limits=ARMS)
    yield row("volume [m³], by rays", PRINTED_VOLUME, rays.volume)
    proved = partial(volume_proved, robot, 1_000_000)
    yield from _bounds(row, "volume [m³]", PRINTED_VOLUME, proved, 1.0)


def _row(
    case: str, what: str, reference: float, ours: float, *, source: str, time: float = 0.0
) -> Comparison:
    return Comparison(case, what, source, reference, ours, abs(ours / reference - 1), time)


def _bounds(
    row: Callable[..., Comparison],
    what: str,
    reference: float,
    call: Callable[[], gough.Proof],
    unit: float,
) -> Iterator[Comparison]:
    """Yield both bounds that a proof has of a size."""
    proof, spent = _timed(call)
    for words, bound in zip(("lower", "upper"), proof.measure, strict=True):
        yield row(f"{what}, {words} bound", reference, bound / unit, time=spent)


def _timed(call: Callable[[], gough.Proof]) -> tuple[gough.Proof, float]:
    """Return a proof and its CPU time [s]."""
    start = process_time()
    return call(), process_time() - start


ELBOWS = Limits(families=("base joint",))
"""All passive joints of a leg but that at the platform."""


def robocraft() -> gough.Robot:
    """Return the library's `planar-3rrr` with the numbers of RoboCraft, turned by 30°."""
    column, platform, link = (MM * x for x in ROBOCRAFT.values())
    bend = 2 * np.arccos((column - platform) / (2 * link))  # at home, in the middle
    return gough.load("planar-3rrr").replace({
        "leg.base": [column, 0, 0],
        "leg.platform": [platform, 0, 0],
        "leg.elbow": [0.25, 0.18, 0],
        "leg.links[0].length": link,
        "leg.links[1].length": link,
        "leg.joints[1].range": [-bend, ELBOW - bend],
    })  # fmt: skip


def area_proved(robot: gough.Robot, at_most: int) -> gough.Proof:
    """Bound the area of RoboCraft at one orientation from both sides."""
    return gough.prove(robot, [0.2, 0.2, 0.0], limits=ELBOWS, volume=True, at_most=at_most)


def area_at_one_angle() -> float:
    """Area [mm²] at which three arms reach: between their folded and stretched lengths."""
    column, platform, link = ROBOCRAFT.values()
    return area_of_annuli((column - platform) * CENTRES, _folded(), 2 * link)


def dexterous_area() -> float:
    """Area [mm²] at which three arms reach the platform's joints in a full turn of it."""
    column, platform, link = ROBOCRAFT.values()
    return area_of_annuli(column * CENTRES, _folded() + platform, 2 * link - platform)


def _folded() -> float:
    return float(2 * ROBOCRAFT["link"] * np.cos(ELBOW / 2))


def gosselin_proved(at_most: int) -> gough.Proof:
    """Bound the area of the 3-RPR of Gosselin and Jean at 50° from both sides."""
    stroke = [12 * planar.UNIT, 27 * planar.UNIT]
    joints = planar.GOSSELIN, planar.GOSSELIN / 3
    robot = planar.machine(0, 0, np.radians(50), *joints, stroke=stroke)
    half, strokes = 13 * planar.UNIT, Limits(families=("stroke",))
    return gough.prove(robot, [half, half, 0.0], limits=strokes, volume=True, at_most=at_most)


def gosselin_area() -> float:
    """Area of the same workspace [their unit, squared]: annuli of 12 to 27."""
    turn = np.radians(50)
    R = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]])
    return area_of_annuli(planar.GOSSELIN - planar.GOSSELIN / 3 @ R, 12.0, 27.0)


def area_of_annuli(centres: Array, low: float, high: float) -> float:
    """Area of the intersection of annuli, by Green's theorem along the arcs of its boundary."""

    def inside(p: Array) -> bool:
        away = np.linalg.norm(p - centres, axis=1)
        return bool(((low - 1e-9 <= away) & (away <= high + 1e-9)).all())

    circles = [(c, r, sign) for c in centres for r, sign in ((high, 1), (low, -1)) if r > 0]
    cuts = [[0.0] for _ in circles]
    for (i, (p, r, _)), (j, (q, s, _)) in combinations(enumerate(circles), 2):
        d = np.linalg.norm(q - p)
        if abs(r - s) < d < r + s:
            for a, b, one, other, k in ((p, q, r, s, i), (q, p, s, r, j)):
                turn = np.arccos((d * d + one * one - other * other) / (2 * d * one))
                at = np.arctan2(*(b - a)[::-1])
                cuts[k] += [(at - turn) % (2 * np.pi), (at + turn) % (2 * np.pi)]
    area = 0.0
    for (c, r, sign), angles in zip(circles, cuts, strict=True):
        for a, b in pairwise([*sorted(angles), 2 * np.pi]):
            if inside(c + r * np.array([np.cos((a + b) / 2), np.sin((a + b) / 2)])):
                chord = c[0] * (np.sin(b) - np.sin(a)) - c[1] * (np.cos(b) - np.cos(a))
                area += sign * (r * r * (b - a) + r * chord) / 2
    return float(area)


REGULAR = Limits(families=("singularity",))


def five_bar(crank: float) -> gough.Robot:
    """Return the library's `five-bar` with these cranks [mm], elbows outward, in the circle."""
    reach = np.hypot(HALF_BASE, PRINTED_HEIGHT)
    angle = np.arctan2(PRINTED_HEIGHT, HALF_BASE)
    angle += np.arccos((crank**2 + reach**2 - ROD**2) / (2 * crank * reach))
    x, y = MM * (crank * np.cos(angle) - HALF_BASE), MM * crank * np.sin(angle)
    base, top = MM * HALF_BASE, MM * PRINTED_HEIGHT
    return gough.load("five-bar").replace({
        "platform.home": {"position": [0, top, 0]},
        "legs[0].base": [-base, 0, 0],
        "legs[0].platform": [x, y - top, 0],
        "legs[0].links[0].length": MM * crank,
        "legs[1].base": [base, 0, 0],
        "legs[1].elbow": [-x, y, 0],
        "legs[1].links[0].length": MM * crank,
        "legs[1].links[1].length": MM * ROD,
    })  # fmt: skip


def inscribed_circle(crank: float) -> tuple[float, float]:
    """Height of the middle, and radius [mm], of the maximum circle [Liu, Wang, Pritschow 2006].

    It touches the stretched legs, and below the point at which both rods are in one line.
    """
    below, reach = np.sqrt(crank**2 - (ROD - HALF_BASE) ** 2), crank + ROD
    height = ((reach + below) ** 2 - HALF_BASE**2) / (2 * (reach + below))
    return float(height), float(height - below)


def square_proved(robot: gough.Robot, at_most: int) -> gough.Proof:
    """Prove where in the square around the circle there is no singularity."""
    half = MM * PRINTED_RADIUS
    return gough.prove(robot, [half, half, 0.0], limits=REGULAR, volume=True, at_most=at_most)


def proved_radius(proof: gough.Proof) -> float:
    """Radius [mm] of the circle around the middle in which all boxes are proved."""
    left = proof.boxes.bounds([*proof.undecided, *proof.outside])[:, :2]
    nearest = np.clip(0.0, left[..., 0], left[..., 1])
    return float(np.linalg.norm(nearest, axis=1).min() / MM)


def lowest_point(robot: gough.Robot, radius: float) -> gough.Proof:
    """Prove that 0.01 µm around the lowest point of a circle [mm] have no singularity."""
    pose = np.array(robot.home)
    pose[1] -= MM * radius
    return gough.prove(robot, [1e-8, 1e-8, 0.0], pose=pose, limits=REGULAR)


ARMS = Limits(families=("stroke",))


def surgiscope() -> gough.Robot:
    """Return the library's `delta` with the lengths of SurgiScope, home in the middle below."""
    return gough.load("delta").replace({
        "platform.home": {"position": [0, 0, ALTITUDE - 0.7]},
        "leg.base": [DELTA["hip"], 0, 0],
        "leg.platform": [DELTA["wrist"], 0, 0],
        "leg.elbow": [1.0, 0, -0.3],
        "leg.links[0].length": DELTA["arm"],
        "leg.links[1].length": DELTA["rod"],
        "leg.motor.range": ["0 deg", "90 deg"],
    })  # fmt: skip


def volume_proved(robot: gough.Robot, at_most: int) -> gough.Proof:
    """Bound the Delta's volume below the altitude from both sides."""
    return gough.prove(robot, [0.92, 0.92, 0.7], limits=ARMS, volume=True, at_most=at_most)


def counted_volume(step: float) -> float:
    """Volume [m³] of the cells of a grid whose middles three arms from 0 to 90° reach."""
    x, y, z = (np.arange(low, high, step) + step / 2
               for low, high in ((-1.0, 1.0), (-1.0, 1.0), (-1.8, ALTITUDE)))  # fmt: skip
    return float(sum(_reached(*np.meshgrid(x, y, [own])).sum() for own in z) * step**3)


def _reached(x: Array, y: Array, z: Array) -> AnyArray:
    """Whether arms are at 0 to 90°: in the plane of each, two links, the elbow outward."""
    reached = np.ones(x.shape, bool)
    for c, s in CENTRES:
        u, v = x * c + y * s - (DELTA["hip"] - DELTA["wrist"]), y * c - x * s
        square = u * u + z * z
        cosine = (square + DELTA["arm"] ** 2 - DELTA["rod"] ** 2 + v * v) / 2 / DELTA["arm"]
        with np.errstate(invalid="ignore"):
            angle = np.arctan2(-z, u) - np.arccos(cosine / np.sqrt(square))
        reached &= (angle >= 0) & (angle <= np.pi / 2)
    return reached
