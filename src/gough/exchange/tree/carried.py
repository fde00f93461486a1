"""The whole robot in a comment at the end of a file for another program: to the last bit."""

from __future__ import annotations

import json

from gough.disk.sources import as_made
from gough.errors import InputError
from gough.fields.user_files import parsed
from gough.robot import Robot

_BEGINS, _ENDS = "<!-- robot ", " -->\n"
"""No attribute has a < in it and no comment two hyphens together: a comment begins here alone."""


def carrying(robot: Robot) -> str:
    """Return the comment for the end of an XML file: JSON in ASCII, in which no hyphens meet."""
    return _BEGINS + json.dumps(robot.to_dict()).replace("--", r"-\u002d") + _ENDS


def carries(text: str) -> bool:
    """Whether there is a robot in the text of a file."""
    return _BEGINS in text


def carried(text: str) -> Robot | None:
    """Return the robot in the text of a file; None if there is none, or the text was changed."""
    if not (carries(text) and as_made(text)):
        return None
    data = parsed(text.rpartition(_BEGINS)[2].removesuffix(_ENDS), ".json")
    if not isinstance(data, dict):
        raise InputError("not a robot in its last comment", value=data, expected="a robot file")
    return Robot.from_dict(data)
