"""Identity of results: the content of everything that they are computed from.

That is what is written, the files that it names, and the objects as they are: a study may have been
read from a file and changed since.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any
from uuid import uuid4

from gough.compiler.identity import UnidentifiedError, fingerprint
from gough.disk.manifest import versions
from gough.disk.plain_data import PlainData
from gough.fields.user_files import contents
from gough.motion import carried_over, total_wrench
from gough.studies.study import Study

_BY_NUMBERS = ("motion", "tasks")
"""Parts of a study that may be anybody's functions: known by what they come to."""


def identity(name: str, *inputs: Any) -> PlainData:
    """Return what a run of inputs is known by: its name, a SHA-256 of them, and the versions.

    Inputs that cannot be identified, such as a function that is not Gough's, give an identity
    that no other run has: nothing is found in its place.
    """
    try:
        known = fingerprint((*inputs, versions()))
    except UnidentifiedError:
        known = uuid4().hex * 2
    return {"name": name, "inputs": known, "versions": versions()}


def identity_of(study: Study) -> PlainData:
    """Return what a run of a study is known by, with the cases that it compares."""
    cases = [identity_of(study.variant(k)) for k in range(len(study.cases))]
    return identity(study.name, facts_of(study), cases)


def facts_of(study: Study) -> list[Any]:
    """Return everything that the results of a study depend on."""
    said = study.resolved()
    parts = [getattr(study, part.name) for part in fields(study) if part.name not in _BY_NUMBERS]
    time = study.times()
    samples = study.motion(time)
    carried = [robot for _, robot in carried_over(study.robot, study.tasks, time)]
    numbers = [time, *samples, total_wrench(study.tasks, time, samples)]
    named = contents([said, *(table for axis in study.variations for table in axis.at_keys())])
    return [said, study.robot.to_dict(), named, parts, numbers, carried]
