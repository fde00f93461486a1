"""The machine as the page draws it: its shape, where its points are over time, and its forces.

Of the meshes of a robot a page takes triangles once a file, and where each body has them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from gough.analysis.results import Results
from gough.arrays import Array
from gough.disk.plain_data import PlainData
from gough.errors import MOST_OTHERS, GoughError, named_by
from gough.fields.display_units import SI, DisplayUnits
from gough.kinematics.body_frames import body_poses
from gough.meshes import Piece, Surface, read_surface
from gough.model.structure import structure_of
from gough.plots.shapes import Shape, shape_of, with_springs
from gough.plots.shapes.mechanism import chains, moved_bodies, welded_bodies
from gough.plots.shapes.shape import bounds, normal
from gough.poses import inverse, transform
from gough.poses.quaternions import continuous
from gough.report.packing import FINE, byte_text, frames, pack
from gough.report.text import heading_text, unit_text
from gough.robot import BASE, PLATFORM, Robot, actuator_names
from gough.robot.appearance import PARTS, MeshOfBody, metres, placement

MOST_TRIANGLES = 200_000  # that a page draws: some megabytes, and quick on any computer
_SHORT = 2**16  # maximum number of vertices that two bytes can number
Surfaces = dict[str, Surface]
"""By the names of files."""


def surfaces(robot: Robot, read: Surfaces) -> PlainData:
    """The surfaces of all files, and of each mesh its body, its surface and its place."""
    numbers = {file: k for k, file in enumerate(read)}
    carrying, welded = chains(robot), welded_bodies(robot)
    return {
        "surfaces": [[_packed(piece) for piece in surface.pieces] for surface in read.values()],
        "meshes": [
            {
                "body": found.body,
                "surface": numbers[found.mesh.file],
                "place": _place(found),
                "row": found.row,
                "actuator": None if found.row is None else carrying.get(welded[found.body]),
                "thin": _is_thin(robot, found),
            }
            for found in robot.meshes
        ],
    }


def read_meshes(robot: Robot) -> Surfaces:
    """The surfaces of all files that a robot names; refused, if they are too large for a page."""
    read: Surfaces = {}
    for found in robot.meshes:
        if found.mesh.file not in read:
            with named_by(f"mesh of {found.body}"):
                read[found.mesh.file] = read_surface(Path(found.mesh.file))
    _refuse_too_many(robot, read)
    return read


def corners(found: MeshOfBody, read: Surfaces) -> Array:
    """(8, 3) the corners of a box around a mesh [m], in its body's frame."""
    ends = metres(found.mesh) * read[found.mesh.file].corners
    box = np.array([[ends[i, 0], ends[j, 1], ends[k, 2]] for i, j, k in np.ndindex(2, 2, 2)])
    place = placement(found.mesh)
    return np.asarray(box @ place[:, :3].T + place[:, 3])


def _refuse_too_many(robot: Robot, read: Surfaces) -> None:
    """Refuse meshes that are too large for a page, and name the files with most triangles."""
    files = [found.mesh.file for found in robot.meshes]
    drawn = {file: files.count(file) * surface.triangles for file, surface in read.items()}
    total = sum(drawn.values())
    if total <= MOST_TRIANGLES:
        return
    largest = sorted(drawn, key=lambda file: -drawn[file])[:MOST_OTHERS]
    lines = [
        f"  {Path(file).name}: {read[file].triangles:,} triangles, drawn {files.count(file)} times"
        for file in largest
    ]
    problem = f"the meshes have {total:,} triangles; a page draws at most {MOST_TRIANGLES:,}"
    advice = "export them from CAD with a coarser tolerance, or thin them out with a mesh program"
    raise GoughError("\n".join([f"{problem}: {advice}", *lines]))


def frame_rows(robot: Robot) -> list[int]:
    """Return the moving bodies whose frames a page needs: those that have meshes."""
    return [found.row for found in robot.meshes if found.row is not None]


def _place(found: MeshOfBody) -> list[float]:
    """The matrix, column by column, from the file's numbers to the body's frame [m]."""
    place = np.vstack([placement(found.mesh), [0.0, 0.0, 0.0, 1.0]])
    place[:3, :3] *= metres(found.mesh)
    return list(place.T.ravel().tolist())


def _is_thin(robot: Robot, found: MeshOfBody) -> bool:
    """Whether the body is a piston or a rod: drawn lighter."""
    if found.row is None:
        return False
    if robot.has_extensible_legs:
        return found.row % len(PARTS) == 1
    return welded_bodies(robot)[found.body] not in moved_bodies(robot)


def _packed(piece: Piece) -> PlainData:
    """Triangles as texts of bytes: three numbers of single precision a vertex, three a triangle."""
    kind = "<u2" if len(piece.vertices) <= _SHORT else "<u4"
    return {
        "vertices": byte_text(piece.vertices, "<f4"),
        "triangles": byte_text(piece.triangles, kind),
        "short": kind == "<u2",
        "colour": piece.colour,
    }


