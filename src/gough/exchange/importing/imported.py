"""Robots from files of other tools, and what of these files was left out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypedDict, Unpack, cast
from xml.etree.ElementTree import Element

import numpy as np

from gough.disk.sources import as_made
from gough.display.brief import Brief
from gough.errors import InputError, RobotError, about_file
from gough.exchange.importing import platform as platforms
from gough.exchange.importing import reading_process, selection
from gough.exchange.importing.closing import ROUNDED, assembled, holding, open_by
from gough.exchange.importing.file_machine import MOST_LINKS, FileBody, FileFreedom, FileMachine
from gough.exchange.importing.machine import fused, machine_of, one_of_several, without_spins
from gough.exchange.importing.robot_file import (
    hexapod_facts,
    left_out_of,
    machine_facts,
    number,
    straightened,
)
from gough.exchange.importing.rounding import agreeing, with_closed_loops
from gough.exchange.importing.sdf import sdf_machine
from gough.exchange.importing.urdf import read_loop_text, urdf_machine
from gough.exchange.tree.document import has_robot_comment, robot_in_comment
from gough.fields.user_files import read_content, read_text
from gough.model.mechanism import analysed, possible_moves
from gough.one_thread import one_thread
from gough.robot import PLATFORM, Mechanism, Robot, load

MOST_FREEDOMS = 100  # maximum number of degrees of freedom of all joints together: a hexapod has 42
_WANTED = "an MJCF, URDF, SDF or USD file, or a robot file (.toml, .json)"
_LARGEST = 1e12
_HELD = "Springs are held that would move the platform while all motors are locked"
_PLACEHOLDER = 1e-9
"""Masses below this share of the machine's are placeholders that another tool requires."""
_SEEN = 1e-9  # gaps below this share of the machine's size count as closed loops
_NOT_TAKEN = (
    "the robot file in its comment, because it was changed, or another platform or home was given"
)


@dataclass(frozen=True, repr=False)
class Imported(Brief):
    """A robot of a file of another tool, and what was left out, a line each."""

    robot: Robot
    left_out: tuple[str, ...]
    platform: str = PLATFORM
    """Name of the platform in the file, or of the frame that is its pose."""
    assumed: tuple[str, ...] = ()
    """Assumptions where the file gives no value, in sentences."""


class Chosen(TypedDict, total=False):
    """Words of a user beside a file."""

    platform: str | None
    home: str | None
    motors: Sequence[str]
    subtree: str | None
    hold: Sequence[str]
    drop_limits: bool


def import_robot(
    path: str | Path, *, loops: str | Path | None = None, **chosen: Unpack[Chosen]
) -> Robot:
    """Return the robot of an MJCF, URDF, SDF or USD file, or of a robot file whose loops it closes.

    `loops` is the file that closes the loops of a URDF, by default `robot.yaml` or that with the
    URDF's name beside it, or the loops in the URDF itself. `platform` names the body, or a frame on
    it, that is the platform; `home` a keyframe, or positions as "joint=value, …"; `motors` driven
    joints in place of the file's; `subtree` a body of the machine if the file has several; `hold`
    joints that stand still. With `drop_limits` ranges of motors go that home is outside of. What
    was left out stands in the robot's notes. Needs the packages mujoco, pyyaml or usd-core.

    >>> import gough, tempfile
    >>> from gough.exchange import export_machine
    >>> files = export_machine(gough.load("delta"), tempfile.mkdtemp(), "mjcf")
    >>> gough.import_robot(files[0]).name
    'delta'
    """
    return imported(path, loops=loops, **chosen).robot


