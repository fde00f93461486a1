"""Certificates of proofs: JSON files with the statement, the boxes, and the robot's fingerprint."""

from __future__ import annotations

import json
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from gough.disk.files import replacing
from gough.disk.plain_data import PlainData
from gough.errors import GoughError
from gough.kinematics.proof.prove import Boxes, CounterExample, Proof
from gough.kinematics.proof.requirements import Bounding, Required
from gough.kinematics.workspace.box import pose_at
from gough.kinematics.workspace.reach import Limits
from gough.model.machines import Machines
from gough.robot import Robot

FORMAT = "gough-proof/2"
_SIDES = ("proved", "outside", "undecided")


def write(proof: Proof, path: str | Path) -> None:
    """Write the certificate of a proof; it comes into place whole."""
    example = proof.counter_example
    content: PlainData = {
        "format": FORMAT,
        "robot": proof.robot.name,
        "fingerprint": Machines(proof.robot).fingerprint,
        "required": asdict(proof.required),
        "tolerances": dict(proof.tolerances),
        "verdict": proof.verdict,
        "centre": proof.centre.tolist(),
        "coordinates": proof.required.names(proof.machines),
        "box": proof.boxes.whole.tolist(),
        "axes": list(proof.boxes.axes),
        "counter_example": None
        if example is None
        else {"requirement": example.number, "coordinates": example.coordinates.tolist()},
        "proved": list(proof.proved),
        "outside": list(proof.outside),
        "undecided": list(proof.undecided),
    }
    with replacing(path) as draft:
        draft.write_text(json.dumps({**content, "sha256": digest(content)}, indent=1) + "\n")


def digest(content: PlainData) -> str:
    """Return the SHA-256 of a certificate without its own."""
    own = {key: value for key, value in content.items() if key != "sha256"}
    return sha256(json.dumps(own, sort_keys=True).encode()).hexdigest()


def content_of(path: str | Path) -> dict[str, Any]:
    """Return the content of a certificate; GoughError for a file that is none, or was changed."""
    try:
        content: Any = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise GoughError(f"{path}: no certificate of a proof: {error}") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise GoughError(f"{path}: no certificate of a proof; expected format {FORMAT!r}")
    if content.get("sha256") != digest(content):
        raise GoughError(f"{path}: the certificate was changed: its SHA-256 is not that stated")
    return content


def statement(content: dict[str, Any], robot: Robot, path: str | Path) -> tuple[Required, Machines]:
    """Return what a certificate is about; GoughError if it is about another robot."""
    if Machines(robot).fingerprint != content["fingerprint"]:
        raise GoughError(
            f"{path}: the certificate is about another robot than {robot.name}; expected one with "
            f"the fingerprint {content['fingerprint'][:16]}…"
        )
    stated = dict(content["required"])
    limits = dict(stated.pop("limits"))
    limits["families"] = tuple(limits["families"])
    required = Required(Limits(**limits), **stated)
    required.check_stated(robot)
    machines = Machines(robot, parametric=bool(content["tolerances"]))
    if required.names(machines) != content["coordinates"]:
        raise GoughError(f"{path}: coordinates of the certificate are not those of {robot.name}")
    return required, machines


def read_proof(path: str | Path, robot: Robot) -> Proof:
    """Return the proof of a certificate, for example to carry on with its undecided boxes."""
    content = content_of(path)
    required, machines = statement(content, robot, path)
    rows, centre = required.rows(robot), np.array(content["centre"])
    boxes = Boxes(np.array(content["box"]), tuple(content["axes"]))
    found, example = content["counter_example"], None
    if found is not None:
        point, number = np.array(found["coordinates"]), found["requirement"]
        bounding = Bounding(required, machines, centre)
        pose = pose_at(centre, point[bounding.first :][:6])
        margin = float(bounding.at(point[None])[0, number, 1])
        example = CounterExample(rows[number], point, pose, margin, number)
    proved, outside, undecided = (tuple(content[key]) for key in _SIDES)
    low = np.full(len(rows), 0.0 if proved else np.inf)  # not stated: margins are at least zero
    known = boxes, content["tolerances"], proved, outside, undecided, low, example
    return Proof(robot, required, centre, *known)
