"""The errors that Gough raises: every one of them is a GoughError, and a ValueError."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


class GoughError(ValueError):
    """Bad input, or a request that cannot be met. The message says what, where and what to do."""


class RobotError(GoughError):
    """A robot description that is wrong: the file, the key, the leg, the value, the expectation.

    The parts are attributes, so that a program can use them; the message joins those that are
    known: `my.toml: legs[2].cylinder.mass (leg 3): out of range, got -1; expected a mass …`.
    """

    def __init__(
        self,
        problem: str,
        *,
        file: Path | None = None,
        key: str | None = None,
        leg: int | None = None,
        value: object = None,
        expected: str | None = None,
        others: Sequence[str] = (),
    ) -> None:
        """`leg` counts from 1, as people do; `key` is the path inside the file.

        `others` are the keys of further problems, which the message only names.
        """
        self.problem, self.file, self.key = problem, file, key
        self.leg, self.value, self.expected = leg, value, expected
        self.others = tuple(others)
        place = [str(file)] if file else []
        if key:
            place.append(f"{key} (leg {leg})" if leg else key)
        text = ": ".join([*place, problem])
        if value is not None and f'"{value}"' not in problem:
            text += f", got {shortened(value)}"
        if expected:
            text += f"; expected {expected}"
        if others:
            text += f" (and {_counted(others)})"
        super().__init__(text)


SINGULAR_WORDS = {
    "actuators": "condition number of J {condition:.3g}; no actuator forces can balance every "
    "wrench there",
    "universal joint": "leg {leg} stands along the first axis of its universal joint, which cannot "
    "follow it there",
    "leg length": "leg {leg} has no length, hence no direction",
}
"""What is singular, and what that means."""


class SingularConfiguration(GoughError):  # noqa: N818  (a state of the machine)
    """No actuator forces can be found: J is singular, or a leg. Has the pose and J's condition.

    `kind` is one of SINGULAR_WORDS; `leg` counts from 1, and is None where it is not about a leg.
    """

    def __init__(
        self,
        pose: tuple[float, ...],
        condition: float,
        index: tuple[int, ...],
        kind: str = "actuators",
        leg: int | None = None,
    ) -> None:
        """`index` is the place of the first singular pose in its batch."""
        self.pose, self.condition, self.index = pose, condition, index
        self.kind, self.leg = kind, leg
        where = f" at index {list(index)}" if index else ""
        listed = ", ".join(f"{x:.6g}" for x in pose)
        words = SINGULAR_WORDS[kind].format(condition=condition, leg=leg)
        super().__init__(f"singular configuration{where}: pose [{listed}], {words}")


class KernelArgumentError(GoughError):
    """A kernel was called with an argument that does not fit; names the argument and the shape."""


class CompilerError(GoughError):
    """A function that cannot be compiled, or a target that is not there."""


def shortened(value: object, limit: int = 80) -> str:
    """A value as Python writes it, in one line that is not too long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _counted(others: Sequence[str], limit: int = 3) -> str:
    number = "1 more problem" if len(others) == 1 else f"{len(others)} more problems"
    return f"{number}: {', '.join(others[:limit])}{', …' if len(others) > limit else ''}"