@one_thread()
def imported(
    path: str | Path, *, loops: str | Path | None = None, **chosen: Unpack[Chosen]
) -> Imported:
    """Return the robot of an MJCF, URDF, SDF, USD or robot file: ending or first element decides.

    A file that Gough wrote has in it the robot that it was made of. If it was changed since, or
    anything else is asked for, it is read as a file of others. Loops of a robot file are closed.
    """
    platform, home, subtree = chosen.get("platform"), chosen.get("home"), chosen.get("subtree")
    motors, hold = chosen.get("motors", ()), chosen.get("hold", ())
    drop_limits = chosen.get("drop_limits", False)
    _refuse_unnamed(path, loops, {"platform": platform, "home": home, "subtree": subtree})
    file, beside = Path(path), None if loops is None else Path(loops)
    if file.suffix in (".toml", ".json"):
        if loops or any(chosen.values()):
            raise InputError("options beside a robot file", file=file, expected="none")
        with about_file(file):
            closed, notes = with_closed_loops(load(file))
        return Imported(closed, (), assumed=notes)
    if file.suffix in reading_process.USD:  # text or not
        content = read_content(file, _WANTED, reading_process.MOST_BYTES)
        text, root = content.decode(errors="replace"), None
    else:
        text = read_text(file, _WANTED, reading_process.MOST_BYTES)
        root = reading_process.parsed_xml(text, file, _WANTED)
    with about_file(file):
        usual = platform in (None, PLATFORM) and not (home or subtree or motors or hold)
        own = robot_in_comment(text) if usual else None
    if beside is None and root is not None and root.tag == "robot" and root.find("loop") is None:
        near = (file.with_suffix(".yaml"), file.with_name("robot.yaml"))
        beside = next(filter(Path.is_file, near), None)
    if own is not None:
        loop_text = None if beside is None else read_loop_text(beside)
        if loop_text is None or (as_made(loop_text) and own.identity in loop_text):
            return Imported(own, ())
    _refuse_unfit(root, file, beside)
    with np.errstate(over="ignore", invalid="ignore"):  # such numbers are refused in a moment
        machine = reading_process.read_usd(file) if root is None else _read(root, file, beside)
    if has_robot_comment(text):
        machine = machine.leaving_out(_NOT_TAKEN)
    with about_file(file):
        _refuse_unbounded(machine)
        machine = selection.at_home(holding(machine, lambda _: False), home)
        machine = selection.driving(machine, motors) if motors else machine
        machine = selection.grounded(selection.holding_joints(machine, hold) if hold else machine)
        machine = machine if subtree is None else selection.below(machine, subtree)
        machine = _driven(agreeing(machine) or machine)
        at_home = _with_springs_held(machine)
        at_home = at_home if home or drop_limits else selection.inside_ranges(at_home)
        if (gap := np.abs(open_by(machine)).max(initial=0.0)) > _SEEN * machine.size:
            note = f"In the file, loops are {gap:.3g} m or rad open: home is near to that."
            at_home = at_home.assuming(note)
        names = [part.name for part in (file, beside) if part]
        return _imported(at_home, platform, drop_limits, f"Imported from {' and '.join(names)}.")


def _read(root: Element, file: Path, loops: Path | None) -> FileMachine:
    if root.tag == "mujoco":
        return reading_process.read_mjcf(root, file)
    return sdf_machine(root, file) if root.tag == "sdf" else urdf_machine(root, file, loops)


def _refuse_unnamed(path: object, loops: object, names: Mapping[str, object]) -> None:
    for given in (path, "" if loops is None else loops):
        if not isinstance(given, str | Path):
            raise InputError("not a path", value=given, expected="the name of a file")
    for key, name in names.items():
        if not isinstance(name, str | None):
            expected = "the name of a body or keyframe, or of a frame on a body"
            raise InputError("not a name", key=key, value=name, expected=expected)


def _refuse_unfit(root: Element | None, file: Path, loops: Path | None) -> None:
    kinds = {"mujoco": "an MJCF", "robot": "a URDF", "sdf": "an SDF", "": "a USD"}
    top = "" if root is None else root.tag
    if top not in kinds:
        expected = "<mujoco>, <robot> or <sdf>"
        raise InputError(f"<{top}> at its top", file=file, expected=expected)
    if top != "robot" and loops is not None:
        expected = "those in the file"
        raise InputError(f"loops beside {kinds[top]} file", file=loops, expected=expected)
    if root is None:
        return
    for tag in ("link", "joint", "body", "site", "frame"):
        count = sum(1 for _ in root.iter(tag))
        if count > MOST_LINKS:
            raise InputError(f"{count:,} of <{tag}>", file=file, expected=f"at most {MOST_LINKS:,}")


def _with_springs_held(machine: FileMachine) -> FileMachine:
    """Return the machine at home, with springs held that would move the platform by themselves."""
    home = assembled(machine)
    if springs := platforms.loose_springs(one_of_several(machine_of(home))):
        note = f"{_HELD}: {', '.join(springs)}."
        home = assembled(selection.holding_joints(machine, springs).assuming(note))
    return home


def _imported(
    home: FileMachine, platform: str | None, drop_limits: bool, reference: str
) -> Imported:
    passive = (f for f in home.freedoms if f.motor is None)
    if idle := [f.name for f in passive if f.max_effort or f.max_speed]:
        home = home.leaving_out(
            f"limits of effort and velocity of joints without a motor: {', '.join(idle)}"
        )
    given = machine_of(home)
    machine = fused(_with_home_inside(_without_dust(given), drop_limits))
    machine = one_of_several(without_spins(machine))
    moving = [key for key in home.bodies if key in machine.bodies and key != home.base]
    if bare := [key for key in moving if given.bodies[key].massless]:
        machine = machine.assuming(f"The file gives no mass of {', '.join(bare)}.")
    chosen = platforms.platform_of(machine, platform)
    machine = straightened(machine, chosen)
    left_out, assumed = (*machine.left_out, *left_out_of(machine)), machine.assumed
    listed = (f"Left out: {'; '.join(left_out)}.",) if left_out else ()
    heading = {
        "name": machine.name,
        "reference": reference,
        "notes": " ".join((*listed, *assumed)),
        "gravity": list(machine.gravity),
    }
    hexapod = hexapod_facts(machine, chosen)
    if hexapod is not None:
        robot = Robot.from_dict({"schema": "gough/1", **heading, **hexapod})
        return Imported(robot, left_out, chosen.name, assumed)
    facts = {"schema": "gough/2", **heading, **machine_facts(machine, chosen)}
    moves = possible_moves(cast(Mechanism, Robot.from_dict(facts)))
    if not moves:
        problem = "cannot move: its joints hold it in this pose"
        raise RobotError(problem, key="platform", expected="a body that they leave a freedom")
    facts["platform"]["moves"] = list(moves)  # those that its joints leave to its platform
    assumed = (*assumed, *analysed(cast(Mechanism, Robot.from_dict(facts))).left_out)
    facts["notes"] = " ".join((*listed, *assumed))
    return Imported(Robot.from_dict(facts), left_out, chosen.name, assumed)


