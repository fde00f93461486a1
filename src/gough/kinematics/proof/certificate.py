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
from typing import Any

import casadi as ca
import numpy as np

from gough.arrays import Array
from gough.checks import require_integer
from gough.disk.files import replacing
from gough.disk.plain_data import PlainData
from gough.display import Displayable, Rows, Table, vector
from gough.errors import GoughError
from gough.fields.user_files import read_content
from gough.kinematics.proof.answer import CounterExample, Verdict, region_words, state_rows
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
from gough.kinematics.proof.prove import Boxes, Proof
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
    with replacing(path) as draft:
        draft.write_text(json.dumps({**content, "sha256": digest(content)}, indent=1) + "\n")


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
        content: Any = json.loads(file)
    except ValueError as error:
        raise GoughError(f"no certificate of a proof: {error}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise GoughError(f"no certificate of a proof; expected format {FORMAT!r}")
    if content.get("sha256") != digest(content):
        raise GoughError("the certificate was changed: its SHA-256 is not that stated")
    return content


def statement(content: dict[str, Any], robot: Robot) -> Required:
    """Return what a certificate requires; GoughError if it is about another robot."""
    own = robot.name, Machines(robot).fingerprint
    if own != (content["robot"], content["fingerprint"]):
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
    """Return the proof of a certificate, for example to carry on with its undecided boxes."""
    with reading(path) as content:
        _check_of_box(content)
        required, centre = statement(content, robot), np.array(content["centre"])
        tolerances, halves = content["tolerances"], np.array(content["halves"])
        (code,), found, example = content["boxes"], content["counter_example"], None
        _check_poses(robot, centre, halves[:6])
    machines = machines_with(robot, [*tolerances])
    rows, boxes = required.rows(robot), Boxes.around(machines, tolerances, halves)
    if found is not None:
        point, number = np.array(found["coordinates"]), found["requirement"]
        bounding = Bounding(required, machines, centre)
        pose = pose_at(centre, point[bounding.first :][:6])
        margin = float(bounding.at(point[None])[0, number, 1])
        example = CounterExample(rows[number], point, pose, margin, number)
    paths = list(paths_of(code))
    proved, outside, undecided = (
        tuple(path for path, side in paths if side == own) for own in SIDES
    )
    low = np.full(len(rows), 0.0 if proved else np.inf)  # not stated: margins are at least zero
    known = boxes, tolerances, proved, outside, undecided, low, example
    return Proof(robot, required, centre, *known)


@contextmanager
def reading(path: str | Path) -> Iterator[dict[str, Any]]:
    """Give the content of a certificate, of which all that is wrong is a GoughError."""
    file = read_content(Path(path), "a certificate (.json)", MOST_BYTES)
    try:
        yield _content(file)
    except GoughError as error:
        raise GoughError(f"{path}: the certificate does not hold: {error}") from error
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise GoughError(f"{path}: the certificate does not hold: {error!r:.200}") from error


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
        facts: Rows = [
            ("verdict", self.verdict, ""),
            ("for", self.statement, ""),
            ("boxes", self.boxes, ""),
            ("evaluated again", self.evaluated, ""),
        ]
        return [Table.properties("Certificate", facts)]


def check_proof(
    path: str | Path, robot: Robot | None = None, *, at_most: int | None = None
) -> CheckedProof:
    """Verify a certificate of `gough.prove`, without compiled bounds.

    The robot is by default that of the library with the name in the certificate. All boxes are
    evaluated again, or `at_most` so many, chosen at random; that they fill the whole is verified
    in any case. GoughError if it does not hold, with the box and the requirement.

    >>> import gough
    >>> robot = gough.load("planar-3rrr")
    >>> limits = gough.kinematics.Limits(families=("stroke",))
    >>> gough.prove(robot, [1e-3, 1e-3, 0], limits=limits).save("proof.json")
    >>> gough.kinematics.check_proof("proof.json", robot).verdict
    'proved'
    """
    if at_most is not None:
        require_integer("at_most", at_most, least=0)
    with reading(path) as content:
        robot = robot or load(content["robot"])
        _check_of_box(content)
        claims, halves = _claims(content, robot), np.array(content["halves"])
        box = (
            f"{region_words(halves, content['required']['radius'])} "
            f"around x y z {vector(np.array(content['centre'][:3]))} m, "
            f"quaternion {vector(np.array(content['centre'][3:]))}"
        )
        balls = dict(content["required"]["balls"])
        more = [f"{name} {text} [{unit}]" for name, text, unit in state_rows(halves[6:], balls)]
        tolerances = content["tolerances"].items()
        more += [f"{name} ± {size:g}" for name, size in tolerances] or ["no tolerances"]
        return checked(content, robot, claims, at_most, box, *more)


def checked(
    content: dict[str, Any],
    robot: Robot,
    claims: Sequence[Claim],
    at_most: int | None,
    of: str,
    *more: str,
) -> CheckedProof:
    """Verify claims of a certificate, the last ones those of its boxes: see `check_proof`."""
    codes, claims = content["boxes"], list(claims)
    ways = len(claims) - len(codes)
    signs = [letter for code in codes for letter in code if letter in SIDES]
    names = [f"box {k + 1} of {len(signs)}" * (sign != "?") for k, sign in enumerate(signs)]
    decided = [k for k, name in enumerate(names) if name]
    if at_most is not None:  # with boxes next to them, so that their solutions are compared
        some = random.sample(range(len(decided)), min(at_most, len(decided)))
        near = [decided[n] for k in some for n in (k, k + 1) if n < len(decided)]
        decided = [*dict.fromkeys(near)][:at_most]
    chosen = {*decided}
    names = [name if k in chosen else "" for k, name in enumerate(names)]
    if (example := content["counter_example"]) is not None:
        codes, names = [*codes, "-"], [*names, "the counter-example"]
        claims.append(_example(example, claims[ways:]))
    names = ["a way from home"] * ways + names
    home = solution_at_home(Machines(robot))
    check(content["verdict"], ["+"] * ways + codes, claims, home, names)
    if content["verdict"] == "proved" and not decided:
        raise GoughError("none of its boxes was evaluated again; expected at_most above 0")
    required, found = content["required"], (len(signs), len(decided))
    limits = required["limits"]
    asked = [*limits["families"], *(key for key in ("speed", "force") if required[key])]
    if (most := limits["max_condition"]) is not None:
        asked.append(f"condition number at most {most:g}")
    statement = "; ".join([of, ", ".join(asked) or "assembly", *more])
    return CheckedProof(robot, statement, content["verdict"], *found)


def _example(example: dict[str, Any], claims: Sequence[Claim]) -> Claim:
    """Return the claim of a counter-example: a box that is a point."""
    claim = claims[range(len(claims)).index(example["part"])]
    number = range(len(claim.requirements)).index(example["requirement"])
    point = [exact(x) for x in example["coordinates"]]
    if any(x & side != x for x, side in zip(point, claim.whole, strict=True)):
        raise GoughError("its counter-example is not in the box")
    return replace(of_one_margin(claim, number), whole=point, ends=[])


def _check_of_box(content: dict[str, Any]) -> None:
    if "motion" in content:
        raise GoughError("it is about a motion; expected that of a box, or --check with the study")


def _check_poses(robot: Robot, centre: Array, halves: Array) -> None:
    """Refuse boxes of poses that the robot cannot take."""
    box_halves(Kernels(robot), halves[:3].tolist(), halves[3:].tolist())
    if not np.allclose(centre_of(robot, centre), centre, rtol=0, atol=1e-9):
        raise GoughError("its centre is no pose that the robot can take")


def _claims(content: dict[str, Any], robot: Robot) -> list[Claim]:
    """Return what a certificate says of a box of poses, of robots within tolerances.

    Of a robot that iterates, home's solution continues to the point of the box nearest to home.
    """
    required, tolerances = statement(content, robot), content["tolerances"]
    required.check_stated(robot)
    machines = machines_with(robot, [*tolerances])
    names, centre = required.names(machines), [float(x) for x in content["centre"]]
    first, halves = names.index(STEPS[0]), [Fraction(x) for x in content["halves"]]
    norm = sum(Fraction(x) ** 2 for x in centre[3:])
    if (len(centre), len(halves)) != (7, len(names) - first) or abs(float(norm) - 1) > 1e-12:
        raise GoughError("the box has other coordinates, or its centre is no pose")
    _check_poses(robot, np.array(centre), np.array(content["halves"][:6]))
    unknown = tolerances.keys() - set(names[:first])
    if unknown or not all(half >= 0 for half in (*halves, *tolerances.values())):
        raise GoughError(f"tolerances of {unknown}, or halves of sides, are below zero")
    sides = [Fraction(tolerances.get(name, 0)) for name in names[:first]] + halves
    middle = [*(machines.values.tolist() if first else ()), *[0.0] * len(halves)]
    whole = [exact(Fraction(m) - half) | exact(Fraction(m) + half) if half else exact(m)
             for m, half in zip(middle, sides, strict=True)]  # fmt: skip
    axes = [k for k in range(first, len(names)) if sides[k]]
    axes = [k for k in axes if k < first + len(STEPS)] or axes  # poses alone, if they vary
    x, given = ca.SX.sym("x", len(names)), ca.SX.sym("given", 7)
    place = ClaimInputs(x, given, x, given)
    if content["verdict"] != "proved" or not Implicit(robot).count:
        return [claim(required, machines, place, whole, axes, centre)]
    near = steps_between(np.array(centre), np.array(robot.home))
    near = np.clip(near, *(sign * np.array(content["halves"][:6]) for sign in (-1, 1)))
    end = [*middle[:first], *near.tolist()]
    point = [exact(x) for x in (*end, *middle[len(end) :])]
    own = claim(required, machines, place, whole, axes, centre, [point, point])
    return [*way_from_home(required, machines, centre, end), own]
