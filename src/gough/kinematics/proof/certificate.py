"""Certificates of proofs: JSON files with the statement, the boxes, and the robot's fingerprint."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from hashlib import sha256
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.checks import require_instance, require_integer
from gough.disk.files import write_text
from gough.disk.plain_data import PlainData
from gough.display import Displayable, Rows, Table, vector
from gough.errors import GoughError
from gough.fields.user_files import each_key_once, read_content
from gough.kinematics.proof.answer import DIGITS, CounterExample, Verdict, region_words, state_rows
from gough.kinematics.proof.bounding import Bounding
from gough.kinematics.proof.branches import steps_between
from gough.kinematics.proof.checker import SIDES, Claim, check, exact
from gough.kinematics.proof.claims import (
    ClaimInputs,
    claim,
    of_one_margin,
    solution_at_home,
    way_from_home,
)
from gough.kinematics.proof.implicit import Implicit
from gough.kinematics.proof.prove import Boxes, Proof, ProofSearch, ball_halves
from gough.kinematics.proof.requirements import STEPS, Required
from gough.kinematics.workspace.box import box_halves, pose_at
from gough.kinematics.workspace.charts import centre_of
from gough.kinematics.workspace.reach import Limits
from gough.model.kernels import Kernels
from gough.model.machines import Machines, machines_with
from gough.robot import Robot, load

MOST_BYTES = 2**30
"""Maximum size of a certificate that is read."""
FORMAT = "gough-proof/4"
_SIDES = ("proved", "outside", "undecided")


def write(proof: Proof, path: str | Path) -> None:
    """Write the certificate of a proof; it comes into place whole."""
    example, first = proof.counter_example, len(proof.machines.names) if proof.tolerances else 0
    found = None
    if example is not None:
        point, own = example.coordinates.copy(), proof.machines.values
        for _ in range(2 if first else 0):  # boxes of tolerances were rounded outward
            point[:first] = np.nextafter(point[:first], own)
        found = {"part": 0, "requirement": example.number, "coordinates": point.tolist()}
    paths = {path: side for side, key in zip(SIDES, _SIDES, strict=True)
             for path in getattr(proof, key)}  # fmt: skip
    stated = {
        "tolerances": dict(proof.tolerances),
        "centre": proof.centre.tolist(),
        "halves": proof.boxes.whole[first:, 1].tolist(),
    }
    write_certificate(path, proof, stated, [code_of(paths)], found)


def write_certificate(
    path: str | Path, proof: Any, stated: PlainData, boxes: list[str], example: PlainData | None
) -> None:
    """Write what a proof states, its boxes by claims, and its counter-example."""
    content: PlainData = {
        "format": FORMAT,
        "robot": proof.robot.name,
        "fingerprint": Machines(proof.robot).fingerprint,
        "required": asdict(proof.required),
        **stated,
        "verdict": proof.verdict,
        "counter_example": example,
        "boxes": boxes,
    }
    write_text(path, json.dumps({**content, "sha256": digest(content)}, indent=1) + "\n")


def code_of(sides: Mapping[str, str]) -> str:
    """Return the code of boxes from their sides by path: the tree of bisections, in order.

    A letter bisects along its axis, the lower half first; signs are those of `SIDES`.
    """
    found, last = list[str](), ""
    for path in sorted(sides, key=str.swapcase):
        same = takewhile(lambda pair: pair[0] == pair[1], zip(last, path, strict=False))
        known = len(list(same)) + 1 if found else 0
        found.append(path[known:].lower() + sides[path])
        last = path
    return "".join(found)


def paths_of(code: str) -> Iterator[tuple[str, str]]:
    """Give paths and signs of all boxes of a code."""
    left = [""]
    for letter in code:
        if not left:
            raise GoughError("its boxes do not fill the whole")
        path = left.pop()
        if letter in SIDES:
            yield path, letter
        else:
            left += [path + letter.upper(), path + letter]


def digest(content: PlainData) -> str:
    """Return the SHA-256 of a certificate without its own."""
    own = {key: value for key, value in content.items() if key != "sha256"}
    return sha256(json.dumps(own, sort_keys=True).encode()).hexdigest()


def _content(file: bytes) -> dict[str, Any]:
    """Return the content of a certificate; GoughError for a file that is none, or was changed."""
    try:
        content: Any = json.loads(file, object_pairs_hook=each_key_once)
    except ValueError as error:
        raise GoughError(f"no certificate of a proof: {error}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise GoughError(f"no certificate of a proof; expected format {FORMAT!r}")
    if content.get("sha256") != digest(content):
        raise GoughError("the certificate was changed: its SHA-256 is not that stated")
    return content


def statement(content: dict[str, Any], robot: Robot) -> Required:
    """Return what a certificate requires; GoughError if it is about another robot."""
    if (robot.name, Machines(robot).fingerprint) != (content["robot"], content["fingerprint"]):
        raise GoughError(
            f"the certificate is about another robot than {robot.name}; expected "
            f"{content['robot']} with the fingerprint {content['fingerprint'][:16]}…"
        )
    stated = dict(content["required"])
    limits = dict(stated.pop("limits"))
    limits["families"] = tuple(limits["families"])
    required = Required(Limits(**limits), **stated)
    if not required.rows(robot):
        raise GoughError("it requires nothing")
    return required


def read_proof(path: str | Path, robot: Robot) -> Proof:
    """Return the proof of a certificate, for example to carry on with its undecided boxes.

    Boxes that it lists as decided are evaluated again; what is not proved then is undecided.
    """
    with reading(path) as content:
        required, machines, centre, halves, tolerances = _of_box(content, robot)
        (code,), found, example = content["boxes"], content["counter_example"], None
        rows, boxes = required.rows(robot), Boxes.around(machines, tolerances, halves)
        if found is not None:
            point, number = np.array(found["coordinates"], float), found["requirement"]
            if not ((boxes.whole[:, 0] <= point) & (point <= boxes.whole[:, 1])).all():
                raise GoughError("its counter-example is not in the box")
            bounding = Bounding(required, machines, centre)
            pose = pose_at(centre, point[bounding.first :][:6])
            margin = float(bounding.at(point[None])[0, number, 1])
            if not margin < 0:
                raise GoughError("its counter-example violates no requirement")
            example = CounterExample(rows[number], point, pose, margin, number)
        if not {*code} <= {*SIDES, *"abcdefghijklmnopqrstuvwx"[: len(boxes.axes)]}:
            raise GoughError("its boxes are bisected along other axes")
        sides = dict(paths_of(code))
        left = tuple(path for path, side in sides.items() if side == "?")
        known = boxes, tolerances, (), (), tuple(sides), np.full(len(rows), np.inf), example
        search = ProofSearch(Proof(robot, required, centre, *known), volume=True)
        decided = tuple(path for path, side in sides.items() if side != "?")
        search.known = search.known._replace(open=decided, small=left)
        list(search.rounds(len(decided)))
        return search.found()


@contextmanager
def reading(path: str | Path) -> Iterator[dict[str, Any]]:
    """Give the content of a certificate, of which all that is wrong is a GoughError."""
    file = read_content(Path(path), "a certificate (.json)", MOST_BYTES)
    try:
        yield _content(file)
    except GoughError as error:
        raise GoughError(f"{path}: the certificate does not hold: {error}") from error
    except KeyError as error:
        problem = f"it has no entry {error!s:.100}"
        raise GoughError(f"{path}: the certificate does not hold: {problem}") from error
    except (
        LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError
    ) as error:  # fmt: skip
        problem = f"an entry is not of the expected kind: {error!s:.200}"
        raise GoughError(f"{path}: the certificate does not hold: {problem}") from error


@dataclass(frozen=True)
class CheckedProof(Displayable):
    """Statement of a certificate that was verified."""

    robot: Robot
    statement: str
    verdict: Verdict
    boxes: int
    """Number of its boxes, or of intervals of time."""
    evaluated: int
    """Number of those that were evaluated again; the others were not chosen, or are undecided."""
    listed = "robot statement verdict boxes evaluated"
    result_kind = "the certificate holds"

    def tables(self) -> list[Table]:
        """The statement, and what was evaluated."""
        facts: Rows = [("verdict", self.verdict, ""), ("for", self.statement, "")]
        facts += [("boxes", self.boxes, ""), ("evaluated again", self.evaluated, "")]
        return [Table.properties("Certificate", facts)]


def check_proof(
    path: str | Path, robot: Robot | None = None, *, at_most: int | None = None
) -> CheckedProof:
    """Verify a certificate of `gough.prove`, without compiled bounds.

    The robot is by default that of the library with the name in the certificate. All boxes are
    evaluated again, or `at_most` so many, chosen at random, each as likely as it is large; ways
    from home, and that boxes fill the whole, are verified in any case. GoughError if it does not
    hold, with the box and the requirement.

    >>> import gough
    >>> robot = gough.load("planar-3rrr")
    >>> limits = gough.kinematics.Limits(families=("stroke",))
    >>> gough.prove(robot, [1e-3, 1e-3, 0], limits=limits).save("proof.json")
    >>> gough.kinematics.check_proof("proof.json", robot).verdict
    'proved'
    """
    if at_most is not None:
        require_integer("at_most", at_most, least=0)
    if robot is not None:
        require_instance("robot", robot, Robot)
    with reading(path) as content:
        robot = robot or load(content["robot"])
        required, _, centre, halves, tolerances = of_box = _of_box(content, robot)
        box = (
            f"{region_words(halves, required.radius)} around x y z {vector(centre[:3], DIGITS)} m, "
            f"quaternion {vector(centre[3:], DIGITS)}"
        )
        rows = state_rows(halves[6:], dict(required.balls))
        more = [f"{name} {text} [{unit}]" for name, text, unit in rows]
        zones = [f"{name} ± {size:.{DIGITS}g}" for name, size in tolerances.items()]
        more += zones or ["no tolerances"]
        claims = _claims(of_box, content["verdict"] == "proved")
        return checked(content, required, robot, claims, len(claims) - 1, at_most, box, *more)


def checked(
    content: dict[str, Any],
    required: Required,
    robot: Robot,
    claims: Sequence[Claim],
    ways: int,
    at_most: int | None,
    of: str,
    *more: str,
) -> CheckedProof:
    """Verify claims of a certificate, after those of ways to its boxes: see `check_proof`."""
    codes, claims = ["".join(code) for code in content["boxes"]], list(claims)
    if len(codes) != len(claims) - ways:
        raise GoughError(f"it has boxes of {len(codes)} regions; expected {len(claims) - ways}")
    signs = [letter for code in codes for letter in code if letter in SIDES]
    names = [f"box {k + 1} of {len(signs)}" * (sign != "?") for k, sign in enumerate(signs)]
    decided = [k for k, name in enumerate(names) if name]
    if at_most is not None:  # with boxes next to them, so that their solutions are compared
        each = (pair for code in codes for pair in paths_of(code))
        sizes = [2.0 ** -len(path) for path, side in each if side != "?"]
        some = sorted(range(len(decided)), key=lambda k: random.expovariate(sizes[k]))[:at_most]
        near = [decided[n] for k in some for n in (k, k + 1) if n < len(decided)]
        decided = [*dict.fromkeys(near)][:at_most]
    chosen, example = {*decided}, content["counter_example"]
    if example is None and "-" in signs:  # what refutes
        chosen.add(signs.index("-"))
    names = [name if k in chosen else "" for k, name in enumerate(names)]
    if example is not None:
        codes, names = [*codes, "-"], [*names, "the counter-example"]
        claims.append(_example(example, claims[ways:]))
    names = ["a way from home"] * ways + names
    home = solution_at_home(Machines(robot))
    check(content["verdict"], ["+"] * ways + codes, claims, home, names)
    if content["verdict"] == "proved" and not chosen:
        raise GoughError("none of its boxes was evaluated again; expected at_most above 0")
    asked, limits = [*dict.fromkeys(x.family for x in required.rows(robot))], required.limits
    if (most := limits.max_condition) is not None:
        by = f", rotations by {x:.{DIGITS}g} m" if (x := limits.characteristic_length) else ""
        asked[-1] += f" at most {most:.{DIGITS}g}{by}"
    statement = "; ".join([of, ", ".join(asked), *more])
    return CheckedProof(robot, statement, content["verdict"], len(signs), len(chosen))


def _example(example: dict[str, Any], claims: Sequence[Claim]) -> Claim:
    """Return the claim of a counter-example: a box that is a point."""
    claim = claims[range(len(claims)).index(example["part"])]
    number = range(len(claim.requirements)).index(example["requirement"])
    point = [exact(x) for x in example["coordinates"]]
    if any(x & side != x for x, side in zip(point, claim.whole, strict=True)):
        raise GoughError("its counter-example is not in the box")
    return replace(of_one_margin(claim, number), whole=point, ends=[])


class _OfBox(NamedTuple):
    """Statement of a certificate about a box of poses, for robots within tolerances."""

    required: Required
    machines: Machines
    centre: Array
    halves: Array
    tolerances: dict[str, float]


def _of_box(content: dict[str, Any], robot: Robot) -> _OfBox:
    """Return the statement of a certificate; GoughError for boxes that the robot cannot have."""
    if "motion" in content:
        raise GoughError("it is about a motion; expected that of a box, or --check with the study")
    required, tolerances = statement(content, robot), content["tolerances"]
    required.check_stated(robot)
    machines = machines_with(robot, [*tolerances])
    names = required.names(machines)
    first = names.index(STEPS[0])
    centre, halves = (np.array(content[key], dtype=float) for key in ("centre", "halves"))
    if (centre.shape, halves.shape) != ((7,), (len(names) - first,)):
        raise GoughError("the box has other coordinates, or its centre is no pose")
    if unknown := tolerances.keys() - set(names[:first]):
        raise GoughError(f"tolerances of {unknown}; expected those of numbers of the robot")
    if not all(0 <= half < np.inf for half in (*halves, *tolerances.values())):
        raise GoughError("tolerances, or halves of sides, are below zero, or not finite")
    box_halves(Kernels(robot), halves[:3].tolist(), halves[3:6].tolist())
    if (r := required.radius) is not None and halves[:3].tolist() != ball_halves(robot, r):
        raise GoughError(f"its box is not that of a ball of radius {r:g} m")
    if not np.allclose(centre_of(robot, centre), centre, rtol=0, atol=1e-9) or not (
        abs(centre[3:] @ centre[3:] - 1) <= 1e-12
    ):
        raise GoughError("its centre is no pose that the robot can take")
    return _OfBox(required, machines, centre, halves, tolerances)


def _claims(of: _OfBox, proved: bool) -> list[Claim]:
    """Return what a certificate says of a box of poses, of robots within tolerances.

    Of a robot that iterates, home's solution continues to the point of the box nearest to home.
    """
    required, machines, centre, halves, tolerances = of
    names = required.names(machines)
    first = len(names) - len(halves)
    sides = [Fraction(x) for x in (*(tolerances.get(k, 0) for k in names[:first]), *halves)]
    middle = [*(machines.values.tolist() if first else ()), *[0.0] * len(halves)]
    whole = [exact(Fraction(m) - half) | exact(Fraction(m) + half) if half else exact(m)
             for m, half in zip(middle, sides, strict=True)]  # fmt: skip
    axes = [k for k in range(first, len(names)) if sides[k]]
    axes = [k for k in axes if k < first + len(STEPS)] or axes  # poses alone, if they vary
    x, given = ca.SX.sym("x", len(names)), ca.SX.sym("given", 7)
    own = required, machines, ClaimInputs(x, given, x, given), whole, axes, centre.tolist()
    if not (proved and Implicit(machines.robot).count):
        return [claim(*own)]
    near = steps_between(centre, np.array(machines.robot.home))
    near = np.clip(near, -halves[:6], halves[:6])
    end = [*middle[:first], *near.tolist()]
    point = [exact(x) for x in (*end, *middle[len(end) :])]
    return [*way_from_home(required, machines, own[-1], end), claim(*own, [point, point])]
