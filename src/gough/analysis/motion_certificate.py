"""Certificates of proofs of motions, and the claims of their pieces: functions of time alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import casadi as ca

from gough.analysis.proved_motion import MotionProof, MotionSearch, check_provable, limits_left_out
from gough.checks import require_integer
from gough.errors import GoughError
from gough.kinematics.proof import certificate
from gough.kinematics.proof.checker import Claim, exact
from gough.kinematics.proof.claims import ClaimInputs, claim, way_from_home
from gough.kinematics.proof.implicit import Implicit
from gough.model.machines import Machines
from gough.motion import Motion, Task
from gough.robot import Robot


def write(proof: MotionProof, path: str | Path) -> None:
    """Write the certificate of a proof; it comes into place whole."""
    found, example = proof.counter_example, None
    if found is not None:
        example = {"part": proof.piece, "requirement": found.number}
        example["coordinates"] = found.coordinates.tolist()
    search = MotionSearch(proof.robot, proof.required, proof.motion, proof.tasks)
    stated = {"motion": search.fingerprint(), "duration": proof.duration}
    list(_claims(search))  # refused where the checker has no bounds
    codes = [*map(certificate.code_of, proof.bisections)]
    certificate.write_certificate(path, proof, stated, codes, example)


def check_motion_proof(
    path: str | Path,
    robot: Robot,
    motion: Motion,
    tasks: Sequence[Task] = (),
    *,
    at_most: int | None = None,
) -> certificate.CheckedProof:
    """Verify a certificate of `gough.prove_motion`, without compiled bounds.

    Robot, motion and tasks must be those of the certificate. All intervals of time are evaluated
    again, or `at_most` so many, chosen at random; that they fill the duration is verified in any
    case. GoughError if it does not hold, with the interval and the requirement.

    >>> import gough
    >>> from gough.motion import Quintic, line
    >>> robot = gough.load("planar-3rrr")
    >>> motion = line(robot.home, [1e-3, 0, 0], Quintic(1.0))
    >>> limits = gough.kinematics.Limits(families=("stroke",))
    >>> gough.prove_motion(robot, motion, limits=limits).save("motion.json")
    >>> gough.analysis.check_motion_proof("motion.json", robot, motion, at_most=3).verdict
    'proved'
    """
    check_provable(robot, motion)
    if at_most is not None:
        require_integer("at_most", at_most, least=0)
    with certificate.reading(path) as content:
        required = certificate.statement(content, robot)
        search = MotionSearch(robot, required, motion, tasks)
        if (search.fingerprint(), motion.duration) != (content["motion"], content["duration"]):
            raise GoughError("the certificate is about another motion, or about other tasks")
        proved = content["verdict"] == "proved"
        of, claims = f"all times of a motion of {motion.duration:g} s", [*_claims(search, proved)]
        left_out = limits_left_out(robot, required)
        more = [f"left out: {', '.join(left_out)}"] if left_out else []
        ways = len(claims) - len(search.robots)
        return certificate.checked(content, required, robot, claims, ways, at_most, of, *more)


def _claims(search: MotionSearch, proved: bool = False) -> Iterator[Claim]:
    """Give what is claimed of each piece of a motion; of a way from home to it, if it is proved."""
    over_time, none, machines = search.over_time, ca.SX(0, 1), Machines(search.robot)
    chained = proved and Implicit(search.robot).count > 0
    if chained:
        start = search.motion(over_time.pieces[0, 0]).pose.tolist()
        yield from way_from_home(search.required, machines, start, [0.0] * 6)
    possible = [ca.DM(row).T for row in search.within_one if row.any()]
    for (t, column), ends, number in zip(
        over_time.laws, over_time.pieces.tolist(), search.robots, strict=True
    ):
        pose, twist, acceleration, wrench, _ = ca.vertsplit(column, [0, 7, 13, 19, 25, 37])
        moving = [twist, acceleration, wrench] if search.required.moving else []
        further = tuple(("possible speed", 1 - ca.fabs(row @ twist)) for row in possible)
        place = ClaimInputs(t, none, ca.vertcat(ca.SX.zeros(6), *moving), pose, further)
        whole = [exact(ends[0]) | exact(ends[1])]
        machines = Machines(search.loaded[int(number)])
        points = [[exact(end)] for end in ends] if chained else []
        yield claim(search.required, machines, place, whole, [0], [], points)