_ENLARGED = {BASE: 1.14, PLATFORM: 1.16}  # size of a plate, over the outline of its joints
_SIDE = {BASE: 1.0, PLATFORM: -1.0}
"""Side of its joints, upwards positive, on which the machine is where the joints do not show it."""

_SWING = 0.1  # maximum displacement of a vibration shape, over the machine's reach
_ENOUGH = 200  # number of poses that show the extent of a machine in motion


def scene(results: Results) -> PlainData:
    """Everything that the page needs to draw the machine in motion [m, s], forces as displayed."""
    chosen = frames(len(results))
    limits = force_limits(results.robot, results["force"], known=bool(results.singularities))
    some = (results.time[chosen], results["pose"][chosen], results["force"][chosen])
    base = results["base_pose"][chosen] if "base_pose" in results.quantities else None
    return machine_film(results.robot, *some, limits, results.units, base)


def machine_film(
    robot: Robot,
    time: Array,
    pose: Array,
    force: Array,
    limits: Mapping[str, float],
    shown_in: DisplayUnits = SI,
    base: Array | None = None,
) -> PlainData:
    """The machine at poses (T, 7) and forces (T, n), with the ends of its colour bars.

    Poses (T, 7) of a `base` that moves in the world carry all but the floor.
    """
    shape = with_springs(robot, shape_of(robot, pose[frames(len(pose), _ENOUGH)]))
    if base is not None:
        corner = shape.target + shape.reach * np.array(list(product((-1, 1), repeat=3))) / 3**0.5
        around = bounds(np.stack([transform(at, corner) for at in base]))
        shape = replace(shape, target=around[0], reach=around[1])
    points = shape.points(pose)
    names, driven, units = actuator_names(robot), structure_of(robot).driven, list(limits)
    of_leg = names.word == "leg"
    ends = ("leg pulls", "leg pushes") if of_leg else ("negative", "positive")
    return {
        "times": pack(time[None], FINE),
        "pose": pack(pose.T, FINE),
        "force": pack((force / [shown_in.of(joint.force_unit)[0] for joint in driven]).T),
        "actuators": [
            {"name": title, "short": short, "scale": units.index(joint.force_unit)}
            for title, short, joint in zip(names.titles, names.short, driven, strict=True)
        ],
        "word": heading_text(names.word),
        "scales": [
            {
                "unit": unit_text(shown_in.of(unit)[1]),
                "limit": limit / shown_in.of(unit)[0],
                "title": "actuator torque" if unit == "N m" else "actuator force",
                "ends": ends,
            }
            for unit, limit in limits.items()
        ],
        "moving": pack(points[:, others(shape, points)].reshape(len(points), -1).T),
        "frames": pack(frames_of(robot, pose)),
        **({} if base is None else {"carrier": pack(base.T, FINE)}),
        **drawing(robot, shape, points, pose[0]),
    }


def drawing(robot: Robot, shape: Shape, points: Array, pose: Array) -> PlainData:
    """The machine's parts [m], from its points (T, k, 3) and the first of its poses.

    Points are numbered anew: those of the base, those of the platform in its own frame, `others`.
    What has a mesh is not drawn otherwise.
    """
    hidden, read = covered(robot), read_meshes(robot)
    carried = transform(inverse(pose), points[0, list(shape.platform)])
    order = (*shape.base, *shape.platform, *others(shape, points))
    numbers = {k: n for n, k in enumerate(order)}
    balls = (ball for ball in shape.balls if ball.joint not in hidden)
    return {
        "base": _rounded(points[0, list(shape.base)]),
        "platform": _rounded(carried),
        "bars": [
            _lengths(bar)
            | {
                "start": numbers[bar.start],
                "end": numbers[bar.end],
                "hidden": bar.body in hidden,
                "bare": bar.sleeve_of in hidden,
            }
            for bar in shape.bars
        ],
        "balls": [_lengths(ball) | {"at": numbers[ball.at]} for ball in balls],
        "labels": [
            {"text": one.text, "at": numbers[one.at], "towards": numbers[one.towards]}
            for one in shape.labels
        ],
        **_around_meshes(surroundings(shape, points, pose), robot, read),
        **surfaces(robot, read),
        "swing": round(_SWING * shape.reach, 5),
        "bounds": {"target": _rounded(shape.target), "reach": round(shape.reach, 5)},
    }


def _around_meshes(around: PlainData, robot: Robot, read: Surfaces) -> PlainData:
    """Return the surroundings: no plates of bodies that have a mesh, and a floor below these."""
    boxes = {found.body: corners(found, read) for found in robot.meshes}
    plates = {body: None if body in boxes else one for body, one in around["plates"].items()}
    x, y, z = around["floor"]["at"]
    if BASE in boxes:
        z = min(z, round(float(boxes[BASE][:, 2].min()), 6))
    return around | {"plates": plates, "floor": around["floor"] | {"at": [x, y, z]}}


