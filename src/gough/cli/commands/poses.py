"""Poses: inverse and forward kinematics, assembly modes, singularities, and the workspace."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import gough
from gough import kinematics, plots
from gough.cli import options
from gough.cli.interrupts import arrived
from gough.cli.output import UsageError, show, wrong_usage
from gough.display import Table
from gough.errors import GoughError
from gough.fields.user_files import is_file_of

if TYPE_CHECKING:
    from gough.arrays import Array
    from gough.robot import Actuator, Robot


def ik(
    robot: str,
    *,
    at: options.PoseOptions,
    inside: options.FrameOptions,
    branch: list[int] | None = None,
    as_json: bool = False,
) -> None:
    """Compute the inverse kinematics: leg lengths or actuator positions at a pose, and limits.

    Example:  gough pose ik demo-hexapod --position 0 0 1 --rpy 0 10 0 --degrees
    """
    frames = inside.frames(at.degrees)
    model = gough.Model(gough.load(robot), branch=branch or False)
    pose, remarks = at.possible_pose(model, frames)
    show(kinematics.actuator_positions(model, pose, frames), as_json, notes=remarks)


def fk(
    robot: str,
    *,
    joints: list[str] | None = None,
    start: Literal["home", "neural"] = "home",
    guess: options.Three | None = None,
    guess_rpy: options.Three | None = None,
    degrees: bool = False,
    inside: options.FrameOptions,
    method: Literal["newton", "third-order"] = "newton",
    as_json: bool = False,
) -> None:
    """Compute the forward kinematics: the pose at given leg lengths or actuator positions.

    Up to forty poses have the same leg lengths; 'gough pose assemblies' finds all of them.

    Example:  gough pose fk kalani-2016 --lengths 1.2 1.2 1.2 1.2 1.2 1.2
    """
    import numpy as np

    from gough.kinematics.actuator_positions import position_facts
    from gough.poses.rows import frame_facts

    frames = inside.frames(degrees)
    machine = gough.load(robot)
    if joints is None:
        raise UsageError(f"Missing option '{_option_of(machine)}'")
    q = _joint_positions(machine, joints, degrees)
    guessed = guess is not None or guess_rpy is not None
    first = options.platform_pose(machine, frames, guess, guess_rpy, degrees, "--guess")
    model = gough.Model(machine)
    found = kinematics.forward_kinematics(model, q, first if guessed else start, method=method)
    status = kinematics.Status(int(found.status))
    whole_legs = _option_of(machine) == "--lengths"
    words = status.of(
        "leg lengths" if whole_legs else "positions of the actuators",
        "the strokes" if whole_legs else "their ranges",
    )
    if np.isnan(found.pose).any():
        raise GoughError(f"{machine.name}: {words} (after {found.iterations} steps)")
    facts = {**frame_facts(frames, found.pose), **position_facts(machine, q)}
    notes = [] if status is kinematics.Status.CONVERGED else [words]
    tables = found.tables(frames)
    show(found, as_json, about=machine.name, tables=tables, notes=notes, facts=facts)


def _joint_positions(robot: Robot, texts: Sequence[str], degrees: bool) -> Array:
    """(n,) positions of n actuators [m, rad], from texts with or without units."""
    import numpy as np

    option, actuators = _option_of(robot), robot.actuators
    if len(texts) != len(actuators):
        names = ", ".join(actuator.name for actuator in actuators)
        each = "" if option == "--lengths" else f", one for each of {names}"
        raise UsageError(f"Option '{option}' requires {len(actuators)} arguments{each}")
    return np.array(
        [_position(option, *pair, degrees) for pair in zip(actuators, texts, strict=True)]
    )


def _option_of(robot: Robot) -> str:
    """Return the name of the option: lengths where actuators are whole legs."""
    from gough.kinematics.actuator_positions import are_lengths

    return "--lengths" if are_lengths(robot) else "--joints"


def _position(option: str, actuator: Actuator, text: str, degrees: bool) -> float:
    if actuator.turns:
        return options.angle(option, text, degrees)
    value = options.length(option, text)
    if option == "--lengths" and value <= 0:
        raise wrong_usage(option, f"{actuator.name} has length {value:g} m; expected one above 0")
    return value


def assemblies(
    robot: str,
    joints: list[str] | None = None,
    degrees: bool = False,
    plot: Path | None = None,
    as_json: bool = False,
) -> None:
    """Find all assembly modes: every pose of the platform at given leg lengths, by default home's.

    Example:  gough pose assemblies kalani-2016 --lengths 1.2 1.2 1.2 1.2 1.2 1.2
    """
    model = gough.Model(gough.load(robot))
    if joints is None:
        q = model.inverse_kinematics(model.robot.home)
    else:
        q = _joint_positions(model.robot, joints, degrees)
    found = kinematics.assembly_modes(model, q)
    if plot is not None:
        plots.save_plot(found.plot(sheets=plot.suffix.lower() == ".pdf"), plot)
    show(found, as_json, files={"figure": plot})


def branches(robot: str, *, at: options.PoseOptions, as_json: bool = False) -> None:
    """List all branches (working modes) of the legs at a pose, with the actuator positions of each.

    Example:  gough pose branches delta --position 0.1 0 -1
    """
    model = gough.Model(gough.load(robot))
    pose, remarks = at.possible_pose(model)
    show(kinematics.branches(model, pose), as_json, notes=remarks)


def singularity(robot: str, *, at: options.PoseOptions, as_json: bool = False) -> None:
    """Show how near a pose is to a singularity, and which motion gets out of control there.

    Example:  gough pose singularity kalani-2016 --position 0 0 1 --rpy 0 0 85 --degrees
    """
    from gough.kinematics.singularity.singularity import singular_words
    from gough.kinematics.singularity.singularity import singularity as measure
    from gough.poses.rows import pose_rows

    machine = gough.load(robot)
    model = gough.Model(machine)
    pose, remarks = at.possible_pose(model)
    found, warnings = measure(model, pose), [*remarks, *singular_words(machine, pose)]
    tables = [Table.properties("Pose", pose_rows(pose)), *found.tables()]
    facts = {"pose": pose, "warnings": warnings}
    show(found, as_json, about=machine.name, tables=tables, warnings=warnings, facts=facts)


@dataclass(frozen=True)
class LimitOptions:
    """Options on the limits that bound a workspace."""

    max_condition: float | None = None
    ignore: list[str] | None = None

    def limits(self) -> kinematics.Limits:
        """The limits that the two options leave."""
        from gough.kinematics.workspace.stated_limits import FAMILIES, SYNONYMS

        asked = [name.replace("-", " ") for name in self.ignore or []]
        left_out = [SYNONYMS.get(name, name) for name in asked]
        unknown = [name for name in left_out if name not in FAMILIES]
        if unknown:
            known = ", ".join([*FAMILIES, *SYNONYMS])
            raise wrong_usage("--ignore", f"unknown limit {unknown[0]!r}; expected one of {known}")
        return kinematics.Limits(
            tuple(f for f in FAMILIES if f not in left_out), self.max_condition
        )


def volume(
    robot: str,
    *,
    orientation: bool = False,
    at: options.PoseOptions,
    bounded_by: LimitOptions,
    relative_error: float = 0.001,
    cut: str | None = None,
    axes: tuple[str, str] | None = None,
    plot: Path | None = None,
    computed_by: options.ExecutorOptions,
    as_json: bool = False,
) -> None:
    """Compute the workspace: volume or area, travel, rotations, and the limits that bound it.

    Example:  gough workspace volume demo-hexapod --slice z=0.95 --plot slice.png
    """
    limits, executor = bounded_by.limits(), computed_by.executor()
    for option, value in (("--slice", cut), ("--axes", axes)):
        if orientation and value is not None:
            raise wrong_usage(option, "not with --orientation: a slice names its plane")
    model = gough.Model(gough.load(robot))
    files = {"figure": plot}
    if cut is not None or axes is not None:
        pose = at.pose(model.robot)
        if cut is not None:
            part = kinematics.slice_at(model, pose, *_plane(cut, at.degrees), axes, limits=limits)
        else:
            assert axes is not None
            part = kinematics.workspace_slice(model, axes, pose, limits=limits)
        if plot is not None:
            plots.save_plot(part.plot(title=model.robot.name), plot)
        show(part, as_json, about=f"{model.robot.name}: slice", files=files)
        return

    asked, remarks = at.possible_pose(model)
    found = kinematics.workspace_overview(
        model,
        asked,
        orientation=orientation,
        limits=limits,
        tolerance=relative_error,
        progress=not as_json,
        executor=executor,
    )
    if plot is not None:
        plots.save_plot(found.plot(), plot)
    show(found, as_json, notes=remarks, files=files)


def _plane(cut: str, degrees: bool) -> tuple[str, float]:
    """The coordinate that stays, and its value in SI."""
    from gough.kinematics.workspace.slices import is_angle

    name, equals, text = (part.strip() for part in cut.partition("="))
    try:
        turns = is_angle(name)
    except GoughError:
        equals = ""
    if not equals:
        expected = "expected x, y, z, roll, pitch or yaw, as in z=0.9"
        raise wrong_usage("--slice", f"not a plane, got {cut!r}; {expected}")
    return name, options.angle("--slice", text, degrees) if turns else options.length(
        "--slice", text
    )


def travel(
    robot: str,
    *,
    at: options.PoseOptions,
    inside: options.FrameOptions,
    bounded_by: LimitOptions,
    as_json: bool = False,
) -> None:
    """Compute the travel from a pose along and about each axis alone, and the limits that bound it.

    Example:  gough workspace travel demo-hexapod --tool 0 0 200mm
    """
    limits, frames = bounded_by.limits(), inside.frames(at.degrees)
    model = gough.Model(gough.load(robot))
    pose, remarks = at.possible_pose(model, frames)
    show(model.travel(pose, frames=frames, limits=limits), as_json, notes=remarks)


ZEROS = ("0", "0", "0")


def box(
    robot: str,
    *,
    translation: options.Three = ZEROS,
    rotation: options.Three = ZEROS,
    at: options.PoseOptions,
    bounded_by: LimitOptions,
    as_json: bool = False,
) -> None:
    """Check whether a box of positions and orientations lies in the workspace.

    The box lies around a pose, by default home. Its corners, edges and interior are sampled, and
    the worst pose is searched from there; strokes of hexapods are proved for the whole box.

    Example:  gough workspace box demo-hexapod --translation 4cm 4cm 4cm --rotation 8deg 8deg 8deg
    """
    limits = bounded_by.limits()
    model = gough.Model(gough.load(robot))
    pose, remarks = at.possible_pose(model)
    sides, turns = _sides(translation, rotation, at.degrees)
    show(model.workspace_box(sides, turns, pose=pose, limits=limits), as_json, notes=remarks)


def _sides(
    translation: options.Three, rotation: options.Three, degrees: bool, needed: bool = True
) -> tuple[list[float], list[float]]:
    """Half-widths of a box [m, rad]."""
    sides = [options.length("--translation", text) for text in translation]
    turns = [options.angle("--rotation", text, degrees) for text in rotation]
    if needed and not any([*sides, *turns]):
        problem = "a box without sides"
        raise GoughError(f"{problem}; expected --translation or --rotation, and a number above 0")
    return sides, turns


def prove(
    robot: str = "",
    *,
    translation: options.Three = ZEROS,
    radius: str | None = None,
    rotation: options.Three = ZEROS,
    at: options.PoseOptions,
    bounded_by: LimitOptions,
    twist: list[float] | None = None,
    acceleration: list[float] | None = None,
    wrench: list[float] | None = None,
    tolerance_zone: list[str] | None = None,
    at_most: int | None = None,
    check: Path | None = None,
    resume: Path | None = None,
    computed_by: options.ExecutorOptions,
    output: Path | None = None,
    as_json: bool = False,
) -> None:
    """Prove that every pose of a box respects all limits, or find one that does not.

    The box lies around a pose, by default home. The proof, by interval arithmetic, holds for all
    robots within the tolerances. Of a study file its motion is proved, for every time.

    Example:  gough prove planar-3rrr --translation 1cm 1cm 0 --rotation 0 0 3deg
    """
    limits, executor = bounded_by.limits(), computed_by.executor()
    of_box: dict[str, object] = {
        "--translation": translation != ZEROS, "--radius": radius, "--rotation": rotation != ZEROS,
        "--twist": twist, "--acceleration": acceleration, "--wrench": wrench,
        "--tolerance-zone": tolerance_zone, "--position": at.position, "--rpy": at.rpy,
        "--degrees": at.degrees,
    }  # fmt: skip
    if check is not None or resume is not None:
        of_box |= {"--ignore": bounded_by.ignore, "--max-condition": bounded_by.max_condition}
        if check is not None:
            of_box |= {"--resume": resume, "-o": output, "--workers": executor}
        with_option = "--resume" if check is None else "--check"
        for option, given in of_box.items():
            if given:
                why = f"not with {with_option}: the certificate says what is proved"
                raise wrong_usage(option, why)
    if check is not None:
        show(_checked(check, robot, at_most), as_json)
        return
    if not robot:
        raise UsageError("Missing argument 'ROBOT'")
    at_most = at_most or 100_000
    if resume is not None:
        begun = kinematics.read_proof(resume, gough.load(robot))
        found = kinematics.carried_on(begun, at_most=at_most, executor=executor, progress=True)
        _show_proof(found, robot, output, as_json)
        return
    if is_file_of("study", robot):
        for option, given in (of_box | {"--workers": executor}).items():
            if given:
                raise wrong_usage(option, "for a box of poses; expected a robot, and no study")
        study = gough.Study.load(robot)
        motion = study.prove(limits=limits, at_most=at_most, progress=True)
        _show_proof(motion, study.name, output, as_json)
        return
    model = gough.Model(gough.load(robot))
    if radius is not None and translation != ZEROS:
        raise wrong_usage("--radius", "not with --translation: positions are in a ball, or a box")
    sides, turns = _sides(translation, rotation, at.degrees, needed=radius is None)
    positions = sides if radius is None else options.length("--radius", radius)
    zones = options.pairs("--tolerance-zone", tolerance_zone, "NAME=SIZE")
    within = {name: options.number_or_text(size) for name, size in zones.items()}
    pose, remarks = at.possible_pose(model)
    found = model.prove(
        positions, turns, pose=pose, limits=limits, twist=_maximum("--twist", twist),
        acceleration=_maximum("--acceleration", acceleration), wrench=_maximum("--wrench", wrench),
        tolerances=within, at_most=at_most, executor=executor, progress=True,
    )  # fmt: skip
    _show_proof(found, robot, output, as_json, remarks)


def _maximum(option: str, given: list[float] | None) -> float | list[float] | None:
    """Return six maxima, or one of the translation or force in every direction."""
    if given is not None and len(given) not in (1, 6):
        raise wrong_usage(option, f"got {len(given)} numbers; expected six, or one")
    return given[0] if given is not None and len(given) == 1 else given


def _checked(path: Path, robot: str, at_most: int | None) -> kinematics.CheckedProof:
    """Verify a certificate, of the motion of a study or of a robot's box of poses."""
    if is_file_of("study", robot):
        return gough.Study.load(robot).check_proof(path, at_most=at_most)
    return kinematics.check_proof(path, gough.load(robot) if robot else None, at_most=at_most)


def _show_proof(
    found: kinematics.Proof | gough.MotionProof,
    robot: str,
    certificate: Path | None,
    as_json: bool,
    remarks: Sequence[str] = (),
) -> None:
    arrived()  # it may be what an interrupt left, to be saved
    notes = list(remarks)
    if certificate is not None:
        found.save(certificate)
        if found.verdict == "undecided" and isinstance(found, kinematics.Proof):
            again = shlex.join(["gough", "prove", robot, "--resume", str(certificate)])
            notes.append(f"next: {again}")
    show(found, as_json, about=robot, notes=notes, files={"certificate": certificate})