def _without_dust(machine: FileMachine) -> FileMachine:
    """Return the configuration without placeholder masses of bodies, and list these."""
    moving = {key: body for key, body in machine.bodies.items() if key != machine.base}
    least = _PLACEHOLDER * sum(body.mass for body in moving.values())
    dust = {key: body for key, body in moving.items() if 0.0 < body.mass <= least}
    bare = {key: FileBody(body.place) for key, body in dust.items()}
    remarks = [f"mass of {key}, {body.mass:.3g} kg" for key, body in dust.items()]
    return machine.leaving_out(*remarks, bodies=machine.bodies | bare)


def _with_home_inside(machine: FileMachine, drop_limits: bool) -> FileMachine:
    """Return the configuration with ranges that include home despite rounding, and list these.

    Ranges of passive joints that do not include it go, those of motors only if they may.
    """
    near, remarks = {"hinge": ROUNDED, "slide": ROUNDED * machine.size}, list[str]()

    def reaching_home(freedom: FileFreedom) -> FileFreedom:
        low, high = freedom.travel or (-np.inf, np.inf)
        if freedom.travel and np.inf in (-low, high):
            remarks.append(f"range of {freedom.name}, which has one end: {low:.6g} to {high:.6g}")
            return replace(freedom, travel=None)
        beyond = max(low - freedom.zero, freedom.zero - high)
        if beyond <= 0.0 or freedom.kind not in near:
            return freedom
        if beyond > near[freedom.kind]:
            why = f"home, {freedom.zero:.6g}, is outside of {low:.6g} to {high:.6g}"
            if freedom.motor is not None and not drop_limits:
                expected = (
                    "--home with positions that close the loops and are inside, or --drop-limits"
                )
                raise RobotError(f"driven, but {why}", key=freedom.name, expected=expected)
            remarks.append(f"range of {freedom.name}: {why}")
            return replace(freedom, travel=None)
        remarks.append(f"that home is just outside the range of {freedom.name}")
        home = number(freedom.zero)
        return replace(freedom, travel=(min(low, home), max(high, home)))

    return machine.changed(reaching_home).leaving_out(*remarks)


def _driven(machine: FileMachine) -> FileMachine:
    """Return the machine with motors: of a file without any where they likely are."""
    if any(freedom.motor is not None for freedom in machine.freedoms):
        return machine
    found = one_of_several(machine_of(assembled(machine)))
    if names := platforms.likely_motors(found):
        note = (
            f"The file has no motors: they are at {', '.join(names)}, if --motors states no other."
        )
        return selection.driving(machine, names).assuming(note)
    count = platforms.degrees_of_freedom(found)
    order = [*machine.bodies]
    single = [(j, f) for j in machine.joints for f in j.freedoms if f.is_single]
    single.sort(key=lambda x: (not x[1].max_effort, *map(order.index, x[0].between), x[1].name))
    if not count or not single:
        problem = "no joint is driven, and none could be"
        raise RobotError(problem, expected="hinges or slides that can move")
    could = f"{count} of {', '.join(f.name for _, f in single[:20])}"
    tags = "<actuator> of MJCF, <transmission> or <ros2_control> of URDF, name_mot in its loops"
    expected = f"{tags}, <plugin> of SDF, a drive of USD, or --motors with {could}"
    raise RobotError("no joint is driven", expected=expected)


def _refuse_unbounded(machine: FileMachine) -> None:
    """Refuse numbers that cannot be computed with, and too many degrees of freedom."""
    for f in machine.freedoms:
        if f.travel and f.travel[0] > f.travel[1]:
            problem, expected = "its range is empty", "the lower limit first"
            raise RobotError(problem, key=f.name, value=list(f.travel), expected=expected)
    count, loops = len(machine.columns), len(machine.loops)
    if max(count, loops) > MOST_FREEDOMS:
        problem = f"{count} degrees of freedom of its joints, and {loops} loops"
        raise RobotError(problem, expected=f"at most {MOST_FREEDOMS} of each")
    found = [(j.name, [*j.ends, *(f.at for f in j.freedoms)]) for j in machine.joints]
    found += [
        (name, [body.place, body.center, body.inertia, np.array(body.mass)])
        for name, body in machine.bodies.items()
    ]
    for name, numbers in found:
        if not all(np.all(np.abs(number) < _LARGEST) for number in numbers):
            problem = f"a number that is not finite, or above {_LARGEST:g}"
            raise RobotError(problem, key=name, expected="metres, kilograms and kg m^2")