def frames_of(robot: Robot, pose: Array) -> Array:
    """Poses of the bodies that have meshes over time (7 k, T), each next to the one before."""
    rows = frame_rows(robot)
    if not rows:
        return np.zeros((0, len(pose)))
    found = body_poses(robot, pose)[:, rows]
    found[..., 3:] = continuous(found[..., 3:])
    return found.reshape(len(pose), -1).T


def others(shape: Shape, points: Array) -> list[int]:
    """The points (..., k, 3) that neither base nor platform carries."""
    return [k for k in range(points.shape[-2]) if k not in {*shape.base, *shape.platform}]


def _lengths(part: Any) -> PlainData:
    """A bar or a ball in few digits."""
    return {k: round(v, 5) if isinstance(v, float) else v for k, v in asdict(part).items()}


def force_limits(robot: Robot, force: Array, *, known: bool = False) -> dict[str, float]:
    """By unit, the force at the ends of its colour bar: the peak of forces (T, n).

    With singular configurations what is `known` of the actuators, or less than the peak.
    """
    actuators, driven = robot.actuators, structure_of(robot).driven
    limits = {}
    for unit in dict.fromkeys(joint.force_unit for joint in driven):
        mine = [k for k, joint in enumerate(driven) if joint.force_unit == unit]
        sizes = np.abs(force[:, mine])
        largest = [actuators[k].max_force for k in mine]
        limits[unit] = _limit(sizes[np.isfinite(sizes)], largest if known else None)
    return limits


def _limit(sizes: Array, known: Sequence[float | None] | None) -> float:
    """A round limit; with singular configurations, one that is known or three usual sizes."""
    if not sizes.size or sizes.max() == 0:
        return 1.0
    limit = float(sizes.max())
    if known is not None:
        limit = min(limit, max(filter(None, known), default=3.0 * float(np.median(sizes))))
    power = 10.0 ** (np.floor(np.log10(limit)) - 1)
    return float(np.ceil(limit / power) * power)  # two digits: the colour bar has round ends


def _rounded(values: Array) -> Any:
    return np.round(values, 6).tolist()


def covered(robot: Robot) -> frozenset[str]:
    """Names of bodies that have meshes, and of joints both of whose bodies have some."""
    welded = welded_bodies(robot)
    bodies = {welded[found.body] for found in robot.meshes}
    joints = robot.bodies_and_joints.joints
    inside = {j.name for j in joints if bodies.issuperset(welded[body] for body in j.between)}
    return frozenset(bodies | inside)


def surroundings(shape: Shape, points: Array, pose: Array) -> PlainData:
    """Plates, floor and axes [m] of a machine with points (T, k, 3), and the first of its poses."""
    lowest, points = float(np.nanmin(points[..., 2])), points[0]
    bodies = {BASE: list(shape.base), PLATFORM: list(shape.platform)}
    centres = {
        body: points[those].mean(axis=0) if those else shape.target
        for body, those in bodies.items()
    }
    way = centres[PLATFORM] - centres[BASE]
    home = transform(inverse(pose), points)
    turned = transform(inverse(pose), np.array([centres[BASE], centres[PLATFORM]]))
    base, base_side = _plate(shape, BASE, points, way)
    platform, _ = _plate(shape, PLATFORM, home, turned[0] - turned[1])
    return {
        "plates": {BASE: base, PLATFORM: platform},
        "floor": _floor(shape, points, centres[BASE] if base and base_side > 0 else None, lowest),
        "origin": centres[BASE].round(6).tolist(),
    }


def _plate(
    shape: Shape, body: str, points: Array, machine: Array
) -> tuple[PlainData | None, float]:
    """A plate beyond its joints, as seen from the machine; and on which side the machine is."""
    corners = list(shape.plates[body])
    if not corners:
        return None, _SIDE[body]
    outline = points[corners]
    upwards = normal(outline)
    side = float(machine @ upwards)
    side = _SIDE[body] if abs(side) < 1e-6 * shape.reach else np.sign(side)
    centre, thickness, away = outline.mean(axis=0), _thickness(shape), _away(shape)
    offset = -away if side > 0 else away + thickness
    larger = centre + _ENLARGED[body] * (outline - centre) + offset * upwards
    depth = -thickness * upwards
    return {"outline": larger.round(6).tolist(), "depth": depth.round(6).tolist()}, float(side)


def _floor(shape: Shape, points: Array, centre: Array | None, lowest: float) -> PlainData:
    """A net under a base that stands on it; else below everything."""
    if centre is None:
        place = np.array([*shape.target[:2], lowest - 2 * _thickness(shape)])
        size = shape.reach
    else:
        place = centre - [0, 0, _away(shape) + 1.2 * _thickness(shape)]
        size = 1.7 * float(np.ptp(points[list(shape.base), :2], axis=0).max()) / 2
    return {"at": place.round(6).tolist(), "size": round(size, 5)}


def _thickness(shape: Shape) -> float:
    return 0.035 * shape.reach


def _away(shape: Shape) -> float:
    """Return the distance of a plate from the centres of its joints."""
    return 0.8 * max(bar.radius for bar in shape.bars)
